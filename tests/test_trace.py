"""Traces: recordings of real runs, written, read back and spelled."""

import contextlib
import json

import pytest
from support import runner, stack_of, without_places

from grader.subject.faults import SubjectRaised
from grader.subject.proxies import DType
from grader.submission import Submission
from grader.tensor import Tensor
from grader.trace import TRACE_VERSION, Step, Trace

BATCH = Tensor.of([[1.0, float("nan"), -0.0], [2.0, 3.0, float("-inf")]], "float32")


@pytest.fixture(scope="module")
def trace(p17_grader, reference):
    """A run of P17's reference: a replay, an eager call, the function itself."""
    with p17_grader.open(reference) as subject:
        fn = subject.function("affine", scale=2.0, shift=-0.5)
        made = subject.new("GraphRunner", fn, [4, 1], 3, dtype=DType("float32"))
        made.capture()
        made.run(BATCH)
        made.run(BATCH, force_eager=True)
        fn(subject.tensor(BATCH))
        assert made.buckets == [1, 4]
        return subject.trace


def calls(trace: Trace) -> list[str]:
    """How the calls of a trace are spelled."""
    return [trace.spell(step) for step in trace.calls()]


# --- written and read ----------------------------------------------------------------------------


def test_round_trip(trace):
    """A recording that was written is read back as it was, NaN, -0.0 and infinity included."""
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert again.to_json() == trace.to_json()
    result = again.calls()[-1].request["args"][0]
    assert result == trace.calls()[-1].request["args"][0]


def test_is_plain_json(trace):
    """What is written is strict JSON in ASCII, and says its version."""

    def refuse(constant):
        raise AssertionError(constant)

    text = trace.to_json()
    assert text.isascii()
    assert json.loads(text, parse_constant=refuse)["trace_version"] == TRACE_VERSION


def test_any_text_survives(stack_grader):
    """Text that no UTF-8 holds, seen in a run, is written and read back."""
    with stack_grader.open(stack_of(r"'\ud800\n\x00中'")) as subject:
        assert subject.new("Stack").pop() == "\ud800\n\x00中"
        assert Trace.from_json(subject.trace.to_json()) == subject.trace


@pytest.mark.parametrize("version", [0, TRACE_VERSION + 1, "1", None, 1.5])
def test_other_version(trace, version):
    """A recording of another version is refused: what it means is not known."""
    data = json.loads(trace.to_json()) | {"trace_version": version}
    with pytest.raises(ValueError, match=f"no trace of version {TRACE_VERSION}"):
        Trace.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "1", '"trace"', "null", "{}", '{"trace_version": 1}', '{"trace_version": 1, "steps": 1}',
     '{"trace_version": 1, "steps": [1]}', '{"trace_version": 1, "steps": [{"request": {}}]}'],
)  # fmt: skip
def test_no_trace(text):
    """What is no trace at all is refused by a ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011 - json's own words, or ours
        Trace.from_json(text)


# --- what the given library did ------------------------------------------------------------------

#: name -> what a runner does otherwise than the reference.
DOINGS = {
    "as_it_should": (),
    "raises": ("self.graphs[bucket].replay()", "self.graphs[bucket].replay(1)"),
    "not_captured": ("            graph.capture()\n", ""),
    "other_size": ("self.static_out[:b])", "self.static_out[:1])"),
    "other_dtype": ("self.static_out[:b])", "self.static_out[:b].double())"),
    "narrowed_later": (
        "self.graphs[bucket].replay()",
        "self.graphs[bucket].static_out = self.static_out[:1, :1]; self.graphs[bucket].replay()",
    ),
    "within_inference_mode": (
        "self.graphs[bucket].replay()",
        "with torch.inference_mode(): self.graphs[bucket].replay()",
    ),
    "with_a_gradient": (
        "self.graphs[bucket].replay()",
        "self.static_out.requires_grad_(); self.graphs[bucket].replay()",
    ),
    "in_another_thread": (
        "self.graphs[bucket].replay()",
        "import threading; t = threading.Thread(target=self.graphs[bucket].replay); t.start(); t.join()",
    ),
    "within_another": (
        "graph = CpuGraph(self.fn,",
        (
            "inner = CpuGraph(self.fn, self.static_in[:1], self.static_out[:1]); inner.capture(); "
            "graph = CpuGraph(lambda x: (inner.replay(), self.fn(x))[1],"
        ),
    ),
}


def alike(replies):
    """Replies without the numbers of tensors, of which one memory may have several, and with those
    of other objects in the order in which they come.
    """
    objects = {}

    def told(value):
        if isinstance(value, list):
            return [told(item) for item in value]
        if not isinstance(value, dict):
            return value
        kept = {name: told(item) for name, item in value.items() if name != "ref"}
        if value.get("$") == "object":
            kept["ref"] = objects.setdefault(value["ref"], len(objects))
        return kept

    return told(replies)


@pytest.mark.parametrize("doing", DOINGS)
def test_at_one_go(p17_grader, reference, doing):
    """Graphs are noted alike whether their work is done at one go or piece by piece."""
    source = reference.source.decode()
    if DOINGS[doing]:
        assert DOINGS[doing][0] in source
        source = source.replace(*DOINGS[doing])

    def seen(source):
        with p17_grader.open(Submission("my.py", "python", source.encode())) as subject:
            made = subject.new(
                "GraphRunner", subject.function("affine", scale=2, shift=1), [4, 2], 3
            )
            for act in (made.capture, lambda: made.run(BATCH), lambda: made.run(BATCH)):
                with contextlib.suppress(SubjectRaised):
                    act()
            return alike([without_places(step.reply) for step in subject.trace][1:])

    expected = seen(source)
    assert any(reply["events"] for reply in expected)
    # A function of its own is not one that the host knows.
    assert seen(source.replace("CpuGraph(self.fn,", "CpuGraph(lambda x: self.fn(x),")) == expected


# --- its steps -----------------------------------------------------------------------------------


def test_steps_are_in_order(trace):
    """Every request is a step, in the order in which they were made."""
    ops = [step.op for step in trace]
    assert ops == ["load", "function", "new", "call", "call", "call", "tensor", "call", "get"]
    assert len(trace.calls()) == ops.count("new") + ops.count("call")


def test_events_of_a_step(trace):
    """A step has the events of its own call, and no others."""
    _, capture, replayed, eager, function = (
        [event["event"] for event in step.events] for step in trace.calls()
    )
    assert capture == ["capture", "function"] * 2
    assert replayed == ["replay", "function"]
    assert eager == function == ["function"]


def test_result_of_a_step(trace):
    """A call's result is kept as it was; of a method that returns nothing it is None."""
    _, capture, replayed, eager, _ = trace.calls()
    assert capture.result is None
    assert Tensor.from_wire(replayed.result).shape == BATCH.shape
    assert (
        Tensor.from_wire(replayed.result).first_difference(Tensor.from_wire(eager.result)) is None
    )


