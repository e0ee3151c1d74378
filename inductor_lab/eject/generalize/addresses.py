"""Addresses and positions with symbols for sizes: `x0 + 75*x1` of f32[40, 75] is `x0 + s1*x1` of f32[s0, s1]."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.generalize.digits import Digit
from inductor_lab.eject.generalize.symbols import Symbols, product
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
        return Coordinate(coordinate.axis, product(below) if below else 1, size)

    def address(self, index: Index, pointer: str, new: Callable[[Expression], Expression]) -> Index:
        """An address in a tensor; `new` writes what the data says of it."""
        terms = []
        for term in index.terms:
            if isinstance(term.of, Expression):
                place = next(place for place in self.dimensions.places[pointer] if place.stride == term.factor)
                terms.append(Term(1, new(term.of), self.symbols.stride(pointer, place)))
            elif isinstance(term.of, Coordinate):
                start, _ = self.digits.span(term.of)
                steps = [
                    (digit, self._step(pointer, term.factor * (digit.stride // start)))
                    for digit in self.digits.of(term.of)
                ]
                if steps:
                    terms.append(Term(1, self.coordinate(term.of), self._common(term.of, steps)))
        return Index(0, tuple(terms))

    def position(self, index: Index) -> Index:
        """A position that is a value: flat numbers of several digits, as if in a tensor of their sizes."""
        if index.constant or any(not isinstance(term.of, Coordinate) or term.sizes for term in index.terms):
            raise UndeterminedError("it computes with positions and numbers")
        at, terms = 1, list[Term]()
        inner: list[Digit] = []
        for term in sorted(index.terms, key=lambda term: term.factor):
            assert isinstance(term.of, Coordinate)
            if term.factor != at:
                raise UndeterminedError(f"it computes with {term.factor} times a position")
            terms.append(Term(1, self.coordinate(term.of), self.symbols.of(inner)))
            digits = self.digits.of(term.of)
            inner += digits
            at *= prod(digit.size for digit in digits)
        return Index(0, tuple(reversed(terms)))

    def _step(self, pointer: str, step: int) -> tuple[str, ...]:
        """So many elements of a tensor as a product of symbols: the dimension's stride, and its digits below."""
        place = self.dimensions.place(pointer, step)
        assert place is not None
        at, inner = place.stride, self.dimensions.within(pointer, place)
        for walker in self.dimensions.walked[pointer, place.number]:
            if at < step:
                inner.append(walker)
                at *= walker.size
        return self.symbols.of(inner)

    def _common(self, coordinate: Coordinate, steps: list[tuple[Digit, tuple[str, ...]]]) -> tuple[str, ...]:
        """The one factor of a coordinate of several digits."""
        _, first = steps[0]
        passed: list[Digit] = []
        for digit, step in steps:
            if tuple(sorted((*first, *self.symbols.of(passed)))) != step:
                raise UndeterminedError(f"a coordinate of {coordinate.axis} has two steps at other sizes")
            passed.append(digit)
        return first
