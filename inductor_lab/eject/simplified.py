"""A computation less what changes nothing, and in a loop less what the loop does not change: as a person would have written it.

    (column - row).to(tl.int64) <= 0         column <= row                  nothing is widened to be compared
    (column <= row) == 0                     column > row
    (2 * column >= 0) & (2 * column < 64)    2 * column < 64                no test that holds for every element
    x * 1.0                                  x
    for ...: y = x * tl.exp(-scale)          factor = tl.exp(-scale), and in the loop y = x * factor

Each value stays the same to the bit for every element that exists; the others are masked by the tests of the ends, which all stay.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.nodes import Nodes
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Define, Loop, Schedule, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Constant,
    Expression,
    Inside,
    Operation,
    Position,
    Size,
    walk,
)
from inductor_lab.eject.intervals import Bounds
from inductor_lab.eject.triton_values import fits_in, unscaled

OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
"""What holds where a comparison does not; of floats only for the last two, since a NaN is neither less nor greater."""
FIXED = (Constant, Size, Position, Operation, Cast)
"""What arithmetic is made of."""


def simplified(found: Computation) -> Computation:
    """The same computation, each value and each step written simply."""
    rewriting = _Rewriting(found)
    schedule = dataclasses.replace(found.schedule, steps=tuple(_hoisted(rewriting.record(found.schedule.steps), set())))
    return dataclasses.replace(
        found, accesses=rewriting.record(found.accesses), checks=rewriting.record(found.checks), schedule=schedule
    )


class _Rewriting:
    """Equal values of what is made are one object, as in what it is made of."""

    def __init__(self, found: Computation) -> None:
        self.bounds = Bounds(found.numel, {})
        self.wide = {axis.name for axis in found.schedule.axes if axis.dtype == "int64"}
        self.nodes = Nodes()
        self.seen: dict[int, Any] = {}

    def record(self, value: Any) -> Any:
        """A step, an address, a tuple of them: with each value in it written simply."""
        if isinstance(value, tuple):
            return tuple(map(self.record, value))
        if isinstance(value, Expression):
            return self.value(value)
        if not dataclasses.is_dataclass(value) or isinstance(value, (type, Coordinate, Schedule)):
            return value
        if id(value) not in self.seen:
            made = {field.name: self.record(getattr(value, field.name)) for field in dataclasses.fields(value)}
            if isinstance(value, Access) and _is_true(made["mask"]):
                made["mask"] = None
            self.seen[id(value)] = type(value)(**made)
        return self.seen[id(value)]

    def value(self, value: Expression) -> Expression:
        if id(value) not in self.seen:
            fields = [self.record(getattr(value, field.name)) for field in dataclasses.fields(value)]
            self.seen[id(value)] = self.simple(self.nodes.make(type(value), *fields))
        found: Expression = self.seen[id(value)]
        return found

    def simple(self, value: Expression) -> Expression:
        """A value whose operands are simple already."""
        match value:
            case Cast(operand=operand, dtype=dtype) if dtype == operand.dtype:
                return operand
            case Operation(name="mul") if (same := unscaled(value)) is not None:
                return same
            case Operation(name="and", inputs=(one, other)) if value.dtype == "bool":
                kept = [x for x, test in ((one, other), (other, one)) if _is_true(test) and (x.axes or _is_true(x))]
                return kept[0] if kept else value
            case Operation(name="where", inputs=(condition, one, _), dtype=dtype) if one.dtype == dtype:
                return one if _is_true(condition) else value
            case (
                Operation(name="not", inputs=(test,))
                | Operation(name="eq", inputs=(test, Constant(value=0)), spelling="")
            ) if test.dtype == "bool" and (opposite := self.opposite(test)) is not None:
                return opposite
            case Operation(name=name, inputs=(left, right), spelling="") if name in OPPOSITE:
                return self.compared(value, *self.apart(*self.narrow(left, right)))
        return value

    def compared(self, value: Operation, left: Expression, right: Expression) -> Expression:
        """A comparison; True for one that holds for every element."""
        if left is not value.inputs[0] or right is not value.inputs[1]:
            value = self.operation(value, value.name, left, right)
        told = value.axes and all(map(_is_whole, walk(value)))
        return self.nodes.constant(True, "bool") if told and self.bounds.decided(value) else value

    def opposite(self, test: Expression) -> Expression | None:
        """What holds where a test does not."""
        match test:
            case Operation(name=name, inputs=(left, right), spelling="") if name in OPPOSITE:
                if name in {"eq", "ne"} or not any("float" in side.dtype for side in (left, right)):
                    return self.compared(self.operation(test, OPPOSITE[name], left, right), left, right)
        return None

    def operation(self, like: Operation, name: str, *inputs: Expression) -> Operation:
        made = self.nodes.make(Operation, like.dtype, like.axes, name, inputs, "", "")
        assert isinstance(made, Operation)
        return made

    def narrow(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        """Both sides as they were before they were widened, where they compare the same: Triton widens the narrower one itself."""
        one, other = self.unwidened(left), self.unwidened(right)
        numbers = ((left, other), (right, one))
        if all(fits_in(number, beside.dtype) for number, beside in numbers if isinstance(number, Constant)):
            return one, other
        return left, right

    def unwidened(self, value: Expression) -> Expression:
        match value:
            case Cast(operand=operand, dtype="int64") if operand.dtype == "int32":
                return operand
            case Position(axes=axes, index=index, dtype="int64") if not index.expressions() and not axes & self.wide:
                return self.nodes.make(Position, "int32", axes, index)
        return value

    def apart(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        """`column - row` beside 0: `column` beside `row`."""
        match left, right:
            case Position(index=Index(constant=0, terms=(a, b))), Constant(value=0) if {a.factor, b.factor} == {1, -1}:
                plus, minus = (a, b) if a.factor == 1 else (b, a)
                if (
                    isinstance(plus.of, Coordinate)
                    and isinstance(minus.of, Coordinate)
                    and not (plus.sizes or minus.sizes)
                ):
                    return self.alone(plus.of, left), self.alone(minus.of, left)
        return left, right

    def alone(self, coordinate: Coordinate, of: Expression) -> Expression:
        index = Index(0, (Term(1, coordinate),))
        return self.nodes.make(Position, of.dtype, frozenset({coordinate.axis}), index)


def _is_true(value: Expression | None) -> bool:
    return isinstance(value, Constant) and value.dtype == "bool" and value.value is True


def _is_whole(value: Expression) -> bool:
    """Whether a value is a whole number that is worked out of coordinates and sizes alone."""
    read = isinstance(value, Position) and value.index.expressions()
    return isinstance(value, FIXED) and "float" not in value.dtype and not read


# ------------------------------------------------------------ loops


def _hoisted(steps: Sequence[Step], known: set[Expression]) -> Iterator[Step]:
    """The steps, and before a loop those in it that give the same in every turn.

    Args:
        known: What has a value before the steps; what they define is added.
    """
    for step in steps:
        if not isinstance(step, Loop):
            yield step
            known.update(step.values if isinstance(step, Define) else ())
            continue
        carried = {carry.name for carry in step.carries}
        kept: list[Step] = []
        for inner in _hoisted(step.steps, set(known)):
            if (
                isinstance(inner, Define)
                and not (inner.loads or carried & {*inner.names})
                and all(step.axis not in value.axes and _is_made_of(value, known) for value in inner.values)
            ):
                if not known.issuperset(inner.values):
                    yield inner
                known.update(inner.values)
            else:
                kept.append(inner)
        known.update(carry.after for carry in step.carries)
        yield dataclasses.replace(step, steps=tuple(kept))


def _is_made_of(value: Expression, known: Collection[Expression]) -> bool:
    """Whether a value is arithmetic of known ones alone."""
    if value in known:
        return True
    operands = value.index.expressions() if isinstance(value, Position) else value.operands
    return isinstance(value, (*FIXED, Broadcast, Inside)) and all(_is_made_of(operand, known) for operand in operands)
