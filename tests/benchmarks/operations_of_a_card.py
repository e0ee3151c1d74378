"""Operations of a kernel that the interpreter and a card must compute alike, with CUDA's bounds and what each is given: for `stand_ins_on_a_card.py`."""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Mask = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Operation:
    """One expression of a kernel, on arguments a, b, c."""

    name: str
    text: str
    takes: tuple[str, ...]
    gives: str
    ulp: float = 0.0
    """Units of the last place by which card and stand-in may differ: the card's bound, and the stand-in's own where it is not exact."""
    absolute: float = 0.0
    """Or by so much."""
    where: Mask | None = None
    """Arguments for which the bound holds; None for all."""
    subnormal: bool = True
    """False where libdevice itself is at odds with its flushing: lanes with a subnormal number are left out."""
    domain: str = "dense"


# ------------------------------------------------------------ what CUDA says


def bounds(**functions: str) -> dict[str, int]:
    """A function -> its bound, from what has the same bound: `of_2="exp sin"`."""
    return {name: int(bound.removeprefix("of_")) for bound, names in functions.items() for name in names.split()}


SINGLE = bounds(
    of_1="cbrt rcbrt expm1 log log2 log1p rsqrt_rn fma fma_rn",
    of_2="rsqrt exp exp2 exp10 log10 sin cos sinpi cospi atan cosh tanh erf erfinv rhypot rnorm3d rnorm4d fast_dividef",
    of_3="hypot norm3d norm4d acos atan2 sinh asinh atanh sqrt sqrt_rn",
    of_4="tan asin acosh erfc erfcx erfcinv",
    of_5="normcdf normcdfinv",
    of_6="lgamma cyl_bessel_i0 cyl_bessel_i1",
    of_9="pow j0 j1 y0 y1",
    of_11="tgamma",
)
"""CUDA C++ Programming Guide, Mathematical Functions: the largest error of single precision. What is not here is exact."""
DOUBLE = bounds(
    of_1="rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p rhypot rnorm3d rnorm4d cosh tanh fma fma_rn",
    of_2="hypot norm3d norm4d sin cos tan sinpi cospi asin acos atan atan2 sinh atanh pow",
    of_3="asinh acosh",
)
"""The same of double precision."""
LOOSE = bounds(
    of_16="erf erfinv lgamma cyl_bessel_i0 cyl_bessel_i1",
    of_64="erfcinv normcdfinv tgamma",
    of_256="erfc erfcx",
    of_4096="normcdf",
)
"""Double precision where scipy stands in, which is no more exact: far out in the tails of a distribution least."""
ABSOLUTE = {
    "float32": {**dict.fromkeys(("j0", "j1", "y0", "y1"), 2.2e-6), "lgamma": 1e-5},
    "float64": {**dict.fromkeys(("j0", "j1", "y0", "y1"), 1e-11), "lgamma": 1e-12},
}
"""Bessel functions for |x| > 8, lgamma near its roots and in its worst interval."""
FAST: dict[str, tuple[float, float, Mask | None]] = {
    "fast_expf": (110, 0, None), "fast_exp10f": (120, 0, None), "fast_powf": (400, 0, lambda a, b: (a > 1e-9) & (a < 1e9)),
    "fast_logf": (4, 2.0**-21, None), "fast_log2f": (3, 2.0**-21, None), "fast_log10f": (4, 2.0**-21, None),
    "fast_sinf": (0, 2.0**-20, lambda a: np.abs(a) <= np.pi), "fast_cosf": (0, 2.0**-20, lambda a: np.abs(a) <= np.pi),
    "fast_tanf": (0, 2.0**-19, lambda a: np.abs(a) <= 1.2), "fast_tanhf": (0, 2.0**-10, None),
}  # fmt: skip
"""Intrinsic functions: units of the last place (2 + |1.173 x| of __expf at its widest), an absolute error, and for which arguments."""
HERE: dict[str, Mask] = {
    **dict.fromkeys(("j0", "j1", "y0", "y1"), lambda x: np.abs(x) < 1e5),
    **dict.fromkeys(("cyl_bessel_i0", "cyl_bessel_i1"), lambda x: np.abs(x) < 700),
    **dict.fromkeys(("fma", "fma_rn"), lambda a, b, c: plain(a, b, c) & (np.abs(a * b + c) > 1e-3 * np.abs(a * b))),
}
"""Where a stand-in in double precision is no better: large arguments, products that cancel."""
AT_ODDS = {
    "cbrt", "rcbrt", "ldexp", "scalbn", "logb", "ilogb", "sinpi", "log1p", "expm1", "erfc", "erfcx", "normcdf", "normcdfinv", "pow", "tgamma",
    "fast_powf", "fmod", "remainder", "lgamma", "j0", "j1", "y0", "y1", "cyl_bessel_i1", "nextafter",
}  # fmt: skip
"""Functions of libdevice that flush in one place and not in the next: of a subnormal number cbrt is NaN, ldexp its double."""


