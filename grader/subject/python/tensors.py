"""Tensors as values of the protocol, on the subject's side. Loaded only where torch is.

Only ``torch.Tensor`` itself counts as a tensor: a subclass can answer what it likes.
"""

# Everything is bound here as it was before any submission: what one puts in its place, in
# ``torch.Tensor`` say, is not asked what a tensor holds.
import binascii
from contextlib import AbstractContextManager
from ctypes import _string_at  # type: ignore[attr-defined] # what string_at looks up by name
from typing import Any

import torch

from grader.own import Own, own_builtins
from grader.protocol import Json
from grader.subject.python.stage import SAME

__builtins__ = own_builtins()

_Base: Any = torch._C.TensorBase  # noqa: SLF001 - the one that cannot be patched
_Storage: Any = torch._C.StorageBase  # noqa: SLF001
_Tensor, _strided, _dtype = torch.Tensor, torch.strided, torch.dtype
_empty, _empty_strided, _frombuffer = torch.empty, torch.empty_strided, torch.frombuffer
_InferenceMode: Any = torch._C._InferenceMode  # noqa: SLF001
_enter_inference, _exit_inference = _InferenceMode.__enter__, _InferenceMode.__exit__
_set_grad_enabled = torch._C._set_grad_enabled  # noqa: SLF001
_grad, _inference = torch.is_grad_enabled, torch.is_inference_mode_enabled
_from_base64, _bytes_at = binascii.a2b_base64, _string_at
_contiguous, _is_contiguous, _is_neg = _Base.contiguous, _Base.is_contiguous, _Base.is_neg
_numel, _element_size, _data_ptr = _Base.numel, _Base.element_size, _Base.data_ptr
_size, _stride, _storage_offset = _Base.size, _Base.stride, _Base.storage_offset
_is_cpu, _dtype_in, _layout_of = _Base.is_cpu.__get__, _Base.dtype.__get__, _Base.layout.__get__
_is_meta = _Base.is_meta.__get__

_torch_device = torch.device

#: Where tensors are made.
_device = _torch_device("cpu")

#: What holds on one thread and must hold on the other that computes for it.
AMBIENT = (_grad, _inference)

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
        type(value) is _Tensor
        and _layout_of(value) is _strided
        and not _is_meta(value)
        and _dtype_in(value) in _NAMES
    )


def is_dtype(value: object) -> bool:
    """Whether it is a dtype that the protocol knows."""
    return type(value) is _dtype and value in _NAMES


class _Modes(Own):
    """A context with these modes, by torch's own means in C: the classes that it has for that are
    written in Python, and may be changed.
    """

    def __init__(self, grad: bool, inference: bool) -> None:
        self._grad, self._inference = grad, inference

    def __enter__(self) -> None:
        """They hold."""
        self._grad_before = _grad()
        self._guard = _InferenceMode(self._inference) if self._inference != _inference() else None
        if self._guard is not None:
            _enter_inference(self._guard)
        if self._grad != _grad():
            _set_grad_enabled(self._grad)

    def __exit__(self, *_: object) -> None:
        """They do not."""
        if self._guard is not None:
            _exit_inference(self._guard, None, None, None)
        if _grad() != self._grad_before:
            _set_grad_enabled(self._grad_before)


def under(grad: bool, inference: bool) -> AbstractContextManager[object]:
    """A context with these modes, as ``AMBIENT`` told them on another thread."""
    if inference == _inference() and grad == _grad():
        return SAME
    return _Modes(grad, inference)


def dtype_name(dtype: Any) -> str:
    """``torch.bfloat16`` -> ``"bfloat16"``."""
    return _NAMES[dtype]


def compute_on(device: str) -> None:
    """Have the tensors that ``decode`` makes lie on a device."""
    global _device  # noqa: PLW0603 - a process has one
    _device = _torch_device(device)


def dtype_of(name: str) -> torch.dtype:
    """``"bfloat16"`` -> ``torch.bfloat16``."""
    dtype: torch.dtype = _DTYPES[name]
    return dtype


def encode(tensor: Any) -> Json:
    """The fields of a tensor value: what it holds now, bit for bit, as bytes."""
    dense = tensor
    if not _is_plain_cpu(tensor):
        dense = _contiguous(_Base.cpu(_Base.resolve_neg(_Base.detach(tensor))))
    size = _numel(dense) * _element_size(dense)
    data = _bytes_at(_data_ptr(dense), size) if size else b""
    return {
        "dtype": _NAMES[_dtype_in(tensor)],
        "shape": list(_size(tensor)),
        "strides": list(_stride(tensor)),
        "offset": _storage_offset(tensor),
        "storage": list(_extent(tensor)),
        "data": data,
    }


def _is_plain_cpu(tensor: Any) -> bool:
    """Whether its elements lie in this process's memory as they are told, row by row."""
    return _is_cpu(tensor) and _is_contiguous(tensor) and not _is_neg(tensor)


def decode(value: Json) -> torch.Tensor:
    """A new tensor from a tensor value, laid out by its ``strides`` where it has any."""
    data = bytearray(_from_base64(value["data"]))
    shape, dtype = value["shape"], _DTYPES[value["dtype"]]
    dense = (
        _Base.to(_Base.reshape(_frombuffer(data, dtype=dtype), shape), _device, copy=True)
        if data
        else _empty(shape, dtype=dtype, device=_device)
    )
    if "strides" not in value:
        return dense
    laid_out = _empty_strided(shape, value["strides"], dtype=dtype, device=_device)
    _Base.copy_(laid_out, dense)
    return laid_out


def overwrite(tensor: Any, value: Json) -> None:
    """Write a tensor value of the same shape into an existing tensor.

    Inference mode, for a submission may hand out tensors made in it.
    """
    with _Modes(grad=False, inference=True):
        _Base.copy_(tensor, decode(value))


def share_memory(a: Any, b: Any) -> bool:
    """Whether the storages of two tensors have a byte in common.

    Address ranges are compared, not storage objects: a view made by way of a buffer
    export has a storage of its own over the same bytes.
    """
    (start_a, size_a), (start_b, size_b) = _extent(a), _extent(b)
    return start_a < start_b + size_b and start_b < start_a + size_a


def _extent(tensor: Any) -> tuple[int, int]:
    storage = _Base.untyped_storage(tensor)
    return _Storage.data_ptr(storage), _Storage.nbytes(storage)
