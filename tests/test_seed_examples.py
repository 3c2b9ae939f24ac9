"""The worked examples of the course's page on P17, against what their step diagrams are drawn from.

Every number here is the page's own.
"""

import pytest

from grader.example import play_all
from grader.tensor import Tensor

HIDDEN = 3


@pytest.fixture(scope="module")
def examples(p17, p17_grader):
    """The examples of the hint page, played."""
    return {example.id: example for example in play_all(p17, p17_grader, "python")}


def expanded(values, rows: int = 6) -> list[str]:
    """The first column of a drawn buffer, row by row."""
    return [row.cells[0] for row in values.rows for _ in range(row.first, row.last + 1)][:rows]


def buffers(frame) -> dict[str, list[float]]:
    """The first column of the first rows of both buffers, as drawn."""
    return {values.name: list(map(float, expanded(values))) for values in frame.buffers}


def runs(trace) -> list:
    """The steps of a Trace in which a batch was run."""
    return [step for step in trace.calls() if step.request.get("method") == "run"]


def column(step, name: str, rows: int = 6) -> list[float]:
    """The first column of a buffer after a step."""
    return [row[0] for row in Tensor.from_wire(step.after[name])[:rows].rows()]


def stats(step) -> dict[str, object]:
    """The counters after a step."""
    return dict(step.after["stats"]["items"])


#: (bucket or None for eager, replays, eager, last_bucket, static_in[:6, 0], static_out[:6, 0])
EXAMPLE_1 = [
    (16, 1, 0, 16, [10, 10, 10, 10, 10, 10], [21, 21, 21, 21, 21, 21]),
    (4, 2, 0, 4, [3, 3, 3, 0, 10, 10], [7, 7, 7, 1, 21, 21]),
    (None, 2, 1, 4, [3, 3, 3, 0, 10, 10], [7, 7, 7, 1, 21, 21]),
    (4, 3, 1, 4, [4, 4, 4, 4, 10, 10], [9, 9, 9, 9, 21, 21]),
    (None, 3, 2, 4, [4, 4, 4, 4, 10, 10], [9, 9, 9, 9, 21, 21]),
    (1, 4, 2, 1, [1, 4, 4, 4, 10, 10], [3, 9, 9, 9, 21, 21]),
]


@pytest.mark.parametrize("number", range(1, 7))
def test_example_1(examples, number):
    """Steps 1 to 6: the bucket, the counters, and the buffers' first six rows."""
    bucket, replays, eager, last_bucket, static_in, static_out = EXAMPLE_1[number - 1]
    step = runs(examples["ex1"].trace)[number - 1]
    replayed = [event for event in step.events if event["event"] == "replay"]
    assert [event["input"]["shape"][0] for event in replayed] == ([bucket] if bucket else [])
    assert stats(step) == {"replays": replays, "eager": eager, "last_bucket": last_bucket}
    assert column(step, "static_in") == static_in
    assert column(step, "static_out") == static_out


@pytest.mark.parametrize("number", range(1, 7))
def test_example_1_as_drawn(examples, number):
    """Steps 1 to 6 of the diagram show just that."""
    bucket, replays, eager, last_bucket, static_in, static_out = EXAMPLE_1[number - 1]
    frame = examples["ex1"].steps[number - 1].frame
    assert buffers(frame) == {"static_in": static_in, "static_out": static_out}
    counters = {"replays": replays, "eager": eager, "last_bucket": last_bucket}
    assert frame.counters == {name: str(value) for name, value in counters.items()}
    ran = [(did.event, did.read) for did in frame.happened]
    rows = len(frame.argument.rows) and frame.argument.shape[0]
    assert ran == [
        ("replay", f"static_in[0:{bucket}]") if bucket else ("function", f"x[{rows}, 3]")
    ]
    assert frame.result.lives_in is None


def test_the_third_row_is_zeroed_and_what_lies_beyond_is_left_alone(examples):
    """Step 2: row 3, once 10, is zeroed and gives fn(0) = 1; rows 4 and 5 lie outside the bucket."""
    frame = examples["ex1"].steps[1].frame
    states = [[row.state for row in values.rows for _ in range(row.first, row.last + 1)][:6]
              for values in frame.buffers]  # fmt: skip
    assert states[0] == ["fresh"] * 3 + ["zeroed"] + ["untouched"] * 2
    assert states[1] == ["output"] * 3 + ["padding"] + ["untouched"] * 2


def test_example_7_with_clone(examples):
    """Step 7: y1 stays fn(x1) after y2 = run(x2)."""
    frame = examples["ex1"].steps[6].frame
    y1 = frame.kept[6]
    assert (y1.number, expanded(y1.was), expanded(y1.now)) == (7, ["11"] * 2, ["11"] * 2)
    assert expanded(frame.result.values) == ["17"] * 2


def test_example_7_without_clone(examples):
    """Step 7, a view returned: y1 is quietly rewritten to fn(x2)."""
    frame = examples["ex1"].variants["without_clone"][6].frame
    y1 = frame.kept[6]
    assert (y1.number, expanded(y1.was), expanded(y1.now)) == (7, ["11"] * 2, ["17"] * 2)
    assert y1.rewritten
    assert frame.result.lives_in == "static_out"


def test_example_2(examples):
    """The frame view: buckets 1, 3, 6, fn = 3x - 1, two rows of 2 after a batch of five 5s."""
    trace = examples["ex2"].trace
    before, step = runs(trace)
    assert column(before, "static_in") == [5, 5, 5, 5, 5, 0]
    (replay,) = [event for event in step.events if event["event"] == "replay"]
    assert Tensor.from_wire(replay["input"]).rows() == [[2, 2], [2, 2], [0, 0]]
    assert Tensor.from_wire(replay["output"]).rows() == [[5, 5], [5, 5], [-1, -1]]
    assert column(step, "static_in") == [2, 2, 0, 5, 5, 0]
    assert Tensor.from_wire(step.result).rows() == [[5, 5], [5, 5]]


def test_example_2_in_slow_motion(examples):
    """The six lines of the frame view, as the diagram draws them."""
    arrives, chosen, copied, cleared, replayed, done = (one.frame for one in examples["ex2"].steps)
    held = [5, 5, 5, 5, 5, 0]
    assert expanded(arrives.argument) == ["2", "2"]
    assert buffers(arrives)["static_in"] == buffers(chosen)["static_in"] == held
    assert [values.covered for values in chosen.buffers] == [(0, 2), (0, 2)]
    assert buffers(copied)["static_in"] == [2, 2, 5, 5, 5, 0]
    assert buffers(cleared)["static_in"] == [2, 2, 0, 5, 5, 0]
    assert buffers(cleared)["static_out"] == buffers(arrives)["static_out"]
    assert buffers(replayed)["static_out"][:3] == [5, 5, -1]
    assert (expanded(done.result.values), done.result.lives_in) == (["5", "5"], None)


def test_the_frame_table_is_filled_in_from_the_run(examples):
    """What the table of the page says in numbers: the page's own numbers."""
    facts = examples["ex2"].facts
    named = ("bs", "hidden", "bucket", "rows", "last", "previous_bs")
    assert [facts[name] for name in named] == [2, 2, 3, 6, 5, 5]
    assert facts["before"][2] == "5"
    assert facts["out"] == ["5", "5", "-1"]


def test_no_requests(p17_grader, reference):
    """A batch of no rows gives [0, hidden]."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        assert runner.run(Tensor("float32", (0, HIDDEN), b"")).value.shape == (0, HIDDEN)
