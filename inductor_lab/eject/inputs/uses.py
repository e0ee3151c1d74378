"""How a kernel uses the integers that it loads: as divisors, in comparisons, in sorts, or with no demand at all.

tmp1 = tmp0 * 3 + 1                   nothing is asked: zero, negative and huge ones are valid too
tmp1 = sort(tmp0)                     nothing: it is only compared
tmp1 = tmp0 == x0                     the places of x0, or chance would hardly ever meet one
tmp1 = 1000 // tmp0                   a divisor: not 0
tmp1 = tl.where(tmp0 != -100, ...)    -100, which tells an element from all others
tmp1 = tl.where(tmp0 > 5, 1, 0)       4, 5 and 6, or no check ever takes that branch
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import named, number, wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.intervals import Interval
from inductor_lab.computation.operators import COMPARISONS, DIVISIONS, TABLE
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
from inductor_lab.eject.inputs.intervals import Allocation, Bounds

SIGNED, WHOLE = ("int",), ("int", "uint")
"""What integer dtypes begin with."""

Restricting = Callable[[Expression], tuple[Expression, ...]]
"""The operands of a node of which something is asked."""


def uncast(value: Expression, dtypes: tuple[str, ...] = WHOLE) -> Expression:
    """The value behind changes between integer dtypes, and behind what changes neither it nor its place."""
    value = plain(value)
    while isinstance(value, Cast) and value.dtype.startswith(dtypes):
        value = plain(value.operand)
    return value


def loaded(value: Expression, dtypes: tuple[str, ...] = WHOLE) -> Load | None:
    """The whole number as it was loaded; None where anything was done to it."""
    value = uncast(value, dtypes)
    return value if isinstance(value, Load) and value.dtype.startswith(dtypes) else None


# ------------------------------------------------------------ whether anything is asked


def restricted(node: Expression) -> tuple[Expression, ...]:
    """The operands of a node of which something is asked: any other may be any number of its dtype."""
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


def unrestricted(
    found: Computation, allocation: Allocation, restricted: Restricting = restricted
) -> dict[str, Interval | None]:
    """The pointers whose whole numbers may be any, since no address, mask or check depends on them and what is done to them is defined
    for all; with the places that they are compared with, where they are."""
    free, asked = dict[str, Interval | None](), set[str]()
    for job in found.every():
        known = allocation.bounds(job)
        if job.unknown or not all(map(_followed, job.nodes)):
            return {}
        for node in job.nodes:
            if isinstance(node, Load) and "int" in node.dtype:
                free.setdefault(node.pointer)
        asked |= pointers(*_deciding(job, known, allocation))
        asked |= made_of(value for node in job.nodes for value in restricted(node))
        for pointer, room in _places(job, known):
            free[pointer] = room.union(free[pointer] or room)
    return {pointer: room for pointer, room in free.items() if pointer not in asked}


def _followed(node: Expression) -> bool:
    """Whether it is known what becomes of a value."""
    return not isinstance(node, Unknown | Carried) and (not isinstance(node, Load) or node.index is not None)


def _deciding(job: Computation, bounds: Bounds, allocation: Allocation) -> Iterator[Expression]:
    """What decides whether memory is touched, and where unless that is inside anyhow."""
    yield from (check.condition for check in job.checks if not bounds.decided(check.condition))
    touched: list[tuple[str, Index, Expression | None]] = [(a.pointer, a.index, a.mask) for a in job.stores]
    touched += [(n.pointer, n.index, n.mask) for n in job.nodes if isinstance(n, Load) and n.index is not None]
    for pointer, index, mask in touched:
        yield from () if mask is None else (mask,)
        yield from () if allocation.inside(bounds, pointer, index) else index.expressions()


def made_of(values: Iterable[Expression]) -> set[str]:
    """The pointers whose numbers are in some values; not those that only decide by a comparison which one it is."""

    def into(node: Expression) -> tuple[Expression, ...]:
        return () if isinstance(node, Operation) and node.name in COMPARISONS else node.operands

    return {node.pointer for node in walk(*values, parts=into) if isinstance(node, Load)}


def _places(job: Computation, bounds: Bounds) -> Iterator[tuple[str, Interval]]:
    """The places that a tensor's elements are compared with; a length may be all of them."""
    for node in job.nodes:
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


