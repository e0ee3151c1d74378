"""Simplifies a computation before it is printed: drops masks, casts and tests that change nothing, and moves constants out of loops.

    (column - row).to(tl.int64) <= 0         column <= row                  nothing is widened to be compared
    (column <= row) == 0                     column > row
    (2 * column >= 0) & (2 * column < 64)    2 * column < 64                no test that holds for every element
    x * 1.0                                  x
    tl.where(c, 0.0, 0.0)                    0.0                            no choice between the same, nor one that a load's mask made
    tl.where(x < 1, a, tl.where(x >= 1, b, 0.0))    tl.where(x < 1, a, b)   nor one that is decided
    tl.sum(tl.where(inside_r, x * x, 0.0), 1)       tl.sum(x * x, 1), of an x that is 0 where nothing is: no mask before a sum of zeros
    tl.where(xmask, tl.broadcast_to(y, [XBLOCK]), 0.0)      y where nothing is folded, and so nothing stored from beyond the ends
    tl.debug_barrier()                       nothing where what is stored behind it is never read
    for ...: y = x * tl.exp(-scale)          factor = tl.exp(-scale), and in the loop y = x * factor

Each value stays the same to the bit for every element that exists; the others are masked by the tests of the ends, which all stay.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from math import isfinite

from inductor_lab.computation.folds import conjuncts, masks
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.operators import COMPARISONS, TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Barrier, Define, Effect, Loop, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Named,
    Operation,
    Position,
    Size,
    walk,
)
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.eject.printing.operands import unscaled
from inductor_lab.eject.printing.patterns import half
from inductor_lab.eject.printing.rewriting import Rewriting
from inductor_lab.eject.triton.partners import Partners

FIXED = (Constant, Size, Position, Operation, Cast)
"""What arithmetic is made of."""


def simplified(found: Computation) -> Computation:
    """The same computation, each value and each step written simply."""
    rewriting = _Rewriting(found)
    found = rewriting.computation(found)
    steps, accesses = found.schedule.steps, found.accesses
    if rewriting.partners.made:
        steps, accesses = rewriting.partners.read_once(steps, accesses)
    read = {access.pointer for access in found.accesses if access.kind != "store"}
    schedule = dataclasses.replace(found.schedule, steps=tuple(_hoisted(tuple(_needed(steps, read)), set())))
    return dataclasses.replace(found, accesses=accesses, schedule=schedule)


class _Rewriting(Rewriting):
    def __init__(self, found: Computation) -> None:
        super().__init__()
        self.bounds = Bounds(found.numel, {})
        free = {axis.name for axis in found.schedule.axes if not axis.reduced}
        self.flat = len(free) == len(found.schedule.axes)
        """Whether nothing is folded, so that what is filled in outside of the masks goes nowhere."""
        self.beside = set() if found.schedule.group else free
        """Axes of which what lies beyond the end is folded into no element that exists."""
        self.wide = {axis.name for axis in found.schedule.axes if axis.dtype == "int64"}
        self.partners = Partners(self.nodes)

    def access(self, access: Access) -> Access:
        found = dataclasses.replace(access, mask=None) if _is_true(access.mask) else access
        if isinstance(found.value, Load):
            self.partners.accesses[found.value] = found
        return found

    def simple(self, value: Expression) -> Expression:
        """A value whose operands are simple already."""
        value = self.chosen(value)
        match value:
            case Cast(operand=operand, dtype=dtype) if dtype == operand.dtype:
                return operand
            case Cast(operand=Constant(value=True), dtype=dtype) if "int" in dtype:  # a test that always holds, counted
                return self.nodes.constant(1, dtype)
            case Operation(name="mul") if (same := unscaled(value)) is not None:
                return same
            case Operation(name="and", inputs=(one, other)) if value.dtype == "bool":
                kept = [x for x, test in ((one, other), (other, one)) if _is_true(test) and (x.axes or _is_true(x))]
                return kept[0] if kept else value
            case Operation(name="where", inputs=(test, Broadcast() as one, Constant())) if self.flat and masks(test):
                return one
            case Operation(name="where", inputs=(condition, one, _), dtype=dtype) if _is_true(condition):
                return one if one.dtype == dtype else self.nodes.make(Cast, dtype, one.axes, one)
            case Operation(name="where", inputs=(_, one, other), dtype=dtype) if one.dtype == dtype and _same(
                one, other
            ):
                return one
            case Operation(name="where", inputs=(test, Load(mask=mask, other=other) as one, besides), dtype=dtype) if (
                one.dtype == dtype and other is not None and test in conjuncts(mask) and _same(other, besides)
            ):
                return one
            case Operation(name="where", inputs=(test, one, zero), dtype=dtype) if (
                one.dtype == dtype and masks(test) and vanishes(zero, ()) and vanishes(one, self.folded(test))
            ):
                return one
            case Operation(
                name="where", inputs=(test, Operation(name="add", inputs=(before, one)) as more, Carried() as kept)
            ) if before is kept and masks(test) and vanishes(one, self.folded(test)):
                return more
            case Operation(
                name="where", inputs=(test, _, Operation(name="where", inputs=(other, one, _), dtype=dtype))
            ) if value.dtype == dtype == one.dtype and self.opposite(test) is other:
                return self.operation(value, "where", test, value.inputs[1], one)
            case Operation(name="where", inputs=(test, _, _)) if half(test) and (above := self.opposite(test)):
                choice = self.chosen(value, above)
                return self.partners.chosen(choice, above) if isinstance(choice, Operation) else choice
            case (
                Operation(name="not", inputs=(test,))
                | Operation(name="eq", inputs=(test, Constant(value=0)), spelling="")
            ) if test.dtype == "bool" and (opposite := self.opposite(test)) is not None:
                return opposite
            case Operation(name=name, inputs=(left, right), spelling="") if name in COMPARISONS:
                return self.compared(value, *self.separated(*self.narrow(left, right)))
        return value

    def folded(self, test: Expression) -> set[str]:
        """The axes of a mask beyond whose end elements are folded into such as exist."""
        return {part.axis for part in conjuncts(test) if isinstance(part, Inside)} - self.beside

    def compared(self, value: Operation, left: Expression, right: Expression) -> Expression:
        """A comparison; True for one that holds for every element."""
        if left is not value.inputs[0] or right is not value.inputs[1]:
            value = self.operation(value, value.name, left, right)
        told = value.axes and (_is_clamped(value) or all(map(_is_whole, walk(value))))
        return self.nodes.constant(True, "bool") if told and self.bounds.decided(value) else value

    def opposite(self, test: Expression) -> Expression | None:
        """What holds where a test does not."""
        match test:
            case Operation(name=name, inputs=(left, right), spelling="") if name in COMPARISONS:
                if name in {"eq", "ne"} or not any("float" in side.dtype for side in (left, right)):
                    return self.compared(self.operation(test, TABLE[name].negated, left, right), left, right)
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

    def separated(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        """`column - row` beside 0: `column` beside `row`."""
        match left, right:
            case Position(index=Index(constant=0, terms=(a, b))), Constant(value=0) if {a.factor, b.factor} == {1, -1}:
                plus, minus = (a, b) if a.factor == 1 else (b, a)
                if (
                    isinstance(plus.of, Coordinate)
                    and isinstance(minus.of, Coordinate)
                    and not (plus.sizes or minus.sizes)
                ):
                    return self.position_of(plus.of, left), self.position_of(minus.of, left)
        return left, right

    def position_of(self, coordinate: Coordinate, of: Expression) -> Expression:
        index = Index(0, (Term(1, coordinate),))
        return self.nodes.make(Position, of.dtype, frozenset({coordinate.axis}), index)


def _same(one: Expression, other: Expression) -> bool:
    """Whether two values are the same to the bit: 0.0 is not -0.0."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        return repr(one.value) == repr(other.value)
    return one is other


