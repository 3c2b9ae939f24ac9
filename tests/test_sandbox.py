"""The walls around subjects, each by itself and all together, tried from the inside."""

import errno
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT, processes_at_home_in, stack_doing, stack_of

from grader.errors import EnvironmentFault
from grader.grading import Grader
from grader.score import Status
from grader.session import grade_file, open_grader
from grader.subject.allowance import Allowance
from grader.subject.isolation import WALLS, Isolation
from grader.subject.python import libraries
from grader.subject.python.launcher import ForkServer
from grader.subject.sandbox.plan import Plan
from grader.subject.system import DEVICES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are of Linux")

#: As a machine that allows no user namespaces has them.
NO_NAMESPACES = tuple(wall for wall in WALLS if wall != "namespace")

BEHIND = pytest.mark.parametrize(
    "walls", [WALLS, NO_NAMESPACES, ("namespace",)], ids=["all", "no_namespaces", "namespaces"]
)


def grader_behind(exercise, walls, **allowance) -> Grader:
    """A grader whose subjects have some walls around them."""
    launcher = ForkServer(exercise.preload("python"), Allowance(**allowance), walls)
    return Grader(exercise, "python", launcher)


def done(exercise, walls, body: str, **allowance):
    """What a submission gets for doing something behind walls."""
    with (
        grader_behind(exercise, walls, **allowance) as grader,
        grader.open(stack_doing(body)) as subject,
    ):
        return subject.new("Stack").pop()


def trying(statement: str) -> str:
    """The body of a function that says what became of a statement: ``done``, or the error's name."""
    return (
        "import errno, os, socket, threading, mmap, resource, signal, time, sys\n"
        f"try:\n    {statement}\n"
        "except OSError as error:\n    return errno.errorcode[error.errno]\n"
        "except BaseException as error:\n    return type(error).__name__\n"
        "return 'done'"
    )


# --- what every machine for CI has ---------------------------------------------------------------


def test_nothing_is_missing_here(stack):
    """On this machine every protection is in force, by every wall: or the tests below are idle."""
    with open_grader(stack, "python", "require") as grader:
        score = grader.grade(stack_doing("pass"), seed=1)
    assert score.isolation.missing == []
    assert set().union(*score.isolation.protections.values()) == {
        *WALLS,
        "rlimit_threads",
        "rlimit_memory",
    }
    assert score.isolation.level == "require"


# --- files ---------------------------------------------------------------------------------------


@BEHIND
@pytest.mark.parametrize(
    "path",
    [ROOT / "solutions" / "p17_graph_runner.py", ROOT / "exercises", ROOT / "mine", ROOT / "pyproject.toml",
     Path("/etc/passwd"), Path("/proc/self/environ"), Path("/proc/1/cmdline"),
     Path("/home"), Path("/var"), Path("/dev/shm"), Path("/")],
    ids=str,
)  # fmt: skip
def test_out_of_sight(stack, walls, path):
    """The project, other people's work, the home folder and the system cannot be read."""
    read = f"(os.listdir if os.path.isdir({str(path)!r}) else open)({str(path)!r})"
    if path == Path("/") and walls == ("namespace",):
        wanted = [*libraries.readable(libraries.search_path([])), *DEVICES]
        names = {Path(path).parts[1] for path in (*wanted, tempfile.gettempdir())}
        seen = set(done(stack, walls, "import os; return os.listdir('/')"))
        assert seen <= names | {"bin", "usr", ".proc"}
        return
    assert done(stack, walls, trying(read)) in ("ENOENT", "EACCES", "EPERM", "NotADirectoryError")


@BEHIND
@pytest.mark.parametrize(
    "statement",
    ["open(os.__file__, 'a')", "os.chmod(os.__file__, 0)", "os.utime(os.__file__)", "os.unlink(os.__file__)",
     "os.chown(os.__file__, os.getuid(), -1)", "os.rename(os.__file__, os.__file__ + 'x')",
     "os.symlink('/', os.path.dirname(os.__file__) + '/x')", "os.mkdir('/x')", "open('/tmp/x', 'w')",
     "os.truncate(os.__file__, 0)", "os.setxattr(os.__file__, 'user.x', b'')",
     "os.link(os.__file__, 'x')"],
)  # fmt: skip
def test_read_only(stack, walls, statement):
    """Nothing can be changed, by whatever call."""
    assert done(stack, walls, trying(statement)) in (
        "EACCES",
        "EPERM",
        "EROFS",
        "ENOENT",
        "EXDEV",
        "ENOTSUP",
    )


