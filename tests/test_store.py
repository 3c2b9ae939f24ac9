"""The store, and what a run makes of it: no result is lost, and no failure takes a score's place."""

import contextlib
import resource
import sqlite3

import pytest
from batches import QUEUE, RIGHT, files, marking, ordered, rows, scores, started, untimed
from downloads import laid_out, zipped
from support import copy_of_tiny

from grader.batch.store import FILE, Store
from grader.batch.summary import summary
from grader.errors import EnvironmentFault, UsageError
from grader.i18n import Translator


@pytest.fixture
def engine(monkeypatch):
    """Puts something in the place of grading: what gives each task's points, None where it fails."""

    def put(points):
        told = marking(points)
        monkeypatch.setattr("grader.batch.run.grade_here", told)
        return told

    return put


def two(folder, ada=RIGHT, bob=QUEUE):
    """A class of two."""
    return laid_out(folder / "class", {"ada.py": ada, "bob.py": bob})


def several(folder, names):
    """A class of two that has handed in more than once."""
    return [
        laid_out(folder / name, {"ada.py": f"{RIGHT}# {name}", "bob.py": f"{QUEUE}# {name}"})
        for name in names
    ]


def fared(out):
    """Student -> their score and why it is an earlier one."""
    return {id: (one["score"], one["student"]["kept"]) for id, one in scores(out).items()}


# --- graded again --------------------------------------------------------------------------------


def test_unchanged_is_not_graded_again(stack, tmp_path, engine):
    """Nothing is graded twice, and the files are the same, byte for byte."""
    engine(lambda _: 60.0)
    assert ordered(stack, tmp_path / "out", two(tmp_path)).graded == 2
    before = files(tmp_path / "out")
    never = engine(lambda _: None)
    assert ordered(stack, tmp_path / "out", two(tmp_path), seed=None).graded == 0
    assert never.seen == []
    assert files(tmp_path / "out") == before


def test_changed_submission(stack, tmp_path, engine):
    """A changed submission alone is graded again."""
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path))
    again = engine(lambda _: 100.0)
    assert ordered(stack, tmp_path / "out", two(tmp_path, bob=QUEUE + "# better\n")).graded == 1
    assert again.seen == ["class/bob.py"]
    assert fared(tmp_path / "out") == {"ada": (60, None), "bob": (100, None)}
    # And when it is what it was, what it came to then is still known.
    assert ordered(stack, tmp_path / "out", two(tmp_path)).graded == 0
    assert fared(tmp_path / "out") == {"ada": (60, None), "bob": (60, None)}


def test_another_seed(stack, tmp_path, engine):
    """Other data are another grading; without a seed it is that of the last time."""
    told = engine(lambda _: 60.0)
    for seed, graded in ((7, 2), (None, 0), (8, 2), (None, 0), (7, 0)):
        assert ordered(stack, tmp_path / "out", two(tmp_path), seed=seed).graded == graded
    assert len(told.seen) == 4


