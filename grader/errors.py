"""Everything that can go wrong, as one tree.

``GraderError`` ends the command: each kind has its exit code, and a message that says what
was wrong, where, and what to do. ``SubmissionError`` ends one submission, with a score of 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.message import Message


class GraderError(Exception):
    """The grader cannot do what was asked.

    Attributes:
        message: what was wrong and where; what to do has the id ``<its id>.next``.
        problems: where there are several, each by itself.
    """

    exit_code = 3

    def __init__(self, id: str, /, problems: Sequence[Message] = (), **params: object) -> None:
        self.message = Message(id, params)
        self.problems = problems
        super().__init__(f"{id} {params}")


class UsageError(GraderError):
    """What was asked for makes no sense: no such exercise, no such device."""

    exit_code = 2


class EnvironmentFault(GraderError):
    """This machine lacks something, or failed."""


class ExerciseError(GraderError):
    """The exercise's own folder is at fault: its manifest, its texts, its checks."""


@dataclass(eq=False)
class SubmissionError(Exception):
    """A submission that cannot be graded, and why.

    Attributes:
        kind: ``missing``, ``encoding``, ``syntax``, ``import``, ``timeout``, ``exit``, …
        params: what the message needs.
        line: the line of the submission that is at fault, from 1, where one is.
        code: that line's text.
        text: the message's id is ``error.<text>``; the kind where a kind has but one text.
    """

    kind: str
    params: dict[str, object] = field(default_factory=dict)
    line: int | None = None
    code: str | None = None
    text: str | None = None

    @property
    def message(self) -> Message:
        """The message, to be put into words when it is shown."""
        return Message(f"error.{self.text or self.kind}", self.params)
