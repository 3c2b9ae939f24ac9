"""The results of a class as a page for who teaches it: what went wrong most, and with whom."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from grader.cohort.overview import Group, Overview, Row
from grader.cohort.spread import of_durations, of_scores, percentile
from grader.i18n import Translator, printable
from grader.message import Message
from grader.render.histogram import Histogram, share
from grader.render.templates import stream
from grader.score import Outcome

#: How a check's outcome is drawn in the table of all students.
_MARKS = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.ERROR: "!",
    Outcome.NOT_RUN: "–",
}

#: What is listed at most; how many more there are is said.
_CASES = 20
_PEOPLE = 12
_GROUPS = 50
_NOTES = 200
_SLOWEST = 5

#: Characters of a name, of a path and of a message that are shown.
_LONGEST_NAME = 60
_LONGEST_PATH = 200
_LONGEST_TEXT = 600

#: How dark a cell may be.
_SHADES = 4


class Note(Protocol):
    """What became of one thing in a download."""

    @property
    def path(self) -> str:
        """Its place in the download."""

    @property
    def kind(self) -> str:
        """``taken``, ``passed_over`` or ``refused``."""

    @property
    def message(self) -> Message:
        """Why."""


class Person(NamedTuple):
    """A student as a list shows them.

    Attributes:
        name: what a list calls them by.
        file: the name of their feedback page without its ending; empty where there is none.
    """

    name: str
    file: str = ""


def overview_page(
    overview: Overview,
    say: Translator,
    *,
    alike: Sequence[Sequence[str]] = (),
    notes: Iterable[Note] = (),
    taken: int | None = None,
    took_s: float | None = None,
) -> Iterator[str]:
    """The page ``index.html`` of a class, piece by piece. What it says of time aside, the same
    entries give the same page.

    Args:
        overview: the figures, with every student counted.
        say: puts ids into the reader's language; it knows the exercise's.
        alike: groups of students, by their ids, whose submissions look alike.
        notes: what intake met that is worth saying.
        taken: how many submissions it took, where that is to be said.
        took_s: seconds that the whole class took, where that is to be said.
    """
    rows = overview.rows()
    people = _people(rows)
    scores = overview.scores()
    counts = overview.check_counts()
    cases = overview.case_counts()
    return stream(
        "overview.html",
        say,
        number=overview.exercise.upper(),
        max_score=overview.max_score,
        students=len(rows),
        handed_in=sum(row.attempts > 0 for row in rows),
        standings=overview.standings(),
        kept=sum(row.kept for row in rows),
        took=None if took_s is None else _span(took_s, say),
        mean=round(statistics.fmean(scores), 1) if scores else None,
        median=statistics.median(scores) if scores else None,
        scores=Histogram.of(of_scores(scores, overview.max_score), say),
        judged=sum(counts[0].ended.values()),
        counts=counts,
        checks=overview.checks,
        outcomes=list(Outcome),
        together=_together(overview),
        cases=cases[:_CASES],
        cases_left_out=len(cases[_CASES:]),
        errors=[(_kind(kind, say), _listed(found, people)) for kind, found in overview.errors()],
        groups=_groups(overview, people, say),
        alike=[[people.get(id) or Person(_cut(id)) for id in ids] for ids in alike[:_GROUPS]],
        alike_left_out=alike[_GROUPS:],
        times=_times(rows, people, say),
        notes=_notes(notes, say),
        taken=taken,
        named=any(row.student.name for row in rows),
        marks=_MARKS,
        first_people=_PEOPLE,
        share=share,
        lines=(_line(row, say) for row in rows),
    )


# --- what strangers had a hand in ----------------------------------------------------------------


def _cut(text: str, longest: int = _LONGEST_NAME) -> str:
    """A text of which nothing is left that a browser would obey and not show; of a long one, the
    beginning. One that would not be seen at all is quoted.
    """
    shown = printable(text[:longest]) + ("…" if len(text) > longest else "")
    return shown if shown.strip() else ascii(shown)


def _people(rows: Sequence[Row]) -> dict[str, Person]:
    """How lists show students, by their ids: where a name alone does not tell who, with the id."""
    names = [_cut(row.student.shown) for row in rows]
    times = Counter(names)
    return {
        row.student.id: Person(
            name if times[name] == 1 else f"{name} ({_cut(row.student.id)})", _file(row)
        )
        for name, row in zip(names, rows, strict=True)
    }


def _file(row: Row) -> str:
    return row.student.file_stem if row.attempts else ""


def _listed(rows: Iterable[Row], people: Mapping[str, Person]) -> list[Person]:
    return [people[row.student.id] for row in rows]


# --- figures -------------------------------------------------------------------------------------


def _span(seconds: float, say: Translator) -> str:
    """A duration as people say it."""
    if seconds < 120:  # noqa: PLR2004 - two minutes
        return say("overview.seconds", count=round(seconds, 1))
    return say("overview.minutes", count=round(seconds / 60))


def _kind(kind: str, say: Translator) -> str:
    """What a kind of error is called."""
    id = f"overview.kind.{kind}"
    return say(id) if say.knows(id) else kind


def _together(overview: Overview) -> list[tuple[str, list[dict[str, Any]]]]:
    """Row by row the checks, each with how many lost it together with each of them."""
    pairs = overview.lost_together()
    return [
        (
            check,
            [
                {
                    "count": pairs[check, other],
                    "shade": math.ceil(_SHADES * pairs[check, other] / (pairs[check, check] or 1)),
                    "itself": check == other,
                }
                for other in overview.checks
            ],
        )
        for check in overview.checks
    ]


def _groups(overview: Overview, people: Mapping[str, Person], say: Translator) -> dict[str, Any]:
    groups = overview.groups()
    several = [group for group in groups if len(group.rows) > 1]
    return {
        "shown": [_group(group, people, say) for group in several[:_GROUPS]],
        "left_out": [group.rows for group in several[_GROUPS:]],
        "alone": len(groups) - len(several),
    }


def _group(group: Group, people: Mapping[str, Person], say: Translator) -> dict[str, Any]:
    return {
        "told": [(told.check, printable(say.text(told.message))) for told in group.told],
        "people": _listed(group.rows, people),
    }


def _times(
    rows: Sequence[Row], people: Mapping[str, Person], say: Translator
) -> dict[str, Any] | None:
    """What there is to say of durations; nothing where nobody handed anything in."""
    graded = [row for row in rows if row.attempts]
    seconds = [row.duration_s for row in graded]
    if not seconds:
        return None
    slowest = sorted(graded, key=lambda row: -row.duration_s)[:_SLOWEST]
    return {
        "total": _span(math.fsum(seconds), say),
        "median": _span(statistics.median(seconds), say),
        "most": _span(percentile(seconds, 95), say),
        "histogram": Histogram.of(of_durations(seconds), say),
        "slowest": [(people[row.student.id], _span(row.duration_s, say)) for row in slowest],
    }


def _notes(notes: Iterable[Note], say: Translator) -> dict[str, dict[str, Any]]:
    """How many things became what, and the first ones of each kind."""
    found: dict[str, dict[str, Any]] = {
        kind: {"count": 0, "first": []} for kind in ("taken", "passed_over", "refused")
    }
    for note in notes:
        kind = found[note.kind]
        kind["count"] += 1
        if len(kind["first"]) < _NOTES:
            kind["first"].append(
                (_cut(note.path, _LONGEST_PATH), _cut(say.text(note.message), _LONGEST_TEXT))
            )
    return found


# --- the table of all students -------------------------------------------------------------------


def _line(row: Row, say: Translator) -> dict[str, Any]:
    status = say(f"overview.{row.standing}")
    if row.error and row.attempts:
        status += f" · {_kind(row.error, say)}"
    return {
        "person": Person(_cut(row.student.shown), _file(row)),
        "id": _cut(row.student.id),
        "standing": row.standing,
        "status": f"{status} *" if row.kept else status,
        "score": "–" if row.score is None else f"{row.score:g}",
        "outcomes": row.outcomes,
        "attempts": row.attempts,
        "time": f"{row.duration_s:.1f}" if row.attempts else "–",
    }
