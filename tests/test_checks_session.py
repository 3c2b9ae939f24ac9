"""The pytest session over an exercise's checks: one for all submissions, shut off from the user's."""

import gc
import os
import random
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from support import TINY

from grader.checks.hearing import Hearing
from grader.checks.session import Session
from grader.errors import ExerciseError, SubmissionError
from grader.subject.output import Output
from grader.trace import Trace

#: What a check sees of a subject that answers nothing.
SUBJECT = SimpleNamespace(trace=Trace())


class Subjects:
    """Gives subjects without a process, and remembers who asked."""

    def __init__(self, error: SubmissionError | None = None) -> None:
        self.taken: list[str] = []
        self._error = error

    def take(self, case: str) -> object:
        """A subject for a case."""
        self.taken.append(case)
        if self._error is not None:
            raise self._error
        return SUBJECT

    def printed(self) -> tuple[Output, Output]:
        """Nothing."""
        return Output(), Output()


def hearing(error: SubmissionError | None = None) -> Hearing:
    """A submission before the checks."""
    return Hearing(Subjects(error), SimpleNamespace(recalled=SimpleNamespace), seed=1)


def heard(session: Session, cases: list[str] | None = None) -> Hearing:
    """A hearing after the checks."""
    one = hearing()
    session.hear(one, session.cases if cases is None else cases)
    return one


def outcomes(one: Hearing) -> list[str]:
    """How the cases went, in the order in which they did."""
    return [ruling.report["outcome"] for ruling in one.rulings.values()]


@pytest.fixture
def checks(tmp_path) -> Callable[..., Session]:
    """Makes sessions over check files with the given texts, by their names."""
    sessions = []

    def make(**texts: str) -> Session:
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text, "utf-8")
        files = [tmp_path / f"{name}.py" for name in texts if name.startswith("test_")]
        sessions.append(Session(files))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


# --- collecting ----------------------------------------------------------------------------------


def test_order(checks):
    """Cases are in the order of files and of what stands in them, and are heard in it."""
    session = checks(
        test_b="def test_z(subject): pass\ndef test_a(subject): pass\n",
        test_a="import pytest\n@pytest.mark.parametrize('n', [2, 1])\ndef test_n(subject, n): pass\n",
    )
    names = [case.rpartition("/")[2] for case in session.cases]
    assert names == [
        "test_b.py::test_z", "test_b.py::test_a", "test_a.py::test_n[2]", "test_a.py::test_n[1]",
    ]  # fmt: skip
    one = hearing()
    session.hear(one, set(session.cases))
    assert one.subjects.taken == list(one.rulings) == session.cases


def test_some_cases(checks):
    """Those that are asked for are heard, and no others."""
    session = checks(test_a="def test_1(subject): pass\ndef test_2(subject): assert 0\n")
    assert outcomes(heard(session, session.cases[:1])) == ["passed"]
    assert outcomes(heard(session, session.cases[1:])) == ["failed"]
    assert outcomes(heard(session, [])) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("import no_such_module\n", "No module named 'no_such_module'"), ("def test(:\n", "SyntaxError"),
     ("1 / 0\n", "ZeroDivisionError"),
     ("import pytest\n@pytest.mark.parametrize('n', 3)\ndef test_n(n): pass\n", "not iterable")],
    ids=["import", "syntax", "raises", "parametrize"],
)  # fmt: skip
def test_cannot_be_collected(checks, text, words):
    """A check file that cannot be collected is the exercise's fault, in pytest's words; whatever
    others there are.
    """
    with pytest.raises(ExerciseError) as raised:
        checks(test_right="def test_1(subject): pass\n", test_wrong=text)
    assert raised.value.message.id == "exercise.collect"
    assert words in raised.value.message.params["detail"]


@pytest.mark.parametrize("text", ["", "def helper(): pass\n", "class TestNothing: pass\n"])
def test_no_cases(checks, text):
    """Nor can an exercise be graded that has no cases."""
    with pytest.raises(ExerciseError) as raised:
        checks(test_none=text)
    assert raised.value.message.id == "exercise.collect"
    assert raised.value.message.params["detail"] == "no tests collected"


