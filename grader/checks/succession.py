"""Subjects of one submission, one after the other, each for one case."""

import time
from collections.abc import Callable

from grader.checks.hearing import SLOW_LOAD_S
from grader.subject.channel import Channel
from grader.subject.output import Output
from grader.subject.python.launcher import Launcher
from grader.subject.subject import Subject


class Succession:
    """Subjects of one submission, one after the other, each for one case.

    They live in one process, and every case has the submission executed anew, so that what
    its classes keep to themselves in one case cannot fail another. A file that is slow to
    import, for a demo perhaps, is executed once.

    Not so on a GPU, once something was raised: a capture that failed may leave a process behind in
    which no other works, and the next case gets one of its own.

    Args:
        launcher: starts processes.
        begin: a subject in one, with the submission executed anew or as it is.
    """

    def __init__(self, launcher: Launcher, begin: Callable[[Channel, bool], Subject]) -> None:
        self._launcher, self._begin = launcher, begin
        self.channel = launcher.open()
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
        if self._last is not None and _is_spoilt(self._last):
            spoilt, self.channel = self.channel, self._launcher.open()
            self._launcher.release(spoilt)
            self._load_s = None
        self.channel.forget_output()
        started = time.perf_counter()
        fresh = self._load_s is None or self._load_s < SLOW_LOAD_S
        subject = self._last = self._begin(self.channel, fresh)
        if fresh:
            self._load_s = time.perf_counter() - started
        return subject

    def close(self) -> None:
        """End the process."""
        self._launcher.release(self.channel)


def _is_spoilt(subject: Subject) -> bool:
    """Whether a subject may have left a context behind in which CUDA does nothing more."""
    return subject.device != "cpu" and any("error" in step.reply for step in subject.trace)
