"""What the results of a class amount to: figures that grow entry by entry."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from grader.cohort.entry import Entry, Standing
from grader.cohort.student import Student
from grader.manifest import Manifest
from grader.message import Message
from grader.score import Outcome, Score, Text

#: Of a message's parameters, which a submission may have had a hand in, what is kept for each
#: group: characters of a text, items of a list.
_LONGEST_TEXT = 300
_LONGEST_LIST = 10


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one entry.

    Attributes:
        student: who.
        standing: how they fared.
        score: their points; none where nothing could be graded.
        outcomes: how each check ended, in the exercise's order; empty where none was judged.
        error: the kind of error that kept the submission from being graded.
        attempts: how many there were; 0 for who handed nothing in.
        kept: whether the score is that of an earlier run, where grading again failed.
        duration_s: seconds that grading took; 0 for who handed nothing in.
    """

    student: Student
    standing: Standing
    score: float | None
    outcomes: tuple[Outcome, ...]
    error: str | None
    attempts: int
    kept: bool
    duration_s: float

    @property
    def order(self) -> tuple[str, str]:
        """What rows are sorted by: the name that they are looked for under."""
        return self.student.shown.casefold(), self.student.id


class CheckCount(NamedTuple):
    """How the submissions that could be judged fared in one check."""

    id: str
    ended: Mapping[Outcome, int]

    @property
    def lost(self) -> int:
        """How many did not get its points."""
        return sum(count for outcome, count in self.ended.items() if outcome is not Outcome.PASSED)


@dataclass(frozen=True, slots=True)
class CaseCount:
    """How many submissions failed in one case."""

    check: str
    id: str
    count: int


class Told(NamedTuple):
    """What a submission is told: of a check, or of what kept it from being graded."""

    check: str | None
    message: Message


@dataclass
class Group:
    """Submissions that fail in the same way: with the same messages in the same cases, or with the
    same error.

    Attributes:
        rows: whose they are.
        told: what the first of them, by the order of rows, is told.
    """

    rows: list[Row] = field(default_factory=list)
    told: Sequence[Told] = ()

    def add(self, row: Row, score: Score) -> None:
        """Count one more."""
        if not self.rows or row.order < self.rows[0].order:
            self.told = _told(score)
            self.rows.insert(0, row)
        else:
            self.rows.append(row)