# ------------------------------------------------------------ operations

FLOATS = ("float32", "float64", "float16", "bfloat16")
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64")


def of_libdevice() -> Iterator[Operation]:
    """Every function of libdevice that has a stand-in, under each of its types."""
    from inductor_lab.judge.interpreter import libdevice_functions

    for name, types in signatures().items():
        if name not in libdevice_functions.REAL_FORMS | libdevice_functions.OTHER_FORMS and name != "abs":
            continue
        for takes, gives in types.items():
            single = "float32" in takes
            ulp, absolute, where = FAST.get(name, (0.0, 0.0, None))
            if "float32" in takes or "float64" in takes:
                ulp = max(ulp, SINGLE.get(name, 0) if single else DOUBLE.get(name, 0) + LOOSE.get(name, 0))
                absolute = max(absolute, ABSOLUTE["float32" if single else "float64"].get(name, 0.0))
            if name == "pow" and takes[1] == "int32":  # multiplied again and again
                ulp, where = 64, lambda a, b: np.abs(b) < 20
            elif not single and name in HERE:
                where = HERE[name]
            domain = "small second" if len(takes) > 1 and takes[1] == "int32" else "dense"
            called = f"libdevice.{name}({', '.join('abcd'[: len(takes)])})"
            text = f"({called}).to(tl.int32)" if gives == "int32" else called
            yield Operation(
                f"libdevice.{name} of {', '.join(takes)}", text, takes, gives, ulp, absolute, where, single and name not in AT_ODDS, domain
            )  # fmt: skip


class NotedError(Exception):
    """What libdevice was asked for is known: nothing is built."""


@cache
def signatures() -> dict[str, dict[tuple[str, ...], str]]:
    """A function of libdevice -> the types of its arguments -> the type of its result, from Triton's own table.

    To be asked before anything stands in for libdevice.
    """
    from triton.language import core
    from triton.language.extra.cuda import libdevice

    noted: list[Mapping[tuple[Any, ...], tuple[str, Any]]] = []

    def note(library: str, path: str, arguments: Any, types: Any, **_: Any) -> Any:
        noted.append(types)
        raise NotedError

    found = {}
    real, core.extern_elementwise = core.extern_elementwise, note
    try:
        for name, function in list(vars(libdevice).items()):
            if callable(function) and core.is_builtin(function):
                count = sum(one.startswith("arg") for one in inspect.signature(function).parameters)
                with suppress(NotedError):
                    function(*[None] * count, _semantic=object())
                found[name] = {tuple(map(called, takes)): called(gives) for takes, (_, gives) in noted.pop().items()}
    finally:
        core.extern_elementwise = real
    return found


def called(dtype: Any) -> str:
    """A type's name in torch and numpy."""
    return {"fp32": "float32", "fp64": "float64"}.get(str(dtype), str(dtype))


