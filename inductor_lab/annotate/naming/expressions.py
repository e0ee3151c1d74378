"""Expressions over the model's names, whole where they are short, else cut into named parts: `f(a) * a where a = x + bias`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.idioms import holds, seen
from inductor_lab.computation.naming.stores import order
from inductor_lab.computation.text import Writer, held, renewed
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
    stores = [(store, store.value) for store in job.stores if store.value is not None]

    def name(store: Access) -> str:
        return (renewed if job.overwrites(store) else held)(store.pointer, called)

    loads = {part for _, value in stores for part in walk(value) if isinstance(part, Load)}
    again = {load: name(store) for load in loads if (store := job.stored(load))}
    computed = [
        (seen(value), name(store))
        for store, value in reversed(stores)
        if holds(store) and not isinstance(seen(value), (Load, Constant))
    ]
    texts = []
    for store, value in stores:
        others = again | {one: name for one, name in computed if one is not seen(value)}
        text = Writer(job, others, called).text(value)
        text = f"{how}({text})" if (how := _turned(job, store)) else text
        target = _place(job, store, called) if _elsewhere(store) else f"{name(store)} =" if len(stores) > 1 else ""
        texts.append(f"{target} {text}".lstrip())
    whole = "; ".join(texts)
    complete = all(Writer(job, None, called).fits(value, 10**6) for _, value in stores)
    if complete and len(whole) <= max(short, LONGEST // 2 * min(len(stores), 2)):
        return Written(whole, "whole")
    chief = max((value for _, value in stores), key=lambda value: sum(1 for _ in walk(value)))
    more = f"; and {len(stores) - 1} more" if len(stores) > 1 else ""
    parts = _parts(job, chief, called)
    if parts is not None:
        return Written(parts + more, "parts" if not more else "cut")
    return Written(Writer(job, None, called).text(chief, LONGEST) + more, "cut")


def _turned(job: Computation, store: Access) -> str:
    """`transpose` or `permute`, of what is stored as it is loaded, in another order."""
    value = seen(store.value) if store.value is not None else None
    how = order(value.index, store.index, job) if isinstance(value, Load) and not _elsewhere(store) else ""
    return how if how in {"transpose", "permute"} else ""


def _elsewhere(store: Access) -> bool:
    return bool(store.gathered) or store.kind != "store"


def _place(job: Computation, store: Access, called: Mapping[str, str]) -> str:
    """`table[index] +=`."""
    writer = Writer(job, None, called)
    where = ", ".join(writer.text(each, 30) for each in store.index.expressions())
    return f"{held(store.pointer, called)}[{where}] {'+=' if store.kind == 'atomic_add' else '='}"


def _parts(job: Computation, value: Expression, called: Mapping[str, str]) -> str | None:
    """The whole expression with some of its parts named; None where it stays too long."""
    shown: dict[Expression, str] = {}

    def told() -> list[str]:
        return [f"{name} = {Writer(job, shown, called).text(part, but=part)}" for part, name in shown.items()]

    for name in NAMES[:MOST_PARTS]:
        writer = Writer(job, shown, called)
        if writer.fits(value, LONGEST - sum(map(len, told()))):
            break
        best = _best(writer, value, shown, "; ".join([writer.text(value), *told()]))
        if best is None:
            return None
        shown[best] = name
    writer = Writer(job, shown, called)
    if not writer.fits(value, LONGEST):
        return None
    text = writer.text(value)
    if text in shown.values():
        return None
    whole = f"{text} where {', '.join(told())}" if shown else text
    return whole if len(whole) <= LONGEST + 50 else None


def _best(writer: Writer, value: Expression, shown: Mapping[Expression, str], text: str) -> Expression | None:
    """The part whose name saves most: long, and read often; a mask's parts are not in the text."""
    counts: Counter[Expression] = Counter()
    for node in walk(value):
        counts.update(seen(operand) for operand in node.operands)
    best, saved = None, 0
    for node, count in counts.items():
        if not isinstance(node, (Operation, Reduction)) or node in shown or node is seen(value):
            continue
        if not writer.fits(node, PART[1]):
            continue
        part = writer.text(node)
        length = len(part)
        if length >= PART[0] and length * count - length // 2 > saved and part in text:
            best, saved = node, length * count - length // 2
    return best
