"""Gradebooks: our own table, and platforms' exports filled in without another byte changed."""

import codecs
import csv
import io
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.cohort.entry import Entry
from grader.cohort.student import Student
from grader.errors import UsageError
from grader.i18n import LANGUAGES, Translator
from grader.render.gradebook import fill, scores_csv
from grader.render.gradebook.sheet import Sheet, read_text
from grader.score import Check, Error, IsolationInForce, Outcome, Score, Status, Submitted, Text

CHECKS = ("parity", "clone")
NAMES = ("p17", "CUDA graph bucket runner")

#: Any text that a platform or a student may come up with, lone surrogates and NULs included.
ANY = st.text(st.characters(), max_size=20)


def entry(
    id: str,
    points: int | None = 100,
    *,
    name: str = "",
    email: str = "",
    most: int = 100,
    handed_in: int = 1,
    error: Error | None = None,
    path: str = "p17.py",
    kept: str | None = None,
) -> Entry:
    """How somebody fared: with a score, or with none for ``None``."""
    status = {None: Status.UNGRADED, most: Status.PASSED}.get(points, Status.FAILED)
    shares = (0 if points is None else points // 2, 0 if points is None else points - points // 2)
    score = Score(
        exercise="p17",
        submission=Submitted(path=path, sha256="0" * 64, language="python"),
        device="cpu",
        status=Status.ERROR if error else status,
        score=points,
        max_score=most,
        checks=[
            Check(id=id, status=Outcome.PASSED, points=share, max_points=most // 2, hint="l1-q1")
            for id, share in zip(CHECKS, shares, strict=True)
        ],
        advice=[Text(id="advice.long"), Text(id="advice.slow")],
        error=error,
        isolation=IsolationInForce(level="best", process="fork"),
        seed=1,
        duration_s=1.0,
    )
    student = Student(id=id, name=name, email=email)
    return Entry(student=student, score=score, handed_in=handed_in, kept=kept)


def missing(id: str, **facts) -> Entry:
    """Somebody who handed nothing in."""
    error = Error(kind="missing", message=Text(id="error.missing_file", params={"file": "-"}))
    return entry(id, 0, handed_in=0, error=error, **facts)


# --- our own table -------------------------------------------------------------------------------


def table(*entries: Entry, language: str = "en") -> list[dict[str, str]]:
    """The table of a class, read back as a spreadsheet does."""
    data = "".join(scores_csv(entries, Translator(language), CHECKS)).encode()
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def test_a_row_a_student():
    """Points in all and of every check, under the same names in every language."""
    for language in LANGUAGES:
        (row,) = table(
            entry("7", 85, name="Ada", email="a@x.edu", path="ada/p17.py", handed_in=3),
            language=language,
        )
        assert row == {
            "id": "7", "name": "Ada", "email": "a@x.edu", "status": "failed", "score": "85",
            "max_score": "100", "check.parity": "42", "check.clone": "43", "attempts": "3",
            "error": "", "message": "", "advice": "2", "submission": "ada/p17.py", "kept": "",
        }  # fmt: skip


def test_for_spreadsheets():
    """UTF-8 with a BOM, by which Excel knows it, and with the line ends of RFC 4180."""
    data = "".join(scores_csv([entry("7", name="艾达")], Translator("zh"), CHECKS)).encode()
    assert data.startswith(codecs.BOM_UTF8 + b"id,name,email,")
    assert data.count(b"\r\n") == data.count(b"\n") == 2
    assert "艾达".encode() in data


def test_no_score_is_no_zero():
    """Who could not be graded has empty cells; who handed in nothing, or what fails, has zeros."""
    ungraded, absent = table(entry("1", None), missing("2"))
    assert (ungraded["status"], ungraded["score"], ungraded["check.clone"]) == ("ungraded", "", "")
    assert (absent["status"], absent["score"], absent["check.clone"]) == ("missing", "0", "0")
    assert absent["attempts"] == "0"


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_in_words(language):
    """An error has its kind in every language, and in words, with its line, in the reader's."""
    message = Text(id="error.empty")
    at = table(entry("1", 0, error=Error(kind="empty", message=message, line=3)), language=language)
    assert at[0]["error"] == "empty"
    assert at[0]["message"] == f"3: {Translator(language)('error.empty')}"


def test_kept_score():
    """A score of an earlier run says so."""
    assert table(entry("1", kept="environment.walls"))[0]["kept"] == "environment.walls"


def test_streamed():
    """A row is out before the next student is asked for."""
    asked = []

    def students():
        for id in "123":
            asked.append(id)
            yield entry(id)

    lines = scores_csv(students(), Translator("en"), CHECKS)
    next(lines)
    assert not asked
    assert next(lines).startswith("1,")
    assert asked == ["1"]


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+49",
        "-2",
        "@SUM(A1)",
        "\tx",
        "\r=1",
        " =1",
        "\n=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "=",
        "-",
    ],
)
def test_formulas_are_text(name):
    """What a spreadsheet would take for a formula has an apostrophe before it, in every column."""
    error = Error(
        kind="import", message=Text(id="error.import", params={"type": name, "message": ""})
    )
    (row,) = table(entry(name, 0, name=name, email=name, path=name, error=error))
    for column in ("id", "name", "email", "submission"):
        assert row[column][0] in "'\\"
        assert row[column].lstrip("'").strip()


