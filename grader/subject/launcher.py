"""Starts subjects: forked from a server that has everything ready, or, where forking is unsafe,
as a process of their own that serves the same protocol.
"""

import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from grader.errors import EnvironmentFault
from grader.subject.allowance import Allowance
from grader.subject.channel import Channel
from grader.subject.device import DeviceName
from grader.subject.isolation import WALLS, Level
from grader.subject.sandbox.plan import Plan, Starts
from grader.subject.source import Built, Source

#: Whether subjects can be forked: elsewhere a process with threads must not be.
FORKS = sys.platform == "linux"

_ROOT = Path(__file__).resolve().parents[2]

#: Variables that a subject's runtime needs to start. Nothing else of the environment is passed on.
_ENVIRONMENT = (
    "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT",
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
)  # fmt: skip


class Launcher(Protocol):
    """Where subjects in one language come from, on one device.

    Attributes:
        kind: how they are started.
        device: what they compute on.
        anew: whether one process can load a submission again, with nothing left of the first time.
        plays: whether subjects can be asked whole scripts.
    """

    kind: Literal["fork", "process"]
    device: DeviceName
    anew: bool
    plays: bool

    def build(self, source: Source) -> Built:
        """A submission as something that can be opened.

        Raises:
            SubmissionError: it cannot be built.
            EnvironmentFault: this machine lacks what it takes.
        """

    def open(self, built: Built, *, lasting: bool = False) -> Channel:
        """A channel to a subject that nobody has used.

        Args:
            built: the submission that is to be loaded in it.
            lasting: whether it is to live as long as the launcher: its processor time is not
                limited.

        Raises:
            EnvironmentFault: there can be none.
        """

    def release(self, channel: Channel) -> None:
        """End a subject."""

    def close(self) -> None:
        """End every subject."""


@dataclass(frozen=True)
class Start:
    """What a server of subjects is started with.

    Attributes:
        role: the module that says what its subjects are; see ``server.Role``.
        told: what that is told.
        allowance: what a subject may take of the machine.
        memory_mb: megabytes of address space, where it is not the allowance's; None for no limit.
        readable: files and folders that it may read.
        devices: device files that it may use.
        starts: which programs it may start.
        environment: variables besides those that every subject has.
        device: what it computes on.
    """

    role: str
    told: Mapping[str, Any]
    allowance: Allowance
    memory_mb: int | None
    readable: Sequence[str]
    devices: Sequence[str]
    starts: Starts = "nothing"
    environment: Mapping[str, str] = field(default_factory=dict)
    device: DeviceName = "cpu"

    def plan(self, walls: Sequence[str], scratch: str) -> Plan:
        """How subjects are shut in.

        Args:
            walls: those to build.
            scratch: the folder that is theirs.
        """
        return Plan(
            walls=walls,
            readable=self.readable if walls else (),
            devices=self.devices,
            scratch=scratch,
            scratch_mb=self.allowance.scratch_mb,
            memory_mb=self.memory_mb,
            cpu_s=math.ceil(self.allowance.grading_s),
            threads=self.allowance.threads,
            open_files=self.allowance.open_files,
            starts=self.starts,
        )


