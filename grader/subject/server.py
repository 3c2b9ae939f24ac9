"""The process that subjects are forked from: everything slow is done, nothing secret held.

It never sees a seed or an expected value. Started as ``python -c`` by ``grader.subject.launcher``,
with its configuration as JSON. What its subjects are is the affair of a *role*: a module with a
class ``Role``. What that is to read from the project it reads when it is made, before there is a
sandbox, in which the project is not there.
"""

import gc
import importlib
import json
import os
import shutil
import socket
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.protocol import HUNG_UP

Config = dict[str, Any]

if TYPE_CHECKING:
    from typing import Protocol

    from grader.subject.sandbox.cell import Cell
    from grader.subject.sandbox.sandbox import Sandbox

    # Not at run time: a submission in Python finds every class that is not hidden from it.
    class Role(Protocol):
        """What the subjects of a server are.

        Made outside the sandbox, with what the launcher has to say to it.
        """

        def prepare(self) -> None:
            """Do, inside the sandbox, what takes time and is the same for all subjects."""

        def become(
            self, pipe: socket.socket, greeting: Config, request: Config, fds: list[int]
        ) -> None:
            """Be a subject: greet, then serve the protocol until there are no more requests.

            Args:
                pipe: the protocol's socket.
                greeting: which walls stand, or why one does not.
                request: the wish for this subject.
                fds: what came with it, besides pipe and streams.
            """


#: Descriptors that come with the wish for a subject, at most: its pipe, both streams, its program.
_FDS = 4

# Bound before a role that forks subjects has changed what submissions find.
_exit = os._exit


def main() -> None:
    """Prepare what the configuration names, then serve: one subject, or as many as asked for."""
    config: Config = json.loads(sys.argv[1])
    control = socket.socket(fileno=config["control"])
    control.set_inheritable(False)
    try:
        role: Role = importlib.import_module(config["role"]).Role(config["told"])
        sandbox = _sandbox(config["plan"]) if config["fork"] else None
        role.prepare()
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
        _serve_forks(control, sandbox, role, Path(config["scratch"]))
    else:
        greeting: Config = {"walls": [], "lacking": {}}
        role.become(control, greeting, config["request"], config["fds"])


def _sandbox(plan: Config) -> "Sandbox":
    """The sandbox by a plan, which only systems that fork have."""
    from grader.subject.sandbox.plan import Plan  # noqa: PLC0415
    from grader.subject.sandbox.sandbox import Sandbox  # noqa: PLC0415

    return Sandbox(Plan.from_json(plan))


def _serve_forks(control: socket.socket, sandbox: "Sandbox", role: "Role", scratch: Path) -> None:
    """Fork a subject for each ``spawn``, end one for each ``end``, until the grader is gone.

    However it goes, nothing of a subject is left after it.
    """
    alive: dict[int, Cell] = {}
    try:
        _answer(control, sandbox, role, alive)
    finally:
        for cell in alive.values():
            cell.end(wait=False)
        shutil.rmtree(scratch, ignore_errors=True)
        _exit(0)  # taking torch down in order takes a fifth of a second, and changes nothing


def _answer(
    control: socket.socket, sandbox: "Sandbox", role: "Role", alive: "dict[int, Cell]"
) -> None:
    """Answer requests until there are no more.

    One request is under way at a time. ``discard`` names subjects no longer needed: they
    are ended after the reply, while the grading side goes on.
    """
    while True:
        try:
            data, fds, _, _ = socket.recv_fds(control, 65536, _FDS)
        except OSError:  # the grader is gone, and left an answer unread
            return
        if not data:
            return
        for fd in fds:
            os.set_inheritable(fd, False)
        request = json.loads(data)
        if request["op"] == "spawn":
            cell = _fork(fds, sandbox, role, request)
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


def _fork(fds: list[int], sandbox: "Sandbox", role: "Role", request: Config) -> "Cell":
    cell = sandbox.fork()
    if cell is None:
        try:
            pipe, *given = _take_streams(fds)
            try:
                program = given[0] if given else None
                walls = sandbox.shut(lasting=request["lasting"], program=program)
                greeting = {"walls": walls, "lacking": sandbox.lacking}
            except OSError as error:
                greeting = {"failed": str(error)}
            _close_all_but({pipe, *given})
            role.become(socket.socket(fileno=pipe), greeting, request, given)
        finally:
            _exit(HUNG_UP)
    for fd in fds:
        os.close(fd)
    return cell


def _take_streams(fds: list[int]) -> list[int]:
    """Be the leader of a group of one's own, print to the grader, and keep the rest."""
    os.setsid()
    pipe, out, err, *given = fds
    os.dup2(out, 1)
    os.dup2(err, 2)
    return [pipe, *given]


def _close_all_but(kept: set[int]) -> None:
    """Nothing but the standard streams and these is open in a subject."""
    start = 3
    for fd in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(start, fd)
        start = fd + 1


def _line(message: Config) -> bytes:
    return json.dumps(message).encode() + b"\n"
