"""How much of the machine a subject may take, by way of the kernel's resource limits."""

import os
import resource
from pathlib import Path

from grader.subject.sandbox.plan import Plan

#: Since when the kernel counts a user's threads apart in each user namespace.
_COUNTED_APART = (5, 14)

#: What is never needed: core files, message queues, locked memory, rights to be urgent.
_NOTHING = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_MSGQUEUE,
    resource.RLIMIT_MEMLOCK,
    resource.RLIMIT_RTPRIO,
    resource.RLIMIT_NICE,
) if hasattr(resource, "RLIMIT_MSGQUEUE") else ()  # fmt: skip


class Limits:
    """The limits of a plan, for subjects forked from here on.

    Args:
        plan: how much there is.
        proc: where the kernel tells of processes.
    """

    def __init__(self, plan: Plan, proc: str) -> None:
        self._plan = plan
        pages = int(Path(proc, "self", "statm").read_text("utf-8").split()[0])
        more = plan.memory_mb
        self._memory = None if more is None else pages * resource.getpagesize() + more * 1_000_000
        self._tasks = int(Path(proc, "loadavg").read_text("utf-8").split()[3].partition("/")[2])

    def apply(self, *, own_count: bool, lasting: bool) -> None:
        """Set every limit.

        Args:
            own_count: whether this process has a user namespace to itself.
            lasting: whether it is to live as long as the server, and takes what time it takes.
        """
        plan = self._plan
        threads = plan.threads
        if not own_count or _kernel() < _COUNTED_APART:
            threads += self._tasks  # the user's other threads are counted in
        limits = {
            resource.RLIMIT_NPROC: threads,
            resource.RLIMIT_NOFILE: plan.open_files,
            resource.RLIMIT_FSIZE: plan.scratch_mb * 1_000_000,
        } | dict.fromkeys(_NOTHING, 0)
        if self._memory is not None:
            limits[resource.RLIMIT_AS] = self._memory
        if not lasting:
            limits[resource.RLIMIT_CPU] = plan.cpu_s
        for limit, wanted in limits.items():
            _, most = resource.getrlimit(limit)
            value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            # Out of processor time, SIGXCPU comes first, which says so, and SIGKILL a second later.
            later = value + 1 if limit == resource.RLIMIT_CPU else value
            resource.setrlimit(limit, (value, later))


def _kernel() -> tuple[int, ...]:
    """The version of the kernel: ``(6, 18)``."""
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
