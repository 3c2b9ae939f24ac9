"""Starts Python subjects, forked from a server that holds torch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.subject import launcher
from grader.subject.allowance import Allowance
from grader.subject.device import DeviceName, facts_of, files_of
from grader.subject.isolation import WALLS, Level
from grader.subject.launcher import FORKS, Launcher, Start, walls_of
from grader.subject.python import libraries
from grader.subject.system import DEVICES


@dataclass(frozen=True)
class Preload:
    """What is imported before any submission is seen.

    Attributes:
        libraries: modules by name, such as ``torch``.
        given: dotted name -> file, the modules that students import.
        exercise: the exercise's module for the subject's side, if it has one.
        device: what subjects compute on.
    """

    libraries: tuple[str, ...] = ()
    given: dict[str, Path] = field(default_factory=dict)
    exercise: Path | None = None
    device: DeviceName = "cpu"


class ForkServer(launcher.ForkServer):
    """Python subjects, forked from one process that has everything imported.

    Args:
        preload: what is imported.
        allowance: what a subject may take.
        walls: the walls to build around each.
    """

    def __init__(
        self,
        preload: Preload,
        allowance: Allowance | None = None,
        walls: Sequence[str] = WALLS,
    ) -> None:
        super().__init__(start_of(preload, allowance or Allowance(), walls), walls)


class FreshProcess(launcher.FreshProcess):
    """Python subjects, each in a process that imports everything for itself.

    Args:
        preload: what is imported.
        allowance: what a subject may take.
    """

    def __init__(self, preload: Preload, allowance: Allowance | None = None) -> None:
        super().__init__(start_of(preload, allowance or Allowance(), ()))


def start_of(preload: Preload, allowance: Allowance, walls: Sequence[str]) -> Start:
    """What a server of Python subjects is started with.

    Args:
        preload: what they import, and compute on.
        allowance: what each may take.
        walls: those to build.
    """
    search_path = libraries.search_path(preload.libraries)
    readable = [*libraries.readable(search_path), *facts_of(preload.device)] if walls else []
    return Start(
        role="grader.subject.python.role",
        told={
            "sys_path": search_path,
            "preload": preload.libraries,
            "given": {name: str(path) for name, path in preload.given.items()},
            "exercise": str(preload.exercise) if preload.exercise else None,
            "device": preload.device,
        },
        allowance=allowance,
        memory_mb=allowance.memory_mb if preload.device == "cpu" else None,
        readable=readable,
        devices=[*DEVICES, *files_of(preload.device)],
        device=preload.device,
    )


def launch(preload: Preload, allowance: Allowance, level: Level) -> Launcher:
    """The launcher for this platform, with every wall that it has unless the level is ``none``."""
    if not FORKS:
        return FreshProcess(preload, allowance)
    return ForkServer(preload, allowance, walls_of(level))
