"""Memory that a launcher allocates and nobody has written yet: filled so that it shows, NaN or large whole numbers, and known again by that.

scaled = torch.empty(64, 32)      every element is a NaN with all bits set; unmade(scaled) is 2048
"""

from __future__ import annotations

import torch

FLOATS, WHOLE = 0xFF, 0x5A
"""Bytes: of a NaN that no arithmetic makes; of a whole number that nobody expects, whose last byte differs from element to element."""
STEP = 37

storage = torch.Tensor.untyped_storage  # itself, which a launcher may not call


def poison(fresh: torch.Tensor) -> None:
    """Fill what was just allocated. No two whole numbers beside each other are alike: a comparison of them would be right by luck."""
    if not fresh.numel() or fresh.is_meta:
        return
    memory = torch.empty(0, dtype=torch.uint8, device=fresh.device).set_(storage(fresh))  # type: ignore[call-overload]
    memory.fill_(FLOATS if _is_float(fresh.dtype) else WHOLE)
    if not _is_float(fresh.dtype):
        last = memory[:: fresh.itemsize]
        number = torch.arange(last.numel(), dtype=torch.int32, device=fresh.device)
        last.copy_(number % 2 if fresh.dtype == torch.bool else number * STEP % 256)


def pattern(dtype: torch.dtype) -> tuple[int, int] | None:
    """(a number, how many bits less): what an element is that nobody wrote; None where it may be any, as one byte of a whole number."""
    size = dtype.itemsize
    if _is_float(dtype):
        return int.from_bytes(bytes([FLOATS] * size)), 0
    return (int.from_bytes(bytes([WHOLE] * (size - 1))), 8) if size > 1 else None


def unmade(tensor: torch.Tensor) -> int:
    """How many elements of a tensor nobody has written."""
    known = pattern(tensor.dtype)
    if known is None or tensor.is_meta:
        return 0
    number, less = known
    found = bits(tensor) >> less == (-1 if _is_float(tensor.dtype) and tensor.itemsize > 1 else number)
    return int((found.all(-1) if tensor.is_complex() else found).sum())


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as whole numbers: one NaN is as good as another to nobody here."""
    tensor = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.itemsize])


def _is_float(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex
