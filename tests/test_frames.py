"""Frames: what a Trace says to someone who looks at it."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.frames import compare, facts, fold, frames, phases
from grader.frames.draw import MAX_COLUMNS, MAX_ROWS
from grader.frames.frame import Comparison, Values
from grader.frames.shot import Told
from grader.submission import Submission
from grader.tensor import Tensor
from grader.trace import Trace

HIDDEN = 2


def filled(bs: int, value: float, dtype: str = "float32") -> Tensor:
    """A batch full of one value."""
    return Tensor.of([[value] * HIDDEN] * bs, dtype)


def play(grader, submission, sizes, *, look: bool = False, **keywords):
    """A runner's run through batches full of their sizes. Returns its Trace and the reference's."""
    with grader.open(submission) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        results = [runner.run(filled(bs, float(bs)), **keywords) for bs in sizes]
        for result in results if look else ():
            result.read()
        return subject.trace, grader._reference.repeat(subject.trace)


@pytest.fixture(scope="module")
def wrong(p17):
    """A wrong solution of the corpus, as a submission."""

    def read(name: str) -> Submission:
        path = p17.folder / "wrong" / f"{name}.py"
        return Submission(path.name, "python", path.read_bytes())

    return read


@pytest.fixture(scope="module")
def right_trace(p17_grader, reference) -> Trace:
    """The reference's Trace of a large batch, a small one and one that fits no bucket."""
    return play(p17_grader, reference, (5, 2, 7))[0]


def rows_of(values: Values) -> dict[int, tuple[list[str], str | None]]:
    """Row -> what is drawn of it, folded rows taken apart."""
    return {
        i: (list(row.cells), row.state and str(row.state))
        for row in values.rows
        for i in range(row.first, row.last + 1)
    }


def buffer(frame, name: str) -> Values:
    """A buffer of a frame by its name."""
    return next(values for values in frame.buffers if values.name == name)


# --- what is drawn -------------------------------------------------------------------------------


def test_a_frame_a_call(right_trace):
    """Every call has its frame, in order, spelled as code."""
    assert [frame.call for frame in frames(right_trace)] == [
        "GraphRunner(fn, [1, 3, 6], 2)", "capture()", "run(x[5, 2])", "run(x[2, 2])", "run(x[7, 2])",
    ]  # fmt: skip


def test_values_are_those_of_the_trace(right_trace):
    """Every cell of every buffer is what the Trace holds."""
    for step, frame in zip(right_trace.calls(), frames(right_trace), strict=True):
        for values in frame.buffers:
            held = Tensor.from_wire(step.after[values.name]).rows()
            drawn = [cells for _, (cells, _) in sorted(rows_of(values).items())]
            assert drawn == [[f"{number:g}" for number in row] for row in held]


def test_rows_by_what_became_of_them(right_trace):
    """A padded replay: fresh rows, a zeroed one, and the rest as it was; likewise the output."""
    frame = frames(right_trace)[3]
    states = [state for _, state in rows_of(buffer(frame, "static_in")).values()]
    assert states == ["fresh", "fresh", "zeroed", "untouched", "untouched", "untouched"]
    states = [state for _, state in rows_of(buffer(frame, "static_out")).values()]
    assert states == ["output", "output", "padding", "untouched", "untouched", "untouched"]
    assert buffer(frame, "static_in").covered == (0, 2)


def test_eager_leaves_all_rows(right_trace):
    """An eager run touches no row, and is told of by the call of fn."""
    frame = frames(right_trace)[4]
    assert {state for values in frame.buffers for _, state in rows_of(values).values()} == {
        "untouched"
    }
    assert [(did.event, did.read) for did in frame.happened] == [("function", "x[7, 2]")]
    assert [values.covered for values in frame.buffers] == [None, None]


def test_captures_are_told_of_largest_first(right_trace):
    """What was captured, over which rows."""
    assert [did.read for did in frames(right_trace)[1].happened] == [
        "static_in[0:6]", "static_in[0:3]", "static_in[0:1]",
    ]  # fmt: skip


def test_a_clone_lives_in_memory_of_its_own(right_trace):
    """The reference's results are copies."""
    assert [frame.result.lives_in for frame in frames(right_trace)[2:]] == [None] * 3


