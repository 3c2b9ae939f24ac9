"""Layouts: in every platform's download, which file is whose."""

import io
import random
from collections.abc import Iterable, Mapping
from functools import partial

import pytest
import support  # noqa: F401 - Hypothesis without deadlines
from downloads import WORK
from hypothesis import given
from hypothesis import strategies as st

from grader.batch.intake.choice import choose
from grader.batch.intake.dates import date_in
from grader.batch.intake.layouts.layout import Piece, Root, Sorted
from grader.batch.intake.layouts.recognise import sorted_out
from grader.batch.intake.member import Member
from grader.batch.intake.wanted import Wanted, is_copy
from grader.errors import ExerciseError, UsageError
from grader.exercise import Project

FILE = "p17_graph_runner.py"
WANTED = Wanted("p17", {"python": FILE}, "mine")

#: What a download holds: names, or names and what is in the files.
Files = Iterable[str] | Mapping[str, bytes]


def sort(files: Files, root: str = "class", *, one_of_several: bool = False) -> Sorted:
    """A download, told apart."""
    contents = files if isinstance(files, Mapping) else dict.fromkeys(files, WORK)
    pieces = [
        Piece(Member((root, *name.split("/")), partial(io.BytesIO, content)), tuple(name.split("/")))
        for name, content in contents.items()
    ]  # fmt: skip
    return sorted_out(Root(root, (root,), pieces, one_of_several), WANTED)


def told(files: Files, root: str = "class", **how: bool) -> dict[str, list[str]]:
    """Whose the files of a download are.

    Returns:
        The students' ids -> their files, as they called them; ``-`` -> paths of what is nobody's.
    """
    found = sort(files, root, **how)
    works = {
        "+".join(student.id for student in work.students): sorted(
            "/".join(piece.inner) for piece in work.pieces
        )
        for work in found.works
    }
    assert len(works) == len(found.works)
    strays = sorted("/".join(piece.member.parts[1:]) for piece in found.strays)
    return works | ({"-": strays} if strays else {})


def names(files: Files) -> dict[str, str]:
    """Id -> name, of every student."""
    return {student.id: student.name for work in sort(files).works for student in work.students}


def places(files: Files) -> dict[str, str]:
    """Id -> where their work is, for people."""
    return {work.students[0].id: work.path for work in sort(files).works}


# --- Canvas --------------------------------------------------------------------------------------


def test_canvas():
    """The user's id tells whose a file is; the name it was given is what is left."""
    files = ["lovelaceada_1042_90001_p17_graph_runner.py", "turingalan_1043_90002_my_work_2.py"]
    assert told(files) == {"1042": [FILE], "1043": ["my_work_2.py"]}
    assert names(files) == {"1042": "lovelaceada", "1043": "turingalan"}


def test_canvas_late():
    """That it was late is no part of a name."""
    files = ["lovelaceada_LATE_1042_90001_p17_graph_runner.py", "turing_1043_90002_a.py"]
    assert names(files) == {"1042": "lovelaceada", "1043": "turing"}


def test_canvas_students_of_one_name():
    """Two students of one name are two."""
    assert told(["wangwei_1_11_a.py", "wangwei_2_12_a.py"]) == {"1": ["a.py"], "2": ["a.py"]}


@pytest.mark.parametrize("name", ["张三", "müllerjürgen", "o_neil", "anonymous", "李 四", "x2"])
def test_canvas_names(name):
    """Letters of any script stay in a sortable name."""
    assert names([f"{name}_7_11_a.py", "b_8_12_a.py"])["7"] == name


def test_canvas_anonymous():
    """Where names are hidden, an id of letters and digits tells students apart; ``LATE`` goes first."""
    files = ["anon_aB3xY_11_a.py", "LATE_anon_77Qqq_12_b.py", "anon_LATE_5_13_c.py"]
    assert told(files) == {"aB3xY": ["a.py"], "77Qqq": ["b.py"], "5": ["c.py"]}
    assert set(names(files).values()) == {""}


