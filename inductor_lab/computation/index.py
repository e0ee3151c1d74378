"""An address as a sum of a constant and coordinates with factors, `32 + 64*x1 + 3072*x5`.

A coordinate is `(axis // stride) % size`, Inductor's way to give a flat loop its dimensions. Addresses hold values of any kind (`Expression`), and
the kinds of value in `tree` hold addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, inf

from inductor_lab.records import SizeLike
from inductor_lab.records.size import Size, product


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """One value of the kernel, for every element of its shape; `tree` has the kinds of node."""

    dtype: str
    """torch's name; `float` and `int` for a bare number of Python, whose width the other operand decides."""
    axes: frozenset[str]
    """The axes of the launch (`x`, `y`, `r0_`) that it varies over: its shape."""

    @property
    def operands(self) -> tuple[Expression, ...]:
        return ()


def walk(*roots: Expression, parts: Callable[[Expression], Sequence[Expression]] | None = None) -> Iterator[Expression]:
    """Every node under the roots once, however often it is used; a node before what it is made of.

    Args:
        parts: What a node is made of, where that is not its operands.
    """
    seen: set[int] = set()
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(reversed(node.operands if parts is None else parts(node)))


def union(expressions: Iterable[Expression]) -> frozenset[str]:
    """The axes of several values together."""
    return frozenset(axis for expression in expressions for axis in expression.axes)


@dataclass(frozen=True)
class Coordinate:
    """`(axis // stride) % size`; no size means no `%`. Sizes of dynamic shapes are text."""

    axis: str
    stride: SizeLike
    size: SizeLike | None


@dataclass(frozen=True)
class Term:
    """One summand: an integer times symbolic sizes times a coordinate, an expression, or nothing."""

    factor: int
    of: Coordinate | Expression | None
    """A coordinate; what the data or another arithmetic decides; None for a symbolic constant."""
    sizes: tuple[str, ...] = ()
    """Symbolic factors: `("ks0", "ks1")` in `ks0*ks1*x2`."""

    def step(self, names: Mapping[str, str]) -> Size:
        """How far one step of the coordinate moves the address, by what the names of sizes stand for."""
        return product([Size(self.factor), *(Size.of(size, names) for size in self.sizes)])


@dataclass(frozen=True)
class Index:
    """A constant plus terms."""

    constant: int
    terms: tuple[Term, ...] = ()

    @staticmethod
    def of(coordinate: Coordinate) -> Index:
        return Index(0, (Term(1, coordinate),))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def only(self) -> Coordinate | None:
        """The coordinate that this is, if it is just one."""
        match self:
            case Index(constant=0, terms=(Term(factor=1, of=Coordinate() as coordinate, sizes=()),)):
                return coordinate
        return None

    def plus(self, other: Index) -> Index:
        total: dict[tuple[Coordinate | Expression | None, tuple[str, ...]], int] = {}
        for term in (*self.terms, *other.terms):
            key = term.of, term.sizes
            total[key] = total.get(key, 0) + term.factor
        kept = tuple(Term(factor, of, sizes) for (of, sizes), factor in total.items() if factor)
        return Index(self.constant + other.constant, kept)

    def times(self, factor: int) -> Index:
        kept = (Term(term.factor * factor, term.of, term.sizes) for term in self.terms)
        return Index(self.constant * factor, tuple(kept) if factor else ())

    def product(self, other: Index) -> Index | None:
        """The product, where one side holds nothing but numbers and sizes, and few of them."""
        one, scale = (self, other) if other.is_scalar else (other, self)
        if not scale.is_scalar or (len(one.terms) + 1) * (len(scale.terms) + 1) > MOST_TERMS:
            return None
        total = one.times(scale.constant)
        for by in scale.terms:
            spread = tuple(
                Term(term.factor * by.factor, term.of, tuple(sorted((*term.sizes, *by.sizes)))) for term in one.terms
            )
            alone = (Term(one.constant * by.factor, None, by.sizes),) if one.constant else ()
            total = total.plus(Index(0, (*spread, *alone)))
        return total

    @property
    def is_scalar(self) -> bool:
        """True for numbers and symbolic sizes alone."""
        return all(term.of is None for term in self.terms)

    def expressions(self) -> tuple[Expression, ...]:
        """What decides the address beside coordinates: loads and what is computed from them."""
        return tuple(term.of for term in self.terms if isinstance(term.of, Expression))

    def coordinates(self) -> Iterable[Coordinate]:
        """The coordinates that it moves with, those behind its expressions too."""
        for term in self.terms:
            if isinstance(term.of, Coordinate):
                yield term.of
            elif term.of is not None:
                yield from behind(term.of)