class ForkServer:
    """Subjects forked from one process that has everything ready.

    Starting it returns at once: its imports go on while the grading process does its own.
    So does opening a subject: it is forked while the caller goes on.

    Args:
        start: what they are.
        walls: the walls to build around each, of those that ``isolation`` knows.
    """

    kind: Literal["fork", "process"] = "fork"
    anew = plays = True

    def __init__(self, start: Start, walls: Sequence[str] = WALLS) -> None:
        self._server = _Server(start, walls, fork=True)
        self.device = start.device
        self._ready = False
        self._unanswered: _Forked | None = None
        self._discarded: list[int] = []

    def build(self, source: Source) -> Built:
        """A submission as it is."""
        return Built(source)

    def open(self, built: Built | None = None, *, lasting: bool = False) -> Channel:
        """A channel to a subject that nobody has used; see ``Launcher``.

        Raises:
            EnvironmentFault: the server could not do what it has to, or is gone.
        """
        self._settle()
        with contextlib.ExitStack() as undo:
            ours, theirs = socket.socketpair()
            undo.callback(ours.close)
            with theirs, contextlib.ExitStack() as given:
                (out, out_child), (err, err_child) = _pipe(undo, given), _pipe(undo, given)
                request: dict[str, object] = {"op": "spawn", "lasting": lasting}
                request["discard"] = self._discarded
                request |= _wish(built)
                more = _program_of(built, given)
                self._server.send(request, [theirs.fileno(), out_child, err_child, *more])
            undo.pop_all()
        self._discarded = []
        self._unanswered = _Forked(self)
        return Channel(ours, (out, err), self._unanswered, self.device)

    def release(self, channel: Channel) -> None:
        """End a subject."""
        channel.close()

    def close(self) -> None:
        """End every subject and the server."""
        self._server.close()

    def _settle(self) -> None:
        """Wait until the server is ready, and has told the number of the process it forked last."""
        if not self._ready:
            self._server.await_ready()
            self._ready = True
        if self._unanswered is not None:
            self._unanswered.pid = self._server.receive()["pid"]
            self._unanswered = None

    def exit_code_of(self, process: "_Forked") -> int | None:
        """End a process; see ``channel.Process``."""
        self._settle()
        self._server.send({"op": "end", "pid": process.pid, "discard": []}, [])
        code: int | None = self._server.receive()["status"]
        return code

    def dump_stack_of(self, process: "_Forked") -> None:
        """Have a process write where it is; see ``channel.Process``."""
        self._settle()
        self._server.send({"op": "dump", "pid": process.pid, "discard": []}, [])
        self._server.receive()

    def discard(self, process: "_Forked") -> None:
        """End a process when the server is next spoken to, unless it is gone, and all with it."""
        try:
            self._settle()
        except EnvironmentFault:
            return
        assert process.pid is not None  # noqa: S101 - settled
        self._discarded.append(process.pid)


class _Forked:
    """A process that the server forked. Its number is known once the server has answered."""

    def __init__(self, server: ForkServer) -> None:
        self.pid: int | None = None
        self._server = server

    def kill(self) -> None:
        self._server.discard(self)

    def dump_stack(self) -> None:
        self._server.dump_stack_of(self)

    def exit_code(self) -> int | None:
        return self._server.exit_code_of(self)


class FreshProcess:
    """Subjects in processes that are started for them: where a fork is unsafe or absent.

    There are no walls around them.

    Args:
        start: what they are.
    """

    kind: Literal["fork", "process"] = "process"
    anew = plays = True

    def __init__(self, start: Start) -> None:
        self._start, self.device = start, start.device

    def build(self, source: Source) -> Built:
        """A submission as it is."""
        return Built(source)

    def open(self, built: Built | None = None, *, lasting: bool = False) -> Channel:  # noqa: ARG002 - as a fork server's
        """A channel to a subject that nobody has used, which takes the time of its imports.

        Raises:
            EnvironmentFault: it could not do what it has to, or is gone.
        """
        with contextlib.ExitStack() as undo:
            with contextlib.ExitStack() as given:
                (out, out_child), (err, err_child) = _pipe(undo, given), _pipe(undo, given)
                server = _Server(
                    self._start, (), fork=False, out=out_child, err=err_child,
                    request=_wish(built), fds=_program_of(built, given),
                )  # fmt: skip
            undo.callback(server.close)
            server.await_ready()
            undo.pop_all()
        return Channel(server.control, (out, err), server, self.device)

    def release(self, channel: Channel) -> None:
        """End a subject."""
        channel.close()

    def close(self) -> None:
        """Nothing is kept."""


def walls_of(level: Level) -> Sequence[str]:
    """The walls to build for a level of isolation: all that the machine has, or none."""
    return () if level == "none" else WALLS