# ------------------------------------------------------------ divisions and remainders


def divisions(job: Computation) -> Iterator[tuple[Expression, Expression]]:
    """What is divided by what, in whole numbers."""
    for node in job.nodes:
        if _divides(node):
            left, right = node.operands
            yield left, right


def dividing(found: Computation) -> set[str]:
    """The pointers whose numbers divide."""
    return made_of(right for job in found.every() for _, right in divisions(job))


def restricted_otherwise(node: Expression) -> tuple[Expression, ...]:
    """The operands of which something else is asked than to divide."""
    return () if _divides(node) else restricted(node)


def _divides(node: Expression) -> bool:
    return (
        isinstance(node, Operation)
        and node.name in DIVISIONS
        and len(node.inputs) == 2
        and all("int" in operand.dtype for operand in node.inputs)
    )


def hashed(found: Computation) -> set[str]:
    """The pointers of which only remainders are used, `(id + 1) % rows`: a negative number has one too."""
    inside = set[str]()

    def into(node: Expression) -> tuple[Expression, ...]:
        said = named(node)
        if said is None or said[0] != "remainder":
            return node.operands
        inside.update(pointers(said[1][0]))
        return said[1][1:]

    roots = [root for job in found.every() for root in (*job.roots, *(check.condition for check in job.checks))]
    outside = {node.pointer for node in walk(*roots, parts=into) if isinstance(node, Load)}
    return inside - outside


# ------------------------------------------------------------ comparisons


def compared(found: Computation) -> dict[str, dict[int, bool]]:
    """Pointer -> the numbers that its elements are compared with, and where it is asked which is larger the ones beside them: True for what is
    told from all others (`==`, `!=`).

    Not the 0 below which an index counts from the end: eager's own functions take no such index.
    """
    numbers: dict[str, dict[int, bool]] = {}
    for job in found.every():
        wraps = {id(node.operands[0]) for node in job.nodes if wrapped(node) is not None}
        for node in job.nodes:
            if not isinstance(node, Operation) or node.name not in COMPARISONS or id(node) in wraps:
                continue
            equal = node.name in {
                "eq",
                "ne",
            }  # its neighbours say no more, and may be what eager refuses: a label of -101
            for one, other in (node.inputs, node.inputs[::-1]):
                load, value = loaded(one), number(other)
                if load is None or value is None or value % 1:
                    continue
                told = numbers.setdefault(load.pointer, {})
                for near in (0,) if equal else (-1, 0, 1):
                    told[int(value) + near] = told.get(int(value) + near, False) or equal
    return numbers


def wraps(found: Computation, allocation: Allocation) -> dict[str, set[int | None]]:
    """Pointer -> the sizes that what it holds is wrapped round, where(i < 0, i + n, i), wherever it is used; None for any other use."""
    used: dict[str, set[int | None]] = {}
    for job in found.every():
        known = allocation.bounds(job)
        roots = [*job.roots, *(check.condition for check in job.checks)]
        nodes = list(walk(*roots))
        around = {id(node): _size(node, known) for node in nodes if wrapped(node) is not None}
        parts = {id(part): around[id(node)] for node in nodes if id(node) in around for part in node.operands[:2]}
        users: list[tuple[Expression | None, Expression]] = [(None, root) for root in roots]
        users += [(node, operand) for node in nodes for operand in node.operands]
        for user, value in users:
            load = loaded(value, SIGNED)
            if (
                isinstance(user, Operation)
                and user.name in {"eq", "ne"}
                and any(number(x) is not None for x in user.inputs)
            ):
                continue  # what is told from all others, a padding of -1, is so as it was loaded
            if load is not None and (isinstance(user, Load) or user is None or loaded(user, SIGNED) is None):
                used.setdefault(load.pointer, set()).add((parts | around).get(id(user)))
            elif id(value) in parts and id(user) not in around:  # what else `i < 0` decides
                for other in value.operands:
                    if (load := loaded(other, SIGNED)) is not None:
                        used.setdefault(load.pointer, set()).add(None)
    return used


def _size(wrap: Expression, bounds: Bounds) -> int | None:
    """`n` of where(i < 0, i + n, i)."""
    room = bounds.of(wrap.operands[1].operands[1])
    return int(room.low) if room.known and room.low == room.high else None
