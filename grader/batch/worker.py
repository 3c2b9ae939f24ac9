"""Grades tasks in a process of its own: the same work on this machine and on a cluster's."""

import threading

from grader.batch.task import Graded, Setting, Task
from grader.grading import Grader
from grader.score import Status
from grader.session import open_grader


class Worker:
    """Graders of one setting, kept warm.

    Args:
        setting: what everything is graded by.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._graders: dict[str, Grader] = {}

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

    def close(self) -> None:
        """End all graders."""
        for grader in self._graders.values():
            grader.close()
        self._graders.clear()

    def _grader(self, language: str) -> Grader:
        if language not in self._graders:
            setting = self._setting
            self._graders[language] = open_grader(
                setting.exercise, language, setting.level, seed=setting.seed
            )
        return self._graders[language]


#: This process's worker. One at a time: pytest is at home in a process, not in a thread.
_lock = threading.Lock()
_workers: dict[Setting, Worker] = {}


def grade(setting: Setting, task: Task) -> Graded:
    """What comes of a task, by this process's worker for a setting."""
    with _lock:
        if setting not in _workers:
            for other in _workers.values():
                other.close()
            _workers.clear()
            _workers[setting] = Worker(setting)
        return _workers[setting].grade(task)
