"""Turns a kernel's trees into terms, without float casts, broadcasts and masks at the ends of axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import e, isclose, log2

from inductor_lab.computation import Computation
from inductor_lab.computation.folds import masks, running
from inductor_lab.computation.idioms import named, seen, wrapped
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.naming.terms import (
    Call,
    Leaf,
    Number,
    Place,
    Term,
    Terms,
    addends,
    product,
    walk,
)
from inductor_lab.computation.operators import COMPARISONS
from inductor_lab.computation.tree import (
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
    pointers,
)

KEPT_IDIOMS = {"relu", "remainder", "floor_divide", "sigmoid", "where"}
"""Functions that stay what they are; others are told by their arithmetic."""
ORDERED = {"gt": "lt", "ge": "le"}
"""Comparisons that are others, turned round."""


@dataclass
class Normal:
    """Takes the trees of one computation."""

    found: Computation
    terms: Terms = field(default_factory=Terms)
    known: dict[Expression, Term] = field(default_factory=dict)
    assumed: dict[tuple[Term, Term, bool], Term] = field(default_factory=dict)

    def of(self, value: Expression) -> Term:
        value = seen(value)
        if value not in self.known:
            self.known[value] = self._made(value)
        return self.known[value]

    def count(self, over: frozenset[str]) -> Term | None:
        """Elements along axes, a size that is passed included; None where they are no simple number."""
        total = self.terms.number(1.0)
        for axis in over:
            numel = self.found.numel.get(axis)
            if numel is None:
                return None
            total = self.terms.multiply(total, self._size(numel))
        return total

    def _size(self, size: int | str) -> Term:
        if isinstance(size, int):
            return self.terms.number(float(size))
        return self.terms.call(f"size {size}")

    def _made(self, value: Expression) -> Term:
        terms = self.terms
        match value:
            case Constant(value=number):
                return terms.number(float(number))
            case Size(name=name):
                passed = self.found.sizes.get(name, name)
                return self._size(int(passed) if passed.isdigit() else passed)
            case Position(index=index):
                return terms.place(index, frozenset(coordinate.axis for coordinate in index.coordinates()))
            case Load():
                return self._load(value)
            case Cast(operand=operand, dtype=dtype):
                rounds = "float8" in dtype or ("float" in operand.dtype and "int" in dtype)
                return terms.call(f"to {dtype}", self.of(operand)) if rounds else self.of(operand)
            case Operation():
                return self._operation(value)
            case Reduction(name=name, inputs=inputs, group=int(group)):
                return terms.call(f"{name} of {group} rows", *map(self.of, inputs))
            case Reduction(name=name, part=part, inputs=inputs, over=over):
                return self._fold(name, part, tuple(map(self.of, inputs)), over)
            case Scan(name=name, part=part, inputs=inputs):
                return terms.call(f"scan {running(name) or name} {part}", *map(self.of, inputs))
            case Random(name=name, inputs=inputs):
                return terms.call(name.removesuffix("4x"), *map(self.of, inputs))
            case Inside(axis=axis):
                return terms.call(f"inside {axis}")
            case Carried(name=name):
                return terms.call(f"carried {name}")
            case Unknown(text=text, inputs=inputs):
                return terms.call(f"unknown {text}", *map(self.of, inputs))
        return terms.call(f"unknown {id(value)}")

    def _load(self, value: Load) -> Term:
        if value.index is None:
            return self.terms.leaf(value, value.axes, ())
        stored = self.found.stored(value)
        if stored is not None and stored.value is not None:
            return self.of(stored.value)
        axes = frozenset(coordinate.axis for coordinate in value.index.coordinates())
        chosen = tuple(
            self.of(wrapped(seen(term.of)) or term.of)
            for term in value.index.terms
            if isinstance(term.of, Expression) and pointers(term.of)
        )
        leaf = self.terms.leaf(value, axes, chosen)
        if value.mask is None or masks(value.mask):
            return leaf
        other = self.terms.number(0.0) if value.other is None else self.of(value.other)
        return self.where(self._open(value.mask), leaf, other)

    def _open(self, mask: Expression) -> Term:
        """A condition without the masks of elements that do not exist."""
        match mask:
            case Operation(name="and", inputs=(left, right)):
                if masks(left):
                    return self._open(right)
                if masks(right):
                    return self._open(left)
        return self.of(mask)

    def _fold(self, name: str, part: str, inputs: tuple[Term, ...], over: frozenset[str]) -> Term:
        terms = self.terms
        name = "max" if name == "fmax" else name  # a softmax's: what is NaN in a row shows in its sum
        inputs = tuple(map(_whole, inputs))
        match name, part, inputs:
            case "welford", "mean" | "m2", (x,) if (count := self.count(over)) is not None:
                mean = terms.divide(terms.fold("sum", (x,), over), count)
                return mean if part == "mean" else terms.fold("sum", (terms.power(terms.subtract(x, mean), 2.0),), over)
            case "online_softmax", _, (x,):
                largest = terms.fold("max", (x,), over)
                if part == "max":
                    return largest
                return terms.fold("sum", (terms.call("exp", terms.subtract(x, largest)),), over)
        return terms.fold(f"{name} {part}".strip(), inputs, over)

    def _operation(self, value: Operation) -> Term:
        match value:
            case Operation(name="bucketize", inputs=(x, Load() as boundaries, *how)):  # searched, not gathered from
                row = self.terms.leaf(boundaries, frozenset(), ())
                return self.terms.call("bucketize", self.of(x), row, *map(self.of, how))
        if value.name in COMPARISONS and (decided := self.found.decided(value)) is not None:
            return self.terms.number(float(decided))
        name, arguments = named(value) or ("", ())
        if name not in KEPT_IDIOMS:
            name, arguments = value.name, value.inputs
        inputs = tuple(map(self.of, arguments))
        if name == "where":
            return self.where(*inputs)
        if name == "relu" and not any(term.axes or isinstance(term, Leaf) for term in walk(*inputs)):
            return self.terms.call("maximum", self.terms.number(0.0), *inputs)  # a size, held at 0
        if name == "maximum" and "float" not in value.dtype:  # an index that is held at 0 is no relu
            return self.terms.call(name, *inputs)
        return computed(self.terms, name, inputs)

    def where(self, condition: Term, one: Term, other: Term) -> Term:
        """A selection, what its branches know left out of them."""
        if isinstance(condition, Number):
            return one if condition.value else other
        one, other = self.assume(one, condition, truth=True), self.assume(other, condition, truth=False)
        return one if one is other else self.terms.call("where", condition, one, other)

    def assume(self, term: Term, condition: Term, *, truth: bool) -> Term:
        """The value where a condition is known: what was loaded under it needs no asking again."""
        key = term, condition, truth
        if key not in self.assumed:
            self.assumed[key] = self._assumed(term, condition, truth)
        return self.assumed[key]

    def _assumed(self, term: Term, condition: Term, truth: bool) -> Term:
        def inside(each: Term) -> Term:
            return self.assume(each, condition, truth=truth)

        match term:
            case Call(name="where", of=(asked, one, other)):
                known = self._known(asked, condition, truth)
                if known is not None:
                    return inside(one if known else other)
                rest = self._rest(asked, condition) if truth else asked
                return self.where(inside(rest), inside(one), inside(other))
        return self.terms.rebuilt(term, inside)

    def _known(self, asked: Term, condition: Term, truth: bool) -> bool | None:
        if asked is condition or (truth and asked in conjuncts(condition)):
            return truth
        return not truth if contrary(asked, condition) else None

    def _rest(self, asked: Term, condition: Term) -> Term:
        """A conjunction without what is known."""
        known = conjuncts(condition)
        left = [part for part in conjuncts(asked) if part not in known]
        if len(left) == len(conjuncts(asked)):
            return asked
        return reduce(lambda one, other: computed(self.terms, "and", (one, other)), left, self.terms.number(1.0))


def computed(terms: Terms, name: str, inputs: tuple[Term, ...]) -> Term:
    """One operation, in the one form that it has: an `a > b` is `b < a`, a root is a power."""
    if name in ARITHMETIC:
        return ARITHMETIC[name](terms, *inputs)
    match name, inputs:
        case "pow", (inner, Number(value=exponent)):
            return terms.power(inner, exponent)
        case "exp2", (inner,):
            times, of = product(inner)
            if isclose(times, log2(e), rel_tol=1e-5):
                return terms.call("exp", terms.powers(1.0, of))
            constant, sums = addends(inner)
            if not constant and sums and all(isclose(abs(by), log2(e), rel_tol=1e-5) for by in sums.values()):
                return terms.call("exp", terms.divide(inner, terms.number(log2(e))))
        case "and", (Number(value=1.0), other) | (other, Number(value=1.0)):
            return other
        case "and", (Number(value=0.0), _) | (_, Number(value=0.0)):
            return terms.number(0.0)
        case (("gt" | "ge"), (left, right)):
            return terms.call(ORDERED[name], right, left)
        case "maximum", (Number(value=0.0), x) | (x, Number(value=0.0)):
            return terms.call("relu", x)
        case (("eq" | "ne" | "maximum" | "minimum" | "and" | "or"), (Number() as left, right)):
            return terms.call(name, right, left)
    return terms.call(name, *inputs)


def _multiplied(terms: Terms, *factors: Term) -> Term:
    """A product; 1 / (1 + exp(-x)) in it is sigmoid(x)."""
    times, powers = product(terms.multiply(*factors))
    rewritten: dict[Term, float] = {}
    for base, power in powers.items():
        constant, of = addends(base)
        match power < 0, constant, *of.items():
            case True, 1.0, (Call(name="exp", of=(x,)), 1.0):
                base, power = terms.call("sigmoid", terms.negative(x)), -power
        rewritten[base] = rewritten.get(base, 0.0) + power
    return terms.powers(times, rewritten)


ARITHMETIC: Mapping[str, Callable[..., Term]] = {
    "add": Terms.add,
    "sub": Terms.subtract,
    "mul": _multiplied,
    "div": lambda terms, one, other: _multiplied(terms, one, terms.power(other, -1.0)),
    "fma": lambda terms, one, other, more: terms.add(terms.multiply(one, other), more),
    "neg": Terms.negative,
    "reciprocal": lambda terms, x: _multiplied(terms, terms.power(x, -1.0)),
    "sqrt": lambda terms, x: terms.power(x, 0.5),
    "rsqrt": lambda terms, x: terms.power(x, -0.5),
}
"""Operations that are sums, products and powers."""


def conjuncts(condition: Term) -> list[Term]:
    """The parts of a conjunction."""
    match condition:
        case Call(name="and", of=(left, right)):
            return [*conjuncts(left), *conjuncts(right)]
    return [condition]


def contrary(one: Term, other: Term) -> bool:
    """True for `32 <= x` beside `x < 32`, and for `~c` beside `c`."""
    for pair in ((one, other), (other, one)):
        match pair:
            case Call(name="not", of=(inner,)), second if inner is second:
                return True
            case Call(name="le", of=(a, b)), Call(name="lt", of=(c, d)) if a is d and b is c:
                return True
    return False


def _whole(term: Term) -> Term:
    """`x` of where(block * 128 + r < n, x, 0): a sum that was split over programs leaves out what is behind the end."""
    match term:
        case Call(name="where", of=(Call(name="lt", of=(Place(index=index), Number())), x, Number(value=0.0))):
            axes = {each.of.axis for each in index.terms if isinstance(each.of, Coordinate)}
            if len(axes) > 1:
                return x
    return term
