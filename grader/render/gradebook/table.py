"""Scores as a table of our own, which every spreadsheet reads."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from grader.cohort.entry import Entry
from grader.i18n import Translator, printable
from grader.score import Error

#: By it, Excel knows UTF-8, also where the system's encoding is another.
_BOM = "\ufeff"

#: What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"); the wide forms
#: count in Chinese and Japanese editions.
_FORMULA = frozenset("=+-@\t\r＝＋－＠")

# The columns before and after those of the checks.
_STUDENT = ("id", "name", "email", "status", "score", "max_score")
_SUBMISSION = ("attempts", "error", "message", "advice", "submission", "kept")


def scores_csv(entries: Iterable[Entry], say: Translator, checks: Sequence[str]) -> Iterator[str]:
    r"""The results of a class as the lines of a CSV file, a student each.

    The columns have the same names in every language. ``score`` and a check's points are empty
    where there is no score; ``error`` is a kind such as ``timeout``, and ``message`` says it in
    words; ``advice`` counts remarks that cost no points; ``kept`` is why a score is an earlier one.

    Args:
        entries: who is to be listed, in this order; read one at a time.
        say: puts errors into the reader's language.
        checks: ids of the exercise's checks; each has a column ``check.<id>``.

    Yields:
        The file's text, to be encoded as UTF-8: a BOM with the heading, then a student at a time.
        Rows end in ``\r\n``, as RFC 4180 has it.
    """
    row = io.StringIO()
    writer = csv.writer(row)
    writer.writerow([*_STUDENT, *(f"check.{check}" for check in checks), *_SUBMISSION])
    yield _BOM + row.getvalue()
    for entry in entries:
        row.seek(row.truncate(0))
        writer.writerow(_cells(entry, say, checks))
        yield row.getvalue()


def _cells(entry: Entry, say: Translator, checks: Sequence[str]) -> Iterator[str]:
    score, student = entry.score, entry.student
    points = {check.id: f"{check.points}" for check in score.checks}
    judged = score.score is not None
    yield from (_safe(student.id), _safe(student.name), _safe(student.email), entry.standing)
    yield "" if score.score is None else f"{score.score:.10g}"
    yield f"{score.max_score:.10g}"
    yield from (points.get(check, "") if judged else "" for check in checks)
    yield f"{entry.handed_in}"
    yield score.error.kind if score.error else ""
    yield _safe(_words(score.error, say)) if score.error else ""
    yield f"{len(score.advice)}"
    yield _safe(score.submission.path)
    yield entry.kept or ""


def _words(error: Error, say: Translator) -> str:
    """What went wrong, behind the line that is at fault where one is."""
    text = say(error.message.id, **error.message.params)
    return text if error.line is None else f"{error.line}: {text}"


def _safe(text: str) -> str:
    """A stranger's text as a cell that is no formula, and that a terminal may show.

    >>> _safe("=1+1"), _safe("Ada")
    ("'=1+1", 'Ada')
    """
    text = printable(text)
    return f"'{text}" if text.lstrip(" \n")[:1] in _FORMULA else text
