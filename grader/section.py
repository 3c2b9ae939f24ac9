"""The texts of an exercise's page: read, and proved to say the same in every language."""

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from grader.errors import ExerciseError, UsageError
from grader.exercise import Exercise
from grader.i18n import LANGUAGES
from grader.manifest import SUMMARY
from grader.markdown import flat, ids, inline_tokens, is_comment, lexer_of, tokens
from grader.message import Message

#: What each translation was made from.
TRANSLATED = "translated.toml"

#: The language of a block that holds a table as data.
TABLE = "table"

#: What a text and its translation have in common.
KINDS = ("numbers", "code", "links", "ids", "placeholders")

_ID = re.compile(r"[a-z][a-z0-9_-]*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_HASH_DIGITS = 16


@dataclass(frozen=True)
class Section:
    """One text in one language.

    Attributes:
        id: its name, which is its file's.
        language: what it is written in.
        title: inline Markdown; empty for the summary, which has none.
        body: Markdown.
    """

    id: str
    language: str
    title: str
    body: str


def read_sections(
    exercise: Exercise, language: str, only: Collection[str] | None = None
) -> dict[str, Section]:
    """The texts of a page in the order of the page: the summary, the sections, the examples'.

    Args:
        exercise: whose page.
        language: one of the reader's.
        only: the ids of the texts that are wanted, if not all.

    Raises:
        ExerciseError: a text is missing or cannot be read.
    """
    names = [id for id in exercise.manifest.texts() if only is None or id in only]
    return {id: _section(id, language, _text(exercise, language, id)) for id in names}


def read_hint(exercise: Exercise, language: str, level: int) -> dict[str, Section]:
    """The section of one level of the hints, and the first, which holds what is asked.

    Raises:
        UsageError: the exercise has no such level.
        ExerciseError: a text is missing or cannot be read.
    """
    pages = exercise.manifest.pages
    if pages is None:
        raise UsageError("usage.no_hints", id=exercise.id)
    if f"l{level}" not in pages.sections:
        known = [id[1:] for id in ("l1", "l2", "l3") if id in pages.sections]
        raise UsageError("usage.no_level", id=exercise.id, level=level, known=known)
    return read_sections(exercise, language, ("l1", f"l{level}"))


def _section(id: str, language: str, text: str) -> Section:
    first, _, rest = text.lstrip().partition("\n")
    if id == SUMMARY or not first.startswith("# "):
        return Section(id, language, "", text)
    return Section(id, language, first.removeprefix("# ").strip(), rest.lstrip())


def _text(exercise: Exercise, language: str, id: str) -> str:
    file = exercise.text_file(language, id)
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        shown = exercise.shown(file)
        raise ExerciseError("exercise.no_section", file=shown, detail=detail) from None


# --- what is wrong with them ---------------------------------------------------------------------


def problems(exercise: Exercise, hints: Collection[str] = ()) -> list[Message]:
    """What is wrong with the texts of a page; nothing if the exercise has no page.

    Args:
        exercise: whose texts.
        hints: ids that are named as places to read on, besides those that the checks name.
    """
    if exercise.manifest.pages is None:
        return []
    source = exercise.manifest.pages.source
    pages = {language: _Texts(exercise, language) for language in LANGUAGES}
    named = {*hints, *(check.hint for check in exercise.manifest.checks)}
    found: list[Message] = []
    for language, texts in pages.items():
        found += [*texts.missing, *texts.strays(), *texts.misshapen(), *texts.misplaced(named)]
        if language != source:
            found += [*texts.stale(pages[source]), *texts.unlike(pages[source])]
    return found


class _Texts:
    """The texts of a page in one language, as they stand in their files.

    Attributes:
        texts: by their ids.
        missing: those that cannot be read.
    """

    def __init__(self, exercise: Exercise, language: str) -> None:
        self._exercise, self._language = exercise, language
        self.texts: dict[str, str] = {}
        self.missing: list[Message] = []
        for id in exercise.manifest.texts():
            try:
                self.texts[id] = _text(exercise, language, id)
            except ExerciseError as error:
                self.missing.append(error.message)

    def strays(self) -> Iterator[Message]:
        """Files that are no text of the page."""
        known = {f"{id}.md" for id in self._exercise.manifest.texts()} | {TRANSLATED}
        for path in sorted(self._exercise.texts_in(self._language).glob("*")):
            if path.name not in known:
                yield Message("validate.stray", {"file": self._exercise.shown(path)})

    def misshapen(self) -> Iterator[Message]:
        """Titles that are missing, tables that cannot be read, ids that are none."""
        for id, text in self.texts.items():
            file = self.shown(id)
            if id != SUMMARY and not _section(id, self._language, text).title:
                yield Message("validate.untitled", {"file": file})
            for table in _tables(text):
                try:
                    tomllib.loads(table)
                except tomllib.TOMLDecodeError as error:
                    yield Message("validate.table", {"file": file, "detail": str(error)})
            for name in ids(text):
                if not _ID.fullmatch(name):
                    yield Message("validate.id", {"file": file, "id": name})

    def misplaced(self, named: Iterable[str]) -> Iterator[Message]:
        """Ids that are there twice, and those that hints and links name and that are not there."""
        manifest = self._exercise.manifest
        sections = manifest.pages.sections if manifest.pages else ()
        # The sections and the examples are places of their own.
        here = Counter({*manifest.texts(), *sections})
        for text in self.texts.values():
            here.update(ids(text))
        for id in sorted(id for id, count in here.items() if count > 1):
            yield Message("validate.id_twice", {"language": self._language, "id": id})
        for id in sorted(set(named) - here.keys()):
            yield Message("validate.no_hint", {"language": self._language, "id": id})
        for name, text in self.texts.items():
            for link in sorted(facts(text)["links"]):
                if link.startswith("#") and link[1:] not in here:
                    yield Message("validate.no_target", {"file": self.shown(name), "link": link})

    def stale(self, source: "_Texts") -> Iterator[Message]:
        """Texts that were made, or may have been made, from another source than there is now."""
        path = self._exercise.texts_in(self._language) / TRANSLATED
        toml = self._exercise.shown(path)
        try:
            made_from = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            yield Message("validate.translated", {"file": toml, "detail": str(error)})
            return
        for id in sorted(made_from.keys() - set(self._exercise.manifest.texts())):
            yield Message("validate.no_source", {"file": toml, "section": id})
        for id, text in source.texts.items():
            now = text_hash(text)
            if made_from.get(id) != now:
                params = {"file": self.shown(id), "source": source.shown(id), "toml": toml}
                yield Message(
                    "validate.stale" if id in made_from else "validate.unrecorded",
                    {**params, "section": id, "hash": now},
                )

    def unlike(self, source: "_Texts") -> Iterator[Message]:
        """Numbers, code, links and ids that a text and its translation do not share."""
        for id in (id for id in self.texts if id in source.texts):
            ours, theirs = facts(self.texts[id]), facts(source.texts[id])
            for kind in KINDS:
                if ours[kind] != theirs[kind]:
                    params = {"file": self.shown(id), "source": source.shown(id)}
                    more = sorted((ours[kind] - theirs[kind]).elements())
                    less = sorted((theirs[kind] - ours[kind]).elements())
                    yield Message(f"validate.unlike_{kind}", {**params, "more": more, "less": less})

    def shown(self, id: str) -> str:
        """A text's file as messages name it."""
        return self._exercise.shown(self._exercise.text_file(self._language, id))


def text_hash(text: str) -> str:
    """What tells a source text from others, as ``translated.toml`` records it.

    The first digits of what ``sha256sum`` says of the file, if its lines end as on Unix.
    """
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]


