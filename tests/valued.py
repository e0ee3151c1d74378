"""A small launch with values: floats are drawn from their address, folds fold, and what was stored is loaded again.

    tmp1 = tl.sum(tmp0, 1)[:, None]   ->   the sums of the numbers that tmp0 holds, one a row

What the words of Triton mean for numbers is said here once more, in numpy; a sentence of `show` is run by the same words
(agreeing_values.py). A word that is not here has a shape and no value, and so has all that is made of it.
"""

from __future__ import annotations

import ast
import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from counting import DRAWN, Pointer, Run, Tile, folded, lanes, letters
from scipy import special

from inductor_lab.computation.operators import TABLE

# Words


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda run, *given, **_: lanes(function, *given)


def fold(function: Callable[..., Any]) -> Callable[..., Any]:
    """Along a dimension, `tl.sum(tmp0, 1)`; of a sentence, which says none, along the row: `sum(in_ptr0)`."""

    def by(run: Valued, *tiles: Any, axis: int | None = None, **_: Any) -> Any:
        given = [one for one in tiles if isinstance(one, Tile)]
        dimension = next((one for one in tiles if type(one) is int), axis)
        if not given:  # of positions: the tile of a row that is no block
            return Tile(None)
        if dimension is None:
            whole = [repeat(one, np.broadcast_shapes(*(each.shape for each in given), run.tile())) for one in given]
            places = tuple(place for name, place in run.dims().items() if name.startswith("r"))
            if not places or any(one is None for one in whole):
                return Tile(None)
            return Tile(function(*whole, axis=places, keepdims=True))
        place, keep = dimension + run.scalar_rows, run.scalar_rows > 0
        if any(one.data is None for one in given) or place >= len(given[0].shape):
            return folded(given[0], place, keep=keep) if place < len(given[0].shape) else Tile(None)
        with np.errstate(all="ignore"):
            return Tile(function(*(one.data for one in given), axis=place, keepdims=keep))

    return by


def repeat(tile: Tile, shape: tuple[int, ...]) -> np.ndarray | None:
    return None if tile.data is None else np.broadcast_to(tile.data, shape)


def mean(values: Any, *parts: Any, axis: Any, keepdims: bool) -> Any:
    """Of a row; of means of parts, sums of squared deviations and counts, that of the whole."""
    weights = parts[1] if parts else np.ones(np.shape(values))
    return np.sum(values * weights, axis=axis, keepdims=keepdims) / np.sum(weights, axis=axis, keepdims=keepdims)


def square_deviation(values: Any, *parts: Any, axis: Any, keepdims: bool) -> Any:
    weights, inside = (parts[1], parts[0]) if parts else (1.0, 0.0)
    around = values - mean(values, *parts, axis=axis, keepdims=True)
    return np.sum(inside + weights * around**2, axis=axis, keepdims=keepdims)


def count(values: Any, *parts: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(parts[1] if parts else np.ones(np.shape(values)), axis=axis, keepdims=keepdims)


def welford(run: Valued, values: Tile, deviations: Tile, weights: Tile, dimension: int) -> Any:
    return tuple(fold(each)(run, values, deviations, weights, dimension) for each in (mean, square_deviation, count))


def welford_block(run: Valued, value: Tile, *_: Any) -> Any:
    """What the only block of a loop leaves: its own values, each counted once."""
    return tuple(lanes(each, value) for each in (lambda v: v, np.zeros_like, np.ones_like))


def chosen(run: Valued, condition: Any, one: Any, other: Any) -> Any:
    return lanes(np.where, condition, one, other)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot", "fmod",
        "copysign", "signbit", "isnan", "isinf", "isfinite", "maximum", "minimum", "fmax", "fmin", "abs", "floor", "ceil", "trunc",
    )},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "atan2": np.arctan2, "nearbyint": np.rint, "erf": special.erf, "erfc": special.erfc, "erfinv": special.erfinv, "erfcx": special.erfcx,
    "lgamma": special.gammaln, "sigmoid": special.expit, "pow": np.power, "rsqrt": lambda x: 1 / np.sqrt(x), "fma": lambda x, y, z: x * y + z,
    "reciprocal": lambda x: 1 / x, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * special.expit(x),
    "gelu": lambda x: 0.5 * x * (1 + special.erf(x / math.sqrt(2))), "leaky_relu": lambda x, c: np.where(x > 0, x, x * c),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "floor_divide": lambda x, y: np.floor_divide(x, np.where(y == 0, 1, y)), "remainder": lambda x, y: np.mod(x, np.where(y == 0, 1, y)),
    "div": np.true_divide, "plus": lambda x, y: x * 1 + y * 1, "minus": lambda x, y: x * 1 - y * 1,
}  # fmt: skip
"""What a row of the table of operators computes."""
FOLDS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any}
WORDS: dict[str, Callable[..., Any]] = {
    **{word: elementwise(function) for name, function in FUNCTIONS.items() for word in (name, *(TABLE[name].spellings if name in TABLE else ()))},
    **{name: fold(function) for name, function in FOLDS.items()},
    "max2": fold(np.max), "min2": fold(np.min), "mean": fold(mean), "square_deviation": fold(square_deviation), "count": fold(count),
    "welford": welford, "welford_reduce": welford_block, "where": chosen,
    "trunc_divide": lambda run, one, other: one // other, "int": lambda run, one: one.to("int64"),
    "float": lambda run, one: one if isinstance(one, Tile) else float(one),
}  # fmt: skip


