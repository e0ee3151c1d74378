"""Every axis of a kernel in digits, `(axis // stride) % size`: cut where a coordinate or a dimension of a tensor begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.generalize.walking import indices
from inductor_lab.eject.refusal import UndeterminedError


@dataclass(frozen=True)
class Digit:
    """A part of an axis, `(axis // stride) % size`, a dimension that only the data walks along, or a stride that leaves a gap."""

    axis: str
    stride: int
    size: int


@dataclass(frozen=True)
class Place:
    """A dimension of a tensor that has more than one element."""

    number: int
    size: int
    stride: int
    gap: bool = False
    """Whether it steps over more than lies within, as the rows of a part of a wider tensor do."""


def places(tensor: Tensor) -> tuple[Place, ...]:
    """The dimensions of more than one element, the fastest first; they must not overlap."""
    found = [
        Place(n, size, step)
        for n, (size, step) in enumerate(zip(tensor.type.shape, tensor.type.stride, strict=True))
        if isinstance(size, int) and isinstance(step, int) and size != 1
    ]
    found.sort(key=lambda place: place.stride)
    within = 1
    for n, place in enumerate(found):
        if place.stride < within or not place.size:
            raise UndeterminedError(
                f"{tensor.name} lies in memory with strides {list(tensor.type.stride)}: some of it repeated"
            )
        found[n] = replace(place, gap=place.stride > within)
        within = place.stride * place.size
    return tuple(found)


class Digits:
    """The axes of one computation in digits; `places` are those of each tensor."""

    def __init__(self, found: Computation, places: Mapping[str, tuple[Place, ...]]) -> None:
        self.found = found
        self.axes = {axis: tuple(_nested(axis, sorted(cuts))) for axis, cuts in self._cuts(places).items()}
        """Axis -> its digits, the fastest first."""

    def of(self, coordinate: Coordinate) -> list[Digit]:
        """The digits that a coordinate is made of."""
        start, end = self.span(coordinate)
        return [digit for digit in self.axes[coordinate.axis] if start <= digit.stride < end]

    def below(self, coordinate: Coordinate) -> list[Digit]:
        """The digits of its axis that a coordinate leaves out at the fast end."""
        start, _ = self.span(coordinate)
        return [digit for digit in self.axes[coordinate.axis] if digit.stride < start]

    def over(self, axes: Iterable[str]) -> tuple[Digit, ...]:
        """The digits of several axes."""
        return tuple(digit for axis in sorted(axes) for digit in self.axes.get(axis, ()))

    def span(self, coordinate: Coordinate) -> tuple[int, int]:
        """Where a coordinate begins and ends on its axis."""
        whole = self.found.numel.get(coordinate.axis)
        if not isinstance(coordinate.stride, int) or isinstance(coordinate.size, str) or not isinstance(whole, int):
            raise UndeterminedError("a coordinate is symbolic already")
        end = coordinate.stride * coordinate.size if coordinate.size is not None else whole
        if whole > 1 and (end > whole or coordinate.stride >= whole):
            raise UndeterminedError(f"a coordinate of {coordinate.axis} reaches past its {whole} positions")
        return (coordinate.stride, end) if whole > 1 else (1, 1)

    def _coordinates(self) -> Iterator[Coordinate]:
        yield from self.found.coordinates.values()
        for index in indices(self.found):
            yield from (term.of for term in index.terms if isinstance(term.of, Coordinate))

    def _cuts(self, places: Mapping[str, tuple[Place, ...]]) -> dict[str, set[int]]:
        """Where each axis is cut: what cuts it cuts the tensors that it walks along, and their cuts the other axes that do."""
        cuts = {axis: {1, size} for axis, size in self.found.numel.items() if isinstance(size, int)}
        for coordinate in self._coordinates():
            start, end = self.span(coordinate)
            cuts[coordinate.axis] |= {start, end}
        points = {
            name: {point for place in own for point in (place.stride, place.stride * place.size)}
            for name, own in places.items()
        }
        before = -1
        while before != (before := sum(map(len, cuts.values())) + sum(map(len, points.values()))):
            for access in self.found.accesses:
                for term in access.index.terms:
                    if isinstance(term.of, Coordinate) and term.factor > 0:
                        self._cut(cuts[term.of.axis], points[access.pointer], term.of, term.factor)
        return cuts

    def _cut(self, cuts: set[int], points: set[int], coordinate: Coordinate, factor: int) -> None:
        """Carry the cuts of an axis over to the tensor that a coordinate walks along in steps of `factor`, and back."""
        start, end = self.span(coordinate)
        points |= {factor * (cut // start) for cut in cuts if start < cut < end and not cut % start}
        for point in points:
            by = start * point // factor
            if not point % factor and start < by < end and not end % by:
                cuts.add(by)


def _nested(axis: str, cuts: list[int]) -> Iterator[Digit]:
    for low, high in itertools.pairwise(cuts):
        if high % low:
            raise UndeterminedError(
                f"{axis} is cut at {low} and at {high}, and neither divides the other: two readings of one axis"
            )
        yield Digit(axis, low, high // low)
