"""Which index spaces a value of a generated body varies along: x, y, the reduced ones. What decides the masks that its address needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from inductor_lab.eject.dtypes import COORDINATE

DIMENSION = re.compile(r"(?P<prefix>[xyz]|r\d+_)(?:index|mask|base|offset|BLOCK)$", re.IGNORECASE)


class Spaces:
    """The prefixes (`x`, `r0_`) of every name of a body."""

    def __init__(self, statements: Sequence[ast.stmt], prefixes: Collection[str]) -> None:
        self.prefixes = prefixes
        self.names: dict[str, frozenset[str]] = {}
        for _ in range(2):  # a loop carries values back to its top
            self.read(statements)

    def read(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, ast.For):
                self.read(statement.body)
            elif isinstance(statement, ast.Assign):
                found = self.of(statement.value)
                for name in (n.id for target in statement.targets for n in ast.walk(target) if isinstance(n, ast.Name)):
                    self.names[name] = found

    def of(self, value: ast.expr) -> frozenset[str]:
        found = {space for n in ast.walk(value) if isinstance(n, ast.Name) for space in self._of_name(n.id)}
        if "[:, None]" in ast.unparse(value) and "tl.arange" not in ast.unparse(value):  # reduced to one a row
            found = {space for space in found if not space.startswith("r")}
        return frozenset(found)

    def _of_name(self, name: str) -> Collection[str]:
        if dimension := DIMENSION.match(name):
            return {dimension["prefix"].lower()} & set(self.prefixes)
        if COORDINATE.match(name):
            return {prefix for prefix in self.prefixes if name.startswith(prefix)}
        return self.names.get(name, ())
