"""The calls of a Trace, each with all that is known of the memory around it.

What is read into a Trace is any exercise's: a *buffer* is a watched attribute that is a tensor,
*counters* are one that is a mapping, and an event *covers* the rows of a buffer that its
``input`` or ``output`` is a view of.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import islice
from typing import Self

from grader.protocol import TAG, Json, of_type
from grader.protocol import Message as WireMessage
from grader.tensor import DTYPES, Tensor
from grader.trace import Step, Trace

#: So many counters are told of, each with so many characters.
_COUNTERS, _TEXT = 12, 60


class Moment(IntEnum):
    """A moment of a call in which a graph runs."""

    ARRIVED = 1
    CHOSEN = 2
    COPIED = 3
    CLEARED = 4
    REPLAYED = 5
    DONE = 6


@dataclass(frozen=True)
class Told:
    """A tensor as a reply told of it.

    Attributes:
        value: what it held.
        ref: its number in the Trace; None for one that the request brought.
        start: address of its first element; None where the language knows none.
        stride: bytes from one row to the next.
        memory: first and last address of its storage; None likewise.
    """

    value: Tensor
    ref: int | None = None
    start: int | None = None
    stride: int = 0
    memory: tuple[int, int] | None = None

    @classmethod
    def of(cls, wire: Json) -> Self | None:
        """The tensor that a value of the protocol spells; None if it spells none."""
        if not isinstance(wire, dict) or wire.get(TAG) != "tensor":
            return None
        try:
            value, ref = Tensor.from_wire(wire), wire.get("ref")
            size = DTYPES[value.dtype][0]
            ref = None if ref is None else of_type(int, ref)
            storage, strides = wire.get("storage"), wire.get("strides")
            if not storage:
                return cls(value, ref)
            start, length = (of_type(int, part) for part in of_type(list, storage))
            offset = of_type(int, wire["offset"])
            stride = of_type(int, of_type(list, strides)[0]) if strides else 0
        except (KeyError, TypeError, ValueError):
            return None  # what is garbled is not drawn
        memory = start, start + length
        return cls(value, ref, start + offset * size, stride * size, memory)

    def shares(self, other: "Told") -> bool:
        """Whether two have memory in common."""
        if self.memory is None or other.memory is None:
            return False
        return self.memory[0] < other.memory[1] and other.memory[0] < self.memory[1]

    def first_row_in(self, buffer: "Told") -> int | None:
        """The row of a buffer that this one begins with, if it is a view of its whole rows."""
        if not self.shares(buffer) or self.start is None or buffer.start is None:
            return None
        same = self.value.shape[1:] == buffer.value.shape[1:] and buffer.stride > 0
        row, rest = divmod(self.start - buffer.start, buffer.stride) if same else (0, 1)
        inside = 0 <= row <= row + len(self.value) <= len(buffer.value)
        return row if not rest and inside else None


@dataclass(frozen=True)
class View:
    """What an event read or wrote: the rows of a buffer from ``first`` on, and their values."""

    buffer: str
    first: int
    value: Tensor

    @property
    def rows(self) -> range:
        """The buffer's rows that it is of."""
        return range(self.first, self.first + len(self.value))


