"""What a student waits for: ``./check.sh p17`` on the reference, as a ratio to ``import torch``.

Both are whole processes, started in turn, after one round that does not count; the figure is the
ratio of the medians. Run it with the Python that ``check.sh`` uses:

    .venv/bin/python bench/startup.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5

COMMANDS = {
    "check": ["./check.sh", "p17", "--file", "solutions/p17_graph_runner.py"],
    "import torch": [sys.executable, "-W", "ignore", "-c", "import torch"],
}


def seconds(command: list[str]) -> float:
    """The wall time of one whole process that succeeds."""
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Time both commands in turn and print their medians and the ratio."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for round_ in range(ROUNDS + 1):
        for name, command in COMMANDS.items():
            taken = seconds(command)
            if round_:
                times[name].append(taken)
    for name, taken in times.items():
        print(
            f"{name:13} median {statistics.median(taken):.2f} s, {min(taken):.2f}-{max(taken):.2f}"
        )
    ratio = statistics.median(times["check"]) / statistics.median(times["import torch"])
    print(f"ratio         {ratio:.2f}")


if __name__ == "__main__":
    main()