def test_plain_text_and_numbers_are_left_alone():
    """Nothing else gets an apostrophe."""
    (row,) = table(entry("007", name="O'Neil, Ada-Mae", email="a-b@x.edu", path="a = b.py"))
    assert (row["id"], row["name"]) == ("007", "O'Neil, Ada-Mae")
    assert (row["email"], row["submission"]) == ("a-b@x.edu", "a = b.py")


@given(ANY, ANY, ANY)
def test_any_name(id, name, path):
    """Whatever people and files are called, the table has one row for them, and no orders."""
    before, row, after = table(entry("1"), entry(id, name=name, path=path), entry("2"))
    assert before.keys() == row.keys() == after.keys()
    assert None not in row  # no cell too many
    assert None not in row.values()  # none too few
    for text in row.values():
        assert all(c.isprintable() or c in "\n\t" for c in text)
        assert text.lstrip()[:1] not in {*"=+-@＝＋－＠"} or not text.strip()
    if name.isprintable() and name[:1].isalnum():
        assert row["name"] == name


# --- a file's cells ------------------------------------------------------------------------------

DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t"),
        "lineterminator": st.sampled_from(["\n", "\r\n", "\r"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    }
)
CELLS = st.text(st.sampled_from('ab,;"\t\r\n 名1=\\'), max_size=6)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5)
)


def sheet(folder, data: bytes, delimiter: str) -> Sheet:
    """A file's bytes as a sheet."""
    path = folder / "sheet.csv"
    path.write_bytes(data)
    return Sheet(read_text(path), delimiter)


def written(rows, dialect) -> str:
    """A table as ``csv`` writes it."""
    stream = io.StringIO()
    csv.writer(stream, **dialect).writerows(rows)
    return stream.getvalue()


def held(rows) -> list[list[str]]:
    """The rows with anything in them."""
    return [row for row in rows if any(cell.strip() for cell in row)]