def of_triton() -> Iterator[Operation]:
    """Operations of `tl` on one, two and three numbers, and conversions."""
    for name, ulp in {
        "exp2": 2,
        "log": 1,
        "log2": 1,
        "sin": 2,
        "cos": 2,
        "sqrt": 2,
        "rsqrt": 2,
        "erf": 2,
        "floor": 0,
        "ceil": 0,
    }.items():
        for dtype in ("float32", "float64"):
            loose = 8 if (name, dtype) == ("erf", "float64") else 0
            yield Operation(f"tl.{name} of {dtype}", f"tl.{name}(a)", (dtype,), dtype, ulp + loose)
    yield Operation("tl.exp of float32", "tl.exp(a)", ("float32",), "float32", 110)
    yield Operation("tl.exp of float64", "tl.exp(a)", ("float64",), "float64", 1)
    yield Operation("tl.sqrt_rn", "tl.sqrt_rn(a)", ("float32",), "float32")
    yield Operation("tl.div_rn", "tl.div_rn(a, b)", ("float32", "float32"), "float32")
    for dtype in FLOATS:
        two = (dtype, dtype)
        for sign in "+-*":
            yield Operation(f"a {sign} b of {dtype}", f"a {sign} b", two, dtype)
        yield Operation(f"a / b of {dtype}", "a / b", two, dtype, 2 if dtype == "float32" else 1)
        yield Operation(f"a % b of {dtype}", "a % b", two, dtype, 4 if dtype == "float64" else 0, where=near)
        for nan in ("", ", propagate_nan=tl.PropagateNan.ALL"):
            yield Operation(f"tl.maximum of {dtype}{nan}", f"tl.maximum(a, b{nan})", two, dtype)
            yield Operation(f"tl.minimum of {dtype}{nan}", f"tl.minimum(a, b{nan})", two, dtype)
            yield Operation(f"tl.clamp of {dtype}{nan}", f"tl.clamp(a, -1.5, 2.5{nan})", (dtype,), dtype)
        yield Operation(
            f"tl.fma of {dtype}",
            "tl.fma(a, b, c)",
            (*two, dtype),
            dtype,
            1 if dtype in ("float32", "float64") else 0,
            where=plain,
        )
        yield Operation(f"tl.abs of {dtype}", "tl.abs(a)", (dtype,), dtype)
        yield Operation(f"-a of {dtype}", "-a", (dtype,), dtype)
        yield Operation(
            f"comparisons of {dtype}",
            "(a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b)",
            two,
            "int32",
        )
        for to in (*WHOLE, "int1"):
            yield Operation(f"{dtype} to {to}", f"a.to(tl.{to})", (dtype,), "int32" if to == "int1" else to)
        for to in {*FLOATS, "float8e4nv", "float8e5"} - {dtype}:
            if not (dtype == "float64" and to.startswith("float8")):
                yield Operation(f"{dtype} to {to}", f"a.to(tl.{to})", (dtype,), to)
    for to in ("float16", "bfloat16"):
        yield Operation(f"float32 to {to}, cut off", f'a.to(tl.{to}, fp_downcast_rounding="rtz")', ("float32",), to)
    for dtype in WHOLE:
        two = (dtype, dtype)
        for sign in ("+", "-", "*", "&", "|", "^"):
            yield Operation(f"a {sign} b of {dtype}", f"a {sign} b", two, dtype)
        for sign in ("//", "%"):
            yield Operation(f"a {sign} b of {dtype}", f"a {sign} b", two, dtype, domain="divisors")
        for sign in ("<<", ">>"):
            yield Operation(f"a {sign} b of {dtype}", f"a {sign} b", two, dtype, domain="shifts")
        yield Operation(f"tl.maximum of {dtype}", "tl.maximum(a, b) - tl.minimum(a, b)", two, dtype)
        yield Operation(f"tl.abs of {dtype}", "tl.abs(a)", (dtype,), dtype)
        if dtype in ("int32", "int64", "uint32", "uint64"):
            yield Operation(f"tl.umulhi of {dtype}", "tl.umulhi(a, b)", two, dtype)
        for to in FLOATS:
            yield Operation(f"{dtype} to {to}", f"a.to(tl.{to})", (dtype,), to)


