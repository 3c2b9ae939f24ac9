"""The programs of a language, as this machine has them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import EnvironmentFault
from grader.subject.program.language import Command, Language

#: Where a system's own programs lie, which need no folder around them but the system's.
_SYSTEM = ("/bin", "/usr/bin", "/usr/local/bin")

#: What compilers read of a system, besides their own folders.
_TO_BUILD = ("/bin", "/usr", "/etc/alternatives")

#: Seconds that a program has to say who it is.
_ASK_S = 60


def missing(language: Language) -> list[tuple[str, str]]:
    """Programs of a language that are not here, each with the package that has it."""
    return [
        (program, package)
        for program, package in language.packages.items()
        if shutil.which(program) is None
    ]


@dataclass(frozen=True)
class Toolchain:
    """The programs of a language.

    Args:
        language: whose.

    Raises:
        EnvironmentFault: one of them is missing; the message names its package.
    """

    language: Language

    def __post_init__(self) -> None:
        for program, package in missing(self.language):
            raise EnvironmentFault(
                "environment.no_toolchain",
                language=self.language.title, program=program, package=package,
            )  # fmt: skip

    def command(self, command: Command) -> list[str]:
        """A command whose program is told by its place."""
        return [str(self._place(command[0])), *command[1:]]

    @property
    def print(self) -> list[list[object]]:
        """What tells these programs from others, without starting any of them."""
        found = []
        for program in self.language.packages:
            place = self._place(program).resolve()
            stat = place.stat()
            found.append([program, str(place), stat.st_size, stat.st_mtime_ns])
        return found

    @property
    def environment(self) -> dict[str, str]:
        """What these programs need to find each other, and their own libraries.

        A program finds those beside itself by way of ``/proc``, of which walls leave nothing.
        """
        folders = [str(self._place(program).parent) for program in self.language.packages]
        libraries = [str(home / "lib") for home in self._homes() if (home / "lib").is_dir()]
        return {
            "PATH": os.pathsep.join(dict.fromkeys([*folders, *_SYSTEM])),
            "LD_LIBRARY_PATH": os.pathsep.join(dict.fromkeys(libraries)),
        }

    def version(self) -> str:
        """What the language's own program says of its version, in one line."""
        command = self.command(self.language.version)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_ASK_S, check=False,
        )  # fmt: skip
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else "?"

    def readable(self, *, build: bool) -> list[str]:
        """What has to be read to run a program of the language, or to build one."""
        places = [str(place) for pattern in self.language.reads for place in _glob(pattern)]
        homes = [str(home) for home in self._homes()]
        return [*(_TO_BUILD if build else ()), *homes, *places]

    def _homes(self) -> Iterator[Path]:
        """The folders that the programs have to themselves; a system's own program alone."""
        for program in self.language.packages:
            for place in (self._place(program), self._place(program).resolve()):
                if place.parent.name == "bin" and str(place.parent) not in _SYSTEM:
                    yield place.parents[1]
                else:
                    yield place

    def _place(self, program: str) -> Path:
        """Where a program lies; where another stands in for it, the one that it leads to."""
        if self.language.home is not None:
            place = _home(self.language.home) / "bin" / program
            if place.exists():
                return place
        found = shutil.which(program)
        return Path(found if found is not None else program).absolute()


def _home(command: Command) -> Path:
    """What a program says of the folder that it really lies in."""
    if tuple(command) not in _known:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=_ASK_S, check=False,
        )  # fmt: skip
        _known[tuple(command)] = Path(os.fsdecode(done.stdout.strip()) or "/")
    return _known[tuple(command)]


_known: dict[tuple[str, ...], Path] = {}


def _glob(pattern: str) -> Iterator[Path]:
    yield from Path("/").glob(pattern.lstrip("/"))
