"""Builds: within walls, once for each content, and told in words of their own."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support import ROOT

from grader.errors import EnvironmentFault, ExerciseError, SubmissionError
from grader.subject.allowance import Allowance
from grader.subject.program import store as store_module
from grader.subject.program.language import (
    CLASSES,
    PREPARED,
    PROGRAM,
    Command,
    Diagnostic,
    Language,
)
from grader.subject.program.store import Store, key_of
from grader.subject.program.toolchain import Toolchain, missing
from grader.subject.program.workshop import Workshop
from grader.subject.source import Source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are of Linux")


def diagnose(text: str) -> Iterator[Diagnostic]:
    """What the toy compiler says: ``file:line: error: message``."""
    for file, line, severity, said in re.findall(r"^(\S+):(\d+): (\w+): (.*)$", text, re.MULTILINE):
        yield Diagnostic(file, int(line), severity, said)


def building(_file: str, _kit: Sequence[str]) -> Sequence[Command]:
    """The toy compiler is a shell, and a submission the script that it runs."""
    return [("sh", "my.toy")]


#: A language whose submissions say themselves what comes of compiling them.
TOY = Language(
    title="Toy", packages={"sh": "dash"}, version=("sh", "-c", "echo 1"), build=building,
    diagnose=diagnose,
)  # fmt: skip


@pytest.fixture
def kit(tmp_path):
    """A kit of one file."""
    folder = tmp_path / "kit"
    (folder / "host").mkdir(parents=True)
    (folder / "host" / "main.toy").write_text("host")
    return folder


@pytest.fixture
def workshop(tmp_path, kit):
    """Makes workshops of the toy language, which share a store."""
    opened = []

    def make(language: Language = TOY, level="best", **allowance) -> Workshop:
        limits = {"grading_s": 20.0, "scratch_mb": 50, "memory_mb": 2000} | allowance
        made = Workshop(
            language, Toolchain(language), kit=kit, file="my.toy", allowance=Allowance(**limits),
            level=level, store=Store(tmp_path / "store"),
        )  # fmt: skip
        opened.append(made)
        return made

    yield make
    for one in opened:
        one.close()


def source(text: str) -> Source:
    """A submission in the toy language."""
    return Source(text.encode(), "my.toy", "my")


def complaint(workshop: Workshop, text: str) -> SubmissionError:
    """Why a submission cannot be built."""
    with pytest.raises(SubmissionError) as raised:
        workshop.build(source(text))
    return raised.value


def said_by(workshop: Workshop, command: str) -> str:
    """What a command prints where submissions are compiled."""
    error = complaint(workshop, f"{command}\nexit 1")
    return str(error.params["detail"])


# --- what comes of it ----------------------------------------------------------------------------


def test_program(workshop):
    """What the commands leave as ``program`` is what subjects are started by."""
    built = workshop().build(source(f"printf made > {PROGRAM}"))
    assert built.program.read_text() == "made"
    assert os.access(built.program, os.X_OK)
    assert (built.loaded, built.command) == (b"", ["my.toy"])


def test_classes(workshop):
    """What they leave in ``classes/`` is loaded as one archive, by what ``run`` says."""
    language = replace(TOY, run=lambda folder: ("sh", f"{folder}/host/main.toy"))
    script = f"mkdir -p {CLASSES}/a; printf one > {CLASSES}/a/One; printf two > {CLASSES}/Two"
    built = workshop(language).build(source(script))
    assert built.program.resolve() == Path(shutil.which("sh")).resolve()
    assert built.command[1].endswith("/kit/host/main.toy")
    again = workshop(language).build(source(script))
    assert built.loaded[:2] == b"PK"
    assert b"a/One" in built.loaded
    assert again.loaded == built.loaded


def test_as_it_stands(workshop):
    """Where nothing is built, the source itself is loaded."""
    language = replace(TOY, build=None, run=lambda folder: ("sh", folder))
    built = workshop(language).build(source("anything"))
    assert built.loaded == b"anything"


def test_prepared(workshop, kit):
    """What hangs on the kit alone is done once, and there for every submission."""
    prepare = ("sh", "-c", f"cat host/main.toy > {PREPARED}/seen; echo x >> {PREPARED}/seen")
    language = replace(TOY, prepare=lambda files: [prepare] if files == ["host/main.toy"] else [])
    built = workshop(language).build(source(f"cat {PREPARED}/seen > {PROGRAM}"))
    assert built.program.read_text() == "hostx\n"
    (kit / "host" / "main.toy").write_text("other")
    built = workshop(language).build(source(f"cat {PREPARED}/seen > {PROGRAM}"))
    assert built.program.read_text() == "otherx\n"


def test_bom(workshop):
    """A byte order mark, which some editors write, is none of the source's."""
    built = workshop().build(Source(b"\xef\xbb\xbfprintf made > program", "my.toy", "my"))
    assert built.program.read_text() == "made"


