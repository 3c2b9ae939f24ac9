"""A submission: one file, read once, as bytes."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SubmissionError
from grader.exercise import Exercise

#: No source of an exercise comes near this many bytes.
MAX_BYTES = 1024 * 1024

_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True)
class Submission:
    """What is graded.

    Attributes:
        path: as the user named it, for messages.
        language: a key of the exercise's languages.
        source: the file's bytes; empty where it could not be read.
        problem: why it cannot be graded at all, where that is known without running it.
    """

    path: str
    language: str
    source: bytes
    problem: SubmissionError | None = None

    @property
    def sha256(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def is_starter(self) -> bool:
        """Whether nobody has written anything in it."""
        return self.problem is not None and self.problem.kind == "starter"

    @property
    def name(self) -> str:
        """Its file name."""
        return Path(self.path).name


def read(path: Path, exercise: Exercise, language: str) -> Submission:
    """Read a file as a submission to an exercise, whose starter is recognised."""
    try:
        source = _read_bytes(path)
    except SubmissionError as error:
        return Submission(str(path), language, b"", error)
    return recognise(source, str(path), exercise, language)


def recognise(source: bytes, path: str, exercise: Exercise, language: str) -> Submission:
    """Bytes as a submission to an exercise, whose starter is recognised.

    Args:
        source: what was handed in, of no more than ``MAX_BYTES``.
        path: where it is from, for messages.
        exercise: what it is to be graded as.
        language: a key of the exercise's languages.
    """
    problem = _problem_in(source)
    if problem is None and _normal(source) == _normal(exercise.starter(language).read_bytes()):
        problem = SubmissionError("starter", {"file": path})
    return Submission(path, language, source, problem)


def _read_bytes(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        SubmissionError: there is none, it cannot be read, or it is far too large.
    """
    file: dict[str, object] = {"file": str(path)}
    try:
        if path.is_dir():
            raise SubmissionError("folder", file)
        if not path.exists():
            raise SubmissionError("missing", file, text="missing_file")
        if not path.is_file():  # a pipe or a device may never end
            raise SubmissionError("unreadable", {**file, "detail": "not a regular file"})
        with path.open("rb") as stream:
            source = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise SubmissionError("unreadable", {**file, "detail": error.strerror}) from None
    if len(source) > MAX_BYTES:
        raise SubmissionError("too_large", {**file, "limit": MAX_BYTES})
    return source


def _problem_in(source: bytes) -> SubmissionError | None:
    """What makes bytes no source in any language."""
    if not source.strip(b" \t\r\n\f\xef\xbb\xbf"):
        return SubmissionError("empty")
    encoding = _BOMS.get(source[:2]) or ("NUL" if b"\0" in source else None)
    if encoding is not None:
        line = source.count(b"\n", 0, source.find(b"\0")) + 1 if encoding == "NUL" else None
        return SubmissionError("encoding", {"encoding": encoding}, line=line, text="not_text")
    return None


def _normal(source: bytes) -> bytes:
    """A source without what an editor changes by itself: BOM, line ends, blanks at line ends."""
    lines = source.removeprefix(b"\xef\xbb\xbf").splitlines()
    return b"\n".join(line.rstrip() for line in lines).strip()