def server_of(start: Start, level: Level) -> ForkServer | FreshProcess:
    """Where subjects come from on this platform, shut in as far as asked for."""
    return ForkServer(start, walls_of(level)) if FORKS else FreshProcess(start)


def _wish(built: Built | None) -> dict[str, Any]:
    """What a subject is to be, for a role that has to be told."""
    if built is None or not built.command:
        return {}
    return {"command": list(built.command), "program": str(built.program)}


def _program_of(built: Built | None, given: contextlib.ExitStack) -> list[int]:
    """The program that a subject is to become, open, where the submission is one itself."""
    if built is None or built.program is None:
        return []
    fd = os.open(built.program, os.O_RDONLY | os.O_CLOEXEC)
    given.callback(os.close, fd)
    return [fd]


def _pipe(undo: contextlib.ExitStack, given: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe: the reading end is closed by ``undo``, the end that is given away by ``given``."""
    ours, theirs = os.pipe()
    undo.callback(os.close, ours)
    given.callback(os.close, theirs)
    return ours, theirs


class _Server:
    """A started ``server.py``: its control socket, its process, its scratch folder."""

    def __init__(
        self,
        start: Start,
        walls: Sequence[str],
        *,
        fork: bool,
        out: int = subprocess.DEVNULL,
        err: int = subprocess.DEVNULL,
        request: Mapping[str, Any] | None = None,
        fds: Sequence[int] = (),
    ) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
        self.control, theirs = socket.socketpair()
        config = {
            "control": theirs.fileno(),
            "fork": fork,
            "scratch": self._scratch.name,
            "plan": start.plan(walls, self._scratch.name).to_json(),
            "role": start.role,
            "told": start.told,
            "request": request or {},
            "fds": fds,
        }
        main = f"import sys; sys.path.insert(0, {str(_ROOT)!r})\n"
        main += "from grader.subject.server import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", main, json.dumps(config)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=[theirs.fileno(), *fds],
            cwd=self._scratch.name,
            env=_environment(self._scratch.name) | dict(start.environment),
            start_new_session=True,  # Ctrl-C is for the grading process, which ends this one
        )
        self._ready = False
        theirs.close()

    def await_ready(self) -> None:
        """Wait until everything is prepared.

        Raises:
            EnvironmentFault: it cannot be.
        """
        answer = self.receive()
        self._ready = True
        if "failed" in answer:
            raise EnvironmentFault("environment.preload", detail=answer["failed"])

    def send(self, request: dict[str, object], fds: list[int]) -> None:
        """Ask the server for something.

        Raises:
            EnvironmentFault: it is gone.
        """
        try:
            socket.send_fds(self.control, [json.dumps(request).encode()], fds)
        except OSError:
            raise EnvironmentFault("environment.server_gone") from None

    def receive(self) -> dict[str, Any]:
        """The server's answer.

        Raises:
            EnvironmentFault: it is gone.
        """
        line = b""
        while not line.endswith(b"\n"):
            try:
                # An answer is one line; what comes after the last may not be for this reader.
                seen = self.control.recv(65536, socket.MSG_PEEK)
                data = self.control.recv(seen.find(b"\n") + 1 or len(seen)) if seen else b""
            except OSError:
                data = b""
            if not data:
                raise EnvironmentFault("environment.server_gone")
            line += data
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """End it and all in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._scratch.cleanup()

    def dump_stack(self) -> None:
        """Have it write where it is to its stderr."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGUSR1)

    def exit_code(self) -> int | None:
        """How it ended by itself, or None; it is gone afterwards."""
        try:
            return self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()

    def close(self) -> None:
        """Hang up: the server ends its subjects, then itself. One that is still preparing
        has none.
        """
        self.control.close()
        if self._ready:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5)
        self.kill()


def _environment(home: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return kept | {
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        # Every pool of the allocator's takes 64 MB of address space, which is what is limited.
        "MALLOC_ARENA_MAX": "2",
    }
