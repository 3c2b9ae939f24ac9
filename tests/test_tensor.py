"""Tensor values, against torch as the oracle."""

import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import bytes_of, torch, torch_of, value_of

from grader.tensor import DTYPES, Tensor

#: Of each kind of float: -0.0, both infinities, a quiet and a signalling NaN, one of them negative.
SPECIAL = {
    "float64": ("d", [1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48 | 5, 0xFFF << 52 | 1]),
    "float32": ("f", [1 << 31, 0xFF << 23, 0x1FF << 23, 0x7FC0 << 16 | 5, 0x1FF << 23 | 1]),
    "float16": ("e", [1 << 15, 0x1F << 10, 0x3F << 10, 0x7E00 | 5, 0x3F << 10 | 1]),
    "bfloat16": ("", [1 << 15, 0xFF << 7, 0x1FF << 7, 0x7FC0 | 5, 0x1FF << 7 | 1]),
}
dtypes = st.sampled_from(sorted(DTYPES))
shapes = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


def elements(dtype: str) -> st.SearchStrategy[bytes]:
    """The bytes of one element, special values often among them."""
    size = DTYPES[dtype][0]
    if dtype == "bool":
        return st.sampled_from([b"\0", b"\1"])
    _, special = SPECIAL.get(dtype, ("", []))
    known = st.sampled_from([bytes(size), *(bits.to_bytes(size, "little") for bits in special)])
    return known | st.binary(min_size=size, max_size=size)


