"""Tensors on cuda:0 that lie in the host's memory: how they are made, and how the CPU looks at them.

DLPack lets anybody hand torch memory and name the device that it is on (dmlc/dlpack, dlpack.h, version 0). Here it is
memory from malloc, said to be on cuda:0. The header that DLPack wants lies in front of the data in the same block, so
that one `free` by torch, from any thread and at any time, gives back both.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

CARD = torch.device("cuda", 0)

CPU_KERNELS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)

DL_CPU, DL_CUDA, DL_UNSIGNED = 1, 2, 1


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor, and the one size and stride that it points to."""

    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("stride", ctypes.c_int64),
    )


ALIGNMENT = 64
HEADER = -(-ctypes.sizeof(_Managed) // ALIGNMENT) * ALIGNMENT

# The process's own symbols, of which aligned_alloc and free are the C library's, whichever it is. That this is done at
# import is safe: `program` imports this module only when `cuda_stubs` has found the Linux build of torch that it expects.
_libc = ctypes.CDLL(None)
_libc.aligned_alloc.restype = ctypes.c_void_p
_libc.aligned_alloc.argtypes = (ctypes.c_size_t, ctypes.c_size_t)
_free = ctypes.cast(_libc.free, ctypes.c_void_p).value

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_NAME = b"dltensor"  # the capsule keeps the pointer


def _bytes(data: int | None, count: int, device: int) -> Tensor:
    """`count` bytes at an address, or newly allocated ones, as a uint8 tensor on a device of DLPack's numbering."""
    global _used
    _used = _used or device == DL_CUDA
    block = _libc.aligned_alloc(ALIGNMENT, HEADER + (0 if data else -(-count // ALIGNMENT) * ALIGNMENT))
    if not block:
        raise MemoryError(f"no {count} bytes for a tensor on the virtual GPU")
    managed = _Managed.from_address(block)
    managed.tensor = _Tensor(
        data or block + HEADER, device, 0, 1, DL_UNSIGNED, 8, 1,
        block + _Managed.size.offset, block + _Managed.stride.offset, 0,
    )  # fmt: skip
    managed.context, managed.deleter, managed.size, managed.stride = None, _free, count, 1
    return torch._C._from_dlpack(_capsule(block, _NAME, None))


_used = False


def used() -> bool:
    """Whether the program put anything on the card."""
    return _used


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """What is put on the card while this lasts does not count for `used`."""
    global _used
    before = _used
    try:
        yield
    finally:
        _used = before


def card_storage(count: int) -> torch.UntypedStorage:
    """New memory of the card."""
    return _bytes(None, count, DL_CUDA).untyped_storage()


def host_view(x: Tensor) -> Tensor:
    """The same elements as a CPU tensor. It must not outlive `x`."""
    storage = x.untyped_storage()
    memory = _bytes(storage.data_ptr(), storage.nbytes(), DL_CPU).untyped_storage()
    view = torch.empty(0, dtype=x.dtype)
    view.set_(memory, x.storage_offset(), x.size(), x.stride())
    return _with_bits_of(x, view)


def on_card(x: Tensor) -> Tensor:
    """A copy of a CPU tensor on the card, with its strides."""
    copy = memory_like(x, CARD)
    if count := copy.untyped_storage().nbytes():
        ctypes.memmove(copy.untyped_storage().data_ptr(), x.data_ptr(), count)
    return _with_bits_of(x, copy)


def memory_like(like: Tensor, device: torch.device) -> Tensor:
    """Memory for a tensor that has the sizes and strides of this one, on the card or not; a page of it is there when it is first used."""
    needed = 1 + sum((size - 1) * stride for size, stride in zip(like.size(), like.stride(), strict=True))
    memory = _bytes(
        None, needed * like.element_size() if like.numel() else 0, DL_CUDA if device.type == "cuda" else DL_CPU
    )
    whole = torch.ops.aten.view.dtype.redispatch(CPU_KERNELS, memory, like.dtype)
    return torch.ops.aten.as_strided.default.redispatch(CPU_KERNELS, whole, like.size(), like.stride(), 0)


def _with_bits_of(x: Tensor, copy: Tensor) -> Tensor:
    """Conjugated and negated views are a flag on the same memory."""
    if x.is_conj():
        torch._C._set_conj(copy, True)
    if x.is_neg():
        torch._C._set_neg(copy, True)
    return copy


def point_to(x: Tensor, storage: torch.UntypedStorage, offset: int, size: Any, stride: Any) -> Tensor:
    """`x.set_` for a tensor on the card; it asks for no device."""
    return torch.ops.aten.set_.source_Storage_storage_offset.redispatch(CPU_KERNELS, x, storage, offset, size, stride)
