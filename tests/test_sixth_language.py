"""A language that the project does not have, added as docs/languages.md says: it, and nothing else."""

import os
import re
import shutil
from pathlib import Path

import pytest
from support import ROOT, TINY

from grader.errors import EnvironmentFault
from grader.exercise import Project
from grader.score import Status
from grader.session import grade_file, validate_exercise
from grader.subject import languages
from grader.subject.languages import language
from grader.subject.program.toolchain import Toolchain
from grader.validate import Finding, Report

GUIDE = (ROOT / "docs" / "languages.md").read_text("utf-8")

#: A path alone in a line, and the block below it.
_FILE = re.compile(r"^`([\w/.]+)`\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ABOVE = "[interface.Stack.methods]"

needs_go = pytest.mark.skipif(
    not shutil.which("go") and not os.environ.get("CI"), reason="there is no Go here"
)


@pytest.fixture
def guided(tmp_path, monkeypatch):
    """The tiny exercise, with all that the guide says done to a copy of it."""
    root = tmp_path / "project"
    shutil.copytree(TINY, root)
    files = dict(_FILE.findall(GUIDE))
    assert len(files) == 9
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    manifest = root / "exercises" / "stack" / "exercise.toml"
    (more,) = _TOML.findall(GUIDE)
    manifest.write_text(manifest.read_text("utf-8").replace(_ABOVE, f"{more}\n{_ABOVE}"), "utf-8")
    more_languages = str(root / "grader" / "subject" / "languages")
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, more_languages])
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    return Project(root).exercise("stack")


@needs_go
def test_validates(guided):
    """Every solution in Go fares as it says, as those in Python do, and nothing else is amiss."""
    found = list(validate_exercise(guided, seed=1))
    reports = [item for item in found if isinstance(item, Report)]
    assert [report.problems for report in reports] == [[], []]
    assert [report.not_validated for report in reports] == [[], []]
    seen = {item.file.name: item.score.score for item in found if isinstance(item, Finding)}
    assert {name: score for name, score in seen.items() if name.endswith(".go")} == {
        "stack.go": 100.0,
        "linked.go": 100.0,
        "first_in_first_out.go": 40.0,
        "silent_when_empty.go": 60.0,
    }
    assert all(item.as_claimed for item in found if isinstance(item, Finding))


@needs_go
def test_versions_and_walls(guided):
    """The Score says what it ran on, and that nothing was missing around it."""
    score = grade_file(guided, guided.solution("go"), seed=1, level="require")
    assert (score.status, score.submission.language) == (Status.PASSED, "go")
    assert score.versions["go"].startswith("go1.")
    assert score.isolation.missing == []


@needs_go
def test_compile_error(guided, tmp_path):
    """The first error, at the student's own line."""
    path = tmp_path / "stack.go"
    text = guided.solution("go").read_text("utf-8")
    path.write_text(text.replace("return &Stack{}", "return Stack"), "utf-8")
    error = grade_file(guided, path, seed=1).error
    assert (error.kind, error.line) == ("compile", 7)
    assert error.code == "func NewStack() *Stack { return Stack }"
    assert "Stack" in error.message.params["detail"]


@needs_go
def test_interface(guided, tmp_path):
    """What the host misses is no error of its own."""
    path = tmp_path / "stack.go"
    text = guided.solution("go").read_text("utf-8")
    path.write_text(text.replace("Push(", "Put("), "utf-8")
    error = grade_file(guided, path, seed=1).error
    assert error.kind == "interface"
    assert "Push" in error.message.params["detail"]


def test_without_it(guided, monkeypatch):
    """Where there is no Go, the package is named, and Python is graded all the same."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "go" else which(name))
    with pytest.raises(EnvironmentFault) as raised:
        Toolchain(language("go"))
    assert raised.value.message.params == {
        "language": "Go",
        "program": "go",
        "package": "golang-go",
    }
    score = grade_file(guided, guided.solution("go"), seed=1)
    assert (score.status, score.score) == (Status.UNGRADED, None)
    assert score.error.message.id == "environment.no_toolchain"
    assert grade_file(guided, guided.solution("python"), seed=1).score == 100
    reports = [item for item in validate_exercise(guided, seed=1) if isinstance(item, Report)]
    assert [len(report.not_validated) for report in reports] == [0, 1]


def test_nothing_of_it_is_here():
    """The project itself knows no Go: the guide is all there is."""
    assert "go" not in languages.known()
    assert not list(Path(ROOT, "grader").rglob("*.go"))
