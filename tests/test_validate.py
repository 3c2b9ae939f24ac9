"""`grader validate`: what makes an exercise sound, and what it notices when it is not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.exercise import Project
from grader.i18n import LANGUAGES
from grader.session import validate_exercise
from grader.validate import Finding, Report, read_claim

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(tmp_path):
    """A copy of the tiny project, to be changed."""
    shutil.copytree(ROOT / "tests" / "tiny", tmp_path / "tiny")
    return Project(tmp_path / "tiny")


def validated(project: Project) -> Report:
    """The report on the tiny exercise."""
    *findings, report = validate_exercise(project.exercise("stack"), seed=1)
    assert all(isinstance(finding, Finding) for finding in findings)
    assert isinstance(report, Report)
    return report


def problems(report: Report) -> set[str]:
    """The ids of what is wrong besides the solutions."""
    return {problem.id for problem in report.problems}


def test_sound(project):
    """The tiny exercise is sound: the reference, the right and the wrong fare as they say."""
    report = validated(project)
    assert report.sound
    assert [finding.score.score for finding in report.findings] == [100, 100, 40, 60]


@pytest.mark.parametrize(
    ("header", "seen"),
    [("# fails: empty", "fails: order"), ("# fails: order, empty", "fails: order")],
)
def test_wrong_that_fails_other_checks(project, header, seen):
    """A wrong solution must fail exactly the checks it names: no others, no fewer."""
    file = project.root / "exercises/stack/wrong/queue.py"
    file.write_text(file.read_text().replace("# fails: order", header))
    report = validated(project)
    (bad,) = [finding for finding in report.findings if not finding.as_claimed]
    assert (bad.file.name, str(bad.seen), report.sound) == ("queue.py", seen, False)


def test_wrong_that_is_right(project):
    """A wrong solution that scores full is a hole in the checks."""
    right = (project.root / "solutions/stack.py").read_text()
    (project.root / "exercises/stack/wrong/not.py").write_text("# fails: order\n" + right)
    assert not validated(project).sound


def test_right_that_fails(project):
    """A right solution that loses a point is a check too strict."""
    wrong = (project.root / "exercises/stack/wrong/queue.py").read_text()
    file = project.root / "exercises/stack/right/not.py"
    file.write_text(wrong.replace("# fails: order", "# right: so it says"))
    assert not validated(project).sound


def test_solution_that_cannot_be_graded(project):
    """A wrong solution that ends in an error has not failed its check."""
    file = project.root / "exercises/stack/wrong/error.py"
    file.write_text("# fails: order\nraise RuntimeError\n")
    (bad,) = [finding for finding in validated(project).findings if not finding.as_claimed]
    assert bad.seen is None


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("wrong/anon.py", "class Stack: pass\n", "validate.header"),
        ("wrong/typo.py", "# fails: ordr\n", "validate.unknown_check"),
        ("right/not.py", "# fails: order\n", "validate.header"),
        ("starter/stack.py", None, "validate.starter"),
        ("wrong/silent.py", "# fails: order\n", "validate.never_failed"),
    ],
)
def test_problems(project, file, content, problem):
    """Headers that cannot be read, a starter that is not recognised, a check that never fails."""
    path = project.root / "exercises/stack" / file
    path.write_text("" if content is None else content)
    report = validated(project)
    assert problem in problems(report)
    assert not report.sound


def test_missing_texts(project):
    """A message without a text in each language is reported."""
    shutil.rmtree(project.root / "exercises/stack/locale/en")
    report = validated(project)
    assert problems(report) == {"validate.no_text"}
    assert {problem.params["language"] for problem in report.problems} == {"en"}


def test_texts_of_the_page(project):
    """A page's texts are held to what they must share, unless some solutions alone are asked for."""
    file = project.root / "exercises/stack/pages/en/summary.md"
    file.write_text(file.read_text(encoding="utf-8").replace("`push`", "`shove`"), encoding="utf-8")
    report = validated(project)
    assert problems(report) == {"validate.unlike_code"}
    assert not report.sound
    *_, some = validate_exercise(project.exercise("stack"), seed=1, only="queue")
    assert isinstance(some, Report)
    assert some.sound


def test_a_page_that_cannot_be_drawn(project):
    """What would keep the page from being drawn is found before anyone asks for the page."""
    for language in LANGUAGES:
        file = project.root / f"exercises/stack/pages/{language}/overview.md"
        table = "\n```table\ncolumns = ['a']\nrows = [['{bs}']]\n```\n"
        file.write_text(file.read_text(encoding="utf-8") + table, encoding="utf-8")
    assert "exercise.table" in problems(validated(project))


def test_the_names_of_variants(project):
    """A variant of an example has a name in every language."""
    toml = project.root / "exercises/stack/exercise.toml"
    text = toml.read_text(encoding="utf-8").replace("sections = [", 'sections = ["examples", ', 1)
    example = '\n[[examples]]\nid = "one"\nvariants.backwards = "queue.py"\n'
    toml.write_text(text + example, encoding="utf-8")
    (project.root / "exercises/stack/examples").mkdir()
    (project.root / "exercises/stack/examples/one.py").write_text(
        "def play(subject, step):\n    with step():\n        subject.new('Stack')\n",
        encoding="utf-8",
    )
    lost = {problem.params["id"] for problem in validated(project).problems
            if problem.id == "validate.no_text"}  # fmt: skip
    assert lost == {"variant.backwards"}


def test_hints_of_cases(project):
    """What a case names as its hint must be in the page, too."""
    file = project.root / "exercises/stack/checks/test_order.py"
    checks = file.read_text(encoding="utf-8")
    file.write_text(checks.replace("item=item)", 'item=item, hint="l2-gone")'), encoding="utf-8")
    lost = {(problem.params["language"], problem.params["id"]) for problem in validated(project).problems
            if problem.id == "validate.no_hint"}  # fmt: skip
    assert lost == {("zh", "l2-gone"), ("en", "l2-gone")}


def test_no_page(project):
    """An exercise needs no page to be sound."""
    shutil.rmtree(project.root / "exercises/stack/pages")
    toml = project.root / "exercises/stack/exercise.toml"
    toml.write_text(toml.read_text(encoding="utf-8").partition("[pages]")[0], encoding="utf-8")
    assert validated(project).sound


def test_command(project):
    """The command prints a line a solution and ends with 0 or 1."""
    command = [sys.executable, "-m", "grader", "validate", "stack", "--project", str(project.root)]
    good = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, text=True)
    assert (good.returncode, good.stdout.count("\n")) == (0, 5)
    (project.root / "exercises/stack/wrong/queue.py").write_text("# fails: empty\n")
    bad = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, text=True)
    assert bad.returncode == 1
    assert "BAD" in bad.stdout


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (b"# fails: clone, padding\n", "fails: clone, padding"),
        (b"\xef\xbb\xbf# right: with a BOM\r\n", "right"),
        (b"// fails: clone\n// unseen: padding\n", "fails: clone; unseen: padding"),
        (b"/* fails: clone */\n", "fails: clone"),
        (b"# -*- coding: gbk -*-\n# right: \xd6\xd0\n", "right"),
        (b"fails = 1\n", "None"),
    ],
)
def test_header(source, claim):
    """A header stands in a comment of any language."""
    assert str(read_claim(source)) == claim