@given(TABLES, DIALECTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]), st.data())
def test_cells_as_csv_reads_them(tmp_path_factory, rows, dialect, encoding, data):
    """Cells are those of Python's ``csv``; filling one changes it alone, filling none no byte."""
    folder = tmp_path_factory.mktemp("sheet")
    text = written(rows, dialect)
    content = text.encode(encoding)
    found = sheet(folder, content, dialect["delimiter"])
    # Not what was written: up to Python 3.12, csv leaves some carriage returns unquoted.
    first, *rest = csv.reader(io.StringIO(text, newline=""), delimiter=dialect["delimiter"])
    assert [[cell.value for cell in row] for row in found.rows] == held(rest)
    assert found.heading == [cell.strip() for cell in first or [""]]
    assert found.filled({}) == content
    cells = [cell for row in found.rows for cell in row]
    if cells:
        cell = data.draw(st.sampled_from(cells))
        changed = found.filled({cell: "12,5"}).decode(encoding)
        assert changed.startswith(text[: cell.start].removeprefix("\ufeff"))
        assert changed.endswith(text[cell.end :])
        again = sheet(folder, changed.encode(encoding), dialect["delimiter"])
        old = [c.value for row in found.rows for c in row]
        new = [c.value for row in again.rows for c in row]
        assert new == [*old[: (at := cells.index(cell))], "12,5", *old[at + 1 :]]


@given(st.text(st.sampled_from('a,"\n\r '), max_size=12))
def test_malformed_cells(tmp_path_factory, text):
    """What was never written by ``csv`` is read as it reads it, or refused for its open quote."""
    try:
        found = sheet(tmp_path_factory.mktemp("sheet"), text.encode(), ",")
    except UsageError:
        with pytest.raises(csv.Error):
            list(csv.reader(io.StringIO(text, newline=""), strict=True))
    else:
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert [[cell.value for cell in row] for row in found.rows] == held(rows[1:])
        assert found.filled({}) == text.encode()


# --- Canvas --------------------------------------------------------------------------------------

#: As Canvas exports it, with a row of posting marks, and students of several sorts.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,P16 Batching (41),P17 Graph Runner (42),\
Current Score,Final Score
,,,,,,,Manual Posting,,
    Points Possible,,,,,(read only),100.00,100.00,(read only),(read only)
"Lovelace, Ada",1001,S-1,ada,"Lab A, early",,90.00,,90,45
"Hopper, ""Amazing"" Grace",1002,S-2,grace@x.edu,Lab B,late,80.00,10.00,80,45
"Turing, Alan",1003,S-3,alan,Lab B,,EX,EX,,
"Student, Test",1004,,a5e1f,Lab B,,,,,
"""

ADA, GRACE, ALAN = "Lovelace, Ada", 'Hopper, "Amazing" Grace', "Turing, Alan"
TITLE = "P17 Graph Runner (42)"


@pytest.fixture
def book(tmp_path):
    """Writes an export."""

    def write(content: str | bytes = CANVAS):
        path = tmp_path / "gradebook.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def points_in(data: bytes, column: str = TITLE, *, who: str = "Student", **form) -> dict[str, str]:
    """Student -> what the filled file has in a column, by way of ``csv``."""
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), **form))
    return {row[who].strip(): row[column] for row in rows if row[who]}


def with_points(content: str, *cells: tuple[str, str]) -> bytes:
    """An export with some texts replaced, each of which is there once."""
    for old, new in cells:
        assert content.count(old) == 1
        content = content.replace(old, new)
    return content.encode()


def refusal(path, *entries: Entry, column: str | None = None) -> UsageError:
    """What is said about a file that cannot be filled; in words in every language."""
    before = path.read_bytes()
    with pytest.raises(UsageError) as caught:
        fill(path, entries, NAMES, column)
    assert path.read_bytes() == before
    for language in LANGUAGES:
        say = Translator(language)
        assert str(path) in say.text(caught.value.message)
        assert say.remedy(caught.value.message.id)
    return caught.value


def test_canvas(book):
    """The points go into the one column of the exercise; nothing else differs in a byte."""
    found = fill(book(), [entry("1001", 85), entry("1002", 70)], NAMES)
    assert found.data == with_points(CANVAS, (",90.00,,90,", ",90.00,85,90,"), ("10.00", "70"))
    assert found.filled == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8])
def test_nothing_to_fill(book, end, bom):
    """Without results, the very same bytes come back."""
    content = bom + CANVAS.replace("\n", end).encode()
    assert fill(book(content), [], NAMES).data == content
    assert fill(book(content), [entry("x"), missing("1001")], NAMES).data == content


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encodings_and_delimiters(book, encoding, delimiter):
    """A file comes back in the encoding and with the delimiter it came in."""
    content = CANVAS.replace("Lovelace, Ada", "洛芙莱斯").replace("Lab A, early", "早班")
    rows = csv.reader(io.StringIO(content))
    dialect = {"delimiter": delimiter, "quoting": csv.QUOTE_ALL, "lineterminator": "\r\n"}
    text = written(rows, dialect)
    found = fill(book(text.encode(encoding)), [entry("S-1", 50)], NAMES)
    assert (
        found.data.decode(encoding)
        == with_points(
            text,
            (
                delimiter.join(('"90.00"', '""', '"90"')),
                delimiter.join(('"90.00"', '"50"', '"90"')),
            ),
        ).decode()
    )
    assert found.data[:2] == text.encode(encoding)[:2]


def test_excused_and_not_assigned_stay(book):
    """``EX`` and ``N/A`` are the instructor's word; whoever has them was found all the same."""
    content = CANVAS.replace("Lab B,,EX,EX", "Lab B,,EX,ex ")
    found = fill(book(content), [entry("1003", 85)], NAMES)
    assert found.data == content.encode()
    assert not found.not_found
    assert found.filled == 0
    content = CANVAS.replace("Lab B,,EX,EX", "Lab B,,EX,N/A")
    assert fill(book(content), [entry("1003", 85)], NAMES).data == content.encode()


