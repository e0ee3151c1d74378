"""Recognises two things that Inductor writes out in full: a maximum with its index, and a rotation by half of a row.

The larger of two values with its index, as `get_reduction_combine_fn` in torch/_inductor/ir.py (2.13) has it; integers have no test of NaN:

    first = (a > b) | ((a != a) > (b != b)) | (((a == b) | ((a != a) & (b != b))) & (a_index < b_index))
    best = tl.where(first, a, b)
    best_place = tl.where(first, a_index, b_index)         best, best_place = maximum_with_index(a, a_index, b, b_index)

Two halves of a row that are exchanged, as rotary embeddings do. Inductor reads both, each under a test of its own; here each element's
partner is read once:

    tl.where(below, -upper, lower)             partner = lane + tl.where(below, LANES // 2, -(LANES // 2))
                                               tl.where(below, -x, x)           of one load at the partner
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.idioms import fits
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.nodes import Nodes
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Cast, Constant, Expression, Load, Operation, Position

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


class Partners:
    """The loads that stand for two each."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.accesses: dict[Load, Access] = {}
        """Every load of the body, and those that are made here."""
        self.made: dict[Load, Access] = {}
        self.instead: dict[Expression, Load] = {}
        """A load -> the one that stands for it and its partner."""
        self.values: dict[Expression, None] = {}
        """What is made of them, each after its operands."""

    def chosen(self, value: Operation, opposite: Expression) -> Expression:
        """A choice by a test of halves with what is loaded in both read once; itself where that is not sure."""
        test, one, other = value.inputs
        halves = half(test)
        upper, lower = _loads(one, test), _loads(other, opposite)
        if halves is None or not upper or len(upper) != len(lower):
            return value
        pairs: dict[Expression, Expression] = {}
        for above in upper:
            partner = next((p for below in lower if (p := self.partner(above, below, value, opposite, *halves))), None)
            if partner is None:
                return value
            pairs |= partner
        if not {*upper, *lower} <= pairs.keys():
            return value
        one, other = self.with_(one, pairs), self.with_(other, pairs)
        if one is other:
            return one
        return self.nodes.make(Operation, value.dtype, value.axes, "where", (test, one, other), "", "")

    def partner(
        self, above: Load, below: Load, value: Operation, opposite: Expression, coordinate: Coordinate, number: int
    ) -> dict[Expression, Expression]:
        """Both loads -> the one that stands for them; nothing where they are no pair."""
        a, b, test = above.index, below.index, value.inputs[0]
        if a is None or b is None or above.pointer != below.pointer or {*a.terms} != {*b.terms}:
            return {}
        steps = [term for term in a.terms if term.of == coordinate and not term.sizes]
        masks = [part for part in conjuncts(above.mask) if part is not test]
        if (
            len(steps) != 1
            or a.constant - b.constant != 2 * number * steps[0].factor
            or masks != [part for part in conjuncts(below.mask) if part is not opposite]
            or (above.dtype, above.version, above.other) != (below.dtype, below.version, below.other)
            or not {above, below} <= self.accesses.keys()
        ):
            return {}
        make, axes = self.nodes.make, test.axes
        ends = (make(Constant, "int", frozenset(), number), make(Constant, "int", frozenset(), -number))
        away = make(Operation, "int32", axes, "where", (test, *ends), "", "")
        here = make(Position, "int32", axes, Index(0, (Term(1, coordinate),)))
        place = make(Operation, "int32", axes, "add", (here, away), "", "")
        terms = tuple(Term(term.factor, place) if term is steps[0] else term for term in a.terms)
        index = Index((a.constant + b.constant) // 2, terms)
        mask = masks[0] if masks else None
        for part in masks[1:]:
            mask = make(Operation, "bool", (mask.axes if mask else axes) | part.axes, "and", (mask, part), "", "")
        read = make(
            Load, above.dtype, above.axes, above.pointer, index, mask, above.other if mask else None, above.version
        )
        assert isinstance(read, Load)
        self.made[read] = self.accesses[read] = replace(self.accesses[above], index=index, mask=mask, value=read)
        self.instead |= {above: read, below: read}
        return {above: read, below: read}

    def with_(self, value: Expression, loads: Mapping[Expression, Expression]) -> Expression:
        """A value made of other loads."""
        if value in loads or not isinstance(value, (Cast, Operation)):
            return loads.get(value, value)
        operands = tuple(self.with_(operand, loads) for operand in value.operands)
        if operands == value.operands:
            return value
        fields = (value.name, operands, value.spelling, value.keywords) if isinstance(value, Operation) else operands
        made = self.nodes.make(type(value), value.dtype, value.axes, *fields)
        self.values[made] = None
        return made


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


def _loads(value: Expression, test: Expression) -> list[Load]:
    """What a value is made of that is read under a test."""
    return [
        node
        for node in _arithmetic(value)
        if isinstance(node, Load) and any(part is test for part in conjuncts(node.mask))
    ]


def _arithmetic(value: Expression) -> Iterator[Expression]:
    """A value and what its arithmetic takes, each once, up to loads."""
    seen: set[Expression] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += node.operands if isinstance(node, (Operation, Cast)) else ()
