"""Rows of the table of names: a formula, and what its variables must be; docs/names.md prints the same rows.

written("tanh_backward", "g * (1 - t * t)", t="loaded or a tanh")      | `tanh_backward` | g * (1 - t * t), t loaded or a tanh |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product as every
from types import MappingProxyType

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.formulas import NUMBERS, Finder, Found
from inductor_lab.computation.naming.match import CHOSEN, Asked, Bound, Formula, Match, Row, call, is_number, whole_rows
from inductor_lab.computation.naming.terms import (
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

INPUTS = frozenset({"x", "y", "g", "h"})
"""Names of what a function is taken of; the others are part of it."""


def written(
    name: str,
    *texts: str,
    when: str = "",
    held: str = "",
    partly: str = "",
    alone: bool = False,
    factor: bool = False,
    words: str = "",
    simple: bool = False,
    inputs: Sequence[str] | None = None,
    shown: Callable[[Term], tuple[Term | None, str]] | None = None,
    where: Mapping[str, str] = MappingProxyType({}),
    **more: str,
) -> Row:
    """A row of the table.

    Args:
        texts: The formulas, any of which will do; ` [* w]` may be missing.
        when: Which graph it must stand in, a key of `GRAPHS`.
        held: What the variables must be to each other, a key of `RELATIONS`.
        partly: A variable of what is folded; where it goes along more than that, each part has a fold of its own: a partial one.
        alone: True where nothing may stand beside it.
        factor: True where a sum may be a factor of a product.
        inputs: What it is computed of, whose names come first, as formulas; the variables that `INPUTS` names without it.
        shown: What the first of them is called, None where it is not, and the adjective that the name has then.
        where: What the variables must be, keys of `CONDITIONS`; or what they are short for, another formula; `more` the same.
    """
    conditions = {**where, **more}
    defined = {one: text for one, text in conditions.items() if text not in CONDITIONS}
    search = _Search(
        tuple(Formula(_spelled(one, defined)) for text in texts for one in _with_and_without(text)),
        tuple(Formula(_spelled(one, defined)) for one in defined),
        {one: CONDITIONS[text] for one, text in {**NUMBERS, **conditions}.items() if one not in defined},
        frozenset(one for one, text in conditions.items() if text.startswith("one addend")),
        None if inputs is None else tuple(map(Formula, inputs)),
        when, held, partly, alone, factor, shown,
    )  # fmt: skip
    told = [
        " or ".join(texts),
        *(f"{one} {'= ' * (one in defined)}{text}" for one, text in conditions.items()),
        *filter(None, (held, when)),
    ]
    return Row(name, ", ".join(told), search.find, words, simple)


@dataclass(frozen=True)
class _Search:
    """How a row finds its formulas; `written` says what each field is."""

    formulas: tuple[Formula, ...]
    steps: tuple[Formula, ...]
    """What variables are short for."""
    demanded: Mapping[str, Callable[[Where], bool]]
    first: frozenset[str]
    """Variables that stand for one addend."""
    inputs: tuple[Formula, ...] | None
    when: str
    held: str
    partly: str
    alone: bool
    factor: bool
    shown: Callable[[Term], tuple[Term | None, str]] | None

    def find(self, term: Term, asked: Asked) -> Match | None:
        """The first of the formulas that is in a term as it is demanded."""
        calls = asked.calls(term)
        fitting = [formula for formula in self.formulas if formula.calls <= calls]
        if not fitting or (self.when and not GRAPHS[self.when](asked)):
            return None
        met = {one: lambda of, bound, each=each: each(Where(of, bound, asked)) for one, each in self.demanded.items()}
        finder = Finder(asked.normal.terms, asked.normal.count, met, self.first)
        found = ((formula, one) for formula in fitting for one in finder.within(formula, term, factor=self.factor))
        return next((self._match(formula, one, finder) for formula, one in found if self._held(one, asked)), None)

    def _held(self, found: Found, asked: Asked) -> bool:
        """Whether the variables are to each other what they must be, and nothing stands beside them that may not."""
        related = not self.held or RELATIONS[self.held](found.bound, asked)
        return related and (not self.alone or is_number(found.rest, float(found.glue == "mul")))

    def _match(self, formula: Formula, found: Found, finder: Finder) -> Match:
        bound = found.bound
        own = self.inputs or [Formula(name) for name in formula.names if name in INPUTS and self.inputs is None]
        parts = [part for each in own if (part := finder.built(each.term, bound)) is not None]
        inner = dict.fromkeys(finder.built(part, bound) for one in (formula, *self.steps) for part in one.steps)
        way = tuple(each for each in inner if each and each not in parts and not isinstance(each, Number))
        adjective = "partial" if self.partly and bound[self.partly].axes - (bound.over or frozenset()) else ""
        if self.shown is not None:
            part, adjective = self.shown(parts[0])
            parts[:1] = [part] if part else []
        return Match((*parts, *found.outside), way, found.rest, found.glue, adjective, bound.of)


def _spelled(text: str, defined: dict[str, str]) -> str:
    for name, meaning in reversed(defined.items()):
        text = re.sub(rf"\b{name}\b", f"({meaning})", text)
    return text


def _with_and_without(text: str) -> Iterator[str]:
    """`x * y` and `x` of `x [* y]`."""
    pieces = re.split(r"(?<= )\[(.*?)\]", text)
    for kept in every((True, False), repeat=len(pieces) // 2):
        yield "".join(piece if place % 2 == 0 or kept[place // 2] else "" for place, piece in enumerate(pieces)).strip()


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


def _folded(where: Where) -> frozenset[str]:
    """The axes of the row: of the folds, or that may be folded where none was found yet."""
    over = where.bound.over
    return frozenset(axis for axis in where.term.axes if axis.startswith("r")) if over is None else over


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


def _straight(where: Where) -> bool:
    """What is less another value: x of `x - m`, where `a + b` would be b less -a."""
    return product(where.term)[0] > 0 and any(by > 0 for by in addends(where.term)[1].values())


def _factor(where: Where) -> bool:
    """One of the values that h is a product of."""
    times, powers = product(where.term)
    held = product(where.bound["h"])[1]
    return close(times, 1.0) and bool(powers) and all(held.get(base, 0.0) / by >= 1 for base, by in powers.items())


def _chosen_class(where: Where) -> bool:
    """Made of where(target == position, -1, 0)."""
    chosen = filter(None, (call(part, "where") for part in walk(where.term)))
    equal = (call(condition, "eq") or () for condition, _, other in chosen if is_number(other, 0.0))
    return any(isinstance(side, Place) for sides in equal for side in sides)


def _half_pixel(where: Where) -> bool:
    """(i + 0.5) * c - 0.5: where an element's middle lies in a tensor of another size."""
    constant, of = addends(where.term)
    return all(isinstance(part, Place) and close(constant, 0.5 * by - 0.5) for part, by in of.items()) and len(of) == 1


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


