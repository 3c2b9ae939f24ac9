"""Which system calls a subject may not make, by way of seccomp.

Everything that is not named here is allowed: what Python and torch call differs with their
versions. What is named is what a submission has no business with, and where a wall elsewhere
has, or has had, a gap.
"""

import errno
import os
import socket

import pyseccomp
from pyseccomp import MASKED_EQ, NE, Arg

from grader.subject.sandbox.plan import Starts

_CLONE_THREAD = 0x0001_0000
_SOCKET_TYPE = 0xF
_INT = 0xFFFF_FFFF  # the kernel looks at no more of such an argument, and nor must a filter
_NO_SUCH_CALL = -1

#: Calls that start other programs.
_STARTING = ("fork", "vfork", "execve")

#: By number where a library of 2022 does not know the name; from 424 on a call has the same
#: number on every machine.
_DENIED: dict[str, tuple[str | int, ...]] = {
    "network": ("socket", "bind", "connect", "listen", "accept", "accept4"),
    "other processes": (
        "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "tkill", "ioprio_set",
        "setpriority", "migrate_pages", "move_pages",
        424, 434, 438, 440, 448,  # pidfd_send_signal, _open, _getfd, process_madvise, _mrelease
    ),
    "memory without a limit": (
        "memfd_create", "shmget", "shmat", "msgget", "semget", "mq_open", 447,  # memfd_secret
    ),
    "other namespaces and mounts": (
        "unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot",
        "open_by_handle_at", "name_to_handle_at", "swapon", "swapoff", "quotactl", "acct",
        428, 429, 430, 431, 432, 433, 442, 443, 467,  # open_tree, move_mount, fs…, mount_setattr
    ),
    "the kernel itself": (
        "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "reboot",
        "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
        "syslog", "personality", "iopl", "ioperm", "modify_ldt", "vhangup", "fanotify_init",
        "lookup_dcookie", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime",
        "sethostname", "setdomainname",
    ),
}  # fmt: skip

#: Answered as a kernel does that has no such call, so that libraries do it in another way.
_UNKNOWN: tuple[str | int, ...] = (
    435,  # clone3: its flags lie in memory, where a filter cannot look
    425, 426, 427,  # io_uring: does what it is asked for past every filter
)  # fmt: skip

#: What Landlock leaves open, where it is the only wall around files.
_DENIED_WITHOUT_NAMESPACES = (
    "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes",
    "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
    "fremovexattr", "truncate", 452, 463, 466,  # fchmodat2, setxattrat, removexattrat
)  # fmt: skip

#: Calls whose first argument is a process, to be none but this one.
_OWN_PROCESS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")

#: Calls whose first argument is a process, with 0 for this one.
_THIS_PROCESS = (
    "prlimit64", "sched_setaffinity", "sched_setparam", "sched_setscheduler", "sched_setattr",
)  # fmt: skip

# fcntl(2) and ioctl(2) that have the kernel send signals in one's name, or type into a terminal.
_FCNTL = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_IOCTL = (0x8901, 0x8902, 0x5412, 0x541C)  # FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX


class Syscalls:
    """The filter, for subjects forked from here on.

    Args:
        namespaces: whether subjects are in namespaces of their own.
        starts: which programs they may start.

    Raises:
        OSError: the kernel has no seccomp.
    """

    def __init__(self, *, namespaces: bool, starts: Starts = "nothing") -> None:
        self._namespaces, self._starts = namespaces, starts
        self._filter = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
        for calls in _DENIED.values():
            for call in calls:
                self._deny(call)
        for call in _UNKNOWN:
            self._deny(call, reason=errno.ENOSYS)
        if starts != "programs":
            self._deny_starting()
        # A datagram socket of a pair can be told to send elsewhere.
        self._deny("socketpair", Arg(0, NE, socket.AF_UNIX))
        self._deny("socketpair", Arg(1, MASKED_EQ, _SOCKET_TYPE, socket.SOCK_DGRAM))
        for command in _FCNTL:
            self._deny("fcntl", Arg(1, MASKED_EQ, _INT, command))
        for command in _IOCTL:
            self._deny("ioctl", Arg(1, MASKED_EQ, _INT, command))
        if not namespaces:
            for call in _DENIED_WITHOUT_NAMESPACES:
                self._deny(call)
            for call in _THIS_PROCESS:
                self._deny(call, Arg(0, NE, 0))

    def _deny_starting(self) -> None:
        for call in _STARTING:
            self._deny(call)
        self._deny("clone", Arg(0, MASKED_EQ, _CLONE_THREAD, 0))

    def apply(self, program: int | None) -> None:
        """Have the kernel refuse these calls to this process from here on.

        Args:
            program: the descriptor of what it is still to become, if it is.
        """
        if self._starts == "itself" and program is not None:
            self._deny("execveat", Arg(0, NE, program))
        elif self._starts != "programs":
            self._deny("execveat")
        if not self._namespaces:
            for call in _OWN_PROCESS:
                self._deny(call, Arg(0, NE, os.getpid()))
        self._filter.load()

    def _deny(self, call: str | int, *args: Arg, reason: int = errno.EPERM) -> None:
        if isinstance(call, str) and not _known(call):
            return
        self._filter.add_rule(pyseccomp.ERRNO(reason), call, *args)


def _known(call: str) -> bool:
    """Whether the library knows a call; one that it does not know is not of this machine."""
    number: int = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call)
    return number != _NO_SUCH_CALL
