"""Where a kernel branches on its data: each comparison of its tree, and what compares without saying so, as two values of eager PyTorch.

    tmp4 = tl.where(tmp2 > 0.0, tmp2, tmp3)        ("total > 0.0", total, 0.0)
    tmp5 = triton_helpers.minimum(tmp4, 6.0)       ("minimum(total, 6.0)", total, 6.0)
    tmp6 = tmp5.to(tl.int32)                       ("int32(total)", total, torch.round(total))

Comparisons of places alone are no branches of the data. Bounds decide some more, such as an index that is never drawn below 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from inductor_lab.computation.folds import masks, plain
from inductor_lab.computation.idioms import wrapped
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Load, Operation, Random, Reduction, Scan
from inductor_lab.eject.eager.flattened import flat
from inductor_lab.eject.eager.pointwise import COMPARED, idiom
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import (
    Value,
    call,
    changed,
    filled,
    floating,
    literal,
    method,
    subscript,
    text,
)
from inductor_lab.eject.inputs.intervals import Bounds, Interval, exactly

LARGEST = {"float16": 65504.0, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
"""The largest finite number of a float whose range is smaller than a float32's; bfloat16's is about the same."""
ZERO = {"relu", "leaky_relu", "abs", "signbit"}
"""What goes one way below 0 and another above."""
SIGNS = {"mod", "floordiv", "remainder", "floor_divide"}
"""What depends on the sign of either operand."""
WHOLE = {"floor", "ceil", "trunc"}
HALVES = {"nearbyint", "round"}
SEARCHES = {"bucketize"}
ENDLESS = {"torch.inf", "-torch.inf", "torch.nan"}
"""Numbers that have no neighbours."""
BELOW, SIGN = "{0} < {1}", "the sign of {0}"
NEGATIVE = {BELOW, SIGN}
"""What says nothing of numbers that are never negative."""


@dataclass(frozen=True)
class Comparison:
    """Two values that a kernel compares, each an expression of Python."""

    what: str
    """How a person says it, with `{0}` for the left value, `{1}` for the right one."""
    left: ast.expr
    right: ast.expr


def comparisons(printer: Printer, node: Expression, bounds: Bounds) -> Iterator[Comparison | None]:
    """What one node compares, under the ranges that are printed just now; None for what is left out."""
    match node:
        case Operation():
            yield from _operation(printer, node, bounds)
        case Cast(operand=operand, dtype=dtype) if floating(operand.dtype) and of_data(operand):
            yield from cast(printer, operand, dtype)
        case Reduction(name="argmax" | "argmin", part="index", inputs=(value, *_)) if of_data(value):
            yield _largest_two(printer, node)
        case Scan(name=name, inputs=inputs) if name not in {"sum", "prod"} and any(map(of_data, inputs)):
            yield None
        case Load(index=index) if index is not None:
            for inner in filter(None, map(wrapped, index.expressions())):
                yield from _pair(printer, BELOW, inner, 0, bounds)


def _operation(printer: Printer, node: Operation, bounds: Bounds) -> Iterator[Comparison | None]:
    name, inputs = idiom(node) or (node.name, node.inputs)
    if name in COMPARED:
        if not any(map(masks, inputs)):
            yield from _pair(printer, TABLE[name].torch, inputs[0], inputs[1], bounds)
    elif name in {"maximum", "minimum", "fmax", "fmin"}:
        yield from _pair(printer, f"{name}({{0}}, {{1}})", inputs[0], inputs[1], bounds)
    elif name == "clamp":
        for bound in inputs[1:]:
            yield from _pair(printer, "clamp({0}, {1})", inputs[0], bound, bounds)
    elif name in ZERO:
        yield from _pair(printer, f"{name}({{0}})", inputs[0], 0, bounds)
    elif name == "copysign":
        yield from _pair(printer, SIGN, inputs[1], 0, bounds)
    elif name in SIGNS:
        for operand in inputs:
            yield from _pair(printer, SIGN, operand, 0, bounds)
    elif name in WHOLE and of_data(inputs[0]):
        yield _whole(printer, f"{name}({{0}})", inputs[0])
    elif name in HALVES and of_data(inputs[0]):
        yield _half(printer, f"{name}({{0}})", inputs[0])
    elif name in SEARCHES:
        yield None


def _pair(
    printer: Printer, what: str, left: Expression, right: Expression | int, bounds: Bounds
) -> Iterator[Comparison]:
    """Two operands, where the data decides which is larger."""
    other = None if isinstance(right, int) else right
    if not of_data(left) and (other is None or not of_data(other)):
        return
    if _truth(left) or (other is not None and _truth(other)):
        return
    a, b = _between(bounds, left), _between(bounds, other) if other else exactly(0)
    if a.high < b.low or b.high < a.low:
        return
    if what in NEGATIVE and a.low >= b.high:
        return
    value = printer.value(left)
    right_node = printer.value(other).node if other else literal(0.0 if floating(left.dtype) else 0)
    both = text(value.node), text(right_node)
    if both[0] != both[1] and not ENDLESS & {*both}:  # `x != x` asks for a NaN
        yield Comparison(what, value.node, right_node)


def _between(bounds: Bounds, value: Expression) -> Interval:
    """Between which numbers a value is; of an idiom, as its name says it."""
    value = plain(value)
    told = idiom(value) if isinstance(value, Operation) else None
    if told is not None and isinstance(value, Operation):
        return bounds.operation(told[0], [bounds.of(operand) for operand in told[1]], value)
    return bounds.of(value)


def cast(printer: Printer, operand: Expression, dtype: str) -> Iterator[Comparison]:
    """A cast of a float to whole numbers, which cuts, or to a float whose range is smaller."""
    if dtype.startswith(("int", "uint")):
        yield _whole(printer, f"{dtype}({{0}})", operand)
    elif dtype in LARGEST and dtype != operand.dtype:
        value = printer.value(operand)
        if not value.number:
            largest = literal(LARGEST[dtype])
            yield Comparison(f"{{0}} as {dtype}", method(value.node, "abs"), largest)


def _whole(printer: Printer, what: str, operand: Expression) -> Comparison:
    value = _tensor(printer, operand)
    return Comparison(what, value.node, call("torch.round", value.node))


def _half(printer: Printer, what: str, operand: Expression) -> Comparison:
    value = _tensor(printer, operand)
    return Comparison(what, value.node, filled("torch.floor({0}) + 0.5", value.node))


def _largest_two(printer: Printer, node: Reduction) -> Comparison | None:
    """The first and the second of those of which the place is told: a tie is decided by the order."""
    over = sorted(printer.space.of_axes(node.over))
    if all(printer.count(dim).is_one for dim in over) or _truth(node.inputs[0]):
        return None
    value = printer.spread(printer.tensor(printer.value(node.inputs[0]), node.inputs[0].dtype), over)
    smallest = {"largest": ast.Constant(False)} if node.name == "argmin" else {}
    both = call("torch.topk", flat(printer, value, over), literal(2), **smallest)
    best = printer.variable("best", changed(value, ast.Attribute(both, "values", ast.Load())))
    first, second = (subscript(best.node, [ast.Constant(...), literal(place)]) for place in (0, 1))
    return Comparison(f"{node.name}: the best and the next", first, second)


def _tensor(printer: Printer, operand: Expression) -> Value:
    """A value with a variable of its own where its text is long, since it stands on both sides."""
    value = printer.tensor(printer.value(operand), operand.dtype)
    return value if value.weight <= 3 else printer.variable("value", value)


def _truth(value: Expression) -> bool:
    """Whether a value is yes or no, as a number or not: it has no neighbours."""
    while isinstance(value := plain(value), (Cast, Broadcast)):
        value = value.operand
    return value.dtype == "bool"


def of_data(*values: Expression) -> bool:
    """Whether something that is loaded decides a value, otherwise than as the seed of random numbers."""
    waiting, seen = [plain(value) for value in values], set[int]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Load):
            return True
        if id(node) not in seen and not isinstance(node, Random):
            seen.add(id(node))
            waiting.extend(node.operands)
    return False
