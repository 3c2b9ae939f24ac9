"""Objects looked at without running any code of theirs: whether modules are as they were given."""

import operator
import types
from collections.abc import Iterable, Iterator
from itertools import chain

from grader.own import Own, own_builtins

__builtins__ = own_builtins()

# Bound as they were before any submission, which may put others into ``types``.
_Function, _Proxy, _GetSet = types.FunctionType, types.MappingProxyType, types.GetSetDescriptorType
_names_of_module = vars(types.ModuleType)["__dict__"].__get__
_names = vars(type("_", (), {}))["__dict__"]  # as a class has it that does not say otherwise
_bases_of = type.__dict__["__mro__"].__get__
_names_of_class = type.__dict__["__dict__"].__get__


class Given(Own):
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
        functions = [thing for thing in found if type(thing) is _Function]
        self._cells = [cell for one in functions for cell in one.__closure__ or ()]
        self._things = list(self._now())

    def intact(self) -> bool:
        """Whether their functions and classes are the same ones, and work on the same things.

        This is asked after every call. ``id`` would be audited, each time. The code of a function
        nobody can change; see ``guard``.
        """
        try:
            now = list(self._now())
        except (TypeError, ValueError):  # an object is of another class; a cell is empty
            return False
        return len(now) == len(self._things) and all(map(_is, now, self._things))

    def _now(self) -> Iterator[object]:
        """Which objects are bound to which names, which functions and classes the modules have,
        and what the functions work with.
        """
        places = self._places()
        return chain(
            map(type, self._objects),
            chain.from_iterable(places),
            chain.from_iterable(map(_values_of, places)),
            map(_content_of, self._cells),
            *(_picked(_names_of_module(module).values()) for module in self._modules),
        )

    def _places(self) -> list[types.MappingProxyType[str, object]]:
        """Where names are bound: in classes, and in what the objects hold now."""
        held = (hold(thing) for hold, thing in zip(self._hold, self._objects, strict=True))
        return [*self._classes, *map(_looked_at, held)]


_is = operator.is_
_values_of = types.MappingProxyType.values
_content_of = vars(types.CellType)["cell_contents"].__get__


def _looked_at(held: object) -> types.MappingProxyType[str, object]:
    """What an object holds, to be looked at.

    Raises:
        TypeError: it is a dict of another kind, which would be asked what it holds.
    """
    if type(held) is not dict:
        raise TypeError
    return _Proxy(held)


def _picked(things: Iterable[object]) -> list[object]:
    """Functions and classes; a module may put down other things as it goes."""
    return [one for one in list(things) if type(one) is _Function or type(one) is type]


def plain_attributes(target: object, names: Iterable[str]) -> list[object] | None:
    """Attributes that an object holds itself, or None where finding them might run code."""
    *classes, _ = _bases_of(type(target))
    for members in map(_names_of_class, classes):
        if any(type(name) is not str for name in members) or "__getattribute__" in members:
            return None
        if any(name in members for name in names):
            return None
        if type(members.get("__dict__", _names)) is not _GetSet:
            return None
    held = object.__getattribute__(target, "__dict__") if classes else {}
    if type(held) is not dict or any(type(name) is not str for name in held):
        return None
    return [held[name] for name in names] if all(name in held for name in names) else None
