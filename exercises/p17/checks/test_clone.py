"""A result is the caller's own: no later run and no other result has a hand in it."""

import pytest

from grader.checks import RemoteTensor, Unseen, expect_not, expect_unchanged


def expect_seen(rig):
    """Only the results of replays can alias: without a replay there is nothing to judge."""
    if not rig.replays:
        raise Unseen("clone.no_replay")


def is_tensor(value):
    """Whether a graph is over a tensor at all."""
    return isinstance(value, RemoteTensor)


@pytest.mark.parametrize("name", ["static_out", "static_in"])
def test_no_static_buffer(new_rig, name):
    """No result shares storage with a static buffer, padded or of exactly a bucket's size."""
    rig = new_rig(buckets=(6, 1, 3))
    for bs in rig.zigzag():
        result = rig.run(rig.batch(bs))
        side = "input" if name == "static_in" else "output"
        graphs = [getattr(replay, side) for replay in rig.seen("replay")]
        shared = any(map(result.shares_storage, [rig.buffer(name), *filter(is_tensor, graphs)]))
        fact = f"shares_storage(result, {name})"
        expect_not(fact, shared, "clone.shares_static", name=name, bs=bs)
    expect_seen(rig)


def test_no_other_result(new_rig):
    """No two results share storage, of one size or of different ones."""
    rig = new_rig(buckets=(6, 1, 3))
    results = [(bs, rig.run(rig.batch(bs))) for bs in (2, 2, 3, 3, 1, 1, 5, 6, 2)]
    for i, (bs, result) in enumerate(results):
        for other_bs, other in results[:i]:
            shared = result.shares_storage(other)
            fact = "shares_storage(result, earlier_result)"
            expect_not(fact, shared, "clone.shares_result", bs=bs, other=other_bs)
    expect_seen(rig)


def test_results_keep_values(new_rig):
    """What a result held when it was handed out it holds after many later runs."""
    rig = new_rig(buckets=(6, 1, 3))
    kept = []
    for bs in [*rig.zigzag(), *rig.zigzag()]:
        result = rig.run(rig.batch(bs))
        kept.append((bs, result, result.value))
    for later, (bs, result, held) in enumerate(kept[::-1]):
        now = result.read()
        expect_unchanged(now, held, "clone.value_changed", bs=bs, later=later)
    expect_seen(rig)


def test_caller_may_write(new_rig):
    """What a caller writes into a result reaches neither the buffers nor other results."""
    rig = new_rig(buckets=(6, 1, 3))
    first = rig.run(rig.batch(5))
    second = rig.run(rig.batch(3))
    names = ("static_in", "static_out")
    buffers, held_first = [rig.buffer(name).value for name in names], first.read()
    second.write(second.value.zeros())
    for name, held in zip(names, buffers, strict=True):
        expect_unchanged(rig.buffer(name).value, held, "clone.write_reached_static", name=name)
    expect_unchanged(first.read(), held_first, "clone.write_reached_result")
    expect_seen(rig)
