"""The process that subjects are forked from: everything slow is imported, nothing secret held.

It never sees a submission, a seed or an expected value, and runs no torch operation: a
forked child inherits its memory, and thread pools do not survive a fork. Started as
``python -c`` by ``grader.subject.python.launcher``, with its configuration as JSON.
"""

import faulthandler
import gc
import importlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from grader.protocol import HUNG_UP
from grader.subject.python.host import Host

Config = dict[str, Any]

_exit = os._exit


def main() -> None:
    """Import what the configuration names, then serve: one subject, or as many as asked for."""
    config: Config = json.loads(sys.argv[1])
    control = socket.socket(fileno=config["control"])
    sys.path[:] = config["sys_path"]
    gc.disable()  # nothing imported here is garbage; a fifth of the time goes to looking
    try:
        exercise = _preload(config)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the grading side says it
        # A SyntaxError tells its place first, and notes come last.
        error.__notes__ = []
        said = traceback.format_exception_only(error)[-1].splitlines()[0]
        control.sendall(_line({"failed": said}))
        return
    gc.freeze()  # so that a collection in a child copies none of the shared pages
    control.sendall(_line({"ready": True}))
    if config["fork"]:
        _serve_forks(control, exercise, Path(config["scratch"]))
    else:
        _become_subject(control, exercise)


def _preload(config: Config) -> types.ModuleType | None:
    """Import the libraries and the modules given to students; the exercise's module, if any."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch without NumPy says so
        for name in config["preload"]:
            importlib.import_module(name)
        if "torch" in sys.modules:
            importlib.import_module("grader.subject.python.tensors")
    for name, path in config["given"].items():
        _import_from(name, path)
    return _import_from("exercise_subject", config["exercise"]) if config["exercise"] else None


def _import_from(name: str, path: str) -> types.ModuleType:
    """Import a file under a dotted name, with empty packages above it."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        msg = f"cannot import {path}"
        raise ImportError(msg)
    module = importlib.util.module_from_spec(spec)
    parent, _, leaf = name.rpartition(".")
    if parent:
        setattr(_package(parent), leaf, module)
    sys.modules[name] = module
    spec.loader.exec_module(module)
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


def _serve_forks(control: socket.socket, exercise: types.ModuleType | None, scratch: Path) -> None:
    """Fork a subject for each ``spawn``, end one for each ``end``, until the grader is gone.

    However it goes, nothing of a subject is left after it.
    """
    alive: set[int] = set()
    try:
        _answer(control, exercise, alive)
    finally:
        for pid in alive:
            _end(pid, wait=False)
        shutil.rmtree(scratch, ignore_errors=True)
        _exit(0)  # taking torch down in order takes a fifth of a second, and changes nothing


def _answer(control: socket.socket, exercise: types.ModuleType | None, alive: set[int]) -> None:
    """Answer requests until there are no more.

    One request is under way at a time. ``discard`` names subjects no longer needed: they
    are ended after the reply, while the grading side goes on.
    """
    while True:
        try:
            data, fds, _, _ = socket.recv_fds(control, 65536, 3)
        except OSError:  # the grader is gone, and left an answer unread
            return
        if not data:
            return
        request = json.loads(data)
        if request["op"] == "spawn":
            pid = _fork(control, fds, exercise)
            alive.add(pid)
            control.sendall(_line({"pid": pid}))
        elif request["op"] == "dump":
            os.kill(request["pid"], signal.SIGUSR1)
            control.sendall(_line({}))
        else:
            alive.discard(request["pid"])
            control.sendall(_line({"status": _end(request["pid"], wait=True)}))
        for pid in request["discard"]:
            alive.discard(pid)
            _end(pid, wait=False)


def _fork(control: socket.socket, fds: list[int], exercise: types.ModuleType | None) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            control.close()
            pipe, out, err = fds
            os.dup2(out, 1)
            os.dup2(err, 2)
            os.close(out)
            os.close(err)
            _become_subject(socket.socket(fileno=pipe), exercise)
        finally:
            _exit(HUNG_UP)
    for fd in fds:
        os.close(fd)
    return pid


def _become_subject(pipe: socket.socket, exercise: types.ModuleType | None) -> None:
    """Serve the protocol on a pipe, with fresh standard streams and signals as usual."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Where a submission hangs or crashes, its stderr tells the line.
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=False)
    faulthandler.enable(file=2, all_threads=False)
    os._exit = _exit_with_place(os.getpid())  # type: ignore[assignment]
    gc.enable()
    sys.argv = [""]
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - kept for good
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    Host(exercise).serve(pipe.makefile("rb"), pipe.sendall)


def _exit_with_place(subject: int) -> Callable[[int], NoReturn]:
    """An ``os._exit`` that becomes an exception in the subject, so that its line is known.

    In processes that a submission forks it stays what it is: one that went on would come
    back here and answer in the subject's stead.
    """

    def exit_with_place(status: int) -> NoReturn:
        if os.getpid() == subject:
            raise SystemExit(status)
        _exit(status)

    return exit_with_place


def _end(pid: int, *, wait: bool) -> int | None:
    """Kill a subject and all in its group.

    Args:
        pid: a child of this process that has not been waited for, so the number is its own.
        wait: give it a moment to end by itself first, so that its status tells how it did.

    Returns:
        The exit code, negative for a signal; None where it had to be killed.
    """
    status = _wait(pid, 0.5) if wait else None
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    if status is None:
        os.waitpid(pid, 0)
    return status


def _wait(pid: int, seconds: float) -> int | None:
    """The exit code of a child that ends in time, else None."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def _line(message: Config) -> bytes:
    return json.dumps(message).encode() + b"\n"
