"""Statements of the reference, made pleasant: what is used once stands where it is used, as long as the line stays short."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.eject.eager.torch_values import substituted, text

WIDTH = 100


@dataclass(frozen=True)
class Line:
    """`target = value`, or a statement that changes a tensor in place."""

    target: str
    """Empty for a change in place."""
    value: ast.expr
    place: ast.expr | None = None
    """What is changed."""
    copied: bool = False
    """True for a tensor that is changed later on: it must keep its name."""

    def statement(self) -> ast.stmt:
        target = ast.Name(self.target, ast.Store()) if self.target else self.place
        assert target is not None
        if isinstance(target, (ast.Name, ast.Subscript)):
            return ast.Assign([target], self.value, lineno=0)
        return ast.Expr(ast.Call(ast.Attribute(target, "copy_", ast.Load()), [self.value], []))


def tidy(lines: Sequence[Line], results: Sequence[ast.expr]) -> tuple[list[ast.stmt], list[ast.expr]]:
    """The statements that are needed, those with one use written where it is."""
    kept: dict[int, Line] = dict(enumerate(_needed(list(lines), results)))
    results = list(results)
    changed = {_base(line.place) for line in kept.values() if line.place is not None}
    uses: Counter[str] = Counter()
    user: dict[str, int] = {}
    """Name -> the last line that reads it, or ~n for the n-th result: where it is used, if it is used once."""
    for number, line in kept.items():
        _count(_names(line.value, line.place), number, uses, user)
    for number, result in enumerate(results):
        _count(_names(result), ~number, uses, user)
    moved = True
    while moved:
        moved = False
        for number in list(kept):
            line = kept[number]
            if not line.target or line.copied or uses[line.target] != 1 or _touches(line.value, changed):
                continue
            at, values = user[line.target], {line.target: line.value}
            if at < 0:
                made = substituted(results[~at], values)
                if len(text(made)) > WIDTH:
                    continue
                results[~at] = made
            else:
                later = kept[at]
                value = substituted(later.value, values)
                if len(text(value)) + len(later.target) + 3 > WIDTH:
                    continue
                place = substituted(later.place, values) if later.place is not None else None
                kept[at] = Line(later.target, value, place, later.copied)
            del kept[number]
            user.update({name: at for name in _names(line.value) if user[name] == number})
            moved = True
    return [line.statement() for line in kept.values()], results


def _count(names: Sequence[str], place: int, uses: Counter[str], user: dict[str, int]) -> None:
    uses.update(names)
    user.update(dict.fromkeys(names, place))


def _needed(lines: list[Line], results: Sequence[ast.expr]) -> list[Line]:
    wanted = {name for result in results for name in _names(result)}
    kept: list[Line] = []
    for line in reversed(lines):
        if line.target in wanted or (line.place is not None and _base(line.place) in wanted):
            kept.append(line)
            wanted |= set(_names(line.value, line.place))
    return kept[::-1]


def _names(*nodes: ast.expr | None) -> list[str]:
    return [n.id for node in nodes if node is not None for n in ast.walk(node) if isinstance(n, ast.Name)]


def _base(place: ast.expr | None) -> str:
    node: ast.AST | None = place
    while node is not None and not isinstance(node, ast.Name):
        node = getattr(node, "value", None) or getattr(node, "func", None)
    return node.id if isinstance(node, ast.Name) else ""


def _touches(value: ast.expr, changed: set[str]) -> bool:
    return bool(changed & set(_names(value)))