MOST_TERMS = 32
"""Products of sums are only written out up to this many terms."""


def behind(*values: Expression) -> Iterable[Coordinate]:
    """The coordinates that values depend on, through whatever arithmetic and loads."""
    for node in walk(*values):
        index = getattr(node, "index", None)
        if isinstance(index, Index):
            yield from (term.of for term in index.terms if isinstance(term.of, Coordinate))


def inside(part: Coordinate, whole: Coordinate) -> tuple[int, float] | None:
    """Of `(x // 128) % 2` in `(x // 64) % 4`: how many steps of the whole its own step is, and how many values the whole has; None where it is no part."""
    match part, whole:
        case Coordinate(stride=int(step), size=size), Coordinate(stride=int(unit), size=int() | None as held):
            by, rest = divmod(step, unit)
            within = held is None or (isinstance(size, int) and not rest and held % (by * size) == 0)
            return (by, held or inf) if part.axis == whole.axis and not rest and within else None
    return None


def below(value: Index) -> int | None:
    """What a sum of coordinates stays below, by the sizes that they have: 256 of `x % 64 + 64 * (x // 6400 % 4)`; None where one may be any."""
    most = value.constant + 1
    for term in value.terms:
        size = term.of.size if isinstance(term.of, Coordinate) else None
        if not isinstance(size, int) or term.factor < 0 or term.sizes or value.constant < 0:
            return None
        most += term.factor * (size - 1)
    return most


def rejoined(value: Index) -> Index:
    """The same sum with the digits of one axis as one coordinate again: `y % 256 + 256 * (y // 256)` is `y`."""
    match sorted(value.terms, key=lambda term: term.factor):
        case [Term(1, Coordinate(axis, stride, int(size)), ()), Term(factor, Coordinate(other, further, rest), ()), *more] if (
            axis == other and factor == size and further == (stride * size if isinstance(stride, int) else None)
            and not isinstance(rest, str)
        ):  # fmt: skip
            whole = Coordinate(axis, stride, rest and size * rest)
            return rejoined(Index(value.constant, (Term(1, whole), *more)))
    return value


def split(value: Index, by: int) -> tuple[Index, Index, int]:
    """A sum as `finer + step * rest` with finer below step, and step a part of `by`, as large as can be: x0, x1 + 3 * x2 and 4."""
    terms = sorted(value.terms, key=lambda term: term.factor)
    for place in range(len(terms), 0, -1):
        finer, step = Index(value.constant, tuple(terms[:place])), gcd(by, *(term.factor for term in terms[place:]))
        most = below(finer)
        if most is not None and most <= step:
            return finer, Index(0, tuple(Term(t.factor // step, t.of, t.sizes) for t in terms[place:])), step
    return Index(0), value, 1


def divided(value: Index, by: SizeLike) -> Index | None:
    """`value // by` where that is again a sum of coordinates."""
    if isinstance(by, str):
        whole = value.only()
        plain = whole is not None and whole.stride == 1 and whole.size is None
        return Index.of(Coordinate(whole.axis, by, None)) if whole is not None and plain else None
    if by <= 0:
        return None
    if value.is_constant:
        return Index(value.constant // by)
    _, value, step = split(rejoined(value), by)
    coordinate, by = value.only(), by // step
    if by == 1 or value.is_constant:
        return value
    if coordinate is None or isinstance(coordinate.stride, str):
        return None
    if coordinate.size is None:
        return Index.of(Coordinate(coordinate.axis, coordinate.stride * by, None))
    if isinstance(coordinate.size, str) or coordinate.size % by:
        return None
    return Index.of(Coordinate(coordinate.axis, coordinate.stride * by, coordinate.size // by))


def remainder(value: Index, by: SizeLike) -> Index | None:
    """`value % by` where that is again a sum of coordinates."""
    if value.is_constant and isinstance(by, int) and by > 0:
        return Index(value.constant % by)
    value = rejoined(value)
    if isinstance(by, int) and by > 0:
        finer, rest, step = split(value, by)
        if step > 1:
            coarser = Index(0) if step == by else remainder(rest, by // step)
            return finer.plus(coarser.times(step)) if coarser else None
    coordinate = value.only()
    if coordinate is None:
        return None
    if isinstance(by, str):
        return Index.of(Coordinate(coordinate.axis, coordinate.stride, by)) if coordinate.size is None else None
    if by <= 0 or isinstance(coordinate.size, str) or (coordinate.size is not None and coordinate.size % by):
        return None
    return Index.of(Coordinate(coordinate.axis, coordinate.stride, by))
