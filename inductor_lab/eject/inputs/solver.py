"""Finds the widest range of values for each tensor with which a kernel can run safely.

    tl.load(in_ptr1 + (x0 + 75*tmp4))      of f32[50, 75], tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [0, 50)

Each tensor starts with what is required of it, is narrowed while an address still leads outside, and is then widened as far as all stays
valid: to any number, to divisors of both signs, to the numbers that it is compared with, to negative numbers that only a remainder is taken of,
and to places that count from the end. Of which nothing is required is a normal number.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from inductor_lab.bind.dependencies import operator
from inductor_lab.computation.index import Index
from inductor_lab.computation.intervals import Interval, exactly
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, pointers, walk
from inductor_lab.eject.inputs.collisions import Collisions, collisions
from inductor_lab.eject.inputs.domain import Domain, domain, limits, usual
from inductor_lab.eject.inputs.intervals import Allocation, Bounds, addresses, stays
from inductor_lab.eject.inputs.requirements import requirements
from inductor_lab.eject.inputs.uses import (
    compared,
    dividing,
    divisions,
    hashed,
    made_of,
    restricted_otherwise,
    unrestricted,
    wraps,
)
from inductor_lab.records import Kernel, TensorType

FEW = 64
"""Numbers of a range that chance alone draws each."""
WAYS = 512
"""Ways to choose among the ranges and the single numbers of domains that are tried."""
TRIED = 512
"""Values of a range that are tried."""
INDEXING = {"index", "_unsafe_index", "index_put", "index_put_", "_unsafe_index_put"}
"""Operators that take an index as PyTorch's own indexing does, from the end where it is negative."""
OTHERS = {"embedding", "gather", "index_add", "index_select", "scatter", "scatter_add", "scatter_reduce"}
"""Those that take no negative one."""

Widened = Iterator[tuple[str, Domain]]
"""Pointers, each with a wider domain that is valid too."""


def inputs(
    found: Computation, tensors: Mapping[str, TensorType | None], sizes: Mapping[str, int] | None = None
) -> dict[str, Domain]:
    """Pointer -> valid values of everything that the kernel reads.

    Args:
        tensors: Pointer -> its type, as the launch passes it.
        sizes: `ks0`, `s77` -> a number, where sizes are symbolic.
    """
    return _Solver(found, Allocation(tensors, sizes or {})).solved()


def inputs_of_launch(
    kernel: Kernel, found: Computation, tensors: Mapping[str, TensorType], sizes: Mapping[str, int]
) -> tuple[dict[str, Domain], Collisions]:
    """Pointer -> valid values, with what the graph says of the kernel and what no tree tells; and which of them must differ."""
    solver = _Solver(found, Allocation(tensors, sizes))
    drawn = _untraced(kernel, tensors) | solver.solved()
    asked = collisions(found, tensors, drawn, sizes)
    drawn |= {pointer: wider for pointer, wider in solver.from_the_end(kernel) if pointer not in asked.distinct}
    for pointer in asked.distinct:
        if isinstance(one := drawn.get(pointer), tuple):
            drawn[pointer] = one[:2]
    return drawn, asked


