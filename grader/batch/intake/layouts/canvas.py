"""Canvas: one flat archive, every name of which says whose it is.

``<sortable name>[_LATE]_<user id>_<attachment id>_<file>``, and ``anon_<id>`` where names are
hidden; what was typed in or linked to has no attachment's number (canvas-lms,
``lib/content_zipper.rb``).
"""

import re

from grader.batch.intake.layouts.layout import Piece, Root, Sorted, gathered
from grader.batch.intake.wanted import Wanted
from grader.cohort.student import Student

_FILE = r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<typed>text|link)\.html)"
_NAMED = re.compile(rf"(?P<name>.+?)(?:_LATE)?_(?P<user>\d+)_{_FILE}", re.DOTALL)
_ANONYMOUS = re.compile(rf"(?:LATE_)?anon(?:_LATE)?_(?P<user>[^\W_]+)_{_FILE}", re.DOTALL)


def recognise(root: Root, _wanted: Wanted) -> Sorted | None:
    """A download of Canvas; nothing if it is none.

    Most of what lies in it is named so, and no two names go with one user's id: files that people
    named by themselves may look alike.
    """
    tops = {piece.inner[0] for piece in root.pieces}
    owned = [found for piece in root.pieces if (found := _owned(piece))]
    names = {(student.id, student.name) for student, _ in owned}
    if not owned or 2 * len(owned) <= len(tops) or len(names) > len({id for id, _ in names}):
        return None
    strays = [piece for piece in root.pieces if not _owned(piece)]
    return Sorted(gathered(root, owned), strays)


def _owned(piece: Piece) -> tuple[Student, Piece] | None:
    if len(piece.inner) > 1:
        return None
    match = _ANONYMOUS.fullmatch(piece.name) or _NAMED.fullmatch(piece.name)
    if match is None:
        return None
    said = match.groupdict()
    student = Student(id=said["user"], name=said.get("name") or "")
    if said["typed"]:
        return student, piece.renamed(f"{said['typed']}.html")
    # A later attempt's files are later attachments.
    return student, piece.renamed(said["file"], (float(said["attachment"]),))
