"""Python's text as a syntax tree, and the tree walked: `ast.walk` in half its time, and with a bound on the tree's height."""

from __future__ import annotations

import ast
from collections.abc import Iterator

TALLEST = 150
"""Levels of a syntax tree: what works on it later may recurse, and Python's stack is a thousand calls."""
TOO_DEEP = "its expressions are nested too deeply"
_LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass})


def parse(text: str) -> ast.Module:
    """The tree of a text that may be anyone's.

    Raises:
        SyntaxError: it is no Python.
        ValueError: it is nested so deeply that no parser can stand it.
    """
    try:
        return ast.parse(text)
    except (RecursionError, MemoryError):
        raise ValueError(TOO_DEEP) from None


def walk(root: ast.AST) -> list[ast.AST]:
    """The node and all below it, level by level; without the contexts and operators, which have nothing below them.

    Raises:
        ValueError: there are more than `TALLEST` levels.
    """
    found, level = [root], [root]
    for _ in range(TALLEST):
        below: list[ast.AST] = []
        for node in level:
            if node.__class__ not in _LEAVES:
                for name in node._fields:
                    value = getattr(node, name, None)
                    if value.__class__ is list:
                        below += [child for child in value if isinstance(child, ast.AST)]
                    elif isinstance(value, ast.AST) and value._fields:
                        below.append(value)
        if not below:
            return found
        found += below
        level = below
    raise ValueError(TOO_DEEP)


def statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a block and of the blocks inside it, as they stand."""
    for statement in block:
        yield statement
        for inner in blocks(statement).values():
            yield from statements(inner)


def blocks(statement: ast.stmt) -> dict[str, list[ast.stmt]]:
    """The blocks inside a statement, by the name of their field."""
    found = {name: getattr(statement, name, None) for name in ("body", "orelse", "finalbody")}
    return {name: block for name, block in found.items() if isinstance(block, list) and block}


def expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    for name in statement._fields:
        value = getattr(statement, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and child._fields and not isinstance(child, ast.stmt):
                yield from walk(child)
