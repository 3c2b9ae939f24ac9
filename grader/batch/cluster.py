"""Grades on a Dask cluster: workers on any machines that have the project and its packages."""

import importlib
import logging
from collections.abc import Generator, Iterator
from typing import Any

from grader.batch.deaf import deaf
from grader.batch.task import Graded, Setting, Task
from grader.batch.worker import grade
from grader.errors import EnvironmentFault, GraderError, UsageError

#: Tasks that are with the cluster at once, for each of its threads.
_AHEAD = 2


def grade_on_cluster(
    setting: Setting, tasks: Iterator[Task], jobs: int, address: str | None
) -> Generator[Graded]:
    """What comes of tasks, in the order in which they are done.

    A worker that dies is done without, and may come back: Dask gives its tasks to others. A
    task that takes down several is ungraded.

    Args:
        setting: what everything is graded by.
        tasks: read only a few ahead.
        jobs: how many worker processes a cluster on this machine has, where there is no address.
        address: the scheduler's, such as ``tcp://10.0.0.1:8786``.

    Raises:
        UsageError: ``dask.distributed`` is not installed, or no scheduler answers.
        GraderError: a machine of the cluster lacks the project or a package.
    """
    try:
        distributed: Any = importlib.import_module("distributed")  # an extra of the package
    except ImportError:
        raise UsageError("usage.no_dask") from None
    with _client(distributed, jobs, address) as client:
        pending: dict[Any, Task] = {}
        done = distributed.as_completed()
        while True:
            room = _AHEAD * max(1, sum(client.nthreads().values())) - len(pending)
            for task in _some(tasks, room):
                future = client.submit(grade, setting, task, key=f"grade-{task.key}", pure=False)
                pending[future] = task
                done.add(future)
            if not pending:
                return
            future = next(done)
            yield _outcome(distributed, future, pending.pop(future), setting)


def _client(distributed: Any, jobs: int, address: str | None) -> Any:
    if address is None:
        with deaf():
            return distributed.Client(
                n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None,
                silence_logs=logging.CRITICAL,  # closed workers complain of just that
            )  # fmt: skip
    try:
        return distributed.Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError("usage.no_scheduler", address=address, detail=str(error)) from None


def _some(tasks: Iterator[Task], number: int) -> Iterator[Task]:
    for _ in range(number):
        task = next(tasks, None)
        if task is None:
            return
        yield task


def _outcome(distributed: Any, future: Any, task: Task, setting: Setting) -> Graded:
    try:
        graded: Graded = future.result()
    except distributed.KilledWorker:
        return Graded.failed(task, EnvironmentFault("environment.worker"), setting)
    except GraderError:
        raise
    except Exception as error:  # noqa: BLE001 - of any kind, on a machine far away
        fault = EnvironmentFault("environment.cluster", detail=f"{type(error).__name__}: {error}")
        if isinstance(error, ImportError):  # so it would go with whatever else is sent there
            raise fault from None
        return Graded.failed(task, fault, setting)
    return graded
