"""Whole numbers of which a kernel asks nothing: any number of their dtype is valid, zero, negative and huge ones too.

tmp1 = tmp0 * 3 + 1                   any number
tmp1 = sort(tmp0)                     any number: it is only compared
tmp1 = tmp0 == x0                     the places of x0, or chance would hardly ever meet one
tmp1 = 1000 // tmp0                   a divisor: something is asked
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import named, number, wrapped
from inductor_lab.computation.index import Index
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
from inductor_lab.eject.inputs.intervals import Bounds, Interval, exactly


def hashed(found: Computation) -> set[str]:
    """The pointers of which only remainders are used, `(id + 1) % rows`."""
    inside, outside = set[str](), set[str]()
    for job in found.every():
        waiting = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        waiting += [check.condition for check in job.checks]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            said = named(node)
            if said is not None and said[0] == "remainder":
                inside |= pointers(said[1][0])
                waiting += said[1][1:]
                continue
            outside |= {node.pointer} if isinstance(node, Load) else set()
            waiting += node.operands
    return inside - outside


DIVISIONS = {"floordiv", "floor_divide", "mod", "remainder"}

Divides = Callable[[str, tuple[int, int]], bool]
"""Whether no division is by 0 while a pointer holds a range of numbers."""


def divisions(job: Computation) -> Iterator[tuple[Expression, Expression]]:
    """What is divided by what, in whole numbers."""
    roots = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
    for node in walk(*roots):
        if _divides(node):
            left, right = node.operands
            yield left, right


def dividing(found: Computation) -> set[str]:
    """The pointers whose numbers divide."""
    return made_of(right for job in found.every() for _, right in divisions(job))


def divisors(
    found: Computation,
    bounds: Callable[[Computation], Bounds],
    inside: Inside,
    usual: Mapping[str, tuple[int, int]],
    divides: Divides,
) -> dict[str, tuple[int, ...]]:
    """Pointer -> its numbers, where it may hold more than positive ones.

    Args:
        usual: Pointer -> the range of the usual numbers of its dtype.
    """
    free = unasked(found, bounds, inside, _asking)
    fills: dict[str, tuple[int, ...]] = {}
    for pointer in sorted(dividing(found)):
        least, end = usual[pointer]
        if free.get(pointer, exactly(0)) is not None or not divides(pointer, (1, end)):
            continue  # something else is asked, or it is compared with places
        negative, zero = least < 0 and divides(pointer, (least, 0)), divides(pointer, (0, 1))
        if negative and zero and not _by_minus_one(found, bounds, pointer, least):
            fills[pointer] = (least, end)
        elif negative or zero:
            others = (-2, -3, least) if negative else ()
            fills[pointer] = (0, end, *others) if zero else (1, end - 1, *others)
    return fills


def _by_minus_one(found: Computation, bounds: Callable[[Computation], Bounds], pointer: str, least: int) -> bool:
    """Whether a negative number of a tensor may come to a division by -1."""
    for job in found.every():
        known = replace(bounds(job), loads={pointer: Interval(least, -1)}, found={})
        if any(pointer in made_of([right]) and known.of(right).holds(-1) for _, right in divisions(job)):
            return True
    return False


def _asking(node: Expression) -> tuple[Expression, ...]:
    """The operands of which something else is asked than to divide."""
    return () if _divides(node) else asking(node)


def _divides(node: Expression) -> bool:
    return (
        isinstance(node, Operation)
        and node.name in DIVISIONS
        and len(node.inputs) == 2
        and all("int" in operand.dtype for operand in node.inputs)
    )


COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


def compared(found: Computation) -> dict[str, dict[int, bool]]:
    """Pointer -> those numbers, and where it is asked which is larger the ones beside them: True for what is told from all others (`==`, `!=`).

    Not the 0 below which an index counts from the end: eager's own functions take no such index.
    """
    numbers: dict[str, dict[int, bool]] = {}
    for job in found.every():
        roots = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        nodes = list(walk(*roots))
        from_the_end = {
            id(node.inputs[0]) for node in nodes if isinstance(node, Operation) and wrapped(node) is not None
        }
        for node in nodes:
            if isinstance(node, Operation) and node.name in COMPARISONS and id(node) not in from_the_end:
                for one, other in (node.inputs, node.inputs[::-1]):
                    load, value = loaded(one), number(other)
                    if load is None or value is None or value % 1:
                        continue
                    told = numbers.setdefault(load.pointer, {})
                    equal = node.name in {
                        "eq",
                        "ne",
                    }  # its neighbours say no more, and may be what eager refuses: a label of -101
                    for near in (0,) if equal else (-1, 0, 1):
                        told[int(value) + near] = told.get(int(value) + near, False) or equal
    return numbers


def fits(value: int, dtype: str) -> bool:
    """Whether an integer dtype holds a number: `uint8`, `int64`."""
    bits = int(dtype.lstrip("uint"))
    return 0 <= value < 1 << bits if dtype.startswith("u") else -(1 << bits - 1) <= value < 1 << bits - 1


def loaded(value: Expression) -> Load | None:
    """The whole number as it was loaded; None where anything was done to it."""
    value = plain(value)
    while isinstance(value, Cast) and "int" in value.dtype:
        value = plain(value.operand)
    return value if isinstance(value, Load) and "int" in value.dtype else None


ASKS_NOTHING = {"add", "sub", "mul", "neg", "abs", "where", "maximum", "minimum", "fmax", "fmin", "and", "or", "xor", "not"}  # fmt: skip
"""Operators that take every number."""
DIVIDED = {"div", "floordiv", "floor_divide", "mod", "remainder", "shift_left", "shift_right"}
"""Those that take every number on their left."""
FOLDS = {"sum", "prod", "max", "min", "any", "xor", "argmax", "argmin"}
"""Folds that take every number: a sum and a product of whole ones wrap around."""

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
        case Operation(name=name) if name in ASKS_NOTHING or name in COMPARISONS:
            return ()
        case Operation(name=name, inputs=(_, right)) if name in DIVIDED:
            return (right,)
        case Reduction(name=name) | Scan(name=name) if name in FOLDS or name.startswith("sort"):
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
