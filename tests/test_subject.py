"""Real subjects: values, objects and memory across the pipe, exactly.

What a submission does here is an expression of torch's; the oracle is torch itself, in the
tests' own process.
"""

import math
from collections import ChainMap, Counter, OrderedDict
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType

import pytest
from support import bytes_of, line_of, runner, stack_doing, stack_of, torch, torch_of, value_of

from grader.errors import SubmissionError
from grader.protocol import MAX_EVENTS
from grader.subject.faults import SubjectRaised
from grader.subject.proxies import DType, RemoteObject, RemoteTensor
from grader.tensor import DTYPES, Tensor

X = value_of(torch.arange(1.0, 13.0).reshape(4, 3))

#: dtype -> bits of one element each: infinities, -0.0, the smallest number, NaN with payloads,
#: signalling ones among them.
BITS = {
    "float64": [
        0x7FF << 52,
        0xFFF << 52,
        1 << 63,
        1,
        0x7FF8 << 48,
        0xFFF8DEADBEEF0001,
        0x7FF0000000000001,
    ],
    "float32": [0xFF << 23, 0x1FF << 23, 1 << 31, 1, 0x7FC00000, 0xFFC0BEEF, 0x7F800001],
    "float16": [0x7C00, 0xFC00, 0x8000, 1, 0x7E00, 0xFEEF, 0x7C01],
    "bfloat16": [0x7F80, 0xFF80, 0x8000, 1, 0x7FC0, 0xFFEF, 0x7F81],
    "int64": [0, 1, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, 1 << 53 | 1, 0xDEADBEEF],
    "int32": [0, 1, (1 << 32) - 1, 1 << 31, (1 << 31) - 1, 1 << 24 | 1, 0xBEEF],
    "int16": [0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x00FF, 0xBEEF],
    "int8": [0, 1, 0xFF, 0x80, 0x7F, 0x55, 0xAA],
    "uint8": [0, 1, 0xFF, 0x80, 0x7F, 0x55, 0xAA],
    "bool": [0, 1, 1, 0, 1, 0, 1],
}


