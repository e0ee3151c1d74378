"""Expressions over the model's names, whole where they are short, else cut into named parts: `f(a) * a where a = x + bias`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import Constant, Expression, Load, Operation, Reduction, walk

LONGEST = 110
MOST_PARTS = 3
PART = (10, 48)
"""Characters of a part that gets a name of its own, at least and at most."""
NAMES = "abc"


@dataclass(frozen=True)
class Written:
    """An expression as text."""

    text: str
    how: str
    """`whole`, `parts`, `cut`."""


def written(job: Computation, called: Mapping[str, str], short: int) -> Written:
    """What a job stores; several stores one after the other."""
    stores = [store for store in job.stores if store.value is not None]
    known = _stored(job, stores, called)
    texts = [_store(job, store, called, known, len(stores) > 1) for store in stores]
    whole = "; ".join(texts)
    if len(whole) <= max(short, LONGEST // 2 * min(len(stores), 2)) and all(
        _complete(job, store, called, known) for store in stores
    ):
        return Written(whole, "whole")
    chief = max(stores, key=lambda store: sum(1 for _ in walk(_value(store))))
    parts = _parts(job, _value(chief), called)
    more = f"; and {len(stores) - 1} more" if len(stores) > 1 else ""
    if parts is not None:
        return Written(parts + more, "parts" if not more else "cut")
    return Written(Writer(job, None, called).text(_value(chief), LONGEST) + more, "cut")


def _value(store: Access) -> Expression:
    assert store.value is not None
    return store.value


def _stored(job: Computation, stores: list[Access], called: Mapping[str, str]) -> dict[Expression, str]:
    """What other stores hold is called by what they are stored in."""
    plain = [store for store in stores if store.kind == "store" and not store.gathered]
    kept = [store for store in plain if not isinstance(seen(_value(store)), (Load, Constant))]
    return {seen(_value(store)): called.get(store.pointer, store.pointer) for store in reversed(kept)}


def _store(
    job: Computation, store: Access, called: Mapping[str, str], known: dict[Expression, str], several: bool
) -> str:
    shown = {value: name for value, name in known.items() if value is not seen(_value(store))}
    text = Writer(job, shown, called).text(_value(store))
    target = called.get(store.pointer, store.pointer)
    if store.gathered or store.kind != "store":
        writer = Writer(job, None, called)
        target += f"[{', '.join(writer.text(each, 30) for each in store.index.expressions())}]"
        return f"{target} {'+=' if store.kind == 'atomic_add' else '='} {text}"
    return f"{target} = {text}" if several else text


def _complete(job: Computation, store: Access, called: Mapping[str, str], known: dict[Expression, str]) -> bool:
    return Writer(job, None, called).fits(_value(store), 10**6)


def _parts(job: Computation, value: Expression, called: Mapping[str, str]) -> str | None:
    """The whole expression with some of its parts named; None where it stays too long."""
    shown: dict[Expression, str] = {}
    order: list[Expression] = []
    for name in NAMES[:MOST_PARTS]:
        writer = Writer(job, shown, called)
        if writer.fits(value, LONGEST - sum(len(_part(job, part, shown, called)) for part in order)):
            break
        best = _best(writer, value, shown)
        if best is None:
            return None
        shown[best] = name
        order.append(best)
    writer = Writer(job, shown, called)
    if not writer.fits(value, LONGEST):
        return None
    text = writer.text(value)
    if text in shown.values():
        return None
    used = [
        part
        for part in order
        if any(shown[part] in each for each in (text, *(_part(job, other, shown, called) for other in order)))
    ]
    told = ", ".join(_part(job, part, shown, called) for part in used)
    whole = f"{text} where {told}" if told else text
    return whole if len(whole) <= LONGEST + 50 else None


def _part(job: Computation, part: Expression, shown: Mapping[Expression, str], called: Mapping[str, str]) -> str:
    return f"{shown[part]} = {Writer(job, shown, called).text(part, but=part)}"


def _best(writer: Writer, value: Expression, shown: Mapping[Expression, str]) -> Expression | None:
    """The part whose name saves most: long, and read often."""
    counts: Counter[Expression] = Counter()
    for node in walk(value):
        counts.update(seen(operand) for operand in node.operands)
    best, saved = None, 0
    for node, count in counts.items():
        if not isinstance(node, (Operation, Reduction)) or node in shown or node is seen(value):
            continue
        if not writer.fits(node, PART[1]):
            continue
        length = len(writer.text(node))
        if length >= PART[0] and length * count - length // 2 > saved:
            best, saved = node, length * count - length // 2
    return best
