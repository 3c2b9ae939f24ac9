"""Starts Python subjects: forked from a server that holds torch, or, where forking is unsafe,
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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from grader.errors import EnvironmentFault
from grader.subject.allowance import Allowance
from grader.subject.channel import Channel
from grader.subject.device import DeviceName, facts_of, files_of
from grader.subject.isolation import WALLS, Level
from grader.subject.python import libraries
from grader.subject.sandbox.plan import Plan

_ROOT = Path(__file__).resolve().parents[3]

#: Variables that Python and torch need to start. Nothing else of the environment is passed on.
_ENVIRONMENT = (
    "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT",
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
)  # fmt: skip


@dataclass(frozen=True)
class Preload:
    """What is imported before any submission is seen.

    Attributes:
        libraries: modules by name, such as ``torch``.
        given: dotted name -> file, the modules that students import.
        exercise: the exercise's module for the subject's side, if it has one.
        device: what subjects compute on.
    """

    libraries: tuple[str, ...] = ()
    given: dict[str, Path] = field(default_factory=dict)
    exercise: Path | None = None
    device: DeviceName = "cpu"


class ForkServer:
    """Subjects forked from one process that has everything imported.

    Starting it returns at once: the imports go on while the grading process does its own.
    So does opening a subject: it is forked while the caller goes on.

    Args:
        preload: what is imported.
        allowance: what a subject may take.
        walls: the walls to build around each, of those that ``isolation`` knows.

    Attributes:
        device: what they compute on.
    """

    kind: Literal["fork"] = "fork"

    def __init__(
        self,
        preload: Preload,
        allowance: Allowance | None = None,
        walls: Sequence[str] = WALLS,
    ) -> None:
        self._server = _Server(preload, allowance or Allowance(), walls, fork=True)
        self.device = preload.device
        self._ready = False
        self._unanswered: _Forked | None = None
        self._discarded: list[int] = []

    def open(self, *, lasting: bool = False) -> Channel:
        """A channel to a subject that nobody has used.

        Args:
            lasting: whether it is to live as long as the server: its processor time is not
                limited.

        Raises:
            EnvironmentFault: the server could not import what it needs, or is gone.
        """
        self._settle()
        with contextlib.ExitStack() as undo:
            ours, theirs = socket.socketpair()
            undo.callback(ours.close)
            with theirs, contextlib.ExitStack() as given:
                (out, out_child), (err, err_child) = _pipe(undo, given), _pipe(undo, given)
                request: dict[str, object] = {"op": "spawn", "lasting": lasting}
                request["discard"] = self._discarded
                self._server.send(request, [theirs.fileno(), out_child, err_child])
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
    """

    kind: Literal["process"] = "process"

    def __init__(self, preload: Preload, allowance: Allowance | None = None) -> None:
        self._preload, self._allowance = preload, allowance or Allowance()
        self.device = preload.device

    def open(self, *, lasting: bool = False) -> Channel:  # noqa: ARG002 - as a fork server's
        """A channel to a subject that nobody has used, which takes the time of its imports.

        Raises:
            EnvironmentFault: it could not import what it needs, or is gone.
        """
        with contextlib.ExitStack() as undo:
            with contextlib.ExitStack() as given:
                (out, out_child), (err, err_child) = _pipe(undo, given), _pipe(undo, given)
                server = _Server(
                    self._preload, self._allowance, (), fork=False, out=out_child, err=err_child
                )
            undo.callback(server.close)
            server.await_ready()
            undo.pop_all()
        return Channel(server.control, (out, err), server, self.device)

    def release(self, channel: Channel) -> None:
        """End a subject."""
        channel.close()

    def close(self) -> None:
        """Nothing is kept."""


def _pipe(undo: contextlib.ExitStack, given: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe: the reading end is closed by ``undo``, the end that is given away by ``given``."""
    ours, theirs = os.pipe()
    undo.callback(os.close, ours)
    given.callback(os.close, theirs)
    return ours, theirs


def plan_of(preload: Preload, allowance: Allowance, walls: Sequence[str], scratch: str) -> Plan:
    """How subjects are shut in.

    Args:
        preload: what they import, and compute on.
        allowance: what each may take.
        walls: those to build.
        scratch: the folder that is theirs.
    """
    search_path = libraries.search_path(preload.libraries)
    return Plan(
        walls=walls,
        readable=[*libraries.readable(search_path), *facts_of(preload.device)] if walls else (),
        devices=[*libraries.DEVICES, *files_of(preload.device)],
        scratch=scratch,
        scratch_mb=allowance.scratch_mb,
        memory_mb=allowance.memory_mb if preload.device == "cpu" else None,
        cpu_s=math.ceil(allowance.grading_s),
        threads=allowance.threads,
        open_files=allowance.open_files,
    )


class _Server:
    """A started ``server.py``: its control socket, its process, its scratch folder."""

    def __init__(
        self,
        preload: Preload,
        allowance: Allowance,
        walls: Sequence[str],
        *,
        fork: bool,
        out: int = subprocess.DEVNULL,
        err: int = subprocess.DEVNULL,
    ) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
        self.control, theirs = socket.socketpair()
        plan = plan_of(preload, allowance, walls, self._scratch.name)
        config = {
            "control": theirs.fileno(),
            "fork": fork,
            "scratch": self._scratch.name,
            "plan": plan.to_json(),
            "sys_path": libraries.search_path(preload.libraries),
            "preload": preload.libraries,
            "given": {name: str(path) for name, path in preload.given.items()},
            "exercise": str(preload.exercise) if preload.exercise else None,
            "device": preload.device,
        }
        start = f"import sys; sys.path.insert(0, {str(_ROOT)!r})\n"
        start += "from grader.subject.python.server import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", start, json.dumps(config)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=[theirs.fileno()],
            cwd=self._scratch.name,
            env=_environment(self._scratch.name),
            start_new_session=True,  # Ctrl-C is for the grading process, which ends this one
        )
        self._ready = False
        theirs.close()

    def await_ready(self) -> None:
        """Wait until everything is imported.

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
        """Hang up: the server ends its subjects, then itself. One that is still importing
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


Launcher = ForkServer | FreshProcess


def launch(preload: Preload, allowance: Allowance, level: Level) -> Launcher:
    """The launcher for this platform, with every wall that it has unless the level is ``none``."""
    if sys.platform != "linux":
        return FreshProcess(preload, allowance)
    return ForkServer(preload, allowance, () if level == "none" else WALLS)
