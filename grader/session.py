"""A grader ready to grade, the slow imports of its subjects begun before its own."""

import contextlib
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Self

from grader.errors import EnvironmentFault, ExerciseError, UsageError
from grader.exercise import Exercise
from grader.message import Message
from grader.subject.device import DeviceName, Wanted, missing
from grader.subject.isolation import Level
from grader.subject.python.launcher import launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.checks.precedents import Precedents
    from grader.grading import Grader
    from grader.score import Score
    from grader.subject.launcher import Launcher
    from grader.submission import Submission
    from grader.validate import Finding, Report


#: A seed is drawn below this, so that it is short enough to type again.
_SEEDS = 10**6


def draw_seed() -> int:
    """A seed that nobody could have known."""
    return secrets.randbelow(_SEEDS)


def open_grader(
    exercise: Exercise,
    language: str,
    level: Level = "best",
    *,
    device: DeviceName = "cpu",
    precedents: "Precedents | None" = None,
) -> "Grader":
    """A grader for submissions in one language on one device; close it after use.

    Args:
        exercise: what is graded.
        language: a key of the exercise's languages.
        level: how much isolation there must be.
        device: what submissions compute on.
        precedents: where there will be many gradings with one seed: what was found of one
            submission is then found again of others that give the same answers.

    Raises:
        ExerciseError: the exercise's manifest is at fault.
    """
    launcher = _launcher(exercise, language, level, device)
    try:
        # Meanwhile the launcher's imports run.
        from grader.grading import Grader  # noqa: PLC0415

        return Grader(exercise, language, launcher, level, precedents)
    except BaseException:
        launcher.close()
        raise


def _launcher(exercise: Exercise, language: str, level: Level, device: DeviceName) -> "Launcher":
    kit, allowance = exercise.kit(language), exercise.allowance()
    if kit is None:
        return launch(exercise.preload(language, device), allowance, level)
    from grader.subject.languages import language as known  # noqa: PLC0415 - Python needs none
    from grader.subject.program.launcher import ProgramLauncher  # noqa: PLC0415

    file = exercise.languages()[language]
    return ProgramLauncher(known(language), kit=kit, file=file, allowance=allowance, level=level)


def validate_exercise(
    exercise: Exercise, *, seed: int, only: str = "", languages: "Sequence[str]" = ()
) -> "Iterator[Finding | Report]":
    """How every solution of an exercise fares, and a report a language; see ``validate.validate``.

    A language that this machine has no programs for is reported as not validated.

    Args:
        exercise: what is validated.
        seed: what all data is drawn from.
        only: grade solutions whose file name contains it.
        languages: those to validate; all that the exercise has, unless said otherwise.

    Raises:
        UsageError: the exercise has no such language.
    """
    for language in languages:
        exercise.expect_language(language)
    for language in languages or exercise.languages():
        lacking = lacks(exercise, language)
        if lacking:
            from grader.validate import Report  # noqa: PLC0415

            yield Report(not_validated=[Message("validate.not_validated", one) for one in lacking])
            continue
        with open_grader(exercise, language) as grader:
            from grader.validate import validate  # noqa: PLC0415

            yield from validate(exercise, grader, language, seed=seed, only=only)


def lacks(exercise: Exercise, language: str) -> list[dict[str, str]]:
    """The programs that a language needs, and this machine lacks.

    Returns:
        ``language`` (its title), ``program`` and the ``package`` that has it, of each.
    """
    if exercise.kit(language) is None:
        return []
    from grader.subject.languages import language as known  # noqa: PLC0415
    from grader.subject.program.toolchain import missing  # noqa: PLC0415

    it = known(language)
    return [
        {"language": it.title, "program": program, "package": package}
        for program, package in missing(it)
    ]


def grade_file(
    exercise: Exercise,
    file: Path | None,
    *,
    seed: int,
    level: Level = "best",
    wanted: Wanted = "auto",
) -> "Score":
    """The score of one file, or of the student's own, the first of several, where none is named.

    Args:
        exercise: what is graded.
        file: the submission.
        seed: what the data of every case is drawn from.
        level: how much isolation there must be.
        wanted: the devices to grade it on; ``auto`` for all that the exercise has and are here.

    Raises:
        EnvironmentFault: a device that was asked for by name is not here.
        UsageError: the file's ending belongs to none of the exercise's languages.
        ExerciseError: the exercise's manifest is at fault.
    """
    file = file or own_files(exercise)[0]
    language = exercise.language_of(file)
    with Graders(exercise, language, level, wanted) as graders:
        from grader.submission import read  # noqa: PLC0415

        return graders.grade(read(file, exercise, language), seed=seed)


