"""The worked examples of the course's page on P17, against the Trace of real runs.

Every number here is the page's own.
"""

import pytest

from grader.subject.subject import Subject
from grader.submission import Submission
from grader.tensor import Tensor
from grader.trace import Trace

HIDDEN = 3


def filled(bs: int, value: float, hidden: int = HIDDEN) -> Tensor:
    """A batch full of one value."""
    return Tensor.of([[value] * hidden] * bs, "float32")


def column(step, name: str, rows: int = 6) -> list[float]:
    """The first column of a buffer after a step."""
    return [row[0] for row in Tensor.from_wire(step.after[name])[:rows].rows()]


def stats(step) -> dict[str, object]:
    """The counters after a step."""
    return dict(step.after["stats"]["items"])


def run_example_1(subject: Subject) -> Trace:
    """Fn = 2x + 1 over buckets 16, 1, 4; every x is full of its batch size."""
    fn = subject.function("affine", scale=2, shift=1)
    runner = subject.new("GraphRunner", fn, [16, 1, 4], HIDDEN)
    assert runner.buckets == [1, 4, 16]
    runner.capture()
    for bs, forced in ((10, False), (3, False), (17, False), (4, False), (1, True), (1, False)):
        runner.run(filled(bs, float(bs)), force_eager=forced)
    return Trace.from_json(subject.trace.to_json())


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
def test_example_1(p17_grader, reference, number):
    """Steps 1 to 6: the bucket, the counters, and the buffers' first six rows."""
    with p17_grader.open(reference) as subject:
        trace = run_example_1(subject)
    bucket, replays, eager, last_bucket, static_in, static_out = EXAMPLE_1[number - 1]
    step = [step for step in trace.calls() if step.request.get("method") == "run"][number - 1]
    replayed = [event for event in step.events if event["event"] == "replay"]
    assert [event["input"]["shape"][0] for event in replayed] == ([bucket] if bucket else [])
    assert stats(step) == {"replays": replays, "eager": eager, "last_bucket": last_bucket}
    assert column(step, "static_in") == static_in
    assert column(step, "static_out") == static_out


def run_example_7(subject: Subject) -> tuple[Tensor, Tensor, Tensor]:
    """A result when it was handed out, after the next run, and the next run's."""
    fn = subject.function("affine", scale=2, shift=1)
    runner = subject.new("GraphRunner", fn, [16, 1, 4], HIDDEN)
    runner.capture()
    y1 = runner.run(filled(2, 5.0))
    at_first = y1.value
    y2 = runner.run(filled(2, 8.0))
    return at_first, y1.read(), y2.value


def test_example_7_with_clone(p17_grader, reference):
    """Step 7: y1 stays fn(x1) after y2 = run(x2)."""
    with p17_grader.open(reference) as subject:
        at_first, later, _ = run_example_7(subject)
    assert at_first == later == filled(2, 11.0)


def test_example_7_without_clone(p17_grader, p17):
    """Step 7, a view returned: y1 is quietly rewritten to fn(x2)."""
    path = p17.folder / "wrong" / "aliasing_returns_view.py"
    with p17_grader.open(Submission(path.name, "python", path.read_bytes())) as subject:
        at_first, later, y2 = run_example_7(subject)
    assert at_first == filled(2, 11.0)
    assert later == y2 == filled(2, 17.0)


def test_example_2(p17_grader, reference):
    """The frame view: buckets 1, 3, 6, fn = 3x - 1, two rows of 2 after a batch of five 5s."""
    hidden = 2
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], hidden)
        runner.capture()
        runner.run(filled(5, 5.0, hidden))
        before = column(subject.trace.steps[-1], "static_in")
        runner.run(filled(2, 2.0, hidden))
        trace = Trace.from_json(subject.trace.to_json())
    assert before == [5, 5, 5, 5, 5, 0]
    step = trace.calls()[-1]
    (replay,) = [event for event in step.events if event["event"] == "replay"]
    assert Tensor.from_wire(replay["input"]).rows() == [[2, 2], [2, 2], [0, 0]]
    assert Tensor.from_wire(replay["output"]).rows() == [[5, 5], [5, 5], [-1, -1]]
    assert column(step, "static_in") == [2, 2, 0, 5, 5, 0]
    assert Tensor.from_wire(step.result).rows() == [[5, 5], [5, 5]]


def test_no_requests(p17_grader, reference):
    """A batch of no rows gives [0, hidden]."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=3, shift=-1)
        runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
        runner.capture()
        assert runner.run(Tensor("float32", (0, HIDDEN), b"")).value.shape == (0, HIDDEN)
