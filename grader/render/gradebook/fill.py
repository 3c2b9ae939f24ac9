"""A platform's own gradebook, filled in, so that its ids match when it is taken back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from grader.cohort.entry import Entry
from grader.cohort.student import Student
from grader.errors import UsageError
from grader.render.gradebook import canvas, moodle
from grader.render.gradebook.pairs import pairs
from grader.render.gradebook.place import Place
from grader.render.gradebook.sheet import DELIMITERS, Sheet, heading, read_text

#: What stands for no points in Canvas and is not ours to change: excused, and not assigned.
_NO_POINTS = ("EX", "N/A")

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Filled:
    """A gradebook with points in it.

    Attributes:
        data: the file.
        filled: how many students' points are in it now.
        not_found: students whom the file does not have, or has not for certain.
        without_entry: students, as the file names them, of whom there is no result.
    """

    data: bytes
    filled: int
    not_found: tuple[Student, ...]
    without_entry: tuple[str, ...]


def fill(
    path: Path, entries: Iterable[Entry], names: Sequence[str], column: str | None = None
) -> Filled:
    """Fill points into a gradebook that an instructor has exported.

    The cells of students who handed nothing in, or who have no score, stay as they are, as does
    all else in the file, to the byte. Where the file says another number of points possible than
    the exercise's, points are scaled to it.

    Args:
        path: a Canvas gradebook or a Moodle grading worksheet.
        entries: the results; read one at a time.
        names: what the exercise is called, to find its column in a Canvas gradebook: its id, its
            titles.
        column: that column's heading, title or number, where the instructor has named it.

    Raises:
        UsageError: the file cannot be read, is neither, has no such column, or a row of it is not
            as the others.
    """
    sheet, places = _read(path, names, column)
    students, points = [], []
    for entry in entries:
        students.append(entry.student)
        points.append(_Points.of(entry))
    found = pairs(places, students)
    values = {}
    for row, student in found.items():
        place, score = places[row], points[student]
        if score is not None and place.cell.value.strip().upper() not in _NO_POINTS:
            values[place.cell] = score.out_of(place.possible)
    matched = {*found.values()}
    return Filled(
        sheet.filled(values),
        len(values),
        tuple(student for i, student in enumerate(students) if i not in matched),
        tuple(p.name for i, p in enumerate(places) if i not in found and p.expected),
    )


def _read(path: Path, names: Sequence[str], column: str | None) -> tuple[Sheet, list[Place]]:
    """A gradebook, and where it has points."""
    text = read_text(path)
    for delimiter in DELIMITERS:
        columns = heading(text, delimiter)
        if canvas.recognises(columns):
            sheet = Sheet(text, delimiter)
            return sheet, canvas.places(sheet, names, column)
        if moodle.recognises(columns):
            sheet = Sheet(text, delimiter)
            return sheet, moodle.places(sheet, column)
    raise UsageError("usage.gradebook_form", file=str(path))


@dataclass(frozen=True)
class _Points:
    """Points, and the most there could be."""

    score: Decimal
    most: Decimal

    @classmethod
    def of(cls, entry: Entry) -> "_Points | None":
        """The points that go into a gradebook; none of who handed in nothing, or has no score."""
        score = entry.score
        if not entry.handed_in or score.score is None:
            return None
        return cls(Decimal(str(score.score)), Decimal(str(score.max_score)))

    def out_of(self, possible: str) -> str:
        """The points where so many are possible, with two decimals at most.

        Args:
            possible: the most points there can be, as the file writes it; where that is no number
                above 0, points stay what they are. Where it has a decimal comma, so have they.
        """
        most = Decimal(possible.replace(",", ".")) if _NUMBER.fullmatch(possible) else Decimal()
        points = self.score * most / self.most if most else self.score
        text = f"{points.quantize(_CENT, ROUND_HALF_UP).normalize():f}"
        return text.replace(".", ",") if "," in possible else text
