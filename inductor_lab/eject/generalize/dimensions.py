"""Finds which dimension of which tensor each part of an axis walks along, so that equal sizes get one symbol.

A dimension of which an address takes a part, `mm[:, 1024:2048]`, keeps its size, and so does what walks along it: the text does not tell
whether the part begins where it does because of a size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.space import Digits
from inductor_lab.computation.tree import Expression, Load, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.generalize.positions import indices, literal
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.records.size import Size

Key = tuple[str, int]
"""A dimension: pointer and number."""


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


class Axes:
    """The axes of one computation in digits; `places` are those of each tensor."""

    def __init__(self, found: Computation, places: Mapping[str, tuple[Place, ...]]) -> None:
        self.found = found
        self.axes = {axis: _digits(axis, sorted(cuts)) for axis, cuts in self._cuts(places).items()}
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


def _digits(axis: str, cuts: list[int]) -> tuple[Digit, ...]:
    for low, high in itertools.pairwise(cuts):
        if high % low:
            raise UndeterminedError(
                f"{axis} is cut at {low} and at {high}, and neither divides the other: two readings of one axis"
            )
    parts = Digits.cut(Size(cuts[-1]), map(Size, cuts)).parts
    return tuple(Digit(axis, stride, size) for stride, size in parts if cuts[-1] > 1)


@dataclass(frozen=True)
class Reading:
    """An address, dimension by dimension."""

    access: Access
    begins: dict[int, int]
    """Dimension -> the place of it where the access begins, where that is not the first."""
    chosen: dict[int, Expression]
    """Dimension -> the data that chooses its place."""
    along: dict[int, list[tuple[int, Digit]]]
    """Dimension -> (elements of it a step, digit), the fastest first."""
    narrow: frozenset[int]
    """Dimensions along which a mask holds a coordinate back: `x0 < 32`."""

    @property
    def computed(self) -> dict[int, Expression]:
        """Those of `chosen` that are no data: `(x0 - 1) % 36`, which may go past the end of its dimension into the next."""
        return {n: value for n, value in self.chosen.items() if not any(isinstance(each, Load) for each in walk(value))}


class Dimensions:
    """What the dimensions of one kernel's tensors are made of."""

    def __init__(self, found: Computation, tensors: Mapping[str, Tensor]) -> None:
        self.found, self.tensors = found, tensors
        self.places = {name: places(tensor) for name, tensor in tensors.items()}
        self.digits = Axes(found, self.places)
        self.bounds = Bounds(found.numel, {})
        self.walked: dict[Key, tuple[Digit, ...]] = {}
        """A tensor's dimension -> the digits that walk along it, the fastest first."""
        self.gathers: list[tuple[Access, Expression, Digit]] = []
        """What chooses a place, and the dimension in which it does."""
        self.fixed: dict[Key, str] = {}
        """Dimensions that keep their size, and why."""
        self._same: dict[Digit, Digit] = {}
        self._kept: set[Digit] = set()
        self._read()

    def root(self, digit: Digit) -> Digit:
        """The one digit that stands for all that are the same."""
        while digit in self._same:
            digit = self._same[digit]
        return digit

    def keeps(self, digit: Digit) -> bool:
        """Whether a digit has its captured size at all sizes."""
        return self.root(digit) in self._kept

    def within(self, pointer: str, place: Place) -> list[Digit]:
        """The digits of all dimensions that lie within one, from the last stride on that leaves a gap: its stride is their product."""
        found: list[Digit] = []
        for inner in self.places[pointer]:
            if inner.stride > place.stride:
                break
            if inner.gap:
                found = [gap(pointer, inner)]
            if inner != place:
                found += self.walked[pointer, inner.number]
        return found

    def place(self, pointer: str, step: int) -> Place | None:
        """The dimension of a tensor in which so many elements are a step."""
        return next((p for p in self.places[pointer] if p.stride <= abs(step) < p.stride * p.size), None)

    def begins(self, index: Index, pointer: str, line: int = 0) -> dict[int, int]:
        """Where an address begins: dimension -> its place, where that is not the first."""
        left, found = index.constant, dict[int, int]()
        for place in reversed(self.places[pointer]):
            at = abs(left) // place.stride * (1 if left > 0 else -1)
            if 0 < abs(at) < place.size:
                found[place.number] = at
                left -= at * place.stride
        if left:
            raise UndeterminedError(f"line {line} begins {index.constant} elements into {self.tensors[pointer].name}")
        return found

    def _read(self) -> None:
        readings = [self._reading(access) for access in self.found.accesses]
        for reading in readings:
            for key, why in self._partly(reading):
                self.fixed.setdefault(key, why)
        while lost := self._walk(readings):
            self.fixed |= {key: f"two readings of {self._called(*key)}" for key in lost}

    def _reading(self, access: Access) -> Reading:
        name = self.tensors[access.pointer].name
        chosen: dict[int, Expression] = {}
        along: dict[int, list[tuple[int, Digit]]] = {}
        seen: set[Digit] = set()
        narrow: set[int] = set()
        begin = access.index.constant
        for term in access.index.terms:
            if term.of is None or term.sizes:
                raise UndeterminedError(f"line {access.line} goes by a size of its own")
            if isinstance(term.of, Expression):
                place = next((place for place in self.places[access.pointer] if place.stride == term.factor), None)
                if place is None or place.number in along or place.number in chosen:
                    raise UndeterminedError(
                        f"line {access.line} takes {name} at {term.factor} times what the data says: no stride of it"
                    )
                chosen[place.number] = term.of
                continue
            start, _ = self.digits.span(term.of)
            moving = self.digits.of(term.of)
            if masked := self._masked(access, term.of):
                low, width = masked
                begin, moving = begin + term.factor * low, [Digit(term.of.axis, start, width)]
            for digit in moving:
                step = term.factor * (digit.stride // start)
                place = self.place(access.pointer, step)
                if place is None or step % place.stride or digit in seen:
                    raise UndeterminedError(f"line {access.line} steps {step} elements through {name}: no stride of it")
                seen.add(digit)
                along.setdefault(place.number, []).append((step // place.stride, digit))
                narrow |= {place.number} if masked else set()
        if chosen.keys() & along.keys():
            raise UndeterminedError(f"line {access.line} gathers and walks along one dimension of {name}")
        for walkers in along.values():
            walkers.sort(key=lambda walker: walker[0])
        begins = self.begins(Index(begin), access.pointer, access.line)
        return Reading(access, begins, chosen, along, frozenset(narrow))

    def _masked(self, access: Access, coordinate: Coordinate) -> tuple[int, int] | None:
        """From where on, and for how many values of it, a coordinate is not masked; None where it is for none."""
        parts = self.found.cut(coordinate) if narrowing(access.mask) else None
        if not parts:
            return None
        ranges = self.found.ranges(access.mask)
        low = sum(weight * ranges[digit][0] for digit, _, weight in parts)
        high = sum(weight * (ranges[digit][1] - 1) for digit, _, weight in parts)
        whole = sum(weight * (size - 1) for _, size, weight in parts)
        return (low, high - low + 1) if 0 <= high - low < whole else None

    def _partly(self, reading: Reading) -> Iterator[tuple[Key, str]]:
        """Dimensions of which an address takes a part."""
        pointer, line = reading.access.pointer, f"line {reading.access.line}"
        for number, at in reading.begins.items():
            yield (pointer, number), f"{line} begins {at} elements into {self._called(pointer, number)}"
        for number, walkers in reading.along.items():
            at, called = 1, self._called(pointer, number)
            for step, digit in walkers:
                if step != at:
                    yield (pointer, number), f"{line} walks along {called}, in steps of {step}"
                at *= digit.size
            place = self._place(pointer, number)
            if at != place.size or number in reading.narrow:
                why = f"{line} walks along {at} elements of {called}"
                begin = reading.begins.get(number, 0)
                past = begin + sum(step * (digit.size - 1) for step, digit in walkers)  # the end, into what lies around
                yield from (((pointer, p.number), why) for p in self._around(pointer, place, past))
        for number, value in reading.computed.items():
            room, first = self.bounds.of(value), self._place(pointer, number)
            why = f"{line} computes a place in {self._called(pointer, number)} from positions"
            if not room.known:
                raise UndeterminedError(why)
            past = int(max(-room.low, room.high))
            yield from (((pointer, p.number), why) for p in self._around(pointer, first, past))

    def _around(self, pointer: str, first: Place, reach: int) -> list[Place]:
        """A dimension, and those around it into which so many of its steps lead."""
        return [p for p in self.places[pointer] if p == first or first.stride < p.stride <= first.stride * reach]

    def _called(self, pointer: str, number: int) -> str:
        tensor = self.tensors[pointer]
        return f"dimension {number} of {tensor.name}, {tensor.type.shape[number]}"

    def _walk(self, readings: Sequence[Reading]) -> set[Key]:
        """Follow every address along the dimensions that may change; those that turn out to be read in two ways."""
        self._same, self.gathers, lost = {}, [], set[Key]()
        self.walked = {(pointer, n): (self._free(pointer, self._place(pointer, n)),) for pointer, n in self.fixed}
        kept = {digit for of in self.walked.values() for digit in of}
        computed = (value for reading in readings for value in reading.computed.values())
        coordinates = (*literal(self.found), *behind(*computed))
        kept |= {digit for coordinate in coordinates for digit in self.digits.of(coordinate)}
        gathered: dict[Key, Digit] = {}
        for reading in readings:
            pointer = reading.access.pointer
            for place in self.places[pointer]:
                key = pointer, place.number
                walkers = tuple(digit for _, digit in reading.along.get(place.number, ()))
                if place.number in reading.chosen:
                    gathered[key] = self._free(pointer, place)
                    self.gathers.append((reading.access, reading.chosen[place.number], gathered[key]))
                elif key in self.fixed:
                    kept.update(walkers)
                elif walkers and not self._unified(self.walked.setdefault(key, walkers), walkers):
                    lost.add(key)
        for key, free in gathered.items():
            if not self._unified(self.walked.setdefault(key, (free,)), (free,)):
                lost.add(key)
        for _, chosen, free in self.gathers:  # the bound that it is held against is the size of all
            for _, other, same in self.gathers:
                if other is chosen and same.size == free.size:
                    self._unify(free, same)
        for pointer, own in self.places.items():
            for place in own:
                self.walked.setdefault((pointer, place.number), (self._free(pointer, place),))
        self._kept = {self.root(digit) for digit in kept}
        return lost

    def _free(self, pointer: str, place: Place) -> Digit:
        """A dimension as a digit of its own."""
        return Digit(pointer, place.stride, place.size)

    def _place(self, pointer: str, number: int) -> Place:
        return next(place for place in self.places[pointer] if place.number == number)

    def _unified(self, one: tuple[Digit, ...], other: tuple[Digit, ...]) -> bool:
        """Whether two readings of a dimension say the same; then their digits are."""
        if [digit.size for digit in one] != [digit.size for digit in other]:
            return False
        for first, second in zip(one, other, strict=True):
            self._unify(first, second)
        return True

    def _unify(self, one: Digit, other: Digit) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._same[other] = one


def gap(pointer: str, place: Place) -> Digit:
    """A stride that leaves a gap, as a size of its own."""
    return Digit(f"{pointer}.stride", place.number, place.stride)