def test_no_file(tmp_path):
    """A file that is not there is named."""
    with pytest.raises(ExerciseError) as raised:
        Session([tmp_path / "test_gone.py"])
    assert "test_gone.py" in raised.value.message.params["detail"]


def test_fixtures_that_fail_to_load(checks):
    """A conftest that cannot be imported is the exercise's fault, too."""
    with pytest.raises(ExerciseError) as raised:
        checks(conftest="import no_such_module\n", test_a="def test_1(subject): pass\n")
    assert "no_such_module" in raised.value.message.params["detail"]


def test_checks_of_one_name(checks, tmp_path):
    """Two exercises may have checks of one name, and conftests."""
    session = checks(conftest="WHO = 1\n", test_order="def test_mine(subject): pass\n")
    other = Session(sorted((TINY / "exercises" / "stack" / "checks").glob("test_*.py")))
    assert [case.rpartition("::")[2] for case in session.cases] == ["test_mine"]
    assert len(other.cases) == 3
    other.close()


# --- the user's environment ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYTEST_ADDOPTS", "-k nothing_at_all -x"), ("PYTEST_ADDOPTS", "--no-such-option"),
     ("PYTEST_PLUGINS", "no_such_plugin"), ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", ""),
     ("PYTEST_CURRENT_TEST", "mine"), ("PYTEST_THEME", "no_such_theme"), ("PYTEST_DEBUG", "1")],
)  # fmt: skip
def test_variables(checks, monkeypatch, name, value):
    """What the user tells a pytest of their own has no effect, and stays as it is."""
    monkeypatch.setenv(name, value)
    session = checks(test_a="def test_1(subject): pass\ndef test_2(subject): assert 0\n")
    assert os.environ[name] == value
    assert outcomes(heard(session)) == ["passed", "failed"]


def test_settings_around(checks, tmp_path, monkeypatch):
    """Nor have settings of a project that the checks lie in, or that one is in."""
    for name in ("pytest.ini", "tox.ini"):
        (tmp_path / name).write_text("[pytest]\naddopts = -k nothing --no-such-option\n")
    monkeypatch.chdir(tmp_path)
    assert outcomes(heard(checks(test_a="def test_1(subject): pass\n"))) == ["passed"]


def test_says_nothing(checks, capfd):
    """A session prints nothing of its own."""
    session = checks(test_a="def test_1(subject): pass\ndef test_2(subject): assert 0\n")
    heard(session)
    with pytest.raises(ExerciseError):
        checks(test_b="1 / 0\n")
    assert capfd.readouterr() == ("", "")


# --- cases ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    ["pytest.skip('later')", "pytest.importorskip('no_such_module')", "pytest.xfail('known')",
     "pytest.fail('no')", "raise Unseen('x')", "raise AssertionError", "raise KeyError"],
)  # fmt: skip
def test_no_pass(checks, body):
    """A case that is skipped, or expected to fail, is not passed."""
    text = "import pytest\nfrom grader.checks import Unseen\n"
    (outcome,) = outcomes(heard(checks(test_a=f"{text}def test_1(subject):\n    {body}\n")))
    assert outcome != "passed"


@pytest.mark.parametrize("mark", ["skip(reason='x')", "xfail", "xfail(strict=True)"])
def test_marked(checks, mark):
    """Nor is one that is marked so, whatever it does."""
    text = f"import pytest\n@pytest.mark.{mark}\ndef test_1(subject):\n    assert 0\n"
    assert outcomes(heard(checks(test_a=text))) != ["passed"]


