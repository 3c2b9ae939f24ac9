"""What lies in a folder or an archive: listed by name, read one at a time, never past a limit."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import IO, NoReturn

from grader.batch.attempt import Kind, Note
from grader.message import Message

#: A place: a source's name, and the names of folders, archives and the file below it.
Parts = tuple[str, ...]

Opener = Callable[[], AbstractContextManager[IO[bytes]]]

#: What systems, editors and tools leave behind, by names in small letters.
_JUNK = {
    "__macosx", ".ds_store", "thumbs.db", "desktop.ini",
    "__pycache__", ".git", ".ipynb_checkpoints",
}  # fmt: skip
#: What macOS keeps beside every file, on disks and in archives that know nothing of its kind.
_APPLE_DOUBLE = "._"


@dataclass(eq=False)
class Refused(Exception):
    """What is not to be trusted, or cannot be read.

    Attributes:
        message: why.
    """

    message: Message


def unreadable(error: OSError) -> Message:
    """That the system does not let a thing be read."""
    return Message("intake.unreadable", {"detail": error.strerror or str(error)})


class TooLarge(Exception):
    """A member has more bytes than were asked for."""


@dataclass(frozen=True)
class Member:
    """A file in a folder or an archive, or what passes for one.

    Attributes:
        parts: its place.
        open: opens it; whatever goes wrong from then on raises ``Refused``.
        refused: whether it is known not to be one that can be read.
    """

    parts: Parts
    open: Opener
    refused: bool = False

    @property
    def path(self) -> str:
        """Its place, for people: ``class.zip/ada/p17.py``."""
        return "/".join(self.parts)

    def read(self, limit: int) -> bytes:
        """Its bytes, of which it must not have more than ``limit``.

        No more than that is ever held, whatever its folder or archive says of its size.

        Raises:
            Refused: it cannot be read.
            TooLarge: it has more.
        """
        with self.open() as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise TooLarge
        return content


class Listing:
    """The members of a folder or an archive, and notes on what is none.

    Attributes:
        at: the place of the folder or archive.
    """

    def __init__(self, at: Parts) -> None:
        self.at = at
        self._members: dict[Parts, Member] = {}
        self._notes: list[Note] = []
        self._junk: set[Parts] = set()
        self._folders: set[Parts] = {at}
        self._filled: set[Parts] = set()

    def members(self) -> list[Member]:
        """All there are, in the order of their places."""
        return [self._members[parts] for parts in sorted(self._members)]

    def notes(self) -> list[Note]:
        """On junk, on what is refused, on folders with nothing in them; by their places."""
        empty = Message("intake.empty_folder")
        bare = [
            Note("/".join(parts), "passed_over", empty) for parts in self._folders - self._filled
        ]
        return sorted([*self._notes, *bare], key=lambda note: (note.path, note.message.id))

    def note(self, inner: Parts, kind: Kind, message: Message) -> None:
        """What became of something."""
        self._notes.append(Note("/".join(self.at + inner), kind, message))

    def add(self, inner: Parts, opened: Opener) -> None:
        """A regular file. Of two of one name, the later counts."""
        self._put(Member(self.at + inner, opened))

    def refuse(self, inner: Parts, message: Message) -> None:
        """A thing with a name that may stand, which is not to be read."""
        if self._put(Member(self.at + inner, partial(_never, message), refused=True)):
            self.note(inner, "refused", message)

    def refuse_name(self, name: str, message: Message) -> None:
        """A thing whose name may not stand."""
        self._fill(self.at)
        self.note((name,), "refused", message)

    def add_folder(self, inner: Parts) -> bool:
        """A folder; whether what is in it counts at all."""
        parts = self.at + inner
        if self._is_junk(parts):
            return False
        self._folders.add(parts)
        self._fill(parts[:-1])
        return True

    def refuse_folder(self, inner: Parts, message: Message) -> None:
        """A folder that cannot be looked into, or not to its end."""
        self._fill(self.at + inner)
        self.note(inner, "refused", message)

    def _put(self, member: Member) -> bool:
        if self._is_junk(member.parts):
            return False
        if member.parts in self._members:
            self._notes.append(Note(member.path, "passed_over", Message("intake.twice")))
        self._members[member.parts] = member
        self._fill(member.parts[:-1])
        return True

    def _is_junk(self, parts: Parts) -> bool:
        """Whether it is junk, or lies in it; that is noted once, of the outermost."""
        for end in range(len(self.at) + 1, len(parts) + 1):
            if _is_junk_name(parts[end - 1]):
                junk = parts[:end]
                if junk not in self._junk:
                    self._junk.add(junk)
                    note = Note("/".join(junk), "passed_over", Message("intake.junk"))
                    self._notes.append(note)
                self._fill(junk[:-1])
                return True
        return False

    def _fill(self, parts: Parts) -> None:
        """Note that a folder, and so all that it lies in, is not empty."""
        while parts not in self._filled and len(parts) >= len(self.at):
            self._filled.add(parts)
            parts = parts[:-1]


def _never(message: Message) -> NoReturn:
    raise Refused(message)


def _is_junk_name(name: str) -> bool:
    return name.lower() in _JUNK or name.startswith(_APPLE_DOUBLE)
