"""The host's end of the submission's thread."""

import _thread
import gc
import operator
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count, repeat, starmap
from queue import SimpleQueue
from typing import Any

from grader.own import Own, own_builtins
from grader.subject.python import acts

__builtins__ = own_builtins()

#: As on Linux; other systems give a thread much less than a process's first one has.
_STACK_BYTES = 8 * 1024 * 1024

_put, _gate, _perform, _is = SimpleQueue.put, acts.gate, acts.perform, operator.is_
_collect_garbage, _keep_garbage = gc.enable, gc.disable

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
        self._heard = starmap(self._said.get, repeat(()))
        self._left: list[object] = []
        self._replies: list[object] = []
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

    def leave(self, thing: object) -> None:
        """Have the submission's thread let go of something with its next act."""
        self._left.append(thing)

    def do(self, act: Callable[..., object], *args: object, path: str, kind: str) -> Any:
        """Have the submission's thread do something, and do meanwhile what it asks for.

        Returns:
            ``("value", value)`` or ``("error", fields)``; see ``acts.perform``. The value may be
            anything, for a submission can speak in its thread's stead.

        Raises:
            Strayed: something else was said.
        """
        self._number += 1
        self._acts.put((self._number, act, args, path, kind, self._take_left()))
        self._left.append(args)
        while True:
            said = self._hear()
            if _is_request(said):
                reply = self._answer(said)
                del said
                self._left.append(reply)
                _put(reply, self._replies.pop())
                continue
            self._left.append(said)
            if _is_form(said, (str, int, tuple)) and said[1] == self._number:
                return said[2]
            raise Strayed

    # What runs when an object comes to its end is the submission's, and so is what runs when
    # garbage is collected. It must not run here, above the host's frames. So garbage is collected
    # only while this thread waits, and what the submission's thread said or was handed goes back to
    # it: once ``put`` returns, and with nothing run in between, nothing here refers to it any more.

    def _hear(self) -> Any:
        """What is said next."""
        _collect_garbage()
        for said in self._heard:  # noqa: B007 - a call would look for garbage as it returns
            break
        _keep_garbage()
        return said

    def _take_left(self) -> list[object]:
        left, self._left = self._left, []
        return left

    def _answer(self, said: tuple[Any, ...]) -> SimpleQueue[object]:
        """Do what was asked for; what came of it is put into ``_replies``, with what was said.

        Returns:
            Whom to tell.
        """
        modes = (bool,) * len(self._ambient)
        whole = _is_form(said, (str, int, tuple, tuple, SimpleQueue))
        if not (whole and _is_form(said[3], modes)):
            self._left.append(said)
            raise Strayed
        _, number, args, ambient, _ = said
        try:
            with self._under(*ambient):
                value = (True, self._given[number](*args), said)
        except BaseException as error:  # noqa: BLE001 - it is the submission's to handle
            error.__traceback__ = error.__context__ = error.__cause__ = None  # lead to here
            value = (False, error, said)
        self._replies.append(value)
        reply: SimpleQueue[object] = said[-1]
        return reply


def _is_request(said: Any) -> bool:
    """Whether what was said asks this thread for something."""
    return type(said) is tuple and len(said) > 0 and type(said[0]) is str and said[0] == "given"


def _is_form(said: Any, types: tuple[type, ...]) -> bool:
    """Whether it is a tuple of so many things, of just these types.

    Nothing else may be asked of them, nor of their types, which may be of a kind of their own: the
    answer would be the submission's, on this thread.
    """
    if type(said) is not tuple or len(said) != len(types):
        return False
    return all(map(_is, map(type, said), types))
