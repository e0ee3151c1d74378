"""The forms in which Inductor writes well-known functions, by their names: a table of patterns.

A tree stays what the kernel does; its name is for the reader. GELU by tanh, `0.5 * x * (1 + tanh(0.797885 * (x + 0.044715 * x**3)))`, has no one form:
it is told by the polynomial of `x` and of the tanh that it is. Sources: `TritonOverrides` in torch/_inductor/codegen/triton.py and
torch/_inductor/lowering.py, 2.11 to 2.15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isclose, pi, sqrt

from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.folds import masks, plain
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Cast, Constant, Expression, Operation
from inductor_lab.dtypes import ITEMSIZE

Named = tuple[str, tuple[Expression, ...]]
"""A function's name and its arguments; no name for what is only its first argument."""


def seen(value: Expression) -> Expression:
    """The value without broadcasts, masks of elements that do not exist, and changes between wide floats."""
    while True:
        value = plain(value)
        match value:
            case Cast(operand=operand, dtype=dtype) if _wide(dtype) and _wide(operand.dtype):
                value = operand
            case _:
                return value


def _wide(dtype: str) -> bool:
    """A float whose rounding a reader may leave out; eight bits are another matter."""
    return "float" in dtype and "float8" not in dtype


def holds(store: Access) -> bool:
    """Whether a tensor has what was computed for it: a sum in float32 that is stored as bfloat16 is another number."""
    value = seen(store.value) if store.value is not None else None
    rounded = (
        value is not None and "float" in value.dtype and ITEMSIZE.get(store.dtype, 8) < ITEMSIZE.get(value.dtype, 0)
    )
    return value is not None and not rounded and store.kind == "store" and not store.gathered


def same(one: Expression, other: Expression) -> bool:
    return seen(one) is seen(other)


def number(value: Expression) -> float | None:
    """The number that a value is, else None."""
    value = seen(value)
    return float(value.value) if isinstance(value, Constant) and not isinstance(value.value, bool) else None


def _relu(value: Operation) -> Named | None:
    """maximum(0, x), where(0 > x, 0, x)"""
    match value:
        case Operation(name="maximum", inputs=(zero, x)) if number(zero) == 0 and number(x) is None:
            return "relu", (x,)
        case Operation(name="where", inputs=(Operation(name="gt", inputs=(zero, x)), other, again)) if number(
            zero
        ) == number(other) == 0 and same(x, again):
            return "relu", (x,)
    return None


def _leaky_relu(value: Operation) -> Named | None:
    """where(x > 0, x, x * slope)"""
    match value:
        case Operation(
            name="where",
            inputs=(Operation(name="gt", inputs=(x, zero)), one, Operation(name="mul", inputs=(again, slope))),
        ) if number(zero) == 0 and same(x, one) and same(x, again) and number(slope) is not None:
            return "leaky_relu", (x, slope)
    return None


def wrapped(value: Expression) -> Expression | None:
    """`i` of where(i < 0, i + n, i): where it is an address, an index that may count from the end."""
    match value:
        case Operation(
            name="where", inputs=(Operation(name="lt", inputs=(i, zero)), Operation(name="add", inputs=(one, _)), other)
        ) if number(zero) == 0 and same(i, one) and same(i, other) and "int" in i.dtype:
            return i
    return None


def _remainder(value: Operation) -> Named | None:
    """where((a % b != 0) & ((a % b < 0) != (b < 0)), a % b + b, a % b): Python's remainder out of C's."""
    match value:
        case Operation(name="where", inputs=(Operation(name="and"), Operation(name="add", inputs=(mod, b)), other)) if (
            same(mod, other)
        ):
            match seen(mod):
                case Operation(name="mod" | "fmod", inputs=(a, by)) if same(b, by):
                    return "remainder", (a, b)
    return None


def _floor_division(value: Operation) -> Named | None:
    """where(a < 0, ~(where(a < 0, ~a, a) // b), where(a < 0, ~a, a) // b): Python's division out of C's."""
    match value:
        case Operation(
            name="where",
            inputs=(
                Operation(name="lt", inputs=(a, zero)),
                Operation(name="not", inputs=(one,)),
                Operation(name="floordiv", inputs=(Operation(name="where", inputs=(_, _, again)), b)) as other,
            ),
        ) if number(zero) == 0 and same(one, other) and same(a, again):
            return "floor_divide", (a, b)
    return None


