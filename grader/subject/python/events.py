"""The event log of a subject: what the given graph and functions were seen to do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grader.protocol import MAX_EVENTS, Json, Message

Describe = Callable[[object], Json]


class EventLog:
    """Keeps events until the next reply carries them away.

    Args:
        describe: turns an object of this process into a value of the protocol.
    """

    def __init__(self, describe: Describe) -> None:
        self._describe = describe
        self._events: list[Message] = []
        self._dropped = 0
        self._within: list[str] = []

    def emit(self, event: str, **fields: object) -> Message:
        """Note one event; every field is described as it is now.

        Returns:
            The event, to which ``add`` can append what is known only later.
        """
        entry: Message = {"event": event, "within": self._within[-1] if self._within else None}
        entry.update((name, self._describe(value)) for name, value in fields.items())
        if len(self._events) < MAX_EVENTS:
            self._events.append(entry)
        else:
            self._dropped += 1
        return entry

    def add(self, entry: Message, **fields: object) -> None:
        """Append fields to an event already noted."""
        entry.update((name, self._describe(value)) for name, value in fields.items())

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Events noted inside the block say that they happened within ``name``."""
        self._within.append(name)
        try:
            yield
        finally:
            self._within.pop()

    def take(self) -> list[Message]:
        """The events since the last call of this method."""
        events, self._events = self._events, []
        if self._dropped:
            events.append({"event": "dropped", "within": None, "count": self._dropped})
            self._dropped = 0
        return events
