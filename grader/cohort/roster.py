"""A roster: the students of a class, as some platform's CSV file lists them."""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from grader.cohort.names import folded, letters, spoken, squeezed, unordered
from grader.cohort.student import Student
from grader.errors import UsageError

# Columns are known by their names, written small and without blanks and marks.

#: What tells students apart. The first of these that a row fills in is the student's id: a
#: platform's own comes first, for it is what its downloads are named by.
_IDS = (
    "id", "identifier", "标识符", "studentid", "sid", "学号", "学生编号", "idnumber", "id号",
    "id号码", "编号", "sisuserid", "sisid", "sisloginid", "loginid", "login", "userid", "用户id",
    "username", "用户名", "githubusername", "githubid", "lmsuserid", "orgdefinedid",
)  # fmt: skip
_EMAILS = (
    "email", "emailaddress", "mail", "邮箱", "邮箱地址", "邮件地址",
    "电子邮箱", "电子邮件", "电子邮件地址",
)  # fmt: skip
_NAMES = (
    "name", "fullname", "student", "students", "studentname", "姓名", "全名", "学生", "学生姓名",
)  # fmt: skip
_FIRST_NAMES = ("firstname", "givenname", "名", "名字")
_LAST_NAMES = ("lastname", "surname", "familyname", "姓", "姓氏")

#: Columns that only a gradebook of Canvas has all of. Lines without an id in it are no students',
#: but say what points there are; one is a student that Canvas made up.
_CANVAS = {"student", "id", "section"}
_TEST_STUDENT = ("student", "test")

#: Moodle calls participants by a word in the site's language and the number that downloads have.
_PARTICIPANT = re.compile(r"\D+\s(\d+)")
_PARTICIPANTS = ("identifier", "标识符")

_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class _Row:
    """A student's line.

    Attributes:
        student: who.
        ids: all that identifies them.
        line: its number, from 1.
    """

    student: Student
    ids: Sequence[str]
    line: int


_Key = str | tuple[str, ...]
_Index = Mapping[_Key, Sequence[Student]]


class Roster:
    """The students that there are, and which of them a download means.

    Attributes:
        students: in the order of the file.
    """

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.students = tuple(row.student for row in rows)
        self._ids = _index(rows, lambda row: map(folded, row.ids))
        self._emails = _index(rows, lambda row: [folded(row.student.email)])
        self._spoken = _index(rows, lambda row: [spoken(row.student.name)])
        self._unordered = _index(rows, lambda row: [unordered(row.student.name)])
        self._squeezed = _index(rows, lambda row: squeezed(row.student.name))

    @classmethod
    def read(cls, path: Path) -> "Roster":
        """The roster in a file.

        CSV by comma, semicolon or tab, in UTF-8, UTF-16 or GB18030, with the columns of Canvas,
        Moodle, Gradescope, GitHub Classroom or nbgrader, or ``id``, ``name``, ``email``, in
        English or Chinese; or a single column of ids.

        Raises:
            UsageError: it cannot be read, tells no students apart, or has one twice.
        """
        rows = list(_rows(path))
        if not rows:
            raise UsageError("usage.roster_empty", file=str(path))
        lines: dict[str, int] = {}
        for row in rows:
            first = lines.setdefault(folded(row.student.id), row.line)
            if first != row.line:
                raise UsageError(
                    "usage.roster_twice", file=str(path),
                    line=row.line, id=row.student.id, first=first,
                )  # fmt: skip
        return cls(rows)

    def resolve(self, student: Student) -> Student | None:
        """The student of the roster whom a download means; None where that is nobody, or not sure.

        They are known by an id, else by their e-mail address, else by their name, if there is but
        one of that name. Where nothing tells the name, the id may be one.
        """
        name = student.name or student.id
        email = student.email or student.id
        ways: Sequence[tuple[_Index, _Key]] = (
            (self._ids, folded(student.id)),
            (self._emails, folded(email)),
            (self._spoken, spoken(name)),
            (self._unordered, unordered(name)),
            # As one word alone: two words that only look like another when run together are not it.
            (self._squeezed, letters(name) if len(spoken(name).split()) == 1 else ""),
        )
        among: Sequence[Student] = ()
        for index, key in ways:
            found = [one for one in index.get(key, ()) if not among or one in among]
            if len(found) == 1:
                return found[0]
            among = found or among
        return None


