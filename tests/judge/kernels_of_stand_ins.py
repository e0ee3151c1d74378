"""What a kernel may use and Triton's interpreter lacks, each as a small kernel: run by `test_stand_ins.py` where TRITON_INTERPRET=1.

Prints one JSON document: what was tried -> "" or the error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import torch
import triton
import triton.language as tl

from inductor_lab.judge import stand_ins
from inductor_lab.judge.interpreter import libdevice_functions
from inductor_lab.judge.interpreter.interface import NotJudged

stand_ins.install()

from triton.language.extra import libdevice  # noqa: E402

TRIED: dict[str, Callable[[], None]] = {}
torch.manual_seed(0)
X, Y = torch.randn(256), torch.randn(256)
FLAT = torch.arange(4096)


def tried(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(function: Callable[[], None]) -> Callable[[], None]:
        TRIED[name] = function
        return function

    return add


def same(made: torch.Tensor, want: torch.Tensor) -> None:
    assert torch.equal(made, want), f"{made.flatten()[:4].tolist()} for {want.flatten()[:4].tolist()}"


# ------------------------------------------------------------ bfloat16, rounded after each operation


@triton.jit
def binary(a_ptr, b_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 256)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    if WHAT == "add":
        made = a + b
    elif WHAT == "sub":
        made = a - b
    elif WHAT == "mul":
        made = a * b
    elif WHAT == "neg":
        made = -a
    elif WHAT == "larger":
        made = tl.where(a > b, a, b)
    elif WHAT == "maximum":
        made = tl.maximum(a, b)
    elif WHAT == "fma":
        made = tl.fma(a, b, a)
    elif WHAT == "number":
        made = a * 0.3 + 1.5
    elif WHAT == "cut off":
        made = (a.to(tl.float32) * 1.001).to(tl.bfloat16, fp_downcast_rounding="rtz").to(a.dtype)
    elif WHAT == "from float64":
        made = (a.to(tl.float64) * 1.001).to(a.dtype)
    elif WHAT == "from whole":
        made = (i * 3 - 300).to(a.dtype)
    tl.store(out_ptr + i, made)


BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "neg": lambda a, b: -a,
    "larger": torch.maximum,
    "maximum": torch.maximum,
    "fma": lambda a, b: (a.double() * b.double() + a.double()).to(a.dtype),
    "number": lambda a, b: a * torch.tensor(0.3, dtype=a.dtype) + 1.5,
    "from float64": lambda a, b: (a.double() * 1.001).to(a.dtype),
    "from whole": lambda a, b: (torch.arange(256) * 3 - 300).to(a.dtype),
}


def of_two(what: str, dtype: torch.dtype) -> Callable[[], None]:
    def run() -> None:
        a, b, out = X.to(dtype), Y.to(dtype), torch.empty(256, dtype=dtype)
        binary[(1,)](a, b, out, what)
        same(out, BINARY[what](a, b))

    return run


for each in BINARY:
    TRIED[f"bfloat16 {each}"] = of_two(each, torch.bfloat16)
    TRIED[f"float16 {each}"] = of_two(each, torch.float16)


@tried("bfloat16 cut off")
def cut_off() -> None:
    a, out = X.bfloat16(), torch.empty(256, dtype=torch.bfloat16)
    binary[(1,)](a, a, out, "cut off")
    same(out.float().view(torch.int32), (a.float() * 1.001).view(torch.int32) & -65536)


@triton.jit
def larger_of_pairs(value, place, other, its_place):
    return tl.where(value > other, value, other), tl.where(value > other, place, its_place)


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def along(a_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    a = tl.load(a_ptr + i)
    if WHAT == "sum":
        made = tl.sum(a, 1)
    elif WHAT == "max":
        made = tl.max(a, 1)
    elif WHAT == "argmax":
        made = tl.argmax(a, 1).to(a.dtype)
    elif WHAT == "cumsum":
        made = tl.max(tl.cumsum(a, 1), 1)
    elif WHAT == "scan from the end":
        made = tl.max(tl.associative_scan(a, 1, added, reverse=True), 1)
    elif WHAT == "own reduction":
        value, place = tl.reduce((a, i), 1, larger_of_pairs)
        made = value + (place * 0).to(a.dtype)
    elif WHAT == "without an axis":
        made = tl.full([64], 0.0, a.dtype) + tl.reduce(a, None, added)
    tl.store(out_ptr + tl.arange(0, 64), made)


ALONG: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda x: x.sum(1),
    "max": lambda x: x.amax(1),
    "argmax": lambda x: x.argmax(1).double(),
    "cumsum": lambda x: x.cumsum(1).amax(1),
    "scan from the end": lambda x: x.flip(1).cumsum(1).amax(1),
    "own reduction": lambda x: x.amax(1),
    "without an axis": lambda x: x.sum().expand(64),
}


def along_rows(what: str, dtype: torch.dtype) -> Callable[[], None]:
    def run() -> None:
        a, out = torch.rand(64, 64).to(dtype), torch.empty(64, dtype=dtype)
        along[(1,)](a, out, what)
        want = ALONG[what](a.double())
        assert ((out.double() - want).abs() <= 8 * torch.finfo(dtype).eps * want.abs()).all(), (out[:4], want[:4])

    return run


for each in ALONG:
    for dtype in (torch.float32, torch.bfloat16):
        TRIED[f"{dtype} {each}"] = along_rows(each, dtype)


@triton.jit
def atomic(a_ptr, out_ptr, before_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 64)
    a = tl.load(a_ptr + i)
    if WHAT == "add":
        tl.store(before_ptr + i, tl.atomic_add(out_ptr + i % 4, a, mask=i < 60))
    else:
        tl.store(before_ptr + i, tl.atomic_xchg(out_ptr + i, a))


@tried("atomic addition of bfloat16")
def atomic_addition() -> None:
    a, out, before = torch.full((64,), 3.0).bfloat16(), torch.ones(64).bfloat16(), torch.empty(64).bfloat16()
    atomic[(1,)](a, out, before, "add")
    same(out[:5], torch.tensor([46.0, 46.0, 46.0, 46.0, 1.0]).bfloat16())
    same(before[:60:4], (1 + 3 * torch.arange(15)).bfloat16())


@tried("atomic exchange of floats")
def atomic_exchange() -> None:
    for dtype in (torch.float32, torch.float64):
        a, out, before = X[:64].to(dtype), Y[:64].to(dtype).clone(), torch.empty(64, dtype=dtype)
        atomic[(1,)](a, out, before, "xchg")
        same(torch.stack([out, before]), torch.stack([a, Y[:64].to(dtype)]))


# ------------------------------------------------------------ what a card computes, and numpy otherwise


def exactly(made: torch.Tensor, want: torch.Tensor | list[float]) -> None:
    """Equal, NaN to NaN and -0 to -0."""
    made, want = made.double(), torch.as_tensor(want, dtype=torch.float64)
    alike = (made.isnan() & want.isnan()) | ((made == want) & (made.signbit() == want.signbit()))
    assert bool(alike.all()), f"{made.tolist()[:8]} for {want.tolist()[:8]}"


NAN, INF = math.nan, math.inf


@triton.jit
def extremes(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.maximum(a, b))
    tl.store(out_ptr + N + i, tl.minimum(a, b))
    tl.store(out_ptr + 2 * N + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 3 * N + i, tl.clamp(a, 0.0, 1.0))
    tl.store(out_ptr + 4 * N + i, tl.clamp(a, 0.0, 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 5 * N + i, tl.max(a, 0) + b * 0)
    tl.store(out_ptr + 6 * N + i, tl.min(a, 0) + b * 0)


@tried("NaN and zeros of both signs in maximum, minimum, clamp")
def nan_in_extremes() -> None:
    """PTX: `max.f32` drops a NaN and takes +0 for the larger zero, `max.NaN.f32` keeps it."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        a = torch.tensor([NAN, 1.0, -0.0, 0.0, NAN, -3.0, INF, 0.5]).to(dtype)
        b = torch.tensor([2.0, NAN, 0.0, -0.0, NAN, -3.0, 1.0, 0.25]).to(dtype)
        out = torch.empty(56, dtype=dtype)
        extremes[(1,)](a, b, out, 8)
        rows = out.view(7, 8)
        exactly(rows[0], [2.0, 1.0, 0.0, 0.0, NAN, -3.0, INF, 0.5])
        exactly(rows[1], [2.0, 1.0, -0.0, -0.0, NAN, -3.0, 1.0, 0.25])
        exactly(rows[2], [NAN, NAN, 0.0, 0.0, NAN, -3.0, INF, 0.5])
        exactly(rows[3][[0, 1, 4, 5, 6, 7]], [0.0, 1.0, 0.0, 0.0, 1.0, 0.5])
        exactly(rows[4][[0, 1, 4, 5, 6, 7]], [NAN, 1.0, NAN, 0.0, 1.0, 0.5])
        exactly(rows[5][[0, 2]], [INF, INF])
        exactly(rows[6][[0, 2]], [-3.0, -3.0])


