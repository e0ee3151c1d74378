"""GELU by its tanh approximation, `0.5 * x * (1 + tanh(0.797885 * (x + 0.044715 * x**3)))`.

Models write it out by hand in several orders, PyTorch in another one: told by the polynomial of `x` and of the tanh that it is.
"""

from __future__ import annotations

from math import pi, sqrt

from inductor_lab.computation.idioms import seen
from inductor_lab.computation.polynomial import Polynomial, Polynomials, TooManyTermsError, same, term, total
from inductor_lab.computation.tree import Expression, Operation

SCALE, CUBIC = sqrt(2 / pi), 0.044715
DEEPEST = 5
"""Sums and products above `x` in what the tanh is taken of."""
OUTER = 3
"""Those above the tanh."""


def gelu_tanh(value: Expression) -> Expression | None:
    """`x`, where the value is GELU of it."""
    match value:
        case Operation(name="mul"):
            for tanh in _below(value, OUTER):
                x = argument(tanh)
                if x is not None and same(_read(Polynomials(x, tanh), value), _forward(x, tanh)):
                    return x
    return None


def argument(tanh: Expression) -> Expression | None:
    """`x` of `tanh(0.797885 * (x + 0.044715 * x**3))`."""
    match tanh:
        case Operation(name="tanh", inputs=(inner,)):
            for x in _below(inner, DEEPEST):
                wanted = total((term(x, times=SCALE), term(x, x, x, times=SCALE * CUBIC)))
                if same(_read(Polynomials(x), inner), wanted):
                    return x
    return None


def _forward(x: Expression, tanh: Expression) -> Polynomial:
    x, tanh = seen(x), seen(tanh)
    return total((term(x, times=0.5), term(x, tanh, times=0.5)))


def _read(read: Polynomials, value: Expression) -> Polynomial:
    """The value as a polynomial; nothing where it is no short one."""
    try:
        return read.of(value)
    except TooManyTermsError:
        return {}


def _below(value: Expression, depth: int) -> list[Expression]:
    """A value and what it is a sum and a product of, to some depth."""
    found: dict[Expression, None] = {}
    level = [seen(value)]
    for _ in range(depth + 1):
        found |= dict.fromkeys(level)
        sums = [node for node in level if isinstance(node, Operation) and node.name in {"add", "mul", "fma"}]
        level = [seen(part) for node in sums for part in node.inputs]
    return list(found)
