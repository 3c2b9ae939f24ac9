"""A subject that has answered already: a case can look at the answers without a process."""

from grader.subject.script import Answers, Script
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
        answers: what was answered, in full.

    Attributes:
        strayed: whether it was asked something else. What was made of it is worth nothing then.
    """

    def __init__(self, subject: Subject, script: Script, answers: Answers) -> None:
        self.interface, self.limits = subject.interface, subject.limits
        self._answered = iter(script.followed(answers.replies or ()))
        self.strayed = False
        self.trace = Trace([next(self._answered)])

    def _ask(self, op: str, seconds: float, *, doing: str, **fields: object) -> Step:  # noqa: ARG002
        step = next(self._answered, None)
        if self.strayed or step is None or step.request != {"op": op, **fields}:
            self.strayed = True
            raise Strayed(doing)
        self.trace.steps.append(step)
        return step