def test_canvas_text_entries():
    """What was typed in, or linked to, is its author's, and no attachment."""
    files = ["ada_1_11_a.py", "bob_2_text.html", "cy_LATE_3_link.html"]
    assert told(files) == {"1": ["a.py"], "2": ["text.html"], "3": ["link.html"]}


def test_canvas_attempts():
    """Attachments of one user are in the order of their numbers, however they are listed."""
    files = ["ada_1_200_p17_graph_runner-1.py", "ada_1_30_p17_graph_runner.py", "bob_2_31_a.py"]
    (work, _) = sort(files).works
    assert max(work.pieces, key=lambda piece: piece.order).name == "p17_graph_runner-1.py"


def test_canvas_and_what_is_not_of_it():
    """A file that somebody put beside a download is nobody's."""
    files = ["ada_1_11_a.py", "bob_2_12_b.py", "cy_3_13_c.py", "roster.csv", "notes/a.py"]
    assert told(files) == {
        "1": ["a.py"], "2": ["b.py"], "3": ["c.py"], "-": ["notes/a.py", "roster.csv"],
    }  # fmt: skip


def test_files_that_only_look_like_canvas():
    """Names that people chose may have the same form: two names for one id are no ids."""
    files = ["li_2026_11_hw.py", "wang_2026_12_hw.py"]
    assert told(files) == {name[:-3]: [name] for name in files}
    assert "ada" in told(["ada/x.py", "bob/x.py", "cy/x.py", "x_1_2_y.py"])


# --- Moodle --------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["", "_"])
def test_moodle(end):
    """A folder's name says whose it is; older versions write a further ``_``."""
    files = [f"Ada Lovelace_1042_assignsubmission_file{end}/{FILE}",
             f"Ada Lovelace_1042_assignsubmission_file{end}/sub/notes.txt",
             f"王 小明_77_assignsubmission_file{end}/a.py"]  # fmt: skip
    assert told(files) == {"1042": [FILE, "sub/notes.txt"], "77": ["a.py"]}
    assert names(files) == {"1042": "Ada Lovelace", "77": "王 小明"}
    assert places(files)["77"] == f"class/王 小明_77_assignsubmission_file{end}"


@pytest.mark.parametrize("word", ["Participant", "参与者", "Group A-Participant"])
def test_moodle_blind(word):
    """Where marking is blind there is no name, but a number."""
    files = [f"{word}_{i}_assignsubmission_file/{FILE}" for i in (5, 6)]
    assert told(files) == {"5": [FILE], "6": [FILE]}
    assert names(files) == {"5": "", "6": ""}


def test_moodle_groups():
    """Where groups hand in, there is one folder for each; who is in none is in one that has no number."""
    files = [
        f"Team Blue_31_assignsubmission_file/{FILE}",
        f"Default group_assignsubmission_file/{FILE}",
    ]
    assert told(files) == {"31": [FILE], "Default group": [FILE]}
    assert names(files)["31"] == "Team Blue"


def test_moodle_flat():
    """Without folders, the same stands before each file's name."""
    files = [
        f"Ada Lovelace_1042_assignsubmission_file_{FILE}",
        "Bob_7_assignsubmission_file_a_1_2_b.py",
    ]
    assert told(files) == {"1042": [FILE], "7": ["a_1_2_b.py"]}
    assert places(files)["7"] == "class/Bob_7_assignsubmission_file_a_1_2_b.py"


def test_moodle_online_text():
    """What was typed in is its author's as well."""
    files = [
        "Ada_1_assignsubmission_file/a.py",
        "Ada_1_assignsubmission_onlinetext/onlinetext.html",
    ]
    assert told(files) == {"1": ["a.py", "onlinetext.html"]}


def test_moodle_of_one_student():
    """One folder alone is not gone into before its name has been read."""
    assert told([f"Ada_1_assignsubmission_file/{FILE}"]) == {"1": [FILE]}


# --- Gradescope ----------------------------------------------------------------------------------

