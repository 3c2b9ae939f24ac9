"""GitHub Classroom: ``gh classroom clone`` makes ``<assignment>-submissions/<repository>/``.

A repository is called ``<assignment>-<login>``.
"""

from grader.batch.intake.layouts.layout import Root, Sorted, gathered, student_called
from grader.batch.intake.wanted import Wanted

_FOLDER = "-submissions"


def recognise(root: Root, _wanted: Wanted) -> Sorted | None:
    """The repositories of a classroom; nothing if they are none.

    That any is called as the assignment is what tells them from a folder of some other making.
    """
    if not root.name.endswith(_FOLDER):
        return None
    prefix = f"{root.name.removesuffix(_FOLDER)}-"
    owned = [
        (student_called(piece.inner[0].removeprefix(prefix)), piece.below(1))
        for piece in root.pieces
        if len(piece.inner) > 1
    ]
    if not any(len(p.inner) > 1 and p.inner[0].startswith(prefix) for p in root.pieces):
        return None
    strays = [piece for piece in root.pieces if len(piece.inner) == 1]
    return Sorted(gathered(root, owned), strays)