def _is_true(value: Expression | None) -> bool:
    return isinstance(value, Constant) and value.dtype == "bool" and value.value is True


def _is_clamped(value: Expression) -> bool:
    """Whether a whole number that is at least, or at most, a number is compared with another."""
    match value:
        case Operation(inputs=(Operation(name="maximum" | "minimum", dtype=dtype, inputs=(_, Constant())), Constant())):
            return "float" not in dtype
    return False


def _is_whole(value: Expression) -> bool:
    """Whether a value is a whole number that is worked out of coordinates and sizes alone."""
    read = isinstance(value, Position) and value.index.expressions()
    return isinstance(value, FIXED) and "float" not in value.dtype and not read


# ------------------------------------------------------------ what is 0 by itself


def vanishes(value: Expression, axes: Collection[str]) -> bool:
    """Whether a value is +0.0, or 0, for all that lies beyond the end of one of the axes."""
    match value:
        case Constant(value=number):
            return repr(number) in {"0", "0.0"}
        case Load(mask=mask, other=Constant(value=other)):
            ends = {test.axis for test in conjuncts(mask) if isinstance(test, Inside)}
            return repr(other) in {"0", "0.0"} and ends.issuperset(axes)
        case Cast(operand=operand) | Broadcast(operand=operand) | Named(inputs=(operand,)):
            return vanishes(operand, axes)
        case Operation(name="mul", inputs=(one, other)):
            return any(
                vanishes(a, axes) and (_is_plain(b) or vanishes(b, axes)) for a, b in ((one, other), (other, one))
            )
        case Operation(name="div", inputs=(one, Constant(value=by))):
            return vanishes(one, axes) and by > 0
        case Operation(name="where", inputs=(_, one, other)):
            return vanishes(one, axes) and vanishes(other, axes)
        case Operation(name=name, inputs=inputs) if name in TABLE and TABLE[name].vanishes:
            return all(vanishes(each, axes) for each in inputs)
    return False


def _is_plain(factor: Expression) -> bool:
    """Whether 0 times a factor is +0.0: a number above 0, or what a test gives."""
    match factor:
        case Constant(value=number):
            return number > 0 and isfinite(number)
        case Cast(operand=operand) | Broadcast(operand=operand):
            return _is_plain(operand)
    return factor.dtype == "bool"


# ------------------------------------------------------------ steps


def _needed(steps: Sequence[Step], read: Collection[str]) -> Iterator[Step]:
    """The steps less the barriers before a store to what is never read: Inductor has one wherever a store may be in place."""
    for step, after in zip(steps, (*steps[1:], None), strict=True):
        stored = after.access if isinstance(after, Effect) else None
        if isinstance(step, Loop):
            step = dataclasses.replace(step, steps=tuple(_needed(step.steps, read)))
        if not isinstance(step, Barrier) or stored is None or stored.kind != "store" or stored.pointer in read:
            yield step


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


def fits_in(constant: Constant, beside: str) -> bool:
    """Whether a whole number is one of the other operand's dtype: comparing them says the same in that dtype."""
    if isinstance(constant.value, bool) or not (constant.dtype.startswith("int") and beside in {"int32", "int64"}):
        return False
    return -(2**31) <= constant.value < 2**31
