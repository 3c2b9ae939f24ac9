"""A submission running in a process of its own, as the checks see it.

Every request goes into the subject's Trace.
"""

import base64
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from grader.errors import SubmissionError
from grader.protocol import MAX_EVENTS, TAG
from grader.protocol import Message as WireMessage
from grader.subject.channel import Channel
from grader.subject.faults import NotApplicable, call_error, load_error
from grader.subject.output import Output
from grader.subject.proxies import (
    DType,
    Event,
    RemoteObject,
    RemoteTensor,
    from_wire,
    kind_of,
    to_wire,
)
from grader.subject.script import Answers, Script, written
from grader.subject.source import Built
from grader.tensor import Tensor
from grader.trace import Step, Trace

T = TypeVar("T")

#: How ``faulthandler``'s report of a crash begins.
_CRASH_REPORT = b"Fatal Python error: "


@dataclass(frozen=True)
class Limits:
    """How long a subject may take.

    Attributes:
        load_s: seconds for loading the submission.
        call_s: seconds for each call.
        grading_s: seconds for everything asked of the submission in one grading.
        output_mb: megabytes that it may print meanwhile.
        deadline: when ``grading_s`` are over, on the monotonic clock.
    """

    load_s: float
    call_s: float
    grading_s: float
    output_mb: float
    deadline: float


@dataclass(frozen=True)
class Interface:
    """What a submission must offer.

    Attributes:
        classes: class -> method -> its parameters, those with a default marked by ``?``.
        returns: ``Class.method`` -> the kind of value it must return (``tensor``).
        watch: class -> the attributes recorded after every call on an object of it.
        dtypes: those that the submission's language has; None where it has all.
    """

    classes: Mapping[str, Mapping[str, Sequence[str]]]
    returns: Mapping[str, str]
    watch: Mapping[str, Sequence[str]]
    dtypes: frozenset[str] | None = None