def _elements(where: Where) -> bool:
    """As many as are folded; a mean may have a number before its elements."""
    folded = where.asked.normal.count(where.bound.over or frozenset())
    more = product(where.term)[0] / product(folded)[0] if folded else 0.0
    same = where.term is folded or (isinstance(folded, Number) and close(more, 1.0))
    return same or (isinstance(folded, Number) and more > 1 and where.asked.claims("mean"))


def _loaded_or(*names: str) -> Callable[[Where], bool]:
    return lambda where: isinstance(where.term, Leaf) or getattr(where.term, "name", "") in names


def _pointers(*terms: Term) -> set[str]:
    return {leaf.pointer for leaf in walk(*terms) if isinstance(leaf, Leaf)}


def _unrolled(where: Where) -> bool:
    """exp(x[0] - m) + exp(x[1] - m) + ..., x and m of the same tensors."""
    total, bound = where.term, where.bound.of
    if not isinstance(total, Sum) or total.constant or len(total.of) < 2 or "x" not in bound:
        return False
    insides = [inside[0] for part, by in total.of.items() if by == 1.0 and (inside := call(part, "exp"))]
    below = len(insides) == len(total.of) and all(addends(inside)[1].get(bound["m"]) == -1.0 for inside in insides)
    return below and _pointers(total) == _pointers(bound["x"], bound["m"])


