"""What the variables of a formula must be, and in which graphs it counts, by what docs/names.md says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.formulas import Bound
from inductor_lab.computation.naming.match import Asked, call
from inductor_lab.computation.naming.norm_claims import claimed
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Place,
    Sum,
    Term,
    addends,
    close,
    product,
    value_of,
    walk,
)


@dataclass(frozen=True)
class Where:
    """What a name stands for: the term, beside what the others stand for."""

    term: Term
    bound: Bound
    asked: Asked


def _number(where: Where, low: float, high: float) -> bool:
    value = value_of(where.term)
    return value is not None and low < value < high


def _beside(where: Where) -> bool:
    """A tensor, or a sum of some, of x's shape."""
    return isinstance(where.term, (Leaf, Sum)) and where.term.axes >= where.bound["x"].axes


def _along(where: Where) -> frozenset[str]:
    """The axes of the row that a loaded tensor, or a sum with one, goes along."""
    return where.term.axes & (where.bound.over or frozenset()) if isinstance(where.term, (Leaf, Sum)) else frozenset()


def _places(term: Term | None) -> frozenset[object] | None:
    """The coordinates that a loaded tensor goes along."""
    if not isinstance(term, Leaf) or term.load.index is None:
        return None
    return frozenset(each.of for each in term.load.index.terms if isinstance(each.of, Coordinate))


def _like(name: str) -> Callable[[Where], bool]:
    """Loaded where another one is."""
    return lambda where: (places := _places(where.term)) is not None and places == _places(where.bound.of.get(name))


def _wider(where: Where) -> bool:
    """Of more elements than m, where the formula has one."""
    saved = where.bound.of.get("m")
    return saved is None or where.asked.spread(saved) < where.asked.spread(where.term)


def _factor(where: Where) -> bool:
    """One of the values that h is a product of."""
    times, powers = product(where.term)
    held = product(where.bound["h"])[1]
    return close(times, 1.0) and bool(powers) and all(held.get(base, 0.0) / by >= 1 for base, by in powers.items())


def _chosen_class(where: Where) -> bool:
    """Made of where(target == position, -1, 0)."""
    return any(
        isinstance(part, Call)
        and part.name == "where"
        and _is_position(part.of[0])
        and close(value_of(part.of[2]), 0.0)
        for part in walk(where.term)
    )


def _is_position(condition: Term) -> bool:
    sides = call(condition, "eq")
    return sides is not None and any(isinstance(side, Place) for side in sides)


def _difference(term: Term) -> tuple[Coordinate, Coordinate] | None:
    """The two positions of one less another."""
    match term:
        case Place(index=Index(terms=(one, other))) if one.factor == -other.factor and abs(one.factor) == 1:
            first, second = (one.of, other.of) if one.factor > 0 else (other.of, one.of)
            return (first, second) if isinstance(first, Coordinate) and isinstance(second, Coordinate) else None
    return None


def _column_less_row(where: Where) -> bool:
    """The first of the two goes along what lies closer in memory: a folded axis before `x`, `x` before `y`, the smaller stride first."""
    found = _difference(where.term)
    if found is None:
        return False
    column, row = (("rxyz".find(each.axis[0]), each.stride if isinstance(each.stride, int) else 2) for each in found)
    return column < row


def gathers(term: Term) -> bool:
    """True for what holds something loaded where data says."""
    return any(isinstance(part, Leaf) and part.chosen for part in walk(term))


def _picked_logarithm(where: Where) -> bool:
    """-(x[target] - m - l), m and l loaded, or -(x[target] - max(x) - log(sum(exp(x - max(x)))))."""
    constant, parts = addends(where.term)
    saved = [part for part, by in parts.items() if by == 1.0 and isinstance(part, Leaf) and not part.chosen]
    folds = [part for part, by in parts.items() if by == 1.0 and isinstance(part, Fold) and part.name == "max"]
    logs = [inside[0] for part, by in parts.items() if by == 1.0 and (inside := call(part, "log"))]
    whole = len(folds) == len(logs) == 1 and isinstance(logs[0], Fold) and len(parts) == 3
    return (
        not constant and gathers(where.term) and (whole or (len(saved) == 2 and _places(saved[0]) == _places(saved[1])))
    )


def _picked(where: Where) -> bool:
    times, powers = product(where.term)
    return times == -1.0 and len(powers) == 1 and all(isinstance(base, Leaf) and bool(base.chosen) for base in powers)


CONDITIONS: Mapping[str, Callable[[Where], bool]] = {
    "a number": lambda where: isinstance(where.term, Number),
    "a small number": lambda where: _number(where, 0, 0.1),
    "one addend": lambda where: not isinstance(where.term, Number),
    "one addend, made of where(t == i, c, 0)": _chosen_class,
    "made of where(t == i, c, 0)": _chosen_class,
    "one factor": lambda where: not isinstance(where.term, Number),
    "a factor of h": _factor,
    "a column less a row": _column_less_row,
    "a position less another": lambda where: _difference(where.term) is not None,
    "a position": lambda where: isinstance(where.term, Place),
    "of more elements than m, none where data says": lambda where: _wider(where) and not gathers(where.term),
    "-(x[t] - m - l) or -(x[t] - max(x) - log(sum(exp(x - max(x)))))": _picked_logarithm,
    "-x[t]": _picked,
    "above 1": lambda where: _number(where, 1, float("inf")),
    "below 1": lambda where: _number(where, 0, 1),
    "loaded": lambda where: isinstance(where.term, Leaf),
    "a loaded bool": lambda where: isinstance(where.term, Leaf) and where.asked.dtypes.get(where.term.pointer) == "bool",
    "loaded or a tanh": lambda where: isinstance(where.term, Leaf) or call(where.term, "tanh") is not None,
    "times no number": lambda where: close(abs(product(where.term)[0]), 1.0) and not isinstance(where.term, Number),
    "along the row": lambda where: bool(where.term.axes) and _along(where) == where.term.axes,
    "along a part of the row": lambda where: isinstance(where.term, Leaf) and bool(_along(where)),
    "constant along the row": lambda where: isinstance(where.term, Leaf) and bool(where.term.axes) and not _along(where),
    "as w": _like("w"),
    "as m": _like("m"),
    "as m, times a number": lambda where: _like("m")(replace(where, term=where.asked.normal.terms.monic(where.term))),
    "of more elements than m": _wider,
    "a tensor of x's shape": lambda where: isinstance(where.term, Leaf) and _beside(where),
    "a tensor of x's shape or a sum": _beside,
}  # fmt: skip
"""What a name may have to be, as docs/names.md says it."""
NUMBERS = {"c": "a number", "eps": "a small number"}
"""Names that are numbers wherever they stand."""
GRAPHS: Mapping[str, Callable[..., bool]] = {
    "in a backward graph": lambda asked: asked.backward,
    "not in a backward graph": lambda asked: not asked.backward,
    "in a forward graph": lambda asked: asked.kind in {"forward", "inference"},
    "where the comment names no norm": lambda asked: not claimed(asked),
    "where the comment names no other norm": lambda asked: claimed(asked) in {"", "batch_norm"},
    **{
        f"where the comment names a {name.replace('_', ' ')}": lambda asked, name=name: claimed(asked) == name
        for name in ("batch_norm", "group_norm", "layer_norm")
    },
}
