"""What a machine has to grade with, and whether the graphs that exercises give behave on its
devices as they should.

An exercise's conformance program is the author's own, and runs without walls.
"""

import contextlib
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from pydantic import ValidationError

from grader import __version__
from grader.errors import EnvironmentFault, ExerciseError
from grader.exercise import Exercise, Project
from grader.message import Message
from grader.model import Model
from grader.subject import device as devices
from grader.subject.device import DEVICES, DeviceName
from grader.subject.languages import language
from grader.subject.program import toolchain

#: Seconds for one conformance program. On a GPU, what breaks its process has one of its own there.
LIMIT_S = 600.0


class Device(Model):
    """A device that might be computed on.

    Attributes:
        name: which.
        missing: why it cannot be; None if it seems that it can.
    """

    name: DeviceName
    missing: Message | None


class Toolchain(Model):
    """What a language of the exercises' needs of the machine.

    Attributes:
        language: its id.
        title: its name.
        version: what its own program says of itself; None where something is missing.
        missing: programs that are not here, each with the package that has it.
    """

    language: str
    title: str
    version: str | None
    missing: Mapping[str, str]


class Behaviour(Model):
    """What graphs do in one respect, each in a word.

    Attributes:
        name: of the program that sees it, and of its texts.
        expected: device -> the word that its graphs should say.
        seen: device -> the word that they said; None where they were not run.
    """

    name: str
    expected: Mapping[DeviceName, str]
    seen: Mapping[DeviceName, str | None]

    @property
    def unexpected(self) -> list[DeviceName]:
        """The devices whose graphs say what they should not."""
        return [on for on, word in self.seen.items() if word not in (None, self.expected[on])]

    @property
    def differs(self) -> bool:
        """Whether the devices' graphs are known not to behave alike."""
        return len(set(self.expected.values())) > 1


class Ground(Model):
    """What graphs were run on.

    Attributes:
        hardware: the device, in words.
        torch: torch's version.
    """

    hardware: str
    torch: str


class Conformance(Model):
    """How the graphs behave that one exercise gives.

    Attributes:
        exercise: its id.
        grounds: device -> what they were run on, where they were.
        behaviours: one after the other.
    """

    exercise: str
    grounds: Mapping[DeviceName, Ground]
    behaviours: Sequence[Behaviour]

    @property
    def unexpected(self) -> list[tuple[Behaviour, DeviceName]]:
        """What is not as it should be, and on which device."""
        return [(one, on) for one in self.behaviours for on in one.unexpected]


class Diagnosis(Model):
    """What a machine has to grade with.

    Attributes:
        grader: the grader's version.
        python: Python's.
        executable: the Python that runs.
        platform: the machine and its system.
        torch: torch's version; None if it is not installed.
        devices: what could be computed on.
        toolchains: what submissions can be written in, besides Python.
        graphs: how graphs behave on those that are there; None if nobody asked.
    """

    grader: str
    python: str
    executable: str
    platform: str
    torch: str | None
    devices: Sequence[Device]
    toolchains: Sequence[Toolchain] = ()
    graphs: Sequence[Conformance] | None = None

    @property
    def as_expected(self) -> bool:
        """Whether nothing was seen that should not be."""
        return not any(conformance.unexpected for conformance in self.graphs or ())


def diagnose(project: Project, *, graphs: bool) -> Diagnosis:
    """Look at the machine.

    Args:
        project: whose exercises' graphs are looked at.
        graphs: whether to look at graphs, which takes seconds, and minutes on a GPU.

    Raises:
        ExerciseError: a manifest or a conformance program is at fault.
        EnvironmentFault: a device seems to be there, and no graph could be run on it.
    """
    found = [Device(name=name, missing=devices.missing(name)) for name in DEVICES]
    there = [device.name for device in found if device.missing is None]
    return Diagnosis(
        grader=__version__,
        python=platform.python_version(),
        executable=sys.executable,
        platform=platform.platform(),
        torch=_version("torch"),
        devices=found,
        toolchains=toolchains(project),
        graphs=conformances(project, there) if graphs else None,
    )


