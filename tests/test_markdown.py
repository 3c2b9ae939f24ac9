"""Markdown as HTML: Chinese emphasis and line breaks, ids, code, links, and nothing passed on."""

import re
from html.parser import HTMLParser

import pytest
import support  # noqa: F401 - sets hypothesis up
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.markdown import (
    CJK,
    Part,
    codes,
    ids,
    in_code,
    inline_html,
    item_tokens,
    items,
    parts,
    plain,
    to_html,
    tokens,
)

#: markdown-it as it comes.
PLAIN = MarkdownIt("commonmark", {"html": False}).disable("image")

# --- emphasis ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**真，**她", "<strong>真，</strong>她"),
        ("**clone（拷贝）**后", "<strong>clone（拷贝）</strong>后"),
        ("他说**“真”**吗", "他说<strong>“真”</strong>吗"),
        ("run**“真”**B", "run<strong>“真”</strong>B"),
        ("**注意：**`bs`", "<strong>注意：</strong><code>bs</code>"),
        ("请**`run`**吧", "请<strong><code>run</code></strong>吧"),
        ("把**`run`（跑）**做完", "把<strong><code>run</code>（跑）</strong>做完"),
        ("`run`**（跑）**里", "<code>run</code><strong>（跑）</strong>里"),
        ("**《书》**里的**「话」**。", "<strong>《书》</strong>里的<strong>「话」</strong>。"),
        (
            "**`a`**、**`b`**的",
            "<strong><code>a</code></strong>、<strong><code>b</code></strong>的",
        ),
        ("**“真”**她说**“假”**的", "<strong>“真”</strong>她说<strong>“假”</strong>的"),
        ("*真，*她", "<em>真，</em>她"),
        ("***真，***她", "<em><strong>真，</strong></em>她"),
        ("**真，*甲*，**乙", "<strong>真，<em>甲</em>，</strong>乙"),
        ("**3.**步", "<strong>3.</strong>步"),
        ("**Note:**看", "<strong>Note:</strong>看"),
        ("看**(a)**", "看<strong>(a)</strong>"),
        ("**它是什么？**\n答", "<strong>它是什么？</strong>答"),
        ("[**真，**她](#a)", '<a href="#a"><strong>真，</strong>她</a>'),
        ("[**真，**她]{#a}", '<span id="a"><strong>真，</strong>她</span>'),
        # What is no emphasis stays none.
        ("真_假_真", "真_假_真"),
        ("看_（假）_真", "看_（假）_真"),
        ("真 ** 假 **", "真 ** 假 **"),
        ("真 * 2，假 * 3", "真 * 2，假 * 3"),
        (r"\*\*真，\*\*", "**真，**"),
        ("`**真，**她`", "<code>**真，**她</code>"),
    ],
)
def test_chinese_emphasis(text, html):
    """Punctuation beside a Chinese character hinders no emphasis."""
    assert inline_html(text) == html


LATIN = st.text(st.sampled_from("ab1 *_`.,(\"'“”…\\\n[]!é\u00a0"), max_size=24)


@given(LATIN)
def test_latin_emphasis(text):
    """Where no Chinese character occurs, emphasis is CommonMark's."""
    assert inline_html(text) == PLAIN.renderInline(text)


@given(
    st.text(st.sampled_from("真，。（）“”`a *"), max_size=16).filter(
        lambda text: text.count("*") < 3
    )
)
def test_no_blanks_emphasised(text):
    """An emphasis neither begins nor ends with a blank."""
    assert not re.search(r"<(em|strong)>\s|\s</(em|strong)>", inline_html(text))


# --- line breaks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("真的\n假的", "真的假的"),
        ("真的，\n假的", "真的，假的"),
        ("真的\n（假的）", "真的（假的）"),
        ("**真的，**\n假的", "<strong>真的，</strong>假的"),
        ("真的“话”\n他说", "真的“话”他说"),
        ("真的\n“话”", "真的“话”"),
        ("[真的]{#a}\n[假的](#b)", '<span id="a">真的</span><a href="#b">假的</a>'),
        ("`真`\n假", "<code>真</code>假"),
        ("ア\nイ", "アイ"),
        # Kept as it is.
        ("真的\nrun", "真的\nrun"),
        ("run\n真的", "run\n真的"),
        ("`run`\n真的", "<code>run</code>\n真的"),
        ("run\nrun", "run\nrun"),
        ("“a”\nb", "“a”\nb"),
        ("한국\n어", "한국\n어"),
        ("真的\\\n假的", "真的<br />\n假的"),
    ],
)
def test_line_breaks(text, html):
    """A line break is dropped between two Chinese characters, and nowhere else."""
    assert to_html(text) == f"<p>{html}</p>\n"


# --- ids -----------------------------------------------------------------------------------------


