"""The step diagrams as players: what keys, buttons, the slider and the address do."""

import pytest
from browser import (
    EXERCISE_PAGES,
    SAY,
    Player,
    Visits,
    code_choice,
    codes,
    language_of,
    reload,
    stop_clock,
    visible,
    words,
)
from playwright.sync_api import Page, expect

#: What the browser is told about a page that is put behind another one.
HIDE = """
Object.defineProperty(document, "hidden", { get: () => true });
document.dispatchEvent(new Event("visibilitychange"));
"""

#: Milliseconds from one step to the next.
BEAT = 2500


# --- steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_first_step(visit: Visits, name: str) -> None:
    """At first only the first step is shown, the reference alone, with the controls."""
    page = visit(name)
    for id, count in (("ex1", 7), ("ex2", 6)):
        player = Player(page, id)
        assert player.step == 1
        assert player.steps.count() == count
        assert player.root.locator("output").inner_text() == f"1 / {count}"
        assert visible(player.root.locator(".controls, .compare, .keys")) == [True] * 3
        assert not any(visible(player.root.locator("figure.variant")))
        assert visible(player.root.locator(".now .right table")) == [True, True]
    assert page.evaluate("location.hash") == ""


@pytest.mark.parametrize("where", [".stage", "[data-do=next]", "[data-do=play]", "[data-do=back]"])
def test_keys(visit: Visits, where: str) -> None:
    """With the focus on the stage or a button, arrows go by a step, Home and End to the ends."""
    page = visit("en/p17.html")
    player = Player(page)
    player.root.locator(where).focus()
    top = page.evaluate("scrollY")
    for key, step in (
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", 7),
        ("ArrowRight", 7),
        ("Home", 1),
        ("ArrowLeft", 1),
        ("ArrowRight", 2),
    ):
        page.keyboard.press(key)
        assert player.step == step, key
        assert player.hash == f"#ex1-step={step}"
    assert page.evaluate("scrollY") == top  # the keys did nothing else
    assert Player(page, "ex2").step == 1


@pytest.mark.parametrize(
    "where",
    [
        "body",
        ".contents a >> nth=0",
        "#l1 > summary",
        "#overview .code:visible button",
        "#overview pre:visible",
        "[data-do=code]",
        "#ex2 .stage",
        "#ex1 [type=radio] >> nth=0",
        "[data-do=theme]",
    ],
)
def test_keys_elsewhere(visit: Visits, where: str) -> None:
    """With the focus elsewhere, keys do what they do in any page, and the step stays."""
    page = visit("en/p17.html")
    stop_clock(page)
    player = Player(page)
    if where != "body":
        page.locator(where).focus()
    for key in ("ArrowRight", "End", "ArrowDown", "Space"):
        page.keyboard.press(key)
        page.clock.run_for(2 * BEAT)
        assert player.step == 1, key


def test_keys_with_others(visit: Visits) -> None:
    """Keys held together with Ctrl, Alt or Meta are the browser's, such as Alt and an arrow."""
    page = visit("en/p17.html")
    page.evaluate(
        "addEventListener('keydown', (event) => { window.kept = !event.defaultPrevented; })"
    )
    player = Player(page)
    player.stage.focus()
    for key in ("Control+ArrowRight", "Control+End", "Meta+ArrowRight"):
        page.keyboard.press(key)
        assert player.step == 1
        assert page.evaluate("kept")


def test_code_in_the_stage(visit: Visits) -> None:
    """Code in a step scrolls by its own keys, and its button copies: the step stays."""
    page = visit("en/p17.html", "#ex1-step=7", permissions=["clipboard-write"])
    player = Player(page)
    for code in codes(page):
        code_choice(page).select_option(code)
        player.root.locator(".now pre:visible").focus()
        page.keyboard.press("ArrowLeft")
        button = player.root.locator(".now .copy:visible")
        button.focus()
        page.keyboard.press("Space")
        expect(button).to_have_text(SAY["en"]("page.copied"))
        assert player.step == 7


def test_buttons(visit: Visits) -> None:
    """The buttons go to the next step, the one before and the first, by mouse or by key."""
    page = visit("en/p17.html")
    player = Player(page)
    player.does("next").click()
    player.does("next").press("Enter")
    player.does("next").press("Space")
    assert player.step == 4
    player.does("back").click()
    assert player.step == 3
    player.does("first").press("Enter")
    assert player.step == 1


def test_focus_stays_at_the_ends(visit: Visits) -> None:
    """Whoever presses a button on to the end keeps the focus, and goes on from there by keys."""
    page = visit("en/p17.html")
    player = Player(page)
    for what, end, key, step in (("next", 7, "ArrowLeft", 6), ("back", 1, "ArrowRight", 2)):
        player.does(what).focus()
        for _ in range(9):
            page.keyboard.press("Enter")
        assert player.step == end
        expect(player.does(what)).to_be_focused()
        expect(player.does(what)).to_have_attribute("aria-disabled", "true")
        page.keyboard.press(key)
        assert player.step == step
        expect(player.does(what)).to_have_attribute("aria-disabled", "false")


