"""The hint pages as their readers meet them: opened from a file, in a real browser."""

import contextlib
import json
import re
from collections.abc import Sequence

import pytest
from browser import (
    EXERCISE_PAGES,
    PAGES,
    ROOT,
    SAY,
    Visits,
    choose_theme,
    code_choice,
    codes,
    hints,
    language_of,
    lay_out,
    open_hints,
    reload,
    settle,
    stop_clock,
    violations,
    visible,
    words,
)
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLate

from grader.exercise import Exercise
from grader.markdown import CJK

#: What the system asks for, and what the button says. Hues come from nothing else.
LOOKS = [("light", "auto"), ("dark", "auto"), ("dark", "light"), ("light", "dark")]

#: Axe's rules that look at colours.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]

#: All that the stylesheet draws with, as it comes out.
COLOURS = """() => {
    const style = getComputedStyle(document.documentElement);
    const names = [...document.styleSheets[0].cssRules].flatMap(
        rule => [...(rule.style ?? [])]).filter(name => name.startsWith("--"));
    const body = getComputedStyle(document.body);
    return [style.colorScheme, body.color, body.backgroundColor,
            ...names.map(name => name + style.getPropertyValue(name))];
}"""

#: The ids of what pages say. `player.said` is shown by the player itself.
KNOWN = [
    id
    for file in (ROOT / "grader/locale", ROOT / "exercises/p17/locale")
    for id in re.findall(
        r'^msgid "([a-z]+\.[a-z_.]+)"',
        "".join(p.read_text("utf-8") for p in file.rglob("en/*/*.po")),
        re.MULTILINE,
    )
]

pytestmark = pytest.mark.usefixtures("site")


# --- accessible to all ---------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_accessible(visit: Visits, name: str, scheme: str) -> None:
    """Axe finds nothing in a page as it opens, nor with all hints open."""
    page = visit(name, color_scheme=scheme)
    assert violations(page) == []
    if name in EXERCISE_PAGES:
        open_hints(page)
        assert violations(page) == []


@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", COLOUR_RULES)])
def test_every_step_is_accessible(visit: Visits, scheme: str, rules: Sequence[str]) -> None:
    """Axe finds nothing in any step of any variant, all of them shown at once."""
    page = visit("en/p17.html", color_scheme=scheme)
    lay_out(page)
    assert violations(page, only=rules, within=".player") == []


@pytest.mark.parametrize(("scheme", "theme"), LOOKS[2:])
@pytest.mark.parametrize("name", ["index.html", "en/index.html", "zh/p17.html"])
def test_accessible_in_a_chosen_theme(visit: Visits, name: str, scheme: str, theme: str) -> None:
    """A theme that was chosen against the system's is no harder to read: axe finds nothing."""
    page = visit(name, color_scheme=scheme)
    choose_theme(page, theme)
    assert violations(page, only=COLOUR_RULES) == []


@pytest.mark.parametrize("name", PAGES)
def test_theme(visit: Visits, name: str) -> None:
    """The button overrides the system's theme in every colour, and that is remembered."""
    page = visit(name)
    seen = {}
    for scheme, theme in LOOKS:
        page.emulate_media(color_scheme=scheme)
        choose_theme(page, theme)
        chosen = page.evaluate(COLOURS)
        reload(page)
        assert page.evaluate(COLOURS) == chosen
        seen[scheme, theme] = chosen
    light, dark, light_chosen, dark_chosen = (seen[look] for look in LOOKS)
    assert len(light) > 20
    assert not set(light) & set(dark)
    assert (light_chosen, dark_chosen) == (light, dark)


