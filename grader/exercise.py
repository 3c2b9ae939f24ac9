"""Exercises: folders of data and checks, found and validated.

Only the standard library is imported here at first, so that the slow imports of a subject
can be under way before a manifest is validated.
"""

import tomllib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import ExerciseError, UsageError
from grader.subject.allowance import Allowance
from grader.subject.device import DEVICES, DeviceName
from grader.subject.python.launcher import Preload

if TYPE_CHECKING:
    from grader.manifest import Manifest


@dataclass(frozen=True)
class Project:
    """A folder with ``exercises/``, ``solutions/`` and ``mine/`` in it."""

    root: Path

    @classmethod
    def find(cls, wish: Path | None = None) -> "Project":
        """The project asked for; else that which the grader lies in; else the working folder."""
        if wish is not None:
            return cls(wish.resolve())
        home = Path(__file__).resolve().parents[1]
        return cls(home if (home / "exercises").is_dir() else Path.cwd())

    def ids(self) -> list[str]:
        """The exercises there are."""
        return sorted(path.parent.name for path in self.root.glob("exercises/*/exercise.toml"))

    def exercise(self, id: str) -> "Exercise":
        """One exercise.

        Raises:
            UsageError: there is none of that name.
        """
        if id not in self.ids():
            raise UsageError("usage.no_exercise", id=id, known=self.ids() or ["-"])
        return Exercise(self, self.root / "exercises" / id)


@dataclass(frozen=True)
class Exercise:
    """One exercise's folder."""

    project: Project
    folder: Path

    @property
    def id(self) -> str:
        """Its name, which is its folder's."""
        return self.folder.name

    @cached_property
    def manifest(self) -> "Manifest":
        """``exercise.toml``, validated together with the files that it names.

        Raises:
            ExerciseError: a mistake in it, with file, key and remedy.
        """
        from grader.manifest import parse  # noqa: PLC0415 - pydantic takes its time

        manifest = parse(self._toml, self.shown(self.folder / "exercise.toml"))
        if manifest.id != self.id:
            raise ExerciseError(
                "exercise.id", file=self.shown(self.folder / "exercise.toml"),
                id=manifest.id, folder=self.id,
            )  # fmt: skip
        missing = [path for path in self._named_files(manifest) if not path.is_file()]
        kits = filter(None, map(self.kit, manifest.languages))
        missing += [kit for kit in kits if not kit.is_dir()]
        if missing:
            raise ExerciseError(
                "exercise.files", file=self.shown(self.folder / "exercise.toml"),
                missing=[self.shown(path) for path in missing],
            )  # fmt: skip
        return manifest

    # What is wanted before there is time to validate the manifest is read from it as it
    # stands; what is not of the right form is left to ``manifest`` to report.

    def devices(self, language: str) -> list[DeviceName]:
        """What submissions in a language are graded on, where it is there."""
        said = self._said_languages.get(language, {}).get("devices")
        named = said if isinstance(said, list) else []
        return [device for device in DEVICES if device == "cpu" or device in named]

    def preload(self, language: str, device: DeviceName = "cpu") -> Preload:
        """What subjects in a language have imported before they see a submission."""
        said = self._said_languages.get(language, {})
        libraries, given, subject = said.get("preload"), said.get("given"), said.get("subject")
        modules = given if isinstance(given, dict) else {}
        return Preload(
            tuple(map(str, libraries)) if isinstance(libraries, list) else (),
            {name: self.folder / str(file) for name, file in modules.items()},
            self.folder / subject if isinstance(subject, str) else None,
            device,
        )

    def kit(self, language: str) -> Path | None:
        """The folder of what submissions that become programs are given; None for Python."""
        said = self._said_languages.get(language, {}).get("kit")
        return self.folder / said if isinstance(said, str) else None

    def allowance(self) -> Allowance:
        """What a submission may take of the machine."""
        limits = self._toml.get("limits")
        said = limits if isinstance(limits, dict) else {}
        known: dict[str, Any] = {
            field.name: said[field.name]
            for field in fields(Allowance)
            if isinstance(said.get(field.name), int | float)
        }
        return Allowance(**known)

    def languages(self) -> dict[str, str]:
        """Language -> the submission's file name."""
        return {name: str(said.get("file", "")) for name, said in self._said_languages.items()}

    def expect_language(self, language: str) -> None:
        """See that the exercise has a language.

        Raises:
            UsageError: it has not.
        """
        known = sorted(self.languages())
        if language not in known:
            raise UsageError("usage.no_language", id=self.id, language=language, known=known)

    def language_of(self, file: Path) -> str:
        """The language of a submission, by its file's ending.

        Raises:
            UsageError: the ending belongs to none of the exercise's languages.
        """
        endings = {Path(name).suffix: language for language, name in self.languages().items()}
        if file.suffix not in endings:
            raise UsageError("usage.language", file=str(file), endings=sorted(endings))
        return endings[file.suffix]

    @property
    def _said_languages(self) -> dict[str, dict[str, Any]]:
        said = self._toml.get("languages")
        languages = said.items() if isinstance(said, dict) else ()
        return {name: language for name, language in languages if isinstance(language, dict)}

    def solution(self, language: str) -> Path:
        """The reference solution."""
        return self.project.root / "solutions" / self.languages()[language]

    def starter(self, language: str) -> Path:
        """What a student begins with."""
        return self.folder / "starter" / self.languages()[language]

    def mine(self, language: str) -> Path:
        """Where a student works."""
        return self.project.root / "mine" / self.languages()[language]

    def check_file(self, id: str) -> Path:
        """The pytest file of a check, or of a demonstration."""
        return self.folder / "checks" / f"test_{id}.py"

    def example_file(self, id: str) -> Path:
        """The calls of an example."""
        return self.folder / "examples" / f"{id}.py"

    def texts_in(self, language: str) -> Path:
        """The folder of the page's texts in one of the reader's languages."""
        return self.folder / "pages" / language

    def text_file(self, language: str, id: str) -> Path:
        """One of the page's texts."""
        return self.texts_in(language) / f"{id}.md"

    @cached_property
    def _toml(self) -> dict[str, Any]:
        path = self.folder / "exercise.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise ExerciseError("exercise.toml", file=self.shown(path), detail=str(error)) from None

    def _named_files(self, manifest: "Manifest") -> list[Path]:
        files = [self.check_file(check.id) for check in manifest.checks]
        files += [self.check_file(shown.id) for shown in manifest.demonstrations]
        for language in manifest.languages.values():
            named = [f"starter/{language.file}", *language.given.values()]
            named += [language.subject] if language.subject else []
            files += [self.folder / name for name in named]
            files.append(self.project.root / "solutions" / language.file)
        for example in manifest.examples:
            files.append(self.example_file(example.id))
            files += [self.folder / "wrong" / file for file in example.variants.values()]
        files += [self.folder / manifest.conformance] if manifest.conformance else []
        return files

    def shown(self, path: Path) -> str:
        """A file's path as messages name it: from the project's root."""
        return str(path.relative_to(self.project.root))