def own_files(exercise: Exercise) -> list[Path]:
    """The student's own files that there is something in to be graded, one a language.

    Where there is none, the one that a student would begin with.

    Raises:
        ExerciseError: the exercise has no language.
    """
    from grader.submission import read  # noqa: PLC0415

    if not exercise.languages():
        raise ExerciseError("exercise.no_languages", id=exercise.id)
    mine = {language: exercise.mine(language) for language in exercise.languages()}
    there = [language for language, path in mine.items() if path.exists()]
    begun = [
        language for language in there if not read(mine[language], exercise, language).is_starter
    ]
    chosen = begun or there[:1] or list(mine)[:1]
    return [_as_typed(mine[language]) for language in chosen]


def start(exercise: Exercise, language: str) -> Path:
    """Lay the starter of a language where a student works.

    Returns:
        The file, as the user would type it.

    Raises:
        UsageError: the exercise has no such language, or the file is there already.
    """
    exercise.expect_language(language)
    path = exercise.mine(language)
    shown = _as_typed(path)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as file:
            file.write(exercise.starter(language).read_bytes())
    except FileExistsError:
        raise UsageError("usage.start_there", file=str(shown)) from None
    except OSError as error:
        raise UsageError("usage.cannot_write", file=str(shown), detail=error.strerror) from None
    return shown


class Graders:
    """Graders for submissions in one language, one a device; close them after use.

    Args:
        exercise: what is graded.
        language: a key of the exercise's languages.
        level: how much isolation there must be.
        wanted: the devices to grade on; ``auto`` for all that the exercise has and are here.
        known: device -> its precedents, for who grades many; see ``open_grader``.

    Raises:
        EnvironmentFault: a device that was asked for by name is not here.
        ExerciseError: the exercise's manifest is at fault.
    """

    def __init__(
        self,
        exercise: Exercise,
        language: str,
        level: Level,
        wanted: Wanted,
        known: "Callable[[DeviceName], Precedents] | None" = None,
    ) -> None:
        devices, self._absent = devices_for(exercise, language, wanted)
        with contextlib.ExitStack() as undo:
            # All at once, for one imports what it needs while another does.
            self._graders = [
                undo.enter_context(
                    open_grader(
                        exercise, language, level,
                        device=device, precedents=known(device) if known else None,
                    )
                )
                for device in devices
            ]  # fmt: skip
            self._closing = undo.pop_all()

    def __enter__(self) -> Self:
        """The graders themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every subject."""
        self.close()

    def close(self) -> None:
        """End every subject."""
        self._closing.close()

    def grade(self, submission: "Submission", *, seed: int) -> "Score":
        """The score of a submission, from all devices together; see ``Grader.grade``."""
        from grader.devices import together  # noqa: PLC0415

        scores = [grader.grade(submission, seed=seed) for grader in self._graders]
        return together(scores, self._absent)


def devices_for(
    exercise: Exercise, language: str, wanted: Wanted
) -> tuple[list[DeviceName], dict[DeviceName, Message]]:
    """The devices to grade on, and those that are not here, and why.

    Args:
        exercise: what is graded.
        language: a key of the exercise's languages.
        wanted: the devices asked for.

    Raises:
        EnvironmentFault: one that was asked for by name is not, or the exercise has none of it.
    """
    has = exercise.devices(language)
    if wanted != "auto":
        why = missing(wanted) if wanted in has else Message("device.not_of_exercise", {})
        if why is not None:
            raise EnvironmentFault("environment.no_device", [why], device=wanted)
        return [wanted], {}
    absent = {device: why for device in has if (why := missing(device)) is not None}
    return [device for device in has if device not in absent], absent


def _as_typed(path: Path) -> Path:
    """A path as the user would type it: from the working folder, if it lies below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
