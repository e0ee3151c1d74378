"""Makes the tree's nodes, equal ones once (hash-consing), and holds what is known while a body is read.

`Nodes` bounds their depth and counts their floating-point work. An `Evaluator` has the names, pointers and accesses so far, and the one way from an
expression to its tree: every rule (`calls`, `memory`, `folds`, `groups`) asks one. The one that there is, `evaluation`, knows the rules.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inductor_lab.computation.index import Index, divided, remainder
from inductor_lab.computation.operators import CANONICAL, COMPARISONS, TABLE
from inductor_lab.computation.schedule import BLOCKS, Access, Reached
from inductor_lab.computation.tree import (
    PREDICATES,
    Broadcast,
    Constant,
    Expression,
    Named,
    Operation,
    Position,
    Unknown,
    index_of,
    joined,
    scale,
    union,
)
from inductor_lab.records import Argument

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


@dataclass(frozen=True)
class Block:
    """A tile of a tensor, as the text makes it."""

    base: ast.expr
    strides: tuple[ast.expr, ...]
    sizes: tuple[ast.expr, ...]
    """How long the tile is along each dimension, in blocks of the launch."""
    offsets: tuple[ast.expr, ...]
    """Where it begins; none for a descriptor, whose load tells it."""


@dataclass
class Evaluator(Nodes, ABC):
    """The names of a body so far, and what they stand for."""

    pointers: Mapping[str, Argument] = field(default_factory=dict)
    constants: Mapping[str, Expression] = field(default_factory=dict)
    """Sizes and constexprs of the signature."""
    names: dict[str, Expression] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    axes: frozenset[str] = NOWHERE
    """Every axis of the kernel."""
    looped: bool = False
    group: int | None = None
    """Rows that a program folds into one, where it does (`groups`)."""
    reached: list[Reached] = field(default_factory=list)
    """Loads and stores at addresses that are no sums of positions."""
    blocks: dict[str, Block] = field(default_factory=dict)
    """Block pointers and descriptors that have names."""
    left: dict[str, Expression] = field(default_factory=dict)
    """Workspace -> what this program put there."""

    @abstractmethod
    def of(self, node: ast.expr) -> Expression:
        """The tree of an expression."""

    def blocks_of(self, size: ast.expr) -> frozenset[str]:
        """The axes whose blocks a size is made of."""
        return _spanned([size], self.axes)

    def spread(self, value: Expression, shape: list[ast.expr]) -> Expression:
        axes = value.axes | _spanned(shape, self.axes)
        return value if axes == value.axes else self.make(Broadcast, value.dtype, axes, value)


def _spanned(shape: list[ast.expr], axes: frozenset[str]) -> frozenset[str]:
    names = {n.id for part in shape for n in ast.walk(part) if isinstance(n, ast.Name)}
    return frozenset(_axis(name, axes) for name in names if name in BLOCKS)


def _axis(block: str, axes: frozenset[str]) -> str:
    """`RBLOCK` is another name for `R0_BLOCK` where the kernel has that axis (2.6 on)."""
    axis = BLOCKS[block]
    return "r0_" if axis == "r" and "r" not in axes and "r0_" in axes else axis


def size_of(value: Expression) -> int | str | None:
    """A divisor as a number or the text of its sizes; None for anything else."""
    index = index_of(value)
    if index.is_constant:
        return index.constant
    if not index.is_scalar:
        return None
    return " + ".join((*map(scale, index.terms), *([str(index.constant)] if index.constant else [])))


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
