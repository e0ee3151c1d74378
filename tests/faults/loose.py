"""Rules on casts that were dropped, asked of survivors.

- `cast by the store`: the value of a `tl.store`, which Triton casts to the dtype of the pointer in any case.
- `promoted`: the widening to float32 of what is loaded, each use of which is an operand of arithmetic whose other operand is a block of
  float32: Triton widens it there, exactly.
- `own arithmetic`: the widening of a bfloat16 or float16 that is loaded, where all that follows is elementwise up to the store: arithmetic in
  the dtype throughout is a right variant by the definition of `right.py`, though not the same to the bit. It is counted apart. Where rounding
  or range would decide more than the last bits, it is not one: what is compared is the value that was loaded, with a number that the dtype
  holds, and float16, which overflows, is multiplied by constants up to 1 alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from faults.equivalence import ELEMENTWISE, REDUCTIONS, function_of, mutant_undone
from faults.filled import LARGEST, assigned_once
from faults.mutation import Mutant, called

WIDENED = ("bfloat16", "float16")


def is_cast_by_the_store(mutant: Mutant) -> bool:
    """A cast to the dtype of the tensor that is written."""
    found = mutant_undone(mutant, function_of(mutant))
    if found is None or mutant.kind != "cast dropped":
        return False
    node, parents = found
    store = parents[0]
    if not (
        isinstance(store, ast.Call)
        and called(store) == "tl.store"
        and store.args[1] is node
        and isinstance(node, ast.Call)
    ):
        return False
    return ast.unparse(node.args[0]) == f"tl.{dtype_of(store.args[0], mutant.text)}"


def is_promoted(mutant: Mutant) -> bool:
    """A cast to float32 that arithmetic makes anyhow."""
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None or mutant.kind != "cast dropped":
        return False
    node, (statement, *_) = found
    if not (
        isinstance(node, ast.Call) and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    ):
        return False
    once, name = assigned_once(function, function.end_lineno or 0), statement.targets[0].id
    if name not in once or ast.unparse(node.args[0]) != "tl.float32":
        return False
    uses = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
    ]
    others = [
        one.right if one.left in uses else one.left
        for one in ast.walk(function)
        if isinstance(one, ast.BinOp)
        and isinstance(one.op, ast.Add | ast.Sub | ast.Mult)
        and (one.left in uses or one.right in uses)
    ]
    return len(others) == len(uses) > 0 and all(is_float32(other, once, name) for other in others)


def is_float32(node: ast.expr, once: Mapping[str, ast.expr], less: str) -> bool:
    """Whether an expression is a block of float32 for certain, whatever the dtype of the name `less` is."""
    if isinstance(node, ast.Name):
        return node.id != less and node.id in once and is_float32(once[node.id], once, less)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Sub | ast.Mult) and any(
            is_float32(one, once, less) for one in (node.left, node.right)
        )
    return isinstance(node, ast.Call) and called(node).endswith(".to") and ast.unparse(node.args[0]) == "tl.float32"


def is_own_arithmetic(mutant: Mutant) -> bool:
    """The load of a narrow float that is no more widened, where it leads through elementwise operations to narrow stores alone."""
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None or mutant.kind != "cast dropped":
        return False
    node, parents = found
    statement = parents[0]
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(statement, ast.Assign)):
        return False
    load, name = node.func.value, ast.unparse(statement.targets[0])
    if not (isinstance(load, ast.Call) and called(load) == "tl.load" and ast.unparse(node.args[0]) == "tl.float32"):
        return False
    narrow = dtype_of(load.args[0], mutant.text)
    if narrow not in WIDENED:
        return False
    flow = Flow(name, narrow, mutant.text)
    return all(flow.leads_on(one) for one in function.body if one is not statement)


class Flow:
    """Where a loaded value leads."""

    def __init__(self, loaded: str, dtype: str, text: str) -> None:
        self.loaded, self.dtype, self.text = loaded, dtype, text
        self.names = {loaded}

    def leads_on(self, statement: ast.stmt) -> bool:
        """Whether a statement takes what is followed through elementwise operations, to a name or a store; adds that name."""
        if not self.holds(statement):
            return True
        if (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and called(statement.value) == "tl.store"
        ):
            pointer, value, *masks = statement.value.args
            elsewhere = any(map(self.holds, (pointer, *masks)))
            return not elsewhere and dtype_of(pointer, self.text) == self.dtype and self.elementwise(value)
        if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
            return False
        self.names.add(statement.targets[0].id)
        return self.elementwise(statement.value)

    def holds(self, node: ast.AST) -> bool:
        return any(isinstance(one, ast.Name) and one.id in self.names for one in ast.walk(node))

    def elementwise(self, node: ast.expr) -> bool:
        return all(self.allowed(one) for one in ast.walk(node))

    def allowed(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return called(node).startswith(ELEMENTWISE) and called(node) not in REDUCTIONS
        if isinstance(node, ast.Compare):
            return ast.unparse(node.left) == self.loaded and small(node.comparators[0], whole=True)
        if isinstance(node, ast.BinOp) and self.dtype == "float16":
            return isinstance(node.op, ast.Mult) and small(node.right, whole=False)
        return not isinstance(node, (ast.FloorDiv, ast.Mod, ast.Subscript))


def small(node: ast.expr, *, whole: bool) -> bool:
    """A number that every dtype holds, or a factor up to 1."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (int, float)):
        return False
    return abs(node.value) <= LARGEST and node.value == int(node.value) if whole else abs(node.value) <= 1


def dtype_of(pointer: ast.expr, text: str) -> str:
    """Of the tensor that an address lies in, as the file states it."""
    name = next((one.id for one in ast.walk(pointer) if isinstance(one, ast.Name)), "").removesuffix("_ptr")
    found = re.search(rf'^    "{name}": \(.*torch\.(\w+), ', text, re.M)
    return found[1] if found else ""
