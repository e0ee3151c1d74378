"""Normal forms of values: equal formulas are one object, whatever the order of sums and products, and without casts.

    x * 0.5 * (erf(x * 0.7071) + 1)      Product(0.5, {x: 1, Sum(1, {erf(Product(0.7071, {x: 1})): 1}): 1})

Square roots and divisions are powers, so `x / sqrt(v)` and `x * rsqrt(v)` are the same product. Nothing is multiplied out but a number with a
sum. `normal` makes these of trees, `formulas` compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isclose

from inductor_lab.computation.index import Index
from inductor_lab.computation.tree import Load


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """One value. Equal ones of one `Terms` are one object."""

    axes: frozenset[str]
    """The axes of the launch that it varies over."""


@dataclass(frozen=True, eq=False, slots=True)
class Number(Term):
    """A constant."""

    value: float


@dataclass(frozen=True, eq=False, slots=True)
class Leaf(Term):
    """What is loaded."""

    load: Load
    """One of the loads that it stands for: they differ in masks alone."""
    chosen: tuple[Term, ...]
    """What data decides of its address: the row of an embedding."""

    @property
    def pointer(self) -> str:
        return self.load.pointer


@dataclass(frozen=True, eq=False, slots=True)
class Place(Term):
    """A position."""

    index: Index


@dataclass(frozen=True, eq=False, slots=True)
class Sum(Term):
    """A number plus terms, each with a number before it; no term is a sum, a number or a product with a number of its own."""

    constant: float
    of: Mapping[Term, float]


@dataclass(frozen=True, eq=False, slots=True)
class Product(Term):
    """A number times powers; no base is a number, or a product with a whole exponent."""

    times: float
    of: Mapping[Term, float]


@dataclass(frozen=True, eq=False, slots=True)
class Call(Term):
    """A function of values, `exp`, `where`, `lt`, element by element."""

    name: str
    of: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Fold(Term):
    """`sum`, `max`, ... along axes. What does not vary along them stands before a sum, not in it."""

    name: str
    of: tuple[Term, ...]
    over: frozenset[str]


@dataclass
class Terms:
    """Makes terms, equal ones once."""

    made: dict[tuple[object, ...], Term] = field(default_factory=dict)
    order: dict[Term, int] = field(default_factory=dict)

    def _once(self, key: tuple[object, ...], make: Callable[[], Term]) -> Term:
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = make()
            self.order[found] = len(self.order)
        return found

    # ---- the kinds

    def number(self, value: float) -> Term:
        return self._once(("number", _rounded(value)), lambda: Number(frozenset(), value))

    def leaf(self, load: Load, axes: frozenset[str], chosen: tuple[Term, ...]) -> Term:
        where = (load.index.constant, frozenset(load.index.terms)) if load.index else None  # in whatever order
        return self._once(("leaf", load.pointer, where, load.version), lambda: Leaf(axes, load, chosen))

    def place(self, index: Index, axes: frozenset[str]) -> Term:
        return self._once(("place", index), lambda: Place(axes, index))

    def call(self, name: str, *of: Term) -> Term:
        return self._once(("call", name, *of), lambda: Call(_axes(of), name, of))

    def fold(self, name: str, of: tuple[Term, ...], over: frozenset[str]) -> Term:
        """A fold; of a sum, what does not vary along the axes before it."""
        if name != "sum" or len(of) != 1:
            return self._once(("fold", name, *of, over), lambda: Fold(_axes(of) - over, name, of, over))
        times, powers = product(of[0])
        outside = {base: power for base, power in powers.items() if not base.axes & over}
        first, inside = self._led(self.powers(1.0, {base: by for base, by in powers.items() if base not in outside}))
        folded = self._once(("fold", name, inside, over), lambda: Fold(inside.axes - over, name, (inside,), over))
        return self.multiply(self.powers(times * first, outside), folded)

    # ---- arithmetic

    def add(self, *terms: Term) -> Term:
        constant, of = 0.0, dict[Term, float]()
        for term in terms:
            more, parts = addends(term)
            constant += more
            for part, by in parts.items():
                times, powers = product(part)
                base = part if times == 1.0 else self.powers(1.0, powers)
                of[base] = of.get(base, 0.0) + by * times
        return self.total(constant, {part: times for part, times in of.items() if times})

    def total(self, constant: float, of: Mapping[Term, float]) -> Term:
        """A sum of what needs no more sorting."""
        if not of:
            return self.number(constant)
        if constant == 0.0 and len(of) == 1:
            ((part, times),) = of.items()
            return part if times == 1.0 else self.multiply(self.number(times), part)
        key = frozenset((part, _rounded(times)) for part, times in of.items())
        return self._once(("sum", _rounded(constant), key), lambda: Sum(_axes(of), constant, of))

    def subtract(self, one: Term, other: Term) -> Term:
        return self.add(one, self.multiply(self.number(-1.0), other))

    def multiply(self, *terms: Term) -> Term:
        times, of = 1.0, dict[Term, float]()
        for term in terms:
            by, powers = product(term)
            times *= by
            for base, power in powers.items():
                of[base] = of.get(base, 0.0) + power
        return self.powers(times, of)

    def powers(self, times: float, of: Mapping[Term, float]) -> Term:
        """A product of powers."""
        kept: dict[Term, float] = {}
        for base, power in of.items():
            if not power or times == 0.0:
                continue
            if power == int(power):
                first, base = self._led(base)
                times *= first**power
            kept[base] = kept.get(base, 0.0) + power
        kept = {base: power for base, power in kept.items() if power}
        if times == 0.0 or not kept:
            return self.number(times)
        if len(kept) == 1:
            ((base, power),) = kept.items()
            if power == 1.0 and times == 1.0:
                return base
            if power == 1.0 and isinstance(base, Sum):
                return self._scaled(base, times)
        key = frozenset((base, _rounded(power)) for base, power in kept.items())
        return self._once(("product", _rounded(times), key), lambda: Product(_axes(kept), times, kept))

    def _led(self, term: Term) -> tuple[float, Term]:
        """The number before a sum's first term, in an order of its own, and the sum without it, by which sums are compared."""
        first = term.of[min(term.of, key=self.order.__getitem__)] if isinstance(term, Sum) else 1.0
        return first, self._scaled(term, 1.0 / first) if isinstance(term, Sum) and first != 1.0 else term

    def _scaled(self, base: Sum, times: float) -> Term:
        return self.total(base.constant * times, {part: times * by for part, by in base.of.items()})

    def power(self, base: Term, exponent: float) -> Term:
        """A power. Of a product with a fractional exponent only the number is taken apart: the root of a square is no identity."""
        times, of = product(base)
        if exponent == int(exponent):
            return self.powers(times**exponent if times else 0.0, {part: by * exponent for part, by in of.items()})
        if not of:
            return self.number(times**exponent) if times > 0 else self.call("pow", base, self.number(exponent))
        if times > 0 and list(of.values()) == [1.0]:
            return self.powers(times**exponent, dict.fromkeys(of, exponent))
        return self.powers(1.0, {base: exponent})

    def divide(self, one: Term, other: Term) -> Term:
        return self.multiply(one, self.power(other, -1.0))

    def monic(self, term: Term) -> Term:
        """The term without the number before it."""
        _, of = product(term)
        return self._led(self.powers(1.0, of) if of else term)[1]

    def negative(self, term: Term) -> Term:
        return self.multiply(self.number(-1.0), term)

    def rebuilt(self, term: Term, of: Callable[[Term], Term]) -> Term:
        """A call, a sum or a product of what each of its parts becomes; others as they are."""
        match term:
            case Number(value=value):
                return self.number(value)
            case Call(name=name, of=inputs):
                return self.call(name, *map(of, inputs))
            case Product(times=times, of=powers):
                return self.multiply(self.number(times), *(self.power(of(base), by) for base, by in powers.items()))
            case Sum(constant=constant, of=sums):
                scaled = (self.multiply(self.number(by), of(part)) for part, by in sums.items())
                return self.add(self.number(constant), *scaled)
        return term


