"""A symbol for each size that can change, in the order of the tensors' dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from inductor_lab.computation.index import Index, Term
from inductor_lab.computation.tree import Expression, Position, Size
from inductor_lab.eject import naming
from inductor_lab.eject.generalize.digits import Digit, Place
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.refusal import UndeterminedError


class Symbols:
    """The names of one kernel's sizes; none of them is `taken`."""

    def __init__(self, dimensions: Dimensions, taken: Iterable[str]) -> None:
        self.dimensions = dimensions
        self.names = dict(self._named({*taken, *naming.RESERVED}))
        """The digit that stands for all that are the same -> its symbol."""

    def of(self, digits: Iterable[Digit]) -> tuple[str, ...]:
        return tuple(sorted(self.name(digit) for digit in digits))

    def name(self, digit: Digit) -> str:
        return self.names[self.dimensions.root(digit)]

    def dimension(self, pointer: str, place: Place) -> tuple[str, ...]:
        """What a dimension's size is the product of."""
        return self.of(self.dimensions.walked[pointer, place.number])

    def stride(self, pointer: str, place: Place) -> tuple[str, ...]:
        """What a dimension's stride is the product of: all that lies within."""
        return self.of(self.dimensions.within(pointer, place))

    def size(self, digits: Iterable[Digit]) -> Expression:
        """The number of positions of several digits, as a value."""
        symbols = self.of(digits)
        if len(symbols) == 1:
            return Size("int32", frozenset(), symbols[0])
        return Position("int32", frozenset(), Index(0, (Term(1, None, symbols),)))

    def _named(self, taken: set[str]) -> Iterator[tuple[Digit, str]]:
        fresh = (name for name in map("s{}".format, itertools.count()) if name not in taken)
        seen: set[Digit] = set()
        for name, places in self.dimensions.places.items():
            for place in sorted(places, key=lambda place: place.number):
                for digit in reversed(self.dimensions.walked[name, place.number]):
                    root = self.dimensions.root(digit)
                    if root not in seen:
                        seen.add(root)
                        yield root, next(fresh)
        for digits in self.dimensions.digits.axes.values():
            for digit in digits:
                if self.dimensions.root(digit) not in seen:
                    raise UndeterminedError(
                        f"no tensor tells the size of the {digit.size} positions along {digit.axis}"
                    )
        if not seen:
            raise UndeterminedError("it has no size that could change")


def product(symbols: Iterable[str]) -> str:
    return " * ".join(symbols)
