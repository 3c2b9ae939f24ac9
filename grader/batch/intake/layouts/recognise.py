"""Which layout a download has: those of platforms are looked for first, at every level."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.batch.intake.layouts import canvas, classroom, gradescope, moodle, nbgrader, plain
from grader.batch.intake.layouts.layout import Piece, Root, Sorted
from grader.batch.intake.wanted import Wanted

_PLATFORMS: Sequence[Callable[[Root, Wanted], Sorted | None]] = (
    gradescope.recognise, moodle.recognise, canvas.recognise, classroom.recognise,
    nbgrader.recognise,
)  # fmt: skip


def sorted_out(root: Root, wanted: Wanted) -> Sorted:
    """A download, told apart by whose each file is.

    Args:
        root: the whole of it.
        wanted: what the files that count are called.
    """
    outside: list[Piece] = []
    while (found := _recognised(root, wanted)) is None:
        further = plain.further_in(root, wanted)
        if further is None:
            found = plain.by_name(root, wanted)
            break
        outside += [piece for piece in root.pieces if len(piece.inner) == 1]
        root = further
    return replace(found, strays=[*outside, *found.strays])


def _recognised(root: Root, wanted: Wanted) -> Sorted | None:
    for recognise in _PLATFORMS:
        if found := recognise(root, wanted):
            return found
    return plain.one_students(root) if plain.is_one_students(root, wanted) else None
