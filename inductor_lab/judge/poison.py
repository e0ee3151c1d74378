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
    """What a lane gets that loads nothing: NaN, or in turn numbers that nobody expects and small ones: on a GPU it is whatever lies there."""
    numpys = interpreter._get_np_dtype(dtype)
    bits = {tl.bfloat16: 0x7FC0, tl.float8e4b8: 0x80, tl.float8e5b16: 0x80}
    if dtype in bits or dtype.is_fp8():
        value: float = bits.get(dtype, 0x7F)
    elif numpys.kind == "f":
        value = math.nan
    else:
        odd = (0x5A5A5A5A & np.iinfo(numpys).max, 0, 1, 3) if numpys.kind in "iu" else (True,)
        begun = np.roll(
            np.array(odd, numpys), next(_loads)
        )  # two tensors' lanes must not be alike: x % x is 0 whatever it is
        return interpreter.TensorHandle(np.resize(begun, shape), dtype)
    return interpreter.TensorHandle(np.full(shape, value, numpys), dtype)


def without(mask: Any, outside: np.ndarray | None) -> Any:
    """A mask without the lanes that are outside of all memory; None for none."""
    return mask if outside is None else interpreter.TensorHandle(np.asarray(mask.data) & ~outside, tl.int1)