def test_a_view_lives_in_the_buffer_and_is_rewritten(p17_grader, wrong):
    """A view is said to be one, and what became of earlier results is seen."""
    trace, _ = play(p17_grader, wrong("aliasing_returns_view"), (2, 3), look=True)
    frame = frames(trace)[-1]
    assert frame.result.lives_in == "static_out"
    (old,) = frame.kept
    assert (old.number, old.call, old.rewritten) == (1, "run(x[2, 2])", True)
    assert [row.cells for row in old.was.rows] == [["5", "5"]] * 2
    assert [row.cells for row in old.now.rows] == [["8", "8"]] * 2


def test_results_that_share_memory_with_one_another(p17_grader, wrong):
    """A result buffer that is used again is told by the earlier result that lives there."""
    trace, _ = play(p17_grader, wrong("aliasing_result_buffer_per_bucket"), (3, 3))
    assert frames(trace)[-1].result.lives_in == "result 1"


def test_stale_padding(p17_grader, wrong):
    """A row that the graph read with old data in it is stale."""
    trace, _ = play(p17_grader, wrong("padding_never_zeroed"), (5, 2))
    assert rows_of(buffer(frames(trace)[-1], "static_in"))[2] == (["5", "5"], "stale")


def test_zeroed_too_late(p17_grader, wrong):
    """What the graph read is told where the buffer holds something else afterwards."""
    trace, _ = play(p17_grader, wrong("padding_zeroed_after_replay"), (5, 2))
    row = buffer(frames(trace)[-1], "static_in").rows[2]
    assert (row.cells, row.read, str(row.state)) == (["0", "0"], ["5", "5"], "stale")


def test_written_past_the_bucket(p17_grader, reference):
    """Rows that were written beyond the graph's are changed."""
    source = reference.source.replace(b"self.static_in[bs:bucket] = 0", b"self.static_in[bs:] = 0")
    assert source != reference.source
    trace, _ = play(p17_grader, Submission("my.py", "python", source), (5, 2))
    states = [state for _, state in rows_of(buffer(frames(trace)[-1], "static_in")).values()]
    assert states == ["fresh", "fresh", "zeroed", "changed", "changed", "untouched"]


def test_live_rows_that_are_not_the_argument(p17_grader, reference):
    """A row that holds something else than the batch is changed, not fresh."""
    source = reference.source.replace(b"self.static_in[:bs] = x", b"self.static_in[:bs] = x * 2")
    assert source != reference.source
    trace, _ = play(p17_grader, Submission("my.py", "python", source), (2,))
    rows = rows_of(buffer(frames(trace)[-1], "static_in"))
    assert [rows[i] for i in (0, 2)] == [(["4", "4"], "changed"), (["0", "0"], "zeroed")]


def test_graphs_over_other_rows(p17_grader, wrong):
    """Where a graph does not begin at row 0, it is told which rows it is over."""
    trace, _ = play(p17_grader, wrong("capture_last_rows"), (2,))
    captured = [did.read for did in frames(trace)[1].happened]
    assert captured == ["static_in[0:6]", "static_in[3:6]", "static_in[5:6]"]
    assert buffer(frames(trace)[-1], "static_in").covered == (3, 5)


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ([100, 40], [100, 40], True),
        ([100, 40], [100, 80], True),
        ([100, 40], [120, 8], True),
        ([100, 40], [140, 8], False),
        ([100, 40], [60, 40], False),
        ([100, 40], None, False),
    ],
)
def test_memory_in_common(a, b, shared):
    """Two tensors share memory where their storages overlap, whichever begins first."""
    one, other = (
        Told.of({"$": "tensor", "ref": 1, "dtype": "float32", "shape": [1], "strides": [1],
                 "offset": 0, "data": "AAAAAA==", "storage": storage})
        for storage in (a, b)
    )  # fmt: skip
    assert one.shares(other) is shared
    assert other.shares(one) is shared


def test_an_exception_is_told(p17_grader, wrong):
    """A call that raised has no result, and says what it raised."""
    with p17_grader.open(wrong("choice_crash_above_largest")) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1], HIDDEN)
        runner.capture()
        with pytest.raises(Exception):  # noqa: B017, PT011 - whichever, it is a raise of the student's
            runner.run(filled(2, 1.0))
        frame = frames(subject.trace)[-1]
    assert frame.result is None
    assert frame.raised == "StopIteration: "


# --- in slow motion ------------------------------------------------------------------------------


