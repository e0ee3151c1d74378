"""A name as a formula and what its variables must be: the row that finds it, and what docs/names.md says of it, are one text.

written("tanh_backward", "g * (1 - t * t)", t="loaded or a tanh")      | `tanh_backward` | g * (1 - t * t), t loaded or a tanh |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as every
from types import MappingProxyType

from inductor_lab.computation.naming.conditions import CONDITIONS, GRAPHS, NUMBERS, RELATIONS, Where
from inductor_lab.computation.naming.formulas import Finder, Formula
from inductor_lab.computation.naming.match import Asked, Match, Row, is_number
from inductor_lab.computation.naming.terms import Number, Term

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
    formulas = [Formula(_spelled(one, defined)) for text in texts for one in _with_and_without(text)]
    steps = [Formula(_spelled(one, defined)) for one in defined]
    of = [Formula(text) for text in inputs or ()]
    first = frozenset(one for one, text in conditions.items() if text.startswith("one addend"))
    demanded = {one: CONDITIONS[text] for one, text in {**NUMBERS, **conditions}.items() if one not in defined}

    def find(term: Term, asked: Asked) -> Match | None:
        calls = asked.calls(term)
        fitting = [formula for formula in formulas if formula.calls <= calls]
        if not fitting or (when and not GRAPHS[when](asked)):
            return None
        met = {one: lambda of, bound, each=each: each(Where(of, bound, asked)) for one, each in demanded.items()}
        finder = Finder(asked.normal.terms, asked.normal.count, met, first)
        for formula in fitting:
            for found in finder.within(formula, term, factor=factor):
                bound = found.bound
                if held and not RELATIONS[held](bound, asked):
                    continue
                if alone and not is_number(found.rest, float(found.glue == "mul")):
                    continue
                own = [Formula(name) for name in formula.names if name in INPUTS and inputs is None]
                parts = [part for each in of or own if (part := finder.built(each.term, bound)) is not None]
                inner = dict.fromkeys(finder.built(part, bound) for one in (formula, *steps) for part in one.steps)
                way = tuple(each for each in inner if each and each not in parts and not isinstance(each, Number))
                adjective = "partial" if partly and bound[partly].axes - (bound.over or frozenset()) else ""
                if shown is not None:
                    part, adjective = shown(parts[0])
                    parts[:1] = [part] if part else []
                return Match((*parts, *found.outside), way, found.rest, found.glue, adjective, bound.of)
        return None

    told = [
        " or ".join(texts),
        *(f"{one} {'= ' * (one in defined)}{text}" for one, text in conditions.items()),
        *filter(None, (held, when)),
    ]
    return Row(name, ", ".join(told), find, words, simple)


def _spelled(text: str, defined: dict[str, str]) -> str:
    for name, meaning in reversed(defined.items()):
        text = re.sub(rf"\b{name}\b", f"({meaning})", text)
    return text


def _with_and_without(text: str) -> Iterator[str]:
    """`x * y` and `x` of `x [* y]`."""
    pieces = re.split(r"(?<= )\[(.*?)\]", text)
    for kept in every((True, False), repeat=len(pieces) // 2):
        yield "".join(piece if place % 2 == 0 or kept[place // 2] else "" for place, piece in enumerate(pieces)).strip()
