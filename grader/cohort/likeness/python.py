"""A Python source with the names that it binds itself replaced by numbers."""

from collections.abc import Iterable, Iterator

from grader.cohort.likeness.bindings import Bindings, ReadLine
from grader.cohort.likeness.layout import lines, step
from grader.cohort.likeness.lexeme import Kind, Lexeme
from grader.cohort.likeness.scope import Scope


def nameless(lexemes: Iterable[Lexeme]) -> Iterator[str]:
    """A source without its own names, documentation and layout.

    Names are numbered by their first place. What a scope binds is that scope's alone, so renaming
    a variable in one function changes nothing, whatever others call theirs. Attributes are the
    file's own where one of its classes has one of that name; whether an object is of that class
    would be for types to say. Imported names, builtins and names from nowhere stay as they are.
    """
    bindings = Bindings()
    read = [bindings.read(line) for line in lines(lexemes)]
    numbers = _Numbers()
    for line in read:
        yield f"\n{line.line.level}"
        yield from _Words(line, bindings, numbers).words()


class _Numbers:
    """A number for everything that has a name of the file's."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Scope | None, str], int] = {}

    def of(self, owner: Scope | None, name: str) -> str:
        """The number of a scope's name, or of an attribute, which is no scope's."""
        if owner is not None and owner.kind == "class":
            owner = None
        return f"\1{self._numbers.setdefault((owner, name), len(self._numbers))}"


class _Words:
    """One line's words.

    Args:
        read: the line.
        bindings: what the whole file binds.
        numbers: those given so far.
    """

    def __init__(self, read: ReadLine, bindings: Bindings, numbers: _Numbers) -> None:
        self._read, self._bindings, self._numbers = read, bindings, numbers
        self._lexemes = read.line.lexemes
        self._first = self._lexemes[0].text
        # What is called by each of the brackets around; nothing where that is no call.
        self._called: list[str | None] = []

    def words(self) -> Iterator[str]:
        for i, lexeme in enumerate(self._lexemes):
            if lexeme.kind is Kind.NAME:
                yield self._name(i, lexeme.text)
                continue
            yield lexeme.text
            if step(lexeme) > 0:
                self._called.append(self._function(i))
            elif step(lexeme) < 0 and self._called:
                self._called.pop()

    def _function(self, bracket: int) -> str | None:
        """What a bracket calls."""
        before = self._lexemes[bracket - 1] if bracket else None
        is_call = self._lexemes[bracket].text == "("
        return before.text if is_call and before and before.kind is Kind.NAME else None

    def _name(self, i: int, name: str) -> str:
        before = self._lexemes[i - 1].text if i else ""
        after = self._lexemes[i + 1].text if i + 1 < len(self._lexemes) else ""
        if name.startswith("__") and name.endswith("__"):
            return name
        if self._first in ("import", "from") and before != "as":
            return name
        if before == ".":
            return self._numbers.of(None, name) if name in self._bindings.attributes else name
        if after == "=" and self._called and self._called[-1] and i not in self._read.parameters:
            return self._argument(self._called[-1], name)
        owner = self._read.scopes[i].owner(name)
        return name if owner is None else self._numbers.of(owner, name)

    def _argument(self, function: str, name: str) -> str:
        """The name of an argument, which is the called function's."""
        parameters = self._bindings.functions.get(function, [])
        if name in parameters:
            return f"\1{parameters.index(name)}="
        # A class that says its attributes and no constructor may be a dataclass.
        if function in self._bindings.classes and name in self._bindings.attributes:
            return self._numbers.of(None, name)
        return name
