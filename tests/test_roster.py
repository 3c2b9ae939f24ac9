"""Rosters: read from every platform's CSV, and whom of them a download means."""

import codecs
import csv
import io

import pytest
import support  # noqa: F401 - Hypothesis without deadlines
from hypothesis import given
from hypothesis import strategies as st

from grader.cohort.names import folded, spoken, squeezed, unordered
from grader.cohort.roster import Roster
from grader.cohort.student import Student
from grader.errors import UsageError
from grader.i18n import LANGUAGES, Translator

PLAIN = "id,name,email\n1001,Ada Lovelace,ada@example.edu\n1002,Alan Turing,alan@example.edu\n"


@pytest.fixture
def read(tmp_path):
    """Reads a roster from a text or from bytes."""

    def read(content: str | bytes) -> Roster:
        path = tmp_path / "roster.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return Roster.read(path)

    return read


@pytest.fixture
def refusal(read):
    """Why a roster is refused: its message's id and parameters, all but the file."""

    def refusal(content: str | bytes) -> tuple[str, dict[str, object]]:
        with pytest.raises(UsageError) as caught:
            read(content)
        params = dict(caught.value.message.params)
        assert str(params.pop("file")).endswith("roster.csv")
        for language in LANGUAGES:
            say = Translator(language)
            assert "roster.csv" in say.text(caught.value.message)
            assert say.knows(f"{caught.value.message.id}.next")
        return caught.value.message.id, params

    return refusal


def listed(roster: Roster) -> list[tuple[str, str, str]]:
    """Id, name and e-mail of every student."""
    return [(student.id, student.name, student.email) for student in roster.students]


# --- every platform's ----------------------------------------------------------------------------


def test_plain(read):
    """Id, name and e-mail."""
    assert listed(read(PLAIN)) == [
        ("1001", "Ada Lovelace", "ada@example.edu"), ("1002", "Alan Turing", "alan@example.edu"),
    ]  # fmt: skip


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,P17 (5501),Final Score
    Points Possible,,,,,100,(read only)
"Lovelace, Ada",1042,S-77,ada,"CS 1, A",,
"O'Neil, Jr, Tim",1043,S-78,tim,"CS 1, A",EX,
"Student, Test",1044,,0f3a,"CS 1, A",,
,,,,,Manual Posting,
"""


def test_canvas(read):
    """A gradebook: the user's id is that of its downloads; its other lines are no students."""
    roster = read(CANVAS)
    assert listed(roster) == [("1042", "Lovelace, Ada", ""), ("1043", "O'Neil, Jr, Tim", "")]
    for id in ("1042", "S-77", "s-77", "ada", " ADA "):
        assert roster.resolve(Student(id=id)) is roster.students[0]


def test_a_student_called_test(read):
    """Only in a gradebook of Canvas is a student of that name made up."""
    assert len(read("id,name\n1,Test Student\n").students) == 1


MOODLE = """\
Identifier,Full name,Email address,Status,Grade,Last modified (grade),ID number
Participant 77,Ada Lovelace,ada@example.edu,Submitted,,-,S-1
Participant 78,Alan Turing,alan@example.edu,Submitted,,-,S-2
"""


@pytest.mark.parametrize(
    "head",
    ["Identifier,Full name,Email address,Status,Grade,Last modified (grade),ID number",
     "标识符,全名,电子邮件地址,状态,成绩,最后修改,ID号码", "标识符,姓名,邮箱,状态,成绩,最后修改,学号"],
)  # fmt: skip
@pytest.mark.parametrize("word", ["Participant", "参与者", "Teilnehmer/in"])
def test_moodle(read, head, word):
    """A grading worksheet, in the site's language: a participant's number is that of its downloads."""
    text = "\n".join([head, *MOODLE.splitlines()[1:]]).replace("Participant", word)
    roster = read(text)
    assert listed(roster)[0] == ("77", "Ada Lovelace", "ada@example.edu")
    for id in ("77", f"{word} 77", "S-1"):
        assert roster.resolve(Student(id=id)) is roster.students[0]