# A run


class Valued(Run):
    """A run whose lanes have numbers; `after` is called with the line of every statement that has run, and with what it gave a value."""

    words = WORDS

    def __init__(self, kernel: Any, after: Callable[[Valued, int, list[str]], None]) -> None:
        super().__init__(kernel)
        self.after = after
        self.made: list[Tile] = []
        """What each line has come to."""
        self.loaded: dict[str, list[Tile]] = {}
        """By pointer, what each of its loads would bring without its mask, and what it brought."""
        self.stored: dict[str, tuple[np.ndarray, np.ndarray] | None] = {}
        """By pointer, the elements that were written and what they hold; None where that is not known."""
        self.last: dict[str, list[Tile]] = {}
        """By pointer, what was stored, store by store."""

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            super().statements([statement])
            if not isinstance(statement, (ast.If, ast.For)):
                names = list(assigned(statement))
                self.made += [one for name in names if isinstance(one := self.names[name], Tile)]
                self.after(self, statement.lineno, names)

    def job(self, body: list[ast.stmt]) -> None:
        self.loaded.clear()
        super().job(body)

    def touch(self, kind: str, pointer: Pointer, mask: Any, other: str | None, value: Any = None) -> Any:
        found = super().touch(kind, pointer, mask, other, value)
        one = self.touched[-1]
        if kind != "load":
            self.keep(pointer.name, value if kind == "store" else None)
            return found
        data = None
        if one.addresses is not None and one.mask is not None:
            data = self.at(one.pointer, one.addresses)
        filled = data
        if data is not None and other is not None:
            filled = np.where(one.mask, data, np.asarray(float(other)).astype(data.dtype))
        loaded = [Tile(each, one.shape, found.of) for each in (data, filled)]
        self.loaded.setdefault(pointer.name, []).extend(loaded)
        return loaded[1]

    def keep(self, pointer: str, value: Any) -> None:
        one, before = self.touched[-1], self.stored.get(pointer, (np.empty(0, np.int64), np.empty(0)))
        held = value if isinstance(value, Tile) else Tile(value)
        self.last.setdefault(pointer, []).append(held)
        if held.data is None or one.addresses is None or one.mask is None or before is None:
            self.stored[pointer] = None
            return
        mask = np.broadcast_to(one.mask, np.broadcast_shapes(one.shape, held.shape))
        there, data = (np.broadcast_to(each, mask.shape)[mask] for each in (one.addresses, held.data))
        elements, first = np.unique(np.concatenate([there, before[0]]), return_index=True)
        self.stored[pointer] = elements, np.concatenate([data, before[1]])[first]

    def at(self, pointer: str, addresses: np.ndarray) -> np.ndarray | None:
        """What memory holds: what was stored, else what was drawn; None where that is not known."""
        data = self.drawn_at(pointer, addresses)
        if pointer not in self.stored:
            return data
        if (held := self.stored[pointer]) is None or not held[0].size:
            return None
        place = np.searchsorted(held[0], addresses).clip(max=held[0].size - 1)
        return np.where(held[0][place] == addresses, held[1][place], data)

    def drawn_at(self, pointer: str, addresses: np.ndarray) -> np.ndarray:
        """By the element: -1.2 to 1.8, a bool, or a whole number."""
        mixed = (addresses.astype(np.int64) + 11) * 2654435761 + zlib.crc32(pointer.encode()) % 100003 * 40503
        if self.integer(pointer):
            return (mixed >> 9) % (100 if letters(self.kernel, pointer) in {"i8", "u8"} else DRAWN)
        return (
            (mixed >> 25) % 2 == 1 if letters(self.kernel, pointer) == "i1" else (mixed >> 7) % 65536 / 65536 * 3 - 1.2
        )


def assigned(statement: ast.stmt) -> Iterator[str]:
    """The names that it gives a value."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    for target in targets:
        yield from (
            ast.unparse(one) for one in (target.elts if isinstance(target, ast.Tuple) else [target]) if one is not None
        )