# --- complaints ----------------------------------------------------------------------------------


def test_first_error_first(workshop):
    """The first error in the student's own file, with its line; then up to four more."""
    lines = [f"echo 'my.toy:{n}: error: fault {n}'" for n in (3, 1, 4, 5, 9, 2)]
    script = "\n".join(["echo 'host/main.toy:7: error: not yours'", *lines, "exit 1"])
    error = complaint(workshop(), script)
    assert (error.kind, error.line) == ("compile", 3)
    assert error.code == "echo 'my.toy:1: error: fault 1'"
    assert error.params["language"] == "Toy"
    assert error.params["detail"].splitlines() == [
        "fault 3", "my.toy:1: fault 1", "my.toy:4: fault 4", "my.toy:5: fault 5",
        "my.toy:9: fault 9",
    ]  # fmt: skip


def test_lacking(workshop):
    """What only the host program complains of, the submission does not offer."""
    error = complaint(workshop(), "echo 'host/main.toy:7: error: no member run'; exit 1")
    assert (error.kind, error.line) == ("interface", None)
    assert error.params["detail"] == "no member run"


def test_in_other_words(workshop):
    """What the compiler says in no form that is known is shown as it is, its end."""
    error = complaint(workshop(), "for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 1")
    assert error.kind == "compile"
    assert error.params["detail"] == "\n".join(f"line {i}" for i in (3, 4, 5, 6, 7))


def test_warnings(workshop):
    """Warnings about the student's file are advice; those about other files are nobody's."""
    script = "echo 'my.toy:2: warning: unused'; echo 'host/main.toy:1: warning: x'; touch program"
    (message,) = workshop().build(source(script)).advice
    assert (message.id, message.params) == ("advice.warning", {"line": 2, "detail": "unused"})


@pytest.mark.parametrize(("data", "line"), [(b"\xb4\xf3", 1), (b"ok\n\nx\xff", 3)])
def test_encoding(workshop, data, line):
    """A source that is no text in its language's encoding says where it is not."""
    with pytest.raises(SubmissionError) as raised:
        workshop().build(Source(data, "my.toy", "my"))
    assert (raised.value.kind, raised.value.line) == ("encoding", line)
    built = workshop(replace(TOY, text=None)).build(Source(b"touch program; exit\n" + data, "", ""))
    assert built.program.exists()


def test_kit_at_fault(workshop):
    """A kit that cannot be prepared is no fault of the submission's."""
    language = replace(TOY, prepare=lambda _: [("sh", "-c", "echo no such; exit 1")])
    with pytest.raises(ExerciseError) as raised:
        workshop(language).build(source("touch program"))
    assert raised.value.message.params == {"language": "Toy", "detail": "no such"}


# --- limits and walls ----------------------------------------------------------------------------


def test_time(workshop):
    """A compiler that never ends is ended, with all that it started."""
    error = complaint(workshop(grading_s=0.5), "sleep 100 & sleep 100")
    assert (error.kind, error.text, error.params["seconds"]) == ("timeout", "timeout_compile", 0.5)
    assert error.message.id == "error.timeout_compile"


def test_flood(workshop):
    """Of what is printed without end, the beginning is kept."""
    error = complaint(workshop(), "echo 'my.toy:1: error: first'; yes | head -c 20000000; exit 1")
    assert (error.kind, error.params["detail"]) == ("compile", "first")


def test_memory(workshop):
    """A compiler gets no more memory than the exercise says."""
    shown = said_by(workshop(memory_mb=600), "ulimit -v; exit 1")
    assert 600_000 < int(shown) * 1.024 < 800_000


def test_disk(workshop):
    """Nor may it write more than that."""
    shown = said_by(workshop(scratch_mb=5), "head -c 9000000 /dev/zero > big || echo refused")
    assert "refused" in shown


