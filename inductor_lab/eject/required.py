"""What loaded whole numbers must be for a value that is made of them to stay within bounds: interval arithmetic, backwards.

3*tmp0 + 2 in [0, 50]      tmp0 in [0, 16]
"""

from __future__ import annotations

from math import ceil, floor, inf

from inductor_lab.computation.idioms import wrapped
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Operation,
    Reduction,
    Scan,
    Unknown,
    pointers,
    walk,
)
from inductor_lab.eject.intervals import EVERYTHING, Bounds, Interval, exactly


class Required:
    """The intervals that the whole numbers of a job's tensors must be in, by pointer."""

    def __init__(self, bounds: Bounds, wanted: dict[str, Interval]) -> None:
        self.bounds, self.wanted = bounds, wanted
        self.followed: set[tuple[int, float, float]] = set()

    def holds(self, condition: Expression) -> None:
        """A condition that the kernel stops at: each bound in it holds."""
        match condition:
            case Operation(name="and", inputs=(left, right)):
                self.holds(left)
                self.holds(right)
            case Operation(name="or", inputs=(left, right)):
                self.holds(left)  # `(0 <= i) & (i < n) | ~mask`
                self.holds(right)
            case Operation(name="lt" | "le" | "gt" | "ge" as name, inputs=(left, right)):
                if name in {"gt", "ge"}:
                    left, right = right, left
                strict = 1 if name in {"lt", "gt"} else 0
                above, below = self.bounds.of(right), self.bounds.of(left)
                if above.known and pointers(left):
                    self.inside(left, Interval(-inf, above.low - strict))
                elif below.known and pointers(right):
                    self.inside(right, Interval(below.high + strict, inf))

    def inside(self, value: Expression, room: Interval) -> None:
        """What feeds a value that must stay within bounds."""
        if (id(value), room.low, room.high) in self.followed or room == EVERYTHING:
            return
        self.followed.add((id(value), room.low, room.high))
        inner = wrapped(value)
        if inner is not None:
            self.inside(inner, room)
            return
        match value:
            case Load(pointer=pointer):
                self.wanted[pointer] = self.wanted.get(pointer, EVERYTHING).within(room)
            case Cast(operand=operand) | Broadcast(operand=operand) | Unknown(inputs=(operand,)):
                self.inside(operand, room)
            case Carried(start=start):
                self.inside(start, room)
            case Reduction(name="max" | "min" | "fmax", inputs=(operand, *_)) | Scan(inputs=(operand, *_)):
                self.inside(operand, room)
            case Operation(name=name, inputs=parts):
                self.through(name, parts, room)

    def through(self, name: str, parts: tuple[Expression, ...], room: Interval) -> None:
        match name, parts:
            case "where", (_, one, other):
                self.inside(one, room)
                self.inside(other, room)
            case "add" | "sub", (left, right) if not loads(left).keys() & loads(right).keys():
                sign = -1 if name == "sub" else 1
                a, b = self.bounds.of(left), exactly(sign) * self.bounds.of(right)
                if b.known:
                    self.inside(left, _clean(Interval(room.low - b.low, room.high - b.high)))
                elif a.known:
                    turned = Interval(room.low - a.low, room.high - a.high)
                    self.inside(right, _clean(turned if sign == 1 else -turned))
                elif room.low <= 0:
                    half = Interval(min(room.low, 0), room.high / 2)
                    self.inside(left, half)
                    self.inside(right, half)
            case "neg", (operand,):
                self.inside(operand, -room)
            case "mul", (left, right):
                for one, other in ((left, right), (right, left)):
                    by = self.bounds.of(other)
                    if by.known and by.high > 0 and pointers(one):
                        self.inside(one, Interval(ceil(room.low / by.high), _floor(room.high / by.high)))
                        break
            case "maximum" | "fmax", (left, right):
                for one, other in ((left, right), (right, left)):
                    if pointers(one):
                        known = self.bounds.of(other)
                        self.inside(one, Interval(-inf if known.low >= room.low else room.low, room.high))
            case "minimum" | "fmin", (left, right):
                for one, other in ((left, right), (right, left)):
                    if pointers(one):
                        known = self.bounds.of(other)
                        self.inside(one, Interval(room.low, inf if known.high <= room.high else room.high))
            case "mod", (left, right):
                self.inside(left, Interval(0, inf))
                if (self.bounds.of(right).high - 1) > room.high:
                    self.inside(left, room)
            case "remainder", (left, right):
                if (self.bounds.of(right).high - 1) > room.high:
                    self.inside(left, room)
            case "floordiv" | "floor_divide", (left, right):
                by = self.bounds.of(right)
                if by.known and by.low == by.high > 0:
                    self.inside(left, Interval(room.low * by.low, room.high * by.low + by.low - 1))
            case "shift_right", (left, right):
                by = self.bounds.of(right)
                if by.known and by.low == by.high:
                    scale = 2**by.low
                    self.inside(left, Interval(room.low * scale, room.high * scale + scale - 1))


def loads(*roots: Expression) -> dict[int, Load]:
    """The loads that a value is made of, by identity; not those that only decide where another one reads."""
    found = {id(node): node for node in walk(*roots) if isinstance(node, Load)}
    deciding = {id(node) for load in found.values() for node in walk(*load.operands)}
    return {key: load for key, load in found.items() if key not in deciding}


def _clean(room: Interval) -> Interval:
    return room if room.low <= room.high else Interval(room.low, room.low)


def _floor(end: float) -> float:
    return end if end in (inf, -inf) else floor(end)
