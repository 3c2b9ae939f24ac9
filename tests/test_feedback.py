"""Feedback pages: a score as a page, the student's buffers beside the reference's."""

import base64
import hashlib
import json
import re
from functools import cache
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import runner

from grader.i18n import LANGUAGES, Translator
from grader.render.feedback import feedback_page
from grader.score import Score, Status, Text
from grader.submission import Submission

ATTACK = "</code></pre><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u202e\x1b[31m"


class Page(HTMLParser):
    """A page's elements, with the text of the whole."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Note text."""
        self.text += data

    def with_class(self, name: str) -> int:
        """How many elements are of a class."""
        return sum(name in (attrs.get("class") or "").split() for _, attrs in self.tags)


@pytest.fixture(scope="module")
def grade(p17, p17_grader):
    """Grades a wrong solution by its name, once, or a submission."""

    @cache
    def by_name(name: str) -> Score:
        path = p17.folder / "wrong" / f"{name}.py"
        return p17_grader.grade(Submission(path.name, "python", path.read_bytes()), seed=1)

    def grade(what: str | Submission) -> Score:
        return by_name(what) if isinstance(what, str) else p17_grader.grade(what, seed=1)

    return grade


@pytest.fixture
def page(p17, grade):
    """The feedback on a submission, in a language."""

    def make(what, language: str = "en") -> Page:
        score = what if isinstance(what, Score) else grade(what)
        return Page(feedback_page(score, Translator(language, p17.folder), hints=True))

    return make


def drawings(score: Score) -> dict[str, object]:
    """Check -> the drawing of its failure."""
    return {
        check.id: case.evidence.drawing
        for check in score.checks
        for case in check.cases
        if case.evidence and case.evidence.drawing
    }


# --- what a score has to be drawn -----------------------------------------------------------------


def test_one_drawing_a_failed_check(grade):
    """Of every check that failed, the first case is drawn, which is the one that is shown."""
    score = grade("pretended_never_replays")
    assert drawings(score).keys() == {c.id for c in score.checks if c.status == "failed"}
    drawn = [
        case for c in score.checks for case in c.cases if case.evidence and case.evidence.drawing
    ]
    assert len(drawn) == len(drawings(score))
    for check in score.checks:
        first = next((case for case in check.cases if case.status == "failed"), None)
        assert not first or first.evidence.drawing


def test_the_last_call_drawn_is_the_one_that_failed(grade):
    """The calls drawn are the last of those listed, on both sides."""
    score = grade("padding_never_zeroed")
    case = next(case for case in score.checks[3].cases if case.status == "failed")
    drawing = case.evidence.drawing
    for side in (drawing.mine, drawing.reference):
        assert [frame.call for frame in side] == list(case.evidence.calls)[-3:]


def test_the_difference_is_the_row_that_the_message_names(grade):
    """The first row that is marked in the input is the one that was found not to be zero."""
    score = grade("padding_never_zeroed")
    drawing = drawings(score)["padding"]
    marked = [row.first for row in drawing.mine[-1].buffers[0].rows if row.differs]
    assert marked[0] == score.checks[3].message.params["row"]


def test_nothing_is_drawn_where_nothing_failed(p17, p17_grader, reference):
    """A full score is as small as it was."""
    assert not drawings(p17_grader.grade(reference, seed=1))


def test_a_score_is_read_back_as_it_was(grade):
    """What goes without saying is left out of the JSON, and means what it said."""
    score = grade("choice_strictly_greater")
    again = Score.model_validate_json(score.to_json())
    assert again.model_dump(mode="json") == score.model_dump(mode="json")
    assert drawings(again)["bucket_choice"] is not None


@given(texts=st.lists(st.text(alphabet='["],\\\n {}ab0-', max_size=12), max_size=4))
def test_json_on_fewer_lines_is_the_same_json(grade, texts):
    """Whatever a text holds, the layout of the JSON changes nothing of it."""
    score = grade("padding_never_zeroed")
    score = score.model_copy(update={"advice": [Text(id=t, params={"all": texts}) for t in texts]})
    assert json.loads(score.to_json()) == json.loads(json.dumps(score.model_dump(mode="json")))


