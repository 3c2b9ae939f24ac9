"""No platform's layout: files named after students, or folders named after them."""

from dataclasses import replace
from pathlib import PurePosixPath

from grader.batch.intake.archive import has_archive_name, has_foreign_archive_name, stem
from grader.batch.intake.dates import date_in
from grader.batch.intake.layouts.layout import Piece, Root, Sorted, Work, gathered, student_called
from grader.batch.intake.wanted import Wanted


def is_one_students(root: Root, wanted: Wanted) -> bool:
    """Whether a folder is one student's, and not a class's.

    Its own files are named after the exercise, not after students; or it is a copy of the project,
    or holds such files in folders with dates. A class has them in several of its folders.
    """
    exact = [piece.inner for piece in root.pieces if wanted.is_exact(piece.name)]
    if any(inner[:-1] == (wanted.home,) for inner in exact):
        return True
    if exact and all(len(inner) == 2 and date_in(inner[0]) for inner in exact):  # noqa: PLR2004
        return True
    if any(len(inner) == 1 for inner in exact):
        return len({inner[0] for inner in exact if len(inner) > 1}) < 2  # noqa: PLR2004
    sources = [piece for piece in root.pieces if wanted.has_ending(piece.name)]
    return len(sources) == 1 and len(sources[0].inner) == 1 and wanted.is_alike(sources[0].name)


def one_students(root: Root) -> Sorted:
    """All as the work of the student that the folder is named after."""
    return Sorted([Work((student_called(root.name),), root.pieces, "/".join(root.at))])


def further_in(root: Root, wanted: Wanted) -> Root | None:
    """The only folder in a folder that holds nothing else of a student's; else nothing."""
    folders = {piece.inner[0] for piece in root.pieces if len(piece.inner) > 1}
    files = [piece.name for piece in root.pieces if len(piece.inner) == 1]
    if len(folders) != 1 or any(_owner_of_file(name, wanted) for name in files):
        return None
    (name,) = folders
    inside = [piece.below(1) for piece in root.pieces if len(piece.inner) > 1]
    named = root.name if root.stands_for_student else name
    return replace(root, name=named, at=(*root.at, name), pieces=inside)


def by_name(root: Root, wanted: Wanted) -> Sorted:
    """Whose every file is, by the folder that it is in, or else by its own name."""
    owners = {piece: _owner(piece, wanted) for piece in root.pieces}
    works = gathered(
        root,
        (
            (student_called(owner), piece.below(1) if len(piece.inner) > 1 else piece)
            for piece, owner in owners.items()
            if owner
        ),
    )
    strays = [piece for piece, owner in owners.items() if not owner]
    if len(works) > 1 or not works:
        return Sorted(works, strays)
    (work,) = works
    if root.stands_for_student:
        work = replace(work, students=(student_called(root.name),))
    alone = len(work.pieces) == 1 and has_archive_name(work.pieces[0].name)
    return Sorted([work], strays, unopened=work.pieces[0] if alone else None)


def _owner(piece: Piece, wanted: Wanted) -> str:
    """The name of the student that a folder or a file is named after; empty if it is of none."""
    return piece.inner[0] if len(piece.inner) > 1 else _owner_of_file(piece.name, wanted)


def _owner_of_file(name: str, wanted: Wanted) -> str:
    if has_archive_name(name) or has_foreign_archive_name(name):
        return stem(name)
    named = wanted.has_ending(name) and not wanted.is_alike(name)
    return PurePosixPath(name).stem if named else ""
