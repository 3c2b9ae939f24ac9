"""Tensor values in the grading process, which holds no torch: dtype, shape, raw bytes.

A value is compared as data. Nothing that a submission wrote (an ``__eq__``, a
``__torch_function__``) takes part in the comparison.
"""

import base64
import math
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.protocol import TAG, of_type

#: dtype name -> (bytes of one element, ``struct`` code). bfloat16 has no code of its own:
#: it is the upper half of a float32.
DTYPES: dict[str, tuple[int, str]] = {
    "float64": (8, "d"),
    "float32": (4, "f"),
    "float16": (2, "e"),
    "bfloat16": (2, ""),
    "int64": (8, "q"),
    "int32": (4, "i"),
    "int16": (2, "h"),
    "int8": (1, "b"),
    "uint8": (1, "B"),
    "bool": (1, "?"),
}

Number = float | int | bool

#: As many as torch has.
_MAX_DIMENSIONS = 64


@dataclass(frozen=True)
class Tensor:
    """An immutable tensor value: elements in row-major order, little-endian.

    >>> x = Tensor.of([[1.0, 2.0], [3.0, 4.0]], "float32")
    >>> x.shape, x[1:].rows()
    ((2, 2), [[3.0, 4.0]])

    Raises:
        ValueError: the bytes do not fit shape and dtype, or the dtype is not known.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            msg = f"unknown dtype {self.dtype!r}"
            raise ValueError(msg)
        if len(self.shape) > _MAX_DIMENSIONS or not all(0 <= n <= sys.maxsize for n in self.shape):
            msg = f"bytes are no tensor of {len(self.shape)} such dimensions"
            raise ValueError(msg)
        if len(self.data) != DTYPES[self.dtype][0] * math.prod(self.shape):
            msg = f"{len(self.data)} bytes are no {self.dtype} tensor of shape {self.shape}"
            raise ValueError(msg)

    @classmethod
    def of(cls, rows: Sequence[Sequence[Number]], dtype: str) -> "Tensor":
        """A two-dimensional tensor from rows of numbers.

        Args:
            rows: the values; those that ``dtype`` cannot hold are cut off, not rounded
                (bfloat16), so pass values that it holds exactly.
            dtype: a key of ``DTYPES``.

        Raises:
            ValueError: the rows are not of one length, or the dtype is not known.
        """
        if dtype not in DTYPES or len({len(row) for row in rows}) > 1:
            msg = f"no {dtype} tensor has rows of lengths {[len(row) for row in rows]}"
            raise ValueError(msg)
        flat = [value for row in rows for value in row]
        width = len(rows[0]) if rows else 0
        return cls(dtype, (len(rows), width), _pack(flat, dtype))

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "Tensor":
        """A tensor from a value of the protocol, such as a Trace holds.

        Raises:
            ValueError, KeyError, TypeError: it is none.
        """
        data = base64.b64decode(of_type(str, wire["data"]), validate=True)
        shape = (of_type(int, length) for length in of_type(list, wire["shape"]))
        return cls(of_type(str, wire["dtype"]), tuple(shape), data)

    def to_wire(self) -> dict[str, Any]:
        """The tensor as a value of the protocol."""
        data = base64.b64encode(self.data).decode("ascii")
        return {TAG: "tensor", "dtype": self.dtype, "shape": list(self.shape), "data": data}

    def zeros(self) -> "Tensor":
        """Zeros of the same shape and dtype."""
        return Tensor(self.dtype, self.shape, bytes(len(self.data)))

    def __len__(self) -> int:
        """The number of rows."""
        return self.shape[0] if self.shape else 0

    def __getitem__(self, rows: slice) -> "Tensor":
        """The rows of a slice, step 1."""
        start, stop, _ = rows.indices(len(self))
        stop = max(start, stop)
        return Tensor(
            self.dtype,
            (stop - start, *self.shape[1:]),
            self.data[start * self._row_bytes : stop * self._row_bytes],
        )

    def rows(self) -> list[list[Number]]:
        """The values, one list a row; deeper dimensions are flattened into their row."""
        return [list(_unpack(self._row(i), self.dtype)) for i in range(len(self))]

    def first_difference(self, other: "Tensor", tolerance: float = 0.0) -> int | None:
        """The first row in which two tensors differ, or None; 0 where shape or dtype differ.

        Bits are compared, so ``-0.0`` differs from ``0.0``; a NaN equals any NaN, for the
        payload of a NaN is not specified by IEEE 754.

        Args:
            other: what to compare with.
            tolerance: by which part of the other's elements the own ones may be off.
        """
        if (self.dtype, self.shape) != (other.dtype, other.shape):
            return 0
        if self.data == other.data:
            return None
        for i in self._filled_rows:
            if self.differing_columns(other, i, tolerance):
                return i
        return None

    def first_nonzero_row(self) -> int | None:
        """The first row that holds anything but zeros (NaN is no zero), or None."""
        for i in self._filled_rows:
            if any(value != 0 for value in _unpack(self._row(i), self.dtype)):
                return i
        return None

    @property
    def _filled_rows(self) -> range:
        """The rows that hold anything. A tensor without dimensions is one row."""
        return range(len(self.data) // self._row_bytes if self.data else 0)

    @cached_property
    def _row_bytes(self) -> int:
        return DTYPES[self.dtype][0] * math.prod(self.shape[1:])

    def differing_columns(self, other: "Tensor", row: int, tolerance: float = 0.0) -> list[int]:
        """Where a row differs from another tensor's of the same shape and dtype, as
        ``first_difference`` tells values apart; deeper dimensions are flattened.
        """
        size = DTYPES[self.dtype][0]
        mine, theirs = self._row(row), other._row(row)
        if mine == theirs:
            return []
        pairs = zip(_unpack(mine, self.dtype), _unpack(theirs, self.dtype), strict=True)
        columns = []
        for i, (x, y) in enumerate(pairs):
            same_bits = mine[i * size : (i + 1) * size] == theirs[i * size : (i + 1) * size]
            both_nan = x != x and y != y  # noqa: PLR0124 - only a NaN differs from itself
            near = tolerance > 0 and abs(x - y) <= tolerance * abs(y) < math.inf
            if not (same_bits or both_nan or near):
                columns.append(i)
        return columns

    def _row(self, i: int) -> bytes:
        return self.data[i * self._row_bytes : (i + 1) * self._row_bytes]


def spell(number: Number) -> str:
    """An element as short text.

    >>> spell(0.1 + 0.2), spell(3)
    ('0.3', '3')
    """
    return f"{number:g}" if isinstance(number, float) else str(number)


def _pack(values: Sequence[Number], dtype: str) -> bytes:
    if dtype == "bfloat16":
        wide = struct.pack(f"<{len(values)}f", *values)
        return b"".join(wide[i + 2 : i + 4] for i in range(0, len(wide), 4))
    return struct.pack(f"<{len(values)}{DTYPES[dtype][1]}", *values)


def _unpack(data: bytes, dtype: str) -> tuple[Number, ...]:
    if dtype == "bfloat16":
        wide = b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data), 2))
        return struct.unpack(f"<{len(data) // 2}f", wide)
    return struct.unpack(f"<{len(data) // DTYPES[dtype][0]}{DTYPES[dtype][1]}", data)
