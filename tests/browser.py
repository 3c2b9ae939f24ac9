"""What the tests of pages share: a browser, pages opened as a reader opens them, a checker of HTML.

Without Chromium, Java or the checker these tests are skipped, and say what to install. Where CI is
set they fail instead: what was not looked at there must not pass for looked at.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from grader.i18n import LANGUAGES, Translator

ROOT = Path(__file__).resolve().parents[1]

#: Every page of the site, and those of an exercise.
EXERCISE_PAGES = ("zh/p17.html", "en/p17.html")
PAGES = ("index.html", "zh/index.html", "en/index.html", *EXERCISE_PAGES)

#: What the pages say.
SAY = {id: Translator(id, ROOT / "exercises" / "p17") for id in LANGUAGES}

#: Where .ci/run puts the checker of HTML.
VNU = ROOT / "build" / "vnu" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",  # containers have little of it
]


# --- what must be installed ----------------------------------------------------------------------


def missing(what: str, remedy: str) -> NoReturn:
    """Skip the test that lacks something; in CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(f"there is no {what}: {remedy}", pytrace=False)
    pytest.skip(f"there is no {what}: {remedy}")


def chromium() -> str:
    """The browser's program."""
    for name in (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    missing("Chromium", "apt-get install chromium, or set CHROMIUM to its program")


def vnu() -> list[str]:
    """The command that checks HTML."""
    java = shutil.which("java") or missing("Java", "apt-get install default-jre-headless")
    jar = Path(os.environ.get("VNU_JAR") or VNU)
    if not jar.is_file():
        remedy = "npm install --no-save --prefix build/vnu vnu-jar, or set VNU_JAR to vnu.jar"
        missing("checker of HTML", remedy)
    return [java, "-jar", str(jar)]


def complaints(files: Sequence[Path]) -> list[str]:
    """What the checker of HTML has to say about files, CSS included."""
    # It guesses languages by their words, and takes code with Chinese for Norwegian.
    command = [*vnu(), "--no-langdetect", "--format", "json", "--exit-zero-always"]
    # Java reads paths as the locale says, and the project may lie anywhere.
    done = subprocess.run(
        [*command, *map(str, files)], capture_output=True, text=True, check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    messages = json.loads(done.stderr)["messages"]
    return [f"{one['url']}:{one.get('lastLine')}: {one['message']}" for one in messages]


# --- visits --------------------------------------------------------------------------------------


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser, which ends with the block."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


class Visits:
    """Opens pages from their files, each in a fresh context.

    Attributes:
        faults: what pages reported or fetched that they should not have; there must be none.
        requests: the addresses that were asked for.
    """

    def __init__(self, browser: Browser, site: Path) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._browser, self._site = browser, site
        self._contexts: list[BrowserContext] = []

    def __call__(self, name: str, fragment: str = "", *, before: str = "", **options: Any) -> Page:
        """A page.

        Args:
            name: its file.
            fragment: what is after the file's name in the address.
            before: JavaScript to run ahead of the page's own.
            options: of the context.
        """
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = self._browser.new_context(**options)
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", lambda said: self._said(said.type, said.text))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        if before:
            context.add_init_script(before)
        page = context.new_page()
        page.goto(self.address(name) + fragment)
        return page

    def address(self, name: str) -> str:
        """Where a page is."""
        return (self._site / name).as_uri()

    def close(self) -> None:
        """Close every context."""
        for context in self._contexts:
            context.close()

    def _asked(self, url: str) -> None:
        self.requests.append(url)
        if not url.startswith(self._site.as_uri()):
            self.faults.append(f"asked for {url}")

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.faults.append(text)


@contextlib.contextmanager
def visiting(browser: Browser, folder: Path) -> Iterator[Visits]:
    """Opens pages of a folder. None may fetch anything, or report an error in the console."""
    visits = Visits(browser, folder)
    yield visits
    visits.close()
    assert not visits.faults


def language_of(name: str) -> Translator:
    """What an exercise's page says, by its file."""
    return SAY[name.split("/", maxsplit=1)[0]]


def hints(page: Page) -> dict[str, bool]:
    """The levels of hints, and whether each is open."""
    script = "all => Object.fromEntries(all.map(one => [one.id, one.open]))"
    found: dict[str, bool] = page.locator("details.hint").evaluate_all(script)
    return found


def open_hints(page: Page) -> None:
    """Open every hint."""
    page.locator("details.hint").evaluate_all("all => all.forEach(one => { one.open = true; })")


def lay_out(page: Page) -> None:
    """Open every hint and show every step and variant at once, as they are without a script."""
    open_hints(page)
    script = "all => all.forEach(one => one.classList.remove('live'))"
    page.locator(".player").evaluate_all(script)


def choose_theme(page: Page, theme: str) -> None:
    """Press the theme's button until it says so."""
    button = page.locator("[data-do=theme]")
    wanted = button.get_attribute(f"data-{theme}")
    for _ in range(3):
        if button.inner_text() == wanted:
            return
        button.click()
    assert button.inner_text() == wanted


def code_choice(page: Page) -> Locator:
    """Where one chooses the language of the code."""
    return page.locator("select[data-do=code]")


def codes(page: Page) -> list[str]:
    """The languages that code can be shown in."""
    script = "all => all.map(one => one.value)"
    found: list[str] = code_choice(page).locator("option").evaluate_all(script)
    return found


def settle(page: Page, milliseconds: int = 0) -> None:
    """Let the page do what is due: by its own clock, so that it may be as slow as it likes."""
    script = "ms => new Promise(done => requestAnimationFrame(() => setTimeout(done, ms)))"
    page.evaluate(script, milliseconds)


def stop_clock(page: Page) -> None:
    """Have time stand still in a page, but for what a test lets pass, however slow the machine is."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)


def reload(page: Page) -> None:
    """Load a page anew. The browser may do so in another process, before it has been told what was
    stored a moment ago: then once more.
    """
    stored = page.evaluate("JSON.stringify(localStorage)")
    for _ in range(5):
        page.reload()
        if page.evaluate("JSON.stringify(localStorage)") == stored:
            break


def violations(page: Page, *, only: Sequence[str] = (), within: str = "html") -> list[str]:
    """What axe finds in a page as it is, or in a part, by all of its rules or by some."""
    page.evaluate("Promise.all(document.getAnimations().map(one => one.finished)).then(() => 0)")
    options: dict[str, object] = {"resultTypes": ["violations"], "preload": False}
    if only:
        options["runOnly"] = {"type": "rule", "values": list(only)}
    return [
        f"{found['id']}: {node['html'][:150]}: {node['failureSummary']}"
        for found in Axe().run(page, context=within, options=options).response["violations"]
        for node in found["nodes"]
    ]


def visible(found: Locator) -> list[bool]:
    """Which elements are drawn."""
    drawn: list[bool] = found.evaluate_all("all => all.map(one => one.checkVisibility())")
    return drawn


def words(text: str) -> str:
    """A text with its blanks made one."""
    return re.sub(r"\s+", " ", text).strip()


# --- the player ----------------------------------------------------------------------------------


class Player:
    """A step diagram in a page."""

    def __init__(self, page: Page, id: str = "ex1") -> None:
        self.page, self.id = page, id
        self.root = page.locator(f"#{id}")
        self.stage = self.root.locator(".stage")
        self.slider = self.root.locator("input[type=range]")
        self.steps = self.root.locator(".steps > li")

    def does(self, what: str) -> Locator:
        """One of its buttons."""
        return self.root.locator(f"[data-do={what}]")

    def variant(self, name: str) -> Locator:
        """The choice of a variant."""
        return self.root.locator(f".compare input[value={json.dumps(name)}]")

    @property
    def step(self) -> int:
        """The step that is shown; fails if that is not exactly one, or another than is said."""
        shown = [number for number, drawn in enumerate(visible(self.steps), 1) if drawn]
        assert len(shown) == 1, shown
        assert self.root.locator("output").inner_text().startswith(f"{shown[0]} / ")
        assert self.slider.input_value() == str(shown[0])
        return shown[0]

    @property
    def hash(self) -> str:
        """What the address says."""
        said: str = self.page.evaluate("location.hash")
        return said
