"""Walks a computation's nodes, and finds positions that are compared with numbers.

`x0 < 32` is such a comparison: of a half of a row, or of a part of a concatenation.
"""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.folds import Partial, narrowing
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Assert, Define, Loop
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Position,
    Reduction,
    walk,
)
from inductor_lab.eject.refusal import UndeterminedError

ENDS = (Load, Reduction, Partial, Carried)
"""What arithmetic begins with: loaded or folded."""


def every(found: Computation) -> Iterator[Expression]:
    """Every node of what is used or has a name, once, those that only positions and calls name too; from the last on."""
    named = (value for step in found.schedule.every() if isinstance(step, Define) for value in step.values)
    return walk(*reversed([*used(found), *named]), parts=lambda node: below(node)[::-1])


def used(found: Computation) -> Iterator[Expression]:
    """What an access, a loop or a check is made of."""
    for access in found.accesses:
        yield from access.index.expressions()
        yield from (part for part in (access.mask, access.value) if part is not None)
    for step in found.schedule.every():
        match step:
            case Loop(carries=carries):
                for carry in carries:
                    yield from (carry.start, carry.before, carry.end, carry.after)
            case Assert(check=check):
                yield check.condition


def below(node: Expression) -> list[Expression]:
    """What a node is made of: its operands, then what its call and its position name."""
    parts = list(node.operands)
    if isinstance(node, Position):
        parts += node.index.expressions()
    call = getattr(node, "call", None)
    if isinstance(call, Call):
        parts += call.values
    if isinstance(node, Carried):
        parts.append(node.start)
    return parts


def arithmetic(value: Expression) -> list[Expression]:
    """A value and what it is computed from, down to what is loaded or folded: each once, a node before what it is made of."""
    nodes = walk(value, parts=lambda node: [] if isinstance(node, ENDS) else below(node))
    return [node for node in nodes if not isinstance(node, ENDS)]


def indices(found: Computation) -> Iterator[Index]:
    """Every address, and every position that is a value."""
    yield from (access.index for access in found.accesses)
    for node in every(found):
        index = getattr(node, "index", None)
        if isinstance(index, Index):
            yield index


# ------------------------------------------------------------ positions


def literal(found: Computation) -> Iterator[Coordinate]:
    """Coordinates that mean what they mean at the captured sizes alone: those of positions beside numbers, and of masks that ask for more than
    the ends of the axes.

    Raises:
        UndeterminedError: a mask depends on data.
    """
    for node in every(found):
        if isinstance(node, Position) and not flat(node.index):
            yield from node.index.coordinates()
        if isinstance(node, Operation) and beside(node):
            for operand in node.operands:
                for position in positions(operand):
                    yield from position.index.coordinates()
    for access in found.accesses:
        for part in narrowing(access.mask):
            if any(isinstance(node, (Load, Reduction)) for node in walk(part)):
                raise UndeterminedError(
                    f"line {access.line} of its body (as `show` numbers them) masks {access.pointer} by what the data says"
                )
            for node in walk(part):
                if isinstance(node, Position):
                    yield from node.index.coordinates()


def flat(index: Index) -> bool:
    """Whether a position is a flat number of its coordinates: `x0 + 75*x1` with x0 below 75 may be one, `x0 + 1` is none."""
    return not index.constant and all(isinstance(term.of, Coordinate) and not term.sizes for term in index.terms)


def beside(node: Operation) -> list[int]:
    """Which operands of a node are numbers that a position is held against; True, False and 0 are none."""
    first = 1 if node.name == "where" else 0
    if not any(next(positions(part), None) for part in node.inputs[first:]):
        return []
    return [n for n, part in enumerate(node.inputs) if n >= first and _counts(part)]


def positions(value: Expression) -> Iterator[Position]:
    """What positions a value is made of; a choice by one, and what comes of a comparison, are none."""

    def parts(node: Expression) -> tuple[Expression, ...]:
        if node.dtype == "bool" or isinstance(node, (Position, *ENDS)):
            return ()
        return node.operands[1:] if isinstance(node, Operation) and node.name == "where" else node.operands

    return (node for node in walk(value, parts=parts) if isinstance(node, Position))


def number(value: Expression) -> Constant | None:
    """The number that a value is, in whatever dtype."""
    value = bare(value)
    return value if isinstance(value, Constant) else None


def bare(value: Expression) -> Expression:
    """A value without its casts."""
    while isinstance(value, (Cast, Broadcast)):
        value = value.operand
    return value


def _counts(value: Expression) -> bool:
    constant = number(value)
    return constant is not None and not isinstance(constant.value, bool) and constant.value != 0
