"""The local engine: its workers die, hang and fail, and everything else is graded all the same."""

import os
from pathlib import Path

import pytest
import workers
from batches import still, waited_for
from support import TINY, copy_of_tiny

from grader.batch import engine
from grader.batch.engine import grade_here
from grader.batch.task import Setting, Task, unpack
from grader.batch.worker import Worker
from grader.errors import EnvironmentFault
from grader.score import Score, Status
from grader.submission import Submission

SETTING = Setting(TINY, "stack", 7, "best", "en")


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    monkeypatch.setattr(engine, "grade_together", workers.by_word)


def tasks_of(*words):
    """A task a word, called by its place."""
    for number, word in enumerate(words):
        yield Task(str(number), Submission(f"{number}.py", "python", word.encode()))


def outcome(*words, jobs=2, setting=SETTING):
    """What comes of each word: its status, or why it is ungraded."""
    return {
        graded.key: graded.fault or graded.status
        for graded in grade_here(setting, tasks_of(*words), jobs)
    }


def runs(pid):
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_task_is_done_once(jobs):
    """However many workers there are; none is there for nothing to do."""
    graded = list(grade_here(SETTING, tasks_of(*["do"] * 7), jobs))
    assert sorted(one.key for one in graded) == [str(number) for number in range(7)]
    assert len({one.alike for one in graded}) == min(jobs, 7)
    assert list(grade_here(SETTING, iter(()), jobs)) == []


def test_tasks_are_read_a_few_ahead():
    """Of a class of any size no more is held than the workers have before them."""
    read, done, jobs = 0, 0, 2

    def counted():
        nonlocal read
        for task in tasks_of(*["do"] * 40):
            read += 1
            yield task

    for _ in grade_here(SETTING, counted(), jobs):
        assert read - done <= 2 * jobs
        done += 1
    assert (read, done) == (40, 40)


def test_what_one_found_others_hear():
    """News go to every worker but the one they are from, once."""
    heard, teller = {}, ""
    for graded in grade_here(SETTING, tasks_of("tell it", *["nap"] * 60), 2):
        heard.setdefault(graded.alike, []).extend(unpack(graded.page).split())
        teller = graded.alike if graded.key == "0" else teller
    assert heard.pop(teller) == []
    assert list(heard.values()) == [["it"]]


def test_board():
    """A reader gets what others put up since; what there is no room for is let go."""
    board, one, other = engine._Board(), object(), object()
    board.put_up(one, b"first")
    board.put_up(other, b"")
    board.put_up(other, b"second")
    assert board.since(0, one) == [b"second"]
    assert board.since(0, other) == [b"first"]
    assert board.since(0, object()) == [b"first", b"second"]
    assert board.since(len(board), object()) == []
    board.put_up(one, bytes(engine._BOARD_BYTES))
    assert board.since(len(board) - 1, other) == []


def test_workers_tell_each_other():
    """What one worker found, another need not find again; the results are the same."""
    setting = Setting(TINY, "stack", 7, "best", "en")
    right = (TINY / "solutions" / "stack.py").read_bytes()
    wrong = Task("w", Submission("w.py", "python", right.replace(b"pop()", b"pop(0)")))
    one, other = Worker(setting), Worker(setting)
    try:
        for worker in (one, other):
            worker.grade(Task("r", Submission("r.py", "python", right)))
        assert one.news() == b""
        expected = one.grade(wrong)
        news = one.news()
        assert one.news() == b""
        other.hear([news])
        assert still(unpack(other.grade(wrong).score)) == still(unpack(expected.score))
        assert other.news() == b""
    finally:
        one.close()
        other.close()


def test_task_that_takes_down_two_workers():
    """It is ungraded, with a score of null, never 0, and a page that says why; all others are
    done, those that waited behind it too.
    """
    graded = {one.key: one for one in grade_here(SETTING, tasks_of("do", "die", "do", "do"), 2)}
    assert [graded[key].status for key in "0123"] == ["passed", "ungraded", "passed", "passed"]
    assert graded["1"].fault == "environment.worker"
    score = Score.model_validate_json(unpack(graded["1"].score))
    assert (score.status, score.score) == (Status.UNGRADED, None)
    assert "died" in unpack(graded["1"].page)


def test_task_that_takes_down_one_worker(tmp_path):
    """It is done by the next one."""
    assert outcome(
        f"die_once {tmp_path / 'a'}", "do", f"die_once {tmp_path / 'b'}"
    ) == dict.fromkeys("012", "passed")


def test_hanging_worker(tmp_path, monkeypatch):
    """A worker that takes far longer than a grading may is replaced like a dead one."""
    manifest = copy_of_tiny(tmp_path).folder / "exercise.toml"
    text = manifest.read_text(encoding="utf-8").replace("grading_s = 20.0", "grading_s = 0.25")
    manifest.write_text(text, encoding="utf-8")
    monkeypatch.setattr(engine, "_SPARE_S", 8.0)
    monkeypatch.setattr(engine, "_DEATHS", 1)
    setting = Setting(tmp_path / "tiny", "stack", 7, "best", "en")
    assert outcome("hang", "do", "do", setting=setting) == {
        "0": "environment.worker", "1": "passed", "2": "passed",
    }  # fmt: skip


def test_task_that_fails():
    """What a worker did not foresee is the fault of one task alone, and named."""
    graded = {one.key: one for one in grade_here(SETTING, tasks_of("do", "raise Ouch", "do"), 1)}
    assert [graded[key].fault for key in "012"] == [None, "environment.grading", None]
    score = Score.model_validate_json(unpack(graded["1"].score))
    assert (score.score, score.error.message.params) == (None, {"detail": "ValueError: Ouch"})


@pytest.mark.parametrize("end", ["closed", "raised"])
def test_ended_early(end):
    """Whoever stops listening ends the workers, whatever they are doing."""
    graded = grade_here(SETTING, tasks_of("do", "do", "hang", "hang", "hang"), 2)
    pids = {int(next(graded).alike), int(next(graded).alike)}
    if end == "closed":
        graded.close()
    else:
        with pytest.raises(EnvironmentFault):
            graded.throw(EnvironmentFault("environment.store"))
    assert waited_for(lambda: not any(map(runs, pids)))
    assert runs(os.getpid())


def test_source_of_tasks_fails():
    """So does whoever gives out tasks and fails."""

    def broken():
        yield from tasks_of("hang")
        raise EnvironmentFault("environment.store")

    with pytest.raises(EnvironmentFault):
        list(grade_here(SETTING, broken(), 1))


def test_processors(monkeypatch):
    """Workers get a processor each, where there are enough; else the system places them."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 7}, raising=False)
    assert sorted(engine._cpus(3)) == [2, 5, 7]
    assert len(set(engine._cpus(2))) == 2
    assert engine._cpus(4) == [None] * 4
    monkeypatch.delattr(os, "sched_getaffinity")
    assert engine._cpus(2) == [None] * 2
