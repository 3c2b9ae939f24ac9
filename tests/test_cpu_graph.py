"""``CpuGraph``, against eager calls as the oracle."""

import contextlib
import ctypes
import doctest
import functools
import math
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT, torch

from exercises.p17 import cpu_graph
from exercises.p17.cpu_graph import CpuGraph, kernel

F, nn, Tensor = torch.nn.functional, torch.nn, torch.Tensor
Fn = Callable[[Tensor], Tensor]

B, H = 4, 8
REFUSED = "operation not permitted while capturing"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    """Random numbers that no test draws."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def same(a: Tensor, b: Tensor) -> bool:
    """Whether tensors are equal in shape, dtype and bits; one NaN is as good as another."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    nans, others = a.isnan(), torch.signbit(a) == torch.signbit(b)
    return bool((torch.where(nans, b.isnan(), (a == b) & others)).all())


def held(tensors) -> list[Tensor]:
    """What tensors hold now."""
    return [t.detach().clone() for t in tensors]


def put_back(tensors, values) -> None:
    """Have tensors hold again what they held."""
    with torch.no_grad():
        for tensor, value in zip(tensors, values, strict=True):
            tensor.copy_(value)


def all_same(tensors, others) -> bool:
    """Whether tensors are the same, one by one."""
    return all(same(a, b) for a, b in zip(tensors, others, strict=True))


def dense(t: Tensor) -> Tensor:
    """A copy that is laid out as ever."""
    return t.detach().clone(memory_format=torch.contiguous_format)


def strided(t: Tensor) -> Tensor:
    """A copy in every other column of wider rows, the first of them left out."""
    if not t.dim():
        return dense(t)
    wide = torch.zeros(*t.shape[:-1], 2 * t.shape[-1] + 1, dtype=t.dtype)
    return wide[..., 1::2].copy_(t.detach())


def transposed(t: Tensor) -> Tensor:
    """A copy whose first dimension is the innermost."""
    if t.dim() < 2:
        return dense(t)
    return dense(t.detach().transpose(0, -1)).transpose(0, -1)


def checked(
    fn: Fn, inputs: list[Tensor], *, kept: tuple[Tensor, ...] = (), laid_out=dense
) -> CpuGraph:
    """Compare replays with eager calls: what they give, what they leave in the input and in other
    tensors, how they advance the random state. And see that capturing changes none of it.
    """
    static_in, first = laid_out(inputs[0]), held(kept)
    watched = (static_in, *kept)

    def run(call: Callable[[], Tensor]) -> list[list[Tensor]]:
        put_back(kept, first)
        torch.manual_seed(5)
        seen = []
        for x in inputs:
            put_back([static_in], [x])
            seen.append([*held((call(), *watched)), torch.get_rng_state()])
        return seen

    eager = run(lambda: fn(static_in))
    static_out = laid_out(torch.full_like(eager[0][0], 1))
    graph = CpuGraph(fn, static_in, static_out)
    before, state = held((static_out, *watched)), torch.get_rng_state()
    graph.capture()
    assert all_same((static_out, *watched), before), "capture() changed memory"
    assert torch.equal(torch.get_rng_state(), state), "capture() changed the random state"

    def replay() -> Tensor:
        graph.replay()
        return static_out

    for replayed, expected in zip(run(replay), eager, strict=True):
        assert all_same(replayed, expected)
    return graph


# --- operations ----------------------------------------------------------------------------------

W, V, BIG = numbers(H, H, seed=1), numbers(H, seed=2), numbers(3, H, H, seed=3)
TABLE, FILTERS = numbers(16, H, seed=4), numbers(H, H, 3, seed=5)
ORDER = torch.tensor([3, 1, 0, 2, 7, 5, 6, 4])
GROUPS = torch.tensor([0, 1, 1, 2, 0, 3, 3, 3])


