"""libdevice in Triton's interpreter: what each function computes, by torch or numpy. Types and shapes are those of Triton's own table of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as of_cuda
from triton.runtime import interpreter

from inductor_lab.judge.not_judged import NotJudged

Form = Callable[..., Any]


def wide(form: Form) -> Form:
    """In float64: rounded once, where the result is stored."""
    return lambda *values: form(*(x.double() if x.is_floating_point() else x for x in values))


def whole(round_: Form, kind: type) -> Form:
    """Rounded to a whole number, held in the bounds of its type; a NaN is 0."""
    bounds = np.iinfo(kind)

    def form(x: torch.Tensor) -> Any:
        rounded = round_(x.double()).nan_to_num(0.0).numpy()
        held = np.clip(rounded, float(bounds.min), np.nextafter(float(bounds.max) + 1, 0)).astype(kind)
        return np.where(rounded >= float(bounds.max), bounds.max, held)

    return form


def half_away(x: torch.Tensor) -> torch.Tensor:
    """To the nearest whole number, halves away from zero, as C's `round`."""
    return torch.copysign((x.double().abs() + 0.5).floor(), x.double())


def gamma(x: torch.Tensor) -> torch.Tensor:
    odd = (x < 0) & (x.floor() % 2 != 0)
    return torch.where(odd, -1.0, 1.0) * torch.lgamma(x).exp()


def cube_root(x: torch.Tensor) -> torch.Tensor:
    return torch.copysign(x.abs() ** (1 / 3), x)


def bits_of(x: torch.Tensor) -> np.ndarray:
    """The bits of whole numbers, the highest first, along a last axis."""
    data = x.numpy()
    octets = data[..., None].view(np.uint8)[..., ::-1]
    return np.unpackbits(octets, axis=-1).astype(np.int32)


def leading_zeros(x: torch.Tensor) -> np.ndarray:
    bits = bits_of(x)
    return np.where(bits.any(-1), bits.argmax(-1), bits.shape[-1])


def first_set(x: torch.Tensor) -> np.ndarray:
    bits = bits_of(x)
    return np.where(bits.any(-1), 1 + bits[..., ::-1].argmax(-1), 0)


def as_bits(kind: type) -> Form:
    return lambda x: x.numpy().view(kind)


SAME = (
    "abs", "ceil", "trunc", "floor", "sqrt", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "hypot", "erf", "erfc", "erfinv", "lgamma",
    "pow", "fmod", "copysign", "nextafter", "isnan", "isinf", "signbit",
)  # fmt: skip
"""Functions that torch has under the same name."""

FORMS: dict[str, Form] = {name: getattr(torch, name) for name in SAME} | {
    "add_rn": torch.add, "sub_rn": torch.sub, "mul_rn": torch.mul, "div_rn": torch.div, "sqrt_rn": torch.sqrt,
    "rsqrt_rn": wide(torch.rsqrt), "rcp_rn": wide(torch.reciprocal), "fast_dividef": torch.div,
    "fma": wide(lambda x, y, z: x * y + z), "fma_rn": wide(lambda x, y, z: x * y + z),
    "fast_sinf": torch.sin, "fast_cosf": torch.cos, "fast_tanf": torch.tan, "fast_tanhf": torch.tanh, "fast_expf": torch.exp,
    "fast_exp10f": wide(lambda x: 10.0**x), "fast_logf": torch.log, "fast_log2f": torch.log2, "fast_log10f": torch.log10, "fast_powf": torch.pow,
    "exp10": wide(lambda x: 10.0**x), "sinpi": wide(lambda x: torch.sin(math.pi * torch.fmod(x, 2.0))),
    "cospi": wide(lambda x: torch.cos(math.pi * torch.fmod(x, 2.0))),
    "cbrt": wide(cube_root), "rcbrt": wide(lambda x: 1 / cube_root(x)), "rhypot": wide(lambda x, y: 1 / torch.hypot(x, y)),
    "norm3d": wide(lambda *x: sum(each * each for each in x).sqrt()), "norm4d": wide(lambda *x: sum(each * each for each in x).sqrt()),
    "rnorm3d": wide(lambda *x: sum(each * each for each in x).rsqrt()), "rnorm4d": wide(lambda *x: sum(each * each for each in x).rsqrt()),
    "rint": torch.round, "nearbyint": torch.round, "round": half_away, "llrint": whole(torch.round, np.int64), "llround": whole(half_away, np.int64),
    "remainder": wide(lambda x, y: x - y * (x / y).round()), "fdim": lambda x, y: torch.where(x <= y, torch.zeros_like(x), x - y),
    "saturatef": lambda x: x.nan_to_num(0.0).clamp(0.0, 1.0), "ldexp": wide(torch.ldexp), "scalbn": wide(torch.ldexp),
    "logb": wide(lambda x: torch.frexp(x).exponent - 1.0), "ilogb": wide(lambda x: torch.frexp(x).exponent - 1),
    "tgamma": wide(gamma), "erfcinv": wide(lambda x: torch.erfinv(1 - x)), "erfcx": torch.special.erfcx,
    "normcdf": torch.special.ndtr, "normcdfinv": torch.special.ndtri,
    "cyl_bessel_i0": torch.special.i0, "cyl_bessel_i1": torch.special.i1, "j0": torch.special.bessel_j0, "j1": torch.special.bessel_j1,
    "y0": torch.special.bessel_y0, "y1": torch.special.bessel_y1, "finitef": torch.isfinite, "isfinited": torch.isfinite,
    "popc": lambda x: bits_of(x).sum(-1), "clz": leading_zeros, "ffs": first_set,
    "int_as_float": as_bits(np.float32), "uint_as_float": as_bits(np.float32), "longlong_as_double": as_bits(np.float64),
    "float_as_int": as_bits(np.int32), "float_as_uint": as_bits(np.uint32), "double_as_longlong": as_bits(np.int64),
}  # fmt: skip
"""A function's name in Triton -> what it computes. Those that round in another direction than to the nearest are none of them."""
_TYPES = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
_WAYS = {"rn": torch.round, "rz": torch.trunc, "rd": torch.floor, "ru": torch.ceil}
for _type, _kind in _TYPES.items():
    for _from in ("float", "double"):
        FORMS |= {f"{_from}2{_type}_{way}": whole(round_, _kind) for way, round_ in _WAYS.items()}
    FORMS |= {f"{_type}2{to}_rn": lambda x: x for to in ("float", "double")}
FORMS["double2float_rn"] = lambda x: x

_asked: list[str] = []


def install() -> None:
    """Every function of libdevice that a kernel may say, under each of its names."""
    for name, extern in vars(of_cuda).copy().items():
        if callable(extern) and tl.core.is_builtin(extern):
            for module in (libdevice, of_cuda):
                setattr(module, name, _called(name, extern))
    libdevice.isinfinite = libdevice.isinf
    interpreter.InterpreterBuilder.create_extern_elementwise = _computed


def _called(name: str, extern: Any) -> Any:
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
    name = _asked[-1] if _asked else symbol
    if name not in FORMS:
        raise NotJudged(f"not judged here: libdevice.{name} has no form in Triton's interpreter")
    values = [torch.from_numpy(np.ascontiguousarray(x.data)) for x in arguments]
    made = FORMS[name](*values)
    scalar = type_.scalar
    data = (made.numpy() if isinstance(made, torch.Tensor) else made).astype(interpreter._get_np_dtype(scalar))
    return interpreter.TensorHandle(data, scalar)
