"""The pages' templates: Jinja, with everything escaped and nothing left undefined."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape
from jinja2.exceptions import TemplateNotFound
from markupsafe import Markup

from grader.errors import EnvironmentFault
from grader.i18n import LANGUAGES, Translator, printable

#: Where the templates are: beside the package, in the project.
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

#: How a language is named in HTML, and in itself.
_TAGS = {"zh": "zh-CN", "en": "en"}
_NAMES = {"zh": "中文", "en": "English"}

#: How many pieces of a template make one that is worth writing to a file.
_PIECES = 1000


class Script(NamedTuple):
    """The pages' script, and what the page's policy allows it to run by."""

    text: Markup
    hash: str


class PageLanguage(NamedTuple):
    """A language that a page is there in."""

    id: str
    html: str
    name: str


def languages(but: str = "") -> list[PageLanguage]:
    """The languages that there are pages in, but for one."""
    return [PageLanguage(id, _TAGS[id], _NAMES[id]) for id in LANGUAGES if id != but]


def render(name: str, say: Translator, **context: Any) -> str:
    """A template as a whole page that needs no other file and no network.

    Args:
        name: the template's file. A style or a script of the same name is this page's own, and
            comes after those that all pages have.
        say: puts ids into the reader's language.
        context: what the template asks for.

    Raises:
        EnvironmentFault: the templates are not where they belong.
    """
    page, shared = _page(name, say)
    return _tight_outside_code(page.render(shared | context))


def stream(name: str, say: Translator, **context: Any) -> Iterator[str]:
    """A page like ``render``'s, piece by piece, for one that grows with a class.

    Raises:
        EnvironmentFault: the templates are not where they belong.
    """
    page, shared = _page(name, say)
    pieces = page.stream(shared | context)
    pieces.enable_buffering(_PIECES)
    return pieces


def _page(name: str, say: Translator) -> tuple[Template, dict[str, Any]]:
    """A page's template, and what every page is given."""
    environment = _environment()
    try:
        page = environment.get_template(name)
        style, script = _assets(environment, Path(name).stem)
    except TemplateNotFound as error:
        raise EnvironmentFault("environment.templates", file=str(TEMPLATES / str(error))) from None
    lang = next(one for one in languages() if one.id == say.language)
    return page, {"say": say, "lang": lang, "style": style, "script": script}


def _shown(value: Any) -> Any:
    """A value of which nothing is left that a browser would obey and not show. Our own HTML is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _assets(environment: Environment, page: str) -> tuple[Markup, Script]:
    """The style and the script: those of every page, and then a page's own, if it has any."""
    own = [f"{page}.{ending}" for ending in ("css", "js")]
    known = environment.list_templates(filter_func=own.__contains__)
    style, script = (
        "".join(
            environment.get_template(file).render() for file in (shared, *known) if kind in file
        )
        for shared, kind in (("style.css", ".css"), ("page.js", ".js"))
    )
    return Markup(_tight_css(style)), _script(_tight(script))  # noqa: S704 - our own files


def _script(text: str) -> Script:
    """The script by its hash: whatever else gets into a page, nothing else runs there."""
    text = f"\n{text}"
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return Script(Markup(text), f"sha256-{digest}")  # noqa: S704 - our own file


def _tight(text: str) -> str:
    """Without indents, blank lines and lines of comment."""
    return re.sub(r"^[ \t]*//.*\n|^[ \t]*\n|^[ \t]+", "", text, flags=re.MULTILINE)


def _tight_css(text: str) -> str:
    """Without blanks, too, that stand beside braces, commas and semicolons."""
    return re.sub(r"\s*([{};,])\s*|(?<=[:]) (?=[^{}]*[;}])", r"\1", _tight(text)).replace(";}", "}")


#: What of a page is left as it is, and what HTML does without in the rest: quotes around a word,
#: and line ends before what stands in lines of its own.
_AS_IT_IS = re.compile(r"(<pre.*?</pre>|<script>.*?</script>|<style>.*?</style>)", re.DOTALL)
_QUOTED = re.compile(r'(?<=[a-z]=)"([\w-]+)"(?=[^<>]*>)')
_OWN_LINE = "tr|table|div|dl|ul|ol|li|figure|section|h[1-6]|p|fieldset|details"
_LINE_END = re.compile(rf"\n\s*(?=</?(?:{_OWN_LINE})\b)")


def _tight_outside_code(page: str) -> str:
    """A page without what says nothing, but for what stands in ``<pre>``."""
    return "".join(
        piece if i % 2 else _tight_html(piece) for i, piece in enumerate(_AS_IT_IS.split(page))
    )


def _tight_html(text: str) -> str:
    return _QUOTED.sub(r"\1", re.sub(r"\n\s+", "\n", _LINE_END.sub("", text)))
