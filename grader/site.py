"""The site of hint pages: one page an exercise and language, found by an index."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.errors import UsageError
from grader.example import play_all
from grader.exercise import Exercise, Project
from grader.i18n import DEFAULT, LANGUAGES, Translator
from grader.render.page import exercise_page, index_page, languages_page
from grader.session import open_grader


def build(project: Project, ids: Sequence[str], folder: Path) -> Iterator[Path]:
    """Write the pages of exercises, and the index of all that have pages.

    Args:
        project: where the exercises are.
        ids: those whose pages are written; all that have pages if none is named.
        folder: where to; what else is in there stays.

    Yields:
        The files written, as they come.

    Raises:
        UsageError: there is no such exercise, it has no pages, or the folder cannot be written to.
        ExerciseError: a text or an example is at fault.
    """
    known = [project.exercise(id) for id in project.ids()]
    paged = [exercise for exercise in known if exercise.manifest.pages is not None]
    there = [exercise.id for exercise in paged]
    wanted = [project.exercise(id) for id in dict.fromkeys(ids)] if ids else paged
    for exercise in wanted:
        if exercise.id not in there:
            raise UsageError("usage.no_pages", id=exercise.id, known=there)
    for exercise in wanted:
        for language, text in _pages(exercise, there):
            yield _write(folder / language / f"{exercise.id}.html", text)
    for language in LANGUAGES:
        yield _write(folder / language / "index.html", index_page(paged, language))
    yield _write(folder / "index.html", languages_page(DEFAULT))


def _pages(exercise: Exercise, there: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The page of an exercise in every language of the reader's."""
    language = next(iter(exercise.languages()))
    if exercise.manifest.examples:
        with open_grader(exercise, language) as grader:
            examples = play_all(exercise, grader, language)
    else:
        examples = []
    for reader in LANGUAGES:
        say = Translator(reader, exercise.folder)
        yield reader, exercise_page(exercise, say, examples, there)


def _write(path: Path, text: str) -> Path:
    """Write a file as a whole or not at all: whoever has the page open never sees half of one.

    Raises:
        UsageError: it cannot be written.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise UsageError("usage.cannot_write", file=str(path), detail=error.strerror) from None
    return path
