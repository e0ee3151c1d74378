"""How large the values around an element are, and what is missed around it: a tensor may hold rows of 1e-20 beside rows of 1e+20."""

from __future__ import annotations

import math

import torch
from torch import Tensor

ENOUGH = 16
"""A row or a column of fewer elements says little of the sizes in it."""
ALIKE = 64
"""So many elements of one size say what is missed at that size."""
RARE = 4.0
"""How much further than the largest of a few errors another draw of them may go."""


def as_rows(tensor: Tensor) -> Tensor:
    """A tensor in float64, as rows of its last dimension that is larger than 1."""
    values = tensor.double().squeeze()
    return values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values.reshape(1, -1)


def around(values: Tensor) -> Tensor | None:
    """The largest of an element's row or of its column, whichever is less; None where neither is long enough to tell."""
    rows, columns = values.shape
    found = [
        values.amax(dim, keepdim=True)
        for dim, count, others in ((1, columns, rows), (0, rows, columns))
        if count >= ENOUGH and others > 1
    ]
    if not found:
        return None
    return torch.minimum(found[0], found[-1]).expand_as(values)


def local_scale(size: Tensor, *, by_rank: bool) -> Tensor:
    """How large the values are that an element is drawn from: by its row and column, or by how many are smaller.

    An element is small by chance among larger ones when few are as small: of n values around 1, about k lie below k / n.
    """
    found = around(size)
    if found is not None:
        return found
    return _by_rank(size) if by_rank else size


def _by_rank(size: Tensor) -> Tensor:
    flat = size.flatten()
    count = flat.numel()
    ordered, order = flat.sort()
    rank = torch.arange(1, count + 1, dtype=flat.dtype, device=flat.device)
    later = torch.arange(count, device=flat.device).add(8).clamp_max(count - 1)
    implied = torch.minimum(ordered[later] * count / rank[later], 8 * count * ordered).clamp_max(ordered[-1])
    implied = torch.maximum(implied, ordered)
    return torch.empty_like(flat).scatter_(0, order, implied).reshape(size.shape)


def nearby(missed: Tensor, size: Tensor, once: float = 0.0) -> Tensor:
    """The largest error around each element: in its row, its column and among values of its size, whichever is least; at least its own.

    once: the part of a value that one rounding moves it. Values that are rounded more often cancel in places, few of a size, and what
    is missed there may be `RARE` times as much in another order.
    """
    found = around(missed)
    part = torch.where(size > 0, missed / size, 0.0)
    by_size = _among_alike(part, size, few=math.inf if found is not None else 4 * part.median().item())
    by_size = torch.where(by_size > 1.02 * once, RARE * by_size, by_size) if once else by_size
    by_size = torch.where(size > 0, by_size * size, math.inf if found is not None else 0.0)
    least = by_size if found is None else torch.minimum(found, by_size)
    return torch.maximum(missed, least)


def _among_alike(part: Tensor, size: Tensor, few: float) -> Tensor:
    """The largest of the values whose size has the same exponent; `few` where they are not many."""
    exponent = torch.frexp(size.flatten()).exponent.long().clamp(-300, 300) + 300
    largest = torch.zeros(601, dtype=part.dtype, device=part.device)
    largest.scatter_reduce_(0, exponent, part.flatten(), "amax")
    largest[torch.bincount(exponent, minlength=601) < ALIKE] = few
    return largest[exponent].reshape(part.shape)
