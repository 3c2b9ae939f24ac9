"""Markdown as HTML, in parts, and as tokens: CommonMark with ids, for Chinese as well as English.

What is no Markdown is text: HTML is escaped, and links lead to the web or into the page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby, pairwise
from operator import itemgetter

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, isMdAsciiPunct, isPunctChar
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Operator, String, _TokenType
from pygments.util import ClassNotFound

#: Characters that are written without blanks between words, and their punctuation.
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_CJK += "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
CJK = re.compile(f"[{_CJK}]")
#: Punctuation that Chinese and English share: beside a Chinese character it is Chinese.
_SHARED = "“”‘’—…·"

#: The classes of words that have a colour; the rest of code is as it is.
_COLOURS = ((Keyword, "k"), (Operator.Word, "k"), (String, "s"))

#: What Pygments takes for comments and is none: ``#include``, ``<vector>``, ``#[derive]``.
_DIRECTIVES = {Comment.Preproc: "k", Comment.PreprocFile: "s"}

#: Words of one colour that nothing but blanks part, up to the end of the last.
_ALIKE = re.compile(r"<span class=(\w)>[^<]*(?:</span>\s+<span class=\1>[^<]*)+")
_TAG = re.compile("<[^>]*>")

#: What a link may begin with.
_TARGETS = ("https://", "http://", "#")


@dataclass(frozen=True)
class Part:
    """What stands below a heading that has an id, up to the next one.

    Attributes:
        id: the heading's id; empty for what comes before the first.
        title: the heading as inline HTML.
        html: the rest.
    """

    id: str
    title: str
    html: str


def to_html(text: str) -> str:
    """A text as blocks of HTML."""
    return _render(tokens(text))


def inline_html(text: str) -> str:
    """One line, such as a title, as HTML without a paragraph around it.

    >>> inline_html("**真，**她 <b>")
    '<strong>真，</strong>她 &lt;b&gt;'
    """
    return str(_parser().renderInline(text))


def plain(text: str) -> str:
    """One line without its markup.

    >>> plain("`run` and **all**")
    'run and all'
    """
    return "".join(_visible(token) for token in inline_tokens(text))


def parts(text: str) -> list[Part]:
    """A text cut at its headings that have ids; first, what comes before them."""
    found = tokens(text)
    heads = [
        i
        for i, token in enumerate(found)
        if token.type == "heading_open" and not token.level and "id" in token.attrs
    ]
    cut = [Part("", "", _render(found[: heads[0] if heads else len(found)]))]
    for start, end in pairwise([*heads, len(found)]):
        # A heading is three tokens: its opening, what it says, its end.
        title, rest = found[start + 1 : start + 2], found[start + 3 : end]
        cut.append(Part(str(found[start].attrs["id"]), _render(title), _render(rest)))
    return cut


def items(text: str, list_id: str) -> list[str]:
    """What is in each item of a list, as HTML; nothing if no list has that id."""
    return [_render(inner).strip() for inner in item_tokens(tokens(text), list_id).values()]


def item_tokens(found: Sequence[Token], list_id: str) -> dict[str, list[Token]]:
    """The id of each item of an ordered list that has an id -> the tokens in it."""
    inner = {}
    for start, token in enumerate(found):
        id = str(token.attrs.get("id", ""))
        if token.type == "list_item_open" and re.fullmatch(re.escape(list_id) + r"\d+", id):
            inner[id] = found[start + 1 : _end(found, start)]
    return {id: list(tokens) for id, tokens in inner.items()}


def ids(text: str) -> list[str]:
    """The ids in a text, one as often as it is there."""
    return [str(token.attrs["id"]) for token in flat(tokens(text)) if "id" in token.attrs]


def tokens(text: str) -> list[Token]:
    """A text as markdown-it's tokens: ids are given out, line breaks within Chinese are gone."""
    return _parser().parse(text)


def inline_tokens(text: str) -> list[Token]:
    """One line as markdown-it's tokens."""
    return _parser().parseInline(text)[0].children or []