def exact(dtype: str, shape: tuple[int, ...] = (7, 1)) -> Tensor:
    """A tensor of a dtype's special values, over and over."""
    size = DTYPES[dtype][0]
    data = b"".join(bits.to_bytes(size, "little") for bits in BITS[dtype])
    length = math.prod(shape) * size
    return Tensor(dtype, shape, (data * (length // len(data) + 1))[:length])


@pytest.fixture
def opened(p17_grader):
    """Opens a submission to P17 whose ``run`` does what a test wants; gives subject and runner."""
    contexts = []

    def open_(run: str = "return x", **parts):
        contexts.append(p17_grader.open(runner(run, **parts)))
        subject = contexts[-1].__enter__()
        return subject, subject.new("GraphRunner", None, [1], 3)

    yield open_
    for context in contexts:
        context.__exit__(None, None, None)


@pytest.fixture
def attribute(stack_grader):
    """What an expression of Python's is on this side of the pipe; no torch is needed."""

    def get(expression: str):
        with stack_grader.open(stack_of(expression)) as subject:
            return subject.new("Stack").pop()

    return get


# --- tensors, both ways --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [(7, 1), (3, 5), (), (1,), (2, 3, 4), (0, 3), (3, 0), (0,)], ids=str
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensor_there_and_back(opened, dtype, shape):
    """A tensor of every dtype and shape arrives bit for bit, is handed on and comes back so."""
    subject, made = opened("self.got = x\nreturn x.clone()")
    value = exact(dtype, shape)
    sent = subject.tensor(value)
    assert sent.value == sent.read() == value
    assert made.run(sent).value == value
    assert made.run(value).value == made.got.value == value


@pytest.mark.parametrize("dtype", [name for name in DTYPES if "float" in name])
def test_numbers_as_torch_has_them(opened, dtype):
    """NaN, infinity and -0.0 that a submission makes itself are torch's own, to the bit."""
    numbers = "[[float('nan'), float('-inf'), -0.0, 1 / 3]]"
    expression = f"torch.tensor({numbers}, dtype=torch.{dtype})"
    _, made = opened(f"return {expression}")
    assert made.run(X).value == value_of(eval(expression))


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides_given(opened, dtype):
    """A tensor laid out by strides holds its values bit for bit, and has those strides."""
    subject, made = opened("return x.contiguous()")
    value = exact(dtype, (4, 3))
    for strides in ((3, 1), (1, 4), (6, 2), (1, 5)):
        laid_out = subject.tensor(value, strides=strides)
        assert laid_out.strides == strides
        assert laid_out.read() == value
        assert made.run(laid_out).value == value


@pytest.mark.parametrize(
    "expression",
    ["x", "x.t()", "x[1:]", "x[:, 1]", "x[::2, 1:]", "x[2:2]", "x[0, 0]", "x.expand(2, 4, 3)", "x.flip(0)",
     "x.unsqueeze(1)", "x[:, :1].expand(4, 5)", "x.as_strided((3, 3), (1, 1), 2)", "x.reshape(3, 4).t()",
     "x.diagonal()", "x.requires_grad_()", "x.requires_grad_() * 2", "x.double()", "x.bfloat16() / 3",
     "x > 5", "x.int()", "x.argmax()", "torch.empty(0)", "torch.zeros(2, 0, 3)", "torch._neg_view(x)",
     "torch.complex(x, x).imag", "torch.complex(x, x).conj().imag[:1, :1]"],
)  # fmt: skip
def test_layout(opened, expression):
    """Values, shape, dtype, strides and offset of whatever torch makes are those torch tells."""
    _, made = opened(f"return {expression}")
    seen = made.run(X)
    wanted = eval(expression, {"torch": torch, "x": torch_of(X)})
    assert seen.value == value_of(wanted.detach().resolve_neg())
    assert seen.shape == tuple(wanted.shape)
    assert seen.dtype == str(wanted.dtype).removeprefix("torch.")
    assert (seen.strides, seen.offset) == (wanted.stride(), wanted.storage_offset())


@pytest.mark.parametrize("mode", ["torch.inference_mode", "torch.no_grad"])
def test_modes(opened, mode):
    """Tensors made in inference mode or without gradients are read and written like others."""
    _, made = opened(f"with {mode}(): return x * 2")
    result = made.run(X)
    assert result.value == value_of(torch_of(X) * 2)
    result.write(X)
    assert result.read() == X


@pytest.mark.parametrize(
    "expression",
    ["x.as_subclass(torch.nn.Buffer)", "torch.nn.Parameter(x)", "x.to_sparse()", "x.to_sparse_csr()",
     "x.to_mkldnn()", "x.to(torch.complex64)", "torch.quantize_per_tensor(x, 1.0, 0, torch.qint8)",
     "x.to('meta')", "Sub(x)", "[1.0]", "None", "3.0"],
)  # fmt: skip
def test_no_tensor(opened, expression):
    """Neither a subclass, which can answer what it likes, nor a tensor without plain values is one."""
    top = "import warnings; warnings.simplefilter('ignore')\nclass Sub(torch.Tensor): pass"
    _, made = opened(f"self.made = {expression}\nreturn self.made", top=top)
    with pytest.raises(SubmissionError) as raised:
        made.run(X)
    assert (raised.value.kind, raised.value.params["wanted"]) == ("result", "tensor")
    assert raised.value.params["call"] == "run(x[4, 3])"
    assert not isinstance(made.made, RemoteTensor)


def test_what_was_returned_instead(opened):
    """What was returned in place of a tensor is called as a student calls it."""
    kinds = {"None": "None", "[x]": "list", "(x,)": "list", "{1: x}": "dict", "3": "int", "'x'": "str",
             "x.to_sparse()": "Tensor", "object()": "object", "2.5": "float", "True": "bool"}  # fmt: skip
    for expression, kind in kinds.items():
        _, made = opened(f"return {expression}")
        with pytest.raises(SubmissionError) as raised:
            made.run(X)
        assert raised.value.params["seen"] == kind


# --- written in place, read later ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_write(opened, dtype):
    """Writing overwrites a tensor in place, bit for bit, for everyone who holds it."""
    subject, made = opened("self.held = x\nreturn x")
    value = exact(dtype)
    mine = subject.tensor(value.zeros())
    result = made.run(mine)
    mine.write(value)
    assert mine.read() == result.read() == made.held.value == value
    assert mine.shares_storage(made.held)


def test_write_through_a_view(opened):
    """Writing through a view with strides writes its elements, and those alone."""
    subject, made = opened("return x.t()[1:]")
    mine = subject.tensor(X)
    made.run(mine).write(value_of(torch.full((2, 4), -1.0)))
    wanted = torch_of(X)
    wanted.t()[1:] = -1.0
    assert mine.read() == value_of(wanted)


def test_write_where_gradients_are_wanted(opened):
    """A leaf that wants gradients, which torch guards against writing, is written as well."""
    _, made = opened("return torch.ones(2, 2, requires_grad=True)")
    result = made.run(X)
    result.write(value_of(torch.zeros(2, 2)))
    assert result.read() == value_of(torch.zeros(2, 2))


def test_results_later(opened):
    """A result tells what it held when it was handed out until it is read again."""
    _, made = opened("self.n = getattr(self, 'n', x); self.n += 1\nreturn self.n")
    first, second = made.run(X), made.run(X)
    assert first.value == value_of(torch_of(X) + 1)
    assert second.value == value_of(torch_of(X) + 2)
    assert first.read() == first.value == second.value


def test_argument_is_no_result(opened):
    """A tensor handed over by value is a new one at each call; one of the subject's stays the same."""
    subject, made = opened()
    assert made.run(X).ref != made.run(X).ref
    mine = subject.tensor(X)
    assert made.run(mine).ref == made.run(mine).ref == mine.ref


# --- objects and their refs ----------------------------------------------------------------------


def test_same_object_same_ref(opened):
    """An object keeps its ref wherever it turns up, and two objects never have one."""
    subject, made = opened(
        "return self.kept",
        init="self.fn = fn; self.kept = torch.zeros(1); self.me = self; self.box = [self.kept]",
    )
    assert made.me == made
    assert made.kept.ref == made.run(X).ref == made.box[0].ref
    fn, other = subject.function("reciprocal"), subject.function("reciprocal")
    assert subject.new("GraphRunner", fn, [1], 3).fn == fn != other
    assert subject.new("GraphRunner", fn, [1], 3) != made
    assert len({fn, other, made, made.me}) == 3


def test_refs_are_not_given_twice(opened):
    """An object that the submission has let go of leaves its ref to no other."""
    _, made = opened("return x + 1")
    results = [made.run(X) for _ in range(20)]
    assert len({result.ref for result in results}) == 20
    assert not any(a.shares_storage(b) for a, b in pairwise(results))


def test_equal_is_not_the_same(attribute):
    """Objects whose own ``__eq__`` says that they are equal are still two."""
    a, b = attribute(
        "[type('E', (), {'__eq__': lambda *_: True, '__hash__': lambda _: 1})() for _ in 'ab']"
    )
    assert a != b
    assert a.ref != b.ref


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        # One storage.
        ("x", "x", True), ("x", "x[:]", True), ("x", "x[2:]", True), ("x[:1]", "x[3:]", True),
        ("x[:, 0]", "x[:, 1]", True), ("x", "x.t()", True), ("x", "x.view(torch.int32)", True),
        ("x", "x.detach()", True), ("x", "x.data", True), ("x", "x.expand(2, 4, 3)", True),
        ("x", "x.contiguous()", True), ("x", "x.to(torch.float32)", True), ("x", "torch.as_tensor(x)", True),
        ("x", "copy.copy(x)", True), ("x", "x[2:2]", True), ("x", "x.narrow(0, 3, 1)", True),
        # One memory, two storages.
        ("x", "torch.from_dlpack(x)", True), ("x[:1]", "torch.from_dlpack(x)", True),
        ("torch.frombuffer(raw, dtype=torch.int8)", "torch.frombuffer(raw, dtype=torch.float32)", True),
        ("torch.frombuffer(raw, dtype=torch.int8, count=9)", "torch.frombuffer(raw, dtype=torch.int8, offset=8)", True),
        ("x", "torch.tensor([]).set_(x.untyped_storage())", True),
        # Nothing in common.
        ("x", "x.clone()", False), ("x", "x + 0", False), ("x", "x.t().contiguous()", False),
        ("x", "copy.deepcopy(x)", False), ("x", "x[[0, 1]]", False), ("x", "x.double()", False),
        ("x", "torch.empty_like(x)", False), ("torch.empty(0)", "torch.empty(0)", False),
        ("x", "torch.empty(0)", False), ("x.clone()", "x.clone()", False),
        ("torch.frombuffer(raw, dtype=torch.int8, count=8)", "torch.frombuffer(raw, dtype=torch.int8, offset=8)", False),
    ],
)  # fmt: skip
def test_shares_storage(opened, a, b, shared):
    """Memory in common is found, whichever way two tensors came by it; equal values are none."""
    top = """
import copy
raw = bytearray(64)
"""
    subject, made = opened(f"self.x, self.a, self.b = x, {a}, {b}\nreturn x", top=top)
    made.run(X)
    assert subject.shares_storage(made.a, made.b) is shared
    assert made.b.shares_storage(made.a) is shared


# --- events --------------------------------------------------------------------------------------

GRAPH = """
from exercises.p17.cpu_graph import CpuGraph
"""
INIT = "self.out = torch.zeros(4, 3); self.inp = torch.ones(4, 3); self.graph = CpuGraph(fn, self.inp[:2], self.out[:2])"


def with_graph(opened, run: str):
    """A subject with a graph over two rows, and what it did when its run was called."""
    subject, _ = opened(run, top=GRAPH, init=INIT)
    fn = subject.function("affine", scale=2.0, shift=1.0)
    made = subject.new("GraphRunner", fn, [2], 3)
    made.run(X)
    return fn, made, subject.events


def test_events(opened):
    """What the graph and the function did is told in order, with what it happened inside of."""
    fn, made, events = with_graph(
        opened,
        "self.graph.capture(); self.graph.replay(); self.fn = self.graph.fn(x)\nreturn x",
    )
    seen = [(event.name, event.within) for event in events]
    assert seen == [
        ("capture", None), ("function", "capture"), ("replay", None), ("function", "replay"), ("function", None),
    ]  # fmt: skip
    capture, _, replay, inside, outside = events
    assert capture.graph == replay.graph == made.graph
    assert inside.function == outside.function == fn
    assert outside.input.value == X
    ones = value_of(torch.ones(2, 3))
    assert capture.input.value == replay.input.value == inside.input.value == ones
    assert replay.output.value == value_of(2 * torch.ones(2, 3) + 1)
    assert capture.output.value == ones.zeros()
    assert capture.input.shares_storage(made.inp)


def test_events_are_as_they_were(opened):
    """An event tells what a view held at that moment, whatever was written later in the same call."""
    _, _, events = with_graph(
        opened,
        "self.graph.capture(); self.graph.replay(); self.inp.zero_(); self.out.zero_()\nreturn x",
    )
    replay = next(event for event in events if event.name == "replay")
    assert replay.input.value == value_of(torch.ones(2, 3))
    assert replay.output.value == value_of(torch.full((2, 3), 3.0))
    assert (
        replay.output.read() == replay.output.value.zeros()
        or replay.output.read().first_nonzero_row() is None
    )


def test_events_of_the_last_request_alone(opened):
    """Events belong to the request during which they happened; the next one begins anew."""
    subject, made = opened("return x")
    fn = subject.function("reciprocal")
    fn(X)
    assert [event.name for event in subject.events] == ["function"]
    made.run(X)
    assert subject.events == []


def test_replay_before_capture(opened):
    """The given graph's own error is the submission's, with its line, and the replay is told."""
    subject, _ = opened("self.graph.replay()\nreturn x", top=GRAPH, init=INIT)
    made = subject.new("GraphRunner", subject.function("reciprocal"), [2], 3)
    with pytest.raises(SubjectRaised, match="before capture") as raised:
        made.run(X)
    assert raised.value.code == "self.graph.replay()"
    assert [(event.name, event.within) for event in subject.events] == [("replay", None)]


def test_within_ends_with_an_error(opened):
    """What happened after a replay that failed did not happen within it."""
    subject, _ = opened(
        "try: self.graph.replay()\nexcept RuntimeError: return self.graph.fn(x)",
        top=GRAPH,
        init=INIT,
    )
    made = subject.new("GraphRunner", subject.function("reciprocal"), [2], 3)
    made.run(X)
    assert [(event.name, event.within) for event in subject.events] == [
        ("replay", None),
        ("function", None),
    ]


def test_field_that_an_event_lacks(opened):
    """Asking an event for a field it has not is no AttributeError of the check's."""
    _, _, events = with_graph(opened, "self.graph.fn(x)\nreturn x")
    with pytest.raises(SubmissionError) as raised:
        _ = events[0].output
    assert raised.value.kind == "protocol"


def test_as_many_events_as_are_kept(opened):
    """As many events as are kept are told; one more is a loop without end."""
    subject, _ = opened("for _ in range(int(x)): self.fn(x)\nreturn x", init="self.fn = fn")
    made = subject.new("GraphRunner", subject.function("affine", scale=1.0, shift=0.0), [1], 3)
    made.run(value_of(torch.tensor(float(MAX_EVENTS))))
    assert len(subject.events) == MAX_EVENTS
    with pytest.raises(SubmissionError) as raised:
        made.run(value_of(torch.tensor(MAX_EVENTS + 1.0)))
    assert raised.value.kind == "events"
    assert raised.value.params["doing"] == "run(x[])"


# --- watched attributes --------------------------------------------------------------------------


def test_after(opened):
    """Watched attributes are told as they were after the last call, with no request of their own."""
    subject, made = opened(
        "self.static_in += 1; self.stats['n'] += 1\nreturn x",
        init="self.static_in = torch.zeros(1); self.static_out = 'x'; self.stats = {'n': 0}",
    )
    made.run(X)
    asked = len(subject.trace.steps)
    assert subject.after("static_in").value == value_of(torch.ones(1))
    assert subject.after("static_out") == "x"
    assert subject.after("stats") == {"n": 1}
    assert len(subject.trace.steps) == asked
    made.run(X)
    assert subject.after("stats") == {"n": 2}
    assert subject.after("static_in") is not subject.after("static_in")
    assert subject.after("static_in").ref == made.static_in.ref


def test_after_a_call_that_raised(opened):
    """After a call that raised they are told as well."""
    subject, made = opened("self.stats['n'] = 1\nraise ValueError", init="self.stats = {}")
    with pytest.raises(SubjectRaised):
        made.run(X)
    assert subject.after("stats") == {"n": 1}


def test_after_where_reading_raises(opened):
    """A watched attribute that is missing or raises says so, with the student's line, when asked."""
    subject, made = opened(more="@property\ndef stats(self):\n    return 1 // 0")
    made.run(X)
    with pytest.raises(SubjectRaised, match="ZeroDivisionError") as raised:
        subject.after("stats")
    assert raised.value.code == "return 1 // 0"
    with pytest.raises(SubjectRaised, match="AttributeError") as raised:
        subject.after("static_in")
    assert raised.value.message.params["call"] == ".static_in"


def test_after_for_what_is_not_watched(opened):
    """An attribute that is not watched is not told."""
    subject, made = opened(init="self.other = 1")
    made.run(X)
    with pytest.raises(SubmissionError) as raised:
        subject.after("other")
    assert raised.value.kind == "protocol"


# --- what is raised ------------------------------------------------------------------------------


def raised_by(subject, call, *arguments) -> SubjectRaised:
    """What a call raised."""
    with pytest.raises(SubjectRaised) as raised:
        call(*arguments)
    return raised.value


def test_raised_in_a_call(stack_grader):
    """An exception is told with its type, its text, the call, and the student's own line."""
    submission = stack_doing("return helper(3)", top="def helper(n):\n    return [][n]\n")
    with stack_grader.open(submission) as subject:
        stack = subject.new("Stack")
        raised = raised_by(subject, stack.pop)
        assert raised.message.id == "error.exception"
        assert raised.message.params == {
            "type": "IndexError", "detail": "list index out of range", "call": "pop()",
        }  # fmt: skip
        assert raised.line == line_of(submission, "[][n]")
        assert raised.code == "return [][n]"
        stack.push(1)  # and the subject goes on


def test_raised_in_a_library(opened):
    """For an exception out of torch the line is the student's, not torch's."""
    _, made = opened("y = x + 1\nreturn y @ y")
    with pytest.raises(SubjectRaised) as raised:
        made.run(X)
    assert raised.value.code == "return y @ y"


def test_raised_in_the_constructor(p17_grader):
    """So is one raised by a constructor, whose call is spelled with its class."""
    with p17_grader.open(runner(init="self.n = hidden / 0")) as subject:
        raised = raised_by(subject, subject.new, "GraphRunner", None, [1], 3)
        assert (raised.code, raised.message.params["call"]) == (
            "self.n = hidden / 0", "GraphRunner(None, [1], 3)",
        )  # fmt: skip


def test_raised_by_an_attribute(opened):
    """An attribute that is missing or raises is told likewise."""
    _, made = opened(more="@property\ndef stats(self):\n    return {}['replays']")
    with pytest.raises(SubjectRaised) as raised:
        _ = made.stats
    assert raised.value.code == "return {}['replays']"
    assert raised.value.message.params == {
        "type": "KeyError",
        "detail": "'replays'",
        "call": ".stats",
    }
    with pytest.raises(SubjectRaised) as raised:
        _ = made.no_such
    assert raised.value.message.params["type"] == "AttributeError"
    assert "no_such" in raised.value.message.params["detail"]


@pytest.mark.parametrize(
    ("body", "id"),
    [("raise NotImplementedError", "error.unfinished"), ("raise NotImplementedError('todo')", "error.unfinished"),
     ("input()", "error.input"), ("raise EOFError", "error.input"), ("raise ValueError", "error.exception"),
     ("raise KeyboardInterrupt", "error.exception"), ("raise GeneratorExit", "error.exception")],
)  # fmt: skip
def test_texts_of_exceptions(stack_grader, body, id):
    """What a student has not begun, and a wait for input, have texts of their own; the line is told."""
    submission = stack_doing(body)
    with stack_grader.open(submission) as subject:
        raised = raised_by(subject, subject.new("Stack").pop)
        assert (raised.message.id, raised.line) == (id, line_of(submission, body))


@pytest.mark.parametrize(
    "body",
    ["raise type('E', (Exception,), {'__str__': lambda _: 1 / 0})", "raise ValueError('x' * 10**6)",
     "raise ValueError('\\ud800')", "raise ValueError(b'\\xff', object())", "raise type('\\ud800\\n', (Exception,), {})"],
)  # fmt: skip
def test_texts_of_odd_exceptions(stack_grader, body):
    """Whatever an exception's own text is or does, it is told, in bounds, and the subject goes on."""
    with stack_grader.open(stack_doing(body)) as subject:
        stack = subject.new("Stack")
        raised = raised_by(subject, stack.pop)
        assert raised.message.id == "error.exception"
        assert 0 < len(raised.message.params["detail"]) < 3000
        stack.push(1)


def test_exception_out_of_nowhere(stack_grader):
    """An exception whose traceback has none of the student's lines has no line."""
    with stack_grader.open(stack_of("1")) as subject:
        raised = raised_by(subject, subject.call, subject.new("Stack"), "no_such_method")
        assert (raised.line, raised.code) == (None, None)


# --- plain values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    ["None", "True", "0", "-1", "2**63", "-(2**100)", "'plain'", "''", r"'\ud800\x00\n中'", "[]", "[1, [2, [3]]]",
     "{}", "{'a': 1}", "{1: 'b', 'c': None}", "{1: {2: [3]}}", "{None: 1, True: 2}", "{(1, 2): 3}",
     "{(1, (2, 3)): 4}", "{0.5: 1}", "1.5", "5e-324", "1e308", "float('inf')", "-float('inf')", "-0.0", "0.1 + 0.2"],
)  # fmt: skip
def test_values(attribute, expression):
    """Plain values are what Python says they are, of the same type."""
    seen, wanted = attribute(expression), eval(expression)
    assert repr(seen) == repr(wanted)
    assert type(seen) is type(wanted)


