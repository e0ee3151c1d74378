"""What values say of coordinates: the address that an expression is, and the bounds that hold where a mask is true."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.operators import MIRRORED
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Operation, Position, Size


def index_of(value: Expression) -> Index:
    """The index of an expression: through sums and products of integers down to coordinates, sizes and loads."""
    match value:
        case Position(index=index):
            return index
        case Constant(value=int() as number):
            return Index(int(number))
        case Size(name=name):
            return Index(0, (Term(1, None, (name,)),))
        case Operation(name="add", inputs=(left, right)):
            return index_of(left).plus(index_of(right))
        case Operation(name="sub", inputs=(left, right)):
            return index_of(left).plus(index_of(right).times(-1))
        case Operation(name="neg", inputs=(operand,)):
            return index_of(operand).times(-1)
        case Broadcast(operand=operand):
            return index_of(operand)
        case Operation(name="mul", inputs=(left, right)):
            product = index_of(left).product(index_of(right))
            if product is not None:
                return product
    return Index(0, (Term(1, value),))


@dataclass(frozen=True)
class Limit:
    """`low <= index < high` where a mask is true; no high means no upper bound. The index is a sum of positive multiples of coordinates."""

    index: Index
    low: int
    high: int | None

    @property
    def coordinate(self) -> Coordinate | None:
        """The coordinate that is bounded, where it is one alone."""
        return self.index.only()

    def inverse(self) -> Limit | None:
        """What holds where this does not, if that is one range."""
        if self.low == 0 and self.high is not None:
            return Limit(self.index, self.high, None)
        return Limit(self.index, 0, self.low) if self.high is None else None


def limits(mask: Expression | None) -> tuple[Limit, ...]:
    """The bounds on coordinates, and on sums of them, that hold wherever a mask is true."""
    match mask:
        case Operation(name="and", inputs=(left, right)):
            return (*limits(left), *limits(right))
        case Operation(name="not", inputs=(operand,)):
            inner = limits(operand)
            flipped = inner[0].inverse() if len(inner) == 1 else None
            return (flipped,) if flipped else ()
        case Operation(name=name, inputs=(left, right)):
            found = _limit(index_of(left), name, index_of(right))
            return (found,) if found else ()
    return ()


def _limit(left: Index, name: str, right: Index) -> Limit | None:
    if left.is_constant:
        left, name, right = right, MIRRORED.get(name, name), left
    if not right.is_constant or left.is_constant:
        return None
    if any(term.factor < 1 or term.sizes or not isinstance(term.of, Coordinate) for term in left.terms):
        return None
    at = right.constant - left.constant
    bounds = {"lt": (0, at), "le": (0, at + 1), "ge": (at, None), "gt": (at + 1, None), "eq": (at, at + 1)}
    if name not in bounds:
        return None
    low, high = bounds[name]
    return Limit(Index(0, left.terms), max(low, 0), high)
