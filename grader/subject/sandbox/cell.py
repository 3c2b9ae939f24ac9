"""One subject's process, with all that it started."""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass

#: Seconds that a subject which has hung up may take to end by itself, and between looks.
_GRACE_S = 0.5
_LOOK_S = 0.002


@dataclass(frozen=True)
class Cell:
    """A subject.

    Attributes:
        pid: its process, a child of this one that nobody else waits for.
        keeper: the first process of its process table, a child likewise, whose end is the end
            of all others in it; None where there is no such table.
    """

    pid: int
    keeper: int | None = None

    def dump_stack(self) -> None:
        """Have it write where it is to its stderr."""
        os.kill(self.pid, signal.SIGUSR1)

    def end(self, *, wait: bool) -> int | None:
        """End it, with all that it started.

        Args:
            wait: give it a moment to end by itself first, so that its status tells how it did.

        Returns:
            The exit code, negative for a signal; None where it had to be killed.
        """
        status = self._await_end() if wait else None
        if self.keeper is not None:
            os.kill(self.keeper, signal.SIGKILL)
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)
        if status is None:
            os.waitpid(self.pid, 0)
        if self.keeper is not None:
            os.waitpid(self.keeper, 0)  # comes back when all others are gone
        return status

    def _await_end(self) -> int | None:
        deadline = time.monotonic() + _GRACE_S
        while time.monotonic() < deadline:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(_LOOK_S)
        return None
