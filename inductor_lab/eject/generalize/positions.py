"""Positions that a body computes with: `x0 < 32` holds one against a number, as a half of a row or a part of a concatenation does."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.folds import Partial, narrowing
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
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
from inductor_lab.eject.generalize.walking import every
from inductor_lab.eject.refusal import UndeterminedError


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
    waiting, seen = [value], set[Expression]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Position):
            yield node
            continue
        if node in seen or node.dtype == "bool" or isinstance(node, (Load, Reduction, Partial, Carried)):
            continue
        seen.add(node)
        waiting += node.operands[1:] if isinstance(node, Operation) and node.name == "where" else node.operands


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
