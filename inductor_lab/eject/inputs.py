"""What a kernel's tensors must hold so that it can run: drawn from the tree.

    tl.load(in_ptr1 + (x0 + 75*tmp4))      of f32[50, 75], tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [0, 50)

Whole numbers that decide an address stay inside the dimension that they choose from, and some are what the kernel compares them with; what
stands under a root or a logarithm, or divides floats, is positive, and no whole number is divided by 0. Everything else is a normal number.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from inductor_lab.computation.idioms import number
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load, Operation, Random, Reduction, Scan, walk
from inductor_lab.eject.addressing import Addressing
from inductor_lab.eject.compared import compared
from inductor_lab.eject.divisors import dividing, divisors
from inductor_lab.eject.domains import WORDS, Domains
from inductor_lab.eject.fills import MOST, Fill, fill, usual
from inductor_lab.eject.intervals import Interval
from inductor_lab.eject.narrowing import narrow
from inductor_lab.eject.reach import Reach
from inductor_lab.eject.remainders import hashed
from inductor_lab.eject.required import Required
from inductor_lab.eject.sentinels import with_compared
from inductor_lab.eject.unasked import unasked
from inductor_lab.eject.valid import valid
from inductor_lab.records import TensorType


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
