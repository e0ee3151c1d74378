"""Whole numbers of which a kernel asks nothing: any number of their dtype is valid, zero, negative and huge ones too.

tmp1 = tmp0 * 3 + 1                   any number
tmp1 = sort(tmp0)                     any number: it is only compared
tmp1 = tmp0 == x0                     the places of x0, or chance would hardly ever meet one
tmp1 = 1000 // tmp0                   a divisor: something is asked
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from inductor_lab.computation.folds import plain
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import COMPARISONS, TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Operation,
    Reduction,
    Scan,
    Unknown,
    pointers,
    walk,
)
from inductor_lab.eject.compared import loaded
from inductor_lab.eject.intervals import Bounds, Interval

Inside = Callable[[Bounds, str, Index], bool]
"""Whether an address stays inside a tensor, whatever is loaded."""
Asking = Callable[[Expression], tuple[Expression, ...]]
"""The operands of a node of which something is asked."""


def asking(node: Expression) -> tuple[Expression, ...]:
    """The operands of which something is asked."""
    match node:
        case Load() | Broadcast():
            return ()
        case Cast(operand=operand, dtype=dtype):
            return (operand,) if "int" in dtype and "float" in operand.dtype else ()
        case Operation(name=name, inputs=inputs) if name in TABLE:
            asks = TABLE[name].asks
            return () if asks == "none" else inputs[1:] if asks == "right" else inputs
        case Reduction(name=name) | Scan(name=name) if name.startswith("sort") or (
            name in TABLE and TABLE[name].asks == "none"
        ):  # a sum and a product of whole numbers wrap around
            return ()
    return node.operands


def unasked(
    found: Computation, bounds: Callable[[Computation], Bounds], inside: Inside, asking: Asking = asking
) -> dict[str, Interval | None]:
    """The pointers whose whole numbers may be any, since no address, mask or check depends on them and what is done to them is defined
    for all; with the places that they are compared with, where they are."""
    free, asked = dict[str, Interval | None](), set[str]()
    for job in found.every():
        nodes, known = list(walk(*_roots(job))), bounds(job)
        if job.unknown or not all(map(_followed, nodes)):
            return {}
        free |= {node.pointer: None for node in nodes if isinstance(node, Load) and "int" in node.dtype} | free
        asked |= pointers(*_deciding(job, nodes, known, inside))
        asked |= made_of(value for node in nodes for value in asking(node))
        for pointer, room in _places(nodes, known):
            free[pointer] = room.union(free[pointer] or room)
    return {pointer: room for pointer, room in free.items() if pointer not in asked}


def _roots(job: Computation) -> list[Expression]:
    return [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]


def _followed(node: Expression) -> bool:
    """Whether it is known what becomes of a value."""
    return not isinstance(node, Unknown | Carried) and (not isinstance(node, Load) or node.index is not None)


def _deciding(job: Computation, nodes: Iterable[Expression], bounds: Bounds, inside: Inside) -> Iterator[Expression]:
    """What decides whether memory is touched, and where unless that is inside anyhow."""
    yield from (check.condition for check in job.checks if not bounds.decided(check.condition))
    touched: list[tuple[str, Index, Expression | None]] = [(a.pointer, a.index, a.mask) for a in job.stores]
    touched += [(n.pointer, n.index, n.mask) for n in nodes if isinstance(n, Load) and n.index is not None]
    for pointer, index, mask in touched:
        yield from () if mask is None else (mask,)
        yield from () if inside(bounds, pointer, index) else index.expressions()


def made_of(values: Iterable[Expression]) -> set[str]:
    """The pointers whose numbers are in some values; not those that only decide by a comparison which one it is."""
    waiting, seen, made = list(values), set[int](), set[str]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or (isinstance(node, Operation) and node.name in COMPARISONS):
            continue
        seen.add(id(node))
        made |= {node.pointer} if isinstance(node, Load) else set()
        waiting.extend(node.operands)
    return made


def _places(nodes: Iterable[Expression], bounds: Bounds) -> Iterator[tuple[str, Interval]]:
    """The places that a tensor's elements are compared with; a length may be all of them."""
    for node in nodes:
        if not isinstance(node, Operation) or node.name not in COMPARISONS:
            continue
        for one, other in (node.inputs, node.inputs[::-1]):
            room = bounds.of(other)
            if not pointers(other) and room.known and room.low < room.high:
                for load in _chosen(one):
                    yield load.pointer, Interval(room.low, room.high + (node.name not in {"eq", "ne"}))


def _chosen(value: Expression) -> list[Load]:
    """What is loaded, also where another number stands in for some: where(label != -100, label, 0)."""
    value = plain(value)
    parts = value.inputs[1:] if isinstance(value, Operation) and value.name == "where" else (value,)
    return [load for part in parts if (load := loaded(part)) is not None]
