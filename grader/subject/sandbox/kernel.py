"""System calls that Python 3.11 has no function for, by way of libc."""

import ctypes
import os
import struct
import sys
from typing import Any

#: Kinds of namespace, for unshare and setns.
NEWNS = 0x0002_0000
NEWCGROUP = 0x0200_0000
NEWUTS = 0x0400_0000
NEWIPC = 0x0800_0000
NEWUSER = 0x1000_0000
NEWPID = 0x2000_0000
NEWNET = 0x4000_0000

# For mount and umount2.
_MS_NOSUID = 2
_MS_NODEV = 4
_MS_NOEXEC = 8
_MS_BIND = 4096
_MS_REC = 16384
_MS_PRIVATE = 1 << 18
_MNT_DETACH = 2

# mount_setattr(2) and pivot_root(2) have no function in every libc.
_SYS_MOUNT_SETATTR = 442
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 1
_MOUNT_ATTR_NOSUID = 2

# For prctl and capset.
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_KEEPCAPS = 8
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x2008_0522
_MAX_CAPABILITIES = 64

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave namespaces for new ones.

    Raises:
        OSError: the kernel does not allow it.
    """
    _checked(_libc.unshare(flags), "unshare")


def set_namespace(fd: int, kind: int) -> None:
    """Enter a namespace that a descriptor stands for."""
    _checked(_libc.setns(fd, kind), "setns")


def keep_mounts_private() -> None:
    """Let no mount made from here on reach another namespace, nor the other way round."""
    _checked(_libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "mount --make-rprivate /")


def mount_tmpfs(target: str, *, megabytes: float, files: int, mode: int = 0o755) -> None:
    """Mount a file system in memory that holds so much, in so many files."""
    options = f"size={int(megabytes * 1e6)},nr_inodes={files},mode={mode:o}"
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    done = _libc.mount(b"tmpfs", os.fsencode(target), b"tmpfs", flags, options.encode())
    _checked(done, f"mount tmpfs {target}")


def mount_proc(target: str) -> None:
    """Mount what tells of the processes of this process table, and of no others."""
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _checked(_libc.mount(b"proc", os.fsencode(target), b"proc", flags, None), f"mount {target}")


def bind(source: int, target: str) -> None:
    """Mount what an ``O_PATH`` descriptor stands for, with all that is mounted below, once more."""
    path = f"/proc/self/fd/{source}".encode()
    done = _libc.mount(path, os.fsencode(target), None, _MS_BIND | _MS_REC, None)
    _checked(done, f"mount --rbind {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all below it read-only (Linux 5.12)."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID, 0, 0, 0)
    done = _libc.syscall(
        _SYS_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), _AT_RECURSIVE,
        attributes, ctypes.c_size_t(len(attributes)),
    )  # fmt: skip
    _checked(done, f"mount_setattr {target}")


def pivot_root(new: str) -> None:
    """Make a mount the root of this namespace, and let go of the old one."""
    number = _SYS_PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(0, f"pivot_root: not known on {os.uname().machine}")
    os.chdir(new)
    _checked(_libc.syscall(number, b".", b"."), "pivot_root")
    unmount(".")
    os.chdir("/")


def unmount(target: str) -> None:
    """Take a mount away; what is still open of it lives on unseen."""
    _checked(_libc.umount2(os.fsencode(target), _MNT_DETACH), f"umount {target}")


def die_with_parent(signal: int) -> None:
    """Get a signal when the thread that forked this process ends."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl PDEATHSIG")


def become(user: int) -> None:
    """Be another user and nobody's group mate, with the capabilities that one has."""
    _checked(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl KEEPCAPS")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    held = ctypes.create_string_buffer(24)
    _checked(_libc.capget(header, held), "capget")
    low, high = struct.unpack("3I3I", held.raw)[1::3]
    _checked(_libc.capset(header, struct.pack("3I3I", low, low, 0, high, high, 0)), "capset")
    # A change of user leaves one's files in /proc to root.
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl DUMPABLE")


def forgo_privileges() -> None:
    """Give every capability up, and let no program started ever have one."""
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl NO_NEW_PRIVS")
    for capability in range(_MAX_CAPABILITIES):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # not held at all by an ordinary user, or no such capability
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")
