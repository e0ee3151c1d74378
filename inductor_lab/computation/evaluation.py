"""Turns one Python expression of a kernel's body into a tree: looks up names, and tells calls by their last word."""

from __future__ import annotations

import ast
import math

from inductor_lab.computation import folds, groups
from inductor_lab.computation.calls import CALLS, is_read
from inductor_lab.computation.memory import access
from inductor_lab.computation.nodes import NOWHERE, Evaluator
from inductor_lab.computation.operators import OPERATORS, called, function_name, is_module
from inductor_lab.computation.tree import (
    DTYPES,
    Cast,
    Constant,
    Expression,
    Operation,
    Position,
    Random,
    Size,
    Unknown,
    joined,
    of_text,
    union,
)

METHODS = {"to", "broadcast_to", "reshape"}
SAME = {
    "promote_to_tensor", "reshape", "trans", "expand_dims", "multiple_of", "max_contiguous", "float", "int", "abs_ptr",
    "view", "ravel",
}  # fmt: skip
"""Calls whose value is that of their first argument, as far as a reader is concerned."""
RANDOM = {"rand", "randn", "rand4x", "randn4x", "randint", "randint64"}

PYTHONS = {"min": "minimum", "max": "maximum"}
"""Python's own, of two numbers: `tl.max` folds a tile."""


class Evaluation(Evaluator):
    """Knows the rule for every expression that Inductor writes."""

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
        found = folds.several(self, node) if isinstance(node, ast.Call) else None
        if found is not None:
            return found
        if isinstance(node, ast.Call) and called(node) == "frexp" and node.args:
            value = self.of(node.args[0])
            mantissa = self.operation("frexp_mantissa", value)
            return mantissa, self.operation("frexp_exponent", value, dtype="int32")
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

    def chosen(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Expression:
        """`a if tmp5.dtype is tl.float32 else b` is decided by the dtype; other tests of Python's are not decided."""
        match self.is_of(test):
            case None:
                return self.operation("where", self.of(test), self.of(body), self.of(orelse))
            case decided:
                return self.of(body if decided else orelse)

    def is_of(self, test: ast.expr) -> bool | None:
        """Whether a value is of the dtype that a test asks for, or of one of several; None for another test, or where the dtype is not known."""
        match test:
            case ast.Compare(left=ast.Attribute(value=value, attr="dtype"), ops=[ast.Is()], comparators=[wanted]):
                dtype = self.of(value).dtype
                return of_text(ast.unparse(wanted)) == dtype if dtype else None
            case ast.BoolOp(op=ast.Or(), values=tests):
                told = [self.is_of(one) for one in tests]
                return None if None in told else any(told)
        return None

    # ---- calls

    def call(self, node: ast.Call) -> Expression:
        name = called(node)
        of_value = isinstance(node.func, ast.Attribute) and not is_module(node.func.value)
        if of_value and name in METHODS:
            return self.method(self.of(node.func.value), name, node)  # type: ignore[attr-defined]
        if name == "load" or name == "store" or name.startswith("atomic_"):
            return access(self, node, name)
        if (several := folds.several(self, node)) is not None:
            return several[0]
        if not is_read(node):
            return self.unknown(node, *(self.of(argument) for argument in node.args))
        if self.group and name in groups.PROGRAMS and (found := groups.program(self, node)) is not None:
            return found
        if name in CALLS and node.args:
            return CALLS[name](self, node)
        if name in PYTHONS and isinstance(node.func, ast.Name) and len(node.args) == 2:
            return self.operation(PYTHONS[name], *(self.of(argument) for argument in node.args))
        if name in folds.FOLDS and len(node.args) > 1:
            return folds.reduced(self, node, folds.FOLDS[name], "", self.of(node.args[0]))
        if name in RANDOM:
            inputs = tuple(self.of(argument) for argument in node.args)
            dtype = "int64" if name == "randint64" else "int32" if name == "randint" else "float32"
            kept = inputs if name == "randint64" else inputs[:2]
            written = (folds.argument(self, argument) for argument in node.args)
            return self.make(Random, dtype, union(inputs), name, kept, folds.call_of(node, *written))
        if name in SAME and node.args:
            return self.of(node.args[0])
        inputs = tuple(self.of(argument) for argument in node.args)
        if name.startswith("_triton_helper_fn"):
            name = function_name(name)
            if (scan := folds.continued(inputs)) is not None:
                return scan
        if not inputs:
            return self.unknown(node)
        of_module = isinstance(node.func, ast.Attribute) and is_module(node.func.value)
        floating = (
            of_module and ast.unparse(node.func).startswith(("libdevice", "tl_math")) and joined(*inputs) not in DTYPES
        )
        if not of_module and not isinstance(node.func, ast.Name):
            return self.unknown(node, *inputs)
        keywords = ", ".join(f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in node.keywords)
        dtype = "float32" if floating else ""
        return self.operation(name, *inputs, dtype=dtype, spelling=ast.unparse(node.func), keywords=keywords)

    def method(self, value: Expression, name: str, node: ast.Call) -> Expression:
        if name == "to" and node.args:
            text = ast.unparse(node.args[0])
            if any(keyword.arg == "bitcast" and not _is_false(keyword.value) for keyword in node.keywords):
                return self.make(Operation, of_text(text), value.axes, "bitcast", (value,))
            return self.cast(value, text)
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
        return self.make(Cast, dtype, value.axes, value)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
