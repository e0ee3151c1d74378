"""Makes the nodes of a computation's trees: equal ones once, their depth bounded, their floating-point work counted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.dtypes import PREDICATES, joined
from inductor_lab.computation.index import Index, divided, remainder
from inductor_lab.computation.operators import CANONICAL, COMPARISONS, TABLE
from inductor_lab.computation.tree import Constant, Expression, Named, Operation, Position, Unknown, union

NOWHERE: frozenset[str] = frozenset()
DEEPEST = 150
"""Levels of one tree. What lies deeper stands behind a name: whoever walks down a tree may recurse."""


@dataclass
class Nodes:
    """Every node of one body."""

    work: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    """(floating-point operations for one element, axes over which they are repeated)."""
    made: dict[tuple[Any, ...], Expression] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)
    """id of a node -> its levels."""

    def make(self, kind: Callable[..., Expression], *fields: Any) -> Expression:
        """A node, the same one for the same fields."""
        key = (kind, *(repr(f) if isinstance(f, float) else f for f in fields))
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = kind(*fields)
            below = max((self.depth.get(id(operand), 0) for operand in found.operands), default=0)
            self.depth[id(found)] = below + 1
        return found

    def too_deep(self, value: Expression) -> bool:
        return self.depth.get(id(value), 0) >= DEEPEST

    def behind_a_name(self, name: str, value: Expression) -> Expression:
        """A name in place of a tree that has become too deep to walk down."""
        hidden = self.make(Named, value.dtype, value.axes, name, (value,))
        self.depth[id(hidden)] = 1
        return hidden

    def constant(self, value: bool | int | float, dtype: str = "") -> Expression:
        return self.make(Constant, dtype or type(value).__name__, NOWHERE, value)

    def operation(
        self, name: str, *inputs: Expression, dtype: str = "", spelling: str = "", keywords: str = ""
    ) -> Expression:
        """An operation, its cost counted where it works on floats."""
        name = CANONICAL.get(name, name)
        if (decided := _decided(name, inputs)) is not None:
            return self.constant(decided) if isinstance(decided, bool) else decided
        kind = "bool" if name in PREDICATES else dtype or joined(*inputs[1:] if name == "where" else inputs)
        axes = union(inputs)
        if kind.startswith(("float", "bfloat")) and not all(isinstance(value, Constant) for value in inputs):
            self.cost(name, axes)
        return self.make(Operation, kind, axes, name, inputs, spelling, keywords)

    def cost(self, name: str, axes: frozenset[str]) -> None:
        if count := TABLE[name].flops if name in TABLE else 1:
            self.work.append((count, axes))

    def unknown(self, node: ast.AST, *inputs: Expression, dtype: str = "") -> Expression:
        return self.make(Unknown, dtype or joined(*inputs), union(inputs), ast.unparse(node), inputs)

    def position(self, index: Index, axes: frozenset[str], dtype: str = "int32") -> Expression:
        if index.is_constant:
            return self.constant(index.constant, dtype)
        return self.make(Position, dtype, axes, index)

    def exact(self, left: Expression, name: str, right: Expression) -> Expression | None:
        """Arithmetic of positions and sizes; None where the result is no sum of coordinates."""
        if any(isinstance(side, Constant) and isinstance(side.value, float) for side in (left, right)):
            return None
        a, b = index_of(left), index_of(right)
        found: Index | None = None
        match name:
            case "add":
                found = a.plus(b)
            case "sub":
                found = a.plus(b.times(-1))
            case "mul":
                found = a.product(b)
            case "floordiv" | "mod":
                by = b.constant if b.is_constant else size_of(right)
                if by is not None:
                    found = divided(a, by) if name == "floordiv" else remainder(a, by)
        if found is None:
            return None
        axes = frozenset(c.axis for c in found.coordinates()) or union((left, right))
        return self.position(found, axes, joined(left, right))


def size_of(value: Expression) -> int | str | None:
    """A divisor as a number or the text of its sizes; None for anything else."""
    index = index_of(value)
    if index.is_constant:
        return index.constant
    if not index.is_scalar:
        return None
    products = ["*".join((*([str(t.factor)] if t.factor != 1 else []), *t.sizes)) for t in index.terms]
    return " + ".join((*products, *([str(index.constant)] if index.constant else [])))


def _decided(name: str, inputs: tuple[Expression, ...]) -> bool | Expression | None:
    """What is known before it runs: a comparison of two whole numbers, two such conditions together, a choice between two values by them."""
    match inputs:
        case Constant(value=int() as a), Constant(value=int() as b) if name in COMPARISONS and (
            whole := TABLE[name].whole
        ):
            return bool(whole(a, b))
        case Constant(value=bool() as a), Constant(value=bool() as b) if name == "and":
            return a and b
        case Constant(value=bool() as condition, dtype="bool"), one, other if name == "where":
            return one if condition else other
    return None