def test_moodle_participants(read):
    """The list of a course's participants has a name in two parts, and no identifier."""
    text = "First name,Surname,ID number,Email address\nAda,Lovelace,S-1,ada@example.edu\n"
    assert listed(read(text)) == [("S-1", "Ada Lovelace", "ada@example.edu")]
    assert listed(read("名,姓氏,学号,邮箱\n三,张,7,z@example.edu\n")) == [
        ("7", "张三", "z@example.edu")
    ]


def test_gradescope(read):
    """Who has no SID is known by their e-mail address, as in an export."""
    text = "First Name,Last Name,SID,Email,Role\nAda,Lovelace,0123,ada@example.edu,Student\nBob,B,,bob@example.edu,Student\n"
    assert listed(read(text)) == [
        ("0123", "Ada Lovelace", "ada@example.edu"), ("bob@example.edu", "Bob B", "bob@example.edu"),
    ]  # fmt: skip


def test_classroom(read):
    """GitHub's login is that of the repositories; the identifier is the instructor's own."""
    text = '"identifier","github_username","github_id","name"\n"student 1","ada-l","99","Ada"\n"student 2","","","Bob"\n'
    roster = read(text)
    assert [student.name for student in roster.students] == ["Ada", "Bob"]
    assert roster.resolve(Student(id="ada-l")) is roster.students[0]
    assert roster.resolve(Student(id="student 2")) is roster.students[1]


def test_nbgrader(read):
    """As its database exports it."""
    text = "id,first_name,last_name,email,lms_user_id\nada,Ada,Lovelace,ada@example.edu,5\n"
    roster = read(text)
    assert listed(roster) == [("ada", "Ada Lovelace", "ada@example.edu")]
    assert roster.resolve(Student(id="5")) is roster.students[0]


@pytest.mark.parametrize(
    "text",
    ["ada\nbob\n", "id\nada\nbob\n", "学号\nada\nbob", "\n\nada\n\n bob \n", "Email\nada\nbob\n"],
)
def test_one_column(read, text):
    """A list of ids needs no line that names its column."""
    assert [student.id for student in read(text).students] == ["ada", "bob"]


def test_names_alone(read):
    """Where there is nothing else, names tell students apart; a comma alone makes no two columns."""
    assert [student.id for student in read("姓名\n张三\n李四\n").students] == ["张三", "李四"]
    assert [student.id for student in read("Name\nLovelace, Ada\nTuring, Alan\n").students] == [
        "Lovelace, Ada", "Turing, Alan",
    ]  # fmt: skip


# --- every way of writing it ---------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_and_separators(read, separator, ends, encoding):
    """As spreadsheets save it, wherever in the world."""
    text = PLAIN.replace("Ada Lovelace", "王小明").replace(",", separator).replace("\n", ends)
    assert listed(read(text.encode(encoding)))[0] == ("1001", "王小明", "ada@example.edu")
    if encoding == "utf-16":
        big = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
        assert listed(read(big))[0] == ("1001", "王小明", "ada@example.edu")


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(max_size=12)), min_size=1, max_size=6,
                unique_by=lambda row: folded(row[0])), st.sampled_from(",;\t"))  # fmt: skip
def test_any_name(tmp_path_factory, rows, separator):
    """Names with commas, quotes and line ends are read as a spreadsheet wrote them."""
    rows = [
        (id, name)
        for id, name in rows
        if id.strip() and "\0" not in id + name and _is_text(id + name)
    ]
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator).writerows([("id", "name"), *rows])
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(stream.getvalue().encode())
    if rows:
        ids = [student.id for student in Roster.read(path).students]
        assert [folded(id) for id in ids] == [folded(id) for id, _ in rows]


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def test_blank_and_short_lines(read):
    """Blank lines are nobody's; what a line leaves out is empty."""
    assert listed(read(f"\n{PLAIN}\n,,\n  ,\t,\n1003\n")) == [
        *listed(read(PLAIN)),
        ("1003", "", ""),
    ]


