"""What intake makes of a download: attempts, and notes on all that it met."""

from dataclasses import dataclass
from typing import Literal

from grader.cohort.student import Student
from grader.message import Message
from grader.submission import Submission

#: What can become of a thing in a download.
Kind = Literal["taken", "passed_over", "refused"]


@dataclass(frozen=True)
class Attempt:
    """One submission that was handed in.

    Attributes:
        students: whose it is; several for a group.
        submission: what was handed in. Its path is the place in the download, for people:
            ``ada/p17_graph_runner.py``. Where there is no file to grade, its ``problem`` says so.
        order: of two attempts of one student, the later has the larger.
    """

    students: tuple[Student, ...]
    submission: Submission
    order: tuple[float, ...] = ()


@dataclass(frozen=True)
class Note:
    """What became of one thing in a download.

    Attributes:
        path: its place: ``class.zip/__MACOSX/._p17.py``.
        kind: ``taken``; ``passed_over``: no work of a student's; ``refused``: not to be trusted.
        message: why.
    """

    path: str
    kind: Kind
    message: Message
