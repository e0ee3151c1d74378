"""The two sides of everything that a kernel compares, for given inputs: what `compares` of an ejected file says, as differences."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType, SimpleNamespace

import torch
from torch import Tensor

from inductor_lab.judge.alone import Exact

File = ModuleType | SimpleNamespace


def compared(file: File, values: Mapping[str, Tensor], *, exact: bool = False) -> list[tuple[str, Tensor, Tensor]]:
    """(what, left, right) of each comparison, both sides as tensors; none where a file compares nothing.

    Args:
        values: What the kernel reads, by name; in float64 where `exact` says that dtypes do not round.
    """
    function = getattr(file, "compares", None)
    if function is None:
        return []
    read = [values[name] for name in file.TAKES]
    if exact:
        with Exact():
            rows = function(*read)
    else:
        rows = function(*read)
    return [(what, *sides(left, right)) for what, left, right in rows]


def sides(left: Tensor | float, right: Tensor | float) -> tuple[Tensor, Tensor]:
    """Both as tensors; a number is in the dtype of what it is compared with."""
    one, other = (side for side in (left, right))
    if not isinstance(one, Tensor):
        one = torch.as_tensor(one, dtype=other.dtype if isinstance(other, Tensor) else None)
    if not isinstance(other, Tensor):
        fits = not one.dtype.is_floating_point and isinstance(other, float)  # a whole number beside a fraction
        other = torch.as_tensor(other, dtype=torch.float64 if fits else one.dtype)
    return one, other.to(one.device)


def difference(left: Tensor, right: Tensor) -> Tensor:
    """Left less right, exactly enough to tell its sign: whole numbers as such, floats in float64."""
    if left.is_floating_point() or right.is_floating_point():
        return left.double() - right.double()
    return left.long() - right.long()
