"""Objects looked at without running any code of theirs: whether modules are as they were given."""

import types
from builtins import TypeError, ValueError, all, any, dict, id, list, map, object, str, type, zip
from collections.abc import Iterable
from itertools import chain

_names_of_module = vars(types.ModuleType)["__dict__"].__get__
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
        modules, objects = list(modules), list(objects)
        own = [thing for module in modules for thing in _names_of_module(module).values()]
        kinds = list(map(type, objects))
        classes = [*kinds, *(thing for thing in own if type(thing) is type)]
        self._modules, self._objects = modules, objects
        # Of an object whose class was changed this gives nothing, and asks nothing of it.
        self._hold = [_names_of_class(kind)["__dict__"].__get__ for kind in kinds]
        self._classes = list(map(_names_of_class, classes))
        places = self._places()
        found = [*own, *(thing for place in places for thing in place.values())]
        self._functions = [thing for thing in found if type(thing) is types.FunctionType]
        self._cells = [cell for one in self._functions for cell in one.__closure__ or ()]
        self._ids = self._now()
        # So that no other thing gets the ``id`` of one.
        insides = [*map(_code_of, self._functions), *map(_content_of, self._cells)]
        self._kept = [found, classes, insides, *map(list, places)]

    def intact(self) -> bool:
        """Whether their functions and classes are the same ones, and work on the same things."""
        try:
            return self._now() == self._ids
        except (TypeError, ValueError):  # an object is of another class; a cell is empty
            return False

    def _now(self) -> list[list[int]]:
        """Which objects are bound to which names, which functions and classes the modules have,
        and what the functions do, with what. This is asked after every call.
        """
        places = self._places()
        bound = chain(
            map(type, self._objects),
            chain.from_iterable(places),
            chain.from_iterable(map(_values_of, places)),
            map(_code_of, self._functions),
            map(_content_of, self._cells),
        )
        own = (_picked(_names_of_module(module).values()) for module in self._modules)
        return [list(map(id, bound)), *own]

    def _places(self) -> list[types.MappingProxyType[str, object]]:
        """Where names are bound: in classes, and in what the objects hold now."""
        held = (hold(thing) for hold, thing in zip(self._hold, self._objects, strict=True))
        return [*self._classes, *map(_looked_at, held)]


_values_of = types.MappingProxyType.values
_code_of = vars(types.FunctionType)["__code__"].__get__
_content_of = vars(types.CellType)["cell_contents"].__get__


def _looked_at(held: object) -> types.MappingProxyType[str, object]:
    """What an object holds, to be looked at.

    Raises:
        TypeError: it is a dict of another kind, which would be asked what it holds.
    """
    if type(held) is not dict:
        raise TypeError
    return types.MappingProxyType(held)


def _picked(things: Iterable[object]) -> list[int]:
    """Functions and classes; a module may put down other things as it goes."""
    return [id(one) for one in list(things) if type(one) is types.FunctionType or type(one) is type]


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