def test_slider(visit: Visits) -> None:
    """The slider goes to any step, by its own keys or by mouse, and says which step it is at."""
    page = visit("en/p17.html")
    player = Player(page)
    player.slider.focus()
    for key, step in (("ArrowRight", 2), ("End", 7), ("ArrowLeft", 6), ("Home", 1), ("ArrowUp", 2)):
        page.keyboard.press(key)
        assert player.step == step
        assert player.hash == f"#ex1-step={step}"
    title = words(player.root.locator(".now h4").inner_text())
    expect(player.slider).to_have_attribute("aria-valuetext", f"2 / 7: {title}")
    box = player.slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert player.step == 4


# --- the address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fragment", "step"),
    [("#ex1-step=4", 4), ("#ex1-step-4", 4), ("#ex1-step=99", 7), ("#ex1-step=0", 1), ("#ex1", 1)],
)
def test_address_opens_a_step(visit: Visits, fragment: str, step: int) -> None:
    """An address that names a step opens it, at the player; one too far opens the last."""
    page = visit("zh/p17.html", fragment)
    assert Player(page).step == step
    assert Player(page, "ex2").step == 1
    top = page.evaluate("document.querySelector('#ex1 .now').getBoundingClientRect().top")
    assert 0 <= top < 600


def test_address_follows(visit: Visits) -> None:
    """The address follows the step, and follows no history: back leaves the page."""
    page = visit("en/index.html")
    page.goto(visit.address("en/p17.html"))
    length = page.evaluate("history.length")
    player = Player(page)
    player.stage.focus()
    for key in ("ArrowRight", "ArrowRight", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
        assert player.hash == f"#ex1-step={player.step}"
    assert page.evaluate("history.length") == length
    reload(page)
    assert player.step == 2
    page.go_back()
    assert page.url == visit.address("en/index.html")


def test_address_changed(visit: Visits) -> None:
    """Another step in the address is gone to without a reload."""
    page = visit("en/p17.html", "#ex1-step=4")
    page.evaluate("location.hash = '#ex1-step=2'")
    expect(page.locator("#ex1-step-2")).to_be_visible()
    assert Player(page).step == 2


# --- playing -------------------------------------------------------------------------------------


def playing(page: Page) -> bool:
    """Whether the button offers to pause."""
    text = Player(page).does("play").inner_text()
    assert text in (SAY["en"]("player.play"), SAY["en"]("player.pause"))
    return text == SAY["en"]("player.pause")


@pytest.mark.parametrize("by", ["mouse", "key", "stage"])
def test_play(visit: Visits, by: str) -> None:
    """Playing goes a step every 2.5 seconds, to the end, and begins anew from there."""
    page = visit("en/p17.html")
    stop_clock(page)
    player = Player(page)

    def press() -> None:
        if by == "mouse":
            player.does("play").click()
        else:
            (player.stage if by == "stage" else player.does("play")).press("Space")

    assert not playing(page)
    page.clock.run_for(4 * BEAT)
    assert player.step == 1  # nothing plays by itself
    press()
    assert playing(page)
    page.clock.run_for(BEAT - 100)
    assert player.step == 1
    page.clock.run_for(200)
    assert player.step == 2
    press()
    assert not playing(page)
    page.clock.run_for(4 * BEAT)
    assert player.step == 2
    press()
    page.clock.run_for(5 * BEAT)
    assert player.step == 7
    assert not playing(page)
    page.clock.run_for(2 * BEAT)
    assert player.step == 7
    press()
    assert (player.step, playing(page)) == (1, True)


@pytest.mark.parametrize("what", ["hidden", "next", "slider", "stage"])
def test_pause(visit: Visits, what: str) -> None:
    """Playing ends when the page is hidden, and when one goes to a step oneself."""
    page = visit("en/p17.html")
    stop_clock(page)
    player = Player(page)
    player.does("play").click()
    page.clock.run_for(BEAT)
    if what == "hidden":
        page.evaluate(HIDE)
    elif what == "next":
        player.does("next").click()
    else:
        (player.slider if what == "slider" else player.stage).press("ArrowRight")
    assert not playing(page)
    step = player.step
    assert step == (2 if what == "hidden" else 3)
    page.clock.run_for(4 * BEAT)
    assert player.step == step


def test_reduced_motion(visit: Visits) -> None:
    """Who wants less motion gets no button that plays, no key that does, and no transition."""
    page = visit("en/p17.html", reduced_motion="reduce")
    stop_clock(page)
    player = Player(page)
    assert visible(player.does("play")) == [False]
    assert visible(page.locator(".plays")) == [False] * 2
    player.stage.press("Space")
    page.clock.run_for(4 * BEAT)
    assert player.step == 1
    assert not playing(page)
    moving = """[...document.querySelectorAll("*")].filter(one => {
        const style = getComputedStyle(one);
        return style.transitionDuration !== "0s" || style.animationName !== "none";
    }).length"""
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) > 0  # so that this would have been seen


