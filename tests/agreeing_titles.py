"""What a title says, held to the kernel: its dtype and shape to the signature and the sizes, a name to its definition on drawn inputs.

"silu, 8 rows of 128 f32"   ->   some line holds x * sigmoid(x) of another, the rows are 8, their length 128, and f32 is written or folded

A definition is tried with the values of all lines in all places: it is so where one line has what it says.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from counting import Tile, letters
from scipy import special
from valued import Valued

from inductor_lab.annotate.titles import Naming
from inductor_lab.records import Kernel

SHORT = {"fp16": "f16", "fp32": "f32", "fp64": "f64", "i1": "bool", "fp8e4nv": "f8e4m3fn", "fp8e5": "f8e5m2"}
TYPES = {*SHORT.values(), "bf16", "i8", "i16", "i32", "i64", "u8"}
LANES = 512
"""So many values of a line are compared."""


def slope(x: np.ndarray) -> np.ndarray:
    return special.expit(x) * (1 + x * (1 - special.expit(x)))


def gelu(x: np.ndarray) -> np.ndarray:
    return x * special.ndtr(x)


def mean(x: np.ndarray) -> np.ndarray:
    return x.mean(-1, keepdims=True)


OF_AN_ELEMENT: dict[str, Callable[..., np.ndarray]] = {
    "silu": lambda x: x * special.expit(x),
    "gelu": gelu,
    "swiglu": lambda x, y: x * special.expit(x) * y,
    "geglu": lambda x, y: gelu(x) * y,
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "relu_backward": lambda y, g: np.where(y != 0 if len({0.0, *y.flat}) <= 2 else y <= 0, 0, g),  # a mask, or y
    "silu_backward": lambda x, g: g * slope(x),
    "gelu_backward": lambda x, g: g * (special.ndtr(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),
    "sigmoid_backward": lambda s, g: g * s * (1 - s),
    "tanh_backward": lambda t, g: g * (1 - t * t),
}
OF_A_ROW: dict[str, Callable[..., np.ndarray]] = {
    "rms_norm": lambda x: x / np.sqrt(mean(x * x) + 1e-5),
    "standardize": lambda x: (x - mean(x)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
    "mse_loss": lambda x, y: mean((x - y) ** 2),
    "log_softmax_backward": lambda y, g: g - np.exp(y) * g.sum(-1, keepdims=True),
}
"""Of the names that are made of one or two values of the kernel itself; a norm may lack its weights, and have another eps."""


def titled(kernel: Kernel, named: Naming, ran: Valued) -> Iterator[tuple[str, str]]:
    """(what a title says, what is found where that is something else); `ran` is a small launch of the kernel."""
    if " pid" in kernel.body:  # several jobs
        return
    text, _, dtype = named.title.rpartition(", ")[2].rpartition(" ")
    if dtype in TYPES:
        pointers = {*ran.last, *(ran.loaded if "reduction" in kernel.category else ())}
        there = {SHORT.get(one, one) for pointer in pointers if (one := letters(kernel, pointer))}
        yield dtype, "" if dtype in there else f"{sorted(there)}"
        sizes = {axis: int(n) for axis, n in re.findall(r"(?m)^(\w+_|[xyzr])numel = (\d+)$", kernel.body)}
        row = math.prod(n for axis, n in sizes.items() if axis.startswith("r"))
        counted = [math.prod(sizes.values()) // row, row]
        if said := re.fullmatch(r"([\d,]+) (?:rows?|columns?) of ([\d,]+)", text):
            yield text, "" if [int(part.replace(",", "")) for part in said.groups()] == counted else f"{counted}"
    known = OF_AN_ELEMENT | (OF_A_ROW if ran.kernel.body == kernel.body else {})
    for name in {*named.recognised} & known.keys():
        if (so := computed(known[name], ran)) is not None:
            yield name, "" if so else "no line holds it"


def computed(definition: Callable[..., np.ndarray], ran: Valued) -> bool | None:
    """Whether some line holds what a definition makes of others; None where too little is known."""
    values = rows_of(ran, ran.made)
    if len(values) < 2:
        return None
    whole = np.stack(values)
    places = np.linspace(0, whole[0].size - 1, min(LANES, whole[0].size)).astype(int)
    there = whole.reshape(len(whole), -1)[:, places]
    with np.errstate(all="ignore"):
        for given in itertools.product(values, repeat=definition.__code__.co_argcount):
            made = np.broadcast_to(definition(*given), whole[0].shape).reshape(-1)[places]
            taken = [one.reshape(-1)[places] for one in given]  # what leaves one of them as it is shows nothing
            known = any(np.isclose(one, made, equal_nan=True).all() for one in taken)
            if known or not made.any() or np.isfinite(made).mean() < 0.25:
                continue
            if np.isclose(there, made, rtol=2e-3, atol=1e-4, equal_nan=True).all(-1).any():
                return True
    # Not of the root of a variance that was drawn below 0, of a gradient that reaches no place that was drawn, nor where an operation is not followed.
    stored = rows_of(ran, [one for held in ran.last.values() for one in held])
    known = all(one.data is not None for one in ran.made) and all(np.isfinite(one).any() for one in values)
    known = known and all(np.any(one) for one in stored)
    return False if known else None


def rows_of(ran: Valued, tiles: Iterable[Tile]) -> list[np.ndarray]:
    """The different values of some tiles, in a few rows."""
    tile, folds = ran.tile(), sorted(place for axis, place in ran.dims().items() if axis.startswith("r"))
    found: dict[bytes, np.ndarray] = {}
    for one in tiles:
        data = one.data
        if data is None or data.dtype.kind not in "fib" or len(one.shape) not in {0, len(tile)}:
            continue
        try:
            rows = np.moveaxis(np.broadcast_to(data, tile), folds, range(-len(folds), 0))
        except ValueError:
            continue
        rows = rows.reshape(-1, math.prod(tile[place] for place in folds)).astype(float)
        rows = rows[:: max(len(rows) // (8 if folds else LANES), 1)]
        found.setdefault(rows.tobytes(), rows)
    return [*found.values()]
