"""Hostile submissions in other languages than Python: what becomes of each, and of the next one.

``hostile/README.md`` says what the files are.
"""

import os
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from support import ROOT

from grader.exercise import Project
from grader.grading import Grader
from grader.session import lacks, open_grader
from grader.subject.allowance import Allowance
from grader.submission import Submission

PROGRAMS = ROOT / "tests" / "hostile" / "programs"
LANGUAGES = sorted(path.stem for path in PROGRAMS.glob("*.toml"))

#: Seconds and megabytes, so that a bomb is soon over.
LIMITS = {"load_s": 10.0, "call_s": 2.0, "grading_s": 12.0}

#: Seconds beyond its limits that a grading may take, for building among others.
SLACK_S = 40

P17 = Project(ROOT).exercise("p17")


@cache
def attacks(language: str) -> dict[str, dict[str, str]]:
    """The attacks in a language, by name."""
    told = tomllib.loads((PROGRAMS / f"{language}.toml").read_text("utf-8"))
    before = told.pop("before")
    return {name: {"before": before, **said} for name, said in told.items()}


ALL = [(language, name) for language in LANGUAGES for name in attacks(language)]


def attacked(language: str, said: dict[str, str]) -> Submission:
    """The reference, with an attack in it."""
    path = P17.solution(language)
    text = path.read_text("utf-8")
    places = {"code": said["before"], "field": _first_member(text)}
    for key in places.keys() & said.keys():
        assert places[key] in text
        text = text.replace(places[key], f"{said[key]}\n{places[key]}", 1)
    top = said.get("top", "")
    lines = text.split("\n")
    # Rust has inner comments at its top, which stand before everything else.
    first = next(i for i, line in enumerate(lines) if not line.startswith("//!"))
    text = "\n".join([*lines[:first], top, *lines[first:]])
    return Submission(path.name, language, text.replace("@ROOT@", str(ROOT)).encode())


def _first_member(text: str) -> str:
    """The line at which a class in Java begins to have members."""
    return next((line for line in text.splitlines() if line.startswith("    static class")), "")


@pytest.fixture(scope="module")
def exercise():
    """P17 with limits that are soon reached."""
    found = Project(ROOT).exercise("p17")
    limits = found.manifest.limits.model_copy(update=LIMITS)
    found.__dict__["manifest"] = found.manifest.model_copy(update={"limits": limits})
    return found


@pytest.fixture(scope="module")
def graders(exercise, tmp_path_factory) -> Iterator:
    """A grader a language, each made when it is first asked for."""
    opened: dict[str, Grader] = {}

    def of(language: str) -> Grader:
        if language not in opened:
            if lacks(exercise, language) and not os.environ.get("CI"):
                pytest.skip(f"no programs for {language} here")
            opened[language] = open_grader(exercise, language, "require")
        return opened[language]

    yield of
    for grader in opened.values():
        grader.close()


@pytest.mark.parametrize(("language", "name"), ALL, ids=str)
def test_attack(graders, exercise, language, name):
    """It gets what its header says, in time, and leaves the next submission alone."""
    said = attacks(language)[name]
    grader = graders(language)
    started = time.monotonic()
    score = grader.grade(attacked(language, said), seed=5)
    assert time.monotonic() - started < LIMITS["grading_s"] + LIMITS["load_s"] + SLACK_S
    seen = f"error: {score.error.kind}" if score.error else str(score.status)
    assert seen == said["outcome"], score.error
    assert (score.score == 100) == (said["outcome"] == "passed")
    path = exercise.solution(language)
    reference = Submission(path.name, language, path.read_bytes())
    with grader.open(reference) as subject:
        fn = subject.function("affine", scale=2, shift=1)
        runner = subject.new("GraphRunner", fn, [4, 1], 3)
        runner.capture()
        assert sorted(runner.graphs) == [1, 4]


@pytest.mark.parametrize("language", LANGUAGES)
def test_kinds(language):
    """Every language has an attack of each kind that the others have."""
    names = " ".join(attacks(language))
    kinds = (
        "endless_loop", "null", "stack_overflow", "memory_bomb", "flood_of_output",
        "flood_of_protocol", "replies_on_stdout", "reads_the_solution", "starts_a_program", "exit",
    )  # fmt: skip
    assert [kind for kind in kinds if kind not in names] == []


def test_every_language_is_attacked():
    """There is none that nobody has tried."""
    assert set(LANGUAGES) == set(P17.languages()) - {"python"}
    assert Allowance().memory_mb == 1500  # what the bombs are for
    assert Path(PROGRAMS).is_dir()
