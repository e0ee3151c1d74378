"""What of a generated body can be decided before it runs: tests of dtypes, copies, choices inside the same choice, dead values."""

from __future__ import annotations

import ast
import re

from inductor_lab.eject.dtypes import COORDINATE, Dtypes

TEMPORARY = re.compile(r"tmp\d+$")


def simplify(statements: list[ast.stmt], dtypes: Dtypes) -> list[ast.stmt]:
    """The same statements with less to read; every value that is left is the same to the bit."""
    tree = _Simplify(dtypes).visit(ast.Module(statements, []))
    return _without_dead(tree.body)


class _Simplify(ast.NodeTransformer):
    """What can be decided now: a test of a dtype, a copy of a coordinate, a choice inside the same choice."""

    def __init__(self, dtypes: Dtypes) -> None:
        self.dtypes = dtypes
        self.copies: dict[str, str] = {}
        self.chosen: dict[str, ast.Call] = {}

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        match node.test:
            case ast.Compare(left=ast.Attribute(value=value, attr="dtype"), ops=[ast.Is()], comparators=[wanted]):
                known = self.dtypes.of(value)
                if known:
                    return node.body if known == ast.unparse(wanted).rpartition(".")[2] else node.orelse
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=copied)) if TEMPORARY.match(
                name
            ) and COORDINATE.match(copied):
                self.copies[name] = copied
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                ast.unparse(call.func) == "tl.where"
            ):
                self.chosen[name] = call
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.copies.get(node.id, node.id), node.ctx) if isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func) == "tl.where" and len(node.args) == 3 and isinstance(node.args[1], ast.Name):
            inner = self.chosen.get(node.args[1].id)
            if inner is not None and ast.unparse(inner.args[0]) == ast.unparse(node.args[0]):
                node.args[1] = inner.args[1]
        return node


def _without_dead(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Without temporaries that nothing uses."""
    while True:
        used = {
            n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }

        def dead(statement: ast.stmt, used: set[str] = used) -> bool:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    return bool(TEMPORARY.match(name)) and name not in used
            return False

        kept = [statement for statement in statements if not dead(statement)]
        for statement in kept:
            if isinstance(statement, ast.For):
                statement.body = [inner for inner in statement.body if not dead(inner)]
        if len(kept) == len(statements):
            return kept
        statements = kept