@triton.jit
def larger_or_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL).to(a.dtype)


@triton.jit
def largest_or_nan(a_ptr, out_ptr, N: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(a, 0, larger_or_nan))
    tl.store(out_ptr + 1, tl.max(a, 0))


@tried("NaN in a reduction that keeps it and in one that drops it")
def nan_in_reductions() -> None:
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        out = torch.empty(2, dtype=dtype)
        for values in ([1.0, NAN, 3.0, 2.0], [NAN, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, NAN]):
            largest_or_nan[(1,)](torch.tensor(values, dtype=dtype), out, 4)
            exactly(out, [NAN, 3.0])


@triton.jit
def between(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    inside = 0.0 < a <= 2.0
    tl.store(out_ptr + i, tl.where(inside, 1.0, 0.0))
    tl.store(out_ptr + N + i, tl.where(0.0 < a <= 2.0, 1.0, 0.0))
    both = 0.0 < a <= 2.0 and not 0.5 < a <= 1.5
    tl.store(out_ptr + 2 * N + i, tl.where(both, 1.0, 0.0))


@tried("comparisons in a chain")
def chained() -> None:
    if not hasattr(tl, "atomic_load"):
        return  # before Triton 3.9 the compiler refuses them
    out = torch.empty(12)
    between[(1,)](torch.tensor([-1.0, 1.0, 1.25, 2.5]), out, 4)
    exactly(out, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


@triton.jit
def largest_place(a_ptr, out_ptr, N: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, N))
    value, place = tl.max(a, 0, return_indices=True)
    tl.store(out_ptr, value)
    tl.store(out_ptr + 1, place.to(tl.float32))


@tried("argmax of rows with a NaN and with ties")
def nan_in_argmax() -> None:
    """No NaN is larger than another value, and of none is another larger: it comes and goes by its place, as a card's lanes are combined."""
    out = torch.empty(2)
    for values, want in {(1.0, 7.0, 7.0, 2.0): [7.0, 1.0], (NAN, 7.0, 1.0, 2.0): [7.0, 1.0], (1.0, 2.0, NAN, 0.0): [2.0, 1.0]}.items():  # fmt: skip
        largest_place[(1,)](torch.tensor(values), out, 4)
        exactly(out, want)


@triton.jit
def cast(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(a_ptr + i).to(out_ptr.dtype.element_ty))


def as_cast(values: list[float], of: torch.dtype, to: torch.dtype) -> torch.Tensor:
    out = torch.empty(len(values), dtype=to)
    cast[(1,)](torch.tensor(values, dtype=torch.float64).to(of), out, len(values))
    return out


@tried("floats outside of a whole number's type")
def floats_outside() -> None:
    """PTX, `cvt.rzi`: held in the bounds, of 16 bits where there are 8; NaN is 0, or the highest bit where 64 bits are on a side."""
    given = [NAN, INF, -INF, 3e9, -3e9, 300.0, -1.7, 0.99]
    for of in (torch.float32, torch.bfloat16, torch.float64):
        wide = of == torch.float64
        assert as_cast(given, of, torch.int32).tolist() == [
            -(2**31) * wide,
            2**31 - 1,
            -(2**31),
            2**31 - 1,
            -(2**31),
            300,
            -1,
            0,
        ]
        assert as_cast(given, of, torch.int64).tolist()[:3] == [-(2**63), 2**63 - 1, -(2**63)]
        assert as_cast(given, of, torch.int8).tolist()[1:] == [-1, 0, -1, 0, 44, -1, 0]
        assert as_cast(given, of, torch.uint8).tolist()[1:] == [255, 0, 255, 0, 44, 0, 0]


@tried("conversions are rounded once")
def rounded_once() -> None:
    halfway = 2.0**30 + 2.0**22  # between two of bfloat16; what is above by a bit of float64 goes up
    exactly(
        as_cast([halfway, halfway + 1, -halfway - 1, 1.0], torch.float64, torch.bfloat16),
        [2.0**30, 2.0**30 + 2.0**23, -(2.0**30) - 2.0**23, 1.0],
    )
    exactly(
        as_cast([halfway, halfway + 1, -halfway - 1, 1.0], torch.int64, torch.bfloat16),
        [2.0**30, 2.0**30 + 2.0**23, -(2.0**30) - 2.0**23, 1.0],
    )


@tried("fp8 is held in its bounds")
def fp8() -> None:
    """PTX: `cvt.rn.satfinite`."""
    given = [500.0, -1e6, INF, NAN, 0.3, -0.0, 448.0, 1e-9]
    for of in (torch.float32, torch.float16, torch.bfloat16):
        for to in (torch.float8_e4m3fn, torch.float8_e5m2):
            most = torch.finfo(to).max
            want = torch.tensor(given).to(of).float().clamp(-most, most).to(to).float()
            exactly(as_cast(given, of, to).float(), want)


@triton.jit
def remainders(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(a_ptr + i) % tl.load(b_ptr + i))


@tried("remainder of floats")
def remainder_of_floats() -> None:
    """PTX that LLVM emits for `frem`: `div.rn`, `cvt.rzi`, `fma.rn`, and the first for an infinite second."""
    out = torch.empty(8)
    a, b = [5.5, -5.5, 1e10, INF, 3.0, 0.0, -4.0, NAN], [2.0, 2.0, 3.0, 2.0, INF, 0.0, 2.0, INF]
    remainders[(1,)](torch.tensor(a), torch.tensor(b), out, 8)
    exactly(out, [1.5, -1.5, 256.0, NAN, 3.0, NAN, 0.0, NAN])


@triton.jit
def of_whole(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.umulhi(a, b))
    tl.store(out_ptr + N + i, a // b)
    tl.store(out_ptr + 2 * N + i, a % b)


@tried("high halves, quotients and remainders of whole numbers")
def whole_numbers() -> None:
    draw = np.random.default_rng(0)
    for bits in (32, 64):
        signed = draw.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), (2, 64), dtype=f"int{bits}")
        a, b = signed.tolist()
        out = torch.empty(192, dtype=getattr(torch, f"int{bits}"))
        of_whole[(1,)](torch.from_numpy(signed[0].copy()), torch.from_numpy(signed[1].copy()), out, 64)
        high, quotient, rest = out.view(3, 64).tolist()
        assert [x % 2**bits for x in high] == [(x % 2**bits) * (y % 2**bits) >> bits for x, y in zip(a, b, strict=True)]
        assert quotient == [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b, strict=True)]
        assert rest == [x - y * q for x, y, q in zip(a, b, quotient, strict=True)]


