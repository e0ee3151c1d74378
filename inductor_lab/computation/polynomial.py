"""A value as a polynomial of what it is made of: the same however its sums and products were ordered and shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isclose

from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.tree import Expression, Operation

Monomial = tuple[Expression, ...]
Polynomial = Mapping[Monomial, float]
"""Factors, in an order of their own -> the number before them."""
MOST_TERMS = 16
"""A function that people know by its name has fewer."""


class TooManyTermsError(ValueError):
    """A value that is no short polynomial."""


class Polynomials:
    """Reads values as polynomials of `variables` and of whatever is no sum and no product."""

    def __init__(self, *variables: Expression) -> None:
        self._read: dict[Expression, Polynomial] = {seen(variable): term(seen(variable)) for variable in variables}

    def of(self, value: Expression) -> Polynomial:
        """Raises TooManyTermsError."""
        value = seen(value)
        if value not in self._read:
            self._read[value] = self._taken_apart(value)
        return self._read[value]

    def _taken_apart(self, value: Expression) -> Polynomial:
        constant = number(value)
        if constant is not None:
            return term(times=constant)
        match value:
            case Operation(name="add", inputs=(left, right)):
                return _sum(self.of(left), self.of(right))
            case Operation(name="sub", inputs=(left, right)):
                return _sum(self.of(left), _product(term(times=-1.0), self.of(right)))
            case Operation(name="neg", inputs=(operand,)):
                return _product(term(times=-1.0), self.of(operand))
            case Operation(name="mul", inputs=(left, right)):
                return _product(self.of(left), self.of(right))
            case Operation(name="fma", inputs=(left, right, more)):
                return _sum(_product(self.of(left), self.of(right)), self.of(more))
        return term(value)


def term(*factors: Expression, times: float = 1.0) -> Polynomial:
    """One product."""
    return {tuple(sorted(factors, key=id)): times}


def total(terms: Iterable[Polynomial]) -> Polynomial:
    """Raises TooManyTermsError."""
    found: Polynomial = {}
    for each in terms:
        found = _sum(found, each)
    return found


def same(one: Polynomial, other: Polynomial) -> bool:
    """Equal up to what the text of a number leaves out."""
    return one.keys() == other.keys() and all(isclose(one[key], other[key], rel_tol=1e-4) for key in one)


def _sum(one: Polynomial, other: Polynomial) -> Polynomial:
    found = dict(one)
    for factors, times in other.items():
        found[factors] = found.get(factors, 0.0) + times
    return _short(found)


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    found: dict[Monomial, float] = {}
    for left, times in one.items():
        for right, by in other.items():
            factors = tuple(sorted((*left, *right), key=id))
            found[factors] = found.get(factors, 0.0) + times * by
    return _short(found)


def _short(found: Polynomial) -> Polynomial:
    if len(found) > MOST_TERMS:
        raise TooManyTermsError
    return found
