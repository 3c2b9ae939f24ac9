"""Grades on this machine, in several processes side by side, each of which may die."""

import contextlib
import gc
import os
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

from grader.batch.deaf import deaf, hear_nothing
from grader.batch.task import Graded, Setting, Task
from grader.batch.worker import News, grade_together
from grader.errors import EnvironmentFault, GraderError

#: Tasks that a worker is given at once: while it does one, the next is under way to it.
_AHEAD = 2

#: How often a task may take its worker down with it.
_DEATHS = 2

#: Bytes that workers tell each other of what they found; some 20,000 rulings.
_BOARD_BYTES = 32_000_000

#: How many objects a worker makes before it looks for garbage among them, instead of 700: much of
#: what it makes lives for a whole submission.
_GARBAGE = 20_000

#: Seconds between looks at whether a worker hangs, and those that it may take beyond a grading's.
_LOOK_S = 1.0
_SPARE_S = 120.0

#: Seconds that the thread behind a worker has to see that it was ended.
_END_S = 5.0


def grade_here(setting: Setting, tasks: Iterator[Task], jobs: int) -> Generator[Graded]:
    """What comes of tasks, in the order in which they are done.

    A worker that dies or hangs is replaced. The task that it was at is tried again, and is
    ungraded when that takes down another one.

    Args:
        setting: what everything is graded by.
        tasks: read only a few ahead.
        jobs: how many workers there are.
    """
    patience = 4 * setting.exercise.manifest.limits.grading_s + _SPARE_S
    # Workers are killed in the end, and leave what they had there.
    scratch = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
    board = _Board()
    desks = [_Desk(setting, board, cpu, scratch.name) for cpu in _cpus(jobs)]
    again: deque[Task] = deque()
    deaths: Counter[str] = Counter()
    try:
        while True:
            for desk in desks:
                while len(desk) < _AHEAD and (task := _next(again, tasks)) is not None:
                    desk.take(task)
            futures = [future for desk in desks for future in desk.futures]
            if not futures:
                return
            wait(futures, _LOOK_S, FIRST_COMPLETED)
            for desk in desks:
                try:
                    yield from desk.done(patience)
                except BrokenProcessPool:
                    first, *others = desk.renew()
                    again.extend(others)
                    deaths[first.key] += 1
                    if deaths[first.key] < _DEATHS:
                        again.append(first)
                    else:
                        yield Graded.failed(first, EnvironmentFault("environment.worker"), setting)
    finally:
        for desk in desks:
            desk.close()
        scratch.cleanup()


def _next(again: deque[Task], tasks: Iterator[Task]) -> Task | None:
    return again.popleft() if again else next(tasks, None)


def _cpus(jobs: int) -> list[int | None]:
    """The processor of each worker, where there are enough of them.

    A worker and its subject take turns: they do so several times faster on one processor.
    """
    if not hasattr(os, "sched_getaffinity"):
        return [None] * jobs
    cpus: list[int | None] = [*sorted(os.sched_getaffinity(0))]
    if jobs > len(cpus):
        return [None] * jobs
    start = os.getpid() % len(cpus)  # two batches on one machine need not meet
    return [*cpus[start:], *cpus[:start]][:jobs]


class _Board:
    """What workers found, put up for the others."""

    def __init__(self) -> None:
        self._news: list[tuple[object, News]] = []
        self._room = _BOARD_BYTES

    def put_up(self, by: object, news: News) -> None:
        """Put up news, while there is room."""
        self._room -= len(news)
        if news and self._room >= 0:
            self._news.append((by, news))

    def since(self, number: int, reader: object) -> list[News]:
        """What others have put up since there were so many."""
        return [news for by, news in self._news[number:] if by is not reader]

    def __len__(self) -> int:
        """How many news there are."""
        return len(self._news)


class _Desk:
    """One worker, and the tasks before it.

    Args:
        setting: what everything is graded by.
        board: where to read what others found, and put up what is found here.
        cpu: the processor that it is to stay on; None leaves that to the system.
        scratch: a folder for what is temporary.
    """

    def __init__(self, setting: Setting, board: _Board, cpu: int | None, scratch: str) -> None:
        self._setting, self._cpu, self._scratch = setting, cpu, scratch
        self._board, self._read = board, 0
        self._tasks: deque[tuple[Task, Future[tuple[Graded, News]]]] = deque()
        self._begun = time.monotonic()
        self._pool = self._start()

    def __len__(self) -> int:
        """How many tasks there are."""
        return len(self._tasks)

    @property
    def futures(self) -> list[Future[tuple[Graded, News]]]:
        """What the tasks will come to."""
        return [future for _, future in self._tasks]

    def take(self, task: Task) -> None:
        """Have a task done."""
        if not self._tasks:
            self._begun = time.monotonic()
        heard, self._read = self._board.since(self._read, self), len(self._board)
        with contextlib.suppress(BrokenProcessPool):  # found out when it is asked for results
            # The first task starts the worker's process.
            with contextlib.nullcontext() if self._pool._processes else deaf():  # noqa: SLF001
                future = self._pool.submit(grade_together, self._setting, task, heard)
            self._tasks.append((task, future))
            return
        broken: Future[tuple[Graded, News]] = Future()
        broken.set_exception(BrokenProcessPool())
        self._tasks.append((task, broken))

    def done(self, patience: float) -> Iterator[Graded]:
        """What has been done.

        Args:
            patience: seconds after which a worker is taken to hang.

        Raises:
            BrokenProcessPool: the worker is gone.
        """
        while self._tasks and self._tasks[0][1].done():
            graded = self._outcome(*self._tasks[0])
            self._tasks.popleft()
            self._begun = time.monotonic()
            yield graded
        if self._tasks and time.monotonic() - self._begun > patience:
            self._kill()
            raise BrokenProcessPool

    def renew(self) -> list[Task]:
        """Put another worker in the place of one that is gone.

        Returns:
            The tasks that were before it, the one that it was at first.
        """
        left = [task for task, _ in self._tasks]
        self.close()
        self._tasks.clear()
        self._pool, self._read = self._start(), 0  # it has heard nothing yet
        return left

    def close(self) -> None:
        """End the worker, whatever it is doing."""
        self._kill()
        manager: Any = self._pool._executor_manager_thread  # noqa: SLF001
        self._pool.shutdown(wait=False, cancel_futures=True)
        if manager is not None:
            # Python's exit writes to a pipe that this thread closes. It has only to see that the
            # worker is gone; should it hang all the same, the exit is none the worse.
            manager.join(_END_S)

    def _outcome(self, task: Task, future: Future[tuple[Graded, News]]) -> Graded:
        try:
            graded, news = future.result()
        except (BrokenProcessPool, GraderError):
            raise
        except Exception as error:  # noqa: BLE001 - one submission must not fail a class
            fault = EnvironmentFault(
                "environment.grading", detail=f"{type(error).__name__}: {error}"
            )
            return Graded.failed(task, fault, self._setting)
        self._board.put_up(self, news)
        return graded

    def _start(self) -> ProcessPoolExecutor:
        told = (self._cpu, self._scratch)
        return ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin, initargs=told)

    def _kill(self) -> None:
        for process in (self._pool._processes or {}).values():  # noqa: SLF001 - kill_workers() is 3.14's
            process.kill()


def _begin(cpu: int | None, scratch: str) -> None:
    """In a worker, before its first task."""
    hear_nothing()
    if cpu is not None:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {cpu})
    tempfile.tempdir = scratch
    gc.set_threshold(_GARBAGE)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End when the one who gives out tasks is gone, however it went."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