@triton.jit
def counts(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(out_ptr + tl.arange(0, 16), tl.histogram(a, 16))
    tl.store(out_ptr + 16 + tl.arange(0, 16), tl.histogram(a, 16, mask=i < 40))


@tried("histogram")
def histogram() -> None:
    out = torch.empty(32, dtype=torch.int32)
    drawn = torch.randint(0, 16, (512,), generator=torch.Generator().manual_seed(1)).int()
    counts[(1,)](drawn, out, 512)
    same(out.long(), torch.cat([torch.bincount(drawn, minlength=16), torch.bincount(drawn[:40], minlength=16)]))


@triton.jit
def flushing(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(out_ptr + i, tl.sqrt(a))
    tl.store(out_ptr + N + i, tl.rsqrt(a))
    tl.store(out_ptr + 2 * N + i, tl.floor(a))
    tl.store(out_ptr + 3 * N + i, tl.exp2(a * 0.0 - 130.0))
    tl.store(out_ptr + 4 * N + i, tl.log(a))
    tl.store(out_ptr + 5 * N + i, tl.sqrt_rn(a))


@tried("subnormal numbers")
def subnormal() -> None:
    """Where PTX says `.ftz` they are zeros of their sign."""
    least = 2.0**-149
    out = torch.empty(12)
    flushing[(1,)](torch.tensor([least, -least]), out, 2)
    exactly(out[:8], [0.0, -0.0, INF, -INF, 0.0, -0.0, 0.0, 0.0])
    exactly(out[8:], [float(np.float32(-149 * math.log(2))), NAN, float(np.sqrt(np.float32(least))), NAN])


@triton.jit
def product(a_ptr, b_ptr, out_ptr, N: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), input_precision=PRECISION))


