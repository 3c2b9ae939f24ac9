"""What a subject prints."""

from dataclasses import dataclass, field, replace


@dataclass
class Output:
    """What a subject printed on one stream: its beginning and its end, and how much lay between."""

    limit: int = 4096
    size: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take more output in."""
        self.size += len(data)
        room = self.limit - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-self.limit :] if len(data) > room else self.tail

    def copy(self) -> "Output":
        """The same, which does not go on with it."""
        return replace(self, head=bytearray(self.head), tail=bytearray(self.tail))

    def clear(self) -> None:
        """Forget everything."""
        self.size, self.head, self.tail = 0, bytearray(), bytearray()

    def cut(self, marker: bytes) -> None:
        """Forget what was printed from a marker on, if it is still there to be seen."""
        whole = self.head if self.left_out else self.head + self.tail
        at = whole.find(marker)
        if at >= 0:
            kept = whole[:at]
            self.clear()
            self.add(bytes(kept))
        elif (at := self.tail.find(marker)) >= 0:
            self.size -= len(self.tail) - at
            del self.tail[at:]

    @property
    def left_out(self) -> int:
        """The bytes that were not kept."""
        return self.size - len(self.head) - len(self.tail)

    def texts(self) -> tuple[str, str]:
        """Beginning and end, as text; bytes that are no UTF-8 are shown escaped."""
        head, tail = bytes(self.head), bytes(self.tail)
        if not self.left_out:
            head, tail = head + tail, b""
        return head.decode("utf-8", "backslashreplace"), tail.decode("utf-8", "backslashreplace")
