"""Which files may be opened, and how, by way of Landlock (Linux 5.13).

Landlock says nothing of ``stat``, ``chmod`` and their kind: alone it is half a wall, and wants
``syscalls`` beside it.
"""

import ctypes
from pathlib import Path

import landlock
from landlock import FSAccess

from grader.subject.sandbox.plan import Plan

_READ = FSAccess.READ_FILE | FSAccess.READ_DIR
_DEVICE = FSAccess.READ_FILE | FSAccess.WRITE_FILE | FSAccess.IOCTL_DEV
_SPECIAL = FSAccess.MAKE_CHAR | FSAccess.MAKE_BLOCK | FSAccess.MAKE_SOCK | FSAccess.EXECUTE


class Files:
    """The files of a plan, for subjects forked from here on.

    Args:
        plan: what may be read.
        scratch: whether there is a scratch folder, and it may be written to.

    Raises:
        OSError: the kernel has no Landlock.
    """

    def __init__(self, plan: Plan, *, scratch: bool) -> None:
        ctypes.set_errno(0)  # the library takes what an earlier call has left there for its own
        self._rules = landlock.Ruleset()
        for path in filter(Path.exists, map(Path, plan.readable)):
            self._rules.allow(path, rules=_READ if path.is_dir() else FSAccess.READ_FILE)
        for path in filter(Path.exists, map(Path, plan.devices)):
            self._rules.allow(path, rules=_DEVICE)
        if scratch:
            # The folder itself is hidden by what each subject has mounted there: rules are
            # looked up in what a mount lies in, but not at the place that it covers.
            self._rules.allow(Path(plan.scratch).parent, rules=FSAccess.all() & ~_SPECIAL)

    def apply(self) -> None:
        """Let this process open nothing else any more."""
        ctypes.set_errno(0)
        self._rules.apply()