class _Solver:
    """The domains of one kernel's tensors, by pointer."""

    def __init__(self, found: Computation, allocation: Allocation) -> None:
        self.found, self.allocation = found, allocation
        self.dtypes = _dtypes(found, allocation.tensors)
        asked = requirements(found, allocation)
        self.asked = {*asked.intervals, *asked.words}
        self.compared = compared(found)
        self.domains: dict[str, Domain] = {
            pointer: domain(dtype, asked.intervals.get(pointer), asked.words.get(pointer))
            for pointer, dtype in self.dtypes.items()
        }

    def solved(self) -> dict[str, Domain]:
        """The domains, narrowed and widened."""
        for job in self.found.every():
            self.narrow(job)
        for widened in (self.unrestricted, self.divisors, self.with_compared, self.with_negative):
            for pointer, wider in widened():
                self.domains[pointer] = wider
        return self.domains

    def valid(self, pointer: str, wider: Domain) -> bool:
        """Whether a tensor may be drawn from this, the others as they are: every address that it decides stays inside, every check of it holds and
        nothing is divided by 0, whichever numbers of their domains the elements are."""
        domains = {**self.domains, pointer: wider}
        return all(self._valid(job, pointer, domains) for job in self.found.every())

    def _valid(self, job: Computation, pointer: str, domains: Mapping[str, Domain]) -> bool:
        known = self.allocation.bounds(job)
        for target, index in addresses(job):
            decides = index.expressions()
            if pointer in pointers(*decides):
                last = self.allocation.last(target, known)
                if not all(stays(bounds, index, last) for bounds in _ways(known, domains, *decides)):
                    return False
        checks = [check.condition for check in job.checks if pointer in pointers(check.condition)]
        by = [right for _, right in divisions(job) if pointer in pointers(right)]
        return all(
            bounds.decided(condition) for condition in checks for bounds in _ways(known, domains, condition)
        ) and not any(bounds.of(right).holds(0) for right in by for bounds in _ways(known, domains, right))

    # ------------------------------------------------------------ narrowing

    def narrow(self, job: Computation) -> None:
        """What only trying tells: which numbers keep an address such as `t + 45*(t // 3) - 49` inside, where one still leads outside."""
        free = self.allocation.bounds(job)
        for pointer, index in addresses(job):
            last = self.allocation.last(pointer, free)
            for chosen in sorted(pointers(*index.expressions())) if last is not None else ():
                one = self.domains.get(chosen)
                if not isinstance(one, tuple):
                    continue
                known = {p: Interval(d[0], d[1] - 1) for p, d in self.domains.items() if isinstance(d, tuple)}
                bounds = replace(free, loads=known, found={})
                if stays(bounds, index, last):
                    break
                self.domains[chosen] = _narrowed(bounds, chosen, index, last, one)

    # ------------------------------------------------------------ widening

    def unrestricted(self) -> Widened:
        """The whole numbers of which nothing is asked: any, a range where numbers that they are compared with are told besides."""
        for pointer, room in unrestricted(self.found, self.allocation).items():
            if pointer not in self.asked:
                wide: Domain = usual(self.dtypes[pointer]) if pointer in self.compared else "any"
                yield pointer, (int(room.low), int(room.high) + 1) if room is not None else wide

    def divisors(self) -> Widened:
        """The whole numbers that divide, and of which nothing else is asked: of either sign, 0 only where something else divides in its place.

        tmp2 = tmp0 // tmp1                                      1 and more; -2, -3 and the most negative one
        tmp2 = tmp0 // tl.where(tmp1 == 0, 1, tmp1)              0 too
        tmp2 = tmp0 // tl.where(tmp1 == 0, 1, tl.abs(tmp1))      any
        tmp2 = tmp0 // (tmp1 + 1)                                0 and more: -1 would divide by 0

        Nothing is divided by -1: of the smallest number of a dtype that is no number of it, and torch's own division stops there on some
        processors.
        """
        free = unrestricted(self.found, self.allocation, restricted_otherwise)
        made: dict[str, Domain] = {}
        for pointer in sorted(dividing(self.found)):
            least, end = usual(self.dtypes[pointer])
            if free.get(pointer, exactly(0)) is not None or not self.valid(pointer, (1, end)):
                continue  # something else is asked, or it is compared with places
            negative, zero = least < 0 and self.valid(pointer, (least, 0)), self.valid(pointer, (0, 1))
            if negative and zero and not self._divides_by_minus_one(pointer, least):
                made[pointer] = (least, end)
            elif negative or zero:
                others = (-2, -3, least) if negative else ()
                made[pointer] = (0, end, *others) if zero else (1, end - 1, *others)
        yield from made.items()

    def _divides_by_minus_one(self, pointer: str, least: int) -> bool:
        """Whether a negative number of a tensor may come to a division by -1."""
        for job in self.found.every():
            known = replace(self.allocation.bounds(job), loads={pointer: Interval(least, -1)})
            if any(pointer in made_of([right]) and known.of(right).holds(-1) for _, right in divisions(job)):
                return True
        return False

    def with_compared(self) -> Widened:
        """The numbers besides that a kernel compares elements with: outside of its range one may be that a condition keeps from every address."""
        asked = self.asked | dividing(self.found)
        for pointer, numbers in self.compared.items():
            for value, alone in sorted(numbers.items()):
                one = self.domains.get(pointer)
                if not isinstance(one, tuple):
                    continue
                least, most = limits(self.dtypes[pointer])
                if not least <= value <= most:
                    continue
                more: Domain = (*one, value)
                if one[0] <= value < one[1]:  # the edge values are the ends
                    if one[1] - one[0] > FEW and value not in (one[0], one[1] - 1):
                        yield pointer, more
                elif pointer not in asked or (alone and self.valid(pointer, more)):
                    yield pointer, more

    def with_negative(self) -> Widened:
        """Both signs, where only remainders of a tensor's numbers are used."""
        for pointer in sorted(hashed(self.found)):
            one = self.domains.get(pointer)
            if not isinstance(one, tuple) or one[0] != 0 or len(one) > 2 or self.dtypes[pointer].startswith("uint"):
                continue
            both: Domain = (1 - one[1], one[1])
            if self.valid(pointer, both):
                yield pointer, both

    def from_the_end(self, kernel: Kernel) -> Widened:
        """Indices that count from the end where they are negative, as PyTorch's own indexing takes them: from `-n` on, of those that are drawn
        from all places of a dimension and that the kernel wraps round it.

        table[ids]      tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [-50, 50)

        `gather`, `scatter_add` and `embedding` take none, so inputs hold none where the graph names one of them.
        """
        called = {operator(node) for node in kernel.claim.fragment}
        if not called & INDEXING or called & OTHERS:
            return
        for pointer, around in wraps(self.found, self.allocation).items():
            (size, *others), one = around, self.domains.get(pointer)
            if size is None or others or not isinstance(one, tuple) or one[:2] != (0, size):
                continue
            if all(-size <= besides < size for besides in one[2:]):
                yield pointer, (-size, size, *one[2:])


