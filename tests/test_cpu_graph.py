"""What a ``CpuGraph`` follows, what it does not, and what it refuses."""

import contextlib
import ctypes
import doctest
import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from graphs import (
    GUARDS,
    INPUTS,
    OPS,
    REFUSED,
    B,
    F,
    Fn,
    H,
    Tensor,
    V,
    W,
    all_same,
    checked,
    held,
    nn,
    numbers,
    put_back,
    same,
)
from support import ROOT, torch

from exercises.p17 import cpu_graph
from exercises.p17.cpu_graph import CpuGraph, kernel

# --- what a replay follows, and what it does not -------------------------------------------------


class Buffers:
    """Static buffers, and a graph of a function between them.

    Args:
        fn: the function.
        capture: whether to capture at once.
    """

    def __init__(self, fn: Fn, *, capture: bool = True, **kwargs: object) -> None:
        self.x, self.out = INPUTS[0].clone(), torch.full((B, H), 9.0)
        self.graph = CpuGraph(fn, self.x, self.out, **kwargs)
        if capture:
            self.graph.capture()

    def __call__(self, x: Tensor) -> Tensor:
        """What a replay on an input gives."""
        self.x.copy_(x)
        self.graph.replay()
        return self.out.clone()


def test_python_runs_once():
    """What the function does beside tensors is done at capture, and never again."""
    calls, double = [], [True]

    def fn(x: Tensor) -> Tensor:
        calls.append(x)
        return x * 2 if double[0] else x * 3

    replay = Buffers(fn)
    double[0] = False
    assert same(replay(INPUTS[1]), INPUTS[1] * 2)
    assert same(replay(INPUTS[2]), INPUTS[2] * 2)
    assert len(calls) == 1


@pytest.mark.parametrize("how", ["in_place", "rebound", "data", "set_"])
def test_weights(how):
    """Weights changed in place are followed; other memory given to their name is not."""
    weights, new = {"w": nn.Parameter(V.clone())}, V + 1
    replay = Buffers(lambda x: x * weights["w"])
    if how == "in_place":
        put_back([weights["w"]], [new])
    elif how == "rebound":
        weights["w"] = nn.Parameter(new)
    elif how == "data":
        weights["w"].data = new
    else:
        weights["w"].detach_().set_(new)
    assert same(replay(INPUTS[1]), INPUTS[1] * (new if how == "in_place" else V))


def test_attributes_are_not_seen():
    """Buffers and function given to a graph after its capture are for the next capture."""
    replay, other = Buffers(lambda x: x * 2), torch.zeros(B, H)
    graph = replay.graph
    graph.fn, graph.static_in, graph.static_out = torch.exp, other, torch.zeros(B, H)
    assert same(replay(INPUTS[1]), INPUTS[1] * 2)
    assert not graph.static_out.any()
    graph.capture()
    graph.replay()
    assert same(graph.static_out, torch.ones(B, H))


LEAKS: dict[str, Callable[[Tensor, Tensor], object]] = {
    "result": lambda _, out: out,
    "view": lambda _, out: out[1:],
    "detached": lambda _, out: out.detach(),
    "data": lambda _, out: out.data,
    "storage": lambda _, out: out.untyped_storage(),
    "intermediate": lambda middle, _: middle,
}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("what", LEAKS)
def test_leaked(what, guard):
    """A tensor got out of the function lies in the graph's memory: each replay writes to it."""
    leaked = []

    def fn(x: Tensor) -> Tensor:
        middle = x * 2
        out = middle + 1
        leaked.append(LEAKS[what](middle, out))
        return out

    replay = Buffers(GUARDS[guard](fn))
    del leaked[1:]
    for x in INPUTS:
        assert same(replay(x), x * 2 + 1)
        seen = leaked[0]
        seen = seen if isinstance(seen, Tensor) else torch.empty(0).set_(seen).view(B, H)
        assert same(
            seen.detach(), {"intermediate": x * 2, "view": (x * 2 + 1)[1:]}.get(what, x * 2 + 1)
        )


