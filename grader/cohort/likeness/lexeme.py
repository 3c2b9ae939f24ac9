"""Lexemes: a source as its language reads it, without comments and blanks."""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from pygments.lexer import Lexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

#: Operators whose ``=`` assigns nothing, or not alone. Pygments gives most of them in pieces.
_OPERATORS = re.compile(r"===|!==|(?:\*\*|//|<<|>>)=|[-+*/%@&|^<>!=:]=|[-=]>|.")

#: A string that Pygments gives in one piece.
_WHOLE = re.compile(r"""(["']).*\1""", re.DOTALL)

_DECIMAL = re.compile(r"(?=.*[.e])\d*\.?\d*(?:e[-+]?\d+)?")

_QUOTES = ('"', "'", '"""', "'''")

#: Stands for the quotes around a string, of whatever kind.
_QUOTE = "\0"

#: What Pygments holds for comments, and is part of the program.
_DIRECTIVES = (Comment.Preproc, Comment.PreprocFile)


class Kind(Enum):
    """What a lexeme is."""

    NAME = "name"
    WORD = "word"
    TYPE = "type"
    STRING = "string"
    OPERATOR = "operator"
    OTHER = "other"
    BLANK = "blank"


#: What Pygments calls the kinds.
_KINDS = (
    (Text, Kind.BLANK),
    (Name, Kind.NAME),
    (Keyword.Type, Kind.TYPE),
    (Keyword, Kind.WORD),
    (String, Kind.STRING),
    (Operator, Kind.OPERATOR),
)


class Lexeme(NamedTuple):
    """A word, a number, a string, an operator.

    Attributes:
        kind: what it is.
        text: how it is written; where there are several ways to write the same, one of them.
        column: the columns before it, where it is the first on its line.
    """

    kind: Kind
    text: str
    column: int | None = None


class _Piece(NamedTuple):
    """What Pygments gives: a lexeme, or a part of one."""

    kind: Kind
    text: str
    column: int | None
    run: int


def lexemes(text: str, lexer: Lexer) -> Iterator[Lexeme]:
    r"""Read a source.

    Args:
        text: the source; its lines end in ``\n``.
        lexer: for its language.
    """
    for (kind, _), group in groupby(_pieces(text, lexer), lambda piece: (piece.kind, piece.run)):
        pieces = list(group)
        joined = "".join(piece.text for piece in pieces)
        if kind is Kind.STRING:
            parts: Iterable[str] = [joined]
        else:
            parts = _OPERATORS.findall(joined) if kind is Kind.OPERATOR else joined.split()
        column = pieces[0].column
        for part in parts:
            yield Lexeme(kind, part, column)
            column = None


def without_seams(lexemes: Iterable[Lexeme]) -> Iterator[Lexeme]:
    """Lexemes with strings side by side, which are one string, as one."""
    for is_string, group in groupby(lexemes, lambda lexeme: lexeme.kind is Kind.STRING):
        if is_string:
            first, *others = group
            text = "".join((first.text, *(other.text for other in others)))
            yield first._replace(text=text.replace(_QUOTE * 2, ""))
        else:
            yield from group


def _pieces(text: str, lexer: Lexer) -> Iterator[_Piece]:
    """What is no comment and no blank; what belongs together has one number of a run."""
    is_python = isinstance(lexer, PythonLexer)
    quotes = _Quotes()
    line: int | None = 0  # where the line begins, if nothing of it has been seen
    run, end = 0, -1
    for start, type, value in lexer.get_tokens_unprocessed(text):
        kind = _kind(type, is_python=is_python)
        if kind is None or (kind is Kind.BLANK and not value.strip("\\ \t\n\f")):
            if "\n" in value and value != "\\\n":
                line = start + value.rfind("\n") + 1
            continue
        # An operator, or a string, comes in pieces with nothing between them.
        run += kind not in (Kind.STRING, Kind.OPERATOR) or start != end
        column = None if line is None else len(text[line:start].expandtabs())
        line, end = None, start + len(value)
        if type in Name.Decorator and value[0] == "@" != value:
            yield _Piece(Kind.OPERATOR, "@", column, run)
            run += 1
            yield _Piece(kind, value[1:], None, run)
        elif type in String:
            yield _Piece(kind, quotes.canonical(type, value), column, run)
        else:
            yield _Piece(kind, _number(value) if type in Number else value, column, run)


@cache
def _kind(type: Any, *, is_python: bool) -> Kind | None:
    """What a piece is of, None for a comment.

    Python's strings at the beginning of lines are told from documentation later on.
    """
    if type in Comment:
        return Kind.OTHER if any(type in directive for directive in _DIRECTIVES) else None
    if type in String.Doc and not is_python:
        return None
    if type in Operator.Word:
        return Kind.WORD
    return next((kind for known, kind in _KINDS if type in known), Kind.OTHER)


def _number(value: str) -> str:
    """A number, written in one way of several where it is a decimal one."""
    value = value.lower().replace("_", "")
    return repr(float(value)) if _DECIMAL.fullmatch(value) else value


class _Quotes:
    """Tells quotes from what they enclose, and has one for all kinds of them."""

    def __init__(self) -> None:
        self._open: str | None = None
        self._outer: list[str] = []  # what is open around an expression within a string

    def canonical(self, type: Any, value: str) -> str:
        """A piece of a string, written in one way of several."""
        if type in String.Affix:
            return "".join(sorted(value.lower().replace("u", "")))
        if type in String.Interpol:
            self._enter_or_leave(value)
        elif type in String.Escape and value[1:] in _QUOTES:
            return value[1:]
        elif value in _QUOTES and self._open in (None, value):
            self._open = None if self._open else value
            return _QUOTE
        elif self._open is None and _WHOLE.fullmatch(value):
            return _QUOTE + value.strip(value[0]) + _QUOTE
        return value

    def _enter_or_leave(self, value: str) -> None:
        if value == "{" and self._open is not None:
            self._outer.append(self._open)
            self._open = None
        elif self._outer and self._open is None:
            self._open = self._outer.pop()
