"""Builds submissions into programs, once for each content, within walls."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.errors import EnvironmentFault, ExerciseError, SubmissionError
from grader.message import Message
from grader.subject.allowance import Allowance
from grader.subject.channel import Channel
from grader.subject.isolation import Level
from grader.subject.launcher import ForkServer, FreshProcess, Start, server_of
from grader.subject.program.builder import TIMED_OUT
from grader.subject.program.language import (
    CLASSES,
    PREPARED,
    PROGRAM,
    Command,
    Diagnostic,
    Language,
)
from grader.subject.program.made import NOTHING, Made
from grader.subject.program.store import Store, key_of
from grader.subject.program.toolchain import Toolchain
from grader.subject.source import Built, Source
from grader.subject.system import DEVICES, LIBRARIES

#: Seconds beyond those of the build that a builder has, to be opened and to answer.
_SPARE_S = 10.0

#: Lines of a compiler's that are shown, and warnings that are passed on.
_SHOWN = 5
_MAX_WARNINGS = 10

_BOM = b"\xef\xbb\xbf"


class Workshop:
    """Builds submissions in one language to one exercise.

    Args:
        language: which.
        toolchain: its programs.
        kit: the folder of what submissions are given, and of the host program.
        file: the name that a submission must have.
        allowance: what builds may take.
        level: how far they are shut in.
        store: where what was built is kept.
    """

    def __init__(
        self,
        language: Language,
        toolchain: Toolchain,
        *,
        kit: Path,
        file: str,
        allowance: Allowance,
        level: Level,
        store: Store,
    ) -> None:
        self._language, self._toolchain, self._kit, self._file = language, toolchain, kit, file
        self._allowance, self._level, self._store = allowance, level, store
        self._server: ForkServer | FreshProcess | None = None

    @cached_property
    def prepared(self) -> Path:
        """The folder of the kit, or of what it was prepared to.

        Raises:
            ExerciseError: it does not compile.
        """
        commands = self._language.prepare(self._names)
        if not commands:
            return self._kit
        made = self._made(self._files, commands, [f"{PREPARED}/"])
        if made.place is None or made.code:
            detail = "\n".join(made.said.splitlines()[:_SHOWN])
            raise ExerciseError("exercise.kit", language=self._language.title, detail=detail)
        return made.place / PREPARED

    def build(self, source: Source) -> Built:
        """A submission as a program, or as what a program loads.

        Raises:
            SubmissionError: kind ``compile``, ``interface``, ``encoding`` or ``timeout``.
            EnvironmentFault: nothing can be built here.
        """
        self._expect_text(source)
        if self._language.build is None:
            return self._opened(Built(source), None)
        data = source.data.removeprefix(_BOM)
        files = {**self._files, **self._prepared_files, self._file: data}
        commands = self._language.build(self._file, self._names)
        made = self._made(files, commands, [PROGRAM, f"{CLASSES}/"])
        if made.code:
            raise self._complaint(made, source)
        return self._opened(Built(source, advice=self._advice(made)), made.place)

    def close(self) -> None:
        """End every build."""
        if self._server is not None:
            self._server.close()

    def _opened(self, built: Built, place: Path | None) -> Built:
        """What a subject runs, and what it loads."""
        built = replace(built, out_of_memory=self._language.out_of_memory)
        if self._language.run is None:
            assert place is not None  # noqa: S101 - what is no program is run by one
            program = place / PROGRAM
            return replace(built, payload=b"", program=program, command=[self._file])
        command = self._toolchain.command(self._language.run(str(self.prepared)))
        command[0] = str(Path(command[0]).resolve())
        payload = (place / f"{CLASSES}.zip").read_bytes() if place else None
        return replace(built, payload=payload, program=Path(command[0]), command=command)

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """The kit's files by their names."""
        return _files_in(self._kit)

    @property
    def _names(self) -> list[str]:
        return list(self._files)

    @cached_property
    def _prepared_files(self) -> dict[str, bytes]:
        if self.prepared == self._kit:
            return {}
        found = _files_in(self.prepared)
        return {f"{PREPARED}/{name}": data for name, data in found.items()}

    def _made(
        self, files: Mapping[str, bytes], commands: Sequence[Command], keep: Sequence[str]
    ) -> Made:
        """What commands make of files, made now or at some other time."""
        placed = [self._toolchain.command(command) for command in commands]
        key = key_of(self._toolchain.print, placed, files, keep)
        known = self._known(key)
        if known is not None:
            return known
        reply = self._ask(files, placed, keep)
        made = Made(reply["code"], reply["said"], self._language)
        if not made.is_final:
            return made
        try:
            with self._store.making(key) as new:
                made.keep(new, base64.b64decode(reply["kept"]))
        except OSError as error:
            raise self._unkept(error) from None
        known = self._known(key)
        if known is None:
            raise self._unkept("?")
        return known

    def _known(self, key: str) -> Made | None:
        """What was kept, if it is there and whole."""
        place = self._store.find(key)
        if place is None:
            return None
        try:
            return Made.kept(place, self._language)
        except (OSError, ValueError, KeyError):
            self._store.drop(key)
            return None

    def _unkept(self, why: object) -> EnvironmentFault:
        return EnvironmentFault("environment.cache", folder=str(self._store.root), detail=str(why))

    def _ask(
        self, files: Mapping[str, bytes], commands: Sequence[Command], keep: Sequence[str]
    ) -> dict[str, Any]:
        """What a builder makes of it."""
        seconds = self._allowance.grading_s
        channel = self._open()
        try:
            channel.await_walls(_SPARE_S)
            number = channel.send(
                "build", files=dict(files), commands=commands, keep=keep, seconds=seconds
            )
            reply = channel.receive(
                number, seconds=seconds + _SPARE_S, output_mb=1.0, doing="build"
            )
        except SubmissionError as error:
            if error.kind == "timeout":
                return {"code": TIMED_OUT, "said": "", "kept": NOTHING}
            detail = error.kind
            raise EnvironmentFault("environment.build", detail=detail) from None
        finally:
            channel.close()
        value: dict[str, Any] = reply["value"]
        return value

    def _open(self) -> Channel:
        if self._server is None:
            start = Start(
                role="grader.subject.program.builder",
                told={},
                allowance=self._allowance,
                memory_mb=self._allowance.memory_mb,
                readable=[*LIBRARIES, *self._toolchain.readable(build=True)],
                devices=DEVICES,
                starts="programs",
                environment=self._toolchain.environment,
            )
            self._server = server_of(start, self._level)
        return self._server.open()

    def _expect_text(self, source: Source) -> None:
        """A source must be in the encoding that its language wants."""
        if self._language.text is None:
            return
        try:
            source.data.decode(self._language.text)
        except UnicodeDecodeError as error:
            line = source.data.count(b"\n", 0, error.start) + 1
            wanted = {"encoding": self._language.text}
            raise SubmissionError("encoding", dict(wanted), line=line) from None

    def _complaint(self, made: Made, source: Source) -> SubmissionError:
        """Why a submission could not be built: the first error in it, then the others."""
        if made.code == TIMED_OUT:
            seconds = self._allowance.grading_s
            return SubmissionError(
                "timeout", {"seconds": seconds, "doing": "compile"}, text="timeout_compile"
            )
        errors = [one for one in made.diagnostics if one.severity == "error"]
        own = [one for one in errors if self._is_own(one)]
        if own:
            first, others = own[0], own[1:_SHOWN]
            lines = [first.message, *(f"{self._file}:{one.line}: {one.message}" for one in others)]
            params = {"language": self._language.title, "detail": "\n".join(lines)}
            code = source.line(first.line) if first.line else None
            return SubmissionError("compile", dict(params), line=first.line, code=code)
        # What the host program cannot do with a submission, the submission does not offer.
        lines = [one.message for one in errors[:_SHOWN]]
        if errors:
            return SubmissionError("interface", {"detail": "\n".join(lines)})
        detail = "\n".join(made.said.strip().splitlines()[-_SHOWN:]) or str(made.code)
        return SubmissionError("compile", {"language": self._language.title, "detail": detail})

    def _advice(self, made: Made) -> list[Message]:
        """Warnings about the submission, as advice."""
        warnings = [one for one in made.diagnostics if one.severity == "warning"]
        own = [one for one in warnings if self._is_own(one)]
        return [
            Message("advice.warning", {"line": one.line, "detail": one.message})
            for one in own[:_MAX_WARNINGS]
        ]

    def _is_own(self, said: Diagnostic) -> bool:
        return Path(said.file).name == self._file


def _files_in(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by their names there."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