def test_first_seed_is_drawn(stack, tmp_path, engine):
    """Where none was given the first time either, one is drawn and kept."""
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path), seed=None)
    before = files(tmp_path / "out")
    ordered(stack, tmp_path / "out", two(tmp_path), seed=None)
    assert files(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("name", "graded"),
    [("checks/test_order.py", 2), ("exercise.toml", 2), ("../../solutions/stack.py", 2),
     ("pages/en/l1.md", 0), ("wrong/queue.py", 0)],
)  # fmt: skip
def test_changed_exercise(tmp_path, engine, name, graded):
    """A changed check, manifest or reference has all graded again; a changed text nothing."""
    stack = copy_of_tiny(tmp_path)
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path))
    path = stack.folder / name
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
    assert ordered(stack, tmp_path / "out", two(tmp_path)).graded == graded


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["submission", "seed", "name of the download"])
def test_failure_keeps_the_earlier_score(stack, tmp_path, engine, change):
    """Where grading again fails, the earlier score stands, says so, and 1 is the exit code."""
    engine(lambda _: 60.0)
    out = tmp_path / "out"
    ordered(stack, out, two(tmp_path))
    page = (out / "feedback" / "bob.html").read_bytes()
    engine(lambda task: None if "bob" in task.submission.path else 100.0)
    source, seed = two(tmp_path, bob=QUEUE + "# new\n" * (change == "submission")), 7
    if change == "seed":
        seed = 8
    elif change == "name of the download":
        source = source.rename(tmp_path / "class (1)")
    result = ordered(stack, out, source, seed=seed)
    assert not result.complete
    assert result.kept == 1
    ada = 60 if change == "submission" else 100
    assert fared(out) == {"ada": (ada, None), "bob": (60, "environment.worker")}
    assert (out / "feedback" / "bob.html").read_bytes() == page
    assert "environment.worker" in (out / "scores.csv").read_text(encoding="utf-8")
    # The next time it is tried again, alone, and a new score takes its place.
    told = engine(lambda _: 80.0)
    result = ordered(stack, out, source, seed=seed)
    assert result.complete
    assert len(told.seen) == 1
    assert fared(out) == {"ada": (ada, None), "bob": (80, None)}


def test_failure_without_an_earlier_score(stack, tmp_path, engine):
    """It has a score of null, never 0, is incomplete, and is tried again the next time."""
    engine(lambda task: None if "bob" in task.submission.path else 100.0)
    out = tmp_path / "out"
    result = ordered(stack, out, two(tmp_path))
    assert not result.complete
    assert fared(out) == {"ada": (100, None), "bob": (None, None)}
    assert scores(out)["bob"]["status"] == "ungraded"
    (row,) = [line for line in (out / "scores.csv").read_text().splitlines() if "bob" in line]
    assert ",ungraded,,100," in row
    for language, why, remedy in (("en", "died", "--jobs"), ("zh", "意外结束", "--jobs")):
        lines = summary(result, out, Translator(language, stack.folder)).splitlines()
        (line,) = [line for line in lines if line.startswith("  1 × ")]
        assert why in line
        assert remedy in line
    told = engine(lambda _: 60.0)
    assert ordered(stack, out, two(tmp_path)).complete
    assert told.seen == ["class/bob.py"]
    assert fared(out) == {"ada": (100, None), "bob": (60, None)}


def test_failure_never_beats_an_attempt(stack, tmp_path, engine):
    """Of several attempts of which the best counts, one that could not be graded counts less."""
    engine(lambda task: None if task.submission.path == "b/ada.py" else 0.0)
    sources = several(tmp_path, "ab")
    ordered(stack, tmp_path / "out", *sources, counting="best")
    assert fared(tmp_path / "out") == {"ada": (0, None), "bob": (0, None)}


# --- who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counting", "score"), [("latest", 60), ("best", 100)])
def test_attempts(stack, tmp_path, engine, counting, score):
    """Of several attempts the latest counts, or the best, and only what may count is graded."""
    points = {"a": 60.0, "b": 100.0, "c": 60.0}
    told = engine(lambda task: points[task.submission.path[0]])
    sources = several(tmp_path, "abc")
    result = ordered(stack, tmp_path / "out", *sources, counting=counting)
    assert fared(tmp_path / "out") == {"ada": (score, None), "bob": (score, None)}
    places = {path.split("/")[0] for path in told.seen}
    assert places == ({"c"} if counting == "latest" else {"a", "b", "c"})
    assert result.graded == len(told.seen) == 2 * len(places)
    assert scores(tmp_path / "out")["ada"]["student"]["handed_in"] == 3


def test_of_equal_attempts_the_later(stack, tmp_path, engine):
    """Where two attempts are as good as each other, the later one counts."""
    sources = several(tmp_path, "ab")
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", *sources, counting="best")
    assert scores(tmp_path / "out")["ada"]["submission"]["path"] == "b/ada.py"