def test_nan(attribute):
    """NaN arrives as NaN."""
    assert math.isnan(attribute("float('nan')"))


@pytest.mark.parametrize(
    ("expression", "value"),
    [("()", []), ("(1, (2, 'a'))", [1, [2, "a"]]), ("[(None,)]", [[None]])],
)
def test_tuples(attribute, expression, value):
    """A tuple arrives as a list, as JSON has but one kind."""
    assert attribute(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [("collections.Counter('aab')", Counter("aab")), ("collections.OrderedDict(b=1, a=2)", OrderedDict(b=1, a=2)),
     ("types.MappingProxyType({'a': 1})", MappingProxyType({"a": 1})), ("collections.defaultdict(int, a=1)", {"a": 1}),
     ("collections.ChainMap({'a': 1}, {'b': 2})", ChainMap({"a": 1}, {"b": 2}))],
)  # fmt: skip
def test_mappings(stack_grader, expression, value):
    """Any mapping arrives as a dict of the same items, in their order."""
    with stack_grader.open(stack_of(expression, top="import collections, types")) as subject:
        seen = subject.new("Stack").pop()
    assert type(seen) is dict
    assert list(seen.items()) == list(value.items())


@pytest.mark.parametrize(
    ("expression", "type_name"),
    [("object()", "object"), ("{1, 2}", "set"), ("b'x'", "bytes"), ("1j", "complex"), ("print", "builtin_function_or_method"),
     ("iter([])", "list_iterator"), ("range(3)", "range"), ("int", "type"), ("...", "ellipsis")],
)  # fmt: skip
def test_other_objects(attribute, expression, type_name):
    """Everything else stays where it is and is known by its type."""
    seen = attribute(expression)
    assert isinstance(seen, RemoteObject)
    assert seen.type == type_name