def test_two_graphs_on_one_buffer():
    """Graphs over the first rows of the same buffers write to their rows alone."""
    x, out = torch.zeros(B, H), torch.zeros(B, H)
    graphs = {n: CpuGraph(lambda x: x @ W, x[:n], out[:n]) for n in (4, 2)}
    for graph in graphs.values():
        graph.capture()
    for n in (4, 2, 4):
        out.fill_(-1)
        x.copy_(INPUTS[n - 2])
        graphs[n].replay()
        assert same(out[:n], x[:n] @ W)
        assert (out[n:] == -1).all()


def test_output_over_input():
    """The output may lie in the memory of the input."""
    for moved in (slice(0, B), slice(1, B + 1)):
        buffer = torch.zeros(B + 1, H)
        graph = CpuGraph(lambda x: x.cumsum(0), buffer[:B], buffer[moved])
        graph.capture()
        buffer[:B] = INPUTS[1]
        graph.replay()
        assert same(buffer[moved], INPUTS[1].cumsum(0))


def aliases(first: int, second: int, count: int) -> tuple[Tensor, Tensor]:
    """Two tensors in one memory, which torch takes for two memories."""
    memory = bytearray(4 * 64)
    at = functools.partial(torch.frombuffer, memory, dtype=torch.float32, count=count)
    return at(offset=4 * first), at(offset=4 * second)


def test_overlapping_memories_are_put_back():
    """What was written to by way of two overlapping memories is put back as it was."""
    a, b = aliases(0, 4, H)

    def fn(x: Tensor) -> Tensor:
        a.fill_(1)
        b.fill_(2)
        return x + a

    checked(fn, INPUTS, kept=(a, b))


def test_overlapping_buffers():
    """The output is right even where its memory overlaps the input's, and torch does not know."""
    x, out = (t.view(B, H) for t in aliases(0, H, B * H))
    graph = CpuGraph(lambda x: x.cumsum(0), x, out)
    graph.capture()
    x.copy_(INPUTS[1])
    graph.replay()
    assert same(out, INPUTS[1].cumsum(0))


@pytest.mark.parametrize("guard", GUARDS)
def test_capture_leaves_everything(guard):
    """Even a function that raises leaves no trace of its capture, in memory or random state."""
    cache, count, state = torch.zeros(3, H), torch.zeros((), dtype=torch.long), V.clone()
    generator = torch.Generator().manual_seed(3)

    def fn(x: Tensor) -> Tensor:
        cache[1] = x[0] + torch.rand(H) + torch.rand(H, generator=generator)
        count.add_(1)
        torch.add(state, 1, out=state)
        x.zero_()
        replay.out.fill_(3)
        raise KeyError("as fn pleases")

    replay = Buffers(GUARDS[guard](fn), capture=False, generators=[generator])
    touched = (cache, count, state, replay.x, replay.out)
    before = held(touched)
    random = torch.get_rng_state(), generator.get_state()
    with pytest.raises(KeyError, match="as fn pleases"):
        replay.graph.capture()
    assert all_same(touched, before)
    assert all_same((torch.get_rng_state(), generator.get_state()), random)
    with pytest.raises(RuntimeError, match=r"replay\(\) before capture"):
        replay.graph.replay()
    replay.graph.fn = lambda x: x + 1
    replay.graph.capture()
    assert same(replay(INPUTS[1]), INPUTS[1] + 1)


def test_capture_anew():
    """A second capture replaces the first; one that fails leaves nothing to be replayed."""
    replay = Buffers(lambda x: x + 1)
    replay.graph.fn = lambda x: x * 3
    assert same(replay(INPUTS[0]), INPUTS[0] + 1)
    replay.graph.capture()
    assert same(replay(INPUTS[1]), INPUTS[1] * 3)
    replay.graph.fn = lambda x: x[:1]
    with pytest.raises(RuntimeError, match="static_out"):
        replay.graph.capture()
    assert not replay.graph.captured
    with pytest.raises(RuntimeError, match=r"replay\(\) before capture"):
        replay.graph.replay()


def test_replay_first():
    """Without a capture there is nothing to replay."""
    with pytest.raises(RuntimeError, match=r"replay\(\) before capture"):
        Buffers(torch.exp, capture=False).graph.replay()


# --- random numbers ------------------------------------------------------------------------------