def test_fixtures(checks):
    """What pytest gives to tests it gives to checks, anew for each, and takes back."""
    session = checks(
        conftest="""
import pytest
ENDED = []
@pytest.fixture
def number():
    yield len(ENDED)
    ENDED.append(1)
""",
        test_a="""
import os
def test_tmp_path(subject, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").write_text("x")
def test_tmp_path_again(subject, tmp_path):
    assert not list(tmp_path.iterdir())
def test_monkeypatch(subject, monkeypatch):
    monkeypatch.setenv("OF_THIS_CASE", "1")
    assert os.environ["OF_THIS_CASE"]
def test_after(subject):
    assert "OF_THIS_CASE" not in os.environ
def test_number(subject, number, request):
    assert request.node.name == "test_number"
    assert number in (0, 1)
def test_rng(subject, rng, oracle, advise):
    advise("later", number=rng.random())
""",
    )
    first, second = heard(session), heard(session)
    assert outcomes(first) == outcomes(second) == ["passed"] * 6
    said = first.rulings[session.cases[-1]].advice["later"]
    assert said == second.rulings[session.cases[-1]].advice["later"]
    assert said.params == {"number": random.Random("1:test_rng").random()}


def test_error_ends_it(checks):
    """A fault that ends the grading ends the hearing; the next submission is heard as ever."""
    session = checks(test_a="def test_1(subject): pass\ndef test_2(subject): pass\n")
    one = hearing(SubmissionError("crash", {"doing": "x", "signal": "SIGSEGV"}))
    session.hear(one, session.cases)
    assert (one.error.kind, len(one.subjects.taken)) == ("crash", 1)
    assert outcomes(heard(session)) == ["passed", "passed"]


def test_fault_of_the_reference(checks):
    """A fault of the reference is raised; the next submission is heard as ever."""
    text = "from grader.errors import ExerciseError\nSEEN = []\ndef test_1(subject):\n"
    text += "    SEEN.append(1)\n    if len(SEEN) == 1: raise ExerciseError('exercise.reference', detail='x')\n"
    session = checks(test_a=text)
    with pytest.raises(ExerciseError):
        session.hear(hearing(), session.cases)
    assert outcomes(heard(session)) == ["passed"]


INTERRUPTED = """
import pytest
STATE = {"interrupt": "%s", "ended": 0}

def interrupt(stage):
    if STATE["interrupt"] == stage:
        STATE["interrupt"] = ""
        raise KeyboardInterrupt

@pytest.fixture
def held():
    yield
    STATE["ended"] += 1

@pytest.fixture
def breaking(held):
    interrupt("setup")
    yield
    interrupt("teardown")

def test_1(subject, breaking):
    interrupt("call")
"""


@pytest.mark.parametrize("stage", ["setup", "call", "teardown"])
def test_interrupted(checks, tmp_path, stage):
    """Ctrl-C goes through, whenever it comes. The session has ended then, with all that the case
    held, but where that was being let go of; ending it again does nothing, and others go on.
    """
    other = checks(test_b="def test_1(subject): pass\n")
    session = checks(test_a=INTERRUPTED % stage)
    with pytest.raises(KeyboardInterrupt):
        session.hear(hearing(), session.cases)
    file = str(tmp_path / "test_a.py")
    (module,) = (m for m in list(sys.modules.values()) if vars(m).get("__file__") == file)
    assert module.STATE["ended"] == (stage != "teardown")
    session.close()
    assert outcomes(heard(other)) == ["passed"]


def test_memory(checks):
    """Three hundred hearings leave nothing behind that thirty do not."""
    text = "from grader.checks import expect_equal\ndef test_1(subject, advise, tmp_path): advise('a')\n"
    text += "def test_2(subject):\n    held = ['x' * 1000] * 10\n    expect_equal(held, 1, 'id')\n"
    session = checks(test_a=text)

    def things() -> int:
        gc.collect()
        return len(gc.get_objects())

    for _ in range(30):
        heard(session)
    before = things()
    for _ in range(300):
        heard(session)
    assert things() - before < 300


def test_hearing_is_let_go(checks):
    """What a hearing found belongs to who asked: the next one's is another."""
    session = checks(test_a="def test_1(subject): assert 0\n")
    first = heard(session)
    before = dict(first.rulings)
    second = heard(session)
    assert first.rulings == before
    assert first.rulings is not second.rulings
