"""What a pattern finds in a term, and what all patterns ask: is this the mean of that, what is left of a product without a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Product,
    Sum,
    Term,
    addends,
    close,
    parts,
    product,
    walk,
)

MOST = 8.0
"""The highest power of a function that is taken apart factor by factor."""


@dataclass(frozen=True)
class Match:
    """A function that was found in a term."""

    parts: tuple[Term, ...]
    """What it is computed of: its names come first."""
    inner: tuple[Term, ...] = ()
    """What is computed on the way; a store of it is part of the same."""
    rest: Term | None = None
    """What the found product is multiplied with, or the found sum added to."""
    glue: str = ""
    """`mul` or `add`: how the rest stands beside it."""
    adjective: str = ""
    """`causal`, `masked`."""


@dataclass(frozen=True)
class SquareMean:
    """mean(x * x) + eps."""

    x: Term
    over: frozenset[str]
    plain: bool
    """True where the sum is divided by the number of elements; else what it is multiplied with besides is in x."""

    def allows(self, rest: Term) -> bool:
        """Whether what a norm is multiplied with may stand beside it: a number would make up for one that is in x, and x is another then."""
        return self.plain or close(product(rest)[0], 1.0)


@dataclass(frozen=True)
class Asked:
    """What patterns may ask beside the term."""

    normal: Normal
    aten: frozenset[str]
    """The operators of the comment's claim, `native_layer_norm`: they choose between names that one tree may have, and never give one."""
    kind: str
    """Of the graph: `forward`, `backward`, `inference`, `unknown`."""
    dtypes: Mapping[str, str]
    """Pointer -> dtype."""
    shapes: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)
    """Pointer -> the shape that is passed, where the launch tells it."""
    called: dict[Term, frozenset[str]] = field(default_factory=dict)

    def calls(self, term: Term) -> frozenset[str]:
        """The functions that are called anywhere in a term, and `TIMES_SUM` where a sum is multiplied."""
        if term not in self.called:
            self.called[term] = called(term).union(*map(self.calls, parts(term)))
        return self.called[term]

    def claims(self, *operators: str) -> bool:
        return bool(self.aten.intersection(operators))

    @property
    def backward(self) -> bool:
        return self.kind == "backward"

    def without(self, whole: Term, part: Term) -> Term | None:
        """What a product is times a part; None where it does not hold the part whole, or so often that nobody wrote it so."""
        _, whole_powers = product(whole)
        _, part_powers = product(part)
        if any(
            whole_powers.get(base, 0.0) * power <= 0 or not abs(power) <= abs(whole_powers[base]) <= MOST * abs(power)
            for base, power in part_powers.items()
        ):
            return None
        return self.normal.terms.divide(whole, part)

    def folds(self, term: Term, name: str = "sum") -> list[Fold]:
        """The folds among the factors of a term."""
        _, powers = product(term)
        return [base for base, power in powers.items() if isinstance(base, Fold) and base.name == name and power == 1.0]

    def mean(self, x: Term, over: frozenset[str]) -> Term | None:
        count = self.normal.count(over)
        return None if count is None else self.normal.terms.divide(self.normal.terms.fold("sum", (x,), over), count)

    def centred(self, term: Term) -> tuple[Term, frozenset[str]] | None:
        """`x` of x - mean(x), and the axes of the mean."""
        for fold, rest in self.with_fold(term):
            mean = self.mean(rest, fold.over)
            if mean is not None and self.normal.terms.subtract(rest, mean) is term:
                return rest, fold.over
        return None

    def with_fold(self, term: Term, name: str = "sum") -> Iterator[tuple[Fold, Term]]:
        """Each addend that is a fold with a number before it, and the sum without it."""
        constant, of = addends(term)
        for part in of:
            _, powers = product(part)
            fold = next(iter(powers), None)
            if len(powers) == 1 and isinstance(fold, Fold) and fold.name == name:
                yield fold, self.normal.terms.total(constant, {p: times for p, times in of.items() if p is not part})

    def square_mean(self, term: Term) -> SquareMean | None:
        """What mean(x * x) + eps is taken of."""
        terms = self.normal.terms
        match term:
            case Sum(constant=eps, of=of) if len(of) == 1 and 0 < eps < 0.1:
                ((part, times),) = of.items()
                for fold in self.folds(part):
                    count = self.normal.count(fold.over)
                    if count is None:
                        continue
                    outside = terms.divide(terms.multiply(terms.number(times), part, count), fold)
                    x = terms.root(terms.multiply(outside, fold.of[0]))
                    if x is not None:
                        return SquareMean(x, fold.over, close(product(outside)[0], 1.0))
        return None

    def spread(self, term: Term) -> int:
        """Elements of the widest tensor in a term; a million for each symbolic dimension."""
        return max((self._elements(leaf) for leaf in walk(term) if isinstance(leaf, Leaf)), default=1)

    def _elements(self, leaf: Leaf) -> int:
        total = 1
        for coordinate in set(leaf.load.index.coordinates()) if leaf.load.index else ():
            total *= self.normal.found.extent(coordinate) or 10**6
        return total

    def unweighted(self, gradient: Term, over: frozenset[str]) -> Term:
        """A gradient without the weight of a row that it is multiplied with."""
        kept = {base: power for base, power in product(gradient)[1].items() if not base.axes or not base.axes <= over}
        return self.normal.terms.powers(1.0, kept)


Pattern = Callable[[Term, Asked], Match | None]


@dataclass(frozen=True)
class Row:
    """A function that people have a name for."""

    name: str
    """For machines: it does not change."""
    demands: str
    """What the tree must compute, over x, weights w and b, an incoming gradient g."""
    find: Pattern
    words: str = ""
    """For people, where that is more than the name."""
    simple: bool = False
    """True for one whose call is as short as its name: then the expression is the better title."""

    @property
    def said(self) -> str:
        return self.words or self.name


TIMES_SUM = "* +"
CHOSEN = "[]"
"""What `called` says of elements that data chooses, and the call that a formula has for them."""


def called(term: Term) -> frozenset[str]:
    """What a term itself calls."""
    match term:
        case Call(name=name) | Fold(name=name):
            return frozenset({name})
        case Product(of=of) if any(isinstance(base, Sum) for base in of):
            return frozenset({TIMES_SUM})
        case Leaf(chosen=(_, *_)):
            return frozenset({CHOSEN})
    return frozenset()


def call(term: Term, name: str) -> tuple[Term, ...] | None:
    """The arguments of a call of this name."""
    return term.of if isinstance(term, Call) and term.name == name else None


def is_number(term: Term, value: float) -> bool:
    return isinstance(term, Number) and close(term.value, value)


def bases(term: Term) -> Mapping[Term, float]:
    """The factors of a term and their powers."""
    return product(term)[1]


def over_rows(fold: Fold) -> bool:
    """True for a fold over what lies far apart in memory, for each of what lies close: the sum of each column."""
    for leaf in walk(fold.of[0]):
        if isinstance(leaf, Leaf) and leaf.load.index is not None:
            steps = [
                (term.of.axis, abs(term.factor))
                for term in leaf.load.index.terms
                if isinstance(term.of, Coordinate) and not term.sizes
            ]
            inner = [step for axis, step in steps if axis in fold.over]
            outer = [step for axis, step in steps if axis not in fold.over]
            if inner and outer:
                return min(inner) > min(outer)
    return False
