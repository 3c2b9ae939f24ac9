"""A source in any language with the names that it gives itself replaced by numbers."""

from collections.abc import Iterable, Iterator, Sequence

from grader.cohort.likeness.lexeme import Kind, Lexeme

_MEMBER = (".", "->", "::")
_ASSIGNMENTS = frozenset(["=", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
_DECLARING = frozenset(
    ["auto", "class", "const", "def", "enum", "fn", "fun", "func", "function", "interface"]
).union(["let", "mut", "struct", "trait", "type", "val", "var"])


def nameless(lexemes: Iterable[Lexeme]) -> Iterator[str]:
    """A source without its own names.

    A name is the file's own if it is assigned to somewhere, or declared behind a built-in type or
    a word such as ``let``; what is not known to be its own stays as it is. So renaming goes
    unnoticed less often than it does in Python, and calling another function never does.
    """
    all = list(lexemes)
    own = {_key(all, i) for i in _bound(all)}
    numbers: dict[tuple[bool, str], int] = {}
    for i, lexeme in enumerate(all):
        key = _key(all, i)
        is_own = lexeme.kind is Kind.NAME and key in own
        yield f"\1{numbers.setdefault(key, len(numbers))}" if is_own else lexeme.text


def _key(lexemes: Sequence[Lexeme], i: int) -> tuple[bool, str]:
    """Whether a name is a member's, and the name."""
    return i > 0 and lexemes[i - 1].text in _MEMBER, lexemes[i].text


def _bound(lexemes: Sequence[Lexeme]) -> Iterator[int]:
    """Where names are bound. What is assigned to in a call is the called function's argument."""
    calls: list[bool] = [False]
    for i, lexeme in enumerate(lexemes):
        if lexeme.text in ("(", "[", "{"):
            calls.append(lexeme.text == "(" and i > 0 and lexemes[i - 1].kind is Kind.NAME)
        elif lexeme.text in (")", "]", "}") and len(calls) > 1:
            calls.pop()
        elif lexeme.kind is Kind.NAME and (
            _is_declared(lexemes, i) or (not calls[-1] and _is_assigned(lexemes, i))
        ):
            yield i


def _is_assigned(lexemes: Sequence[Lexeme], i: int) -> bool:
    return i + 1 < len(lexemes) and lexemes[i + 1].text in _ASSIGNMENTS


def _is_declared(lexemes: Sequence[Lexeme], i: int) -> bool:
    i -= 1
    while i >= 0 and lexemes[i].text in ("*", "&"):
        i -= 1
    return i >= 0 and (lexemes[i].kind is Kind.TYPE or lexemes[i].text in _DECLARING)
