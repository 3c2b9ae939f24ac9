"""What a Python file binds itself, and where each of its lexemes stands.

It is read from lexemes, not from a syntax tree: a parser is one more thing for a stranger's file to
break, and says nothing at all about a file with a mistake in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.cohort.likeness.layout import ASSIGNMENTS, Line, is_applied, step
from grader.cohort.likeness.lexeme import Kind, Lexeme
from grader.cohort.likeness.scope import Scope

#: What follows a name that is not bound itself, but something of it is.
_PART = frozenset(".([")

#: What matches in a pattern and binds nothing.
_WILDCARD = "_"

#: What is before a parameter.
_BEFORE_PARAMETER = frozenset(["(", ",", "*", "lambda"])


@dataclass
class ReadLine:
    """A line, and what is known of its lexemes.

    Attributes:
        line: the line.
        scopes: where each of them stands.
        parameters: which of them are parameters being declared.
    """

    line: Line
    scopes: list[Scope] = field(default_factory=list)
    parameters: set[int] = field(default_factory=set)


class Bindings:
    """The names that a file binds, found line by line.

    Attributes:
        attributes: what its classes' attributes are called.
        classes: what its classes are called.
        functions: the parameters of a function, or of a class's constructor.
    """

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.classes: set[str] = set()
        self.functions: dict[str, list[str]] = {}
        self._file = Scope(None, "file")
        # Blocks that have a scope: the level of their heading, the scope, what it is called.
        self._blocks: list[tuple[int, Scope, str]] = [(-1, self._file, "")]

    def read(self, line: Line) -> ReadLine:
        """Read the next line."""
        while self._blocks[-1][0] >= line.level:
            self._blocks.pop()
        scope, lexemes = self._blocks[-1][1], line.lexemes
        read = ReadLine(line)
        self._expressions(read, scope)
        head = 1 if lexemes[0].text == "async" and len(lexemes) > 1 else 0
        keyword = lexemes[head].text if lexemes[head].kind is Kind.WORD else ""
        if keyword in ("def", "class") and len(lexemes) > head + 1:
            define = self._function if keyword == "def" else self._class
            define(read, head + 1, scope)
        else:
            self._statement(lexemes, keyword, scope)
        return read

    def _statement(self, lexemes: Sequence[Lexeme], keyword: str, scope: Scope) -> None:
        """Bind what a line binds that heads no scope of its own."""
        match keyword:
            case "import" | "from":
                scope.foreign.update(_imported(lexemes))
            case "global" | "nonlocal":
                names = {lexeme.text for lexeme in lexemes if lexeme.kind is Kind.NAME}
                if scope is not self._file:
                    scope.passed.update(names)
                if keyword == "global":
                    self._file.names.update(names)
            case "case":
                self._pattern(lexemes, scope)
            case "":
                for start, end in _assigned(lexemes):
                    self._targets(lexemes, start, end, scope)

    def _class(self, read: ReadLine, name: int, scope: Scope) -> None:
        """The heading of a class."""
        text = read.line.lexemes[name].text
        self._bind(text, scope)
        self.classes.add(text)
        self._blocks.append((read.line.level, Scope(scope, "class"), text))

    def _function(self, read: ReadLine, name: int, scope: Scope) -> None:
        """The heading of a function: its name is bound around it, its parameters within."""
        lexemes = read.line.lexemes
        self._bind(lexemes[name].text, scope)
        block = Scope(scope, "def")
        depth = 0
        for i in range(name + 1, len(lexemes)):
            text = lexemes[i].text
            depth += step(lexemes[i])
            if depth == 0:
                break
            if (
                depth == 1
                and lexemes[i].kind is Kind.NAME
                and lexemes[i - 1].text in _BEFORE_PARAMETER
            ):
                block.parameters.append(text)
                read.parameters.add(i)
                read.scopes[i] = block
        block.names.update(block.parameters)
        is_constructor = lexemes[name].text == "__init__"
        called = self._blocks[-1][2] if is_constructor else lexemes[name].text
        self.functions.setdefault(called, block.parameters)
        self._blocks.append((read.line.level, block, lexemes[name].text))

    def _bind(self, name: str, scope: Scope) -> None:
        scope.names.add(name)
        if scope.kind == "class":
            self.attributes.add(name)

    def _expressions(self, read: ReadLine, scope: Scope) -> None:
        """Find the scope of each lexeme of a line, and what is bound within expressions."""
        lexemes = read.line.lexemes
        comprehensions = _comprehensions(lexemes)
        around = [_Around("line", scope)]
        for i, lexeme in enumerate(lexemes):
            here = around[-1]
            read.scopes.append(here.scope)
            if step(lexeme) > 0:
                inner = here.scope.inner() if i in comprehensions else here.scope
                around.append(_Around("bracket", inner))
            elif step(lexeme) < 0:
                _leave_lambdas(around)
                if len(around) > 1:
                    around.pop()
            elif lexeme.text == "lambda":
                around.append(_Around("lambda", here.scope.inner(), declares=True))
            elif here.declares:
                self._lambda_parameter(read, i, here)
            elif lexeme.text == ",":
                _leave_lambdas(around)
            else:
                self._bind_within(lexemes, i, here.scope)

    def _bind_within(self, lexemes: Sequence[Lexeme], i: int, scope: Scope) -> None:
        """Bind what an expression does, or a part of a heading, if a lexeme says that it does."""
        text = lexemes[i].text
        if text in ("for", "as") and lexemes[i].kind is Kind.WORD:
            end = _end_of_targets(lexemes, i + 1, one=text == "as")
            self._targets(lexemes, i + 1, end, scope)
        elif text == ":=" and i > 0:
            self._bind(lexemes[i - 1].text, scope.statement())

    def _lambda_parameter(self, read: ReadLine, i: int, around: "_Around") -> None:
        lexemes = read.line.lexemes
        if lexemes[i].text == ":":
            around.declares = False
        elif lexemes[i].kind is Kind.NAME and lexemes[i - 1].text in _BEFORE_PARAMETER:
            around.scope.names.add(lexemes[i].text)
            read.parameters.add(i)

    def _targets(self, lexemes: Sequence[Lexeme], start: int, end: int, scope: Scope) -> None:
        """Bind the names of what is assigned to; what stands in a subscript is but used."""
        applied = 0
        for i in range(start, end):
            text, before = lexemes[i].text, lexemes[i - 1] if i > start else None
            if applied:
                applied += step(lexemes[i])
            elif step(lexemes[i]) > 0:
                applied = int(before is not None and is_applied(before))
            elif lexemes[i].kind is Kind.NAME and _text(lexemes, i + 1) not in _PART:
                if before is None or before.text != ".":
                    self._bind(text, scope)
                elif _text(lexemes, i - 2) == scope.receiver:
                    self.attributes.add(text)

    def _pattern(self, lexemes: Sequence[Lexeme], scope: Scope) -> None:
        """Bind the names that a pattern captures."""
        for i, lexeme in enumerate(lexemes):
            if lexeme.text == "if":
                break
            is_name = lexeme.kind is Kind.NAME and lexeme.text != _WILDCARD
            if is_name and _text(lexemes, i + 1) not in _PART:
                self._bind(lexeme.text, scope)


@dataclass
class _Around:
    """What a lexeme stands in: its line, a bracket, a lambda.

    Attributes:
        kind: which of them.
        scope: where names in it are looked up first.
        declares: whether a lambda's parameters are being read.
    """

    kind: str
    scope: Scope
    declares: bool = False


def _leave_lambdas(around: list[_Around]) -> None:
    while around[-1].kind == "lambda":
        around.pop()


def _comprehensions(lexemes: Sequence[Lexeme]) -> set[int]:
    """The opening brackets of comprehensions: those with a ``for`` directly in them."""
    found: set[int] = set()
    opened: list[int] = []
    for i, lexeme in enumerate(lexemes):
        if step(lexeme) > 0:
            opened.append(i)
        elif step(lexeme) < 0 and opened:
            opened.pop()
        elif lexeme.text == "for" and opened:
            found.add(opened[-1])
    return found


def _imported(lexemes: Sequence[Lexeme]) -> Iterator[str]:
    """What an import binds under the name that it has elsewhere."""
    start = next((i for i, lexeme in enumerate(lexemes) if lexeme.text == "import"), 0)
    for i in range(start + 1, len(lexemes)):
        if lexemes[i].kind is Kind.NAME and lexemes[i - 1].text not in (".", "as"):
            yield lexemes[i].text


def _assigned(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, int]]:
    """Where a line that is no keyword's has targets of assignments: from, and up to."""
    start = depth = 0
    for i, lexeme in enumerate(lexemes):
        depth += step(lexeme)
        if depth == 0 and lexeme.text == "lambda":
            return
        if depth == 0 and (lexeme.text in ASSIGNMENTS or lexeme.text == ":"):
            yield start, i
            start = i + 1
            if lexeme.text == ":":
                return


def _end_of_targets(lexemes: Sequence[Lexeme], start: int, *, one: bool) -> int:
    """Where targets behind ``for`` or ``as`` end; behind the latter there is but one."""
    depth = 0
    for i in range(start, len(lexemes)):
        text = lexemes[i].text
        depth += step(lexemes[i])
        ends = text in ("in", ":", "=") or (one and text == ",")
        if depth < 0 or (depth == 0 and ends) or text in ("for", "as"):
            return i
    return len(lexemes)


def _text(lexemes: Sequence[Lexeme], i: int) -> str | None:
    return lexemes[i].text if 0 <= i < len(lexemes) else None
