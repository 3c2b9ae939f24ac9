"""The event log as the given library sees it, on the submission's thread.

A submission finds its way to this module by the globals of a function, so there is nothing in it
that the host's thread uses.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.subject.python.events import EventLog

Give = Callable[[Callable[..., Any]], Callable[..., Any]]


class Scribe:
    """The log as the given library sees it, on the submission's thread.

    Args:
        log: where events go.
        give: makes a function that the host's thread carries out.
    """

    def __init__(self, log: "EventLog", give: Give) -> None:
        self._emit, self._begin, self._end = give(log.emit), give(log.begin), give(log.end)

    def emit(self, event: str, **fields: object) -> None:
        """Note one event; every field is described as it is now."""
        self._emit(event, fields)

    def begin(self, event: str, **fields: object) -> None:
        """Note an event that lasts: those noted until its end are within it."""
        self._begin(event, fields)

    def end(self, **fields: object) -> None:
        """The event begun last is over; fields that are known only now are appended."""
        self._end(fields)
