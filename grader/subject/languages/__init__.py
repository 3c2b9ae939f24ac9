"""What the grader knows of each language: one small file each, found by the language's name."""

import importlib
import pkgutil

from grader.errors import ExerciseError
from grader.subject.program.language import Language


def known() -> list[str]:
    """The languages that there are files of."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def language(name: str) -> Language:
    """A language by its name.

    Raises:
        ExerciseError: nobody knows it.
    """
    if name not in known():
        raise ExerciseError("exercise.unknown_language", language=name, known=known())
    found: Language = importlib.import_module(f"{__name__}.{name}").LANGUAGE
    return found
