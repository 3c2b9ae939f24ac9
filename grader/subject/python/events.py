"""The event log of a subject: what the given graph and functions were seen to do."""

from collections.abc import Callable

from grader.own import Own, own_builtins
from grader.protocol import MAX_EVENTS, Json, Message

__builtins__ = own_builtins()

Describe = Callable[[object], Json]


class EventLog(Own):
    """Keeps events until the next reply carries them away.

    It belongs to the host's thread. Submissions reach it by way of a ``Scribe`` alone, which can
    add to it and can neither change nor remove what is there. What comes that way may be of any
    type, and is asked for nothing but its type before that is known.

    Args:
        describe: turns an object of this process into a value of the protocol.
    """

    def __init__(self, describe: Describe) -> None:
        self._describe = describe
        self._events: list[Message] = []
        self._dropped = 0
        self._open: list[Message] = []

    def emit(self, event: str, fields: dict[str, object]) -> None:
        """Note one event; every field is described as it is now.

        Raises:
            TypeError: the arguments are of other types.
            RuntimeError: there are too many events, so that a loop without end ends.
        """
        _expect(event, str)
        entry: Message = {"event": event, "within": self._open[-1]["event"] if self._open else None}
        self._fill(entry, fields)
        if len(self._events) == MAX_EVENTS:
            self._dropped += 1
            raise RuntimeError(f"more than {MAX_EVENTS} calls of what is given, in one call")
        self._events.append(entry)

    def begin(self, event: str, fields: dict[str, object]) -> None:
        """Note an event that lasts: those noted until its end are within it."""
        self.emit(event, fields)
        self._open.append(self._events[-1])

    def end(self, fields: dict[str, object]) -> None:
        """The event begun last is over; fields that it does not have yet are appended."""
        self._fill(self._open.pop(), fields)

    def take(self) -> list[Message]:
        """The events since the last call of this method."""
        events, self._events = self._events, []
        if self._dropped:
            events.append({"event": "dropped", "within": None, "count": self._dropped})
            self._dropped = 0
        return events

    def _fill(self, entry: Message, fields: dict[str, object]) -> None:
        _expect(fields, dict)
        for name, value in fields.items():
            _expect(name, str)
            entry.setdefault(name, self._describe(value))


def _expect(value: object, wanted: type) -> None:
    if type(value) is not wanted:
        raise TypeError(f"not a {wanted.__name__}")
