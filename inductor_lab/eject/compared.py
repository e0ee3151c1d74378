"""The whole numbers that a kernel compares a tensor's elements with: inputs must hold them, or no check ever takes that branch.

tl.where(labels != -100, labels, 0)      labels: -100 tells an element from all others
tl.where(count > 5, 1, 0)                count: 4, 5 and 6
"""

from __future__ import annotations

from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.operators import COMPARISONS
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, walk


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
