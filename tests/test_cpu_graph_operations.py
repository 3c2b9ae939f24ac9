"""Every operation that ``CpuGraph`` records is replayed as an eager call computes it."""

import math
from collections.abc import Callable

import pytest
from graphs import (
    GROUPS,
    GUARDS,
    INPUTS,
    OPS,
    ORDER,
    POINTWISE,
    TABLE,
    B,
    F,
    Fn,
    H,
    Tensor,
    W,
    checked,
    dense,
    nn,
    numbers,
    put,
    strided,
    transposed,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from support import torch

from exercises.p17.cpu_graph import CpuGraph

# --- operations ----------------------------------------------------------------------------------


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