METADATA = """\
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0123'
    :email: ada@example.edu
  :created_at: 2026-11-29 17:41:05.000000000 -08:00
  :score: 5.0
  :status: processed
submission_102:
  :submitters:
  - :name: Bob
    :sid:
    :email: bob@example.edu
  - name: Cy, Jr
    sid: 0124
    email: cy@example.edu
submission_103:
  :submitters:
  - :name: 丁一
    :sid: null
    :email: ~
"""
EXPORT = {
    "submission_metadata.yml": METADATA.encode(),
    f"submission_101/{FILE}": WORK,
    f"submission_102/{FILE}": WORK,
    f"submission_103/{FILE}": WORK,
}


def test_gradescope():
    """The metadata says whose a folder is: by student id, else by e-mail, else by name."""
    assert told(EXPORT) == {"0123": [FILE], "bob@example.edu+0124": [FILE], "丁一": [FILE]}
    assert names(EXPORT)["0124"] == "Cy, Jr"


def test_gradescope_without_a_folder():
    """A submission of which there is no file is one that has none."""
    files = {name: content for name, content in EXPORT.items() if "101" not in name}
    assert told(files)["0123"] == []


def test_gradescope_without_metadata_for_a_folder():
    """A folder of which the metadata says nothing is its own student's; other files are nobody's."""
    files = {**EXPORT, "submission_9/a.py": WORK, "x.py": WORK}
    assert told(files)["submission_9"] == ["a.py"]
    assert told(files)["-"] == ["x.py"]


@pytest.mark.parametrize(
    "text",
    [b"\xff\xfe\x00", b"a: [", b"[" * 5000, b"a: &a [*a, *a", b"{[a]: b}", b"\tx: 1", b"a: *nobody", b"x" * (33 * 1024**2)],
    ids=["no_text", "cut_off", "deep", "cut_alias", "strange_key", "tab", "no_anchor", "large"],
)  # fmt: skip
def test_gradescope_metadata_that_cannot_be_read(text):
    """Without them, every folder is a student's, and it is said why."""
    found = sort({**EXPORT, "submission_metadata.yml": text})
    assert [work.students[0].id for work in found.works] == [
        f"submission_{i}" for i in (101, 102, 103)
    ]
    assert [note.message.id for note in found.notes] == ["intake.no_people"]


@pytest.mark.parametrize(
    "text",
    [b"", b"- 1", b"submission_101: 5", b"submission_101: {:submitters: 5}", b"submission_101: {:submitters: [5]}",
     b"submission_101: {:submitters: [{:sid: [1]}]}", b"1: {2: 3}",
     b"submission_101: {:submitters: !ruby/array:X [!!python/object/apply:os.getcwd []]}"],
)  # fmt: skip
def test_gradescope_metadata_of_another_form(text):
    """What is not as it should be tells nothing, and makes nothing."""
    files = {**EXPORT, "submission_metadata.yml": text}
    assert {"submission_102", "submission_103"} <= told(files).keys()


def test_gradescope_tags_of_ruby():
    """Tags that ask for classes of Ruby's are passed over."""
    text = METADATA.replace(":submitters:\n", ":submitters: !ruby/array:Some::Class\n")
    assert "0123" in told({**EXPORT, "submission_metadata.yml": text.encode()})


# --- GitHub Classroom ----------------------------------------------------------------------------


def test_classroom():
    """A repository is called as the assignment and the student's login."""
    files = [f"p17-ada-l/{FILE}", "p17-ada-l/README.md", f"p17-bob/src/{FILE}", "README.md"]
    assert told(files, "p17-submissions") == {
        "ada-l": ["README.md", FILE], "bob": [f"src/{FILE}"], "-": ["README.md"],
    }  # fmt: skip


def test_classroom_within():
    """The folder that ``gh classroom`` makes may lie in another."""
    assert told([f"p17-submissions/p17-ada/{FILE}"]) == {"ada": [FILE]}


def test_a_folder_of_submissions_of_another_kind():
    """Students' own folders in a folder of such a name are what they are."""
    files = [f"ada/{FILE}", f"bob/{FILE}"]
    assert told(files, "hw1-submissions") == {"ada": [FILE], "bob": [FILE]}