@st.composite
def tensors(draw: st.DrawFn, dtype: str | None = None, shape: tuple[int, ...] | None = None):
    """Tensor values of every dtype, with any bits."""
    dtype = dtype or draw(dtypes)
    shape = shape if shape is not None else draw(shapes)
    size = math.prod(shape)
    return Tensor(
        dtype, shape, b"".join(draw(st.lists(elements(dtype), min_size=size, max_size=size)))
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """Two tensors of one dtype and shape; elements of the second are mostly those of the first."""
    one = draw(tensors())
    size = DTYPES[one.dtype][0]
    data = bytearray(one.data)
    for at in draw(st.sets(st.integers(0, max(0, len(data) // size - 1)), max_size=2)):
        if data:
            data[at * size : (at + 1) * size] = draw(elements(one.dtype))
    return one, Tensor(one.dtype, one.shape, bytes(data))


def rows_of(x: torch.Tensor) -> torch.Tensor:
    """A tensor with all dimensions but the first made one."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def first_true(rows: torch.Tensor) -> int | None:
    """The first row that holds something true."""
    found = rows_of(rows).any(dim=1).nonzero().flatten().tolist()
    return found[0] if found else None


def bits_of(x: torch.Tensor) -> torch.Tensor:
    """The elements of a tensor as integers of their size."""
    sizes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return x.view(sizes[x.element_size()])


# --- what a tensor holds -------------------------------------------------------------------------


def test_every_dtype_is_torchs():
    """Each dtype has torch's name and element size."""
    assert {name: size for name, (size, _) in DTYPES.items()} == {
        name: getattr(torch, name).itemsize for name in DTYPES
    }


@given(tensors())
def test_rows(value: Tensor):
    """The rows hold the numbers that torch reads from the same bytes."""
    assert repr(value.rows()) == repr(rows_of(torch_of(value)).tolist())


@given(dtypes.flatmap(lambda dtype: tensors(dtype, (3, 2))))
def test_of_rows(value: Tensor):
    """Packing numbers that the dtype holds gives torch's bytes."""
    x = torch_of(value)
    x = x.nan_to_num() if x.is_floating_point() else x
    assert Tensor.of(x.tolist(), value.dtype) == value_of(x)


@pytest.mark.parametrize("dtype", SPECIAL)
def test_of_nan(dtype: str):
    """Python's NaN, -0.0 and the infinities are packed as torch packs them."""
    rows = [[math.nan, -0.0], [math.inf, -math.inf]]
    packed = Tensor.of(rows, dtype)
    assert (
        packed.first_difference(value_of(torch.tensor(rows, dtype=getattr(torch, dtype)))) is None
    )
    assert packed.data[-6 * len(packed.data) // 8 :] == bytes_of(
        torch.tensor([-0.0, math.inf, -math.inf], dtype=getattr(torch, dtype))
    )


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_is_cut_off(number: float):
    """A number that bfloat16 does not hold becomes the upper half of its float32."""
    upper = torch.tensor(number, dtype=torch.float32).view(torch.int32) & -0x10000
    assert Tensor.of([[number]], "bfloat16").rows() == [[upper.view(torch.float32).item()]]


def test_of_no_rows():
    """No rows make a tensor of shape [0, 0]."""
    assert Tensor.of([], "float32") == Tensor("float32", (0, 0), b"")


@pytest.mark.parametrize(
    "rows", [[[1, 2], [3]], [[1], [2, 3]], [[1, 2], [3], [4, 5, 6]]], ids=["short", "long", "both"]
)
def test_of_ragged_rows(rows: list[list[int]]):
    """Rows of different lengths make no tensor."""
    with pytest.raises(ValueError, match=r"bytes are no|rows"):
        Tensor.of(rows, "int8")


@given(tensors())
def test_zeros(value: Tensor):
    """Zeros have the shape and the dtype, and torch's bytes."""
    assert value.zeros() == value_of(torch.zeros_like(torch_of(value)))


@given(tensors())
def test_length(value: Tensor):
    """The length is torch's: the number of rows."""
    assert len(value) == len(torch_of(value))


def test_length_of_a_scalar():
    """A tensor without dimensions has no rows; where one must be named, it is row 0."""
    scalar = value_of(torch.tensor(3.0))
    assert (len(scalar), scalar.rows(), scalar.first_nonzero_row()) == (0, [], 0)
    assert scalar.first_difference(value_of(torch.tensor(4.0))) == 0


bounds = st.none() | st.integers(-6, 6)


@given(tensors(), bounds, bounds)
def test_slices(value: Tensor, start: int | None, stop: int | None):
    """A slice holds torch's rows, also from the end, beyond it, and where there are none."""
    assert value[start:stop] == value_of(torch_of(value)[start:stop])


@given(tensors())
def test_wire(value: Tensor):
    """What goes over the pipe, as JSON, comes back as the same tensor."""
    wire = json.loads(json.dumps(value.to_wire()))
    assert wire["$"] == "tensor"
    assert Tensor.from_wire(wire) == value


def test_frozen():
    """A value cannot be changed."""
    value = Tensor.of([[1.0]], "float32")
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.data = bytes(4)


# --- what differs --------------------------------------------------------------------------------


@given(pairs())
def test_first_difference(pair: tuple[Tensor, Tensor]):
    """The first row in which bits differ where not both are NaN, as torch tells bits and NaN."""
    a, b = map(torch_of, pair)
    differs = (bits_of(a) != bits_of(b)) & ~(a.isnan() & b.isnan())
    assert pair[0].first_difference(pair[1]) == first_true(differs)
    assert pair[1].first_difference(pair[0]) == first_true(differs)


@given(tensors())
def test_no_difference_from_itself(value: Tensor):
    """A tensor does not differ from itself, NaN or not."""
    assert value.first_difference(Tensor(value.dtype, value.shape, value.data)) is None


@given(tensors())
def test_first_nonzero_row(value: Tensor):
    """The first row that torch finds unequal to zero; NaN is, -0.0 is not."""
    assert value.first_nonzero_row() == first_true(torch_of(value) != 0)


@pytest.mark.parametrize("dtype", SPECIAL)
def test_nan_equals_any_nan(dtype: str):
    """NaN of another sign or payload is no difference; a number beside it is."""
    *_, quiet, signalling = SPECIAL[dtype][1]
    size = DTYPES[dtype][0]
    quiet, signalling = (bits.to_bytes(size, "little") for bits in (quiet, signalling))
    a, b = Tensor(dtype, (2, 1), quiet + quiet), Tensor(dtype, (2, 1), signalling + quiet)
    assert torch_of(a).isnan().all()
    assert torch_of(b).isnan().all()
    assert a.first_difference(b) is None
    assert a.first_difference(Tensor(dtype, (2, 1), quiet + bytes(size))) == 1


@pytest.mark.parametrize("dtype", SPECIAL)
def test_negative_zero(dtype: str):
    """-0.0 differs from 0.0, and yet is zero."""
    negative = Tensor.of([[0.0], [-0.0]], dtype)
    assert negative.first_difference(negative.zeros()) == 1
    assert negative.first_nonzero_row() is None


@pytest.mark.parametrize(
    "other",
    [Tensor("int32", (2, 1), bytes(8)), Tensor("float32", (2, 1, 1), bytes(8)),
     Tensor("float32", (1, 2), bytes(8)), Tensor("float32", (3, 1), bytes(12))],
    ids=["dtype", "dimensions", "turned", "rows"],
)  # fmt: skip
def test_other_shape_or_dtype(other: Tensor):
    """Tensors of another shape or dtype differ from the first row on, whatever they hold."""
    assert Tensor("float32", (2, 1), bytes(8)).first_difference(other) == 0


# --- what is no tensor ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "shape", "size"),
    [("complex64", (1,), 8), ("float", (1,), 4), ("", (1,), 1), ("float32", (2, 2), 15),
     ("float32", (2, 2), 17), ("float32", (0, 3), 4), ("float32", (), 0), ("int8", (-1,), 0),
     ("int8", (-1, -2), 2), ("int8", (0, -2), 0)],
)  # fmt: skip
def test_no_tensor(dtype: str, shape: tuple[int, ...], size: int):
    """An unknown dtype, or bytes that do not fit shape and dtype, are refused."""
    with pytest.raises(ValueError, match=r"unknown dtype|bytes are no"):
        Tensor(dtype, shape, bytes(size))


WIRE = Tensor.of([[1.0, 2.0]], "float32").to_wire()


@pytest.mark.parametrize(
    "wire",
    [{**WIRE, "data": "!!!!"}, {**WIRE, "data": WIRE["data"] + "\n="}, {**WIRE, "data": "中"},
     {**WIRE, "data": ""}, {**WIRE, "data": None}, {**WIRE, "shape": [2, 2]}, {**WIRE, "shape": 2},
     {**WIRE, "shape": ["a"]}, {**WIRE, "shape": None}, {**WIRE, "dtype": "quint8"},
     {**WIRE, "dtype": []}, {}],
)  # fmt: skip
def test_no_wire(wire: dict[str, object]):
    """What is no tensor of the protocol is refused by one of the errors that are told."""
    with pytest.raises((ValueError, KeyError, TypeError)):
        Tensor.from_wire(wire)
