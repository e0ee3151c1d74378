"""libdevice in Triton's interpreter: functions as a card computes them, by numpy, with the same bits on every machine.

float32 is computed in float64 and rounded once, float64 where numpy has it in long double: whatever a processor's vectors, its mathematical
library or the number of threads do to the last bit of the wider type, the rounded result is another one in a few hundred million at most.

What is given for NaN, infinities and zeros is the libdevice user's guide's. Triton links libdevice so that it takes a subnormal float32 for a
zero of its sign and gives none (`nvvm-reflect-ftz`), but in the functions of `TAKES` and `GIVES`; plain arithmetic in a kernel keeps them.
Types and shapes are those of Triton's own table of libdevice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as of_cuda
from triton.runtime import interpreter

from inductor_lab.judge.interpreter.interface import NotJudged

Form = Callable[..., Any]
"""Arrays in, one out: of a wider type where the result is rounded once; else as the kernel has them, and its dtype is the table's in the end."""
SMALLEST = np.float32(2.0**-126)
"""The smallest float32 that is not subnormal."""
WIDER: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.float64),
    np.dtype(np.float64): np.dtype(np.longdouble),
}


def computed(name: str, *values: np.ndarray) -> np.ndarray:
    """A function of `REAL_FORMS`, in the dtype of its first argument; others may be whole numbers."""
    taken = values if name in TAKES else tuple(map(flushed, values))
    made = np.asarray(REAL_FORMS[name](*taken)) if name in EXACT else _rounded(REAL_FORMS[name], *taken)
    return made if name in GIVES else flushed(made)


def _rounded(form: Form, *values: np.ndarray) -> np.ndarray:
    """In the wider type, and rounded once."""
    dtype = values[0].dtype
    wider = WIDER[dtype]
    if isinstance(form, np.ufunc) and len(values) == 1:  # a piece at a time, which stays in the cache
        return form(*values, out=np.empty_like(values[0]), dtype=wider, casting="same_kind")
    made = form(*(x.astype(wider) if x.dtype.kind == "f" else x for x in values))
    return np.asarray(made).astype(dtype)


def flushed(x: np.ndarray) -> np.ndarray:
    """Subnormal float32 as zeros of their sign."""
    if x.dtype != np.float32:
        return x
    small = np.abs(x) < SMALLEST  # zeros among them stay as they are
    return np.where(small, np.copysign(np.float32(0), x), x) if small.any() else x


