"""Mutants that compute the same, each claimed by a rule; what no rule proves counts as a survivor.

The rules:
- axis: the last axis, counted from the end;
- both arms: `>` for `>=` (or `<` for `<=`) where both arms of the `where` are equal when both sides are: `x`, `x * c` with c > 0 or 0 against
  0, `a` and `b` against each other (up to the sign of a zero, which no judge tells);
- lanes outside: what changed is the value of lanes outside a mask alone, which no reduction mixes with others and no store writes; those behind
  the end of a row are behind all others in a scan from its beginning.
"""

from __future__ import annotations

import ast

from faults.mutation import Mutant, called
from faults.records import BEGINS, parted, without_launcher

ELEMENTWISE = (
    "libdevice.",
    "tl_math.",
    "tl.where",
    "tl.abs",
    "tl.fma",
    "tl.sqrt_rn",
    "tl.broadcast_to",
    "tl.full",
    "maximum",
    "minimum",
)
REDUCTIONS = ("tl.sum", "tl.max", "tl.min", "max2", "min2", "max_with_index", "welford")


class NotProvenError(Exception):
    """What changed may be seen."""


def why_equivalent(mutant: Mutant) -> str:
    """The rule by which a mutant computes what the kernel computes, in a word; "" for none."""
    function = function_of(mutant)
    original = mutant_undone(mutant, function)
    if original is None:
        return ""
    node, parents = original
    if is_axis(node, mutant, parents):
        return "axis"
    if is_both_arms(node, mutant, parents):
        return "both arms"
    if is_outside(node, mutant, parents, function):
        return "lanes outside"
    return ""


def function_of(mutant: Mutant) -> ast.FunctionDef:
    """The kernel as it is without the change, with the lines of the file."""
    text = mutant.original
    start = text.index(BEGINS) + len(BEGINS)
    part, _ = parted(text[start:])
    part = "\n" * text[:start].count("\n") + without_launcher(part)
    (function,) = [
        one
        for one in ast.parse(part).body
        if isinstance(one, ast.FunctionDef) and one.lineno <= mutant.line <= (one.end_lineno or 0)
    ]
    return function


def mutant_undone(mutant: Mutant, function: ast.FunctionDef) -> tuple[ast.expr, list[ast.AST]] | None:
    """The node that was changed, and those around it, innermost first."""
    around: list[ast.AST] = []

    def search(node: ast.AST) -> ast.expr | None:
        for child in ast.iter_child_nodes(node):
            here = isinstance(child, ast.expr) and (child.lineno, child.col_offset) == (mutant.line, mutant.column)
            if here and ast.unparse(child) == ast.unparse(ast.parse(f"({mutant.before})", mode="eval").body):
                around.append(node)
                return child  # type: ignore[return-value]
            found = search(child)
            if found is not None:
                around.append(node)
                return found
        return None

    node = search(function)
    return None if node is None else (node, around)


def is_axis(node: ast.expr, mutant: Mutant, parents: list[ast.AST]) -> bool:
    """Axis -1 for axis 1 of a block of rows, which has two."""
    call = parents[0]
    if isinstance(call, ast.Call) and called(call) == "tl.associative_scan":
        last = call.args[1] is node
    else:
        last = isinstance(call, ast.Call) and called(call) in REDUCTIONS and call.args[-1] is node
    return last and (mutant.before, mutant.after) == ("1", "(-1)")


def is_both_arms(node: ast.expr, mutant: Mutant, parents: list[ast.AST]) -> bool:
    """A comparison that is now true, or no longer, where both sides are equal, and both arms too."""
    if not isinstance(node, ast.Compare):
        return False
    swapped = {ast.Gt: ">=", ast.GtE: ">", ast.Lt: "<=", ast.LtE: "<"}.get(type(node.ops[0]))
    if swapped is None or f") {swapped} (" not in mutant.after:
        return False
    call = parents[0]
    if isinstance(call, ast.Call) and called(call) == "tl.where" and call.args[0] is node:
        bound = node.comparators[0]
        zero = isinstance(bound, ast.Constant) and bound.value == 0
        return zero and all(scaled(arm, ast.unparse(node.left)) for arm in call.args[1:])
    return is_larger_of_both(node, parents)


def is_larger_of_both(node: ast.Compare, parents: list[ast.AST]) -> bool:
    """`first = (a > b) | ...` that only chooses between a and b, in `tl.where(first, a, b)`."""
    statement = next((one for one in parents if isinstance(one, ast.Assign)), None)
    function = next((one for one in parents if isinstance(one, ast.FunctionDef)), None)
    if statement is None or function is None or not isinstance(statement.targets[0], ast.Name):
        return False
    inside = parents[: parents.index(statement)]
    if not all(isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitOr) for one in inside):
        return False
    first, both = statement.targets[0].id, {ast.unparse(node.left), ast.unparse(node.comparators[0])}
    uses = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and one.id == first and isinstance(one.ctx, ast.Load)
    ]
    chosen = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Call)
        and called(one) == "tl.where"
        and one.args[0] in uses
        and {ast.unparse(arm) for arm in one.args[1:]} == both
    ]
    return len(chosen) == len(uses) > 0


