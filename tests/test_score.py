"""The score as documented JSON, and what becomes of a fault that is not the submission's."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from grader.exercise import Project
from grader.i18n import Translator
from grader.score import Score, Status, schema_text
from grader.session import grade_file, open_grader
from grader.submission import Submission

ROOT = Path(__file__).resolve().parents[1]


def submission(source: str) -> Submission:
    """A submission to the tiny exercise."""
    return Submission("stack.py", "python", source.encode())


def test_schema_is_shipped():
    """The package ships the schema of the model as it is."""
    shipped = (ROOT / "grader" / "score.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))


@pytest.mark.parametrize("name", ["queue", "silent"])
def test_real_output_fits_schema(stack, stack_grader, name):
    """What a real grading gives is what the schema says, before and after localising."""
    path = stack.folder / "wrong" / f"{name}.py"
    score = stack_grader.grade(Submission(path.name, "python", path.read_bytes()), seed=7)
    for shown in (score, score.localised(Translator("zh", stack.folder))):
        jsonschema.validate(json.loads(shown.to_json()), json.loads(schema_text()))
    assert (score.seed, score.schema_version) == (7, 1)


def test_stored_score_is_shown_in_any_language(stack, stack_grader):
    """A stored score read back can be put into either language."""
    path = stack.folder / "wrong" / "queue.py"
    stored = stack_grader.grade(
        Submission(path.name, "python", path.read_bytes()), seed=7
    ).to_json()
    texts = {
        language: Score.model_validate_json(stored)
        .localised(Translator(language, stack.folder))
        .checks[0]
        .message.text
        for language in ("zh", "en")
    }
    assert texts["zh"] == "弹出的不是最后压入的。"
    assert texts["en"] == "What was popped is not what was pushed last."


def test_error_scores_zero(stack_grader):
    """A submission that cannot be graded scores 0 of the full points, no check run."""
    score = stack_grader.grade(submission("x = 1\n"), seed=1)
    assert (score.status, score.score, score.max_score) == (Status.ERROR, 0, 100)
    assert {check.status for check in score.checks} == {"not_run"}


@pytest.fixture
def project(tmp_path):
    """A copy of the tiny project, to be broken."""
    shutil.copytree(ROOT / "tests" / "tiny", tmp_path / "tiny")
    return Project(tmp_path / "tiny")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("exercises/stack/checks/test_order.py", "def test_x(subject):\n    1 / 0\n",
         "exercise.check_fault"),
        ("exercises/stack/checks/test_order.py", "def test_x(no_such_fixture):\n    pass\n",
         "exercise.check_fault"),
        ("exercises/stack/checks/test_order.py", "x = 1\n", "exercise.no_cases"),
        ("exercises/stack/checks/test_order.py", "def (\n", "exercise.collect"),
        ("solutions/stack.py", "class Stack:\n    pass\n", "exercise.reference"),
        ("solutions/stack.py",
         "class Stack:\n def push(self, item): 1 / 0\n def pop(self): pass\n", "exercise.reference"),
    ],
    ids=["check_raises", "no_fixture", "no_case", "no_python", "no_reference", "bad_reference"],
)  # fmt: skip
def test_fault_of_the_exercise_is_ungraded(project, file, content, message):
    """A fault of ours gives no score at all, and says whose fault it is: never a 0, never a pass."""
    (project.root / file).write_text(content)
    right = project.root / "exercises/stack/right/deque.py"
    score = grade_file(project.exercise("stack"), right, seed=1)
    assert (score.status, score.score) == (Status.UNGRADED, None)
    assert score.error.message.id == message
    assert Translator("en").knows(f"{message}.next")


def test_nothing_seen_is_no_pass(project):
    """A check whose case had nothing to judge earns no points, and is not said to have failed."""
    (project.root / "exercises/stack/checks/test_order.py").write_text(
        "from grader.checks import Unseen\n"
        "def test_seen(subject):\n    assert subject\n"
        "def test_unseen(subject):\n    raise Unseen('order.item')\n"
    )
    right = project.root / "exercises/stack/right/deque.py"
    score = grade_file(project.exercise("stack"), right, seed=1)
    assert (score.status, score.score) == (Status.FAILED, 40)
    assert [check.status for check in score.checks] == ["not_run", "passed"]


def test_slow_import_is_done_once(project):
    """A file that takes its time at import is executed once, not for every case."""
    source = (project.root / "solutions/stack.py").read_text()
    with open_grader(project.exercise("stack"), "python") as grader:
        slow = submission("import time\nprint('imported')\ntime.sleep(0.3)\n" + source)
        assert grader.grade(slow, seed=1).status == Status.PASSED


def test_cases_do_not_share_state(stack_grader):
    """What a class keeps to itself in one case is gone in the next."""
    source = (
        "class Stack:\n"
        "    items = []\n"
        "    def __init__(self):\n"
        "        if Stack.items: raise RuntimeError('left over')\n"
        "    def push(self, item): Stack.items.append(item)\n"
        "    def pop(self): return Stack.items.pop()\n"
    )
    assert stack_grader.grade(submission(source), seed=1).score == 100
