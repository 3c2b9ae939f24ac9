"""What the tests share: the project's exercises, and graders that are started once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.exercise import Exercise, Project
from grader.grading import Grader
from grader.session import open_grader
from grader.submission import Submission

ROOT = Path(__file__).resolve().parents[1]

#: A project of its own, whose checks run under the grader.
collect_ignore = ["tiny"]


@pytest.fixture(scope="session")
def p17() -> Exercise:
    """The project's first exercise."""
    return Project(ROOT).exercise("p17")


@pytest.fixture(scope="session")
def stack() -> Exercise:
    """A tiny exercise that needs no torch."""
    return Project(ROOT / "tests" / "tiny").exercise("stack")


@pytest.fixture(scope="session")
def p17_grader(p17: Exercise) -> Iterator[Grader]:
    """A grader of P17, whose server has torch imported."""
    with open_grader(p17, "python") as grader:
        yield grader


@pytest.fixture(scope="session")
def stack_grader(stack: Exercise) -> Iterator[Grader]:
    """A grader of the tiny exercise."""
    with open_grader(stack, "python") as grader:
        yield grader


@pytest.fixture(scope="session")
def reference(p17: Exercise) -> Submission:
    """P17's reference solution, as a submission."""
    path = p17.solution("python")
    return Submission(str(path), "python", path.read_bytes())
