"""What a subject refuses to its submission by way of Python's audit hooks, which are for good.

A submission needs none of it. It would lead to the host's objects, which are kept from the
submission's thread otherwise: by looking through all objects, at the frames of other threads,
at memory by its address, or into a function that is called everywhere.
"""

import _thread
import sys
import types

_REFUSED = frozenset(
    {
        "gc.get_objects", "gc.get_referrers", "gc.get_referents",
        "sys._current_frames", "sys._current_exceptions",
        "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback",
    }
)  # fmt: skip


#: Packages that are ours, and those that the host works with.
_OURS = ("grader", "exercise_subject", "json", "base64", "hmac")


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
