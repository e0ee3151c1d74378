"""Numbers that may come from a size: the size itself, its root, its double, one over it. Who can not tell refuses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from functools import cached_property

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Constant, Operation
from inductor_lab.eject.generalize.digits import Digit
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.generalize.walking import every
from inductor_lab.eject.refusal import UndeterminedError

LARGE = 8
"""From this size on a constant may be more than the size, its root or one over it: its double, a multiple."""
SYMBOLS = 9
"""Products of more sizes than this are too many to compare each constant with."""
GELU = {0.5, 0.7071067811865476}
"""Its own numbers; they are no sizes beside its erf or tanh."""


class Chance:
    """The sizes of one kernel, which each of its other numbers is held against."""

    def __init__(self, found: Computation, dimensions: Dimensions, digits: Iterable[Digit]) -> None:
        self.found, self.dimensions, self.digits = found, dimensions, tuple(digits)

    def refuse(self, constant: Constant) -> None:
        """Refuse a number that may be a size."""
        value = abs(float(constant.value))
        if isinstance(constant.value, bool) or value in (0.0, 1.0) or not math.isfinite(value) or value > 1e15:
            return
        if len(self.digits) > SYMBOLS:
            raise UndeterminedError(
                f"it has {len(self.digits)} sizes: too many to tell whether {shown(constant)} is one of them"
            )
        for size in self._sizes:
            if (_of(size, value) and not (value in GELU and self._is_gelu)) or _multiple(size, value):
                raise UndeterminedError(f"the number {shown(constant)} may come from a size, {size}")

    @cached_property
    def _sizes(self) -> list[int]:
        """Every size, every product of some, and the axes' own."""
        products = {
            math.prod(digit.size for digit in chosen)
            for count in range(1, len(self.digits) + 1)
            for chosen in itertools.combinations(self.digits, count)
        }
        walked = self.dimensions.digits.axes
        axes = {
            math.prod(digit.size for digit in of) for of in walked.values() if not all(map(self.dimensions.keeps, of))
        }
        return sorted((products | axes) - {1})

    @cached_property
    def _is_gelu(self) -> bool:
        """Whether its halves are those of the gelu."""
        return any(isinstance(node, Operation) and node.name in {"erf", "tanh"} for node in every(self.found))


def _of(size: int, value: float) -> bool:
    """Whether a number is what programs make of a size."""
    forms = {float(size), 1 / size}
    if size > 2:
        forms |= {size**0.5, size**-0.5}
    if size >= LARGE:
        forms |= {size - 1.0, 1 / (size - 1), 2.0 * size, 2 / size, size / 2, size**2.0, size**-2.0}
    if any(math.isclose(value, form, rel_tol=1e-6) for form in forms):
        return True
    # n / (n - 1), as of an unbiased variance, and (n - 1) / n
    near_one = size > 2 and 0.0 < abs(value - 1) < 0.6
    return near_one and any(math.isclose(abs(value - 1), form, rel_tol=0.01) for form in (1 / size, 1 / (size - 1)))


def _multiple(size: int, value: float) -> bool:
    if size < 4 * LARGE or _epsilon(value):
        return False
    return any(is_integer(form) and round(form) % size == 0 for form in (value, 1 / value))


def is_integer(value: float) -> bool:
    return value >= 1.5 and math.isclose(value, round(value), rel_tol=1e-6)


def _epsilon(value: float) -> bool:
    """Whether a number is a power of ten, as no size is."""
    return value < 1e-3 and math.isclose(value, 10.0 ** round(math.log10(value)), rel_tol=1e-9)


def shown(constant: Constant) -> str:
    return f"{constant.value:g}" if isinstance(constant.value, float) else str(constant.value)