def test_two_columns_of_one_name(read):
    """Of two columns of one name, the first counts."""
    assert listed(read("id,name,id\n1,Ada,2\n"))[0][0] == "1"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_separators_in_names(read, ends):
    """It is the line of the columns' names that tells what separates them."""
    text = ends.join(["id\tname", "1\tLovelace, Ada; Countess", "2\tTuring, Alan, OBE", ""])
    assert [student.name for student in read(text).students] == [
        "Lovelace, Ada; Countess", "Turing, Alan, OBE",
    ]  # fmt: skip


# --- what is wrong with it -----------------------------------------------------------------------


def test_missing(tmp_path):
    """No file, or a folder: the path is named."""
    for path in (tmp_path / "gone.csv", tmp_path):
        with pytest.raises(UsageError) as caught:
            Roster.read(path)
        assert caught.value.message.id == "usage.roster_unreadable"
        assert caught.value.message.params["file"] == str(path)


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04\x14\0\x06\0xlsx", b"\xff\xfeid\0", b"\xff\xff\xff", b"id\0name", b"\xff\xfe\x00\xd8"],
    ids=["spreadsheet", "half", "no_text", "nul", "surrogate"],
)  # fmt: skip
def test_no_text(refusal, content):
    """A spreadsheet itself, and other files that are no text, are told to be saved as CSV."""
    assert refusal(content) == ("usage.roster_encoding", {})


@pytest.mark.parametrize(
    ("text", "found"),
    [("1001,Ada,x\n1002,Bob,y\n", ["1001", "Ada", "x"]), ("\n\nGrade;Section\n5;A", ["Grade", "Section"])],
)  # fmt: skip
def test_no_column(refusal, text, found):
    """Without a column that tells students apart, the line is named, and what it has."""
    line = text.count("\n", 0, text.index(found[0])) + 1
    assert refusal(text) == ("usage.roster_columns", {"line": line, "found": found})


@pytest.mark.parametrize("id", ["1001", " 1001 ", "１００１"])
def test_twice(refusal, id):
    """Two students of one id: both lines are named; lines are counted as an editor counts them."""
    text = f'id,name\n1001,"Ada\nLovelace"\n\n7,Bob\n{id},Cy\n'
    assert refusal(text) == ("usage.roster_twice", {"line": 6, "id": id.strip(), "first": 2})


def test_twice_by_name(refusal):
    """So are two that have but one name."""
    assert refusal("Name,Email\nWang Wei,\nWang  Wei,\n")[0] == "usage.roster_twice"


@pytest.mark.parametrize("text", ["", "\n\n", "id,name\n", "id,name\n,\n"])
def test_nobody(refusal, text):
    """A roster without a student is a mistake."""
    assert refusal(text) == ("usage.roster_empty", {})


@pytest.mark.parametrize(
    ("text", "line"), [('id,name\n1,Ada\n2,"Bob\n3,Cy\n', 3), ('id,name\n1,"A"da\n', 2)]
)
def test_quotes(refusal, text, line):
    """A quote that is never closed does not swallow the rest of the class."""
    id, params = refusal(text)
    assert (id, params["line"]) == ("usage.roster_csv", line)


# --- whom a download means -----------------------------------------------------------------------