def test_no_points_leave_the_cell_alone(book):
    """Neither who handed nothing in nor who could not be graded loses what stands there."""
    found = fill(book(), [missing("1001"), entry("1002", None)], NAMES)
    assert found.data == CANVAS.encode()
    assert not found.not_found


def test_error_is_a_zero(book):
    """A submission that could not be graded by its own fault has 0 points."""
    error = Error(kind="syntax", message=Text(id="error.empty"))
    assert points_in(fill(book(), [entry("1002", 0, error=error)], NAMES).data)[GRACE] == "0"


@pytest.mark.parametrize(
    "id", ["1001", "S-1", "s-1", "ada", "ADA", "Lovelace, Ada", "ada lovelace", "Ada  LOVELACE"]
)
def test_ways_to_find_a_student(book, id):
    """By the platform's id, the school's, the login, or the name, whatever its order."""
    found = fill(book(), [entry(id, 85)], NAMES)
    assert points_in(found.data)[ADA] == "85"
    assert not found.not_found


def test_by_address_and_by_name(book):
    """An address is found where it is the login; a name where nothing surer is there."""
    people = [entry("r1", 60, email="Grace@X.edu"), entry("r2", 70, name="Ada Lovelace")]
    filled = points_in(fill(book(), people, NAMES).data)
    assert (filled[GRACE], filled[ADA]) == ("60", "70")


def test_columns_of_first_and_last_names(book):
    """Canvas may export names in two columns."""
    content = CANVAS.replace("Student,ID", "LastName,FirstName,ID").replace(
        ",,,,,,,Manual", ",,,,,,,,Manual"
    )
    content = content.replace("Possible,", "Possible,,").replace('"Lovelace, Ada"', "Lovelace,Ada")
    content = content.replace('"Hopper, ""Amazing"" Grace"', "Hopper,Grace")
    content = content.replace('"Turing, Alan"', "Turing,Alan").replace(
        '"Student, Test"', "Student,Test"
    )
    found = fill(book(content), [entry("x", 85, name="Grace Hopper")], NAMES)
    assert points_in(found.data, who="LastName")["Hopper"] == "85"
    assert found.without_entry == ("Lovelace Ada", "Turing Alan")


