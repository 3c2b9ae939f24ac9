"""The reference solution as a subject: where expected values come from."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from grader.errors import ExerciseError, SubmissionError
from grader.protocol import TAG, encode_line
from grader.protocol import Message as WireMessage
from grader.subject.proxies import from_wire
from grader.subject.subject import Subject
from grader.trace import Step, Trace

#: The requests that ``Reference.repeat`` asks again.
_REPEATED = ("function", "tensor", "new", "call", "get", "read", "write")


#: Answers that are remembered, so that a class of any size is graded in the same memory.
_REMEMBERED = 4000


class Reference(Subject):
    """The reference solution as a subject: what goes wrong in it is the exercise's fault."""

    def recalled(self) -> "Recalled":
        """The same for one case, which asks what it asked before of other submissions."""
        return Recalled(self, self._remembered)

    @cached_property
    def _remembered(self) -> dict[bytes, WireMessage]:
        return {}

    def hello(self) -> dict[str, str]:
        """What the subjects' side is made of: the versions of the language and of libraries."""
        step = self._ask("hello", self.limits.load_s, doing="hello")
        said = {str(name): str(value) for name, value in from_wire(self, step.result).items()}
        libraries = {name: version for name, version in said.items() if name.startswith("library.")}
        return {said["language"]: said["runtime"]} | {
            name.removeprefix("library."): version for name, version in libraries.items()
        }

    def begin_trace(self) -> None:
        """Begin a new Trace, and let go of all that the last one spoke of."""
        self.trace = Trace()
        self.forget()
        self.trace = Trace()

    def repeat(self, trace: Trace) -> Trace:
        """Do what another subject was asked to do, as far as that makes sense here.

        Args:
            trace: the other subject's.

        Returns:
            What came of it: the calls in the same order, exceptions included. It ends before a
            call with something that only the other subject had.
        """
        own, known = Trace(), dict[int, int]()
        for step in trace:
            if step.op not in _REPEATED:
                continue
            try:
                fields = {name: _own(value, known) for name, value in step.fields.items()}
                fields |= {name: known[fields[name]] for name in ("ref",) if name in fields}
            except KeyError:
                if step in trace.calls():
                    break
                continue
            try:
                done = super()._ask(step.op, self.limits.call_s, doing=step.op, **fields)
            except SubmissionError as error:
                detail = f"{error.kind}: {trace.spell(step)}"
                raise ExerciseError("exercise.reference", detail=detail) from error
            for part in ("value", "after"):
                _pair(step.reply.get(part), done.reply.get(part), known)
            own.add(done.request, done.reply)
        return own

    def _ask(self, op: str, seconds: float, *, doing: str, **fields: object) -> Step:
        try:
            step = super()._ask(op, seconds, doing=doing, **fields)
        except SubmissionError as error:
            raise ExerciseError("exercise.reference", detail=f"{error.kind}: {doing}") from error
        if "error" in step.reply:
            said = step.reply["error"]
            detail = f"{doing}: {said.get('type', said.get('kind'))}: {said.get('message')}"
            raise ExerciseError("exercise.reference", detail=detail)
        return step


class Recalled(Subject):
    """The reference solution as one case sees it: with nothing of other cases in it.

    What is asked is remembered with all that was asked before it, for the answers hang on that and
    on nothing else. The process is asked what nobody asked yet, and then from the beginning.

    Args:
        reference: the reference solution.
        remembered: a hash of all that was asked -> the last answer.
    """

    def __init__(self, reference: Reference, remembered: dict[bytes, WireMessage]) -> None:
        self.interface, self.limits, self.trace = reference.interface, reference.limits, Trace()
        self.device = reference.device
        self._reference, self._remembered = reference, remembered
        self._asked, self._follows = b"", False

    def _ask(self, op: str, seconds: float, *, doing: str, **fields: object) -> Step:
        request = {"op": op, **fields}
        self._asked = hashlib.sha256(self._asked + encode_line(request)).digest()
        if self._asked not in self._remembered:
            self._catch_up()
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            step = self._reference._ask(op, seconds, doing=doing, **fields)  # noqa: SLF001
            self._remembered[self._asked] = step.reply
        return self._record(request, self._remembered[self._asked], doing)

    def _catch_up(self) -> None:
        """Ask the process what this case has asked so far, if it has not been asked."""
        if not self._follows:
            self._follows = True
            self._reference.begin_trace()
            for step in self.trace:
                seconds = self.limits.call_s
                self._reference._ask(step.op, seconds, doing=step.op, **step.fields)  # noqa: SLF001


def _own(value: Any, known: Mapping[int, int]) -> Any:
    """A request's value with every reference to something of the other subject made one's own.

    Raises:
        KeyError: there is no such thing here.
    """
    if isinstance(value, list):
        return [_own(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get(TAG) == "ref":
        return {TAG: "ref", "ref": known[value["ref"]]}
    return {name: _own(item, known) for name, item in value.items()}


def _pair(theirs: Any, mine: Any, known: dict[int, int]) -> None:
    """Note which of one's own things stands where the other subject had one of its."""
    if isinstance(theirs, list) and isinstance(mine, list):
        for one, other in zip(theirs, mine, strict=False):
            _pair(one, other, known)
    elif isinstance(theirs, dict) and isinstance(mine, dict):
        if isinstance(theirs.get("ref"), int) and isinstance(mine.get("ref"), int):
            known[theirs["ref"]] = mine["ref"]
        for name in theirs.keys() & mine.keys():
            _pair(theirs[name], mine[name], known)
