"""Hostile submissions: none scores more than the same code without its attack, none harms another.

``hostile/README.md`` says what the files are.
"""

import re
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from batches import waited_for
from support import ROOT, descriptors, processes_at_home_in

from grader.grading import Grader
from grader.score import Outcome, Score, Status
from grader.session import open_grader
from grader.submission import Submission

CORPUS = ROOT / "tests" / "hostile"
ATTACKS = sorted((CORPUS / "attacks").glob("*.py"))
CONTROLS = sorted((CORPUS / "controls").glob("*.py"))

#: Seconds, so that a bomb is soon over: for loading, for a call, for a grading.
LIMITS = {"load_s": 4.0, "call_s": 2.0, "grading_s": 12.0}

#: Seconds beyond its limits that a grading may take.
SLACK_S = 10

#: How often the submission after an attack is graded whole, and not only looked at.
EVERY = 10


def header(path: Path) -> dict[str, str]:
    """What a file says of itself: ``attack``, ``base``, ``outcome``."""
    lines = path.read_text("utf-8").splitlines()[:3]
    return dict(re.fullmatch(r"# (attack|base|outcome): (.+)", line).groups() for line in lines)


def submission_of(path: Path) -> Submission:
    """A file of the corpus as a submission."""
    return Submission("p17_graph_runner.py", "python", path.read_bytes())


def outcomes(path: Path) -> list[tuple[str, frozenset[str]]]:
    """What may become of a file: a status, and the error's kind or the checks that do not pass.

    A status without any stands for all: where it is a race, say.
    """
    said = [outcome.partition(": ") for outcome in header(path)["outcome"].split(" or ")]
    return [
        (status, frozenset(what.split(", ")) if what else frozenset()) for status, _, what in said
    ]


def outcome_of(score: Score) -> tuple[str, frozenset[str]]:
    """A score as the headers have it."""
    lost = {c.id for c in score.checks if c.status is not Outcome.PASSED}
    what = {score.error.kind} if score.status is Status.ERROR else lost
    return str(score.status), frozenset(what)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Iterator[Path]:
    """Where scratch folders lie, and nobody else's processes are at home."""
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        yield folder


@pytest.fixture(scope="module")
def grader(p17, home) -> Iterator[Grader]:
    """A grader that lets nothing go unprotected, and is soon through with what does not end."""
    manifest = p17.manifest
    limits = manifest.limits.model_copy(update=LIMITS)
    vars(p17)["manifest"] = manifest.model_copy(update={"limits": limits})
    with open_grader(p17, "python", "require") as grader:
        assert grader._reference  # it is there from the start, and counted
        yield grader
    vars(p17)["manifest"] = manifest


@pytest.fixture(scope="module")
def ceiling(grader):
    """What a control scores: the most that an attack made of it may."""

    @cache
    def score_of(name: str) -> float:
        score = grader.grade(submission_of(CORPUS / "controls" / f"{name}.py"), seed=5)
        assert score.score is not None
        return score.score

    return score_of


@pytest.mark.parametrize("path", CONTROLS, ids=lambda path: path.stem)
def test_control(grader, path):
    """The controls, which attack nothing, fare as they say."""
    score = grader.grade(submission_of(path), seed=5)
    assert outcome_of(score) in outcomes(path)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_attack(grader, ceiling, home, path):
    """An attack is worth nothing, is over in time, and leaves nothing; the next one is at ease."""
    before = descriptors()
    processes = len(processes_at_home_in(home))
    started = time.monotonic()
    score = grader.grade(submission_of(path), seed=5)
    took = time.monotonic() - started
    said = header(path)
    assert score.score is not None, score.error
    assert score.score <= ceiling(said["base"])
    status, what = outcome_of(score)
    assert (status, what) in outcomes(path) or (status, frozenset()) in outcomes(path)
    assert took < LIMITS["grading_s"] + SLACK_S
    assert score.isolation.missing == []
    with grader.open(submission_of(CORPUS / "controls" / "right.py")) as subject:
        if ATTACKS.index(path) % EVERY == 0:
            assert (
                grader.grade(submission_of(CORPUS / "controls" / "right.py"), seed=5).score == 100
            )
        assert subject.new("GraphRunner", subject.function("batch_sum"), [2], 3)
    assert descriptors() == before
    # One is discarded next; another may be about to be, for that goes on beside the grading.
    assert waited_for(lambda: len(processes_at_home_in(home)) <= processes + 1)


def test_corpus_is_whole():
    """There are enough of them, every family has one, and each says what must become of it."""
    families = {header(path)["attack"] for path in ATTACKS}
    assert len(ATTACKS) >= 60
    assert len(families) >= 20
    names = {path.stem for path in CONTROLS}
    assert {header(path)["base"] for path in ATTACKS} <= names