def _over_rows(bound: Bound, asked: Asked) -> bool:
    """One number of each row that is folded, `[rows, 1]`, where neighbours are of different columns."""
    over, row = bound.over or frozenset(), bound["r"]
    columns = {
        each.of
        for leaf in walk(*bound.of.values())
        if isinstance(leaf, Leaf) and leaf.load.index
        for each in leaf.load.index.terms
        if each.factor == 1 and isinstance(each.of, Coordinate) and each.of.axis not in over
    }
    along = _places(row)
    single = isinstance(row, Leaf) and asked.shapes.get(row.pointer, (1, 1))[1:][-1:] == (1,)
    each = any(of.axis in over and of.stride == 1 for of in along or set() if isinstance(of, Coordinate))
    mask = isinstance(row, Leaf) and asked.dtypes.get(row.pointer) == "bool"
    return single and each and not mask and bool(columns) and not columns & (along or set())


def _halves(bound: Bound, asked: Asked) -> bool:
    """Both of one tensor, at two places, with the same number before them, beside a cosine or another tensor that may be one."""
    y, z = bound["y"], bound["z"]
    straight = [bound.of.get("x") or bound["g"], bound["u"]]
    one = close(product(y)[0], product(z)[0]) and _pointers(y) == _pointers(z) and y is not z
    cosine = call(bound["u"], "cos") is not None or bool(_pointers(*straight) - _pointers(y))
    return one and product(y)[0] > 0 and cosine


def _rotated(bound: Bound, asked: Asked) -> bool:
    """And both are what x is, with a sine or a tensor that may be one inside or beside them."""
    inside = [base for base in product(bound["y"])[1] if isinstance(base, Leaf) or call(base, "sin")]
    sine = "v" in bound.of or any(call(base, "sin") for base in inside) or len(inside) > 1
    return sine and bool(_pointers(bound["y"]) & _pointers(bound["x"], bound["u"])) and _halves(bound, asked)


def _by_sample(bound: Bound, asked: Asked) -> bool:
    """A mask of shape [n, 1, 1], beside what has more elements."""
    shape = asked.shapes.get(getattr(bound["m"], "pointer", ""), ())
    return len(shape) > 1 and set(shape[1:]) == {1} and asked.spread(bound["m"]) < asked.spread(bound["x"])


