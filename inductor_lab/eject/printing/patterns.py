"""Recognises two things that Inductor writes out in full: a maximum with its index, and a rotation by half of a row.

The larger of two values with its index, as `get_reduction_combine_fn` in torch/_inductor/ir.py (2.13) has it; integers have no test of NaN:

    first = (a > b) | ((a != a) > (b != b)) | (((a == b) | ((a != a) & (b != b))) & (a_index < b_index))
    best = tl.where(first, a, b)
    best_place = tl.where(first, a_index, b_index)         best, best_place = maximum_with_index(a, a_index, b, b_index)

Where the other half's element of a row stands, as rotary embeddings exchange them; the Triton printer reads it once (`triton/partners.py`):

    partner = lane + tl.where(lane < 32, 32, -32)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inductor_lab.computation.idioms import fits
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.tree import Constant, Expression, Operation, Position

# ------------------------------------------------------------ the larger of two values, with its index


HELPERS = {">": "maximum_with_index", "<": "minimum_with_index"}
"""How the values are compared -> the helper."""
FLOATS = "(a {0} b) | ((a != a) > (b != b))", "(a == b) | ((a != a) & (b != b))"
WHOLE = "a {0} b", "a == b"
"""When the first value is chosen, and when both are the same."""


def _forms() -> Iterator[tuple[str, ast.expr]]:
    """The conditions that choose one of two values, each with its helper; the second is of the first two places of a window alone."""
    for symbol, helper in HELPERS.items():
        for better, same in (FLOATS, WHOLE):
            for tie in (f"({same}) & (i < j)", same):
                yield helper, ast.parse(f"({better.format(symbol)}) | ({tie})", mode="eval").body


FORMS = tuple(_forms())


@dataclass(frozen=True)
class Compared:
    """Two values and their indices, one pair of which is chosen."""

    helper: str
    values: tuple[Expression, Expression]
    indices: tuple[Expression, ...]
    """Empty where the condition does not tell them: the first two places of a window, of which the first index is the lower one."""


def compared(condition: Expression) -> Compared | None:
    """What a condition compares; None where it is no such comparison."""
    for helper, form in FORMS:
        bound: dict[str, Expression] = {}
        if fits(form, condition, bound, through=lambda value: value):
            indices = (bound["i"], bound["j"]) if "i" in bound else ()
            return Compared(helper, (bound["a"], bound["b"]), indices)
    return None


def chosen_of(value: Expression) -> Compared | None:
    """What a choice chooses from; None for another one."""
    if not isinstance(value, Operation) or value.name != "where" or len(value.inputs) != 3:
        return None
    condition, one, other = value.inputs
    found = compared(condition)
    if found is None or (one, other) in {found.values, found.indices}:
        return found
    return found if not found.indices and _counted(one, other) else None


def results(choices: Iterable[Expression]) -> dict[Expression, dict[str, Expression]]:
    """Condition -> the values that it chooses, by what they are of the larger one: its `value` or its `index`."""
    found: dict[Expression, dict[str, Expression]] = {}
    for choice in choices:
        chosen = chosen_of(choice)
        if chosen is not None and isinstance(choice, Operation):
            part = "value" if choice.inputs[1:] == chosen.values else "index"
            found.setdefault(choice.inputs[0], {})[part] = choice
    return found


def _counted(one: Expression, other: Expression) -> bool:
    """True for two numbers of which the first is the lower one."""
    return isinstance(one, Constant) and isinstance(other, Constant) and one.value < other.value


# ------------------------------------------------------------ two halves that are exchanged


@dataclass(frozen=True)
class Partner:
    """Where the other half's element stands: `coordinate + where(coordinate < number, number, -number)`."""

    coordinate: Coordinate
    number: int
    test: Operation
    away: Operation


def partner_of(value: object) -> Partner | None:
    """What a value says of a partner's place; None for any other."""
    match value:
        case Operation(
            name="add",
            inputs=(
                Position(index=index),
                Operation(name="where", inputs=(Operation() as test, Constant(), Constant())) as away,
            ),
        ) if (found := half(test)) and index.only() == found[0]:
            return Partner(*found, test, away)
    return None


def walking(value: object) -> Coordinate | None:
    """The coordinate that a summand of an address walks along, its partner's too."""
    partner = partner_of(value)
    return value if isinstance(value, Coordinate) else partner.coordinate if partner else None


def half(test: Expression) -> tuple[Coordinate, int] | None:
    """`coordinate < number`."""
    match test:
        case Operation(name="lt", inputs=(Position(index=index), Constant(value=int() as number))):
            coordinate = index.only()
            numbers = coordinate is not None and isinstance(coordinate.size, int) and coordinate.size == 2 * number
            return (coordinate, number) if coordinate is not None and numbers else None
    return None