def test_two_people_of_one_name(book):
    """A name that two share, in the file or in the class, says nothing; an id still does."""
    content = CANVAS.replace("Turing, Alan", ADA).replace("EX,EX", "1,1")
    found = fill(book(content), [entry("x", 85, name="Ada Lovelace")], NAMES)
    assert found.data == content.encode()
    assert [student.id for student in found.not_found] == ["x"]
    twins = [entry("x", 85, name="Ada Lovelace"), entry("y", 80, name="Ada Lovelace")]
    found = fill(book(), twins, NAMES)
    assert found.data == CANVAS.encode()
    assert [student.id for student in found.not_found] == ["x", "y"]
    by_id = fill(
        book(content), [entry("1003", 7, name="Ada Lovelace"), entry("y", 9, name=ADA)], NAMES
    )
    assert b",Lab B,,1,7,," in by_id.data
    assert b",90.00,9,90," in by_id.data  # of two namesakes, the one that is left


def test_numbers_of_two_kinds(book):
    """An id that is one student's number and another's school number belongs to neither by itself."""
    content = CANVAS.replace("S-2", "1001")
    found = fill(book(content), [entry("1001", 85)], NAMES)
    assert found.data == content.encode()
    assert [student.id for student in found.not_found] == ["1001"]
    named = fill(book(content), [entry("1001", 85, name="Ada Lovelace")], NAMES)
    assert points_in(named.data)[ADA] == "85"


def test_who_is_missing_where(book):
    """Students whom the file lacks, and rows of whom there is no result; no test student."""
    found = fill(book(), [entry("1001"), entry("77", name="Ghost")], NAMES)
    assert [student.name for student in found.not_found] == ["Ghost"]
    assert found.without_entry == (GRACE, ALAN)


@pytest.mark.parametrize(
    ("points", "most", "possible", "written"),
    [
        (85, 100, "100.00", "85"), (85, 100, "20", "17"), (85, 100, "10", "8.5"),
        (33, 100, "20", "6.6"), (1, 3, "10", "3.33"), (2, 3, "10", "6.67"), (100, 100, "15.5", "15.5"),
        (0, 100, "20", "0"), (85, 100, "", "85"), (85, 100, "0", "85"), (85, 100, "pass", "85"),
        (1, 8, "1", "0.13"), (50, 100, "1000", "500"), (85, 100, "10,00", '"8,5"'), (85, 100, "20,0", "17"),
    ],
)  # fmt: skip
def test_scaled(book, points, most, possible, written):
    """Points are scaled to those possible, to two decimals, with the file's decimal mark."""
    cell = f'"{possible}"' if "," in possible else possible
    content = CANVAS.replace("100.00,100.00", f"100.00,{cell}")
    found = fill(book(content), [entry("1001", points, most=most)], NAMES)
    assert f",90.00,{written},90,".encode() in found.data


@given(
    st.integers(1, 1000).flatmap(lambda most: st.tuples(st.integers(0, most), st.just(most))),
    st.integers(1, 1000),
)
def test_scaled_is_near(tmp_path_factory, score, possible):
    """What is written is within half a hundredth of the exact share, and never above the most."""
    points, most = score
    path = tmp_path_factory.mktemp("book") / "book.csv"
    path.write_text(CANVAS.replace("100.00,100.00", f"100.00,{possible}"))
    text = points_in(fill(path, [entry("1001", points, most=most)], NAMES).data)[ADA]
    assert abs(Fraction(Decimal(text)) - Fraction(points * possible, most)) <= Fraction(1, 200)
    assert Decimal(text) <= possible
    assert text == f"{float(text):g}" or "." in text


@pytest.mark.parametrize(
    "heading",
    ["p17 (42)", "Exercise P17: graphs (42)", "作业P17作业 (42)", "Cuda Graph Bucket Runner (42)"],
)
def test_column_of_the_exercise(book, heading):
    """The column is known by the exercise's id or title as a word of it, whatever its case."""
    found = fill(book(CANVAS.replace(TITLE, heading)), [entry("1001", 85)], NAMES)
    assert points_in(found.data, heading)[ADA] == "85"


