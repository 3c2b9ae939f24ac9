"""The Python host: holds a submission and answers the protocol, in the subject's process.

Everything that a student's code could raise, exit with or print goes back as data. That code
runs on a thread of its own, the ``Stage``; on this thread its objects are looked at, by their
exact types, and never asked to do anything. What it could do to this process beyond that is
for the grading side to see.
"""

import binascii
import hashlib
import json
import marshal
import sys
import time
import types
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from grader.own import Own, own_builtins
from grader.places import placed
from grader.protocol import TAG, VERSION, Json, Message, encode_line, seal
from grader.subject.python import acts
from grader.subject.python.events import EventLog
from grader.subject.python.faults import compile_source, describe_exception
from grader.subject.python.given import Given, plain_attributes
from grader.subject.python.scribe import Scribe
from grader.subject.python.stage import Stage, Strayed, same
from grader.subject.python.values import Values, identity, plain_fields, simple, word_and_thing

__builtins__ = own_builtins()

#: Kept to be given back when a submission has taken all the rest.
_RESERVE_BYTES = 4 * 1024 * 1024

# Everything that this thread uses is bound here as it was before any submission, which may put
# others into any module that it can import, and into that of the acts, where its frames begin.
_new_module, _from_base64 = types.ModuleType, binascii.a2b_base64
_load, _rest, _new, _call = acts.load, acts.rest, acts.new, acts.call
_get, _watch, _compute_on = acts.get, acts.watch, acts.compute_on

#: What reads JSON in C. What the library has around it asks for builtins by name.
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]

#: Replies as bytes, which take little memory, and of which a digest is taken: by a form of
#: ``marshal``'s that writes equal things alike, which later forms do not.
_spell, _unspell, _SPELLING, _digest = marshal.dumps, marshal.loads, 2, hashlib.blake2b
_clock = time.perf_counter


def _read(line: bytes) -> Message:
    """A request. They come from the grading side, which is trusted to write them well."""
    message: Message = _scan(line.decode("utf-8"), 0)[0]
    return message


