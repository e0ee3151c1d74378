"""What a body issues for all elements of a launch, equal values once: operations, results of the special function unit, instructions.

    tmp3 = tl_math.exp(tmp2)            1 special function, 8 instructions for each element of tmp2
    tmp6 = tmp3 / tmp5                  a reciprocal for each element of tmp5: a row's sum has one, whatever is divided by it

Special functions are exponentials, roots and quotients, 16 a clock and multiprocessor: MUFU in SASS. The operators' rows have what the machine code
executes for every element, as Triton 3.7 compiles each operator for sm_80, sm_90, sm_100 and sm_120. Logarithms, sine and cosine are polynomials there; of
tanh, erf and pow a branch decides: of these none is counted. Neither is any of float64, of whole numbers, and of a division by a number, which is
a product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inductor_lab.computation import Computation
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Constant,
    Expression,
    Operation,
    Random,
    Reduction,
    Scan,
    union,
    walk,
)

DRAWN = {"rand": (0, 45), "randn": (0, 100), "randint64": (0, 55)}
"""Random number -> what an operator's row has as `issued`: Philox is no operator."""
SCANNED = 10
ACCESS = 3
"""Instructions of a load or a store: its address, its mask, itself."""


@dataclass(frozen=True)
class Work:
    """Of all programs together."""

    flops: int | None
    """None where a size is symbolic."""
    special: int
    """Special functions; 0 where a size is symbolic, as of instructions."""
    instructions: int


def work(job: Computation) -> Work:
    """What a job computes."""
    flops = [(count, job.elements(axes)) for count, axes in job.work]
    total = Counter[str]()
    for unit, count, axes in _issued(job):
        total[unit] += count * (job.elements(axes) or 0)
    return Work(
        None if any(elements is None for _, elements in flops) else sum(count * (of or 0) for count, of in flops),
        total["special"],
        total["instructions"],
    )


def _issued(job: Computation) -> Iterator[tuple[str, int, frozenset[str]]]:
    """(unit, how many for one element, axes over which they are repeated)."""
    stored = [access.value for access in job.stores if access.value is not None]
    addresses = [part for access in job.accesses for part in access.index.expressions()]
    seen: set[tuple[object, ...]] = set()
    for node in walk(*stored, *addresses):
        name = getattr(node, "name", "")
        special, instructions = TABLE[name].issued if name in TABLE else DRAWN.get(name, (0, 1))
        of, axes = node.operands, node.axes
        key: tuple[object, ...] = (id(node),)
        match node:
            case Operation(name="div", inputs=(_, Constant())) | Cast():
                special, instructions = 0, 1
            case Operation(name="div", inputs=(_, by)):
                of, key = (by,), ("div", id(by))
            case Reduction(name=name, inputs=inputs):  # of which each result is a node
                if (name, *map(id, inputs)) in seen:
                    continue
                key, axes = (name, *map(id, inputs)), union(inputs)
            case Scan():
                instructions = SCANNED
            case Operation() | Random():
                pass
            case _:
                continue
        yield "instructions", instructions, axes
        if special and node.dtype == "float32" and key not in seen:
            yield "special", special, _varies(*of)
        seen.add(key)
    for access in job.accesses:
        yield "instructions", ACCESS, frozenset(coordinate.axis for coordinate in access.index.coordinates())


def _varies(*values: Expression) -> frozenset[str]:
    """The axes over which values differ: Triton works on a value before it repeats it (its pass `reorder-broadcast`)."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = list(values)
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, (Broadcast, Cast, Operation)):
                waiting.extend(node.operands)
            else:
                found |= node.axes
    return frozenset(found)
