"""Intake: from an instructor's folders and archives to attempts, with a word on everything in them."""

import contextlib
import os
import random
import shutil
import socket
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import support
from downloads import WORK, attempts, found, laid_out, notes, special, tarred, zipped, zipped_as
from hypothesis import given
from hypothesis import strategies as st

from grader import submission
from grader.batch.intake import nest, pick, take
from grader.batch.intake.archive import Limits
from grader.errors import UsageError
from grader.i18n import LANGUAGES, Translator

FILE = "stack.py"


@pytest.fixture
def class_zip(tmp_path):
    """Writes an archive; its path."""

    def write(content: bytes, name: str = "class.zip") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def things(stack, *sources):
    """All that intake gives."""
    return list(take(sources, stack))


# --- the flow ------------------------------------------------------------------------------------

CLASS = {
    f"ada/{FILE}": WORK + b"# ada",
    f"bob/{FILE}": WORK + b"# bob",
    "bob/notes.txt": "later",
    "README.md": "x",
}
KINDS = {
    "folder": lambda folder: laid_out(folder / "class", CLASS),
    "zip": lambda folder: written(folder / "class", zipped(CLASS)),
    "tar": lambda folder: written(folder / "class", tarred(CLASS)),
    "tar.gz": lambda folder: written(folder / "class", tarred(CLASS, packed=True)),
    "zip_in_folder": lambda folder: laid_out(folder / "class", {"x.zip": zipped(CLASS)}),
    "zip_in_zip": lambda folder: written(folder / "class", zipped({"y/x.zip": zipped(CLASS)})),
    "tar_in_tar": lambda folder: written(folder / "class", tarred({"x.tgz": tarred(CLASS, packed=True)})),
}  # fmt: skip


def written(path: Path, content: bytes) -> Path:
    """A file with this in it."""
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_of_source(stack, tmp_path, kind):
    """A class is the same class as a folder, as an archive, and as an archive in either."""
    came = things(stack, kind(tmp_path))
    assert {attempt.students[0].id: attempt.submission.source for attempt in attempts(came)} == {
        "ada": WORK + b"# ada", "bob": WORK + b"# bob",
    }  # fmt: skip
    said = {
        path.rpartition("/")[2]: id for path, id in notes(came).items() if id != "intake.opened"
    }
    assert said == {"notes.txt": "intake.other", "README.md": "intake.stray"}
    for attempt in attempts(came):
        path = attempt.submission.path
        assert path.startswith("class/")
        assert path.endswith(f"/{attempt.students[0].id}/{FILE}")


@pytest.mark.parametrize(
    ("source", "path", "student"),
    [("class/ada.py", "ada.py", "ada"), (f"class/ada/{FILE}", FILE, "ada"),
     ("class/ada/stack (1).py", "stack (1).py", "ada"), ("class/ada", f"ada/{FILE}", "ada")],
)  # fmt: skip
def test_single_files(stack, tmp_path, source, path, student):
    """A single file is its owner's by its name or, if that is the exercise's, by its folder's."""
    laid_out(
        tmp_path, {"class/ada.py": WORK, f"class/ada/{FILE}": WORK, "class/ada/stack (1).py": WORK}
    )
    assert found(things(stack, tmp_path / source)) == {student: path}


def test_one_source_for_every_student(stack, tmp_path):
    """As a shell's ``class/*`` gives them."""
    laid_out(
        tmp_path,
        {f"ada/task/{FILE}": WORK, "bob.zip": zipped({f"task/{FILE}": WORK}), "cy.py": WORK},
    )
    assert found(things(stack, *sorted(tmp_path.iterdir()))) == {
        "ada": f"ada/task/{FILE}", "bob": f"bob.zip/task/{FILE}", "cy": "cy.py",
    }  # fmt: skip


