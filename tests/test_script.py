"""Scripts: what a case asked one subject, so told that another can be asked the same."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import runner, stack_of, torch, value_of, without_places

from grader.protocol import TAG
from grader.subject.script import Script
from grader.trace import Trace

LOAD = {"op": "load", "source": "", "path": "my.py", "module": "my", "interface": {"A": {}}}
X = value_of(torch.arange(1.0, 7.0).reshape(2, 3))


def thing(ref, kind="object"):
    """An object as a reply tells of it."""
    return {TAG: kind, "ref": ref, "type": "Thing"}


def named(ref):
    """An object as a request names it."""
    return {TAG: "ref", "ref": ref}


def traced(*steps):
    """A Trace of steps after loading: requests, each with what its reply tells."""
    trace = Trace()
    trace.add(LOAD, {"value": None, "events": []})
    for request, reply in steps:
        trace.add(request, {"events": [], **reply})
    return trace


def renumbered(value, numbers):
    """A reply or request as another subject has it, whose objects have other numbers."""
    if isinstance(value, list):
        return [renumbered(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: numbers(item) if name in ("ref", "a", "b") else renumbered(item, numbers)
        for name, item in value.items()
    }


def expect_repeatable(trace):
    """A Trace's own replies, and those of another subject, give back what was asked of it."""
    script = Script.of(trace)
    replies = [step.reply for step in trace]
    followed = script.followed(replies)
    assert followed.steps[1:] == trace.steps[1:]
    assert [step.reply for step in followed] == replies
    assert followed.steps[0].request == {"op": "reload", "interface": interface_of(trace)}
    theirs = [renumbered(reply, lambda n: 7 * n + 3) for reply in replies]
    asked = [step.request for step in script.followed(theirs)][1:]
    assert asked == [renumbered(step.request, lambda n: 7 * n + 3) for step in trace][1:]


def interface_of(trace):
    """What the submission of a Trace had to offer."""
    return trace.steps[0].request["interface"]


