"""A tensor's statistics: what is told of it where its values are not kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from inductor_lab.records import Observed, TensorType

CHUNK = 1 << 15
"""Elements that are looked at together: they stay in a processor's cache, and are too few to be shared among threads."""
MOST = 4 << 30
"""Bytes of one graph's tensors that are looked at; of what comes behind them only shapes are told."""


def observed(name: str, value: Any, *, look: bool = True) -> Observed:
    """What a graph's input or output holds: a tensor, a number, or nothing.

    Args:
        look: Whether a tensor's values are looked at.
    """
    if not isinstance(value, Tensor):
        return Observed(name, value=value if isinstance(value, (int, float)) else None)
    type_ = TensorType(str(value.dtype).removeprefix("torch."), tuple(value.shape), tuple(value.stride()))
    if not look:
        return Observed(name, type_)
    elements = value.detach().cpu().contiguous().reshape(-1)
    digest = hashlib.sha256(memoryview(elements.view(torch.uint8).numpy())).hexdigest()
    if value.is_complex() or not value.numel():
        return Observed(name, type_, sha256=digest)
    return _counted(name, type_, digest, elements)


def _counted(name: str, type_: TensorType, digest: str, elements: Tensor) -> Observed:
    total = elements.numel()
    counts = dict.fromkeys(("zeros", "negative", "nan", "infinite"), 0)
    summed, finite = 0.0, 0
    least: list[float] = []
    most: list[float] = []
    for part in _parts(elements):
        known = _finite(part)
        counts["zeros"] += part.numel() - _count(part)
        counts["negative"] += _count(part < 0)
        if known is not part:
            counts["nan"] += _count(part.isnan())
            counts["infinite"] += _count(part.isinf())
        if known.numel():
            summed, finite = summed + float(known.sum()), finite + known.numel()
            low, high = known.aminmax()
            least.append(float(low))
            most.append(float(high))
    shares = {word: count / total for word, count in counts.items()}
    if not finite:
        return Observed(name, type_, sha256=digest, **shares)
    mean = summed / finite
    squares = sum(float((_finite(part) - mean).square().sum()) for part in _parts(elements))
    deviation = (squares / finite) ** 0.5
    return Observed(
        name, type_, None, digest, minimum=min(least), maximum=max(most), mean=mean, deviation=deviation, **shares
    )


def _count(x: Tensor) -> int:
    return int(torch.count_nonzero(x))


def _finite(part: Tensor) -> Tensor:
    """The finite elements; the very tensor where all are."""
    flags = torch.isfinite(part)
    return part if bool(flags.all()) else part[flags]


def _parts(elements: Tensor) -> Iterator[Tensor]:
    """Pieces in float64."""
    for first in range(0, elements.numel(), CHUNK):
        yield elements[first : first + CHUNK].double()
