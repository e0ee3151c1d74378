"""Whether linear inequalities can hold together: sums of whole multiples of variables and a constant, each at most 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 400
"""Inequalities that are worth the time; more are taken to hold together."""


@dataclass(frozen=True)
class Linear:
    """A constant and multiples of variables."""

    constant: int = 0
    factors: tuple[tuple[str, int], ...] = field(default=())

    def plus(self, other: Linear, times: int = 1) -> Linear:
        sums = dict(self.factors)
        for name, factor in other.factors:
            sums[name] = sums.get(name, 0) + times * factor
        return Linear(self.constant + times * other.constant, tuple(sorted((n, f) for n, f in sums.items() if f)))

    def times(self, factor: int) -> Linear:
        return Linear().plus(self, factor)

    def of(self, name: str) -> int:
        return dict(self.factors).get(name, 0)


def variable(name: str) -> Linear:
    return Linear(0, ((name, 1),))


def contradict(inequalities: Iterable[Linear]) -> bool:
    """Whether no numbers make all of them at most 0 (Fourier and Motzkin's elimination, over fractions)."""
    left = set(inequalities)
    while True:
        if any(not one.factors and one.constant > 0 for one in left):
            return True
        names = sorted({name for one in left for name, _ in one.factors})
        if not names or len(left) > MOST:
            return False
        left = without(left, names[0])


def without(inequalities: set[Linear], name: str) -> set[Linear]:
    """What follows of them for the other variables."""
    above = [one for one in inequalities if one.of(name) > 0]
    below = [one for one in inequalities if one.of(name) < 0]
    made = {one for one in inequalities if not one.of(name)}
    for high in above:
        for low in below:
            made.add(high.times(-low.of(name)).plus(low, high.of(name)))
    return made
