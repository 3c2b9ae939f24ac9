"""A column of a gradebook, found by its heading."""

import re
from collections.abc import Sequence

from grader.errors import UsageError

#: A Canvas assignment's title and, behind it in brackets, its number.
_TITLE = re.compile(r"(?P<title>.*\S)\s*\((?P<number>\d+)\)", re.DOTALL)


def called(file: str, columns: Sequence[tuple[int, str]], name: str) -> int:
    """The column of a name: its whole heading, or the title or the number in it alone.

    Args:
        file: the gradebook, for messages.
        columns: those to choose from: their places, and their headings.
        name: what is wanted.

    Raises:
        UsageError: there is none, or several.
    """
    found = [
        (place, heading)
        for place, heading in columns
        if name.strip() in (heading, *(m.groups() if (m := _TITLE.fullmatch(heading)) else ()))
    ]
    return _only(file, found, columns, [name])


def about(file: str, columns: Sequence[tuple[int, str]], names: Sequence[str]) -> int:
    """The column whose heading has one of some names in it, as a word, in small letters or large.

    Raises:
        UsageError: there is none, or several.
    """
    # A name ends where no Latin letter or digit follows: P17 is in "P17作业", and P1 is not.
    words = "|".join(re.escape(name) for name in names if name)
    wanted = re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])", re.IGNORECASE)
    found = [(place, heading) for place, heading in columns if wanted.search(heading)]
    return _only(file, found, columns, names)


def first(heading: Sequence[str], names: Sequence[str]) -> int | None:
    """The first column that has one of some names, in small letters or large."""
    lowered = {name.lower() for name in names}
    return next((i for i, name in enumerate(heading) if name.lower() in lowered), None)


def _only(
    file: str,
    found: Sequence[tuple[int, str]],
    columns: Sequence[tuple[int, str]],
    names: Sequence[str],
) -> int:
    if len(found) == 1:
        return found[0][0]
    id = "usage.gradebook_columns" if found else "usage.gradebook_no_column"
    headings = [heading for _, heading in found or columns]
    raise UsageError(id, file=file, names=list(dict.fromkeys(names)), columns=headings)
