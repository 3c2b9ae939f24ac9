"""The site of hint pages: which files, what is in them, and what happens where they cannot be made."""

import re
from html.parser import HTMLParser
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement, tostring

import pytest
from browser import PAGES
from support import ROOT, copy_of_tiny

from grader.errors import EnvironmentFault, ExerciseError, UsageError
from grader.exercise import Project
from grader.i18n import LANGUAGES
from grader.render import templates
from grader.section import read_sections
from grader.site import build


class Page(HTMLParser):
    """A page as a tree. An element that nobody ends does so with the one around it.

    Attributes:
        root: holds the page.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Element("root")
        self._open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Begin an element."""
        one = SubElement(self._open[-1], tag, {name: value or "" for name, value in attrs})
        if tag not in ("meta", "link", "input", "br", "hr"):
            self._open.append(one)

    def handle_endtag(self, tag):
        """End it, with all that is still open in it."""
        while self._open.pop().tag != tag:
            pass

    def handle_data(self, data):
        """Put words where they stand."""
        parent = self._open[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + data
        else:
            parent.text = (parent.text or "") + data

    def one(self, path: str) -> Element:
        """The only element that there is below a path."""
        (found,) = self.root.findall(f".//{path}")
        return found


def text_of(*elements: Element) -> str:
    """What elements say, without their markup."""
    return "".join(text for element in elements for text in element.itertext())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of this project, as text by file."""
    folder = tmp_path_factory.mktemp("site")
    written = list(build(Project(ROOT), [], folder))
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in written}


@pytest.fixture
def tiny(tmp_path):
    """A copy of the tiny project, to be changed."""
    return copy_of_tiny(tmp_path)


def text_file(exercise, language: str, id: str):
    """The file of a text."""
    return exercise.folder / "pages" / language / f"{id}.md"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_nothing(site, name):
    """There is nothing in it that a browser would fetch."""
    fetched = re.findall(r'<(?:link|script|img|iframe)[^>]*(?:src|href)="?([^"> ]*)', site[name])
    assert set(fetched) <= {"data:,"}
    assert "url(" not in site[name]
    assert "@import" not in site[name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_in_the_manifests_order(p17, site, language):
    """All that the manifest names is there, in its order, and no more."""
    main = Page(site[f"{language}/p17.html"]).one("main")
    found = [one.get("id") for one in main if one.tag in ("section", "details")]
    assert found == list(p17.manifest.pages.sections)


@pytest.mark.parametrize("language", LANGUAGES)
def test_head(p17, site, language):
    """What the course's page says at its head: number, track, book page, minutes, files, commands."""
    page = Page(site[f"{language}/p17.html"])
    main = list(page.one("main"))
    head = text_of(*main[: main.index(page.one("section[@id='overview']"))])
    for part in (
        "nano-vllm-omni", "#26", "Track E", "p.", "109", "40 min", "mine/p17_graph_runner.py",
        "./check.sh p17", "A-26", "C-26", "solutions/p17_graph_runner.py",
        *(PurePath(file).suffix for file in p17.languages().values()),
    ):  # fmt: skip
        assert part in head
    assert "P16" in text_of(page.one("header"))


def test_the_way_to_an_exercise_that_is_not_there_is_no_link(site):
    """P16 is shown, and said not to be available."""
    bar = site["en/p17.html"][: site["en/p17.html"].index("<main")]
    assert "p16.html" not in bar
    assert "not available here" in bar


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_answer_stands_with_its_question(p17, site, language):
    """Seven questions lead to seven answers, and each answer repeats its question."""
    page = Page(site[f"{language}/p17.html"])
    assert len(page.one("ol[@id='l1-q']")) == len(page.one("ol[@id='l3-a']")) == 7
    for number in range(1, 8):
        question = page.one(f"li[@id='l1-q{number}']")
        link, *rest = question
        assert not (question.text or "").strip()
        assert (link.tag, link.attrib) == ("a", {"class": "answer", "href": f"#l3-a{number}"})
        words = (link.tail or "") + "".join(tostring(one, "unicode") for one in rest)
        asked = tostring(page.one(f"li[@id='l3-a{number}']/p[@class='asked']"), "unicode")
        assert len(words) > 5
        assert words.strip() in asked


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_frame_table_has_the_seeds_numbers(site, language):
    """Six rows; rows of 2 columns, bucket 3 of 6 rows, a 5 left by bs=5, and 5, 5, -1 come out."""
    rows = Page(site[f"{language}/p17.html"]).one("table[@class='frames']/tbody")
    assert [(one[0].tag, one[0].attrib, text_of(one[0])) for one in rows] == [
        ("th", {"scope": "row"}, number) for number in "123456"
    ]
    said = [text_of(*row[1:]) for row in rows]
    for i, part in ((0, "[2, 2]"), (1, "3"), (2, "static_in[:2]"), (2, "[6, 2]"),
                    (3, "static_in[2:3]"), (3, "bs=5"), (4, "graphs[3].replay()"),
                    (4, "static_out[:3]"), (5, "static_out[:2].clone()")):  # fmt: skip
        assert part in said[i]
    assert re.search(r"5[、,] ?5[、,] ?-1", said[4])


def test_an_exercise_without_torch_or_examples(tiny, tmp_path):
    """The tiny exercise has its pages by the same kit."""
    written = list(build(tiny.project, ["stack"], tmp_path / "out"))
    assert (tmp_path / "out" / "en" / "stack.html") in written
    assert "Stack" in (tmp_path / "out" / "en" / "stack.html").read_text("utf-8")


def test_only_what_was_asked_for_is_written_and_nothing_is_lost(tiny, tmp_path):
    """What else lies in the folder stays."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine", "utf-8")
    list(build(tiny.project, ["stack"], tmp_path / "out"))
    assert (tmp_path / "out" / "notes.txt").read_text("utf-8") == "mine"
    assert not list((tmp_path / "out").glob("**/.*"))


def test_no_such_exercise(tiny, tmp_path):
    """An exercise that is not there."""
    with pytest.raises(UsageError) as caught:
        list(build(tiny.project, ["p99"], tmp_path))
    assert caught.value.message.id == "usage.no_exercise"


def test_an_exercise_without_pages(tiny, tmp_path):
    """One that has none, and those that have are named."""
    toml = tiny.folder / "exercise.toml"
    text = re.sub(r"\[pages\].*?(?=\n\[|\Z)", "", toml.read_text("utf-8"), flags=re.DOTALL)
    toml.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        list(build(Project(tiny.project.root), ["stack"], tmp_path))
    assert caught.value.message.id == "usage.no_pages"


def test_a_folder_that_cannot_be_written_to(tiny, tmp_path):
    """A file where a folder should be is said, and stays."""
    (tmp_path / "out").write_text("a file", "utf-8")
    with pytest.raises(UsageError) as caught:
        list(build(tiny.project, ["stack"], tmp_path / "out"))
    assert caught.value.message.id == "usage.cannot_write"
    assert (tmp_path / "out").read_text("utf-8") == "a file"


def test_a_page_that_cannot_be_replaced(tiny, tmp_path):
    """A folder where the page should be: said, and nothing half-written is left."""
    (tmp_path / "out" / "en" / "stack.html").mkdir(parents=True)
    with pytest.raises(UsageError) as caught:
        list(build(tiny.project, ["stack"], tmp_path / "out"))
    assert caught.value.message.id == "usage.cannot_write"
    assert not list((tmp_path / "out").glob("**/.*"))


def test_a_missing_text(tiny, tmp_path):
    """A section without its file."""
    text_file(tiny, "en", "l2").unlink()
    with pytest.raises(ExerciseError) as caught:
        list(build(tiny.project, ["stack"], tmp_path))
    assert caught.value.message.id == "exercise.no_section"


@pytest.mark.parametrize(
    "table",
    [
        "columns = [",
        "rows = [['a']]",
        "columns = ['a']",
        "columns = ['a']\nrows = [['{nothing}']]",
        "columns = ['a']\nrows = [['{']]",
        "example = 'ex9'\ncolumns = ['a']\nrows = []",
        "columns = ['a']\nrows = [[1]]",
    ],
    ids=["no_toml", "no_columns", "no_rows", "no_such_fact", "half_a_brace", "no_such_example", "a_number"],
)  # fmt: skip
def test_a_table_that_cannot_be_filled_in(tiny, tmp_path, table):
    """What is wrong with it is said, with its section and language."""
    file = text_file(tiny, "en", "overview")
    file.write_text(f"{file.read_text('utf-8')}\n\n```table\n{table}\n```\n", "utf-8")
    with pytest.raises(ExerciseError) as caught:
        list(build(tiny.project, ["stack"], tmp_path))
    assert caught.value.message.id == "exercise.table"
    assert caught.value.message.params["section"] == "overview"
    assert caught.value.message.params["language"] == "en"


def test_a_step_without_its_text(tiny, tmp_path):
    """Every step of an example has something said of it."""
    toml = tiny.folder / "exercise.toml"
    text = toml.read_text("utf-8").replace("sections = [", 'sections = ["examples", ', 1)
    toml.write_text(f'{text}\n[[examples]]\nid = "one"\n', "utf-8")
    (tiny.folder / "examples").mkdir()
    (tiny.folder / "examples" / "one.py").write_text(
        "def play(subject, step):\n    for _ in range(2):\n        with step():\n"
        "            subject.new('Stack')\n",
        "utf-8",
    )
    for language in LANGUAGES:
        text_file(tiny, language, "one").write_text("# One\n\n{#one-step-1}\n### a\n\nb\n", "utf-8")
    with pytest.raises(ExerciseError) as caught:
        list(build(Project(tiny.project.root), ["stack"], tmp_path))
    assert caught.value.message.id == "exercise.no_step"
    assert caught.value.message.params["missing"] == ["one-step-2"]


def test_without_templates(tiny, tmp_path, monkeypatch):
    """A grader without its templates says so."""
    monkeypatch.setattr(templates, "TEMPLATES", tmp_path)
    templates._environment.cache_clear()
    try:
        with pytest.raises(EnvironmentFault) as caught:
            list(build(tiny.project, ["stack"], tmp_path / "out"))
    finally:
        templates._environment.cache_clear()
    assert caught.value.message.id == "environment.templates"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_step_has_its_words(p17, language):
    """P17's examples: seven steps and six."""
    sections = read_sections(p17, language, ["ex1", "ex2"])
    assert [sections[id].body.count(f"{{#{id}-step-") for id in ("ex1", "ex2")] == [7, 6]
