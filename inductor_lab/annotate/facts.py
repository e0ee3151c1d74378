"""What is true of each access in a whole launch, as the kernel's tree tells it: numbers and names, no sentences.

    tmp0 = tl.load(in_ptr0 + (x0 % 64), xmask)     64 values, each serves 64 elements; 1 apart along x, in runs of 64

What the tree does not prove is None or absent, never a guess: `tests/counting.py` holds the rest to addresses counted by running the text.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import prod

from inductor_lab.annotate.elements import numel, type_of
from inductor_lab.annotate.layout import Run, runs
from inductor_lab.computation import Access, Computation
from inductor_lab.computation.addresses import limits
from inductor_lab.computation.dimensions import factors
from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.footprint import Box, Dimension, distinct, normal
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.tree import Constant, Expression, Load, Reduction, walk
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.records import Kernel, Size


@dataclass(frozen=True, eq=False)
class Facts:
    """One access."""

    line: int
    pointer: str
    kind: str
    width: int
    """Bytes of an element in memory."""
    gathered: frozenset[str]
    """The pointers whose contents decide the address."""
    start: int | None
    """The lowest element."""
    lies: tuple[Dimension, ...] | None
    """How its elements lie in memory: (step, how many), innermost first, those joined that go on."""
    values: int | None
    """Different elements."""
    serves: int | None
    """Iterations that use each element, all the same number."""
    several: bool | None
    """Whether any element is used by more than one iteration."""
    rows: bool
    """Whether an iteration is a row here: what is loaded meets no element of one."""
    runs: Mapping[str, tuple[Run, ...]]
    """Along each axis longer than 1 of which all is known: (elements, step between them), innermost first."""
    steps: Mapping[str, Size]
    """Along each such axis: elements of memory from one iteration to the next; text where symbolic sizes decide it, each taken to be above 1."""
    still: frozenset[str]
    """The axes longer than 1 along all of which one element stays."""
    row: tuple[str, int] | None
    """Where data or other arithmetic decides the address: the axis along which so many consecutive elements follow each other."""
    masked: bool
    """Whether the mask asks more than whether the iteration exists."""
    fill: bool | int | float | None
    """What a load gives where its mask does not hold, where the text says so."""
    again: Mapping[int, str]
    """Earlier lines that load from the same memory: `same` elements, `part` of them, or others, `apart`."""
    over: tuple[str, ...]
    """The pointers whose elements, loaded in the same kernel, a store writes over."""


class Known:
    """Facts of a job's accesses, worked out when they are asked for."""

    def __init__(self, kernel: Kernel, found: Computation) -> None:
        self.kernel, self.found = kernel, found
        self.axes = [axis for axis, size in found.numel.items() if size != 1]
        passed = kernel.launches[0].arguments if kernel.launches else ()
        self.passed = {argument.name: argument for argument in passed if argument.type is not None}

    def every(self) -> Iterator[Facts]:
        """In the order of the text."""
        return map(self.of, self.found.accesses)

    def of(self, access: Access) -> Facts:
        fill = access.value.other if access.kind == "load" and isinstance(access.value, Load) else None
        box = self.box(access)
        return Facts(
            access.line, access.pointer, access.kind, self.width(access.pointer), access.gathered, box.start if box else None, box.dimensions if box else None,
            self.values(access), self.serves(access), self.several(access), self.by_row(access), self.runs(access), self.steps(access),
            self.still(access), self.row(access), bool(narrowing(access.mask)), fill.value if isinstance(fill, Constant) else None,
            self.again(access), self.over(access),
        )  # fmt: skip

    def alone(self, pointer: str) -> bool:
        """Whether what is passed for a pointer is memory that was allocated for it."""
        return pointer in self.passed and self.passed[pointer].storage == self.passed[pointer].value

    def width(self, pointer: str) -> int:
        return next((ITEMSIZE.get(a.dtype, 4) for a in self.kernel.arguments if a.name == pointer), 4)

    # How many

    def box(self, access: Access) -> Box | None:
        """All elements that it reaches; None where data, symbolic sizes or a mask that is no range decide it, or dimensions that meet."""
        whole = all(self.whole(axis) for axis in {coordinate.axis for coordinate in access.index.coordinates()})
        box = self.found.box(access) if whole and self.ranged(access) else None
        plain = normal(box) if box else None
        return plain if plain and exact(plain) else None

    def ranged(self, access: Access) -> bool:
        """Whether its mask is nothing but ranges of digits."""
        return all(any(map(self.found.narrowed, limits(part))) for part in narrowing(access.mask))

    def whole(self, axis: str) -> bool:
        """Whether an axis has as many elements as its digits make."""
        digits = self.found.digits.get(axis)
        return digits is not None and prod(size for _, size in digits.parts) == self.found.numel[axis]

    def values(self, access: Access) -> int | None:
        box = self.box(access)
        if box is None:
            return None
        capacity = numel(type_of(self.kernel, access.pointer))
        inside = box.start >= 0 and (capacity is None or box.start + box.span <= max(capacity, box.span))
        return box.count if inside and (capacity is None or box.count <= capacity) else None

    def iterations(self, access: Access) -> int | None:
        """Those that use it: rows where it meets rows alone, and none that its mask leaves out."""
        rows = self.by_row(access)
        total = self.found.elements(frozenset(axis for axis in self.found.numel if not (rows and axis.startswith("r"))))
        if total is None:
            return None
        for digit, (low, high) in self.found.ranges(access.mask).items():
            total = total * (high - low) // self.found.cuts[digit]
        return total

    def serves(self, access: Access) -> int | None:
        values, total, box = self.values(access), self.iterations(access), self.found.box(access)
        if not values or not total or box is None:
            return None
        moving = prod(size for stride, size in box.dimensions if stride)
        return total // values if moving == values else None

    def several(self, access: Access) -> bool | None:
        values, total = self.values(access), self.iterations(access)
        if values is not None and total is not None:
            return total > values
        terms = [term.of for term in access.index.terms if term.of is not None]
        used = [of for of in terms if isinstance(of, Coordinate)]
        if len(used) < len(terms):
            return None
        axes = [axis for axis in self.axes if not (self.by_row(access) and axis.startswith("r"))]
        if self.apart(access) and all(self.covers([of for of in used if of.axis == axis]) for axis in axes):
            return False
        whole = self.product(*(self.found.numel[axis] for axis in axes))
        reached = reduce(times, map(self.extent, set(used)), ONE)
        fewer = whole != reached and divides(reached, whole)
        left_out = any(self.leaves_out([of for of in used if of.axis == axis], axis) for axis in axes)
        return True if (fewer or left_out) and not narrowing(access.mask) else None

    def apart(self, access: Access) -> bool:
        """Whether the terms of an address never meet: each steps over all that those before it reach, `r0_1 + ks0*x0` with r0_1 below ks0."""
        reached = ONE
        for term in sorted(access.index.terms, key=lambda term: (len(term.sizes), abs(term.factor))):
            step = self.product(abs(term.factor), *term.sizes)
            if isinstance(term.of, Coordinate):
                if not divides(reached, step):
                    return False
                reached = times(step, self.extent(term.of))
        return True

    def covers(self, coordinates: Iterable[Coordinate]) -> bool:
        """Whether coordinates of one axis tell all its elements apart: `x % 64` and `x // 64`, or `x` itself."""
        reached = ONE
        for coordinate in sorted(coordinates, key=lambda c: (c.size is None, c.stride != 1)):
            if self.product(coordinate.stride) != reached:
                return False
            if coordinate.size is None:
                return True
            reached = times(reached, self.product(coordinate.size))
        return False

    def leaves_out(self, used: list[Coordinate], axis: str) -> bool:
        """Whether coordinates are all of an axis only together with one or two more that the text has, `x0` without `x1`."""
        others = [of for of in self.found.coordinates.values() if of.axis == axis and of not in used]
        more = [set(some) for count in (1, 2) for some in combinations(others, count)]
        return not self.covers(used) and any(self.covers([*used, *some]) for some in more if not self.covers(some))

    def extent(self, coordinate: Coordinate) -> Product:
        """How many values a coordinate takes; a size of its own where that is no product."""
        if coordinate.size is not None:
            return self.product(coordinate.size)
        whole, step = self.product(self.found.numel[coordinate.axis]), self.product(coordinate.stride)
        if not divides(step, whole):
            return self.product(str(coordinate))
        return whole[0] // step[0], whole[1] - step[1]

    def product(self, *sizes: Size) -> Product:
        """Sizes as the launch passes them, multiplied."""
        parts = (part.strip() for size in sizes for part in str(size).split("*"))
        return factors(*(self.found.sizes.get(part, part) for part in parts))

    # Where

    def runs(self, access: Access) -> dict[str, tuple[Run, ...]]:
        known = [axis for axis in self.axes if self.whole(axis)] if self.ranged(access) else []
        return {axis: walk for axis in known if (walk := runs(access, self.found, axis))}

    def steps(self, access: Access) -> dict[str, Size]:
        found: dict[str, Size] = {}
        for axis in self.axes:
            if any(isinstance(t.of, Expression) and axis in {c.axis for c in behind(t.of)} for t in access.index.terms):
                continue
            ones = [
                t for t in access.index.terms
                if isinstance(t.of, Coordinate) and t.of.axis == axis and t.of.stride == 1 and t.of.size != 1
            ]  # fmt: skip
            plain = sum(t.factor for t in ones if not t.sizes)
            scaled = ["*".join((*([str(t.factor)] if t.factor != 1 else []), *t.sizes)) for t in ones if t.sizes]
            found[axis] = " + ".join([*scaled, *([str(plain)] if plain else [])]) if scaled else plain
        return found

    def still(self, access: Access) -> frozenset[str]:
        return frozenset(self.axes) - {c.axis for c in access.index.coordinates() if self.moves(c)}

    def loaded_again(self, access: Access) -> bool | None:
        """Whether the launch loads an element more than once here: what lies before a loop, or in a block, is loaded once for its row."""
        rows = frozenset(axis for axis in self.axes if not axis.startswith("r"))
        along = any(coordinate.axis not in rows for coordinate in access.index.coordinates())
        turns = access.looped and not self.found.schedule.group  # a group's turns go over rows: each loads its own
        if turns or along or len(rows) == len(self.axes):
            return self.several(access)
        values, count = self.values(access), self.found.elements(rows)
        return bool(rows & self.still(access)) or (values is not None and count is not None and values < count)

    def moves(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate takes more than one value."""
        length, stride = self.found.numel[coordinate.axis], coordinate.stride
        return coordinate.size != 1 and not (isinstance(length, int) and isinstance(stride, int) and length <= stride)

    def row(self, access: Access) -> tuple[str, int] | None:
        found = [
            term.of
            for term in access.index.terms
            if (term.factor, term.sizes) == (1, ()) and isinstance(term.of, Coordinate)
        ]
        if not access.index.expressions() or len(found) != 1 or found[0].stride != 1:
            return None
        axis, length = found[0].axis, self.found.extent(found[0]) or 1
        others = [c for c in access.index.coordinates() if c.axis == axis]
        others.remove(found[0])  # what it adds itself; the same coordinate may stand behind an expression too
        still = all(isinstance(c.stride, int) and c.stride % length == 0 for c in others)
        return (axis, length) if length > 1 and still else None

    # Beside whom

    def again(self, access: Access) -> dict[int, str]:
        if access.kind != "load":
            return {}
        earlier = [a for a in self.found.loads if a.pointer == access.pointer and a.line < access.line]
        return {before.line: how for before in earlier if (how := self.beside(before, access))}

    def beside(self, before: Access, access: Access) -> str:
        """How the elements of two accesses lie to each other; empty where that is not known."""
        one, other = self.box(before), self.box(access)
        if one is None or other is None:
            unmasked = not narrowing(before.mask) and not narrowing(access.mask)
            return "same" if before.index == access.index and unmasked else ""
        first, second, together = distinct([one]), distinct([other]), distinct([one, other])
        return "apart" if together == first + second else "same" if first == second == together else "part"

    def over(self, access: Access) -> tuple[str, ...]:
        if access.kind == "load":
            return ()
        memory = {one.name: one.value for one in self.passed.values()}  # the same expression is the same tensor
        read = (
            a
            for a in self.found.loads
            if memory.get(a.pointer, a.pointer) == memory.get(access.pointer, access.pointer)
        )
        return tuple(dict.fromkeys(a.pointer for a in read if self.beside(a, access) in {"same", "part"}))

    # Rows

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(axis for axis in self.axes if axis.startswith("r"))

    @cached_property
    def after_folds(self) -> frozenset[int]:
        """The identities of loaded values that meet only what is left of rows, and no element of one."""
        folded, met, seen = self.folded, set[int](), set[int]()
        for store in self.found.stores if folded else ():
            parts = [part for part in (store.value, store.mask, *store.index.expressions()) if part is not None]
            along = any(coordinate.axis in folded for coordinate in store.index.coordinates())
            for node in walk(*parts):
                if not node.axes & folded:  # else it is an element of a row
                    seen.add(id(node))
                if isinstance(node, Reduction) or node.axes & folded:
                    short = [part for part in node.operands if not part.axes & folded]
                    met.update(id(part) for operand in short for part in walk(operand))
            if along:
                met.update(id(part) for part in walk(*parts))
        return frozenset(seen - met)

    def meets(self, line: int) -> bool:
        """Whether what a line loads meets an element of a row, by the names in the text: to the tree, equal loads are one value."""
        along = {a.line for a in self.found.stores if any(c.axis in self.folded for c in a.index.coordinates())}
        names = set[str]()
        for statement in self.found.statements:
            used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            if statement.lineno == line or used & names:
                made = self.found.lines.get(statement.lineno, {})
                parts = [part for value in made.values() for part in (value, *value.operands)]
                if statement.lineno in along or any(part.axes & self.folded for part in parts):
                    return True
                names |= made.keys()
        return False

    def by_row(self, access: Access) -> bool:
        """Whether it is done once for a row: what is loaded meets no element of one, or a row stores one element."""
        if access.kind == "load":
            again = sum(one.value is access.value for one in self.found.loads) > 1
            told = bool(again and self.folded) and not self.meets(access.line)
        else:
            moving = {coordinate.axis for coordinate in access.index.coordinates()}
            moving |= access.value.axes if access.value is not None else set()
            told = not any(axis.startswith("r") for axis in moving)
        return told or id(access.value) in self.after_folds


def facts(kernel: Kernel, found: Computation) -> list[Facts]:
    """Of every access, a job after the other, in the order of the text."""
    return [one for job in found.every() for one in Known(kernel, job).every()]


def exact(plain: Box) -> bool:
    """Whether each dimension steps over all of those inside it, so that their product is how many elements there are."""
    reach = 0
    for stride, size in plain.dimensions:
        if stride <= reach:
            return False
        reach += stride * (size - 1)
    return True


Product = tuple[int, Counter[str]]
"""A number, and the symbols that it is multiplied by."""
ONE: Product = 1, Counter()


def times(one: Product, other: Product) -> Product:
    return one[0] * other[0], one[1] + other[1]


def divides(part: Product, whole: Product) -> bool:
    """Whether a product is part of another."""
    return whole[0] % part[0] == 0 and part[1] <= whole[1]
