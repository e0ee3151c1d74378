"""A kernel's computation: its axes, every access in order, what each line means, and what was not understood."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from inductor_lab.computation.addresses import Limit
from inductor_lab.computation.footprint import Box
from inductor_lab.computation.index import Coordinate, Digits
from inductor_lab.computation.schedule import EMPTY, Access, Check, Schedule
from inductor_lab.computation.statements import Statement
from inductor_lab.computation.tree import Expression, Load
from inductor_lab.records import Size as Extent


@dataclass(frozen=True, eq=False)
class Computation:
    """What one body computes for its first launch.

    A kernel that does several jobs side by side (foreach, combo) has one computation a job in `parts`, and no accesses of its own.
    """

    numel: Mapping[str, Extent]
    """Elements along each axis, `x`, `y`, `z`, `r0_`; the launch's expression where it is symbolic."""
    sizes: Mapping[str, str]
    """What the launch passes for each size that is no number: `{"ks0": "s77"}`."""
    accesses: tuple[Access, ...]
    """In the order of the text."""
    lines: Mapping[int, Mapping[str, Expression]]
    """Line -> the names that it assigns, each with its value."""
    names: Mapping[str, Expression]
    """What each name stands for in the end."""
    coordinates: Mapping[str, Coordinate]
    """Names such as `x0` that are one coordinate."""
    work: tuple[tuple[int, frozenset[str]], ...]
    """(floating-point operations for one element, axes over which they are repeated)."""
    checks: tuple[Check, ...]
    branches: bool
    """True where an `if` or a computed address decides what happens: then accesses do not happen for every element."""
    unknown: tuple[int, ...]
    """Lines that were not understood."""
    statements: tuple[ast.stmt, ...]
    """Every statement in the order of the text, those inside a block after the one that holds them."""
    parts: tuple[Computation, ...] = ()
    digits: Mapping[str, Digits] = field(default_factory=dict)
    schedule: Schedule = EMPTY
    told: tuple[Statement, ...] = ()
    """What each statement is, in the order of the text, those inside a loop after its head; those of a job are its own."""
    fixed: Mapping[str, int] = field(default_factory=dict)
    """Blocks whose size the body fixes, `{"R0_BLOCK": 128}`."""

    @property
    def loads(self) -> tuple[Access, ...]:
        return tuple(access for access in self.accesses if access.kind == "load")

    @property
    def stores(self) -> tuple[Access, ...]:
        """Stores and atomic operations."""
        return tuple(access for access in self.accesses if access.kind != "load")

    def overwrites(self, store: Access) -> bool:
        """Whether what a store's memory held before is read: a load behind the store reads what the kernel itself wrote."""
        return any(load.pointer == store.pointer and load.line < store.line for load in self.loads)

    def every(self) -> Iterator[Computation]:
        """The jobs of the kernel: its parts, or itself."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.every()

    def jobs(self) -> Iterator[Computation]:
        """The kernel, then its jobs, and theirs."""
        yield self
        for part in self.parts:
            yield from part.jobs()

    def elements(self, axes: frozenset[str]) -> int | None:
        """Iterations over these axes; None where a size is symbolic."""
        total = 1
        for axis in axes:
            size = self.numel.get(axis)
            if not isinstance(size, int):
                return None
            total *= size
        return total

    def extent(self, coordinate: Coordinate) -> int | None:
        """How many values a coordinate takes; None where that is symbolic."""
        if isinstance(coordinate.size, int):
            return coordinate.size
        numel = self.numel.get(coordinate.axis)
        if coordinate.size is not None or isinstance(coordinate.stride, str) or not isinstance(numel, int):
            return None
        return -(-numel // coordinate.stride)

    def box(self, access: Access) -> Box | None:
        """The addresses of an access that does not depend on data; None where it does, or where a size is symbolic."""
        dimensions: dict[tuple[str, int], tuple[int, int, int]] = {}
        for term in access.index.terms:
            if not isinstance(term.of, Coordinate) or term.sizes:
                return None
            parts = self.digits[term.of.axis].of(term.of) if term.of.axis in self.digits else None
            if parts is None:
                return None
            for stride, size, weight in parts:
                before = dimensions.get((term.of.axis, stride), (0, 0, size))[0]
                dimensions[term.of.axis, stride] = (before + term.factor * weight, 0, size)
        for axis, stride, least, most in filter(None, map(self.narrowed, access.limits)):
            if (axis, stride) in dimensions:
                factor, low, high = dimensions[axis, stride]
                bounded = (max(low, least), min(high, most))
                dimensions[axis, stride] = (factor, bounded[0], max(bounded))
        start = access.index.constant + sum(factor * low for factor, low, _ in dimensions.values())
        return Box(start, tuple((factor, high - low) for factor, low, high in dimensions.values()))

    def narrowed(self, limit: Limit) -> tuple[str, int, int, int] | None:
        """Axis and stride of the digit that a mask's bound narrows, from where to where; None where it cuts through several."""
        axis = limit.coordinate.axis
        parts = self.digits[axis].of(limit.coordinate) if axis in self.digits else None
        if not parts:
            return None
        stride, size, weight = max(parts, key=lambda part: part[2])
        finer = sum((extent - 1) * step for _, extent, step in parts if step != weight)
        if finer >= weight or limit.low % weight or (limit.high or 0) % weight:
            return None
        return axis, stride, limit.low // weight, size if limit.high is None else min(limit.high // weight, size)

    def reach(self, access: Access) -> int | None:
        """How many different addresses the coordinates behind an access can make at most: its iterations without repeats."""
        found: set[tuple[str, int]] = set()
        total = 1
        for coordinate in access.index.coordinates():
            parts = self.digits[coordinate.axis].of(coordinate) if coordinate.axis in self.digits else None
            if parts is None:
                return None
            for stride, size, _ in parts:
                if (coordinate.axis, stride) not in found:
                    found.add((coordinate.axis, stride))
                    total *= size
        return total

    def order(self, *kinds: str) -> list[str]:
        """Pointers in the order of their first access of these kinds (`atomic` for all atomic ones).

        Inductor numbers temporaries in the order in which the graph reads, and may move a load up: so loads are told by their temporary.
        """
        found = []
        for position, access in enumerate(access for part in self.every() for access in part.accesses):
            if access.kind.partition("_")[0] in kinds:
                named = next(iter(self.lines.get(access.line, ())), "")
                number = int(named[3:]) if named.startswith("tmp") and named[3:].isdigit() else 10**6
                found.append((number, position, access.pointer))
        return list(dict.fromkeys(pointer for _, _, pointer in sorted(found)))

    def loaded(self, pointer: str) -> int:
        """From how many different addresses a pointer is loaded."""
        return len(
            {
                access.value.index
                for access in self.loads
                if isinstance(access.value, Load) and access.pointer == pointer
            }
        )
