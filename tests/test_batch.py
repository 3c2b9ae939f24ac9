"""`grader batch` as an instructor meets it: nothing that was graded is lost, nothing graded twice."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
from pathlib import Path

import jsonschema
import pytest
from batches import (
    QUEUE,
    RIGHT,
    STARTER,
    batch,
    files,
    gone,
    graded_in,
    interrupt,
    left_of,
    rows,
    scores,
    servers_of,
    small_class,
    started,
    stilled,
    temporary_of,
    untimed,
    waited_for,
    workers_of,
)  # fmt: skip
from downloads import laid_out
from support import all_written, copy_of_tiny

from grader.batch.store import FILE
from grader.cohort.student import Student
from grader.i18n import Translator
from grader.score import schema_text
from grader.session import open_grader
from grader.submission import read

SEED = ("--seed", "7")

#: One of every kind, and how each fares.
KINDS = {
    "crash.py": "import os\nos.abort()\n",
    "hang.py": "while True: pass\n",
    "queue.py": QUEUE,
    "right.py": RIGHT,
    "starter.py": STARTER,
    "syntax.py": "def (\n",
    "nothing/notes.txt": "later",
}
FARED = {
    "crash": ("error", 0, "crash"), "hang": ("error", 0, "timeout"), "queue": ("failed", 40, None),
    "right": ("passed", 100, None), "starter": ("error", 0, "starter"),
    "syntax": ("error", 0, "syntax"), "nothing": ("error", 0, "missing"),
    "Nobody Home": ("error", 0, "missing"),
}  # fmt: skip


# --- a class, once -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    """The folder of a class of every kind, graded, and what the command said."""
    folder = tmp_path_factory.mktemp("kinds")
    laid_out(folder / "class", KINDS)
    (folder / "roster.csv").write_text("id,name\nright,Ada Lovelace\nNobody Home,\n")
    done = batch(folder, "class", "-o", "out", "--roster", "roster.csv", *SEED, "--jobs", "2")
    return folder, done


def test_every_kind_is_graded(graded_class):
    """Whatever the scores, a class that has been graded ends with 0, and a summary."""
    folder, done = graded_class
    assert (done.returncode, graded_in(done)) == (0, len(KINDS)), done.stderr
    assert "passed 1 · failed 1 · error 5 · missing 1" in done.stdout
    assert {
        id: (entry["status"], entry["score"], (entry["error"] or {}).get("kind"))
        for id, entry in scores(folder / "out").items()
    } == FARED


def test_form_of_scores(graded_class):
    """The list's form is that of the documentation, and each entry is a score with a student."""
    folder, _ = graded_class
    document = json.loads((folder / "out" / "scores.json").read_text(encoding="utf-8"))
    assert list(document) == ["exercise", "scores"]
    assert document["exercise"] == "stack"
    schema = jsonschema.Draft202012Validator(json.loads(schema_text()))
    for entry in document["scores"]:
        student = entry.pop("student")
        assert list(student) == ["id", "name", "email", "handed_in", "kept"]
        assert student["handed_in"] == (student["id"] != "Nobody Home")
        schema.validate(entry)
    assert scores(folder / "out")["right"]["student"]["name"] == "Ada Lovelace"


def test_equals_single_grading(graded_class, stack, monkeypatch):
    """Each score is the one that its file gets when it is graded alone; it has no drawings."""
    folder, _ = graded_class
    monkeypatch.chdir(folder)
    found = scores(folder / "out")
    with open_grader(stack, "python", "require") as grader:
        alone = {
            name: grader.grade(read(Path("class") / name, stack, "python"), seed=7)
            for name in KINDS
            if name.endswith(".py")
        }
    for name, score in alone.items():
        expected = json.loads(score.localised(_say(stack)).to_json())
        entry = {key: value for key, value in found[Path(name).stem].items() if key != "student"}
        assert _bare(entry) == _bare(expected), name


