"""The files that a class's results are written to. Each is there whole, or as it was before."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from grader.batch.batch import Batch
from grader.cohort.entry import Entry
from grader.cohort.overview import Overview
from grader.errors import EnvironmentFault
from grader.i18n import Translator
from grader.render.gradebook import scores_csv
from grader.render.overview import overview_page
from grader.score import Case, Score

FEEDBACK = "feedback"


def write(batch: Batch, folder: Path) -> Overview:
    """Write a class's results.

    ``scores.json``, ``scores.csv``, ``index.html``, and a page a student in ``feedback/``; a page
    that was written by an earlier run for somebody who is not of the class any more is removed.

    Args:
        batch: all graded.
        folder: where to.

    Raises:
        EnvironmentFault: a file cannot be written.
    """
    setting, say = batch.setting, batch.setting.say
    overview = Overview(setting.exercise.manifest)
    pages = folder / FEEDBACK
    with _in_words(folder), batch.store.transaction():
        pages.mkdir(exist_ok=True)
        with whole(folder / "scores.json") as scores, whole(folder / "scores.csv") as table:
            _put(scores, f'{{"exercise": {json.dumps(overview.exercise)}, "scores": [')

            def entries() -> Iterator[Entry]:
                for number, (entry, page) in enumerate(batch.entries()):
                    overview.add(entry)
                    _put(scores, (",\n" if number else "\n") + as_json(entry, say))
                    if page:
                        _write_page(pages / f"{entry.student.file_stem}.html", page, batch)
                    yield entry

            for line in scores_csv(entries(), say, overview.checks):
                _put(table, line)
            _put(scores, "\n]}\n")
        with whole(folder / "index.html") as index:
            alike, notes = batch.alike(), batch.store.notes()
            for piece in overview_page(overview, say, alike=alike, notes=notes, taken=batch.taken):
                _put(index, piece)
        for name in batch.store.stale_pages():
            (pages / name).unlink(missing_ok=True)
    return overview


def as_json(entry: Entry, say: Translator) -> str:
    """An entry on one line: the student, and the score's own keys, without its drawings."""
    student = {**entry.student.model_dump(), "handed_in": entry.handed_in, "kept": entry.kept}
    score = _without_drawings(entry.score).localised(say).model_dump(mode="json")
    return json.dumps({"student": student, **score}, ensure_ascii=False)


def _without_drawings(score: Score) -> Score:
    """A score without its drawings, of which a class's would be a hundred megabytes."""

    def lighter(case: Case) -> Case:
        if case.evidence is None or case.evidence.drawing is None:
            return case
        evidence = case.evidence.model_copy(update={"drawing": None})
        return case.model_copy(update={"evidence": evidence})

    checks = [
        check.model_copy(update={"cases": list(map(lighter, check.cases))})
        for check in score.checks
    ]
    return score.model_copy(update={"checks": checks})


def _write_page(path: Path, page: str, batch: Batch) -> None:
    batch.store.paged(path.name)
    data = page.encode("utf-8", "backslashreplace")
    if path.is_file() and path.read_bytes() == data:
        return
    with whole(path) as file:
        file.write(data)


@contextlib.contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of an earlier one when all of it has been written.

    Who writes here is the only one, for they hold the store; what a killed run left behind is
    written over.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with _in_words(path):
            with part.open("wb") as file:
                yield file
            part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _put(file: IO[bytes], text: str) -> None:
    file.write(text.encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Inside, what the disk complains of becomes an error with words."""
    try:
        yield
    except OSError as error:
        file = str(error.filename or path)
        raise EnvironmentFault("environment.store", file=file, detail=error.strerror) from None
