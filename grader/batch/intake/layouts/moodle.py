"""Moodle: a folder for every participant, or their names before those of the files.

``<full name>_<id>_assignsubmission_file``, in older versions with a further ``_``. The name is that
of a group where groups hand in, and one word for all where marking is blind; the id is that of
the grading worksheet (Moodle, ``mod/assign/classes/downloader.php``).
"""

import re

from grader.batch.intake.layouts.layout import Piece, Root, Sorted, gathered, student_called
from grader.batch.intake.wanted import Wanted
from grader.cohort.student import Student

_OWNER = r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?:file|onlinetext)"
_FOLDER = re.compile(rf"{_OWNER}_?", re.DOTALL)
_FLAT = re.compile(rf"{_OWNER}_(?P<file>.+)", re.DOTALL)

#: What a participant is called where marking is blind, in the site's language.
_NOBODY = ("Participant", "参与者")


def recognise(root: Root, _wanted: Wanted) -> Sorted | None:
    """A download of Moodle; nothing if it is none."""
    owned = [found for piece in root.pieces if (found := _owned(piece))]
    if not owned:
        return None
    strays = [piece for piece in root.pieces if not _owned(piece)]
    return Sorted(gathered(root, owned), strays)


def _owned(piece: Piece) -> tuple[Student, Piece] | None:
    if len(piece.inner) > 1:
        match = _FOLDER.fullmatch(piece.inner[0])
        return (_student(match), piece.below(1)) if match else None
    match = _FLAT.fullmatch(piece.name)
    return (_student(match), piece.renamed(match["file"])) if match else None


def _student(match: re.Match[str]) -> Student:
    name = match["name"]
    if match["id"] is None:  # the group of those who are in none
        return student_called(name)
    # The name of a group that was asked for stands before a participant's.
    blind = name.rpartition("-")[2] in _NOBODY
    return Student(id=match["id"], name="" if blind else name)
