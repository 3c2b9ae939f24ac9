"""Languages: which one the reader wants, and a message's text in it."""

import gettext
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from grader.message import Message

LANGUAGES = ("zh", "en")
DEFAULT = "zh"

#: The grader's own catalogs. ``messages`` is not used: click looks its own words up there.
_DOMAIN = "grader"
LOCALE = Path(__file__).parent / "locale"

#: The catalogs of an exercise, in its folder ``locale``.
EXERCISE_DOMAIN = "exercise"


def choose_language(option: str | None, environment: Mapping[str, str]) -> str:
    """The reader's language: ``--lang``, then ``GRADER_LANG``, then the locale, then ``zh``.

    A locale of ``C`` or ``POSIX`` says nothing. One of a language that there is no catalog
    for gets English.

    >>> choose_language(None, {"LANG": "en_US.UTF-8"}), choose_language(None, {"LANG": "C.UTF-8"})
    ('en', 'zh')
    """
    for wish in (option, environment.get("GRADER_LANG")):
        if wish in LANGUAGES:
            return wish
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        locale = environment.get(name, "")
        code = locale.split(".")[0].split("_")[0]
        if code in ("", "C", "POSIX"):
            continue
        return code if code in LANGUAGES else "en"
    return DEFAULT


def language_option(arguments: Sequence[str]) -> str | None:
    """What ``--lang`` says, for those who must know before the command line is read.

    >>> language_option(["p17", "--lang", "en"]), language_option(["p17"])
    ('en', None)
    """
    for i, argument in enumerate(arguments):
        if argument == "--lang" and i + 1 < len(arguments):
            return arguments[i + 1]
        if argument.startswith("--lang="):
            return argument.partition("=")[2]
    return None


class Translator:
    """Puts messages into words, in one language.

    Args:
        language: one of ``LANGUAGES``.
        exercise: the folder of the exercise whose own messages are to be known as well.
    """

    def __init__(self, language: str, exercise: Path | None = None) -> None:
        self.language = language
        self._catalogs = [_catalog(_DOMAIN, str(LOCALE), language)]
        if exercise is not None:
            path = str(exercise / "locale")
            self._catalogs.insert(0, _catalog(EXERCISE_DOMAIN, path, language))

    def __call__(self, id: str, /, **params: object) -> str:
        """The text of an id; the id itself where no catalog has it."""
        template = self._template(id)
        if template is None:
            return f"{id} {params}" if params else id
        return template.format_map(_Shown(params))

    def text(self, message: Message) -> str:
        """The text of a message."""
        return self(message.id, **message.params)

    def remedy(self, id: str, /, **params: object) -> str:
        """What to do about what an id's text says; nothing where no text says so."""
        id = f"{id}.next"
        return self(id, **params) if self.knows(id) else ""

    def knows(self, id: str) -> bool:
        """Whether there is a text."""
        return self._template(id) is not None

    def _template(self, id: str) -> str | None:
        for catalog in self._catalogs:
            # gettext("") is the catalog's header.
            if id and (text := catalog.gettext(id)) != id:
                return text
        return None


class _Shown(dict[str, object]):
    """Parameters as they are shown: control characters escaped, a missing one marked."""

    def __init__(self, params: Mapping[str, object]) -> None:
        super().__init__({name: _show(value) for name, value in params.items()})

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _show(value: object) -> object:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(str(_show(item)) for item in value) or "-"
    return printable(value) if isinstance(value, str) else value


def printable(text: str) -> str:
    r"""A text that a terminal shows and does not obey: control characters, lone surrogates and
    characters that change the direction of writing are escaped. Line ends and tabs stay.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


@cache
def _catalog(domain: str, path: str, language: str) -> gettext.NullTranslations:
    return gettext.translation(domain, path, [language], fallback=True)
