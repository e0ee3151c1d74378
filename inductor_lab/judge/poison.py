"""What lanes of Triton's interpreter get that touch no memory."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

_loads = count()


def poison(dtype: Any, shape: tuple[int, ...]) -> Any:
    """What lanes get that load nothing, in turn: NaN, numbers that nobody expects, small ones: on a GPU it is whatever lies there."""
    numpys = interpreter._get_np_dtype(dtype)
    begun = np.roll(
        np.array(_odd(dtype, numpys), numpys), next(_loads)
    )  # not alike in two loads: x % x is 0 whatever it is
    lanes = math.prod(shape)
    return interpreter.TensorHandle(np.tile(begun, -(-lanes // begun.size))[:lanes].reshape(shape), dtype)


def _odd(dtype: Any, numpys: np.dtype[Any]) -> tuple[float, ...]:
    """Values, or bits where the interpreter keeps a dtype in whole numbers: NaN, then a large number of either sign."""
    if dtype == tl.bfloat16:
        return 0x7FC0, 0x4641, 0xC641
    if dtype.is_fp8():
        return {tl.float8e4b8: 0x80, tl.float8e5b16: 0x80}.get(dtype, 0x7F), 0x70, 0xF0
    if numpys.kind == "f":
        return math.nan, 12345.0, -12345.0
    return (0x5A5A5A5A & np.iinfo(numpys).max, 0, 1, 3) if numpys.kind in "iu" else (True,)


def without(mask: Any, outside: np.ndarray | None) -> Any:
    """A mask without the lanes that are outside of all memory; None for none."""
    return mask if outside is None else interpreter.TensorHandle(np.asarray(mask.data) & ~outside, tl.int1)
