"""The addresses of a readable kernel: a pointer's tile and the sum of what walks along it, by a name where several accesses share it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.triton_page import Page
from inductor_lab.eject.triton_shapes import Shapes
from inductor_lab.eject.triton_text import call_to, name_node, parsed, signed, summed, unparsed

LONG = 20
"""Characters from which an address that several accesses share gets a name."""
SHORT = 12
"""Characters from which a position gets one that several values are made of."""


class Addresses:
    """Where each access goes."""

    def __init__(self, page: Page, shapes: Shapes, node: Callable[[Expression], ast.expr]) -> None:
        self.page, self.shapes, self.node = page, shapes, node
        self.repeated = Counter(access.index for access in page.found.accesses)

    def of(self, access: Access, spanned: frozenset[str]) -> ast.expr:
        """The pointer's tile; as wide as what is stored there, also where the address itself does not move along all of it."""
        pointer: ast.expr = name_node(f"{self.page.tensors[access.pointer].name}_ptr")
        index = access.index
        if seed := self._seed(access):
            pointer = ast.BinOp(pointer, ast.Add(), name_node(seed))
        elif index.terms or index.constant:
            pointer = ast.BinOp(pointer, ast.Add(), self.position(index, access.pointer))
        moving = self.shapes.spanned(self.shapes.of_index(index))
        lacking = self.shapes.spanned(spanned) - moving
        if lacking and (access.kind != "load" or not moving):
            zeros = call_to("tl.full", self.page.layout.tile(lacking), ast.Constant(0), name_node("tl.int32"))
            pointer = ast.BinOp(pointer, ast.Add(), zeros)
        return pointer

    def _seed(self, access: Access) -> str:
        """The parameter that says which seed of a tensor of seeds is loaded; empty where none is."""
        integers = self.page.tensors[access.pointer].type.dtype == "int64"
        one = access.kind == "load" and integers and not access.index.terms
        return self.page.layout.seed_offsets.get(access.index.constant, "") if one else ""

    def position(self, index: Index, pointer: str, used: int = 0) -> ast.expr:
        """An address or a position, by a name where a long one is said again.

        Args:
            pointer: Empty for a position that is no address.
            used: How many values are made of it.
        """
        positions = self.page.positions
        if index in positions:
            return name_node(positions[index])
        written = self.sum(index, pointer)
        text = unparsed(written)
        said = used or self.repeated[index]
        if said < 2 or len(text) < (SHORT if said > 2 and used else LONG):
            return written
        positions[index] = self.page.fresh("element" if pointer else "position")
        self.page.emit(f"{positions[index]} = {text}")
        return name_node(positions[index])

    def sum(self, index: Index, pointer: str) -> ast.expr:
        """An address or a position, in the order of the text. Beside a tile of several dimensions a constant stands where it is added to
        the fewest elements: first, or taken off the last summand."""
        layout = self.page.layout
        parts = [self._term(term, index, pointer) for term in index.terms]
        if index.constant or not parts:
            told = layout.bounds.places.get((pointer, index))
            place = told or layout.strides.place(abs(index.constant), index, pointer)
            constant = (index.constant < 0, parsed(place))
            if layout.rank == 1 or not parts:
                parts.append(constant)
            elif index.constant > 0:
                parts.insert(0, constant)
            else:
                parts[-1] = summed([parts[-1], constant])
        return signed(*summed(parts))

    def _term(self, term: Term, index: Index, pointer: str) -> tuple[bool, ast.expr]:
        """One summand: whether it is taken off, and its size."""
        layout = self.page.layout
        factors: list[ast.expr] = []
        match term.of:
            case Coordinate() as coordinate:
                factors.append(parsed(layout.coordinates.name(coordinate)))
            case Expression() as value:
                factors.append(self.node(value))
        if abs(term.factor) != 1 or not (factors or term.sizes):
            step = abs(term.factor)
            factors.append(parsed(str(step) if term.sizes else layout.strides.step(step, index, pointer)))
        factors += [name_node(layout.scalar(size)) for size in term.sizes]
        product = factors[0]
        for factor in factors[1:]:
            product = ast.BinOp(product, ast.Mult(), factor)
        return term.factor < 0, product