# --- nbgrader ------------------------------------------------------------------------------------


def test_nbgrader():
    """Below a student's folder is the assignment's."""
    files = [f"ada/p17/{FILE}", "ada/p17/timestamp.txt", f"bob/p17/{FILE}", "bob/p17/timestamp.txt"]
    expected = {
        "ada": [f"p17/{FILE}", "p17/timestamp.txt"],
        "bob": [f"p17/{FILE}", "p17/timestamp.txt"],
    }
    for root, before in (("submitted", ""), ("class", ""), ("class", "submitted/")):
        assert told([before + name for name in files], root) == expected


def test_nbgrader_course():
    """The folder of a whole course has others beside that of what was handed in."""
    files = [f"submitted/ada/p17/{FILE}", "submitted/ada/p17/timestamp.txt", f"release/p17/{FILE}",
             f"autograded/ada/p17/{FILE}", "gradebook.db"]  # fmt: skip
    found = told(files)
    assert found.pop("-") == sorted(files[2:])
    assert found == {"ada": [f"p17/{FILE}", "p17/timestamp.txt"]}


def test_nbgrader_assignments():
    """Of several assignments the one counts that is called as the exercise."""
    files = [f"{student}/{task}/{name}" for student in ("ada", "bob") for task in ("p16", "p17")
             for name in (FILE, "timestamp.txt")]  # fmt: skip
    found = told(files, "submitted")
    assert found.pop("-") == sorted(name for name in files if "p16" in name)
    assert found == {name: [f"p17/{FILE}", "p17/timestamp.txt"] for name in ("ada", "bob")}


# --- no platform ---------------------------------------------------------------------------------


def test_folders():
    """A folder is named after a student, whatever is in it."""
    files = [f"Ada Lovelace/{FILE}", "张三/notes/a.txt", "bob/x/y/z.py"]
    assert told(files) == {"Ada Lovelace": [FILE], "张三": ["notes/a.txt"], "bob": ["x/y/z.py"]}
    assert places(files)["bob"] == "class/bob"


def test_files():
    """A source file or an archive is named after a student; other files are nobody's."""
    files = [
        "ada.py",
        "张 三.PY",
        "bob.zip",
        "cy.tar.gz",
        "dan.rar",
        "README.md",
        "grades.xlsx",
        "x",
    ]
    assert told(files) == {
        "ada": ["ada.py"], "张 三": ["张 三.PY"], "bob": ["bob.zip"], "cy": ["cy.tar.gz"], "dan": ["dan.rar"],
        "-": ["README.md", "grades.xlsx", "x"],
    }  # fmt: skip
    assert places(files)["ada"] == "class/ada.py"


def test_a_file_and_a_folder_of_one_student():
    """What bears one name is one student's."""
    assert told(["ada.py", "ada/b.py", "bob.py"]) == {"ada": ["ada.py", "b.py"], "bob": ["bob.py"]}


def test_names_that_systems_write_in_two_ways():
    """A name in the form that macOS gives it is the same student's; blanks around it are none of it."""
    assert list(told(["Ame\u0301lie/a.py", "Am\u00e9lie/b.py", " bob.py", "bob /c.py"])) == [
        "Am\u00e9lie",
        "bob",
    ]


def test_files_named_after_the_exercise_alone():
    """In a class's folder they are nobody's, for their names say nothing."""
    files = [f"ada/{FILE}", f"bob/{FILE}", FILE]
    assert told(files) == {"ada": [FILE], "bob": [FILE], "-": [FILE]}
    assert told(["ada.py", "bob.py", "p17_graph_runner (1).py"])["-"] == ["p17_graph_runner (1).py"]


@pytest.mark.parametrize("levels", ["x/", "class/hw 1/"])
@pytest.mark.parametrize("beside", [[], ["README.md", "grades.csv"]])
def test_a_folder_more(levels, beside):
    """A folder that holds all there is of students' is gone into, as often as need be."""
    files = [f"{levels}ada/{FILE}", f"{levels}bob/{FILE}"]
    assert told([*files, *beside]).keys() - {"-"} == {"ada", "bob"}
    assert told([f"{levels}ada.py", f"{levels}bob.py", *beside]).keys() - {"-"} == {"ada", "bob"}


