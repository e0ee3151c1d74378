"""A body's lines with everything left out that says nothing: `load(in_ptr0 + x0, evict_last)`."""

from __future__ import annotations

import ast

MODULES = {"tl", "triton_helpers", "libdevice", "tl_math"}
SILENT = {"sem"}
"""Keywords that a reader of a listing can miss: they are the same everywhere."""
ELSE = "else:"


def lines(body: str) -> dict[int, str]:
    """Each statement's short form by its line, with its indentation; the body's own lines where it is not Python."""
    source = body.splitlines()
    try:
        tree = ast.parse(body)
    except SyntaxError:
        return {number: line for number, line in enumerate(source, 1) if line.strip()}
    found = {}
    for statement in (node for node in ast.walk(tree) if isinstance(node, ast.stmt)):
        line = source[statement.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        short = ast.unparse(ast.fix_missing_locations(_Short().visit(statement)))
        chained = "el" if isinstance(statement, ast.If) and line.lstrip().startswith("elif") else ""
        found[statement.lineno] = indent + chained + short.split("\n")[0]
    found |= {number: line for number, line in enumerate(source, 1) if line.strip() == ELSE}
    return dict(sorted(found.items()))


class _Short(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return ast.Name(node.attr) if isinstance(node.value, ast.Name) and node.value.id in MODULES else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return node.value if ast.unparse(node.slice) == ":" else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "full" and len(node.args) > 1 and ast.unparse(node.args[0]) in {"[1]", "[1, 1]", "[XBLOCK]"}:
            held = node.args[1]
            return held if ast.unparse(held) != "True" else ast.Name("all_true")
        if name in {"load", "store"} or name.startswith("atomic"):
            node.args = [argument for argument in node.args if ast.unparse(argument) != "None"]
            policies = [
                k.value.value for k in node.keywords if k.arg == "eviction_policy" and isinstance(k.value, ast.Constant)
            ]
            node.keywords = [k for k in node.keywords if k.arg not in SILENT | {"eviction_policy"}]
            node.args += [ast.Name(str(policy)) for policy in policies]
        if name == "device_assert":
            node.args = node.args[:1]
        self.generic_visit(node)
        return _number(node) or node


def _number(node: ast.Call) -> ast.Constant | None:
    """`384 .to(float32)` and `0 .broadcast_to(XBLOCK, 1)` as the numbers that they are, 384.0 and 0; None for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant() as held, attr="broadcast_to")):
            return held
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=int() | float() as value), attr="to"),
            args=[ast.Name(id=dtype)],
            keywords=[],
        ) if "float" in dtype and not isinstance(value, bool):
            return ast.Constant(float(value))
    return None
