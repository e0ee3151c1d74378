"""Sizes as Python: numbers, `x.shape[0]`, and the products and quotients of what is known."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.tensors import TensorView
from inductor_lab.eject.eager.torch_values import literal, substituted
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records.size import Size


class Sizes:
    """What a launch tells of sizes."""

    job: Computation
    """The job that is printed just now."""

    def __init__(self, sizes: Mapping[str, str], tensors: Mapping[str, TensorView], bound: Mapping[str, str]) -> None:
        self.sizes = sizes
        """`ks0`, `xnumel` -> Python."""
        self.tensors = tensors
        """Pointer -> the tensor."""
        self.bound = bound
        """`ks0` -> what the launch passes for it."""
        self.known = self.symbols()

    def symbols(self) -> dict[Size, ast.expr]:
        """What is known of sizes that are no numbers, as Python."""
        found: dict[Size, ast.expr] = {}
        for view in sorted(self.tensors.values(), key=lambda view: not view.read):
            for place, size in enumerate(view.type.shape if view.type else ()):
                if isinstance(size, str):
                    found.setdefault(Size.of(size), ast.parse(f"{view.name}.shape[{place}]", mode="eval").body)
        for size, spelled in self.sizes.items():
            found[Size.of(size, self.bound)] = _tree(spelled)
        return found

    def extent(self, extent: Size) -> ast.expr:
        """A product of numbers and symbols, by the sizes that are known."""
        if extent.is_number:
            return literal(extent.number)
        if extent in self.known:
            return self.known[extent]
        for known, node in self.known.items():
            rest = extent.over(known) if known.factors else None
            if rest is not None:
                return node if rest.is_one else ast.BinOp(self.extent(rest), ast.Mult(), node)
        for known, node in self.known.items():
            rest = known.over(extent)
            if rest is not None and rest.is_number:
                return ast.BinOp(node, ast.FloorDiv(), literal(rest.number))
        parts = [self.symbol(symbol) for symbol in extent.factors]
        parts = parts if extent.number == 1 else [literal(extent.number), *parts]
        total = parts[0]
        for factor in parts[1:]:
            total = ast.BinOp(total, ast.Mult(), factor)
        return total

    def symbol(self, symbol: str) -> ast.expr:
        """One symbol, or a sum of several, spelled by what is known."""
        known = {e.factors[0]: node for e, node in self.known.items() if e.number == 1 and len(e.factors) == 1}
        if symbol in known:
            return known[symbol]
        told = Size.of(symbol)
        if told.symbols <= set(known) and symbol not in told.symbols:
            return substituted(_tree(symbol), known)
        raise NoReference(f"the launch does not tell the size {symbol}")

    def size(self, size: str) -> ast.expr:
        """A size that the body calls by name."""
        if size in self.sizes:
            return _tree(self.sizes[size])
        if size not in self.bound and size not in self.job.sizes:
            raise NoReference(f"{size} is not known before the launch")
        return self.extent(Size.of(size, self.bound))

    def product(self, sizes: Sequence[str]) -> ast.expr:
        total = self.size(sizes[0])
        for size in sizes[1:]:
            total = ast.BinOp(total, ast.Mult(), self.size(size))
        return total


def _tree(text: str) -> ast.expr:
    tree = Size.of(text).tree
    assert tree is not None, text
    return tree
