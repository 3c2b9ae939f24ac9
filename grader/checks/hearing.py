"""One submission before the checks: where they get its subjects from, and what they found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from grader.checks.ruling import Ruling, Shown
from grader.errors import GraderError, SubmissionError
from grader.message import Message
from grader.subject.output import Output
from grader.subject.reference import Reference
from grader.subject.subject import Subject
from grader.trace import Trace

#: Seconds of loading above which a submission is not executed anew for every case.
SLOW_LOAD_S = 0.25


class Subjects(Protocol):
    """Where a case gets its subject from."""

    def take(self, case: str) -> Subject:
        """The submission, loaded, for a case by its node id.

        Raises:
            SubmissionError: it cannot be loaded.
        """

    def printed(self) -> tuple[Output, Output]:
        """What the submission taken last has printed: stdout and stderr."""


@dataclass
class Seen:
    """What a case saw of the submission, and said of it, besides how it went."""

    trace: Trace = field(default_factory=Trace)
    advice: dict[str, Message] = field(default_factory=dict)
    printed: bool = False
    shown: Shown | None = None


@dataclass
class Hearing:
    """One submission before the checks.

    Attributes:
        subjects: where subjects with the submission in them come from.
        oracle: a subject of the reference solution, for expected values.
        seed: what all random data is drawn from.
        rulings: how each case went, by node id.
        error: what ended it early, if anything did: no case has a ruling then.
        output: what the submission had printed by then.
        fault: what ended it early through no fault of the submission, if anything did.
        seen: what the cases saw, by node id.
        subject: the one that the case under way has taken.
    """

    subjects: Subjects
    oracle: Reference
    seed: int
    rulings: dict[str, Ruling] = field(default_factory=dict)
    error: SubmissionError | None = None
    output: dict[str, Any] | None = None
    fault: GraderError | None = None
    seen: dict[str, Seen] = field(default_factory=dict)
    subject: Subject | None = None

    @property
    def over(self) -> bool:
        """Whether there is no use in going on."""
        return self.error is not None or self.fault is not None

    def rule(self, report: Mapping[str, Any]) -> None:
        """Take down how a case went, as pytest-json-report says it."""
        seen = self.seen.pop(report["nodeid"], None) or Seen()
        ruling = Ruling(report, seen.trace, seen.advice, seen.printed, shown=seen.shown)
        self.rulings[ruling.id] = ruling
