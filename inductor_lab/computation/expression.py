"""What every value of a kernel has, whatever kind of node it is: a dtype, axes, and the values that it is made of.

The kinds stand in `tree`, which hands these on; addresses (`index`) hold values of any kind, and nodes hold addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """One value of the kernel, for every element of its shape."""

    dtype: str
    """torch's name; `float` and `int` for a bare number of Python, whose width the other operand decides."""
    axes: frozenset[str]
    """The axes of the launch (`x`, `y`, `r0_`) that it varies over: its shape."""

    @property
    def operands(self) -> tuple[Expression, ...]:
        return ()


def walk(*roots: Expression) -> Iterator[Expression]:
    """Every node under the roots once, however often it is used; a node before what it is made of."""
    seen: set[int] = set()
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(reversed(node.operands))


def union(expressions: Iterable[Expression]) -> frozenset[str]:
    """The axes of several values together."""
    return frozenset(axis for expression in expressions for axis in expression.axes)