@pytest.mark.parametrize("opened", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("name", PAGES)
def test_tab(visit: Visits, name: str, opened: bool) -> None:
    """Tab leads once through all that can be used, from top to bottom, and shows where it is."""
    page = visit(name)
    if opened:
        open_hints(page)
    tab_through(page)


def test_tab_with_code_chosen(visit: Visits) -> None:
    """So it does whichever language code is shown in: what is not shown is not come to."""
    page = visit("en/p17.html")
    open_hints(page)
    code_choice(page).select_option("rust")
    reload(page)  # so that the focus is nowhere
    open_hints(page)
    assert {code for shown in shown_codes(page) for code in shown} == {"rust"}
    tab_through(page)


def tab_through(page: Page) -> None:
    """Press Tab until all of a page has been come to."""
    stops = page.evaluate("""() => {
        const all = "a[href], button, input, select, summary, [tabindex]";
        window.stops = [...document.querySelectorAll(all)].filter(one =>
            one.checkVisibility() && !(one.type === "radio" && !one.checked));
        return stops.length;
    }""")
    walked = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        at, outline, shown = page.evaluate("""() => {
            const one = document.activeElement, box = one.getBoundingClientRect();
            const style = getComputedStyle(one);
            const middle = [Math.max(box.left, 0) + 2, (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2];
            const seen = document.elementFromPoint(...middle);
            return [stops.indexOf(one), style.outlineStyle + " " + style.outlineWidth,
                    box.right > 0 && box.bottom > 0 && box.top < innerHeight && !!seen &&
                    (one.contains(seen) || seen.contains(one))];
        }""")
        walked.append(at)
        where = page.evaluate("at => stops[at]?.outerHTML.slice(0, 100)", at)
        assert outline == "solid 3px", where
        assert shown, where
    assert walked == list(range(stops))


def test_order_of_tab(visit: Visits) -> None:
    """Tools come first, then the contents, then each diagram's controls before its stage."""
    page = visit("en/p17.html", "#ex1-step=7")
    page.evaluate("document.activeElement.blur()")
    order = page.evaluate("""() => [
        ".skip", ".bar nav a", "[data-do=code]", "a.language", "[data-do=theme]", ".contents a",
        ...["ex1", "ex2"].flatMap(id => ["[data-do=first]", "[data-do=back]", "[data-do=play]",
            "[data-do=next]", "[type=range]", "[type=radio]", ".stage"].map(one => `#${id} ${one}`)),
        "#l1 > summary", "#l2 > summary", "#l3 > summary", "[data-hints=with]", "[data-hints=without]",
    ].map(one => {
        const all = [...document.querySelectorAll("*")];
        return all.indexOf(document.querySelector(one));
    })""")
    assert -1 not in order
    assert order == sorted(order)
    page.locator("#ex1 .stage").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#ex1 .steps > li.now .copy:visible")).to_be_focused()


def test_skip_link(visit: Visits) -> None:
    """The first stop of Tab leads past header and contents."""
    page = visit("en/p17.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_width(visit: Visits, name: str, width: int) -> None:
    """Nothing makes a page wider than the window: no hint, no step, no variant."""
    page = visit(name, viewport={"width": width, "height": 800})
    open_hints(page)
    wide = """() => {
        const too = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
        const found = too() ? ["all"] : [];
        for (const player of document.querySelectorAll(".player")) {
            const slider = player.querySelector("[type=range]");
            for (const radio of player.querySelectorAll("[type=radio]")) {
                radio.click();
                for (let step = 1; step <= slider.max; step++) {
                    slider.value = step;
                    slider.dispatchEvent(new Event("input", { bubbles: true }));
                    if (too()) found.push(`${player.id} ${radio.value} ${step}`);
                }
            }
        }
        return found;
    }"""
    assert page.evaluate(wide) == []
    lay_out(page)
    assert page.evaluate(wide) == []


# --- nothing but the file ------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_no_request(visit: Visits, name: str) -> None:
    """A page is one file: whatever is done in it, nothing else is asked for."""
    page = visit(name)
    asked: list[str] = []
    page.context.route("**/*", lambda route: (asked.append(route.request.url), route.continue_()))
    reload(page)
    open_hints(page)
    page.evaluate("window.print = () => {}")
    page.locator("button, input").evaluate_all("all => all.forEach(one => one.click())")
    for code in codes(page):
        code_choice(page).select_option(code)
    settle(page)
    assert asked == [visit.address(name)]
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("name", PAGES)
def test_policy(visit: Visits, name: str) -> None:
    """The page's policy lets its own script run, and neither another one nor a fetch."""
    page = visit(name)
    expect(page.locator("html.js")).to_have_count(1)
    blocked = page.evaluate("""async () => {
        const script = document.createElement("script");
        script.textContent = "window.intruder = true";
        document.body.append(script);
        const fetched = await fetch(location.href).then(() => true, () => false);
        return [window.intruder ?? false, fetched];
    }""")
    assert blocked == [False, False]
    settle(page)
    assert visit.faults
    assert all("Content Security Policy" in fault for fault in visit.faults)
    visit.faults.clear()


# --- sections, hints and links -------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_sections(visit: Visits, p17: Exercise, name: str) -> None:
    """Every section of the manifest is there, in order, in the page and in its contents."""
    page = visit(name)
    assert p17.manifest.pages is not None
    wanted = list(p17.manifest.pages.sections)
    found = page.locator("main > section, main > details")
    assert found.evaluate_all("all => all.map(one => one.id)") == wanted
    links = page.locator(".contents a")
    assert links.evaluate_all("all => all.map(one => one.hash)") == [f"#{id}" for id in wanted]
    assert [words(title) for title in links.all_inner_texts()] == [
        words(title) for title in found.locator("h2").all_inner_texts()
    ]


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_ids(visit: Visits, p17: Exercise, name: str) -> None:
    """Ids are unique, the same in every language, and every one that is linked or named exists."""
    page = visit(name)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(set(ids)) == len(ids)
    other = visit(next(one for one in EXERCISE_PAGES if one != name))
    assert ids == other.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    linked = page.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map(one => one.hash)")
    named = {check.hint for check in p17.manifest.checks}
    for file in (p17.folder / "checks").glob("*.py"):
        named |= set(re.findall(r'hint="([^"]+)"', file.read_text("utf-8")))
    assert len(named) > 5
    assert {id.removeprefix("#") for id in linked} | named <= set(ids)


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_hints(visit: Visits, name: str) -> None:
    """Hints are closed at first, open one by one by mouse or key, and stay so after a reload."""
    page = visit(name)
    assert hints(page) == {"l1": False, "l2": False, "l3": False}
    assert not any(visible(page.locator(".hint .inside")))
    page.locator("#l2 > summary").click()
    assert hints(page) == {"l1": False, "l2": True, "l3": False}
    page.locator("#l3 > summary").focus()
    page.keyboard.press("Enter")
    page.locator("#l2 > summary").focus()
    page.keyboard.press("Space")
    wanted = {"l1": False, "l2": False, "l3": True}
    assert hints(page) == wanted
    settle(page)  # an element tells that it was opened a little later
    reload(page)
    assert hints(page) == wanted
    assert visible(page.locator(".hint .inside")) == [False, False, True]


def in_view(page: Page, id: str) -> bool:
    """Whether an element is drawn within the window."""
    inside: bool = page.locator(f"#{id}").evaluate(
        "one => { const box = one.getBoundingClientRect();"
        " return one.checkVisibility() && box.top >= 0 && box.top < innerHeight; }"
    )
    return inside


@pytest.mark.parametrize(("id", "level"), [("l1-q3", "l1"), ("l2", "l2"), ("l3-a3", "l3")])
def test_address_opens_a_hint(visit: Visits, id: str, level: str) -> None:
    """An address that names a place in a hint opens that hint alone and goes there."""
    page = visit("zh/p17.html", f"#{id}")
    assert [level for level, is_open in hints(page).items() if is_open] == [level]
    assert in_view(page, id)


def test_questions_and_answers(visit: Visits) -> None:
    """Each question leads to its answer in a closed hint, and each answer back to its question."""
    page = visit("en/p17.html")
    open_hints(page)
    questions = page.locator("#l1 li[id^=l1-q]")
    count = questions.count()
    assert count > 5
    assert page.locator("#l3 li[id^=l3-a]").count() == count
    for number in (1, 3, count):
        reload(page)
        page.locator("details.hint").evaluate_all(
            "all => all.forEach(o => { o.open = o.id === 'l1'; })"
        )
        page.locator(f"#l1-q{number} a.answer").click()
        settle(page)
        assert in_view(page, f"l3-a{number}")
        asked = page.locator(f"#l1-q{number}").inner_text()
        assert words(page.locator(f"#l3-a{number} .asked").inner_text()).removesuffix(
            " ↑"
        ) in words(asked)
        page.locator(f"#l3-a{number} .asked a").last.click()
        settle(page)
        assert in_view(page, f"l1-q{number}")


# --- languages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fragment", ["", "#ex1-step=4", "#l3-a3", "#pitfalls"])
def test_other_language(visit: Visits, fragment: str) -> None:
    """The switch of language leads to the same place."""
    page = visit("en/p17.html", fragment)
    page.locator("a.language").click()
    expect(page).to_have_url(re.compile(r"/zh/p17.html"))
    at = page.evaluate("location.hash")
    if fragment.startswith("#ex1"):
        assert at == fragment
        assert visible(page.locator("#ex1 .steps > li")).index(True) == 3
    elif fragment:
        assert in_view(page, fragment[1:])
    else:
        assert (at, page.evaluate("scrollY")) == ("", 0)


def test_other_language_by_scrolling(visit: Visits) -> None:
    """The place is where one has scrolled to, or the diagram that is in view, whatever the address."""
    page = visit("en/p17.html", "#ex1-step=4")
    page.locator("#l2 > summary").click()
    page.locator("#l2-replay").evaluate("one => one.scrollIntoView()")
    page.locator("a.language").press("Enter")
    expect(page).to_have_url(re.compile(r"/zh/p17.html"))
    at = page.evaluate("document.getElementById(location.hash.slice(1))?.closest('.hint').id")
    assert at == "l2"
    assert in_view(page, "l2-replay")
    page.locator("#ex2 [data-do=next]").click()
    page.locator("#ex2").evaluate("one => one.scrollIntoView()")
    page.locator("a.language").press("Enter")
    expect(page).to_have_url(re.compile(r"/en/p17.html"))
    assert page.evaluate("location.hash") == "#ex2-step=2"


def test_language_is_remembered(visit: Visits) -> None:
    """The way in asks for a language once; from then on it leads to the one chosen last."""
    page = visit("index.html")
    settle(page)
    assert page.url == visit.address("index.html")
    page.locator("main a[data-language=en]").click()
    expect(page).to_have_url(re.compile(r"/en/index.html$"))
    assert leads_to(page, visit.address("index.html"), "/en/index.html")
    page.locator("main a").first.click()
    expect(page).to_have_url(re.compile(r"/en/p17.html$"))
    page.locator("a.language").click()
    expect(page).to_have_url(re.compile(r"/zh/p17.html$"))
    assert leads_to(page, visit.address("index.html"), "/zh/index.html")


def leads_to(page: Page, start: str, end: str) -> bool:
    """Whether one comes from one address to another; tried again for the reason that ``reload`` is."""
    for _ in range(5):
        page.goto(start)
        with contextlib.suppress(TooLate):
            page.wait_for_url(f"**{end}", timeout=2000)
            return True
    return False


# --- code in several languages -------------------------------------------------------------------


def shown_codes(page: Page) -> list[list[str]]:
    """The languages that each group of code is shown in, where all is laid out."""
    shown: list[list[str]] = page.locator(".codes").evaluate_all("""all => all.map(group =>
        [...group.children].filter(one => one.querySelector("pre").checkVisibility()).map(
            one => one.dataset.code))""")
    return shown


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_code(visit: Visits, name: str) -> None:
    """Code is shown in one language, Python at first, and everywhere in the one that is chosen."""
    page = visit(name)
    lay_out(page)
    choice = page.get_by_label(language_of(name)("page.code"))
    assert choice.locator("option").all_inner_texts()[:2] == ["Python", "C++"]
    known, groups = codes(page), page.locator(".codes").count()
    assert groups > 5
    assert known[0] == choice.input_value() == "python"
    assert shown_codes(page) == [["python"]] * groups
    texts = []
    for code in known:
        choice.select_option(code)
        assert shown_codes(page) == [[code]] * groups
        texts.append(page.locator(".codes pre:visible").all_inner_texts())
    assert all(len(set(told)) == len(known) for told in zip(*texts, strict=True))
    choice.select_option("python")
    assert shown_codes(page) == [["python"]] * groups
    assert not any(visible(page.locator(".codes summary")))


def test_code_by_keys(visit: Visits) -> None:
    """The language is chosen by keys, too, and the focus stays."""
    page = visit("en/p17.html")
    lay_out(page)
    choice = code_choice(page)
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert {*map(tuple, shown_codes(page))} == {("cpp",)}
    page.keyboard.press("End")
    assert {*map(tuple, shown_codes(page))} == {(codes(page)[-1],)}
    expect(choice).to_be_focused()


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_code_is_remembered(visit: Visits, name: str) -> None:
    """The language is kept when the page is loaded anew, and in the page of the other language."""
    page = visit(name)
    code_choice(page).select_option("rust")
    other = next(one for one in EXERCISE_PAGES if one != name)
    for _ in range(2):
        reload(page)
        lay_out(page)
        assert code_choice(page).input_value() == "rust"
        assert {*map(tuple, shown_codes(page))} == {("rust",)}
        page.locator("a.language").click()
        expect(page).to_have_url(re.compile(rf"/({name}|{other})"))
    assert page.evaluate("localStorage.getItem('grader.code')") == "rust"


def test_code_of_another_exercise(visit: Visits) -> None:
    """A language that was chosen elsewhere and is not here is as if none was; it stays chosen."""
    page = visit("en/p17.html")
    page.evaluate("localStorage.setItem('grader.code', 'cobol')")
    reload(page)
    lay_out(page)
    assert code_choice(page).input_value() == "python"
    assert {*map(tuple, shown_codes(page))} == {("python",)}
    assert page.evaluate("localStorage.getItem('grader.code')") == "cobol"


def test_code_without_storage(visit: Visits) -> None:
    """Where nothing can be remembered, the language can be chosen all the same."""
    refuse = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    page = visit("en/p17.html", before=refuse)
    lay_out(page)
    code_choice(page).select_option("java")
    assert {*map(tuple, shown_codes(page))} == {("java",)}


def test_code_that_is_not_in_the_language_chosen(visit: Visits) -> None:
    """What is not told in the language chosen is shown in the first that it is told in."""
    page = visit("en/p17.html")
    lay_out(page)
    page.locator(".codes [data-code=rust]").first.evaluate("one => one.remove()")
    code_choice(page).select_option("rust")
    first, *others = shown_codes(page)
    assert first == ["python"]
    assert {*map(tuple, others)} == {("rust",)}


@pytest.mark.parametrize(
    ("name", "scheme", "rules"),
    [("zh/p17.html", "light", ()), ("en/p17.html", "dark", COLOUR_RULES)],
)
def test_code_is_accessible(visit: Visits, name: str, scheme: str, rules: Sequence[str]) -> None:
    """Axe finds nothing in a page whichever language its code is shown in."""
    page = visit(name, color_scheme=scheme)
    open_hints(page)
    for code in codes(page):
        code_choice(page).select_option(code)
        assert violations(page, only=rules) == [], code


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_code_without_script(visit: Visits, name: str) -> None:
    """Without JavaScript the first language is open; the others are closed, named, and can be opened."""
    page = visit(name, java_script_enabled=False)
    for level in ("l1", "l2", "l3"):
        page.locator(f"#{level} > summary").click()
    groups = page.locator(".codes")
    assert shown_codes(page) == [["python"]] * groups.count()
    for group in groups.all():
        names = group.locator("summary")
        assert names.all_inner_texts()[:2] == ["C++", "Rust"]
        assert all(visible(names))
        # Nor do they look open where the hint around them is.
        assert (
            names.evaluate_all("all => all.map(one => getComputedStyle(one, '::before').content)")
            == ["none"] * names.count()
        )
    last = groups.last.locator("[data-code=rust]")
    last.locator("summary").click()
    assert shown_codes(page)[-1] == ["python", "rust"]
    last.locator("summary").press("Enter")
    assert shown_codes(page)[-1] == ["python"]


@pytest.mark.parametrize("code", ["python", "cpp"])
def test_code_on_paper(visit: Visits, code: str) -> None:
    """What is printed is code in the language chosen, and no more."""
    page = visit("en/p17.html")
    code_choice(page).select_option(code)
    lay_out(page)
    page.emulate_media(media="print")
    assert {*map(tuple, shown_codes(page))} == {(code,)}
    assert not any(visible(page.locator(".codes summary, .copy")))


def test_code_on_paper_without_script(visit: Visits) -> None:
    """Without JavaScript what is closed is not printed, and nor is its name; what is open is."""
    page = visit("en/p17.html", java_script_enabled=False)
    group = page.locator("#overview .codes")
    group.locator("[data-code=java] summary").click()
    page.emulate_media(media="print")
    assert visible(group.locator("> *")) == [
        code in ("python", "java")
        for code in group.locator("> *").evaluate_all("all => all.map(one => one.dataset.code)")
    ]
    assert shown_codes(page)[0] == ["python", "java"]


# --- copying -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_copy(visit: Visits, name: str) -> None:
    """Each block of code has a button that copies it, says so, and after a while says no more."""
    page = visit(name, permissions=["clipboard-read", "clipboard-write"])
    lay_out(page)
    say = language_of(name)
    stop_clock(page)
    blocks = page.locator(".code:visible")
    copied = set()
    for code in codes(page):
        code_choice(page).select_option(code)
        assert blocks.count() > 3
        for block in blocks.all():
            button = block.locator("button")
            button.press("Enter")
            expect(button).to_have_text(say("page.copied"))
            text = page.evaluate("navigator.clipboard.readText()")
            assert text == block.locator("code").text_content()
            copied.add(text)
            page.clock.run_for(2500)
            expect(button).to_have_text(say("page.copy"))
    assert copied == set(page.locator(".code code").all_text_contents())


@pytest.mark.parametrize("code", ["python", "java"])
def test_copy_without_clipboard(visit: Visits, code: str) -> None:
    """Where the clipboard is refused, the code is selected, and it is said what to press."""
    refuse = "if (navigator.clipboard) navigator.clipboard.writeText = () => Promise.reject(new Error('no'))"
    page = visit("en/p17.html", before=refuse)
    code_choice(page).select_option(code)
    block = page.locator("#overview .code:visible")
    block.locator("button").click()
    expect(block.locator("button")).to_have_text(SAY["en"]("page.selected"))
    selected = page.evaluate("getSelection().toString()")
    assert words(selected) == words(block.locator("code").inner_text())


# --- without a script, and on paper ----------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_without_script(visit: Visits, name: str) -> None:
    """Without JavaScript all steps and variants stand there as a list, and no dead control does."""
    page = visit(name, java_script_enabled=False)
    say = language_of(name)
    for what in (".steps > li", ".steps h4", ".said", "figure", "figcaption", ".player .setup"):
        assert len(visible(page.locator(what))) > 1, what
        assert all(visible(page.locator(what))), what
    for what in ("button", "input", "select", "output", "legend", ".js-only"):
        assert not any(visible(page.locator(what))), what
    # Nor is there one for those who listen.
    heard = page.locator("body").aria_snapshot()
    stage = say("player.stage", title="").strip()
    controls = ("- button", "- slider", "- radio", "- combobox", "- status")
    for text in (stage, say("player.keys"), *controls):
        assert text not in heard
    page.locator("#l1 > summary").click()
    assert hints(page) == {"l1": True, "l2": False, "l3": False}
    assert visible(page.locator("#l1 .inside")) == [True]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_print(visit: Visits, name: str, scheme: str) -> None:
    """On paper every step is there, what one presses is not, and ink is dark on white."""
    page = visit(name, color_scheme=scheme)
    choose_theme(page, scheme)
    page.locator("#l2 > summary").click()
    page.emulate_media(media="print")
    assert all(visible(page.locator(".steps > li, .said, figure.right")))
    for what in ("button", "input", "select", "nav", ".keys", ".language", "output"):
        assert not any(visible(page.locator(what))), what
    assert visible(page.locator(".hint .inside")) == [False, True, False]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    if (name, scheme) == ("en/p17.html", "dark"):
        assert violations(page, only=COLOUR_RULES) == []


@pytest.mark.parametrize("sudden", [False, True], ids=["later", "at once"])
@pytest.mark.parametrize("which", ["with", "without"])
def test_print_buttons(visit: Visits, which: str, sudden: bool) -> None:
    """One prints all hints, open, one none; afterwards they are as they were, and remembered so."""
    note = "window.shown = [...document.querySelectorAll('.hint')].map(one => one.open);"
    done = "dispatchEvent(new Event('afterprint'))"
    page = visit(
        "zh/p17.html", before=f"window.print = () => {{ {note} {done if sudden else ''} }}"
    )
    page.locator("#l2 > summary").click()
    settle(page)
    before = page.evaluate("JSON.stringify(localStorage)")
    assert json.loads(before) == {"grader.p17.l2": "open"}
    page.locator(f"[data-hints={which}]").click()
    assert page.evaluate("shown") == ([True] * 3 if which == "with" else [False, True, False])
    if not sudden:
        settle(page, 200)
        page.emulate_media(media="print")
        assert visible(page.locator(".hint")) == [which == "with"] * 3
        assert visible(page.locator(".hint .inside")) == [which == "with"] * 3
        page.evaluate(done)
    page.emulate_media(media="screen")
    settle(page, 200)
    assert hints(page) == {"l1": False, "l2": True, "l3": False}
    assert page.evaluate("JSON.stringify(localStorage)") == before
    page.emulate_media(media="print")
    assert visible(page.locator(".hint .inside")) == [False, True, False]
    page.emulate_media(media="screen")
    page.locator("#l1 > summary").click()
    settle(page)
    reload(page)
    assert hints(page) == {"l1": True, "l2": True, "l3": False}


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_text(visit: Visits, name: str) -> None:
    """No mark of Markdown, no unfilled placeholder and no id of a message is left in the text."""
    page = visit(name)
    lay_out(page)
    text = page.evaluate("""() => {
        const copy = document.documentElement.cloneNode(true);
        copy.querySelectorAll("code, pre, script, style").forEach(one => one.remove());
        return copy.textContent + [...copy.querySelectorAll("*")].flatMap(one =>
            [...one.attributes].map(at => at.value)).join("\\n");
    }""")
    assert not re.search(r"\*\*|__|[{}]|`", text)
    assert not [id for id in KNOWN if id in text]
    drawn = page.locator("body").inner_text()
    assert "**" not in drawn
    assert "undefined" not in drawn


@pytest.mark.parametrize("name", PAGES)
def test_no_blank_in_chinese(visit: Visits, name: str) -> None:
    """No blank stands between two Chinese characters, whatever marks one of them out."""
    page = visit(name)
    runs, blocks = page.evaluate("""() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), runs = [];
        while (walker.nextNode())
            if (!walker.currentNode.parentElement.closest("pre")) runs.push(walker.currentNode.data);
        return [runs, [...document.querySelectorAll("p, li, td, th, dd, dt, h1, h2, h3, h4, figcaption")]
            .filter(one => !one.querySelector("p, li, pre, table, button")).map(one => one.textContent)];
    }""")
    assert len(runs) > 3
    chinese = CJK.pattern
    blank = re.compile(rf"{chinese}\s+{chinese}")
    assert [text for text in (*runs, *blocks) if blank.search(text.strip())] == []