def test_depth(attribute):
    """Values nested deeper than is told end in an object; one that holds itself is no endless loop."""
    seen = attribute("[[[[[[1]]]]]]")
    while isinstance(seen, list):
        (seen,) = seen
    assert seen.type == "list"
    assert isinstance(attribute("(lambda l: l.append(l) or l)([])"), list)


@pytest.mark.parametrize("expression", ["10 ** 5000", "[10 ** 5000]", "{'replays': -10 ** 5000}"])
def test_huge_integer(stack_grader, expression):
    """An integer too long for JSON does not end the process: it is told, or that it cannot be."""
    with stack_grader.open(stack_of(expression)) as subject:
        stack = subject.new("Stack")
        with suppress(SubjectRaised):
            assert stack.pop() is not None
        assert stack.push(1) is None


def test_values_that_raise(stack_grader):
    """A mapping that raises when it is looked at is an exception of the submission's."""
    top = """
import collections.abc
class Bad(collections.abc.Mapping):
    def __len__(self): return 1
    def __iter__(self): return iter("a")
    def __getitem__(self, key): raise ValueError("no")
"""
    with stack_grader.open(stack_of("Bad()", top=top)) as subject:
        raised = raised_by(subject, subject.new("Stack").pop)
        assert raised.message.params["type"] == "ValueError"
        assert 'raise ValueError("no")' in raised.code


