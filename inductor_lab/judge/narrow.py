"""bfloat16 in Triton's interpreter: it holds bits and would add, compare and sum them up as whole numbers. Also fused and atomic operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps, TensorHandle

BITS = {tl.bfloat16: tl.float32}
"""What the interpreter holds as bits -> in what its arithmetic is done, and rounded after each operation."""
UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def install() -> None:
    InterpreterBuilder.binary_op = _in_floats(InterpreterBuilder.binary_op, 2)
    InterpreterBuilder.unary_op = _in_floats(InterpreterBuilder.unary_op, 1)
    InterpreterBuilder.create_fma = _fused
    InterpreterBuilder.get_bf16 = lambda builder, value: _narrowed(np.array([value], np.float32), tl.bfloat16)
    InterpreterBuilder.create_atomic_rmw = _atomic(InterpreterBuilder.create_atomic_rmw)
    InterpreterBuilder.cast_impl = _cast(InterpreterBuilder.cast_impl)
    ReduceOps.apply_impl = _element_wise(ReduceOps.apply_impl)
    ReduceOps.generic_reduce = _flattened(ReduceOps.generic_reduce)
    ScanOps.cumsum = _scanned(ScanOps.cumsum)
    ScanOps.cumprod = _scanned(ScanOps.cumprod)
    interpreter._convert_float = _cut_off(interpreter._convert_float)


def _wide(x: Any) -> Any:
    """The data of a handle as floats."""
    scalar = x.dtype.scalar
    return interpreter._convert_float(x.data, scalar, BITS[scalar], None).view(np.float32) if scalar in BITS else x.data


def _narrowed(data: np.ndarray, scalar: Any) -> Any:
    """Floats as a handle of a dtype that is held as bits."""
    made = interpreter._convert_float(data.astype(np.float32), tl.float32, scalar, None)
    return TensorHandle(made.view(interpreter._get_np_dtype(scalar)), scalar)


def _in_floats(operation: Callable[..., Any], count: int) -> Callable[..., Any]:
    """An operation on so many operands: of bits in floats, and rounded; of anything else as it is."""

    def call(builder: Any, *operands: Any) -> Any:
        handles, (function,) = operands[:count], operands[count:]
        scalar = handles[0].dtype.scalar
        if scalar not in BITS:
            return operation(builder, *operands)
        made = function(*map(_wide, handles))
        return TensorHandle(made, scalar) if made.dtype == np.bool_ else _narrowed(made, scalar)

    return call


def _fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """Rounded once, as on a GPU; in float64 a product of two float32 is exact."""
    made = _wide(x).astype(np.float64) * _wide(y) + _wide(z)
    scalar = z.dtype.scalar
    return _narrowed(made, scalar) if scalar in BITS else TensorHandle(made.astype(z.data.dtype), scalar)


def _cast(cast: Callable[..., Any]) -> Callable[..., Any]:
    """Whole numbers and float64 into a dtype that is held as bits."""

    def call(builder: Any, source: Any, type_: Any) -> Any:
        if type_.scalar in BITS and source.dtype.scalar not in (*BITS, tl.float32):
            return _narrowed(source.data, type_.scalar)
        return cast(builder, source, type_)

    return call


def _cut_off(convert: Callable[..., Any]) -> Callable[..., Any]:
    """`fp_downcast_rounding="rtz"`: what does not fit is cut off."""

    def call(x: Any, of: Any, to: Any, rounding: Any) -> Any:
        if rounding == interpreter._ir.ROUNDING_MODE.RTZ and (of, to) == (tl.float32, tl.bfloat16):
            return (np.ascontiguousarray(x).view(np.uint32) >> 16).astype(np.uint16)
        return convert(x, of, to, rounding)

    return call


# ------------------------------------------------------------ along an axis


def _element_wise(apply: Callable[..., Any]) -> Callable[..., Any]:
    """numpy's own sum and argmax are of no use on bits: they are combined as the kernel says."""

    def call(reduction: Any, inputs: Any) -> Any:
        if any(x.dtype.scalar in BITS for x in inputs):
            return reduction.generic_reduce(inputs)
        return apply(reduction, inputs)

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


def _scanned(scan: Callable[..., Any]) -> Callable[..., Any]:
    def call(scanning: Any, one: Any) -> Any:
        return scanning.generic_scan((one,)) if one.dtype.scalar in BITS else scan(scanning, one)

    return call


# ------------------------------------------------------------ atomics


def _atomic(rmw: Callable[..., Any]) -> Callable[..., Any]:
    """An exchange of floats is one of their bits; bfloat16 is added here."""

    def call(builder: Any, operation: Any, pointer: Any, value: Any, mask: Any, order: Any, scope: Any) -> Any:
        scalar = value.dtype.scalar
        if operation == interpreter._ir.ATOMIC_OP.FADD and scalar in BITS:
            return TensorHandle(_added(pointer.data, value, np.broadcast_to(mask.data, value.data.shape)), scalar)
        if operation == interpreter._ir.ATOMIC_OP.XCHG and scalar.is_floating():
            whole = UNSIGNED[value.data.itemsize]
            bits = TensorHandle(np.ascontiguousarray(value.data).view(whole), getattr(tl, np.dtype(whole).name))
            made = rmw(builder, operation, pointer, bits, mask, order, scope)
            return TensorHandle(made.data.view(value.data.dtype), scalar)
        return rmw(builder, operation, pointer, value, mask, order, scope)

    return call


def _added(pointers: Any, value: Any, mask: Any) -> Any:
    """Each value is added in turn, and what stood there before is handed back: in each round at most one for an address."""
    places, values = np.array(np.broadcast_to(pointers, value.data.shape)).ravel(), _wide(value).ravel()
    active = mask.ravel()
    order = np.argsort(places, kind="stable")
    first = np.r_[True, places[order][1:] != places[order][:-1]]
    turn = np.empty(len(places), np.int64)
    turn[order] = np.arange(len(places)) - np.maximum.accumulate(np.where(first, np.arange(len(places)), 0))
    before = np.zeros(len(places), value.data.dtype)
    for number in range(int(turn.max()) + 1):
        mine = (turn == number) & active
        nothing = np.zeros(len(places), value.data.dtype)
        held = interpreter._interpreter.load(places, mine, nothing, value.data.dtype)
        made = _narrowed(_wide(TensorHandle(held, value.dtype.scalar)) + values, value.dtype.scalar)
        interpreter._interpreter.store(places, made.data, mine)
        before = np.where(mine, held, before)
    return before.reshape(value.data.shape)
