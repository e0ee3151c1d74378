"""A name as a formula and what its variables must be: the row that finds it, and what docs/names.md says of it, are one text.

written("tanh_backward", "g * (1 - t * t)", t="loaded or a tanh")      | `tanh_backward` | g * (1 - t * t), t loaded or a tanh |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product as every
from types import MappingProxyType

from inductor_lab.annotate.naming.formulas import Bound, Finder, Formula
from inductor_lab.annotate.naming.match import Asked, Match, Row, call, is_number
from inductor_lab.annotate.naming.norm_claims import claimed
from inductor_lab.annotate.naming.terms import Leaf, Number, Sum, Term, close, product, value_of
from inductor_lab.computation.index import Coordinate

INPUTS = frozenset({"x", "y", "g"})
"""Names of what a function is taken of; the others are part of it."""


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


CONDITIONS: Mapping[str, Callable[[Where], bool]] = {
    "a number": lambda where: isinstance(where.term, Number),
    "a small number": lambda where: _number(where, 0, 0.1),
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
    "of more elements than m": lambda where: where.asked.spread(where.bound["m"]) < where.asked.spread(where.term),
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


def written(
    name: str,
    *texts: str,
    when: str = "",
    alone: bool = False,
    factor: bool = False,
    words: str = "",
    simple: bool = False,
    where: Mapping[str, str] = MappingProxyType({}),
    **more: str,
) -> Row:
    """A row of the table.

    Args:
        texts: The formulas, any of which will do; `[* w]` may be missing.
        when: Which graph it must stand in, a key of `GRAPHS`.
        alone: True where nothing may stand beside it.
        factor: True where a sum may be a factor of a product.
        where: What the variables must be, keys of `CONDITIONS`; or what they are short for, another formula; `more` the same.
    """
    conditions = {**where, **more}
    defined = {one: text for one, text in conditions.items() if text not in CONDITIONS}
    formulas = [Formula(_spelled(one, defined)) for text in texts for one in _with_and_without(text)]
    steps = [Formula(_spelled(one, defined)) for one in defined]
    demanded = {one: CONDITIONS[text] for one, text in {**NUMBERS, **conditions}.items() if one not in defined}

    def find(term: Term, asked: Asked) -> Match | None:
        if when and not GRAPHS[when](asked):
            return None
        terms, calls = asked.normal.terms, asked.calls(term)

        def met(condition: Callable[[Where], bool]) -> Callable[[Term, Bound], bool]:
            return lambda found, bound: condition(Where(found, bound, asked))

        finder = Finder(terms, asked.normal.count, {one: met(each) for one, each in demanded.items()})
        for formula in formulas:
            if formula.calls <= calls:
                for bound, rest, glue in finder.within(formula, term, factor=factor):
                    if not alone or is_number(rest, float(glue == "mul")):
                        return _match(finder, formula, steps, bound, rest, glue)
        return None

    told = [
        " or ".join(texts),
        *(f"{one} {'= ' * (one in defined)}{text}" for one, text in conditions.items()),
        *([when] if when else []),
    ]
    return Row(name, ", ".join(told), find, words, simple)


def _spelled(text: str, defined: dict[str, str]) -> str:
    for name, meaning in reversed(defined.items()):
        text = re.sub(rf"\b{name}\b", f"({meaning})", text)
    return text


def _with_and_without(text: str) -> Iterator[str]:
    """`x * y` and `x` of `x [* y]`."""
    pieces = re.split(r"\[(.*?)\]", text)
    for kept in every((True, False), repeat=len(pieces) // 2):
        yield "".join(piece if place % 2 == 0 or kept[place // 2] else "" for place, piece in enumerate(pieces)).strip()


def _match(finder: Finder, formula: Formula, steps: Iterable[Formula], bound: Bound, rest: Term, glue: str) -> Match:
    inputs = tuple(bound[name] for name in formula.names if name in INPUTS)
    parts = (part for each in (formula, *steps) for part in each.parts)
    inner = dict.fromkeys(built for part in parts if (built := finder.built(part, bound)) is not None)
    kept = tuple(part for part in inner if part not in inputs and not isinstance(part, Number))
    return Match(inputs, kept, None if isinstance(rest, Number) else rest, glue)
