"""What tests of the intake use: downloads laid out in folders and archives, sound and hostile."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.batch.attempt import Attempt, Note

#: A submission to the tiny exercise.
WORK = b"class Stack:\n    pass\n"

#: Path -> what is there; text and bytes alike.
Files = Mapping[str, bytes | str]


def laid_out(folder: Path, files: Files) -> Path:
    """A folder with files in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


def zipped(
    files: Files | Iterable[tuple[str | zipfile.ZipInfo, bytes | str]],
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """A zip file with members of these names, whatever they are, the same at any time.

    Args:
        files: what is in it; what is said of a member stands as it is.
        method: how they are packed.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items() if isinstance(files, Mapping) else files:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(info, as_bytes(content), compress_type=method)
    return stream.getvalue()


def zipped_as(raw: bytes, content: bytes | str = WORK) -> bytes:
    """A zip file with one member whose name is these bytes, without the flag that says UTF-8."""
    placeholder = b"#" * len(raw)
    return zipped({placeholder.decode(): content}).replace(placeholder, raw)


def tarred(
    files: Files | Iterable[tuple[str | tarfile.TarInfo, bytes | str]], *, packed: bool = False,
    form: int = tarfile.PAX_FORMAT,
) -> bytes:  # fmt: skip
    """A tar file with members of these names.

    Args:
        files: what is in it; a header that is given stands as it is, but for its size.
        packed: whether gzip goes over it.
        form: one of tarfile's formats.
    """
    stream = io.BytesIO()
    with tarfile.open(
        fileobj=stream, mode="w", format=form, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for name, content in files.items() if isinstance(files, Mapping) else files:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(as_bytes(content)))
    return gzip.compress(stream.getvalue(), mtime=0) if packed else stream.getvalue()


def special(name: str, kind: bytes, link: str = "") -> tuple[tarfile.TarInfo, bytes]:
    """A member of a tar file that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, b""


def as_bytes(content: bytes | str) -> bytes:
    """A text's bytes."""
    return content.encode() if isinstance(content, str) else content


# --- what came of it -----------------------------------------------------------------------------


def attempts(things: Iterable[Attempt | Note]) -> list[Attempt]:
    """The attempts among what intake gives."""
    return [thing for thing in things if isinstance(thing, Attempt)]


def notes(things: Iterable[Attempt | Note]) -> dict[str, str]:
    """Path -> the id of the note on it."""
    return {thing.path: thing.message.id for thing in things if isinstance(thing, Note)}


def found(things: Iterable[Attempt | Note]) -> dict[str, str]:
    """Student -> the path of their attempt, or what is wrong with it; of several the last."""
    return {
        "+".join(student.id for student in attempt.students): (
            attempt.submission.problem.message.id
            if attempt.submission.problem
            else attempt.submission.path
        )
        for attempt in sorted(attempts(things), key=lambda attempt: attempt.order)
    }
