"""Canvas's gradebook, as "Export Entire Gradebook" writes it and "Import" reads it.

The facts are those of Canvas's own exporter and importer. Headings of its own columns are English
in every language. Below the heading there may be a row of "Manual Posting" marks, and there is one
of the points possible; neither is a student's. Numbers may have a decimal comma.
"""

import re
from collections.abc import Sequence

from grader.render.gradebook.column import about, called
from grader.render.gradebook.place import Place
from grader.render.gradebook.sheet import Cell, Sheet

#: Columns that say who a student is.
_NAMES = ("Student", "LastName", "FirstName")
_IDS = ("ID", "SIS User ID", "SIS Login ID")
_PERSON = (*_NAMES, *_IDS, "Integration ID", "Root Account", "Section")

#: Columns that Canvas computes.
_TOTAL = re.compile(r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")
_READ_ONLY = re.compile(r"read\s+only")

_POSSIBLE = "Points Possible"
_POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE | re.DOTALL)
_TEST_STUDENT = {"student", "test"}


def recognises(heading: Sequence[str]) -> bool:
    """Whether a heading is that of a Canvas gradebook."""
    return "ID" in heading and ("Student" in heading or {"LastName", "FirstName"} <= {*heading})


def places(sheet: Sheet, names: Sequence[str], column: str | None) -> list[Place]:
    """Where the points of an exercise go.

    Args:
        sheet: the gradebook.
        names: what the exercise is called; its column has one of them in its title.
        column: the title or the number of its column, where an instructor has named it.

    Raises:
        UsageError: there is no such column, or there are several, or a student's row is at fault.
    """
    possible = next((row for row in sheet.rows if _POSSIBLE in row[0].value), ())
    choice = [
        (place, heading)
        for place, heading in enumerate(sheet.heading)
        if heading not in _PERSON
        and not _TOTAL.search(heading)
        and not _READ_ONLY.search(_value(possible, place))
    ]
    target = (
        about(sheet.path, choice, names) if column is None else called(sheet.path, choice, column)
    )
    students = [row for row in sheet.rows if row is not possible and not _marks(row)]
    for row in students:
        sheet.check(row)
    return [_place(sheet, row, row[target], _value(possible, target)) for row in students]


def _place(sheet: Sheet, row: Sequence[Cell], cell: Cell, possible: str) -> Place:
    values = dict(zip(sheet.heading, (cell.value.strip() for cell in row), strict=False))
    name = " ".join(values[column] for column in _NAMES if column in values)
    ids = tuple(values[column] for column in _IDS if column in values)
    # Where logins are addresses, nothing else says a student's address.
    test = {*name.lower().replace(",", " ").split()} == _TEST_STUDENT
    return Place(cell, possible, name, ids, emails=ids, expected=not test)


def _marks(row: Sequence[Cell]) -> bool:
    """Whether a row says which scores are not shown to students yet."""
    return all(_POSTING.fullmatch(cell.value) for cell in row)


def _value(row: Sequence[Cell], place: int) -> str:
    return row[place].value.strip() if place < len(row) else ""
