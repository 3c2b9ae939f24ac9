"""A world of its own: no network, a file system with little in it, no other processes.

The server enters one, once: ``enter``. It starts every subject in a further one, a ``Cell``,
which has a process table of its own. A cell's first process does nothing but be there: when it
is killed, the kernel kills all others in the cell, however they were started and have tried to
get away, and what the cell had mounted is gone.
"""

import contextlib
import errno
import os
import signal
import socket
import stat
from collections.abc import Iterable
from pathlib import Path

from grader.subject.sandbox import kernel
from grader.subject.sandbox.cell import Cell
from grader.subject.sandbox.plan import Plan

#: Where the server finds what the kernel tells of processes. Subjects do not.
PROC = "/.proc"

#: Whom root becomes: a user who owns nothing.
_NOBODY = 65534

#: Where the new root is put together. Every system has it.
_SITE = "/tmp"  # noqa: S108 - what lies there is covered, not used

#: Asks, from inside a new user namespace, to be told who is who.
_WHO = b"?"

#: A program that waits for ever.
_SLEEP = ("/bin/sleep", "/usr/bin/sleep", "/run/current-system/sw/bin/sleep")


class Namespaces:
    """The server's own namespaces, and the making of cells in them.

    Made in the process that is to be the server, after ``enter``.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._uid, self._gid = os.getuid(), os.getgid()
        self._pids = os.open(f"{PROC}/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._sleep = next(path for path in _SLEEP if Path(path).exists())

    def fork(self) -> Cell | None:
        """Fork into a new cell.

        Returns:
            The cell; None in the child, which has still to ``furnish`` it.
        """
        kernel.unshare(kernel.NEWPID)  # for children, from here on
        try:
            keeper = os.posix_spawn(self._sleep, ["sleep", "infinity"], {})
            pid = os.fork()
        except OSError:
            kernel.set_namespace(self._pids, kernel.NEWPID)
            raise
        if pid == 0:
            return None
        kernel.set_namespace(self._pids, kernel.NEWPID)
        return Cell(pid, keeper)

    def furnish(self) -> None:
        """In the child: a scratch folder of its own, nothing of the server's, no privileges."""
        os.close(self._pids)
        kernel.unshare(kernel.NEWNS | kernel.NEWIPC | kernel.NEWNET)
        kernel.mount_tmpfs(
            self._plan.scratch, megabytes=self._plan.scratch_mb, files=1000, mode=0o700
        )
        if self._plan.starts == "programs":
            # Compilers look themselves up there. A container may not let it be mounted; most
            # do without.
            with contextlib.suppress(OSError):
                kernel.mount_proc("/proc")
        own = os.open(f"{PROC}/self", os.O_RDONLY | os.O_DIRECTORY)
        kernel.unmount(PROC)
        # A user namespace of its own, so that its threads are counted apart from the others'.
        kernel.unshare(kernel.NEWUSER)
        _map_user(own, self._uid, self._gid)
        os.close(own)
        os.chdir(self._plan.scratch)


def enter(plan: Plan) -> str | None:
    """Leave the world as it is for one where a server has what it needs, and no more.

    Returns in another process, the first in its process table. This one waits for that one's
    end, and does not return.

    Returns:
        None; or why it could not be done, in this process, for which nothing has changed.
    """
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid != 0:
        theirs.close()
        trouble = _let_in(pid, ours)
        _, status = os.waitpid(pid, 0)
        if trouble is None:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        return trouble
    ours.close()
    kernel.die_with_parent(signal.SIGKILL)
    try:
        _leave(plan, theirs)
    except OSError as error:
        theirs.sendall(str(error.strerror).encode())
        os._exit(1)
    theirs.close()
    pid = os.fork()  # the first of the new process table; this one is not in it
    if pid != 0:
        _, status = os.waitpid(pid, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.die_with_parent(signal.SIGKILL)
    return None


def _let_in(pid: int, pipe: socket.socket) -> str | None:
    """From outside: say who the users inside are, once asked; then hear how it went.

    Returns:
        None; or why it did not work.
    """
    said = pipe.recv(1000)
    if said == _WHO:
        try:
            folder = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY)
            try:
                if os.getuid() == 0:
                    _write_maps(folder, _everybody("uid_map"), _everybody("gid_map"))
                else:
                    _map_user(folder, os.getuid(), os.getgid())
            finally:
                os.close(folder)
        except OSError as error:
            os.kill(pid, signal.SIGKILL)
            return f"uid_map: {error.strerror}"
        pipe.sendall(_WHO)
        return pipe.recv(1000).decode() or None
    return said.decode() or "unshare"


