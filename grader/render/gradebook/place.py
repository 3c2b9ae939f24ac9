"""A place: where a gradebook has one student's points."""

from dataclasses import dataclass

from grader.render.gradebook.sheet import Cell


@dataclass(frozen=True)
class Place:
    """A student's row in a gradebook.

    Attributes:
        cell: where the points go.
        possible: the most points there can be, as the file has it; empty where it does not say.
        name: the student's, as the file has it.
        ids: what the platform knows them by.
        emails: what may be their address.
        expected: whether there should be results for this row; for the platform's own test
            student there need not be.
    """

    cell: Cell
    possible: str
    name: str
    ids: tuple[str, ...]
    emails: tuple[str, ...] = ()
    expected: bool = True
