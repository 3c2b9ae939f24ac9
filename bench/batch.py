"""What grading a class costs: against a loop of cold pytest processes, and against the floor.

A class is the reference, the right and the wrong solutions over and over, each with a small edit
of its own, as folders of students. ``grader batch`` grades it as a whole command, its subjects shut
in, two side by side. The loop is what one writes without a grader (``bench/naive``): for each
student a new ``python -m pytest`` that imports their file and runs the same cases. The floor is one
shut-in subject a student that plays the same calls, with no pytest and no report. Run it with the
Python that ``check.sh`` uses:

    .venv/bin/python bench/batch.py            # 1,000 students against loop and floor
    .venv/bin/python bench/batch.py 100 1000 10000     # how it grows with the class
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.checks.precedents import Precedents  # noqa: E402 - found from the root
from grader.exercise import Project  # noqa: E402 - as above
from grader.session import open_grader  # noqa: E402
from grader.submission import read  # noqa: E402

JOBS = 2
SEED = 1
COMPARED = 1000  # students of the class that is compared with the loop
LOOPED = 16  # of them, as many as the loop is timed on: it takes seconds for each
FLOORED = 100

P17 = Project(ROOT).exercise("p17")


def corpus() -> list[Path]:
    """The solutions that there are, in an order of no meaning."""
    found = [P17.solution("python")]
    for folder in ("right", "wrong"):
        found += sorted((P17.folder / folder).glob("*.py"))
    random.Random(SEED).shuffle(found)
    return found


def make_class(size: int, folder: Path) -> list[Path]:
    """A class: a folder a student, with a solution that differs from all others in a comment."""
    solutions, files = corpus(), []
    for number in range(size):
        source = solutions[number % len(solutions)].read_bytes()
        file = folder / f"student{number:05}" / "p17_graph_runner.py"
        file.parent.mkdir(parents=True)
        file.write_bytes(source + f"\n# {number}: mine\n".encode())
        files.append(file)
    return files


class Memory:
    """The most memory that a process and all it started took, sampled: MB, shared pages once."""

    def __init__(self, pid: int) -> None:
        self._pid, self.peak_mb, self._over = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> float:
        """The most there was."""
        self._over.set()
        self._thread.join()
        return self.peak_mb

    def _watch(self) -> None:
        while not self._over.wait(2):
            kb = sum(map(_pss_kb, [self._pid, *children(self._pid)]))
            self.peak_mb = max(self.peak_mb, kb / 1000)


def children(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, path.read_text("ascii").split()):
                found += [child, *children(child)]
        except OSError:
            continue
    return found


def _pss_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def batch(folder: Path, out: Path) -> tuple[float, float]:
    """Seconds and MB of grading a class by the command."""
    command = [sys.executable, "-m", "grader", "batch", "p17", str(folder), "-o", str(out)]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--jobs", str(JOBS), "--seed", str(SEED), "--lang", "en"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    memory = Memory(process.pid)
    code = process.wait()
    took = time.perf_counter() - started
    peak = memory.stop()
    assert code == 0, f"the batch ended with {code}"
    return took, peak


def loop(files: list[Path]) -> float:
    """Seconds a submission of a loop of cold pytest processes."""
    started = time.perf_counter()
    for file in files:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", str(ROOT / "bench" / "naive" / "test_p17.py")],
            cwd=ROOT / "bench" / "naive", env={**os.environ, "SUBMISSION": str(file)},
            stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    return (time.perf_counter() - started) / len(files)


def floor(files: list[Path]) -> float:
    """Seconds of one processor a submission: one shut-in subject that plays the same calls."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as a batch's workers are
    known = Precedents(SEED)
    with open_grader(P17, "python", "require", precedents=known) as grader:
        grader.grade(read(P17.solution("python"), P17, "python"), seed=SEED)
        scripts = list(known.scripts.values())
        times = []
        for file in files:
            started = time.perf_counter()
            with grader.open(read(file, P17, "python")) as subject:
                subject.play(scripts, seconds=60)
            times.append(time.perf_counter() - started)
    return statistics.mean(times)


def main() -> None:
    """Compare, or grow."""
    with tempfile.TemporaryDirectory() as scratch:
        sizes = [int(word) for word in sys.argv[1:]] or [COMPARED]
        for size in sizes:
            files = make_class(size, Path(scratch, f"class{size}"))
            took, peak = batch(Path(scratch, f"class{size}"), Path(scratch, f"out{size}"))
            each = took / size
            print(f"{size:6} students: {took:7.1f} s, {each * 1e3:6.1f} ms each, {peak:.0f} MB")
        if len(sizes) == 1:
            sample = files[:: max(1, size // LOOPED)][:LOOPED]
            naive = loop(sample)
            cheapest = floor(files[: min(size, FLOORED)])
            print(f"loop of cold pytest processes: {naive:.2f} s each, ratio {naive / each:.1f}")
            print(
                f"floor: {cheapest * 1e3:.1f} ms of a processor each; the batch takes"
                f" {each * JOBS * 1e3:.1f} ms of {JOBS}, ratio {each * JOBS / cheapest:.2f}"
            )


if __name__ == "__main__":
    main()
