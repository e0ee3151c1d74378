"""Names in a Python text exchanged for others, everything else of it to the letter: comments, spaces, a keyword of the same name."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping


def exchanged(text: str, names: Mapping[str, str], own: Collection[str] = ()) -> str:
    """The text with other names for what stands outside of it and for the functions that it defines.

    Args:
        own: Names that mean something else in it: the parameters of the function whose body it is.
    """
    if not any(name in text for name in names):
        return text
    lines = text.encode().split(b"\n")  # ast counts bytes
    places = {(line, column): name for line, column, name in _said(ast.parse(text), {*names} - {*own})}
    for line, column in sorted(places, reverse=True):
        name = places[line, column]
        row = lines[line - 1]
        column = row.index(name.encode(), column)
        lines[line - 1] = row[:column] + names[name].encode() + row[column + len(name.encode()) :]
    return b"\n".join(lines).decode()


def _said(node: ast.AST, names: set[str]) -> Iterator[tuple[int, int, str]]:
    """Where one of the names stands and means what it means outside: (line, column, the name)."""
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.Name) and node.id in names:
        yield node.lineno, node.col_offset, node.id
    if isinstance(node, ast.FunctionDef):
        if node.name in names:
            yield node.lineno, node.col_offset + len("def"), node.name
        for around in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            yield from _said(around, names)
        names, children = names - _bound(node), node.body
    for child in children:
        yield from _said(child, names)


def _bound(function: ast.FunctionDef) -> set[str]:
    """Names that mean something of a function's own."""
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