def product(term: Term) -> tuple[float, Mapping[Term, float]]:
    """Any term as a number times powers."""
    match term:
        case Product(times=times, of=of):
            return times, of
        case Number(value=value):
            return value, {}
    return 1.0, {term: 1.0}


def addends(term: Term) -> tuple[float, Mapping[Term, float]]:
    """Any term as a number plus terms with numbers before them."""
    match term:
        case Sum(constant=constant, of=of):
            return constant, of
        case Number(value=value):
            return value, {}
    return 0.0, {term: 1.0}


def value_of(term: Term) -> float | None:
    """The number that a term is, else None."""
    return term.value if isinstance(term, Number) else None


def close(one: float | None, other: float) -> bool:
    """Equal up to what the text of a number leaves out."""
    return one is not None and isclose(one, other, rel_tol=1e-4, abs_tol=1e-12)


def parts(term: Term) -> tuple[Term, ...]:
    """What a term is made of."""
    match term:
        case Sum(of=of) | Product(of=of):
            return tuple(of)
        case Call(of=of) | Fold(of=of):
            return of
        case Leaf(chosen=chosen):
            return chosen
    return ()


def walk(*terms: Term) -> Iterable[Term]:
    """Every term below once."""
    seen: set[Term] = set()
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term not in seen:
            seen.add(term)
            yield term
            waiting.extend(parts(term))


def _axes(of: Iterable[Term]) -> frozenset[str]:
    return frozenset().union(*(term.axes for term in of))


def _rounded(value: float) -> float:
    return value if value % 1 == 0 and abs(value) < 1e6 else float(f"{value:.7g}")