def test_a_call_in_slow_motion(right_trace):
    """The moments of the padded replay, one thing at a time; the end is the frame itself."""
    until = Trace(right_trace.steps[: right_trace.steps.index(right_trace.calls()[3]) + 1])
    drawn = phases(until)
    column = [[cells[0] for cells, _ in rows_of(buffer(f, "static_in")).values()] for f in drawn]
    assert column == [
        ["5", "5", "5", "5", "5", "0"],
        ["5", "5", "5", "5", "5", "0"],
        ["2", "2", "5", "5", "5", "0"],
        ["2", "2", "0", "5", "5", "0"],
        ["2", "2", "0", "5", "5", "0"],
        ["2", "2", "0", "5", "5", "0"],
    ]
    assert [frame.under_way for frame in drawn] == [True] * 5 + [False]
    assert drawn[-1] == frames(until)[-1]


def test_an_eager_call_has_no_moments(right_trace):
    """Where no graph ran there is nothing between."""
    assert phases(right_trace) == [frames(right_trace)[-1]]
    assert "bucket" not in facts(right_trace)


# --- beside the reference ------------------------------------------------------------------------


def test_differences_are_marked(p17_grader, wrong):
    """Every cell that is not the reference's, and no other."""
    compared = compare(*play(p17_grader, wrong("padding_never_zeroed"), (5, 2)), calls=2)
    marked = [
        (i, values.name, row.first, list(row.differs))
        for i, frame in enumerate(compared.mine)
        for values in frame.buffers
        for row in values.rows
        if row.differs
    ]
    assert marked == [(1, "static_in", 2, [0, 1]), (1, "static_out", 2, [0, 1])]
    assert [frame.call for frame in compared.reference] == [frame.call for frame in compared.mine]


def test_the_same_is_not_marked(p17_grader, reference):
    """The reference beside itself differs nowhere."""
    compared = compare(*play(p17_grader, reference, (5, 2, 7, 1)), calls=9)
    assert not [
        row for frame in compared.mine for values in frame.buffers for row in values.rows
        if row.differs
    ]  # fmt: skip
    assert len(compared.mine) == len(compared.reference) == 6


def test_values_that_print_alike_are_told_apart(p17_grader, reference):
    """A difference in the last bits is shown to as many places as it takes."""
    source = reference.source.replace(b".clone()", b".clone() * (1 + 1e-7)")
    with p17_grader.open(Submission("my.py", "python", source)) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        runner.run(filled(2, 5.0))
        compared = compare(subject.trace, p17_grader._reference.repeat(subject.trace), 1)
    (row,) = compared.mine[0].result.values.rows
    assert row.differs
    assert list(row.cells) == ["14.000001907348633"] * 2
    assert list(compared.reference[0].result.values.rows[0].cells) == ["14", "14"]


def test_another_shape_is_no_cell_by_cell_matter(p17_grader, wrong):
    """Buffers of another dtype or shape are drawn, and no cell of them is marked."""
    with p17_grader.open(wrong("shape_buffers_always_float32")) as subject:
        from grader.checks import DType  # noqa: PLC0415 - used here alone

        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [3], HIDDEN, dtype=DType("float64"))
        runner.capture()
        runner.run(filled(2, 5.0, "float64"))
        compared = compare(subject.trace, p17_grader._reference.repeat(subject.trace), 1)
    assert buffer(compared.mine[0], "static_in").dtype == "float32"
    assert buffer(compared.reference[0], "static_in").dtype == "float64"


def test_the_reference_follows_exceptions_and_results(p17_grader, reference):
    """What was made, read and written by hand in one subject is so in the other."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        x = subject.tensor(filled(2, 5.0))
        result = runner.run(x)
        result.write(filled(2, 1.0))
        x.write(filled(2, 9.0))
        runner.run(x)
        again = p17_grader._reference.repeat(subject.trace)
    drawn = frames(again)
    assert [frame.call for frame in drawn] == [frame.call for frame in frames(subject.trace)]
    assert rows_of(drawn[-1].result.values)[0] == (["26", "26"], None)


def test_what_only_one_subject_has_ends_the_other(p17_grader, reference):
    """A call with something that the reference was never given is not made on it."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        runner.run(filled(2, 5.0))
        steps = list(subject.trace)
        own = Trace([step for step in steps if step.op != "function"])
        again = p17_grader._reference.repeat(own)
    assert not again.calls()
    compared = compare(subject.trace, again, 2)
    assert not compared.reference
    assert [frame.call for frame in compared.mine] == ["capture()", "run(x[2, 2])"]


