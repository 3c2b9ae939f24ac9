"""The overview of a class as an instructor opens it: from a file, on any screen, sorted and searched."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from browser import SAY, Visits, complaints, violations, visible, visiting, words
from classroom import MANIFEST, class_of, entry, graded, in_error, overview_of
from playwright.sync_api import Browser, Locator, Page, expect

from grader.cohort.entry import Entry
from grader.i18n import LANGUAGES
from grader.message import Message
from grader.render.overview import overview_page
from grader.score import Outcome

HOSTILE = (
    "</td></table><script>alert(1)</script>",
    '"><img src=https://example.org/x onerror=alert(2)>',
    "\u202eright to left",
    "several\nlines\n" * 200,
    "x" * 10_000,
    "长" * 10_000,
    " ",
    "مريم",
    "👩🏽‍🚀",
)

#: A class of few, with a column's every kind of value.
FEW = (
    entry("9", graded(), "Ada", seconds=10.0),
    entry("10", graded(padding=Outcome.FAILED), "bo", seconds=2.5, handed_in=10),
    entry("100", graded(padding=Outcome.NOT_RUN, clone=Outcome.ERROR), "Cy", seconds=1.0, handed_in=2),
    entry("1", in_error("timeout"), "Émile", seconds=9.0),
    entry("20", in_error("grader"), "Zoë", seconds=0.5),
    entry("3", None, "di"),
)  # fmt: skip
LARGE = 2000


def hostile() -> list[Entry]:
    """Students whose every text is hostile."""
    return [
        entry(f"{text}{i}", score, text)
        for text in HOSTILE
        for i, score in enumerate((in_error("syntax", message=text), graded(), None))
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of overviews, one a kind of class and language."""
    folder = tmp_path_factory.mktemp("overview")
    classes: dict[str, tuple[Sequence[Entry], Sequence[str]]] = {
        "nobody": ((), ()),
        "few": (FEW, ()),
        "usual": (list(class_of(60)), ("usual.zip/__MACOSX/._a.py",)),
        "hostile": (hostile(), HOSTILE),
        "large": (list(class_of(LARGE)), ()),
    }
    for name, (entries, paths) in classes.items():
        overview = overview_of(entries)
        notes = [
            SimpleNamespace(path=path, kind=kind, message=Message("error.folder", {"file": path}))
            for path in paths
            for kind in ("taken", "passed_over", "refused")
        ]
        alike = [[one.student.id for one in entries[:3]]] if entries else []
        for language in LANGUAGES:
            with (folder / f"{name}-{language}.html").open("w", encoding="utf-8") as file:
                more = {"alike": alike, "notes": notes, "took_s": 60.0}
                file.writelines(overview_page(overview, SAY[language], **more))
    return folder


@pytest.fixture
def visit(browser: Browser, pages: Path) -> Iterator[Visits]:
    """Opens overviews."""
    with visiting(browser, pages) as visits:
        yield visits


def names(*classes: str) -> list[str]:
    """The files of some classes, in every language."""
    return [f"{name}-{language}.html" for name in classes for language in LANGUAGES]


def open_all(page: Page) -> None:
    """Open all that is folded."""
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")


# --- for all, on any screen ----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", names("nobody", "few", "usual", "hostile"))
def test_accessible(visit: Visits, name: str, scheme: str) -> None:
    """Axe finds nothing in a page as it opens, nor with all unfolded and sorted."""
    page = visit(name, color_scheme=scheme)
    assert violations(page) == []
    open_all(page)
    heads(page).first.locator("button").click()
    assert violations(page) == []