def test_subclasses_of_plain_values(stack_grader):
    """A number or text of a class of its own arrives as the plain value that it is."""
    top = """
import enum
class Size(enum.IntEnum):
    SMALL = 3
class Name(str):
    def __str__(self): return "lie"
class Ratio(float):
    def __repr__(self): return "lie"
"""
    with stack_grader.open(
        stack_of("[Size.SMALL, Name('a'), Ratio(0.5), {Name('k'): 1}]", top=top)
    ) as subject:
        seen = subject.new("Stack").pop()
    assert seen == [3, "a", 0.5, {"k": 1}]
    assert [type(value) for value in seen] == [int, str, float, dict]


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(opened, name):
    """A dtype goes both ways, as an argument and as a value."""
    subject, _ = opened()
    made = subject.new("GraphRunner", None, [1], 3, dtype=DType(name))
    del made
    subject, made = opened("self.dtype = force_eager; self.same = force_eager is x.dtype\nreturn x")
    made.run(exact(name), force_eager=DType(name))
    assert made.same is True
    assert made.dtype == name
    assert isinstance(made.dtype, DType)


def test_unknown_dtype(opened):
    """A dtype that the protocol does not know is an object like others."""
    _, made = opened(init="self.dtype = torch.complex64")
    assert made.dtype.type == "dtype"


