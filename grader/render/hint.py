"""One level of the hints as text for a terminal. Nothing here looks at the terminal."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from markdown_it.token import Token
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.containers import Lines
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownContext, MarkdownElement, Paragraph
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from grader.i18n import Translator
from grader.markdown import CJK, in_code, item_tokens, plain, tokens
from grader.section import Section

#: Longer lines are hard to read, however wide the terminal.
WIDEST = 100

#: Colours that a terminal makes its own, on its own background.
_THEME = "ansi_dark"

#: What stands for characters that a console lacks. GBK has no bullet, ASCII none of them.
_STAND_INS = str.maketrans(
    {"•": "*", "·": "-", "─": "-", "▌": "|", "…": "...", "–": "-", "—": "--", "“": '"', "”": '"',
     "‘": "'", "’": "'", "→": "->", "←": "<-", "×": "x", "≤": "<=", "≥": ">=", "≠": "!=",
     "✓": "ok", "✗": "x"}
)  # fmt: skip

#: What a line is not broken within: a Chinese character or another word, with the brackets and
#: quotes that open before it, the punctuation behind it, and the blanks.
_CHINESE = CJK.pattern
_OPENING, _CLOSING = "（〔［｛《〈「『【“‘", "，。、；：？！）〕］｝》〉」』】”’…"
_PIECE = re.compile(
    rf"(?:[{_OPENING}]|[(\[](?={_CHINESE}))*"
    rf"(?:{_CHINESE}|(?:(?!{_CHINESE})[^\s{_OPENING}{_CLOSING}])+)?"
    rf"[{_CLOSING}),.;:!?]*\s*"
)


def render(
    sections: Mapping[str, Section], level: int, say: Translator, *, exercise: str, code: str,
    color: bool, width: int,
) -> str:  # fmt: skip
    """A level of the hints: how much it gives away, its text, answers below their questions, and
    where there is more.

    Args:
        sections: the level's, and the first, which holds the questions.
        level: 1, 2 or 3.
        say: the reader's language.
        exercise: the exercise's id.
        code: the language to show code in that is told in several.
        color: whether to write ANSI colours.
        width: of the terminal, in cells.
    """
    section = sections[f"l{level}"]
    grade, title = say(f"spoiler.l{level}"), plain(section.title)
    head = say("spoiler.head", exercise=exercise.upper(), title=title, grade=grade)
    shown = {id: in_code(tokens(one.body), code) for id, one in sections.items()}
    asked = item_tokens(shown["l1"], "l1-q") if "l1" in sections else {}
    body = list(_answered(shown[f"l{level}"], asked))
    file = io.StringIO()
    console = Console(
        file=file,
        width=min(width, WIDEST),
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
    )
    foot = _Wrapped(say("spoiler.page", exercise=exercise))
    told = _Markdown(_aired(body), color=color)
    console.print(Text(head, style="bold"), Text(), told, Text(), foot, sep="\n")
    lines = "\n".join(line.rstrip() for line in file.getvalue().splitlines())
    # Where a list begins, rich leaves two lines blank.
    return re.sub(r"\n{3,}", "\n\n", lines) + "\n"


def fitted(text: str, encoding: str | None) -> str:
    """A text whose characters an encoding has, as far as there are stand-ins for others.

    >>> fitted("• 真 → x", "gbk"), fitted("• a → b", "ascii")
    ('* 真 → x', '* a -> b')
    """
    return "".join(c if _has(encoding, c) else c.translate(_STAND_INS) for c in text)


def _has(encoding: str | None, character: str) -> bool:
    try:
        character.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# --- tokens --------------------------------------------------------------------------------------


def _answered(found: Sequence[Token], asked: Mapping[str, Sequence[Token]]) -> Iterator[Token]:
    """Tokens in which each item of the answers quotes its question before it answers."""
    within = 0
    for token in found:
        if token.level < within:
            within = 0
        # An answer stands apart from the next question, as in a list with blank lines.
        yield token.copy(hidden=False) if within and token.level == within else token
        question = _question(token)
        if question in asked:
            within = token.level + 1
            yield Token("blockquote_open", "blockquote", 1, level=within)
            yield from asked[question]
            yield Token("blockquote_close", "blockquote", -1, level=within)


def _question(token: Token) -> str:
    """The id of the question that an item answers; empty if it answers none."""
    id = str(token.attrs.get("id", ""))
    answers = token.type == "list_item_open" and id.startswith("l3-a")
    return id.replace("l3-a", "l1-q") if answers else ""


def _aired(found: Sequence[Token]) -> Iterator[Token]:
    """Tokens with a blank line after each block within an item, where more follows."""
    types = [token.type for token in found]
    loose: list[bool] = []  # of each item that is open, whether its blocks stand apart
    ended = False
    for i, token in enumerate(found):
        yield token
        match token.type:
            case "list_item_open":
                loose.append(False)
                ended = False
            case "list_item_close":
                loose.pop()
            case "paragraph_close" | "fence" | "code_block":
                ended = not token.hidden
                loose[-1:] = [loose[-1] or ended] if loose else []
            case "bullet_list_close" | "ordered_list_close":
                ended = loose[-1:] == [True]
            case _:
                ended = False
        if loose and ended and _goes_on(*types[i + 1 : i + 3]):
            yield from (Token("paragraph_open", "p", 1), Token("paragraph_close", "p", -1))


def _goes_on(following: str, then: str) -> bool:
    """Whether what comes after a block is another block of its item, or another item."""
    ends = following.endswith(("_close", "item_open"))
    return not ends or (following, then) == ("list_item_close", "list_item_open")


def _inline(found: Iterable[Token], *, color: bool) -> Iterator[Token]:
    """What a line says: targets behind the words of links, but for those into the page.

    Without colours code is told by its backquotes.
    """
    target, words = "", ""
    for token in found:
        words += token.content
        if token.type == "link_open":
            target, words = str(token.attrs["href"]), ""
        elif token.type == "link_close":
            if not target.startswith("#") and words != target:
                yield Token("text", "", 0, content=f" ({target})")
        elif token.type == "code_inline" and not color:
            yield Token("text", "", 0, content=f"`{token.content}`")
        elif token.tag != "span":
            yield token


# --- what rich draws in another way --------------------------------------------------------------


class _Wrapped(Text):
    """A text whose lines may end between any two Chinese characters, but not before a comma."""

    def wrap(self, console: Console, width: int, **_options: Any) -> Lines:  # noqa: ARG002
        """The text in lines."""
        lines = Lines()
        for line in self.split(allow_blank=True):
            lines.extend(line.divide(breaks(line.plain, width)))
        for line in lines:
            line.rstrip()
        return lines


def breaks(text: str, width: int) -> list[int]:
    """The places at which a text is broken into lines of a width in cells.

    >>> breaks("真的，run (x)", 6), breaks("真真，假", 4)
    ([3, 7], [1, 3])
    """
    places, at, used = [], 0, 0
    for piece in _pieces(text, width):
        if used and used + cell_len(piece.rstrip()) > width:
            places.append(at)
            used = 0
        used += cell_len(piece)
        at += len(piece)
    return places


def _pieces(text: str, width: int) -> Iterator[str]:
    """What a line is not broken within; what is longer than a line is cut."""
    for match in _PIECE.finditer(text):
        piece = match[0]
        yield from [piece] if cell_len(piece.rstrip()) <= width else chop_cells(piece, width)


class _Paragraph(Paragraph):
    def on_enter(self, context: MarkdownContext) -> None:
        super().on_enter(context)
        self.text = _Wrapped(justify="left")


class _Heading(Heading):
    def on_enter(self, context: MarkdownContext) -> None:
        super().on_enter(context)
        self.text = _Wrapped()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text  # some versions of rich put it in the middle


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Padding(Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True), (0, 0, 0, 2))


class _Markdown(Markdown):
    """Rich's Markdown of tokens that are already there."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "paragraph_open": _Paragraph,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }

    def __init__(self, found: Iterable[Token], *, color: bool) -> None:
        super().__init__("", code_theme=_THEME)
        self.parsed = [
            token.copy(children=list(_inline(token.children, color=color)))
            if token.children
            else token
            for token in found
        ]
