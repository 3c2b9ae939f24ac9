"""The process that subjects are forked from: everything slow is imported, nothing secret held.

It never sees a submission, a seed or an expected value, and runs no torch operation: a
forked child inherits its memory, and thread pools do not survive a fork. Started as
``python -c`` by ``grader.subject.python.launcher``, with its configuration as JSON. What it is
to import from the project is read before the sandbox is made, in which the project is not there.
"""

import faulthandler
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import sys
import traceback
import types
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.own import Own, own_builtins
from grader.protocol import HUNG_UP
from grader.subject.python import guard
from grader.subject.python.host import Host
from grader.subject.python.leave import exit_with_place

if TYPE_CHECKING:
    from grader.subject.sandbox.cell import Cell
    from grader.subject.sandbox.sandbox import Sandbox

Config = dict[str, Any]

_exit = os._exit


def main() -> None:
    """Import what the configuration names, then serve: one subject, or as many as asked for."""
    config: Config = json.loads(sys.argv[1])
    control = socket.socket(fileno=config["control"])
    control.set_inheritable(False)
    try:
        sandbox, imported = _prepare(config)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the grading side says it
        # A SyntaxError tells its place first, and notes come last.
        error.__notes__ = []
        said = traceback.format_exception_only(error)[-1].splitlines()[0]
        control.sendall(_line({"failed": said}))
        return
    gc.freeze()  # so that a collection in a child copies none of the shared pages
    control.sendall(_line({"ready": True}))
    if sandbox is not None:
        sandbox.count()
        _serve_forks(control, sandbox, imported, Path(config["scratch"]))
    else:
        _become_subject(control, imported, {"walls": [], "lacking": {}})


def _prepare(config: Config) -> "tuple[Sandbox | None, _Imported]":
    """Make the sandbox and, inside of it, import everything."""
    given = {name: _read(path) for name, path in config["given"].items()}
    exercise = _read(config["exercise"]) if config["exercise"] else None
    tensors = _read(Path(__file__).with_name("tensors.py"))
    sandbox = _sandbox(config["plan"]) if config["fork"] else None
    sys.path[:] = config["sys_path"]
    gc.disable()  # nothing imported here is garbage; a fifth of the time goes to looking
    _preload(config["preload"], tensors)
    modules = [_execute(name, file) for name, file in given.items()]
    both = _both_sides(exercise) if exercise else None
    imported = _Imported(both, modules, config["device"])
    guard.put_out_of_sight()
    return sandbox, imported


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


def _sandbox(plan: Config) -> "Sandbox":
    """The sandbox by a plan, which only systems that fork have."""
    from grader.subject.sandbox.plan import Plan  # noqa: PLC0415
    from grader.subject.sandbox.sandbox import Sandbox  # noqa: PLC0415

    return Sandbox(Plan.from_json(plan))


def _preload(libraries: list[str], tensors: "_File") -> None:
    """Import the libraries, and what the host needs to deal with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch without NumPy says so
        for name in libraries:
            importlib.import_module(name)
    if "torch" in sys.modules:
        _execute("grader.subject.python.tensors", tensors)


@dataclass(frozen=True)
class _Imported(Own):
    """What has been imported of the project's: the exercise's own module, and those given; and
    what is computed on.
    """

    exercise: types.SimpleNamespace | None
    given: list[types.ModuleType]
    device: str


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


def _serve_forks(
    control: socket.socket, sandbox: "Sandbox", imported: "_Imported", scratch: Path
) -> None:
    """Fork a subject for each ``spawn``, end one for each ``end``, until the grader is gone.

    However it goes, nothing of a subject is left after it.
    """
    alive: dict[int, Cell] = {}
    try:
        _answer(control, sandbox, imported, alive)
    finally:
        for cell in alive.values():
            cell.end(wait=False)
        shutil.rmtree(scratch, ignore_errors=True)
        _exit(0)  # taking torch down in order takes a fifth of a second, and changes nothing


def _answer(
    control: socket.socket,
    sandbox: "Sandbox",
    imported: "_Imported",
    alive: "dict[int, Cell]",
) -> None:
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
        for fd in fds:
            os.set_inheritable(fd, False)
        request = json.loads(data)
        if request["op"] == "spawn":
            cell = _fork(fds, sandbox, imported, lasting=request["lasting"])
            alive[cell.pid] = cell
            control.sendall(_line({"pid": cell.pid}))
        elif request["op"] == "dump":
            if request["pid"] in alive:
                alive[request["pid"]].dump_stack()
            control.sendall(_line({}))
        else:
            cell = alive.pop(request["pid"])
            control.sendall(_line({"status": cell.end(wait=True)}))
        for pid in request["discard"]:
            alive.pop(pid).end(wait=False)


def _fork(fds: list[int], sandbox: "Sandbox", imported: "_Imported", *, lasting: bool) -> "Cell":
    cell = sandbox.fork()
    if cell is None:
        try:
            pipe = _take_streams(fds)
            try:
                walls = sandbox.shut(lasting=lasting)
                greeting = {"walls": walls, "lacking": sandbox.lacking}
            except OSError as error:
                greeting = {"failed": str(error)}
            _close_others(pipe)
            _become_subject(socket.socket(fileno=pipe), imported, greeting)
        finally:
            _exit(HUNG_UP)
    for fd in fds:
        os.close(fd)
    return cell


def _take_streams(fds: list[int]) -> int:
    """Be the leader of a group of one's own, print to the grader, and keep the pipe."""
    os.setsid()
    pipe, out, err = fds
    os.dup2(out, 1)
    os.dup2(err, 2)
    return pipe


def _close_others(pipe: int) -> None:
    """Nothing but the standard streams and the pipe is open in a subject."""
    os.closerange(3, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))


def _become_subject(pipe: socket.socket, imported: "_Imported", greeting: Config) -> None:
    """Greet, then serve the protocol on a pipe, with fresh standard streams and usual signals.

    The greeting says which walls stand. Nothing of a student's has run before it.
    """
    if imported.device != "cpu" and "failed" not in greeting:
        greeting = _with_device(greeting)
    pipe.sendall(_line(greeting))
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
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    host = Host(imported.exercise, imported.given, imported.device)
    held = guard.put_away()  # noqa: F841 - by this frame, for as long as the process lives
    guard.put_up()
    host.serve(pipe.makefile("rb"), pipe.sendall)


def _with_device(greeting: Config) -> Config:
    """A greeting that tells which GPU there is, or why there is none: CUDA starts here, for it
    does not survive a fork.
    """
    import torch  # noqa: PLC0415 - it is there, where a device is asked for

    try:
        return greeting | {"hardware": torch.cuda.get_device_name()}
    except Exception as error:  # noqa: BLE001 - a driver may fail in many ways
        return {"no_device": str(error).splitlines()[0]}


def _line(message: Config) -> bytes:
    return json.dumps(message).encode() + b"\n"