@tried("a tensor core reads ten bits of float32")
def tf32() -> None:
    a, b = 1 + torch.arange(256.0).view(16, 16) * 2.0**-12, torch.randint(-4, 5, (16, 16)).float()
    for precision, read in {"ieee": a, "tf32": (a * 1024).trunc() / 1024}.items():
        out = torch.empty(16, 16)
        product[(1,)](a, b, out, 16, precision)
        same(out, (read.double() @ b.double()).float())


@triton.jit
def along_the_last(a_ptr, out_ptr):
    i = tl.arange(0, 64)
    a = tl.load(a_ptr + i[:, None] * 64 + i[None, :])
    made = tl.sum(a, -1) + tl.max(a, axis=-1) + tl.argmax(a, -1) + tl.sum(tl.cumsum(a, -1), -1)
    tl.store(out_ptr + i, made + tl.sum(tl.associative_scan(a, -1, added), -1) + tl.reduce(a, -1, added))


@tried("the last axis as -1")
def last_axis() -> None:
    a, out = torch.randint(-9, 9, (64, 64), generator=torch.Generator().manual_seed(1)).float(), torch.empty(64)
    along_the_last[(1,)](a, out)
    same(out, 2 * a.sum(1) + a.amax(1) + torch.from_numpy(a.numpy().argmax(1)) + 2 * a.cumsum(1).sum(1))


