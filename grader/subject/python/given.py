"""Objects looked at without running any code of theirs: whether modules are as they were given."""

import types
from builtins import all, any, dict, id, list, map, object, str, type
from collections.abc import Iterable, Iterator

_names_of_module = vars(types.ModuleType)["__dict__"].__get__
_names_of_object = vars
_names = vars(type("_", (), {}))["__dict__"]  # as a class has it that does not say otherwise
_bases_of = type.__dict__["__mro__"].__get__
_names_of_class = type.__dict__["__dict__"].__get__


class Given:
    """Modules that submissions import and have no business changing.

    Args:
        modules: as they are given.
        objects: what else a submission could reach by way of them.
    """

    def __init__(self, modules: Iterable[types.ModuleType], objects: Iterable[object] = ()) -> None:
        self._modules, self._objects = list(modules), list(objects)
        self._kept = list(self._things())  # so that no other thing gets the ``id`` of one
        self._ids = list(map(id, self._kept))

    def intact(self) -> bool:
        """Whether their functions and classes are the same ones, and work on the same things."""
        return list(map(id, self._things())) == self._ids

    def _things(self) -> Iterator[object]:
        for thing in self._objects:
            yield from list(_names_of_object(thing).values())
            yield from list(_names_of_class(type(thing)).values())
        for module in self._modules:
            for value in list(_names_of_module(module).values()):
                if type(value) is type:
                    yield value
                    for member in list(_names_of_class(value).values()):
                        yield from _parts(member)
                yield from _parts(value)


def _parts(value: object) -> Iterator[object]:
    if type(value) is types.FunctionType:
        yield value
        yield value.__code__
        for cell in value.__closure__ or ():
            yield cell.cell_contents


def plain_attributes(target: object, names: Iterable[str]) -> list[object] | None:
    """Attributes that an object holds itself, or None where finding them might run code."""
    *classes, _ = _bases_of(type(target))
    for members in map(_names_of_class, classes):
        if any(type(name) is not str for name in members) or "__getattribute__" in members:
            return None
        if any(name in members for name in names):
            return None
        if type(members.get("__dict__", _names)) is not types.GetSetDescriptorType:
            return None
    held = object.__getattribute__(target, "__dict__") if classes else {}
    if type(held) is not dict or any(type(name) is not str for name in held):
        return None
    return [held[name] for name in names] if all(name in held for name in names) else None
