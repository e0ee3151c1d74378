"""Results of the special function unit that a body needs at least: exponentials, roots and quotients, 16 a clock and multiprocessor.

    tmp3 = tl_math.exp(tmp2)            one for each element of tmp2
    tmp6 = tmp3 / tmp5                  a reciprocal for each element of tmp5: a row's sum has one, whatever is divided by it

Counted is what the machine code executes for every element, MUFU in SASS, as Triton 3.7 compiles each operator for sm_80, sm_90, sm_100 and sm_120.
Logarithms, sine and cosine are polynomials there; of tanh, erf and pow a branch decides: all of these count nothing. Neither do float64,
whole numbers, and a division by a number, which is a product.
"""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation import Computation
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Operation, Reduction, walk

MUFU = {
    "exp": 1,
    "exp2": 1,
    "expm1": 1,
    "sqrt": 1,
    "rsqrt": 1,
    "hypot": 1,
    "sigmoid": 2,
    "silu": 2,
    "cosh": 2,
    "cbrt": 3,
    "erfc": 3,
}
"""Operator -> instructions for one element in float32."""
ONLINE_SOFTMAX = 2
"""Of each element that a loop takes in: `triton_helpers.online_softmax_combine` scales both sides by an exponential."""


def special(job: Computation) -> int:
    """Of all programs together, equal values once; 0 where a size is symbolic."""
    stored = [access.value for access in job.stores if access.value is not None]
    return sum(count * (job.elements(axes) or 0) for count, axes in _needed(*stored))


def _needed(*roots: Expression) -> Iterator[tuple[int, frozenset[str]]]:
    """(instructions for one element, axes over which they are repeated)."""
    seen: set[object] = set()
    for node in walk(*roots):
        key: tuple[object, ...]
        of: tuple[Expression, ...]
        match node:
            case Operation(name="div", inputs=(_, by), dtype="float32") if not isinstance(by, Constant):
                key, count, of = ("div", id(by)), 1, (by,)
            case Operation(name=name, inputs=inputs, dtype="float32") if name in MUFU:
                key, count, of = (name, id(node)), MUFU[name], inputs
            case Reduction(name="online_softmax", inputs=inputs, dtype="float32"):
                key, count, of = ("online_softmax", *map(id, inputs)), ONLINE_SOFTMAX, inputs
            case _:
                continue
        if key not in seen:
            seen.add(key)
            yield count, _varies(*of)


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
