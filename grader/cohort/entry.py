"""One line of a class's results: a student, and how they fared."""

from typing import Literal

from grader.cohort.student import Student
from grader.model import Model
from grader.score import Score

Standing = Literal["passed", "failed", "error", "ungraded", "missing"]


class Entry(Model):
    """How a student fared.

    Attributes:
        student: who.
        score: the score that counts. Who handed nothing in has one as well: 0, with an error
            of the kind ``missing``.
        handed_in: how many attempts there were; 0 for who handed nothing in.
        kept: why the score is that of an earlier run, where grading again failed: the id of
            what went wrong then.
    """

    student: Student
    score: Score
    handed_in: int = 1
    kept: str | None = None

    @property
    def standing(self) -> Standing:
        """The score's status, or ``missing``."""
        return self.score.status.value if self.handed_in else "missing"
