"""Sizes as products: `3 * s77` is the number 3 and the symbol s77. What divides what is then a matter of counting."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Extent:
    """A number times symbols."""

    number: int
    symbols: tuple[str, ...] = ()
    """Sorted; one that stands twice is squared."""

    @staticmethod
    def of(size: int | str, bound: Mapping[str, str] | None = None) -> Extent:
        """The product that a text spells; `bound` tells what a name in it stands for: `{"ks0": "s77"}`."""
        if isinstance(size, int):
            return Extent(size)
        try:
            node = ast.parse(size, mode="eval").body
        except SyntaxError:
            return Extent(1, (size,))
        return _product(node, bound or {})

    def __mul__(self, other: Extent) -> Extent:
        if not self.number or not other.number:
            return Extent(0)
        return Extent(self.number * other.number, tuple(sorted((*self.symbols, *other.symbols))))

    def over(self, other: Extent) -> Extent | None:
        """The quotient where that is exact for every value of the symbols, else None."""
        left, taken = Counter(self.symbols), Counter(other.symbols)
        if not other.number or self.number % other.number or taken - left:
            return None
        return Extent(self.number // other.number, tuple(sorted((left - taken).elements())))

    @property
    def is_number(self) -> bool:
        return not self.symbols

    @property
    def is_one(self) -> bool:
        return self == ONE

    @property
    def order(self) -> tuple[int, int]:
        """Roughly by size: what has more symbols is larger."""
        return len(self.symbols), self.number


ONE = Extent(1)


def _product(node: ast.expr, bound: Mapping[str, str]) -> Extent:
    match node:
        case ast.Constant(value=int(number)):
            return Extent(number)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(left, bound) * _product(right, bound)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if 0 < power < 5:
            return product([_product(left, bound)] * power)
        case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(value=1), inner]):  # a stride of what may be empty
            return _product(inner, bound)
        case ast.Name(id=name) if name in bound and bound[name] != name:
            return Extent.of(bound[name])
        case ast.Name(id=name):
            return Extent(1, (name,))
    named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(bound)
    for name in named:  # a sum of sizes is one symbol, told by what they stand for
        node = _Bound(name, ast.parse(f"({bound[name]})", mode="eval").body).visit(node)
    return Extent(1, (f"({ast.unparse(node)})",))


class _Bound(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name else node


def product(extents: Iterable[Extent]) -> Extent:
    total = ONE
    for extent in extents:
        total *= extent
    return total