def toolchains(project: Project) -> list[Toolchain]:
    """The languages of all exercises, but for Python, and whether they can be had here."""
    exercises = [project.exercise(id) for id in project.ids()]
    named = [(one, name) for one in exercises for name in one.languages() if one.kit(name)]
    return [_toolchain(name) for name in dict.fromkeys(name for _, name in named)]


def _toolchain(name: str) -> Toolchain:
    known = language(name)
    lacking = dict(toolchain.missing(known))
    version = None if lacking else toolchain.Toolchain(known).version()
    return Toolchain(language=name, title=known.title, version=version, missing=lacking)


def conformances(project: Project, there: Sequence[DeviceName]) -> list[Conformance]:
    """How the graphs of all exercises behave.

    Args:
        project: whose exercises.
        there: the devices to run them on, the CPU among them.
    """
    found = map(project.exercise, project.ids())
    return [_conformance(exercise, there) for exercise in found if exercise.manifest.conformance]


def _version(package: str) -> str | None:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


# What a conformance program prints.


class _Expected(Model):
    """The words that a row should have: on the CPU, and on CUDA."""

    expected: str
    cuda: str


class _Seen(Model):
    """The words that the rows have on a device."""

    device: str
    hardware: str
    torch: str
    words: Mapping[str, str]


class _Said(Model):
    """All of it."""

    rows: Mapping[str, _Expected]
    seen: _Seen


def _conformance(exercise: Exercise, there: Sequence[DeviceName]) -> Conformance:
    said = {name: _ask(exercise, name) for name in there}
    return Conformance(
        exercise=exercise.id,
        grounds={
            on: Ground(hardware=one.seen.hardware, torch=one.seen.torch) for on, one in said.items()
        },
        behaviours=[
            Behaviour(
                name=name,
                expected={"cpu": row.expected, "cuda": row.cuda},
                seen={on: said[on].seen.words.get(name) if on in said else None for on in DEVICES},
            )
            for name, row in said["cpu"].rows.items()
        ],
    )


def _ask(exercise: Exercise, device: DeviceName) -> _Said:
    """What a conformance program says of a device.

    Raises:
        ExerciseError: it fails, takes too long or prints something else.
        EnvironmentFault: it fails on another device than the CPU.
    """
    file = exercise.folder / str(exercise.manifest.conformance)
    shown = exercise.shown(file)
    module = f"exercises.{exercise.id}.{file.stem}"
    command = [sys.executable, "-W", "ignore", "-m", module, device]
    try:
        code, out, err = _run(command, exercise.project.root)
    except subprocess.TimeoutExpired:
        raise ExerciseError(
            "exercise.conformance_slow", file=shown, device=device, seconds=LIMIT_S
        ) from None
    if code:
        detail = (err.split("\n") if err else [f"exit {code}"])[-1]
        if device != "cpu":
            raise EnvironmentFault("environment.device", file=shown, device=device, detail=detail)
        raise ExerciseError("exercise.conformance", file=shown, device=device, detail=detail)
    try:
        said = _Said.model_validate_json(out)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        detail = f"{at}: {first['msg']}" if at else first["msg"]
        raise ExerciseError(
            "exercise.conformance", file=shown, device=device, detail=detail
        ) from None
    if said.seen.device != device or said.seen.words.keys() != said.rows.keys() or not said.rows:
        raise ExerciseError("exercise.conformance_rows", file=shown, device=device)
    return said


def _run(command: Sequence[str], folder: Path) -> tuple[int, bytes, str]:
    """Run a program, and all that it starts in turn, to its end or to that of its time.

    Returns:
        Its exit code, what it printed, and what it complained of.

    Raises:
        subprocess.TimeoutExpired: it took too long, and was ended.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=folder, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except BaseException:  # an interrupt as well: Ctrl-C does not reach it by itself
        _kill(process)
        raise
    return process.returncode, out, err.decode("utf-8", "replace").strip()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all in its group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()
