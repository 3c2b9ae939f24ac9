"""What a result hangs on besides the submission: as long as none of it changes, it stands."""

import contextlib
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterator
from pathlib import Path

from grader.batch.task import Setting
from grader.exercise import Exercise
from grader.i18n import LOCALE
from grader.render.templates import TEMPLATES
from grader.submission import Submission

_PACKAGE = Path(__file__).resolve().parents[1]

#: Parts of an exercise's folder that no score hangs on.
_TEXTS = ("pages", "examples", "wrong", "right", "locale", "__pycache__")

#: Packages whose version may show in a score.
_PACKAGES = ("torch", "pytest", "pytest-json-report")


def fingerprint(setting: Setting) -> str:
    """A hash of the exercise, its checks, the grader, the packages, the seed and the isolation."""
    digest = hashlib.sha256()
    exercise = setting.exercise
    for path in (*_files_of(exercise), *sorted(_PACKAGE.rglob("*.py"))):
        root = _PACKAGE if path.is_relative_to(_PACKAGE) else exercise.project.root
        _add(digest, str(path.relative_to(root)).encode(), path.read_bytes())
    facts = [platform.python_version(), str(setting.seed), setting.level, setting.wanted]
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            facts.append(f"{name} {importlib.metadata.version(name)}")
    _add(digest, *(fact.encode() for fact in facts))
    return digest.hexdigest()


def page_fingerprint(setting: Setting) -> str:
    """A hash of what a feedback page hangs on besides its score: templates and texts."""
    digest = hashlib.sha256(setting.language.encode())
    folders = (TEMPLATES, LOCALE, setting.exercise.folder / "locale")
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        if path.is_file() and path.suffix != ".po":
            _add(digest, path.name.encode(), path.read_bytes())
    return digest.hexdigest()


def key_of(submission: Submission, fingerprint: str) -> str:
    """What a submission's result is kept under."""
    digest = hashlib.sha256()
    problem = submission.problem
    said = repr((problem.kind, problem.text, sorted(problem.params.items()))) if problem else ""
    texts = (fingerprint, submission.path, submission.language, said)
    _add(digest, submission.source, *(text.encode("utf-8", "surrogatepass") for text in texts))
    return digest.hexdigest()


def _files_of(exercise: Exercise) -> Iterator[Path]:
    for path in sorted(exercise.folder.rglob("*")):
        if path.is_file() and not set(path.relative_to(exercise.folder).parts) & set(_TEXTS):
            yield path
    for language in exercise.languages():
        yield exercise.solution(language)


def _add(digest: "hashlib._Hash", *parts: bytes) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
