"""What a student waits for in each language: grading the reference, as a ratio to Python's.

Whole processes of ``./check.sh p17``. Warm: compiled before, in turn with Python's, round by round;
the figure is the median of the rounds' ratios. Cold: with an empty cache, so that host program and
submission are compiled; and as whoever has graded before in that language has it, with a submission
that is new. Run it with the Python that ``check.sh`` uses:

    .venv/bin/python bench/languages.py [ROUNDS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.exercise import Project  # noqa: E402 - found from the root
from grader.session import lacks  # noqa: E402

ROUNDS = 7
COLD = 3

P17 = Project(ROOT).exercise("p17")


def seconds(file: Path, cache: Path) -> float:
    """The wall time of grading a file, which must score full."""
    command = ["./check.sh", "p17", "--file", str(file)]
    started = time.perf_counter()
    subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "GRADER_CACHE": str(cache)},
    )  # fmt: skip
    return time.perf_counter() - started


def new_submission(language: str, folder: Path, number: int) -> Path:
    """The reference with another comment: nobody has compiled it before."""
    file = P17.solution(language)
    path = folder / str(number) / file.name
    path.parent.mkdir()
    path.write_bytes(file.read_bytes() + f"\n// {number}\n".encode())
    return path


def main(rounds: int) -> None:
    """Time every language that this machine has."""
    languages = [name for name in P17.languages() if not lacks(P17, name)]
    others = [name for name in languages if name != "python"]
    cold: dict[str, list[float]] = {name: [] for name in others}
    new: dict[str, list[float]] = {name: [] for name in others}
    warm: dict[str, list[float]] = {name: [] for name in languages}
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        for round_ in range(COLD):
            for name in others:
                empty = Path(folder, f"cold-{name}-{round_}")
                cold[name].append(seconds(P17.solution(name), empty))
        for name in languages:
            seconds(P17.solution(name), cache)
        for round_ in range(rounds):
            for name in languages:
                warm[name].append(seconds(P17.solution(name), cache))
            for name in others:
                files = Path(folder, "new", name)
                files.mkdir(parents=True, exist_ok=True)
                new[name].append(seconds(new_submission(name, files, round_), cache))
    print("| language | all compiled anew | a new submission | compiled before | ratio to Python |")
    print("|---|---|---|---|---|")
    for name in languages:
        pairs = zip(warm[name], warm["python"], strict=True)
        ratio = statistics.median(mine / theirs for mine, theirs in pairs)
        told = [
            f"{statistics.median(t[name]):.2f} s" if name in t else "" for t in (cold, new, warm)
        ]
        print(f"| {name} | {' | '.join(told)} | **{ratio:.2f}** |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
