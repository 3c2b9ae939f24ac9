"""The sandbox of a server's subjects: as many of the planned walls as the machine has."""

import functools
import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.subject.sandbox import kernel, namespaces
from grader.subject.sandbox.cell import Cell
from grader.subject.sandbox.limits import Limits
from grader.subject.sandbox.namespaces import Namespaces
from grader.subject.sandbox.plan import Plan

if TYPE_CHECKING:
    from grader.subject.sandbox.files import Files
    from grader.subject.sandbox.syscalls import Syscalls


class Sandbox:
    """Walls for subjects that are forked from this process.

    Made before anything slow is imported: where namespaces are to be had, the rest of the
    server's life takes place in another process, inside of them.

    Args:
        plan: the walls wanted, and what there is to be inside.

    Attributes:
        lacking: wall -> why it cannot be built.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.lacking: dict[str, str] = {}
        self._namespaces: Namespaces | None = None
        self._files: Files | None = None
        self._syscalls: Syscalls | None = None
        self._limits: Limits | None = None
        # Their modules are imported outside: inside, the project is not there to be read, and
        # neither is a program that one library looks for another with.
        syscalls = "seccomp" in plan.walls and self._import("syscalls", "seccomp")
        files = "landlock" in plan.walls and self._import("files", "landlock")
        if "namespace" in plan.walls:
            self._enter_namespaces()
        namespaced = self._namespaces is not None
        try:
            if syscalls:
                self._syscalls = syscalls.Syscalls(namespaces=namespaced, starts=plan.starts)
        except OSError as error:
            self.lacking["seccomp"] = str(error)
        try:
            if files:
                self._make_files = functools.partial(files.Files, plan, scratch=self._scratch)
                self._files = self._make_files()
        except OSError as error:
            self.lacking["landlock"] = str(error)

    def count(self) -> None:
        """Everything is imported: what subjects may take is counted from here."""
        if "rlimit" in self._plan.walls:
            self._limits = Limits(self._plan, namespaces.PROC if self._namespaces else "/proc")

    def fork(self) -> Cell | None:
        """Fork a subject; None in the child, which has still to ``shut`` itself in."""
        if self._namespaces is not None:
            return self._namespaces.fork()
        pid = os.fork()
        return Cell(pid) if pid else None

    def shut(self, *, lasting: bool, program: int | None = None) -> list[str]:
        """In the child: build the walls, from the outermost to the innermost.

        Args:
            lasting: whether the subject lives as long as the server.
            program: the descriptor of what it is to become, if it is no fork of the server.

        Returns:
            The walls that stand.

        Raises:
            OSError: one that was to stand does not.
        """
        stand: list[str] = []
        if self._namespaces is not None:
            self._namespaces.furnish()
            stand.append("namespace")
        if self._plan.walls:
            kernel.forgo_privileges()
        if self._limits is not None:
            self._limits.apply(own_count=self._namespaces is not None, lasting=lasting)
            # The kernel counts root's threads, but never says no.
            stand += ["rlimit"] + (["rlimit_threads"] if os.getuid() != 0 else [])
            stand += ["rlimit_memory"] if self._plan.memory_mb is not None else []
        if self._files is not None:
            self._files_for(program).apply()
            stand.append("landlock")
        if self._syscalls is not None:
            self._syscalls.apply(program)
            stand.append("seccomp")
        return stand

    @property
    def _scratch(self) -> Path | None:
        """What subjects may write to."""
        scratch = Path(self._plan.scratch)
        if self._namespaces is not None:
            # The folder itself is hidden by what each subject has mounted there: rules are
            # looked up in what a mount lies in, but not at the place that it covers.
            return scratch.parent
        return scratch if self._plan.starts == "programs" else None

    def _files_for(self, program: int | None) -> "Files":
        if program is None:
            assert self._files is not None  # noqa: S101 - for the type checker
            return self._files
        # Rules of its own: the server's are everybody's.
        files: Files = self._make_files()
        files.allow_program(program)
        return files

    def _import(self, module: str, wall: str) -> Any:
        try:
            return importlib.import_module(f"grader.subject.sandbox.{module}")
        except (ImportError, OSError, RuntimeError) as error:  # as the libraries say it
            self.lacking[wall] = str(error)
            return None

    def _enter_namespaces(self) -> None:
        trouble = namespaces.enter(self._plan)
        if trouble is None:
            self._namespaces = Namespaces(self._plan)
        else:
            self.lacking["namespace"] = trouble
