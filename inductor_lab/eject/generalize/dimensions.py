"""Which digits walk along each dimension of each tensor, as its addresses tell; digits that walk along the same dimension are the same."""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.computation.folds import masks
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.generalize.digits import Digit, Digits, Place, places
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.eject.tensors import Tensor


class Dimensions:
    """What the dimensions of one kernel's tensors are made of."""

    def __init__(self, found: Computation, tensors: Mapping[str, Tensor]) -> None:
        self.found, self.tensors = found, tensors
        self.places = {name: places(tensor) for name, tensor in tensors.items()}
        self.digits = Digits(found, self.places)
        self.walked: dict[tuple[str, int], tuple[Digit, ...]] = {}
        """A tensor's dimension -> the digits that walk along it, the fastest first."""
        self.gathers: list[tuple[Access, Expression, Digit]] = []
        """What chooses a place, and the dimension in which it does."""
        self._same: dict[Digit, Digit] = {}
        self._read()

    def root(self, digit: Digit) -> Digit:
        """The one digit that stands for all that are the same."""
        while digit in self._same:
            digit = self._same[digit]
        return digit

    def within(self, pointer: str, place: Place) -> list[Digit]:
        """The digits of all dimensions that lie within one: its stride is their product."""
        inner = [other for other in self.places[pointer] if other.stride < place.stride]
        return [digit for other in inner for digit in self.walked[pointer, other.number]]

    def place(self, pointer: str, step: int) -> Place | None:
        """The dimension of a tensor in which so many elements are a step."""
        return next((p for p in self.places[pointer] if p.stride <= step < p.stride * p.size), None)

    def _read(self) -> None:
        gathered: dict[tuple[str, int], Digit] = {}
        still: list[tuple[str, Place]] = []
        for access in self.found.accesses:
            if access.mask is not None and not masks(access.mask):
                raise UndeterminedError(
                    f"line {access.line} of its body (as `show` numbers them) masks {access.pointer} by more than the ends of its axes"
                )
            chosen, along = self._along(access)
            for place in self.places[access.pointer]:
                key = access.pointer, place.number
                if place.number in chosen:
                    free = gathered.setdefault(key, Digit(access.pointer, place.stride, place.size))
                    self.gathers.append((access, chosen[place.number], free))
                elif place.number in along:
                    self._walk(access, place, along[place.number])
                else:
                    still.append((access.pointer, place))
        for key, free in gathered.items():
            known = self.walked.setdefault(key, (free,))
            if len(known) == 1:
                self._unify(free, known[0])
            elif known != (free,):
                raise UndeterminedError(f"{self._called(*key)} is both gathered and walked along by several digits")
        every = [(name, place) for name, own in self.places.items() for place in own]
        for pointer, place in (*still, *every):
            if (pointer, place.number) not in self.walked:
                raise UndeterminedError(f"nothing walks along {self._called(pointer, place.number)}")

    def _called(self, pointer: str, number: int) -> str:
        tensor = self.tensors[pointer]
        return f"dimension {number} of {tensor.name}, {tensor.type.shape[number]}"

    def _along(self, access: Access) -> tuple[dict[int, Expression], dict[int, list[tuple[int, Digit]]]]:
        """As the address of an access tells it: dimension -> the data that chooses its place; dimension -> (elements of it a step, digit)."""
        name = self.tensors[access.pointer].name
        if access.index.constant:
            raise UndeterminedError(f"line {access.line} begins {access.index.constant} elements into {name}")
        chosen: dict[int, Expression] = {}
        along: dict[int, list[tuple[int, Digit]]] = {}
        seen: set[Digit] = set()
        for term in access.index.terms:
            if term.of is None or term.sizes or term.factor < 0:
                raise UndeterminedError(f"line {access.line} goes backwards or by a size of its own")
            if isinstance(term.of, Expression):
                place = next((place for place in self.places[access.pointer] if place.stride == term.factor), None)
                if place is None or place.number in along or place.number in chosen:
                    raise UndeterminedError(
                        f"line {access.line} takes {name} at {term.factor} times what the data says: no stride of it"
                    )
                chosen[place.number] = term.of
                continue
            start, _ = self.digits.span(term.of)
            for digit in self.digits.of(term.of):
                step = term.factor * (digit.stride // start)
                place = self.place(access.pointer, step)
                if place is None or step % place.stride or digit in seen:
                    raise UndeterminedError(f"line {access.line} steps {step} elements through {name}: no stride of it")
                seen.add(digit)
                along.setdefault(place.number, []).append((step // place.stride, digit))
        if chosen.keys() & along.keys():
            raise UndeterminedError(f"line {access.line} gathers and walks along one dimension of {name}")
        return chosen, along

    def _walk(self, access: Access, place: Place, walkers: list[tuple[int, Digit]]) -> None:
        """One reading of a dimension; another one must say the same."""
        called = self._called(access.pointer, place.number)
        at = 1
        walkers.sort(key=lambda walker: walker[0])
        for step, digit in walkers:
            if step != at:
                raise UndeterminedError(f"line {access.line} walks along {called}, in steps of {step}")
            at *= digit.size
        if at != place.size:
            raise UndeterminedError(f"line {access.line} walks along {at} elements of {called}")
        digits = tuple(digit for _, digit in walkers)
        known = self.walked.setdefault((access.pointer, place.number), digits)
        if [digit.size for digit in known] != [digit.size for digit in digits]:
            raise UndeterminedError(f"two readings of {called}")
        for one, other in zip(known, digits, strict=True):
            self._unify(one, other)

    def _unify(self, one: Digit, other: Digit) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._same[other] = one