def scaled(arm: ast.expr, value: str) -> bool:
    """`x`, or `x` times a positive number, or 0: each is 0 where x is; which sign it has is no matter to the judge."""
    if ast.unparse(arm) == value or (isinstance(arm, ast.Constant) and arm.value == 0):
        return True
    if not (isinstance(arm, ast.BinOp) and isinstance(arm.op, ast.Mult) and ast.unparse(arm.left) == value):
        return False
    return isinstance(arm.right, ast.Constant) and isinstance(arm.right.value, float) and arm.right.value > 0


def is_outside(node: ast.expr, mutant: Mutant, parents: list[ast.AST], function: ast.FunctionDef) -> bool:
    """The condition of a `where` that lost one mask, or the value of the lanes that a `where` or a load does not take."""
    call = next((one for one in parents if isinstance(one, ast.Call)), None)
    if call is None:
        return False
    lost: set[str] = set()
    if called(call) == "tl.where" and call.args[0] is node and mutant.kind == "operand dropped":
        lost = masks(node) - masks(ast.parse(mutant.after, mode="eval").body)
    elif called(call) == "tl.where" and call.args[2] is node:
        lost = masks(call.args[0]) if all_names(call.args[0]) else set()
    elif called(call) == "tl.load" and any(one.arg == "other" and one.value is node for one in call.keywords):
        lost = masks(call.args[1]) if all_names(call.args[1]) else set()
    if not lost or not all(name.startswith("inside") for name in lost):
        return False
    try:
        for mask in lost:
            Lanes(function, mask, call).check()
    except NotProvenError:
        return False
    return True


def masks(node: ast.expr) -> set[str]:
    """The names that are and-ed, less what is no name."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return masks(node.left) | masks(node.right)
    return {node.id} if isinstance(node, ast.Name) else set()


def all_names(node: ast.expr) -> bool:
    """Whether nothing but names is and-ed: `masks` tells all of it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return all_names(node.left) and all_names(node.right)
    return isinstance(node, ast.Name)


def reverse(scan: ast.Call) -> bool:
    """Whether a scan begins at the end, or may."""
    return len(scan.args) > 3 or any(one.arg == "reverse" for one in scan.keywords)


class Lanes:
    """Follows the value of lanes outside one mask from one call to the stores."""

    def __init__(self, function: ast.FunctionDef, mask: str, source: ast.Call) -> None:
        self.function, self.mask, self.source = function, mask, source
        self.told: set[str] = set()
        self.of_rows = mask == "inside" and any(
            isinstance(one, ast.Assign)
            and ast.unparse(one.targets[0]) == "row"
            and ast.unparse(one.value).endswith("[:, None]")
            for one in function.body
        )

        self.behind_the_end = mask == "inside_r" and {"r = tl.arange(0, BLOCK_R)[None, :]", "inside_r = r < R"} <= {
            ast.unparse(one) for one in function.body
        }

    def check(self) -> None:
        """Raises NotProvenError where such a lane may be seen. Twice: a loop carries values round."""
        for _ in range(2):
            for statement in self.function.body:
                self.statement(statement)

    def statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            seen = self.seen(statement.value)
            for target in statement.targets:
                names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
                self.told = self.told | names if seen else self.told
        elif isinstance(statement, ast.Expr):
            self.seen(statement.value)
        elif isinstance(statement, ast.For) and not self.seen(statement.iter):
            for inner in statement.body:
                self.statement(inner)
        else:
            raise NotProvenError

    def seen(self, node: ast.expr) -> bool:
        """Whether lanes outside the mask differ here."""
        if node is self.source:
            return True
        if isinstance(node, ast.Name):
            return node.id in self.told
        if isinstance(node, ast.Call):
            return self.call(node)
        parts = [self.seen(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return any(parts)  # each is looked at: a load among them may be where it is seen

    def call(self, node: ast.Call) -> bool:
        name = called(node)
        given = [self.seen(one) for one in node.args]
        if isinstance(node.func, ast.Attribute) and name.endswith(".to"):
            return self.seen(node.func.value)
        if name == "tl.where" and self.mask in masks(node.args[0]):
            return given[2]
        if name in ("tl.store", "tl.atomic_add", "tl.load"):
            place = 1 if name == "tl.load" else 2
            masked = len(node.args) > place and self.mask in masks(node.args[place])
            if any(given) and not (masked and not given[place]):
                raise NotProvenError
            return False
        if not any(given):
            return False
        if name in REDUCTIONS and self.of_rows and ast.unparse(node.args[-1]) == "1":
            return True
        scanned = name == "tl.associative_scan" and ast.unparse(node.args[1]) == "1" and not reverse(node)
        if scanned and (self.of_rows or self.behind_the_end):
            return True
        if name.startswith(ELEMENTWISE) and name not in REDUCTIONS:
            return True
        raise NotProvenError