def _index(rows: Iterable[_Row], keys: Callable[[_Row], Iterable[_Key]]) -> _Index:
    """Key -> the students that have it; what is empty is no key."""
    index: dict[_Key, list[Student]] = {}
    for row in rows:
        for key in set(keys(row)):
            if key:
                index.setdefault(key, []).append(row.student)
    return index


# --- reading -------------------------------------------------------------------------------------


class _Columns:
    """Which column is what.

    Args:
        cells: the names of the columns.
    """

    def __init__(self, cells: Sequence[str]) -> None:
        # Of two of one name, the first counts.
        self._places = {letters(cell): i for i, cell in reversed(list(enumerate(cells)))}
        self._is_canvas = self._places.keys() >= _CANVAS

    def tell_students(self) -> bool:
        """Whether any of them tells students apart."""
        known = {*_IDS, *_EMAILS, *_NAMES, *_FIRST_NAMES, *_LAST_NAMES}
        return not known.isdisjoint(self._places)

    def row(self, cells: Sequence[str], line: int) -> _Row | None:
        """The student that a line is of; None if it is of none."""
        ids = list(self._identifiers(cells))
        email = next(self._filled(cells, _EMAILS), "")
        name = next(self._filled(cells, _NAMES), "") or self._full_name(cells)
        id = next(iter(ids), email or name)
        made_up = not ids or unordered(name) == _TEST_STUDENT
        if not id or (self._is_canvas and made_up):
            return None
        return _Row(Student(id=id, name=name, email=email), ids, line)

    def _identifiers(self, cells: Sequence[str]) -> Iterator[str]:
        for column in _IDS:
            for cell in self._filled(cells, (column,)):
                if column in _PARTICIPANTS and (match := _PARTICIPANT.fullmatch(cell)):
                    yield match[1]
                yield cell

    def _full_name(self, cells: Sequence[str]) -> str:
        first = next(self._filled(cells, _FIRST_NAMES), "")
        last = next(self._filled(cells, _LAST_NAMES), "")
        if _CHINESE.fullmatch(first) and _CHINESE.fullmatch(last):
            return last + first
        return f"{first} {last}".strip()

    def _filled(self, cells: Sequence[str], columns: Iterable[str]) -> Iterator[str]:
        """What a line has in columns, where it has anything."""
        for column in columns:
            place = self._places.get(column)
            if place is not None and place < len(cells) and cells[place].strip():
                yield unicodedata.normalize("NFC", cells[place].strip())


def _rows(path: Path) -> Iterator[_Row]:
    """The lines of a file that are students'."""
    records = _records(path)
    line, cells = next(records, (1, []))
    columns = _Columns(cells)
    if not columns.tell_students():
        if len(cells) > 1:
            raise UsageError("usage.roster_columns", file=str(path), line=line, found=cells)
        # A list of ids has no line to name its column.
        columns, records = _Columns(_IDS[:1]), chain([(line, cells)], records)
    for line, cells in records:
        if row := columns.row(cells, line):
            yield row


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV file that are not blank, each with the number of its first, from 1."""
    text = _text(path)
    first = re.split(r"[\r\n]", _QUOTED.sub("", text).lstrip(), maxsplit=1)[0]
    separator = max("\t,;", key=first.count)  # tabs, if none is there: then a comma is a name's
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError("usage.roster_csv", file=str(path), line=line, detail=str(error)) from None


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.roster_unreadable", file=str(path), detail=detail) from None
    utf_16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if utf_16 else ("utf-8-sig", "gb18030"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise UsageError("usage.roster_encoding", file=str(path))