@pytest.mark.parametrize("name", names("nobody", "few", "usual", "hostile", "large"))
def test_width(visit: Visits, name: str) -> None:
    """No page scrolls sideways, on a phone or on a large screen, whatever students are called."""
    page = visit(name)
    open_all(page)
    for width in (320, 500, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0, width


def test_fits_on_a_large_screen(visit: Visits) -> None:
    """There is room for every column of the table of all students."""
    for name in names("usual", "large"):
        box = visit(name).locator(".tall")
        assert box.evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_a_row_stays_low(visit: Visits) -> None:
    """The longest name makes no row higher than a few lines."""
    page = visit("hostile-en.html", viewport={"width": 320, "height": 800})
    highest = page.locator(".all tbody tr").evaluate_all(
        "all => Math.max(...all.map(one => one.getBoundingClientRect().height))"
    )
    assert highest < 300


def test_valid(pages: Path) -> None:
    """HTML and CSS are valid, whatever a student put in."""
    said = complaints(sorted(pages.iterdir()))
    known = "Inline script violates Content Security Policy"  # one that is allowed by its hash
    assert [one for one in said if known not in one] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_strangers_text_is_text(visit: Visits, language: str) -> None:
    """A student's markup is shown as it was written; nothing of it runs or is fetched."""
    name = f"hostile-{language}.html"
    page = visit(name, before="window.alert = text => { document.title = 'alerted ' + text; }")
    open_all(page)
    heads(page).first.locator("button").click()
    assert "<script>alert(1)</script>" in page.locator("main").inner_text()
    assert "alerted" not in page.title()
    assert page.locator("img").count() == 0
    assert len(visit.requests) == 1


def test_wide_tables_scroll_by_key(visit: Visits) -> None:
    """On a phone a table that is wider than the screen is reached by Tab and moved by the arrows."""
    page = visit("usual-en.html", viewport={"width": 320, "height": 800})
    regions = page.locator(".wide")
    assert regions.count() == 5
    for region in regions.all():
        room = region.evaluate("one => one.scrollWidth - one.clientWidth")
        assert region.get_attribute("tabindex") == "0"
        if room > 0:
            region.focus()
            page.keyboard.press("ArrowRight")
            expect(region).not_to_have_js_property("scrollLeft", 0)


def test_figures_are_drawn_in_both_themes(visit: Visits) -> None:
    """Bars stand out from the paper, and the cells of a matrix from each other, light or dark."""
    for scheme in ("light", "dark"):
        page = visit("usual-en.html", color_scheme=scheme)
        colours = page.evaluate("""() => {
            const of = (where, what) => getComputedStyle(document.querySelector(where))[what];
            return [of("body", "backgroundColor"), of(".histogram rect", "fill"),
                of(".shade-1", "backgroundColor"), of(".shade-4", "backgroundColor")];
        }""")
        assert len(set(colours)) == 4


def test_print(visit: Visits) -> None:
    """On paper there are all students, and nothing that asks to be pressed."""
    page = visit("large-en.html")
    page.emulate_media(media="print")
    rows = page.locator(".all tbody tr")
    assert all(visible(rows))
    assert not any(visible(page.locator(".filter, [data-do=all], [data-do=theme]")))


# --- the table of all students -------------------------------------------------------------------


def heads(page: Page) -> Locator:
    """The heads of the table's columns."""
    return page.locator(".all thead th")


def column(page: Page, number: int) -> list[str]:
    """What stands in a column, from top to bottom."""
    script = "(all, i) => all.map(row => row.cells[i].textContent.trim())"
    found: list[str] = page.locator(".all tbody tr").evaluate_all(script, number)
    return found


@pytest.mark.parametrize(
    ("number", "up"),
    [
        (0, ["Ada", "bo", "Cy", "di", "Émile", "Zoë"]),
        (1, ["1", "3", "9", "10", "20", "100"]),
        (3, ["0", "0", "65", "85", "100", "–"]),
        (7, ["✓", "✗", "–", "", "", ""]),
        (9, ["0", "1", "1", "1", "2", "10"]),
        (10, ["0.5", "1.0", "2.5", "9.0", "10.0", "–"]),
    ],
    ids=["name", "id", "score", "check", "attempts", "time"],
)
def test_sorting(visit: Visits, number: int, up: Sequence[str]) -> None:
    """A press sorts a column, the next one the other way; nothing comes last whichever way."""
    page = visit("few-en.html")
    head = heads(page).nth(number)
    head.locator("button").click()
    assert column(page, number) == up
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.locator("button").click()
    something = [one for one in up if one not in ("", "–") or (one == "–" and number == 7)]
    assert column(page, number) == something[::-1] + up[len(something) :]
    expect(head).to_have_attribute("aria-sort", "descending")
    assert page.locator(".all [aria-sort]").count() == 1


def test_every_column_can_be_sorted(visit: Visits) -> None:
    """Each head is one button, named by what the head says; rows stay whole."""
    page = visit("usual-en.html")
    before = sorted(zip(*(column(page, i) for i in range(11)), strict=True))
    for head in heads(page).all():
        (button,) = head.locator("button").all()
        assert words(button.inner_text()) == words(head.inner_text())
        button.click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert page.locator(".all [aria-sort]").count() == 1
    assert sorted(zip(*(column(page, i) for i in range(11)), strict=True)) == before
    assert heads(page).count() == 6 + len(MANIFEST.checks)


def test_sorting_by_key_keeps_the_order_before(visit: Visits) -> None:
    """Rows that are alike stay as they were; the focus stays on the head."""
    page = visit("few-en.html")
    for number in (0, 9):
        heads(page).nth(number).locator("button").focus()
        page.keyboard.press("Enter")
    assert column(page, 0) == ["di", "Ada", "Émile", "Zoë", "Cy", "bo"]
    expect(heads(page).nth(9).locator("button")).to_be_focused()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ada", ["9"]),
        ("  ÉMILE ", ["1"]),
        ("10", ["10", "100"]),
        ("nobody", []),
        ("overview.missing", ["3"]),
        ("overview.kind.timeout", ["1"]),
    ],
)
def test_filtering(visit: Visits, typed: str, found: Sequence[str], language: str) -> None:
    """Names, ids and outcomes are looked through as one types, and what is found is counted."""
    say = SAY[language]
    page = visit(f"few-{language}.html")
    field = page.get_by_label(say("overview.filter"))
    field.fill(say(typed) if say.knows(typed) else typed)
    assert sorted(column(page, 1)) == sorted(found)
    said = say("overview.shown", shown=len(found), total=len(FEW))
    expect(page.locator("output")).to_have_text(said)
    field.fill("")
    assert len(column(page, 1)) == len(FEW)
    expect(page.locator("output")).to_have_text("")


