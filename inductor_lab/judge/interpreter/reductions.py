"""Reductions and scans in Triton's interpreter: as accurate as a card's trees, and in one order on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import ReduceOps, ScanOps

FIRST_PLACES = (tl.standard._argmax_combine_tie_break_left, tl.standard._argmin_combine_tie_break_left)
"""What `tl.argmax` and `tl.argmin` combine by."""
EXTREMES = {tl.standard._elementwise_max: np.fmax, tl.standard._elementwise_min: np.fmin}
WIDE = {tl.float32: (np.float64, tl.float64)}
"""In what a scan adds up, as eager on the CPU does."""


def install() -> None:
    ReduceOps.apply_impl = _reduced(ReduceOps.apply_impl)
    ReduceOps.generic_reduce = halved
    ScanOps.generic_scan = scanned_at_once
    ScanOps.cumsum = lambda scan, x: cumulated(scan, x, np.cumsum)
    ScanOps.cumprod = lambda scan, x: cumulated(scan, x, np.cumprod)


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


def halved(reduction: Any, inputs: Any) -> Any:
    """Halves are combined, as a GPU's lanes are, until one is left; the interpreter itself goes element by element.

    Without an axis, over all elements.
    """
    if reduction.axis is None:
        flat = tuple(reduction.to_tensor(x.handle.data.flatten(), x.dtype) for x in inputs)
        made = halved(ReduceOps(0, reduction.combine_fn, False), flat)
        shape = (1,) * inputs[0].handle.data.ndim if reduction.keep_dims else ()
        return [reduction.to_tensor(x.handle.data.reshape(shape), x.dtype) for x in made]
    parts, dtypes = [x.handle.data for x in inputs], [x.dtype for x in inputs]
    combine = reduction.combine_fn.rewrite()
    while parts[0].shape[reduction.axis] > 1:
        halves = [np.split(part, 2, reduction.axis) for part in parts]
        made = combine(*map(reduction.to_tensor, sum(zip(*halves, strict=True), ()), dtypes * 2))
        parts = [x.handle.data for x in (made if isinstance(made, tuple) else (made,))]
    kept = parts if reduction.keep_dims else [part.squeeze(reduction.axis) for part in parts]
    return [reduction.to_tensor(part, dtype) for part, dtype in zip(kept, dtypes, strict=True)]


def scanned_at_once(scan: Any, inputs: Any) -> Any:
    """Each element is combined with what ends 1, 2, 4 ... before it, for all rows at once; the interpreter goes element by element."""
    made = [WIDE.get(x.dtype, (x.handle.data.dtype, x.dtype)) for x in inputs]
    parts = [x.handle.data.astype(dtype) for x, (dtype, _) in zip(inputs, made, strict=True)]
    size, step, combine = parts[0].shape[scan.axis], 1, scan.combine_fn.rewrite()
    places = np.arange(size).reshape([-1 if axis == scan.axis % parts[0].ndim else 1 for axis in range(parts[0].ndim)])
    while step < size:
        shifted = [np.roll(part, step, scan.axis) for part in parts]
        both = [scan.to_tensor(x, dtype) for x, (_, dtype) in zip((*shifted, *parts), (*made, *made), strict=True)]
        found = combine(*both)
        found = found if isinstance(found, tuple) else (found,)
        parts = [np.where(places < step, part, new.handle.data) for part, new in zip(parts, found, strict=True)]
        step *= 2
    return [scan.to_tensor(part.astype(x.handle.data.dtype), x.dtype) for part, x in zip(parts, inputs, strict=True)]


def cumulated(scan: Any, x: Any, function: Callable[..., Any]) -> Any:
    """float32 in float64, since the interpreter adds up one after another; narrower floats as a GPU does, rounded at each step."""
    if x.dtype in (tl.float16, tl.bfloat16):
        return scan.generic_scan((x,))
    wide = np.float64 if x.dtype.is_floating() else x.handle.data.dtype
    return [scan.to_tensor(function(x.handle.data, scan.axis, wide), x.dtype)]
