"""What the walls cost: one isolated subject against a bare fork of the same kind of server.

The servers hold torch. In turn, each opens a subject, asks it who it is and ends it; the figure
is the ratio of the medians. The same for each wall by itself. Then 200 gradings in a row, and
what they left behind: processes, and memory of the server's. Run it with the Python that
``check.sh`` uses:

    .venv/bin/python bench/isolation.py
"""

import contextlib
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.exercise import Project  # noqa: E402 - found from the root
from grader.session import open_grader  # noqa: E402
from grader.subject.isolation import WALLS  # noqa: E402
from grader.subject.python.launcher import ForkServer  # noqa: E402
from grader.submission import read  # noqa: E402

ROUNDS = 100
GRADINGS = 200
SETTLED = 20  # gradings after which the server is taken to be warm

P17 = Project(ROOT).exercise("p17")


def seconds(server: ForkServer) -> float:
    """The wall time of one subject, from its opening until the server is free again."""
    started = time.perf_counter()
    channel = server.open()
    channel.await_walls(10)
    number = channel.send("hello")
    channel.receive(number, seconds=10, output_mb=1, doing="hello")
    server.release(channel)
    server._settle()
    return time.perf_counter() - started


def of_subjects() -> None:
    """Time a subject behind all walls, behind each and behind none, in turn."""
    kinds = {"none": (), **{wall: (wall,) for wall in WALLS}, "all": WALLS}
    servers = {
        name: ForkServer(P17.preload("python"), P17.allowance(), walls)
        for name, walls in kinds.items()
    }
    times: dict[str, list[float]] = {name: [] for name in servers}
    for round_ in range(ROUNDS + 3):
        for name, server in servers.items():
            taken = seconds(server)
            if round_ >= 3:
                times[name].append(taken)
    for server in servers.values():
        server.close()
    bare = statistics.median(times["none"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:10} median {median * 1e3:5.1f} ms, ratio {median / bare:.2f}")


def processes() -> set[int]:
    """All there are, but for threads of the kernel."""
    return {int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()}


def children(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, path.read_text("ascii").split()):
                found += [child, *children(child)]
    return found


def memory_kb(pid: int) -> int:
    """Memory that is a process's own, in use now; 0 if it has gone meanwhile."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private"))


def of_many_gradings() -> None:
    """Grade the reference many times and see what is left."""
    submission = read(P17.solution("python"), P17, "python")
    with open_grader(P17, "python", "require") as grader:
        top = grader._launcher._server._process.pid
        for number in range(1, GRADINGS + 1):
            assert grader.grade(submission, seed=number).score == 100
            if number == SETTLED:
                before = {pid: memory_kb(pid) for pid in [top, *children(top)]}
        grader._launcher.release(grader._launcher.open())  # the last one is ended by now
        grader._launcher._settle()
        after = {pid: memory_kb(pid) for pid in [top, *children(top)] if pid in before}
    server, reference, *_ = sorted(before, key=before.__getitem__, reverse=True)
    growth = {pid: after[pid] / before[pid] - 1 for pid in (server, reference)}
    gone = [pid for pid in before if pid in processes()]
    print(
        f"{GRADINGS} gradings: the server's memory {growth[server]:+.1%}, the reference's"
        f" {growth[reference]:+.1%}, processes left {len(gone)}"
    )


def main() -> None:
    """Both."""
    of_subjects()
    of_many_gradings()


if __name__ == "__main__":
    main()