def test_groups(stack, tmp_path, engine):
    """Who handed in together has one grading, and a row each with its score."""
    people = ":submitters:\n  - :name: Ada\n    :sid: 7\n  - :name: Bob\n    :sid: 8\n"
    files_ = {
        "assignment_5_export/submission_metadata.yml": f"submission_1:\n  {people}",
        "assignment_5_export/submission_1/stack.py": RIGHT,
    }
    (tmp_path / "class.zip").write_bytes(zipped(files_))
    told = engine(lambda _: 60.0)
    assert ordered(stack, tmp_path / "out", tmp_path / "class.zip").graded == 1
    assert len(told.seen) == 1
    assert fared(tmp_path / "out") == {"7": (60, None), "8": (60, None)}
    pages = [tmp_path / "out" / "feedback" / f"{id}.html" for id in "78"]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_the_same_source_twice(stack, tmp_path, engine):
    """What is named twice is graded, and counted, once."""
    source = two(tmp_path)
    told = engine(lambda _: 60.0)
    assert ordered(stack, tmp_path / "out", source, source).graded == 2
    assert len(told.seen) == 2


def test_who_has_left_the_class(stack, tmp_path, engine):
    """Their page is taken away; their result is not, and serves when they come back."""
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path))
    before = files(tmp_path / "out")
    (tmp_path / "class" / "bob.py").unlink()
    ordered(stack, tmp_path / "out", tmp_path / "class")
    assert "feedback/bob.html" not in files(tmp_path / "out")
    assert set(scores(tmp_path / "out")) == {"ada"}
    assert ordered(stack, tmp_path / "out", two(tmp_path)).graded == 0
    assert files(tmp_path / "out") == before


def test_others_files_stay(stack, tmp_path, engine):
    """What lies in the folder and is not the grader's is left alone."""
    laid_out(tmp_path / "out", {"notes.txt": "mine", "feedback/notes.html": "mine"})
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path))
    for name in ("notes.txt", "feedback/notes.html"):
        assert (tmp_path / "out" / name).read_text() == "mine"


def test_nothing_was_found(stack, tmp_path, engine):
    """An empty download is a class of nobody."""
    engine(lambda _: 60.0)
    (tmp_path / "class").mkdir()
    assert ordered(stack, tmp_path / "out", tmp_path / "class").complete
    assert scores(tmp_path / "out") == {}


def test_source_that_is_not_there(stack, tmp_path, engine):
    """It is said before anything is touched: what was written stays as it was."""
    engine(lambda _: 60.0)
    ordered(stack, tmp_path / "out", two(tmp_path))
    before = files(tmp_path / "out")
    with pytest.raises(UsageError) as caught:
        ordered(stack, tmp_path / "out", tmp_path / "class", tmp_path / "gone")
    assert caught.value.message.id == "usage.no_source"
    assert files(tmp_path / "out") == before
    assert len(rows(tmp_path / "out")) == 2


# --- one store, one batch, one exercise ----------------------------------------------------------


def test_two_at_once(tmp_path):
    """A store that somebody has is refused, and can be had when they have closed it."""
    with Store(tmp_path), pytest.raises(UsageError) as caught:
        Store(tmp_path)
    assert caught.value.message.id == "usage.store_taken"
    assert caught.value.message.params["file"] == str(tmp_path / FILE)
    with Store(tmp_path):
        pass


def test_another_form(tmp_path):
    """A store of another version of the grader is refused, and not touched."""
    with Store(tmp_path) as store:
        store.set("form", "0")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(UsageError) as caught:
        Store(tmp_path)
    assert caught.value.message.id == "usage.store_form"
    assert (tmp_path / FILE).read_bytes() == before
    with contextlib.closing(
        sqlite3.connect(tmp_path / FILE, timeout=0)
    ) as database:  # nobody holds it
        database.execute("BEGIN EXCLUSIVE")


