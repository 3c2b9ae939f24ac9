"""The results of a class, kept in one SQLite file as they come: what is in it is never lost.

One process has it at a time, and for as long as it lives: SQLite's own lock, which the system
takes back however that process ends.
"""

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from grader.batch.attempt import Attempt, Note
from grader.batch.task import Graded, Task, pack, unpack
from grader.cohort.student import Student
from grader.errors import EnvironmentFault, SubmissionError, UsageError
from grader.message import Message
from grader.submission import Submission

FILE = "results.sqlite"

_FORM = "1"

_TABLES = """
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS source (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS result (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, status TEXT NOT NULL, fault TEXT,
    score BLOB NOT NULL, page BLOB NOT NULL, page_form TEXT NOT NULL, alike TEXT NOT NULL,
    number INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS result_of_path ON result (path, number);
-- Whose each result is, or will be, in whatever download it was.
CREATE TABLE IF NOT EXISTS owner (
    student TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (student, key)) WITHOUT ROWID;
-- What the download that is being graded holds: written anew by every run.
CREATE TABLE IF NOT EXISTS student (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attempt (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, path TEXT NOT NULL, language TEXT NOT NULL,
    sha256 TEXT NOT NULL, problem TEXT, place TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS member (
    student TEXT NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY (student, attempt)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS note (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL);
-- The feedback pages that have been written, and whether they are of the class as it is.
CREATE TABLE IF NOT EXISTS page (name TEXT PRIMARY KEY, now INTEGER NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Kept:
    """A result as it is kept.

    Attributes:
        key: of the submission and all that its score hangs on.
        status: the score's.
        fault: the id of what went wrong, where it is ungraded.
        score: as JSON.
        page: the feedback page.
        page_form: what the page was made by, besides the score.
    """

    key: str
    status: str
    fault: str | None
    score: str
    page: str
    page_form: str


class Store:
    """The file of a class's results.

    Args:
        folder: where it lies; made if need be.

    Raises:
        UsageError: another batch has it, or it is of another version of the grader.
        EnvironmentFault: the disk is full, or does not let it be written; or it is no such file.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        with _in_words(self._file):
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._file, timeout=0, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        """Have the file alone, with all tables in it."""
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self.transaction():
            for statement in _TABLES.split(";"):
                self._db.execute(statement)
        form = self.setting("form", _FORM)
        if form != _FORM:
            raise UsageError("usage.store_form", file=str(self._file), form=form)

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let others have it."""
        self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is done inside is done, or nothing of it.

        Raises:
            EnvironmentFault: the disk is full, or does not let it be written.
        """
        with _in_words(self._file):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # some faults have done it already
                    self._db.execute("ROLLBACK")
                raise

    def setting(self, name: str, value: str) -> str:
        """What is kept under a name; what is given, from now on, where nothing is."""
        with _in_words(self._file):
            self._db.execute("INSERT OR IGNORE INTO setting VALUES (?, ?)", (name, value))
            found: str = self._one("SELECT value FROM setting WHERE name = ?", name)[0]
        return found

    def set(self, name: str, value: str) -> None:
        """Keep something under a name, in the place of what was there."""
        with _in_words(self._file):
            self._db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    # What was handed in.

    def begin(self) -> None:
        """Forget what was handed in; results stay."""
        for table in ("student", "attempt", "member", "note"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
        self._db.execute("UPDATE page SET now = 0")

    def enrol(self, student: Student) -> None:
        """A student is in the class. What is known of them already stays."""
        row = (student.id, student.name, student.email)
        self._db.execute("INSERT OR IGNORE INTO student VALUES (?, ?, ?)", row)

    def hand_in(self, attempt: Attempt, students: Sequence[Student], key: str) -> None:
        """Something was handed in.

        Args:
            attempt: what.
            students: whose it is, as the class knows them.
            key: what its result is kept under.
        """
        submission, problem = attempt.submission, attempt.submission.problem
        source = (submission.sha256, zlib.compress(submission.source))
        self._db.execute("INSERT OR IGNORE INTO source VALUES (?, ?)", source)
        said = problem and _json(
            [problem.kind, problem.params, problem.line, problem.code, problem.text]
        )
        place = _json(list(attempt.order))
        row = (key, _text(submission.path), submission.language, submission.sha256, said, place)
        number = self._db.execute(
            "INSERT INTO attempt (key, path, language, sha256, problem, place)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            row,
        ).lastrowid
        for student in students:
            self.enrol(student)
            self._db.execute("INSERT OR IGNORE INTO member VALUES (?, ?)", (student.id, number))
            self._db.execute("INSERT OR IGNORE INTO owner VALUES (?, ?)", (student.id, key))

    def note(self, note: Note) -> None:
        """Something was met in a download."""
        message = _json([note.message.id, note.message.params])
        row = (_text(note.path), note.kind, message)
        self._db.execute("INSERT INTO note (path, kind, message) VALUES (?, ?, ?)", row)

    def notes(self) -> Iterator[Note]:
        """What was met in the downloads."""
        rows = self._db.execute("SELECT path, kind, message FROM note ORDER BY number")
        for path, kind, message in rows:
            id, params = json.loads(message)
            yield Note(path, kind, Message(id, params))

    def students(self) -> list[Student]:
        """The class, by name and id."""
        rows = self._db.execute("SELECT id, name, email FROM student")
        found = [Student(id=id, name=name, email=email) for id, name, email in rows]
        return sorted(found, key=lambda one: (one.shown.casefold(), one.id))

    def attempts(self) -> Iterator[tuple[str, int, list[float]]]:
        """Who handed what in: a student's id, the attempt's number and its place among theirs."""
        for student, number, place in self._db.execute(
            "SELECT student, number, place FROM member JOIN attempt ON attempt = number"
            " ORDER BY student, number"
        ):
            yield student, number, json.loads(place)

    def alike(self) -> Iterator[tuple[int, str]]:
        """The attempts that may look alike: their numbers, and what is the same where they do."""
        yield from self._db.execute(
            "SELECT a.number, alike FROM attempt a JOIN result r ON a.key = r.key"
            " WHERE alike != '' ORDER BY a.number"
        )

    # What became of it.

    def ungraded(self, numbers: Collection[int]) -> int:
        """How many submissions are to be graded, of some attempts."""
        rows = self._db.execute(
            "SELECT a.number, a.key FROM attempt a LEFT JOIN result r ON a.key = r.key"
            " WHERE r.key IS NULL OR r.status = 'ungraded'"
        )
        wanted = frozenset(numbers)
        return len({key for number, key in rows if number in wanted})

    def task(self, number: int) -> Task | None:
        """An attempt that is to be graded, or None where that has been done."""
        key, path, language, sha256, problem = self._one(
            "SELECT key, path, language, sha256, problem FROM attempt WHERE number = ?", number
        )
        done = self._one("SELECT status FROM result WHERE key = ?", key)
        if done is not None and done[0] != "ungraded":
            return None
        source = zlib.decompress(self._one("SELECT data FROM source WHERE sha256 = ?", sha256)[0])
        return Task(key, Submission(path, language, source, _problem(problem)))

    def keep(self, graded: Graded, path: str, page_form: str) -> None:
        """Keep what came of a task. A failure takes the place of nothing but a failure."""
        with self.transaction():
            last = self._one("SELECT max(number) FROM result")[0] or 0
            row = (
                graded.key, _text(path), graded.status, graded.fault, graded.score, graded.page,
                page_form, graded.alike, last + 1,
            )  # fmt: skip
            self._db.execute(
                "INSERT OR REPLACE INTO result"
                " (key, path, status, fault, score, page, page_form, alike, number)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def repage(self, key: str, page: str, page_form: str) -> None:
        """Keep another page of a result."""
        row = (pack(page), page_form, key)
        self._db.execute("UPDATE result SET page = ?, page_form = ? WHERE key = ?", row)

    def result(self, number: int) -> Kept | None:
        """What came of an attempt, the last time that it was graded under the same conditions."""
        return self._kept("attempt a ON a.key = r.key WHERE a.number = ?", number)

    def earlier(self, number: int) -> Kept | None:
        """What came of an attempt of the same place when it was last graded at all."""
        place = "attempt a ON a.path = r.path WHERE a.number = ?"
        return self._kept(f"{place} AND r.status != 'ungraded'", number)

    def earlier_of(self, student: Student) -> Kept | None:
        """What came of a student's submission when one of theirs, wherever it lay, was last
        graded at all.
        """
        own = "owner o ON o.key = r.key WHERE o.student = ?"
        return self._kept(f"{own} AND r.status != 'ungraded'", student.id)

    def paged(self, name: str) -> None:
        """A feedback page is of the class as it is."""
        self._db.execute("INSERT OR REPLACE INTO page VALUES (?, 1)", (name,))

    def stale_pages(self) -> list[str]:
        """The feedback pages of those who were of the class once; they are forgotten."""
        found = [name for (name,) in self._db.execute("SELECT name FROM page WHERE now = 0")]
        self._db.execute("DELETE FROM page WHERE now = 0")
        return found

    def _kept(self, joined: str, value: object) -> Kept | None:
        """The last result that is joined to something."""
        found = self._one(
            "SELECT r.key, status, fault, score, page, page_form FROM result r"  # noqa: S608 - ours
            f" JOIN {joined} ORDER BY r.number DESC LIMIT 1",
            value,
        )
        if found is None:
            return None
        key, status, fault, score, page, page_form = found
        return Kept(key, status, fault, unpack(score), unpack(page), page_form)

    def _one(self, statement: str, *values: object) -> Any:
        return self._db.execute(statement, values).fetchone()


@contextlib.contextmanager
def _in_words(file: Path) -> Iterator[None]:
    """Inside, what SQLite and the disk complain of becomes an error with words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise UsageError("usage.store_taken", file=str(file)) from None
        raise EnvironmentFault("environment.store", file=str(file), detail=str(error)) from None
    except (sqlite3.Error, OSError) as error:
        raise EnvironmentFault("environment.store", file=str(file), detail=str(error)) from None


def _problem(said: str | None) -> SubmissionError | None:
    if said is None:
        return None
    kind, params, line, code, text = json.loads(said)
    return SubmissionError(kind, params, line, code, text)


def _json(value: Any) -> str:
    return json.dumps(value, default=str)


def _text(text: str) -> str:
    """A text that SQLite can hold: no lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
