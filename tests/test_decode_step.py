"""A decode step of a small model, through a ``GraphRunner`` and by itself."""

import math
from itertools import accumulate
from types import SimpleNamespace

import pytest
import torch

from exercises.p17 import decode_step
from exercises.p17.cpu_graph import CpuGraph
from exercises.p17.decode_step import TEMPERATURE, DecodeStep, launch_ratio, many_kernels
from solutions.p17_graph_runner import GraphRunner

SEEDS = range(6)
LENGTHS = [12, 11, 9, 9, 6, 5, 3, 1]  # tokens that each request gets, one ending after the other
SHAPE = {"requests": 10, "positions": 12}


def made(seed, **shape):
    """A step whose cache has rows that no bucket reaches."""
    return DecodeStep(seed=seed, **SHAPE | shape)


def captured(step, buckets=(8, 2, 4)):
    """A runner over a step, its graphs captured."""
    runner = GraphRunner(step, buckets, hidden=3)
    runner.capture()
    return runner


def drawn(seed, lengths):
    """First tokens, ``[requests]``, and a number to sample by for each step, ``[steps, requests]``."""
    generator = torch.Generator().manual_seed(seed)
    first = torch.randint(32, (len(lengths),), generator=generator)
    return first.tolist(), torch.rand(max(lengths), len(lengths), generator=generator)


def generate(run, first, chances, lengths=LENGTHS):
    """The tokens of each request, generated together; the last rows end first."""
    tokens = [[token] for token in first]
    for position, chance in enumerate(chances):
        live = sum(length > position for length in lengths)
        rows = torch.tensor([[tokens[i][-1], position, chance[i]] for i in range(live)])
        after = run(rows)
        assert after.shape == rows.shape
        assert after.dtype == rows.dtype
        assert after[:, 1].tolist() == [position + 1] * live
        assert torch.equal(after[:, 2], rows[:, 2])
        for i, token in enumerate(after[:, 0].tolist()):
            assert token == int(token)
            tokens[i].append(int(token))
    return tokens


# --- one request by itself, with no cache ---------------------------------------------------------


def norm(x):
    """A vector, its mean taken off, by its standard deviation."""
    x = x - x.mean()
    return x / ((x * x).mean() + 1e-5).sqrt()


def gelu(x):
    """A number times the chance that a normal one is below it, for each."""
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def probabilities(step, tokens, heads=2):
    """What comes after these tokens, ``[vocabulary]``: each position from the first on once more,
    its attention over a growing list of keys, in double precision.
    """
    w = {name: weight.double() for name, weight in step.weights.items()}
    width = w["attended"].shape[0]
    part = width // heads
    keys, values = [], []
    for position, token in enumerate(tokens):
        x = w["token"][token] + w["position"][position]
        query, key, value = (norm(x) @ w["attention"]).split(width)
        keys.append(key)
        values.append(value)
        found = []
        for start in range(0, width, part):
            of_head = slice(start, start + part)
            scores = [float(query[of_head] @ key[of_head]) / math.sqrt(part) for key in keys]
            shares = [math.exp(score - max(scores)) for score in scores]
            found.append(
                sum(s * value[of_head] for s, value in zip(shares, values, strict=True))
                / sum(shares)
            )
        x = x + torch.cat(found) @ w["attended"]
        x = x + gelu(norm(x) @ w["up"]) @ w["down"]
        logits = norm(x) @ w["logits"] / TEMPERATURE
    shares = (logits - logits.max()).exp()
    return shares / shares.sum()


def following(step, tokens, chance, heads=2):
    """The token after these that a number in [0, 1) stands for."""
    ends = accumulate(probabilities(step, tokens, heads).tolist())
    return next(token for token, end in enumerate(ends) if chance < end)


def alone(step, token, chances):
    """The tokens of one request."""
    tokens = [token]
    for chance in chances.tolist():
        tokens.append(following(step, tokens, chance))
    return tokens