@dataclass(frozen=True)
class Shot:
    """A call, with all that is known of it.

    Attributes:
        text: the call, as code.
        step: its step of the Trace.
        argument: the first tensor that it was given.
        before: the buffers before it; none for an object's first call.
        after: the buffers after it.
        counters: the watched mappings after it.
        results: earlier calls that gave a tensor, each with the tensor's number in the Trace.
        result: what it gave, if that is a tensor.
        number: its place among the calls that gave a tensor, from 1.
        later: what tensors held that were looked at before the next call.
        moment: the moment that is looked at; its end, unless said otherwise.
    """

    text: str
    step: Step
    argument: Tensor | None
    before: Mapping[str, Told]
    after: Mapping[str, Told]
    counters: Mapping[str, str]
    results: Sequence[tuple[int, "Shot"]] = ()
    result: Told | None = None
    number: int = 0
    later: Mapping[int, Tensor] = field(default_factory=dict)
    moment: Moment = Moment.DONE

    @property
    def ran(self) -> WireMessage | None:
        """The last event over a buffer that was no mere capture."""
        over = [
            event
            for event in self.step.events
            if event.get("event") != "capture"
            and event.get("within") is None
            and self.view(event, "input") is not None
        ]
        return over[-1] if over else None

    def view(self, event: WireMessage, side: str) -> View | None:
        """What an event read (``input``) or wrote (``output``), if that is in a buffer."""
        told = Told.of(event.get(side))
        for name, buffer in self.after.items() if told else ():
            first = told.first_row_in(buffer) if told else None
            if told and first is not None:
                return View(name, first, told.value)
        return None


def shots(trace: Trace) -> Iterator[Shot]:
    """The calls of a Trace. What an object's buffers held before one is told by the one before."""
    states: dict[Json, Mapping[str, Told]] = {}
    results: list[tuple[int, Shot]] = []
    steps = list(trace)
    for i, step in enumerate(steps):
        if step.op not in ("new", "call"):
            continue
        target = step.request.get("ref")
        watched = {name: Told.of(wire) for name, wire in step.after.items()}
        after = {name: told for name, told in watched.items() if told is not None}
        shot = Shot(
            text=trace.spell(step),
            step=step,
            argument=_argument(trace, step),
            before=states.get(target, {}),
            after=after,
            counters=_counters(step.after),
            results=list(results),
            result=Told.of(step.result),
            later=_read_later(steps[i + 1 :]),
        )
        states[target] = after
        ref = shot.result.ref if shot.result else None
        if ref is not None:
            shot = replace(shot, number=len(results) + 1)
            results.append((ref, shot))
        yield shot


def _argument(trace: Trace, step: Step) -> Tensor | None:
    """The first tensor that a call was given: its value, or one made before."""
    for wire in step.request.get("args", []):
        told = Told.of(wire)
        if told is None and isinstance(wire, dict) and wire.get(TAG) == "ref":
            told = _known(trace, step, wire.get("ref"))
        if told is not None and told.value.shape:
            return told.value
    return None


def _known(trace: Trace, until: Step, ref: Json) -> Told | None:
    """A tensor by its number, as a reply last told of it before a step."""
    found = None
    for step in trace:
        if step is until:
            break
        wire = step.result
        if isinstance(wire, dict) and wire.get("ref") == ref:
            found = Told.of(wire) or found
    return found


def _read_later(steps: Sequence[Step]) -> dict[int, Tensor]:
    """What tensors held that were looked at before the next call, by number."""
    found: dict[int, Tensor] = {}
    for step in steps:
        if step.op in ("new", "call"):
            break
        told = Told.of(step.result) if step.op == "read" else None
        if told is not None:
            found[step.request["ref"]] = told.value
    return found


def _counters(after: WireMessage) -> dict[str, str]:
    found: dict[str, str] = {}
    for wire in after.values():
        items = wire.get("items") if isinstance(wire, dict) and wire.get(TAG) == "map" else None
        for pair in items if isinstance(items, list) else ():
            if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004 - a key and a value
                found[spelled(pair[0])[:_TEXT]] = spelled(pair[1])[:_TEXT]
    return dict(islice(found.items(), _COUNTERS))


def spelled(wire: Json) -> str:
    """A value of the protocol as short text."""
    if isinstance(wire, list):
        return f"[{', '.join(map(spelled, wire))}]"
    if not isinstance(wire, dict):
        return str(wire)
    if wire.get(TAG) == "tensor":
        return f"tensor{wire.get('shape')}"
    return str(wire.get("value", wire.get("name", wire.get("type", wire.get(TAG)))))
