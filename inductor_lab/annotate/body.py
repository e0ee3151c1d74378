"""A kernel's body, decoded: which tensors it reads and writes at which addresses, and how often it computes what."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from inductor_lab.annotate.footprint import Box
from inductor_lab.annotate.index import Coordinate, Digits, Limit, Linear, Opaque
from inductor_lab.records import Size


@dataclass(frozen=True)
class Value:
    """What is known of an expression."""

    kind: str
    """`float`, `int`, `bool`."""
    axes: frozenset[str] = frozenset()
    """The program's axes that it varies over: its shape."""
    index: Linear | None = None
    """The exact form of an integer."""
    limits: tuple[Limit, ...] = ()
    """Bounds on coordinates that hold where a bool is true."""
    tensors: frozenset[str] = frozenset()
    """The pointers whose contents it depends on."""
    coordinates: frozenset[Coordinate] = frozenset()
    """The coordinates that it depends on, through whatever arithmetic."""


@dataclass(frozen=True)
class Access:
    """One load, store or atomic operation."""

    kind: str
    """`load`, `store` or `atomic_add` and the like."""
    pointer: str
    line: int
    index: Linear
    limits: tuple[Limit, ...]
    mask: str
    """The mask as written; empty without one."""
    eviction: str
    looped: bool
    """True inside a reduction's loop."""

    @property
    def gathered(self) -> frozenset[str]:
        """The pointers whose contents decide the address."""
        return frozenset(t for term, _ in self.index.terms if isinstance(term, Opaque) for t in term.tensors)


@dataclass
class Body:
    """A decoded body."""

    statements: list[ast.stmt]
    """Every statement in the order of the text, those inside loops after the loop that holds them."""
    numel: dict[str, Size]
    """Elements along each axis."""
    values: dict[str, Value]
    accesses: list[Access]
    work: list[tuple[float, frozenset[str]]]
    """(floating-point operations for one element, axes over which they are repeated)."""
    coordinates: dict[str, Coordinate]
    """Names such as `x0` that are one coordinate."""
    branches: bool
    """True where the body has an `if`: then accesses do not happen for every element."""
    digits: dict[str, Digits] = field(default_factory=dict)

    def elements(self, axes: frozenset[str]) -> int | None:
        """Iterations over these axes; None where a size is symbolic."""
        total = 1
        for axis in axes:
            size = self.numel.get(axis)
            if not isinstance(size, int):
                return None
            total *= size
        return total

    def box(self, access: Access) -> Box | None:
        """The addresses of an access that does not depend on data; None where it does, or where a size is symbolic."""
        dimensions: dict[tuple[str, int], tuple[int, int, int]] = {}
        for term, factor in access.index.terms:
            if isinstance(term, Opaque):
                return None
            parts = self.digits[term.axis].of(term) if term.axis in self.digits else None
            if parts is None:
                return None
            for stride, size, weight in parts:
                before = dimensions.get((term.axis, stride), (0, 0, size))[0]
                dimensions[term.axis, stride] = (before + factor * weight, 0, size)
        for limit in access.limits:
            parts = (
                self.digits[limit.coordinate.axis].of(limit.coordinate)
                if limit.coordinate.axis in self.digits
                else None
            )
            if parts and len(parts) == 1 and (limit.coordinate.axis, parts[0][0]) in dimensions:
                stride, size, _ = parts[0]
                factor, low, high = dimensions[limit.coordinate.axis, stride]
                bounded = (max(low, limit.low), min(high, limit.high if limit.high is not None else size))
                dimensions[limit.coordinate.axis, stride] = (factor, bounded[0], max(bounded))
        start = access.index.constant + sum(factor * low for factor, low, _ in dimensions.values())
        return Box(start, tuple((factor, high - low) for factor, low, high in dimensions.values()))

    def reach(self, access: Access) -> int | None:
        """How many different addresses the coordinates behind an access can make at most.

        Its iterations without repeats.
        """
        coordinates: dict[str, set[int]] = {}
        total = 1
        for term, _ in access.index.terms:
            for coordinate in term.coordinates if isinstance(term, Opaque) else (term,):
                parts = self.digits[coordinate.axis].of(coordinate) if coordinate.axis in self.digits else None
                if parts is None:
                    return None
                for stride, size, _ in parts:
                    if stride not in coordinates.setdefault(coordinate.axis, set()):
                        coordinates[coordinate.axis].add(stride)
                        total *= size
        return total


def opaque(node: ast.expr, value: Value) -> Linear:
    """An integer whose form is not known, with the coordinates and tensors behind it."""
    return Linear.of(Opaque(ast.unparse(node), value.coordinates, value.tensors))


def settled(value: Value) -> Value:
    """The value with its coordinates taken from its exact form where it has one.

    `x // 64` depends on fewer digits than `x`.
    """
    return replace(value, coordinates=frozenset(value.index.coordinates())) if value.index else value


def joined(kind: str, *values: Value) -> Value:
    """The promotion of operands: float over int over bool, and the union of what they depend on."""
    kinds = {value.kind for value in values}
    best = kind or next((k for k in ("float", "int", "bool") if k in kinds), "int")
    axes = frozenset(axis for value in values for axis in value.axes)
    tensors = frozenset(t for value in values for t in value.tensors)
    return Value(best, axes, None, (), tensors, frozenset(c for value in values for c in value.coordinates))
