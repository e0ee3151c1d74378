"""libdevice in Triton's interpreter: what each function computes, by numpy. Types and shapes are those of Triton's own table of it.

Functions of real numbers are in `functions`; here are conversions, bits, and how a kernel calls them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as of_cuda
from triton.runtime import interpreter

from inductor_lab.judge.interpreter import functions
from inductor_lab.judge.process.messages import NotJudged

Form = Callable[..., Any]
"""Arrays as the kernel has them in, one out; its dtype is the table's in the end."""


def to_whole(round_: Form, kind: type) -> Form:
    """A conversion: a subnormal float32 is 0 in whatever direction it rounds."""
    return lambda x: functions.whole(round_(functions.flushed(x)), kind)


def after(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`nextafter`: the neighbour of a float32 zero is the smallest number that is not subnormal."""
    x, y = functions.flushed(x), functions.flushed(y)
    made = np.nextafter(x, y)
    least = np.copysign(functions.SMALLEST, made) if x.dtype == np.float32 else made
    return np.where((x == 0) & (np.abs(made) > 0), least, made)


def whole_exponent(x: np.ndarray) -> np.ndarray:
    """`ilogb`: of 0 and NaN the least, of infinities the largest number."""
    bounds, x = np.iinfo(np.int32), functions.flushed(x)
    made = np.frexp(x)[1] - 1
    return np.where(np.isinf(x), bounds.max, np.where((x == 0) | np.isnan(x), bounds.min, made))


def bits_of(x: np.ndarray) -> np.ndarray:
    """The bits of whole numbers, the highest first, along a last axis."""
    octets = x[..., None].view(np.uint8)[..., ::-1]
    return np.unpackbits(octets, axis=-1).astype(np.int32)


def leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = bits_of(x)
    return np.where(bits.any(-1), bits.argmax(-1), bits.shape[-1])


def first_set(x: np.ndarray) -> np.ndarray:
    bits = bits_of(x)
    return np.where(bits.any(-1), 1 + bits[..., ::-1].argmax(-1), 0)


def as_bits(kind: type) -> Form:
    return lambda x: x.view(kind)


FORMS: dict[str, Form] = {
    "llrint": to_whole(np.rint, np.int64), "llround": to_whole(functions.half_away, np.int64), "ilogb": whole_exponent, "nextafter": after,
    "isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite, "signbit": np.signbit,
    "popc": lambda x: bits_of(x).sum(-1), "clz": leading_zeros, "ffs": first_set,
    "int_as_float": as_bits(np.float32), "uint_as_float": as_bits(np.float32), "longlong_as_double": as_bits(np.float64),
    "float_as_int": as_bits(np.int32), "float_as_uint": as_bits(np.uint32), "double_as_longlong": as_bits(np.int64),
    "double2float_rn": lambda x: functions.flushed(x.astype(np.float32)),
}  # fmt: skip
"""A function's name in Triton -> what it computes. Those that round in another direction than to the nearest are none of them."""
_TYPES = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
_WAYS: dict[str, Form] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
for _type, _kind in _TYPES.items():
    for _from in ("float", "double"):
        FORMS |= {f"{_from}2{_type}_{way}": to_whole(round_, _kind) for way, round_ in _WAYS.items()}
    FORMS |= {f"{_type}2{to}_rn": np.positive for to in ("float", "double")}

_asked: list[str] = []
_called: dict[str, Any] = {}


def install() -> None:
    """Every function of libdevice that a kernel may say, under each of its names."""
    for name, extern in vars(of_cuda).copy().items():
        if callable(extern) and core.is_builtin(extern):
            _called[name] = _callable(name, extern)
    _called["isinfinite"] = _called["isinf"]
    put_back()
    libdevice.STANDS_IN = __name__
    interpreter.InterpreterBuilder.create_extern_elementwise = _computed


def put_back() -> None:
    """The same again: a file that was ejected before this module was there has its own."""
    for name, call in _called.items():
        setattr(libdevice, name, call)
        setattr(of_cuda, name, call)


def form(name: str, *values: np.ndarray) -> np.ndarray:
    """What a function of libdevice computes.

    Raises:
        NotJudged: it has no form.
    """
    if name in functions.FORMS and values[0].dtype.kind == "f":
        return functions.computed(name, *values)
    if name == "abs":
        return np.abs(values[0])
    if name not in FORMS:
        raise NotJudged(f"not judged here: libdevice.{name} has no form in Triton's interpreter")
    return np.asarray(FORMS[name](*values))


def _callable(name: str, extern: Any) -> Any:
    """A function of libdevice as the interpreter can call it: it has no `_semantic` to give."""

    def call(*arguments: Any, **_: Any) -> Any:
        _asked.append(name)
        try:
            return extern(*arguments, _semantic=interpreter.interpreter_semantic)
        finally:
            _asked.pop()

    call.__name__ = name
    return call


def _computed(builder: Any, library: str, path: str, symbol: str, arguments: list[Any], type_: Any, pure: bool) -> Any:
    """`create_extern_elementwise`, which the interpreter does not have."""
    made = form(_asked[-1] if _asked else symbol, *(np.ascontiguousarray(x.data) for x in arguments))
    scalar = type_.scalar
    return interpreter.TensorHandle(made.astype(interpreter._get_np_dtype(scalar)), scalar)
