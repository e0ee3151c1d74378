"""What the values of a readable kernel are, as far as its text tells: floats, whole numbers by their dtype, bools, or places that address."""

from __future__ import annotations

import ast
import re
from functools import cached_property

PLACES = {"tl.program_id", "tl.arange", "tl.num_programs"}
HELPERS = (
    "libdevice.",
    "tl_math.",
    "triton_helpers.online_softmax",
    "triton_helpers.welford",
    "welford",
    "tl.sqrt",
    "tl.exp",
    "tl.log",
    "tl.div_rn",
    "tl.fma",
)
FLOAT, PLACE, BOOL = "float", "place", "bool"


class Types:
    """The type of each expression of one function; "" where it is not told.

    Args:
        text: The whole file, whose ARGUMENTS tell the dtypes of pointers.
    """

    def __init__(self, function: ast.FunctionDef, text: str) -> None:
        self.arguments = dict(re.findall(r'^\s+"(\w+)": \(.*torch\.(\w+), ', text, re.M))
        self.function = function
        self.names: dict[str, str] = {}
        for one in function.args.args:
            if not one.arg.endswith("_ptr"):
                self.names[one.arg] = PLACE
        for _ in range(2):  # a loop carries values round
            for node in self.statements:
                self._take(node)

    @cached_property
    def statements(self) -> list[ast.Assign | ast.For]:
        found = [node for node in ast.walk(self.function) if isinstance(node, (ast.Assign, ast.For))]
        return sorted(found, key=lambda node: node.lineno)

    def _take(self, node: ast.Assign | ast.For) -> None:
        if isinstance(node, ast.For):
            self.names[ast.unparse(node.target)] = PLACE
            return
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.names[target.id] = self.of(node.value)
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
                for name, kind in zip(target.elts, self._several(node.value, len(target.elts)), strict=True):
                    self.names[ast.unparse(name)] = kind

    def _several(self, node: ast.Call, count: int) -> list[str]:
        """What a function returns that takes as many: a value and its place, a mean and its parts."""
        name = ast.unparse(node.func)
        given = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple) else node.args
        if name.endswith("_with_index") and given:
            return [self.of(given[0]), *["place"] * (count - 1)]
        if name.startswith(HELPERS):
            return [FLOAT] * count
        return [*(self.of(one) for one in given), *[""] * count][:count]

    def of(self, node: ast.AST) -> str:
        """The type of an expression."""
        if isinstance(node, ast.Constant):
            return {bool: BOOL, int: "number", float: FLOAT}.get(type(node.value), "")
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return BOOL
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.Subscript):
            return self.of(node.value)
        if isinstance(node, ast.IfExp):
            return self.of(node.body)
        if isinstance(node, ast.BinOp):
            return self._wider(node.left, node.right)
        return self._call(node) if isinstance(node, ast.Call) else ""

    def _call(self, node: ast.Call) -> str:
        name = ast.unparse(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            return self._dtype(ast.unparse(node.args[0]), self.of(node.func.value))
        if name in PLACES:
            return PLACE
        if name == "tl.load":
            pointer = next((one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)), "")
            return self._dtype(self.arguments.get(pointer.removesuffix("_ptr"), ""), "")
        if name in ("tl.full", "tl.zeros"):
            return self._dtype(ast.unparse(node.args[-1]), "")
        if name == "tl.where":
            return self._wider(*node.args[1:])
        if name == "float" or name.startswith(HELPERS):
            return FLOAT
        if name == "tl.associative_scan" or not node.args:
            return ""
        return self.of(node.args[0])

    def _wider(self, *nodes: ast.AST) -> str:
        kinds = [kind for kind in map(self.of, nodes) if kind != "number"] or ["number"]
        for kind in (FLOAT, PLACE, ""):
            if kind in kinds:
                return kind
        whole = [kind for kind in kinds if kind.startswith(("int", "uint"))]
        return max(whole, key=len) if whole else kinds[0]

    @staticmethod
    def _dtype(dtype: str, of: str) -> str:
        dtype = dtype.removeprefix("tl.").removeprefix("torch.")
        if dtype.startswith(("float", "bfloat")):
            return FLOAT
        if of == PLACE:
            return PLACE
        return BOOL if dtype in ("bool", "int1") else dtype
