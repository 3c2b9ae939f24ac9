"""The overview of a class: its figures, and the page that shows them."""

import base64
import hashlib
import itertools
import math
import random
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Literal

import pytest
from classroom import MANIFEST, class_of, entry, graded, in_error, overview_of
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from grader.cohort.entry import Entry
from grader.cohort.overview import Overview
from grader.cohort.spread import of_durations, of_scores, percentile
from grader.i18n import LANGUAGES, Translator
from grader.message import Message
from grader.render.overview import overview_page
from grader.score import Outcome, Text
from grader.submission import Submission

FAILED, ERROR, NOT_RUN = Outcome.FAILED, Outcome.ERROR, Outcome.NOT_RUN

SAY = {id: Translator(id, ROOT / "exercises" / "p17") for id in LANGUAGES}

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "\u202egnp.exe",
    "two\nlines\tand more",
    "\x1b[31mred\x00",
    "\ud800",
    "x" * 10_000,
    "长" * 10_000,
    "\n" * 500,
    "{name} {0} %s {{ say }}",
    "👩🏽\u200d🚀",
    "../../etc/passwd",
    " ",
    "مريم",
)


def page_of(entries: Iterable[Entry], language: str = "en", **more: object) -> str:
    """The page of a class."""
    return "".join(overview_page(overview_of(entries), SAY[language], **more))


