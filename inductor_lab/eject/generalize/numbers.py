"""What the numbers of a body are: sizes where their place says so, else numbers that are no size by chance either.

A length that a sum is divided by follows the size that was summed over; the bound of what chooses a place follows its dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from inductor_lab.computation.index import Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Constant,
    Expression,
    Operation,
    Position,
    Reduction,
    Size,
)
from inductor_lab.eject.generalize.chance import LARGE, Chance, is_integer, shown
from inductor_lab.eject.generalize.digits import Digit
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.generalize.positions import bare, beside, number
from inductor_lab.eject.generalize.symbols import Symbols, product
from inductor_lab.eject.generalize.walking import arithmetic, below, every, used
from inductor_lab.eject.refusal import UndeterminedError

FEW = 4
"""A sum of fewer elements may be scaled by as many for another reason."""


@dataclass
class Numbers:
    """Which numbers of a body are sizes."""

    sizes: dict[tuple[Expression, int], Expression] = field(default_factory=dict)
    """(a node, the number of an operand) -> the size that stands there instead of a number."""
    divided: dict[Expression, Expression] = field(default_factory=dict)
    """A product with one over a length -> what is divided by the length instead."""

    def put(self, node: Expression, number: int, size: Expression) -> None:
        before = self.sizes.setdefault((node, number), size)
        if _told(before) != _told(size):
            raise UndeterminedError(f"one number is both {_told(before)} and {_told(size)}")


def numbers(found: Computation, dimensions: Dimensions, symbols: Symbols) -> Numbers:
    """The numbers of a body that are sizes.

    Raises:
        UndeterminedError: a number may be one, and the text does not tell.
    """
    meant = Numbers()
    _gathers(dimensions, symbols, meant)
    _checks(found, dimensions, symbols, meant)
    _means(found, symbols, meant)
    _backward_norms(found, symbols, meant)
    chance = Chance(found, dimensions, symbols.names)
    seen: set[Expression] = set()
    waiting = list(used(found))
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Constant):
            chance.refuse(node)
        literal = beside(node) if isinstance(node, Operation) else []
        waiting += [part for n, part in enumerate(below(node)) if (node, n) not in meant.sizes and n not in literal]
    return meant


def _gathers(dimensions: Dimensions, symbols: Symbols, meant: Numbers) -> None:
    """What chooses a place: a negative one counts from the end of its dimension."""
    for _, chosen, free in dimensions.gathers:
        if dimensions.keeps(free):
            continue
        size = symbols.size([free])
        for node in arithmetic(chosen):
            for n, constant in _numbers(node.operands):
                if constant.value == free.size and isinstance(node, Operation) and node.name == "add":
                    meant.put(node, n, size)


def _checks(found: Computation, dimensions: Dimensions, symbols: Symbols, meant: Numbers) -> None:
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
                    meant.put(node, n, symbols.size([free]))


def _means(found: Computation, symbols: Symbols, meant: Numbers) -> None:
    """A sum over its own length, or times one over it: the number follows the size."""
    for node, n, fold, constant in _scaled(found, "div", "mul"):
        reduced = _folded(fold)
        if reduced is None or (node.name == "div" and n == 0):
            continue
        digits = symbols.dimensions.digits.over(reduced.over)
        length, value = _length(digits), float(constant.value)
        if value == 0 or all(map(symbols.dimensions.keeps, digits)):
            continue
        if length < FEW:
            raise UndeterminedError(f"a fold of {length} elements is scaled by {shown(constant)}: a mean?")
        if node.name == "div" and value == length:
            meant.put(node, n, symbols.size(digits))
        elif node.name == "mul" and abs(value * length - 1) < 1e-6 and value <= 0.5:
            meant.put(node, n, symbols.size(digits))
            meant.divided[node] = fold
        elif is_integer(value) or is_integer(1 / value):
            raise UndeterminedError(
                f"a fold of {length} elements is scaled by {shown(constant)}, which is not its length"
            )


def _backward_norms(found: Computation, symbols: Symbols, meant: Numbers) -> None:
    """`n * gradient - its sum`, and one over n before it: a normalization's backward pass."""
    lengths: dict[int, tuple[Digit, ...]] = {}
    for node in every(found):
        match node:
            case Operation(name="sub", inputs=(Operation(name="mul", inputs=(_, _) as factors) as scaled, taken)):
                reduced = _folded(taken)
                if reduced is None:
                    continue
                digits = symbols.dimensions.digits.over(reduced.over)
                length = 1 if all(map(symbols.dimensions.keeps, digits)) else _length(digits)
                for n, part in enumerate(factors):
                    constant = number(part)
                    if constant is not None and constant.value == length >= LARGE:
                        meant.put(scaled, n, symbols.size(digits))
                        lengths[length] = digits
    means = set(meant.divided)
    for node, n, other, constant in _scaled(found, "mul"):
        length = round(1 / constant.value) if 0 < constant.value < 1 else 0
        if node not in means and length in lengths and abs(constant.value * length - 1) < 1e-6:
            meant.put(node, n, symbols.size(lengths[length]))
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


def _told(size: Expression) -> str:
    """A size as it is called."""
    match size:
        case Size(name=name):
            return name
        case Position(index=Index(terms=(Term(factor=times, sizes=sizes),))):
            return str(product([str(times), *sizes]))
    raise AssertionError(size)
