"""A symbol for each size that can change, in the order of the tensors' dimensions; the tensors with symbols in their types, and where a
launcher finds each symbol in their shapes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.tree import Expression, Position, Size
from inductor_lab.eject import naming
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.generalize.dimensions import Digit, Dimensions, Place, gap
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.records import SizeLike, TensorType


class Symbols:
    """The names of one kernel's sizes; none of them is `taken`."""

    def __init__(self, dimensions: Dimensions, taken: Iterable[str]) -> None:
        self.dimensions = dimensions
        self.names = dict(self._named({*taken, *naming.RESERVED}))
        """The digit that stands for all that are the same -> its symbol."""

    def of(self, digits: Iterable[Digit]) -> tuple[str, ...]:
        """Their product: symbols, behind the number that those make which keep their size."""
        told = [str(digit.size) if self.dimensions.keeps(digit) else self.name(digit) for digit in digits]
        return together(told)

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
        return Position("int32", frozenset(), Index(0, (term(symbols),)))

    def _named(self, taken: set[str]) -> Iterator[tuple[Digit, str]]:
        fresh = (name for name in map("s{}".format, itertools.count()) if name not in taken)
        seen: set[Digit] = set()
        for name, places in self.dimensions.places.items():
            for place in sorted(places, key=lambda place: place.number):
                for digit in reversed(self.dimensions.walked[name, place.number]):
                    root = self.dimensions.root(digit)
                    if root not in seen and not self.dimensions.keeps(root):
                        seen.add(root)
                        yield root, next(fresh)
            for place in places:
                if place.gap:
                    yield gap(name, place), next(fresh)
        for digits in self.dimensions.digits.axes.values():
            for digit in digits:
                if self.dimensions.root(digit) not in seen and not self.dimensions.keeps(digit):
                    raise UndeterminedError(
                        f"no tensor tells the size of the {digit.size} positions along {digit.axis}"
                    )
        if not seen:
            why = next(iter(self.dimensions.fixed.values()), "")
            raise UndeterminedError(f"it has no size that could change{f': {why}' if why else ''}")

    # ------------------------------------------------------------ tensors

    def tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with symbols in its type."""
        return replace(tensor, symbolic=self._type(tensor))

    def bindings(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
        """Where each symbol is found, in what is read if it can be: as a dimension, else as a part of one."""
        ordered = sorted(tensors.values(), key=lambda tensor: tensor.role == "out")
        known = {
            self.name(gap(tensor.parameter, place)): f"{tensor.name}.stride({place.number})"
            for tensor in ordered
            for place in self.dimensions.places[tensor.parameter]
            if place.gap
        }
        for _ in range(len(self.names) + 1):
            for tensor in ordered:
                for place in sorted(self.dimensions.places[tensor.parameter], key=lambda place: place.number):
                    symbols = self.dimension(tensor.parameter, place)
                    unknown = [symbol for symbol in symbols if symbol not in known and not symbol.isdecimal()]
                    if len(unknown) == 1:
                        rest = [known.get(symbol, symbol) for symbol in symbols if symbol not in unknown]
                        known[unknown[0]] = _quotient(f"{tensor.name}.shape[{place.number}]", rest)
        for digit, name in self.names.items():
            if name not in known:
                raise UndeterminedError(f"the shapes do not tell how {digit.size} is a part of their products")
        yield from ((name, known[name]) for name in self.names.values())

    def _type(self, tensor: Tensor) -> TensorType | None:
        places = {place.number: place for place in self.dimensions.places[tensor.parameter]}
        if not places:
            return None
        shape: list[SizeLike] = list(tensor.type.shape)
        stride: list[SizeLike] = []
        for n, place in places.items():
            shape[n] = product(self.dimension(tensor.parameter, place))
        for n, step in enumerate(tensor.type.stride):
            if n in places:
                symbols = self.stride(tensor.parameter, places[n])
            else:  # one element: it steps over a whole dimension, or over nothing
                over = next((place for place in places.values() if place.stride * place.size == step), None)
                symbols = () if over is None else (*self.stride(tensor.parameter, over), *self.dimension(tensor.parameter, over))  # fmt: skip
            stride.append(product(symbols))
        return TensorType(tensor.type.dtype, tuple(shape), tuple(stride))


def _quotient(size: str, divisors: list[str]) -> str:
    if not divisors:
        return size
    if len(divisors) == 1 and "//" not in divisors[0]:
        return f"{size} // {divisors[0]}"
    return f"{size} // ({' * '.join(f'({each})' if '//' in each else each for each in divisors)})"


def product(symbols: Iterable[str]) -> int | str:
    """`64 * s0`; a number where there are no symbols."""
    told = together(symbols) or ("1",)
    return int(told[0]) if told[-1].isdecimal() else " * ".join(told)


def term(symbols: Iterable[str], of: Coordinate | Expression | None = None, times: int = 1) -> Term:
    """So many times a coordinate, what the data says, or nothing."""
    number, *sizes = together(symbols, one=True)
    return Term(times * int(number), of, tuple(sizes))


def together(factors: Iterable[str], *, one: bool = False) -> tuple[str, ...]:
    """Factors in one order: the numbers among them as one, which is left out where it is 1 unless that is asked for."""
    told = list(factors)
    number = prod(int(factor) for factor in told if factor.isdecimal())
    return (*([str(number)] if number != 1 or one else []), *sorted(f for f in told if not f.isdecimal()))
