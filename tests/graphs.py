"""What the tests of ``CpuGraph`` share: eager calls as the oracle, and operations to try."""

import contextlib
import functools
from collections.abc import Callable

from support import torch

from exercises.p17.cpu_graph import CpuGraph

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
