"""Values as the protocol spells them, and the objects of this process that they tell of."""

import sys
from typing import Any

from grader.own import Own, own_builtins
from grader.protocol import TAG, Json, Message
from grader.subject.python import acts
from grader.subject.python.faults import LoadError
from grader.subject.python.stage import Strayed

__builtins__ = own_builtins()

#: Python refuses to write, and to read, integers of more than 4300 digits.
_MAX_BITS = 4096

#: Characters of a class's name that are told.
_MAX_NAME = 200

# Bound as they were before any submission, which finds the acts' module.
_MAX_ITEMS, _MAX_DEPTH = acts.MAX_ITEMS, acts.MAX_DEPTH

#: What ``id`` tells, in other words; ``id`` would be audited, each time.
identity = object.__hash__

_name_of_type = type.__dict__["__name__"].__get__
_text = str.__str__  # of a text of any kind one of no other kind
_NoneType = type(None)


class Values(Own):
    """The objects that a subject has been told of, each under a number, its ref.

    Attributes:
        tensors: the module that deals with tensors; None where there is no torch.
        storages: where the tensors told of since the last ``forget`` lie, as replies tell it.
    """

    def __init__(self) -> None:
        self.tensors: Any = sys.modules.get("grader.subject.python.tensors")
        self.storages: list[list[int]] = []
        self._held: list[object] = []
        self._refs: dict[int, int] = {}

    def __getitem__(self, ref: int) -> object:
        """The object that has a number."""
        return self._held[ref]

    def forget(self) -> list[object]:
        """Begin anew.

        Returns:
            All objects that there were, to be let go of.
        """
        held, self._held = self._held, []
        self._refs.clear()
        self.storages.clear()
        return held

    def arguments(self, request: Message) -> tuple[list[object], dict[str, object]]:
        """The arguments of a call, and those by name."""
        keywords = request.get("kwargs", {}).items()
        return (
            [self.build(value) for value in request.get("args", [])],
            {name: self.build(value) for name, value in keywords},
        )

    def build(self, value: Json) -> object:
        """A value of the protocol as an object of this process."""
        if isinstance(value, list):
            return [self.build(item) for item in value]
        if not isinstance(value, dict):
            return value
        match value[TAG]:
            case "ref":
                return self._held[value["ref"]]
            case "float":
                return float(value["value"])
            case "dtype":
                return self.tensors.dtype_of(value["name"])
            case "tensor":
                return self.tensors.decode(value)
        raise LoadError(kind="protocol", message=f"unknown value {value[TAG]!r}")

    def describe(self, value: Any, depth: int = 0) -> Json:
        """An object of this process, as ``acts.simplify`` gives it, as a value of the protocol."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int and value.bit_length() <= _MAX_BITS:
            return value
        if kind is float:
            return {TAG: "float", "value": repr(value)}
        if self.is_tensor(value):
            told = self.tensors.encode(value)
            self.storages.append(told["storage"])
            return {TAG: "tensor", "ref": self.ref(value), **told}
        if self.tensors and self.tensors.is_dtype(value):
            return {TAG: "dtype", "name": self.tensors.dtype_name(value)}
        if kind is list and depth < _MAX_DEPTH and len(value) <= _MAX_ITEMS:
            return [self.describe(item, depth + 1) for item in value]
        if kind is tuple and depth < _MAX_DEPTH:
            return {TAG: "map", "items": self._items(value, depth + 1)}
        return {
            TAG: "object",
            "ref": self.ref(value),
            "type": _text(_name_of_type(kind))[:_MAX_NAME],
        }

    def _items(self, mapping: tuple[Any, ...], depth: int) -> Json:
        tag, items = word_and_thing(mapping)
        if tag != "map" or type(items) is not list:
            raise Strayed
        return [[self.describe(side, depth) for side in pair] for pair in map(_pair, items)]

    def is_tensor(self, value: Any) -> bool:
        """Whether it is a tensor, of no subclass, that the protocol can spell."""
        return bool(self.tensors and self.tensors.is_tensor(value))

    def is_plain(self, value: Any) -> bool:
        """Whether a value is of a type that the protocol has a word for, and of no subclass."""
        if type(value) is list or type(value) is tuple:
            return all(map(self.is_plain, value))
        return _is_plain_type(type(value)) or self.is_tensor(value)

    def ref(self, value: object) -> int:
        """The number of an object. It is held from then on, so no other gets its ``id``."""
        place = identity(value)
        if place not in self._refs:
            self._refs[place] = len(self._held)
            self._held.append(value)
        return self._refs[place]

    def is_usual(self, value: Any) -> bool:
        """Whether it is such a value, or a dict of them, as most attributes are."""
        if type(value) is dict:
            return len(value) <= _MAX_ITEMS and all(
                type(k) is str and _is_plain_type(type(v)) for k, v in value.items()
            )
        return _is_plain_type(type(value)) or self.is_tensor(value)


def _is_plain_type(kind: Any) -> bool:
    """Whether a type is one of values. ``in`` would ask it whether it equals one of these, and it
    may be of a kind of its own.
    """
    return kind is str or kind is int or kind is _NoneType or kind is bool or kind is float


def simple(value: Any) -> Any:
    """A usual value as ``acts.simplify`` would give it."""
    return ("map", list(value.items())) if type(value) is dict else value


def _pair(value: Any) -> tuple[Any, Any]:
    """A value that is a pair of things.

    Raises:
        Strayed: it is none.
    """
    if type(value) is not tuple or len(value) != 2:  # noqa: PLR2004
        raise Strayed
    return value


def word_and_thing(value: Any) -> tuple[str, Any]:
    """A value that is a pair of a word and a thing.

    Raises:
        Strayed: it is none.
    """
    word, thing = _pair(value)
    if type(word) is not str:
        raise Strayed
    return word, thing


def plain_fields(said: Any) -> Message:
    """What is said of an error: plain values under names.

    Raises:
        Strayed: it is not of that form.
    """
    if type(said) is not dict:
        raise Strayed
    for name, value in said.items():
        items = value if type(value) is list else [value]
        if type(name) is not str or not all(_is_plain_type(type(item)) for item in items):
            raise Strayed
    return dict(said)
