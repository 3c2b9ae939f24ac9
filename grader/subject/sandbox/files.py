"""Which files may be opened, and how, by way of Landlock (Linux 5.13).

Landlock says nothing of ``stat``, ``chmod`` and their kind: alone it is half a wall, and wants
``syscalls`` beside it.
"""

import ctypes
from pathlib import Path

import landlock
from landlock import FSAccess
from landlock.plumbing import PathBeneathAttr, get_add_rule

from grader.subject.sandbox.plan import Plan

_READ = FSAccess.READ_FILE | FSAccess.READ_DIR
_RUN = FSAccess.READ_FILE | FSAccess.EXECUTE
_DEVICE = FSAccess.READ_FILE | FSAccess.WRITE_FILE | FSAccess.IOCTL_DEV

#: What the kernel starts a program with shared libraries by: its dynamic loader.
_LOADERS = ("/lib*/ld-linux*", "/lib*/ld-musl*", "/lib/*/ld-linux*")

#: A kind of rule: of what lies below a path.
_PATH_BENEATH = 1

_SPECIAL = FSAccess.MAKE_CHAR | FSAccess.MAKE_BLOCK | FSAccess.MAKE_SOCK | FSAccess.EXECUTE


class Files:
    """The files of a plan, for subjects that apply them.

    Args:
        plan: what may be read.
        scratch: the folder below which everything may be written to; None where there is none.

    Raises:
        OSError: the kernel has no Landlock.
    """

    def __init__(self, plan: Plan, *, scratch: Path | None) -> None:
        ctypes.set_errno(0)  # the library takes what an earlier call has left there for its own
        self._rules = landlock.Ruleset()
        more = FSAccess.EXECUTE if plan.starts == "programs" else FSAccess(0)
        for path in filter(Path.exists, map(Path, plan.readable)):
            self._allow(path, (_READ if path.is_dir() else FSAccess.READ_FILE) | more)
        if plan.starts == "itself":
            for path in (found for pattern in _LOADERS for found in Path("/").glob(pattern[1:])):
                self._allow(path, _RUN)
        for path in filter(Path.exists, map(Path, plan.devices)):
            self._allow(path, _DEVICE)
        if scratch is not None:
            self._allow(scratch, FSAccess.all() & ~_SPECIAL)

    def allow_program(self, fd: int) -> None:
        """Let subjects become a program that is open, and may lie anywhere."""
        attribute = PathBeneathAttr(_RUN, fd)
        get_add_rule()(self._rules._fd, _PATH_BENEATH, ctypes.byref(attribute), 0)  # noqa: SLF001

    def apply(self) -> None:
        """Let this process open nothing else any more."""
        ctypes.set_errno(0)
        self._rules.apply()

    def _allow(self, path: Path, rules: FSAccess) -> None:
        self._rules.allow(path, rules=rules)
