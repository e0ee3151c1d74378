"""Interval arithmetic: between which numbers a value is, by those that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Interval:
    """Both ends are taken; inf where there is no end."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        return self.low > -inf and self.high < inf

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __mul__(self, other: Interval) -> Interval:
        ends = [0.0 if 0 in (a, b) else a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def holds(self, number: float) -> bool:
        return self.low <= number <= self.high

    def union(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def within(self, other: Interval) -> Interval:
        return Interval(max(self.low, other.low), min(self.high, other.high))


EVERYTHING = Interval(-inf, inf)


def exactly(value: float) -> Interval:
    return Interval(value, value)


# ---- what operators make of the intervals of their operands; None where nothing is known


def same(operand: Interval) -> Interval:
    """Of roundings: only whole numbers are asked for."""
    return operand


def larger(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high))


def smaller(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high))


def remainder(_: Interval, by: Interval) -> Interval | None:
    """Python's %, by what is positive."""
    return Interval(0, by.high - 1) if by.known and by.low > 0 else None


def rest(of: Interval, by: Interval) -> Interval | None:
    """C's %, whose sign is the dividend's."""
    if not by.known or by.low <= 0:
        return None
    return Interval(0 if of.low >= 0 else 1 - by.high, min(by.high - 1, max(of.high, 0)))


def quotient(of: Interval, by: Interval) -> Interval | None:
    """A division of whole numbers by one that is known."""
    return Interval(of.low // by.low, of.high // by.low) if of.known and by.low == by.high > 0 and by.known else None


def masked(a: Interval, b: Interval) -> Interval | None:
    """Bits that both have: no more than the smaller one that is not negative."""
    ends = [x.high for x in (a, b) if x.known and x.low >= 0]
    return Interval(0, min(ends)) if ends else None


def shifted_right(of: Interval, by: Interval) -> Interval | None:
    if not of.known or not by.known or by.low != by.high:
        return None
    return Interval(int(of.low) >> int(by.low), int(of.high) >> int(by.low))