@pytest.mark.parametrize(
    "argument",
    [None, True, 7, -0.0, 2.5, math.inf, "text\ud800", [1, [2.5, None]], (1, 2), [], [[[[[1]]]]]],
)
def test_arguments(stack_grader, argument):
    """Plain arguments arrive as they are, at any depth; a tuple as a list."""
    with stack_grader.open(stack_of("repr(self.item)")) as subject:
        stack = subject.new("Stack")
        stack.push(argument)
        assert stack.pop() == repr(list(argument) if isinstance(argument, tuple) else argument)


def test_nan_argument(stack_grader):
    """NaN arrives as NaN."""
    with stack_grader.open(stack_of("self.item != self.item")) as subject:
        stack = subject.new("Stack")
        stack.push(math.nan)
        assert stack.pop() is True


def test_keywords(opened):
    """Arguments by name arrive by name, tensors and objects of the subject among them."""
    subject, made = opened("self.seen = [x is force_eager, x is self]\nreturn torch.zeros(1)")
    mine = subject.tensor(X)
    made.run(x=mine, force_eager=mine)
    assert made.seen == [True, False]
    made.run(force_eager=0, x=made)
    assert made.seen == [False, True]


# --- loading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "run",
    ["def run(self, x, force_eager=False): return x", "def run(self, *args, **kwargs): return args[0]",
     "def run(self, x, *, force_eager=False, more=1): return x", "def run(self, x, **kwargs): return x",
     "run = functools.partialmethod(lambda self, way, x, force_eager=0: x, 1)", "run = decorated(lambda self, x: x)"],
)  # fmt: skip
def test_signatures_that_will_do(p17_grader, run):
    """Whatever can be called as the exercise calls it is loaded, and called."""
    top = """
import functools
def decorated(f):
    def wrapper(*args, force_eager=False): return f(*args)
    return wrapper
"""
    with p17_grader.open(runner(top=top, more=run)) as subject:
        assert subject.new("GraphRunner", None, [1], 3).run(X, force_eager=True).value == X