def _ways(known: Bounds, domains: Mapping[str, Domain], *roots: Expression) -> Iterator[Bounds]:
    """The bounds of some values, for each way in which what they load is in its range or one of the numbers besides."""
    drawn = [(n, domains.get(n.pointer)) for n in walk(*roots) if isinstance(n, Load)]
    rooms = {id(n): [Interval(d[0], d[1] - 1), *map(exactly, d[2:])] for n, d in drawn if isinstance(d, tuple)}
    if prod(map(len, rooms.values())) > WAYS:
        yield Bounds(known.numel, known.sizes)  # nothing is known of what is loaded
    else:
        for way in itertools.product(*rooms.values()):
            yield Bounds(known.numel, known.sizes, found=dict(zip(rooms, way, strict=True)))


def _narrowed(bounds: Bounds, pointer: str, index: Index, last: int | None, one: tuple[int, ...]) -> Domain:
    """The longest range of a tensor's numbers that an address stays inside with, from what it is drawn from if possible; that as it is, where
    none does.

    Args:
        bounds: With what all tensors are drawn from.
    """

    def inside(room: Interval) -> bool:
        return stays(replace(bounds, loads={**bounds.loads, pointer: room}, found={}), index, last)

    valid = [value for value in range(TRIED) if inside(exactly(value))]
    valid = [value for value in valid if one[0] <= value < one[1]] or valid
    if not valid:
        return one
    first, end = _longest(valid)
    if end == TRIED:  # each that was tried, so that more of them may do
        beyond = range(end, one[1] + 1)
        end += max(bisect_left(beyond, True, key=lambda end: not inside(Interval(first, end - 1))) - 1, 0)
    return first, end


def _longest(values: Sequence[int]) -> tuple[int, int]:
    """The longest run of consecutive numbers, its end not included."""
    best, start, length = values[0], values[0], 1
    for before, value in itertools.pairwise(values):
        start = start if value == before + 1 else value
        if value - start + 1 > length:
            best, length = start, value - start + 1
    return best, best + length


def _dtypes(found: Computation, tensors: Mapping[str, TensorType | None]) -> dict[str, str]:
    """The dtype of every tensor that the kernel touches: as it is loaded, else as the launch passes it."""
    passed = {pointer: type_.dtype for pointer, type_ in tensors.items() if type_ is not None}
    loaded = {node.pointer: node.dtype for job in found.every() for a in job.loads if isinstance(node := a.value, Load)}
    accesses = (access for job in found.every() for access in job.accesses)
    return {a.pointer: loaded.get(a.pointer) or passed.get(a.pointer, "") for a in accesses}


def _untraced(kernel: Kernel, types: Mapping[str, TensorType]) -> dict[str, Domain]:
    """Whole numbers of a kernel whose addresses no tree tells, a template's or a user's: small, since they may be places and counts.

    Flex attention walks over so many blocks (`KV_NUM_BLKS`), at these places (`KV_IDX`): one or two of those that there are, and none of the
    full ones at times.
    """
    if kernel.category not in {"template", "user_autotune"}:
        return {}
    drawn: dict[str, Domain] = {name: (0, 2) for name, type_ in types.items() if "int" in type_.dtype}
    for name in [name for name in drawn if name.endswith("_IDX") and types[name].shape]:
        blocks, counts = int(types[name].shape[-1]), f"{name.removesuffix('_IDX')}_NUM_BLKS"
        drawn[name] = (0, max(blocks, 1))
        if counts in drawn:
            drawn[counts] = (int(not name.startswith("arg_FULL_")), min(blocks, 2) + 1)
    return drawn
