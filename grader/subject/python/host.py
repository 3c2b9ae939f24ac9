"""The Python host: holds a submission and answers the protocol, in the subject's process.

Everything that a student's code could raise, exit with or print is caught here and goes
back as data. What it could do to this process beyond that is for the grading side to see.
"""

import base64
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from grader.protocol import TAG, VERSION, Json, Message, decode_line, encode_line
from grader.subject.python.events import EventLog
from grader.subject.python.faults import (
    LoadError,
    compile_source,
    describe_exception,
    flush_streams,
)

_MAX_DEPTH = 4
_MAX_ITEMS = 10_000

#: Python refuses to write, and to read, integers of more than 4300 digits.
_MAX_BITS = 4096


class Host:
    """Holds the objects of one subject, each under a number, its ref.

    Args:
        exercise: the exercise's module for this side of the pipe: ``FUNCTIONS`` (name ->
            factory) and ``observe(log)``, which makes the given library report its events.
            None for an exercise that gives nothing.
    """

    def __init__(self, exercise: Any | None) -> None:
        self._exercise = exercise
        self._objects: list[object] = []
        self._refs: dict[int, int] = {}
        self._watched: dict[int, list[str]] = {}
        self._path = ""
        self._compiled = (b"", "")
        self._code: Any = compile("", "", "exec")
        self._module = types.ModuleType("submission")
        self._tensors: Any = sys.modules.get("grader.subject.python.tensors")
        self.log = EventLog(self._describe)
        if exercise is not None:
            exercise.observe(self.log)

    def serve(self, requests: BinaryIO, send: Callable[[bytes], None]) -> None:
        """Answer requests until there are no more."""
        for line in requests:
            reply = self._answer(decode_line(line))
            flush_streams()
            send(encode_line(reply))

    def _answer(self, request: Message) -> Message:
        reply: Message = {"id": request["id"]}
        operation = getattr(self, f"_op_{request['op']}")
        try:
            reply["value"] = self._describe(operation(request))
        except BaseException as error:  # noqa: BLE001 - sys.exit in run() must not end the host
            kind = "import" if request["op"] == "load" else "exception"
            reply["error"] = describe_exception(error, self._path, kind=kind)
        reply["events"] = self.log.take()
        if request["op"] == "call" and request["ref"] in self._watched:
            reply["after"] = self._watch(request["ref"])
        return reply

    # Operations: one method each, named after the word in the request.

    def _op_hello(self, _request: Message) -> object:
        libraries = {"torch": self._tensors.torch.__version__} if self._tensors else {}
        return {"protocol": VERSION, "language": "python", "runtime": sys.version.split()[0]} | {
            f"library.{name}": str(version) for name, version in libraries.items()
        }

    def _op_load(self, request: Message) -> None:
        self._op_forget(request)
        source, self._path = base64.b64decode(request["source"]), request["path"]
        if (source, self._path) != self._compiled:
            self._code = compile_source(source, self._path)
            self._compiled = (source, self._path)
        module = types.ModuleType(request["module"])
        module.__file__ = self._path
        # Dataclasses with postponed annotations look their module up by name.
        sys.modules[module.__name__] = self._module = module
        exec(self._code, module.__dict__)  # noqa: S102 - the subject's purpose
        for name, methods in request["interface"].items():
            _check_class(module, name, methods)

    def _op_forget(self, _request: Message) -> None:
        self._objects.clear()
        self._refs.clear()
        self._watched.clear()

    def _op_function(self, request: Message) -> object:
        assert self._exercise is not None  # noqa: S101 - a manifest that names no such module
        params = {name: self._build(value) for name, value in request["params"].items()}
        function = self._exercise.FUNCTIONS[request["name"]](**params)

        def fn(x: object) -> object:
            self.log.emit("function", function=fn, input=x)
            return function(x)

        fn.__name__ = fn.__qualname__ = request["name"]
        return fn

    def _op_tensor(self, request: Message) -> object:
        return self._build(request["value"])

    def _op_new(self, request: Message) -> object:
        made = getattr(self._module, request["class"])(
            *self._args(request), **self._kwargs(request)
        )
        if request.get("watch"):
            self._watched[self._ref(made)] = request["watch"]
        return made

    def _op_call(self, request: Message) -> object:
        target: Any = self._objects[request["ref"]]
        method = getattr(target, request["method"]) if request.get("method") else target
        return method(*self._args(request), **self._kwargs(request))

    def _op_get(self, request: Message) -> object:
        return getattr(self._objects[request["ref"]], request["name"])

    def _op_read(self, request: Message) -> object:
        return self._objects[request["ref"]]

    def _op_write(self, request: Message) -> None:
        self._tensors.overwrite(self._objects[request["ref"]], request["value"])

    def _op_shares_storage(self, request: Message) -> bool:
        a, b = (self._objects[request[side]] for side in ("a", "b"))
        return bool(self._tensors.share_memory(a, b))

    # Values, in and out.

    def _args(self, request: Message) -> list[object]:
        return [self._build(value) for value in request.get("args", [])]

    def _kwargs(self, request: Message) -> dict[str, object]:
        return {name: self._build(value) for name, value in request.get("kwargs", {}).items()}

    def _build(self, value: Json) -> object:
        """A value of the protocol as an object of this process."""
        if isinstance(value, list):
            return [self._build(item) for item in value]
        if not isinstance(value, dict):
            return value
        match value[TAG]:
            case "ref":
                return self._objects[value["ref"]]
            case "float":
                return float(value["value"])
            case "dtype":
                return self._tensors.dtype_of(value["name"])
            case "tensor":
                return self._tensors.decode(value)
        raise LoadError(kind="protocol", message=f"unknown value {value[TAG]!r}")

    def _describe(self, value: object, depth: int = 0) -> Json:
        """An object of this process as a value of the protocol."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int) and int.bit_length(value) <= _MAX_BITS:
            return value
        if isinstance(value, float):
            return {TAG: "float", "value": repr(float(value))}
        if self._tensors and self._tensors.is_tensor(value):
            return {TAG: "tensor", "ref": self._ref(value), **self._tensors.encode(value)}
        if self._tensors and self._tensors.is_dtype(value):
            return {TAG: "dtype", "name": self._tensors.dtype_name(value)}
        if depth < _MAX_DEPTH and isinstance(value, list | tuple) and len(value) <= _MAX_ITEMS:
            return [self._describe(item, depth + 1) for item in value]
        if depth < _MAX_DEPTH and isinstance(value, Mapping) and len(value) <= _MAX_ITEMS:
            items = [
                [self._describe(k, depth + 1), self._describe(value[k], depth + 1)] for k in value
            ]
            return {TAG: "map", "items": items}
        return {TAG: "object", "ref": self._ref(value), "type": type(value).__name__}

    def _ref(self, value: object) -> int:
        """The number of an object. It is held from then on, so no other gets its ``id``."""
        if id(value) not in self._refs:
            self._refs[id(value)] = len(self._objects)
            self._objects.append(value)
        return self._refs[id(value)]

    def _watch(self, ref: int) -> Message:
        """What the watched attributes hold now; those that cannot be read say why."""
        seen: Message = {}
        for name in self._watched[ref]:
            try:
                seen[name] = self._describe(getattr(self._objects[ref], name))
            except BaseException as error:  # noqa: BLE001 - a property is the student's code
                seen[name] = {TAG: "error", **describe_exception(error, self._path)}
        return seen


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