def test_nothing_is_done_after_what_could_not_be(p17_grader, reference):
    """Calls after one that the reference cannot make are not made: they would find another state."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.run(subject.tensor(filled(2, 5.0)))
        runner.run(filled(2, 5.0))
        steps = list(subject.trace)
        lost = Trace([step for step in steps if step.op != "tensor"])
        again = p17_grader._reference.repeat(lost)
    assert [again.spell(step) for step in again.calls()] == ["GraphRunner(fn, [1, 3, 6], 2)"]


# --- rows that are alike --------------------------------------------------------------------------


def test_folding_loses_nothing(right_trace):
    """Rows taken apart again are the rows that there were."""
    drawn = frames(right_trace)
    (folded,) = fold(drawn)
    for frame, other in zip(drawn, folded, strict=True):
        for values, fewer in zip(frame.buffers, other.buffers, strict=True):
            assert rows_of(fewer) == rows_of(values)
            assert len(fewer.rows) < len(values.rows)


def test_rows_are_folded_alike_in_all_frames(right_trace):
    """A row stands for the same rows in every frame, so that the eye can follow it."""
    (folded,) = fold(frames(right_trace))
    spans = {
        tuple((row.first, row.last) for row in values.rows)
        for frame in folded
        for values in frame.buffers
        if values.name == "static_in"
    }
    assert spans == {((0, 1), (2, 2), (3, 4), (5, 5))}


def test_quiet_rows_can_be_left_out(right_trace):
    """Rows that nothing happens to are drawn as one, and no row that something happens to is."""
    (folded,) = fold(frames(right_trace)[3:], elide=True)
    assert [(row.first, row.last, bool(row.cells)) for row in folded[0].buffers[0].rows] == [
        (0, 1, True), (2, 2, True), (3, 5, False),
    ]  # fmt: skip


def test_large_tensors_are_cut(p17_grader, reference):
    """No more is drawn than anyone reads, and what is left out is counted."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [200], 40)
        runner.capture()
        runner.run(Tensor.of([[1.0] * 40] * 100, "float32"))
        values = frames(subject.trace)[-1].buffers[0]
    assert len(values.rows) == MAX_ROWS
    assert {len(row.cells) for row in values.rows} == {MAX_COLUMNS}
    assert values.left_out == (200 - MAX_ROWS, 40 - MAX_COLUMNS)


# --- whatever a subject says ----------------------------------------------------------------------

_junk = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5)
    | st.sampled_from(["tensor", "map", "object", "float32", "AAAA", "replay"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["$", "ref", "items", "shape", "data", "storage"]), inner),
    max_leaves=6,
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded(p17_grader, wrong):
    """Gives a Trace as data, and the reference's; as a function, so that failures stay short."""
    mine, theirs = play(p17_grader, wrong("aliasing_returns_view"), (5, 2, 7), look=True)
    text = mine.to_json()
    return lambda: (json.loads(text), theirs)


@given(seed=st.integers(0, 2**32), junk=st.lists(_junk, min_size=1, max_size=4))
def test_garbled_replies_are_drawn_as_far_as_they_go(recorded, seed, junk):
    """A submission that has taken over its process may reply what it likes: drawing goes on."""
    rng = random.Random(seed)
    data, theirs = recorded()
    for value in junk:
        _put(rng, [step["reply"] for step in data["steps"]], value)
    mine = Trace.from_json(json.dumps(data))
    frames(mine)
    phases(mine)
    facts(mine)
    compared = compare(mine, theirs, calls=3)
    again = Comparison.model_validate_json(compared.model_dump_json())
    assert again.model_dump(mode="json") == compared.model_dump(mode="json")


def _put(rng: random.Random, where: object, value: object) -> None:
    """Put a value somewhere into a reply; ``events`` stays a list of objects, as the channel sees to."""
    while True:
        keys = list(where) if isinstance(where, dict) else range(len(where))
        keys = [key for key in keys if key not in ("events", "id", "after")] or list(keys)
        if not keys:
            return
        key = rng.choice(list(keys))
        inside = where[key]
        if isinstance(inside, dict | list) and inside and rng.random() < 0.8:
            where = inside
            continue
        if not isinstance(where, list) or not any(isinstance(item, dict) for item in where):
            where[key] = value
        return
