"""The rules `filled` and `added`: a `tl.where` that lost masks, or all of it but its value, where the lanes outside hold the same constant anyway.

Both expressions are folded under every truth of the masks: a load whose mask is false is its `other`, and arithmetic on constants is a constant.
In every case both must fold to the same term. Constants are those that each dtype holds exactly: small whole numbers and infinities. A lane is
followed through elementwise operations alone; anything else stands for itself, the same on both sides.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from itertools import product

from faults.equivalence import function_of, masks, mutant_undone
from faults.mutation import Mutant, around, called

Term = float | int | bool | str
"""What an expression is in a lane: a constant, or a text that stands for a value."""
LARGEST = 8
ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def is_filled(mutant: Mutant) -> bool:
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None:
        return False
    node, parents = found
    where = next((one for one in [node, *parents] if isinstance(one, ast.Call) and called(one) == "tl.where"), None)
    if where is None:
        return False
    after = ast.parse(f"({around(mutant, where)[3]})", mode="eval").body
    once = assigned_once(function, where.lineno)
    names = sorted(masks(where.args[0]))
    if not names or not once.keys() >= set(names):
        return False
    if where is node and not Kinds(once, mutant.text).kept(where, after):
        return False
    lanes = [Lane(once, dict(zip(names, truths, strict=True))) for truths in product((True, False), repeat=len(names))]
    return all(equal(lane.term(where), lane.term(after)) for lane in lanes)


def is_added(mutant: Mutant) -> bool:
    """`tl.where(mask, x + v, x)` that became `x + v`, where v is 0 in every lane outside of the mask."""
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None or not (isinstance(found[0], ast.Call) and called(found[0]) == "tl.where"):
        return False
    condition, more, less = found[0].args
    after = ast.parse(mutant.after, mode="eval").body
    if not (ast.dump(after) == ast.dump(more) and isinstance(more, ast.BinOp) and isinstance(more.op, ast.Add)):
        return False
    once, names = assigned_once(function, more.lineno), sorted(masks(condition))
    if ast.unparse(more.left) != ast.unparse(less) or not names or not once.keys() >= set(names):
        return False
    truths = [
        dict(zip(names, each, strict=True)) for each in product((True, False), repeat=len(names)) if not all(each)
    ]
    return all(Lane(once, each).constant(more.right) == 0 for each in truths)


def assigned_once(function: ast.FunctionDef, above: int) -> dict[str, ast.expr]:
    """What the names hold that are assigned once, above a line."""
    stored = [one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.lineno < above
        if stored.count(node.targets[0].id) == 1
    }  # fmt: skip


def equal(one: Term, other: Term) -> bool:
    """The same text, or the same constant, the sign of a zero too."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one == other and math.copysign(1, one) == math.copysign(1, other)


class Lane:
    """What expressions are in the lanes in which masks have these truths."""

    def __init__(self, once: Mapping[str, ast.expr], truths: Mapping[str, bool]) -> None:
        self.once, self.truths = once, truths

    def term(self, node: ast.expr) -> Term:
        found = self.constant(node)
        return self.text(node) if found is None else found

    def text(self, node: ast.expr) -> str:
        """What stands for a value: the expression, less a `where` that is decided."""
        if isinstance(node, ast.Call) and called(node) == "tl.where":
            condition = self.constant(node.args[0])
            if condition is not None:
                return self.text(node.args[1 if condition else 2])
        return ast.unparse(node)

    def constant(self, node: ast.expr) -> float | int | bool | None:
        """The constant that an expression is, if it is one."""
        made = self.folded(node)
        exact = made is not None and (
            isinstance(made, bool) or math.isinf(made) or (abs(made) <= LARGEST and made == int(made))
        )
        return made if exact else None

    def folded(self, node: ast.expr) -> float | int | bool | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            told = self.truths.get(node.id)
            return self.constant(self.once[node.id]) if told is None and node.id in self.once else told
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.constant(node.operand)
            return None if inner is None or not isinstance(inner, float) else -inner
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            both = [self.constant(node.left), self.constant(node.right)]
            return False if any(one is False for one in both) else True if all(one is True for one in both) else None
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return self.both(ARITHMETIC[type(node.op)], node.left, node.right)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
            return self.both(COMPARED[type(node.ops[0])], node.left, node.comparators[0])
        return None

    def both(self, operation: Callable[[float, float], float], one: ast.expr, other: ast.expr) -> float | None:
        first, second = self.constant(one), self.constant(other)
        if first is None or second is None:
            return None
        made = operation(first, second)
        return None if math.isnan(made) else made

    def call(self, node: ast.Call) -> float | int | bool | None:
        name = called(node)
        if name == "float" and ast.unparse(node) in ("float('inf')", "float('-inf')"):
            return float(ast.literal_eval(node.args[0]))
        if name == "tl.load" and len(node.args) > 1 and self.constant(node.args[1]) is False:
            others = [one.value for one in node.keywords if one.arg == "other"]
            return self.constant(others[0]) if others else None
        if name == "tl.where":
            condition = self.constant(node.args[0])
            return None if condition is None else self.constant(node.args[1 if condition else 2])
        if name == "tl.broadcast_to":
            return self.constant(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            inner = self.constant(node.func.value)
            return (
                inner if inner is not None and math.isfinite(inner) and ast.unparse(node.args[0]) != "tl.int1" else None
            )
        return None


class Kinds:
    """Whether expressions are bools, whole numbers or floats: beside a constant of the same kind or a lower one a dtype stays."""

    def __init__(self, once: Mapping[str, ast.expr], text: str) -> None:
        self.once = once
        self.dtypes = dict(re.findall(r'^    "(\w+)": \(.*torch\.(\w+), ', text, re.M))

    def kept(self, where: ast.Call, after: ast.expr) -> bool:
        """Whether what a `where` became has the dtype of the `where`."""
        value, constant = where.args[1:]
        if ast.dump(after) != ast.dump(value):
            return False
        return 0 < self.kind(value) >= self.kind(constant) >= 0

    def kind(self, node: ast.expr) -> int:
        """0 a bool, 1 a whole number, 2 a float; -1 where it is not told."""
        if isinstance(node, ast.Name) and node.id in self.once:
            return self.kind(self.once[node.id])
        if isinstance(node, ast.Constant):
            return {bool: 0, int: 1, float: 2}.get(type(node.value), -1)
        if isinstance(node, ast.Compare):
            return 0
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            kinds = self.kind(node.left), self.kind(node.right)
            return max(kinds) if min(kinds) >= 0 else -1
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            return kind_of(ast.unparse(node.args[0]).removeprefix("tl."))
        if isinstance(node, ast.Call) and called(node) == "tl.load":
            pointer = next((one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)), "")
            return kind_of(self.dtypes.get(pointer.removesuffix("_ptr"), ""))
        if isinstance(node, ast.Call) and called(node) == "float":
            return 2
        return -1


def kind_of(dtype: str) -> int:
    words = ((("bool", "int1"), 0), (("int", "uint"), 1), (("float", "bfloat"), 2))
    return next((kind for names, kind in words if dtype.startswith(names)), -1)