def flat(found: Sequence[Token]) -> Iterator[Token]:
    """Tokens with those within them. What is hidden draws nothing, so an id on it is none."""
    for token in found:
        if not token.hidden:
            yield token
        yield from flat(token.children or ())


def codes(found: Sequence[Token]) -> dict[str, str]:
    """The languages of code that is told in several: alias -> name, in their order."""
    lexers = [lexer_of(found[i].info) for group in _groups(found) for i in group]
    return {lexer.aliases[0]: lexer.name for lexer in lexers}


def in_code(found: Sequence[Token], language: str) -> list[Token]:
    """Tokens in which code of several languages is left in one; else in the first that it has."""
    left_out = set[int]()
    for group in _groups(found):
        shown = next((i for i in group if _language(found[i]) == language), group[0])
        left_out |= {*group} - {shown}
    return [token for i, token in enumerate(found) if i not in left_out]


def is_comment(kind: _TokenType) -> bool:
    """Whether words of code are for people alone; a directive to a compiler is not."""
    return kind in Comment and kind not in _DIRECTIVES


def lexer_of(info: str) -> Lexer:
    """What splits code of the language that a block names; text, if it is not known."""
    name = info.split(maxsplit=1)[0] if info.strip() else "text"
    try:
        return get_lexer_by_name(name, stripnl=False)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False)


def _render(found: Sequence[Token]) -> str:
    parser = _parser()
    return str(parser.renderer.render(found, parser.options, {}))


def _end(found: Sequence[Token], start: int) -> int:
    """The place of the token that closes one."""
    level = found[start].level
    return next(
        i
        for i in range(start + 1, len(found))
        if found[i].level == level and found[i].nesting == -1
    )


# --- the parser ----------------------------------------------------------------------------------


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's own name
        """Whether a link is made: to the web, or into the page."""
        return url.lower().startswith(_TARGETS)