@triton.jit
def accurate(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(a, 0))
    tl.store(out_ptr + N + i, tl.sum(a, 0))


@tried("sums and running sums of float32 are float64's")
def sums() -> None:
    a = torch.rand(1 << 14, generator=torch.Generator().manual_seed(1))
    out = torch.empty(1 << 15)
    accurate[(1,)](a, out, 1 << 14)
    same(out[: 1 << 14], a.double().cumsum(0).float())
    same(out[1 << 14], a.double().sum().float())


@triton.jit
def not_commutative(a_ptr, out_ptr, N: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(a, 0, last_that_is_not_zero))


@triton.jit
def last_that_is_not_zero(a, b):
    return tl.where(b != 0, b, a)


@tried("a combination that depends on the order is combined as a card's lanes are")
def order_of_a_reduction() -> None:
    out = torch.empty(1)
    not_commutative[(1,)](torch.tensor([1.0, 2.0, 3.0, 0.0]), out, 4)
    same(out, torch.tensor([2.0]))  # of (1, 3) and (2, 0), which are 3 and 2


# ------------------------------------------------------------ what a kernel says in Python


@triton.jit
def of_blocks(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    both = (a > 0) and (b > 0)
    either = (a > 0) or (b > 0)
    neither = not ((a > 0) | (b > 0))
    anyone = tl.reduce(a > 0, 0, either_of) & tl.reduce(b > 0, 0, either_of)
    tl.store(out_ptr + i, both.to(tl.int32) + 2 * either + 4 * neither + 8 * ((a > b) & (a > 0) & anyone))


@triton.jit
def either_of(a, b):
    return a | b


@tried("and, or, not and comparisons of blocks")
def logic_of_blocks() -> None:
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        a, b, out = X.to(dtype), Y.to(dtype), torch.empty(256, dtype=torch.int32)
        of_blocks[(1,)](a, b, out, 256)
        both, either = (a > 0) & (b > 0), (a > 0) | (b > 0)
        same(out, (both + 2 * either + 4 * ~either + 8 * ((a > b) & (a > 0))).int())


@triton.jit
def looped(out_ptr, count, many):
    total = tl.zeros([4], tl.int64)
    for k in range(count):
        total += k.to(tl.int64) * 3
    for k in tl.range(0, count, 2, num_stages=3):
        total += (k - 3) // 2
    for k in tl.range(count):
        total += (k - 3) % 2
    for k in tl.static_range(3):
        total += k
    for k in range(many, many + 1):
        total += k * 2
    tl.store(out_ptr + tl.arange(0, 4), total)


@tried("the variable of a loop")
def variable_of_a_loop() -> None:
    out = torch.empty(4, dtype=torch.int64)
    looped[(1,)](out, 7, 2**31)
    want = sum(3 * k for k in range(7)) + sum(int((k - 3) / 2) for k in range(0, 7, 2))
    want += sum(int(math.fmod(k - 3, 2)) for k in range(7)) + 3 + 2**32
    assert out.tolist() == [want] * 4


@triton.jit
def chosen(a_ptr, b_ptr, out_ptr, count, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, max(min(a, b), 0.0) + min(count, 5) + max(N, 3))


@tried("min and max")
def min_and_max() -> None:
    out = torch.empty(256)
    chosen[(1,)](X, Y, out, 7, 256)
    same(out, torch.minimum(X, Y).clamp_min(0.0) + 5 + 256)


@triton.jit
def given_flags(a_ptr, out_ptr, doubled, kept):
    i = tl.arange(0, 256)
    a = tl.load(a_ptr + i)
    if doubled and not kept:
        a = a * 2
    tl.store(out_ptr + i, a, (i < 128) & kept)
    tl.store(out_ptr + i, a, i >= 128)


@tried("a bool among a launch's arguments")
def bools() -> None:
    for doubled, kept in ((True, False), (True, True), (False, False)):
        out = torch.zeros(256)
        given_flags[(1,)](X, out, doubled, kept)
        want = X * (2 if doubled and not kept else 1)
        same(out, torch.where((torch.arange(256) >= 128) | torch.tensor(kept), want, 0.0))


@triton.jit
def padded(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.make_tensor_descriptor(a_ptr, [N // 2, N], [N, 1], [N, N], padding_option="nan")
    tl.store(out_ptr + i, a.load([0, 0]))


@tried("lanes outside of a descriptor's tensor are NaN")
def padding() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        a, out = torch.rand(8, 16).to(dtype), torch.empty(16, 16, dtype=dtype)
        padded[(1,)](a, out, 16)
        exactly(out, torch.cat([a.double(), torch.full((8, 16), NAN).double()]))


# ------------------------------------------------------------ libdevice


SPECIAL = {
    "round": [(0.5, 1.0), (-0.5, -1.0), (2.5, 3.0), (0.49999997, 0.0), (-0.2, -0.0), (8388609.0, 8388609.0), (INF, INF), (NAN, NAN)],
    "rint": [(0.5, 0.0), (1.5, 2.0), (-2.5, -2.0), (-0.0, -0.0)],
    "sinpi": [(1.0, 0.0), (-1.0, -0.0), (0.5, 1.0), (1.5, -1.0), (1e20, 0.0), (INF, NAN), (-0.0, -0.0)],
    "cospi": [(0.5, 0.0), (1.0, -1.0), (-1.5, 0.0), (2.0, 1.0), (INF, NAN)],
    "logb": [(0.0, -INF), (INF, INF), (-INF, INF), (0.75, -1.0), (NAN, NAN)],
    "tgamma": [(0.0, INF), (-0.0, -INF), (-1.0, NAN), (5.0, 24.0), (-INF, NAN), (INF, INF)],
    "lgamma": [(0.0, INF), (-1.0, INF), (-INF, INF), (1.0, 0.0), (2.0, 0.0)],
    "erfinv": [(1.0, INF), (-1.0, -INF), (1.5, NAN), (-0.0, -0.0)],
    "erfcinv": [(0.0, INF), (2.0, -INF), (1.0, 0.0), (-1.0, NAN)],
    "normcdfinv": [(0.0, -INF), (1.0, INF), (2.0, NAN), (0.5, 0.0)],
    "cosh": [(89.0, float(np.float32(math.cosh(89.0)))), (-INF, INF), (0.0, 1.0)],
    "log": [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (1.0, 0.0)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (-1.0, NAN), (INF, 0.0), (1e-40, INF), (-1e-40, -INF)],
    "sqrt": [(-0.0, -0.0), (-1.0, NAN), (1e-40, 0.0), (-1e-40, -0.0)],
    "j0": [(0.0, 1.0), (INF, 0.0)],
    "y0": [(0.0, -INF), (-1.0, NAN), (INF, 0.0)],
    "cyl_bessel_i0": [(INF, INF), (0.0, 1.0)],
    "cyl_bessel_i1": [(-INF, -INF), (-0.0, -0.0)],
    "saturatef": [(NAN, 0.0), (-3.0, 0.0), (2.0, 1.0), (0.25, 0.25)],
    "fast_logf": [(-1e-40, -INF), (0.0, -INF), (1.0, 0.0)],
    "normcdf": [(-INF, 0.0), (INF, 1.0), (0.0, 0.5)],
    "fmod": [(1e20, 3.0, math.fmod(float(np.float32(1e20)), 3.0)), (-4.0, 2.0, -0.0), (INF, 2.0, NAN), (3.0, INF, 3.0), (3.0, 0.0, NAN)],
    "remainder": [(1.0, 2.0, 1.0), (3.0, 2.0, -1.0), (5.0, 2.0, 1.0), (-3.0, 2.0, 1.0), (3.0, INF, 3.0), (3.0, 0.0, NAN), (-4.0, 2.0, -0.0)],
    "pow": [(NAN, 0.0, 1.0), (1.0, NAN, 1.0), (-1.0, INF, 1.0), (0.0, -1.0, INF), (-0.0, -3.0, -INF), (-8.0, 1.0 / 3.0, NAN), (-2.0, 3.0, -8.0)],
    "fast_powf": [(-2.0, 3.0, NAN), (0.0, 0.0, NAN), (2.0, 3.0, 8.0)],
    "hypot": [(INF, NAN, INF), (3.0, 4.0, 5.0)],
    "fdim": [(NAN, 1.0, NAN), (1.0, 2.0, 0.0), (INF, -INF, INF)],
    "fast_dividef": [(1.0, 2.0**127, 0.0), (INF, 2.0**127, NAN), (6.0, 3.0, 2.0)],
    "copysign": [(1.0, -0.0, -1.0), (NAN, 1.0, NAN)],
    "atan2": [(0.0, -0.0, math.pi), (-0.0, 0.0, -0.0), (INF, INF, math.pi / 4)],
}  # fmt: skip
"""A function, what it is given and what it makes of it: the libdevice user's guide, and what `.ftz` makes of subnormal numbers."""


@tried("libdevice at values that the guide names")
def special_values() -> None:
    wrong = {}
    for name, rows in SPECIAL.items():
        *given, want = np.array(rows, np.float32).T.copy()
        made = libdevice_functions.form(name, *given)
        alike = ((made == want) & (np.signbit(made) == np.signbit(want))) | (np.isnan(made) & np.isnan(want))
        if not alike.all():
            wrong[name] = [(*row, has) for row, has, right in zip(rows, made.tolist(), alike, strict=True) if not right]
    assert wrong == {}, wrong


@triton.jit
def of_libdevice(a_ptr, b_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 256)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    whole = (i - 100) * 77777
    if WHAT == "fma":
        made = libdevice.fma(a, b, a)
    elif WHAT == "fma_rn of a number":
        made = libdevice.fma_rn(a, 2.5, b)
    elif WHAT == "div_rn":
        made = libdevice.div_rn(a, b)
    elif WHAT == "fast_dividef":
        made = libdevice.fast_dividef(a, 3.0)
    elif WHAT == "fast_expf":
        made = libdevice.fast_expf(a)
    elif WHAT == "tl.extra.cuda":
        made = tl.extra.cuda.libdevice.exp2(a)
    elif WHAT == "tl.extra":
        made = tl.extra.libdevice.exp2(a)
    elif WHAT == "round":
        made = libdevice.round(a * 4 * 0 + (i - 100) / 2.0)
    elif WHAT == "rint":
        made = libdevice.rint((i - 100) / 2.0)
    elif WHAT == "float2int_rz":
        made = libdevice.float2int_rz(a * 1e10).to(tl.float32)
    elif WHAT == "popc":
        made = libdevice.popc(whole).to(tl.float32)
    elif WHAT == "clz":
        made = libdevice.clz(whole).to(tl.float32)
    elif WHAT == "ffs":
        made = libdevice.ffs(whole).to(tl.float32)
    elif WHAT == "cbrt":
        made = libdevice.cbrt(a)
    elif WHAT == "remainder":
        made = libdevice.remainder(a, 0.3)
    elif WHAT == "float_as_int":
        made = libdevice.int_as_float(libdevice.float_as_int(a))
    elif WHAT == "isnan":
        made = libdevice.isnan(a / (a * 0 + (i > 3))).to(tl.float32)
    elif WHAT == "rounded down":
        made = libdevice.add_rd(a, b)
    elif WHAT == "narrow":
        made = libdevice.exp(a.to(tl.float16)).to(tl.float32)
    elif WHAT == "assembly":
        made = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [a], tl.float32, True, 1)
    elif WHAT == "mapped":
        made = tl.map_elementwise(added, a, b)
    tl.store(out_ptr + i, made)


WHOLE = [(number - 100) * 77777 for number in range(256)]
HALVES = (torch.arange(256) - 100) / 2.0
LIBDEVICE: dict[str, Callable[[], torch.Tensor]] = {
    "fma": lambda: (X.double() * Y.double() + X.double()).float(),
    "fma_rn of a number": lambda: (X.double() * 2.5 + Y.double()).float(),
    "div_rn": lambda: X / Y,
    "fast_dividef": lambda: X / 3.0,
    "fast_expf": lambda: X.double().exp().float(),
    "tl.extra.cuda": lambda: X.double().exp2().float(),
    "tl.extra": lambda: X.double().exp2().float(),
    "round": lambda: torch.tensor([math.copysign(math.floor(abs(x) + 0.5), x) for x in HALVES.tolist()]),
    "rint": lambda: HALVES.round(),
    "float2int_rz": lambda: (X.double() * 1e10).float().double().clamp(-(2**31), 2**31 - 1).trunc().float(),
    "popc": lambda: torch.tensor([float((number & 0xFFFFFFFF).bit_count()) for number in WHOLE]),
    "clz": lambda: torch.tensor([32.0 - (number & 0xFFFFFFFF).bit_length() for number in WHOLE]),
    "ffs": lambda: torch.tensor([float((number & -number).bit_length()) for number in WHOLE]),
    "cbrt": lambda: torch.tensor([math.copysign(abs(x) ** (1 / 3), x) for x in X.tolist()]),
    "remainder": lambda: torch.tensor([math.remainder(x, torch.tensor(0.3).item()) for x in X.tolist()]),
    "float_as_int": lambda: X,
    "isnan": lambda: torch.zeros(256),
}


def by_libdevice(what: str) -> torch.Tensor:
    out = torch.empty(256)
    of_libdevice[(1,)](X, Y, out, what)
    return out


def function_of_libdevice(what: str) -> Callable[[], None]:
    return lambda: same(by_libdevice(what), LIBDEVICE[what]())


for each in LIBDEVICE:
    TRIED[f"libdevice {each}"] = function_of_libdevice(each)


def refused(what: str) -> str:
    """What is said of a kernel that can not be judged here, though its launcher catches every `Exception`."""
    try:
        by_libdevice(what)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    except NotJudged as error:
        return str(error)
    return ""


@tried("a function without a form")
def no_form() -> None:
    assert refused("rounded down") == "not judged here: libdevice.add_rd has no form in Triton's interpreter"


@tried("a dtype that libdevice does not take")
def no_dtype() -> None:
    assert refused("narrow").startswith("InterpreterError: KeyError")


@tried("inline assembly")
def assembly() -> None:
    assert refused("assembly") == "not judged here: inline assembly does not run in Triton's interpreter"


@tried("an operation that the interpreter's builder lacks")
def lacking() -> None:
    assert refused("mapped") == "not judged here: tl.map_elementwise does not run in Triton's interpreter"


@tried("a file's own libdevice is put aside")
def put_aside() -> None:
    ours, libdevice.round = libdevice.round, None
    stand_ins.put_back()
    assert libdevice.round is ours


# ------------------------------------------------------------ autotuning


CONFIGS = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})]


