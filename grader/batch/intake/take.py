"""Intake: from what an instructor has, folders and archives of a download, to attempts."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from grader.batch.attempt import Attempt, Note
from grader.batch.intake.archive import Budget, Limits, is_archive, opened_archive, stem
from grader.batch.intake.folder import list_folder, open_file
from grader.batch.intake.layouts.layout import Piece, Root, Sorted
from grader.batch.intake.layouts.recognise import sorted_out
from grader.batch.intake.member import Listing, Refused, unreadable
from grader.batch.intake.names import decoded
from grader.batch.intake.nest import MAX_DEPTH, open_piece
from grader.batch.intake.pick import Picker, passed_over
from grader.batch.intake.wanted import Wanted
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.message import Message

#: What may come out of an instructor's own archive.
LIMITS = Limits(members=500_000, unpacked=4 * 1024**3, claimed=False)

_Kind = Literal["folder", "archive", "file"]


def take(
    sources: Sequence[Path], exercise: Exercise, language: str | None = None
) -> Iterator[Attempt | Note]:
    """Every attempt in a download, and what became of everything else in it.

    They come one by one, and no more than one is held; of one student's attempts in several sources
    those in a later one are later. The same input gives the same in the same order.

    Args:
        sources: folders, archives and single files.
        exercise: what was to be handed in.
        language: the one to look for; all of the exercise's by default.

    Raises:
        UsageError: a source is not there, or is nothing that can be taken in; before anything else.
    """
    wanted = Wanted.of(exercise, language)
    several = len(sources) > 1
    checked = [
        _Source(path, _kind(path, wanted), Picker(exercise, wanted, number), several)
        for number, path in enumerate(sources)
    ]
    return (thing for source in checked for thing in source.things())


def _kind(path: Path, wanted: Wanted) -> _Kind:
    """What a source is.

    Raises:
        UsageError: nothing that can be taken in.
    """
    try:
        if path.is_dir():
            os.scandir(path).close()
            return "folder"
        if not path.exists():
            raise UsageError("usage.no_source", file=str(path))
        if path.is_file() and wanted.has_ending(path.name):
            return "file"
        if path.is_file() and is_archive(path):
            return "archive"
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.source_unreadable", file=str(path), detail=detail) from None
    raise UsageError("usage.no_archive", file=str(path))


@dataclass(frozen=True)
class _Source:
    """One of the things that an instructor has.

    Attributes:
        path: where it is.
        kind: ``folder``, ``archive`` or ``file``.
        picker: finds the attempts in it.
        one_of_several: whether it is one of several.
    """

    path: Path
    kind: _Kind
    picker: Picker
    one_of_several: bool

    @property
    def name(self) -> str:
        """What it is called; paths in it begin with that."""
        path = self.path.absolute()
        return _shown(path.resolve() if path.name == ".." else path)

    def things(self) -> Iterator[Attempt | Note]:
        """All that there is to be said of it."""
        with ExitStack() as stack:
            try:
                listing = self._listing(stack)
            except Refused as refusal:
                yield Note(self.name, "refused", refusal.message)
                return
            yield from listing.notes()
            found, depth = sorted_out(self._root(listing), self.picker.wanted), 0
            while depth < MAX_DEPTH and (further := self._further(found, stack)):
                yield from further[1]
                yield from passed_over(found.strays, "intake.stray")
                found, depth = further[0], depth + 1
            yield from found.notes
            yield from passed_over(found.strays, "intake.stray")
            for work in found.works:
                yield from self.picker.pick(work, depth)

    def _listing(self, stack: ExitStack) -> Listing:
        """What is in it; an archive stays open until the stack is closed.

        Raises:
            Refused: it is a broken archive, or holds too much.
        """
        if self.kind == "folder":
            return list_folder(self.path, (self.name,))
        path = self.path.resolve()
        if self.kind == "archive":
            try:
                stream = stack.enter_context(path.open("rb"))
            except OSError as error:
                raise Refused(unreadable(error)) from None
            return stack.enter_context(opened_archive(stream, (self.name,), Budget(LIMITS)))
        listing = Listing(())
        listing.add((self.name,), partial(open_file, str(path)))
        return listing

    def _root(self, listing: Listing) -> Root:
        at = (self.name,)
        pieces = [Piece(member, member.parts[len(listing.at) :]) for member in listing.members()]
        if self.kind == "file":  # where it lies may say whose it is
            return Root(_shown(self.path.resolve().parent), at, pieces)
        return Root(stem(self.name), at, pieces, self.one_of_several)

    def _further(self, found: Sorted, stack: ExitStack) -> tuple[Sorted, list[Note]] | None:
        """What is in an archive that is all there is in another; nothing, if it is not a class's.

        What is wrong with it will be said where it is opened as a student's.
        """
        archive = found.unopened
        if archive is None:
            return None
        try:
            pieces, notes = open_piece(archive, Budget(LIMITS), stack)
        except Refused:
            return None
        inside = [piece.below(len(archive.inner)) for piece in pieces]
        (student,) = found.works[0].students
        root = Root(student.id, archive.member.parts, inside, self.one_of_several)
        further = sorted_out(root, self.picker.wanted)
        if not further.works:
            return None
        return further, [Note(archive.member.path, "taken", Message("intake.opened")), *notes]


def _shown(path: Path) -> str:
    return decoded(os.fsencode(path.name))