def test_later_sources_are_later(stack, tmp_path):
    """Of one student's attempts in two sources, the one in the later source is later."""
    first = laid_out(tmp_path / "b", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    second = laid_out(tmp_path / "a", {f"ada/{FILE}": WORK, f"cy/{FILE}": WORK})
    orders = {a.submission.path: a.order for a in attempts(things(stack, first, second))}
    assert orders[f"b/ada/{FILE}"] < orders[f"a/ada/{FILE}"]


def test_the_working_folder(stack, tmp_path, monkeypatch):
    """A source that is written as ``.`` or ``..`` is called what it is called."""
    laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    monkeypatch.chdir(tmp_path / "class")
    assert found(things(stack, Path()))["ada"] == f"class/ada/{FILE}"
    monkeypatch.chdir(tmp_path / "class" / "ada")
    assert found(things(stack, Path("..")))["ada"] == f"class/ada/{FILE}"


def test_a_source_that_is_a_link(stack, tmp_path):
    """An instructor's own links are followed, unlike those in a download."""
    laid_out(tmp_path / "x", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    written(tmp_path / "y.zip", zipped({f"ada/{FILE}": WORK, f"bob/{FILE}": WORK}))
    for name, target in (("class", "x"), ("class.zip", "y.zip"), ("ada.py", f"x/ada/{FILE}")):
        (tmp_path / name).symlink_to(tmp_path / target)
        assert found(things(stack, tmp_path / name))["ada"].startswith(name)


def test_what_is_taken_is_a_submission(stack, class_zip):
    """Bytes are taken as they are, with their language, and the starter is recognised."""
    starter = stack.starter("python").read_bytes()
    content = "# 填充".encode("gbk")
    came = things(
        stack,
        class_zip(zipped({f"ada/{FILE}": content, f"bob/{FILE}": starter, f"cy/{FILE}": b""})),
    )
    ada, bob, cy = (attempt.submission for attempt in attempts(came))
    assert (ada.source, ada.language, ada.problem, ada.name) == (content, "python", None, FILE)
    assert (bob.problem.kind, cy.problem.kind) == ("starter", "empty")


# --- sources that are none -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "id"),
    [("gone", None, "usage.no_source"), ("gone.zip", None, "usage.no_source"), ("a.txt", b"x", "usage.no_archive"),
     ("class.zip", b"", "usage.no_archive"), ("class.zip", zipped(CLASS)[:-30], "usage.no_archive"),
     ("class.tgz", b"\x1f\x8b", "usage.no_archive"), ("class.rar", b"Rar!\x1a\x07\x00", "usage.no_archive")],
    ids=["missing", "missing_archive", "text", "empty", "cut_off", "gzip", "rar"],
)  # fmt: skip
def test_no_source(stack, tmp_path, name, content, id):
    """What is not there, or cannot be taken in, is said before anything else is looked at."""
    good = laid_out(tmp_path / "good", CLASS)
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        take([good, path], stack)
    assert caught.value.message.id == id
    assert caught.value.message.params["file"] == str(path)


def test_a_pipe_is_no_source(stack, tmp_path):
    """A pipe, which would be waited for, is not opened."""
    os.mkfifo(tmp_path / "class.zip")
    with pytest.raises(UsageError):
        take([tmp_path / "class.zip"], stack)


def test_a_source_that_cannot_be_read(stack, class_zip, monkeypatch):
    """What the system says when it refuses is told."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = class_zip(zipped(CLASS))
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError) as caught:
        take([path], stack)
    assert caught.value.message.params["detail"] == "Permission denied"


def test_a_source_that_is_gone_meanwhile(stack, class_zip, tmp_path):
    """A source that is taken away after it was looked at is refused, and the rest is taken."""
    path = class_zip(zipped(CLASS))
    came = take([path, laid_out(tmp_path / "x", CLASS)], stack)
    path.unlink()
    assert notes(came := list(came))["class.zip"] == "intake.unreadable"
    assert len(attempts(came)) == 2


def test_nothing_in_a_source(stack, tmp_path, class_zip):
    """An empty folder or archive gives no attempt, and is noted."""
    (tmp_path / "empty").mkdir()
    came = things(stack, tmp_path / "empty", class_zip(zipped({})))
    assert notes(came) == {"empty": "intake.empty_folder", "class.zip": "intake.empty_folder"}
    assert attempts(came) == []


# --- platforms, from end to end ------------------------------------------------------------------


def test_canvas(stack, class_zip):
    """Of several attachments of one user, each copy of the submission is an attempt, in order."""
    came = things(stack, class_zip(zipped({
        "lovelaceada_12_205_stack-1.py": WORK + b"2", "lovelaceada_12_30_stack.py": WORK + b"1",
        "lovelaceada_12_31_notes.py": "", "turing_LATE_13_40_stack.py": WORK, "hopper_14_41_work.zip": zipped({f"x/{FILE}": WORK}),
        "noether_15_text.html": "<p>", "anon_q7_60_stack.py": WORK, "__MACOSX/._lovelaceada_12_30_stack.py": "",
    })))  # fmt: skip
    ada = sorted((a for a in attempts(came) if a.students[0].id == "12"), key=lambda a: a.order)
    assert [a.submission.source[-1:] for a in ada] == [b"1", b"2"]
    assert found(came) == {
        "12": "class.zip/lovelaceada_12_205_stack-1.py", "13": "class.zip/turing_LATE_13_40_stack.py",
        "14": f"class.zip/hopper_14_41_work.zip/x/{FILE}", "15": "error.missing_submission",
        "q7": "class.zip/anon_q7_60_stack.py",
    }  # fmt: skip
    assert notes(came)["class.zip/lovelaceada_12_31_notes.py"] == "intake.other"


def test_canvas_attempts_under_another_name(stack, class_zip):
    """Copies of one file are attempts, whatever it is called; two files are not."""
    came = things(stack, class_zip(zipped({
        "a_1_10_mine.py": WORK, "a_1_20_mine-1.py": WORK, "b_2_11_x.py": WORK, "b_2_12_y.py": WORK,
    })))  # fmt: skip
    assert found(came) == {"1": "class.zip/a_1_20_mine-1.py", "2": "error.candidates"}


def test_canvas_attempts_in_archives(stack, class_zip):
    """What is packed is as late as its archive."""
    packed = {f"a_1_{n}_work{mark}.zip": zipped({FILE: WORK}) for n, mark in ((9, ""), (10, "-1"))}
    came = things(stack, class_zip(zipped(packed | {"b_2_11_stack.py": WORK})))
    assert found(came)["1"] == f"class.zip/a_1_10_work-1.zip/{FILE}"
    assert len(attempts(came)) == 3


def test_gradescope_groups(stack, class_zip):
    """Who handed in together has one attempt together."""
    metadata = (
        "submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: 7\n  - :name: Bob\n    :sid: 8\n"
    )
    content = {"assignment_5_export/submission_metadata.yml": metadata,
               f"assignment_5_export/submission_1/{FILE}": WORK}  # fmt: skip
    came = things(stack, class_zip(zipped(content)))
    (attempt,) = attempts(came)
    assert [(student.id, student.name) for student in attempt.students] == [
        ("7", "Ada"),
        ("8", "Bob"),
    ]
    assert notes(came) == {"class.zip/assignment_5_export/submission_metadata.yml": "intake.people"}


def test_moodle_and_nested_archives(stack, class_zip):
    """A student's own archive is opened as part of their folder."""
    folder = "Ada_1_assignsubmission_file"
    inner = zipped({f"hw/{FILE}": WORK, "__MACOSX/hw/._stack.py": ""})
    came = things(
        stack,
        class_zip(zipped({f"{folder}/work.zip": inner, f"B_2_assignsubmission_file/{FILE}": WORK})),
    )
    assert found(came)["1"] == f"class.zip/{folder}/work.zip/hw/{FILE}"
    assert notes(came) == {
        f"class.zip/{folder}/work.zip": "intake.opened", f"class.zip/{folder}/work.zip/__MACOSX": "intake.junk",
    }  # fmt: skip


# --- what a student handed in --------------------------------------------------------------------


def test_taken_under_another_name(stack, class_zip):
    """A file that counts in spite of its name is noted; one that bears its owner's name need not be."""
    came = things(
        stack, class_zip(zipped({"ada/mine.py": WORK, "bob/stack (2).py": WORK, "cy.py": WORK}))
    )
    assert notes(came) == {
        "class.zip/ada/mine.py": "intake.other_name", "class.zip/bob/stack (2).py": "intake.other_name",
    }  # fmt: skip
    assert len(attempts(came)) == 3


def test_nothing_to_grade(stack, class_zip):
    """Without a submission, an attempt says what was found instead."""
    files = {f"ada/{i:02}.txt": "x" for i in range(12)} | {f"bob/{FILE}": WORK}
    (ada, _) = attempts(things(stack, class_zip(zipped(files))))
    assert (ada.submission.path, ada.submission.source, ada.submission.language) == (
        "class.zip/ada",
        b"",
        "python",
    )
    assert ada.submission.problem.kind == "missing"
    assert ada.submission.problem.params == {
        "wanted": [FILE], "found": [*(f"{i:02}.txt" for i in range(10)), "…"],
    }  # fmt: skip


def test_several_that_could_be_it(stack, class_zip):
    """Where nothing tells which file is meant, all are named and none is taken."""
    came = things(
        stack,
        class_zip(
            zipped({"ada/a.py": WORK, "ada/b.py": WORK, "ada/c.txt": "", f"bob/{FILE}": WORK})
        ),
    )
    problem = attempts(came)[0].submission.problem
    assert problem.kind == "candidates"
    assert problem.params == {"files": ["class.zip/ada/a.py", "class.zip/ada/b.py"]}
    assert notes(came) == {
        "class.zip/ada/a.py": "intake.undecided", "class.zip/ada/b.py": "intake.undecided",
        "class.zip/ada/c.txt": "intake.other",
    }  # fmt: skip


@pytest.mark.parametrize("pack", [zipped, tarred, None])
def test_too_large(stack, tmp_path, monkeypatch, pack):
    """A file of just the greatest size is taken; of a larger one, no more than that is read."""
    monkeypatch.setattr(pick, "MAX_BYTES", 1000)
    files = {f"ada/{FILE}": b"#" * 1000, f"bob/{FILE}": b"#" * 1001}
    path = written(tmp_path / "class", pack(files)) if pack else laid_out(tmp_path / "class", files)
    ada, bob = (attempt.submission for attempt in attempts(things(stack, path)))
    assert (len(ada.source), ada.problem) == (1000, None)
    assert (bob.source, bob.problem.kind) == (b"", "too_large")
    assert bob.problem.params == {"file": f"class/bob/{FILE}", "limit": 1000}


def test_one_limit():
    """A submission is as large as it may be elsewhere."""
    assert pick.MAX_BYTES == submission.MAX_BYTES


def test_archives_are_opened_only_if_there_is_need(stack, class_zip):
    """Where the submission lies open, what is packed beside it is not looked into."""
    files = {f"ada/{FILE}": WORK, "ada/data.zip": b"no archive", "ada/x.rar": b"x",
             "bob/x.py": WORK, "bob/work.zip": zipped({FILE: WORK})}  # fmt: skip
    came = things(stack, class_zip(zipped(files)))
    assert found(came) == {"ada": f"class.zip/ada/{FILE}", "bob": f"class.zip/bob/work.zip/{FILE}"}
    assert (
        notes(came)["class.zip/ada/data.zip"]
        == notes(came)["class.zip/ada/x.rar"]
        == "intake.other"
    )


@pytest.mark.parametrize(
    ("name", "content", "id"),
    [("work.zip", b"no archive", "intake.broken"), ("work.rar", b"Rar!", "intake.foreign_archive"),
     ("work.tgz", b"\x1f\x8b\x08", "intake.broken"), ("stack.py.gz", b"\x1f\x8b", "intake.foreign_archive"),
     ("work.zip", zipped({FILE: WORK})[:40], "intake.broken")],
)  # fmt: skip
def test_an_archive_that_cannot_be_opened(stack, class_zip, name, content, id):
    """It is refused by name; the student's attempt says so, and the rest is taken."""
    came = things(stack, class_zip(zipped({f"ada/{name}": content, f"bob/{FILE}": WORK})))
    assert found(came) == {"ada": "error.refused", "bob": f"class.zip/bob/{FILE}"}
    assert notes(came) == {f"class.zip/ada/{name}": id}
    assert attempts(came)[0].submission.problem.params == {"files": [f"class.zip/ada/{name}"]}


def test_an_encrypted_archive(stack, class_zip):
    """What needs a password is refused, and whose it is is known."""
    content = bytearray(zipped({FILE: WORK}))
    for place in (6, content.index(b"PK\x01\x02") + 8):
        content[place] |= 1
    came = things(stack, class_zip(zipped({"ada/work.zip": bytes(content), f"bob/{FILE}": WORK})))
    assert found(came)["ada"] == "error.refused"
    assert notes(came)[f"class.zip/ada/work.zip/{FILE}"] == "intake.encrypted"


def test_a_submission_with_a_bad_checksum(stack, class_zip):
    """A member that is not what it was is refused when it is read, and its owner has an attempt."""
    content = zipped({f"ada/{FILE}": b"x = 1111", f"bob/{FILE}": WORK}, zipfile.ZIP_STORED)
    came = things(stack, class_zip(content.replace(b"x = 1111", b"x = 2222")))
    assert found(came) == {"ada": "error.refused", "bob": f"class.zip/bob/{FILE}"}
    assert notes(came) == {f"class.zip/ada/{FILE}": "intake.broken"}


def test_archives_in_archives(stack, class_zip):
    """Archives within archives are opened to a depth of three, and no further."""
    content = WORK
    for depth in range(1, 5):
        content = zipped({FILE if depth == 1 else "x.zip": content})
        came = things(stack, class_zip(zipped({"ada/x.zip": content, f"bob/{FILE}": WORK})))
        inner = "/".join(["x.zip"] * depth)
        if depth <= nest.MAX_DEPTH:
            assert found(came)["ada"] == f"class.zip/ada/{inner}/{FILE}"
        else:
            assert found(came)["ada"] == "error.refused"
            assert notes(came)[f"class.zip/ada/{inner}"] == "intake.too_deep"


def test_an_archive_in_an_archive_without_end(stack, class_zip):
    """An archive that holds nothing but an archive, on and on, is not followed to its end."""
    content = zipped({FILE: WORK})
    for _ in range(20):
        content = zipped({"x.zip": content})
    came = things(stack, class_zip(content))
    assert list(found(came).values()) == ["error.refused"]
    assert list(notes(came).values()).count("intake.opened") == nest.MAX_DEPTH
    assert "intake.too_deep" in notes(came).values()


@pytest.mark.parametrize(
    ("limits", "content", "id"),
    [(Limits(members=5, unpacked=10**8), zipped({f"{i}.txt": "" for i in range(6)}), "intake.too_many"),
     (Limits(members=50, unpacked=10**4), zipped({"x.txt": bytes(10**5)}), "intake.too_much"),
     (Limits(members=50, unpacked=10**9), zipped({"x.txt": bytes(20 * 1024**2)}), "intake.ratio"),
     (Limits(members=50, unpacked=10**9), tarred({"x.txt": bytes(40 * 1024**2)}, packed=True), "intake.ratio")],
    ids=["members", "bytes", "ratio", "ratio_of_tar"],
)  # fmt: skip
def test_bombs(stack, tmp_path, monkeypatch, limits, content, id):  # noqa: PLR0917
    """A student's bomb is refused by the limit that it hits; the rest of the class is taken."""
    monkeypatch.setattr(nest, "LIMITS", limits)
    name = "eve/bomb.zip" if content.startswith(b"PK") else "eve/bomb.tgz"
    files = {f"ada/{FILE}": WORK, name: content, f"zoe/{FILE}": WORK}
    came = things(stack, written(tmp_path / "class.zip", zipped(files)))
    assert found(came) == {
        "ada": f"class.zip/ada/{FILE}", "eve": "error.refused", "zoe": f"class.zip/zoe/{FILE}",
    }  # fmt: skip
    assert notes(came) == {f"class.zip/{name}": id}


@pytest.mark.parametrize(
    ("name", "part"),
    [("x.zip", zipped({"x.txt": os.urandom(900)})), ("x.tgz", tarred({"x.txt": ""}, packed=True))],
    ids=["zip", "tar.gz"],
)
def test_a_bomb_of_many_archives(stack, tmp_path, monkeypatch, name, part):
    """All archives of one student share their limits; another student has limits of their own."""
    monkeypatch.setattr(nest, "LIMITS", Limits(members=50, unpacked=30_000))
    files = {f"eve/{i}{name}": part for i in range(60)} | {"dan/w.zip": zipped({FILE: WORK})}
    came = things(stack, written(tmp_path / "class.zip", zipped(files)))
    refused = [path for path, id in notes(came).items() if id == "intake.too_much"]
    assert 0 < len(refused) < 60
    assert found(came)["dan"] == f"class.zip/dan/w.zip/{FILE}"


def test_a_lone_archive_without_a_submission(stack, tmp_path):
    """An archive that is all there is and holds no work is still somebody's."""
    folder = laid_out(tmp_path / "class", {"ada.zip": zipped({"notes.txt": "later"})})
    assert found(things(stack, folder)) == {"ada": "error.missing_submission"}


# --- what is not to be trusted -------------------------------------------------------------------


def test_links_in_a_folder(stack, tmp_path):
    """No link is followed, to a file or a folder; its owner has an attempt that says so."""
    secret = laid_out(tmp_path / "secret", {FILE: "password = 1", "x/y.py": WORK})
    folder = laid_out(
        tmp_path / "class", {f"ada/{FILE}": WORK, "bob/notes.txt": "", "cy/a.txt": ""}
    )
    (folder / "bob" / FILE).symlink_to(secret / FILE)
    (folder / "cy" / "src").symlink_to(secret)
    (folder / "dan").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    came = things(stack, folder)
    assert found(came) == {
        "ada": f"class/ada/{FILE}",
        "bob": "error.refused",
        "cy": "error.refused",
    }
    assert {path for path, id in notes(came).items() if id == "intake.link"} == {
        f"class/bob/{FILE}", "class/cy/src", "class/dan", "class/loop",
    }  # fmt: skip
    assert not any(b"password" in attempt.submission.source for attempt in attempts(came))


def test_specials_in_a_folder(stack, tmp_path):
    """Pipes and sockets are not opened."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, "bob/x": "", "cy/x": ""})
    os.mkfifo(folder / "bob" / FILE)
    with socket.socket(socket.AF_UNIX) as server:
        with contextlib.chdir(folder / "cy"):  # its path must be short
            server.bind(FILE)
        came = things(stack, folder)
    assert found(came) == {
        "ada": f"class/ada/{FILE}",
        "bob": "error.refused",
        "cy": "error.refused",
    }


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_that_has_become_something_else(stack, tmp_path, kind):
    """What takes a file's place after it was listed is not followed, nor waited for."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    path = folder / "bob" / FILE
    came = take([folder], stack)
    first = next(came)
    path.unlink()
    path.symlink_to(folder / "ada" / FILE) if kind == "link" else os.mkfifo(path)
    assert found([first, *came]) == {"ada": f"class/ada/{FILE}", "bob": "error.refused"}


def test_an_unreadable_file(stack, tmp_path, monkeypatch):
    """A file that the system does not let be read is refused, the rest is taken."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    real = os.open

    def refuse(path, *how, **more):
        if "bob" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path, *how, **more)

    monkeypatch.setattr(os, "open", refuse)
    came = things(stack, folder)
    assert found(came) == {"ada": f"class/ada/{FILE}", "bob": "error.refused"}
    assert notes(came) == {f"class/bob/{FILE}": "intake.unreadable"}


def test_an_unreadable_folder(stack, tmp_path, monkeypatch):
    """So is a folder that may not be looked into."""
    folder = laid_out(
        tmp_path / "class", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK, f"cy/{FILE}": WORK}
    )
    real = os.scandir

    def refuse(path):
        if str(path).endswith("bob"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    came = things(stack, folder)
    assert set(found(came)) == {"ada", "cy"}
    assert notes(came) == {"class/bob": "intake.unreadable"}


def test_folders_without_end(stack, tmp_path):
    """Folders that lie deeper than a path can be long are refused, not run into."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, f"bob/{FILE}": WORK})
    with contextlib.chdir(folder / "bob"):
        for _ in range(30):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
    came = things(stack, folder)
    assert set(found(came)) == {"ada", "bob"}
    assert "intake.unreadable" in notes(came).values()
    shutil.rmtree(folder)


def test_a_deep_archive(stack, class_zip):
    """So are folders in an archive, of which there may be thousands one in another."""
    came = things(stack, class_zip(zipped({"a/" * 5000 + FILE: WORK})))
    assert len(attempts(came)) == 1


@pytest.mark.parametrize(
    "content",
    [zipped({f"ada/{FILE}": WORK, f"../bob/{FILE}": WORK, f"/cy/{FILE}": WORK, f"bob/{FILE}": WORK}),
     tarred([(f"ada/{FILE}", WORK), (f"../../bob/{FILE}", WORK), special(f"cy/{FILE}", tarfile.SYMTYPE, "../ada"),
             special(f"dan/{FILE}", tarfile.LNKTYPE, f"ada/{FILE}"), (f"bob/{FILE}", WORK)])],
    ids=["zip", "tar"],
)  # fmt: skip
def test_hostile_members(stack, class_zip, tmp_path, content):
    """Names that lead out and links are refused by name, the rest is taken, and nothing is written."""
    path = class_zip(content)
    before = sorted(tmp_path.rglob("*"))
    came = things(stack, path)
    assert {"ada", "bob"} <= {
        id for id, path in found(came).items() if path.startswith("class.zip/")
    }
    assert {"intake.outside"} <= set(notes(came).values()) <= {"intake.outside", "intake.link"}
    assert all(path.startswith("class.zip/") for path in notes(came))
    assert sorted(tmp_path.rglob("*")) == before


def test_chinese_archive(stack, class_zip):
    """An archive that Chinese Windows made gives its students their names."""
    (attempt,) = attempts(things(stack, class_zip(zipped_as(f"张三\\{FILE}".encode("gbk")))))
    assert attempt.students[0].id == "张三"


def test_names_on_disk_in_another_encoding(stack, tmp_path):
    """Names in a folder whose bytes are no UTF-8 are read as GBK, and can always be written."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK})
    try:
        for name in ("张三".encode("gbk"), b"\xff\xfe"):
            laid_out(folder / os.fsdecode(name), {FILE: WORK})
    except OSError:
        pytest.skip("this file system wants names in UTF-8")
    came = attempts(things(stack, tmp_path / "class"))
    assert {a.students[0].id for a in came} == {"ada", "张三", "\\xff\\xfe"}
    assert all(a.submission.source == WORK for a in came)


def test_names_that_read_alike(stack, tmp_path, monkeypatch):
    """Of two names that read alike, whatever their bytes, always the same one counts."""
    folder = laid_out(tmp_path / "class", {f"ada/{FILE}": WORK, f"张三/{FILE}": b"utf-8"})
    try:
        laid_out(folder / os.fsdecode("张三".encode("gbk")), {FILE: b"gbk"})
    except OSError:
        pytest.skip("this file system wants names in UTF-8")
    came = [things(stack, folder)]
    for seed in range(4):
        with monkeypatch.context() as patch:
            patch.setattr(os, "scandir", scandir_in(random.Random(seed)))
            came.append(things(stack, folder))
    assert len({attempts(one)[1].submission.source for one in came}) == 1
    assert notes(came[0]) == {f"class/张三/{FILE}": "intake.twice"}


NAMES = [
    "a b",
    "it's",
    '"quoted"',
    "[x](y)",
    "{x}",
    "a\\b",
    "😀",
    "张 三",
    "a\nb",
    "-rf",
    "%s",
    "$HOME",
    "*",
    "a'b\"c",
    "=1+1",
]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names(stack, tmp_path, name):
    """Students may be called anything that a file system allows."""
    folder = laid_out(tmp_path / "class", {f"{name}/{FILE}": WORK, f"other/{FILE}": WORK})
    assert found(things(stack, folder)) == {
        name: f"class/{name}/{FILE}",
        "other": f"class/other/{FILE}",
    }


# --- the same again ------------------------------------------------------------------------------


def test_the_same_in_any_order(stack, class_zip, tmp_path, monkeypatch):
    """However a file system or an archive lists its files, the same comes in the same order."""
    files = {f"{s}/{f}": WORK for s in ("ada", "bob", "10", "9") for f in (FILE, "a.txt", "x/b.py")}
    files |= {"dan.zip": zipped({"b.py": WORK, "a.py": WORK}), ".DS_Store": b"", "eve/x.rar": b""}
    folder = laid_out(tmp_path / "class", files)
    expected = plain(things(stack, folder))
    for seed in range(4):
        shuffled = random.Random(seed)
        listed = shuffled.sample(sorted(files.items()), len(files))
        for pack in (zipped, tarred):
            assert plain(things(stack, class_zip(pack(listed)))) == expected
        with monkeypatch.context() as patch:
            patch.setattr(os, "scandir", scandir_in(shuffled))
            assert plain(things(stack, folder)) == expected


def plain(came) -> list[str]:
    """What came, without what differs between a folder and an archive: the ending of its name."""
    return [repr(thing).replace("class.zip", "class") for thing in came]


class Entries(list):
    """What ``os.scandir`` gives: to be entered, iterated over and closed."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Nothing is open."""


def scandir_in(order: random.Random, real=os.scandir):
    """An ``os.scandir`` that lists what is there in an order of its own."""

    def scandir(path):
        with real(path) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        return Entries(order.sample(listed, len(listed)))

    return scandir


@pytest.mark.parametrize("kind", ["folder", "zip", "tar.gz"])
def test_a_large_class_in_little_memory(stack, tmp_path, kind):
    """Attempts come one by one: once the first is there, memory does not grow with the class."""
    files = {f"s{i:04}/{FILE}": os.urandom(10_000).hex() for i in range(1500)}
    if kind == "folder":
        path = laid_out(tmp_path / "class", files)
    else:
        path = written(
            tmp_path / "class", zipped(files) if kind == "zip" else tarred(files, packed=True)
        )
    tracemalloc.start()
    try:
        came = take([path], stack)
        next(came)
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        count = 1 + sum(1 for _ in came)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == len(files)
    assert peak - before < 3 * pick.MAX_BYTES < sum(map(len, files.values())) / 5


def test_nothing_stays_open(stack, tmp_path):
    """Whoever stops in the middle leaves no file open."""
    path = written(
        tmp_path / "class.tgz", tarred({**CLASS, "cy/w.zip": zipped({FILE: WORK})}, packed=True)
    )
    before = support.descriptors()
    came = take([path], stack)
    next(came)
    came.close()
    assert support.descriptors() == before


# --- whatever it holds ---------------------------------------------------------------------------

PARTS = st.one_of(
    st.sampled_from([FILE, "stack (1).py", "a.py", "ada", "bob", "..", ".", "", "__MACOSX", ".git", "._x", "a.zip",
                     "C:", "x_1_2_a.py", "A_1_assignsubmission_file", "submitted", "timestamp.txt", "mine",
                     "submission_metadata.yml", "2026-11-01"]),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="/\0"), max_size=8),
)  # fmt: skip
MEMBERS = st.dictionaries(
    st.lists(PARTS, min_size=1, max_size=4).map("/".join), st.binary(max_size=20), max_size=8
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of their own for archives that are made many times."""
    return tmp_path_factory.mktemp("place")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@given(MEMBERS, st.sampled_from([zipped, tarred]), st.booleans())
def test_every_member_is_accounted_for(stack, place, members, pack, nested):
    """Whatever an archive's names: each file is an attempt, passed over or refused; none is written."""
    with contextlib.suppress(UnicodeEncodeError, ValueError):  # what cannot even be packed
        content = pack(members)
        path = place / "class.zip"
        path.write_bytes(zipped({"ada/w.zip": content, f"bob/{FILE}": WORK}) if nested else content)
        came = things(stack, path)
        told = {*notes(came), *(attempt.submission.path for attempt in attempts(came))}
        at = "class.zip/ada/w.zip" if nested else "class.zip"
        for name in members:
            told_of = accounted(name, at, told)
            assert told_of or came_to_nothing(name), (name, told)
        assert all(path.split("/")[0] == "class.zip" for path in told)
        assert [entry.name for entry in place.iterdir()] == ["class.zip"]


def accounted(name: str, at: str, told: set[str]) -> bool:
    """Whether something is said of a member, or of a folder that it lies in."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    places = {"/".join([at, *parts[:end]]) for end in range(1, len(parts) + 1)}
    return bool(told & (places | {f"{at}/{name}"}))


def came_to_nothing(name: str) -> bool:
    """Whether a member is but the folder that it is in."""
    return name.replace("\\", "/").endswith("/") or name in (".", "./")


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_can_be_said(stack, class_zip, language):
    """Every note and every problem has its words, with nothing left open in them."""
    say = Translator(language)
    content = tarred([
        (f"ada/{FILE}", WORK), ("bob/a.py", b""), ("bob/b.py", b""), ("cy/x.rar", b""), ("dan/x.txt", b""),
        ("eve/w.zip", zipped({"a.txt": bytes(20 * 1024**2)})), ("../x", b""), ("a\0b", b""), ("__MACOSX/x", b""),
        ("fay/mine.py", WORK), ("gil/w.zip", b"x"), special("hal/" + FILE, tarfile.FIFOTYPE),
    ], form=tarfile.GNU_FORMAT)  # fmt: skip
    came = things(stack, class_zip(content))
    texts = [say.text(thing.message) for thing in came if hasattr(thing, "message")]
    for attempt in attempts(came):
        if problem := attempt.submission.problem:
            texts += [say.text(problem.message), say.remedy(problem.message.id, **problem.params)]
    assert len(texts) > 15
    for text in texts:
        assert text
        assert "{" not in text
        assert not text.startswith(("intake.", "error."))


def test_a_reader_of_archives_never_sees_a_students_file_executed(stack, class_zip):
    """Intake reads bytes, and nothing more."""
    content = b"raise SystemExit('executed')"
    (attempt,) = attempts(things(stack, class_zip(zipped({f"ada/{FILE}": content}))))
    assert attempt.submission.source == content
