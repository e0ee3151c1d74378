"""Indices that count from the end where they are negative, as PyTorch's own indexing takes them: drawn from both sides of 0.

    table[ids]      tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [-50, 50)

`gather`, `scatter_add` and `embedding` take none, so inputs hold none where the graph names one of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.bind.dependencies import operator
from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, walk
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.intervals import Bounds
from inductor_lab.eject.reach import bound_names
from inductor_lab.records import Kernel

INDEXING = {"index", "_unsafe_index", "index_put", "index_put_", "_unsafe_index_put"}
"""Operators that take an index as PyTorch's own indexing does."""
OTHERS = {"embedding", "gather", "index_add", "index_select", "scatter", "scatter_add", "scatter_reduce"}
"""Those that take no negative one."""


def from_the_end(
    kernel: Kernel, found: Computation, fills: Mapping[str, Fill], sizes: Mapping[str, int]
) -> dict[str, Fill]:
    """Pointer -> a range from `-n` on, of those that `fills` draws from all places of a dimension and the kernel wraps round it."""
    named = {operator(node) for node in kernel.claim.fragment}
    if not named & INDEXING or named & OTHERS:
        return {}
    made: dict[str, Fill] = {}
    for pointer, around in _around(found, sizes).items():
        (size, *others), fill = around, fills.get(pointer)
        if size is None or others or not isinstance(fill, tuple) or fill[:2] != (0, size):
            continue
        if all(-size <= sentinel < size for sentinel in fill[2:]):
            made[pointer] = (-size, size, *fill[2:])
    return made


def _around(found: Computation, sizes: Mapping[str, int]) -> dict[str, set[int | None]]:
    """Pointer -> the sizes that what it holds is wrapped round, wherever it is used; None for any other use."""
    used: dict[str, set[int | None]] = {}
    for job in found.every():
        bounds = Bounds(job.numel, bound_names(job, sizes))
        roots = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        roots += [check.condition for check in job.checks]
        nodes = list(walk(*roots))
        around = {id(node): _size(node, bounds) for node in nodes if wrapped(node) is not None}
        parts = {id(part): around[id(node)] for node in nodes if id(node) in around for part in node.operands[:2]}
        uses: list[tuple[Expression | None, Expression]] = [(None, root) for root in roots]
        uses += [(node, operand) for node in nodes for operand in node.operands]
        for user, value in uses:
            load = _loaded(value)
            if (
                isinstance(user, Operation)
                and user.name in {"eq", "ne"}
                and any(number(x) is not None for x in user.inputs)
            ):
                continue  # what is told from all others, a padding of -1, is so as it was loaded
            if load is not None and (isinstance(user, Load) or user is None or _loaded(user) is None):
                used.setdefault(load.pointer, set()).add((parts | around).get(id(user)))
            elif id(value) in parts and id(user) not in around:  # what else `i < 0` decides
                for other in filter(None, map(_loaded, value.operands)):
                    used.setdefault(other.pointer, set()).add(None)
    return used


def _size(wrap: Expression, bounds: Bounds) -> int | None:
    """`n` of where(i < 0, i + n, i)."""
    room = bounds.of(wrap.operands[1].operands[1])
    return int(room.low) if room.known and room.low == room.high else None


def _loaded(value: Expression) -> Load | None:
    """The signed number as it was loaded; None where anything was done to it."""
    value = plain(value)
    while isinstance(value, Cast) and value.dtype.startswith("int"):
        value = plain(value.operand)
    return value if isinstance(value, Load) and value.dtype.startswith("int") else None
