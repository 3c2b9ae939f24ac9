"""Starts subjects that are programs."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from grader.errors import GraderError
from grader.subject import launcher
from grader.subject.allowance import Allowance
from grader.subject.channel import Channel
from grader.subject.device import DeviceName
from grader.subject.isolation import Level
from grader.subject.launcher import ForkServer, FreshProcess, Start, server_of
from grader.subject.program.language import Language
from grader.subject.program.store import Store
from grader.subject.program.toolchain import Toolchain
from grader.subject.program.workshop import Workshop
from grader.subject.source import Built, Source
from grader.subject.system import DEVICES, LIBRARIES

#: Megabytes that compilers may write, and files that they may have open.
_BUILD_MB = 300
_BUILD_FILES = 1024


class ProgramLauncher:
    """Subjects that are programs, and the workshop that builds them.

    Args:
        language: what submissions are written in.
        kit: the folder of what they are given, and of the host program.
        file: the name that a submission must have.
        allowance: what each may take.
        level: how far they are shut in.
        store: where what was built is kept.

    What is missing is said when something is to be built: where many are graded, submissions in
    other languages are none the worse.
    """

    device: DeviceName = "cpu"
    plays = False

    def __init__(
        self,
        language: Language,
        *,
        kit: Path,
        file: str,
        allowance: Allowance,
        level: Level,
        store: Store | None = None,
    ) -> None:
        self._language, self._kit, self._file = language, kit, file
        self._allowance, self._level, self._store = allowance, level, store or Store()
        self.anew = language.anew
        self.kind: Literal["fork", "process"] = "fork" if launcher.FORKS else "process"
        self._fault: GraderError | None = None
        self._workshop: Workshop | None = None
        self._servers: ForkServer | FreshProcess | None = None
        try:
            self._begin()
        except GraderError as fault:
            self._fault = fault

    def _begin(self) -> None:
        """Have everything ready that does not hang on a submission."""
        language, allowance = self._language, self._allowance
        toolchain = Toolchain(language)
        to_build = replace(
            allowance,
            memory_mb=allowance.compile_mb, grading_s=allowance.compile_s,
            scratch_mb=_BUILD_MB, open_files=_BUILD_FILES,
        )  # fmt: skip
        self._workshop = Workshop(
            language, toolchain, kit=self._kit, file=self._file, allowance=to_build,
            level=self._level, store=self._store,
        )  # fmt: skip
        readable = [*LIBRARIES]
        if language.run is not None:
            # What is to be seen behind the walls has to be there before they are.
            readable += [*toolchain.readable(build=False), str(self._workshop.prepared)]
        start = Start(
            role="grader.subject.program.role",
            told={},
            allowance=allowance,
            memory_mb=allowance.memory_mb + language.reserved_mb,
            readable=readable,
            devices=DEVICES,
            starts="itself",
            environment=toolchain.environment if language.run is not None else {},
        )
        self._servers = server_of(start, self._level)

    def build(self, source: Source) -> Built:
        """A submission as a program; see ``Workshop.build``.

        Raises:
            EnvironmentFault: a program of the language is missing.
            ExerciseError: the kit does not compile.
        """
        if self._fault is not None:
            raise self._fault
        assert self._workshop is not None  # noqa: S101 - nothing failed
        return self._workshop.build(source)

    def open(self, built: Built, *, lasting: bool = False) -> Channel:
        """A channel to a subject that nobody has used; see ``Launcher``."""
        assert self._servers is not None  # noqa: S101 - something was built
        return self._servers.open(built, lasting=lasting)

    def release(self, channel: Channel) -> None:
        """End a subject."""
        channel.close()

    def close(self) -> None:
        """End every subject, and every build."""
        for part in (self._workshop, self._servers):
            if part is not None:
                part.close()
