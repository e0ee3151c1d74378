"""Where a launcher finds each size: in the shape of a tensor whose dimension a coordinate walks along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.records import Computation, Pattern, pattern
from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.binding.tensors import Tensor


class Sources:
    """The tensors of one kernel, by what walks along their dimensions."""

    def __init__(self, found: Computation, tensors: Mapping[str, Tensor]) -> None:
        self.found, self.tensors = found, tensors
        self.patterns = list(self._patterns())
        """Each access of a tensor, told by its dimensions."""

    def _patterns(self) -> Iterator[tuple[Tensor, Pattern]]:
        for access in self.found.accesses:
            tensor = self.tensors.get(access.pointer)
            told = pattern(self.found, access, tensor.told) if tensor is not None else None
            if tensor is not None and told is not None:
                yield tensor, told

    def of(self, axis: Axis, stride: int, size: int) -> str:
        """Where the launcher finds a size: in a tensor's shape; else the number itself."""
        runs = list(self.runs(axis.name, stride, size))
        for tensor, run in runs:
            if len(run) == 1:
                return f"{tensor.name}.shape[{run[0]}]"
        if not axis.reduced and stride == 1 and size == axis.numel:
            written = {access.pointer for access in self.found.stores}
            for _, tensor in sorted(self.tensors.items(), key=lambda item: item[0] not in written):
                if tensor.told == tensor.type and tensor.numel() == size:
                    return f"{tensor.name}.numel()"
        for tensor, run in runs:
            return " * ".join(f"{tensor.name}.shape[{place}]" for place in run)
        return str(size)

    def runs(self, axis: str, stride: int, size: int) -> Iterator[tuple[Tensor, list[int]]]:
        """The dimensions that so many positions of an axis are, one step each so many positions: one, or several around each other."""
        for tensor, told in self.patterns:
            for coordinate, places in walked(told).items():
                if coordinate.axis == axis and (run := _run(tensor, coordinate, places, stride, size)):
                    yield tensor, run


def walked(told: Pattern) -> dict[Coordinate, list[int]]:
    """The dimensions that each coordinate walks along from their beginning, step by step."""
    walked: dict[Coordinate, list[int]] = {}
    for place, dimension in enumerate(told.dimensions):
        for coordinate in dimension.coordinates:
            walked.setdefault(coordinate, []).append(place)
    return {
        coordinate: places
        for coordinate, places in walked.items()
        if all(told.dimensions[place].start == 0 for place in places)
        and any(abs(told.dimensions[place].step) == 1 for place in places)
    }


def _run(tensor: Tensor, coordinate: Coordinate, places: list[int], stride: int, size: int) -> list[int]:
    """Those of a coordinate's dimensions that a digit of its axis is: one, or several around each other."""
    shape, strides = tensor.told.shape, tensor.told.stride
    steps = {place: step for place in places if isinstance(step := strides[place], int) and step > 0}
    if not isinstance(coordinate.stride, int) or len(steps) < len(places):
        return []
    found: list[int] = []
    product, least = 1, min(steps.values())
    for place in sorted(places, key=steps.__getitem__):
        extent = shape[place]
        if isinstance(extent, int) and product < size and coordinate.stride * (steps[place] // least) >= stride:
            if not found and coordinate.stride * (steps[place] // least) != stride:
                return []
            found.append(place)
            product *= extent
    return sorted(found) if product == size else []
