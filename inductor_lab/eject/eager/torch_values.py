"""Eager PyTorch as `ast` trees, with the dimensions, rank and dtype that torch gives each value.

Numbers of Python stay numbers in any dtype, wide unsigned integers are held as int64 and cut to their bits, bits are read anew.
"""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from inductor_lab.computation.tree import Cast, Constant
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import SizeLike
from inductor_lab.records.size import Size, substituted

FLOATS = (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
WIDE_UNSIGNED = {"uint16": 16, "uint32": 32, "uint64": 64}
"""torch has little arithmetic on them: they are held as int64, cut to their bits where that matters."""


@dataclass(frozen=True)
class Value:
    """A value in the iteration space."""

    node: ast.expr
    dims: frozenset[int]
    """The dimensions of the space that it varies over; along the others its size is 1."""
    rank: int
    """It covers the last so many dimensions of the space."""
    dtype: str
    """What torch makes of it; `float` and `int` for a number of Python."""
    weight: int = 1
    """About how long its text is, in nodes."""
    folded: tuple[int, ...] = field(default=())
    """The dimensions that its outermost call has folded and kept."""
    short: tuple[int, ast.expr] | None = None
    """How many of its last dimensions were only put there to broadcast, and the value without them."""

    @property
    def number(self) -> bool:
        return self.rank < 0

    @property
    def atom(self) -> bool:
        return isinstance(self.node, (ast.Name, ast.Constant)) or self.number


def changed(value: Value, node: ast.expr, **fields: Any) -> Value:
    """Another text in the place of a value."""
    return replace(value, node=node, **({"folded": (), "short": None} | fields))


def broadcast(node: ast.expr, values: Sequence[Value], dtype: str, weight: int = 2) -> Value:
    """A tensor that is made of several values, which are broadcast against each other; `weight`: of what is written around them."""
    dims = frozenset[int]().union(*(value.dims for value in values))
    rank = max(0, *(value.rank for value in values))
    return Value(node, dims, rank, dtype, sum(value.weight for value in values) + weight)


def extents(sizes: Iterable[SizeLike]) -> list[Size]:
    """The sizes or the strides of a tensor."""
    return [Size.of(size) for size in sizes]


def floating(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat"))


def promoted(values: Iterable[Value]) -> str:
    """The dtype that torch gives an operation of these: tensors before single elements before numbers, within their kind."""
    dims, zero, numbers = "", "", ""
    for value in values:
        if value.number:
            numbers = _wider(numbers, {"float": "float32", "int": "int64"}.get(value.dtype, value.dtype))
        elif value.rank == 0:
            zero = _wider(zero, value.dtype)
        else:
            dims = _wider(dims, value.dtype)
    return _combined(_combined(dims, zero), numbers)


def _combined(higher: str, lower: str) -> str:
    if not higher or not lower:
        return higher or lower
    if floating(higher):
        return higher
    if higher == "bool" or floating(lower):
        return _wider(higher, lower)
    return higher


def _wider(a: str, b: str) -> str:
    if not a or not b or a == b:
        return a or b
    if floating(a) and floating(b):
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOATS.index)
    if floating(a) or floating(b):
        return a if floating(a) else b
    if "bool" in (a, b):
        return b if a == "bool" else a
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    return max(a, b, key=lambda name: INTEGERS.index(name) if name in INTEGERS else 4)


def storage_dtype(dtype: str) -> str:
    """The dtype in which torch holds a value of Triton's."""
    return "int64" if dtype in WIDE_UNSIGNED else dtype


# ---- trees


def name(text: str) -> ast.expr:
    return ast.Name(text, ast.Load())


def literal(value: bool | int | float) -> ast.expr:
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return ast.Attribute(name("torch"), "nan", ast.Load())
        infinite: ast.expr = ast.Attribute(name("torch"), "inf", ast.Load())
        return infinite if value > 0 else ast.UnaryOp(ast.USub(), infinite)
    if not isinstance(value, bool) and (value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def of_torch(text: str) -> ast.expr:
    """`torch.nn.functional.pad`"""
    return ast.parse(text, mode="eval").body


def call(function: str, *arguments: ast.expr, **keywords: ast.expr) -> ast.expr:
    return ast.Call(of_torch(function), list(arguments), [ast.keyword(k, v) for k, v in keywords.items()])


def method(of: ast.expr, named: str, *arguments: ast.expr, **keywords: ast.expr) -> ast.expr:
    called = ast.Attribute(of, named, ast.Load())
    return ast.Call(called, list(arguments), [ast.keyword(k, v) for k, v in keywords.items()])


def dtype_of(dtype: str) -> ast.expr:
    return ast.Attribute(name("torch"), dtype, ast.Load())


def tuple_of(nodes: Sequence[ast.expr]) -> ast.expr:
    return ast.Tuple(list(nodes), ast.Load())


def subscript(of: ast.expr, indices: Sequence[ast.expr]) -> ast.expr:
    """`x[:, None]`; trailing `:` are left out, and the brackets where nothing else is left."""
    kept = list(indices)
    while kept and isinstance(kept[-1], ast.Slice) and kept[-1].lower is kept[-1].upper is kept[-1].step is None:
        kept.pop()
    if not kept:
        return of
    return ast.Subscript(of, kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load()), ast.Load())


def permuted(node: ast.expr, order: Sequence[int]) -> ast.expr:
    """`x.T`, `x.transpose(0, 2)`, `x.permute(1, 2, 0)`"""
    if list(order) == sorted(order):
        return node
    if list(order) == [1, 0]:
        return ast.Attribute(node, "T", ast.Load())
    swapped = [n for n, place in enumerate(order) if n != place]
    if len(swapped) == 2:
        return method(node, "transpose", *map(literal, swapped))
    return method(node, "permute", *map(literal, order))


ALL = ast.Slice(None, None, None)
NEW = ast.Constant(None)


def part(low: int, high: int | None) -> ast.expr:
    return ast.Slice(ast.Constant(low) if low else None, None if high is None else ast.Constant(high), None)


def filled(form: str, *operands: ast.expr) -> ast.expr:
    """`{0} + {1}` with operands in their places."""
    return substituted(_parsed(form, len(operands)), {f"_{n}_": operand for n, operand in enumerate(operands)})


@lru_cache(maxsize=512)
def _parsed(form: str, count: int) -> ast.expr:
    return ast.parse(form.format(*(f"_{n}_" for n in range(count))), mode="eval").body


@dataclass(frozen=True)
class Line:
    """`target = value`, or a statement that changes a tensor in place."""

    target: str
    """Empty for a change in place."""
    value: ast.expr
    place: ast.expr | None = None
    """What is changed."""
    copied: bool = False
    """True for a tensor that is changed later on: it must keep its name."""

    def statement(self) -> ast.stmt:
        target = ast.Name(self.target, ast.Store()) if self.target else self.place
        assert target is not None
        if isinstance(target, (ast.Name, ast.Subscript)):
            return ast.Assign([target], self.value, lineno=0)
        return ast.Expr(ast.Call(ast.Attribute(target, "copy_", ast.Load()), [self.value], []))


def names_in(*nodes: ast.AST | None) -> list[str]:
    """The names that trees hold, as often as they do."""
    return [n.id for node in nodes if node is not None for n in ast.walk(node) if isinstance(n, ast.Name)]


# ---- values in another dtype


def constant(node: Constant) -> Value:
    """A number of Python, of the kind that its dtype is."""
    kind = node.dtype if node.dtype in {"int", "bool"} else "float" if floating(node.dtype) else "int"
    kind = "bool" if isinstance(node.value, bool) else kind
    return Value(literal(float(node.value) if kind == "float" else node.value), frozenset(), -1, kind)


def cast(value: Value, dtype: str, node: Cast) -> Value:
    """A value in a dtype of Triton's, as torch holds it."""
    if value.number:
        return _number_to(value, dtype)
    if dtype in WIDE_UNSIGNED:
        wide = to(value, "int64")
        if dtype == "uint64" or node.operand.dtype == "bool":
            return wide
        masked = ast.BinOp(wide.node, ast.BitAnd(), literal((1 << WIDE_UNSIGNED[dtype]) - 1))
        return changed(wide, masked, weight=wide.weight + 2)
    return to(value, dtype)


def _number_to(value: Value, dtype: str) -> Value:
    """A number of Python stays one."""
    kind = "float" if floating(dtype) else "bool" if dtype == "bool" else "int"
    if kind == value.dtype:
        return value
    if isinstance(value.node, ast.Constant) and isinstance(value.node.value, (bool, int, float)):
        convert = {"float": float, "bool": bool, "int": int}[kind]
        return changed(value, literal(convert(value.node.value)), dtype=kind)
    return changed(value, ast.Call(name(kind), [value.node], []), dtype=kind)


def in_dtype(value: Value, dtype: str) -> Value:
    """A value as a tensor of this dtype holds it."""
    cut = value.number and value.dtype == "float" and "float" not in dtype
    return to(tensor(value, "float32" if cut else dtype), dtype)


def tensor(value: Value, dtype: str) -> Value:
    """A number as a tensor of one element."""
    if not value.number:
        return value
    shape = tuple_of([])
    node = call("torch.full", shape, value.node, dtype=dtype_of(storage_dtype(dtype)), device=name("DEVICE"))
    return Value(node, frozenset(), 0, storage_dtype(dtype), 3)


def to(value: Value, dtype: str) -> Value:
    """The value in a dtype of torch, cast where it is not."""
    if value.dtype == dtype:
        return value
    if value.number:
        return tensor(value, dtype)
    node = method(value.node, "to", dtype_of(dtype))
    short = value.short and (value.short[0], method(value.short[1], "to", dtype_of(dtype)))
    return changed(value, node, dtype=dtype, weight=value.weight + 1, short=short)


LETTERS = {"float32": "f", "float64": "d", "float16": "e", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
           "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}  # fmt: skip


def reinterpreted(value: bool | int | float, source: str, target: str) -> int | float:
    """A number's bits as another dtype of the same width."""
    if source not in LETTERS or target not in LETTERS:
        raise NoReference(f"the bits of a {source} as a {target}")
    packed = struct.pack(LETTERS[source], value)
    (found,) = struct.unpack(LETTERS[target], packed)
    return found  # type: ignore[no-any-return]
