"""Facts of each load and store over a whole launch, in numbers: values, reuse, strides and runs.

    tmp0 = tl.load(in_ptr0 + (x0 % 64), xmask)     64 values, each serves 64 elements; 1 apart along x, in runs of 64

An access's layout is in which steps it walks through memory along an axis of the launch:

    x over 64*(x1 % 1024) + 65536*(x0 // 64) + x0 % 64        64 consecutive elements, then 65,536 on

What the tree does not prove is None or absent, never a guess: `tests/counting.py` holds the rest to addresses counted by running the text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import prod

from inductor_lab.bind.elements import numel, span, type_of
from inductor_lab.computation import Access, Computation
from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.space import Box, Digits, distinct, normal
from inductor_lab.computation.tree import Constant, Load, limits, scale
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.records import Kernel, SizeLike
from inductor_lab.records.size import ONE, Size, product

Run = tuple[int, int]
"""(elements, step between them), in elements of the tensor."""


def runs(access: Access, found: Computation, axis: str) -> tuple[Run, ...]:
    """The steps along one axis of the launch, innermost first, those joined that go on; empty where the address is not all known."""
    digits, steps, ranges = found.digits.get(axis), found.steps(access.index), found.ranges(access.mask)
    if digits is None or not digits.nested or steps is None:
        return ()
    walk = [(ranges[axis, stride], steps.get((axis, stride), 0)) for stride, _ in digits.parts]
    return tuple(joined([(high - low, step) for (low, high), step in walk if high - low > 1]))


def joined(walk: Sequence[Run]) -> list[Run]:
    """The same walk in as few runs as it takes."""
    found: list[Run] = []
    for size, step in walk:
        if found and step == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * size, found[-1][1])
        else:
            found.append((size, step))
    return found


class Facts:
    """One access; what is stated of it is worked out when it is asked for."""

    def __init__(self, job: Known, access: Access) -> None:
        self.job, self.access, self.found = job, access, by_its_own_digits(job.found, access)
        self.line, self.pointer, self.kind = access.line, access.pointer, access.kind
        self.width = job.width(access.pointer)
        """Bytes of an element in memory."""
        self.gathered = access.gathered
        """The pointers whose contents decide the address."""
        self.masked = bool(narrowing(access.mask))
        """Whether the mask asks more than whether the iteration exists."""

    @property
    def fill(self) -> bool | int | float | None:
        """What a load gives where its mask does not hold, where the text says so."""
        load = self.access.value if self.kind == "load" else None
        return load.other.value if isinstance(load, Load) and isinstance(load.other, Constant) else None

    # How many

    @cached_property
    def box(self) -> Box | None:
        """All elements that it reaches; None where data, symbolic sizes or a mask that is no range decide it, or dimensions that meet."""
        whole = all(map(self.whole, {coordinate.axis for coordinate in self.access.index.coordinates()}))
        box = self.found.box(self.access) if whole and self.ranged else None
        plain = normal(box) if box and box.count else None
        return plain if plain and exact(plain) else None

    def whole(self, axis: str) -> bool:
        """Whether an axis has as many elements as its digits make."""
        digits = self.found.digits.get(axis)
        return digits is not None and prod(size for _, size in digits.parts) == self.found.numel[axis]

    @cached_property
    def ranged(self) -> bool:
        """Whether its mask is nothing but ranges of digits."""
        return all(any(map(self.found.narrowed, limits(part))) for part in narrowing(self.access.mask))

    @cached_property
    def values(self) -> int | None:
        """Different elements."""
        box, tensor = self.box, type_of(self.job.kernel, self.pointer)
        if box is None or box.start < 0:
            return None
        count, end = (numel(tensor), span(tensor)) if tensor else (None, None)
        fits = count is None or (box.count <= count and box.start + box.span <= max(count, end or count, box.span))
        return box.count if fits else None

    @cached_property
    def iterations(self) -> int | None:
        """Those that use it: rows where it meets rows alone, and none that its mask leaves out."""
        return self._asking(frozenset(axis for axis in self.found.numel if not (self.rows and axis.startswith("r"))))

    def _asking(self, axes: frozenset[str]) -> int | None:
        """Iterations over these axes that the mask lets through."""
        total = self.found.elements(axes)
        if total is None:
            return None
        for digit, (low, high) in self.found.ranges(self.access.mask).items():
            if digit[0] in axes:
                total = total * (high - low) // self.found.cuts[digit]
        return total

    @property
    def serves(self) -> int | None:
        """Iterations that use each element, all the same number."""
        box = self.found.box(self.access)
        if not self.values or not self.iterations or box is None:
            return None
        moving = prod(size for stride, size in box.dimensions if stride)
        return self.iterations // self.values if moving == self.values else None

    @cached_property
    def several(self) -> bool | None:
        """Whether any element is used by more than one iteration."""
        if self.values is not None and self.iterations is not None:
            return self.iterations > self.values
        terms = [term.of for term in self.access.index.terms if term.of is not None]
        used = [of for of in terms if isinstance(of, Coordinate)]
        if len(used) < len(terms):
            return None
        job = self.job
        axes = [axis for axis in job.axes if not (self.rows and axis.startswith("r"))]
        each = {axis: [of for of in used if of.axis == axis] for axis in axes}
        if self.apart and all(map(job.covers, each.values())):
            return False
        whole = job.product(*map(self.found.numel.__getitem__, each))
        reached = product(map(job.extent, set(used)))
        fewer = whole != reached and whole.over(reached) is not None
        left_out = any(job.leaves_out(of, axis) for axis, of in each.items())
        return True if (fewer or left_out) and not self.masked else None

    @property
    def apart(self) -> bool:
        """Whether the terms of an address never meet: each steps over all that those before it reach, `r0_1 + ks0*x0` with r0_1 below ks0."""
        reached = ONE
        for term in sorted(self.access.index.terms, key=lambda term: (len(term.sizes), abs(term.factor))):
            step = self.job.product(abs(term.factor), *term.sizes)
            if isinstance(term.of, Coordinate):
                if step.over(reached) is None:
                    return False
                reached = step * self.job.extent(term.of)
        return True

    @property
    def loaded_again(self) -> bool | None:
        """Whether the launch loads an element more than once here: what lies before a loop, or in a block, is loaded once for its row."""
        rows = frozenset(axis for axis in self.job.axes if not axis.startswith("r"))
        along = any(coordinate.axis not in rows for coordinate in self.access.index.coordinates())
        turns = self.access.looped and not self.found.schedule.group  # a group's turns go over rows: each loads its own
        if turns or along or len(rows) == len(self.job.axes):
            return self.several
        count = self._asking(rows)
        if self.values is None or count is None:
            return bool(rows & self.still) and not self.masked
        return self.values < count

    @cached_property
    def rows(self) -> bool:
        """Whether an iteration is a row here: what is loaded meets no element of one, or a row stores one element."""
        if self.kind == "load":
            return bool(self.job.folded) and not self.job.meets(self.line)
        moving = {coordinate.axis for coordinate in self.access.index.coordinates()}
        moving |= self.access.value.axes if self.access.value is not None else set()
        return not any(axis.startswith("r") for axis in moving)

    # Where

    @cached_property
    def runs(self) -> dict[str, tuple[Run, ...]]:
        """Along each axis longer than 1 of which all is known: (elements, step between them), innermost first."""
        known = filter(self.whole, self.job.axes) if self.ranged else ()
        return {axis: walk for axis in known if (walk := runs(self.access, self.found, axis))}

    @cached_property
    def steps(self) -> dict[str, SizeLike]:
        """Along each such axis: elements of memory from one iteration to the next; text where symbolic sizes decide it, each taken to be above 1."""
        found: dict[str, SizeLike] = {}
        computed = {coordinate.axis for coordinate in behind(*self.access.index.expressions())}
        for axis in (axis for axis in self.job.axes if axis not in computed):
            ones = [
                t for t in self.access.index.terms
                if isinstance(t.of, Coordinate) and t.of.axis == axis and t.of.stride == 1 and t.of.size != 1
            ]  # fmt: skip
            plain = sum(t.factor for t in ones if not t.sizes)
            scaled = [scale(t) for t in ones if t.sizes]
            found[axis] = " + ".join([*scaled, *([str(plain)] if plain else [])]) if scaled else plain
        return found

    @cached_property
    def still(self) -> frozenset[str]:
        """The axes longer than 1 along all of which one element stays."""
        return frozenset(self.job.axes) - {c.axis for c in self.access.index.coordinates() if self.job.moves(c)}

    @cached_property
    def row(self) -> tuple[str, int] | None:
        """Where data or other arithmetic decides the address: the axis along which so many consecutive elements follow each other."""
        found = [
            term.of
            for term in self.access.index.terms
            if (term.factor, term.sizes) == (1, ()) and isinstance(term.of, Coordinate)
        ]
        if not self.access.index.expressions() or len(found) != 1 or found[0].stride != 1:
            return None
        axis, length = found[0].axis, self.found.extent(found[0]) or 1
        others = [c for c in self.access.index.coordinates() if c.axis == axis]
        others.remove(found[0])  # what it adds itself; the same coordinate may stand behind an expression too
        still = all(isinstance(c.stride, int) and c.stride % length == 0 for c in others)
        return (axis, length) if length > 1 and still else None

    # Beside whom

    @cached_property
    def again(self) -> dict[int, str]:
        """Earlier lines that load from the same memory: `same` elements, `part` of them, or others, `apart`."""
        told = {a.line: self.beside(a) for a in self.job.before(self.access)} if self.kind == "load" else {}
        return {line: how for line, how in told.items() if how}

    def beside(self, before: Access) -> str:
        """How the elements of another access lie to these; empty where that is not known."""
        one, other = self.job.of(before).box, self.box
        if one is None or other is None:
            unmasked = not narrowing(before.mask) and not self.masked
            return "same" if before.index == self.access.index and unmasked else ""
        first, second, together = distinct([one]), distinct([other]), distinct([one, other])
        return "apart" if together == first + second else "same" if first == second == together else "part"

    @property
    def over(self) -> tuple[str, ...]:
        """The pointers whose elements, loaded in the same kernel, a store writes over."""
        memory = {one.name: one.value for one in self.job.passed.values()}  # the same expression is the same tensor
        mine = memory.get(self.pointer, self.pointer)
        read = [a for a in self.found.loads if memory.get(a.pointer, a.pointer) == mine and self.kind != "load"]
        return tuple(dict.fromkeys(a.pointer for a in read if self.beside(a) in {"same", "part"}))


class Known:
    """Facts of a job's accesses, and what they ask of the job."""

    def __init__(self, kernel: Kernel, found: Computation) -> None:
        self.kernel, self.found = kernel, found
        self.axes = [axis for axis, size in found.numel.items() if size != 1]
        self.folded = frozenset(axis for axis in self.axes if axis.startswith("r"))
        passed = kernel.launches[0].arguments if kernel.launches else ()
        self.passed = {argument.name: argument for argument in passed if argument.type is not None}
        self.made: dict[int, Facts] = {}

    def of(self, access: Access) -> Facts:
        """Of one access, the same each time."""
        return self.made.setdefault(id(access), Facts(self, access))

    def reaches(self, access: Access) -> bool:
        """Whether its mask may hold: `(x1 < 1) & (x1 >= 1)` of a concatenation in another one holds for no element."""
        return self.found.decided(access.mask) is not False

    def before(self, access: Access) -> list[Access]:
        """The loads of the same pointer on earlier lines, those aside that reach nothing."""
        earlier = (a for a in self.found.loads if a.pointer == access.pointer and a.line < access.line)
        return [a for a in earlier if self.reaches(a)]

    def alone(self, pointer: str) -> bool:
        """Whether what is passed for a pointer is memory that was allocated for it."""
        return pointer in self.passed and self.passed[pointer].storage == self.passed[pointer].value

    def width(self, pointer: str) -> int:
        return next((ITEMSIZE.get(a.dtype, 4) for a in self.kernel.arguments if a.name == pointer), 4)

    # Coordinates

    def moves(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate takes more than one value."""
        length, stride = self.found.numel[coordinate.axis], coordinate.stride
        return coordinate.size != 1 and not (isinstance(length, int) and isinstance(stride, int) and length <= stride)

    def covers(self, coordinates: Iterable[Coordinate]) -> bool:
        """Whether coordinates of one axis tell all its elements apart: `x % 64` and `x // 64`, or `x` itself."""
        reached = ONE
        for coordinate in sorted(coordinates, key=lambda c: (c.size is None, c.stride != 1)):
            if self.product(coordinate.stride) != reached:
                return False
            if coordinate.size is None:
                return True
            reached *= self.product(coordinate.size)
        return False

    def leaves_out(self, used: list[Coordinate], axis: str) -> bool:
        """Whether coordinates are all of an axis only together with one or two more that the text has, `x0` without `x1`."""
        others = [of for of in self.found.coordinates.values() if of.axis == axis and of not in used and self.moves(of)]
        more = [set(some) for count in (1, 2) for some in combinations(others, count)]
        return not self.covers(used) and any(self.covers([*used, *some]) for some in more if not self.covers(some))

    def extent(self, coordinate: Coordinate) -> Size:
        """How many values a coordinate takes; a size of its own where that is no product."""
        if coordinate.size is not None:
            return self.product(coordinate.size)
        whole, step = self.product(self.found.numel[coordinate.axis]), self.product(coordinate.stride)
        return whole.over(step) or Size(1, (str(coordinate),))

    def product(self, *sizes: SizeLike) -> Size:
        """Sizes as the launch passes them, multiplied."""
        return product(Size.of(size, self.found.sizes) for size in sizes)

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


def facts(kernel: Kernel, found: Computation) -> list[Facts]:
    """Of every access, a job after the other, in the order of the text."""
    jobs = (Known(kernel, job) for job in found.every())
    return [job.of(access) for job in jobs for access in job.found.accesses]


def by_its_own_digits(found: Computation, access: Access) -> Computation:
    """The job with its axes cut where the access' own coordinates cut them, where those of all accesses do not nest."""
    if all(digits.nested for digits in found.digits.values()):
        return found
    used = {*access.index.coordinates(), *(c for limit in limits(access.mask) for c in limit.index.coordinates())}
    sizes = {axis: size for axis in found.digits if isinstance(size := found.numel[axis], int)}
    cut = {axis: Digits.make(size, [of for of in used if of.axis == axis]) for axis, size in sizes.items()}
    return replace(found, digits={**found.digits, **cut})


def exact(plain: Box) -> bool:
    """Whether each dimension steps over all of those inside it, so that their product is how many elements there are."""
    return all(stride >= Box(0, plain.dimensions[:inside]).span for inside, (stride, _) in enumerate(plain.dimensions))
