"""Reads two halves of a row that are exchanged, as rotary embeddings do, by one load for both.

Inductor reads each half under a test of its own; here each element's partner is read once:

    tl.where(below, -upper, lower)             partner = lane + tl.where(below, LANES // 2, -(LANES // 2))
                                               tl.where(below, -x, x)           of one load at the partner
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.nodes import Nodes
from inductor_lab.computation.schedule import Access, Define, Loop, Schedule, Step
from inductor_lab.computation.tree import Cast, Constant, Expression, Load, Operation, Position, walk
from inductor_lab.eject.printing.operands import parts_of, uses
from inductor_lab.eject.printing.patterns import half


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

    def read_once(
        self, steps: tuple[Step, ...], accesses: tuple[Access, ...]
    ) -> tuple[tuple[Step, ...], tuple[Access, ...]]:
        """The steps and the accesses with the loads that stand for two each, and without those that nothing takes then."""
        steps = tuple(_read_once(steps, self, set()))
        used = uses(Schedule((), steps), parts_of)
        kept = (
            each
            for each in (*accesses, *self.made.values())
            if each.kind != "load" or (each.value and used[each.value])
        )
        return tuple(_used(steps, used)), tuple(kept)


def _loads(value: Expression, test: Expression) -> list[Load]:
    """What a value is made of that is read under a test."""
    nodes = walk(value, parts=lambda node: node.operands if isinstance(node, (Operation, Cast)) else ())
    return [node for node in nodes if isinstance(node, Load) and any(part is test for part in conjuncts(node.mask))]


def _read_once(steps: Sequence[Step], partners: Partners, done: set[Expression]) -> Iterator[Step]:
    """The steps with each load for two before the first of them, where memory is as it was, and what is made of it before it is used."""
    for step in steps:
        if isinstance(step, Loop):
            step = replace(step, steps=tuple(_read_once(step.steps, partners, done)))
        elif isinstance(step, Define):
            for load in [partners.instead[each.value] for each in step.loads if each.value in partners.instead]:
                if load not in done:
                    access = partners.made[load]
                    values = tuple(partners.with_(value, partners.instead) for value in step.values)
                    yield Define(step.line, ("place",), access.index.expressions(), ())
                    yield Define(step.line, ("partner",), values, (access,))
                    done.update((load, *values))
            under = {*walk(*step.values)}
            for value in [value for value in partners.values if value in under and value not in done]:
                done.add(value)
                yield Define(step.line, ("value",), (value,), ())
        yield step


def _used(steps: Sequence[Step], used: Collection[Expression]) -> Iterator[Step]:
    """The steps less the loads that nothing takes."""
    for step in steps:
        if isinstance(step, Loop):
            yield replace(step, steps=tuple(_used(step.steps, used)))
        elif not isinstance(step, Define) or not step.loads or any(value in used for value in step.values):
            yield step
