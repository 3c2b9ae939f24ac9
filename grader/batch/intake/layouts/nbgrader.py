"""nbgrader: ``submitted/<student>/<assignment>/<file>``, and ``timestamp.txt`` beside the files."""

from grader.batch.intake.layouts.layout import Root, Sorted, gathered, student_called
from grader.batch.intake.wanted import Wanted

_FOLDER = "submitted"
_TIMESTAMP = "timestamp.txt"

#: The parts of a file's place: student, assignment, file.
_DEEP = 3


def recognise(root: Root, wanted: Wanted) -> Sorted | None:
    """What nbgrader collected; nothing if it is none of that.

    The root is the folder ``submitted``, or that of a course, which has it beside others. Of
    several assignments, the one that is called as the exercise counts.
    """
    submitted = [piece for piece in root.pieces if piece.inner[0] == _FOLDER]
    levels = 1 if any(piece.inner[3:] == (_TIMESTAMP,) for piece in submitted) else 0
    pieces = {piece: piece.below(levels) for piece in (submitted if levels else root.pieces)}
    if not any(inside.inner[2:] == (_TIMESTAMP,) for inside in pieces.values()):
        return None
    deep = {piece: inside for piece, inside in pieces.items() if len(inside.inner) >= _DEEP}
    named = {piece: one for piece, one in deep.items() if one.inner[1] == wanted.exercise}
    owned = named or deep
    works = gathered(root, ((student_called(one.inner[0]), one.below(1)) for one in owned.values()))
    return Sorted(works, [piece for piece in root.pieces if piece not in owned])
