"""bfloat16 in Triton's interpreter: it holds bits and would add, compare and clamp them as whole numbers. Also fp8, fused and atomic operations.

1.006 as bfloat16      1.0 by the interpreter, which cuts bits off -> 1.0078125, as on a GPU
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from inductor_lab.judge.interpreter.interface import Taken, taken
from inductor_lab.judge.interpreter.libdevice_functions import WIDER

BITS = {tl.bfloat16: tl.float32}
"""What the interpreter holds as bits -> in what its arithmetic is done, and rounded after each operation."""
BY_TORCH = {tl.bfloat16: torch.bfloat16, tl.float8e5: torch.float8_e5m2, tl.float8e4nv: torch.float8_e4m3fn}
"""What torch rounds to the nearest, as a GPU does; the interpreter cuts bfloat16 off, and rounds halves up."""
LARGEST = {tl.float8e4nv: np.float32(448), tl.float8e5: np.float32(57344)}
PAD_NAN, PAD_ZERO = interpreter._ir.PADDING_OPTION.PAD_NAN, interpreter._ir.PADDING_OPTION.PAD_ZERO
UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def install() -> None:
    InterpreterBuilder.binary_op = _in_floats(InterpreterBuilder.binary_op, 2)
    InterpreterBuilder.unary_op = _in_floats(InterpreterBuilder.unary_op, 1)
    InterpreterBuilder.create_fma = _fused
    InterpreterBuilder.get_bf16 = lambda builder, value: _narrowed(np.array([value], np.float32), tl.bfloat16)
    InterpreterBuilder.create_atomic_rmw = _atomic(InterpreterBuilder.create_atomic_rmw)
    InterpreterBuilder.cast_impl = _cast(InterpreterBuilder.cast_impl)
    blocks: dict[str, Callable[..., Any]] = {
        "create_tensor_pointer_load": _block_pointer, "create_descriptor_load": _descriptor,
    }  # fmt: skip
    for name, block in blocks.items():
        if takes := taken.get(f"InterpreterBuilder.{name}"):  # Triton 3.8 has no block pointers
            setattr(InterpreterBuilder, name, _padded(getattr(InterpreterBuilder, name), takes, block))
    interpreter._convert_float = _converted(interpreter._convert_float)


def _wide(x: Any) -> Any:
    """The data of a handle as floats."""
    scalar = x.dtype.scalar
    return interpreter._convert_float(x.data, scalar, BITS[scalar], None).view(np.float32) if scalar in BITS else x.data


def _narrowed(data: np.ndarray, scalar: Any) -> Any:
    """Numbers as a handle of a dtype that is held as bits, rounded once."""
    floats = data if data.dtype == np.float32 else _odd(data)
    made = interpreter._convert_float(floats, tl.float32, scalar, None)
    return TensorHandle(made.view(interpreter._get_np_dtype(scalar)), scalar)


def _odd(data: np.ndarray) -> np.ndarray:
    """float32 of wider numbers: what does not fit leaves its trace in the last bit, so that the next rounding errs no more."""
    data = data if data.dtype == np.float64 else data.astype(np.longdouble)
    near = data.astype(np.float32)
    even = np.isfinite(near) & (near != data) & (near.view(np.int32) % 2 == 0)
    return np.where(even, np.nextafter(near, np.where(data > near, np.inf, -np.inf).astype(np.float32)), near)


def _in_floats(operation: Callable[..., Any], count: int) -> Callable[..., Any]:
    """An operation on so many operands: of bits in floats, and rounded; of anything else as it is."""

    def call(builder: Any, *operands: Any) -> Any:
        handles, (function,) = operands[:count], operands[count:]
        scalar = handles[0].dtype.scalar
        if scalar in BITS:
            made = function(*map(_wide, handles))
            return TensorHandle(made, tl.int1) if made.dtype == np.bool_ else _narrowed(made, scalar)
        handle = operation(builder, *operands)
        if handle.data.dtype == np.bool_:  # a comparison, which the interpreter has in the dtype of what is compared
            handle.dtype = tl.int1
        return handle

    return call


def _fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """Rounded once, as on a GPU; in float64 a product of two float32 is exact."""
    wide = WIDER.get(z.data.dtype, np.float64)
    made = _wide(x).astype(wide) * _wide(y) + _wide(z)
    scalar = z.dtype.scalar
    return _narrowed(made, scalar) if scalar in BITS else TensorHandle(made.astype(z.data.dtype), scalar)


def _cast(cast: Callable[..., Any]) -> Callable[..., Any]:
    """Whole numbers and float64 into a dtype that is held as bits."""

    def call(builder: Any, source: Any, type_: Any) -> Any:
        if type_.scalar in BITS and source.dtype.scalar not in (*BITS, tl.float32):
            return _narrowed(source.data, type_.scalar)
        return cast(builder, source, type_)

    return call


def _converted(convert: Callable[..., Any]) -> Callable[..., Any]:
    """Floats of another width by way of float32, into fp8 held in its bounds (`cvt.rn.satfinite`), and cut off where the kernel asks for it."""

    def call(x: Any, of: Any, to: Any, rounding: Any) -> Any:
        if of == tl.float64:
            x, of = _odd(x), tl.float32
        elif tl.float32 not in (of, to):
            return call(x.astype(np.float32) if of == tl.float16 else widened(x, of), tl.float32, to, rounding)
        if to == tl.float32:
            return widened(x, of)
        if rounding == interpreter._ir.ROUNDING_MODE.RTZ:
            return _cut_off(x, to)
        x = np.clip(x, -LARGEST[to], LARGEST[to]) if to in LARGEST else x
        if to == tl.float16:
            return x.astype(np.float16)
        return _by_torch(x, to) if to in BY_TORCH else convert(x, of, to, rounding)

    def widened(x: Any, of: Any) -> Any:
        if of not in BY_TORCH:
            return convert(x, of, tl.float32, None).view(np.float32)
        bits = torch.from_numpy(x.view(np.uint8 if x.itemsize == 1 else np.int16).copy())
        return bits.view(BY_TORCH[of]).float().numpy()

    return call


def _by_torch(x: np.ndarray, to: Any) -> Any:
    """float32 as the bits of a narrower dtype."""
    made = torch.from_numpy(x.copy()).to(BY_TORCH[to])
    return made.view(torch.uint8).numpy() if made.itemsize == 1 else made.view(torch.int16).numpy().view(np.uint16)


def _cut_off(x: np.ndarray, to: Any) -> Any:
    """`fp_downcast_rounding="rtz"`: the bits that do not fit are gone; e5m2 by way of float16, of which it is the upper half."""
    if to == tl.bfloat16:
        return np.where(np.isnan(x), 0x7FFF, np.ascontiguousarray(x).view(np.uint32) >> 16).astype(np.uint16)
    near = x.astype(np.float16)
    made = np.where(np.abs(near) > np.abs(x), np.nextafter(near, np.float16(0)), near)
    return made if to == tl.float16 else (made.view(np.uint16) >> 8).astype(np.uint8)


def _padded(load: Callable[..., Any], takes: Taken, block: Callable[..., Any]) -> Callable[..., Any]:
    """NaN in the lanes of a block that are outside, which the interpreter would write as whole numbers."""

    def call(*arguments: Any, **options: Any) -> Any:
        given, named = takes.call(arguments, options)
        padding, source, places, zeros = block(*takes.of(given))
        if padding != PAD_NAN or source.base.get_element_ty() not in BITS:
            return load(*given, **named)
        takes.put(given, **zeros)
        loaded, (_, mask) = load(*given, **named), source.materialize_pointers(places)
        nan = _narrowed(np.array(np.nan, np.float32), loaded.dtype).data
        return TensorHandle(np.where(np.asarray(mask.data), loaded.data, nan), loaded.dtype)

    return call


def _block_pointer(pointer: Any, checked: Any, padding: Any) -> tuple[Any, ...]:
    """How it is padded, what it reads, where, and what asks for zeros instead."""
    return padding, pointer, checked, {"padding_option": PAD_ZERO}


def _descriptor(descriptor: Any, indices: Any) -> tuple[Any, ...]:
    zeros = copy(descriptor)
    zeros.padding = PAD_ZERO
    return descriptor.padding, descriptor, indices, {"desc": zeros}


# ------------------------------------------------------------ atomics


def _atomic(rmw: Callable[..., Any]) -> Callable[..., Any]:
    """An exchange of floats is one of their bits; bfloat16 is added here.

    The interpreter's atomics read one element after another; what is broadcast lies there once.
    """

    def call(builder: Any, operation: Any, pointer: Any, value: Any, mask: Any, order: Any, scope: Any) -> Any:
        scalar = value.dtype.scalar
        if operation == interpreter._ir.ATOMIC_OP.FADD and scalar in BITS:
            return TensorHandle(_added(pointer.data, value, np.broadcast_to(mask.data, value.data.shape)), scalar)
        pointer, value, mask = (TensorHandle(np.ascontiguousarray(x.data), x.dtype) for x in (pointer, value, mask))
        if operation == interpreter._ir.ATOMIC_OP.XCHG and scalar.is_floating():
            whole = UNSIGNED[value.data.itemsize]
            bits = TensorHandle(value.data.view(whole), getattr(tl, np.dtype(whole).name))
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
