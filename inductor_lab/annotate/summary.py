"""What a kernel computes, in one line, derived from its body: `relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)`."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Any

from inductor_lab.annotate.body import Body
from inductor_lab.annotate.decode import decode
from inductor_lab.annotate.expression import Expressions, text
from inductor_lab.records import Kernel

LONGEST = 100


def summary(kernel: Kernel, limit: int = LONGEST) -> str:
    """The stored expressions; with the pointer's name where there are several. Falls back on the list of operations."""
    if kernel.category == "template":
        return f"a template: {', '.join(kernel.ops[:6])}" if kernel.ops else "a template"
    try:
        body = decode(kernel)
    except ValueError:
        return ", ".join(kernel.ops)
    stored = _shared(stores(kernel, body), {access.pointer for access in body.accesses if access.kind == "load"})
    if not stored or (body.branches and len(stored) > 4):
        return ", ".join(kernel.ops) or "no store found"
    if len(stored) == 1 and not stored[0][0].endswith("]"):
        written = text(stored[0][1], limit)
        return f"{written} everywhere" if isinstance(stored[0][1], ast.Constant) else written
    share = max((limit - 2) // len(stored) - 14, 18)
    joined = "; ".join(
        f"{target} {'+=' if target.endswith(']') else '='} {text(value, share)}" for target, value in stored
    )
    return joined if len(joined) <= limit + 20 else joined[: limit - 1] + "…"


def _shared(stored: list[tuple[str, ast.expr]], read: set[str]) -> list[tuple[str, ast.expr]]:
    """The stores with what one of them holds named inside the others.

    `_new` tells an overwritten tensor from its old self.
    """
    known = [
        (ast.dump(value), f"{target}_new" if target in read else target)
        for target, value in stored
        if not isinstance(value, (ast.Name, ast.Constant)) and not target.endswith("]")
    ]
    return [
        (target, _Replace({dump: name for dump, name in known if dump != ast.dump(value)}).visit(deepcopy(value)))
        for target, value in stored
    ]


class _Replace(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> Any:
        found = self.names.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        return ast.Name(found) if found else self.generic_visit(node)


def stores(kernel: Kernel, body: Body) -> list[tuple[str, ast.expr]]:
    """(what is written, its value) for each store; an atomic addition's target carries its index in brackets."""
    expressions = expressions_of(kernel, body)
    found: list[tuple[str, ast.expr]] = []
    for statement in body.statements:
        expressions.assign(statement)
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[address, value, *_])):
                target = expressions.load(address)
                pointer = target.value if isinstance(target, ast.Subscript) else target
                if not isinstance(pointer, ast.Name):
                    continue
                if name == "store":
                    found.append((pointer.id, expressions.expand(value)))
                elif name.startswith("atomic_"):
                    found.append(
                        (text(target, 40) if target is not pointer else f"{pointer.id}[…]", expressions.expand(value))
                    )
    return found


def expressions_of(kernel: Kernel, body: Body) -> Expressions:
    """A fresh walk over a body's names."""
    loads: dict[str, set[object]] = {}
    for access in body.accesses:
        if access.kind == "load":
            loads.setdefault(access.pointer, set()).add(access.index)
    pointers = {argument.name for argument in kernel.arguments if argument.pointer}
    return Expressions(pointers, {name: len(found) for name, found in loads.items()})