#: name -> steps of a Trace whose requests name objects in every place that there is.
STEPS = {
    "nothing": [],
    "object": [({"op": "new", "args": []}, {"value": thing(0)}), ({"op": "call", "ref": 0}, {})],
    "argument": [
        ({"op": "function"}, {"value": thing(4)}),
        ({"op": "new", "args": [1, [named(4)]], "kwargs": {"f": named(4)}}, {"value": thing(5)}),
    ],
    "both_sides": [
        ({"op": "tensor"}, {"value": thing(0, "tensor")}),
        ({"op": "tensor"}, {"value": thing(1, "tensor")}),
        ({"op": "shares_storage", "a": 1, "b": 0}, {"value": False}),
    ],
    "within_an_answer": [
        ({"op": "new"}, {"value": thing(0)}),
        ({"op": "get", "ref": 0}, {"value": {TAG: "map", "items": [[1, thing(7)], [2, [thing(8)]]]}}),
        ({"op": "call", "ref": 8}, {"value": None}),
        ({"op": "call", "ref": 7}, {"value": None}),
    ],
    "watched": [
        ({"op": "new"}, {"value": thing(0)}),
        ({"op": "call", "ref": 0}, {"value": None, "after": {"held": thing(3, "tensor")}}),
        ({"op": "read", "ref": 3}, {"value": thing(3, "tensor")}),
    ],
    "event": [
        ({"op": "new"}, {"value": thing(0), "events": [{"event": "a"}, {"event": "b", "in": thing(2)}]}),
        ({"op": "read", "ref": 2}, {"value": thing(2)}),
    ],
    "raised": [
        ({"op": "new"}, {"value": thing(0)}),
        ({"op": "call", "ref": 0}, {"error": {"kind": "exception", "ref": 1}}),
        ({"op": "call", "ref": 0}, {"value": None}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_made_by_hand(name):
    """Wherever a reply told of an object, and wherever a request names it."""
    expect_repeatable(traced(*STEPS[name]))


def test_recorded_stack(stack_grader):
    """What is recorded of the tiny exercise."""
    with stack_grader.open(stack_of("self.item")) as subject:
        stack = subject.new("Stack")
        for item in (1, [2.5, None], "text", True, subject.new("Stack")):
            stack.push(item)
            assert stack.pop() == item
        expect_repeatable(subject.trace)


def test_recorded_runner(p17_grader, reference):
    """What is recorded of P17: functions, tensors, events, watched attributes, graphs."""
    with p17_grader.open(reference) as subject:
        made = subject.new("GraphRunner", subject.function("affine", scale=2, shift=1), [4, 2], 3)
        made.capture()
        (first, *_) = [event for event in subject.events if event.name == "capture"]
        result = made.run(subject.tensor(X, strides=[1, 2]))
        replay = next(event for event in subject.events if event.name == "replay")
        assert replay.graph == made.graphs[2]
        replay.input.write(X)
        assert replay.input.read() == X
        result.shares_storage(subject.after("static_out"))
        first.input.read()
        expect_repeatable(subject.trace)


def test_played(p17_grader, reference):
    """Asked at one go, another subject answers what it answers step by step."""

    def ask(subject):
        made = subject.new("GraphRunner", subject.function("affine", scale=2, shift=1), [4, 2], 3)
        made.capture()
        made.run(X).read()
        made.graphs[2].captured  # noqa: B018 - asked for

    with p17_grader.open(reference) as one, p17_grader.open(reference) as other:
        ask(one)
        script = Script.of(one.trace)
        _, printed = other.play([script, script], seconds=30)
        told = script.followed(other.played([1])[0])
    assert not any(output.size for output in printed)
    seen = [step.reply.get("value") for step in told][1:]
    expected = [step.reply.get("value") for step in one.trace][1:]
    assert [without_places(value) for value in seen] == [
        without_places(value) for value in expected
    ]
    assert len(told.steps) == len(one.trace.steps)


def test_digests(p17_grader):
    """The same answers have one digest, in every process; any other answer has another."""
    answers = ["x + 0", "x.clone()", "x + 1", "x.double()", "x.flatten()", "x.t().contiguous().t()"]
    answers += ["1", "True", "'1'", "1.0", "None", "[1]", "{1: 1}", "{1: 1.0}", "{'1': 1}", "-0.0"]
    answers += ["0.0", "float('nan')", "'\\ud800'", "''", "b''", "x[:1]", "x[:1].clone()"]
    with p17_grader.open(runner("return x")) as subject:
        made = subject.new("GraphRunner", None, [1], 3)
        made.call = subject.call(made, "capture")
        subject.call(made, "run", X)
        script = Script.of(subject.trace)
    digests = {}
    for answer in answers:
        for again in (answer, f"({answer})"):
            with p17_grader.open(runner(f"return {again}")) as subject:
                (told, twice), _ = subject.play([script, script], seconds=30)
                digests.setdefault(answer, set()).update({told.digest, twice.digest})
    assert all(len(own) == 1 for own in digests.values())
    assert digests.pop("x + 0") == digests["x.clone()"]
    told = [digest for (digest,) in digests.values()]
    assert len(set(told)) == len(told)


def test_last_mention_wins():
    """An object is named by where it was heard of last, which is where a check got it from."""
    trace = traced(
        ({"op": "new"}, {"value": thing(0)}),
        ({"op": "get", "ref": 0}, {"value": [thing(5), thing(0)]}),
        ({"op": "call", "ref": 0}, {"after": {"it": thing(5)}}),
        ({"op": "call", "ref": 5}, {}),
    )
    origins = [list(map(tuple, step)) for step in Script.of(trace).origins]
    assert origins[3] == [(("ref",), 2, ("value", 1))]
    assert origins[4] == [(("ref",), 3, ("after", "it"))]


def test_not_loaded():
    """A case without the submission executed for it has no script, nor one with more of it."""
    steps = traced(*STEPS["object"]).steps
    assert Script.of(Trace(steps[1:])) is None
    assert Script.of(Trace([*steps, steps[0]])) is None
    assert Script.of(Trace(steps)) is not None


@pytest.mark.parametrize(
    "request_", [{"op": "call", "ref": 9}, {"op": "new", "args": [named(9)]},
                 {"op": "shares_storage", "a": 0, "b": 9}],
)  # fmt: skip
def test_unknown_object(request_):
    """Nor has a case that names what no reply has told of, or not yet."""
    own = ({"op": "new"}, {"value": thing(0)})
    later = ({"op": "new"}, {"value": thing(9)})
    assert Script.of(traced(own, (request_, {}))) is None
    assert Script.of(traced(own, (request_, {}), later)) is None
    assert Script.of(traced(own, later, (request_, {}))) is not None


def test_trace_is_left_alone():
    """Making a script and following it changes no Trace."""
    trace = traced(*STEPS["within_an_answer"])
    before = trace.to_json()
    script = Script.of(trace)
    for _ in range(2):
        script.followed([step.reply for step in trace])
    assert trace.to_json() == before
    assert script.asks[3]["ref"] == 0


def test_as_written():
    """As the protocol spells it, each request has beside it where its objects come from."""
    script = Script.of(traced(*STEPS["within_an_answer"]))
    asked = json.loads(script.written)["requests"]
    assert [part["ask"] for part in asked] == list(script.asks)
    assert "refs" not in asked[0]
    assert asked[3]["refs"] == [[["ref"], 2, ["value", "items", 1, 1, 0]]]


def test_shorter_answers():
    """A subject that came to an end sooner has a shorter Trace."""
    trace = traced(*STEPS["within_an_answer"])
    replies = [step.reply for step in trace][:2]
    assert Script.of(trace).followed(replies).steps[1:] == trace.steps[1:2]


@given(st.integers(0, 2**32))
def test_any_trace(seed):
    """Of any course of requests and replies that name only what was told of."""
    draw = random.Random(seed)
    known, trace = [], traced()
    for _ in range(draw.randint(0, 12)):
        request = {"op": "call", "args": [named(draw.choice(known)) for _ in known[:2]]}
        if known:
            request["ref"] = draw.choice(known)
        told = [draw.randint(0, 6) for _ in range(draw.randint(0, 3))]
        places = {
            "value": [thing(ref) for ref in told[:1]],
            "after": {f"n{ref}": thing(ref, "tensor") for ref in told[1:2]},
            "events": [{"event": "e", "deep": [[thing(ref)]]} for ref in told[2:]],
        }
        trace.add(request, places)
        known += told
    expect_repeatable(trace)
