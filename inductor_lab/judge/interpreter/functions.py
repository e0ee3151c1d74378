"""Functions of real numbers as a card computes them, with the same bits on every machine.

float32 is computed in float64 and rounded once, float64 where numpy has it in long double: whatever a processor's vectors, its mathematical
library or the number of threads do to the last bit of the wider type, the rounded result is another one in a few hundred million at most.

What is given for NaN, infinities and zeros is the libdevice user's guide's. Triton links libdevice so that it takes a subnormal float32 for a
zero of its sign and gives none (`nvvm-reflect-ftz`), but in the functions of `TAKES` and `GIVES`; plain arithmetic in a kernel keeps them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Form = Callable[..., Any]
"""Arrays of a wider type in, one out."""
SMALLEST = np.float32(2.0**-126)
"""The smallest float32 that is not subnormal."""
WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.float64): np.dtype(np.longdouble)}


def computed(name: str, *values: np.ndarray) -> np.ndarray:
    """A function of `FORMS`, in the dtype of its first argument; others may be whole numbers."""
    taken = values if name in TAKES else tuple(map(flushed, values))
    made = np.asarray(FORMS[name](*taken)) if name in EXACT else _rounded(FORMS[name], *taken)
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
    held = np.where(inside, x, 0).astype(kind)
    held[x >= above], held[x < low] = bounds.max, bounds.min
    held[np.isnan(x)] = np.uint64(odd).astype(kind)
    return held


def special(name: str) -> Form:
    """A function of scipy's, which has them in float64 at most; it is imported when one is asked for."""

    def form(x: np.ndarray) -> Any:
        import scipy.special

        return getattr(scipy.special, name)(np.asarray(x, np.float64))

    return form


# ------------------------------------------------------------ forms


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


FORMS: dict[str, Form] = {
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
FORMS |= {f"fast_{name}f": FORMS[name] for name in ("sin", "cos", "exp", "log", "log2", "log10")}
FORMS |= {f"{name}_rn": FORMS[name] for name in ("sqrt", "rsqrt", "fma")}
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
