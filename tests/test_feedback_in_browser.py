"""Feedback pages as a student opens them: from a file, on any screen, with strangers' text in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import SAY, Visits, complaints, violations, visible, visiting
from playwright.sync_api import Browser
from support import runner

from grader.i18n import LANGUAGES
from grader.render.feedback import feedback_page
from grader.score import Score, Status
from grader.submission import Submission

#: Wrong solutions, by what is to be seen of them.
WRONG = {
    "stale": "padding_never_zeroed",
    "alias": "aliasing_returns_view",
    "last_bits": "shape_result_rounded",
    "raised": "choice_crash_above_largest",
    "unseen": "pretended_never_replays",
    "dtype": "shape_buffers_always_float32",
}
HOSTILE = (
    "</pre><script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>" + "长" * 99
)
NAMES = (*WRONG, "passed", "syntax", "hostile", "ungraded")
PAGES = [f"{name}-{language}.html" for name in NAMES for language in LANGUAGES]


@pytest.fixture(scope="module")
def pages(p17, p17_grader, reference, tmp_path_factory) -> Path:
    """A folder of feedback pages, one a kind of score and language."""
    folder = tmp_path_factory.mktemp("feedback")

    def grade(submission: Submission) -> Score:
        return p17_grader.grade(submission, seed=1)

    def wrong(name: str) -> Submission:
        path = p17.folder / "wrong" / f"{name}.py"
        return Submission(path.name, "python", path.read_bytes())

    scores = {name: grade(wrong(solution)) for name, solution in WRONG.items()}
    scores["passed"] = grade(reference)
    scores["syntax"] = grade(Submission("my.py", "python", b"class GraphRunner(:\n"))
    scores["hostile"] = grade(
        runner(f"print({HOSTILE!r}); return x", init=f"self.stats = {{{HOSTILE!r}: {HOSTILE!r}}}")
    )
    scores["ungraded"] = scores["syntax"].model_copy(
        update={"status": Status.UNGRADED, "score": None}
    )
    for name, score in scores.items():
        for language in LANGUAGES:
            text = feedback_page(score, SAY[language], hints=True)
            (folder / f"{name}-{language}.html").write_text(text, "utf-8")
    return folder


@pytest.fixture
def visit(browser: Browser, pages: Path) -> Iterator[Visits]:
    """Opens feedback pages."""
    with visiting(browser, pages) as visits:
        yield visits


@pytest.mark.parametrize("name", PAGES)
def test_accessible(visit: Visits, name: str) -> None:
    """Axe finds nothing, in light and in dark."""
    for scheme in ("light", "dark"):
        assert violations(visit(name, color_scheme=scheme)) == []


@pytest.mark.parametrize("name", PAGES)
def test_width(visit: Visits, name: str) -> None:
    """No page scrolls sideways, on a phone or on a large screen."""
    page = visit(name)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0, width


def test_valid(pages: Path) -> None:
    """HTML and CSS are valid, whatever a student put in."""
    said = complaints(sorted(pages.iterdir()))
    known = "Inline script violates Content Security Policy"  # one that is allowed by its hash
    assert [one for one in said if known not in one] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_strangers_text_is_text(visit: Visits, language: str) -> None:
    """A student's markup is shown as it was written; nothing of it runs or is fetched."""
    alerted: list[str] = []
    name = f"hostile-{language}.html"
    page = visit(name, before="window.alert = text => { document.title = 'alerted ' + text; }")
    page.on("dialog", lambda dialog: alerted.append(dialog.message))
    assert "<script>alert(1)</script>" in page.locator("body").inner_text()
    assert "alerted" not in page.title()
    assert alerted == []
    assert len(visit.requests) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_difference_can_be_gone_to(visit: Visits, language: str) -> None:
    """The cell that differs first stands beside the words for it, and is a place in the page."""
    page = visit(f"stale-{language}.html", "#first-difference-padding")
    cell = page.locator("#first-difference-padding")
    assert visible(cell) == [True]
    assert cell.inner_text() == "10"
    beside = cell.locator("xpath=..").locator("td:last-child").inner_text()
    assert SAY[language]("state.stale") in beside
    assert SAY[language]("feedback.first") in beside


def test_both_sides_stand_beside_each_other(visit: Visits) -> None:
    """On a large screen the student's buffers are left of the reference's."""
    page = visit("stale-en.html")
    mine, theirs = (
        page.locator(f"figure.{side}").last.bounding_box() for side in ("mine", "right")
    )
    assert mine["y"] == theirs["y"]
    assert mine["x"] + mine["width"] <= theirs["x"]


def test_without_a_script(visit: Visits) -> None:
    """All of it is there without JavaScript, and no button that would do nothing."""
    page = visit("stale-en.html", java_script_enabled=False)
    assert page.locator("figure.mine").count() == 3
    assert visible_without_script(page) == 0


def visible_without_script(page) -> int:
    """How many buttons are drawn, told by their boxes, for no script can be asked."""
    return sum(button.bounding_box() is not None for button in page.locator("button").all())
