"""What tests of `grader batch` use: classes, the command as a process, and what it leaves."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from downloads import laid_out
from support import ROOT, TINY

from grader.batch.run import Order, Result, run
from grader.batch.store import FILE
from grader.batch.task import Graded, Setting, Task, pack, unpack, void_score
from grader.errors import EnvironmentFault
from grader.exercise import Exercise
from grader.score import Error, Status, Text

#: The tiny exercise's submissions, by how they fare.
RIGHT = (TINY / "solutions" / "stack.py").read_text(encoding="utf-8")
QUEUE = (TINY / "exercises" / "stack" / "wrong" / "queue.py").read_text(encoding="utf-8")
STARTER = (TINY / "exercises" / "stack" / "starter" / "stack.py").read_text(encoding="utf-8")

_DURATION = re.compile(r'("duration_s": )[\d.]+')


def small_class(folder: Path, size: int = 12) -> Path:
    """A class of this many, each with a file of their own; the first comes with the starter and
    every fourth with a mistake.
    """
    works = {f"s{i:02}.py": f"{QUEUE if i % 4 == 3 else RIGHT}# {i}\n" for i in range(1, size)}
    return laid_out(folder / "class", {"s00.py": STARTER, **works})


# --- the command ---------------------------------------------------------------------------------


def started(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """The command on a class, begun as a process in a session of its own, in a folder.

    All that it starts can be told by ``left_of``.
    """
    unset = ("LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "PYTHONIOENCODING")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    told = {
        "PYTHONUTF8": "1", "GRADER_LANG": "en", "GRADER_PROJECT": str(TINY),
        "PATH": f"{_mark(folder)}:{os.environ['PATH']}", "TMPDIR": str(folder / "tmp"),
    }  # fmt: skip
    (folder / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, str(ROOT / "grader" / "__main__.py"), "batch", "stack", *arguments]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(
        command, cwd=folder, env={**clean, **told, **(env or {})}, text=True,
        start_new_session=True, **pipes,
    )  # fmt: skip


def batch(folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command on a class, run to its end."""
    process = started(folder, *arguments, **options)
    stdout, stderr = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def graded_in(done: subprocess.CompletedProcess[str]) -> int:
    """How many submissions a run says that it graded."""
    found = re.search(r"(\d+) submissions? graded in this run", done.stdout)
    assert found, (done.stdout, done.stderr)
    return int(found[1])


def left_of(folder: Path) -> list[int]:
    """The processes that commands begun in a folder have started, and that live."""
    mark = f"PATH={_mark(folder)}:".encode()
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in pids if mark in _read(pid, "environ")]


def workers_of(folder: Path) -> list[int]:
    """The workers among those."""
    return [pid for pid in left_of(folder) if b"spawn_main" in _read(pid, "cmdline")]


def servers_of(folder: Path) -> list[int]:
    """The fork servers among those, and the subjects forked from them."""
    return [pid for pid in left_of(folder) if b"grader.subject.server" in _read(pid, "cmdline")]


def gone(folder: Path) -> bool:
    """Whether all that was started in a folder ends by itself, and soon."""
    return waited_for(lambda: not left_of(folder))


def temporary_of(folder: Path) -> list[Path]:
    """What they have left in the folder for what is temporary."""
    return list((folder / "tmp").iterdir())


def waited_for(done: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.005)
    return False


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C, as a terminal does it: to the command and all that is with it."""
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=30)


def _mark(folder: Path) -> Path:
    """A place in PATH, which the grader passes on to all that it starts."""
    return folder / "mark"


def _read(pid: int, name: str) -> bytes:
    """What the system says of a process; nothing where it has gone meanwhile."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


# --- in this process -----------------------------------------------------------------------------


class Quiet:
    """Progress of which nothing is shown.

    Args:
        total: how many are to be graded.
    """

    def __init__(self, total: int = 0) -> None:
        self.total, self.steps = total, 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def step(self) -> None:
        """One more."""
        self.steps += 1


def ordered(exercise: Exercise, output: Path, *sources: Path, **more: Any) -> Result:
    """A class graded in this process by what stands for an engine."""
    order = Order(
        exercise=exercise, sources=sources, output=output,
        **{"language": "en", "jobs": 1, "seed": 7, **more},
    )  # fmt: skip
    return run(order, Quiet)


class marking:  # noqa: N801 - reads as a function
    """An engine that grades nothing, but gives points; where there are None, it fails.

    Args:
        points: those of a task.

    Attributes:
        seen: the places of the submissions that were to be graded.
    """

    def __init__(self, points: Callable[[Task], float | None]) -> None:
        self._points = points
        self.seen: list[str] = []

    def __call__(self, setting: Setting, tasks: Iterator[Task], **_: object) -> Generator[Graded]:
        """What comes of tasks."""
        for task in tasks:
            self.seen.append(task.submission.path)
            points = self._points(task)
            fault = EnvironmentFault("environment.worker")
            if points is None:
                yield Graded.failed(task, fault, setting)
                continue
            error = Error(kind="grader", message=Text.of(fault.message))
            score = void_score(task.submission, error, setting, Status.FAILED)
            given = score.model_copy(update={"score": points, "error": None})
            yield Graded.of(task, given, setting)


# --- what it leaves ------------------------------------------------------------------------------


def scores(out: Path) -> dict[str, dict[str, Any]]:
    """Student -> their entry in scores.json."""
    document = json.loads((out / "scores.json").read_text(encoding="utf-8"))
    return {entry["student"]["id"]: entry for entry in document["scores"]}


def files(out: Path) -> dict[str, bytes]:
    """All that a run has written, by its path, but for the store."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.startswith(FILE)
    }


def untimed(out: Path) -> dict[str, bytes]:
    """All that a run has written, durations aside; the overview, which is full of them, left out."""
    found = {name: data for name, data in files(out).items() if name != "index.html"}
    found["scores.json"] = still(found["scores.json"].decode()).encode()
    return found


def stilled(exercise: Exercise, out: Path, *sources: Path, **more: Any) -> dict[str, bytes]:
    """All that is written once more, when every grading in the store has taken a second."""
    with contextlib.closing(sqlite3.connect(out / FILE)) as database, database:
        for key, score in database.execute("SELECT key, score FROM result").fetchall():
            packed = pack(still(unpack(score)))
            database.execute("UPDATE result SET score = ? WHERE key = ?", (packed, key))
    assert ordered(exercise, out, *sources, seed=None, **more).graded == 0
    return files(out)


def rows(out: Path) -> list[tuple[int, str]]:
    """The results in a store: the number and the status of each, in the order of coming."""
    with contextlib.closing(sqlite3.connect(out / FILE)) as database:
        return database.execute("SELECT number, status FROM result ORDER BY number").fetchall()


def still(text: str) -> str:
    """A score's JSON with every duration the same."""
    return _DURATION.sub(r"\g<1>1.0", re.sub(r'("duration_s":)(?=\d)', r"\1 ", text))