# --- through a runner -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_replayed(seed):
    """Through captured graphs a batch gets the tokens that it gets eagerly, to its end."""
    runner = captured(made(seed))
    first, chances = drawn(seed, LENGTHS)
    tokens = generate(runner.run, first, chances)
    assert tokens == generate(made(seed), first, chances)
    assert runner.stats["eager"] == 0
    assert runner.stats["replays"] == max(LENGTHS)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_by_itself(seed):
    """A request gets the tokens that it would get if there were no batch, no padding, no cache."""
    step = made(seed)
    first, chances = drawn(seed, LENGTHS)
    tokens = generate(captured(step).run, first, chances)
    for i, length in enumerate(LENGTHS):
        assert tokens[i] == alone(step, first[i], chances[:length, i])


def test_eager_and_replayed():
    """Eager calls, for batches that no bucket holds, and replays share the cache."""
    lengths = [12, 11, *LENGTHS]
    runner = captured(made(3))
    first, chances = drawn(3, lengths)
    tokens = generate(runner.run, first, chances, sorted(lengths, reverse=True))
    assert tokens == generate(made(3), first, chances, sorted(lengths, reverse=True))
    assert runner.stats["eager"] > 0
    assert runner.stats["replays"] > 0


def test_row_of_another_request():
    """A request in a row that was another's, and padding since, finds nothing of either."""
    step = made(4)
    runner = captured(step)
    generate(runner.run, *drawn(4, LENGTHS))
    assert step.keys[: len(LENGTHS)].abs().sum() > 0
    first, chances = drawn(5, LENGTHS)
    assert generate(runner.run, first, chances) == generate(made(4), first, chances)


def test_padding_writes_its_own_rows():
    """Rows of zeros write to their own rows of the cache, at position 0."""
    step = made(0)
    runner = captured(step)
    runner.run(torch.tensor([[5, 7, 0.5]]))  # in a bucket of 2
    for cache in (step.keys, step.values):
        written = cache.abs().sum(dim=(1, 3)).nonzero().tolist()
        assert written == [[0, 7], [1, 0]]


def test_capture_has_no_effect():
    """Capturing leaves the cache as it was, empty or not."""
    step = made(0)
    captured(step)
    assert not step.keys.any()
    assert not step.values.any()
    generate(step, *drawn(0, LENGTHS))
    before = step.keys.clone(), step.values.clone()
    captured(step)
    assert torch.equal(step.keys, before[0])
    assert torch.equal(step.values, before[1])


# --- the step by itself ---------------------------------------------------------------------------


def test_reset():
    """The cache is emptied where it is, so that graphs over it go on."""
    step = made(0)
    runner = captured(step)
    first, chances = drawn(0, LENGTHS)
    tokens = generate(runner.run, first, chances)
    places = step.keys.data_ptr(), step.values.data_ptr()
    step.reset()
    assert not step.keys.any()
    assert not step.values.any()
    assert places == (step.keys.data_ptr(), step.values.data_ptr())
    assert generate(runner.run, first, chances) == tokens


def test_seeds():
    """The same seed makes the same weights, another one others."""
    for name, weight in made(1).weights.items():
        assert torch.equal(weight, made(1).weights[name])
        assert not torch.equal(weight, made(2).weights[name])


def test_tokens_hang_on_chances():
    """Tokens differ, over a generation and by the number they were sampled by."""
    step = made(0)
    first, chances = drawn(0, LENGTHS)
    tokens = generate(step, first, chances)
    assert len({token for one in tokens for token in one[1:]}) > 10
    assert tokens != generate(step, first, chances.flip(0))
    ends = torch.tensor([[7, 0, 0.0], [7, 0, 1 - 2**-24]])
    low, high = step(ends)[:, 0].tolist()
    assert 0 <= low < high <= 31


@pytest.mark.parametrize("before", [[], [3], [3, 30, 11, 4]])
def test_shares(before):
    """Of numbers evenly spread, each token gets as many as the softmax gives it."""
    count = 4000
    step = made(2, requests=count)
    every = torch.ones(count)
    tokens = [*before, 9]
    chances = (torch.arange(count) + 0.5) / count
    for position, token in enumerate(tokens):
        after = step(torch.stack((every * token, every * position, chances), dim=1))
    found = torch.bincount(after[:, 0].long(), minlength=32)
    wanted = probabilities(step, tokens) * count
    assert wanted.min() > 1  # so that every token is to be seen
    assert (found - wanted).abs().max() <= 1.01


