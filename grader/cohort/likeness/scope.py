"""A scope of Python's: where names are bound."""

from dataclasses import dataclass, field

#: Python refuses brackets within more brackets than this.
_DEEPEST = 200


@dataclass(eq=False)
class Scope:
    """Where names are bound.

    Attributes:
        outer: the scope around it; None for the file's.
        kind: ``file``, ``class``, ``def``, or ``inner`` for a lambda's or a comprehension's.
        names: what is bound in it.
        foreign: what it has by an import, under the name that it has there.
        passed: what it says to be an outer scope's.
        parameters: a function's, in order.
        depth: how many lambdas and comprehensions it is within.
    """

    outer: "Scope | None"
    kind: str
    names: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    parameters: list[str] = field(default_factory=list)
    depth: int = 0

    def owner(self, name: str) -> "Scope | None":
        """The scope that a name is bound in, as seen from here; None where no scope binds it."""
        scope: Scope | None = self
        while scope is not None:
            # A class's names are seen from its own lines, not from within its methods.
            if (scope.kind != "class" or scope is self) and name not in scope.passed:
                if name in scope.foreign:
                    return None
                if name in scope.names:
                    return scope
            scope = scope.outer
        return None

    def inner(self) -> "Scope":
        """A scope within an expression; deeper than Python itself goes, this one again."""
        if self.depth == _DEEPEST:
            return self
        return Scope(self, "inner", depth=self.depth + 1)

    def statement(self) -> "Scope":
        """The scope that ``:=`` binds in: that of the statement it stands in."""
        scope = self
        while scope.kind == "inner" and scope.outer is not None:
            scope = scope.outer
        return scope

    @property
    def receiver(self) -> str | None:
        """What a method, or a function within one, calls the object that it is of."""
        if self.outer is None:
            return None
        if self.outer.kind != "class":
            return self.outer.receiver
        return self.parameters[0] if self.parameters else None
