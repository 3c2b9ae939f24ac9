"""Python's layout: which lexemes are a line, how deep it stands, and what makes no difference.

Python means something by its layout, so there is more of it than can be dropped: a line's place
within blocks counts, and the columns that make it do not.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from grader.cohort.likeness.lexeme import Kind, Lexeme, without_seams

ASSIGNMENTS = frozenset(
    ["=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "//=", "**=", "<<=", ">>="]
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

#: What the heading of a block begins with.
_BLOCKS = frozenset(["async", "class", "def", "for", "if", "elif", "else", "match", "case"]).union(
    ["try", "except", "finally", "while", "with"]
)

# A bracket around all that stands between one of the former and one of the latter encloses no less
# than a whole expression, and may as well not be there. None is an end of the line.
_BEFORE = ASSIGNMENTS.union(
    [None, "(", "[", "{", ",", ":", "->", "return", "yield", "raise", "assert"],
    ["if", "elif", "while", "with", "match", "case", "import"],
)
_AFTER = frozenset([None, ")", "]", "}", ",", ":", "="])

#: Between these, that holds for a tuple's as well.
_AROUND_TUPLE = frozenset(
    [(None, None), (None, "="), ("=", "="), ("=", None), ("return", None), ("yield", None)]
).union([("import", None), ("for", "in"), ("with", ":"), ("match", ":"), ("case", ":")])


@dataclass
class Line:
    """A logical line of Python.

    Attributes:
        level: how many blocks it stands in.
        lexemes: what it is made of.
    """

    level: int
    lexemes: list[Lexeme] = field(default_factory=list)


def lines(source: Iterable[Lexeme]) -> Iterator[Line]:
    """A Python source line by line, documentation left out.

    What stands behind ``;``, or behind the colon of a block, is a line of its own.
    """
    for line in chain.from_iterable(map(_parts, _logical_lines(source))):
        lexemes = _without_needless(list(without_seams(line.lexemes)))
        if any(lexeme.kind is not Kind.STRING for lexeme in lexemes):
            yield Line(line.level, lexemes)


def _logical_lines(lexemes: Iterable[Lexeme]) -> Iterator[Line]:
    """Lines that go on for as long as a bracket is open."""
    columns = [0]  # where the blocks around begin
    line = Line(0)
    depth = 0
    for lexeme in lexemes:
        if lexeme.column is not None and depth == 0:
            yield line
            while len(columns) > 1 and lexeme.column < columns[-1]:
                columns.pop()
            if lexeme.column > columns[-1]:
                columns.append(lexeme.column)
            line = Line(len(columns) - 1)
        depth = max(0, depth + step(lexeme))
        line.lexemes.append(lexeme)
    yield line


def _parts(whole: Line) -> Iterator[Line]:
    """What ``;`` and the colon of a block divide a line into."""
    part = Line(whole.level)
    depth = lambdas = 0
    for lexeme in whole.lexemes:
        depth += step(lexeme)
        if depth == 0 and lexeme.text == ";":
            yield part
            part = Line(part.level)
            continue
        part.lexemes.append(lexeme)
        colon = depth == 0 and lexeme.text == ":"
        if colon and not lambdas and _heads_block(part.lexemes[0]):
            yield part
            part = Line(part.level + 1)
        lambdas += (depth == 0 and lexeme.text == "lambda") - (colon and lambdas > 0)
    yield part


def _heads_block(first: Lexeme) -> bool:
    return first.kind is Kind.WORD and first.text in _BLOCKS


def step(lexeme: Lexeme) -> int:
    """By how much a lexeme makes brackets deeper."""
    if lexeme.kind is Kind.STRING:
        return 0
    return (lexeme.text in OPENING) - (lexeme.text in CLOSING)


def _without_needless(lexemes: list[Lexeme]) -> list[Lexeme]:
    """A line without brackets and commas that change nothing."""
    dropped: set[int] = set()
    brackets: list[_Bracket] = []
    for i, lexeme in enumerate(lexemes):
        if lexeme.kind is Kind.STRING:
            continue
        if lexeme.text in OPENING:
            brackets.append(_Bracket(lexemes, i))
        elif lexeme.text in CLOSING and brackets:
            dropped.update(brackets.pop().needless(i))
        elif brackets:
            brackets[-1].commas += lexeme.text == ","
            brackets[-1].loops += lexeme.text == "for"
    return [lexeme for i, lexeme in enumerate(lexemes) if i not in dropped]


class _Bracket:
    """A bracket in a line, while what it encloses is read.

    Attributes:
        commas: how many there are directly within it.
        loops: how many ``for`` there are directly within it.
    """

    def __init__(self, lexemes: list[Lexeme], opening: int) -> None:
        self._lexemes, self._opening = lexemes, opening
        self.commas = self.loops = 0

    def needless(self, closing: int) -> Iterator[int]:
        """What may as well not be there: a last comma, the bracket itself.

        Args:
            closing: where its other half is.
        """
        before, after = self._text(self._opening - 1), self._text(closing + 1)
        round = self._text(self._opening) == "("
        applied = self._opening > 0 and is_applied(self._lexemes[self._opening - 1])
        # In (a,) and x[a,] the comma makes the tuple.
        tuple = self.commas == 1 and round != applied and before != "import"
        if self._text(closing - 1) == "," and not tuple:
            yield closing - 1
        no_bases = self._text(self._opening - 2) == "class" and closing == self._opening + 1
        if no_bases or (round and not applied and self._is_needless(before, after, closing)):
            yield from (self._opening, closing)

    def _is_needless(self, before: str | None, after: str | None, closing: int) -> bool:
        """Whether a bracket changes nothing that is no call's, for what is around it."""
        if (before, after) == (None, ":"):  # (a): int declares no a
            return False
        if closing <= self._opening + 2:  # around nothing it is a tuple, around one lexeme nothing
            return closing == self._opening + 2
        if self.loops:  # a generator, which is all that a function is called with
            called = self._opening > 1 and is_applied(self._lexemes[self._opening - 2])
            return (before, after) == ("(", ")") and called
        if self.commas:
            return (before, after) in _AROUND_TUPLE
        if (before, after) == ("in", ":"):
            return self._text(0) in ("for", "async")
        return before in _BEFORE and after in _AFTER

    def _text(self, i: int) -> str | None:
        return self._lexemes[i].text if 0 <= i < len(self._lexemes) else None


def is_applied(before: Lexeme) -> bool:
    """Whether a bracket behind this is a call's or a subscript's."""
    return before.kind in (Kind.NAME, Kind.STRING) or before.text in CLOSING