@triton.jit
def added_to(a_ptr, out_ptr, count, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i) if EVEN else tl.load(a_ptr + i, i < count)
    tl.atomic_add(out_ptr + i, a, i < count)


even = triton.heuristics({"EVEN": lambda named: named["count"] % named["BLOCK"] == 0})(added_to)


def tune(**options: object) -> triton.runtime.autotuner.Autotuner:
    return triton.autotune(CONFIGS, key=["count"], **options)(even)


def launched(kernel: triton.runtime.autotuner.Autotuner, times: int = 1) -> torch.Tensor:
    out = torch.zeros(200)
    for _ in range(times):
        kernel[lambda named: (triton.cdiv(200, named["BLOCK"]),)](X, out, 200)
    return out


@tried("a configuration by its number")
def configurations() -> None:
    kernel, seen = tune(reset_to_zero=["out_ptr"]), []
    for number in range(4):
        stand_ins.choose(number)
        same(launched(kernel), X[:200])
        seen.append(kernel.best_config.kwargs["BLOCK"])
    stand_ins.choose(0)
    assert seen == [64, 128, 256, 64], seen


@tried("timing runs a kernel before")
def timing() -> None:
    same(launched(tune()), 2 * X[:200])
    same(launched(tune(restore_value=["out_ptr"])), X[:200])
    same(launched(tune(reset_to_zero=["out_ptr"]), times=2), 2 * X[:200])