def test_other_files(graded_class):
    """A table, an overview and a page for everybody who handed something in."""
    folder, _ = graded_class
    out = folder / "out"
    stems = {Student(id=id).file_stem for id in FARED if id != "Nobody Home"}
    assert set(files(out)) == {
        "scores.json", "scores.csv", "index.html", *(f"feedback/{stem}.html" for stem in stems)
    }  # fmt: skip
    table = (out / "scores.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(table) == 1 + len(FARED)
    for stem in stems:
        assert "stack" in (out / "feedback" / f"{stem}.html").read_text(encoding="utf-8")


def test_nothing_is_on_stderr_but_lines(graded_class):
    """Where there is no terminal, progress is plain lines on stderr."""
    _, done = graded_class
    assert f"graded {len(KINDS)} of {len(KINDS)}" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "graded 7 of 7" not in done.stdout


def test_nothing_is_left(graded_class):
    """When a run has ended, so has all that it started, and temporary files are gone."""
    folder, _ = graded_class
    assert gone(folder), left_of(folder)
    assert temporary_of(folder) == []


def test_again(graded_class):
    """The same command grades nothing, and leaves every byte as it was."""
    folder, _ = graded_class
    before = files(folder / "out")
    done = batch(folder, "class", "-o", "out", "--roster", "roster.csv")
    assert (done.returncode, graded_in(done)) == (0, 0), done.stderr
    assert files(folder / "out") == before


def _say(exercise):
    return Translator("en", exercise.folder)


def _bare(value):
    """JSON without durations and drawings."""
    if isinstance(value, dict):
        left_out = ("duration_s", "drawing")
        return {key: _bare(inner) for key, inner in value.items() if key not in left_out}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


# --- cut short -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, stack):
    """What a class comes to that is graded without a break: untimed, and stilled."""
    folder = tmp_path_factory.mktemp("undisturbed")
    small_class(folder)
    done = batch(folder, "class", "-o", "out", *SEED, "--jobs", "2")
    assert (done.returncode, graded_in(done)) == (0, 12), done.stderr
    found = untimed(folder / "out")
    return found, stilled(stack, folder / "out", folder / "class", level="require")


def finished(folder, undisturbed, stack):
    """That a class that was cut short is graded to the end and comes out as if it had not been."""
    out = folder / "out"
    kept = len(rows(out)) if (out / FILE).exists() and _has_results(out) else 0
    done = batch(folder, "class", "-o", "out", *SEED, "--jobs", "2")
    assert (done.returncode, graded_in(done)) == (0, 12 - kept), done.stderr
    assert [number for number, _ in rows(out)] == list(range(1, 13))  # none was written over
    assert untimed(out) == undisturbed[0]
    assert stilled(stack, out, folder / "class", level="require") == undisturbed[1]
    assert gone(folder), left_of(folder)


def _has_results(out):
    with contextlib.closing(sqlite3.connect(out / FILE)) as database:
        return database.execute("SELECT 1 FROM sqlite_master WHERE name = 'result'").fetchone()


STAGES = {
    "start": Path.exists,
    "intake": lambda folder: (folder / "out" / FILE).exists(),
    "workers": workers_of,
    "subjects": lambda folder: len(servers_of(folder)) > 3,
    "writing": (lambda folder: (folder / "out" / ".scores.json.part").exists()),
}


@pytest.mark.parametrize("stage", STAGES)
def test_killed_at_a_stage(undisturbed, tmp_path, stack, stage):
    """Killed at any stage, the command goes on where it was when it is given again; all that
    it had started ends by itself.
    """
    small_class(tmp_path)
    process = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "2")
    assert waited_for(lambda: STAGES[stage](tmp_path))
    assert process.poll() is None
    process.kill()
    process.communicate(timeout=30)
    assert gone(tmp_path), left_of(tmp_path)
    finished(tmp_path, undisturbed, stack)


def test_killed_again_and_again(undisturbed, tmp_path, stack):
    """Killed at moments that nobody chose, time and again: what is graded only grows."""
    small_class(tmp_path)
    draw, kept = random.Random(), 0
    for _ in range(4):
        process = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "2")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.2, 4))
        process.kill()
        process.communicate(timeout=30)
        assert gone(tmp_path), left_of(tmp_path)
        out = tmp_path / "out"
        if (out / FILE).exists() and _has_results(out):
            assert len(rows(out)) >= kept
            kept = len(rows(out))
    finished(tmp_path, undisturbed, stack)


