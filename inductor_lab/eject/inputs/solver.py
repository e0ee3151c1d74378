"""What a kernel's tensors must hold so that it can run: drawn from the tree.

    tl.load(in_ptr1 + (x0 + 75*tmp4))      of f32[50, 75], tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [0, 50)

Whole numbers that decide an address stay inside the dimension that they choose from, and some are what the kernel compares them with; what
stands under a root or a logarithm, or divides floats, is positive, and no whole number is divided by 0. Everything else is a normal number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Mapping
from functools import partial

from inductor_lab.bind.made_of import operator
from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, Random, Reduction, Scan, pointers, walk
from inductor_lab.eject.inputs.allocation import Reach, addresses, bound_names, stays, valid
from inductor_lab.eject.inputs.domain import MOST, Fill, fill, usual
from inductor_lab.eject.inputs.intervals import Bounds, Interval, exactly
from inductor_lab.eject.inputs.requirements import TRIED, WORDS, Addressing, Domains, Required, longest
from inductor_lab.eject.inputs.uses import compared, dividing, divisors, fits, hashed, unasked
from inductor_lab.records import Kernel, TensorType

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


FEW = 64
"""Numbers of a range that chance alone draws each."""


def with_compared(
    found: Computation,
    reach: Reach,
    fills: Mapping[str, Fill],
    dtypes: Mapping[str, str],
    asked: Container[str],
    told: Mapping[str, Mapping[int, bool]],
) -> dict[str, Fill]:
    """The fills with those numbers. Outside of its range an element may be one that a condition keeps from every address.

    Args:
        asked: Pointers of which something is asked.
        told: Pointer -> the numbers, and whether each is told from all others.
    """
    made = dict(fills)
    for pointer, numbers in told.items():
        for value, alone in sorted(numbers.items()):
            fill = made.get(pointer)
            if not isinstance(fill, tuple) or not fits(value, dtypes[pointer]):
                continue
            more: Fill = (*fill, value)
            if fill[0] <= value < fill[1]:  # the edge values are the ends
                made[pointer] = more if fill[1] - fill[0] > FEW and value not in (fill[0], fill[1] - 1) else fill
            elif pointer not in asked or (alone and valid(found, reach, {**made, pointer: more}, pointer)):
                made[pointer] = more
    return made


def narrow(job: Computation, reach: Reach, fills: dict[str, Fill]) -> None:
    """Narrow the fills that still lead outside."""
    free = reach.bounds(job)
    sizes = free.sizes
    for pointer, index in addresses(job):
        last = reach.last(pointer, free)
        for chosen in sorted(pointers(*index.expressions())):
            fill = fills.get(chosen)
            if last is None or not isinstance(fill, tuple):
                continue
            known = {p: Interval(f[0], f[1] - 1) for p, f in fills.items() if isinstance(f, tuple)}
            if stays(Bounds(job.numel, sizes, known), index, last):
                break
            job_bounds = [Bounds(job.numel, sizes, known | {chosen: exactly(value)}) for value in range(TRIED)]
            valid = [value for value, bounds in enumerate(job_bounds) if stays(bounds, index, last)]
            valid = [value for value in valid if fill[0] <= value < fill[1]] or valid
            if valid:
                first, end = longest(valid)
                if end == TRIED:
                    leaves = partial(_leaves, job, sizes, known, chosen, index, last, first)
                    end += max(bisect_left(range(end, fill[1] + 1), True, key=leaves) - 1, 0)
                fills[chosen] = first, end


def _leaves(
    job: Computation,
    sizes: Mapping[str, int],
    known: Mapping[str, Interval],
    chosen: str,
    index: Index,
    last: int,
    first: int,
    end: int,
) -> bool:
    """Whether some value of `range(first, end)` may lead outside."""
    bounds = Bounds(job.numel, sizes, {**known, chosen: Interval(first, end - 1)})
    return not stays(bounds, index, last)


def inputs(
    found: Computation, tensors: Mapping[str, TensorType | None], sizes: Mapping[str, int] | None = None
) -> dict[str, Fill]:
    """Pointer -> valid values of everything that the kernel reads.

    Args:
        tensors: Pointer -> its type, as the launch passes it.
        sizes: `ks0`, `s77` -> a number, where sizes are symbolic.
    """
    reach = Reach(tensors, sizes or {})
    wanted: dict[str, Interval] = {}
    words: dict[str, str] = {}
    for job in found.every():
        _ask(job, reach, wanted, words)
    dtypes = _dtypes(found, tensors)
    fills = {pointer: fill(dtype, wanted.get(pointer), words.get(pointer)) for pointer, dtype in dtypes.items()}
    for job in found.every():
        narrow(job, reach, fills)
    told = compared(found)
    fills |= _unasked(found, reach, dtypes, {*wanted, *words}, told)
    fills |= _divisors(found, reach, dtypes, fills)
    fills = with_compared(found, reach, fills, dtypes, {*wanted, *words, *dividing(found)}, told)
    return fills | _hashed(found, reach, dtypes, fills)


def _ask(job: Computation, reach: Reach, wanted: dict[str, Interval], words: dict[str, str]) -> None:
    """What one job asks of its tensors, by pointer: the whole numbers that are wanted, and words."""
    required, domains = Required(reach.bounds(job), wanted), Domains(words)
    addressing = Addressing(job, reach, required)
    for check in job.checks:
        required.holds(check.condition)
    stores = job.stores
    roots = [part for a in stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
    for access in stores:
        addressing.address(access.pointer, access.index)
    for node in walk(*roots):
        match node:
            case Load(pointer=pointer, index=Index() as index):
                addressing.address(pointer, index)
            case Operation(name="bucketize", inputs=(_, Load(pointer=pointer), *_)):
                words[pointer] = "sorted"
            case Operation(name=name, inputs=inputs_) if name in TABLE and TABLE[name].domain:
                domain = TABLE[name].domain
                if domain == "divisor":
                    domains.domain(inputs_[-1], "positive")
                else:
                    domains.domain(inputs_[0], WORDS[domain])
            case (
                Reduction(name="welford" | "prod", inputs=(value, *parts))
                | Scan(name="sum" | "prod", inputs=(value, *parts))
            ):
                for part in parts:
                    domains.domain(part, "count")
                domains.finite(value)
            case Operation(name="pow", inputs=(base, power)) if (number(power) or 0.5) % 1:
                domains.domain(base, "positive")
            case Random(inputs=(seed, *_)):
                required.inside(seed, Interval(1, 2**31 - 1))
                for bound in node.inputs[2:]:
                    required.inside(bound, Interval(0, MOST))


def _dtypes(found: Computation, tensors: Mapping[str, TensorType | None]) -> dict[str, str]:
    """The dtype of every tensor that the kernel touches: as it is loaded, else as the launch passes it."""
    dtypes: dict[str, str] = {}
    for job in found.every():
        for access in job.accesses:
            dtypes.setdefault(access.pointer, "")
            for node in walk(*(part for part in (access.value, access.mask, *access.index.expressions()) if part)):
                if isinstance(node, Load):
                    dtypes[node.pointer] = node.dtype
    passed = {pointer: type_.dtype for pointer, type_ in tensors.items() if type_ is not None}
    return {pointer: dtype or passed.get(pointer, "") for pointer, dtype in dtypes.items()}


def _unasked(
    found: Computation, reach: Reach, dtypes: Mapping[str, str], asked: Container[str], told: Container[str]
) -> dict[str, Fill]:
    """The whole numbers of which nothing is asked: any, a range where numbers that they are compared with are told besides."""
    fills: dict[str, Fill] = {}
    for pointer, room in unasked(found, reach.bounds, reach.inside).items():
        if pointer not in asked:
            wide: Fill = usual(dtypes[pointer]) if pointer in told else "any"
            fills[pointer] = (int(room.low), int(room.high) + 1) if room is not None else wide
    return fills


def _divisors(
    found: Computation, reach: Reach, dtypes: Mapping[str, str], fills: Mapping[str, Fill]
) -> dict[str, Fill]:
    """The whole numbers that divide, where they may be more than positive."""

    def divides(pointer: str, room: tuple[int, int]) -> bool:
        return valid(found, reach, {**fills, pointer: room}, pointer)

    ranges = {pointer: usual(dtypes[pointer]) for pointer in dividing(found)}
    return {**divisors(found, reach.bounds, reach.inside, ranges, divides)}


def _hashed(found: Computation, reach: Reach, dtypes: Mapping[str, str], fills: Mapping[str, Fill]) -> dict[str, Fill]:
    """Both signs, where only remainders of a tensor's numbers are used."""
    made = dict(fills)
    for pointer in sorted(hashed(found)):
        one = made.get(pointer)
        if not isinstance(one, tuple) or one[0] != 0 or len(one) > 2 or dtypes[pointer].startswith("uint"):
            continue
        both: Fill = (1 - one[1], one[1])
        if valid(found, reach, {**made, pointer: both}, pointer):
            made[pointer] = both
    return made