def test_filter_and_order_go_together(visit: Visits) -> None:
    """What is found stays sorted, and sorting does not bring back what was not found."""
    page = visit("few-en.html")
    page.locator("#filter").fill("1")
    heads(page).nth(1).locator("button").click()
    assert column(page, 1) == ["1", "10", "100"]
    page.locator("#filter").fill("")
    assert column(page, 1) == ["1", "3", "9", "10", "20", "100"]


def test_head_stays_in_sight(visit: Visits) -> None:
    """Within the table's own region its head is there however far one scrolls."""
    page = visit("large-en.html")
    page.locator(".tall").evaluate("one => { one.scrollTop = 3000; }")
    box, head = page.locator(".tall").bounding_box(), heads(page).first.bounding_box()
    assert box
    assert head
    assert 0 <= head["y"] - box["y"] < 5


def test_a_large_class_is_drawn_in_part_until_asked(visit: Visits) -> None:
    """Three hundred rows of two thousand; filter and order reach them all; a button draws all."""
    page = visit("large-en.html")
    rows, button = page.locator(".all tbody tr"), page.locator("[data-do=all]")
    drawn: Callable[[], int] = lambda: rows.evaluate_all(  # noqa: E731
        "all => all.filter(one => one.checkVisibility()).length"
    )
    assert rows.count() == LARGE
    assert drawn() == 300
    heads(page).nth(1).locator("button").click()
    heads(page).nth(1).locator("button").click()
    assert column(page, 1)[0] == str(100_000 + 7 * (LARGE - 1))
    page.locator("#filter").fill("100007")
    assert column(page, 1) == ["100007"]
    assert visible(button) == [False]
    page.locator("#filter").fill("")
    button.click()
    assert drawn() == LARGE
    assert visible(button) == [False]


def test_links_lead_to_feedback(visit: Visits, pages: Path) -> None:
    """A name leads to the student's page in the folder beside."""
    page = visit("few-en.html")
    href = page.locator(".all tbody a", has_text="Ada").evaluate("one => one.href")
    assert href == (pages / "feedback" / "9.html").as_uri()
    assert page.locator(".all tbody a", has_text="di").count() == 0


@pytest.mark.parametrize("name", ["usual-en.html", "large-zh.html"])
def test_without_a_script(visit: Visits, name: str) -> None:
    """All students are there without JavaScript, and no control that would do nothing."""
    page = visit(name, java_script_enabled=False)
    wanted = 60 if name.startswith("usual") else LARGE
    assert page.locator(".all tbody tr").count() == wanted
    assert page.locator(".all tbody tr").last.bounding_box() is not None
    controls = page.locator("button, input").all()
    assert [one for one in controls if one.bounding_box() is not None] == []