# --- what a text says in any language ------------------------------------------------------------


def facts(text: str) -> dict[str, Counter[str]]:
    """What a text and its translation must have in common, by ``KINDS``.

    Code is compared without comments; the cells of a table are text.

    >>> {kind: list(said) for kind, said in facts("`bs=3`: row 2.5 {a}").items() if said}
    {'numbers': ['2.5'], 'code': ['`bs=3`']}
    """
    found: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    found["ids"].update(ids(text))
    _note(flat(tokens(text)), found)
    for cell in (cell for table in _tables(text) for cell in _cells(table)):
        found["placeholders"].update(_PLACEHOLDER.findall(cell))
        _note(inline_tokens(_PLACEHOLDER.sub("{}", cell)), found)
    return found


def _note(said: Iterable[Token], found: dict[str, Counter[str]]) -> None:
    for token in said:
        match token.type:
            case "text":
                found["numbers"].update(_NUMBER.findall(token.content))
            case "code_inline":
                found["code"].update([f"`{token.content}`"])
            case "link_open":
                found["links"].update([str(token.attrs["href"])])
            case "fence" | "code_block" if not _is_table(token):
                found["code"].update(f"`{line}`" for line in _lines(token))


def _lines(block: Token) -> list[str]:
    """The lines of a block of code, without comments and without blank ones."""
    said = lexer_of(block.info).get_tokens(block.content)
    code = "".join(word for kind, word in said if not is_comment(kind))
    return [line.rstrip() for line in code.splitlines() if line.strip()]


def _tables(text: str) -> list[str]:
    """What the blocks say that hold tables."""
    return [token.content for token in flat(tokens(text)) if _is_table(token)]


def _is_table(token: Token) -> bool:
    return token.type == "fence" and token.info.split()[:1] == [TABLE]


def _cells(table: str) -> Iterator[str]:
    """The cells of a table as data, and its keys' other values; nothing of what is no TOML."""
    try:
        pending: list[object] = list(tomllib.loads(table).values())
    except tomllib.TOMLDecodeError:
        return
    while pending:
        match pending.pop():
            case list() as values:
                pending += values
            case dict() as values:
                pending += values.values()
            case value:
                yield str(value)