CONDITIONS: Mapping[str, Callable[[Where], bool]] = {
    "a number": lambda where: isinstance(where.term, Number),
    "a small number": lambda where: _number(where, 0, 0.1),
    "one addend, loaded": _loaded_or(),
    "one addend": lambda where: not isinstance(where.term, Number),
    "one addend, made of where(t == i, c, 0)": _chosen_class,
    "made of where(t == i, c, 0)": _chosen_class,
    "one factor": lambda where: not isinstance(where.term, Number),
    "a factor of h": _factor,
    "(i + 0.5) * c - 0.5, i a position": _half_pixel,
    "a column less a row": _column_less_row,
    "a position less another": lambda where: _difference(where.term) is not None,
    "whole rows": lambda where: isinstance(where.term, Leaf) and len(where.term.chosen) == 1 and whole_rows(where.term.load.index),
    "the elements, or more where the comment names a mean": _elements,
    "a position": lambda where: isinstance(where.term, Place),
    "of more elements than m, none where data says": lambda where: _wider(where) and CHOSEN not in where.asked.calls(where.term),
    "below -10,000": lambda where: isinstance(where.term, Number) and where.term.value < -1e4,
    "above 1": lambda where: _number(where, 1, float("inf")),
    "below 1": lambda where: _number(where, 0, 1),
    "loaded": _loaded_or(),
    "loaded or a cosine": _loaded_or("cos"),
    "loaded or a sine": _loaded_or("sin"),
    "loaded or a tanh": _loaded_or("tanh"),
    "loaded or a maximum": _loaded_or("max"),
    "loaded or the larger": _loaded_or("maximum"),
    "a sum of exp(y - m), y of the tensors of x": _unrolled,
    "where data says": lambda where: CHOSEN in where.asked.calls(where.term),
    "a loaded bool": lambda where: isinstance(where.term, Leaf) and where.asked.dtypes.get(where.term.pointer) == "bool",
    "as m or a logarithm": lambda where: _like("m")(where) or call(where.term, "log") is not None,
    "times no number, or any where the comment names it": lambda where: (
        not isinstance(where.term, Number)
        and (close(abs(product(where.term)[0]), 1.0) or where.asked.claims("hardsigmoid_backward"))
    ),
    "not negated": _straight,
    "along the row": lambda where: bool(where.term.axes) and _along(where) == where.term.axes,
    "along a part of the row": lambda where: isinstance(where.term, Leaf) and bool(_along(where)),
    "constant along the row": lambda where: isinstance(where.term, Leaf) and bool(where.term.axes) and not where.term.axes & _folded(where),
    "a number of the graph": lambda where: isinstance(where.term, Leaf) and not where.term.axes,
    "a factor of h, of each row": lambda where: _factor(where) and not where.term.axes & (where.bound.over or frozenset()),
    "a value or a number": lambda where: True,
    "one number everywhere": lambda where: not where.term.axes,
    "loaded, times a number below 1": lambda where: isinstance(where.asked.normal.terms.monic(where.term), Leaf) and product(where.term)[0] < 1,
    "loaded or a sum": lambda where: isinstance(where.term, Leaf | Fold),
    "as w": _like("w"),
    "as m": _like("m"),
    "as m, times a number": lambda where: _like("m")(replace(where, term=where.asked.normal.terms.monic(where.term))),
    "of more elements than m": _wider,
    "of more elements than m, not negated": lambda where: _wider(where) and _straight(where),
    "a tensor of x's shape": lambda where: isinstance(where.term, Leaf) and _beside(where),
    "a tensor of x's shape or a sum": _beside,
}  # fmt: skip
"""What a name may have to be, as docs/names.md says it."""
RELATIONS: Mapping[str, Callable[[Bound, Asked], bool]] = {
    "r one number of each row that is folded": _over_rows,
    "alpha + beta = 1": lambda bound, asked: close(
        value_of(asked.normal.terms.add(bound["alpha"], bound["beta"])), 1.0
    ),
    "y and z the halves of x": _rotated,
    "y and z of one tensor": _halves,
    "m one of each sample": _by_sample,
    "m not one of each sample": lambda bound, asked: not _by_sample(bound, asked),
    "y of positions or of fewer elements": lambda bound, asked: (
        any(isinstance(part, Place) for part in walk(bound["y"])) or asked.spread(bound["y"]) < asked.spread(bound["h"])
    ),
}
"""What the variables of a formula must be to each other."""
GRAPHS: Mapping[str, Callable[..., bool]] = {
    "in a backward graph": lambda asked: asked.backward,
    "in a backward graph whose comment names a batch norm": lambda asked: (
        asked.backward and asked.derived == "batch_norm"
    ),
    "not in a backward graph": lambda asked: not asked.backward,
    "in a forward graph": lambda asked: asked.kind in {"forward", "inference"},
    "where the comment names a max pooling's backward": lambda asked: asked.claims(
        "max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward"
    ),
    "where the comment names a relu's backward": lambda asked: asked.claims("threshold_backward"),
    "where the comment names no index": lambda asked: (
        asked.claims("embedding") or not asked.claims("index", "gather", "index_select")
    ),
    "where the comment names a lerp or an optimizer's operator": lambda asked: asked.claims(
        "_foreach_lerp", "lerp", "_fused_adam", "_fused_adamw", "addcdiv", "_foreach_addcdiv"
    ),
    "where the comment names no batch norm": lambda asked: asked.derived != "batch_norm",
    "where the comment names a batch norm, and no other's backward": lambda asked: asked.derived == "batch_norm",
    "where the comment names no norm": lambda asked: not asked.norm,
    "where the comment names no other norm": lambda asked: asked.norm in {"", "batch_norm"},
    **{
        f"where the comment names a {name.replace('_', ' ')}": lambda asked, name=name: asked.norm == name
        for name in ("batch_norm", "group_norm", "layer_norm")
    },
}
