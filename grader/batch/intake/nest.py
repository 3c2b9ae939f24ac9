"""Archives in a student's work, opened as if they were folders."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from grader.batch.attempt import Note
from grader.batch.intake.archive import (
    Budget,
    Limits,
    has_archive_name,
    has_foreign_archive_name,
    opened_archive,
    spooled,
)
from grader.batch.intake.choice import is_named
from grader.batch.intake.layouts.layout import Piece
from grader.batch.intake.member import Refused
from grader.batch.intake.wanted import Wanted
from grader.message import Message

#: What may come out of all that one student handed in.
LIMITS = Limits(members=10_000, unpacked=256 * 1024 * 1024)

#: How many archives may lie one in another; the instructor's own is not counted.
MAX_DEPTH = 3


@dataclass
class Contents:
    """A student's files, after archives among them have been opened.

    Attributes:
        pieces: the files, and archives that there was no need to open.
        refused: the places of what is not to be read.
        notes: on what was opened, and what was met in it.
    """

    pieces: list[Piece] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def open_archives(
    pieces: Sequence[Piece], wanted: Wanted, stack: ExitStack, depth: int
) -> Contents:
    """A student's files; archives are opened until a file is met that is called as it should be.

    Args:
        pieces: what they handed in.
        wanted: what a submission is called.
        stack: closes the archives, when it is closed itself.
        depth: how many archives, of those that count, the files lie in.
    """
    found = Contents()
    budget = Budget(LIMITS)
    while pieces:
        archives = []
        for piece in pieces:
            if piece.member.refused:
                found.refused.append(piece.member.path)
            elif has_archive_name(piece.name) or has_foreign_archive_name(piece.name):
                archives.append(piece)
            else:
                found.pieces.append(piece)
        if is_named(found.pieces, wanted):
            found.pieces += archives
            break
        depth += 1
        pieces = [
            inside
            for archive in archives
            for inside in _opened(archive, found, budget, stack, depth)
        ]
    return found


def _opened(
    archive: Piece, found: Contents, budget: Budget, stack: ExitStack, depth: int
) -> list[Piece]:
    path = archive.member.path
    try:
        _see_that_it_may_be_opened(archive, depth)
        pieces, notes = open_piece(archive, budget, stack)
    except Refused as refusal:
        found.refused.append(path)
        found.notes.append(Note(path, "refused", refusal.message))
        return []
    found.notes += [Note(path, "taken", Message("intake.opened")), *notes]
    return pieces


def _see_that_it_may_be_opened(archive: Piece, depth: int) -> None:
    if has_foreign_archive_name(archive.name):
        raise Refused(Message("intake.foreign_archive"))
    if depth > MAX_DEPTH:
        raise Refused(Message("intake.too_deep", {"limit": MAX_DEPTH}))


def open_piece(archive: Piece, budget: Budget, stack: ExitStack) -> tuple[list[Piece], list[Note]]:
    """What is in an archive, as a folder at its place would have it, and notes on the rest.

    Raises:
        Refused: it cannot be opened.
    """
    with ExitStack() as opening:
        stream = opening.enter_context(spooled(archive.member, budget))
        listing = opening.enter_context(opened_archive(stream, archive.member.parts, budget))
        stack.push(opening.pop_all())
    levels = len(listing.at)
    pieces = [
        Piece(member, archive.inner + member.parts[levels:], archive.order)
        for member in listing.members()
    ]
    return pieces, listing.notes()
