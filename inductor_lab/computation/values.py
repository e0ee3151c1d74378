"""One expression of the text as a tree: names are looked up, calls are told by their last word."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inductor_lab.computation import folds
from inductor_lab.computation.costs import FLOPS
from inductor_lab.computation.dtypes import DTYPES, PREDICATES, joined, of_text
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Index, divided, remainder
from inductor_lab.computation.operators import OPERATORS, called
from inductor_lab.computation.records import Access
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
    union,
)
from inductor_lab.records import Argument

NOWHERE: frozenset[str] = frozenset()
BLOCKS = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "RBLOCK": "r", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}
"""Blocks -> the axes that a shape made of them spans."""
METHODS = {"to", "broadcast_to", "reshape"}
SAME = {
    "promote_to_tensor", "reshape", "trans", "expand_dims", "multiple_of", "max_contiguous", "float", "int", "abs_ptr",
    "inline_asm_elementwise", "view", "ravel",
}  # fmt: skip
"""Calls whose value is that of their first argument, as far as a reader is concerned."""
RANDOM = {
    "rand": "rand",
    "randn": "randn",
    "rand4x": "rand",
    "randn4x": "randn",
    "randint": "randint",
    "randint64": "randint",
    "randint4x": "randint",
}
MODULES = {"tl", "triton_helpers", "libdevice", "tl_math", "math", "triton"}
DEEPEST = 150
"""Levels of one tree. What lies deeper stands behind a name: whoever walks down a tree may recurse."""
RENAMED = {
    "fabs": "abs",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "sqrt_rn": "sqrt",
    "div_rn": "div",
}
"""Functions that are another spelling of an operation."""


@dataclass
class Values:
    """The names of a body so far, and every node made of them, each once."""

    pointers: Mapping[str, Argument]
    constants: Mapping[str, Expression]
    """Sizes and constexprs of the signature."""
    names: dict[str, Expression] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    work: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    axes: frozenset[str] = NOWHERE
    """Every axis of the kernel."""
    looped: bool = False
    computed_addresses: bool = False
    left: dict[str, Expression] = field(default_factory=dict)
    """Workspace -> what this program put there."""
    made: dict[tuple[Any, ...], Expression] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)

    # ---- nodes

    def make(self, kind: Callable[..., Expression], *fields: Any) -> Expression:
        """A node, the same one for the same fields."""
        key = (kind, *(repr(f) if isinstance(f, float) else f for f in fields))
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = kind(*fields)
            below = max((self.depth.get(id(operand), 0) for operand in found.operands), default=0)
            self.depth[id(found)] = below + 1
        return found

    def too_deep(self, value: Expression) -> bool:
        return self.depth.get(id(value), 0) >= DEEPEST

    def behind_a_name(self, name: str, value: Expression) -> Expression:
        """A name in place of a tree that has become too deep to walk down."""
        hidden = self.make(Unknown, value.dtype, value.axes, name, (value,))
        self.depth[id(hidden)] = 1
        return hidden

    def constant(self, value: bool | int | float, dtype: str = "") -> Expression:
        return self.make(Constant, dtype or type(value).__name__, NOWHERE, value)

    def operation(self, name: str, *inputs: Expression, dtype: str = "") -> Expression:
        """An operation, its cost counted where it works on floats."""
        name = RENAMED.get(name, name)
        if (decided := _decided(name, inputs)) is not None:
            return self.constant(decided) if isinstance(decided, bool) else decided
        kind = "bool" if name in PREDICATES else dtype or joined(*inputs[1:] if name == "where" else inputs)
        axes = union(inputs)
        if kind.startswith(("float", "bfloat")) and not all(isinstance(value, Constant) for value in inputs):
            self.cost(name, axes)
        return self.make(Operation, kind, axes, name, inputs)

    def cost(self, name: str, axes: frozenset[str]) -> None:
        if count := FLOPS.get(name, 1):
            self.work.append((count, axes))

    def unknown(self, node: ast.AST, *inputs: Expression, dtype: str = "") -> Expression:
        return self.make(Unknown, dtype or joined(*inputs), union(inputs), ast.unparse(node), inputs)

    def position(self, index: Index, axes: frozenset[str], dtype: str = "int32") -> Expression:
        if index.is_constant:
            return self.constant(index.constant, dtype)
        return self.make(Position, dtype, axes, index)

    # ---- expressions

    def of(self, node: ast.expr) -> Expression:
        """The tree of an expression."""
        match node:
            case ast.Constant(value=(bool() | int() | float()) as value):
                return self.constant(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(node, self.of(left), OPERATORS.get(type(op), "operator"), self.of(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(OPERATORS.get(type(op), ""), self.of(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
                return self.operation(OPERATORS[type(op)], self.of(left), self.of(right))
            case ast.BoolOp(op=op, values=values):
                parts = [self.of(value) for value in values]
                total = parts[0]
                for part in parts[1:]:
                    total = self.operation("and" if isinstance(op, ast.And) else "or", total, part, dtype="bool")
                return total
            case ast.Subscript(value=value):
                return self.of(value)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.chosen(test, body, orelse)
            case ast.Call():
                return self.call(node)
        return self.unknown(node)

    def several(self, node: ast.expr) -> tuple[Expression, ...]:
        """The values of an expression that gives several: a call of Inductor's helpers, a tuple."""
        if isinstance(node, ast.Tuple):
            return tuple(self.of(element) for element in node.elts)
        if not isinstance(node, ast.Call):
            return (self.of(node),)
        name = called(node)
        if name in folds.SEVERAL:
            return self.folded_several(node, *folds.SEVERAL[name])
        if name in folds.TURNS:
            return self.turn(node, name)
        if name in {"associative_scan", "sort_with_index"}:
            return self.scan(node, name)
        return (self.of(node),)

    def name(self, name: str) -> Expression:
        if name in self.names:
            return self.names[name]
        if name in self.constants:
            return self.constants[name]
        return self.make(Unknown, "", NOWHERE, name, ())

    def unary(self, name: str, operand: Expression) -> Expression:
        if not name:
            return operand
        if isinstance(operand, Constant) and name == "neg":
            return self.constant(-operand.value, operand.dtype)
        if isinstance(operand, Position) and name == "neg":
            return self.position(operand.index.times(-1), operand.axes, operand.dtype)
        self_dtype = "bool" if name == "not" and operand.dtype in {"bool", ""} else operand.dtype
        return self.operation(name, operand, dtype=self_dtype)

    def binary(self, node: ast.expr, left: Expression, name: str, right: Expression) -> Expression:
        if isinstance(left, (Position, Constant, Size)) and isinstance(right, (Position, Constant, Size)):
            exact = self.exact(left, name, right)
            if exact is not None:
                return exact
        if name == "operator":
            return self.unknown(node, left, right)
        floating = (
            name == "div" and joined(left, right) in DTYPES and not joined(left, right).startswith(("float", "bfloat"))
        )
        return self.operation(name, left, right, dtype="float32" if floating else "")

    def exact(self, left: Expression, name: str, right: Expression) -> Expression | None:
        """Arithmetic of positions and sizes; None where the result is no sum of coordinates."""
        if any(isinstance(side, Constant) and isinstance(side.value, float) for side in (left, right)):
            return None
        a, b = Index.of(left), Index.of(right)
        found: Index | None = None
        match name:
            case "add":
                found = a.plus(b)
            case "sub":
                found = a.plus(b.times(-1))
            case "mul":
                found = a.product(b)
            case "floordiv" | "mod":
                by = b.constant if b.is_constant else size_of(right)
                if by is not None:
                    found = divided(a, by) if name == "floordiv" else remainder(a, by)
        if found is None:
            return None
        axes = frozenset(c.axis for c in found.coordinates()) or union((left, right))
        return self.position(found, axes, joined(left, right))

    def chosen(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Expression:
        """`a if tmp5.dtype is tl.float32 else b` is decided by the dtype; other tests of Python's are not decided."""
        match test:
            case ast.Compare(left=ast.Attribute(value=value, attr="dtype"), ops=[ast.Is()], comparators=[wanted]):
                dtype = self.of(value).dtype
                return self.of(body if of_text(ast.unparse(wanted)) == dtype else orelse)
        one, other = self.of(body), self.of(orelse)
        return self.make(Unknown, joined(one, other), union((one, other)), ast.unparse(test), (one, other))

    # ---- calls

    def call(self, node: ast.Call) -> Expression:
        name = called(node)
        of_value = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        if of_value and name in METHODS:
            return self.method(self.of(node.func.value), name, node)  # type: ignore[attr-defined]
        if name == "load" or name == "store" or name.startswith("atomic_"):
            return self.access(node, name)
        if name in folds.SEVERAL or name in folds.TURNS or name in {"associative_scan", "sort_with_index"}:
            return self.several(node)[0]
        handler = getattr(self, f"call_{name}", None)
        if handler is not None and (node.args or name in {"program_id", "arange"}):
            found: Expression = handler(node)
            return found
        if name in folds.FOLDS and len(node.args) > 1 and name != "abs":
            return self.reduced(node, folds.FOLDS[name], "", self.of(node.args[0]))
        if name in RANDOM:
            inputs = tuple(self.of(argument) for argument in node.args)
            dtype = "int64" if "int" in name else "float32"
            kept = inputs if dtype == "int64" else inputs[:2]
            return self.make(Random, dtype, union(inputs), RANDOM[name], kept)
        if name in SAME and node.args:
            return self.of(node.args[0])
        inputs = tuple(self.of(argument) for argument in node.args)
        if name.startswith("_triton_helper_fn"):
            name = function_name(name)
            if (scan := folds.continued(inputs)) is not None:
                return scan
        if not inputs:
            return self.unknown(node)
        of_module = isinstance(node.func, ast.Attribute) and _is_module(node.func.value)
        floating = (
            of_module and ast.unparse(node.func).startswith(("libdevice", "tl_math")) and joined(*inputs) not in DTYPES
        )
        if not of_module and not isinstance(node.func, ast.Name):
            return self.unknown(node, *inputs)
        return self.operation(name, *inputs, dtype="float32" if floating else "")

    def method(self, value: Expression, name: str, node: ast.Call) -> Expression:
        if name == "to" and node.args:
            return self.cast(value, ast.unparse(node.args[0]))
        return self.spread(value, node.args)

    def cast(self, value: Expression, text: str) -> Expression:
        dtype = of_text(text)
        if not dtype or dtype == value.dtype:
            return value
        match value:
            case Constant(value=number) if dtype in DTYPES and math.isfinite(number):
                whole = not dtype.startswith(("float", "bfloat"))
                return self.constant(
                    bool(number) if dtype == "bool" else int(number) if whole else float(number), dtype
                )
            case Position(index=index, axes=axes) if "int" in dtype:
                return self.make(Position, dtype, axes, index)
            case Partial():
                return value
        return self.make(Cast, dtype, value.axes, value)

    def spread(self, value: Expression, shape: list[ast.expr]) -> Expression:
        axes = value.axes | _spanned(shape, self.axes)
        return value if axes == value.axes else self.make(Broadcast, value.dtype, axes, value)

    def call_broadcast_to(self, node: ast.Call) -> Expression:
        return self.spread(self.of(node.args[0]), node.args[1:])

    def call_full(self, node: ast.Call) -> Expression:
        """`tl.full(shape, value, dtype)`: the number itself; its shape says nothing that its users do not."""
        if len(node.args) < 2:
            return self.unknown(node)
        value = self.of(node.args[1])
        dtype = ast.unparse(node.args[2]) if len(node.args) > 2 else ""
        if dtype.endswith(".dtype") and isinstance(node.args[2], ast.Attribute):
            return self.retyped(value, self.of(node.args[2].value).dtype)
        return self.retyped(value, of_text(dtype))

    def retyped(self, value: Expression, dtype: str) -> Expression:
        if not dtype or not isinstance(value, Constant):
            return value
        floating = dtype.startswith(("float", "bfloat"))
        number = float(value.value) if floating else value.value
        return self.constant(bool(number) if dtype == "bool" else number, dtype)

    def call_zeros(self, node: ast.Call) -> Expression:
        texts = [ast.unparse(argument) for argument in (*node.args[1:], *(k.value for k in node.keywords))]
        return self.retyped(self.constant(0), next(filter(None, map(of_text, texts)), "float32"))

    def call_float(self, node: ast.Call) -> Expression:
        match node.args[0]:
            case ast.Constant(value=str() as text):
                return self.constant(float(text)) if text.strip("+-").lower() in {"inf", "nan"} else self.unknown(node)
        return self.of(node.args[0])

    def call_div_floor_integer(self, node: ast.Call) -> Expression:
        return self.binary(node, self.of(node.args[0]), "floordiv", self.of(node.args[-1]))

    def call_remainder_integer(self, node: ast.Call) -> Expression:
        return self.binary(node, self.of(node.args[0]), "mod", self.of(node.args[-1]))

    def call_where(self, node: ast.Call) -> Expression:
        if len(node.args) != 3:
            return self.unknown(node)
        made = self.operation("where", *(self.of(argument) for argument in node.args))
        scan = folds.whole_scan(made)
        return scan if scan is not None else made

    def call_reduce(self, node: ast.Call) -> Expression:
        """`tl.reduce(value, 1, _triton_helper_fn_add0)`."""
        name = function_name(ast.unparse(node.args[-1])) if len(node.args) > 2 else "reduce"
        value = node.args[0].elts[0] if isinstance(node.args[0], ast.Tuple) and node.args[0].elts else node.args[0]
        return self.reduced(node, folds.ACCUMULATED.get(name, name), "", self.of(value))

    def call_select_one(self, node: ast.Call) -> Expression:
        """The one element along the row where a condition holds: the last of a block's scan."""
        value = self.of(node.args[0])
        return self.make(Operation, value.dtype, self.unreduced(value.axes), "last", (value,))

    def call_exclusive_scan_decoupled_lookback(self, node: ast.Call) -> Expression:
        """What all earlier blocks of a split scan came to; the workspace is read and written meanwhile."""
        value = self.of(node.args[1]) if len(node.args) > 1 else self.unknown(node)
        return self.make(Carried, value.dtype, value.axes, "earlier blocks", value)

    call_exclusive_scan_decoupled_lookback_64 = call_exclusive_scan_decoupled_lookback

    def call_bucketize_binary_search(self, node: ast.Call) -> Expression:
        """The place of each value among sorted boundaries, which are read where the search goes."""
        value = self.of(node.args[0])
        made: list[Expression] = [value]
        if len(node.args) > 1 and isinstance(node.args[1], ast.Name) and node.args[1].id in self.pointers:
            pointer = node.args[1].id
            index = Index.of(value)
            load = self.make(Load, self.pointers[pointer].dtype, value.axes, pointer, index, None, None, 0)
            self.accesses.append(Access("load", pointer, node.lineno, index, None, load, "", self.looped))
            made.append(load)
        return self.make(Operation, "int64", value.axes, "bucketize", tuple(made))

    def call_abs(self, node: ast.Call) -> Expression:
        return self.operation("abs", self.of(node.args[0]))

    # ---- folds

    def unreduced(self, axes: frozenset[str]) -> frozenset[str]:
        return frozenset(axis for axis in axes if not axis.startswith("r"))

    def reduced(self, node: ast.Call, name: str, part: str, *tiles: Expression) -> Expression:
        """A fold of a tile along its reduced axes; a loop's partial tile is what its elements were."""
        inputs: list[Expression] = []
        counted = True
        for tile in tiles:
            match tile:
                case Partial(name=partial, inputs=taken) if partial == name or (partial, name) == ("sum", "any"):
                    inputs += taken
                    counted = False  # the elements were counted in the loop
                case Partial(inputs=taken):
                    inputs += [self.unknown(node, *taken)]
                case _:
                    inputs.append(tile)
        axes = union(inputs)
        over = frozenset(axis for axis in axes if axis.startswith("r")) or frozenset(
            axis for axis in self.axes if axis.startswith("r")
        )
        dtype = "bool" if name == "any" else tiles[0].dtype
        if counted and dtype.startswith(("float", "bfloat")):
            self.cost(name, axes)
        return self.make(Reduction, dtype, self.unreduced(axes), name, part, tuple(inputs), over)

    def folded_several(self, node: ast.Call, name: str, parts: tuple[str, ...]) -> tuple[Expression, ...]:
        """`tl.max_with_index`, `welford`: each result a reduction of the same inputs."""
        name = name.replace("argmax", "argmin") if called(node).startswith("min") else name
        tiles = [self.of(argument) for argument in node.args[: len(parts)]]
        partial = next((tile for tile in tiles if isinstance(tile, Partial)), None)
        if partial is not None:
            inputs = partial.inputs
        else:
            inputs = tuple(tiles[:1] if name.startswith("arg") else tiles)
            self.cost(name, union(inputs))
        axes = union(inputs)
        over = frozenset(axis for axis in axes if axis.startswith("r"))
        return tuple(
            self.make(
                Reduction,
                "int64" if part == "index" else inputs[0].dtype,
                self.unreduced(axes),
                name,
                part,
                inputs,
                over,
            )
            for part in parts
        )

    def turn(self, node: ast.Call, name: str) -> tuple[Expression, ...]:
        """One turn of a loop with several accumulators."""
        fold, first, parts = folds.TURNS[name]
        last = first + (3 if name == "welford_combine" else 2 if name.endswith("with_sum") else 1)
        arguments = node.args[first:last]
        if not arguments:
            return (self.unknown(node),)
        inputs = tuple(self.of(argument) for argument in arguments)
        fold = fold.replace("argmax", "argmin") if name.startswith("min") else fold
        self.cost(name, union(inputs))
        dtypes = {"index": "int64"}
        return tuple(
            self.make(Partial, dtypes.get(part, inputs[0].dtype), union(inputs), fold, part, inputs) for part in parts
        )

    def scan(self, node: ast.Call, name: str) -> tuple[Expression, ...]:
        first = node.args[0] if node.args else node
        tuple_of = (
            first.elts if isinstance(first, ast.Tuple) else node.args[:2] if name == "sort_with_index" else [first]
        )
        inputs = tuple(self.of(value) for value in tuple_of if isinstance(value, ast.expr))
        if not inputs:
            return (self.unknown(node),)
        function = "sort" if name == "sort_with_index" else function_name(ast.unparse(node.args[-1]))
        kind = folds.ACCUMULATED.get(function, function)
        self.cost(kind, union(inputs))
        return tuple(
            self.make(Scan, value.dtype, union(inputs), kind, part, inputs) for part, value in enumerate(inputs)
        )

    # ---- memory

    def access(self, node: ast.Call, name: str) -> Expression:
        """A load, a store or an atomic operation: recorded in order, and its value."""
        method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        if method or not node.args:
            self.computed_addresses = True
            return self.unknown(node, *(self.of(argument) for argument in node.args))
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        place = 1 if name == "load" else 2
        pointer, index = self.address(node.args[0])
        mask = self.mask(node.args[place] if len(node.args) > place else keywords.get("mask"))
        stored = self.of(node.args[1]) if name != "load" and len(node.args) > 1 else None
        if not pointer:
            return self.workspace(node, name, stored)
        eviction = keywords.get("eviction_policy")
        policy = str(eviction.value) if isinstance(eviction, ast.Constant) else ""
        before = sum(access.pointer == pointer and access.kind != "load" for access in self.accesses)
        dtype = self.pointers[pointer].dtype
        axes = (
            union(index.expressions())
            | frozenset(c.axis for c in index.coordinates())
            | (mask.axes if mask else NOWHERE)
        )
        other = self.of(keywords["other"]) if "other" in keywords else None
        value = stored
        if name != "store":
            value = self.make(Load, dtype, axes, pointer, index, mask, other, before)
        held = value if name == "load" else stored
        self.accesses.append(Access(name, pointer, node.lineno, index, mask, held, policy, self.looped))
        return value if value is not None else self.unknown(node)

    def workspace(self, node: ast.Call, name: str, stored: Expression | None) -> Expression:
        """Programs that share a reduction leave their parts in a workspace, and fold what all of them left (`tmp2_ws`)."""
        self.computed_addresses = True
        base = next((n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)), "")
        if base.endswith("_ws") and stored is not None:
            self.left[base] = stored
        if base.endswith("_ws") and name == "load" and isinstance(part := self.left.get(base), Reduction):
            return self.make(Partial, part.dtype, part.axes | part.over, part.name, part.part, part.inputs)
        return self.unknown(node, *((stored,) if stored is not None else ()))

    def mask(self, node: ast.expr | None) -> Expression | None:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        return self.of(node)

    def address(self, node: ast.expr) -> tuple[str, Index]:
        """The pointer and the offset of `in_ptr0 + (x0 + 16*x1)`; no pointer for what is not such a sum (block pointers)."""
        match node:
            case ast.Name(id=name) if name in self.pointers and name not in self.names:
                return name, Index(0)
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=offset) if (
                name in self.pointers and name not in self.names
            ):
                return name, Index.of(self.of(offset))
        return "", Index(0)