@pytest.mark.parametrize("heading", ["P170 (42)", "AP17 (42)", "Graphs (42)", "P1 7 (42)"])
def test_no_column_of_the_exercise(book, heading):
    """Part of another word is no name; what can be chosen is listed, without Canvas's own columns."""
    error = refusal(book(CANVAS.replace(TITLE, heading)), entry("1001"))
    assert error.message.id == "usage.gradebook_no_column"
    assert error.message.params["columns"] == ["P16 Batching (41)", heading]


def test_several_columns_of_the_exercise(book):
    """Of two columns that fit, neither is guessed at."""
    error = refusal(book(CANVAS.replace("P16 Batching", "P17 resit")), entry("1001"))
    assert error.message.id == "usage.gradebook_columns"
    assert error.message.params["columns"] == ["P17 resit (41)", TITLE]


@pytest.mark.parametrize("column", ["P16 Batching (41)", "P16 Batching", "41", " 41 "])
def test_column_named(book, column):
    """A column can be named by its heading, its title or its number."""
    found = fill(book(), [entry("1002", 85)], NAMES, column)
    assert found.data == with_points(CANVAS, ("late,80.00", "late,85"))


@pytest.mark.parametrize("column", ["p16", "Section", "ID", "Notes", "Current Score", "4", "P17"])
def test_column_that_is_none_to_fill(book, column):
    """Columns of Canvas's own, read-only ones and parts of a title are not to be had."""
    assert refusal(book(), entry("1001"), column=column).message.id == "usage.gradebook_no_column"


@pytest.mark.parametrize(
    "heading", ["P17 Final Score", "Override Score (P17)", "P17 Unposted Current Points"]
)
def test_computed_column(book, heading):
    """A column that Canvas computes is not to be filled, whatever it is of."""
    content = CANVAS.replace("Current Score,Final", f"{heading},Final").replace(
        "(read only),(read", ",(read"
    )
    assert points_in(fill(book(content), [entry("1001", 85)], NAMES).data)[ADA] == "85"


def test_read_only_column(book):
    """A column that Canvas takes nothing into is not the exercise's."""
    content = CANVAS.replace("100.00,100.00", "100.00,(read only)")
    assert refusal(book(content), entry("1001")).message.id == "usage.gradebook_no_column"


def test_ragged_row(book):
    """A row with too few or too many cells is refused, with its line: points might go astray."""
    content = CANVAS.replace('"Lovelace, Ada"', "Lovelace, Ada")
    error = refusal(book(content), entry("1001"))
    assert error.message.id == "usage.gradebook_row"
    assert [error.message.params[key] for key in ("line", "cells", "columns")] == [4, 11, 10]
    error = refusal(book(CANVAS.replace(",EX,EX,,", ",EX")), entry("1001"))
    assert [error.message.params[key] for key in ("line", "cells", "columns")] == [6, 7, 10]


def test_shifted_row(book):
    """A row is refused as well where the cell too many is empty: the others stand one off."""
    content = MOODLE.format(**ENGLISH).replace('"Grace, Hopper"', "Grace, Hopper")
    error = refusal(book(content), entry("102"))
    assert [error.message.params[key] for key in ("line", "cells", "columns")] == [3, 11, 10]


def test_blank_rows(book):
    """Rows without anything in them, of whatever length, do no harm and stay."""
    content = CANVAS + ",,,,,,,,,\n\n,\n"
    found = fill(book(content), [entry("1001", 85)], NAMES)
    assert found.data == with_points(content, (",90.00,,90,", ",90.00,85,90,"))
    assert found.without_entry == (GRACE, ALAN)


