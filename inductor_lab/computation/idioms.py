"""A table of the forms in which Inductor writes known functions, such as `where(0 > x, 0, x)` for relu.

    where(0 > x, 0, x)     relu

A tree stays what the kernel does; its name is for the reader. GELU by tanh, `0.5 * x * (1 + tanh(0.797885 * (x + 0.044715 * x**3)))`, has no one form:
it is told by the polynomial of `x` and of the tanh that it is. Sources: `TritonOverrides` in torch/_inductor/codegen/triton.py and
torch/_inductor/lowering.py, 2.11 to 2.15.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import isclose, pi, sqrt

from inductor_lab.computation.folds import masks, plain
from inductor_lab.computation.operators import OPERATORS, called
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Cast, Constant, Expression, Operation, index_of
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


# ---- forms that are written as text


PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("relu", "x", "maximum(0, x)"),
    ("relu", "x", "where(0 > x, 0, x)"),
    ("leaky_relu", "x k", "where(x > 0, x, x * k)"),
    ("remainder", "a b", "where(_ & _, a % b + b, a % b)"),  # Python's out of C's
    ("floor_divide", "a b", "where(a < 0, ~(where(_, _, a) // b), where(_, _, a) // b)"),  # the same
    ("silu", "x", "x / (exp(-x) + 1)"),
    ("silu", "x", "x * sigmoid(x)"),
    ("sigmoid", "x", "1 / (exp(-x) + 1)"),
    ("gelu", "x", "x * 0.5 * (erf(x * 0.7071067811865476) + 1)"),
)
"""A function, its arguments, and a form of it: `x` is no number, `k` is one, `_` may be anything."""


def _parsed(pattern: str) -> ast.expr:
    return ast.parse(pattern, mode="eval").body


def _operation(pattern: ast.expr) -> tuple[str, list[ast.expr]]:
    """The name of an operation in a pattern, and its operands."""
    match pattern:
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATORS[type(op)], [operand]
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return OPERATORS[type(op)], [left, right]
        case ast.Call(args=operands):
            return called(pattern), operands
    raise ValueError(f"no part of a pattern: {ast.unparse(pattern)}")


FORMS: dict[str, list[tuple[str, list[str], ast.expr]]] = {}
"""The operation that a form begins with -> the forms."""
for function, arguments, text in PATTERNS:
    FORMS.setdefault(_operation(_parsed(text))[0], []).append((function, arguments.split(), _parsed(text)))


def fits(
    pattern: ast.expr,
    value: Expression,
    bound: dict[str, Expression],
    through: Callable[[Expression], Expression] = seen,
) -> bool:
    """Whether a value has a form.

    Args:
        bound: Gets what the names of the form stand for.
        through: What of a value counts: what a reader sees, or the value itself.
    """
    match pattern:
        case ast.Name(id="_"):
            return True
        case ast.Name(id=name) if name in bound:
            return through(value) is through(bound[name])
        case ast.Name(id=name):
            bound[name] = value
            return name not in "xk" or (number(value) is not None) is (name == "k")
        case ast.Constant(value=int() | float() as wanted):
            return (found := number(value)) is not None and isclose(found, wanted, rel_tol=1e-6)
    name, parts = _operation(pattern)
    value = through(value)
    alike = isinstance(value, Operation) and value.name == name and len(value.inputs) == len(parts)
    return alike and all(fits(part, one, bound, through) for part, one in zip(parts, value.operands, strict=True))


def _written(value: Operation) -> Named | None:
    """One of the forms."""
    for name, names, pattern in FORMS.get(value.name, ()):
        bound: dict[str, Expression] = {}
        if fits(pattern, value, bound):
            return name, tuple(bound[one] for one in names)
    return None


WRAPPED = _parsed("where(i < 0, i + _, i)")


def wrapped(value: Expression) -> Expression | None:
    """`i` of where(i < 0, i + n, i): where it is an address, an index that may count from the end."""
    bound: dict[str, Expression] = {}
    where = isinstance(value, Operation) and value.name == "where" and fits(WRAPPED, value, bound)
    return bound["i"] if where and "int" in bound["i"].dtype else None


# ---- forms that are no one text


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


IDIOMS: tuple[Callable[[Operation], Named | None], ...] = (_unmasked, _written, _selected, _power)


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
PLACES = (-40.0, -3.0, -0.7, 0.02, 0.3, 1.0, 2.0, 7.0, 90.0)
"""A polynomial is what it is at more places than it has terms; these lie so far apart that each term tells at some."""


def gelu_tanh(value: Expression) -> Expression | None:
    """`x`, where the value is GELU of it."""
    match value:
        case Operation(name="mul"):
            for tanh in _below(value, OUTER):
                x = _argument(tanh)
                at = [(x, tanh, place, t) for place in PLACES for t in PLACES] if x is not None else []
                if at and all(_equal(value, {a: p, b: t}, 0.5 * p * (1 + t)) for a, b, p, t in at):
                    return x
    return None


def _argument(tanh: Expression) -> Expression | None:
    """`x` of `tanh(0.797885 * (x + 0.044715 * x**3))`."""
    match tanh:
        case Operation(name="tanh", inputs=(inner,)):
            for x in _below(inner, DEEPEST):
                if all(_equal(inner, {x: place}, SCALE * (place + CUBIC * place**3)) for place in PLACES):
                    return x
    return None


def _below(value: Expression, depth: int) -> list[Expression]:
    """A value and what it is a sum and a product of, to some depth."""
    found: dict[Expression, None] = {}
    level = [seen(value)]
    for _ in range(depth + 1):
        found |= dict.fromkeys(level)
        sums = [node for node in level if isinstance(node, Operation) and node.name in {"add", "mul", "fma"}]
        level = [seen(part) for node in sums for part in node.inputs]
    return list(found)


def _equal(value: Expression, at: dict[Expression, float], wanted: float) -> bool:
    """Whether a value is a number there, up to what the text of its constants leaves out."""
    found = _at(value, at)
    return found is not None and isclose(found, wanted, rel_tol=1e-4)


def _at(value: Expression, known: dict[Expression, float]) -> float | None:
    """What sums and products make of some values; None where they are made of others too."""
    value = seen(value)
    if (constant := known.get(value, number(value))) is not None:
        return constant
    if not isinstance(value, Operation) or value.name not in ARITHMETIC:
        return None
    inputs = [_at(part, known) for part in value.inputs]
    if any(one is None for one in inputs):
        return None
    known[value] = ARITHMETIC[value.name](*inputs)
    return known[value]


ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
}
