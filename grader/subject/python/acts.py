"""What a submission's own thread does. Nothing that the host's thread uses can be found from here.

A submission can follow its callers' frames to whatever they know, and a function to the globals
of its module. So its thread begins in this module, which knows nothing, and what it is given
to call hands over to the host's thread and waits.
"""

import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, NoReturn

from grader.subject.python import faults

#: How deep lists and mappings are looked into, and how many things one may hold.
MAX_DEPTH = 4
MAX_ITEMS = 10_000

Put = Callable[[object], None]


def _copy_of(module: types.ModuleType) -> Any:
    """A module executed once more: what a submission changes in it, the host's does not have."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    assert spec is not None  # noqa: S101 - for the type checker
    assert spec.loader is not None  # noqa: S101
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


_own = _copy_of(faults)
LoadError, describe_exception, flush_streams = (
    _own.LoadError, _own.describe_exception, _own.flush_streams,
)  # fmt: skip
del faults, _copy_of


def perform(take: Callable[[], Any], put: Put) -> NoReturn:
    """Do one act after the other and say how each went: ``("done", what, how)``.

    An act is a function of this module with its arguments, the file of the submission, what to
    call an exception, and things to let go of first. How it went is ``("value", value)`` or
    ``("error", fields)``.
    """
    while True:
        # What the act before left behind is let go of here, in this thread: finalizers run.
        number, act, args, path, kind, left = take()
        left.clear()
        try:
            outcome = ("value", act(*args))
        except BaseException as error:  # noqa: BLE001 - sys.exit in run() must not end the thread
            outcome = ("error", _describe(error, path, kind))
        flush_streams()
        put(("done", number, outcome))


def gate(number: int, put: Put, ambient: Sequence[Callable[[], object]]) -> Callable[..., Any]:
    """A function that has the host's thread do something.

    Args:
        number: what.
        put: where to ask for it.
        ambient: tell what holds on this thread and must hold there.
    """

    def given(*args: object) -> Any:
        reply: SimpleQueue[tuple[bool, Any, object]] = SimpleQueue()
        put(("given", number, args, tuple(tell() for tell in ambient), reply))
        done, value, _ = reply.get()
        if done:
            return value
        raise value

    return given


# Acts.


def load(code: types.CodeType, module: types.ModuleType, interface: Mapping[str, Any]) -> None:
    """Execute a submission and look for what it must offer."""
    sys.modules[module.__name__] = module  # dataclasses look their module up by name
    exec(code, module.__dict__)  # noqa: S102 - the subject's purpose
    for name, methods in interface.items():
        _check_class(module, name, methods)


def compute_on(device: str) -> None:
    """Have what is computed on this thread be computed on a device, where nobody names another."""
    import torch  # noqa: PLC0415 - only exercises that have it have devices

    torch.set_default_device(device)


def new(
    module: types.ModuleType, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> object:
    """Make an object."""
    return getattr(module, name)(*args, **kwargs)


def call(target: Any, method: str | None, args: Sequence[Any], kwargs: Mapping[str, Any]) -> object:
    """Call an object or a method of it."""
    function = target if method is None else getattr(target, method)
    return simplify(function(*args, **kwargs))


def watch(target: object, names: Sequence[str], path: str) -> list[tuple[str, Any]]:
    """Read attributes, each of which may fail."""
    return [_read(target, name, path) for name in names]


def get(target: object, name: str) -> object:
    """Read an attribute."""
    return simplify(getattr(target, name))


def rest() -> None:
    """Nothing, beyond letting go of what was left."""


def simplify(value: Any, depth: int = 0) -> Any:
    """A value in Python's own types, where it is a value of such a kind.

    Returns:
        Lists for sequences, ``("map", [(key, value), …])`` for mappings, numbers and texts of no
        subclass; any other object as it is.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if depth < MAX_DEPTH and isinstance(value, list | tuple) and len(value) <= MAX_ITEMS:
        return [simplify(item, depth + 1) for item in value]
    if depth < MAX_DEPTH and isinstance(value, Mapping) and len(value) <= MAX_ITEMS:
        return "map", [(simplify(k, depth + 1), simplify(value[k], depth + 1)) for k in value]
    return value


def _read(target: object, name: str, path: str) -> tuple[str, Any]:
    try:
        return "value", get(target, name)
    except BaseException as error:  # noqa: BLE001 - a property is the student's code
        return "error", _describe(error, path, "exception")


def _describe(error: BaseException, path: str, kind: str) -> dict[str, object]:
    try:
        said: dict[str, object] = describe_exception(error, path, kind=kind)
    except BaseException:  # noqa: BLE001 - no memory left, or less stack than it takes
        kind = "memory" if isinstance(error, MemoryError) else kind
        return {"kind": kind, "type": "", "message": "", "line": None, "code": None, "lines": []}
    return said


def _check_class(module: types.ModuleType, name: str, methods: dict[str, list[str]]) -> None:
    """That a class and its methods are there and can be called as the exercise calls them."""
    made = getattr(module, name, None)
    if not isinstance(made, type):
        raise LoadError(kind="missing", name=name, found=_own_classes(module))
    for method, parameters in methods.items():
        # object has an __init__; a class without one of its own takes no arguments.
        function = made if method == "__init__" else getattr(made, method, None)
        if not callable(function):
            found = [key for key, value in vars(made).items() if callable(value)]
            raise LoadError(kind="missing", name=f"{name}.{method}", found=found)
        _check_signature(f"{name}.{method}", function, parameters, bound=method == "__init__")


def _own_classes(module: types.ModuleType) -> list[str]:
    """The classes that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


def _check_signature(name: str, function: Any, parameters: list[str], *, bound: bool) -> None:
    """That a function takes its parameters; those marked ``?`` by name and with a default."""
    form = _form(function)
    if (name, form) in _fitting:
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C, or hidden behind a decorator: the calls will tell
    required = [None] * (0 if bound else 1) + [None for p in parameters if not p.endswith("?")]
    optional = {p.rstrip("?"): None for p in parameters if p.endswith("?")}
    try:
        signature.bind(*required)
        signature.bind(*required, **optional)
    except TypeError as error:
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        wanted = ", ".join(p.replace("?", "=…") for p in parameters)
        raise LoadError(
            kind="signature", name=name, wanted=wanted, seen=str(signature),
            message=str(error), line=line, code=None,
        ) from None  # fmt: skip
    if form is not None:
        _fitting.add((name, form))


#: Functions that take what they should. A submission is executed anew for every case, and what is
#: found out about signatures takes longer than that.
_fitting: set[tuple[str, object]] = set()


def _form(function: Any) -> object:
    """What the signature of a function hangs on, equal for one that was defined anew; None for
    anything but a plain function.
    """
    if type(function) is not types.FunctionType or vars(function):
        return None
    defaults = len(function.__defaults__ or ()), frozenset(function.__kwdefaults__ or ())
    return function.__code__, *defaults
