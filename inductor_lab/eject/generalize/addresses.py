"""Addresses and positions with symbols for sizes: `x0 + 75*x1` of f32[40, 75] is `x0 + s1*x1` of f32[s0, s1]."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.generalize.digits import Digit
from inductor_lab.eject.generalize.positions import flat
from inductor_lab.eject.generalize.symbols import Symbols, product, term, together
from inductor_lab.eject.refusal import UndeterminedError


class Addresses:
    """Writes the addresses of one kernel in symbols."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols, self.dimensions, self.digits = symbols, symbols.dimensions, symbols.dimensions.digits

    def coordinate(self, coordinate: Coordinate) -> Coordinate:
        _, end = self.digits.span(coordinate)
        below = self.symbols.of(self.digits.below(coordinate))
        whole = end == self.digits.found.numel[coordinate.axis]
        size = None if whole else product(self.symbols.of(self.digits.of(coordinate)))
        return Coordinate(coordinate.axis, product(below), size)

    def address(self, index: Index, pointer: str, new: Callable[[Expression], Expression]) -> Index:
        """An address in a tensor; `new` writes what the data says of it."""
        begins = self.dimensions.begins(index, pointer)
        terms: list[Term] = []
        for place in self.dimensions.places[pointer]:
            if place.number in begins:
                terms.append(term(self.symbols.stride(pointer, place), None, begins[place.number]))
        for part in index.terms:
            if isinstance(part.of, Expression):
                place = next(place for place in self.dimensions.places[pointer] if place.stride == part.factor)
                terms.append(term(self.symbols.stride(pointer, place), new(part.of)))
            elif isinstance(part.of, Coordinate):
                start, _ = self.digits.span(part.of)
                digits = self.digits.of(part.of)
                if all(map(self.dimensions.keeps, digits)):  # a mask may hold it back before it comes to others
                    digits = digits[:1]
                steps = [(digit, self._step(pointer, abs(part.factor) * (digit.stride // start))) for digit in digits]
                if steps:
                    sign = 1 if part.factor > 0 else -1
                    terms.append(term(self._common(part.of, steps), self.coordinate(part.of), sign))
        numbers = sum(one.factor for one in terms if one.of is None and not one.sizes)
        return Index(numbers, tuple(one for one in terms if one.of is not None or one.sizes))

    def position(self, index: Index) -> Index:
        """A position that is a value: flat numbers of several digits, as if in a tensor of their sizes; one that keeps its size as it is."""
        coordinates = [one.of for one in index.terms if isinstance(one.of, Coordinate)]
        if all(self.dimensions.keeps(digit) for of in coordinates for digit in self.digits.of(of)):
            if len(coordinates) < len(index.terms):
                raise UndeterminedError("it computes with positions and what the data says")
            terms = (Term(one.factor, self.coordinate(of)) for one, of in zip(index.terms, coordinates, strict=True))
            return Index(index.constant, tuple(terms))
        if not flat(index):
            raise UndeterminedError("it computes with positions and numbers")
        at, found = 1, list[Term]()
        inner: list[Digit] = []
        for part in sorted(index.terms, key=lambda part: part.factor):
            assert isinstance(part.of, Coordinate)
            if part.factor != at:
                raise UndeterminedError(f"it computes with {part.factor} times a position")
            found.append(term(self.symbols.of(inner), self.coordinate(part.of)))
            digits = self.digits.of(part.of)
            inner += digits
            at *= prod(digit.size for digit in digits)
        return Index(0, tuple(reversed(found)))

    def _step(self, pointer: str, step: int) -> tuple[str, ...]:
        """So many elements of a tensor as a product of symbols: the dimension's stride, and its digits below."""
        place = self.dimensions.place(pointer, step)
        assert place is not None
        stride = self.symbols.stride(pointer, place)
        if (pointer, place.number) in self.dimensions.fixed:
            return together([*stride, str(step // place.stride)])
        at, inner = place.stride, list[Digit]()
        for walker in self.dimensions.walked[pointer, place.number]:
            if at < step:
                inner.append(walker)
                at *= walker.size
        return together([*stride, *self.symbols.of(inner)])

    def _common(self, coordinate: Coordinate, steps: list[tuple[Digit, tuple[str, ...]]]) -> tuple[str, ...]:
        """The one factor of a coordinate of several digits."""
        _, first = steps[0]
        passed: list[Digit] = []
        for digit, step in steps:
            if together([*first, *self.symbols.of(passed)]) != step:
                raise UndeterminedError(f"a coordinate of {coordinate.axis} has two steps at other sizes")
            passed.append(digit)
        return first
