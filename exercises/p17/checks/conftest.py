"""What the checks of P17 share: a runner under test, its batches, and what its graphs did.

Whatever comes from the submission is looked at before it is used: a ``stats`` without its
keys is a failure of the submission, not of the check.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pytest

from grader.checks import (
    DType,
    Event,
    RemoteObject,
    RemoteTensor,
    Subject,
    SubjectRaised,
    Tensor,
    expect,
    expect_same,
)

#: Columns that a batch may have.
HIDDEN = range(2, 6)
DIMENSIONS = 2

#: Binary places of a batch's values: what a narrower dtype would round off, and yet few enough
#: for this one to hold every sum and product of the checks' functions exactly.
PLACES = {"float64": 40, "float32": 12, "bfloat16": 0}

#: The largest power of two that all of a rig's values may be multiplied by, likewise.
MAGNITUDES = {"float64": 6, "float32": 6, "bfloat16": 0}


#: By which part a result may be off on a GPU, where a padded batch has another number of rows and
#: may so be computed by another kernel. The checks' data leave nothing to rounding; TF32 and the
#: like would.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "bfloat16": 1e-2}


class Rig:
    """A runner of the submission, a function that it runs, and the same function as oracle.

    Args:
        subject: where the submission is.
        oracle: where the reference is.
        rng: what batches are drawn from.
        fn: name and parameters of the function.
        buckets: as handed to the runner, in that order.
        hidden: columns of every batch.
        dtype: of the buffers and of every batch; None leaves the runner its default.

    Attributes:
        events: what the given library did during the last call on the runner.
        replays: how many real replays there have been.
    """

    def __init__(
        self,
        subject: Subject,
        oracle: Subject,
        rng: random.Random,
        *,
        fn: tuple[str, dict[str, object]],
        buckets: Sequence[int],
        hidden: int,
        dtype: str | None,
    ) -> None:
        name, params = fn
        self.subject, self._oracle, self._rng, self._fn = subject, oracle, rng, fn
        self.buckets, self.hidden, self.dtype = sorted(buckets), hidden, dtype or "float32"
        self._magnitude = 2 ** rng.randint(0, MAGNITUDES[self.dtype])
        function = subject.function(name, **params)
        keywords = {"dtype": DType(dtype)} if dtype else {}
        self.runner = subject.new("GraphRunner", function, list(buckets), hidden, **keywords)
        self.events: list[Event] = subject.events
        self.replays = 0

    # What goes in.

    @property
    def largest(self) -> int:
        """The largest bucket."""
        return self.buckets[-1]

    def bucket_for(self, bs: int) -> int | None:
        """The bucket that a batch must go to, or None if it must run eagerly."""
        return min((b for b in self.buckets if b >= bs), default=None)

    def batch(self, bs: int) -> Tensor:
        """A fresh batch without zeros. Its dtype holds the values, and what is computed of them,
        exactly, so that results can be compared bit for bit.
        """
        return Tensor.of(
            [[self._number() for _ in range(self.hidden)] for _ in range(bs)], self.dtype
        )

    def _number(self) -> float:
        unit = 2 ** PLACES[self.dtype]
        drawn = int(self._rng.random() * 12 * unit)  # of one sign or the other, from 1 to below 7
        sign, rest = (1, -1)[drawn % 2], drawn // 2
        return sign * (1 + rest / unit) * self._magnitude

    def filled(self, bs: int, value: float) -> Tensor:
        """A batch full of one value."""
        return Tensor.of([[value] * self.hidden] * bs, self.dtype)

    def zigzag(self, last: int | None = None) -> Iterator[int]:
        """Every batch size up to ``last`` (the largest bucket), large and small in turns."""
        low, high = 1, last or self.largest
        while low <= high:
            yield high
            if low < high:
                yield low
            low, high = low + 1, high - 1

    def capture(self) -> None:
        """Have the runner capture its graphs."""
        self.runner.capture()
        self.events = self.subject.events

    def run(self, x: Tensor | RemoteTensor, **keywords: bool) -> RemoteTensor:
        """Have the runner run a batch."""
        result: RemoteTensor = self.runner.run(x, **keywords)
        self.events = self.subject.events
        self.replays += len(self.real_replays())
        return result

    def attempt(self, x: Tensor, **keywords: bool) -> None:
        """Run a batch for a check that does not mind whether the run succeeds."""
        try:
            self.run(x, **keywords)
        except SubjectRaised:
            self.events = self.subject.events

    def eager(self, x: Tensor) -> Tensor:
        """What the function gives for a batch, called directly, in another process."""
        result: RemoteTensor = self._oracle_fn(x)
        return result.value

    def expect_as_eager(self, result: RemoteTensor, x: Tensor) -> None:
        """What a run gave for a batch is what the function gives, called directly."""
        bs = len(x)
        tolerance = 0.0
        if self.subject.device != "cpu" and self.bucket_for(bs) not in (bs, None):
            tolerance = TOLERANCE[self.dtype]
        expect_same(result.value, self.eager(x), "parity", tolerance=tolerance, bs=bs)

    @cached_property
    def _oracle_fn(self) -> RemoteObject:
        name, params = self._fn
        return self._oracle.function(name, **params)

    # What is seen.

    def seen(self, name: str) -> list[Event]:
        """The events of a kind in the last call. A function that a graph called does not count:
        that is the graph's doing. A graph that a graph captured or replayed does.
        """
        nested = name in ("capture", "replay")
        found = [e for e in self.events if e.name == name and (nested or e.within is None)]
        for event in found:
            if name in ("capture", "replay"):
                self.view(event, "input")
        return found

    def real_replays(self) -> list[Event]:
        """The replays of the last call whose graph gave the function what it had read, and not
        something else besides its buffer.
        """
        given = [e.input for e in self.events if e.name == "function" and e.within == "replay"]
        if not all(isinstance(value, RemoteTensor) for value in given):
            return []
        read = [replay.input.value for replay in self.seen("replay")]
        own = all(any(x.value.first_difference(y) is None for y in read) for x in given)
        return self.seen("replay") if own else []

    def view(self, event: Event, side: str) -> RemoteTensor:
        """The view that a graph reads (``input``) or writes (``output``)."""
        value = getattr(event, side)
        expect(_is_matrix(value), "runner.view", seen=_kind(value), expected="Tensor[b, hidden]")
        view: RemoteTensor = value
        return view

    def buffer(self, name: str) -> RemoteTensor:
        """``static_in`` or ``static_out`` as it is now."""
        return self._checked_buffer(name, getattr(self.runner, name))

    def buffer_after(self, name: str) -> RemoteTensor:
        """``static_in`` or ``static_out`` as it was after the last call."""
        return self._checked_buffer(name, self.subject.after(name))

    def stats(self) -> Mapping[str, Any]:
        """``stats`` as it is now."""
        return self._checked_stats(self.runner.stats)

    def stats_after(self) -> Mapping[str, Any]:
        """``stats`` as it was after the last call."""
        return self._checked_stats(self.subject.after("stats"))

    def graphs(self) -> Mapping[Any, Any]:
        """``graphs`` as it is now: bucket -> graph."""
        graphs = self.runner.graphs
        expect(isinstance(graphs, dict), "runner.graphs", seen=_kind(graphs), expected="dict")
        seen: Mapping[Any, Any] = graphs
        return seen

    def is_of(self, replay: Event, bucket: int) -> bool:
        """Whether a replay was of a bucket's graph; one that ``graphs`` has not is told by its
        rows.
        """
        graphs = self.graphs()
        if replay.graph in graphs.values():
            return bool(graphs.get(bucket) == replay.graph)
        return len(replay.input.value) == bucket

    def _checked_buffer(self, name: str, value: Any) -> RemoteTensor:
        expect(_is_matrix(value), "runner.buffer", seen=_kind(value), expected=_WANTED, name=name)
        buffer: RemoteTensor = value
        return buffer

    def _checked_stats(self, value: Any) -> Mapping[str, Any]:
        for key in ("replays", "eager", "last_bucket"):
            there = isinstance(value, dict) and key in value
            expect(there, "runner.stats", seen=_kind(value), expected="dict", key=key)
        stats: Mapping[str, Any] = value
        return stats


_WANTED = "Tensor[max bucket, hidden]"


def _is_matrix(value: Any) -> bool:
    return isinstance(value, RemoteTensor) and len(value.shape) == DIMENSIONS


def _kind(value: Any) -> str:
    """What a value is, as a student knows it."""
    if isinstance(value, RemoteTensor):
        return f"Tensor{list(value.shape)}"
    return value.type if isinstance(value, RemoteObject) else repr(value)


NewRig = Callable[..., Rig]


@pytest.fixture
def hidden(rng: random.Random) -> int:
    """How many columns the batches of a case have."""
    return rng.choice(HIDDEN)


@pytest.fixture
def new_rig(subject: Subject, oracle: Subject, rng: random.Random, hidden: int) -> NewRig:
    """Makes rigs: a random affine function, the seed's buckets and captured graphs, unless said
    otherwise.
    """
    columns = hidden

    def make(
        fn: tuple[str, dict[str, object]] | None = None,
        *,
        buckets: Sequence[int] = (16, 1, 4),
        hidden: int | None = None,
        dtype: str | None = None,
        captured: bool = True,
    ) -> Rig:
        fn = fn or ("affine", {"scale": rng.choice([2, 3, 4]), "shift": rng.randint(1, 9)})
        rig = Rig(
            subject, oracle, rng, fn=fn, buckets=buckets, hidden=hidden or columns, dtype=dtype
        )
        if captured:
            rig.capture()
        return rig

    return make