def test_generator_handed_over_later():
    """A replay draws from the generator that the function drew from when it was captured."""
    handed = [None]
    replay = Buffers(lambda x: x + torch.rand(H, generator=handed[0]))
    handed[0] = torch.Generator().manual_seed(1)
    before = handed[0].get_state()
    torch.manual_seed(4)
    expected = INPUTS[1] + torch.rand(H)
    torch.manual_seed(4)
    assert same(replay(INPUTS[1]), expected)
    assert same(handed[0].get_state(), before)


DRAWING: dict[str, Callable[[Tensor, torch.Generator], Tensor]] = {
    "rand": lambda x, g: x + torch.rand(H, generator=g),
    "normal_": lambda x, g: x.clone().normal_(generator=g),
    "bernoulli": lambda x, g: torch.bernoulli(x.sigmoid(), generator=g),
    "randperm": lambda x, g: x[:, torch.randperm(H, generator=g)],
    "multinomial": lambda x, g: x * x.sigmoid().multinomial(H, generator=g),
    "poisson": lambda x, g: torch.poisson(x.exp(), generator=g),
    "binomial": lambda x, g: torch.binomial(x.exp().ceil(), x.sigmoid(), generator=g),
}


@pytest.mark.parametrize("how", DRAWING)
def test_registered_generator(how):
    """A registered generator is as it was after capture, and drawn from anew by each replay."""
    generator = torch.Generator().manual_seed(2)
    before, default = generator.get_state(), torch.get_rng_state()
    replay = Buffers(lambda x: DRAWING[how](x, generator), generators=[generator])
    assert same(generator.get_state(), before)
    replayed = [replay(x) for x in INPUTS]
    assert same(torch.get_rng_state(), default)
    generator.set_state(before)
    assert all_same(replayed, [DRAWING[how](x, generator) for x in INPUTS])


@pytest.mark.parametrize("how", DRAWING)
def test_unregistered_generator(how):
    """A generator that the graph does not know is refused before it is drawn from."""
    generator = torch.Generator().manual_seed(2)
    before = generator.get_state()
    with pytest.raises(RuntimeError, match=f"{REFUSED}.*generator not registered"):
        Buffers(lambda x: DRAWING[how](x, generator))
    assert same(generator.get_state(), before)


# --- graphs in graphs, and threads ---------------------------------------------------------------


def test_capture_in_capture():
    """A capture within a capture is refused, and the outer one may go on."""
    inner = Buffers(torch.exp, capture=False)

    def fn(x: Tensor) -> Tensor:
        with pytest.raises(RuntimeError, match="within a capture"):
            inner.graph.capture()
        return x + 1

    assert same(Buffers(fn)(INPUTS[1]), INPUTS[1] + 1)
    assert not inner.graph.captured


@pytest.mark.parametrize("inner_fn", [torch.exp, F.dropout, kernel(torch.exp)])
def test_replay_in_capture(inner_fn):
    """What another graph replays within the function is part of what is captured."""
    inner = Buffers(inner_fn)

    def fn(x: Tensor) -> Tensor:
        return inner(x * 2) + 1

    checked(fn, INPUTS, kept=(inner.x, inner.out))
    graph = Buffers(fn)
    inner.graph.fn = torch.zeros_like
    inner.graph.capture()
    torch.manual_seed(1)
    expected = inner_fn(INPUTS[1] * 2) + 1
    torch.manual_seed(1)
    assert same(graph(INPUTS[1]), expected)


