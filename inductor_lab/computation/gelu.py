"""GELU by its tanh approximation, `0.5 * x * (1 + tanh(0.797885 * (x + 0.044715 * x**3)))`, and what a gradient is multiplied with there.

Models write it out by hand in several orders, PyTorch in another one: told by the polynomial of `x` and of the tanh that it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi, sqrt

from inductor_lab.computation.idioms import seen
from inductor_lab.computation.polynomial import Monomial, Polynomial, Polynomials, TooManyTermsError, same, term, total
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


def gelu_tanh_backward(values: Iterable[Expression], tanh: Expression) -> tuple[Expression, Monomial] | None:
    """(value, gradient and `x`): the one of the values that is a gradient times the derivative of GELU at `x`, whose tanh this is.

    Of several, the one whose gradient is the product of the fewest factors.
    """
    x = argument(tanh)
    if x is None:
        return None
    read, inside = Polynomials(x, tanh), {seen(x), seen(tanh)}
    best: tuple[Expression, Monomial] | None = None
    for value in values:
        found = _read(read, value)
        outer = {tuple(factor for factor in factors if factor not in inside) for factors in found}
        gradient = outer.pop() if len(outer) == 1 else ()
        if (
            gradient
            and same(found, _backward(x, tanh, *gradient))
            and (best is None or len(gradient) + 1 < len(best[1]))
        ):
            best = value, (*gradient, x)
    return best


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


def _backward(x: Expression, tanh: Expression, *gradient: Expression) -> Polynomial:
    """0.5 * (1 + tanh) + 0.5 * x * (1 - tanh**2) * 0.797885 * (1 + 3 * 0.044715 * x**2), times the gradient."""
    x, tanh = seen(x), seen(tanh)
    inner, cubic = 0.5 * SCALE, 1.5 * SCALE * CUBIC
    return total(
        (
            term(*gradient, times=0.5), term(*gradient, tanh, times=0.5),
            term(*gradient, x, times=inner), term(*gradient, x, tanh, tanh, times=-inner),
            term(*gradient, x, x, x, times=cubic), term(*gradient, x, x, x, tanh, tanh, times=-cubic),
        )
    )  # fmt: skip


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