@cache
def _parser() -> MarkdownIt:
    parser = _Markdown("commonmark", {"html": False})
    parser.disable("image")  # a page fetches nothing
    parser.inline.ruler.at("emphasis", _emphasis)
    attrs_plugin(parser, spans=True, allowed=["id"])
    attrs_block_plugin(parser, allowed=["id"])
    parser.core.ruler.push("item_ids", _give_ids)
    parser.core.ruler.push("cjk_breaks", _drop_breaks)
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule("link_open", _link)
    return parser


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Markdown-it's rule, but that punctuation beside a Chinese character hinders nothing.

    CommonMark lets ``**`` close after punctuation only where a blank or punctuation follows;
    Chinese has no blanks, so that ``**真，**她`` would stay as it is.
    """
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    scanned = state.scanDelims(state.pos, marker == "*")
    opens, closes = scanned.can_open, scanned.can_close
    if marker == "*":
        # Lines begin and end as if there were a blank.
        end = state.pos + scanned.length
        before = f"  {state.src[: state.pos]}"[-2:]
        after = f"{state.src[end : state.posMax]}  "[:2]
        near = before[1] + after[0]
        opens = opens or _chinese(near + after[1], after[0])
        closes = closes or _chinese(near + before[0], before[1])
    for _ in range(scanned.length):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(ord(marker), scanned.length, len(state.tokens) - 1, -1, opens, closes)
        )
    state.pos += scanned.length
    return True


def _chinese(neighbours: str, inside: str) -> bool:
    """Whether a mark stands in Chinese, and punctuation is what it has on the inside."""
    punctuation = isMdAsciiPunct(ord(inside)) or isPunctChar(inside)
    return punctuation and bool(CJK.search(neighbours))


def _give_ids(state: StateCore) -> None:
    """The items of an ordered list with the id X get X1, X2, … by their numbers."""
    for start, token in enumerate(state.tokens):
        if token.type != "ordered_list_open" or "id" not in token.attrs:
            continue
        number = int(token.attrs.get("start", 1))
        for item in state.tokens[start + 1 : _end(state.tokens, start)]:
            if item.type == "list_item_open" and item.level == token.level + 1:
                item.attrSet("id", f"{token.attrs['id']}{number}")
                number += 1


def _drop_breaks(state: StateCore) -> None:
    """Drop the line breaks between two Chinese characters, which would be drawn as blanks."""
    for block in state.tokens:
        children = block.children or []
        block.children = [
            token
            for i, token in enumerate(children)
            if token.type != "softbreak"
            or not _no_blank(_last(children[:i]), _first(children[i + 1 :]))
        ] or block.children


def _no_blank(before: str, after: str) -> bool:
    """Whether two characters are written without a blank between them."""
    chinese = [bool(CJK.match(character)) for character in (before, after)]
    shared = [character in _SHARED for character in (before, after) if character]
    return all(chinese) or (any(chinese) and any(shared))


def _last(found: Sequence[Token]) -> str:
    return next((text[-1] for token in reversed(found) if (text := _visible(token))), "")


def _first(found: Sequence[Token]) -> str:
    return next((text[0] for token in found if (text := _visible(token))), "")


def _visible(token: Token) -> str:
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content


# --- what is drawn in another way ----------------------------------------------------------------


def _code(
    _renderer: RendererHTML,
    found: Sequence[Token],
    i: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    """A block of code, its words marked by classes; it may scroll, so that keys must reach it."""
    lexer = lexer_of(found[i].info)
    id = f' id="{escapeHtml(str(found[i].attrs["id"]))}"' if "id" in found[i].attrs else ""
    code = _words(found[i].content, lexer)
    block = f"<pre tabindex=0><code>{code}</code></pre>"
    group = next((group for group in _groups(found) if i in group), None)
    if group is None:
        return f"<div class=code{id}>{block}</div>\n"
    told = f"data-code={lexer.aliases[0]}"
    if i == group[0]:  # its id is that of the group, for it may be hidden
        return f"<div class=codes{id}><div class=code {told}>{block}</div>"
    inner = f"<summary>{escapeHtml(lexer.name)}</summary>{block}"
    end = "</div>\n" if i == group[-1] else ""
    return f"<details class=code{id} {told}>{inner}</details>{end}"


def _groups(found: Sequence[Token]) -> Iterator[range]:
    """The places of blocks that follow each other, each in another language.

    Where a language comes again, something else is told.
    """
    group: list[str] = []
    for i in range(len(found) + 1):
        language = _language(found[i]) if i < len(found) else ""
        if not language or language in group:
            if len(group) > 1:
                yield range(i - len(group), i)
            group = []
        group += [language] if language else []


def _language(token: Token) -> str:
    """The language of a block of code; none of a text, nor of what is no block."""
    name = str(lexer_of(token.info).aliases[0]) if token.type == "fence" else "text"
    return "" if name == "text" else name


def _words(code: str, lexer: Lexer) -> str:
    """Code as HTML, with those words marked that have a colour, as many at once as may be."""
    told = ((_colour(kind), word) for kind, word in lexer.get_tokens(code))
    html = "".join(
        f"<span class={colour}>{words}</span>" if colour and words.strip() else words
        for colour, group in groupby(told, itemgetter(0))
        for words in [escape("".join(word for _, word in group), quote=False)]
    )
    return _ALIKE.sub(lambda run: f"<span class={run[1]}>{_TAG.sub('', run[0])}", html)


def _colour(kind: _TokenType) -> str:
    if is_comment(kind):
        return "c"
    return _DIRECTIVES.get(kind) or next((name for above, name in _COLOURS if kind in above), "")


def _link(
    renderer: RendererHTML,
    found: Sequence[Token],
    i: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """A link; one that leaves the page does not tell where from."""
    if not str(found[i].attrs["href"]).startswith("#"):
        found[i].attrSet("rel", "noreferrer")
    return renderer.renderToken(found, i, options, env)
