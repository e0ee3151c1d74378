"""Whether a value is 0 by itself where its elements do not exist, so that nothing need take it out of a sum.

    x = tl.load(x_ptr + r, inside_r, other=0.0)
    tl.sum(tl.where(inside_r, x * x, 0.0), 1)                          tl.sum(x * x, 1)
    accumulator = tl.where(inside_r, accumulator + x, accumulator)     accumulator = accumulator + x

+0.0 is meant: -0.0 added to -0.0 is another sum. What is infinite or NaN times 0 is neither.
"""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Inside, Load, Named, Operation


def vanishes(value: Expression, axes: Collection[str]) -> bool:
    """Whether a value is +0.0, or 0, for all that lies beyond the end of one of the axes."""
    match value:
        case Constant(value=number):
            return repr(number) in {"0", "0.0"}
        case Load(mask=mask, other=Constant(value=other)):
            ends = {test.axis for test in conjuncts(mask) if isinstance(test, Inside)}
            return repr(other) in {"0", "0.0"} and ends.issuperset(axes)
        case Cast(operand=operand) | Broadcast(operand=operand) | Named(inputs=(operand,)):
            return vanishes(operand, axes)
        case Operation(name="mul", inputs=(one, other)):
            return any(
                vanishes(a, axes) and (_is_plain(b) or vanishes(b, axes)) for a, b in ((one, other), (other, one))
            )
        case Operation(name="div", inputs=(one, Constant(value=by))):
            return vanishes(one, axes) and by > 0
        case Operation(name="where", inputs=(_, one, other)):
            return vanishes(one, axes) and vanishes(other, axes)
        case Operation(name=name, inputs=inputs) if name in TABLE and TABLE[name].vanishes:
            return all(vanishes(each, axes) for each in inputs)
    return False


def _is_plain(factor: Expression) -> bool:
    """Whether 0 times a factor is +0.0: a number above 0, or what a test gives."""
    match factor:
        case Constant(value=number):
            return number > 0 and isfinite(number)
        case Cast(operand=operand) | Broadcast(operand=operand):
            return _is_plain(operand)
    return factor.dtype == "bool"