@pytest.fixture
def roster(read):
    """A class with names that are hard to tell apart."""
    return read(
        "id,name,email\n1,Ada Lovelace,ada@example.edu\n2,Wei Wang,wei@example.edu\n3,Wang Wei,w2@example.edu\n"
        "4,Li Na,\n5,Li Na,\n6,\"O'Neil, Tim\",tim@example.edu\n7,José Núñez García,\n8,王小明,wang@example.edu\n"
        "9,Anna Schmidt-Meier,shared@example.edu\n10,Ben Smith,shared@example.edu\nada,Somebody Else,\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("student", "id"),
    [
        (Student(id="1"), "1"), (Student(id="ADA"), "ada"), (Student(id="1", name="Ben Smith"), "1"),
        (Student(id="x", email="Ada@Example.edu"), "1"), (Student(id="ada@example.edu"), "1"),
        (Student(id="x", name="ADA  lovelace"), "1"), (Student(id="x", name="Lovelace, Ada"), "1"),
        (Student(id="Ada Lovelace"), "1"), (Student(id="x", name="lovelaceada"), "1"),
        (Student(id="x", name="Lovelace Ada"), "1"), (Student(id="x", name="Ａda Lovelace"), "1"),
        (Student(id="x", name="oneiltim"), "6"), (Student(id="x", name="Tim O'Neil"), "6"),
        (Student(id="x", name="garcíajosénúñez"), "7"), (Student(id="x", name="Jose\u0301 Nu\u0301n\u0303ez García"), "7"),
        (Student(id="x", name="王小明"), "8"), (Student(id="王小明"), "8"), (Student(id="x", name="schmidtmeieranna"), "9"),
        (Student(id="x", name="Wei Wang"), "2"), (Student(id="x", name="Wang, Wei"), "2"),
        (Student(id="x", name="Ben Smith", email="shared@example.edu"), "10"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.shown,
)  # fmt: skip
def test_resolve(roster, student, id):
    """By an id, else by e-mail, else by name, in whatever order and form a platform writes it."""
    assert roster.resolve(student).id == id


@pytest.mark.parametrize(
    "student",
    [Student(id="x"), Student(id="x", name="Li Na"), Student(id="x", name="nali"), Student(id="x", name="wangwei"),
     Student(id="x", email="shared@example.edu"), Student(id="x", name="Ada"), Student(id="x", name="Ad Alovelace"),
     Student(id="11", name=""), Student(id="x", name="."), Student(id="x", name="Benedict Smith")],
    ids=lambda student: f"{student.name}{student.email}",
)  # fmt: skip
def test_resolve_nobody(roster, student):
    """Between two, nobody is guessed; nor is anybody whose name is only a little like it."""
    assert roster.resolve(student) is None


def test_an_id_that_two_have(read):
    """One student's number on one system may be another's on another: then the name decides, or nothing."""
    roster = read("id,name,student id\n5,Ada,77\n77,Bob,5\n6,Cy,9\n")
    assert roster.resolve(Student(id="5")) is None
    assert roster.resolve(Student(id="5", name="Bob")).id == "77"
    assert roster.resolve(Student(id="5", name="Cy")) is None
    assert roster.resolve(Student(id="9")).id == "6"


@given(st.lists(st.text("abÄé' -,.王", min_size=1, max_size=8), min_size=1, max_size=5), st.data())
def test_resolve_is_no_guess(tmp_path_factory, names, data):
    """Whatever the names: whoever is found by name alone is the only one whose name it can be."""
    path = tmp_path_factory.getbasetemp() / "guess.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "name"), *((f"#{i}", name) for i, name in enumerate(names))]
        )
    roster = Roster.read(path)
    name = data.draw(st.sampled_from(names))
    found = roster.resolve(Student(id="?", name=name))
    same = [student for student in roster.students if spoken(student.name) == spoken(name)]
    if len(same) > 1 or not spoken(name):
        assert found is None
    else:
        assert found == same[0]


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [("Lovelace, Ada", "ada lovelace"), ("  Ada  LOVELACE ", "ada lovelace"), ("王，小明", "小明 王"),
     ("King, Jr, Martin", "king jr martin"), ("Straße", "strasse"), ("", ""), (",", "")],
)  # fmt: skip
def test_spoken(name, said):
    """A name as it is said, without what does not tell people apart."""
    assert spoken(name) == said


def test_sortable_names():
    """What Canvas makes of a sortable name is among the ways in which a name may look."""
    for name, sortable in (("Ada Lovelace", "lovelaceada"), ("Lovelace, Ada", "lovelaceada"),
                           ("María José Núñez", "núñezmaríajosé"), ("王 小明", "王小明")):  # fmt: skip
        assert sortable in squeezed(name)
    assert unordered("Lovelace, Ada") == unordered("Ada Lovelace") == unordered("lovelace ada")
