"""Every batch size gives what an eager call gives: values, shape, dtype."""

import random

import pytest

from grader.checks import DType, Tensor, expect_equal, expect_not, expect_unchanged


def linear(rng: random.Random, hidden: int, dtype: str) -> tuple[str, dict[str, object]]:
    """A row-wise function with random weights."""
    weights = [[rng.choice([-2, -1, 1, 2]) for _ in range(hidden)] for _ in range(hidden)]
    return "linear", {"weights": weights, "dtype": DType(dtype)}


@pytest.mark.parametrize(
    ("dtype", "buckets"),
    [("float32", (16, 1, 4)), ("float64", (1, 2, 4, 8)), ("bfloat16", (1, 3, 6))],
    ids=["float32", "float64", "bfloat16"],
)
def test_every_batch_size(new_rig, rng, hidden, dtype, buckets):
    """From 1 to two above the largest bucket, large and small in turns, each dtype."""
    rig = new_rig(linear(rng, hidden, dtype), buckets=buckets, dtype=dtype)
    for bs in rig.zigzag(rig.largest + 2):
        x = rig.batch(bs)
        rig.expect_as_eager(rig.run(x), x)


def test_default_dtype(new_rig):
    """A runner made without a dtype runs float32."""
    rig = new_rig()
    x = rig.batch(3)
    rig.expect_as_eager(rig.run(x), x)


@pytest.mark.parametrize("layout", ["column_major", "every_other_column"])
def test_non_contiguous_input(new_rig, rng, hidden, layout):
    """The caller's batch may be a transposed or a sliced tensor."""
    rig = new_rig(linear(rng, hidden, "float32"), buckets=(1, 3, 6))
    for bs in (5, 2, 3, 1, 7):
        x = rig.batch(bs)
        strides = (1, bs) if layout == "column_major" else (2 * hidden, 2)
        laid_out = rig.subject.tensor(x, strides=strides)
        rig.expect_as_eager(rig.run(laid_out), x)


def test_input_unchanged(new_rig):
    """The caller's tensor holds afterwards what it held before."""
    rig = new_rig(buckets=(1, 3, 6))
    for bs in (5, 2, 6, 7):
        x = rig.batch(bs)
        mine = rig.subject.tensor(x)
        rig.run(mine)
        after = mine.read()
        expect_unchanged(after, x, "parity.input_changed", bs=bs)


def test_same_tensor_refilled(new_rig):
    """The caller may use one tensor for every batch: its address says nothing of its content."""
    rig = new_rig(buckets=(1, 3, 6))
    mine = rig.subject.tensor(rig.batch(2))
    for _ in range(3):
        x = rig.batch(2)
        mine.write(x)
        rig.expect_as_eager(rig.run(mine), x)


def test_repeated_batches(new_rig):
    """A, A, B, A: neither the shape nor the content of an earlier batch says what comes out."""
    rig = new_rig(buckets=(1, 3, 6))
    a, b = rig.batch(2), rig.batch(2)
    for x in (a, a, b, a, rig.batch(5), a, b):
        rig.expect_as_eager(rig.run(x), x)


def test_two_runners(new_rig):
    """Two runners side by side have results, counters and buffers of their own."""
    one, two = new_rig(buckets=(1, 3, 6)), new_rig(buckets=(3, 1, 5))
    for bs_one, bs_two in ((5, 2), (2, 4), (1, 1), (3, 3)):
        x, y = one.batch(bs_one), two.batch(bs_two)
        one.expect_as_eager(one.run(x), x)
        two.expect_as_eager(two.run(y), y)
    for name in ("static_in", "static_out"):
        mine, other = one.buffer(name), two.buffer(name)
        shared = mine.shares_storage(other)
        fact = f"shares_storage(one.{name}, two.{name})"
        expect_not(fact, shared, "parity.shared_buffer", name=name)
    before = one.stats()
    two.run(two.batch(2), force_eager=True)
    two.run(two.batch(1))
    expect_equal(one.stats(), before, "parity.shared_stats")


def test_nan_and_inf(new_rig):
    """What the function makes of zeros, infinities and NaN arrives as it is."""
    rig = new_rig(("reciprocal", {}), buckets=(1, 3, 6), hidden=3)
    inf, nan = float("inf"), float("nan")
    rows = [[0.0, 1.0, -2.0], [nan, 4.0, -inf], [inf, -0.0, 0.5], [1.0, nan, 0.0], [2.0, 0.0, 8.0]]
    for bs in (5, 2, 3, 1, 4):
        x = Tensor.of(rows[-bs:], "float32")
        rig.expect_as_eager(rig.run(x), x)
