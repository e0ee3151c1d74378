"""Matches the pointers of a matrix-product template with graph nodes: operands, what the epilogue reads, and results.

A template's loop is not read as a tree, so the order of its loads is not known. But its operands come first in its signature, its claim
names what it reads in that order, and the product is the one among the claimed that follows from what is read.

    convolution = aten.convolution(getitem, arg21_1, ...)        arg_A = buf4: getitem      arg_B = arg21_1
    relu_3 = aten.relu(... + convolution)                        out_ptr2 = buf13: relu_3

It is a guess as far as the claim is: the judge holds the kernel to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.aten import PRODUCTS
from inductor_lab.bind.dependencies import Pointers, computable, leaving, operator
from inductor_lab.computation import Computation


@dataclass(frozen=True)
class Template(Pointers):
    """The pointers of a template's launch."""

    likely: set[str] = field(default_factory=set)
    """Those for which another node would have fitted too."""

    def read(self) -> dict[str, str]:
        """Parameter -> node whose value it holds before the launch: an input of the graph, else a node that the claim lists.

        The claim lists a buffer of which the graph has no name by its own: an operand is then a copy in another layout, and what the epilogue
        reads is another launch's product.
        """
        claim, nodes = self.kernel.claim, self.nodes
        asked = [name for name, pointer in self.pointers.items() if pointer.role != "out"]
        found = {name: variable for name in asked if (variable := self.input(name))}
        made_here = {*claim.nodes} & {*claim.outputs}
        listed = [name for name in claim.inputs if name in nodes.keys() - made_here - {*found.values()}]
        unnamed = {*claim.inputs} - nodes.keys()
        told = [name for name in asked if name not in found and self.passed[name].value not in unnamed]
        self._take(told, listed, found)
        operands = [name for name in asked if name not in found and name.startswith("arg_")]
        self._take(operands, self._operands(found), found, copied=True)
        self._take([name for name in asked if name not in found], self._of_others(found), found)
        return {name: found[name] for name in self.pointers if name in found}

    def written(self, read: Mapping[str, str], outputs: Collection[str], found: Computation) -> dict[str, str]:
        """Parameter -> node whose value it holds afterwards: of the claimed ones that follow from what is read, the last that others need."""
        claim, nodes, held = self.kernel.claim, self.nodes, {*read.values()}
        claimed, products = {*claim.nodes, *claim.outputs} - held, self.own(read)
        possible = [name for name in nodes if name in claimed and computable(name, nodes, held, products)]
        needed = leaving({*possible}, nodes, outputs)
        stores = [access for part in found.every() for access in part.stores]
        values = {access.pointer: access.value for access in stores if access.value is not None}
        tied: dict[str, str] = {}
        for name, pointer in reversed(list(self.pointers.items())):
            if pointer.role == "in":
                continue
            same = [other for other in tied if name in values and values.get(other) is values[name]]
            if same:  # one value in two buffers
                tied[name] = tied[same[0]]
                continue
            fitting = [node for node in possible if self.fits(name, node) and node not in tied.values()]
            leave = [node for node in fitting if node in needed] or fitting
            if len(leave) > 1:
                self.likely.add(name)
            if leave:
                tied[name] = leave[-1]
        return {name: tied[name] for name in self.pointers if name in tied}

    def own(self, read: Mapping[str, str]) -> frozenset[str]:
        """The claimed products that the kernel does not read: those that it can compute itself."""
        return frozenset(self._claimed()) - {*read.values()}

    def _take(
        self, unknown: Sequence[str], candidates: Sequence[str], found: dict[str, str], copied: bool = False
    ) -> None:
        """Give each pointer of which nothing is known the first candidate that fits, one of its own shape before others.

        Args:
            copied: Only one of its own shape: it is the same tensor, laid out anew.
        """
        for name in unknown:
            fitting = [node for node in candidates if node not in found.values() and self.fits(name, node)]
            exact = [node for node in fitting if self.is_shaped(name, node)]
            chosen = exact if exact or copied else fitting
            if chosen:
                found[name] = chosen[0]
                if len(chosen) > 1:
                    self.likely.add(name)

    def _claimed(self) -> list[str]:
        nodes = self.nodes
        return [name for name in self.kernel.claim.nodes if name in nodes and operator(nodes[name]) in PRODUCTS]

    def _of_others(self, found: Mapping[str, str]) -> list[str]:
        """Claimed products of what the kernel does not read: another launch's, of which this one is given the result."""
        held, claimed = {*found.values()}, self._claimed()
        return [name for name in claimed if not computable(name, self.nodes, held, claimed)]

    def _operands(self, found: Mapping[str, str]) -> list[str]:
        """What the claimed products are made of, first those of which an operand is read: a copy in another layout has no name in the graph."""
        held = {*found.values()}
        products = sorted(self._claimed(), key=lambda name: held.isdisjoint(self.nodes[name].arguments))
        return [a for name in products for a in self.nodes[name].arguments if a in self.nodes.keys() - held]