@pytest.mark.parametrize("platform", ["canvas", "moodle", "gradescope", "classroom", "nbgrader"])
def test_a_platform_in_a_folder_more(platform):
    """So it is with every platform's download."""
    files: dict[str, list[str] | Mapping[str, bytes]] = {
        "canvas": ["a_1_11_x.py", "b_2_12_x.py"],
        "moodle": [f"A_1_assignsubmission_file/{FILE}", f"B_2_assignsubmission_file/{FILE}"],
        "gradescope": EXPORT,
        "classroom": [f"p17-submissions/p17-1/{FILE}", f"p17-submissions/p17-2/{FILE}"],
        "nbgrader": [f"submitted/1/p17/{FILE}", "submitted/1/p17/timestamp.txt"],
    }
    plain = files[platform]
    deeper = {f"x/y/{name}": content for name, content in
              (plain if isinstance(plain, Mapping) else dict.fromkeys(plain, WORK)).items()}  # fmt: skip
    assert told(deeper) == told(plain)


# --- one student's -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [[FILE], [FILE, "README.md", "helper.py"], [FILE, "old/p17_graph_runner.py"],
     ["p17_graph_runner (1).py", "README.md"], [f"mine/{FILE}", f"solutions/{FILE}", "x.py"],
     [f"2026-11-01/{FILE}", f"2026-11-08/{FILE}"]],
    ids=["file", "with_others", "with_an_older", "copy", "project", "dates"],
)  # fmt: skip
def test_one_students_folder(files):
    """A folder with a submission in it, under the submission's own name, is a student's."""
    assert told(files, "ada") == {"ada": sorted(files)}
    assert sort(files, "ada").works[0].path == "ada"


def test_one_student_in_a_class():
    """The folder of the only student is found in that of the class."""
    assert told([f"ada/{FILE}"]) == {"ada": [FILE]}
    assert told([f"hw/ada/{FILE}"]) == {"ada": [FILE]}
    assert told(["ada.py"]) == {"ada": ["ada.py"]}


@pytest.mark.parametrize(
    "files", [["work/a.py"], [f"x/y/{FILE}"], ["a.py"], ["a.zip"], [f"x/mine/{FILE}"]]
)
def test_one_of_several_sources(files):
    """Where every student is a source of their own, what is in it does not name them again."""
    assert list(told(files, "ada", one_of_several=True)) == ["ada"]


def test_a_class_among_several_sources():
    """A class is a class, alone or not."""
    files = [f"ada/{FILE}", f"bob/{FILE}"]
    assert told(files, "section1", one_of_several=True) == told(files)


def test_a_lone_archive():
    """An archive that is all there is may hold the class; one among others is a student's."""
    assert sort(["x/class.zip"]).unopened is not None
    assert sort(["class.zip", "README.md"]).unopened is not None
    assert sort(["ada.zip", "bob.zip"]).unopened is None
    assert sort(["ada_1_11_work.zip"]).unopened is None
    assert sort(["ada.py"]).unopened is None


# --- every layout --------------------------------------------------------------------------------

LAYOUTS: list[Files] = [
    ["ada_1_200_p17_graph_runner-1.py", "ada_1_30_p17_graph_runner.py", "bob_2_31_a.py", "c_3_text.html"],
    [f"A_1_assignsubmission_file/{FILE}", "A_1_assignsubmission_file/b.txt", f"B_2_assignsubmission_file/{FILE}"],
    EXPORT,
    [f"p17-submissions/p17-1/{FILE}", f"p17-submissions/p17-2/{FILE}", "README.md"],
    [f"submitted/1/p17/{FILE}", "submitted/1/p17/timestamp.txt", f"submitted/2/p17/{FILE}"],
    [f"ada/{FILE}", "bob.py", "cy.zip", "README.md", "x/y/z.py"],
]  # fmt: skip


