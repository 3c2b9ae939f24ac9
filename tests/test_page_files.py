"""The hint pages as files: valid, small, the same whenever they are built."""

import re
import tempfile
from pathlib import Path

import browser
import pytest
from browser import PAGES, complaints

from grader.exercise import Project
from grader.site import build

ROOT = Path(__file__).resolve().parents[1]

#: The checker does not reckon with scripts that a policy allows by their hash. That browsers run
#: ours, and no other, is what test_policy sees.
_KNOWN = "Inline script violates Content Security Policy"


def test_files(site: Path) -> None:
    """The site is an index, and a folder of pages for each language."""
    found = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert found == set(PAGES)


def test_valid(site: Path) -> None:
    """HTML and CSS of every page are valid, without so much as a warning."""
    said = complaints([site / name for name in PAGES])
    assert [one for one in said if _KNOWN not in one] == []


def test_checker_sees_faults(tmp_path: Path) -> None:
    """The checker does look: it objects to a tag left open and to a property that is none."""
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><html lang=en><title>x</title><style>p { colour: red }</style><p><b>x</p>"
    )
    said = "\n".join(complaints([page]))
    assert "colour" in said
    assert "“b”" in said


@pytest.mark.parametrize("name", PAGES)
def test_size(site: Path, name: str) -> None:
    """A page has less than 100,000 bytes."""
    assert (site / name).stat().st_size < 100_000


def test_same_bytes(site: Path, tmp_path: Path) -> None:
    """The same texts and solutions give the same pages, byte for byte."""
    list(build(Project(ROOT), [], tmp_path))
    for name in PAGES:
        assert (tmp_path / name).read_bytes() == (site / name).read_bytes(), name


@pytest.mark.parametrize("name", PAGES)
def test_nothing_of_the_machine(site: Path, name: str) -> None:
    """A page tells nothing of where it was built: no folder of this machine, no address in memory."""
    text = (site / name).read_text("utf-8")
    for folder in (ROOT, Path.home(), Path(tempfile.gettempdir()), site):
        assert f"{folder}/" not in text
    assert re.findall(r"0x[0-9a-f]{6,}|\b\d{9,}\b", text) == []


@pytest.mark.parametrize(
    ("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)]
)
@pytest.mark.parametrize(
    ("find", "programs", "remedy"),
    [
        (browser.chromium, [], "apt-get install chromium"),
        (browser.vnu, [], "apt-get install default-jre-headless"),
        (browser.vnu, ["java"], "npm install"),
    ],
)
def test_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, find, programs, remedy, ci, outcome
) -> None:
    """Without a browser or the checker, tests say what to install; in CI they fail instead."""
    for name in programs:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("VNU_JAR", str(tmp_path / "vnu.jar"))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match=remedy):
        find()