def whole(x: np.ndarray, kind: type) -> np.ndarray:
    """Whole numbers in floats held in the bounds of a type, as `cvt` of the PTX ISA holds them.

    A NaN is 0, but the highest bit alone where either side has 64 bits.
    """
    bounds = np.iinfo(kind)
    low, above = float(bounds.min), float(bounds.max) + 1
    inside = (x >= low) & (x < above)
    if inside.all():
        return x.astype(kind)
    odd = 1 << bounds.bits - 1 if 8 in (x.itemsize, bounds.bits // 8) else 0
    held: np.ndarray = np.where(inside, x, 0).astype(kind)
    held[x >= above], held[x < low] = bounds.max, bounds.min
    held[np.isnan(x)] = np.uint64(odd).astype(kind)
    return held


def special(name: str) -> Form:
    """A function of scipy's, which has them in float64 at most; it is imported when one is asked for."""

    def form(x: np.ndarray) -> Any:
        import scipy.special

        return getattr(scipy.special, name)(np.asarray(x, np.float64))

    return form


# ------------------------------------------------------------ functions of real numbers


def half_away(x: np.ndarray) -> Any:
    """To the nearest whole number, halves away from zero, as C's `round`."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


def of_half_turns(x: np.ndarray, quarters: int) -> Any:
    """The sine of x half turns and so many quarters: exactly 0 or 1 in size where it is; no -0 but for sin(-n)."""
    x = np.fmod(x, 2.0)
    nearest = np.rint(2 * x)
    rest = (x - nearest / 2) * math.pi
    quarter = np.nan_to_num(nearest).astype(np.int64) + quarters
    made = np.where(quarter % 2 == 0, np.sin(rest), np.cos(rest))
    made = np.where(quarter % 4 >= 2, -made, made)
    return np.where(made == 0, np.copysign(0.0, x) if quarters == 0 else 0.0, made)


def remainder(x: np.ndarray, y: np.ndarray) -> Any:
    """x less the nearest whole multiple of y, of two the even one; exact, as IEEE 754 has it."""
    size = np.abs(y)
    rest = np.abs(np.fmod(x, 2 * size))
    nearer = rest - np.where(2 * rest > size, size, 0.0)
    nearer -= np.where((2 * rest > size) & (2 * nearer >= size), size, 0.0)
    return np.where(np.signbit(x), -nearer, nearer)


def norm(*values: np.ndarray) -> Any:
    """A root of a sum of squares: no overflow on the way, and infinite beside a NaN too."""
    made = values[0]
    for each in values[1:]:
        made = np.hypot(made, each)
    return made


def gamma(x: np.ndarray) -> Any:
    """NaN at the poles, as CUDA has it, but infinities at both zeros."""
    pole = (x < 0) & (x == np.floor(x))
    return np.where(pole, np.nan, special("gamma")(x))


def log_gamma(x: np.ndarray) -> Any:
    return np.where(np.isinf(x), np.inf, special("gammaln")(x))


def approximate_quotient(x: np.ndarray, y: np.ndarray) -> Any:
    """`__fdividef`: 0 where 1 / y would be subnormal, and NaN where x is infinite besides."""
    return np.where(np.abs(y) > 2.0**126, x * np.copysign(0.0, y), x / y)


def bessel(name: str, limit: Form) -> Form:
    """One of scipy's, which has a NaN at infinities, where this is the limit."""
    return lambda x: np.where(np.isinf(x), limit(x), special(name)(x))


def odd(form: Form) -> Form:
    """With the sign of its argument, which scipy drops of a zero."""
    return lambda x: np.copysign(form(x), x)


def reciprocal_root(x: np.ndarray) -> Any:
    return 1 / np.sqrt(x)


def exponent(x: np.ndarray) -> Any:
    """The exponent as a number: -inf of 0, and what is not finite without its sign."""
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), np.frexp(x)[1] - 1.0, np.abs(x)))


REAL_FORMS: dict[str, Form] = {
    "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint, "round": half_away,
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.float_power(10.0, x), "expm1": np.expm1,
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    "sinpi": lambda x: of_half_turns(x, 0), "cospi": lambda x: of_half_turns(x, 1),
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sqrt": np.sqrt, "rsqrt": reciprocal_root, "cbrt": np.cbrt, "rcbrt": lambda x: 1 / np.cbrt(x), "pow": np.float_power,
    "hypot": norm, "norm3d": norm, "norm4d": norm, **dict.fromkeys(("rhypot", "rnorm3d", "rnorm4d"), lambda *x: 1 / norm(*x)),
    "fmod": np.fmod, "remainder": remainder, "fdim": lambda x, y: np.where(x <= y, 0.0, x - y), "fma": lambda x, y, z: x * y + z,
    "copysign": np.copysign, "ldexp": np.ldexp, "scalbn": np.ldexp, "logb": exponent, "saturatef": lambda x: np.fmin(np.fmax(x, 0.0), 1.0) + 0.0,
    **{name: special(name) for name in ("erf", "erfc", "erfcx")}, "erfinv": odd(special("erfinv")), "erfcinv": lambda x: special("erfcinv")(x) + 0.0,
    "normcdf": special("ndtr"), "normcdfinv": special("ndtri"), "lgamma": log_gamma, "tgamma": gamma,
    **{name: bessel(name, np.zeros_like) for name in ("j0", "j1")}, **{name: bessel(name, reciprocal_root) for name in ("y0", "y1")},
    "cyl_bessel_i0": bessel("i0", np.abs), "cyl_bessel_i1": odd(bessel("i1", np.positive)),
    "add_rn": np.add, "sub_rn": np.subtract, "mul_rn": np.multiply, "div_rn": np.divide, "rcp_rn": lambda x: 1 / x,
    "fast_dividef": approximate_quotient, "fast_exp10f": lambda x: np.float_power(10.0, x), "fast_tanf": np.tan, "fast_tanhf": np.tanh,
    "fast_powf": lambda x, y: np.exp2(y * np.log2(x)),
}  # fmt: skip
"""A function of libdevice by its name in Triton -> what it computes of real numbers."""
REAL_FORMS |= {f"fast_{name}f": REAL_FORMS[name] for name in ("sin", "cos", "exp", "log", "log2", "log10")}
REAL_FORMS |= {f"{name}_rn": REAL_FORMS[name] for name in ("sqrt", "rsqrt", "fma")}
EXACT = {
    "abs", "floor", "ceil", "trunc", "rint", "nearbyint", "copysign", "ldexp", "scalbn", "fmod", "fdim", "saturatef",
    "sqrt", "sqrt_rn", "add_rn", "sub_rn", "mul_rn", "div_rn", "rcp_rn",
}  # fmt: skip
"""Functions whose result every processor rounds alike, or has as it is: in the type itself."""
TAKES = {"log", "log2", "log10", "pow", "erfinv", "fdim", "copysign", "logb", "ldexp", "scalbn", "cyl_bessel_i1"}
"""Functions to which a subnormal float32 is what it is."""
GIVES = {
    "exp", "exp10", "rhypot", "rnorm3d", "rnorm4d", "fmod", "remainder", "tgamma", "erfinv", "fdim", "copysign", "ldexp", "scalbn", "j1",
}  # fmt: skip
"""Functions that give one."""


