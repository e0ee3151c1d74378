"""Formulas as text, found in terms whatever the order of their factors and addends.

    Formula("g * s * (1 - s)")  in  2 * tangents * (1 - p) * p      g = 2 * tangents, s = p
    Formula("x * sigmoid(x)")   in  3 * a * sigmoid(a)              x = a, and 3 is left

The text is made a term once, by the rules by which trees are: what is equal there is equal here. A name stands for any value, the same one
wherever it stands, and `g` or `x` alone takes all that is left of a product or a sum. Every fold of a formula goes along the same axes.
`x[t]` is a tensor of which data chooses the elements: `x` is what is loaded, `t` what chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from inductor_lab.computation.naming.match import CHOSEN, FOLDS, Bound, Formula, name_of
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Sum,
    Term,
    Terms,
    addends,
    close,
    parts,
    product,
    value_of,
    walk,
)

NUMBERS = {
    "c": "a number", "alpha": "a number", "beta": "a number", "eps": "a small number", "k": "one number everywhere", "q": "one number everywhere",
}  # fmt: skip
"""Names that are numbers, or may be, wherever they stand -> which, a key of `conditions.CONDITIONS`."""
MOST = 8.0
"""The highest power of a function that is taken apart factor by factor."""
SYMMETRIC = frozenset({"eq", "ne", "and", "or", "maximum", "minimum"})


@dataclass(frozen=True)
class Found:
    """A formula in a term."""

    bound: Bound
    rest: Term
    """What is left beside it."""
    glue: str
    """How the rest stands there: `mul` or `add`."""
    outside: tuple[Term, ...] = ()
    """What the formula and its rest are multiplied with."""


Condition = Callable[[Term, Bound], bool]


@dataclass(frozen=True)
class Finder:
    """Finds one formula in the terms of a kernel."""

    terms: Terms
    count: Callable[[frozenset[str]], Term | None]
    """Elements along axes."""
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    """Name -> what it must be. One that has a condition is one factor or addend, but for `x` and `g`; others are all that is left."""
    first: frozenset[str] = frozenset()
    """Names that stand for one addend, and are looked for before what is made of them."""

    def within(self, formula: Formula, term: Term, *, factor: bool = False) -> Iterator[Found]:
        """Every way in which a formula is in a term.

        Args:
            factor: True where a formula that is a sum may be a factor of the term, and not only the term itself.
        """
        if not isinstance(formula.term, Sum):
            for bound, rest in self.factors(formula.term, term, Bound()):
                if not _made_up(formula, bound, rest):
                    yield Found(bound, rest, "mul")
            return
        for base, power in product(term)[1].items():
            outside = self.terms.divide(term, base)
            if not isinstance(base, Sum) or power != 1.0 or (not factor and not isinstance(outside, Number)):
                continue
            for bound, times, rest in self.addends(formula.term, base, Bound()):
                if isinstance(outside, Number):
                    if factor or close(times, 1.0):
                        yield Found(bound, rest, "add")
                elif isinstance(rest, Number) and close(rest.value, 0.0):
                    yield Found(bound, outside, "mul")
                elif not isinstance(rest, Number):
                    yield Found(bound, rest, "add", (outside,))

    def built(self, part: Term, bound: Bound) -> Term | None:
        """A part of a formula with what its names stand for; None where one has nothing."""
        if name := name_of(part):
            return bound.of.get(name)
        if isinstance(part, Call) and part.name == CHOSEN:
            return self.built(part.of[0], bound)
        inner = {each: made for each in parts(part) if (made := self.built(each, bound)) is not None}
        if len(inner) < len(set(parts(part))):
            return None
        if not isinstance(part, Call) or part.name not in FOLDS:
            return self.terms.rebuilt(part, inner.__getitem__)
        if bound.over is None or (count := self._count(part.name, bound.over)) is None:
            return None
        folded = self.terms.fold(FOLDS[part.name], tuple(map(inner.__getitem__, part.of)), bound.over)
        return self.terms.divide(folded, count)

    def _count(self, fold: str, over: frozenset[str]) -> Term | None:
        """What a fold's result is divided by."""
        return self.count(over) if fold == "mean" else self.terms.number(1.0)

    # ---- a part of the formula and a term that is a number times it

    def scaled(self, part: Term, term: Term, bound: Bound) -> Iterator[tuple[Bound, float]]:
        """The number, and what the names stand for then."""
        if name := name_of(part):
            if name not in bound.of:
                yield from ((more, 1.0) for more in self._bind(name, term, bound))
            elif (times := value_of(self.terms.divide(term, bound[name]))) is not None:
                yield bound, times
            return
        match part:
            case Number(value=value):
                if isinstance(term, Number) and (value or not term.value):
                    yield bound, term.value / value if value else 1.0
            case Sum():
                for more, times, rest in self.addends(part, term, bound):
                    if isinstance(rest, Number) and close(rest.value, 0.0):
                        yield more, times
            case Call(name=name, of=inner) if name in FOLDS:
                yield from self._fold(name, inner, term, bound)
            case Call(name=name, of=of):
                times, powers = product(term)
                ((base, power),) = powers.items() if len(powers) == 1 else ((term, 0.0),)
                if name == CHOSEN and isinstance(base, Leaf) and base.chosen and power == 1.0:
                    chosen = base.chosen[0] if len(base.chosen) == 1 else self.terms.call("and", *base.chosen)
                    yield from ((more, times) for more in self._each(of, (base, chosen), bound))
                if isinstance(base, Call) and base.name == name and len(base.of) == len(of) and power == 1.0:
                    for inputs in {base.of, base.of[::-1]} if name in SYMMETRIC else (base.of,):
                        yield from ((more, times) for more in self._each(of, inputs, bound))
            case _:
                for more, rest in self.factors(part, term, bound):
                    if isinstance(rest, Number):
                        yield more, rest.value

    def _each(self, parts: tuple[Term, ...], inputs: tuple[Term, ...], bound: Bound) -> Iterator[Bound]:
        if not parts:
            yield bound
            return
        # names alone stand for what the others say
        first = min(range(len(parts)), key=lambda place: bool(name_of(parts[place])))
        rest = parts[:first] + parts[first + 1 :], inputs[:first] + inputs[first + 1 :]
        for more, times in self.scaled(parts[first], inputs[first], bound):
            if close(times, 1.0):
                yield from self._each(*rest, more)

    def _bind(self, name: str, term: Term, bound: Bound) -> Iterator[Bound]:
        times, powers = product(term)
        if powers and times != 1.0 and close(times, 1.0):  # the number of the formula made up for the tree's
            term = self.terms.powers(1.0, powers)
        asked = self.conditions.get(name)
        if asked(term, bound) if asked else not isinstance(term, Number):
            yield replace(bound, of={**bound.of, name: term})

    def _fold(self, name: str, inner: tuple[Term, ...], term: Term, bound: Bound) -> Iterator[tuple[Bound, float]]:
        for fold, power in product(term)[1].items():
            if not isinstance(fold, Fold) or fold.name != FOLDS[name] or power != 1.0 or len(fold.of) != len(inner):
                continue
            count = self._count(name, fold.over)
            outside = self.terms.divide(term, fold)
            if bound.over not in {None, fold.over} or count is None or outside.axes & fold.over:
                continue
            along = replace(bound, over=fold.over)
            if FOLDS[name] != "sum":
                times, alone = product(outside)
                yield from ((more, times) for more in self._each(inner, fold.of, along) if not alone)
                continue
            yield from self.scaled(inner[0], self.terms.multiply(outside, fold.of[0], count), along)

    # ---- products and sums

    def factors(self, part: Term, term: Term, bound: Bound) -> Iterator[tuple[Bound, Term]]:
        """What is left of a product without the formula."""
        times, powers = product(part)
        yield from self._factors(
            tuple(powers.items()), self.terms.multiply(term, self.terms.number(1.0 / times)), bound
        )

    def _factors(self, left: tuple[tuple[Term, float], ...], rest: Term, bound: Bound) -> Iterator[tuple[Bound, Term]]:
        terms = self.terms
        if not left:
            yield bound, rest
            return
        factor = min(left, key=lambda each: self._late(each[0], bound))
        base, power = factor
        others = tuple(each for each in left if each is not factor)
        known = [(self.built(base, along), along) for along in self._along(base, rest, bound)]
        if known and known[0][0] is not None:
            for value, along in known:
                less = self.without(rest, terms.power(value, power)) if value is not None else None
                if less is not None:
                    yield from self._factors(others, less, along)
            return
        name = name_of(base)
        if name and self._takes_all(name):
            root = rest if power == 1.0 else self._root(rest, power)
            along = replace(bound, scaled=True) if power != 1.0 and not close(product(rest)[0], 1.0) else bound
            for more in self._bind(name, root, along) if root is not None else ():
                yield from self._factors(others, terms.number(1.0), more)
            return
        if isinstance(base, Call) and base.name == "mean":
            for less, folded in self._whole(base, rest, bound):
                for more, times in self.scaled(base, folded, bound):
                    yield from self._factors(others, terms.multiply(less, terms.number(times)), more)
            return
        number, powers = product(rest)
        for more in (
            self._bind(name, terms.number(number ** (1 / power)), bound)
            if name and (number > 0 or power == 1.0)
            else ()
        ):
            yield from self._factors(others, terms.powers(1.0, powers), more)
        for found, by in powers.items():
            if name and power not in {1.0, -1.0}:
                found, by = terms.power(found, by / power), power
            if 1 <= by / power <= MOST:
                for more, times in self.scaled(base, found, bound):
                    if power != int(power) and not close(times, 1.0):
                        more = replace(more, scaled=True)
                    if times > 0 or power == int(power):
                        less = terms.divide(rest, terms.power(found, power))
                        yield from self._factors(others, terms.multiply(less, terms.number(times**power)), more)

    def _whole(self, mean: Call, rest: Term, bound: Bound) -> Iterator[tuple[Term, Term]]:
        """Each sum among factors with what stands before it but belongs in it: what is known of its elements and does not vary along it."""
        for fold in product(rest)[1]:
            if isinstance(fold, Fold) and (count := self.count(fold.over)) is not None:
                known = self.terms.multiply(
                    *(bound[name] for part in walk(mean) if (name := name_of(part)) in bound.of)
                )
                outside = {base: by for base, by in product(known)[1].items() if not base.axes & fold.over}
                folded = self.terms.divide(self.terms.multiply(fold, self.terms.powers(1.0, outside)), count)
                yield self.terms.divide(rest, folded), folded

    def _along(self, base: Term, rest: Term, bound: Bound) -> Iterator[Bound]:
        """What a name or a fold is taken along: of a formula's first fold, the axes of any in the term."""
        if name_of(base) in bound.of or (_folds(base) and bound.over):
            yield bound
        elif isinstance(base, Call) and base.name in FOLDS:
            folds = (part for part in product(rest)[1] if isinstance(part, Fold) and part.name == FOLDS[base.name])
            yield from (replace(bound, over=over) for over in dict.fromkeys(fold.over for fold in folds))

    def _late(self, base: Term, bound: Bound) -> int:
        """What is known first, then what tells itself, numbers before a sum takes them in, names with a condition, those without last."""
        name = name_of(base)
        if name in bound.of:
            return 0
        if name in self.first:
            return -1
        if not name:
            return 1
        return 4 if self._takes_all(name) else 2 if name == "c" else 3

    def _takes_all(self, name: str) -> bool:
        return name in {"x", "g", "k", "q"} or name not in self.conditions

    def _root(self, term: Term, power: float) -> Term | None:
        times, powers = product(term)
        if times <= 0 or any(by % power for by in powers.values()):
            return None
        return self.terms.powers(times ** (1 / power), {base: by / power for base, by in powers.items()})

    def without(self, whole: Term, part: Term) -> Term | None:
        """What a product is times a part; None where it does not hold the part whole."""
        powers, inner = self._monic(whole), self._monic(part)
        if any(not 1 <= powers.get(base, 0.0) / power <= MOST for base, power in inner.items()):
            return None
        return self.terms.divide(whole, part)

    def _monic(self, term: Term) -> dict[Term, float]:
        return {self.terms.monic(base) if isinstance(base, Sum) else base: by for base, by in product(term)[1].items()}

    def addends(self, part: Sum, term: Term, bound: Bound) -> Iterator[tuple[Bound, float, Term]]:
        """The number before the formula, and what is left of the sum without it."""
        constant, of = addends(term)
        times = constant / part.constant if part.constant else None
        if times == 0 or not of:
            return
        yield from self._addends(part, tuple(part.of.items()), dict(of), constant, times, bound)

    def _addends(
        self, whole: Sum, left: tuple[tuple[Term, float], ...], of: Mapping[Term, float], constant: float, times: float | None, bound: Bound
    ) -> Iterator[tuple[Bound, float, Term]]:  # fmt: skip
        terms = self.terms
        if not left:
            if times is not None:
                yield bound, times, terms.total(constant - times * whole.constant, of)
            return
        # what is known says nothing before it is clear how often the formula is in the sum
        addend = min(left, key=lambda each: self._late(each[0], bound) or 2 * (times is None))
        base, by = addend
        others = tuple(each for each in left if each is not addend)
        name = name_of(base)
        if name in bound.of:
            if times is not None:
                value = terms.multiply(terms.number(times * by), bound[name])
                less = terms.subtract(terms.total(constant, of), value)
                if len(addends(less)[1]) < len(of) or not addends(value)[1]:
                    yield from self._addends(whole, others, addends(less)[1], addends(less)[0], times, bound)
            return
        if name and self._takes_all(name):
            if times is not None:
                value = terms.total(constant - times * whole.constant, of)
                for more in self._bind(name, terms.divide(value, terms.number(times * by)), bound):
                    yield from self._addends(whole, others, {}, times * whole.constant, times, more)
            return
        if name and times is not None and constant:
            for more in self._bind(name, terms.number(constant / times / by), bound):
                yield from self._addends(whole, others, of, 0.0, times, more)
        for found, number in of.items():
            others_of = {each: n for each, n in of.items() if each is not found}
            for one, before in self._counted(base, found, number / by, times):
                for more, ratio in self.scaled(base, one, bound):
                    scale = before * ratio
                    if times is None or close(scale, times):
                        yield from self._addends(whole, others, others_of, constant, scale, more)

    def _counted(self, base: Term, found: Term, number: float, times: float | None) -> Iterator[tuple[Term, float]]:
        """An addend and the number before it: the formula's own, or part of what a fold is taken of or a name stands for."""
        before = 1.0 if times is None else times
        if not _folds(base):
            yield found, number
        if _folds(base) or (number != before and (name_of(base) or NUMBERS.keys() & set(map(name_of, parts(base))))):
            yield self.terms.multiply(self.terms.number(number / before), found), before


def _folds(part: Term) -> bool:
    return isinstance(part, Call) and part.name in FOLDS


def _made_up(formula: Formula, bound: Bound, rest: Term) -> bool:
    """True where a number beside a formula makes up for another one than the formula's: the formula is another then."""
    if bound.scaled and not close(abs(product(rest)[0]), 1.0):
        return True
    left = product(rest)[0] * (product(bound["g"])[0] if "g" in bound.of else 1.0)
    factors = {name_of(base) for base in product(formula.term)[1]} & bound.of.keys() - {"g"}
    return not close(left, 1.0) and any(not close(product(bound[name])[0], 1.0) for name in factors)
