"""Gradescope: a folder for every submission, and one file that says whose each of them is.

``submission_metadata.yml`` holds ``submission_<id>: {:submitters: [{:name, :sid, :email}]}``, with
keys as Ruby writes its symbols.
"""

from collections.abc import Iterator, Mapping

import yaml

from grader.batch.attempt import Note
from grader.batch.intake.layouts.layout import Piece, Root, Sorted, Work, student_called
from grader.batch.intake.member import Refused, TooLarge
from grader.batch.intake.wanted import Wanted
from grader.cohort.student import Student
from grader.message import Message

_METADATA = "submission_metadata.yml"

#: Bytes. Thousands of submissions with their results have fewer.
_LIMIT = 32 * 1024 * 1024

#: Makes texts, lists and mappings alone, whatever the file's tags ask for, and leaves an id of
#: ``0123`` what it is. The one in C is many times as fast, and not everywhere.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

#: How YAML may write that there is nothing.
_NOTHING = ("", "~", "null")


def recognise(root: Root, _wanted: Wanted) -> Sorted | None:
    """An export of Gradescope; nothing if it is none."""
    metadata = next((piece for piece in root.pieces if piece.inner == (_METADATA,)), None)
    if metadata is None:
        return None
    try:
        people = _people(metadata.member.read(_LIMIT))
        note = Note(metadata.member.path, "taken", Message("intake.people"))
    except (Refused, TooLarge, yaml.YAMLError, RecursionError) as error:
        people = {}
        detail = {"detail": str(getattr(error, "problem", None) or error)}
        note = Note(metadata.member.path, "refused", Message("intake.no_people", detail))
    folders: dict[str, list[Piece]] = {id: [] for id in people}
    for piece in root.pieces:
        if len(piece.inner) > 1:
            folders.setdefault(piece.inner[0], []).append(piece.below(1))
    works = [
        Work(people.get(id) or (student_called(id),), folders[id], "/".join((*root.at, id)))
        for id in sorted(folders)
    ]
    strays = [piece for piece in root.pieces if len(piece.inner) == 1 and piece != metadata]
    return Sorted(works, strays, [note])


def _people(text: bytes) -> dict[str, tuple[Student, ...]]:
    """Submission -> who handed it in."""
    said = yaml.load(text, _LOADER)  # noqa: S506 - it makes nothing but texts, lists and mappings
    if not isinstance(said, Mapping):
        return {}
    return {
        str(id): tuple(_students(submission))
        for id, submission in said.items()
        if isinstance(submission, Mapping)
    }


def _students(submission: Mapping[object, object]) -> Iterator[Student]:
    submitters = submission.get(":submitters", submission.get("submitters"))
    for said in submitters if isinstance(submitters, list) else ():
        if isinstance(said, Mapping):
            sid, email, name = (_text(said, key) for key in ("sid", "email", "name"))
            if id := sid or email or name:
                yield Student(id=id, name=name, email=email)


def _text(said: Mapping[object, object], key: str) -> str:
    value = said.get(f":{key}", said.get(key))
    return value.strip() if isinstance(value, str) and value not in _NOTHING else ""