def test_open_quote(book):
    """A quote that is never closed is told with its line."""
    error = refusal(book(CANVAS.replace('Test"', "Test")), entry("1001"))
    assert (error.message.id, error.message.params["line"]) == ("usage.gradebook_quote", 7)


@pytest.mark.parametrize(
    ("content", "id"),
    [
        (b"", "usage.gradebook_form"), (b"name,score\nada,1\n", "usage.gradebook_form"),
        (b"\n" + CANVAS.encode(), "usage.gradebook_form"), (b"PK\x03\x04\xff\xff\x00", "usage.gradebook_encoding"),
        (b"\xff\xfea", "usage.gradebook_encoding"), (b"\xef\xbb\xbf\xff", "usage.gradebook_encoding"),
    ],
)  # fmt: skip
def test_no_gradebook(book, content, id):
    """Whatever is no gradebook is said not to be one."""
    assert refusal(book(content), entry("1001")).message.id == id


def test_no_file(tmp_path):
    """So is what cannot be read at all."""
    for path in (tmp_path, tmp_path / "gone.csv"):
        with pytest.raises(UsageError) as caught:
            fill(path, [], NAMES)
        assert caught.value.message.id == "usage.gradebook_unreadable"


# --- Moodle --------------------------------------------------------------------------------------

#: As Moodle hands it out: PHP quotes whatever has a blank in it.
MOODLE = """\
{identifier},"{name}","{email}",Status,{grade},"{maximum}","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"{who}101","Ada Lovelace",ada@x.edu,"Submitted for grading",,{most},Yes,"Monday, 2 March 2026, 9:05",-,
"{who}102","Grace, Hopper",grace@x.edu,"Submitted for grading",55.00,{most},Yes,-,-,"<p>""Good"",
see me</p>"
"{who}103",张三,zhang@x.edu,"No submission",,{most},Yes,-,-,
"""

ENGLISH = {
    "identifier": "Identifier", "name": "Full name", "email": "Email address", "grade": "Grade",
    "maximum": "Maximum grade", "who": "Participant ", "most": "100.00",
}  # fmt: skip
OLD_ENGLISH = {**ENGLISH, "maximum": "Maximum Grade"}
CHINESE = {
    "identifier": "标识符", "name": "全名", "email": "电子邮件地址", "grade": "成绩",
    "maximum": "最高分", "who": "参与人", "most": "100.00",
}  # fmt: skip
OLD_CHINESE = {
    "identifier": "识别码", "name": "全名", "email": "Email地址", "grade": "成绩",
    "maximum": "最高成绩", "who": "参与者", "most": "100.00",
}  # fmt: skip
TRADITIONAL = {
    **OLD_CHINESE,
    "identifier": "識別碼",
    "grade": "成績",
    "maximum": "最高分數",
    "who": "參與者 ",
}
MOODLES = [ENGLISH, OLD_ENGLISH, CHINESE, OLD_CHINESE, TRADITIONAL]


@pytest.mark.parametrize("words", MOODLES)
@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8])
def test_moodle(book, words, bom):
    """Identifiers are matched by their number, in English and in Chinese."""
    content = MOODLE.format(**words)
    found = fill(book(bom + content.encode()), [entry("101", 85), entry("102", 90)], NAMES)
    cells = (('grading",,100', 'grading",85,100'), ("55.00", "90"))
    assert found.data == bom + with_points(content, *cells)
    assert (found.filled, found.not_found, found.without_entry) == (2, (), ("张三",))


@pytest.mark.parametrize("words", MOODLES)
def test_moodle_nothing_to_fill(book, words):
    """The very same bytes come back, PHP's way of quoting included."""
    content = MOODLE.format(**words).encode()
    assert fill(book(content), [missing("101"), entry("103", None)], NAMES).data == content


@pytest.mark.parametrize("words", MOODLES)
def test_moodle_scaled(book, words):
    """The maximum is the row's own."""
    content = MOODLE.format(**{**words, "most": "20.00"})
    found = fill(book(content), [entry("101", 85)], NAMES)
    assert found.data == with_points(content, ('grading",,20.00', 'grading",17,20.00'))


