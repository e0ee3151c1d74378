"""The iteration space of a kernel as the dimensions of one tensor: every axis cut into digits, slowest first.

    x0 = xindex % 1024, x1 = xindex // 1024, r0_2 = r0_index     dimensions x1, x0, r0_2

Values are broadcast: a dimension that a value does not vary over has size 1 in it, or is not there at all where it is one of the first.

Sizes are products here (`Size`): `3 * s77` is the number 3 and the symbol s77. What divides what is then a matter of counting.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.tree import Reduction
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import ONE, Size


def extents(sizes: Iterable[SizeLike]) -> list[Size]:
    """The sizes or the strides of a tensor."""
    return [Size.of(size) for size in sizes]


def factor(term: Term, bound: Mapping[str, str]) -> Size:
    """How far one step of a term's coordinate moves an address."""
    return Size.of("*".join(("1", *(f"({size})" for size in term.sizes))), bound) * Size(term.factor)


AXES = ("z", "y", "x", "r", "r0_", "r1_")
"""The slowest first: what is folded stands last, as in a person's program."""


@dataclass(frozen=True)
class Dim:
    """`(axis // stride) % size`."""

    axis: str
    stride: Size
    size: Size


@dataclass(frozen=True)
class Space:
    """The dimensions of one job of a kernel, those of size 1 left out."""

    dims: tuple[Dim, ...]
    numel: Mapping[str, Size]
    bound: Mapping[str, str]
    """What the names of sizes in the body stand for."""

    @staticmethod
    def make(
        numel: Mapping[str, SizeLike],
        bound: Mapping[str, str],
        coordinates: Iterable[Coordinate],
        tensors: Iterable[tuple[Index, TensorType | None]],
    ) -> Space:
        """Cut every axis where a coordinate starts or ends, and where a dimension of a written tensor does.

        Cuts that do not nest (`x % 30` beside `x % 50`) are left out, the rarest first: such coordinates are computed.
        """
        whole = {axis: Size.of(size, bound) for axis, size in numel.items()}
        wanted: dict[str, Counter[Size]] = {axis: Counter() for axis in whole}
        for coordinate in coordinates:
            if coordinate.axis in whole:
                for cut in _cuts(coordinate, whole[coordinate.axis], bound):
                    wanted[coordinate.axis][cut] += 1
        for index, type_ in tensors:
            for axis, cut in _tensor_cuts(index, type_, whole, bound):
                wanted[axis][cut] += 0
        dims: list[Dim] = []
        for axis in sorted(whole, key=lambda axis: AXES.index(axis) if axis in AXES else len(AXES)):
            dims += _digits(axis, whole[axis], wanted[axis])
        return Space(tuple(dims), whole, bound)

    def digits(self, coordinate: Coordinate) -> list[tuple[int, Size]] | None:
        """A coordinate as (dimension, weight), slowest first; None where the dimensions do not tell it."""
        whole = self.numel.get(coordinate.axis)
        if whole is None:
            return None
        start = Size.of(coordinate.stride, self.bound)
        end = start * Size.of(coordinate.size, self.bound) if coordinate.size is not None else whole
        if start == whole or _past(start, whole):
            return []
        if _past(end, whole):
            end = whole
        at, found = start, []
        for number in range(len(self.dims) - 1, -1, -1):
            dim = self.dims[number]
            if dim.axis == coordinate.axis and dim.stride == at and at != end:
                weight = at.over(start)
                assert weight is not None
                found.append((number, weight))
                at = dim.stride * dim.size
        return found[::-1] if at == end else None

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
                found.setdefault(number, []).append(factor(term, self.bound) * weight)
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


def _past(extent: Size, whole: Size) -> bool:
    return extent.is_number and whole.is_number and extent.number > whole.number


def _cuts(coordinate: Coordinate, whole: Size, bound: Mapping[str, str]) -> list[Size]:
    start = Size.of(coordinate.stride, bound)
    return [start, *([start * Size.of(coordinate.size, bound)] if coordinate.size is not None else [])]


def _tensor_cuts(
    index: Index, type_: TensorType | None, whole: Mapping[str, Size], bound: Mapping[str, str]
) -> Iterable[tuple[str, Size]]:
    """Where the dimensions of a tensor cut the coordinates that run over several of them."""
    if type_ is None:
        return
    strides = [Size.of(s) for s, size in zip(type_.stride, type_.shape, strict=True) if size != 1]
    for term in index.terms:
        if isinstance(term.of, Coordinate) and term.of.axis in whole and term.factor > 0:
            start = Size.of(term.of.stride, bound)
            end = start * Size.of(term.of.size, bound) if term.of.size is not None else whole[term.of.axis]
            for stride in strides:
                step = stride.over(factor(term, bound))
                if step is not None and not step.is_one and end.over(start * step) is not None:
                    yield term.of.axis, start * step


def _digits(axis: str, whole: Size, wanted: Counter[Size]) -> list[Dim]:
    kept = [ONE, whole] if not whole.is_one else []
    for cut, _ in wanted.most_common():
        nested = all(cut.over(k) is not None or k.over(cut) is not None for k in kept)
        if kept and cut not in kept and nested and whole.over(cut) is not None:
            kept.append(cut)
    kept.sort(key=lambda cut: cut.order if cut != whole else (10**9, 0))
    # symbols do not tell which of two sizes is larger: what divides the other does
    kept.sort(key=lambda cut: sum(cut.over(other) is not None for other in kept))
    dims = []
    for low, high in itertools.pairwise(kept):
        size = high.over(low)
        assert size is not None
        dims.append(Dim(axis, low, size))
    return dims[::-1]