@tried("configurations are pruned")
def pruned() -> None:
    kernel = tune(
        reset_to_zero=["out_ptr"], prune_configs_by={"early_config_prune": lambda configs, named, **_: configs[2:]}
    )
    same(launched(kernel), X[:200])
    assert kernel.best_config is CONFIGS[2]


@tried("hooks of a configuration")
def hooks() -> None:
    said = []
    config = triton.Config({"BLOCK": 64}, pre_hook=lambda named: said.append(named["BLOCK"]))
    same(launched(triton.autotune([config], key=[])(even)), X[:200])
    assert said == [64]


# ------------------------------------------------------------ the card


@tried("the card")
def card() -> None:
    assert torch.cuda.get_device_properties(X.device).multi_processor_count == 132
    assert torch.cuda.get_device_properties(0).total_memory > 1 << 36
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_name() == "NVIDIA H200"
    assert not torch.cuda.is_available()
    torch.cuda.synchronize()
    with torch.cuda.device(torch.cuda.current_device()), torch.cuda.device_of(X):
        assert torch.cuda.current_stream().cuda_stream == 0


@tried("Triton's driver")
def driver() -> None:
    active = triton.runtime.driver.active
    assert active.utils.get_device_properties(active.get_current_device())["multiprocessor_count"] == 132
    assert active.get_current_target().arch == 90


@tried("a second installation")
def again() -> None:
    before = triton.runtime.interpreter.InterpreterBuilder.binary_op
    stand_ins.install()
    assert triton.runtime.interpreter.InterpreterBuilder.binary_op is before


if __name__ == "__main__":
    said = {}
    for name, run in TRIED.items():
        try:
            run()
            said[name] = ""
        except (Exception, NotJudged) as error:
            said[name] = f"{type(error).__name__}: {error}"
    print(json.dumps(said))