def _leave(plan: Plan, pipe: socket.socket) -> None:
    kernel.unshare(
        kernel.NEWUSER | kernel.NEWNS | kernel.NEWPID | kernel.NEWNET
        | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWCGROUP
    )  # fmt: skip
    pipe.sendall(_WHO)
    pipe.recv(1)
    if not any(Path(path).exists() for path in _SLEEP):
        raise OSError(errno.ENOENT, "no program sleep")
    kernel.keep_mounts_private()
    steps = _Steps([*plan.readable, *plan.devices, *_SLEEP])
    humble = os.getuid() == 0 and steps.open_to_all and _is_known(_NOBODY)
    _build_tree(steps, plan)
    kernel.pivot_root(_SITE)
    if humble:
        kernel.become(_NOBODY)


def _build_tree(steps: "_Steps", plan: Plan) -> None:
    """Put the new root together."""
    # What lies in the folder that the tree is built over can be reached by descriptor alone.
    sources = {path: os.open(path, os.O_PATH) for path in steps.real}
    proc = os.open("/proc", os.O_PATH)
    kernel.mount_tmpfs(_SITE, megabytes=1, files=10_000)
    for path, source in sources.items():
        place = Path(_SITE + path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(os.fstat(source).st_mode):
            place.mkdir()
        else:
            place.touch()
        kernel.bind(source, str(place))
        os.close(source)
    for path, target in steps.links.items():
        place = Path(_SITE + path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
    Path(_SITE + plan.scratch).mkdir(parents=True, exist_ok=True)
    Path(_SITE + PROC).mkdir()
    kernel.make_read_only(_SITE)
    kernel.bind(proc, _SITE + PROC)
    os.close(proc)


def _ranges(name: str) -> list[tuple[int, int]]:
    """The users or groups that there are in this user namespace: the first and how many."""
    lines = Path("/proc/self", name).read_text("utf-8").splitlines()
    return [(int(first), int(number)) for first, _, number in map(str.split, lines)]


def _everybody(name: str) -> str:
    """A map in which everybody stays who they are."""
    return "\n".join(f"{first} {first} {number}" for first, number in _ranges(name))


def _is_known(id: int) -> bool:
    """Whether there are a user and a group of a number."""
    return all(
        any(first <= id < first + number for first, number in _ranges(name))
        for name in ("uid_map", "gid_map")
    )


def _map_user(proc: int, uid: int, gid: int) -> None:
    """Have a process be in its new user namespace whom it was outside."""
    _write(proc, "setgroups", "deny")
    _write_maps(proc, f"{uid} {uid} 1", f"{gid} {gid} 1")


def _write_maps(proc: int, uids: str, gids: str) -> None:
    _write(proc, "uid_map", uids)
    _write(proc, "gid_map", gids)


def _write(folder: int, name: str, text: str) -> None:
    fd = os.open(name, os.O_WRONLY, dir_fd=folder)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


class _Steps:
    """The way to some paths: what is there in the end, and the symbolic links in between.

    Attributes:
        real: files and folders, none of them below another.
        links: symbolic link -> where it leads; none of them below a folder of ``real``.
        open_to_all: whether a user who owns nothing may read all of it.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        wanted, ends = [path for path in paths if Path(path).exists()], set()
        links: dict[str, str] = {}
        while wanted:
            path = Path(wanted.pop())
            link = next((p for p in [*reversed(path.parents), path] if p.is_symlink()), None)
            if link is None:
                ends.add(path)
                continue
            links[str(link)] = str(link.readlink())
            target = link.parent / link.readlink() / path.relative_to(link)
            wanted.append(os.path.normpath(target))
        self.real = [str(path) for path in sorted(ends) if ends.isdisjoint(path.parents)]
        self.open_to_all = all(path.stat().st_mode & stat.S_IROTH for path in ends)
        self.links = {
            link: target for link, target in links.items() if ends.isdisjoint(Path(link).parents)
        }
