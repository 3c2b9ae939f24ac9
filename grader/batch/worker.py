"""Grades tasks in a process of its own: the same work on this machine and on a cluster's."""

import pickle
import threading
from collections import defaultdict
from collections.abc import Sequence

from grader.batch.task import Graded, Setting, Task
from grader.checks.precedents import Precedents
from grader.score import Status
from grader.session import Graders
from grader.subject.device import DeviceName

#: Answers are compared with those in one language on one device alone.
Ground = tuple[str, DeviceName]

#: What a worker found that others need not find again; bytes to all who pass it on.
News = bytes


class Worker:
    """Graders of one setting, kept warm.

    Args:
        setting: what everything is graded by.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._graders: dict[str, Graders] = {}
        self._precedents = defaultdict[Ground, Precedents](lambda: Precedents(setting.seed))

    def grade(self, task: Task) -> Graded:
        """What comes of a task.

        A grading that fails through no fault of the submission is tried once more, by a new
        grader: one submission may have brought down what the next one needs.
        """
        score = self._grader(task.submission.language).grade(
            task.submission, seed=self._setting.seed
        )
        if score.status is Status.UNGRADED:
            self._graders.pop(task.submission.language).close()
            score = self._grader(task.submission.language).grade(
                task.submission, seed=self._setting.seed
            )
        return Graded.of(task, score, self._setting)

    def hear(self, news: Sequence[News]) -> None:
        """Take what other workers of this setting have found, as ``news`` tells it."""
        for told in news:
            for ground, precedents in pickle.loads(told).items():  # noqa: S301 - our own words
                self._precedents[ground].hear(precedents)

    def news(self) -> News:
        """What was found here since the last time; empty where nothing was."""
        found = {ground: known.news() for ground, known in self._precedents.items()}
        return pickle.dumps(found) if any(found.values()) else b""

    def close(self) -> None:
        """End all graders."""
        for grader in self._graders.values():
            grader.close()
        self._graders.clear()

    def _grader(self, language: str) -> Graders:
        if language not in self._graders:
            setting = self._setting
            self._graders[language] = Graders(
                setting.exercise, language, setting.level, setting.wanted,
                lambda device: self._precedents[language, device],
            )  # fmt: skip
        return self._graders[language]


#: This process's worker. One at a time: pytest is at home in a process, not in a thread.
_lock = threading.Lock()
_workers: dict[Setting, Worker] = {}


def grade(setting: Setting, task: Task) -> Graded:
    """What comes of a task, by this process's worker for a setting."""
    with _lock:
        return _worker(setting).grade(task)


def grade_together(setting: Setting, task: Task, heard: Sequence[News]) -> tuple[Graded, News]:
    """The same, with what others have found, and what was found here for them."""
    with _lock:
        worker = _worker(setting)
        worker.hear(heard)
        return worker.grade(task), worker.news()


def _worker(setting: Setting) -> Worker:
    if setting not in _workers:
        for other in _workers.values():
            other.close()
        _workers.clear()
        _workers[setting] = Worker(setting)
    return _workers[setting]
