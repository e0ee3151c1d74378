"""Which digits walk along each dimension of each tensor, as its addresses tell; digits that walk along the same dimension are the same.

A dimension of which an address takes a part, `mm[:, 1024:2048]`, keeps its size, and so does what walks along it: the text does not tell
whether the part begins where it does because of a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression, Load, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.generalize.digits import Digit, Digits, Place, places
from inductor_lab.eject.generalize.positions import literal
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.eject.refusal import UndeterminedError

Key = tuple[str, int]
"""A dimension: pointer and number."""


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
        self.digits = Digits(found, self.places)
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