@pytest.mark.parametrize("words", MOODLES)
def test_moodle_by_address_and_name(book, words):
    """Where a class is known by other ids, addresses and names are looked at."""
    people = [entry("a", 1, email="ADA@x.edu"), entry("zhang@x.edu", 2), entry("Grace Hopper", 3)]
    found = fill(book(MOODLE.format(**words)), people, NAMES)
    marks = points_in(found.data, words["grade"], who=words["name"])
    assert marks == {"Ada Lovelace": "1", "张三": "2", "Grace, Hopper": "3"}


def test_moodle_blind(book):
    """Where students are anonymous, the number alone tells them apart, and names the row."""
    content = "Identifier,Status,Grade\nParticipant 7,-,\nParticipant 77,-,\n"
    found = fill(book(content), [entry("7", 85)], NAMES)
    assert found.data == with_points(content, ("Participant 7,-,\n", "Participant 7,-,85\n"))
    assert found.without_entry == ("Participant 77",)


def test_moodle_school_numbers(book):
    """Whatever else identifies users, Moodle may list; it is looked at as well."""
    content = "Identifier,ID number,Grade\nParticipant 7,2026-01,\n"
    assert b"01,85" in fill(book(content), [entry("2026-01", 85)], NAMES).data
    content = "标识符,学号,成绩\n参与人7,2026-01,\n"
    assert b"01,85" in fill(book(content), [entry("2026-01", 85)], NAMES).data


def test_moodle_decimal_comma(book):
    """A decimal comma that the file has is written, in quotes where commas separate."""
    content = MOODLE.format(**{**ENGLISH, "most": '"10,00"'})
    found = fill(book(content), [entry("101", 85)], NAMES)
    assert found.data == with_points(content, ('grading",,"10,00"', 'grading","8,5","10,00"'))


def test_moodle_column(book):
    """The grades' column may be named; one that is not there is not made up."""
    content = MOODLE.format(**{**ENGLISH, "grade": "Note"})
    assert b'grading",85,' in fill(book(content), [entry("101", 85)], NAMES, "Note").data
    both = content.replace("Status,", "Grade,")
    assert b'grading",85,' in fill(book(both), [entry("101", 85)], NAMES, "Note").data
    error = refusal(book(content), entry("101"))
    assert error.message.id == "usage.gradebook_no_column"
    assert "Note" in error.message.params["columns"]


def test_moodle_ragged_row(book):
    """A row with a cell too few is refused, with its line."""
    content = MOODLE.format(**ENGLISH).replace('No submission",,', 'No submission",')
    error = refusal(book(content), entry("101"))
    assert (error.message.id, error.message.params["line"]) == ("usage.gradebook_row", 5)


# --- both ----------------------------------------------------------------------------------------


def test_read_one_at_a_time(book):
    """Results may come from a generator, and are taken up once."""
    assert fill(book(), (entry(id) for id in ("1001", "1002")), NAMES).filled == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1001", "ada", "S-2", "1002", "Turing, Alan", "x", ""]),
            st.integers(0, 100),
        ),
        max_size=6,
    )
)
def test_whoever_is_given(tmp_path_factory, people):
    """A cell has the points of a student who alone may claim it; all others stay as they were."""
    path = tmp_path_factory.mktemp("book") / "book.csv"
    path.write_text(CANVAS)
    found = fill(path, [entry(id, points) for id, points in people], NAMES)
    old, new = points_in(CANVAS.encode()), points_in(found.data)
    claims = {ADA: ("1001", "ada"), GRACE: ("S-2", "1002"), ALAN: ()}
    for who in old:
        mine = [points for id, points in people if id in claims.get(who, ())]
        assert new[who] == (str(mine[0]) if len(mine) == 1 else old[who])
