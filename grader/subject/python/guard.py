"""What a subject refuses to its submission by way of Python's audit hooks, which are for good.

A submission needs none of it. It would lead to the host's objects, which are kept from the
submission's thread otherwise: by looking through all objects, at the frames of other threads,
at memory by its address, or into a function that is called everywhere.
"""

import _thread
import ctypes
import sys
import types
from typing import Any

from grader.own import Own, OwnError

_REFUSED = frozenset(
    {
        "gc.get_objects", "gc.get_referrers", "gc.get_referents",
        "sys._current_frames", "sys._current_exceptions",
        "sys.addaudithook", "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback",
    }
)  # fmt: skip


#: Packages that are ours, and those that the host works with.
_OURS = ("grader", "exercise_subject", "json", "base64", "hmac")


#: Where a class has what, in words from where it has its base: what holds of it, the tuple of all
#: bases, the order in which methods are looked for, and the dict of its subclasses. CPython's
#: ``PyTypeObject`` has been so since 3.3, ``Include/cpython/object.h``.
_FLAGS, _BASES, _ORDER, _SUBCLASSES = -11, 10, 11, 13

#: Words that a class takes, at least.
_WORDS = 100

#: ``Py_TPFLAGS_IMMUTABLETYPE``: nobody may set its attributes (Python 3.10).
_IMMUTABLE = 1 << 8


def put_out_of_sight() -> None:
    """Have no class tell of the host's, for nothing else leads to them; and let none of them, nor
    what they are derived from, be changed.

    Raises:
        RuntimeError: this Python keeps its classes in another way.
    """
    for kind in (Own, OwnError):
        for each in (kind, *kind.__subclasses__()):
            memory, base = _memory_of(each)
            memory[base + _FLAGS] |= _IMMUTABLE
        memory, base = _memory_of(kind)
        told = ctypes.cast(memory[base + _SUBCLASSES], ctypes.py_object).value
        if type(told) is not dict:
            raise RuntimeError("a class has its subclasses elsewhere than CPython's")
        told.clear()


def _memory_of(kind: type) -> tuple[Any, int]:
    """A class as words of memory, and in which of them it has its base.

    Raises:
        RuntimeError: it is laid out in another way.
    """
    memory = (ctypes.c_size_t * _WORDS).from_address(id(kind))
    known = (0, kind.__base__), (_BASES, kind.__bases__), (_ORDER, kind.__mro__)
    for base in range(-_FLAGS, _WORDS - _SUBCLASSES):
        if all(memory[base + place] == id(thing) for place, thing in known):
            return memory, base
    raise RuntimeError("a class is laid out in another way than CPython's")


def put_up() -> None:
    """Refuse from here on."""
    refused, thread = _REFUSED, _thread.get_ident
    host = thread()

    def refuse(event: str, args: tuple[object, ...]) -> None:
        if event in refused:
            raise PermissionError(f"{event} is not for submissions")
        if event == "object.__setattr__" and args[1] == "__code__":
            raise PermissionError("the code of a function is not for submissions to change")
        if event[:7] == "ctypes." and thread() != host:
            raise PermissionError("ctypes is not for submissions")

    sys.addaudithook(refuse)


def put_away() -> list[types.ModuleType]:
    """Leave nothing of the grader's, nor what it works with, where it is found by its name.

    Who imports one of these gets another copy, or none.

    Returns:
        What was put away, to be held where no submission looks: taking modules apart would
        have a forked process copy hundreds of pages.
    """
    away = [name for name in sys.modules if name.partition(".")[0] in _OURS]
    held = [sys.modules.pop(name) for name in [*away, "__main__"]]
    sys.modules["__main__"] = type(sys)("__main__")
    sys.argv, sys.orig_argv = [""], [""]
    return held
