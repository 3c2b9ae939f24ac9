"""What came of a build: what the compilers said, and where what they made is kept."""

import base64
import contextlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from grader.subject.program.builder import TIMED_OUT
from grader.subject.program.language import CLASSES, PROGRAM, Diagnostic, Language

#: The file that says what came of a build, besides files.
_SAID = "said.json"

#: An archive without anything in it.
NOTHING = base64.b64encode(b"PK\x05\x06" + bytes(18)).decode("ascii")


@dataclass(frozen=True)
class Made:
    """What came of a build.

    Attributes:
        code: of the last command, or ``TIMED_OUT``.
        said: what the commands printed.
        language: that of the compilers.
        place: the folder that holds what was made, where it is kept.
    """

    code: int | str
    said: str
    language: Language
    place: Path | None = None

    @classmethod
    def kept(cls, place: Path, language: Language) -> Self:
        """What came of a build that was kept."""
        told = json.loads((place / _SAID).read_text("utf-8"))
        return cls(told["code"], told["said"], language, place)

    def keep(self, folder: Path, files: bytes) -> None:
        """Put it down in a folder.

        Args:
            folder: empty.
            files: what a builder kept.
        """
        told = json.dumps({"code": self.code, "said": self.said})
        (folder / _SAID).write_text(told, "utf-8")
        _unpack(files, folder)

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """What the compilers say."""
        return list(self.language.diagnose(self.said))

    @property
    def is_final(self) -> bool:
        """Whether the same would come of it again: a machine may lack memory for a while."""
        told = (one for one in self.diagnostics if one.severity == "error" and one.line)
        return self.code == 0 or (self.code != TIMED_OUT and any(told))


def _unpack(kept: bytes, folder: Path) -> None:
    """Put down what a builder kept: classes as an archive, the rest as it is.

    It comes from behind the walls: names that lead out of the folder lead into it (``extract``).
    """
    with zipfile.ZipFile(io.BytesIO(kept)) as archive, contextlib.ExitStack() as closing:
        classes: zipfile.ZipFile | None = None
        for info in archive.infolist():
            if not info.filename.startswith(f"{CLASSES}/"):
                archive.extract(info, folder)
                continue
            if classes is None:
                packed = zipfile.ZipFile(folder / f"{CLASSES}.zip", "w")
                classes = closing.enter_context(packed)
            name = info.filename.removeprefix(f"{CLASSES}/")
            classes.writestr(zipfile.ZipInfo(name), archive.read(info))
    # Behind the walls it may be somebody else who reads it, and nobody else gets to where it lies.
    folder.chmod(0o755)
    program = folder / PROGRAM
    if program.exists():
        program.chmod(0o755)
