"""A table of the forms in which Inductor writes known functions, such as `where(0 > x, 0, x)` for relu.

    where(0 > x, 0, x)     relu

A tree stays what the kernel does; its name is for the reader. What has no one form, as GELU by tanh, is told by `naming/`. Sources: `TritonOverrides`
in torch/_inductor/codegen/triton.py and torch/_inductor/lowering.py, 2.11 to 2.15.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import isclose

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
    return _denies(one, other) or _denies(other, one)


def _denies(one: Expression, other: Expression) -> bool:
    match one, other:
        case Operation(name="not", inputs=(inner,)), _ if inner is other:
            return True
        case Operation(name="ge", inputs=(a, m)), Operation(name="lt", inputs=(b, n)):
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
