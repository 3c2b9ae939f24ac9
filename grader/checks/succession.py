"""Subjects of one submission, one after the other, each for one case."""

import time
from collections.abc import Callable

from grader.checks.hearing import SLOW_LOAD_S
from grader.subject.channel import Channel
from grader.subject.launcher import Launcher
from grader.subject.output import Output
from grader.subject.source import Built
from grader.subject.subject import Subject

#: Seconds that a process may take to start.
_START_S = 20.0


class Succession:
    """Subjects of one submission, one after the other, each for one case.

    They live in one process, and every case has the submission executed anew, so that what
    its classes keep to themselves in one case cannot fail another. A file that is slow to
    import, for a demo perhaps, is executed once.

    Not so on a GPU, once something was raised: a capture that failed may leave a process behind in
    which no other works, and the next case gets one of its own. Nor where a process cannot load a
    submission twice: there, each case has its own, and that of the next one starts meanwhile.

    Args:
        launcher: starts processes.
        built: the submission.
        begin: a subject in one, with the submission executed anew or as it is.
    """

    def __init__(
        self, launcher: Launcher, built: Built, begin: Callable[[Channel, bool], Subject]
    ) -> None:
        self._launcher, self._built, self._begin = launcher, built, begin
        self.channel = launcher.open(built)
        self._next: Channel | None = None
        self._load_s: float | None = None
        self._last: Subject | None = None

    def printed(self) -> tuple[Output, Output]:
        """What the case under way has printed: stdout and stderr."""
        return self.channel.stdout, self.channel.stderr

    def take(self, case: str) -> Subject:  # noqa: ARG002 - every case gets one like the others
        """The submission, loaded.

        Raises:
            SubmissionError: it cannot be loaded.
        """
        if self._last is not None and (not self._launcher.anew or _is_spoilt(self._last)):
            self._change()
        # Until its walls stand, it is not the submission that takes the time.
        self.channel.await_walls(_START_S)
        self.channel.forget_output()
        started = time.perf_counter()
        fresh = self._load_s is None or self._load_s < SLOW_LOAD_S
        subject = self._last = self._begin(self.channel, fresh)
        if fresh:
            self._load_s = time.perf_counter() - started
        return subject

    def close(self) -> None:
        """End the processes."""
        self._launcher.release(self.channel)
        if self._next is not None:
            self._launcher.release(self._next)

    def _change(self) -> None:
        """Go on in another process."""
        left, self.channel = self.channel, self._next or self._launcher.open(self._built)
        self._next = None
        self._launcher.release(left)
        if not self._launcher.anew:
            self._next = self._launcher.open(self._built)
        self._load_s = None


def _is_spoilt(subject: Subject) -> bool:
    """Whether a subject may have left a context behind in which CUDA does nothing more."""
    return subject.device != "cpu" and any("error" in step.reply for step in subject.trace)