@pytest.mark.parametrize("files", LAYOUTS)
def test_order_does_not_matter(files):
    """However a file system or an archive lists its files, they are the same students'."""
    expected = told(files)
    listed = list(
        files.items() if isinstance(files, Mapping) else dict.fromkeys(files, WORK).items()
    )
    for seed in range(5):
        random.Random(seed).shuffle(listed)
        assert told(dict(listed)) == expected
        assert list(told(dict(listed))) == list(expected)


PARTS = st.sampled_from(
    ["ada", "bob", FILE, "p17_graph_runner-1.py", "a.py", "a.zip", "README", "submitted", "p17", "mine", "2026-11-01",
     "timestamp.txt", "submission_metadata.yml", "submission_1", "p17-submissions", "p17-ada", "x_1_2_a.py",
     "y_1_3_a.py", "anon_ab_3_x.py", "A_1_assignsubmission_file", "A_assignsubmission_file_x.py", "_1_2_", "."],
)  # fmt: skip


@given(
    st.sets(st.lists(PARTS, min_size=1, max_size=5).map("/".join), min_size=1, max_size=12),
    st.booleans(),
)
def test_nothing_is_lost_and_nothing_is_two_peoples(files, one_of_several):
    """Whatever the names, every file is one student's, or nobody's, or says whose the others are."""
    found = sort(files, one_of_several=one_of_several)
    owned = [piece.member.path for work in found.works for piece in work.pieces]
    paths = [
        *owned,
        *(piece.member.path for piece in found.strays),
        *(note.path for note in found.notes),
    ]
    assert sorted(paths) == sorted(f"class/{name}" for name in files)
    ids = [student.id for work in found.works for student in work.students]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    for work in found.works:
        assert all(piece.inner for piece in work.pieces)


# --- the file that counts ------------------------------------------------------------------------


def chosen(*files: str, wanted: Wanted = WANTED) -> list[str] | set[str]:
    """The files taken of a student's, in the order of attempts; a set of those it may be."""
    pieces = [
        Piece(Member(tuple(f.split("/")), partial(io.BytesIO, WORK)), tuple(f.split("/")))
        for f in files
    ]
    choice = choose(pieces, wanted)
    assert len(choice.taken) + len(choice.undecided) + len(choice.rest) == len(files)
    if choice.undecided:
        return {piece.member.path for piece in choice.undecided}
    return [piece.member.path for piece in sorted(choice.taken, key=lambda piece: piece.order)]


COPIES = [
    "P17_Graph_Runner.PY", "p17_graph_runner (1).py", "p17_graph_runner(2).py", "p17_graph_runner-1.py",
    "p17_graph_runner_v2.py", "p17_graph_runner v2.py", "p17_graph_runner copy.py", "p17_graph_runner copy 2.py",
    "p17_graph_runner - Copy.py", "p17_graph_runner - Copy (2).py", "Copy of p17_graph_runner.py",
    "p17_graph_runner 副本.py", "p17_graph_runner - 副本.py", "p17_graph_runner - 副本 (2).py", "p17_graph_runner的副本.py",
    "p17_graph_runner（1）.py", "副本p17_graph_runner.py", "复件 p17_graph_runner.py", "p17_graph_runner[1].py",
    "ｐ17_graph_runner.py", " p17_graph_runner.py", "p17_graph_runner .py", "p17_graph_runner_2.py",
]  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_a_further_copy(name):
    """What systems and people add to the name of a further copy does not hide it among others."""
    assert is_copy(name, FILE)
    assert chosen("helper.py", name) == [name]


@pytest.mark.parametrize("name", ["p17.py", "my_p17_graph_runner.py", "p17_graph_runner.pyc", "p17_graph_runner_test.py",
                                  "test_p17_graph_runner.py", "p17_graph_runner", "p17-graph-runner.py"])  # fmt: skip
def test_another_file(name):
    """A name that differs in more is another."""
    assert not is_copy(name, FILE)


def test_a_number_that_belongs_to_the_name():
    """The number of an exercise is no number of a copy."""
    assert not is_copy("hw_2.py", "hw_1.py")
    assert is_copy("hw_1-2.py", "hw_1.py")