class Host(Own):
    """Answers for one subject.

    Args:
        exercise: the exercise's module for this side of the pipe: ``FUNCTIONS`` (name ->
            factory), ``ACTS`` (name -> what the given library does, to be done on this thread),
            ``observe(log)``, which makes the given library report its events, and perhaps ``give``,
            which dresses the functions given, and ``PLAIN`` (name -> factory), functions that run
            where the submission does. None for an exercise that gives nothing.
        given: the modules that submissions import.
        device: what is computed on.
    """

    def __init__(
        self, exercise: Any | None, given: Iterable[types.ModuleType] = (), device: str = "cpu"
    ) -> None:
        self._functions = dict(exercise.FUNCTIONS) if exercise is not None else {}
        self._exercise_acts = dict(exercise.ACTS) if exercise is not None else {}
        self._give = getattr(exercise, "give", None) or _as_it_is
        self._evaluations: dict[int, Callable[..., object]] = {}
        self._values = Values()
        self._watched: dict[int, list[str]] = {}
        self._path, self._name = "", "submission"
        self._compiled = (b"", "")
        self._code: Any = compile("", "", "exec")
        self._module = _new_module("submission")
        tensors = self._values.tensors
        ambient, under = (tensors.AMBIENT, tensors.under) if tensors else ((), same)
        self._stage = Stage(ambient, under)
        self._key = b""
        self._acted = self._untouched = False
        self._played: list[bytes] = []
        self._reserve = bytes(_RESERVE_BYTES)  # taken and not touched, unlike a bytearray
        self.log = EventLog(self._values.describe)
        scribe = Scribe(self.log, self._perform, self._stage.give, device)
        if exercise is not None:
            exercise.observe(scribe)
        self._plain = dict(exercise.PLAIN) if exercise is not None else {}
        self._given = Given(given, [scribe])
        self._lasting_gates = self._stage.gates
        if device != "cpu":
            tensors.compute_on(device)
            self._do(_compute_on, device)

    def serve(self, requests: BinaryIO, send: Callable[[bytes], None]) -> None:
        """Answer requests until there are no more."""
        for request in requests:
            key = self._key
            line = encode_line(self._answer(_read(request)))
            send(seal(line, key) if key else line)

    def _answer(self, request: Message) -> Message:
        reply = self._reply(request)
        return _tampered(reply) if self._acted and not self._given.intact() else reply

    def _reply(self, request: Message) -> Message:
        """The reply to a request, with no look at whether what was given is as it was."""
        reply: Message = {"id": request["id"]}
        operation = getattr(self, f"_op_{request['op']}")
        self._acted = False
        try:
            reply |= operation(request)
        except Strayed:
            reply["error"] = {"kind": "protocol", "message": "the submission's thread strayed"}
        except BaseException as error:  # noqa: BLE001 - told, where it is about the submission
            self._reserve = b""
            reply["error"] = describe_exception(error, self._path)
        reply["events"] = self.log.take()
        return reply

    # Operations: one method each, named after the word in the request. What each gives is the
    # reply's ``value`` or ``error``, and ``after`` where attributes are watched.

    def _op_hello(self, _request: Message) -> Message:
        libraries = (
            {"torch": self._values.tensors.torch.__version__} if self._values.tensors else {}
        )
        versions = {"protocol": VERSION, "language": "python", "runtime": sys.version.split()[0]}
        versions |= {f"library.{name}": str(version) for name, version in libraries.items()}
        return {"value": {TAG: "map", "items": list(map(list, versions.items()))}}

    def _op_seal(self, request: Message) -> Message:
        self._key = bytes.fromhex(request["key"])
        return {"value": None}

    def _op_load(self, request: Message) -> Message:
        self._forget()
        source, self._path = _from_base64(request["source"]), request["path"]
        if (source, self._path) != self._compiled:
            self._code = compile_source(source, self._path)
            self._compiled = (source, self._path)
        self._name = request["module"]
        told = self._execute(request["interface"])
        self._untouched = "value" in told
        return told

    def _op_reload(self, request: Message) -> Message:
        self._forget()
        # A submission is executed as often as it is asked anything, not once more.
        return {"value": None} if self._untouched else self._execute(request["interface"])

    def _execute(self, interface: Json) -> Message:
        """Execute the submission's code, in a module of its own."""
        self._stage.leave(self._module)
        self._module = _new_module(self._name)
        self._module.__file__ = self._path
        return self._told(self._do(_load, self._code, self._module, interface, kind="import"))

    def _op_forget(self, _request: Message) -> Message:
        self._forget()
        return self._told(self._do(_rest))

    def _forget(self) -> None:
        """Leave to the submission's thread, with its next act, all objects that there are of it."""
        self._stage.take_back(self._lasting_gates)
        self._evaluations.clear()
        self._stage.leave(self._values.forget())  # nothing else refers to them from here on
        self._watched.clear()

    def _op_function(self, request: Message) -> Message:
        params = {name: self._values.build(value) for name, value in request["params"].items()}
        if request["name"] in self._plain:
            return self._told(self._do(_call, self._plain[request["name"]], None, (), params))
        function = self._functions[request["name"]](**params)

        def evaluate(*args: object) -> object:
            if not all(map(self._values.is_plain, args)):
                raise TypeError(f"{request['name']} takes plain values, not of a subclass")
            self.log.emit("function", {"function": fn, "input": args[0] if args else None})
            return function(*args)

        fn = self._give(self._stage.give(evaluate))
        fn.__name__ = fn.__qualname__ = "fn"  # nothing that tells one function from another
        self._evaluations[identity(fn)] = evaluate
        return {"value": self._values.describe(fn)}

    def _op_tensor(self, request: Message) -> Message:
        return {"value": self._values.describe(self._values.build(request["value"]))}

    def _op_new(self, request: Message) -> Message:
        outcome = self._do(_new, self._module, request["class"], *self._values.arguments(request))
        told = self._told(outcome)
        if "value" in told and request.get("watch"):
            self._watched[self._values.ref(outcome[1])] = request["watch"]
        return told

    def _op_call(self, request: Message) -> Message:
        target, watch = self._values[request["ref"]], self._watched.get(request["ref"])
        method = request.get("method")
        # What was returned is looked at before attributes are read, for that may run code that
        # makes of it another thing. Arguments have no name here: they are the stage's to let go of.
        told = self._told(self._do(_call, target, method, *self._values.arguments(request)))
        if watch is not None:
            told["after"] = self._after(target, watch)
        return told

    def _op_get(self, request: Message) -> Message:
        target, name = self._values[request["ref"]], request["name"]
        values = self._looked_up(target, [name])
        if values is not None:
            return {"value": self._values.describe(values[0])}
        return self._told(self._do(_get, target, name))

    def _op_read(self, request: Message) -> Message:
        return {"value": self._values.describe(self._values[request["ref"]])}

    def _op_write(self, request: Message) -> Message:
        self._values.tensors.overwrite(self._values[request["ref"]], request["value"])
        return {"value": None}

    def _op_shares_storage(self, request: Message) -> Message:
        a, b = (self._values[request[side]] for side in ("a", "b"))
        return {"value": bool(self._values.tensors.share_memory(a, b))}

    def _op_play(self, request: Message) -> Message:
        self._played, told = [], []
        for script in request["scripts"]:
            started = _clock()
            replies = _spell(self._follow(script["requests"]), _SPELLING)
            self._played.append(replies)
            digest = _digest(replies, digest_size=32).hexdigest()
            told.append({"digest": digest, "seconds": _clock() - started})
        return {"value": told}

    def _op_played(self, request: Message) -> Message:
        return {"value": [_unspell(self._played[script]) for script in request["scripts"]]}

    def _follow(self, script: list[Message]) -> list[Message]:
        """The replies to a script, with storages told by their order instead of their places."""
        replies: list[Message] = []
        acted = False
        for number, part in enumerate(script):
            ask = part["ask"]
            ask["id"] = number
            try:
                for place, reply, told in part.get("refs", ()):
                    _at(ask, place[:-1])[place[-1]] = _at(replies[reply], told)["ref"]
            except (KeyError, IndexError, TypeError):
                break  # what this is about has never been
            replies.append(self._reply(ask))
            acted = acted or self._acted
        if acted and not self._given.intact():
            replies[-1:] = [_tampered(replies[-1])]
        places = placed((start, size) for start, size in self._values.storages)
        for storage in self._values.storages:
            storage[0] = places[storage[0], storage[1]]
        return replies

    def _after(self, target: object, watch: list[str]) -> Message:
        """What watched attributes hold."""
        values = self._looked_up(target, watch)
        if values is not None:
            return dict(zip(watch, map(self._values.describe, values), strict=True))
        _, seen = self._do(_watch, target, watch, self._path)
        if type(seen) is not list or len(seen) != len(watch):
            raise Strayed
        return dict(zip(watch, map(self._seen, seen), strict=True))

    def _looked_up(self, target: object, names: list[str]) -> list[Any] | None:
        """Attributes as ``acts.simplify`` gives them, where that takes no code to run. For others,
        it is the submission's thread that has to read them.
        """
        values = plain_attributes(target, names)
        self._stage.leave(values)
        if values is None or not all(map(self._values.is_usual, values)):
            return None
        return list(map(simple, values))

    # What the given library has done here, and what the submission's thread does and says of it.

    def _perform(
        self, act: Any, function: object, thing: object, *tensors: object
    ) -> tuple[object, ...]:
        """Do what the given library does with a function of the exercise's; see ``Scribe``.

        One hand-over from thread to thread instead of one for each event and each evaluation.
        """
        evaluate = self._evaluations.get(identity(function))
        plain = type(act) is str and all(map(self._values.is_tensor, tensors))
        if evaluate is None or not plain:
            return ()
        return (self._exercise_acts[act](self.log, evaluate, thing, *tensors),)

    def _do(
        self, act: Callable[..., Any], *args: object, kind: str = "exception"
    ) -> tuple[str, Any]:
        self._acted, self._untouched = True, False
        return word_and_thing(self._stage.do(act, *args, path=self._path, kind=kind))

    def _told(self, outcome: tuple[str, Any]) -> Message:
        kind, said = outcome
        if kind == "error":
            return {"error": plain_fields(said)}
        return {"value": self._values.describe(said)}

    def _seen(self, outcome: Any) -> Json:
        """What a watched attribute holds; one that could not be read says why."""
        kind, said = word_and_thing(outcome)
        if kind == "error":
            return {TAG: "error", **plain_fields(said)}
        return self._values.describe(said)


def _as_it_is(function: Callable[..., object]) -> Callable[..., object]:
    """How a function is given where an exercise says nothing of it."""
    return function


def _tampered(reply: Message) -> Message:
    """A reply in whose place it is said that what was given was changed."""
    return {"id": reply["id"], "error": {"kind": "tampered"}, "events": reply["events"]}


def _at(value: Any, path: list[str | int]) -> Any:
    """What stands in a message, at a place."""
    for key in path:
        value = value[key]
    return value