def _selected(value: Operation) -> Named | None:
    """where(c, where(c, a, filler), where(not c, b, filler)): the concatenation of two pieces."""
    match value:
        case Operation(name="where", inputs=(condition, one, other)):
            first, second = _chosen(one, condition, negated=False), _chosen(other, condition, negated=True)
            if first is not one or second is not other:
                return "where", (condition, first, second)
    return None


def _chosen(value: Expression, condition: Expression, *, negated: bool) -> Expression:
    match value:
        case Operation(name="where", inputs=(inner, kept, filler)) if number(filler) == 0:
            if opposite(inner, condition) if negated else inner is condition:
                return kept
    return value


def opposite(one: Expression, other: Expression) -> bool:
    """True for `x >= 32` beside `x < 32`, either way round, and for `~c` beside `c`."""
    match one, other:
        case Operation(name="not", inputs=(inner,)), _ if inner is other:
            return True
        case _, Operation(name="not", inputs=(inner,)) if inner is one:
            return True
        case Operation(name="ge", inputs=(a, m)), Operation(name="lt", inputs=(b, n)):
            return index_of(a) == index_of(b) and number(m) == number(n) and number(m) is not None
        case Operation(name="lt", inputs=(a, m)), Operation(name="ge", inputs=(b, n)):
            return index_of(a) == index_of(b) and number(m) == number(n) and number(m) is not None
    return False


def _silu(value: Operation) -> Named | None:
    """x * sigmoid(x), x / (exp(-x) + 1)"""
    match value:
        case Operation(name="div", inputs=(x, Operation(name="add", inputs=(power, one)))) if number(one) == 1:
            match seen(power):
                case Operation(name="exp", inputs=(Operation(name="neg", inputs=(again,)),)) if same(x, again):
                    return "silu", (x,)
        case Operation(name="mul", inputs=(x, y)):
            match seen(y):
                case Operation(name="sigmoid", inputs=(again,)) if same(x, again):
                    return "silu", (x,)
    return None


def _sigmoid(value: Operation) -> Named | None:
    """1 / (exp(-x) + 1)"""
    match value:
        case Operation(name="div", inputs=(top, Operation(name="add", inputs=(power, one)))) if (
            number(top) == number(one) == 1
        ):
            match seen(power):
                case Operation(name="exp", inputs=(Operation(name="neg", inputs=(x,)),)):
                    return "sigmoid", (x,)
    return None


def _gelu(value: Operation) -> Named | None:
    """x * 0.5 * (erf(x * 0.7071) + 1)"""
    match value:
        case Operation(name="mul", inputs=(left, right)):
            match seen(left), seen(right):
                case (
                    Operation(name="mul", inputs=(x, half)),
                    Operation(
                        name="add",
                        inputs=(Operation(name="erf", inputs=(Operation(name="mul", inputs=(again, c)),)), one),
                    ),
                ) if (
                    number(half) == 0.5
                    and number(one) == 1
                    and same(x, again)
                    and abs((number(c) or 0) - sqrt(0.5)) < 1e-6
                ):
                    return "gelu", (x,)
    return None


def _power(value: Operation) -> Named | None:
    """x * x * x"""
    times, left = 1, seen(value)
    match value:
        case Operation(name="mul", inputs=(_, x)) if number(x) is None:
            while (
                isinstance(left, Operation) and left.name == "mul" and len(left.inputs) == 2 and same(left.inputs[1], x)
            ):
                times, left = times + 1, seen(left.inputs[0])
            if times > 1 and same(left, x):
                return "power", (x, Constant("int", frozenset(), times))
    return None


def _unmasked(value: Operation) -> Named | None:
    """where(r0_mask & xmask, x, filler): only the elements that exist."""
    match value:
        case Operation(name="where", inputs=(condition, x, _)) if masks(condition):
            return "", (x,)
    return None