def test_another_exercise(stack, tmp_path, engine):
    """A folder with another exercise's results is refused, and named."""
    with Store(tmp_path / "out") as store:
        store.set("exercise", "queue")
    engine(lambda _: 60.0)
    with pytest.raises(UsageError) as caught:
        ordered(stack, tmp_path / "out", two(tmp_path))
    assert caught.value.message.id == "usage.store_exercise"
    assert caught.value.message.params["kept"] == "queue"


def test_no_store(tmp_path):
    """A file that is none is neither used nor written over."""
    (tmp_path / FILE).write_bytes(b"a letter, and no database" * 100)
    with pytest.raises(EnvironmentFault) as caught:
        Store(tmp_path)
    assert caught.value.message.params["file"] == str(tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == b"a letter, and no database" * 100


def test_folder_that_cannot_be_made(tmp_path):
    """Where the folder cannot be, that is said of its path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(EnvironmentFault) as caught:
        Store(tmp_path / "file" / "out")
    assert str(tmp_path / "file" / "out") in caught.value.message.params["file"]


# --- a full disk ---------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [16, 20, 24])
def test_full_disk_in_the_store(stack, tmp_path, engine, monkeypatch, pages):
    """SQLite's own complaint, at whatever write: nothing is lost, and the next run goes on."""
    works = {f"s{i:02}.py": f"{RIGHT}# {i}" for i in range(20)}
    source = laid_out(tmp_path / "class", works)
    engine(lambda _: 60.0)
    made = Store.__init__

    def small(self, folder):
        made(self, folder)
        self._db.execute(f"PRAGMA max_page_count = {pages}")

    monkeypatch.setattr(Store, "__init__", small)
    with pytest.raises(EnvironmentFault) as caught:
        ordered(stack, tmp_path / "out", source)
    assert caught.value.message.id == "environment.store"
    assert caught.value.message.params == {
        "file": str(tmp_path / "out" / FILE), "detail": "database or disk is full",
    }  # fmt: skip
    kept = len(rows(tmp_path / "out"))
    monkeypatch.setattr(Store, "__init__", made)
    assert ordered(stack, tmp_path / "out", source).graded == 20 - kept
    ordered(stack, tmp_path / "other", source)
    assert untimed(tmp_path / "out") == untimed(tmp_path / "other")


@pytest.mark.parametrize("name", ["scores.json", "scores.csv", "index.html", "feedback/bob.html"])
def test_full_disk_in_a_file(stack, tmp_path, engine, monkeypatch, name):
    """The file is named; it and the others are there as they were, and can be written again."""
    engine(lambda _: 60.0)
    out = tmp_path / "out"
    ordered(stack, out, two(tmp_path))
    before = files(out)
    full = out / name
    part = full.with_name(f".{full.name}.part")
    part.symlink_to("/dev/full")
    engine(lambda _: 100.0)
    with pytest.raises(EnvironmentFault) as caught:
        ordered(stack, out, two(tmp_path), seed=8)
    assert caught.value.message.params == {
        "file": str(full), "detail": "No space left on device",
    }  # fmt: skip
    assert full.read_bytes() == before[name]
    assert not list(out.rglob(".*.part"))
    assert ordered(stack, out, two(tmp_path), seed=8).graded == 0
    assert fared(out) == {"ada": (100, None), "bob": (100, None)}


def test_no_more_room(tmp_path):
    """The command says which file it was, and ends with 3."""
    two(tmp_path)

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    process = started(tmp_path, "class", "-o", "out", preexec_fn=limited)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (3, "")
    assert stderr.startswith(f"Cannot write out/{FILE}: ")
    assert "Traceback" not in stderr


def test_all_or_nothing(tmp_path):
    """What is begun and not ended is as if it had never been."""
    with Store(tmp_path) as store:
        with contextlib.suppress(ZeroDivisionError), store.transaction():
            store.set("name", "value")
            raise ZeroDivisionError
        assert store.setting("name", "other") == "other"
