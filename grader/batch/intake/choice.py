"""Which of a student's files is the submission."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.batch.intake.dates import date_in
from grader.batch.intake.layouts.layout import Piece
from grader.batch.intake.wanted import Wanted, are_copies


@dataclass(frozen=True)
class Choice:
    """What is to be graded of all that a student handed in.

    Attributes:
        taken: a file for each attempt; more than one only where their order is known.
        undecided: files any of which might be it.
        rest: all others.
    """

    taken: Sequence[Piece]
    undecided: Sequence[Piece]
    rest: Sequence[Piece]


def is_named(pieces: Sequence[Piece], wanted: Wanted) -> bool:
    """Whether any file is called as a submission is, but for what marks a further copy."""
    return any(wanted.is_alike(piece.name) for piece in pieces)


def choose(pieces: Sequence[Piece], wanted: Wanted) -> Choice:
    """The file that is called as it should be; else one that nearly is; else the only source file.

    Copies that lie in folders with dates, or that a platform numbers, are attempts, each of which
    counts. Of several files of the very name, the one in the project's own folder for it counts,
    or the outermost.
    """
    sources = [_dated(piece) for piece in pieces if wanted.has_ending(piece.name)]
    named = [piece for piece in sources if wanted.is_alike(piece.name)]
    exact = [piece for piece in named if wanted.is_exact(piece.name)]
    if _are_attempts(named or sources):
        candidates, decided = named or sources, True
    else:
        if len(exact) > 1:
            exact = _at_home(exact, wanted) or _outermost(exact)
        candidates = exact or named or sources
        decided = len(candidates) == 1
    chosen = {piece.member.parts for piece in candidates}
    rest = [piece for piece in pieces if piece.member.parts not in chosen]
    return Choice(candidates if decided else (), () if decided else candidates, rest)


def _are_attempts(pieces: Sequence[Piece]) -> bool:
    """Whether files are copies of one, and can be told apart by when they were handed in."""
    orders = {piece.order for piece in pieces}
    return (
        bool(pieces)
        and len(orders) == len(pieces)
        and () not in orders
        and are_copies(piece.name for piece in pieces)
    )


def _dated(piece: Piece) -> Piece:
    """The piece, with the date that a folder around it has in its name."""
    when = next(filter(None, map(date_in, piece.inner[:-1])), ())
    return replace(piece, order=piece.order + when)


def _at_home(pieces: Sequence[Piece], wanted: Wanted) -> list[Piece]:
    return [piece for piece in pieces if piece.inner[-2:-1] == (wanted.home,)]


def _outermost(pieces: Sequence[Piece]) -> list[Piece]:
    depth = min(len(piece.inner) for piece in pieces)
    return [piece for piece in pieces if len(piece.inner) == depth]
