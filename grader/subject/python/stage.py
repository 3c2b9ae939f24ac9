"""The host's end of the submission's thread."""

import _thread
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from queue import SimpleQueue
from typing import Any

from grader.own import Own, own_builtins
from grader.subject.python import acts

__builtins__ = own_builtins()

#: As on Linux; other systems give a thread much less than a process's first one has.
_STACK_BYTES = 8 * 1024 * 1024

_put, _gate, _perform = SimpleQueue.put, acts.gate, acts.perform

Under = Callable[..., AbstractContextManager[object]]


class _Same(Own):
    """A context in which nothing is other than outside. That of ``contextlib`` is written in
    Python, and may be changed.
    """

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, *_: object) -> None:
        """Nothing."""


SAME = _Same()


def same(*_: object) -> AbstractContextManager[object]:
    """A context in which nothing is other than outside."""
    return SAME


class Strayed(Exception):
    """The submission's thread said what it never says."""


class Stage(Own):
    """A thread on which the code of a submission runs.

    Args:
        ambient: functions that tell what holds on that thread, such as torch's gradient mode.
        under: what they told -> a context in which the same holds on this thread.
    """

    def __init__(self, ambient: Sequence[Callable[[], object]] = (), under: Under = same) -> None:
        self._ambient, self._under = tuple(ambient), under
        self._given: dict[int, Callable[..., object]] = {}
        self._gates = count()
        self._acts: SimpleQueue[object] = SimpleQueue()
        self._said: SimpleQueue[object] = SimpleQueue()
        self._number = 0
        _thread.stack_size(0 if sys.platform == "linux" else _STACK_BYTES)
        _thread.start_new_thread(_perform, (self._acts.get, self._said.put))
        _thread.stack_size(0)

    def give(self, function: Callable[..., object]) -> Callable[..., Any]:
        """A function for the submission that has this thread call another one.

        Its arguments may be anything; what it returns and raises goes to the submission.
        """
        number = next(self._gates)
        self._given[number] = function
        return _gate(number, self._said.put, self._ambient)

    def take_back(self, number: int) -> None:
        """Close all gates but the first so many."""
        self._given = {n: self._given[n] for n in range(number)}

    @property
    def gates(self) -> int:
        """How many gates are open."""
        return len(self._given)

    def do(self, act: Callable[..., object], *args: object, path: str, kind: str) -> Any:
        """Have the submission's thread do something, and do meanwhile what it asks for.

        Returns:
            ``("value", value)`` or ``("error", fields)``; see ``acts.perform``. The value may be
            anything, for a submission can speak in its thread's stead.

        Raises:
            Strayed: something else was said.
        """
        self._number += 1
        self._acts.put((self._number, act, args, path, kind))
        while True:
            said = self._said.get()
            if type(said) is not tuple or len(said) == 0 or type(said[0]) is not str:
                raise Strayed
            if said[0] == "given":
                self._answer(said)
            elif _is_form(said, (str, int, tuple)) and said[1] == self._number:
                return said[2]
            else:
                raise Strayed

    def _answer(self, said: tuple[Any, ...]) -> None:
        if not _is_form(said, (str, int, tuple, tuple, SimpleQueue)):
            raise Strayed
        _, number, args, ambient, reply = said
        if not _is_form(ambient, (bool,) * len(self._ambient)):
            raise Strayed
        try:
            with self._under(*ambient):
                value = (True, self._given[number](*args))
        except BaseException as error:  # noqa: BLE001 - it is the submission's to handle
            error.__traceback__ = error.__context__ = error.__cause__ = None  # lead to here
            value = (False, error)
        _put(reply, value)


def _is_form(said: tuple[Any, ...], types: tuple[type, ...]) -> bool:
    """Whether a tuple is of so many things, of just these types.

    Nothing else may be asked of them: the answer would be the submission's, on this thread.
    """
    return tuple(map(type, said)) == types