def test_ids():
    """Headings, lists, paragraphs, code and words may have ids; items get theirs by number."""
    text = "{#h}\n### H\n\n{#p}\nText [w]{#w}.\n\n{#q}\n3. a\n4. b\n\n{#c}\n```\nx\n```\n"
    assert ids(text) == ["h", "p", "w", "q", "q3", "q4", "c"]
    html = to_html(text)
    assert [html.count(f'id="{id}"') for id in ids(text)] == [1] * 7


def test_items_of_nested_lists():
    """The items of a list within an item are not numbered on with it."""
    assert ids("{#q}\n1. a\n   1. x\n   2. y\n2. b\n") == ["q", "q1", "q2"]


def test_unordered_list():
    """The items of a list without numbers get no ids."""
    assert ids("{#q}\n- a\n- b\n") == ["q"]


def test_id_that_is_not_drawn():
    """An id that does not come out in HTML is none."""
    text = "- {#hidden}\n  a\n"
    assert ids(text) == []
    assert "hidden" not in to_html(text)


def test_other_attributes():
    """Nothing but ids can be given."""
    html = to_html("{#a .c onclick=x style=y}\nText [w]{.c title=t}.\n")
    assert html == '<p id="a">Text <span>w</span>.</p>\n'


# --- parts and items -----------------------------------------------------------------------------


def test_parts():
    """A text is cut at headings with ids; a heading without one is a heading of its part."""
    text = "intro\n\n### no\n\n{#a}\n### A `c` **真，**她\n\none\n\n{#b}\n### B\n"
    assert parts(text) == [
        Part("", "", "<p>intro</p>\n<h3>no</h3>\n"),
        Part("a", "A <code>c</code> <strong>真，</strong>她", "<p>one</p>\n"),
        Part("b", "B", ""),
    ]


def test_parts_without_headings():
    """A text without headings is one part."""
    assert parts("x\n") == [Part("", "", "<p>x</p>\n")]
    assert parts("") == [Part("", "", "")]


def test_parts_share_link_targets():
    """A link's target may be written at the end of the text, in another part."""
    assert 'href="https://x.y"' in parts("[a][1]\n\n{#b}\n### B\n\n[1]: https://x.y\n")[0].html


def test_parts_of_quoted_headings():
    """A heading within a quotation cuts nothing."""
    assert len(parts("> {#a}\n> ### A\n")) == 1


def test_items():
    """A list's items by themselves: a line, or blocks."""
    assert items("{#q}\n1. one `c`\n2. two\n   - x\n", "q") == [
        "one <code>c</code>", "two\n<ul>\n<li>x</li>\n</ul>",
    ]  # fmt: skip
    assert items("{#q}\n1. one\n\n   more\n2. two\n", "q") == [
        "<p>one</p>\n<p>more</p>",
        "<p>two</p>",
    ]
    assert items("{#q}\n1. one\n", "r") == []
    assert list(item_tokens(tokens("{#q}\n2. two\n3. three\n"), "q")) == ["q2", "q3"]


def test_plain():
    """A line without its markup."""
    assert plain("**真，**她 `run` [a](#b) [c]{#d}") == "真，她 run a c"


# --- code and links ------------------------------------------------------------------------------


def test_code():
    """Code is marked up by classes, can be reached by keys, and is otherwise what it was."""
    html = to_html('```python\n\nif a < b:  # c\n    x = "&"\n```\n')
    seen = read(html)
    block, *words = seen.tags
    assert block == ("div", {"class": "code"})
    assert words[:2] == [("pre", {"tabindex": "0"}), ("code", {})]
    assert seen.marked == [("k", "if"), ("c", "# c"), ("s", '"&"')]
    assert seen.text.rstrip("\n") == '\nif a < b:  # c\n    x = "&"'


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("python\na not in b", [("k", "not in")]),
        ("python\n# a\n# b\n\nx = 1", [("c", "# a\n# b")]),
        ('cpp\n#include "a.h"  // why', [("k", "#include"), ("s", '"a.h"'), ("c", "// why")]),
        ("rust\n#[derive(Clone)]", [("k", "#[derive(Clone)]")]),
        ("javascript\nreturn `a`; /* & */", [("k", "return"), ("s", "`a`"), ("c", "/* & */")]),
        ("text\nreturn 'a'", []),
    ],
)
def test_marked_words(text, marked):
    """Keywords, strings and comments are marked, neighbours at once; a directive is no comment."""
    seen = read(to_html(f"```{text}\n```\n"))
    assert [(colour, words.strip()) for colour, words in seen.marked] == marked
    assert seen.text.strip() == text.partition("\n")[2]


