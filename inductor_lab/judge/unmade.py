"""Memory that a launcher allocates and nobody has written yet: filled so that it shows, NaN or large whole numbers, and known again by that.

scaled = torch.empty(64, 32)      every element is a NaN with all bits set; unmade(scaled) is 2048
"""

from __future__ import annotations

import torch

FLOATS, WHOLE = 0xFF, 0x5A
"""Every byte: a NaN that no arithmetic makes, a number that nobody expects."""

storage = torch.Tensor.untyped_storage  # itself, which a launcher may not call


def poison(fresh: torch.Tensor) -> None:
    """Fill what was just allocated; of bools only these are valid."""
    if fresh.dtype == torch.bool:
        fresh.fill_(True)
    elif fresh.numel() and not fresh.is_meta:
        storage(fresh).fill_(byte(fresh.dtype))


def byte(dtype: torch.dtype) -> int:
    """What every byte of such elements is filled with."""
    return FLOATS if dtype.is_floating_point or dtype.is_complex else WHOLE


def is_known(dtype: torch.dtype) -> bool:
    """Whether an element that nobody wrote can be told from others: one byte holds any number now and then."""
    return dtype.itemsize > 1 or dtype.is_floating_point


def unmade(tensor: torch.Tensor) -> int:
    """How many elements of a tensor nobody has written."""
    if not is_known(tensor.dtype) or tensor.is_meta:
        return 0
    number = int.from_bytes(bytes([byte(tensor.dtype)] * tensor.itemsize), signed=tensor.itemsize > 1)
    return int((bits(tensor) == number).sum())


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as whole numbers: one NaN is as good as another to nobody here."""
    tensor = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.itemsize])
