"""A grader ready to grade, the slow imports of its subjects begun before its own."""

from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import ExerciseError
from grader.exercise import Exercise
from grader.subject.python.launcher import launch

if TYPE_CHECKING:
    from grader.grading import Grader
    from grader.score import Score


def open_grader(exercise: Exercise, language: str) -> "Grader":
    """A grader for submissions in one language; close it after use.

    Raises:
        ExerciseError: the exercise's manifest is at fault.
    """
    launcher = launch(exercise.preload(language))
    try:
        from grader.grading import Grader  # noqa: PLC0415 - meanwhile the launcher's imports run

        return Grader(exercise, language, launcher)
    except BaseException:
        launcher.close()
        raise


def grade_file(exercise: Exercise, file: Path | None, *, seed: int) -> "Score":
    """The score of one file, or of the student's own where none is named.

    Raises:
        UsageError: the file's ending belongs to none of the exercise's languages.
        ExerciseError: the exercise's manifest is at fault.
    """
    language = exercise.language_of(file) if file else next(iter(exercise.languages()), None)
    if language is None:
        raise ExerciseError("exercise.no_languages", id=exercise.id)
    with open_grader(exercise, language) as grader:
        from grader.submission import read  # noqa: PLC0415

        submission = read(file or exercise.mine(language), exercise, language)
        return grader.grade(submission, seed=seed)