@pytest.mark.parametrize("info", ["", "nonsense", '"><script>', "python3000 x"])
def test_code_of_no_known_language(info):
    """Code of an unknown language is text."""
    html = to_html(f"```{info}\na < b\n```\n")
    seen = read(html)
    assert seen.tags == [("div", {"class": "code"}), ("pre", {"tabindex": "0"}), ("code", {})]
    assert seen.text == "a < b\n\n"
    assert "script" not in html


def blocks(*languages: str) -> str:
    """Blocks of code that follow each other; what a block says is its number."""
    return "\n".join(f"```{language}\n{i}\n```\n" for i, language in enumerate(languages))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (blocks("python", "cpp", "rust"), [["python", "cpp", "rust"]]),
        (blocks("py", "c++"), [["python", "cpp"]]),
        (blocks("python", "cpp").replace("\n\n", "\n"), [["python", "cpp"]]),
        (blocks("python", "cpp", "python", "cpp"), [["python", "cpp"], ["python", "cpp"]]),
        (blocks("python", "cpp", "rust", "cpp"), [["python", "cpp", "rust"]]),
        (blocks("python", "python", "cpp"), [["python", "cpp"]]),
        (f"{blocks('python')}\nor\n\n{blocks('cpp')}", []),
        (blocks("python"), []),
        (blocks("python", "python"), []),
        # What is no code says no more of the same.
        (blocks("python", ""), []),
        (blocks("python", "text", "cpp"), []),
        (blocks("table", "python"), []),
        (f"{blocks('python')}\n    indented\n\n{blocks('cpp')}", []),
        # Within other blocks as well.
        ("- a\n\n  ```sh\n  b\n  ```\n\n  ```c\n  d\n  ```\n", [["bash", "c"]]),
        ("- ```sh\n  b\n  ```\n- ```c\n  d\n  ```\n", []),
        ("> ```java\n> b\n> ```\n>\n> ```go\n> d\n> ```\n", [["java", "go"]]),
    ],
)
def test_groups_of_code(text, groups):
    """Blocks that follow each other, each in another language, are one group."""
    assert read(to_html(text)).groups == groups
    said = list(codes(tokens(text)))
    assert said == list(dict.fromkeys(one for group in groups for one in group))


def test_group_of_code():
    """The first block of a group is open; the others are closed, and named by their languages."""
    html = to_html(blocks("python", "cpp"))
    assert read(html).tags == [
        ("div", {"class": "codes"}),
        ("div", {"class": "code", "data-code": "python"}), ("pre", {"tabindex": "0"}), ("code", {}),
        ("details", {"class": "code", "data-code": "cpp"}), ("summary", {}), ("pre", {"tabindex": "0"}), ("code", {}),
    ]  # fmt: skip
    assert text_of(html).split() == ["0", "C++1"]


def test_id_of_a_group():
    """What leads to code in several languages leads to all of it, for the first may be hidden."""
    text = "{#a}\n" + blocks("python", "cpp")
    assert ids(text) == ["a"]
    tagged = [(tag, attrs["class"]) for tag, attrs in read(to_html(text)).tags if "id" in attrs]
    assert tagged == [("div", "codes")]


def test_codes():
    """The languages of all groups, by name, in the order in which they first come."""
    text = f"{blocks('js', 'cpp')}\nx\n\n{blocks('go')}\nx\n\n{blocks('cpp', 'c#')}"
    found = codes(tokens(text))
    assert found == {"javascript": "JavaScript", "cpp": "C++", "csharp": "C#"}
    assert list(found) == ["javascript", "cpp", "csharp"]
    assert codes(tokens("`x`\n")) == {}


@pytest.mark.parametrize(
    ("language", "left"),
    [("python", "0 2 3 5"), ("cpp", "1 2 3 5"), ("rust", "0 2 4 5"), ("go", "0 2 3 5")],
)
def test_in_code(language, left):
    """Of each group one block is left, in the language or else the first; of the rest, all."""
    text = f"{blocks('python', 'cpp')}\nx\n\n"
    text += "```go\n2\n```\n\nx\n\n```python\n3\n```\n```rust\n4\n```\n\nx\n\n```\n5\n```\n"
    found = in_code(tokens(text), language)
    assert " ".join(token.content.strip() for token in found if token.type == "fence") == left
    others = [token for token in tokens(text) if token.type != "fence"]
    assert [token.type for token in found if token.type != "fence"] == [one.type for one in others]


@given(st.lists(st.sampled_from(["python", "cpp", "rust", "text", "", "go"]), max_size=12))
def test_no_code_is_lost(languages):
    """Every block is drawn once, in its order, and some choice shows it."""
    found, seen = tokens(blocks(*languages)), read(to_html(blocks(*languages)))
    drawn = [block.strip() for block in seen.blocks]
    assert drawn == [str(i) for i in range(len(languages))]
    left = [in_code(found, language) for language in ("", *codes(found))]
    assert {token.content.strip() for one in left for token in one} == set(drawn)
    grouped = sum(len(group) for group in seen.groups)
    assert {len(one) for one in left} == {len(languages) - grouped + len(seen.groups)}