def near(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A quotient that float64 holds with room to spare."""
    return np.abs(a.astype(np.float64)) < np.abs(b.astype(np.float64)) * 2.0**20


def plain(*values: np.ndarray) -> np.ndarray:
    """Neither so large nor so small that a product leaves the type."""
    return np.logical_and.reduce([(np.abs(x) < 1e15) & ((np.abs(x) > 1e-15) | (x == 0)) for x in values])


ROWS = """
    i, j = tl.arange(0, 64), tl.arange(0, 256)
    a = tl.load(a_ptr + i[:, None] * 256 + j[None, :])
    tl.store(out_ptr + i, tl.max(a, 1))
    tl.store(out_ptr + 64 + i, tl.min(a, 1))
    tl.store(out_ptr + 128 + i, tl.argmax(tl.where(a == a, a, 0.0), 1).to(tl.float32))
    tl.store(out_ptr + 192 + i, tl.argmin(tl.where(a == a, a, 0.0), 1).to(tl.float32))
    tl.store(out_ptr + 256 + j, tl.max(a, 0))
"""
PRODUCT = """
    i = tl.arange(0, 64)
    a = tl.load(a_ptr + i[:, None] * 64 + i[None, :])
    b = tl.load(b_ptr + i[:, None] * 64 + i[None, :])
    tl.store(out_ptr + i[:, None] * 64 + i[None, :], tl.dot(a, b))
"""
DRAWN = """
    i = tl.arange(0, 4096)
    tl.store(out_ptr + i, tl.rand(7, i))
    tl.store(out_ptr + 4096 + i, tl.randint(7, i).to(tl.float32))
    tl.store(out_ptr + 8192 + tl.arange(0, 64), tl.histogram(i % 64, 64).to(tl.float32))
"""
WHOLE_KERNELS: dict[str, tuple[str, int]] = {
    "rows": (ROWS, 512),
    "product of ten bits": (PRODUCT, 4096),
    "drawn": (DRAWN, 8256),
}
"""Kernels as they are: what they do, and how many float32 they store. All of it is exact."""


def operations(pattern: str = "*") -> list[Operation]:
    return [one for one in (*of_triton(), *of_libdevice()) if fnmatch.fnmatch(one.name, pattern)]


# ------------------------------------------------------------ what they are given

KINDS: dict[str, Any] = {"float16": np.float16, "bfloat16": np.uint16, "float32": np.float32, "float64": np.float64}
SPECIAL = [
    0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5, 0.25, 0.75, 0.1, 1e-3, 10.0, 26.0, 27.0, 33.0, 35.0, 36.0, 88.7, 88.73, 89.0, 103.0, 104.0, 126.0, 126.5,
    127.5, 128.0, 149.0, 150.0, 170.0, 255.9, 300.0, 709.7, 709.8, 745.0, 1023.5, 1024.0, 1e10, 1e20, 1e30, 1e-10, 1e-20, 1e-30, 1e-38, 1e-40, 1e-45,
    32767.5, 32768.0, 65504.0, 65520.0, 65535.5, 2.0**23 - 0.5, 2.0**23 + 1, 2.0**24, 2.0**31 - 128, 2.0**31, 2.0**32 - 256, 2.0**32, 2.0**53, 2.0**62,
    2.0**63, 2.0**64, 2.0**126, 1.5 * 2.0**126, 2.0**-126, 3.4028235e38, 3.14159265, 6.2831853, 0.49999997, 0.99999994, 1.0000001, np.inf, np.nan,
]  # fmt: skip


def dense(dtype: str) -> np.ndarray:
    """A domain of one argument, as the interpreter holds the dtype: bfloat16 in bits."""
    if dtype in ("float16", "bfloat16"):
        return np.arange(1 << 16).astype(np.uint16).view(KINDS[dtype])
    if dtype == "float64":
        bits = np.arange(1 << 15).astype(np.uint64) * np.uint64((1 << 49) - 1)
        return np.concatenate([special(np.float64), bits.view(np.float64)])
    if dtype == "float32":
        every = np.arange(1 << 16).astype(np.uint16)
        narrow = [every.view(np.float16).astype(np.float32), as_floats(every, "bfloat16")]
        return np.concatenate(
            [special(np.float32), (np.arange(1 << 16) * 65521).astype(np.uint32).view(np.float32), *narrow]
        )
    bounds = np.iinfo(dtype)
    edges = [
        x
        for x in (*range(-40, 300), bounds.max // 2, bounds.max - 1, bounds.max, bounds.min, bounds.min + 1)
        if bounds.min <= x <= bounds.max
    ]
    powers = [2**k + d for k in range(bounds.bits) for d in (-1, 0, 1) if bounds.min <= 2**k + d <= bounds.max]
    drawn = np.random.default_rng(1).integers(bounds.min, bounds.max, 4096, dtype=dtype, endpoint=True)
    return np.concatenate([np.array(edges + powers, dtype), drawn])


def special(kind: type) -> np.ndarray:
    """Special values of both signs, and halves."""
    with np.errstate(all="ignore"):
        return np.array([*SPECIAL, *(-x for x in SPECIAL), *(np.arange(-400, 400) / 2)], kind)


def given(one: Operation) -> list[np.ndarray]:
    """The arguments of an operation: of several every special value beside every other, and many more beside each other."""
    first = dense(one.takes[0])
    if len(one.takes) == 1:
        return [first]
    draw = np.random.default_rng(2)
    few = [dense(dtype)[: 2 * len(SPECIAL)] if dtype.startswith("float") else dense(dtype)[::24] for dtype in one.takes]
    two = len(one.takes) == 2
    beside = [x.ravel() for x in np.meshgrid(*few, indexing="ij")] if two else [draw.choice(x, 20_000) for x in few]
    many = [draw.choice(dense(dtype), 20_000) for dtype in one.takes]
    usual = [near_one(dtype, draw) for dtype in one.takes]
    made = [np.concatenate(each) for each in zip(beside, many, usual, strict=True)]
    if one.domain == "divisors":
        made[1] = np.where(made[1] == 0, 1, made[1]).astype(made[1].dtype)
        if np.iinfo(made[0].dtype).min < 0:
            made[1] = np.where(made[1] == -1, 3, made[1]).astype(made[1].dtype)
    if one.domain == "shifts":
        made[1] = (made[1].astype(np.int64) & (8 * made[1].itemsize - 1)).astype(made[1].dtype)
    if one.domain == "small second":
        made[1] = (made[1] % 300).astype(made[1].dtype)
    return made


def near_one(dtype: str, draw: np.random.Generator) -> np.ndarray:
    """Numbers as they come in a model."""
    drawn = 4 * draw.standard_normal(20_000)
    if dtype == "bfloat16":
        return (drawn.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype in KINDS:
        return drawn.astype(KINDS[dtype])
    return np.abs(drawn).astype(dtype) if dtype.startswith("u") else drawn.astype(dtype)


def as_floats(x: np.ndarray, dtype: str) -> np.ndarray:
    return (x.astype(np.uint32) << 16).view(np.float32) if dtype == "bfloat16" else x