def test_watched_attributes_of_a_step(trace):
    """After every call on the runner its watched attributes are kept; after others there are none."""
    new, _, replayed, _, function = trace.calls()
    assert replayed.after.keys() == {"static_in", "static_out", "stats"}
    assert Tensor.from_wire(replayed.after["static_in"])[:2].first_difference(BATCH) is None
    assert (new.after, function.after) == ({}, {})


def test_result_of_an_error(stack_grader):
    """A call that raised has no result, and the trace goes on."""
    with stack_grader.open(stack_of("[].pop()")) as subject:
        with pytest.raises(SubjectRaised):
            subject.new("Stack").pop()
        assert [step.result for step in subject.trace.calls()][1:] == [None]
        assert Trace.from_json(subject.trace.to_json()) == subject.trace


def test_added_step():
    """A step is recorded as it is given, and given back."""
    trace = Trace()
    step = trace.add({"op": "get"}, {"events": [], "value": 3})
    assert list(trace) == [step] == [Step({"op": "get"}, {"events": [], "value": 3})]
    assert (step.op, step.result, step.events, step.after) == ("get", 3, [], {})


# --- spelled -------------------------------------------------------------------------------------


def test_spelled_as_code(trace):
    """Calls are spelled as one would write them, tensors by their shape, functions as fn."""
    assert calls(trace) == [
        "GraphRunner(fn, [4, 1], 3, dtype=float32)",
        "capture()",
        "run(x[2, 3])",
        "run(x[2, 3], force_eager=True)",
        "fn(x[2, 3])",
    ]


def test_spelled_after_reading(trace):
    """A recording read back is spelled the same."""
    assert calls(Trace.from_json(trace.to_json())) == calls(trace)


@pytest.mark.parametrize(
    ("argument", "spelled"),
    [(3, "3"), (-1.5, "-1.5"), (float("nan"), "nan"), ("it's", '"it\'s"'), (None, "None"), (True, "True"),
     ([1, [2.0, "a"]], "[1, [2.0, 'a']]"), ((), "[]"), (DType("bfloat16"), "bfloat16"),
     (Tensor("int64", (), bytes(8)), "x[]"), (Tensor("int8", (0, 2, 3), b""), "x[0, 2, 3]")],
)  # fmt: skip
def test_spelled_argument(p17_grader, argument, spelled):
    """Every kind of argument has its spelling."""
    with p17_grader.open(runner("return torch.zeros(1)")) as subject:
        subject.new("GraphRunner", None, [1], 3).run(argument)
        assert calls(subject.trace)[-1] == f"run({spelled})"


def test_spelled_references(p17_grader):
    """An object handed back is spelled by what it is: a tensor by its shape, another by its class."""
    top = "class Box:\n    pass"
    with p17_grader.open(
        runner("return torch.zeros(2, 5)", top=top, more="def box(self): return Box()")
    ) as subject:
        made = subject.new("GraphRunner", None, [1], 3)
        result = made.run(subject.tensor(BATCH))
        made.run([result, subject.call(made, "box")], force_eager=made)
        assert calls(subject.trace)[1:] == [
            "run(x[2, 3])", "box()", "run([x[2, 5], Box], force_eager=GraphRunner)",
        ]  # fmt: skip