IDIOMS: tuple[Callable[[Operation], Named | None], ...] = (
    _unmasked, _relu, _leaky_relu, _remainder, _floor_division, _selected, _silu, _sigmoid, _gelu, _power,
)  # fmt: skip


def named(value: Expression) -> Named | None:
    """The function that an operation is, where it is one of the idioms."""
    if not isinstance(value, Operation):
        return None
    return next((found for idiom in IDIOMS if (found := idiom(value)) is not None), None)


# ---- GELU by its tanh approximation: models write it out by hand in several orders, PyTorch in another one

SCALE, CUBIC = sqrt(2 / pi), 0.044715
DEEPEST = 5
"""Sums and products above `x` in what the tanh is taken of."""
OUTER = 3
"""Those above the tanh."""
Monomial = tuple[Expression, ...]
Polynomial = Mapping[Monomial, float]
"""Factors, in an order of their own -> the number before them."""
MOST_TERMS = 16
"""A function that people know by its name has fewer."""


def gelu_tanh(value: Expression) -> Expression | None:
    """`x`, where the value is GELU of it."""
    match value:
        case Operation(name="mul"):
            for tanh in _below(value, OUTER):
                x = argument(tanh)
                if x is not None and equal(_read(Polynomials(x, tanh), value), _forward(x, tanh)):
                    return x
    return None


def argument(tanh: Expression) -> Expression | None:
    """`x` of `tanh(0.797885 * (x + 0.044715 * x**3))`."""
    match tanh:
        case Operation(name="tanh", inputs=(inner,)):
            for x in _below(inner, DEEPEST):
                wanted = total((term(x, times=SCALE), term(x, x, x, times=SCALE * CUBIC)))
                if equal(_read(Polynomials(x), inner), wanted):
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


class TooManyTermsError(ValueError):
    """A value that is no short polynomial."""


class Polynomials:
    """Reads values as polynomials of `variables` and of whatever is no sum and no product."""

    def __init__(self, *variables: Expression) -> None:
        self._read: dict[Expression, Polynomial] = {seen(variable): term(seen(variable)) for variable in variables}

    def of(self, value: Expression) -> Polynomial:
        """Raises TooManyTermsError."""
        value = seen(value)
        if value not in self._read:
            self._read[value] = self._taken_apart(value)
        return self._read[value]

    def _taken_apart(self, value: Expression) -> Polynomial:
        constant = number(value)
        if constant is not None:
            return term(times=constant)
        match value:
            case Operation(name="add", inputs=(left, right)):
                return _sum(self.of(left), self.of(right))
            case Operation(name="sub", inputs=(left, right)):
                return _sum(self.of(left), _product(term(times=-1.0), self.of(right)))
            case Operation(name="neg", inputs=(operand,)):
                return _product(term(times=-1.0), self.of(operand))
            case Operation(name="mul", inputs=(left, right)):
                return _product(self.of(left), self.of(right))
            case Operation(name="fma", inputs=(left, right, more)):
                return _sum(_product(self.of(left), self.of(right)), self.of(more))
        return term(value)


def term(*factors: Expression, times: float = 1.0) -> Polynomial:
    """One product."""
    return {tuple(sorted(factors, key=id)): times}


def total(terms: Iterable[Polynomial]) -> Polynomial:
    """Raises TooManyTermsError."""
    found: Polynomial = {}
    for each in terms:
        found = _sum(found, each)
    return found


def equal(one: Polynomial, other: Polynomial) -> bool:
    """Equal up to what the text of a number leaves out."""
    return one.keys() == other.keys() and all(isclose(one[key], other[key], rel_tol=1e-4) for key in one)


def _sum(one: Polynomial, other: Polynomial) -> Polynomial:
    found = dict(one)
    for factors, times in other.items():
        found[factors] = found.get(factors, 0.0) + times
    return _short(found)


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    found: dict[Monomial, float] = {}
    for left, times in one.items():
        for right, by in other.items():
            factors = tuple(sorted((*left, *right), key=id))
            found[factors] = found.get(factors, 0.0) + times * by
    return _short(found)


def _short(found: Polynomial) -> Polynomial:
    if len(found) > MOST_TERMS:
        raise TooManyTermsError
    return found
