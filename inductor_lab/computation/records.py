"""A kernel's computation: its axes, every access in order, what each line means, and what was not understood.

And each address by the dimensions of its tensor: which coordinate walks along which.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, Term, inside
from inductor_lab.computation.schedule import EMPTY, Access, Check, Schedule, Statement
from inductor_lab.computation.space import Digits, Space, distinct
from inductor_lab.computation.tree import Expression, Load, scale, walk
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size, product


@dataclass(frozen=True, eq=False)
class Computation(Space):
    """What one body computes for its first launch.

    A kernel that does several jobs side by side (foreach, combo) has one computation a job in `parts`, and no accesses of its own.
    """

    numel: Mapping[str, SizeLike]
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

    def held(self, of: Coordinate) -> str:
        """The name in the body of a coordinate, else of the nearest that it is a part of, y1 for `y1 % 4`; empty where none is."""
        own = (name for name, one in self.coordinates.items() if one == of)
        holding = [(place, name) for name, one in self.coordinates.items() if (place := inside(of, one))]
        return next(own, "") or min(holding, default=((), ""))[1]

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


# ---- an address by the tensor's own dimensions
#
# in_ptr0 + (x0 + 64*x1 + 3072*x5) of bf16[4096, 48, 64]:   dimension 0 by x5, 1 by x1, 2 by x0
# in_ptr2 + (x0 + 16*tmp17)        of f32[10000, 16]:        dimension 1 by x0; data decides the place along 0


@dataclass(frozen=True)
class Dimension:
    """How an access moves along one dimension of its tensor."""

    coordinates: tuple[Coordinate, ...]
    """What walks along it; a coordinate that runs over several dimensions at once stands at each of them."""
    step: int
    """Elements of this dimension from one value of the coordinate to the next; 0 where nothing walks along it."""
    start: SizeLike
    """The place along it where the access begins."""


Pattern = tuple[Dimension, ...]
"""One access, by the tensor's dimensions."""


def pattern(found: Computation, access: Access, tensor: TensorType | None) -> Pattern | None:
    """The address by dimensions; None where the tensor is not known, or a term of the address fits none of its strides."""
    if tensor is None:
        return None
    walked: list[list[Coordinate]] = [[] for _ in tensor.stride]
    steps = [0] * len(tensor.stride)
    begins = starts(access.index.constant, tensor)
    for term in access.index.terms:
        at = dimension(term, tensor, found.sizes)
        if at is None:
            return None
        if term.of is None and begins[at] == 0:  # one element that the launch chooses
            begins[at] = scale(term)
        if isinstance(term.of, Coordinate):
            stride = tensor.stride[at]
            steps[at] = term.factor // stride if isinstance(stride, int) and not term.sizes else 1
            for covered in _covered(found, term.of, at, steps[at], tensor):
                walked[covered].append(term.of)
    told = zip(walked, steps, begins, strict=True)
    return tuple(Dimension(tuple(along), step, start) for along, step, start in told)


def dimension(term: Term, tensor: TensorType, sizes: Mapping[str, str]) -> int | None:
    """The dimension whose stride is the largest that divides the term's factor."""
    factor = product([Size(abs(term.factor)), *(Size.of(name, sizes) for name in term.sizes)])
    best: tuple[int, int, int] | None = None
    for n, stride in enumerate(map(Size.of, tensor.stride)):
        if stride.number and tensor.shape[n] != 1 and factor.over(stride) is not None:
            best = max(best or (-1, 0, 0), (*stride.order, n))
    return best[2] if best else 0 if len(tensor.shape) == 1 else None


def _covered(found: Computation, coordinate: Coordinate, at: int, step: int, tensor: TensorType) -> list[int]:
    """The dimension itself, and those around it that a long coordinate runs on into where memory has no gap."""
    extent = found.extent(coordinate)
    covered = [at]
    if extent is None or abs(step) != 1:
        return covered
    for _ in tensor.shape:
        size, stride = tensor.shape[covered[-1]], tensor.stride[covered[-1]]
        if not isinstance(size, int) or not isinstance(stride, int) or extent <= size or extent % size:
            break
        outer = next((n for n, s in enumerate(tensor.stride) if s == size * stride and n not in covered), None)
        if outer is None:
            break
        covered.append(outer)
        extent //= size
    return covered


def starts(constant: int, tensor: TensorType) -> list[SizeLike]:
    """A constant offset as a place along each dimension, widest strides first."""
    starts: list[SizeLike] = [0] * len(tensor.shape)
    known = [(stride, n) for n, stride in enumerate(tensor.stride) if isinstance(stride, int) and stride > 0]
    for stride, n in sorted(known, reverse=True):
        if tensor.shape[n] != 1 and constant > 0:
            starts[n], constant = divmod(constant, stride)
    return starts