def test_scratch_is_small(stack):
    """The scratch folder takes what it is to hold and no more, in one file or in many."""
    fill = "for i in range(100): open(str(i), 'wb').write(bytes(10**6))"
    assert done(stack, WALLS, trying(fill), scratch_mb=4) == "ENOSPC"
    assert (
        done(stack, WALLS, trying("open('x', 'wb').write(bytes(3 * 10**6))"), scratch_mb=4)
        == "done"
    )
    many = "for i in range(100000): open(str(i), 'w')"
    assert done(stack, WALLS, trying(many), open_files=200) == "ENOSPC"


def test_scratch_is_ones_own(stack):
    """What one subject writes, another of the same server does not find."""
    with grader_behind(stack, WALLS) as grader:
        for _ in range(2):
            body = "import os\nfound = os.listdir()\nopen('x', 'w').close()\nreturn found"
            with grader.open(stack_doing(body)) as subject:
                assert subject.new("Stack").pop() == []


def test_no_scratch_without_a_limit(stack):
    """Where the scratch folder cannot be limited, there is none."""
    assert done(stack, NO_NAMESPACES, trying("open('x', 'w')")) == "EACCES"


@BEHIND
def test_neighbours_are_out_of_sight(stack, walls, tmp_path):
    """Nor can a file that lies where scratch folders do."""
    (tmp_path / "other.py").write_text("somebody's work")
    read = trying(f"open({str(tmp_path / 'other.py')!r})")
    assert done(stack, walls, read) in ("ENOENT", "EACCES")


# --- network -------------------------------------------------------------------------------------


@pytest.fixture
def listening() -> Iterator[tuple[int, str]]:
    """A TCP port and an abstract Unix socket outside, that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind("\0grader-test")
        unix.listen()
        yield tcp.getsockname()[1], "\0grader-test"


@BEHIND
def test_no_network(stack, walls, listening):
    """Nobody is to be reached: not on this machine, and not by a Unix socket's name."""
    port, name = listening
    refused = ("EPERM", "ECONNREFUSED", "ENETUNREACH", "EACCES")
    tcp = f"socket.create_connection(('127.0.0.1', {port}), 1)"
    assert done(stack, walls, trying(tcp)) in refused
    assert done(stack, walls, trying(f"socket.socket(socket.AF_UNIX).connect({name!r})")) in refused
    udp = f"socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))"
    assert done(stack, walls, trying(udp)) in refused


def test_pairs_lead_nowhere(stack):
    """A pair of sockets may be had, but none that can be told to send elsewhere."""
    assert done(stack, WALLS, trying("socket.socketpair()")) == "done"
    assert (
        done(stack, WALLS, trying("socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"))
        == "EPERM"
    )


# --- processes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("walls", [WALLS, NO_NAMESPACES], ids=["all", "no_namespaces"])
@pytest.mark.parametrize(
    "statement",
    ["os.fork()", "os.execv('/bin/true', ['true'])", "os.posix_spawn('/bin/true', ['true'], {})"],
)
def test_starts_nothing(stack, walls, statement):
    """A submission starts no process and no program."""
    assert done(stack, walls, trying(statement)) in ("EPERM", "EACCES", "ENOENT")


@BEHIND
@pytest.mark.parametrize("number", [0, 9, 15])
def test_signals_nobody(stack, walls, number):
    """No process outside can be sent a signal, or found out about by one."""
    statement = f"os.kill({os.getpid()}, {number})"
    assert done(stack, walls, trying(statement)) in ("EPERM", "ESRCH")


@BEHIND
def test_does_not_stop_its_server(stack, walls):
    """Neither the parent nor everybody, and the next submission is graded."""
    with grader_behind(stack, walls) as grader:
        for target in ("os.getppid() or 1", "-1"):
            grader.grade(stack_doing(f"import os; os.kill({target}, 9)"), seed=1)
        good = stack.solution("python").read_bytes()
        assert grader.grade(stack_of("1"), seed=1).status is Status.FAILED
        assert grader.grade(type(stack_of("1"))("stack.py", "python", good), seed=1).score == 100