def in_thread(work: Callable[[], object]) -> None:
    """Run something in a thread of its own, to its end."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_other_threads_are_not_captured():
    """What another thread does meanwhile is neither recorded nor taken back nor refused."""
    other, read = torch.zeros(H), []

    def fn(x: Tensor) -> Tensor:
        in_thread(lambda: read.append(other.add_(1).sum().item()))
        return x + 1

    replay = Buffers(fn)
    assert len(replay.graph._tape) == 1
    assert same(replay(INPUTS[1]), INPUTS[1] + 1)
    assert read == [H]
    assert (other == 1).all()


def test_capture_in_two_threads():
    """Each thread has a capture of its own."""
    graphs = []

    def fn(x: Tensor) -> Tensor:
        in_thread(lambda: graphs.append(Buffers(torch.exp)))
        return x + 1

    assert same(Buffers(fn)(INPUTS[1]), INPUTS[1] + 1)
    assert same(graphs[0](INPUTS[1]), INPUTS[1].exp())


def test_replay_in_a_thread():
    """A replay may be in another thread than the capture."""
    replay = Buffers(lambda x: F.layer_norm(x @ W, (H,)))
    in_thread(lambda: replay(INPUTS[2]))
    assert same(replay.out, F.layer_norm(INPUTS[2] @ W, (H,)))


# --- autograd, and other modes -------------------------------------------------------------------

AROUND = {
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "device": lambda: torch.device("meta"),
}
UNTOUCHED = ["products-linear", "products-conv1d", "products-sdpa", "random-rand", "random-dropout", "random-randperm",
             "products-einsum", "several-foreach", "products-cdist", "shapes-made", "shapes-softmax", "shapes-layer_norm", "pointwise-prelu"]  # fmt: skip


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("op", UNTOUCHED)
def test_replay_under(op, around):
    """What is in force around a replay is nothing to it: it was in force at capture, or not."""
    replay = Buffers(OPS[op])
    torch.manual_seed(1)
    expected = replay(INPUTS[1])
    torch.manual_seed(1)
    replay.out.fill_(0)
    with AROUND[around]():
        replay.graph.replay()
    assert same(replay.out, expected)


@pytest.mark.parametrize("op", ["products-linear", "pointwise-celu", "several-max", "random-dropout", "in_place-of_clone"])  # fmt: skip
def test_replay_is_behind_autograds_back(op):
    """A replay on buffers that require gradients makes no graph, and counts no version."""
    fn = OPS[op]
    static_in = INPUTS[0].clone().requires_grad_()
    static_out = torch.zeros_like(fn(static_in.detach())).requires_grad_()
    graph = CpuGraph(fn, static_in, static_out)
    graph.capture()
    versions = static_in._version, static_out._version
    torch.manual_seed(1)
    graph.replay()
    assert (static_in._version, static_out._version) == versions
    assert static_out.is_leaf
    assert static_out.grad_fn is None
    torch.manual_seed(1)
    assert same(static_out.detach(), fn(INPUTS[0]))
    assert (static_out * 2).requires_grad


def test_buffers_of_inference_mode():
    """Buffers made in inference mode are captured and replayed outside of it."""
    with torch.inference_mode():
        x, out = INPUTS[0].clone(), torch.zeros(B, H)
    graph = CpuGraph(lambda x: (x @ W).add_(1), x, out)
    graph.capture()
    graph.replay()
    assert torch.equal(out, INPUTS[0] @ W + 1)


# --- kernels of one's own ------------------------------------------------------------------------


def test_kernel():
    """A kernel is captured as one operation, and called by each replay on the same memory."""
    seen = []

    @kernel
    def copied(x: Tensor) -> Tensor:
        seen.append(x.data_ptr())
        held = bytearray(ctypes.string_at(x.data_ptr(), x.nbytes))
        return torch.frombuffer(held, dtype=x.dtype).view(B, H)

    replay = Buffers(lambda x: copied(x) + copied(x * 2))
    assert len(seen) == 2
    assert [same(replay(x), x + x * 2) for x in INPUTS] == [True] * 3
    assert seen == seen[:2] * 4
    assert seen[0] == replay.x.data_ptr()


KERNELS: dict[str, Fn] = {
    "operations": lambda x: x.exp() * 2,
    "random": lambda x: x + torch.rand(H),
    "reads": lambda x: x * 2 if x.sum() > 0 else x * 3,
    "list": lambda x: torch.tensor([[2 * y for y in row] for row in x.tolist()]),
}


@pytest.mark.parametrize("inside", KERNELS)
def test_inside_a_kernel(inside):
    """What a kernel does inside is its own affair: one step, whatever it is."""
    graph = checked(lambda x: kernel(KERNELS[inside])(x) + 1, INPUTS)
    assert len(graph._tape) == 2


# --- refused -------------------------------------------------------------------------------------

REFUSALS: dict[str, Callable[[Tensor], object]] = {
    "item": lambda x: x.sum().item(), "float": lambda x: float(x[0, 0]), "bool": lambda x: bool(x.any()), "int": lambda x: int(x[0, 0]),
    "if": lambda x: 1 if x[0, 0] > 0 else 2, "complex": lambda x: complex(x[0, 0]), "index": lambda x: [1, 2][x[0, 0].long() * 0], "in": lambda x: 3.0 in x,
    "tolist": lambda x: x.tolist(), "numpy": lambda x: x.numpy(), "array": lambda x: x.__array__(), "cpu": lambda x: x.cpu(), "mask_filled": lambda x: x.clone().__setitem__(x > 9, x[0, :0]), "mask_put": lambda x: x.index_put((x[:, 0] > 0,), x),
    "print": print, "repr": repr, "str": str, "format": lambda x: f"{x[0, 0]:.2f}", "equal": lambda x: torch.equal(x, x + 1), "allclose": lambda x: torch.allclose(x, x),
    "nonzero": lambda x: x.nonzero(), "argwhere": torch.argwhere, "where": lambda x: torch.where(x > 0), "mask": lambda x: x[x > 0], "row_mask": lambda x: x[x[:, 0] > 0],
    "masked_select": lambda x: x.masked_select(x > 0), "unique": lambda x: x.unique(), "unique_consecutive": lambda x: x.unique_consecutive(), "bincount": lambda x: x[0].abs().long().bincount(),
    "repeat_interleave": lambda x: x.repeat_interleave(torch.ones(B).long(), 0), "tensor": lambda x: x + torch.tensor([1.0] * H), "as_tensor": lambda _: torch.as_tensor([1, 2]),
    "new_tensor": lambda x: x.new_tensor([1.0]), "index_list": lambda x: x[[1, 0]], "to_meta": lambda x: x.to("meta"), "meta": lambda _: torch.zeros(3, device="meta"), "meta_like": lambda x: torch.empty_like(x, device="meta"),
    "generator": lambda x: x.clone().uniform_(generator=torch.Generator()), "split": lambda x: x.split(x[0].abs().long().tolist()), "arange": lambda x: torch.arange(x[0, 0]), "one_hot": lambda x: F.one_hot(x.argmax(1)),
}  # fmt: skip


@pytest.mark.parametrize("guard", ["plain", "inference"])
@pytest.mark.parametrize("what", REFUSALS)
def test_refused(what, guard):
    """What CUDA could not capture is refused; nothing has happened, and the graph is good still."""
    count = torch.zeros(())

    def fn(x: Tensor) -> Tensor:
        count.add_(1)
        x.add_(torch.rand(H))
        GUARDS[guard](REFUSALS[what])(x)
        return x * 2

    replay = Buffers(fn, capture=False)
    touched = (count, replay.x, replay.out, torch.get_rng_state())
    before = held(touched)
    with pytest.raises(RuntimeError, match=REFUSED):
        replay.graph.capture()
    assert all_same((*touched[:-1], torch.get_rng_state()), before)
    with pytest.raises(RuntimeError, match="before capture"):
        replay.graph.replay()
    replay.graph.fn = torch.exp
    replay.graph.capture()
    assert same(replay(INPUTS[1]), INPUTS[1].exp())


@pytest.mark.parametrize("what", ["item", "cpu", "mask"])
def test_refused_and_gone_on(what):
    """A function that goes on after a refusal, as if nothing had been, has spoilt its capture."""

    def fn(x: Tensor) -> Tensor:
        with contextlib.suppress(RuntimeError):
            REFUSALS[what](x)
        return x * 2

    replay = Buffers(fn, capture=False)
    with pytest.raises(RuntimeError, match="the capture is void"):
        replay.graph.capture()
    with pytest.raises(RuntimeError, match="before capture"):
        replay.graph.replay()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: x[:2], r"\[2, 8\] torch.float32, but static_out is \[4, 8\] torch.float32"),
        (lambda x: x[None], r"\[1, 4, 8\] .* \[4, 8\]"),
        (lambda x: x.double(), r"\[4, 8\] torch.float64, but static_out is \[4, 8\] torch.float32"),
        (lambda x: x > 0, r"torch.bool.*torch.float32"),
        (lambda _: None, "NoneType, and not a tensor"),
        (lambda _: 1.5, "float, and not a tensor"),
        (lambda x: (x, x), "tuple, and not a tensor"),
    ],
)
def test_result_does_not_fit(result, message):
    """A result of another shape or dtype, or of no tensor, is told with what was wanted."""
    replay = Buffers(result, capture=False)
    with pytest.raises((RuntimeError, TypeError), match=message):
        replay.graph.capture()
    assert not replay.graph.captured
    assert (replay.out == 9).all()


# --- how it is done ------------------------------------------------------------------------------

LEAN: dict[str, tuple[Fn, int]] = {
    "affine": (lambda x: x * V + 1, 2), "matmul": (lambda x: torch.tanh(x @ W + V), 3), "linear": (lambda x: F.linear(x, W, V), 1),
    "view": (lambda x: (x.view(2, -1) * 2).view(B, H) + 1, 2), "inline": (lambda x: torch.exp(x, out=torch.empty_like(x)), 1),
    "norm": (lambda x: F.gelu((x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)), 5), "softmax": (lambda x: x.softmax(1), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAN)
def test_nothing_is_allocated(name):
    """Each operation is one step, which writes to the graph's memory, the last to the output's."""
    fn, steps = LEAN[name]
    graph = Buffers(fn).graph
    tape = list(graph._tape)
    outs = [step.kwargs["out"].data_ptr() for step in tape]
    assert len(tape) == steps
    assert outs[-1] == graph.static_out.data_ptr()
    assert len(set(outs)) == steps


def test_memory_is_the_same():
    """Replay after replay works on the memory of the capture."""
    leaked = []

    def fn(x: Tensor) -> Tensor:
        leaked.append(x * 2)
        return leaked[0] + 1

    replay = Buffers(fn)
    places = leaked[0].data_ptr(), replay.out.data_ptr()
    for x in INPUTS:
        replay(x)
    assert (leaked[0].data_ptr(), replay.out.data_ptr()) == places
    assert len(leaked) == 1


def test_stands_alone(tmp_path):
    """The file is of use by itself, with nothing of the project at hand."""
    shutil.copy(Path(cpu_graph.__file__), tmp_path / "alone.py")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import alone, torch
x, out = torch.ones(2, 3), torch.zeros(2, 3)
graph = alone.CpuGraph(lambda x: x @ torch.eye(3) + 1, x, out)
graph.capture()
x.fill_(4)
graph.replay()
assert (out == 5).all()
assert not [name for name in sys.modules if name.split(".")[0] in ("grader", "exercises")]
assert {str(ROOT)!r} not in sys.path
"""
    ran = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_its_example():
    """The example in its documentation is true."""
    ran = doctest.testmod(cpu_graph)
    assert ran.attempted
    assert not ran.failed