def test_module_knows_itself(stack_grader):
    """A submission's module has its file's name, and can be looked up while it is loaded."""
    top = "import sys\nassert sys.modules[__name__].__dict__ is globals()"
    with stack_grader.open(stack_of("[__name__, __file__]", top=top)) as subject:
        assert subject.new("Stack").pop() == ["my", "my.py"]


def test_cannot_be_loaded(stack_grader):
    """Opening a submission that raises at import tells what it raised, and on which line."""
    submission = stack_of("1", top="import torch_typo")
    with pytest.raises(SubmissionError) as raised, stack_grader.open(submission):
        pass
    error = raised.value
    assert (error.kind, error.params["type"]) == ("import", "ModuleNotFoundError")
    assert (error.line, error.code) == (
        line_of(submission, "import torch_typo"),
        "import torch_typo",
    )


def test_each_opening_is_anew(stack_grader):
    """A submission opened again has nothing left of what it kept to itself before."""
    submission = stack_doing("kept.append(1); return kept", top="kept = []")
    for _ in range(2):
        with stack_grader.open(submission) as subject:
            assert subject.new("Stack").pop() == [1]


def test_side_by_side(stack_grader):
    """Two subjects opened at once are two processes."""
    submission = stack_of("vars(builtins).setdefault('who', self.item)", top="import builtins")
    with stack_grader.open(submission) as one, stack_grader.open(submission) as two:
        for subject, name in ((one, "one"), (two, "two"), (one, "one")):
            stack = subject.new("Stack")
            stack.push(name)
            assert stack.pop() == name


def test_bytes_are_torchs():
    """The oracle of this module reads memory as torch lays it out, or the tests above are worth little."""
    x = torch.arange(6, dtype=torch.int16).reshape(2, 3).t()
    assert bytes_of(x) == bytes([0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5, 0])