class Overview:
    """The figures of a class. What grows with the class is one small row a student.

    The same entries give the same figures, in whatever order they come.

    Args:
        manifest: the exercise's.

    Attributes:
        exercise: its id.
        checks: the ids of its checks.
        max_score: the sum of their points.
    """

    def __init__(self, manifest: Manifest) -> None:
        self.exercise = manifest.id
        self.checks = [check.id for check in manifest.checks]
        self.max_score = sum(check.points for check in manifest.checks)
        self._rows: list[Row] = []
        self._cases: Counter[tuple[str, str]] = Counter()
        self._groups: dict[str, Group] = defaultdict(Group)
        self._faults: dict[str, Group] = defaultdict(Group)

    def add(self, entry: Entry) -> None:
        """Count one student."""
        row = self._row(entry)
        self._rows.append(row)
        if row.standing == "failed":
            self._cases.update(
                (check.id, case.id)
                for check in entry.score.checks
                for case in check.cases
                if case.status in (Outcome.FAILED, Outcome.ERROR)
            )
        if row.standing in ("failed", "error"):
            self._groups[_way_to_fail(entry.score)].add(row, entry.score)
        if row.standing == "ungraded" and entry.score.error is not None:
            self._faults[entry.score.error.message.id].add(row, entry.score)

    def rows(self) -> list[Row]:
        """One a student, by name."""
        return sorted(self._rows, key=lambda row: row.order)

    def standings(self) -> Counter[Standing]:
        """How many students fared how."""
        return Counter(row.standing for row in self._rows)

    def scores(self) -> list[float]:
        """The points of those who handed something in that could be graded, 0 for an error."""
        return [row.score for row in self._rows if row.attempts and row.score is not None]

    def check_counts(self) -> list[CheckCount]:
        """How the checks fared with those that could be judged, the most often lost one first."""
        judged = self._judged()
        counts = [
            CheckCount(id, Counter(row.outcomes[i] for row in judged))
            for i, id in enumerate(self.checks)
        ]
        return sorted(counts, key=lambda check: -check.lost)

    def lost_together(self) -> Counter[tuple[str, str]]:
        """How many did not get the points of both checks of a pair; of a check by itself as well,
        as a pair of its own.
        """
        pairs: Counter[tuple[str, str]] = Counter()
        for row in self._judged():
            outcomes = zip(self.checks, row.outcomes, strict=True)
            lost = [id for id, outcome in outcomes if outcome is not Outcome.PASSED]
            pairs.update(product(lost, lost))
        return pairs

    def case_counts(self) -> list[CaseCount]:
        """The cases that somebody failed in, the most often failed one first."""
        counts = [CaseCount(check, id, count) for (check, id), count in self._cases.items()]
        return sorted(counts, key=lambda case: (-case.count, case.check, case.id))

    def errors(self) -> list[tuple[str, list[Row]]]:
        """The kinds of errors, faults of ours among them, and whom each befell; largest first."""
        kinds: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows():
            if row.error is not None and row.attempts:
                kinds[row.error].append(row)
        return sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0]))

    def groups(self) -> list[Group]:
        """Submissions that fail in the same way, the largest group first; most are of one."""
        return _ordered(self._groups.values())

    def faults(self) -> list[Group]:
        """Submissions that could not be graded, by what was at fault, the largest group first."""
        return _ordered(self._faults.values())

    def _judged(self) -> list[Row]:
        return [row for row in self._rows if row.outcomes]

    def _row(self, entry: Entry) -> Row:
        score = entry.score
        ended = {check.id: check.status for check in score.checks}
        judged = entry.standing in ("passed", "failed")
        return Row(
            student=entry.student,
            standing=entry.standing,
            score=score.score,
            # A score of an earlier run may lack a check that there was not yet.
            outcomes=tuple(ended.get(id, Outcome.NOT_RUN) for id in self.checks) if judged else (),
            error=score.error.kind if score.error else None,
            attempts=entry.handed_in,
            kept=entry.kept is not None,
            duration_s=score.duration_s if entry.handed_in else 0.0,
        )


def _way_to_fail(score: Score) -> str:
    """What two submissions that fail in the same way have in common, as a hash: all the cases of
    all ways would be much to keep.
    """
    if score.error is not None:
        way: list[Any] = [score.error.kind, score.error.message.id]
    else:
        way = sorted(
            [check.id, case.id, case.message.id if case.message else ""]
            for check in score.checks
            for case in check.cases
            if case.status is not Outcome.PASSED
        )
    return hashlib.sha256(json.dumps(way).encode()).hexdigest()


def _ordered(groups: Iterable[Group]) -> list[Group]:
    ordered = [Group(sorted(one.rows, key=lambda row: row.order), one.told) for one in groups]
    return sorted(ordered, key=lambda group: (-len(group.rows), group.rows[0].order))


def _told(score: Score) -> list[Told]:
    if score.error is not None:
        return [Told(None, _brief(score.error.message))]
    return [Told(check.id, _brief(check.message)) for check in score.checks if check.message]


def _brief(text: Text) -> Message:
    """A message whose parameters are no longer than there is room for in a list."""
    return Message(text.id, {name: _brief_value(value) for name, value in text.params.items()})


def _brief_value(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}…"
    if isinstance(value, list | tuple):
        more = ["…"] if len(value) > _LONGEST_LIST else []
        return [_brief_value(item) for item in value[:_LONGEST_LIST]] + more
    return _brief_value(str(value)) if isinstance(value, Mapping) else value