class Subject:
    """One submission, loaded in a process of its own.

    Args:
        channel: the pipe to that process.
        built: the submission that it is opened for.
        interface: what it must offer.
        limits: how long it may take.

    Attributes:
        trace: all that was asked of it.
        device: what it computes on.
    """

    def __init__(
        self, channel: Channel, built: Built, interface: Interface, limits: Limits
    ) -> None:
        self.trace, self.device = Trace(), channel.device
        self._channel, self._built, self._source = channel, built, built.source
        self.interface, self.limits = interface, limits

    def load(self) -> None:
        """Execute the submission's source, forgetting what was there before.

        Raises:
            SubmissionError: it cannot be loaded, or lacks part of the interface.
        """
        path = self._source.path
        step = self._ask(
            "load",
            self.limits.load_s,
            doing=f"import {path}",
            source=base64.b64encode(self._built.loaded).decode("ascii"),
            path=path,
            module=self._source.module,
            interface=self.interface.classes,
        )
        if "error" in step.reply:
            raise load_error(step.reply["error"], path)

    def forget(self) -> None:
        """Let go of every object; what is loaded stays."""
        _raise(self._ask("forget", self.limits.call_s, doing="forget"), "forget")

    def play(
        self, scripts: Sequence[Script], *, seconds: float
    ) -> tuple[list[Answers], tuple[Output, Output]]:
        """Have whole scripts followed at one go. Nothing of it is in the Trace;
        ``Script.followed`` makes one of it.

        Args:
            scripts: what to ask.
            seconds: how long all of it may take.

        Returns:
            The digests of the answers to each, which ``played`` tells in full, and what was
            printed on stdout and stderr since ``load`` or the last scripts.

        Raises:
            SubmissionError: the process failed or broke the protocol.
        """
        told = self._ask_unseen("play", seconds, written=written(scripts))
        if not _is_list(told, len(scripts)) or not all(map(_is_digest, told)):
            raise SubmissionError("protocol", {"detail": "play gave no digests"})
        printed = self._channel.outputs()
        self._channel.forget_output()
        return [Answers(one["digest"], one["seconds"]) for one in told], printed

    def played(self, scripts: Sequence[int]) -> list[list[WireMessage]]:
        """The answers to some of the scripts played last: one a request, as far as it came.

        Args:
            scripts: which of them.

        Raises:
            SubmissionError: the process failed or broke the protocol.
        """
        told = self._ask_unseen("played", self.limits.call_s, scripts=scripts)
        if not _is_list(told, len(scripts)) or not all(map(_are_replies, told)):
            raise SubmissionError("protocol", {"detail": "played gave no replies"})
        answered: list[list[WireMessage]] = told
        return answered

    def _ask_unseen(
        self, op: str, seconds: float, *, written: bytes = b"", **fields: object
    ) -> Any:
        """The value that comes of a request which is not for the Trace."""
        number = self._channel.send(op, written, **fields)
        limit = self.limits.output_mb
        reply = self._channel.receive(number, seconds=seconds, output_mb=limit, doing=op)
        if "error" in reply:
            raise SubmissionError("protocol", {"detail": f"{op}: {reply['error'].get('kind')}"})
        return reply["value"]

    def new(self, class_name: str, *args: object, **kwargs: object) -> "RemoteObject":
        """An object of one of the submission's classes.

        Raises:
            SubjectRaised: its constructor raised.
            SubmissionError: the process failed or broke the protocol.
        """
        step = self._call(
            "new",
            args,
            kwargs,
            **{"class": class_name, "watch": list(self.interface.watch.get(class_name, ()))},
        )
        made = from_wire(self, step.result)
        if not isinstance(made, RemoteObject):
            raise SubmissionError("protocol", {"detail": f"new {class_name} is no object"})
        made.type = class_name
        return made

    def function(self, name: str, **params: object) -> "RemoteObject":
        """A function that the exercise gives, to be handed to the submission or called."""
        params = {key: self._wire(value) for key, value in params.items()}
        step = self._ask("function", self.limits.call_s, doing=name, name=name, params=params)
        return self._expect(step, RemoteObject)

    def tensor(self, value: Tensor, strides: Sequence[int] | None = None) -> "RemoteTensor":
        """A tensor in the subject's process, laid out row by row or by ``strides`` (elements)."""
        wire = self._wire(value)
        if strides is not None:
            wire["strides"] = list(strides)
        step = self._ask("tensor", self.limits.call_s, doing="tensor", value=wire)
        return self._expect(step, RemoteTensor)

    def shares_storage(self, a: "RemoteTensor", b: "RemoteTensor") -> bool:
        """Whether two tensors have memory in common."""
        step = self._ask(
            "shares_storage", self.limits.call_s, doing="shares_storage", a=a.ref, b=b.ref
        )
        return self._expect(step, bool)

    @property
    def events(self) -> list["Event"]:
        """What the given library was seen to do during the last request."""
        return [Event(self, entry) for entry in self.trace.steps[-1].events]

    def after(self, name: str) -> Any:
        """What a watched attribute held after the last call on the object that it is one of.

        Raises:
            SubjectRaised: it could not be read.
        """
        step = next(step for step in reversed(self.trace.steps) if step.op == "call")
        if name not in step.after:
            raise SubmissionError("protocol", {"detail": f"{name} was not reported"})
        wire = step.after[name]
        if isinstance(wire, dict) and wire.get(TAG) == "error":
            raise call_error(wire, f".{name}")
        return from_wire(self, wire)

    # What the proxies use.

    def call(
        self, target: "RemoteObject", method: str | None, *args: object, **kwargs: object
    ) -> Any:
        """Call a method of an object, or the object itself.

        Raises:
            SubjectRaised: the submission's code raised.
            SubmissionError: the process failed, broke the protocol, or returned what the
                interface forbids.
        """
        step = self._call("call", args, kwargs, ref=target.ref, method=method)
        result = from_wire(self, step.result)
        wanted = self.interface.returns.get(f"{target.type}.{method}")
        if wanted == "tensor" and not isinstance(result, RemoteTensor):
            raise SubmissionError(
                "result",
                {"call": self.trace.spell(step), "seen": kind_of(step.result), "wanted": wanted},
            )
        return result

    def methods_of(self, type_name: str) -> Mapping[str, Sequence[str]]:
        """The methods that the interface knows of a class."""
        return self.interface.classes.get(type_name, {})

    def get(self, target: "RemoteObject", name: str) -> Any:
        """What an attribute of an object holds now.

        Raises:
            SubjectRaised: there is none, or reading it raised.
        """
        step = self._ask("get", self.limits.call_s, doing=f".{name}", ref=target.ref, name=name)
        _raise(step, f".{name}")
        return from_wire(self, step.result)

    def read(self, ref: int) -> Tensor:
        """What a tensor holds now."""
        step = self._ask("read", self.limits.call_s, doing="read", ref=ref)
        return self._expect(step, RemoteTensor).value

    def write(self, ref: int, value: Tensor) -> None:
        """Overwrite a tensor in place."""
        step = self._ask(
            "write", self.limits.call_s, doing="write", ref=ref, value=self._wire(value)
        )
        _raise(step, "write")

    def _call(
        self, op: str, args: tuple[object, ...], kwargs: dict[str, object], **fields: object
    ) -> Step:
        fields["args"] = [self._wire(value) for value in args]
        fields["kwargs"] = {name: self._wire(value) for name, value in kwargs.items()}
        spelled = self.trace.spell(Step({"op": op, **fields}, {}))
        step = self._ask(op, self.limits.call_s, doing=spelled, **fields)
        _raise(step, spelled)
        return step

    def _wire(self, value: object) -> Any:
        """A value as the protocol spells it.

        Raises:
            NotApplicable: it is of a dtype that the submission's language has not.
        """
        known = self.interface.dtypes
        if known is not None and isinstance(value, DType | Tensor):
            dtype = value.dtype if isinstance(value, Tensor) else str(value)
            if dtype not in known:
                raise NotApplicable("language.no_dtype", dtype=dtype)
        return to_wire(value)

    def _ask(self, op: str, seconds: float, *, doing: str, **fields: object) -> Step:
        seconds = min(seconds, self.limits.deadline - time.monotonic())
        number = self._channel.send(op, **fields)
        try:
            limit = self.limits.output_mb
            reply = self._channel.receive(number, seconds=seconds, output_mb=limit, doing=doing)
        except SubmissionError as error:
            self._explain(error)
            raise
        return self._record({"op": op, **fields}, reply, doing)

    def _record(self, request: WireMessage, reply: WireMessage, doing: str) -> Step:
        """Take down a step.

        Raises:
            SubmissionError: kind ``events``: more was done in it than a reply tells of.
        """
        events = reply["events"]
        if len(events) > MAX_EVENTS or any(event.get("event") == "dropped" for event in events):
            raise SubmissionError("events", {"doing": doing})
        return self.trace.add(request, reply)

    def _explain(self, error: SubmissionError) -> None:
        """Say where a submission is that ran out of a limit, or where it crashed."""
        if error.kind in ("crash", "exit") and self._was_out_of_memory():
            error.kind = "memory"
        elif error.kind == "crash":
            self._locate(error, self._channel.stderr.texts())
            self._channel.stderr.cut(_CRASH_REPORT)
        elif error.kind in ("timeout", "output") and error.text is None:
            self._locate(error, [self._channel.stack()])
            if error.kind == "timeout" and time.monotonic() >= self.limits.deadline:
                error.text = "timeout_grading"
                error.params["seconds"] = self.limits.grading_s

    def _was_out_of_memory(self) -> bool:
        """Whether a subject that ended said that it was for lack of memory."""
        marker = self._built.out_of_memory
        printed = (text for output in self._channel.outputs() for text in output.texts())
        return marker is not None and any(marker in text for text in printed)

    def _locate(self, error: SubmissionError, stacks: Sequence[str]) -> None:
        """The submission's own line in what ``faulthandler`` wrote last."""
        path = self._source.path.encode("ascii", "backslashreplace").decode("ascii")
        frame = re.compile(rf'File "{re.escape(path)}", line ([1-9]\d{{0,6}}) in')
        for stack in reversed(stacks):
            # The thread that crashed is the current one; else the oldest is the submission's.
            threads = re.split(r"hread 0x[0-9a-f]+", stack)
            current = [text for before, text in pairwise(threads) if before.endswith("Current t")]
            matches = [frame.search(thread) for thread in (*current, *reversed(threads))]
            match = next(filter(None, matches), None)
            if match:
                error.line = int(match.group(1))
                error.code = self._source.line(error.line)
                return

    def _expect(self, step: Step, kind: type[T]) -> T:
        _raise(step, step.op)
        value = from_wire(self, step.result)
        if not isinstance(value, kind):
            raise SubmissionError("protocol", {"detail": f"{step.op} gave {kind_of(step.result)}"})
        return value


def _is_list(told: Any, size: int) -> bool:
    return isinstance(told, list) and len(told) == size


def _is_digest(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and isinstance(told.get("digest"), str)
        and isinstance(told.get("seconds"), float)
    )


def _are_replies(told: Any) -> bool:
    return isinstance(told, list) and all(
        isinstance(reply, dict) and isinstance(reply.get("events"), list) for reply in told
    )


def _raise(step: Step, call: str) -> None:
    """Raise what the reply of a step says went wrong, if it says so."""
    if "error" in step.reply:
        raise call_error(step.reply["error"], call)
