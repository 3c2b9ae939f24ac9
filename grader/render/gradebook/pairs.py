"""Who of a class is who in a gradebook."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from grader.cohort.student import Student
from grader.render.gradebook.place import Place

#: What a row and a student may have in common, from what is surest on.
_WAYS: Sequence[tuple[Callable[[Place], Iterable[str]], Callable[[Student], Iterable[str]]]] = (
    (lambda place: place.ids, lambda student: [student.id]),
    (lambda place: place.emails, lambda student: [student.email, student.id]),
    (lambda place: [_words(place.name)], lambda student: [_words(student.name or student.id)]),
)


def pairs(places: Sequence[Place], students: Sequence[Student]) -> dict[int, int]:
    """Which row is whose, by what the two have in common: an id, an address, at last a name.

    What several rows or several students share tells nobody apart: whoever has but that, or has
    it with several, is left to what comes next, and at last is nobody's. So two people of one
    name never get each other's points.

    Returns:
        The index of a row -> that of its student.
    """
    found: dict[int, int] = {}
    for of_place, of_student in _WAYS:
        taken = {*found.values()}
        rows = _index((i, of_place(p)) for i, p in enumerate(places) if i not in found)
        people = _index((i, of_student(s)) for i, s in enumerate(students) if i not in taken)
        whose: dict[int, set[int]] = defaultdict(set)
        where: dict[int, set[int]] = defaultdict(set)
        for key in rows.keys() & people.keys():
            for row in rows[key]:
                whose[row] |= people[key]
            for person in people[key]:
                where[person] |= rows[key]
        for row, owners in whose.items():
            (owner, *others) = owners
            if not others and len(where[owner]) == 1:
                found[row] = owner
    return found


def _index(keys: Iterable[tuple[int, Iterable[str]]]) -> dict[str, set[int]]:
    """Who has a key; small letters are as good as large ones."""
    index: dict[str, set[int]] = defaultdict(set)
    for i, values in keys:
        for value in values:
            if value:
                index[value.casefold()].add(i)
    return index


def _words(name: str) -> str:
    """A name whatever the order of its words: "Lovelace, Ada" is Ada Lovelace."""
    return " ".join(sorted(re.split(r"[\s,]+", unicodedata.normalize("NFKC", name).strip(" ,"))))
