"""A digest of what each stand-in computes, for `test_same_bits.py`, which compares those of several environments. Run where TRITON_INTERPRET=1.

Prints one JSON document: what was computed -> its digest, in which NaN of all kinds are one.
"""

from __future__ import annotations

import hashlib
import inspect
import json

import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice as of_cuda

from inductor_lab.judge import stand_ins
from inductor_lab.judge.interpreter import libdevice_functions

ARITY = {
    name: len(inspect.signature(getattr(of_cuda, name, of_cuda.exp)).parameters) - 1
    for name in libdevice_functions.REAL_FORMS
}
WHOLE_SECOND = {"ldexp", "scalbn"}
stand_ins.install()

PATTERNS = np.arange(0, 1 << 32, 262139, dtype=np.uint64).astype(np.uint32)  # 16,385 of all float32
SMALL = (np.arange(1 << 14) - (1 << 13)) / np.float32(750)
FLOATS = np.concatenate([PATTERNS.view(np.float32), SMALL.astype(np.float32)])
DOUBLES = np.concatenate(
    [(PATTERNS.astype(np.uint64) * np.uint64(0xFFFFFFFB)).view(np.float64), SMALL.astype(np.float64) * 1.1]
)
PIECE = 1999


def digest(x: np.ndarray) -> str:
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()[:16]


def of_function(name: str, x: np.ndarray) -> str:
    """Its digest; the same values in pieces that lie otherwise in memory and end elsewhere give the same bits."""
    others = [np.roll(x, 1000 * (number + 1)) for number in range(ARITY[name] - 1)]
    if name in WHOLE_SECOND:
        others = [np.resize(PATTERNS.view(np.int32) % 300, len(x))]
    made = libdevice_functions.computed(name, x, *others)
    pieces = [
        libdevice_functions.computed(name, *(each[at : at + PIECE] for each in (x, *others)))
        for at in range(0, len(x), PIECE)
    ]
    assert digest(np.concatenate(pieces)) == digest(made), f"{name} depends on where a value lies"
    return digest(made)


@triton.jit
def elementwise(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.exp(x))
    tl.store(out_ptr + N + i, tl.sin(x) + tl.cos(y))
    tl.store(out_ptr + 2 * N + i, tl.log(tl.abs(x)) - tl.log2(tl.abs(y)))
    tl.store(out_ptr + 3 * N + i, tl.sqrt(tl.abs(x)) * tl.rsqrt(tl.abs(y)))
    tl.store(out_ptr + 4 * N + i, tl.erf(x) + tl.exp2(y))
    tl.store(out_ptr + 5 * N + i, 1.0 / tl.maximum(x * 0.0, y * 0.0))  # which zero it is shows
    tl.store(out_ptr + 6 * N + i, 1.0 / tl.minimum(x * 0.0, y * 0.0))
    tl.store(out_ptr + 7 * N + i, tl.sigmoid(x) + tl.fma(x, y, x) + x % y)


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def along(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + i[None, :])
    tl.store(out_ptr + i, tl.sum(x, 0))
    tl.store(out_ptr + N + i, tl.sum(x, 1))
    tl.store(out_ptr + 2 * N + i, tl.sum(tl.cumsum(x, 0), 1))
    tl.store(out_ptr + 3 * N + i, tl.reduce(x, 0, added))
    tl.store(out_ptr + 4 * N + i, tl.max(tl.associative_scan(x, 1, added), 0))
    tl.store(out_ptr + 5 * N + i, tl.sum(tl.softmax(x, 1), 0))
    tl.store(out_ptr + 6 * N + i, 1.0 / tl.max(x * 0.0, 1))
    tl.store(out_ptr + 7 * N + i, 1.0 / tl.min(x * 0.0, 1))


@triton.jit
def product(a_ptr, b_ptr, out_ptr, N: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), input_precision=PRECISION))


def of_kernels() -> dict[str, str]:
    said = {}
    n = 1 << 14
    x, y = (torch.from_numpy(np.roll(FLOATS, turn)[:n].copy()) for turn in (5_000, 20_000))
    out = torch.empty(8 * n)
    elementwise[(1,)](x, y, out, n)
    said |= {f"elementwise {number}": digest(out[number * n : (number + 1) * n].numpy()) for number in range(8)}
    rows = torch.from_numpy(SMALL.astype(np.float32)).view(128, 128)
    out = torch.empty(8 * 128)
    along[(1,)](rows, out, 128)
    said |= {f"along {number}": digest(out[number * 128 : (number + 1) * 128].numpy()) for number in range(8)}
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        for precision in ("ieee", "tf32") if dtype == torch.float32 else ("ieee",):
            out = torch.empty(128, 128, dtype=torch.float64 if dtype == torch.float64 else torch.float32)
            product[(1,)](rows.to(dtype), rows.T.contiguous().to(dtype), out, 128, precision)
            said[f"dot of {dtype}, {precision}"] = digest(out.numpy())
    return said


if __name__ == "__main__":
    said = {
        f"{name} of {x.dtype}": of_function(name, x)
        for name in libdevice_functions.REAL_FORMS
        for x in (FLOATS, DOUBLES)
    }
    print(json.dumps(said | of_kernels()))
