"""A subject that has answered already: a case can look at the answers without a process."""

from collections.abc import Sequence

from grader.protocol import Message, encode_line
from grader.subject.faults import load_error
from grader.subject.script import Script
from grader.subject.subject import Subject
from grader.trace import Step, Trace


class Strayed(Exception):
    """A case asks something else than its script says, or more than was answered."""


class Replayed(Subject):
    """What a submission answered to a script, as a subject to be asked the same again.

    It has no process: what is asked is looked up.

    Args:
        subject: who answered.
        script: what was asked.
        replies: what was answered.

    Raises:
        SubmissionError: it could not be loaded again, whatever it answered then.

    Attributes:
        strayed: whether it was asked something else. What was made of it is worth nothing then.
    """

    def __init__(self, subject: Subject, script: Script, replies: Sequence[Message]) -> None:
        self.interface, self.limits = subject.interface, subject.limits
        self.device = subject.device
        self._answered = iter(script.followed(replies))
        self.trace = Trace()
        loaded = next(self._answered)
        self.strayed = False
        self._record(loaded.request, loaded.reply, "reload")
        if "error" in loaded.reply:
            raise load_error(loaded.reply["error"], "reload")

    def _ask(self, op: str, seconds: float, *, doing: str, **fields: object) -> Step:  # noqa: ARG002
        step = next(self._answered, None)
        # Compared as they are spelled, where True is no 1.
        asked = encode_line({"op": op, **fields})
        if self.strayed or step is None or encode_line(step.request) != asked:
            self.strayed = True
            raise Strayed(doing)
        return self._record(step.request, step.reply, doing)
