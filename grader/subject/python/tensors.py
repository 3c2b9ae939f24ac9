"""Tensors as values of the protocol, on the subject's side. Loaded only where torch is.

Only ``torch.Tensor`` itself counts as a tensor: a subclass can answer what it likes.
"""

import base64
import ctypes
from typing import Any

import torch

from grader.protocol import Json

_DTYPES = {
    name: getattr(torch, name)
    for name in (
        "float64", "float32", "float16", "bfloat16",
        "int64", "int32", "int16", "int8", "uint8", "bool",
    )
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def is_tensor(value: object) -> bool:
    """Whether it is a plain dense tensor of a dtype that the protocol knows."""
    return (
        type(value) is torch.Tensor
        and value.layout is torch.strided
        and value.device.type != "meta"
        and value.dtype in _NAMES
    )


def is_dtype(value: object) -> bool:
    """Whether it is a dtype that the protocol knows."""
    return isinstance(value, torch.dtype) and value in _NAMES


def dtype_name(dtype: Any) -> str:
    """``torch.bfloat16`` -> ``"bfloat16"``."""
    return _NAMES[dtype]


def dtype_of(name: str) -> torch.dtype:
    """``"bfloat16"`` -> ``torch.bfloat16``."""
    dtype: torch.dtype = _DTYPES[name]
    return dtype


def encode(tensor: Any) -> Json:
    """The fields of a tensor value: what it holds now, bit for bit."""
    dense = tensor.detach().resolve_neg().cpu().contiguous()
    data = ctypes.string_at(dense.data_ptr(), dense.numel() * dense.element_size())
    return {
        "dtype": _NAMES[tensor.dtype],
        "shape": list(tensor.shape),
        "strides": list(tensor.stride()),
        "offset": tensor.storage_offset(),
        "data": base64.b64encode(data).decode("ascii"),
    }


def decode(value: Json) -> torch.Tensor:
    """A new tensor from a tensor value, laid out by its ``strides`` where it has any."""
    data = bytearray(base64.b64decode(value["data"]))
    shape, dtype = value["shape"], _DTYPES[value["dtype"]]
    dense = (
        torch.frombuffer(data, dtype=dtype).reshape(shape).clone()
        if data
        else torch.empty(shape, dtype=dtype)
    )
    if "strides" not in value:
        return dense
    laid_out = torch.empty_strided(shape, value["strides"], dtype=dtype)
    laid_out.copy_(dense)
    return laid_out


def overwrite(tensor: Any, value: Json) -> None:
    """Write a tensor value of the same shape into an existing tensor.

    Inference mode, for a submission may hand out tensors made in it.
    """
    with torch.inference_mode():
        tensor.copy_(decode(value))


def share_memory(a: Any, b: Any) -> bool:
    """Whether the storages of two tensors have a byte in common.

    Address ranges are compared, not storage objects: a view made by way of a buffer
    export has a storage of its own over the same bytes.
    """
    (start_a, size_a), (start_b, size_b) = _extent(a), _extent(b)
    return start_a < start_b + size_b and start_b < start_a + size_a


def _extent(tensor: Any) -> tuple[int, int]:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.nbytes()
