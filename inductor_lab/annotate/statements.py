"""Small questions to a statement of a body: its value, its call."""

from __future__ import annotations

import ast

from inductor_lab.annotate.context import innermost


def value_of(statement: ast.stmt) -> ast.expr:
    return statement.value if isinstance(statement, (ast.Assign, ast.Expr)) else ast.Constant(None)


def call_of(statement: ast.stmt) -> ast.Call:
    """The call behind `[:, None]` and `.to(...)`; an empty one where there is none."""
    return innermost(value_of(statement)) or ast.Call(ast.Name("?"), [], [])
