"""Rows [bs, b) of the input are zero at the moment the graph runs."""

from dataclasses import replace

import pytest

from grader.checks import Unseen, expect, expect_same

INF, NAN = float("inf"), float("nan")


class Witness:
    """Looks at what graphs were replayed on."""

    def __init__(self, rig, advise):
        self.rig, self.advise, self.padded = rig, advise, 0

    def run(self, x, **keywords):
        """Run a batch; the padding of every graph replayed meanwhile must be zero."""
        before = self.rig.buffer_after("static_in")
        self.rig.run(x, **keywords)
        bs = len(x)
        for replay in self.rig.real_replays():
            held = replay.input.value
            self.padded += len(held) > bs
            row = held[bs:].first_nonzero_row()
            if row is not None:
                dirty = held[bs + row : bs + row + 1]
                expect(
                    False, "padding.not_zero", seen=dirty, expected=dirty.zeros(),
                    row=bs + row, bs=bs, bucket=len(held),
                )  # fmt: skip
            self._look_past(before, len(held), bs)

    def done(self):
        """A check earns its points by what it saw."""
        if not self.padded:
            raise Unseen("padding.no_padded_replay")

    def _look_past(self, before, bucket, bs):
        after = self.rig.buffer_after("static_in")
        if after.shape != before.shape:
            return
        touched = after.value[bucket:].first_difference(before.value[bucket:])
        if touched is not None:
            self.advise("padding.past_bucket", row=bucket + touched, bucket=bucket, bs=bs)


@pytest.fixture
def witness(advise):
    """Makes witnesses."""
    return lambda rig: Witness(rig, advise)


def test_after_larger_batch(new_rig, witness):
    """A large batch, then a smaller one: the seed's first two steps."""
    rig = new_rig()
    witness = witness(rig)
    for bs in (10, 3):
        witness.run(rig.filled(bs, float(bs)))
    witness.done()


def test_first_batch(new_rig, witness):
    """The very first batch is padded, too."""
    rig = new_rig()
    witness = witness(rig)
    witness.run(rig.batch(3))
    witness.done()


@pytest.mark.parametrize(
    "sizes",
    [(16, 15, 14, 13, 5), (4, 3, 2, 3, 2), (16, 4, 3, 16, 2)],
    ids=["shrinking", "one_bucket", "to_and_fro"],
)
def test_history(new_rig, witness, sizes):
    """Whatever came before: shrinking batches, one bucket, another between."""
    rig = new_rig()
    witness = witness(rig)
    for bs in sizes:
        witness.run(rig.batch(bs))
    witness.done()


@pytest.mark.parametrize("eager", [1, 3, 16])
def test_eager_between(new_rig, witness, eager):
    """An eager run between, of whatever size, says nothing of what the buffer holds."""
    rig = new_rig()
    witness = witness(rig)
    for bs in (16, 10):
        witness.run(rig.batch(bs))
    witness.run(rig.batch(eager), force_eager=True)
    for bs in (3, 9, 2):
        witness.run(rig.batch(bs))
    witness.done()


def test_any_history(new_rig, witness, rng):
    """Sizes drawn at random."""
    rig = new_rig(buckets=(2, 3, 7, rng.randint(17, 24)))
    witness = witness(rig)
    for _ in range(25):
        witness.run(rig.batch(rng.randint(1, rig.largest)))
    witness.run(rig.batch(rig.largest))
    witness.run(rig.batch(5))
    witness.done()


@pytest.mark.parametrize("poison", [NAN, INF, -INF], ids=["nan", "inf", "minus_inf"])
def test_poison(new_rig, witness, poison):
    """NaN and infinity of an earlier batch do not survive; 0 times either is NaN."""
    rig = new_rig()
    witness = witness(rig)
    for bs in (10, 3, 16, 2):
        witness.run(rig.filled(bs, poison) if bs >= 10 else rig.batch(bs))
    witness.done()


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_dtype(new_rig, witness, dtype):
    """Of every dtype."""
    rig = new_rig(dtype=dtype)
    witness = witness(rig)
    for bs in (16, 3, 10, 2):
        witness.run(rig.batch(bs))
    witness.done()


def test_batch_coupled(new_rig, oracle):
    """A function that sums over the batch computes the sum of the live rows alone."""
    rig = new_rig(("batch_sum", {}))
    coupled = oracle.function("batch_sum")
    for bs, scale in ((16, 1e6), (3, 1.0), (12, 1e6), (2, 1.0)):
        rig.run(rig.filled(bs, scale))
        for replay in rig.real_replays():
            held = rig.view(replay, "input").value
            rows = len(held)
            if rows <= bs:
                continue
            clean = replace(held, data=held[:bs].data.ljust(len(held.data), b"\0"))
            expect_same(
                rig.view(replay, "output").value[:bs], coupled(clean).value[:bs], "padding.coupled",
                bs=bs, bucket=rows,
            )  # fmt: skip
    if not rig.replays:
        raise Unseen("padding.no_padded_replay")