def test_what_was_seen_never_reads_like_what_was_expected(p17, p17_grader):
    """A difference in the last places is shown to all of them."""
    path = p17.folder / "wrong" / "shape_result_rounded.py"
    submission = Submission(path.name, "python", path.read_bytes())
    for seed in (1, 2, 3):
        for check in p17_grader.grade(submission, seed=seed).checks:
            for case in check.cases:
                told = case.evidence
                assert not told or told.seen is None or told.seen != told.expected


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_page_says(page, grade, p17, language):
    """Points, every check, the message, seen and expected, the calls, and where to read on."""
    score = grade("padding_never_zeroed")
    say = Translator(language, p17.folder)
    text = page(score, language).text
    case = next(case for case in score.checks[3].cases if case.status == "failed")
    for part in (
        say("terminal.total", score=85.0, max=100.0),
        *(say(f"check.{check.id}") for check in score.checks),
        say.text(score.checks[3].message),
        case.evidence.seen,
        case.evidence.expected,
        *case.evidence.calls,
        say("hint.l1-q3"),
        "./check.sh hint p17 1",
    ):
        assert part in text


def test_one_cell_is_the_first_difference(page):
    """Of all cells of a check that differ one is marked as the first."""
    seen = page("padding_never_zeroed")
    assert seen.with_class("first") == 1
    assert seen.with_class("differs") > 1
    assert Translator("en")("feedback.first") in seen.text


def test_both_sides_are_drawn(page):
    """As many frames of the reference as of the student."""
    seen = page("padding_never_zeroed")
    assert seen.with_class("mine") == seen.with_class("right") == 3


def test_a_rewritten_result_is_told(page, grade):
    """A view: the page says where the result lives."""
    say = Translator("en")
    assert say("frame.alias", buffer="static_out") in page("aliasing_returns_view").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_score(page, p17_grader, reference, language):
    """Nothing failed: no drawing, and that all passed."""
    seen = page(p17_grader.grade(reference, seed=1), language)
    assert Translator(language)("feedback.all_passed") in seen.text
    assert not seen.with_class("frame")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_submission_that_cannot_be_graded(page, language):
    """The error, the student's own line, and what to do about it."""
    score_page = page(
        Submission("my.py", "python", b"import os\n\nclass GraphRunner(:\n"), language
    )
    assert "my.py:3" in score_page.text
    assert "class GraphRunner(:" in score_page.text
    say = Translator(language)
    assert say("error.syntax.next").split("{")[0].strip()[:8] in score_page.text


def test_a_fault_of_ours_is_no_zero(page, p17_grader, grade):
    """What was not graded has no points."""
    score = grade("padding_never_zeroed").model_copy(
        update={"status": Status.UNGRADED, "score": None, "checks": []}
    )
    text = page(score).text
    assert Translator("en")("terminal.no_score") in text
    assert "0/100" not in text


# --- strangers' text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "submission",
    [
        runner(f"raise ValueError({ATTACK!r})"),
        runner(f"print({ATTACK!r}); import sys; print({ATTACK!r}, file=sys.stderr); return x"),
        runner("return x", init=f"self.stats = {{{ATTACK!r}: {ATTACK!r}, 'replays': 0}}"),
        runner("return x", init=f"self.static_in = type({ATTACK!r}, (), {{}})()"),
        runner(f"raise type({ATTACK!r}, (Exception,), {{}})('x')"),
        Submission(f"{ATTACK}.py".replace("/", "|"), "python", b"1 / 0"),
        Submission("my.py", "python", f"raise ValueError({ATTACK!r}) # {ATTACK}".encode()),
    ],
    ids=["exception", "output", "stats", "type", "exception_type", "file_name", "code"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_a_student_becomes_markup(page, submission, language):
    """Text is text: no element, no attribute and no control character comes of it."""
    seen = page(submission, language)
    names = [tag for tag, _ in seen.tags]
    assert names.count("script") == 1
    assert "img" not in names
    assert not [name for _, attrs in seen.tags for name in attrs if name.startswith("on")]
    assert "\u202e" not in seen.text
    assert "\x1b" not in seen.text


def test_only_our_own_script_may_run(p17, grade):
    """The page's policy names its script by its hash, and allows nothing to be fetched."""
    text = feedback_page(grade("padding_never_zeroed"), Translator("en", p17.folder), hints=True)
    (policy,) = (
        attrs["content"]
        for tag, attrs in Page(text).tags
        if (tag, attrs.get("http-equiv")) == ("meta", "Content-Security-Policy")
    )
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = [rule.strip() for rule in policy.split(";")]
    assert "default-src 'none'" in rules
    assert f"script-src 'sha256-{digest}'" in rules
