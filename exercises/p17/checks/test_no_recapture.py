"""Each bucket is captured once, in ``capture()``, and never again."""

from collections import Counter

from grader.checks import RemoteTensor, expect, expect_equal, expect_not


def rows_of(event):
    """The rows that a captured graph is over."""
    return len(event.input.value)


def where(view, buffer, name):
    """Where a view lies, as a message shows it."""
    if not isinstance(view, RemoteTensor) or not view.shares_storage(buffer):
        return f"shares_storage({name}) = False"
    first = (view.offset - buffer.offset) // max(1, buffer.strides[0])
    return f"{name}[{first}:{first + len(view.value)}]"


def views_on(rig, name, buffer):
    """For each captured graph, whether its view is on the memory of a buffer."""
    side = "input" if name == "static_in" else "output"
    return [rig.view(event, side).shares_storage(buffer) for event in rig.seen("capture")]


def test_not_at_construction(new_rig):
    """``__init__`` captures nothing."""
    rig = new_rig(captured=False)
    expect_equal(len(rig.seen("capture")), 0, "no_recapture.in_init")


def test_once_each(new_rig):
    """``capture()`` captures every bucket exactly once, and ``graphs`` has them all."""
    rig = new_rig(buckets=(6, 1, 3))
    captured = Counter(rows_of(event) for event in rig.seen("capture"))
    for bucket in sorted({*rig.buckets, *captured}):
        wanted = int(bucket in rig.buckets)
        expect_equal(captured[bucket], wanted, "no_recapture.count", bucket=bucket)
    keys = list(rig.graphs())
    same = {*map(repr, keys)} == {*map(repr, rig.buckets)}
    expect(same, "no_recapture.graphs", seen=keys, expected=rig.buckets)
    graphs = [event.graph for event in rig.seen("capture")]
    again = max(map(graphs.count, graphs), default=1)
    expect_equal(again, 1, "no_recapture.same_graph_twice")


def test_largest_first(new_rig):
    """Largest first, so that on a GPU the small graphs reuse the memory of the large ones."""
    rig = new_rig(buckets=(3, 8, 1, 6))
    order = [rows_of(event) for event in rig.seen("capture")]
    expect(order == sorted(order, reverse=True), "no_recapture.order", seen=order,
           expected=sorted(order, reverse=True), hint="l2-capture")  # fmt: skip


def test_over_first_rows(new_rig):
    """Every graph is over the first b rows of the one ``static_in`` and ``static_out``."""
    rig = new_rig(buckets=(6, 1, 3))
    captures = rig.seen("capture")
    expect(captures, "no_recapture.none", seen=0, expected=len(rig.buckets))
    for side in ("input", "output"):
        name = "static_in" if side == "input" else "static_out"
        buffer = rig.buffer(name)
        for event in captures:
            view = getattr(event, side)
            on_it = isinstance(view, RemoteTensor) and view.shares_storage(buffer)
            on_it = on_it and view.offset == buffer.offset
            on_it = on_it and view.shape[1:] == buffer.shape[1:] and view.strides == buffer.strides
            bucket = rows_of(event)
            expect(
                on_it, "no_recapture.other_memory", seen=where(view, buffer, name),
                expected=f"{name}[:{bucket}]", hint="l1-q2", name=name, bucket=bucket,
            )  # fmt: skip


def test_buffers_fit(new_rig):
    """Both static buffers have as many rows as the largest bucket."""
    rig = new_rig(buckets=(6, 1, 3), captured=False)
    for name in ("static_in", "static_out"):
        shape = list(rig.buffer(name).shape)
        expect_equal(shape, [6, rig.hidden], "no_recapture.buffer_shape", name=name)


def test_not_at_run_time(new_rig):
    """No run captures: not the first of a size nor a later one, fitting, too large or forced."""
    rig = new_rig(buckets=(6, 1, 3))
    for bs in [*rig.zigzag(rig.largest + 2), *rig.zigzag()]:
        rig.attempt(rig.batch(bs))
        expect_equal(len(rig.seen("capture")), 0, "no_recapture.in_run", bs=bs)
    rig.attempt(rig.batch(2), force_eager=True)
    expect_equal(len(rig.seen("capture")), 0, "no_recapture.in_run", bs=2)


def test_not_on_a_miss(new_rig):
    """A run that finds no graph does not make one."""
    rig = new_rig(buckets=(6, 1, 3), captured=False)
    for bs in (2, 6, 7):
        rig.attempt(rig.batch(bs))
        expect_equal(len(rig.seen("capture")), 0, "no_recapture.on_miss", bs=bs)


def test_same_objects(new_rig):
    """The graphs and both buffers stay the same ones, for as many runs as one likes, and the
    graphs stay over the buffers.
    """
    rig = new_rig(buckets=(6, 1, 3))
    graphs = rig.graphs()
    buffers = {name: rig.buffer(name) for name in ("static_in", "static_out")}
    before = {name: views_on(rig, name, buffer) for name, buffer in buffers.items()}
    captures = rig.events
    for bs in [*rig.zigzag(), *rig.zigzag()]:
        rig.run(rig.batch(bs))
    rig.events = captures
    for bucket, graph in rig.graphs().items():
        replaced = graphs.get(bucket) != graph
        fact = f"graphs[{bucket}] is not the captured one"
        expect_not(fact, replaced, "no_recapture.graph_replaced", bucket=bucket)
    for name, buffer in buffers.items():
        now = rig.buffer(name)
        same = now.shares_storage(buffer) and now.offset == buffer.offset
        same = same and now.shape == buffer.shape
        # A tensor can be given other memory and still be the same object.
        same = same and views_on(rig, name, now) == before[name]
        fact = f"{name} is other memory"
        expect_not(fact, not same, "no_recapture.buffer_replaced", name=name)