@pytest.mark.parametrize(
    "path",
    [ROOT / "solutions" / "p17_graph_runner.py", ROOT / "exercises" / "p17" / "exercise.toml",
     Path("/etc/passwd"), Path.home()],
    ids=str,
)  # fmt: skip
def test_sees_nothing(workshop, path):
    """A submission cannot have its compiler read the solutions, nor anything else of anybody's."""
    assert path.exists()
    assert "No such file" in said_by(workshop(), f"ls -d {path} 2>&1")


def test_network(workshop):
    """There is nobody to be reached."""
    script = "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) and print 1 or print $!'"
    assert said_by(workshop(), script) == "Operation not permitted"


def test_other_processes(workshop):
    """It cannot look at what runs, nor end it."""
    shown = said_by(workshop(), f"ls /proc 2>&1; kill -0 {os.getpid()} 2>&1")
    assert "Permission denied" in shown
    assert "No such process" in shown


def test_nothing_stays(workshop):
    """Each build begins in an empty folder, and cannot change what there is outside of it."""
    one = workshop()
    assert said_by(one, "touch left; ls").split() == ["classes", "host", "left", "my.toy"]
    shown = said_by(one, "for at in . /usr /tmp; do touch $at/x 2>&1 | cut -d: -f3; done; ls")
    assert shown.split("\n") == [" Read-only file system", "classes", "host", "my.toy", "x"]


def test_without_walls(workshop, monkeypatch):
    """Who asks for no walls gets none, and the same program."""
    built = workshop(level="none").build(source(f"printf made > {PROGRAM}"))
    assert built.program.read_text() == "made"


_NOTHING_MORE = """
import sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from grader.subject import server
from grader.subject.program import builder, role
from grader.subject.sandbox import files, limits, sandbox, syscalls
from grader.subject.sandbox.plan import Plan
folder = Path(tempfile.mkdtemp(dir=sys.argv[2]))
plan = Plan(walls=(), readable=["/usr"], devices=[], scratch=str(folder), scratch_mb=1,
            memory_mb=100, cpu_s=1, threads=9, open_files=99, starts="programs")
before = set(sys.modules)
limits.Limits(plan, "/proc")
files.Files(plan, scratch=folder)
syscalls.Syscalls(namespaces=True, starts="programs")
builder.build(folder, {"a": "YQ=="}, [["sh", "-c", "cp a program"]], ["program"], 9.0)
print(sorted(set(sys.modules) - before - set(sys.builtin_module_names)))
"""


def test_nothing_is_imported_within(tmp_path):
    """Behind the walls there is no library of Python's to import anything from: all is there."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _NOTHING_MORE, str(ROOT), str(tmp_path)],
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", "")


# --- once for each content -----------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch):
    """How often something was really built."""
    count = []
    true_ask = Workshop._ask

    def ask(self, *args):
        count.append(1)
        return true_ask(self, *args)

    monkeypatch.setattr(Workshop, "_ask", ask)
    return count


def test_once(workshop, asked):
    """The same submission is built once, whoever asks; another one is built anew."""
    one, other = source(f"printf one > {PROGRAM}"), source(f"printf two > {PROGRAM}")
    assert workshop().build(one).program.read_text() == "one"
    assert workshop().build(one).program.read_text() == "one"
    assert len(asked) == 1
    assert workshop().build(other).program.read_text() == "two"
    assert len(asked) == 2


def test_errors_once(workshop, asked):
    """That it does not compile is found once; warnings are told again."""
    bad = "echo 'my.toy:1: error: bad'; exit 1"
    assert complaint(workshop(), bad).params == complaint(workshop(), bad).params
    assert len(asked) == 1
    odd = source("echo 'my.toy:1: warning: odd'; touch program")
    assert workshop().build(odd).advice == workshop().build(odd).advice
    assert len(asked) == 2


@pytest.mark.parametrize("script", ["sleep 100", "echo 'out of memory'; exit 1", "kill -9 $$"])
def test_what_may_pass(workshop, asked, script):
    """What may be the machine's fault is tried again."""
    for _ in range(2):
        complaint(workshop(grading_s=1.0), script)
    assert len(asked) == 2


def test_other_commands(workshop, asked):
    """With other commands, another kit or another compiler it is another program."""
    text = source(f"printf one > {PROGRAM}")
    workshop().build(text)
    more = replace(TOY, build=lambda *_: [("sh", "my.toy"), ("true",)])
    workshop(more).build(text)
    assert len(asked) == 2


