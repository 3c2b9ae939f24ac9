"""What a submission to an exercise is called, and what becomes of that name on its way."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from grader.errors import ExerciseError
from grader.exercise import Exercise

#: What browsers, file managers, platforms and people add to the name of a further copy, in
#: NFKC: `` (1)``, ``-1``, ``_v2``, `` copy``, `` - 副本``.
_COPY = r"(?:[\s_.-]*(?:\(\d+\)|\[\d+\]|copy|的?副本|拷贝|复件)|[\s_-]+v?\d+|v\d+)"
#: What they put before it.
_COPY_OF = r"(?:(?:copy of|副本|复件)[\s_-]*)?"


@dataclass(frozen=True)
class Wanted:
    """The files that a download is searched for.

    Attributes:
        exercise: the exercise's id.
        names: language -> the submission's file name.
        home: the folder that students work in, in a copy of the project.
    """

    exercise: str
    names: Mapping[str, str]
    home: str

    @classmethod
    def of(cls, exercise: Exercise, language: str | None = None) -> "Wanted":
        """What is wanted for an exercise, in one of its languages or in any.

        Raises:
            UsageError: the exercise has no such language.
            ExerciseError: it has none at all.
        """
        names = exercise.languages()
        if not names:
            raise ExerciseError("exercise.no_languages", id=exercise.id)
        if language is not None:
            exercise.expect_language(language)
        home = exercise.mine(next(iter(names))).parent.name
        return cls(exercise.id, names if language is None else {language: names[language]}, home)

    def is_exact(self, name: str) -> bool:
        """Whether a file is called what it is to be called."""
        return name in self.names.values()

    def is_alike(self, name: str) -> bool:
        """Whether it is called so but for case and what marks a further copy."""
        return any(is_copy(name, wanted) for wanted in self.names.values())

    def has_ending(self, name: str) -> bool:
        """Whether it ends as a source file in one of the languages does."""
        return _ending(name) in self._endings

    def language_of(self, name: str) -> str:
        """The language of a file, by its name or its ending; the first one where neither says."""
        for language, wanted in self.names.items():
            if is_copy(name, wanted):
                return language
        return self._endings.get(_ending(name), next(iter(self.names)))

    @cached_property
    def _endings(self) -> dict[str, str]:
        return {_ending(name): language for language, name in self.names.items()}


def is_copy(name: str, original: str) -> bool:
    """Whether two names differ in case and in what marks a further copy alone.

    >>> is_copy("Queue (1).py", "queue.py"), is_copy("my_queue.py", "queue.py")
    (True, False)
    """
    original = unicodedata.normalize("NFKC", original)
    stem, ending = re.escape(PurePosixPath(original).stem), re.escape(_ending(original))
    pattern = rf"\s*{_COPY_OF}{stem}{_COPY}*\s*{ending}\s*"
    return bool(re.fullmatch(pattern, unicodedata.normalize("NFKC", name), re.IGNORECASE))


def are_copies(names: Iterable[str]) -> bool:
    """Whether names, of which there is at least one, are all of one file."""
    original, *others = sorted(names, key=lambda name: (len(name), name))
    return all(is_copy(name, original) for name in others)


def _ending(name: str) -> str:
    return PurePosixPath(name.strip()).suffix.lower()
