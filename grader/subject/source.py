"""The source of a submission, and what is built from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.message import Message


@dataclass(frozen=True)
class Source:
    """The source of a submission.

    Attributes:
        data: the file's bytes.
        path: the file's name in tracebacks.
        module: the name of the module that it becomes.
    """

    data: bytes
    path: str
    module: str

    def line(self, number: int) -> str | None:
        """The text of a line, from 1, without what indents it; None if there is none."""
        lines = self.data.decode("utf-8", "replace").splitlines()
        return lines[number - 1].strip() if number <= len(lines) else None


@dataclass(frozen=True)
class Built:
    """A submission that subjects can be opened for.

    Attributes:
        source: what it was built from.
        payload: what is loaded in its place; None where it is loaded as it stands.
        program: the file of the program that it became, if it became one.
        command: what a subject runs, where it is no Python: the program's name and arguments.
        advice: what might be better in it.
        out_of_memory: what a subject prints that ends for lack of memory, if it says so.
    """

    source: Source
    payload: bytes | None = None
    program: Path | None = None
    command: Sequence[str] = ()
    advice: Sequence[Message] = ()
    out_of_memory: str | None = None

    @property
    def loaded(self) -> bytes:
        """What a subject is asked to load."""
        return self.source.data if self.payload is None else self.payload