ADD, DIV_, X = torch.ops.aten.add.out, torch.ops.aten.div_.Scalar, numbers(2, 2)


@pytest.mark.parametrize(
    ("function", "wanted", "args", "kwargs", "comes"),
    [
        (torch.add, ADD, (X, X), {"out": X}, True),
        (torch.sub, ADD, (X, X), {"out": X}, False),
        (lambda _, b, out: torch.add(b, b, out=out), ADD, (X, numbers(2, 2)), {"out": X}, False),
        (lambda a, b, **_: torch.add(a, b, out=a), ADD, (numbers(2, 2), X), {"out": X}, False),
        (lambda a, b, out: torch.add(a, b, alpha=2, out=out), ADD, (X, X), {"out": X}, False),
        (lambda a, b, out: torch.add(a + 0, b, out=out), ADD, (X, X), {"out": X}, False),
        (lambda *_, out: out, ADD, (X, X), {"out": X}, False),
        (lambda _: None, ADD, (X, X), {"out": X}, False),
        (Tensor.div_, DIV_, (X, 0.5), {}, False),  # by way of a tensor
        (DIV_, DIV_, (X, 0.5), {}, True),
    ],
)
def test_function_that_is_believed(function, wanted, args, kwargs, comes):
    """A function stands for an operation if it comes to that one alone, with the same arguments;
    to see that, nothing is computed.
    """
    before = X.clone()
    assert cpu_graph._comes_to(function, wanted, args, kwargs, (X,)) == comes
    assert same(X, before)
