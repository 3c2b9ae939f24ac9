"""What the checks of P17 share: a runner under test, its batches, and what its graphs did."""

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from grader.checks import DType, Event, RemoteObject, RemoteTensor, Subject, Tensor

HIDDEN = 3


class Rig:
    """A runner of the submission, a function that it runs, and the same function as oracle.

    Args:
        subject: where the submission is.
        oracle: where the reference is.
        rng: what batches are drawn from.
        fn: name and parameters of the function.
        buckets: as handed to the runner, in that order.
        dtype: of the buffers and of every batch; None leaves the runner its default.
    """

    def __init__(
        self,
        subject: Subject,
        oracle: Subject,
        rng: random.Random,
        *,
        fn: tuple[str, dict[str, object]],
        buckets: Sequence[int],
        dtype: str | None,
    ) -> None:
        name, params = fn
        self.subject, self._rng = subject, rng
        self.buckets, self.dtype = sorted(buckets), dtype or "float32"
        self._oracle_fn = oracle.function(name, **params)
        function = subject.function(name, **params)
        keywords = {"dtype": DType(dtype)} if dtype else {}
        self.runner = subject.new("GraphRunner", function, list(buckets), HIDDEN, **keywords)
        self.events: list[Event] = subject.events
        self.replays = 0

    @property
    def largest(self) -> int:
        """The largest bucket."""
        return self.buckets[-1]

    def bucket_for(self, bs: int) -> int | None:
        """The bucket that a batch must go to, or None if it must run eagerly."""
        return min((b for b in self.buckets if b >= bs), default=None)

    def capture(self) -> None:
        """Have the runner capture its graphs."""
        self.runner.capture()
        self.events = self.subject.events

    def batch(self, bs: int) -> Tensor:
        """A fresh batch without zeros, of small integers: every dtype holds them, their sums and
        products exactly, so that results can be compared bit for bit."""
        values = [v for v in range(-6, 7) if v]
        rows = [[float(self._rng.choice(values)) for _ in range(HIDDEN)] for _ in range(bs)]
        return Tensor.of(rows, self.dtype)

    def filled(self, bs: int, value: float) -> Tensor:
        """A batch full of one value."""
        return Tensor.of([[value] * HIDDEN] * bs, self.dtype)

    def run(self, x: Tensor | RemoteTensor, **keywords: bool) -> RemoteTensor:
        """Have the runner run a batch."""
        result: RemoteTensor = self.runner.run(x, **keywords)
        self.events = self.subject.events
        self.replays += len(self.seen("replay"))
        return result

    def eager(self, x: Tensor) -> Tensor:
        """What the function gives for a batch, called directly, in another process."""
        result: RemoteTensor = self._oracle_fn(x)
        return result.value

    def seen(self, name: str) -> list[Event]:
        """The events of a kind in the last call, those apart that a graph caused by itself."""
        return [e for e in self.events if e.name == name and e.within is None]

    def bucket_of(self, replay: Event) -> int:
        """The bucket that a replay was of: where ``graphs`` has its graph, else by its rows."""
        graphs: dict[int, RemoteObject] = self.runner.graphs
        found = [b for b, graph in graphs.items() if graph == replay.graph]
        return found[0] if found else replay.input.shape[0]

    def zigzag(self, last: int | None = None) -> Iterator[int]:
        """Every batch size up to ``last`` (the largest bucket), large and small in turns."""
        low, high = 1, last or self.largest
        while low <= high:
            yield high
            if low < high:
                yield low
            low, high = low + 1, high - 1


NewRig = Callable[..., Rig]


@pytest.fixture
def new_rig(subject: Subject, oracle: Subject, rng: random.Random) -> NewRig:
    """Makes rigs: a random affine function, the seed's buckets and captured graphs, unless said
    otherwise."""

    def make(
        fn: tuple[str, dict[str, object]] | None = None,
        *,
        buckets: Sequence[int] = (16, 1, 4),
        dtype: str | None = None,
        captured: bool = True,
    ) -> Rig:
        fn = fn or ("affine", {"scale": rng.choice([2, 3, 4]), "shift": rng.randint(1, 9)})
        rig = Rig(subject, oracle, rng, fn=fn, buckets=buckets, dtype=dtype)
        if captured:
            rig.capture()
        return rig

    return make
