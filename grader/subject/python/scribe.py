"""The event log as the given library sees it, on the submission's thread.

A submission finds its way to this module by the globals of a function, so there is nothing in it
that the host's thread uses.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.subject.python.events import EventLog

Give = Callable[[Callable[..., Any]], Callable[..., Any]]


class Scribe:
    """The log as the given library sees it, on the submission's thread.

    Args:
        log: where events go.
        perform: performs an act of the exercise's, if it can; see ``Host``.
        give: makes a function that the host's thread carries out.
        device: what is computed on.

    Attributes:
        device: what is computed on.
    """

    def __init__(
        self, log: "EventLog", perform: Callable[..., Sequence[Any]], give: Give, device: str
    ) -> None:
        self.device = device
        self._emit, self._begin, self._end = give(log.emit), give(log.begin), give(log.end)
        self._perform = give(perform)

    def emit(self, event: str, **fields: object) -> None:
        """Note one event; every field is described as it is now."""
        self._emit(event, fields)

    def begin(self, event: str, **fields: object) -> None:
        """Note an event that lasts: those noted until its end are within it."""
        self._begin(event, fields)

    def end(self, **fields: object) -> None:
        """The event begun last is over; fields that are known only now are appended."""
        self._end(fields)

    def perform(self, act: str, function: object, thing: object, *tensors: object) -> Sequence[Any]:
        """Have one of the exercise's ``ACTS`` done and noted at one go.

        Args:
            act: which.
            function: one that the exercise gave.
            thing: what the act is of.
            tensors: what it works on.

        Returns:
            What came of it, alone in a sequence. An empty one where nothing was done or noted,
            for the function or a tensor is of the submission's own kind.
        """
        done: Sequence[Any] = self._perform(act, function, thing, *tensors)
        return done
