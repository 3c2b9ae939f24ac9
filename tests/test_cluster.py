"""The Dask engine: a class comes out as it does on one machine, whatever becomes of the workers."""

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import CancelledError
from types import SimpleNamespace

import pytest
from batches import (
    batch,
    gone,
    graded_in,
    interrupt,
    left_of,
    rows,
    servers_of,
    small_class,
    started,
    untimed,
    waited_for,
    workers_of,
)
from downloads import laid_out
from support import ROOT, TINY

from grader.batch import cluster as cluster_
from grader.batch.task import Setting, Task
from grader.errors import EnvironmentFault, UsageError
from grader.submission import Submission

DASK = ("class", "-o", "out", "--seed", "7", "--engine", "dask")

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """What a class comes to on this machine, durations aside."""
    folder = tmp_path_factory.mktemp("local")
    small_class(folder)
    done = batch(folder, "class", "-o", "out", "--seed", "7")
    assert done.returncode == 0, done.stderr
    return untimed(folder / "out")


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, as they are started on machines; the scheduler's address."""
    env = {
        **os.environ, "PYTHONPATH": str(ROOT),
        "PATH": f"{tmp_path / 'cluster' / 'mark'}:{os.environ['PATH']}",
    }  # fmt: skip
    address = tmp_path / "scheduler.json"

    def program(name, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{name}", "--scheduler-file", address,
             "--no-dashboard", *arguments],
            cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    scheduler = program("scheduler", "--host", "127.0.0.1", "--port", "0")
    workers = program("worker", "--nworkers", "2", "--nthreads", "1")
    try:
        assert waited_for(address.exists)
        assert waited_for(address.read_text)
        yield address.read_text().split('"address": "')[1].split('"')[0]
    finally:
        for process in (workers, scheduler):
            process.terminate()
            process.wait(20)
    assert gone(tmp_path / "cluster"), left_of(tmp_path / "cluster")


def test_as_on_one_machine(local, tmp_path):
    """Without an address a cluster is started on this machine, and ends with the command."""
    small_class(tmp_path)
    done = batch(tmp_path, *DASK, "--jobs", "2")
    assert (done.returncode, graded_in(done)) == (0, 12), done.stderr
    assert untimed(tmp_path / "out") == local
    assert "Traceback" not in done.stderr
    assert gone(tmp_path), left_of(tmp_path)
    again = batch(tmp_path, "class", "-o", "out")  # whoever grades, the results are the same
    assert (again.returncode, graded_in(again)) == (0, 0)


def test_worker_is_killed(local, cluster, tmp_path):
    """What a worker on the cluster takes with it is done by another."""
    small_class(tmp_path)
    process = started(tmp_path, *DASK, "--scheduler", cluster)
    assert waited_for(lambda: servers_of(tmp_path / "cluster"))
    os.kill(workers_of(tmp_path / "cluster")[0], signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "12 submissions graded" in stdout
    assert len(rows(tmp_path / "out")) == 12
    assert untimed(tmp_path / "out") == local


def test_machine_without_the_project():
    """What one machine lacks ends the command, and is told: no submission is to blame."""
    setting = Setting(TINY, "stack", 7, "best", "en")
    task = Task("key", Submission("a.py", "python", b""))

    def failing(error):
        def result():
            raise error

        return SimpleNamespace(result=result)

    no_module = ModuleNotFoundError("No module named 'grader'")
    with pytest.raises(EnvironmentFault) as caught:
        cluster_._outcome(distributed, failing(no_module), task, setting)
    assert caught.value.message.params == {"detail": f"ModuleNotFoundError: {no_module}"}
    no_exercise = UsageError("usage.no_exercise")
    with pytest.raises(UsageError):
        cluster_._outcome(distributed, failing(no_exercise), task, setting)
    lost = cluster_._outcome(distributed, failing(CancelledError("scheduler gone")), task, setting)
    assert (lost.status, lost.fault) == ("ungraded", "environment.cluster")


def test_interrupted(tmp_path):
    """Ctrl-C ends the command and the cluster that it started."""
    small_class(tmp_path)
    process = started(tmp_path, *DASK, "--jobs", "2")
    assert waited_for(lambda: servers_of(tmp_path))
    _, stderr = interrupt(process)
    assert process.returncode == 130
    assert stderr.endswith("Interrupted.\n")
    assert "Traceback" not in stderr
    assert gone(tmp_path), left_of(tmp_path)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense"])
def test_no_scheduler(tmp_path, address):
    """Where no scheduler answers, that is said, with what to do, and 2."""
    small_class(tmp_path, 2)
    done = batch(tmp_path, *DASK, "--scheduler", address)
    assert done.returncode == 2
    assert done.stderr.startswith(f"No Dask scheduler answers at {address}: ")
    assert "Check the address" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_package(tmp_path):
    """Without dask.distributed the command names what to install."""
    small_class(tmp_path, 2)
    hidden = laid_out(tmp_path / "hidden", {"distributed.py": "raise ImportError\n"})
    done = batch(tmp_path, *DASK, env={"PYTHONPATH": str(hidden)})
    assert done.returncode == 2
    assert 'pip install "grader-kit[dask]"' in done.stderr
    with contextlib.suppress(FileNotFoundError):
        assert rows(tmp_path / "out") == []