def _decided(name: str, inputs: tuple[Expression, ...]) -> bool | Expression | None:
    """What is known before it runs: a comparison of two whole numbers, a choice between two values by it."""
    match inputs:
        case Constant(value=int() as a), Constant(value=int() as b) if name in _COMPARISONS:
            return bool(_COMPARISONS[name](a, b))
        case Constant(value=bool() as condition, dtype="bool"), one, other if name == "where":
            return one if condition else other
    return None


_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip


def size_of(value: Expression) -> int | str | None:
    """A divisor as a number or the text of its sizes; None for anything else."""
    index = Index.of(value)
    if index.is_constant:
        return index.constant
    if not index.is_scalar:
        return None
    products = ["*".join((*([str(t.factor)] if t.factor != 1 else []), *t.sizes)) for t in index.terms]
    return " + ".join((*products, *([str(index.constant)] if index.constant else [])))


def function_name(text: str) -> str:
    """`add` of `_triton_helper_fn_add0`, Inductor's name for a combining function."""
    return text.removeprefix("_triton_helper_fn_").rstrip("0123456789") or text


def _is_module(node: ast.expr) -> bool:
    """True for `tl`, `triton.language.math`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def _spanned(shape: list[ast.expr], axes: frozenset[str]) -> frozenset[str]:
    names = {n.id for part in shape for n in ast.walk(part) if isinstance(n, ast.Name)}
    return frozenset(_axis(name, axes) for name in names if name in BLOCKS)


def _axis(block: str, axes: frozenset[str]) -> str:
    """`RBLOCK` is another name for `R0_BLOCK` where the kernel has that axis (2.6 on)."""
    axis = BLOCKS[block]
    return "r0_" if axis == "r" and "r" not in axes and "r0_" in axes else axis
