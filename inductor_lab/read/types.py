"""Types as FX prints them, and sizes and strides as text."""

from __future__ import annotations

import re

from inductor_lab.dtypes import FX
from inductor_lab.records import SizeLike, TensorType

_FX_TYPE = re.compile(r"^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?")


def fx_type(text: str) -> TensorType | None:
    """`f32[4096, 1024][1024, 1]cuda:0` as a type; None for anything else (`Sym(s77)`). Missing strides are contiguous ones."""
    match = _FX_TYPE.match(text.strip())
    if match is None or match[1] not in FX:
        return None
    shape = sizes(match[2])
    return TensorType(FX[match[1]], shape, contiguous(shape) if match[3] is None else sizes(match[3]))


def sizes(text: str) -> tuple[SizeLike, ...]:
    """`4096, 1024` or `s77, 4` as sizes; what is no number stays as it is written."""
    return tuple(int(item) if re.fullmatch(r"-?\d+", item) else item for item in _items(text))


def _items(text: str) -> list[str]:
    """What the commas outside of brackets part: `s77, Mod(s27, 2)` is two."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items if item.strip()]


def contiguous(shape: tuple[SizeLike, ...]) -> tuple[SizeLike, ...]:
    """Row-major strides of a shape; symbolic ones as products in text."""
    strides: list[SizeLike] = []
    step: SizeLike = 1
    for size in reversed(shape):
        strides.append(step)
        step = (
            step * size if isinstance(step, int) and isinstance(size, int) else f"{step}*{size}" if step != 1 else size
        )
    return tuple(reversed(strides))