# ------------------------------------------------------------ conversions and bits


def to_whole(round_: Form, kind: type) -> Form:
    """A conversion: a subnormal float32 is 0 in whatever direction it rounds."""
    return lambda x: whole(round_(flushed(x)), kind)


def after(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`nextafter`: the neighbour of a float32 zero is the smallest number that is not subnormal."""
    x, y = flushed(x), flushed(y)
    made = np.nextafter(x, y)
    least = np.copysign(SMALLEST, made) if x.dtype == np.float32 else made
    return np.where((x == 0) & (np.abs(made) > 0), least, made)


def whole_exponent(x: np.ndarray) -> np.ndarray:
    """`ilogb`: of 0 and NaN the least, of infinities the largest number."""
    bounds, x = np.iinfo(np.int32), flushed(x)
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


OTHER_FORMS: dict[str, Form] = {
    "llrint": to_whole(np.rint, np.int64), "llround": to_whole(half_away, np.int64), "ilogb": whole_exponent, "nextafter": after,
    "isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite, "signbit": np.signbit,
    "popc": lambda x: bits_of(x).sum(-1), "clz": leading_zeros, "ffs": first_set,
    "int_as_float": as_bits(np.float32), "uint_as_float": as_bits(np.float32), "longlong_as_double": as_bits(np.float64),
    "float_as_int": as_bits(np.int32), "float_as_uint": as_bits(np.uint32), "double_as_longlong": as_bits(np.int64),
    "double2float_rn": lambda x: flushed(x.astype(np.float32)),
}  # fmt: skip
"""A function's name in Triton -> what it computes. Those that round in another direction than to the nearest are none of them."""
_TYPES = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
_WAYS: dict[str, Form] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
for _type, _kind in _TYPES.items():
    for _from in ("float", "double"):
        OTHER_FORMS |= {f"{_from}2{_type}_{way}": to_whole(round_, _kind) for way, round_ in _WAYS.items()}
    OTHER_FORMS |= {f"{_type}2{to}_rn": np.positive for to in ("float", "double")}


# ------------------------------------------------------------ how a kernel calls them

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
    if name in REAL_FORMS and values[0].dtype.kind == "f":
        return computed(name, *values)
    if name == "abs":
        return np.abs(values[0])
    if name not in OTHER_FORMS:
        raise NotJudged(f"not judged here: libdevice.{name} has no form in Triton's interpreter")
    return np.asarray(OTHER_FORMS[name](*values))


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
