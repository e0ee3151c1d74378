"""Symbolic sizes as the numbers that the program's first call had: what a dynamic shape would move, were it called so again.

Inductor writes these numbers into the module's own harness (`primals_3 = 4096`, and `s77 = primals_3` in `call`).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from inductor_lab.records import Capture, ExternCall, Kernel, Launch, LaunchArgument, Size, TensorType

Hints = Mapping[str, int]
"""Symbol -> number, `{"s77": 4096}`."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}  # fmt: skip
_CALLS: dict[str, Callable[..., Any]] = {"max": max, "min": min, "Max": max, "Min": min, "math.trunc": int, "int": int}
LARGEST = 1 << 62
"""A size beyond this is none: a hostile text may multiply for ever."""


def number(text: Size, hints: Hints) -> int | None:
    """What a size is; None where it is not arithmetic over symbols with hints."""
    if isinstance(text, int):
        return text
    try:
        value = _value(_parsed(text), hints)
    except (ValueError, SyntaxError, TypeError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return value


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text[:400], mode="eval").body


def _value(node: ast.expr, hints: Hints) -> int:
    match node:
        case ast.Constant(value=int(value)):
            found = value
        case ast.Name(id=name) if name in hints:
            found = hints[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = -_value(inner, hints)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            found = _BINARY[type(op)](_value(left, hints), _value(right, hints))
        case ast.Call(func=function, args=arguments, keywords=[]) if ast.unparse(function) in _CALLS:
            found = _CALLS[ast.unparse(function)](*(_value(argument, hints) for argument in arguments))
        case _:
            raise ValueError("no arithmetic over sizes that are known")
    if abs(found) > LARGEST:
        raise ValueError("no size")
    return found


def of_graphs(capture: Capture) -> dict[str, Hints]:
    """Graph -> its hints; graphs whose sizes are all fixed, or whose text does not tell, have none."""
    return {graph.id: graph.hints for graph in capture.graphs if graph.hints}


def first_graph(kernel: Kernel) -> str:
    """The graph of its first launch, by which it is counted."""
    return kernel.launches[0].graph if kernel.launches else kernel.graph


def hinted(kernel: Kernel, launch: Launch, hints: Hints) -> Kernel:
    """The kernel as if it were launched once, with the sizes of the hints."""
    if not hints:
        return replace(kernel, launches=(launch,))
    arguments = tuple(_argument(argument, hints) for argument in launch.arguments)
    return replace(kernel, launches=(replace(launch, arguments=arguments),))


def hinted_call(call: ExternCall, hints: Hints) -> ExternCall:
    """The same of a library call."""
    arguments, outputs = (
        tuple(_argument(argument, hints) for argument in several) for several in (call.arguments, call.outputs)
    )
    return replace(call, arguments=arguments, outputs=outputs)


def _argument(argument: LaunchArgument, hints: Hints) -> LaunchArgument:
    if argument.type is not None:
        return replace(argument, type=_type(argument.type, hints))
    value = number(argument.value, hints)
    return argument if value is None else replace(argument, value=str(value))


def _type(type_: TensorType, hints: Hints) -> TensorType:
    shape, stride = (tuple(_size(size, hints) for size in sizes) for sizes in (type_.shape, type_.stride))
    return replace(type_, shape=shape, stride=stride)


def _size(size: Size, hints: Hints) -> Size:
    value = number(size, hints)
    return size if value is None else value