class Page(HTMLParser):
    """A page's elements, its links, and the text of each section and of the table's rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.sections: dict[str, str] = {}
        self.rows: list[list[str]] = []
        self._section, self._cells = "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag in ("section", "footer"):
            self._section = attributes.get("id", tag)
        if tag == "table":
            self._cells = (attributes.get("class") or "") == "all"
        if tag == "tr" and self._cells:
            self.rows.append([])
        if tag in ("th", "td") and self._cells:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        """Note where the table ends."""
        if tag == "table":
            self._cells = False

    def handle_data(self, data):
        """Note text."""
        self.sections[self._section] = self.sections.get(self._section, "") + data
        if self._cells and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def links(self) -> list[str]:
        """Where links lead."""
        return [attrs["href"] or "" for tag, attrs in self.tags if tag == "a"]

    def line(self, id: str) -> list[str]:
        """The row of a student."""
        (found,) = [row for row in self.rows[1:] if id in [cell.strip() for cell in row]]
        return [cell.strip() for cell in found]


# --- numbers in bins -----------------------------------------------------------------------------


@given(points=st.integers(1, 400), data=st.data())
def test_every_score_is_in_the_bin_that_says_so(points, data):
    """Bins of whole points, as wide as each other but for the last, hold every score once; full
    points have their own.
    """
    scores = data.draw(st.lists(st.integers(0, points), max_size=50))
    *below, full = of_scores(scores, points)
    assert (full.low, full.high, full.count) == (points, points, scores.count(points))
    assert [one.low for one in below] == [0, *[one.high for one in below[:-1]]]
    assert below[-1].high == points
    assert len(below) <= 10
    assert len({one.high - one.low for one in below[:-1]}) <= 1
    for one in below:
        assert one.count == sum(score in range(int(one.low), int(one.high)) for score in scores)
    assert sum(one.count for one in (*below, full)) == len(scores)


@given(seconds=st.lists(st.floats(0, 1e6), max_size=50))
def test_every_duration_is_in_the_bin_that_says_so(seconds):
    """Bins twice as wide as the one before hold every duration once; none at either end is empty."""
    bins = of_durations(seconds)
    assert sum(one.count for one in bins) == len(seconds)
    for one in bins:
        assert one.count == len([s for s in seconds if one.low <= s < one.high])
    assert all(one.high == 2 * one.low for one in bins if one.low)
    assert [one.high for one in bins[:-1]] == [one.low for one in bins[1:]]
    if seconds:
        assert bins[0].count
        assert bins[-1].count


@given(numbers=st.lists(st.integers(0, 20), min_size=1, max_size=60), percent=st.integers(1, 100))
def test_percentile(numbers, percent):
    """It is one of the numbers; so many percent do not exceed it, and of the next smaller fewer."""
    found = percentile(numbers, percent)
    assert found in numbers
    wanted = len(numbers) * percent / 100
    assert sum(one <= found for one in numbers) >= wanted
    assert sum(one < found for one in numbers) < wanted


# --- figures -------------------------------------------------------------------------------------

#: One student of every standing, and what a score must be made of to be counted or not.
CLASS = (
    entry("1", graded(), "Ada", seconds=2.0),
    entry("2", graded(padding=FAILED, clone=NOT_RUN), "Bo", seconds=4.0, handed_in=3),
    entry("3", graded(padding={"poison[nan]": FAILED}, no_recapture=ERROR), "Cy", seconds=1.0),
    entry("4", in_error("timeout"), "Di", seconds=9.0),
    entry("5", in_error("grader"), "Ed", seconds=0.5),
    entry("6", None, "Fu"),
)


def test_standings():
    """Students are counted by how they fared; who handed nothing in is missing, not in error."""
    wanted = {"passed": 1, "failed": 2, "error": 1, "ungraded": 1, "missing": 1}
    assert overview_of(CLASS).standings() == wanted


def test_faults():
    """What could not be graded is told by what was at fault, most of a kind first."""
    worker = Text(id="environment.worker")
    other = in_error("grader")
    other = other.model_copy(update={"error": other.error.model_copy(update={"message": worker})})
    class_ = [*CLASS, entry("7", other, "Gu"), entry("8", other, "Ha")]
    for order in (class_, class_[::-1]):
        faults = overview_of(order).faults()
        assert [one.told[0].message.id for one in faults] == [
            "environment.worker", "environment.server_gone",
        ]  # fmt: skip
        assert [[row.student.name for row in one.rows] for one in faults] == [["Gu", "Ha"], ["Ed"]]
    assert overview_of(CLASS[:2]).faults() == []


def test_scores_are_of_those_who_handed_in():
    """An error counts as 0; who handed nothing in, and what was not graded, do not count."""
    assert sorted(overview_of(CLASS).scores()) == [0, 65, 70, 100]


def test_checks_are_counted_where_they_were_judged():
    """A check that an error kept from being judged was not lost; one with nothing to judge was."""
    counts = {one.id: one for one in overview_of(CLASS).check_counts()}
    assert {id: one.lost for id, one in counts.items()} == {
        "padding": 2, "clone": 1, "no_recapture": 1, "parity": 0, "bucket_choice": 0,
    }  # fmt: skip
    assert counts["padding"].ended == {FAILED: 2, Outcome.PASSED: 1}
    assert counts["clone"].ended == {NOT_RUN: 1, Outcome.PASSED: 2}
    assert counts["no_recapture"].ended == {ERROR: 1, Outcome.PASSED: 2}
    assert next(iter(counts)) == "padding"


def test_cases_are_counted_where_they_failed():
    """A case that raised has failed; one with nothing to judge has not."""
    assert [(one.check, one.id, one.count) for one in overview_of(CLASS).case_counts()] == [
        ("padding", "poison[nan]", 2),
        ("no_recapture", "not_at_run_time", 1),
        ("no_recapture", "once_each", 1),
        ("padding", "after_larger_batch", 1),
    ]


def test_errors_are_told_by_their_kind():
    """A fault of ours is among them; handing nothing in is none."""
    found = overview_of(CLASS).errors()
    assert [(kind, [row.student.id for row in rows]) for kind, rows in found] == [
        ("grader", ["5"]),
        ("timeout", ["4"]),
    ]


OUTCOMES = st.sampled_from(Outcome)
SCORES = st.builds(
    graded, **dict.fromkeys((check.id for check in MANIFEST.checks), OUTCOMES)
) | st.sampled_from(["syntax", "timeout", "grader"]).map(in_error)


@given(scores=st.lists(SCORES | st.none(), max_size=12))
def test_what_was_lost_together(scores):
    """A pair of checks counts those who lost both, whichever comes first; a check itself, those who
    lost it.
    """
    pairs = overview_of(entry(str(i), one) for i, one in enumerate(scores)).lost_together()
    judged = [one for one in scores if one and one.error is None]
    for first, second in itertools.product([check.id for check in MANIFEST.checks], repeat=2):
        both = [
            one
            for one in judged
            if {check.status for check in one.checks if check.id in (first, second)}.isdisjoint(
                {Outcome.PASSED}
            )
        ]
        assert pairs[first, second] == len(both)


@given(scores=st.lists(SCORES | st.none(), max_size=12))
def test_groups_hold_all_who_failed_in_the_same_way(scores):
    """Two who failed are in one group just if the same cases failed them with the same messages, or
    the same error did; who passed, handed nothing in or was not graded is in none.
    """

    def way(one):
        if one.error:
            return one.error.kind
        return [
            (case.id, case.message and case.message.id)
            for check in one.checks
            for case in check.cases
        ]

    entries = [entry(str(i), one) for i, one in enumerate(scores)]
    failed = [one for one in entries if one.standing in ("failed", "error")]
    groups = [
        {row.student.id for row in group.rows} for group in overview_of(iter(entries)).groups()
    ]
    assert sorted(id for group in groups for id in group) == sorted(
        one.student.id for one in failed
    )
    for one, other in itertools.combinations(failed, 2):
        together = any({one.student.id, other.student.id} <= group for group in groups)
        assert together == (way(one.score) == way(other.score))
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)


def test_a_group_is_told_what_its_first_student_is_told():
    """Numbers in a message make no other group; those shown are of who comes first by name."""
    entries = [
        entry(name, in_error("timeout", doing=f"run of {name}"), name) for name in ("bo", "Ada")
    ]
    for order in (entries, entries[::-1]):
        (group,) = overview_of(order).groups()
        assert [told.message.params["doing"] for told in group.told] == ["run of Ada"]


def test_timeouts_of_two_sorts_are_two_groups():
    """Errors of one kind that are said in other words are not the same."""
    whole = in_error("timeout")
    message = whole.error.message.model_copy(update={"id": "error.timeout_grading"})
    error = whole.error.model_copy(update={"message": message})
    other = whole.model_copy(update={"error": error})
    groups = overview_of([entry("1", whole), entry("2", other)]).groups()
    assert [len(group.rows) for group in groups] == [1, 1]


def test_a_check_that_an_earlier_run_did_not_know_has_nothing_to_judge():
    """A score that was kept from before a check was added still counts."""
    score = graded(clone=FAILED)
    old = score.model_copy(update={"checks": score.checks[:-1]})
    counts = {one.id: one.ended for one in overview_of([entry("1", old)]).check_counts()}
    assert counts["no_recapture"] == {NOT_RUN: 1}
    assert counts["clone"] == {FAILED: 1}


def test_what_is_kept_of_a_student_is_small():
    """Scores of half a megabyte each, every one failing in a way of its own, leave a few thousand
    bytes behind.
    """
    overview = Overview(MANIFEST)
    count = 400

    def add(number: int) -> None:
        score = graded(clone=FAILED)
        cases = [
            case.model_copy(
                update={
                    "id": f"{case.id}-{number}",
                    "message": case.message
                    and case.message.model_copy(
                        update={"params": {"name": f"{number}" * 100_000, "bs": ["y" * 1000] * 500}}
                    ),
                }
            )
            for case in score.checks[2].cases
        ]
        check = score.checks[2].model_copy(update={"cases": cases, "message": cases[0].message})
        checks = [check if one.id == "clone" else one for one in score.checks]
        overview.add(entry(str(number), score.model_copy(update={"checks": checks})))

    add(0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(1, count):
        add(number)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(overview.groups()) == count
    assert kept / count < 20_000


# --- the page ------------------------------------------------------------------------------------


EMPTY = Message("error.empty")


@dataclass(frozen=True)
class Note:
    """What became of one thing in a download, as intake says it."""

    path: str
    kind: Literal["taken", "passed_over", "refused"]
    message: Message = EMPTY


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_at_a_glance(language):
    """How many there are, how they fared, and their scores."""
    say = SAY[language]
    text = Page(page_of(CLASS, language)).sections["figures"]
    figures = dict(re.findall(r"^(.+?)(\d[\d.]*)(?: \d+%|/100)?$", text.strip(), re.MULTILINE))
    assert figures == {
        say("overview.students"): "6",
        say("overview.handed_in"): "5",
        say("overview.missing"): "1",
        say("overview.passed"): "1",
        say("overview.failed"): "2",
        say("overview.error"): "1",
        say("overview.ungraded"): "1",
        say("overview.mean"): "58.8",  # of 100, 65, 70 and 0
        say("overview.median"): "67.5",
    }


def test_time_in_all_is_said_if_told():
    """Ninety seconds; an hour and a half in minutes."""
    say = SAY["en"]
    assert say("overview.took") not in page_of(CLASS)
    for seconds, said in ((90, say("overview.seconds", count=90)), (5400, say("overview.minutes", count=90))):  # fmt: skip
        text = Page(page_of(CLASS, took_s=seconds)).sections["figures"]
        assert say("overview.took") + said in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_student_has_a_row(language):
    """Name, id, how they fared, score, each check, attempts, and a link to their feedback."""
    say, page = SAY[language], Page(page_of(CLASS, language))
    assert page.line("2") == [
        "Bo", "2", say("overview.failed"), "65", "✓", "✓", "–", "✗", "✓", "3", "4.0",
    ]  # fmt: skip
    timeout = f"{say('overview.error')} · {say('overview.kind.timeout')}"
    assert page.line("4") == ["Di", "4", timeout, "0", *[""] * 5, "1", "9.0"]
    assert page.line("6") == ["Fu", "6", say("overview.missing"), "0", *[""] * 5, "0", "–"]
    assert page.line("5")[3] == "–"
    assert [row[0] for row in page.rows[1:]] == ["Ada", "Bo", "Cy", "Di", "Ed", "Fu"]


def test_links_lead_to_feedback():
    """Everyone who handed something in is linked by their file; who did not is not."""
    odd = [entry("Ada Lovelace", graded()), entry("<b>", graded(clone=FAILED)), entry("B/C")]
    page = Page(page_of([*CLASS, *odd]))
    there = {f"feedback/{one.student.file_stem}.html" for one in (*CLASS, *odd) if one.handed_in}
    assert {link for link in page.links if not link.startswith("#")} == there


def test_without_names_there_is_no_column_of_names():
    """Where nobody has told names, ids are what links are called by."""
    page = Page(page_of([entry("ada", graded())]))
    assert page.line("ada")[:2] == ["ada", SAY["en"]("overview.passed")]
    assert len(page.rows[0]) == len(page.rows[1])


def test_students_of_one_name_are_told_apart():
    """Lists name those with their id as well."""
    twins = [entry(id, graded(clone=FAILED), "Ada") for id in ("7", "8")]
    other = entry("9", graded(clone=FAILED), "Bo")
    text = Page(page_of([*twins, other])).sections["groups"]
    assert "Ada (7)" in text
    assert "Ada (8)" in text
    assert "Bo (9)" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_score_of_an_earlier_run_is_marked(language):
    """It is said how many there are, and each is marked."""
    kept = entry("7", graded(), "Gus", kept="environment.server_gone")
    page = Page(page_of([*CLASS, kept], language))
    assert page.line("7")[2] == f"{SAY[language]('overview.passed')} *"
    assert SAY[language]("overview.kept", count=1) in page.sections["figures"]
    assert "*" not in page_of(CLASS, language).partition("<main")[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_groups_are_told_with_their_students(language):
    """The largest group first, with its messages and names; those of one are counted."""
    say = SAY[language]
    entries = [
        *(entry(f"a{i}", in_error("syntax"), f"Ann {i}") for i in range(2)),
        *(entry(f"b{i}", graded(clone=FAILED), f"Bob {i}") for i in range(3)),
        entry("c", graded(padding=FAILED), "Cleo"),
    ]
    text = Page(page_of(entries, language)).sections["groups"]
    clone = say("clone.shares_static", name="static_out", bs=6)
    syntax = say("error.syntax", message="'(' was never closed")
    places = [text.index(part) for part in (clone, "Bob 0", "Bob 2", syntax, "Ann 0", "Ann 1")]
    assert places == sorted(places)
    assert say("overview.alone", count=1) in text
    assert "Cleo" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_look_alikes_are_no_verdict(language):
    """They are listed below the word that they are but a hint; an id that nobody has is shown."""
    say = SAY[language]
    assert "alike" not in Page(page_of(CLASS, language)).sections
    page = Page(page_of(CLASS, language, alike=[["1", "2", "unknown"]]))
    text = page.sections["alike"]
    assert text.index(say("overview.alike_note")) < text.index("Ada") < text.index("unknown")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_intake_met(language):
    """What is worth saying of anything is listed with its reason; of what was taken, how much."""
    say = SAY[language]
    notes = [
        Note("ada/p17.py", "taken"),
        Note("__MACOSX/._p17.py", "passed_over"),
        Note(
            "evil.zip", "refused", Message("error.unreadable", {"file": "evil.zip", "detail": "?"})
        ),
    ]
    text = Page(page_of(CLASS, language, notes=iter(notes), taken=7)).sections["files"]
    assert say("overview.taken", count=7) in text
    assert say("overview.noted", count=1) in text
    assert say("overview.refused", count=1) in text
    assert say("overview.passed_over", count=1) in text
    assert f"ada/p17.py {say('error.empty')}" in text
    assert f"__MACOSX/._p17.py {say('error.empty')}" in text
    assert f"evil.zip {say('error.unreadable', file='evil.zip', detail='?')}" in text


def test_long_lists_say_how_much_they_leave_out():
    """Two hundred files, fifty groups and twenty cases are listed; of the rest, how many."""
    say = SAY["en"]
    notes = [Note(f"file-{i}-", "refused") for i in range(1207)]
    alike = [[f"x{i}", f"y{i}"] for i in range(60)]
    page = Page(page_of(CLASS, notes=notes, alike=alike))
    assert len(re.findall(r"file-\d+-", page.sections["files"])) == 200
    assert say("overview.more", count=1007) in page.sections["files"]
    assert len(re.findall(r"x\d+", page.sections["alike"])) == 50
    assert say("overview.groups_more", groups=10, count=20) in page.sections["alike"]
    many = Page(page_of(_ways(60, in_each=3)))
    assert len(re.findall(r"bs=\d+", many.sections["groups"])) == 50
    assert say("overview.groups_more", groups=10, count=30) in many.sections["groups"]
    assert len(re.findall(r"clone\.case-\d+-", many.sections["checks"])) == 20
    assert say("overview.cases_more", count=40) in many.sections["checks"]


def _ways(count: int, in_each: int) -> Iterable[Entry]:
    """Students who fail in so many ways, each in a case of its own."""
    score = graded(clone=FAILED)
    for i in range(count):
        message = score.checks[2].message.model_copy(update={"params": {"bs": i, "name": "x"}})
        case = score.checks[2].cases[0].model_copy(update={"id": f"case-{i}-", "message": message})
        check = score.checks[2].model_copy(update={"cases": [case], "message": message})
        checks = [check if one.id == "clone" else one for one in score.checks]
        for j in range(in_each):
            yield entry(f"{i}-{j}", score.model_copy(update={"checks": checks}))


def test_a_large_group_names_all_its_students():
    """The first dozen at once, the rest when asked for."""
    page = page_of(entry(f"s{i:03}", graded(clone=FAILED)) for i in range(40))
    groups = page.partition('id="groups"')[2].partition("</section>")[0]
    at_once, _, more = groups.partition("<details")
    assert re.findall(r">(s\d+)<", at_once) == [f"s{i:03}" for i in range(12)]
    assert re.findall(r">(s\d+)<", more) == [f"s{i:03}" for i in range(12, 40)]
    assert SAY["en"]("overview.more_people", count=28) in more


@pytest.mark.parametrize("language", LANGUAGES)
def test_time_taken(language):
    """Median, 95th percentile, sum, and who took longest."""
    say = SAY[language]
    text = Page(page_of(CLASS, language)).sections["times"]
    for part in (
        say("overview.median_time") + say("overview.seconds", count=2.0),
        say("overview.most_time") + say("overview.seconds", count=9.0),
        say("overview.total_time") + say("overview.seconds", count=16.5),
    ):
        assert part in text
    places = [text.index(part) for part in ("Di", "Bo", "Ada", "Cy", "Ed")]
    assert places == sorted(places)
    assert "Fu" not in text


@pytest.mark.parametrize("id", ["scores", "times"])
def test_a_histogram_says_in_a_table_what_it_draws(id):
    """Every bar has its number, and the table has the same."""
    page = page_of(class_of(200)).partition(f'id="{id}"')[2].partition("</section>")[0]
    svg, _, table = page.partition("</svg>")
    drawn = re.findall(r"<rect [^>]*/><text [^>]*>(\d+)</text>", svg)
    told = re.findall(r'<td class="n">(\d+)</td>', table)
    assert [one for one in told if one != "0"] == drawn
    heights = [float(one) for one in re.findall(r'<rect [^>]*height="([\d.]+)"', svg)]
    for number, height in zip(drawn, heights, strict=True):
        assert math.isclose(height, 120 * int(number) / max(map(int, drawn)), abs_tol=0.06)
    assert re.search(r'<svg role="img" aria-labelledby="(\S+) (\S+)"', svg)
    assert re.search(r"<title id=.*</title>\s*<desc id=.*</desc>", svg)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "entries",
    [(), CLASS[:1], CLASS[3:4], CLASS[4:5], CLASS[5:]],
    ids=["nobody", "passed", "error", "ungraded", "missing"],
)
def test_sections_are_there_where_there_is_something_to_say(entries, language):
    """A class without anyone, or of one kind alone, has a page whose contents are what there is."""
    page = Page(page_of(entries, language))
    linked = [link[1:] for link in page.links if link.startswith("#") and link != "#main"]
    assert linked == [attrs["id"] for tag, attrs in page.tags if tag == "section"]
    assert {"figures", "students"} <= set(linked)
    assert ("scores" in linked) == bool(overview_of(entries).scores())
    assert len(page.rows) == 1 + len(entries)


@pytest.mark.parametrize("language", LANGUAGES)
def test_kinds_of_errors_have_names(language):
    """Every kind that docs/score.md knows is put into words; one that is new keeps its own."""
    text = (ROOT / "docs" / "score.md").read_text("utf-8")
    kinds = re.findall(
        r"`(\w+)`", text.partition("`error.kind`:")[2].partition("where the status")[0]
    )
    assert {"timeout", "syntax", "grader"} <= set(kinds)
    assert [kind for kind in kinds if not SAY[language].knows(f"overview.kind.{kind}")] == []
    score = in_error("timeout")
    error = score.error.model_copy(update={"kind": "brand_new"})
    page = page_of([entry("1", score.model_copy(update={"error": error}))], language)
    assert "brand_new" in page


def test_what_was_really_graded(p17, p17_grader):
    """Scores of real submissions are shown: who fails in the same way stands together."""

    def grade(name: str):
        path = p17.folder / "wrong" / f"{name}.py"
        return p17_grader.grade(Submission(path.name, "python", path.read_bytes()), seed=1)

    padding, crash = grade("padding_never_zeroed"), grade("choice_crash_above_largest")
    syntax = p17_grader.grade(Submission("my.py", "python", b"class ("), seed=1)
    entries = [
        entry("ada", padding), entry("bo", padding), entry("cy", crash), entry("di", syntax), entry("ed"),
    ]  # fmt: skip
    overview = overview_of(entries)
    assert [[row.student.id for row in group.rows] for group in overview.groups()] == [
        ["ada", "bo"], ["cy"], ["di"],
    ]  # fmt: skip
    assert {one.id: one.lost for one in overview.check_counts() if one.lost} == {
        "padding": 2, "parity": 1, "bucket_choice": 1,
    }  # fmt: skip
    for language in LANGUAGES:
        page = Page("".join(overview_page(overview, SAY[language])))
        assert SAY[language].text(padding.checks[3].message) in page.sections["groups"]
        assert page.line("cy")[3:8] == ["!", "!", "✓", "✓", "✓"]


# --- the same bytes ------------------------------------------------------------------------------


@given(seed=st.integers(0, 1000))
def test_the_order_of_entries_does_not_matter(seed):
    """Submissions that are done in another order make the same page, byte for byte."""
    entries = [*CLASS, *class_of(20, seed)]
    shuffled = random.Random(seed).sample(entries, len(entries))
    assert page_of(shuffled) == page_of(entries)


def test_times_are_in_places_of_their_own():
    """Grading again, which takes longer or shorter, changes but the section and column of times."""

    def without_times(seed: int) -> str:
        rng = random.Random(seed)
        entries = [
            one.model_copy(
                update={"score": one.score.model_copy(update={"duration_s": rng.uniform(0, 70)})}
            )
            for one in class_of(60)
        ]
        page = page_of(entries)
        page = re.sub(r'<section id="times".*?</section>', "", page, flags=re.DOTALL)
        return re.sub(r"<td>[\d.]+\n", "", page)

    assert without_times(1) == without_times(2)


def test_a_large_class_is_of_a_few_megabytes():
    """Ten thousand students take less than three."""
    assert len(page_of(class_of(10_000), "zh").encode()) < 3_000_000


def test_it_comes_in_pieces():
    """The table of all students is never whole in memory: no piece holds more than a part of it."""
    rows = [piece.count("<tr>") for piece in overview_page(overview_of(class_of(3000)), SAY["en"])]
    assert sum(rows) > 3000
    assert max(rows) < 300


# --- one file, and strangers' text in it ---------------------------------------------------------


def test_only_our_own_script_may_run():
    """There is one script, the page's own in it, and its hash is what the policy names."""
    page = page_of(CLASS)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert "toLowerCase" in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert f"script-src 'sha256-{digest}'" in policy.replace("&#39;", "'").replace("&#43;", "+")
    assert "default-src 'none'" in policy


