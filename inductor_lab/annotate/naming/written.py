"""A name as a formula and what its variables must be: the row that finds it, and what docs/names.md says of it, are one text.

written("tanh_backward", "g * (1 - t * t)", t="loaded or a tanh")      | `tanh_backward` | g * (1 - t * t), t loaded or a tanh |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product as every

from inductor_lab.annotate.naming.formulas import Bound, Finder, Formula
from inductor_lab.annotate.naming.match import Asked, Match, Row, call, is_number
from inductor_lab.annotate.naming.terms import Leaf, Number, Sum, Term, close, product, value_of, walk

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


CONDITIONS: Mapping[str, Callable[[Where], bool]] = {
    "a number": lambda where: isinstance(where.term, Number),
    "a small number": lambda where: _number(where, 0, 0.1),
    "above 1": lambda where: _number(where, 1, float("inf")),
    "below 1": lambda where: _number(where, 0, 1),
    "loaded": lambda where: isinstance(where.term, Leaf),
    "a loaded bool": lambda where: isinstance(where.term, Leaf) and where.asked.dtypes.get(where.term.pointer) == "bool",
    "loaded or a tanh": lambda where: isinstance(where.term, Leaf) or call(where.term, "tanh") is not None,
    "times no number": lambda where: close(abs(product(where.term)[0]), 1.0) and not isinstance(where.term, Number),
    "a tensor of x's shape": lambda where: isinstance(where.term, Leaf) and _beside(where),
    "a tensor of x's shape or a sum": _beside,
}  # fmt: skip
"""What a name may have to be, as docs/names.md says it."""
NUMBERS = {"c": "a number", "eps": "a small number"}
"""Names that are numbers wherever they stand."""
GRAPHS: Mapping[str, Callable[[Asked], bool]] = {
    "in a backward graph": lambda asked: asked.backward,
    "not in a backward graph": lambda asked: not asked.backward,
    "in a forward graph": lambda asked: asked.kind in {"forward", "inference"},
}


def written(
    name: str,
    *texts: str,
    when: str = "",
    alone: bool = False,
    words: str = "",
    simple: bool = False,
    **conditions: str,
) -> Row:
    """A row of the table.

    Args:
        texts: The formulas, any of which will do; `[* w]` may be missing.
        when: Which graph it must stand in, a key of `GRAPHS`.
        alone: True where nothing may stand beside it.
        conditions: What the variables must be, keys of `CONDITIONS`; or what they are short for, another formula.
    """
    defined = {one: text for one, text in conditions.items() if text not in CONDITIONS}
    formulas = [Formula(_spelled(one, defined)) for text in texts for one in _with_and_without(text)]
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
                for bound, rest, glue in finder.within(formula, term):
                    if not alone or is_number(rest, float(glue == "mul")):
                        return _match(finder, formula, bound, rest, glue)
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


def _match(finder: Finder, formula: Formula, bound: Bound, rest: Term, glue: str) -> Match:
    inputs = tuple(bound[name] for name in formula.names if name in INPUTS)
    inner = (finder.built(part, bound) for part in walk(formula.term))
    kept = tuple(
        dict.fromkeys(
            part for part in inner if part is not None and part not in inputs and not isinstance(part, Number)
        )
    )
    return Match(inputs, kept, None if isinstance(rest, Number) else rest, glue)