def test_links():
    """Links lead to the web, without a word of where from, or into the page."""
    assert inline_html("[a](https://x.y/?b&c)") == (
        '<a href="https://x.y/?b&amp;c" rel="noreferrer">a</a>'
    )
    assert inline_html("[a](#b)") == '<a href="#b">a</a>'
    for text in ("<http://x.y>", "[a](HTTPS://x.y)"):
        assert 'rel="noreferrer"' in inline_html(text)


def test_no_images():
    """A page fetches nothing by itself: what would be an image is a link."""
    assert "<img" not in to_html("![a](https://x.y/z.png)")


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "file:///etc", "mailto:a@b",
               "other.html", "/root", "//x.y", "vbscript:x", "&#106;avascript:x"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["[a]({})", "<{}>", "[a][1]\n\n[1]: {}", "![a]({})"])
def test_no_other_links(target, form):
    """Nothing else is a link, however it is written."""
    assert "<a" not in to_html(form.format(target))
    assert "<img" not in to_html(form.format(target))


# --- HTML ----------------------------------------------------------------------------------------

#: What may come out: tag -> attributes.
ALLOWED = {
    **{tag: {"id"} for tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "blockquote", "hr", "br", "em", "strong")},
    "ol": {"id", "start"}, "li": {"id"}, "span": {"id", "class"}, "a": {"id", "href", "rel", "title"},
    "div": {"id", "class", "data-code"}, "details": {"id", "class", "data-code"}, "summary": set(),
    "pre": {"tabindex"}, "code": {"id"},
}  # fmt: skip
VOID = {"hr", "br"}


class Reader(HTMLParser):
    """Reads HTML and holds it to what may come out.

    Attributes:
        open: the elements that are.
        text: what a reader sees.
        tags: the elements, with their attributes.
        blocks: what each block of code says.
        marked: words of code that have a class, with it.
        groups: the languages of code that is told in several.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: list[str] = []
        self.marked: list[tuple[str | None, str]] = []
        self.groups: list[list[str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Every element and attribute is one of ours, and no attribute is there twice."""
        names = [name for name, _ in attrs]
        assert set(names) <= ALLOWED[tag]
        assert len(set(names)) == len(names)
        assert not (tag == "p" and "p" in self.open)
        self.open += [] if tag in VOID else [tag]
        self.tags.append((tag, dict(attrs)))
        self.blocks += [""] if tag == "pre" else []
        self.marked += [(value, "") for name, value in attrs if (tag, name) == ("span", "class")]
        self.groups += [[] for name, value in attrs if (name, value) == ("class", "codes")]
        for value in (value for name, value in attrs if name == "data-code"):
            self.groups[-1].append(value)

    def handle_endtag(self, tag: str) -> None:
        """What ends is what was begun last."""
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text."""
        self.text += data
        if "pre" not in self.open:
            return
        self.blocks[-1] += data
        if self.open[-1] == "span":
            colour, words = self.marked.pop()
            self.marked.append((colour, words + data))


def read(html: str) -> Reader:
    """HTML as it was read, whole."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def text_of(html: str) -> str:
    """What a reader sees."""
    return read(html).text


MARKUP = st.lists(
    st.sampled_from(
        ["真", "，", "a", " ", "\n", "\n\n", "**", "*", "`", "```", "```go\n", "```c\n", "# ", "- ", "1. ", "> ", "{#i}\n", "{#j}",
         "[", "]", "(#x)", "(https://x.y)", "<b>", "</p>", "<script>", "<!--", "&lt;", '"', "    ", "~~~\n", "\\"]
    ), max_size=20,
).map("".join)  # fmt: skip


@given(MARKUP)
def test_html_is_ours(text):
    """Whatever is written, the elements are closed, known and not empty paragraphs; HTML is text."""
    html = to_html(text)
    text_of(html)
    assert "<p></p>" not in html
    assert [Part("", "", html)] == parts(text) or any(part.id for part in parts(text))


def test_html_is_escaped():
    """HTML in a text is shown, not passed on."""
    html = to_html("<script>x</script>\n\na <b onclick=x>b</b> &amp; &copy;\n")
    assert text_of(html).split() == ["<script>x</script>", "a", "<b", "onclick=x>b</b>", "&", "©"]


def test_chinese_is_known():
    """Characters and punctuation of Chinese are told from those of other scripts."""
    assert all(CJK.fullmatch(character) for character in "真，。（）《》、？！　㐀𠀀")
    assert not any(CJK.search(character) for character in "aé.“—·한→")
