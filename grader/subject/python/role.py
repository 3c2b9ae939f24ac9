"""What Python subjects are: a host that executes a submission, forked with everything imported.

It runs no torch operation before a fork: a forked child inherits its memory, and thread pools do
not survive a fork.
"""

import faulthandler
import gc
import importlib
import json
import os
import signal
import socket
import sys
import types
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.own import Own, own_builtins
from grader.subject.python import guard
from grader.subject.python.host import Host
from grader.subject.python.leave import exit_with_place

Config = dict[str, Any]


class Role(Own):
    """Python subjects; see ``server.Role``.

    Args:
        told: what ``launcher.start_of`` says.
    """

    def __init__(self, told: Config) -> None:
        self._told, self._device = told, told["device"]
        self._files = {name: _read(path) for name, path in told["given"].items()}
        self._subject = _read(told["exercise"]) if told["exercise"] else None
        self._tensors = _read(Path(__file__).with_name("tensors.py"))
        self._given: list[types.ModuleType] = []
        self._exercise: types.SimpleNamespace | None = None

    def prepare(self) -> None:
        """Import everything."""
        sys.path[:] = self._told["sys_path"]
        gc.disable()  # nothing imported here is garbage; a fifth of the time goes to looking
        _preload(self._told["preload"], self._tensors)
        self._given = [_execute(name, file) for name, file in self._files.items()]
        self._exercise = _both_sides(self._subject) if self._subject else None
        guard.put_out_of_sight()

    def become(
        self, pipe: socket.socket, greeting: Config, _request: Config, _fds: list[int]
    ) -> None:
        """Greet, then serve the protocol on a pipe, with fresh standard streams and usual signals.

        The greeting says which walls stand. Nothing of a student's has run before it.
        """
        if self._device != "cpu" and "failed" not in greeting:
            greeting = _with_device(greeting)
        pipe.sendall(json.dumps(greeting).encode() + b"\n")
        if "failed" in greeting or "no_device" in greeting:
            return
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if hasattr(signal, "pthread_sigmask"):  # whoever started all this may have held it back
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        # Where a submission hangs or crashes, its stderr tells the line.
        faulthandler.register(signal.SIGUSR1, file=2, all_threads=True)
        faulthandler.enable(file=2, all_threads=True)
        os._exit = exit_with_place(os.getpid())  # type: ignore[assignment]
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - kept for good
        sys.stdout = _stream(1)
        sys.stderr = _stream(2)
        host = Host(self._exercise, self._given, self._device)
        held = guard.put_away()  # noqa: F841 - by this frame, for as long as the process lives
        guard.put_up()
        host.serve(pipe.makefile("rb"), pipe.sendall)


def _stream(fd: int) -> Any:
    return open(fd, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def _both_sides(exercise: "_File") -> types.SimpleNamespace:
    """The exercise's module for this side of the pipe, executed twice. What watches the given
    library is found by submissions, with the globals of its functions; the functions that the
    host's thread runs are others, with globals of their own.
    """
    functions = _execute("exercise_subject", exercise, apart=True)
    for name, thing in vars(functions).items():
        if isinstance(thing, type) and thing.__module__ == functions.__name__:
            raise TypeError(f"{exercise.path} defines a class, {name}, which submissions can find")
    watching = _execute("exercise_subject", exercise)
    return types.SimpleNamespace(
        FUNCTIONS=functions.FUNCTIONS,
        ACTS=getattr(functions, "ACTS", {}),
        observe=watching.observe,
        give=getattr(watching, "give", None),
        PLAIN=getattr(watching, "PLAIN", {}),
    )


def _preload(libraries: list[str], tensors: "_File") -> None:
    """Import the libraries, and what the host needs to deal with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch without NumPy says so
        for name in libraries:
            importlib.import_module(name)
    if "torch" in sys.modules:
        _execute("grader.subject.python.tensors", tensors)


@dataclass(frozen=True)
class _File(Own):
    """A file of the project's, read before it is out of sight."""

    path: str
    source: bytes


def _read(path: str | Path) -> _File:
    return _File(str(path), Path(path).read_bytes())


def _execute(name: str, file: _File, *, apart: bool = False) -> types.ModuleType:
    """Import a file under a dotted name, with empty packages above it; with builtins of its own
    if it is to stay apart from what a submission does to them.
    """
    module = types.ModuleType(name)
    if apart:
        vars(module)["__builtins__"] = own_builtins()
    module.__file__ = file.path
    parent, _, leaf = name.rpartition(".")
    if parent:
        setattr(_package(parent), leaf, module)
    sys.modules[name] = module
    exec(compile(file.source, file.path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - an import
    return module


def _package(name: str) -> types.ModuleType:
    """A package of a dotted name that holds only what is put into it: nothing of the folder
    of the same name, where solutions lie, can be imported by way of it.
    """
    if name not in sys.modules:
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
        parent, _, leaf = name.rpartition(".")
        if parent:
            setattr(_package(parent), leaf, package)
    return sys.modules[name]


def _with_device(greeting: Config) -> Config:
    """A greeting that tells which GPU there is, or why there is none: CUDA starts here, for it
    does not survive a fork.
    """
    import torch  # noqa: PLC0415 - it is there, where a device is asked for

    try:
        return greeting | {"hardware": torch.cuda.get_device_name()}
    except Exception as error:  # noqa: BLE001 - a driver may fail in many ways
        return {"no_device": str(error).splitlines()[0]}
