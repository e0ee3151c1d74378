"""A kernel's computation: its axes, every access in order, what each line means, and what was not understood."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from inductor_lab.computation.addresses import Limit, limits
from inductor_lab.computation.folds import conjuncts, narrowing
from inductor_lab.computation.footprint import Box, distinct
from inductor_lab.computation.index import Coordinate, Digits, Index, inside
from inductor_lab.computation.places import reached
from inductor_lab.computation.schedule import EMPTY, Access, Check, Schedule
from inductor_lab.computation.statements import Statement
from inductor_lab.computation.tree import Constant, Expression, Load, walk
from inductor_lab.records import Size as Extent

Digit = tuple[str, int]
"""An axis, and where on it the digit counts: the stride of the coordinate that it is."""


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

    @cached_property
    def roots(self) -> tuple[Expression, ...]:
        """What the stores depend on at once: their values, masks and addresses, in the order of the text."""
        parts = ((a.value, a.mask, *a.index.expressions()) for a in self.stores)
        return tuple(part for each in parts for part in each if part is not None)

    @cached_property
    def nodes(self) -> tuple[Expression, ...]:
        """Every node that the stores depend on, once; a node before what it is made of."""
        return tuple(walk(*self.roots))

    def stored(self, load: Load) -> Access | None:
        """The store of this kernel that a load reads again: the last one before it, where it goes to the same place."""
        stores = [store for store in self.stores if store.pointer == load.pointer]
        before = stores[load.version - 1] if 0 < load.version <= len(stores) else None
        return before if before and before.kind == "store" and before.index == load.index else None

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

    def cut(self, of: Coordinate | Expression | None) -> list[tuple[Digit, int, int]] | None:
        """A coordinate's digits as (digit, size, weight in the coordinate); None where it has none."""
        if not isinstance(of, Coordinate) or of.axis not in self.digits:
            return None
        parts = self.digits[of.axis].of(of)
        return None if parts is None else [((of.axis, stride), size, weight) for stride, size, weight in parts]

    def held(self, of: Coordinate) -> str:
        """The name in the body of a coordinate, else of the nearest that it is a part of, y1 for `y1 % 4`; empty where none is."""
        own = (name for name, one in self.coordinates.items() if one == of)
        holding = [(place, name) for name, one in self.coordinates.items() if (place := inside(of, one))]
        return next(own, "") or min(holding, default=((), ""))[1]

    @cached_property
    def cuts(self) -> dict[Digit, int]:
        """The sizes of all digits."""
        return {(axis, stride): size for axis, digits in self.digits.items() for stride, size in digits.parts}

    def steps(self, index: Index) -> dict[Digit, int] | None:
        """How far in memory one step of each digit goes; None where data or a symbolic size decides that."""
        found = Counter[Digit]()
        for term in index.terms:
            parts = None if term.sizes else self.cut(term.of)
            if parts is None:
                return None
            for digit, _, weight in parts:
                found[digit] += term.factor * weight
        return found

    def ranges(self, mask: Expression | None) -> dict[Digit, tuple[int, int]]:
        """From where to where a mask lets each digit go."""
        found = {digit: (0, size) for digit, size in self.cuts.items()}
        for digit, least, most in filter(None, map(self.narrowed, limits(mask))):
            low = max(found[digit][0], least)
            found[digit] = low, max(low, min(found[digit][1], most))
        return found

    def box(self, access: Access) -> Box | None:
        """The addresses of an access that does not depend on data; None where it does, or where a size is symbolic."""
        steps, ranges = self.steps(access.index), self.ranges(access.mask)
        if steps is None:
            return None
        start = access.index.constant + sum(step * ranges[digit][0] for digit, step in steps.items())
        return Box(start, tuple((step, ranges[digit][1] - ranges[digit][0]) for digit, step in steps.items()))

    def decided(self, condition: Expression | None) -> bool | None:
        """Whether a condition is true of every element, or of none: `x0 < 64` where x0 stays below 64; None where neither is known."""
        parts = conjuncts(condition)
        if any(isinstance(part, Constant) and not part.value for part in parts):
            return False
        bounds = [limits(part) for part in parts if not isinstance(part, Constant)]
        if any(limit.high is not None and limit.high <= limit.low for each in bounds for limit in each):
            return False
        if any(low >= high for low, high in self.ranges(condition).values()):  # x1 < 1 and x1 >= 1
            return False
        return True if all(each and all(map(self._certain, each)) for each in bounds) else None

    def _certain(self, limit: Limit) -> bool:
        extents = [self.extent(term.of) if isinstance(term.of, Coordinate) else None for term in limit.index.terms]
        most = [
            term.factor * (size - 1) for term, size in zip(limit.index.terms, extents, strict=True) if size is not None
        ]
        below = limit.high is None or (len(most) == len(extents) and sum(most) < limit.high)
        return limit.low == 0 and below

    def narrowed(self, limit: Limit) -> tuple[Digit, int, int] | None:
        """The digit that a mask's bound narrows, from where to where; None where it cuts through several.

        `x3 + 16*x1 < 16` with x3 below 16 narrows x1: all that is finer than the slowest digit stays below one step of it. So does
        `2*x0 < 47`: x0 stays below 24.
        """
        found: list[tuple[int, Digit, int]] = []
        for term in limit.index.terms:
            parts = self.cut(term.of)
            if not parts:
                return None
            found += [(term.factor * weight, digit, size) for digit, size, weight in parts]
        *finer, (weight, digit, size) = sorted(found)
        reached = sum(step * (extent - 1) for step, _, extent in finer)
        if reached >= weight or any(0 < bound % weight <= reached for bound in (limit.low, limit.high or 0)):
            return None
        return digit, -(-limit.low // weight), size if limit.high is None else -(-limit.high // weight)

    def reach(self, *accesses: Access) -> int | None:
        """How many different addresses the coordinates behind accesses of one index can make at most: iterations without repeats, as their masks allow."""
        cuts = [self.cut(coordinate) for coordinate in accesses[0].index.coordinates()]
        if None in cuts:
            return None
        digits = {digit for parts in cuts for digit, _, _ in parts or ()}
        each = [self.ranges(access.mask) for access in accesses]
        ranges = {digit: (min(one[digit][0] for one in each), max(one[digit][1] for one in each)) for digit in digits}
        most = prod(high - low for low, high in ranges.values())
        counted = reached(self, accesses, ranges) if accesses[0].index.expressions() else None
        return most if counted is None else min(counted, most)

    def filled(self, pointer: str) -> int | str | None:
        """How many elements of a pointer's memory are stored whatever the data is, a symbolic number as a product's text; None where that is not told."""
        jobs = [part for part in self.every() if any(store.pointer == pointer for store in part.stores)]
        stores = [(part, store) for part in jobs for store in part.stores if store.pointer == pointer]
        if any(part.branches or store.gathered or narrowing(store.mask) for part, store in stores):
            return None
        boxes = [part.box(store) for part, store in stores]
        if all(boxes):
            return distinct([box for box in boxes if box])
        if len(stores) != 1:
            return None
        ((part, store),) = stores
        axes = {coordinate.axis for coordinate in store.index.coordinates()}
        return " * ".join(f"({part.numel[axis]})" for axis in sorted(axes) if axis in part.numel) or 1

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
