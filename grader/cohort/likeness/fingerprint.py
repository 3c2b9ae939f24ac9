"""The fingerprint of a submission: the same for all that differ but in names and layout."""

import hashlib
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.python import PythonLexer
from pygments.util import ClassNotFound

from grader.cohort.likeness import names, python
from grader.cohort.likeness.lexeme import lexemes

# What is larger is compared as text, blanks aside; no source of an exercise comes near. Pygments
# reads by regular expressions, some of which look on from every place to the end of the line or of
# the file: at this size they take a second at worst in Python, three in Java, measured with what
# each of their branches waits for, repeated.
_MAX_CHARACTERS = 16 * 1024
_MAX_LINE = 1000

#: How many words beyond the starter's there must be: names, numbers, strings, operators, brackets,
#: so some eight lines. Of less than that, two may well think by themselves: a stack that keeps a
#: list takes 16. Whole solutions, layout aside, have some hundreds.
ENOUGH = 60


def fingerprint(source: bytes, file_name: str, starter: bytes = b"") -> str:
    """A text that is the same for submissions that are the same but for names and layout.

    Args:
        source: what was handed in.
        file_name: what the exercise calls such a file; its ending says the language.
        starter: what everybody was given.

    Returns:
        The fingerprint; empty where there is too little to tell, such as an untouched starter.
    """
    words = _words(source, file_name)
    if len(words) - len(_starter_words(starter, file_name)) < ENOUGH:
        return ""
    return hashlib.sha256(repr(words).encode()).hexdigest()


@lru_cache(maxsize=8)
def _starter_words(starter: bytes, file_name: str) -> list[str]:
    return _words(starter, file_name)


def _words(source: bytes, file_name: str) -> list[str]:
    lines = [line.rstrip() for line in _text(source).splitlines()]
    text = "\n".join(filter(None, lines))
    lexer = _lexer(file_name)
    if lexer is None or len(text) > _MAX_CHARACTERS or max(map(len, lines), default=0) > _MAX_LINE:
        return text.split()
    nameless = python.nameless if isinstance(lexer, PythonLexer) else names.nameless
    return list(nameless(lexemes(text, lexer)))


def _text(source: bytes) -> str:
    """A source as text, whatever it is encoded in."""
    source = source.removeprefix(b"\xef\xbb\xbf")
    for encoding in ("utf-8", "gb18030"):
        try:
            return source.decode(encoding)
        except UnicodeDecodeError:
            continue
    return source.decode("latin-1")


@lru_cache(maxsize=8)
def _lexer(file_name: str) -> Lexer | None:
    """What reads files of such a name; None where nothing does."""
    try:
        return get_lexer_for_filename(file_name)
    except ClassNotFound:
        return None
