"""Dates in the names of folders, in which some platforms and people keep attempts apart."""

import re

_DATE = re.compile(
    r"(?<!\d)(20\d\d)[-_. ]?(0[1-9]|1[0-2])[-_. ]?(0[1-9]|[12]\d|3[01])"
    r"(?:[-_. T]*([01]\d|2[0-3])[-_.:h ]?([0-5]\d)(?:[-_.:m ]?([0-5]\d))?)?(?!\d)"
)


def date_in(name: str) -> tuple[float, ...]:
    """The date in a name, with or without a time, so that the later is the larger.

    Returns:
        Year, month, day, hour, minute, second; nothing if there is no date.

    >>> date_in("2026-11-29"), date_in("20261129_235959")[3:], date_in("v2")
    ((2026.0, 11.0, 29.0, 0.0, 0.0, 0.0), (23.0, 59.0, 59.0), ())
    """
    match = _DATE.search(name)
    return tuple(float(number or 0) for number in match.groups()) if match else ()