def put(t: Tensor, key: object, value: object) -> Tensor:
    """A tensor that has been given a value in some places."""
    t[key] = value
    return t


def into(function: Callable[..., object], *args: object, like: Tensor) -> Tensor:
    """What a function writes to memory made for it."""
    out = torch.empty_like(like)
    function(*args, out=out)
    return out


def many(x: Tensor) -> Tensor:
    """Numbers of which no two are equal, from 0 to 1 in each row."""
    return x.sigmoid() + torch.arange(H) / 4096


def rows(x: Tensor) -> Tensor:
    """Row numbers that hang on values."""
    return (x[:, :1] > 0).long().expand(-1, H)


def rope(x: Tensor) -> Tensor:
    """A rotation by complex numbers."""
    turn = torch.polar(torch.ones(H // 2), V[: H // 2])
    return torch.view_as_real(
        torch.view_as_complex(x.contiguous().view(-1, H // 2, 2)) * turn
    ).flatten(1)


def gradient(x: Tensor) -> Tensor:
    """A gradient, taken within the function."""
    with torch.enable_grad():
        leaf = x.detach().requires_grad_()
        return torch.autograd.grad((leaf @ W).tanh().sum(), leaf)[0]


def heads(x: Tensor) -> Tensor:
    """Rows as one sequence for two heads."""
    return (x @ W).view(1, -1, 2, H // 2).transpose(1, 2)


def attention(x: Tensor, **kwargs: object) -> Tensor:
    """Rows that attend to one another."""
    attended = F.scaled_dot_product_attention(heads(x), heads(x + 1), heads(x * 2), **kwargs)
    return attended.transpose(1, 2).reshape(x.shape)


POINTWISE: dict[str, Fn] = {
    "add_scalar": lambda x: x + 1, "radd": lambda x: 1.5 + x, "rsub": lambda x: 2 - x,
    "sub_alpha": lambda x: torch.sub(x, V, alpha=3), "mul_tensor": lambda x: x * V,
    "div": lambda x: x / 3, "rdiv": lambda x: 1 / x, "floor_div": lambda x: x // 0.3,
    "remainder": lambda x: x % 0.7, "div_mode": lambda x: torch.div(x, V, rounding_mode="trunc"),
    "pow": lambda x: x**2, "pow_half": lambda x: x**0.5, "rpow": lambda x: 2**x,
    "pow_tensor": lambda x: x.abs() ** V, "neg": lambda x: -x, "abs": torch.abs,
    "exp": torch.exp, "log": lambda x: x.abs().log(), "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "sin": torch.sin, "tanh": torch.tanh, "erf": torch.erf, "sigmoid": torch.sigmoid,
    "round": lambda x: torch.round(x, decimals=1), "relu": F.relu, "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu, "mish": F.mish,
    "celu": F.celu, "selu": F.selu, "elu": F.elu, "leaky": lambda x: F.leaky_relu(x, 0.2),
    "softplus": F.softplus, "hardswish": F.hardswish, "prelu": lambda x: F.prelu(x, V[:1]),
    "clamp": lambda x: x.clamp(-0.5, 0.5), "clamp_tensor": lambda x: x.clamp(max=V),
    "maximum": lambda x: torch.maximum(x, V), "lerp": lambda x: torch.lerp(x, V, 0.3),
    "addcmul": lambda x: torch.addcmul(x, V, V, value=0.5), "where_scalar": lambda x: x.where(x > 0, 1.1),
    "where": lambda x: torch.where(x > 0, x, V), "masked_fill": lambda x: x.masked_fill(x > 0, 3),
    "nan_to_num": torch.nan_to_num, "isnan": torch.isnan, "compare": lambda x: (x > 0) & (x <= V),
    "glu": F.glu, "logit": lambda x: torch.logit(x, 0.1), "heaviside": lambda x: torch.heaviside(x, V),
    "scalar_of_torchs": lambda x: x * torch.tensor(2.5), "constant": lambda x: x + torch.tensor(1),
}  # fmt: skip

IN_PLACE: dict[str, Fn] = {
    "of_input": lambda x: x.add_(1).mul_(2), "of_clone": lambda x: x.clone().sub_(V).div_(3).relu_(),
    "augmented": lambda x: functools.reduce(Tensor.mul_, [V, V], x + 0),
    "copy_": lambda x: torch.empty_like(x).copy_(x), "zero_": lambda x: put(x.clone(), 0, 0.0) if len(x) else x * 1,
    "fill_": lambda x: x.clone().fill_(3), "clamp_": lambda x: x.exp().clamp_(max=1),
    "slice": lambda x: put(x * 2, (slice(None), slice(1, 5)), V[:4]),
    "shift": lambda x: put(y := x * 1, (slice(None), slice(1, None)), y[:, :-1].clone()),
    "masked_fill_": lambda x: (x * 1).masked_fill_(x > 0, -1), "mask": lambda x: put(x * 1, x > 0, 0.0),
    "mask_tensor": lambda x: put(x.clone(), x.sum(1) > 0, torch.tensor(4.0)),
    "index_put_": lambda x: x.clone().index_put_((torch.zeros(1, dtype=torch.long), ORDER), V, accumulate=True),
    "of_number": lambda x: x * torch.tensor(2.0).add_(x.sum()),
    "of_numbers": lambda x: torch.zeros(H).add_(x.sum(0)) + torch.ones(H).mul_(2) + torch.full((H,), 3.0).sub_(V),
    "view_of_clone": lambda x: (y := dense(x), y.view(-1).mul_(3), y)[2],
    "addmm_": lambda x: (x * 1).addmm_(x, W), "cumsum_": lambda x: (x * 1).cumsum_(1),
    "foreach_": lambda x: (y := [x * 1, x + 1], torch._foreach_mul_(y, 2.0), y[0] - y[1])[2],
    "shape_": lambda x: (x + 1).t_().unsqueeze_(0).squeeze_(0).t_().add_(1),
    "set_data": lambda x: (y := x * 2, setattr(y, "data", x * 3), y + 1)[2],
    "out": lambda x: into(torch.mul, x, V, like=x) + 1, "out_last": lambda x: into(torch.mm, x, W, like=x),
    "out_of_no_size": lambda x: torch.add(x, 1, out=torch.empty(0)) * 2,
    "out_slice": lambda x: (y := torch.zeros_like(x), torch.mul(x[:, :4], 2, out=y[:, 4:]), y)[2],
    "out_other_part": lambda x: (y := x.repeat(2, 1), torch.add(x, 1, out=y[: len(x)]), y[len(x) :])[2],
    "out_pair": lambda x: (y := [torch.empty(0), torch.empty(0).long()], torch.sort(many(x), 1, out=y), y[0])[2],
}  # fmt: skip

VIEWS: dict[str, Fn] = {
    "view": lambda x: (x + 1).contiguous().view(-1, 2) * 2, "reshape": lambda x: x.t().reshape(-1, H) + 1,
    "flatten": lambda x: x.t().flatten() * 2, "transpose": lambda x: x.transpose(0, 1) * 2,
    "contiguous": lambda x: x.t().contiguous().t() * 2, "itself": lambda x: x, "of_input": lambda x: x[:, 2:],
    "permute": lambda x: x.unflatten(1, (2, 4)).permute(2, 0, 1) + 1, "expand": lambda x: x[:, :1].expand(-1, H) * V,
    "expanded": lambda x: (x + 1)[:, :1].expand(-1, H), "slices": lambda x: x[:, ::2] - x[:, 1::2],
    "chunk": lambda x: torch.cat(x.chunk(3, 1)[::-1], 1), "split": lambda x: x.split([3, 5], 1)[1] * 2,
    "unbind": lambda x: torch.stack(x.unbind(1)[::-1], 1), "diagonal": lambda x: (x @ W).diagonal(0, 0, 1) * 2,
    "as_strided": lambda x: x.exp().as_strided((len(x), 2), (H, 3)) * 2, "select": lambda x: x.select(1, 3) + 1,
    "movedim": lambda x: x.movedim(0, 1).unsqueeze(1).squeeze() + 1, "unfold": lambda x: x.unfold(1, 3, 2).sum(2),
    "bits": lambda x: x.clone().view(torch.int32) ^ 5, "broadcast": lambda x: x.broadcast_to(3, *x.shape).sum(0),
    "narrow": lambda x: x.narrow(1, 2, 3).expand_as(x[:, :3]).clone(), "swap": lambda x: x.mT.mT + 1, "imag": rope,
}  # fmt: skip

RANDOM: dict[str, Fn] = {
    "rand": lambda x: x + torch.rand(H), "randn": lambda x: x + torch.randn(x.shape), "rand_like": lambda x: x * torch.rand_like(x),
    "last": torch.randn_like, "bernoulli": lambda x: torch.bernoulli(x.sigmoid()), "bernoulli_": lambda x: x.clone().bernoulli_(0.3),
    "dropout": lambda x: F.dropout(x, 0.4), "no_dropout": lambda x: F.dropout(x, 0.4, training=False) + 1,
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.4, training=True), "rrelu": lambda x: F.rrelu(x, training=True),
    "normal_": lambda x: x + torch.empty(H).normal_(1, 2), "normal": lambda x: torch.normal(x, 0.5), "uniform_": lambda x: x * torch.empty(H).uniform_(2, 3),
    "randperm": lambda x: x[:, torch.randperm(H)], "randint": lambda x: x * torch.randint(2, 9, (H,)),
    "multinomial": lambda x: x.sigmoid().multinomial(3), "poisson": lambda x: torch.poisson(x.exp()), "exponential_": lambda x: x.clone().exponential_(),
    "gumbel": lambda x: F.gumbel_softmax(x, hard=True), "two": lambda x: torch.rand(H) - torch.rand(H) + x,
    "own_generator": lambda x: x + torch.rand(H, generator=torch.default_generator),
}  # fmt: skip

SEVERAL: dict[str, Fn] = {
    "topk": lambda x: many(x).topk(3, 1)[0], "topk_places": lambda x: many(x).topk(3, 1)[1], "sort": lambda x: many(x).sort(1, descending=True)[0],
    "stable_sort": lambda x: x.round().sort(dim=1, stable=True)[1], "argsort": lambda x: many(x).argsort(1), "max": lambda x: x.max(1)[0] + x.max(1)[1],
    "min": lambda x: x.min(1, keepdim=True)[0] - x, "median": lambda x: x.median(1)[0], "kthvalue": lambda x: x.kthvalue(2, 1)[0], "mode": lambda x: x.round().mode(1)[0],
    "std_mean": lambda x: sum(torch.std_mean(x, 1)), "var_mean": lambda x: sum(torch.var_mean(x, 1, keepdim=True)), "aminmax": lambda x: sum(torch.aminmax(x, dim=1)),
    "cummax": lambda x: x.cummax(1)[0], "frexp": lambda x: x.frexp()[0], "unsafe_split": lambda x: x.unsafe_split(4, 1)[1] * 2,
    "layer": lambda x: torch.native_layer_norm(x, (H,), V, V, 1e-5)[0], "group": lambda x: F.group_norm(x, 2, V, V), "batch": lambda x: F.batch_norm(x, V, V.abs(), V, V) + 1,
    "foreach": lambda x: sum(torch._foreach_add([x, x + 1], 2.0)), "foreach_alone": lambda x: torch._foreach_add([x], 1.0)[0], "meshgrid": lambda x: torch.meshgrid(x[:, 0], V, indexing="ij")[0] * 2,
}  # fmt: skip

PRODUCTS: dict[str, Fn] = {
    "matmul": lambda x: x @ W, "chain": lambda x: (x @ W + V).relu() @ W, "matvec": lambda x: x @ V, "bmm": lambda x: torch.bmm(x.expand(3, -1, -1), BIG), "addmm": lambda x: torch.addmm(V, x, W, beta=0.5, alpha=2),
    "baddbmm": lambda x: torch.baddbmm(BIG[:, :1], x.expand(3, -1, -1), BIG), "linear": lambda x: F.linear(x, W, V), "linear_3d": lambda x: F.linear(x[None], W)[0], "outer": lambda x: torch.outer(x[:, 0], V),
    "einsum": lambda x: torch.einsum("bi,kij->bj", x, BIG), "conv1d": lambda x: F.conv1d(x.t()[None], FILTERS, V, padding=1)[0].t(), "bilinear": lambda x: F.bilinear(x, x, BIG),
    "solve": lambda x: torch.linalg.solve(W, x.t()).t(), "norm": lambda x: x.norm(dim=1, keepdim=True) * 2, "cdist": lambda x: torch.cdist(x, W), "fft": lambda x: torch.fft.irfft(torch.fft.rfft(x), n=H),
    "gradient": gradient, "vmap": torch.func.vmap(lambda row: row * row.sum()),
    "sdpa": attention, "sdpa_causal": lambda x: attention(x, is_causal=True), "sdpa_mask": lambda x: attention(x, attn_mask=torch.ones(len(x), len(x)).tril().log()), "sdpa_dropout": lambda x: attention(x, dropout_p=0.3),
}  # fmt: skip

PLACES: dict[str, Fn] = {
    "embedding": lambda x: F.embedding(x.argmax(1), TABLE), "index": lambda x: x[:, ORDER] * 2, "index_pair": lambda x: x[rows(x) % max(len(x), 1), ORDER], "index_none": lambda x: x[:, None, ORDER, ...] * 2, "index_select": lambda x: x.index_select(1, ORDER),
    "index_put": lambda x: x.index_put((rows(x)[:, :1], ORDER), V), "gather": lambda x: x.gather(1, ORDER.expand_as(x)), "take_along": lambda x: x.take_along_dim(x.argmax(1, keepdim=True), 1), "scatter": lambda x: x.scatter(1, ORDER.expand_as(x), x + 1),
    "scatter_value": lambda x: x.scatter(1, GROUPS.expand_as(x), 7.0), "scatter_add": lambda x: x.scatter_add(1, GROUPS.expand_as(x), x), "scatter_reduce": lambda x: x.scatter_reduce(1, GROUPS.expand_as(x), x, "amax", include_self=False),
    "index_add": lambda x: x.index_add(1, GROUPS, x, alpha=2), "index_copy": lambda x: x.index_copy(1, ORDER[:3], x[:, :3] * 5), "index_fill": lambda x: x.index_fill(1, ORDER[:3], 2), "one_hot": lambda x: torch.zeros_like(x).scatter_(1, x.argmax(1, keepdim=True), 1.0),
    "searchsorted": lambda x: torch.searchsorted(V.sort()[0], x.contiguous()), "nonzero_static": lambda x: torch.nonzero_static(x > 0, size=5, fill_value=-1),
}  # fmt: skip

SHAPES: dict[str, Fn] = {
    "softmax": lambda x: x.softmax(1), "log_softmax": lambda x: x.log_softmax(-1), "softmax_dtype": lambda x: x.softmax(1, dtype=torch.float64), "layer_norm": lambda x: F.layer_norm(x, (H,), V, V), "rms_norm": lambda x: F.rms_norm(x, (H,), V), "normalize": F.normalize,
    "sum": lambda x: x.sum(1, dtype=torch.float64), "sum_all": torch.sum, "mean": lambda x: x.mean(0, keepdim=True) + x, "prod": lambda x: x.prod(1), "any": lambda x: (x > 1).any(1), "cumsum": lambda x: x.cumsum(1), "cumprod": lambda x: x.cumprod(1),
    "logsumexp": lambda x: x.logsumexp(1), "cat": lambda x: torch.cat([x, x + 1, V[None]]), "stack": lambda x: torch.stack([x, x * 2], 1), "pad": lambda x: F.pad(x, (1, 2), value=3), "reflect": lambda x: F.pad(x[None], (1, 2), mode="reflect")[0], "roll": lambda x: x.roll(3, 1), "flip": lambda x: x.flip(1),
    "tril": lambda x: x.tril(1), "repeat": lambda x: x.repeat(2, 1), "repeat_interleave": lambda x: x.repeat_interleave(2, 1), "made": lambda x: x + torch.arange(H) + torch.zeros(H) + torch.full((H,), 2.5) + torch.eye(H)[0] + torch.linspace(0, 1, H), "made_like": lambda x: torch.ones_like(x) + x.new_full((H,), 2) + torch.full_like(x, 3) + x.new_zeros(H),
    "empty": lambda x: put(torch.empty(len(x), H), slice(None), x), "made_alone": lambda _: torch.arange(12.0).view(3, 4), "to": lambda x: x.to(torch.float64).mul(3).to(torch.float32), "half": lambda x: x.bfloat16() * 3, "to_int": lambda x: (x * 9).int() + 1, "to_bool": lambda x: x.bool(), "to_device": lambda x: x.to(x.device) * 2,
    "type_as": lambda x: x.type_as(ORDER) * 2, "promoted": lambda x: x + V.double(), "complex": lambda x: torch.complex(x, x + 1).conj().angle(), "interpolate": lambda x: F.interpolate(x[None], scale_factor=2)[0], "pool": lambda x: F.avg_pool1d(x[None], 2)[0], "max_pool": lambda x: F.max_pool1d(x[None], 2)[0],
}  # fmt: skip

KINDS = {
    "pointwise": POINTWISE, "in_place": IN_PLACE, "views": VIEWS, "random": RANDOM,
    "several": SEVERAL, "products": PRODUCTS, "places": PLACES, "shapes": SHAPES,
}  # fmt: skip
OPS = {f"{kind}-{name}": fn for kind, fns in KINDS.items() for name, fn in fns.items()}
INPUTS = [numbers(B, H, seed=seed) for seed in (7, 8, 9)]


def under(guard: Callable[[], contextlib.AbstractContextManager]) -> Callable[[Fn], Fn]:
    """Put a function under a guard of torch's."""

    def guarded(fn: Fn) -> Fn:
        def within(x: Tensor) -> Tensor:
            with guard():
                return fn(x)

        return within

    return guarded


GUARDS = {
    "plain": lambda fn: fn,
    "no_grad": under(torch.no_grad),
    "inference": under(torch.inference_mode),
}


@pytest.mark.parametrize("laid_out", [dense, strided, transposed])
@pytest.mark.parametrize("op", OPS)
def test_operation(op, laid_out):
    """An operation is replayed as it runs eagerly, whatever the layout of the buffers."""
    checked(OPS[op], INPUTS, laid_out=laid_out)


@pytest.mark.parametrize("op", [op for op in OPS if op != "products-gradient"])
def test_operation_in_inference_mode(op):
    """An operation is replayed alike if the function enters inference mode by itself."""
    checked(GUARDS["inference"](OPS[op]), INPUTS)


@pytest.mark.parametrize("op", OPS)
def test_no_rows(op):
    """No rows give what they give eagerly, an error as well."""
    empty = torch.zeros(0, H)
    try:
        OPS[op](empty.clone())
    except (RuntimeError, IndexError, UserWarning) as error:
        with pytest.raises(type(error)):
            CpuGraph(OPS[op], empty, empty).capture()
    else:
        checked(OPS[op], [empty, empty])


@pytest.mark.parametrize("op", POINTWISE)
def test_special_values(op):
    """NaN, infinity and -0.0 come out of a replay as they come out eagerly."""
    special = torch.tensor([[math.nan, math.inf, -math.inf, -0.0, 0.0, 1e-45, 3e38, -1.0]])
    checked(POINTWISE[op], [*(x[:1] for x in INPUTS), special])


BY_DTYPE: dict[str, Fn] = {
    "arithmetic": lambda x: (x + 1) * x - 3, "matmul": lambda x: x @ x.T, "promoted": lambda x: x * 2.5,
    "where": lambda x: torch.where(x > 0, x, 2), "sum": lambda x: x.sum(1), "cat": lambda x: torch.cat([x, x + 1]),
    "mean": lambda x: x.to(torch.float64).mean(1), "sort": lambda x: x.sort(1)[0], "cumsum": lambda x: x.cumsum(0),
    "in_place": lambda x: x.clone().mul_(2).clamp_(-3, 3), "made": lambda x: torch.full_like(x, 2) + torch.zeros_like(x),
    "softmax": lambda x: x.softmax(1, dtype=torch.float32), "embedding": lambda x: F.embedding(x.long() % 16, TABLE),
    "bits": lambda x: x.ne(0).logical_xor(x > 1), "max": lambda x: x.amax(1, keepdim=True) - x,
    "linear": lambda x: F.linear(x, torch.ones(3, H, dtype=x.dtype)), "scaled": lambda x: x * torch.tensor(2),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16, torch.int64])
@pytest.mark.parametrize("op", BY_DTYPE)
def test_dtype(op, dtype):
    """An operation on another dtype is replayed as it runs eagerly."""
    checked(BY_DTYPE[op], [(x * 5).to(dtype) for x in INPUTS])


# --- models --------------------------------------------------------------------------------------


def last(module: nn.Module) -> Fn:
    """What a recurrent module gives, without its state."""
    return lambda x: module(x)[0]


def attending(module: nn.MultiheadAttention) -> Fn:
    """A sequence that attends to itself."""
    return lambda x: module(x, x, x)[0]


MODULES: dict[str, tuple[Callable[[], nn.Module], Callable[[nn.Module], Fn]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(H, 16), nn.GELU(), nn.Dropout(), nn.Linear(16, H)), lambda m: m),
    "norms": (lambda: nn.Sequential(nn.LayerNorm(H), nn.RMSNorm(H), nn.GroupNorm(2, H)), lambda m: m),
    "batch_norm": (lambda: nn.BatchNorm1d(H), lambda m: m),
    "batch_norm_eval": (lambda: nn.BatchNorm1d(H).eval(), lambda m: m),
    "embedding": (lambda: nn.Embedding(16, H), lambda m: lambda x: m(x.argmax(1))),
    "conv": (lambda: nn.Conv1d(B, B, 3, padding="same"), lambda m: m),
    "attention": (lambda: nn.MultiheadAttention(H, 2).eval(), attending),
    "lstm": (lambda: nn.LSTM(H, H, 2), last),
    "gru": (lambda: nn.GRU(H, H), last),
    "encoder": (lambda: nn.TransformerEncoderLayer(H, 2, 16), lambda m: m),
    "encoder_eval": (lambda: nn.TransformerEncoderLayer(H, 2, 16).eval(), lambda m: m),
}  # fmt: skip


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("name", MODULES)
def test_module(name, guard):
    """A module whose parameters require gradients is replayed, and its buffers go along."""
    torch.manual_seed(1)
    make, call = MODULES[name]
    module = make()
    kept = (*module.parameters(), *module.buffers())
    checked(GUARDS[guard](call(module)), INPUTS, kept=kept)


@pytest.mark.parametrize("guard", GUARDS)
def test_decode_step(guard):
    """A decoder's step over a cache that it fills in place is replayed token by token."""
    keys, values, at = torch.zeros(B, 6, H), torch.zeros(B, 6, H), torch.zeros(1, dtype=torch.long)
    block = nn.Linear(H, 3 * H)

    def step(x: Tensor) -> Tensor:
        q, k, v = block(F.rms_norm(x, (H,))).detach().chunk(3, -1)
        keys.index_copy_(1, at, k[:, None])
        values.index_copy_(1, at, v[:, None])
        seen = torch.arange(6) <= at
        q, k, v = (t.view(B, -1, 2, H // 2).transpose(1, 2) for t in (q[:, None], keys, values))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[None])
        at.add_(1)
        return x + F.silu(out.transpose(1, 2).reshape(B, H) @ W)

    checked(GUARDS[guard](step), INPUTS, kept=(keys, values, at))


def test_training_step():
    """A step of gradient descent is replayed, the weights changed by each."""
    weight = W.clone().requires_grad_()

    def step(x: Tensor) -> Tensor:
        out = x @ weight
        grad = torch.autograd.grad(out.square().mean(), weight)[0]
        with torch.no_grad():
            weight.sub_(grad, alpha=0.1)
        return out.detach()

    checked(step, INPUTS, kept=(weight,))


# --- random chains -------------------------------------------------------------------------------

STATE = numbers(H, seed=6)
STEPS: list[Callable[[Tensor, Tensor], Tensor]] = [
    lambda a, b: a + b, lambda a, b: a - 0.5 * b, lambda a, b: a * b, lambda a, _: a.tanh(),
    lambda a, _: F.celu(a), lambda a, _: a.softmax(1), lambda a, _: a @ W, torch.maximum,
    lambda a, b: torch.where(a > b, a, b * 2), lambda a, _: a.add_(1), lambda a, b: a.mul_(b), lambda a, b: a.copy_(b),
    lambda a, _: put(a, (slice(None), slice(0, 3)), 0.5), lambda a, b: put(a, a > b, -1.0), lambda a, _: a[:, :],
    lambda a, _: (a[:, ::2].mul_(2), a)[1], lambda a, _: a.t().contiguous().t(), lambda a, _: a.t().reshape(a.shape),
    lambda a, _: a.clone(), lambda a, _: a.roll(1, 1), lambda a, _: a.cumsum(1), lambda a, _: F.layer_norm(a, (H,)),
    lambda a, b: torch.cat([a[:, :4], b[:, 4:]], 1), lambda a, b: torch.mul(a, b, out=torch.empty_like(a)),
    lambda a, b: torch.add(a, b, out=a), lambda a, _: a + torch.rand_like(a), lambda a, _: F.dropout(a, 0.2),
    lambda a, _: a.sort(1)[0], lambda a, b: a.gather(1, ORDER.expand_as(a)) + b, lambda a, _: a.double().float(),
    lambda a, _: (STATE.add_(1), a + STATE)[1], lambda a, _: STATE.expand_as(a) * 1, lambda a, _: a.max(1, keepdim=True)[0] - a,
    lambda a, _: torch.zeros_like(a).add_(a, alpha=2), lambda a, _: a * torch.tensor(0.5), lambda a, _: a.index_add(1, GROUPS, a),
]  # fmt: skip
step_lists = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 99), st.integers(0, 99)), max_size=40
)


@settings(max_examples=100)
@given(step_lists, st.integers(0, 3), st.sampled_from([dense, strided, transposed]))
def test_any_chain(steps, batch, laid_out):
    """Whatever is computed from whatever came before, in place or not, is replayed."""

    def fn(x: Tensor) -> Tensor:
        made = [x]
        for step, a, b in steps:
            made.append(step(made[a % len(made)], made[b % len(made)]))
        return made[-1]

    checked(fn, [x[:batch] for x in INPUTS], kept=(STATE,), laid_out=laid_out)


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
