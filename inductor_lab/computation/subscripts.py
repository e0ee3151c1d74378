"""Properties of an address: its coordinates, its sum `x0 + 64 * x1 - 32`, and whether it runs backwards or repeats elements."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.space import Box, normal
from inductor_lab.computation.tree import Expression, Load, pointers


class Subscripts(ABC):
    """Writes the addresses of one computation."""

    computation: Computation

    @abstractmethod
    def node(self, value: Expression, depth: int) -> ast.expr:
        """A value inside of an address."""

    def walked(self, index: Index) -> list[Coordinate | Expression]:
        """What an address moves with, each once, the slowest dimension first, down to the last that data decides; nothing where data
        decides none, or several terms go along one dimension: by the same step, or further than the next larger step."""
        terms = sorted(index.terms, key=lambda term: (-len(term.sizes), -abs(term.factor)))
        by_data = [isinstance(term.of, Expression) and bool(pointers(term.of)) for term in terms]
        if not any(by_data):
            return []
        kept = [term for term in terms[: len(terms) - by_data[::-1].index(True)] if term.of is not None]
        steps = [(term.sizes, abs(term.factor)) for term in kept]
        for (sizes, step), (others, less), inner in zip(steps, steps[1:], kept[1:], strict=False):
            extent = self.computation.extent(inner.of) if isinstance(inner.of, Coordinate) else None
            if sizes == others and (step == less or (extent and step <= less * (extent - 1))):
                return []
        return [*dict.fromkeys(term.of for term in kept if term.of is not None)]

    def overlaps(self, value: Load) -> bool:
        """Whether some elements are met more often than others, as by windows that overlap."""
        steps, ranges = self.computation.steps(value.index or Index(0)) or {}, self.computation.ranges(value.mask)
        box = Box(0, tuple((step, ranges[digit][1] - ranges[digit][0]) for digit, step in steps.items() if step))
        return normal(box).count < prod(size for _, size in box.dimensions)

    def backwards(self, index: Index) -> bool:
        """Whether a dimension is walked from its end to its start, and nothing is transposed besides."""
        steps = [(term.factor, term.of) for term in index.terms if term.factor < 0]
        if not steps or any(not isinstance(of, Coordinate) for _, of in steps) or any(t.sizes for t in index.terms):
            return False
        along = [
            (of.axis, of.stride, abs(term.factor)) for term in index.terms if isinstance(of := term.of, Coordinate)
        ]
        along = [one for one in along if one[0][0] != "r" and isinstance(one[1], int)]
        if [step for *_, step in sorted(along)] != sorted(step for *_, step in along):
            return False
        extents = [(step, self.computation.extent(of)) for step, of in steps if isinstance(of, Coordinate)]
        return index.constant == sum(-step * (extent - 1) for step, extent in extents if extent)

    def sum(self, index: Index, depth: int) -> ast.expr:
        """`x0 + 64 * x1 - 32`, small steps first."""
        terms = sorted(index.terms, key=lambda term: (len(term.sizes), abs(term.factor)))
        parts = [self.term(term, depth) for term in terms]
        if index.constant or not parts:
            parts.append((index.constant < 0, ast.Constant(abs(index.constant))))
        negative, total = parts[0]
        total = ast.UnaryOp(ast.USub(), total) if negative else total
        for negative, part in parts[1:]:
            total = ast.BinOp(total, ast.Sub() if negative else ast.Add(), part)
        return total

    def term(self, term: Term, depth: int) -> tuple[bool, ast.expr]:
        factors: list[ast.expr] = [ast.Constant(abs(term.factor))] if abs(term.factor) != 1 else []
        factors += [ast.Name(size) for size in term.sizes]
        if isinstance(term.of, Coordinate):
            factors.append(ast.Name(self.coordinate(term.of)))
        elif term.of is not None:
            factors.append(self.node(term.of, depth - 1))
        if not factors:
            factors = [ast.Constant(1)]
        product = factors[0]
        for factor in factors[1:]:
            product = ast.BinOp(product, ast.Mult(), factor)
        return term.factor < 0, product

    def coordinate(self, coordinate: Coordinate) -> str:
        """Its name in the body, else how it is made of one that has a name, or of the flat position."""
        name = self.computation.held(coordinate)
        of = self.computation.coordinates.get(name, Coordinate(coordinate.axis, 1, None))
        if of == coordinate and name:
            return name
        text = name or f"{coordinate.axis}index"
        step, size = coordinate.stride, coordinate.size
        if isinstance(step, int) and isinstance(of.stride, int):
            step //= of.stride
        if step != 1:
            text += f" // {_divisor(step)}"
        if size is not None and not (isinstance(size, int) and isinstance(step, int) and of.size == step * size):
            text += f" % {_divisor(size)}"
        return text if text.isidentifier() else f"({text})"


def _divisor(size: int | str) -> str:
    """A size behind `%` or `//`: `(2*ks0)`."""
    return str(size) if isinstance(size, int) or size.isidentifier() else f"({size})"
