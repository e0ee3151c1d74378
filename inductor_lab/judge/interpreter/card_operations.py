"""Operations that the interpreter computes differently from a card, replaced by what PTX for sm_90 does.

| operation | numpy | card |
|---|---|---|
| maximum, minimum | a NaN wins; which zero is by the processor | a NaN is dropped unless it is to win; +0 is larger than -0 |
| clamp | a NaN stays; bits of bfloat16 as whole numbers | the lower bound for a NaN, unless it is to win |
| a % b of floats | exact | a - trunc(a / b) * b with one rounding, a for an infinite b |
| float to whole | undefined outside of the type | held in its bounds, those of 16 bits for 8; NaN is 0, or the highest bit alone where 64 bits are on a side |
| exp, log, sin, ... | by the processor | `libdevice_functions`: float32 rounded once, subnormals flushed as libdevice and `.ftz` do |
| umulhi | of signed numbers wrong | the numbers as unsigned ones |
| dot of float32 | all digits, in the order of the BLAS | 10 bits behind the point unless `input_precision` asks for more; sums here in one order, in float64 |
| histogram | in the dtype of the values, the upper bound included | int32, the upper bound outside |
| reductions, scans | element by element, in the dtype | as accurate as a card's trees, and in one order on every machine |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps, TensorHandle

from inductor_lab.judge.interpreter.libdevice_functions import WIDER, computed, whole

FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf", "floor", "ceil")
"""`tl.exp` and others: `create_exp` of the interpreter."""
TF32 = np.uint32(0xFFFFE000)
"""What a tensor core reads of a float32 (PTX ISA: the 13 lower bits of a .tf32 operand are ignored)."""

FIRST_PLACES = (tl.standard._argmax_combine_tie_break_left, tl.standard._argmin_combine_tie_break_left)
"""What `tl.argmax` and `tl.argmin` combine by."""
EXTREMES = {tl.standard._elementwise_max: np.fmax, tl.standard._elementwise_min: np.fmin}
WIDE = {tl.float32: (np.float64, tl.float64)}
"""In what a scan adds up, as eager on the CPU does."""


def install() -> None:
    for name in FUNCTIONS:
        setattr(InterpreterBuilder, f"create_{name}", _function(name))
    for name, binary in {"maxnumf": larger, "minnumf": smaller, "frem": rest, "umulhi": high_half}.items():
        setattr(InterpreterBuilder, f"create_{name}", _binary(binary))
    InterpreterBuilder.create_maximumf = _binary(partial(larger, of=np.maximum))
    InterpreterBuilder.create_minimumf = _binary(partial(smaller, of=np.minimum))
    InterpreterBuilder.create_clampf = _clamp
    InterpreterBuilder.create_fp_to_si = InterpreterBuilder.create_fp_to_ui = _to_whole
    InterpreterBuilder.create_dot = _dot
    InterpreterBuilder.create_histogram = _histogram
    ReduceOps.apply_impl = _reduced(ReduceOps.apply_impl)
    ReduceOps.generic_reduce = halved
    ScanOps.generic_scan = scanned_at_once
    ScanOps.cumsum = lambda scan, x: cumulated(scan, x, np.cumsum)
    ScanOps.cumprod = lambda scan, x: cumulated(scan, x, np.cumprod)


def _function(name: str) -> Callable[..., Any]:
    return lambda builder, x: builder.unary_op(x, partial(computed, name))


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda builder, a, b: builder.binary_op(a, b, function)


def larger(a: np.ndarray, b: np.ndarray, of: np.ufunc = np.fmax) -> Any:
    made = of(a, b)
    zeros = (made == 0) & (a == b)
    return np.where(zeros, a + b, made) if zeros.any() else made


def smaller(a: np.ndarray, b: np.ndarray, of: np.ufunc = np.fmin) -> Any:
    made = of(a, b)
    zeros = (made == 0) & (a == b)
    return np.where(zeros, -(-a - b), made) if zeros.any() else made


def rest(a: np.ndarray, b: np.ndarray) -> Any:
    """Whole numbers as C has it; floats in the wider type, where a product is exact."""
    if a.dtype.kind != "f":
        return np.fmod(a, b)
    narrow = np.promote_types(a.dtype, np.float32)
    wide = WIDER[narrow]
    times = np.trunc((a / b).astype(narrow) if narrow == a.dtype else a.astype(narrow) / b.astype(narrow))
    return np.where(np.isinf(b), a, (a.astype(wide) - times.astype(wide) * b).astype(a.dtype))


def high_half(a: np.ndarray, b: np.ndarray) -> Any:
    """Of the product of two numbers without signs."""
    bits = 8 * a.itemsize
    x, y = (each.view(f"u{each.itemsize}").astype(np.uint64) for each in (a, b))
    if bits < 64:
        return (x * y >> np.uint64(bits)).astype(f"u{a.itemsize}").view(a.dtype)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    middle = (x >> half) * (y & low) + ((x & low) * (y & low) >> half)
    carried = (x & low) * (y >> half) + (middle & low)
    return ((x >> half) * (y >> half) + (middle >> half) + (carried >> half)).view(a.dtype)


def _clamp(builder: Any, x: Any, low: Any, high: Any, propagate_nan: Any) -> Any:
    if propagate_nan == interpreter._ir.PROPAGATE_NAN.ALL:
        return builder.create_minimumf(builder.create_maximumf(x, low), high)
    return builder.create_minnumf(builder.create_maxnumf(x, low), high)


def _to_whole(builder: Any, source: Any, type_: Any) -> Any:
    """`cvt.rzi`, which has no registers of 8 bits."""
    kind = interpreter._get_np_dtype(type_.scalar)
    register = np.promote_types(kind, "i2" if kind.kind == "i" else "u2")
    return TensorHandle(whole(np.trunc(source.data), register.type).astype(kind), type_.scalar)


def _dot(builder: Any, a: Any, b: Any, to: Any, precision: Any, *rest: Any) -> Any:
    """Exact products summed up in float64, or in 64 bits, and rounded once. numpy's own loops have one order; a BLAS has one a processor."""
    factors = [_factor(x, precision == interpreter._ir.INPUT_PRECISION.TF32) for x in (a, b)]
    made = np.einsum("...ik,...kj->...ij", *factors) + to.data
    return TensorHandle(made.astype(to.data.dtype), to.dtype.scalar)


def _factor(x: Any, tf32: bool) -> Any:
    """The numbers that are multiplied, in the type in which they are."""
    scalar, data = x.dtype.scalar, x.data
    if scalar.is_int():
        return data.astype(np.int64)
    if scalar == tl.bfloat16 or scalar.is_fp8():  # held as bits
        data = interpreter._convert_float(data, scalar, tl.float32, None).view(np.float32)
    if tf32 and scalar == tl.float32:
        data = (np.ascontiguousarray(data).view(np.uint32) & TF32).view(np.float32)
    return data.astype(np.float64)


def _histogram(builder: Any, data: Any, bins: int, mask: Any) -> Any:
    values = data.data if mask is None else data.data[mask.data]
    held = values[(values >= 0) & (values < bins)]
    return TensorHandle(np.bincount(held.astype(np.int64), minlength=bins).astype(np.int32), tl.int32)


# ------------------------------------------------------------ reductions and scans


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