def _hostile() -> Sequence[Entry]:
    """Students whose every text is hostile, in each standing."""
    entries = []
    for text in HOSTILE:
        syntax = in_error("syntax", message=text * 3)
        raised = in_error("import", type=text, message=[text] * 50)
        scores = (syntax, raised, graded(clone=FAILED), None)
        for i, score in enumerate(scores):
            entries.append(entry(f"{text}{i}" if i else text, score, text if i % 2 else ""))
    return entries


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_a_student_becomes_markup(language):
    """Text is text: no element, no attribute and no control character comes of it, and what is long
    is cut where it says so.
    """
    notes = [Note(text, kind, Message("error.unreadable", {"file": text, "detail": text}))
             for text in HOSTILE for kind in ("refused", "passed_over", "taken")]  # fmt: skip
    text = page_of(_hostile(), language, alike=[HOSTILE], notes=notes)
    text.encode("utf-8")
    page = Page(text)
    tags = Counter(tag for tag, _ in page.tags)
    assert tags["script"] == 1
    assert tags["img"] == 0
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    told = "".join(page.sections.values())
    assert not set(told) & set("\u202e\x1b\x00\ud800\u200d")
    assert "x" * 61 not in "".join(cell for row in page.rows for cell in row)
    assert "x" * 60 + "…" in told
    assert "x" * 601 not in told
    assert len(text) < 400_000
    for link in page.links:
        assert re.fullmatch(r"#[a-z]+|feedback/[a-z0-9_-]+\.html", link)
    assert all(cells[0].strip() for cells in page.rows)


@given(name=st.text(max_size=80), id=st.text(max_size=80))
def test_any_name_fits_in_a_cell(name, id):
    """A row has as many cells as the table has columns, whatever a student is called."""
    page = Page(page_of([entry(id, graded(clone=FAILED), name)]))
    assert len(page.rows) == 2
    assert len(page.rows[0]) == len(page.rows[1])
    assert page.rows[1][0].strip()
