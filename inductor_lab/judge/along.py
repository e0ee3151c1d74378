"""Reductions and scans in Triton's interpreter: as accurate as a card's trees, and in one order on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import ReduceOps

FIRST_PLACES = (tl.standard._argmax_combine_tie_break_left, tl.standard._argmin_combine_tie_break_left)
"""What `tl.argmax` and `tl.argmin` combine by."""

EXTREMES = {tl.standard._elementwise_max: np.fmax, tl.standard._elementwise_min: np.fmin}


def install() -> None:
    ReduceOps.apply_impl = _reduced(ReduceOps.apply_impl)
    ReduceOps.generic_reduce = _flattened(ReduceOps.generic_reduce)


def _reduced(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Whole numbers as numpy does it; floats as the kernel says.

    A card's `tl.max` drops a NaN, and its `tl.argmax` drops one or what stood before it, by their places: the kernel's comparisons say so.
    """

    def call(reduction: Any, inputs: Any) -> Any:
        first = inputs[0]
        if not first.dtype.is_floating():
            return apply(reduction, inputs)
        data = first.handle.data
        if data.dtype.kind == "f":  # else bits
            if reduction.combine_fn in FIRST_PLACES and not np.isnan(data).any():
                return apply(reduction, inputs)
            if reduction.combine_fn in EXTREMES:
                made = EXTREMES[reduction.combine_fn].reduce(data, reduction.axis, keepdims=reduction.keep_dims)
                if np.all(made != 0):  # else which zero it is depends on the order
                    return [reduction.to_tensor(made, first.dtype)]
            if reduction.combine_fn == tl.standard._sum_combine and first.dtype.primitive_bitwidth >= 32:
                made = np.sum(data, reduction.axis, np.float64, keepdims=reduction.keep_dims)
                return [reduction.to_tensor(made, first.dtype)]
        return reduction.generic_reduce(inputs)

    return call


def _flattened(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Without an axis, over all elements."""

    def call(reduction: Any, inputs: Any) -> Any:
        if reduction.axis is not None:
            return reduce(reduction, inputs)
        flat = tuple(reduction.to_tensor(x.handle.data.flatten(), x.dtype) for x in inputs)
        made = reduce(ReduceOps(0, reduction.combine_fn, False), flat)
        shape = (1,) * inputs[0].handle.data.ndim if reduction.keep_dims else ()
        return [reduction.to_tensor(x.handle.data.reshape(shape), x.dtype) for x in made]

    return call
