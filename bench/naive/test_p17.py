"""The five checks as one writes them without a grader: the student's file is imported into the
process that judges it, and ``python -m pytest`` is started anew for every student.

The same cases as in ``exercises/p17/checks``, with the same calls. It is what ``bench/batch.py``
measures the grader against; it stands for nothing else: a submission can reach all that is here.
"""

import importlib.util
import os
import random
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exercises.p17 import cpu_graph

INF, NAN = float("inf"), float("nan")
EVENTS = []


class WatchedGraph(cpu_graph.CpuGraph):
    """A graph that notes what is done with it."""

    def capture(self):
        """Note the capture."""
        EVENTS.append(("capture", self, None))
        super().capture()

    def replay(self):
        """Note the replay, and what its input holds."""
        EVENTS.append(("replay", self, self.static_in.clone()))
        super().replay()


def load():
    """The student's module, executed anew."""
    cpu_graph.CpuGraph = WatchedGraph
    spec = importlib.util.spec_from_file_location("submission", os.environ["SUBMISSION"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Rig:
    """A runner of the student's, and what it runs."""

    def __init__(self, rng, fn, buckets, hidden, dtype=torch.float32, *, captured=True):
        self.rng, self.plain, self.hidden, self.dtype = rng, fn, hidden, dtype
        self.buckets = sorted(buckets)
        self.calls = 0

        def counted(x):
            self.calls += 1
            return fn(x)

        EVENTS.clear()
        self.runner = load().GraphRunner(counted, list(buckets), hidden, dtype=dtype)
        if captured:
            self.capture()

    def capture(self):
        """Have it capture."""
        EVENTS.clear()
        self.runner.capture()

    def batch(self, bs):
        """A batch of small numbers."""
        values = [[self.rng.uniform(1, 9) for _ in range(self.hidden)] for _ in range(bs)]
        return torch.tensor(values, dtype=self.dtype)

    def run(self, x, **keywords):
        """Run a batch and note what happened."""
        EVENTS.clear()
        self.calls = 0
        return self.runner.run(x, **keywords)

    def bucket_for(self, bs):
        """The bucket that fits."""
        return min((b for b in self.buckets if b >= bs), default=None)

    def zigzag(self, last=None):
        """Sizes, large and small in turns."""
        low, high = 1, last or self.buckets[-1]
        while low <= high:
            yield high
            if low < high:
                yield low
            low, high = low + 1, high - 1


def seen(kind):
    """The events of a kind."""
    return [(graph, held) for name, graph, held in EVENTS if name == kind]


def same(a, b):
    """Bit for bit, NaN for NaN."""
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert torch.equal(torch.nan_to_num(a, nan=7.5), torch.nan_to_num(b, nan=7.5))


def shared(a, b):
    """Whether two tensors have memory in common."""
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


@pytest.fixture
def rng(request):
    """Randomness of a case."""
    return random.Random(request.node.name)


@pytest.fixture
def rig(rng):
    """Makes rigs."""

    def make(fn=None, buckets=(16, 1, 4), hidden=None, dtype=torch.float32, **keywords):
        scale, shift = rng.choice([2, 3, 4]), rng.randint(1, 9)
        fn = fn or (lambda x: x * scale + shift)
        return Rig(rng, fn, buckets, hidden or rng.randint(2, 5), dtype, **keywords)

    return make


# Parity.


@pytest.mark.parametrize(
    ("dtype", "buckets"),
    [(torch.float32, (16, 1, 4)), (torch.float64, (1, 2, 4, 8)), (torch.bfloat16, (1, 3, 6))],
)
def test_every_batch_size(rig, rng, dtype, buckets):
    hidden = rng.randint(2, 5)
    weights = torch.tensor([[rng.choice([-2, -1, 1, 2])] * hidden] * hidden, dtype=dtype)
    runner = rig(lambda x: x @ weights, buckets, hidden, dtype)
    for bs in runner.zigzag(runner.buckets[-1] + 2):
        x = runner.batch(bs).round()
        same(runner.run(x), runner.plain(x))


def test_default_dtype(rig):
    runner = rig()
    x = runner.batch(3)
    same(runner.run(x), runner.plain(x))


@pytest.mark.parametrize("layout", ["column_major", "every_other_column"])
def test_non_contiguous_input(rig, layout):
    runner = rig(buckets=(1, 3, 6))
    for bs in (5, 2, 3, 1, 7):
        x = runner.batch(bs)
        strides = (1, bs) if layout == "column_major" else (2 * runner.hidden, 2)
        laid_out = torch.empty_strided(x.shape, strides)
        laid_out.copy_(x)
        same(runner.run(laid_out), runner.plain(x))


def test_input_unchanged(rig):
    runner = rig(buckets=(1, 3, 6))
    for bs in (5, 2, 6, 7):
        x = runner.batch(bs)
        before = x.clone()
        runner.run(x)
        same(x, before)


def test_same_tensor_refilled(rig):
    runner = rig(buckets=(1, 3, 6))
    mine = runner.batch(2)
    for _ in range(3):
        mine.copy_(runner.batch(2))
        same(runner.run(mine), runner.plain(mine))


def test_repeated_batches(rig):
    runner = rig(buckets=(1, 3, 6))
    a, b = runner.batch(2), runner.batch(2)
    for x in (a, a, b, a, runner.batch(5), a, b):
        same(runner.run(x), runner.plain(x))


def test_two_runners(rig):
    one, two = rig(buckets=(1, 3, 6)), rig(buckets=(3, 1, 5))
    for bs_one, bs_two in ((5, 2), (2, 4), (1, 1), (3, 3)):
        x, y = one.batch(bs_one), two.batch(bs_two)
        same(one.run(x), one.plain(x))
        same(two.run(y), two.plain(y))
    assert not shared(one.runner.static_in, two.runner.static_in)
    assert not shared(one.runner.static_out, two.runner.static_out)
    before = dict(one.runner.stats)
    two.run(two.batch(2), force_eager=True)
    two.run(two.batch(1))
    assert one.runner.stats == before


def test_nan_and_inf(rig):
    runner = rig(torch.reciprocal, buckets=(1, 3, 6), hidden=3)
    rows = [[0.0, 1.0, -2.0], [NAN, 4.0, -INF], [INF, -0.0, 0.5], [1.0, NAN, 0.0], [2.0, 0.0, 8.0]]
    for bs in (5, 2, 3, 1, 4):
        x = torch.tensor(rows[-bs:])
        same(runner.run(x), runner.plain(x))


# Bucket choice.


def is_replay(runner, bs):
    """The last run was one replay of the right bucket."""
    (graph, _held), *others = seen("replay")
    assert not others
    assert runner.calls == 1
    assert len(graph.static_in) == runner.bucket_for(bs)
    assert runner.runner.graphs[runner.bucket_for(bs)] is graph


def is_eager(runner):
    """The last run was eager."""
    assert not seen("replay")
    assert runner.calls == 1


@pytest.mark.parametrize("buckets", [(16, 1, 4), (6, 1, 3), (5, 12, 7, 2), None])
def test_smallest_that_fits(rig, rng, buckets):
    runner = rig(buckets=buckets or [rng.randint(17, 20), *rng.sample(range(1, 13), 3)])
    for bs in runner.zigzag():
        runner.run(runner.batch(bs))
        is_replay(runner, bs)


def test_single_bucket(rig):
    runner = rig(buckets=(3,))
    for bs in (1, 3, 2):
        runner.run(runner.batch(bs))
        is_replay(runner, bs)


def test_same_batch_again(rig):
    runner = rig(buckets=(6, 1, 3))
    x = runner.batch(2)
    for _ in range(3):
        runner.run(x)
        is_replay(runner, 2)


def test_buckets_sorted(rig):
    runner = rig()
    assert list(runner.runner.buckets) == runner.buckets


def test_eager_above_largest(rig):
    runner = rig(buckets=(6, 1, 3))
    for bs in (7, 2, 8, 6, 20, 1):
        runner.run(runner.batch(bs))
        is_eager(runner) if bs > 6 else is_replay(runner, bs)


def test_eager_when_forced(rig):
    runner = rig(buckets=(6, 1, 3))
    for bs in (2, 3, 7):
        runner.run(runner.batch(bs), force_eager=True)
        is_eager(runner)
    runner.run(runner.batch(2), force_eager=False)
    is_replay(runner, 2)


def test_eager_before_capture(rig):
    runner = rig(buckets=(6, 1, 3), captured=False)
    for bs in (2, 6, 7):
        runner.run(runner.batch(bs))
        is_eager(runner)
    runner.capture()
    runner.run(runner.batch(2))
    is_replay(runner, 2)


@pytest.mark.parametrize("why", ["above_largest", "forced", "not_captured"])
def test_eager_leaves_buffers(rig, why):
    runner = rig(buckets=(6, 1, 3), captured=why != "not_captured")
    if why != "not_captured":
        runner.run(runner.batch(5))
    mine = runner.runner
    before = mine.static_in.clone(), mine.static_out.clone(), mine.stats["last_bucket"]
    runner.run(runner.batch(7 if why == "above_largest" else 2), force_eager=why == "forced")
    same(mine.static_in, before[0])
    same(mine.static_out, before[1])
    assert mine.stats["last_bucket"] == before[2]


def test_stats_at_first(rig):
    runner = rig(captured=False)
    for _ in range(2):
        stats = runner.runner.stats
        assert (stats["replays"], stats["eager"], stats["last_bucket"]) == (0, 0, None)
        runner.capture()


def test_stats_follow(rig):
    runner = rig()
    expected = {"replays": 0, "eager": 0, "last_bucket": None}
    runs = [(10, False), (3, False), (17, False), (4, False), (1, True), (1, False), (18, True)]
    for bs, forced in runs:
        runner.run(runner.batch(bs), force_eager=forced)
        bucket = None if forced else runner.bucket_for(bs)
        expected["eager" if bucket is None else "replays"] += 1
        expected["last_bucket"] = bucket or expected["last_bucket"]
        assert {name: runner.runner.stats[name] for name in expected} == expected


# Clone.


@pytest.mark.parametrize("name", ["static_out", "static_in"])
def test_no_static_buffer(rig, name):
    runner = rig(buckets=(6, 1, 3))
    for bs in runner.zigzag():
        assert not shared(runner.run(runner.batch(bs)), getattr(runner.runner, name))


def test_no_other_result(rig):
    runner = rig(buckets=(6, 1, 3))
    results = [runner.run(runner.batch(bs)) for bs in (2, 2, 3, 3, 1, 1, 5, 6, 2)]
    for i, result in enumerate(results):
        assert not any(shared(result, other) for other in results[:i])


def test_results_keep_values(rig):
    runner = rig(buckets=(6, 1, 3))
    kept = []
    for bs in [*runner.zigzag(), *runner.zigzag()]:
        result = runner.run(runner.batch(bs))
        kept.append((result, result.clone()))
    for result, held in kept:
        same(result, held)


def test_caller_may_write(rig):
    runner = rig(buckets=(6, 1, 3))
    first = runner.run(runner.batch(5))
    second = runner.run(runner.batch(3))
    mine = runner.runner
    before = mine.static_in.clone(), mine.static_out.clone(), first.clone()
    second.zero_()
    for now, held in zip((mine.static_in, mine.static_out, first), before, strict=True):
        same(now, held)


# Padding.


def padded(runner, x, **keywords):
    """Run a batch; the rows beyond it were zero when the graph ran."""
    runner.run(x, **keywords)
    for _graph, held in seen("replay"):
        assert not held[len(x) :].count_nonzero()


def test_after_larger_batch(rig):
    runner = rig()
    for bs in (10, 3):
        padded(runner, torch.full((bs, runner.hidden), float(bs)))


def test_first_batch(rig):
    runner = rig()
    padded(runner, runner.batch(3))


@pytest.mark.parametrize("sizes", [(16, 15, 14, 13, 5), (4, 3, 2, 3, 2), (16, 4, 3, 16, 2)])
def test_history(rig, sizes):
    runner = rig()
    for bs in sizes:
        padded(runner, runner.batch(bs))


@pytest.mark.parametrize("eager", [1, 3, 16])
def test_eager_between(rig, eager):
    runner = rig()
    for bs in (16, 10):
        padded(runner, runner.batch(bs))
    padded(runner, runner.batch(eager), force_eager=True)
    for bs in (3, 9, 2):
        padded(runner, runner.batch(bs))


def test_any_history(rig, rng):
    runner = rig(buckets=(2, 3, 7, rng.randint(17, 24)))
    for _ in range(25):
        padded(runner, runner.batch(rng.randint(1, runner.buckets[-1])))
    padded(runner, runner.batch(runner.buckets[-1]))
    padded(runner, runner.batch(5))


@pytest.mark.parametrize("poison", [NAN, INF, -INF])
def test_poison(rig, poison):
    runner = rig()
    for bs in (10, 3, 16, 2):
        full = torch.full((bs, runner.hidden), poison)
        padded(runner, full if bs >= 10 else runner.batch(bs))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_dtype(rig, dtype):
    runner = rig(dtype=dtype)
    for bs in (16, 3, 10, 2):
        padded(runner, runner.batch(bs))


def test_batch_coupled(rig):
    runner = rig(lambda x: x + x.sum(0, keepdim=True))
    for bs, scale in ((16, 1e6), (3, 1.0), (12, 1e6), (2, 1.0)):
        x = torch.full((bs, runner.hidden), scale)
        same(runner.run(x), runner.plain(x))


# No recapture.


def test_not_at_construction(rig):
    rig(captured=False)
    assert not seen("capture")


def test_once_each(rig):
    runner = rig(buckets=(6, 1, 3))
    assert sorted(len(graph.static_in) for graph, _ in seen("capture")) == runner.buckets
    assert sorted(runner.runner.graphs) == runner.buckets


def test_largest_first(rig):
    rig(buckets=(3, 8, 1, 6))
    assert [len(graph.static_in) for graph, _ in seen("capture")] == [8, 6, 3, 1]


def test_over_first_rows(rig):
    runner = rig(buckets=(6, 1, 3))
    for graph, _ in seen("capture"):
        for name in ("static_in", "static_out"):
            view, buffer = getattr(graph, name), getattr(runner.runner, name)
            assert view.data_ptr() == buffer.data_ptr()
            assert view.stride() == buffer.stride()


def test_buffers_fit(rig):
    runner = rig(buckets=(6, 1, 3), captured=False)
    assert runner.runner.static_in.shape == runner.runner.static_out.shape == (6, runner.hidden)


def test_not_at_run_time(rig):
    runner = rig(buckets=(6, 1, 3))
    for bs in [*runner.zigzag(8), *runner.zigzag()]:
        runner.run(runner.batch(bs))
        assert not seen("capture")
    runner.run(runner.batch(2), force_eager=True)
    assert not seen("capture")


def test_not_on_a_miss(rig):
    runner = rig(buckets=(6, 1, 3), captured=False)
    for bs in (2, 6, 7):
        runner.run(runner.batch(bs))
        assert not seen("capture")


def test_same_objects(rig):
    runner = rig(buckets=(6, 1, 3))
    mine = runner.runner
    graphs, pointers = dict(mine.graphs), (mine.static_in.data_ptr(), mine.static_out.data_ptr())
    for bs in [*runner.zigzag(), *runner.zigzag()]:
        runner.run(runner.batch(bs))
    assert mine.graphs == graphs
    assert (mine.static_in.data_ptr(), mine.static_out.data_ptr()) == pointers
