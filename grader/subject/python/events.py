"""The event log of a subject: what the given graph and functions were seen to do."""

from builtins import dict, int, len, str, type
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from grader.protocol import MAX_EVENTS, Json, Message

Describe = Callable[[object], Json]
Give = Callable[[Callable[..., Any]], Callable[..., Any]]


class EventLog:
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
        self._within: list[str] = []

    def emit(self, event: str, fields: dict[str, object]) -> int:
        """Note one event; every field is described as it is now.

        Returns:
            Its number, by which ``add`` can append what is known only later.

        Raises:
            TypeError: the arguments are of other types.
            RuntimeError: there are too many events, so that a loop without end ends.
        """
        _expect(event, str)
        entry: Message = {"event": event, "within": self._within[-1] if self._within else None}
        self._fill(entry, fields)
        if len(self._events) == MAX_EVENTS:
            self._dropped += 1
            raise RuntimeError(f"more than {MAX_EVENTS} calls of what is given, in one call")
        self._events.append(entry)
        return len(self._events) - 1

    def add(self, number: int, fields: dict[str, object]) -> None:
        """Append fields that an event does not have yet."""
        _expect(number, int)
        self._fill(self._events[number], fields)

    def enter(self, name: str) -> None:
        """Events noted from here on happen within ``name``."""
        _expect(name, str)
        self._within.append(name)

    def leave(self) -> None:
        """What was entered last is over."""
        self._within.pop()

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


class Scribe:
    """The log as the given library sees it, on the submission's thread.

    Args:
        log: where events go.
        give: makes a function that the host's thread carries out.
    """

    def __init__(self, log: EventLog, give: Give) -> None:
        self._emit, self._add = give(log.emit), give(log.add)
        self._enter, self._leave = give(log.enter), give(log.leave)

    def emit(self, event: str, **fields: object) -> int:
        """Note one event; every field is described as it is now.

        Returns:
            Its number, for ``add``.
        """
        number: int = self._emit(event, fields)
        return number

    def add(self, number: int, **fields: object) -> None:
        """Append fields to an event already noted."""
        self._add(number, fields)

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Events noted inside the block say that they happened within ``name``."""
        self._enter(name)
        try:
            yield
        finally:
            self._leave()
