"""What all rules of the eager reference share: dimensions, the statements so far, and how an expression becomes a value.

    x0 = xindex % 1024, x1 = xindex // 1024, r0_2 = r0_index     dimensions x1, x0, r0_2

Every axis is cut into digits, slowest first, and each is a dimension. Values are broadcast: a dimension that a value does not vary over has
size 1 in it, or is not there at all where it is one of the first. Every rule (`loads`, `stores`, `pointwise`, `reductions`) asks a `Printer`. The
one that there is, `JobPrinter` of the package, knows the rules.
"""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.space import Digits, bounds
from inductor_lab.computation.tree import Expression, Load, Named, Reduction, limits, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    Line,
    Value,
    call,
    changed,
    dtype_of,
    literal,
    method,
    name,
    subscript,
    tuple_of,
)
from inductor_lab.eject.naming import numbered
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import Kernel, SizeLike, TensorType
from inductor_lab.records.size import ONE, Size, substituted

Range = tuple[int, int]
"""The first place, and one past the last."""


AXES = ("z", "y", "x", "r", "r0_", "r1_")
"""The slowest first: what is folded stands last, as in a person's program."""


@dataclass(frozen=True)
class Dim:
    """`(axis // stride) % size`."""

    axis: str
    stride: Size
    size: Size


