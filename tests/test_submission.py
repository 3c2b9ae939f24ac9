"""Reading a submission: what is taken as it is, and what is known without running it."""

import hashlib
import os
from pathlib import Path

import pytest

from grader import submission
from grader.submission import read

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def path(tmp_path):
    """Where the submission is to lie."""
    return tmp_path / "my.py"


@pytest.fixture
def starter(stack):
    """The starter's bytes."""
    return stack.starter("python").read_bytes()


def problem_of(stack, path: Path, content: bytes | None = None):
    """What is found wrong with a file, as its error's kind and its message's id."""
    if content is not None:
        path.write_bytes(content)
    found = read(path, stack, "python")
    assert found.source == (b"" if content is None else content)
    return found.problem and (found.problem.kind, found.problem.message.id)


# --- what can be read ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"x = 1\r\n", BOM + b"x = 1", "# 填充".encode("gbk"), b"\xff", b"def (", b"x\r\r\n\f"],
)
def test_bytes_as_they_are(stack, path, content):
    """The bytes are kept as they are; whether they are Python is for the subject to find out."""
    path.write_bytes(content)
    found = read(path, stack, "python")
    assert (found.source, found.problem) == (content, None)
    assert found.sha256 == hashlib.sha256(content).hexdigest()
    assert (found.path, found.name, found.language) == (str(path), "my.py", "python")


def test_path_as_named(stack, path, monkeypatch):
    """The path in messages is what the user typed, not what it resolves to."""
    path.write_bytes(b"x = 1")
    monkeypatch.chdir(path.parent)
    assert read(Path("./my.py"), stack, "python").path == "my.py"


def test_link(stack, path, starter):
    """A link to a file is as good as the file."""
    path.symlink_to(stack.solution("python"))
    assert read(path, stack, "python").source == stack.solution("python").read_bytes()


def test_largest(stack, path, monkeypatch):
    """A file of exactly the greatest size is read whole; one byte more is too large."""
    monkeypatch.setattr(submission, "MAX_BYTES", 1000)
    assert problem_of(stack, path, b"#" * 1000) is None
    path.write_bytes(b"#" * 1001)
    found = read(path, stack, "python")
    assert (found.problem.kind, found.source) == ("too_large", b"")
    assert found.problem.params == {"file": str(path), "limit": 1000}


# --- what cannot be read -------------------------------------------------------------------------


def test_missing(stack, path):
    """No file is no submission: the kind that a class that is missing has, with a text of its own."""
    assert problem_of(stack, path) == ("missing", "error.missing_file")


def test_dead_link(stack, path):
    """A link to nothing is missing."""
    path.symlink_to(path.with_name("gone.py"))
    assert problem_of(stack, path) == ("missing", "error.missing_file")


def test_link_to_itself(stack, path):
    """A link that never ends is missing, or cannot be read, and is no endless loop."""
    path.symlink_to(path)
    assert problem_of(stack, path)[0] in ("missing", "unreadable")


@pytest.mark.parametrize("name", ["x" * 300 + ".py", "a\0b.py"], ids=["too_long", "nul"])
def test_impossible_name(stack, path, name):
    """A name that no file can have is missing, or cannot be read."""
    assert problem_of(stack, path.with_name(name))[0] in ("missing", "unreadable")


def test_folder(stack, path):
    """A folder is told from a file, also by way of a link."""
    path.mkdir()
    assert problem_of(stack, path) == ("folder", "error.folder")
    link = path.with_name("link.py")
    link.symlink_to(path)
    assert problem_of(stack, link) == ("folder", "error.folder")


def test_pipe(stack, path):
    """A pipe, which may never end, is not even opened."""
    os.mkfifo(path)
    assert problem_of(stack, path) == ("unreadable", "error.unreadable")


def test_device(stack):
    """Nor is a device."""
    assert problem_of(stack, Path("/dev/zero")) == ("unreadable", "error.unreadable")


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(5, "I/O error")]
)
def test_unreadable(stack, path, monkeypatch, error):
    """What the system says when it refuses is told."""

    def refuse(*_):
        raise error

    path.write_bytes(b"x = 1")
    monkeypatch.setattr(Path, "open", refuse)
    found = read(path, stack, "python").problem
    assert (found.kind, found.params["detail"]) == ("unreadable", error.strerror)


def test_forbidden_folder(stack, path, monkeypatch):
    """So is that the folder it lies in may not be searched."""

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    assert problem_of(stack, path)[0] in ("missing", "unreadable")


# --- what is no source ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"", b"\n", BOM, BOM + b"\r\n \t\f\r\n"], ids=["no_bytes", "line", "bom", "blanks"]
)
def test_empty(stack, path, content):
    """A file without anything but blanks and a BOM is empty."""
    assert problem_of(stack, path, content) == ("empty", "error.empty")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("text", ["import torch\n", "栈"])
def test_utf16(stack, path, encoding, text):
    """UTF-16, by its BOM, is told to be saved as UTF-8."""
    bom = "\ufeff" if encoding == "utf-16-be" else ""
    content = (bom + text).encode(encoding)
    assert problem_of(stack, path, content) == ("encoding", "error.not_text")
    found = read(path, stack, "python").problem
    assert (found.params["encoding"], found.line) == ("UTF-16", None)


def test_nul(stack, path):
    """A NUL is no text; its line is told."""
    content = b"import torch\n# fine\nx = 1\0\n\0"
    assert problem_of(stack, path, content) == ("encoding", "error.not_text")
    found = read(path, stack, "python").problem
    assert (found.params["encoding"], found.line) == ("NUL", 3)


# --- the starter ---------------------------------------------------------------------------------

EDITORS = {
    "as_it_is": lambda text: text,
    "crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "cr": lambda text: text.replace(b"\n", b"\r"),
    "bom": lambda text: BOM + text,
    "bom_and_crlf": lambda text: BOM + text.replace(b"\n", b"\r\n"),
    "blanks_at_line_ends": lambda text: text.replace(b"\n", b" \t\n"),
    "no_last_line_end": lambda text: text.rstrip(b"\n"),
    "more_line_ends": lambda text: text + b"\n\n \n",
}


@pytest.mark.parametrize("saved", EDITORS.values(), ids=EDITORS)
@pytest.mark.parametrize("exercise", ["stack", "p17"])
def test_starter(request, path, exercise, saved):
    """The starter is recognised, whatever an editor makes of its BOM, line ends and blanks."""
    exercise = request.getfixturevalue(exercise)
    content = saved(exercise.starter("python").read_bytes())
    assert problem_of(exercise, path, content) == ("starter", "error.starter")


@pytest.mark.parametrize(
    "change",
    [lambda text: text + b"# mine\n", lambda text: text.replace(b"raise", b"raise ", 1),
     lambda text: text.replace(b"NotImplementedError", b"ValueError", 1),
     lambda text: text.replace(b"    def", b"     def", 1), lambda text: text[: len(text) // 2]],
    ids=["comment", "blank_within_line", "word", "indentation", "half"],
)  # fmt: skip
def test_changed_starter(stack, path, starter, change):
    """A starter that somebody has begun to work on is a submission."""
    assert change(starter) != starter
    assert problem_of(stack, path, change(starter)) is None


def test_mine_is_the_starter(p17, stack):
    """The student's own file, as it is shipped, is the starter."""
    for exercise in (p17, stack):
        problem = read(exercise.mine("python"), exercise, "python").problem
        assert problem is not None
        assert problem.kind == "starter"