#: What is said of a step as it is drawn, without buttons.
SEEN = """one => {
    const buttons = [...one.querySelectorAll("button")];
    buttons.forEach(button => { button.style.display = "none"; });
    const text = one.innerText;
    buttons.forEach(button => button.removeAttribute("style"));
    return text;
}"""


@pytest.mark.parametrize("code", ["python", "java"])
@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_live_region(visit: Visits, name: str, code: str) -> None:
    """Each step is read out: its number, its title and what is said of it, code as it is shown."""
    page = visit(name)
    code_choice(page).select_option(code)
    for id in ("ex1", "ex2"):
        player = Player(page, id)
        region = player.root.locator("[aria-live=polite]")
        count = player.steps.count()
        player.stage.focus()
        for step in range(1, count + 1):
            title = player.root.locator(".now h4").inner_text()
            text = player.root.locator(".now .said").evaluate(SEEN)
            assert text.strip()
            assert words(region.text_content() or "") == words(f"{step} / {count}: {title}. {text}")
            page.keyboard.press("ArrowRight")


def test_live_region_tells_code_that_is_chosen(visit: Visits) -> None:
    """Where code is shown in another language, it is read out anew; nothing else is."""
    page = visit("en/p17.html", "#ex1-step=7")
    page.evaluate("""() => {
        window.told = [];
        for (const region of document.querySelectorAll("[aria-live]"))
            new MutationObserver(() => told.push(region.parentElement.id)).observe(
                region, { childList: true, characterData: true, subtree: true });
    }""")
    player = Player(page)
    region = player.root.locator("[aria-live]")
    for code, told in (("cpp", "Matrix y1 ="), ("rust", "let y1 ="), ("python", "y1 = r.run(x1)")):
        code_choice(page).select_option(code)
        text = words(player.root.locator(".now .said").evaluate(SEEN))
        assert told in text
        assert words(region.text_content() or "").endswith(text)
    assert page.evaluate("told") == ["ex1"] * 3
    player.does("back").click()
    before = page.evaluate("told.length")
    code_choice(page).select_option("cpp")
    assert page.evaluate("told.length") == before
    assert (player.step, player.hash) == (6, "#ex1-step=6")


# --- variants ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISE_PAGES)
@pytest.mark.parametrize("id", ["ex1", "ex2"])
def test_variants(visit: Visits, name: str, id: str) -> None:
    """A choice shows a wrong solution beside the reference in every step, by mouse or by key."""
    page = visit(name)
    player = Player(page, id)
    for variant in ("without_clone", "without_zeroing"):
        player.root.locator(".compare input:checked").focus()
        page.keyboard.press("ArrowRight")
        expect(player.variant(variant)).to_be_checked()
        for step in range(1, player.steps.count() + 1):
            player.slider.fill(str(step))
            shown = player.root.locator("figure.variant:visible")
            assert shown.count() == 1
            assert shown.get_attribute("data-variant") == variant
            caption = shown.locator("figcaption").inner_text()
            assert caption == language_of(name)(f"variant.{variant}")
            right = player.root.locator("figure.right:visible")
            assert right.locator("figcaption").inner_text() == language_of(name)("player.right")
            left, beside = right.bounding_box(), shown.bounding_box()
            assert left is not None
            assert beside is not None
            assert beside["x"] >= left["x"] + left["width"]
            assert beside["y"] == left["y"]
    player.variant("").click()
    assert not any(visible(player.root.locator("figure.variant")))
    other = Player(page, "ex2" if id == "ex1" else "ex1")
    assert not any(visible(other.root.locator("figure.variant")))


def test_variants_on_a_narrow_screen(visit: Visits) -> None:
    """Where there is no room beside the reference, a variant stands below it."""
    page = visit("en/p17.html", viewport={"width": 320, "height": 800})
    player = Player(page)
    player.variant("without_clone").click()
    left = player.root.locator("figure.right:visible").bounding_box()
    below = player.root.locator("figure.variant:visible").bounding_box()
    assert left is not None
    assert below is not None
    assert below["y"] >= left["y"] + left["height"]


def test_stage_is_named(visit: Visits) -> None:
    """The stage is a group that says by which keys it is used."""
    page = visit("en/p17.html")
    for id in ("ex1", "ex2"):
        title = words(page.locator(f"#{id} h3").inner_text())
        name = SAY["en"]("player.stage", title=title)
        expect(page.get_by_role("group", name=name)).to_have_count(1)