def test_interrupted(undisturbed, tmp_path, stack):
    """Ctrl-C ends it with 130 and one word, and the same command goes on."""
    small_class(tmp_path)
    process = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "2")
    assert waited_for(lambda: servers_of(tmp_path))
    stdout, stderr = interrupt(process)
    assert (process.returncode, stdout, stderr.strip()) == (130, "", "Interrupted.")
    assert gone(tmp_path), left_of(tmp_path)
    assert temporary_of(tmp_path) == []
    finished(tmp_path, undisturbed, stack)


def test_interrupted_while_workers_start(tmp_path):
    """Ctrl-C is one word at that time, too: no worker has anything to say of it."""
    small_class(tmp_path)
    process = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "2")
    assert waited_for(lambda: workers_of(tmp_path))
    stdout, stderr = interrupt(process)
    assert (process.returncode, stdout, stderr.strip()) == (130, "", "Interrupted.")
    assert gone(tmp_path), left_of(tmp_path)


@pytest.mark.parametrize("victims", [workers_of, servers_of])
def test_what_it_started_is_killed(undisturbed, tmp_path, stack, victims):
    """Without a worker or a fork server the run goes on by itself, and comes out the same."""
    small_class(tmp_path)
    process = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "2")
    assert waited_for(lambda: servers_of(tmp_path))
    with contextlib.suppress(ProcessLookupError):
        os.kill(victims(tmp_path)[0], signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "12 submissions graded" in stdout
    assert temporary_of(tmp_path) == []
    finished(tmp_path, undisturbed, stack)


# --- a terminal ----------------------------------------------------------------------------------


def test_bar_on_a_terminal(tmp_path):
    """On a terminal a bar is drawn and taken away; stdout has the summary alone."""
    small_class(tmp_path, 3)
    ours, theirs = os.openpty()
    process = started(tmp_path, "class", "-o", "out", *SEED, stderr=theirs, env={"TERM": "xterm"})
    os.close(theirs)
    drawn = all_written(ours).decode()
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Grading" in drawn
    assert "3/3" in drawn
    assert drawn.rstrip("\r\n").endswith("\x1b[2K")  # its line is wiped
    assert "\x1b" not in stdout
    assert stdout.startswith("3 students;")


# --- others' folders -----------------------------------------------------------------------------


def test_two_in_one_folder(tmp_path):
    """The second is refused with 2, and says of what; after the first's end it is let in."""
    small_class(tmp_path, 3)
    laid_out(tmp_path / "class", {"hang.py": "while True: pass\n"})
    first = started(tmp_path, "class", "-o", "out", *SEED, "--jobs", "1")
    assert waited_for(lambda: servers_of(tmp_path))
    second = batch(tmp_path, "class", "-o", "out")
    assert second.returncode == 2
    assert second.stderr.startswith(f"Another batch is using out/{FILE}.")
    assert first.poll() is None
    first.communicate(timeout=60)
    assert first.returncode == 0
    third = batch(tmp_path, "class", "-o", "out")
    assert (third.returncode, graded_in(third)) == (0, 0)


def test_hopeless(tmp_path):
    """What would befall every submission alike ends the command, and is kept for none."""
    small_class(tmp_path, 3)
    manifest = copy_of_tiny(tmp_path).folder / "exercise.toml"
    preload = '[languages.python]\npreload = ["no_such_module"]'
    text = manifest.read_text(encoding="utf-8").replace("[languages.python]", preload)
    manifest.write_text(text, encoding="utf-8")
    done = batch(tmp_path, "class", "-o", "out", "--project", str(tmp_path / "tiny"))
    assert done.returncode == 3, done.stderr
    assert "no_such_module" in done.stderr
    assert "Traceback" not in done.stderr
    assert "ungraded" not in [status for _, status in rows(tmp_path / "out")]