def test_other_compiler(tmp_path, monkeypatch):
    """A compiler is told from another by where it is, its size and its date."""
    program = tmp_path / "bin" / "toycc"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    toolchain = Toolchain(replace(TOY, packages={"toycc": "toy"}))
    before = toolchain.print
    assert toolchain.print == before
    program.write_text("#!/bin/sh\ntrue\n")
    assert toolchain.print != before
    assert str(tmp_path) in toolchain.readable(build=False)
    assert toolchain.environment["PATH"].startswith(str(program.parent))


def test_missing_program():
    """What is missing is told with the package that has it."""
    lacking = replace(TOY, packages={"sh": "dash", "no-such-cc": "toycc"})
    assert missing(lacking) == [("no-such-cc", "toycc")]
    with pytest.raises(EnvironmentFault) as raised:
        Toolchain(lacking)
    assert raised.value.message.params == {
        "language": "Toy", "program": "no-such-cc", "package": "toycc",
    }  # fmt: skip


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("{")])
def test_spoilt(workshop, tmp_path, asked, spoil):
    """What was kept and is not whole any more is made again."""
    text = source(f"printf one > {PROGRAM}")
    workshop().build(text)
    (file,) = (tmp_path / "store").rglob("said.json")
    spoil(file)
    assert workshop().build(text).program.read_text() == "one"
    assert len(asked) == 2


def test_nowhere_to_keep_it(workshop, tmp_path):
    """Where nothing can be written the folder is named."""
    (tmp_path / "store").write_text("a file")
    with pytest.raises(EnvironmentFault) as raised:
        workshop().build(source(f"printf one > {PROGRAM}"))
    assert raised.value.message.id == "environment.cache"
    assert raised.value.message.params["folder"] == str(tmp_path / "store")


# --- the store -----------------------------------------------------------------------------------


def test_key():
    """Keys differ where anything differs, bytes included, and for nothing else."""
    assert key_of({"a": b"1"}, [1]) == key_of({"a": b"1"}, [1])
    parts = [({"a": b"1"}, [1]), ({"a": b"2"}, [1]), ({"b": b"1"}, [1]), ({"a": b"1"}, [1, 2])]
    assert len({key_of(*one) for one in parts}) == len(parts)
    with pytest.raises(TypeError):
        key_of(Path("x"))


def test_whole_or_not_at_all(tmp_path):
    """What fails on the way leaves nothing behind."""
    store = Store(tmp_path)
    key = key_of("x")
    making = store.making(key)
    (making.__enter__() / "half").touch()
    assert not making.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert store.find(key) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_second_comer(tmp_path):
    """Who comes second finds what the first has made."""
    store, key = Store(tmp_path), key_of("x")
    with store.making(key) as late:
        (late / "late").touch()
        with Store(tmp_path).making(key) as early:
            (early / "early").touch()
    assert [path.name for path in store.find(key).iterdir()] == ["early"]


def test_least_used_goes(tmp_path, monkeypatch):
    """Where there is too much, what was not used for longest goes; what was just made stays."""
    monkeypatch.setattr(store_module, "_KEPT_BYTES", 2500)
    store, keys = Store(tmp_path), [key_of(n) for n in range(4)]
    for age, key in enumerate(keys[:3]):
        with store.making(key) as folder:
            (folder / "data").write_bytes(bytes(1000))
        if store.find(key):
            os.utime(store._place(key), (1000 + age, 1000 + age))
    assert store.find(keys[0]) is None or age < 2
    assert store.find(keys[1])  # used now
    with store.making(keys[3]) as folder:
        (folder / "data").write_bytes(bytes(1000))
    assert [bool(store.find(key)) for key in keys] == [False, True, False, True]


def test_where_it_lies(tmp_path, monkeypatch):
    """In the user's cache folder, or where ``GRADER_CACHE`` says."""
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "here"))
    with Store().making(key_of("x")) as folder:
        (folder / "data").touch()
    assert list((tmp_path / "here" / "builds").rglob("data"))
    monkeypatch.delenv("GRADER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    with Store().making(key_of("x")) as folder:
        (folder / "data").touch()
    assert list((tmp_path / "there").rglob("data"))


def test_said_is_data(workshop, tmp_path):
    """What compilers said is kept as it was, whatever it was."""
    complaint(workshop(), r"""printf 'my.toy:1: error: "\n\377 \033[31m\n'; exit 1""")
    (file,) = (tmp_path / "store").rglob("said.json")
    assert json.loads(file.read_text("utf-8"))["code"] == 1
