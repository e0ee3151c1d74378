"""What is known of a body while it is read: its names, pointers and accesses so far, and the one way from an expression to its tree.

Every rule (`calls`, `memory`, `tiles`, `blocks`) asks an `Evaluator`. The one that there is, `values`, knows the rules.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.computation.nodes import NOWHERE, Nodes
from inductor_lab.computation.schedule import Access, Reached
from inductor_lab.computation.tree import Broadcast, Expression
from inductor_lab.records import Argument

BLOCKS = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "RBLOCK": "r", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}
"""Blocks -> the axes that a shape made of them spans."""


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