@pytest.mark.parametrize(
    "tail", ["-1" * 100, " copy 1" * 100, "v1" * 100, " v1" * 100, "-" * 60_000, "(1)" * 100]
)
def test_long_names_take_no_time(tail):
    """Names are strangers': none of them keeps the search busy."""
    assert not is_copy(f"p17_graph_runner{tail}!.py", FILE)


@pytest.mark.parametrize(
    ("files", "expected"),
    [([FILE, "a.py", "p17_graph_runner (1).py"], [FILE]),
     (["x/p17_graph_runner.py", FILE], [FILE]),
     (["x/p17_graph_runner.py", "p17_graph_runner-1.py"], ["x/p17_graph_runner.py"]),
     ([f"mine/{FILE}", f"exercises/p17/starter/{FILE}", f"solutions/{FILE}"], [f"mine/{FILE}"]),
     ([f"kit/mine/{FILE}", FILE], [f"kit/mine/{FILE}"]),
     (["a.py", "README.md"], ["a.py"]),
     (["src/a.py", "data.txt"], ["src/a.py"]),
     ([f"x/{FILE}", f"y/{FILE}"], {f"x/{FILE}", f"y/{FILE}"}),
     (["a.py", "b.py"], {"a.py", "b.py"}),
     (["a.py", "x/b.py"], {"a.py", "x/b.py"}),
     (["p17_graph_runner (1).py", "p17_graph_runner (2).py"], {"p17_graph_runner (1).py", "p17_graph_runner (2).py"}),
     (["README.md", "a.pyc", "py"], []),
     ([], [])],
)  # fmt: skip
def test_choice(files, expected):
    """The very name counts, then nearly that name, then the only source file; nothing is guessed."""
    assert chosen(*files) == expected
    assert chosen(*reversed(files)) == expected


def test_attempts_in_dated_folders():
    """Copies in folders with dates are attempts, in the order of the dates."""
    files = [
        f"2026-11-08 0930/{FILE}",
        f"try 20261101/{FILE}",
        "2026-11-08_10-00-00/p17_graph_runner (1).py",
    ]
    assert chosen(*files) == [files[1], files[0], files[2]]
    same = [f"2026-11-08/a/{FILE}", f"2026-11-08/b/{FILE}"]
    assert chosen(*same) == set(same)
    assert chosen(f"2026-11-08/{FILE}", FILE) == [FILE]


@pytest.mark.parametrize(
    "name", ["20260001", "2026-13-01", "1999-01-01", "120261101", "202611011", "v2", ""]
)
def test_no_date(name):
    """A number that is no day of this century is no date: a student's number may look like one."""
    assert date_in(name) == ()


TWO = Wanted("stack", {"python": "stack.py", "rust": "stack.rs"}, "mine")


def test_languages():
    """With several languages, a file's name and ending say which it is in."""
    assert chosen("stack.rs", wanted=TWO) == ["stack.rs"]
    assert chosen("main.rs", wanted=TWO) == ["main.rs"]
    assert chosen("stack.rs", "stack.py", wanted=TWO) == {"stack.rs", "stack.py"}
    assert [TWO.language_of(name) for name in ("a.py", "STACK (1).RS", "a.rs", "x")] == [
        "python", "rust", "rust", "python",
    ]  # fmt: skip


def test_one_language(stack):
    """Where one language is asked for, the others do not count; one that there is not is refused."""
    assert Wanted.of(stack, "python") == Wanted.of(stack)
    with pytest.raises(UsageError) as caught:
        Wanted.of(stack, "cobol")
    assert caught.value.message.params["known"] == ["python"]


def test_no_language(tmp_path):
    """An exercise without a language cannot be handed in."""
    folder = tmp_path / "exercises" / "x"
    folder.mkdir(parents=True)
    (folder / "exercise.toml").write_text('id = "x"')
    with pytest.raises(ExerciseError):
        Wanted.of(Project(tmp_path).exercise("x"))
