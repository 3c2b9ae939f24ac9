"""Where subjects come from, by fork or as fresh processes, and that nothing of them stays behind."""

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from support import ROOT, TINY, descriptors, processes_at_home_in, runner, stack_doing, stack_of

from grader.errors import EnvironmentFault, SubmissionError
from grader.grading import Grader
from grader.i18n import LANGUAGES, Translator
from grader.score import Status
from grader.subject.python.launcher import ForkServer, FreshProcess, Preload, launch
from grader.submission import Submission

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

#: Both ways, also where one of them is not the platform's.
BOTH = pytest.mark.parametrize("launcher", [ForkServer, FreshProcess], ids=lambda kind: kind.kind)


#: A fork server that builds no walls: what holds without them holds on every system.
unwalled = functools.partial(ForkServer, walls=())
unwalled.kind = "fork"  # type: ignore[attr-defined]

BOTH_UNWALLED = pytest.mark.parametrize(
    "launcher", [unwalled, FreshProcess], ids=lambda kind: kind.kind
)


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """The folder in which scratch folders are made. No process that lives there outlives a test."""
    folder = tmp_path / "homes"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    for pid in processes_at_home_in(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def hasty(stack):
    """The tiny exercise with limits that a submission that hangs soon reaches."""
    manifest = stack.manifest
    limits = manifest.limits.model_copy(update={"load_s": 0.3, "call_s": 0.3})
    stack.__dict__["manifest"] = manifest.model_copy(update={"limits": limits})
    yield stack
    stack.__dict__["manifest"] = manifest


def grader_of(exercise, launcher) -> Grader:
    """A grader whose subjects come from a launcher of a kind."""
    return Grader(exercise, "python", launcher(exercise.preload("python")))


def eventually(condition) -> bool:
    """Whether something comes true within seconds: a process that is killed takes a moment."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def nothing_left(homes: Path) -> bool:
    """Whether no process and no folder is left."""
    return eventually(lambda: not processes_at_home_in(homes)) and not list(homes.iterdir())


# --- grading -------------------------------------------------------------------------------------


@BOTH
def test_p17_reference(p17, reference, homes, launcher):
    """P17's reference scores full either way, and the score says which way it was."""
    with grader_of(p17, launcher) as grader:
        score = grader.grade(reference, seed=1)
    assert (score.status, score.score) == (Status.PASSED, 100)
    assert score.isolation.process == launcher.kind
    assert nothing_left(homes)


@BOTH
def test_one_after_the_other(stack, homes, launcher):
    """Submissions are graded one after the other, whatever became of the one before."""
    good = Submission("stack.py", "python", stack.solution("python").read_bytes())
    with grader_of(stack, launcher) as grader:
        for body, kind in (("import os; os._exit(3)", "exit"), ("import os; os.abort()", "crash")):
            assert grader.grade(stack_doing(body), seed=1).error.kind == kind
            assert grader.grade(good, seed=1).score == 100


@BOTH
def test_submissions_do_not_meet(stack, homes, launcher):
    """What a submission did to Python itself, the next one does not find."""
    mark = "import builtins, sys\nseen = getattr(builtins, 'mark', None)\nbuiltins.mark = 1\n"
    with grader_of(stack, launcher) as grader:
        for _ in range(2):
            with grader.open(stack_of("seen", top=mark)) as subject:
                assert subject.new("Stack").pop() is None


def test_this_platforms(stack, homes):
    """On Linux subjects are forked."""
    launcher = launch(stack.preload("python"), stack.allowance(), "best")
    launcher.close()
    assert launcher.kind == "fork"


# --- what is left --------------------------------------------------------------------------------

FORKS = "import os, time\nif os.fork() == 0:\n    time.sleep(1000)\n    os._exit(0)\n"
BODIES = {
    "sound": "return self.item",
    "hangs": "while True: pass",
    "crashes": "import os; os.abort()",
    "stops_itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "closes_its_pipes": "import os; os.closerange(0, 99)",
    "ignores_signals": (
        "import signal\nfor s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n"
        "while True: pass"
    ),
    "forks": FORKS + "return self.item",
    "forks_and_hangs": FORKS + "while True: pass",
    "forks_and_exits": FORKS + "os._exit(0)",
    "starts_a_program": "import subprocess; self.p = subprocess.Popen(['sleep', '1000']); return self.item",
    "starts_a_thread": "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start()",
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("name", BODIES)
def test_nothing_is_left(hasty, homes, launcher, name):
    """After closing, no process, folder or descriptor is left, whatever the submission did."""
    before = descriptors()
    with grader_of(hasty, launcher) as grader:
        assert grader.grade(stack_doing(BODIES[name]), seed=1).status in (
            Status.FAILED,
            Status.ERROR,
        )
        assert processes_at_home_in(homes)
    assert nothing_left(homes)
    assert descriptors() == before


@BOTH_UNWALLED
def test_grandchild(stack, homes, launcher):
    """A process that a subject forked ends with it, when the next subject begins at the latest."""
    body = "import os, time\npid = os.fork()\nif pid == 0:\n    time.sleep(1000)\nreturn [os.getpid(), pid]"
    with grader_of(stack, launcher) as grader:
        with grader.open(stack_doing(body)) as subject:
            pids = set(subject.new("Stack").pop())
            assert pids <= set(processes_at_home_in(homes))
        with grader.open(stack_of("1")):
            assert eventually(lambda: not pids & set(processes_at_home_in(homes)))
    assert nothing_left(homes)


@BOTH
def test_hangs_outside_of_grading(hasty, homes, launcher):
    """A subject opened for its trace that hangs leaves nothing either."""
    with grader_of(hasty, launcher) as grader:
        with (
            pytest.raises(SubmissionError) as raised,
            grader.open(stack_doing("while True: pass")) as subject,
        ):
            subject.new("Stack").pop()
        assert raised.value.kind == "timeout"
    assert nothing_left(homes)


@BOTH
def test_never_used(stack, homes, launcher):
    """A launcher that nobody opened a subject of leaves nothing."""
    before = descriptors()
    launcher(stack.preload("python")).close()
    assert nothing_left(homes)
    assert descriptors() == before


def test_closed_while_importing(homes, tmp_path):
    """A server that is closed before it has everything imported is not waited for."""
    slow = tmp_path / "slow.py"
    slow.write_text("import time; time.sleep(1000)")
    launcher = ForkServer(Preload(exercise=slow))
    assert eventually(lambda: processes_at_home_in(homes))
    launcher.close()
    assert nothing_left(homes)


def test_no_other_folder_is_removed(homes, tmp_path):
    """A server removes its scratch folder alone, wherever an exercise's module went meanwhile."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").write_text("the author's")
    (tmp_path / "module.py").write_text(f"import os; os.chdir({str(elsewhere)!r})")
    launcher = ForkServer(Preload(exercise=tmp_path / "module.py"))
    with contextlib.suppress(EnvironmentFault):
        launcher.release(launcher.open())
    launcher.close()
    assert (elsewhere / "kept.txt").exists()
    assert nothing_left(homes)


def test_fork_is_anew(stack, homes):
    """Every opening forks a process of its own, and each lives as long as it is open."""
    pid = stack_of("os.getpid()", top="import os")
    with grader_of(stack, unwalled) as grader:
        with grader.open(pid) as one, grader.open(pid) as two:
            pids = [subject.new("Stack").pop() for subject in (one, two)]
            assert set(pids) <= set(processes_at_home_in(homes))
        with grader.open(pid) as three:
            pids.append(three.new("Stack").pop())
            assert eventually(lambda: not set(pids[:2]) & set(processes_at_home_in(homes)))
        assert len(set(pids)) == 3


def test_fresh_after_a_hang(hasty, homes):
    """A process that did not answer is not used again."""
    pid = stack_of("os.getpid()", top="import os")
    with grader_of(hasty, FreshProcess) as grader:
        with grader.open(pid) as subject:
            before = subject.new("Stack").pop()
        assert grader.grade(stack_doing("while True: pass"), seed=1).error.kind == "timeout"
        with grader.open(pid) as subject:
            assert subject.new("Stack").pop() != before
    assert nothing_left(homes)


# --- what cannot be imported ---------------------------------------------------------------------

FAULTS = {
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "syntax": ("def (", "SyntaxError: invalid syntax"),
    "missing": ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
    "several_lines": (
        "raise ImportError('first line\\n\\nlast line\\n')",
        "ImportError: first line",
    ),
    "exits": ("import sys; sys.exit('gone')", "SystemExit: gone"),
}


def fault_of(launcher) -> EnvironmentFault:
    """What a launcher says that cannot start a subject. It has a text and a remedy."""
    try:
        with pytest.raises(EnvironmentFault) as raised:
            launcher.open()
    finally:
        launcher.close()
    message = raised.value.message
    for language in LANGUAGES:
        say = Translator(language)
        assert all(str(value) in say.text(message) for value in message.params.values())
        assert say.knows(f"{message.id}.next")
    return raised.value


@BOTH
def test_missing_library(homes, launcher):
    """A library that is not there is told in Python's own words."""
    fault = fault_of(launcher(Preload(("no_such_module",))))
    assert fault.message.id == "environment.preload"
    assert fault.message.params["detail"] == "ModuleNotFoundError: No module named 'no_such_module'"
    assert fault.exit_code == 3


@BOTH
@pytest.mark.parametrize("name", FAULTS)
def test_faulty_module(homes, tmp_path, launcher, name):
    """So is what an exercise's own module raises, by its first line."""
    code, detail = FAULTS[name]
    (tmp_path / "module.py").write_text(code)
    fault = fault_of(launcher(Preload(exercise=tmp_path / "module.py")))
    assert fault.message.id == "environment.preload"
    assert fault.message.params["detail"] == detail


@BOTH_UNWALLED
def test_exercise_with_a_class(launcher, tmp_path):
    """A submission finds every class by its subclasses, and so the host's side of the module."""
    text = "FUNCTIONS = {}\n\n\nclass Mine:\n    pass\n\n\ndef observe(log):\n    pass\n"
    (tmp_path / "module.py").write_text(text, encoding="utf-8")
    fault = fault_of(launcher(Preload(exercise=tmp_path / "module.py")))
    assert fault.message.id == "environment.preload"
    assert "a class, Mine" in fault.message.params["detail"]


def test_faulty_given_module(homes, tmp_path):
    """So is what a module raises that is given to students."""
    (tmp_path / "module.py").write_text("1 / 0")
    fault = fault_of(ForkServer(Preload(given={"a.b": tmp_path / "module.py"})))
    assert fault.message.params["detail"] == "ZeroDivisionError: division by zero"


@BOTH
def test_missing_module_file(homes, tmp_path, launcher):
    """A module whose file is not there is told with its path."""
    fault = fault_of(launcher(Preload(exercise=tmp_path / "nowhere.py")))
    assert "nowhere.py" in fault.message.params["detail"]


@BOTH
def test_server_that_dies_importing(homes, tmp_path, launcher):
    """A process that dies while it imports is gone, and that is told."""
    path = tmp_path / "module.py"
    path.write_text("import os; os._exit(3)")
    assert fault_of(launcher(Preload(exercise=path))).message.id == "environment.server_gone"


@BOTH
def test_nothing_is_left_of_a_failed_start(homes, launcher):
    """A start that failed leaves no process, no folder and no descriptor."""
    before = descriptors()
    fault_of(launcher(Preload(("no_such_module",))))
    assert nothing_left(homes)
    assert descriptors() == before


def test_faulty_environment_is_no_zero(stack, homes):
    """A submission that cannot be graded for want of a library is ungraded, and has no score."""
    with Grader(stack, "python", ForkServer(Preload(("no_such_module",)))) as grader:
        score = grader.grade(stack_doing("pass"), seed=1)
    assert (score.status, score.score) == (Status.UNGRADED, None)
    assert score.error.message.id == "environment.preload"


@pytest.mark.parametrize("moment", ["before", "between"])
def test_server_killed(stack, homes, moment):
    """Where the server is killed a submission is ungraded, no zero; nothing is left of it."""
    good = Submission("stack.py", "python", stack.solution("python").read_bytes())
    with grader_of(stack, ForkServer) as grader:
        if moment == "between":
            assert grader.grade(good, seed=1).score == 100
        server = grader._launcher._server._process
        os.killpg(server.pid, signal.SIGKILL)  # with those that it went into its namespaces by
        server.wait()
        score = grader.grade(good, seed=1)
        assert (score.status, score.score) == (Status.UNGRADED, None)
        assert score.error.message.id == "environment.server_gone"
    assert nothing_left(homes)


# --- what a subject has, and has not -------------------------------------------------------------


@BOTH
def test_environment_variables(stack, homes, monkeypatch, launcher):
    """None of the user's variables is passed on but those that Python needs to start."""
    secrets = (
        "GRADER_SECRET",
        "GRADER_LANG",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTEST_ADDOPTS",
        "AWS_TOKEN",
        "USER",
    )
    for name in secrets:
        monkeypatch.setenv(name, "of-the-user")
    submission = stack_of("dict(os.environ)", top="import os")
    with grader_of(stack, launcher) as grader, grader.open(submission) as subject:
        seen = subject.new("Stack").pop()
    assert not seen.keys() & set(secrets)
    assert "of-the-user" not in seen.values()
    assert Path(seen["HOME"]).parent == homes


@BOTH
def test_writes_to_its_working_folder(stack, homes, launcher):
    """A subject works in a scratch folder, to which it may write, and finds nothing else there."""
    body = "import os\nopen('left.txt', 'w').write('x')\nreturn [os.getcwd(), os.listdir()]"
    with grader_of(stack, launcher) as grader, grader.open(stack_doing(body)) as subject:
        folder, found = subject.new("Stack").pop()
    assert Path(folder).parent == homes
    assert found == ["left.txt"]
    assert nothing_left(homes)


@BOTH_UNWALLED
def test_working_folder(stack, homes, launcher):
    """What it leaves there goes with it."""
    body = "import os, pathlib; pathlib.Path('left.txt').write_text('x'); os.mkdir('f'); return os.getcwd()"
    with grader_of(stack, launcher) as grader, grader.open(stack_doing(body)) as subject:
        folder = Path(subject.new("Stack").pop())
        assert folder.parent == homes
        assert (folder / "left.txt").exists()
    assert nothing_left(homes)


@BOTH
def test_stdin_is_empty(stack, homes, launcher):
    """There is nothing to read on stdin, by Python or by the descriptor."""
    expression = "[sys.stdin.read(), os.read(0, 9).decode(), sys.stdin.isatty()]"
    with (
        grader_of(stack, launcher) as grader,
        grader.open(stack_of(expression, top="import os, sys")) as subject,
    ):
        assert subject.new("Stack").pop() == ["", "", False]


TRY_TO_IMPORT = """
import importlib
def found(name):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True
"""


def test_imports_of_p17(p17_grader):
    """What is given can be imported; solutions, checks and other exercises cannot."""
    given = ["torch", "exercises.p17.cpu_graph", "exercises", "exercises.p17", "my"]
    hidden = [
        "solutions", "solutions.p17_graph_runner", "p17_graph_runner", "exercises.p17.checks",
        "exercises.p17.checks.conftest", "exercises.p17.checks.test_padding", "exercises.p17.subject",
        "exercises.p17.wrong", "exercises.p18", "mine", "mine.p17_graph_runner", "tests.tiny",
    ]  # fmt: skip
    more = (
        f"def found(self): return [[n for n in names if found(n)] for names in ({given}, {hidden})]"
    )
    with p17_grader.open(runner(top=TRY_TO_IMPORT, more=more)) as subject:
        made = subject.new("GraphRunner", None, [1], 3)
        assert subject.call(made, "found") == [given, []]


@BOTH
def test_imports_of_the_tiny_exercise(stack, homes, launcher):
    """Nor can anything of an exercise that gives nothing, whichever way its subjects start."""
    names = [
        "solutions",
        "solutions.stack",
        "exercises",
        "exercises.stack.checks",
        "exercises.p17.cpu_graph",
        "mine",
    ]
    submission = stack_of(f"[n for n in {names} if found(n)]", top=TRY_TO_IMPORT)
    with grader_of(stack, launcher) as grader, grader.open(submission) as subject:
        assert subject.new("Stack").pop() == []


def test_sys_path(p17_grader):
    """Nothing of the project is on a subject's path, and neither is the working folder."""
    with p17_grader.open(
        runner(top="import os, sys", more="def path(self): return sys.path + [os.getcwd()]")
    ) as subject:
        *path, here = subject.call(subject.new("GraphRunner", None, [1], 3), "path")
    assert path
    for entry in path:
        assert Path(entry).resolve() not in (
            ROOT,
            ROOT / "grader",
            ROOT / "solutions",
            ROOT / "exercises",
        )
        assert entry not in ("", ".", here)


GRADES_P17 = """
import sys
from pathlib import Path
from grader.exercise import Project
from grader.session import grade_file
exercise = Project.find().exercise("p17")
score = grade_file(exercise, exercise.solution("python"), seed=1)
print(score.score, *sorted(sys.modules), sep="\\n")
"""


def test_grading_process_imports_no_torch():
    """The grading process never imports torch, the submission or what is given to it."""
    done = subprocess.run(
        [sys.executable, "-c", GRADES_P17], cwd=ROOT, capture_output=True, text=True, check=True
    )
    score, *modules = done.stdout.split()
    assert score == "100.0"
    assert "grader.grading" in modules
    unwanted = {"torch", "numpy", "p17_graph_runner", "solutions", "exercise_subject", "mine"}
    assert not {name for name in modules if name.split(".")[0] in unwanted}
    assert not {name for name in modules if name.endswith(("cpu_graph", "p17.subject"))}


# --- the grading process interrupted or killed ---------------------------------------------------


@pytest.fixture(params=["best", "none"])
def hanging(request, homes, tmp_path, stack_grader):
    """A grading of its own process group, whose submission hangs."""
    source = "while True: pass\n" + stack_doing("pass").source.decode()
    with stack_grader.open(stack_of("1")) as subject:
        walls = subject._channel.isolation.walls
    # The server, the reference and the submission; and two by which it is in its namespaces.
    number = 5 if request.param == "best" and "namespace" in walls else 3
    (tmp_path / "hang.py").write_text(source)
    command = [
        sys.executable,
        "-m",
        "grader",
        "check",
        "stack",
        "--file",
        str(tmp_path / "hang.py"),
        "--isolation",
        request.param,
    ]
    started = subprocess.Popen(
        [*command, "--project", str(TINY), "--json", "-"], cwd=ROOT, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(homes)},
    )  # fmt: skip
    assert eventually(lambda: len(processes_at_home_in(homes)) == number)
    time.sleep(0.2)  # so that the submission is being loaded, and hangs
    yield started
    if started.poll() is None:
        started.kill()
    started.communicate()


def test_interrupted(hanging, homes):
    """Ctrl-C, which goes to the whole group, ends the grading and leaves nothing."""
    os.killpg(hanging.pid, signal.SIGINT)
    out, _ = hanging.communicate()
    assert hanging.returncode == 130
    assert out == b""
    assert nothing_left(homes)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_killed(hanging, homes, number):
    """A grading process that is killed outright takes its subjects with it."""
    hanging.send_signal(number)
    hanging.communicate()
    assert hanging.returncode == -number
    assert eventually(lambda: not processes_at_home_in(homes))


def test_not_interrupted(hanging, homes):
    """Left alone, the same grading ends by itself: the submission ran out of its time."""
    out, _ = hanging.communicate()
    assert json.loads(out)["error"]["kind"] == "timeout"
    assert hanging.returncode == 1
    assert nothing_left(homes)
