"""What a layout is: it tells a download's files apart by whose they are."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.batch.attempt import Note
from grader.batch.intake.member import Member, Parts
from grader.cohort.student import Student


@dataclass(frozen=True)
class Piece:
    """A file, as a layout sees it.

    Attributes:
        member: the file.
        inner: its place below the root; once it is known whose it is, below what is theirs, and
            under the name that they gave it.
        order: where a platform keeps several attempts, the later has the larger.
    """

    member: Member
    inner: Parts
    order: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """What its owner called it."""
        return self.inner[-1]

    def below(self, levels: int) -> "Piece":
        """The same, seen from a folder so many levels further in."""
        return replace(self, inner=self.inner[levels:])

    def renamed(self, name: str, order: tuple[float, ...] = ()) -> "Piece":
        """The same under the name that its owner gave it."""
        return replace(self, inner=(*self.inner[:-1], name), order=order)


@dataclass(frozen=True)
class Root:
    """A folder or an archive that holds a class, or one student's files.

    Attributes:
        name: its own name, without an archive's ending.
        at: its place.
        pieces: all that is in it.
        stands_for_student: whether a student who is alone in it is named after it, and not after
            a folder in it: one of several sources is likely to be one student's.
    """

    name: str
    at: Parts
    pieces: Sequence[Piece]
    stands_for_student: bool = False


@dataclass(frozen=True)
class Work:
    """All that a student, or a group, handed in.

    Attributes:
        students: whose it is.
        pieces: the files.
        path: where they are, for people.
    """

    students: tuple[Student, ...]
    pieces: Sequence[Piece]
    path: str


@dataclass(frozen=True)
class Sorted:
    """A download, told apart.

    Attributes:
        works: by student.
        strays: files that are nobody's.
        notes: on what was read to tell whose they are.
        unopened: an archive that is all there is: it may be one student's, or hold the class.
    """

    works: Sequence[Work]
    strays: Sequence[Piece] = ()
    notes: Sequence[Note] = ()
    unopened: Piece | None = None


def gathered(root: Root, owned: Iterable[tuple[Student, Piece]]) -> list[Work]:
    """The work of every student, in the order of their ids.

    Args:
        root: where it all is.
        owned: whose each piece is.
    """
    students: dict[str, Student] = {}
    pieces: dict[str, list[Piece]] = {}
    for student, piece in owned:
        students.setdefault(student.id, student)
        pieces.setdefault(student.id, []).append(piece)
    return [
        Work((students[id],), pieces[id], _place(root, pieces[id][0])) for id in sorted(students)
    ]


def _place(root: Root, piece: Piece) -> str:
    """The folder of a student's own; where there is none, the place of a file of theirs."""
    parts = piece.member.parts
    folder = parts[: len(parts) - len(piece.inner)]
    return "/".join(folder if len(folder) > len(root.at) else parts)


def student_called(name: str) -> Student:
    """A student of whom there is but a name, as a folder or a file bears it."""
    return Student(id=unicodedata.normalize("NFC", name).strip() or name)
