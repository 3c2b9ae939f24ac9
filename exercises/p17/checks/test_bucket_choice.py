"""The smallest bucket that fits is replayed; what fits none, or must not, runs eagerly."""

import pytest

from grader.checks import expect, expect_equal, expect_unchanged


def ran(replays, calls):
    """What a run did, as a message shows it."""
    return f"{replays} replay, {calls} fn"


def expect_replay(rig, bs):
    """The last run replayed the graph of the bucket for ``bs``, once, and nothing else."""
    bucket, replays = rig.bucket_for(bs), rig.seen("replay")
    counts = len(replays), len(rig.seen("function"))
    if counts != (1, 0):
        id = {(0, 0): "nothing_ran", (0, 1): "fn_instead_of_replay", (1, 1): "fn_besides_replay"}
        expect(
            False, f"bucket_choice.{id.get(counts, 'replays_per_run')}",
            seen=ran(*counts), expected=ran(1, 0), bs=bs, bucket=bucket,
        )  # fmt: skip
    expect(
        rig.is_of(replays[0], bucket), "bucket_choice.wrong_bucket",
        seen=len(replays[0].input.value), expected=bucket, bs=bs,
    )  # fmt: skip
    expect(
        rig.real_replays(), "bucket_choice.other_input",
        seen="fn(…)", expected="fn(static_in[:b])", bs=bs,
    )  # fmt: skip


def expect_eager(rig, bs, why):
    """The last run called the function once and replayed nothing."""
    counts = len(rig.seen("replay")), len(rig.seen("function"))
    id = "replay_instead_of_eager" if counts[0] else "eager_calls"
    expect(
        counts == (0, 1), f"bucket_choice.{id}",
        seen=ran(*counts), expected=ran(0, 1), bs=bs, why=why,
    )  # fmt: skip


@pytest.mark.parametrize(
    "buckets",
    [(16, 1, 4), (6, 1, 3), (5, 12, 7, 2), None],
    ids=["16-1-4", "6-1-3", "5-12-7-2", "any"],
)
def test_smallest_that_fits(new_rig, rng, buckets):
    """Also where the size is a bucket's, the buckets are unsorted and no powers of two; and of
    buckets drawn at random.
    """
    rig = new_rig(buckets=buckets or [rng.randint(17, 20), *rng.sample(range(1, 13), 3)])
    for bs in rig.zigzag():
        rig.run(rig.batch(bs))
        expect_replay(rig, bs)


def test_single_bucket(new_rig):
    """One bucket serves every size up to its own."""
    rig = new_rig(buckets=(3,))
    for bs in (1, 3, 2):
        rig.run(rig.batch(bs))
        expect_replay(rig, bs)


def test_same_batch_again(new_rig):
    """A batch that was run before is run, not remembered."""
    rig = new_rig(buckets=(6, 1, 3))
    x = rig.batch(2)
    for _ in range(3):
        rig.run(x)
        expect_replay(rig, 2)


def test_buckets_sorted(new_rig):
    """``buckets`` is sorted, smallest first."""
    rig = new_rig()
    expect_equal(rig.runner.buckets, rig.buckets, "bucket_choice.unsorted")


def test_eager_above_largest(new_rig):
    """A batch larger than every bucket runs eagerly; the next one that fits is replayed again."""
    rig = new_rig(buckets=(6, 1, 3))
    for bs in (7, 2, 8, 6, 20, 1):
        rig.run(rig.batch(bs))
        if bs > rig.largest:
            expect_eager(rig, bs, "above_largest")
        else:
            expect_replay(rig, bs)


def test_eager_when_forced(new_rig):
    """``force_eager`` calls the function, whatever the size; without it the graph is back."""
    rig = new_rig(buckets=(6, 1, 3))
    for bs in (2, 3, 7):
        rig.run(rig.batch(bs), force_eager=True)
        expect_eager(rig, bs, "forced")
    rig.run(rig.batch(2), force_eager=False)
    expect_replay(rig, 2)


def test_eager_before_capture(new_rig):
    """A bucket without a graph is no bucket yet."""
    rig = new_rig(buckets=(6, 1, 3), captured=False)
    for bs in (2, 6, 7):
        rig.run(rig.batch(bs))
        expect_eager(rig, bs, "not_captured")
    rig.capture()
    rig.run(rig.batch(2))
    expect_replay(rig, 2)


@pytest.mark.parametrize("why", ["above_largest", "forced", "not_captured"])
def test_eager_leaves_buffers(new_rig, why):
    """An eager run writes to neither static buffer, and ``last_bucket`` stays."""
    rig = new_rig(buckets=(6, 1, 3), captured=why != "not_captured")
    if why != "not_captured":
        rig.run(rig.batch(5))
    names = ("static_in", "static_out")
    before, last = [rig.buffer(name).value for name in names], rig.stats()["last_bucket"]
    rig.run(rig.batch(7 if why == "above_largest" else 2), force_eager=why == "forced")
    for name, held in zip(names, before, strict=True):
        now = rig.buffer_after(name).value
        expect_unchanged(now, held, "bucket_choice.eager_wrote", name=name)
    expect_equal(
        rig.stats_after()["last_bucket"], last, "bucket_choice.eager_last_bucket", hint="l1-q6"
    )


def test_stats_at_first(new_rig):
    """Counters begin at 0 and ``last_bucket`` at None; capturing counts as nothing."""
    rig = new_rig(captured=False)
    for moment in ("new", "captured"):
        for name, value in (("replays", 0), ("eager", 0), ("last_bucket", None)):
            expect_equal(
                rig.stats()[name], value, "bucket_choice.stats_at_first",
                name=name, moment=moment,
            )  # fmt: skip
        if moment == "new":
            rig.capture()


def test_stats_follow(new_rig):
    """``replays`` and ``eager`` count runs of their kind; ``last_bucket`` is the last replayed."""
    rig = new_rig()
    expected = {"replays": 0, "eager": 0, "last_bucket": None}
    runs = [(10, False), (3, False), (17, False), (4, False), (1, True), (1, False), (18, True)]
    for bs, forced in runs:
        rig.run(rig.batch(bs), force_eager=forced)
        bucket = None if forced else rig.bucket_for(bs)
        expected["eager" if bucket is None else "replays"] += 1
        expected["last_bucket"] = bucket or expected["last_bucket"]
        for name, value in expected.items():
            expect_equal(rig.stats_after()[name], value, "bucket_choice.stats", name=name, bs=bs)
