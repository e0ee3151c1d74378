"""What a row's sums are once they are divided by how many elements they are of.

tl.sum(x, 1) / 768                             mean
tl.sum((x - mean) * (x - mean), 1) / 768       variance         also by one less
tl.sum(x * x, 1) / 768                         mean_square
rsqrt(variance + 1e-05)                        rstd
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, prod

from inductor_lab.computation.folds import plain
from inductor_lab.computation.tree import Cast, Constant, Expression, Operation, Reduction, Size

DIVIDED = {("sum", ""), ("welford", "m2")}
"""Folds that are divided, and which of their results."""


def statistic(value: Expression, numel: Mapping[str, int | str]) -> str:
    """The word for a value; empty for any other.

    Args:
        numel: The elements along each axis.
    """
    match bare(value):
        case Operation(name="div", inputs=(total, by)):
            return _divided(bare(total), bare(by), numel)
        case Operation(name="mul", inputs=(total, by)) if isinstance(share := bare(by), Constant) and share.value:
            return _divided(bare(total), 1 / float(share.value), numel)
        case Operation(name="rsqrt", inputs=(spread,)):
            match bare(spread):
                case Operation(name="add", inputs=(spread, other)) if isinstance(bare(other), Constant):
                    return "rstd" if statistic(spread, numel) == "variance" else ""
    return ""


def _divided(total: Expression, by: Expression | float, numel: Mapping[str, int | str]) -> str:
    if not isinstance(total, Reduction) or total.group is not None or (total.name, total.part) not in DIVIDED:
        return ""
    sizes = [numel.get(axis) for axis in total.over]
    if isinstance(by, Size):
        whole, less = sizes == [by.name], False
    else:
        number = float(by.value) if isinstance(by, Constant) else by if isinstance(by, float) else 0.0
        count = prod(size if isinstance(size, int) else 0 for size in sizes)
        whole, less = isclose(number, count), isclose(number, count - 1)
    found = "variance" if total.part else _summed(bare(total.inputs[0]), numel)
    return found if whole or (less and found == "variance") else ""


def _summed(value: Expression, numel: Mapping[str, int | str]) -> str:
    """What the sum of such values is, divided by their number."""
    match value:
        case Operation(name="mul", inputs=(one, other)) if bare(one) is bare(other):
            match bare(one):
                case Operation(name="sub", inputs=(_, middle)) if statistic(middle, numel) == "mean":
                    return "variance"
            return "mean_square"
    return "mean"


def bare(value: Expression) -> Expression:
    """The value without casts, broadcasts and masks."""
    while isinstance(value := plain(value), Cast):
        value = value.operand
    return value