ORPHAN = """
import os, time
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_orphans_end(stack, tmp_path, monkeypatch):
    """What has got away from its parent, its group and its session ends with its namespace."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with grader_behind(stack, ("namespace",)) as grader:
        assert grader._reference
        before = len(processes_at_home_in(tmp_path))
        with grader.open(stack_doing(ORPHAN)) as subject:
            subject.new("Stack").pop()
            assert len(processes_at_home_in(tmp_path)) >= before + 2
        with grader.open(stack_of("1")):
            assert len(processes_at_home_in(tmp_path)) == before + 1


# --- how much ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "result"),
    [("bytearray(400 * 10**6)", "MemoryError"), ("bytearray(100 * 10**6)", "done"),
     ("mmap.mmap(-1, 400 * 10**6)", "ENOMEM"),
     ("[os.dup(0) for _ in range(300)]", "EMFILE"), ("[os.dup(0) for _ in range(50)]", "done"),
     ("[threading.Thread(target=time.sleep, args=(3,), daemon=True).start() for _ in range(99)]", "RuntimeError"),
     ("[threading.Thread(target=time.sleep, args=(3,), daemon=True).start() for _ in range(9)]", "done"),
     ("resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "ValueError")],
)  # fmt: skip
def test_limits(stack, statement, result):
    """Memory, files and threads are limited, and enough for what is usual; limits stay."""
    assert (
        done(stack, WALLS, trying(statement), memory_mb=300, threads=32, open_files=128) == result
    )


def test_processor_time(stack, monkeypatch):
    """Threads that spin end with the processor time of a grading, and are told so."""
    spin = "import threading\nfor _ in range(3): threading.Thread(target=lambda: sum(iter(int, 1))).start()\nwhile True: pass"
    limits = stack.manifest.limits.model_copy(update={"call_s": 30.0})
    patient = stack.manifest.model_copy(update={"limits": limits})
    monkeypatch.setitem(vars(stack), "manifest", patient)
    with grader_behind(stack, WALLS, grading_s=1) as grader:
        score = grader.grade(stack_doing(spin), seed=1)
    assert score.error.kind == "timeout"
    assert score.error.message.id == "error.timeout_cpu"


# --- system calls --------------------------------------------------------------------------------

#: number on x86-64 -> what the filter answers.
CALLS = {
    "socket": 41, "ptrace": 101, "process_vm_readv": 310, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166,
    "pivot_root": 155, "chroot": 161, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250,
    "memfd_create": 319, "shmget": 29, "mq_open": 240, "pidfd_open": 434, "pidfd_send_signal": 424, "init_module": 175,
    "open_by_handle_at": 304, "kexec_load": 246, "fork": 57, "vfork": 58, "execve": 59, "personality": 135, "tkill": 200,
}  # fmt: skip
UNKNOWN = {"clone3": 435, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}

PROBE = """
import ctypes, json, os, sys
sys.path.insert(0, sys.argv[1])
from grader.subject.sandbox.plan import Plan
from grader.subject.system import DEVICES
from grader.subject.sandbox.sandbox import Sandbox
sandbox = Sandbox(Plan.from_json(json.loads(sys.argv[2])))
sandbox.count()
read, write = os.pipe()
cell = sandbox.fork()
if cell is None:
    walls = sandbox.shut(lasting=False)
    libc = ctypes.CDLL(None, use_errno=True)
    said = {}
    for name, number in json.loads(sys.argv[3]).items():
        ctypes.set_errno(0)
        libc.syscall(number, 0, 0, 0, 0, 0)
        said[name] = ctypes.get_errno()
    libc.syscall(56, 17, 0, 0, 0, 0)
    said["clone"] = ctypes.get_errno()
    os.write(write, json.dumps([walls, said]).encode())
    os._exit(0)
os.close(write)
print(open(read).read())
cell.end(wait=True)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("walls", [WALLS, NO_NAMESPACES], ids=["all", "no_namespaces"])
def test_system_calls(walls, tmp_path):
    """Calls that lead out, or at the kernel, are refused; those that hide a call are unknown."""
    plan = Plan(
        walls=walls, readable=libraries.readable(libraries.search_path([])), devices=DEVICES,
        scratch=str(tmp_path), scratch_mb=4, memory_mb=300, cpu_s=10, threads=32, open_files=64,
    )  # fmt: skip
    command = [
        sys.executable,
        "-c",
        PROBE,
        str(ROOT),
        json.dumps(plan.to_json()),
        json.dumps(CALLS | UNKNOWN),
    ]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    stood, said = json.loads(out)
    assert set(walls) <= set(stood)
    assert {name for name in CALLS if said[name] != errno.EPERM} == set()
    assert {name for name in UNKNOWN if said[name] != errno.ENOSYS} == set()
    assert said["clone"] == errno.EPERM


# --- what is said of it --------------------------------------------------------------------------


def test_protections_of_walls():
    """Each protection by the walls that give it; half a wall gives none."""
    assert Isolation().missing == list(Isolation().protections)
    assert "files" in Isolation(frozenset({"landlock", "rlimit"})).missing
    limits = {"rlimit", "rlimit_threads", "rlimit_memory"}
    assert Isolation(frozenset({"namespace", *limits})).missing == ["system_calls"]
    assert Isolation(frozenset({*WALLS, "rlimit_threads", "rlimit_memory"})).missing == []
    assert Isolation(frozenset({"seccomp"})).protections["network"] == ["seccomp"]


def test_require_refuses(stack):
    """Where a protection is missing that is required, nothing is graded, and the reason is told."""
    launcher = ForkServer(stack.preload("python"), Allowance(), ("namespace", "rlimit"))
    with Grader(stack, "python", launcher, "require") as grader:
        score = grader.grade(stack_doing("pass"), seed=1)
    assert (score.status, score.score) == (Status.UNGRADED, None)
    assert score.error.message.id == "environment.isolation"
    assert score.error.message.params["missing"] == "system_calls"


#: Grades as on a machine that allows no user namespaces, and as root there.
NO_USER_NAMESPACES = (
    "echo 0 > /proc/sys/user/max_user_namespaces"
    ' && exec "$0" -m grader check stack --project tests/tiny --lang en "$@"'
)


@pytest.mark.parametrize(("level", "code"), [("require", 3), ("best", 0), ("none", 0)])
def test_without_user_namespaces(stack, level, code):
    """Where the machine has less, it is used; where all is required, the command says what lacks."""
    grade = [sys.executable, "--isolation", level, "--file", str(stack.solution("python"))]
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", NO_USER_NAMESPACES, *grade, "--json", "-"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    score = json.loads(done.stdout)
    if level == "none":
        return
    assert score["isolation"]["missing"] == ["threads"]
    assert score["isolation"]["protections"]["files"] == ["landlock", "seccomp"]
    if level == "require":
        text = score["error"]["message"]["text"]
        assert "threads" in text
        assert "unshare: No space left on device" in text


def test_root_of_nobody_else(stack):
    """Root of a container in which there is no other user still has namespaces around subjects."""
    grade = ["-m", "grader", "check", "stack", "--project", "tests/tiny", "--json", "-"]
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", sys.executable, *grade, "--file", str(stack.solution("python"))],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    score = json.loads(done.stdout)
    assert score["score"] == 100
    assert score["isolation"]["missing"] == ["threads"]
    assert score["isolation"]["protections"]["files"] == ["landlock", "namespace", "seccomp"]


def test_best_says_what_was_missing(stack):
    """With ``best`` it is graded, and the score says what was missing."""
    launcher = ForkServer(stack.preload("python"), Allowance(), ("namespace", "rlimit"))
    with Grader(stack, "python", launcher, "best") as grader:
        score = grader.grade(stack_doing("pass"), seed=1)
    assert score.isolation.missing == ["system_calls"]
    assert score.isolation.protections["network"] == ["namespace"]


def test_none_builds_none(stack):
    """With ``none`` there is a process, and nothing around it."""
    score = grade_file(stack, stack.solution("python"), seed=1, level="none")
    assert score.score == 100
    assert set(score.isolation.missing) == set(score.isolation.protections)


def test_walls_that_fall(stack, monkeypatch, tmp_path):
    """Where a wall that was to stand does not, nothing is graded: no zero, and the reason is told."""
    launcher = ForkServer(stack.preload("python"), Allowance(open_files=0), WALLS)
    with Grader(stack, "python", launcher) as grader:
        score = grader.grade(stack_doing("pass"), seed=1)
        with pytest.raises(EnvironmentFault):
            assert grader._reference
    assert score.status is Status.UNGRADED
