"""What the tests share: the project's exercises, and graders that are started once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Visits, open_browser, visiting
from playwright.sync_api import Browser

from grader.exercise import Exercise, Project
from grader.grading import Grader
from grader.session import open_grader
from grader.site import build
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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all pages, built once."""
    folder = tmp_path_factory.mktemp("site")
    list(build(Project(ROOT), [], folder))
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once; without it, tests are skipped, and in CI they fail."""
    with open_browser() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Visits]:
    """Opens hint pages."""
    with visiting(browser, site) as visits:
        yield visits
