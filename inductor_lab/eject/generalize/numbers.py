"""Tells which numbers of a body are sizes, and refuses those that may be one by chance.

A length that a sum is divided by follows the size that was summed over; the bound of what chooses a place follows its dimension. A number that
may come from a size - the size itself, its root, its double, one over it - is refused: nothing tells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import prod

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Constant,
    Expression,
    Operation,
    Reduction,
    walk,
)
from inductor_lab.eject.generalize.dimensions import Digit, Dimensions
from inductor_lab.eject.generalize.positions import arithmetic, bare, below, beside, every, number, used
from inductor_lab.eject.generalize.rewriting import Numbers, Symbols
from inductor_lab.eject.refusal import UndeterminedError

FEW = 4
"""A sum of fewer elements may be scaled by as many for another reason."""
LARGE = 8
"""From this size on a constant may be more than the size, its root or one over it: its double, a multiple."""
SYMBOLS = 9
"""Products of more sizes than this are too many to compare each constant with."""
GELU = {0.5, 0.7071067811865476}
"""Its own numbers; they are no sizes beside its erf or tanh."""


def numbers(found: Computation, dimensions: Dimensions, symbols: Symbols) -> Numbers:
    """The numbers of a body that are sizes.

    Raises:
        UndeterminedError: a number may be one, and the text does not tell.
    """
    meant = Numbers(symbols)
    _gathers(dimensions, meant)
    _checks(found, dimensions, meant)
    _means(found, dimensions, meant)
    _backward_norms(found, dimensions, meant)
    chance = Chance(found, dimensions, symbols.names)

    def parts(node: Expression) -> list[Expression]:
        literal = beside(node) if isinstance(node, Operation) else []
        return [part for n, part in enumerate(below(node)) if (node, n) not in meant.sizes and n not in literal][::-1]

    for node in walk(*reversed([*used(found)]), parts=parts):  # from the last on
        if isinstance(node, Constant):
            chance.refuse(node)
    return meant


def _gathers(dimensions: Dimensions, meant: Numbers) -> None:
    """What chooses a place: a negative one counts from the end of its dimension."""
    for _, chosen, free in dimensions.gathers:
        if dimensions.keeps(free):
            continue
        for node in arithmetic(chosen):
            for n, constant in _numbers(node.operands):
                if constant.value == free.size and isinstance(node, Operation) and node.name == "add":
                    meant.put(node, n, [free])


def _checks(found: Computation, dimensions: Dimensions, meant: Numbers) -> None:
    """What chooses a place may not leave its dimension: the bounds that the text checks."""
    bounded = {part: free for _, chosen, free in dimensions.gathers for part in (*arithmetic(chosen), chosen)}
    for check in found.checks:
        for node in arithmetic(check.condition):
            if not isinstance(node, Operation):
                continue
            for n, constant in _numbers(node.inputs):
                if constant.value == 0 or (node, n) in meant.sizes or node.name not in {"lt", "gt", "le", "ge"}:
                    continue
                free = bounded.get(node.inputs[1 - n]) if len(node.inputs) == 2 else None
                if free is None or constant.value != free.size or node.name in {"le", "ge"}:
                    raise UndeterminedError(f"line {check.line} checks against {shown(constant)}")
                if not dimensions.keeps(free):
                    meant.put(node, n, [free])


def _means(found: Computation, dimensions: Dimensions, meant: Numbers) -> None:
    """A sum over its own length, or times one over it: the number follows the size."""
    for node, n, fold, constant in _scaled(found, "div", "mul"):
        reduced = _folded(fold)
        if reduced is None or (node.name == "div" and n == 0):
            continue
        digits = dimensions.digits.over(reduced.over)
        length, value = _length(digits), float(constant.value)
        if value == 0 or all(map(dimensions.keeps, digits)):
            continue
        if length < FEW:
            raise UndeterminedError(f"a fold of {length} elements is scaled by {shown(constant)}: a mean?")
        if node.name == "div" and value == length:
            meant.put(node, n, digits)
        elif node.name == "mul" and abs(value * length - 1) < 1e-6 and value <= 0.5:
            meant.put(node, n, digits)
            meant.divided[node] = fold
        elif is_integer(value) or is_integer(1 / value):
            raise UndeterminedError(
                f"a fold of {length} elements is scaled by {shown(constant)}, which is not its length"
            )


def _backward_norms(found: Computation, dimensions: Dimensions, meant: Numbers) -> None:
    """`n * gradient - its sum`, and one over n before it: a normalization's backward pass."""
    lengths: dict[int, tuple[Digit, ...]] = {}
    for node in every(found):
        match node:
            case Operation(name="sub", inputs=(Operation(name="mul", inputs=(_, _) as factors) as scaled, taken)):
                reduced = _folded(taken)
                if reduced is None:
                    continue
                digits = dimensions.digits.over(reduced.over)
                length = 1 if all(map(dimensions.keeps, digits)) else _length(digits)
                for n, part in enumerate(factors):
                    constant = number(part)
                    if constant is not None and constant.value == length >= LARGE:
                        meant.put(scaled, n, digits)
                        lengths[length] = digits
    means = set(meant.divided)
    for node, n, other, constant in _scaled(found, "mul"):
        length = round(1 / constant.value) if 0 < constant.value < 1 else 0
        if node not in means and length in lengths and abs(constant.value * length - 1) < 1e-6:
            meant.put(node, n, lengths[length])
            meant.divided[node] = other


def _scaled(found: Computation, *names: str) -> Iterator[tuple[Operation, int, Expression, Constant]]:
    """Every operation of these names with a number: it, which operand the number is, the other operand, the number."""
    for node in every(found):
        match node:
            case Operation(name=name, inputs=(left, right)) if name in names:
                for n, (other, by) in enumerate(((right, left), (left, right))):
                    constant = number(by)
                    if constant is not None:
                        yield node, n, other, constant


def _numbers(operands: tuple[Expression, ...]) -> Iterator[tuple[int, Constant]]:
    """Which operands are numbers; True and False are none."""
    for n, part in enumerate(operands):
        constant = number(part)
        if constant is not None and not isinstance(constant.value, bool):
            yield n, constant


def _folded(value: Expression) -> Reduction | None:
    value = bare(value)
    return value if isinstance(value, Reduction) and (value.name == "sum" or value.part == "m2") else None


def _length(digits: tuple[Digit, ...]) -> int:
    return prod(digit.size for digit in digits)


# ------------------------------------------------------------ numbers that may be a size by chance


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
            prod(digit.size for digit in chosen)
            for count in range(1, len(self.digits) + 1)
            for chosen in itertools.combinations(self.digits, count)
        }
        walked = self.dimensions.digits.axes
        axes = {prod(digit.size for digit in of) for of in walked.values() if not all(map(self.dimensions.keeps, of))}
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