@dataclass
class Space:
    """The dimensions of one job of a kernel, those of size 1 left out, and the ranges of them that are printed just now."""

    dims: tuple[Dim, ...]
    axes: Mapping[str, Digits]
    bound: Mapping[str, str]
    """What the names of sizes in the body stand for."""
    ranges: dict[int, Range] = field(default_factory=dict)
    """Dimension -> the places along it that are printed just now, where that is a part."""

    @staticmethod
    def make(
        numel: Mapping[str, SizeLike],
        bound: Mapping[str, str],
        coordinates: Iterable[Coordinate],
        tensors: Iterable[tuple[Index, TensorType]],
    ) -> Space:
        """Cut every axis where a coordinate starts or ends, and where a dimension of a written tensor does.

        Cuts that do not nest (`x % 30` beside `x % 50`) are left out, the rarest first: such coordinates are computed.
        """
        whole = {axis: Size.of(size, bound) for axis, size in numel.items()}
        wanted: dict[str, Counter[Size]] = {axis: Counter() for axis in whole}
        for coordinate in coordinates:
            if coordinate.axis in whole:
                wanted[coordinate.axis].update(cut for cut in bounds(coordinate, bound) if cut is not None)
        for index, type_ in tensors:
            for axis, cut in _tensor_cuts(index, type_, whole, bound):
                wanted[axis][cut] += 0
        dims: list[Dim] = []
        digits: dict[str, Digits] = {}
        for axis in sorted(whole, key=lambda axis: AXES.index(axis) if axis in AXES else len(AXES)):
            common = (cut for cut, _ in wanted[axis].most_common())
            digits[axis] = Digits.cut(whole[axis], common, exact=True)
            dims += [Dim(axis, *part) for part in reversed(digits[axis].sizes) if not whole[axis].is_one]
        return Space(tuple(dims), digits, bound)

    @cached_property
    def _fastest(self) -> Mapping[str, int]:
        """Axis -> the last of its dimensions."""
        return {dim.axis: number for number, dim in enumerate(self.dims)}

    def digits(self, coordinate: Coordinate) -> list[tuple[int, Size]] | None:
        """A coordinate as (dimension, weight), slowest first; None where the dimensions do not tell it."""
        axis = self.axes.get(coordinate.axis)
        places = axis.places(coordinate, self.bound) if axis is not None else None
        if places is None or coordinate.axis not in self._fastest:
            return None if places is None else []
        return [(self._fastest[coordinate.axis] - place, weight) for place, weight in reversed(places)]

    def factors(self, index: Index) -> dict[int, Size] | None:
        """Dimension -> how far one step along it moves the address; None where a coordinate is no sum of digits."""
        found: dict[int, list[Size]] = {}
        for term in index.terms:
            if not isinstance(term.of, Coordinate):
                continue
            digits = self.digits(term.of)
            if digits is None:
                return None
            for number, weight in digits:
                found.setdefault(number, []).append(term.step(self.bound) * weight)
        if any(len({e.factors for e in extents}) > 1 for extents in found.values()):
            return None
        summed = {n: Size(sum(e.number for e in extents), extents[0].factors) for n, extents in found.items()}
        return {n: extent for n, extent in summed.items() if extent.number}

    def folded(self, node: Reduction) -> frozenset[int]:
        """The dimensions that a reduction goes along: all of its axes, or those within a group of positions."""
        group = Size(node.group) if node.group else None
        if group and not any(dim.axis in node.over and dim.stride == group for dim in self.dims):
            raise NoReference(f"its rows make no whole groups of {node.group}, which it folds to one each")
        return frozenset(
            number
            for number, dim in enumerate(self.dims)
            if dim.axis in node.over and (group is None or group.over(dim.stride) not in (None, ONE))
        )

    def of_axes(self, axes: frozenset[str]) -> frozenset[int]:
        return frozenset(number for number, dim in enumerate(self.dims) if dim.axis in axes)

    # ---- the ranges of just now

    def within(self, ranges: Mapping[int, Range]) -> AbstractContextManager[None]:
        """Print under these ranges, beside those of just now."""
        return self.under(self.ranges | dict(ranges))

    @contextmanager
    def under(self, ranges: dict[int, Range]) -> Iterator[None]:
        """Print under these ranges alone."""
        outside, self.ranges = self.ranges, ranges
        try:
            yield
        finally:
            self.ranges = outside

    def count(self, dim: int) -> Size:
        """How many places there are along a dimension."""
        low, high = self.ranges.get(dim, (0, 0))
        return Size(high - low) if dim in self.ranges else self.dims[dim].size

    def range_of(self, dim: int) -> Range:
        """The places along a dimension; a symbolic size is larger than any number."""
        size = self.dims[dim].size
        return self.ranges.get(dim) or (0, size.number if size.is_number else 10**18)

    def split(self, mask: Expression | None) -> tuple[dict[int, Range], list[Expression]]:
        """The ranges of dimensions that a mask leaves, and the conditions beside them that it makes."""
        ranges: dict[int, Range] = {}
        others = []
        for condition in narrowing(mask):
            found = self.bounded(condition)
            if found is None:
                others.append(condition)
                continue
            dim, (low, high) = found
            before = ranges.get(dim) or self.range_of(dim)
            ranges[dim] = (max(low, before[0]), max(min(high, before[1]), max(low, before[0])))
        return {dim: left for dim, left in ranges.items() if left != self.range_of(dim)}, others

    def bounded(self, condition: Expression) -> tuple[int, Range] | None:
        """The dimension that a condition bounds, and the places where it holds, where that is all that it says."""
        found = limits(condition)
        coordinate = found[0].coordinate if len(found) == 1 else None
        if coordinate is None or not (digits := self.digits(coordinate)):
            return None
        low, high, (dim, weight) = found[0].low, found[0].high, digits[0]
        size, by = self.dims[dim].size, weight.number
        if not weight.is_number or not size.is_number or low % by or (high is not None and high % by):
            return None
        last = size.number if high is None else min(size.number, high // by)
        return dim, (low // by, max(last, low // by))


def _tensor_cuts(
    index: Index, type_: TensorType, whole: Mapping[str, Size], bound: Mapping[str, str]
) -> Iterable[tuple[str, Size]]:
    """Where the dimensions of a tensor cut the coordinates that run over several of them."""
    strides = [Size.of(s) for s, size in zip(type_.stride, type_.shape, strict=True) if size != 1]
    for term in index.terms:
        if isinstance(term.of, Coordinate) and term.of.axis in whole and term.factor > 0:
            start, end = bounds(term.of, bound)
            for stride in strides:
                step = stride.over(term.step(bound))
                if step is not None and not step.is_one and (end or whole[term.of.axis]).over(start * step) is not None:
                    yield term.of.axis, start * step


class Printer(ABC):
    """One kernel's statements so far, and the job that is printed just now."""

    def __init__(self, kernel: Kernel, tensors: Mapping[str, Tensor], sizes: Mapping[str, str]) -> None:
        self.tensors = tensors
        """Pointer -> the tensor."""
        self.sizes = sizes
        """`ks0`, `xnumel` -> Python."""
        spelled = {text for text in sizes.values() if text.isidentifier()}
        self.taken = {tensor.name for tensor in tensors.values()} | spelled | {"torch", "DEVICE", "math"}
        self.functions = functions(kernel)
        self.lines: list[Line] = []
        self.helpers: set[str] = set()
        self.versions: dict[str, list[ast.expr]] = {}
        """Pointer -> what its tensor holds before and after each store of the job."""
        self.kept: list[object] = []
        """Trees that are made on the way: values are known by the identity of their nodes."""
        self.siblings: dict[tuple[str, str, tuple[int, ...]], Reduction] = {}
        """(reduction, part, its operands' identities) -> the node of that part, in the body or made on the way."""
        self.parameters: dict[str, Value] = {}
        """What a combining function is given, while it is printed."""

    @abstractmethod
    def value(self, node: Expression) -> Value:
        """A value under the ranges that hold just now, each once."""

    def begin(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Go on with the next job of the kernel: a space of its own, tensors as the job before left them."""
        self.job = job
        self.bound = job.sizes
        """`ks0` -> what the launch passes for it."""
        self.known = self.symbols()
        self.versions = {pointer: [content] for pointer, content in contents.items()}
        self.done: dict[tuple[int, tuple[tuple[int, int, int], ...]], Value] = {}
        stores = [access for access in job.stores if access.pointer in self.tensors]
        roots = [part for access in stores for part in (access.value, access.mask, *access.index.expressions()) if part]
        self.uses = Counter[int]()
        self.asked = Counter[int]()
        coordinates = [c for access in stores for c in access.index.coordinates()]
        coordinates += behind(*roots)
        self.space = Space.make(
            job.numel, self.bound, coordinates, [(a.index, self.tensors[a.pointer].told) for a in stores]
        )
        self.rank = len(self.space.dims)
        nodes = tuple(walk(*roots))
        self.reread = {node.pointer for node in nodes if isinstance(node, Load) and node.version}
        self.siblings |= {
            (node.name, node.part, tuple(map(id, node.inputs))): node for node in nodes if isinstance(node, Reduction)
        }
        self.hidden = [node for node in nodes if isinstance(node, Named)][::-1]
        """What a tree too deep to walk down hides, the innermost first."""

    # ---- sizes as Python: numbers, `x.shape[0]`, and the products and quotients of what is known

    def symbols(self) -> dict[Size, ast.expr]:
        """What is known of sizes that are no numbers, as Python."""
        found: dict[Size, ast.expr] = {}
        for tensor in self.tensors.values():
            for place, size in enumerate(tensor.told.shape):
                if isinstance(size, str):
                    found.setdefault(Size.of(size), ast.parse(f"{tensor.name}.shape[{place}]", mode="eval").body)
        for size, spelled in self.sizes.items():
            found[Size.of(size, self.bound)] = _tree(spelled)
        return found

    def extent(self, extent: Size) -> ast.expr:
        """A product of numbers and symbols, by the sizes that are known."""
        if extent.is_number:
            return literal(extent.number)
        if extent in self.known:
            return self.known[extent]
        for known, node in self.known.items():
            rest = extent.over(known) if known.factors else None
            if rest is not None:
                return node if rest.is_one else ast.BinOp(self.extent(rest), ast.Mult(), node)
        for known, node in self.known.items():
            rest = known.over(extent)
            if rest is not None and rest.is_number:
                return ast.BinOp(node, ast.FloorDiv(), literal(rest.number))
        parts = [self.symbol(symbol) for symbol in extent.factors]
        parts = parts if extent.number == 1 else [literal(extent.number), *parts]
        total = parts[0]
        for factor in parts[1:]:
            total = ast.BinOp(total, ast.Mult(), factor)
        return total

    def extents(self, sizes: Iterable[int | str]) -> list[ast.expr]:
        """The sizes or the strides of a tensor, by what is known."""
        return [self.extent(Size.of(size)) for size in sizes]

    def symbol(self, symbol: str) -> ast.expr:
        """One symbol, or a sum of several, spelled by what is known."""
        known = {e.factors[0]: node for e, node in self.known.items() if e.number == 1 and len(e.factors) == 1}
        if symbol in known:
            return known[symbol]
        told = Size.of(symbol)
        if told.symbols <= set(known) and symbol not in told.symbols:
            return substituted(_tree(symbol), known)
        raise NoReference(f"the launch does not tell the size {symbol}")

    def size(self, size: str) -> ast.expr:
        """A size that the body calls by name."""
        if size in self.sizes:
            return _tree(self.sizes[size])
        if size not in self.bound:
            raise NoReference(f"{size} is not known before the launch")
        return self.extent(Size.of(size, self.bound))

    def product(self, sizes: Sequence[str]) -> ast.expr:
        total = self.size(sizes[0])
        for size in sizes[1:]:
            total = ast.BinOp(total, ast.Mult(), self.size(size))
        return total

    def size_of(self, dim: int) -> ast.expr:
        """How many places along a dimension are printed just now."""
        return self.extent(self.space.count(dim))

    # ---- variables

    def variable(self, noun: str, value: Value) -> Value:
        fresh = self.fresh(noun)
        self.lines.append(Line(fresh, value.node))
        return changed(value, name(fresh), weight=1)

    def fresh(self, noun: str) -> str:
        found = numbered(re.sub(r"\W", "_", noun) or "value", self.taken.__contains__)
        self.taken.add(found)
        return found

    # ---- shapes

    def spread(self, value: Value, dims: Iterable[int]) -> Value:
        """The value repeated along dimensions that it does not vary over, so that its shape has them."""
        missing = frozenset(dims) - value.dims
        if not missing:
            return value
        if not value.number and all(self.space.count(dim).is_one for dim in missing):
            value = self.ranked(value, max(self.rank - dim for dim in missing))
            return replace(value, dims=value.dims | missing)
        rank = max([value.rank, *(self.rank - dim for dim in missing)])
        if value.number:
            shape = tuple_of(
                [self.size_of(d) if d in missing else ast.Constant(1) for d in range(self.rank - rank, self.rank)]
            )
            dtype = {"float": "float32", "int": "int64"}.get(value.dtype, value.dtype)
            node = call("torch.full", shape, value.node, dtype=dtype_of(dtype), device=name("DEVICE"))
            return Value(node, missing, rank, dtype, value.weight + 3)
        sizes = []
        for dim in range(self.rank - rank, self.rank):
            held_already = dim >= self.rank - value.rank
            sizes.append(self.size_of(dim) if dim in missing else literal(-1 if held_already else 1))
        return changed(
            value,
            method(value.node, "expand", *sizes),
            dims=value.dims | missing,
            rank=rank,
            weight=value.weight + 2,
        )

    def ranked(self, value: Value, rank: int) -> Value:
        """The value with at least so many dimensions."""
        if value.rank >= rank:
            return value
        node = subscript(value.node, [NEW] * (rank - value.rank) + [ALL] * value.rank)
        return changed(value, node, rank=rank)


def _tree(text: str) -> ast.expr:
    """A size as Python that can be put into a text."""
    tree = Size.of(text).tree
    assert tree is not None, text
    return tree