def test_sampling_at_the_end():
    """The number next below 1 gives a token, however little the shares add up to."""
    for seed in SEEDS:
        step = made(seed, vocabulary=3000, requests=1)
        last = step(torch.tensor([[1, 0, 1 - 2**-24]]))[0, 0]
        assert 0 <= last < 3000


@pytest.mark.parametrize(("vocabulary", "width", "heads"), [(5, 12, 3), (100, 8, 1), (32, 6, 6)])
def test_other_sizes(vocabulary, width, heads):
    """Vocabulary, width and heads may be others."""
    shape = {"vocabulary": vocabulary, "width": width, "heads": heads}
    first, chances = drawn(0, LENGTHS)
    first = [token % vocabulary for token in first]
    step = made(7, **shape)
    assert step.keys.shape == step.values.shape == (10, heads, 12, width // heads)
    tokens = generate(captured(step).run, first, chances)
    assert tokens == generate(made(7, **shape), first, chances)
    for i in (0, 4):
        *before, last = tokens[i]
        chance = chances[LENGTHS[i] - 1, i].item()
        assert last == following(step, before, chance, heads)


def test_heads_that_do_not_fit():
    """A width that heads cannot share is refused."""
    with pytest.raises(ValueError, match=r"16 .* 3 heads"):
        made(0, heads=3)


def test_device():
    """A step stays on its device, and reads nothing back from it: ``meta`` has nothing to read."""
    step = made(0, device="meta")
    after = step(torch.zeros(4, 3, device="meta"))
    assert after.shape == (4, 3)
    assert after.device.type == "meta"
    assert {one.device.type for one in (step.keys, step.values, *step.weights.values())} == {"meta"}


def test_defaults():
    """A step is the same whatever the default device is, as a GPU where there is one, or dtype."""
    usual = made(0)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            step = made(0, device="cpu")
        rows = torch.zeros(4, 3, dtype=torch.float32)
        assert torch.equal(step(rows), usual(rows))
    finally:
        torch.set_default_dtype(torch.float32)
    for name, weight in usual.weights.items():
        assert torch.equal(step.weights[name], weight)
    assert step.keys.dtype == step.values.dtype == torch.float32


# --- launches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_many_kernels(n):
    """As many operations as asked for, on the tape of a graph; numbers stay finite."""
    static_in = torch.tensor([[3e38, -3e38, 0.0, 1.0]])
    static_out = torch.zeros(1, 4)
    fn = many_kernels(n)
    graph = CpuGraph(fn, static_in, static_out)
    graph.capture()
    assert len(graph._tape) == n
    graph.replay()
    assert static_out.isfinite().all()
    assert torch.equal(static_out, fn(static_in))


def test_launch_ratio():
    """A ratio for each bucket, in the order given."""
    ratios = launch_ratio(CpuGraph, [4, 1, 2], hidden=8, kernels=5, device="cpu", rounds=3)
    assert len(ratios) == 3
    assert all(ratio > 0 and math.isfinite(ratio) for ratio in ratios)


def test_launch_ratio_by_the_clock(monkeypatch):
    """It is the time of a call by that of a replay, each until the device has done it, and warm."""
    clock, launched = [0.0], [0.0]

    class Stub:
        def __init__(self, fn, static_in, static_out):
            assert fn is call
            assert static_in.shape == static_out.shape == (2, 8)

        def capture(self):
            launched[0] += 100
            self.cold = 3

        def replay(self):
            launched[0] += 50 if self.cold else 2
            self.cold = max(0, self.cold - 1)

    def call(x):
        launched[0] += 7
        return x

    def wait(_device=None):
        clock[0] += launched[0]
        launched[0] = 0

    monkeypatch.setattr(decode_step, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(decode_step, "many_kernels", {5: call}.get)
    monkeypatch.setattr(decode_step, "_wait", wait)
    assert launch_ratio(Stub, [2, 2], 8, 5, "cpu", 1) == [3.5, 3.5]
