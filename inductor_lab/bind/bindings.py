"""Which node of the graph each pointer of a launch holds: the tie between generated code and the model's own operators.

The wrapper says which variable is passed, the fragment's PlaceHolder lines say which nodes are read (in the order of the loads) and its
`return` line which are written (in the order of the buffers). The fragment is a claim, so every match must agree in dtype and number of
elements, and an output must be computable from what the kernel reads. Of the nodes that a pointer can hold the one is taken for which most
speaks (`Evidence`); where several have as much it is only likely.

    return %where_13, %where_14     out_ptr0 = buf6: where_13     out_ptr1 = buf7: where_14
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from inductor_lab import fragment
from inductor_lab.aten import EXTERN, VIEWS
from inductor_lab.bind.agreement import Stored, agrees, ends_as, folds_the_same, relation, stand_so, stored
from inductor_lab.bind.dependencies import Pointers, computable, leaving, missing, operator, view_base
from inductor_lab.bind.products import Template
from inductor_lab.computation import Computation
from inductor_lab.records import Kernel, Launch, Node

BUFFER = re.compile(r"buf\d+")
"""A placeholder of this name is no node of the model: the scheduler's number for a buffer, which the wrapper may count otherwise."""
AVERAGES = {"mean", "var", "var_mean", "std", "std_mean"}
"""Made of a sum that another kernel may divide."""
ACCUMULATING = fragment.INTO | {f"{name}_" for name in fragment.INTO}
"""Operators whose first argument an atomic kernel finds in memory already."""


@dataclass(frozen=True)
class Bindings:
    """The nodes behind a launch's pointers, as far as they are known."""

    read: Mapping[str, str]
    """Parameter -> node whose value it holds before the launch."""
    written: Mapping[str, str]
    """Parameter -> node whose value it holds afterwards."""
    likely: frozenset[str]
    """Parameters for which another node would have fitted too: told by the order of the first accesses."""
    unsure: frozenset[str] = frozenset()
    """Those of them of which it is what they hold behind the launch that is only likely."""
    products: frozenset[str] = frozenset()
    """Products that the launch computes itself, a template's: any other is a library's, and read."""


def bind(
    kernel: Kernel,
    launch: Launch,
    nodes: Mapping[str, Node],
    outputs: Collection[str],
    found: Computation,
    there: Mapping[str, str] = MappingProxyType({}),
) -> Bindings:
    """Tie a launch's pointers to nodes.

    Args:
        nodes: The graph's nodes by name, in its order; those of the comment's fragment where the log held no graph.
        outputs: Names that the graph returns.
        there: Variable of the wrapper -> the node that it holds before the launch, where an earlier step tells it.
    """
    passed = {argument.name: argument for argument in launch.arguments}
    pointers = {a.name: a for a in kernel.arguments if a.pointer and a.name in passed}
    if kernel.category == "template":
        template = Template(kernel, pointers, passed, nodes)
        read = template.read()
        written, likely = template.written(read, outputs, found), frozenset(template.likely)
        return Bindings(read, written, likely, likely, template.own(read))
    binder = _Binder(kernel, pointers, passed, nodes, found, there)
    read, guessed = binder.read()
    written, guessed_too = binder.written(read, outputs)
    return Bindings(read, written, frozenset(guessed | guessed_too), frozenset(guessed_too))


def unfinished(node: Node, kernel: Kernel) -> bool:
    """True for a product whose bias this kernel adds: what it reads is not the node's value yet."""
    return operator(node) in EXTERN and node.name in kernel.claim.nodes


class Evidence(NamedTuple):
    """What speaks for a pointer's holding a node, the weightiest first: of two nodes the one with the first thing that the other lacks."""

    claimed: bool = False
    """The comment says that the kernel leaves it."""
    stands: tuple[bool, ...] = ()
    """For each other store whose value is the same as this one's, is made of it or is what it is made of: some node for it stands so to this."""
    operation: bool = False
    """The stored value ends in the node's very operation."""
    folded: bool = False
    """It folds what the node folds."""
    ordered: bool = False
    """It stands where the claim names the node, whose outputs are in the order of the buffers."""
    needed: bool = False
    """Somebody outside of the kernel needs the node."""
    shaped: bool = False
    """The tensor has the node's shape, and not only as many elements."""


Tied = tuple[dict[str, str], set[str]]
"""Pointer -> node, and the pointers of which that is only likely."""


def _tied(options: Mapping[str, Sequence[str]], score: Callable[[str, str], Evidence]) -> Tied:
    """Give each pointer the node for which most speaks: first where that is one alone, of its shape before others, then in order.

    Args:
        options: Pointer -> the nodes that it can hold, in order.
        score: What speaks for a node.
    """
    scores = {pointer: {node: score(pointer, node) for node in nodes} for pointer, nodes in options.items() if nodes}
    ranked = {pointer: sorted(told, key=told.__getitem__, reverse=True) for pointer, told in scores.items()}
    best = {
        pointer: [node for node in ranked[pointer] if told[node] == max(told.values())]
        for pointer, told in scores.items()
    }
    tied: dict[str, str] = {}
    for pointer in sorted(best, key=lambda pointer: max(scores[pointer].values()).shaped, reverse=True):
        if len(best[pointer]) == 1 and best[pointer][0] not in tied.values():
            tied[pointer] = best[pointer][0]
    sure, likely = set(tied.values()), set()
    for pointer in [pointer for pointer in ranked if pointer not in tied]:
        possible = [node for node in best[pointer] if node not in sure]
        free = [node for node in ranked[pointer] if node not in tied.values()]
        if free:
            tied[pointer] = free[0]
            if len(possible) > 1 or free[0] not in possible:
                likely.add(pointer)
    return tied, likely


@dataclass(frozen=True)
class Candidates:
    """Nodes that a kernel may leave, by its claim."""

    claimed: list[str]
    """Those that the comment says it leaves, in the order of the buffers."""
    possible: set[str]
    """Those that it can have computed of what it reads."""
    left: set[str]
    """Those of both that somebody outside of the kernel needs."""
    needed: list[str]
    """Of the others, where the comment names none for some buffer."""
    listed: tuple[str, ...]
    """All to choose from, in order."""


@dataclass(frozen=True)
class _Binder(Pointers):
    """A launch's pointers, and what may tell what they hold."""

    found: Computation
    there: Mapping[str, str]

    def read(self) -> Tied:
        """What each pointer holds before the launch: an input of the graph by its name, else one of the nodes that the claim reads."""
        claim, nodes = self.kernel.claim, self.nodes
        known: dict[str, str] = {}
        unknown: list[str] = []
        for name in self.found.order("load", "atomic"):
            if name not in self.pointers or self.pointers[name].role == "out":
                continue
            variable = self.input(name)
            if variable and not BUFFER.fullmatch(variable):
                known[name] = variable
            elif not self._is_unnamed(name, claim.inputs):
                unknown.append(name)
        computed = {
            name for name in claim.nodes if name in nodes and operator(nodes[name]) not in EXTERN | ACCUMULATING
        }
        # what is written in place is not there before, and no result of a node with several that the kernel computes
        own = computed | {
            name for name in nodes if operator(nodes[name]) == "getitem" and computed.issuperset(nodes[name].arguments)
        }
        later = own.intersection(claim.outputs)
        passed = {argument.value for argument in self.passed.values() if BUFFER.fullmatch(argument.value)}
        listed = [name for name in claim.inputs if name in nodes.keys() - later - passed - {*known.values()}]
        options = {name: [node for node in listed if self.fits(name, node)] for name in unknown}
        options = self._left_there(options)
        tied, likely = _tied(
            options, lambda name, node: Evidence(shaped=not _written_over(name) and self.is_shaped(name, node))
        )
        read = known | {name: node for name, node in tied.items() if not BUFFER.fullmatch(node)}
        left, added_up = [name for name in unknown if name not in read], self._added_up(read)
        if len(left) == len(added_up) and all(map(self.fits, left, added_up)):
            read |= zip(left, added_up, strict=True)
            likely |= {*left} if len(left) > 1 else set()
        return read, likely & read.keys()

    def _left_there(self, options: Mapping[str, list[str]]) -> dict[str, list[str]]:
        """Of the nodes that each pointer can hold those that the step before has left there, where that is told; what is sure is no other's."""

        def told(name: str) -> list[str]:
            argument, over = self.passed[name], self.pointers[name].role == "inout"
            there = view_base(self.there.get((over and argument.storage) or argument.value, ""), self.nodes)
            return [node for node in options[name] if view_base(node, self.nodes) == there]

        left = {name: told(name) for name in options}
        sure = {name: nodes for name, nodes in left.items() if len(nodes) == 1}
        taken = {node for nodes in sure.values() for node in nodes}
        return {
            name: sure.get(name) or [node for node in left[name] or nodes if node not in taken]
            for name, nodes in options.items()
        }

    def written(self, read: Mapping[str, str], outputs: Collection[str]) -> Tied:
        """What each pointer holds behind the launch: what the claim writes, else the last of its nodes that the kernel can have computed."""
        claim, nodes, held = self.kernel.claim, self.nodes, set(read.values())
        names = [name for name in self.found.order("store", "atomic") if name in self.pointers]
        names.sort(key=lambda name: _buffer_number(self.passed[name].value))
        candidates = self._candidates(names, read, outputs)
        claimed, possible = candidates.claimed, candidates.possible
        values = {name: stored(name, read, self.found) for name in names}
        # the node that accumulates names the buffer before and after
        same = {name: read[name] for name in names if name in read and operator(nodes[read[name]]) in ACCUMULATING}
        atomics = self.found.order("atomic")

        def can_be(name: str, node: str) -> bool:
            if self._is_unnamed(name, claim.outputs) and (node in claimed or self._is_average(node)):
                return False
            if node not in possible and values[name].loaded <= read.keys():
                return False
            return self.fits(name, node) and agrees(node, values[name], nodes, read)

        options = {
            name: [node for node in candidates.listed if can_be(name, node)]
            for name in names
            if name not in same and name not in atomics
        }

        beside = {name: self._beside(name, values, options) for name in options}
        whole = len(options) == len(claimed) == len(claim.outputs)
        ordered = dict(zip(options, claimed, strict=True)) if whole else {}

        def score(name: str, node: str) -> Evidence:
            return Evidence(
                node in claimed,
                tuple(any(stand_so(how, node, n, nodes) for n in options[other]) for how, other in beside[name]),
                ends_as(node, values[name], nodes, held),
                folds_the_same(node, values[name], nodes, held),
                ordered.get(name) == node,
                node in (candidates.left if node in claimed else candidates.needed),
                self.is_shaped(name, node),
            )

        tied, likely = _tied(options, score)
        return same | tied, likely

    def _candidates(self, names: Sequence[str], read: Mapping[str, str], outputs: Collection[str]) -> Candidates:
        """What of the claim's nodes the kernel may leave in the pointers `names`."""
        claim, nodes, held = self.kernel.claim, self.nodes, set(read.values())
        claimed = [name for name in claim.outputs if name in nodes and not BUFFER.fullmatch(name)]
        inlined = max(len(claimed) - len(names), 0)  # the last are stored, where not all are
        claimed = claimed[inlined:] + claimed[:inlined]
        every = [name for name in claim.nodes if name in nodes]
        drawn = {name for name in every if "rand" in operator(nodes[name])}
        numbers = {
            argument.value.removesuffix(".item()")
            for argument in self.passed.values()
            if argument.name not in self.pointers
        }
        # a product that is read before its bias is added is there, though under no node's name
        unnamed = not read.keys() >= {*self.found.order("load")}
        begun = {name for name in every if unnamed and unfinished(nodes[name], self.kernel)}
        there = held | begun | (numbers & nodes.keys())
        possible = {name for name in (*claimed, *every) if computable(name, nodes, there, drawn)}
        left = leaving({*possible, *claimed}, nodes, outputs)
        into = any(operator(nodes[name]) in ACCUMULATING for name in claimed)  # what it is filled with is another
        told = missing(every, nodes) or (len(claimed) == len(claim.outputs) == len(names) and not into)
        others = [] if told else [name for name in every if name not in claimed]
        needed = [name for name in others if name in left and operator(nodes[name]) not in VIEWS]
        listed = tuple(dict.fromkeys((*claimed, *(name for name in (*needed, *reversed(others)) if name in possible))))
        return Candidates(claimed, possible, left, needed, listed)

    @staticmethod
    def _beside(name: str, values: Mapping[str, Stored], options: Iterable[str]) -> list[tuple[str, str]]:
        """How the other stores' values stand to one, those that are the same first."""
        found = [(relation(values[name], values[other]), other) for other in options if other != name]
        return sorted(((how, other) for how, other in found if how), key=lambda each: each[0] != "same")

    def _is_unnamed(self, name: str, claimed: Collection[str]) -> bool:
        """Whether the claim calls it `buf3`: it is no node that the claim names, but a copy of one, or a part: the sum of a mean."""
        variable = self.passed[name].value
        return variable in claimed and (variable not in self.nodes or BUFFER.fullmatch(variable) is not None)

    def _is_average(self, node: str) -> bool:
        """Whether a node is one, a result of one, or a view of that."""
        while (
            operator(self.nodes[node]) in VIEWS
            and self.nodes[node].arguments[:1]
            and self.nodes[node].arguments[0] in self.nodes
        ):
            node = self.nodes[node].arguments[0]
        return operator(self.nodes[node]) in AVERAGES

    def _added_up(self, read: Mapping[str, str]) -> list[str]:
        """The accumulating nodes that the claim's nodes read and that are not among its inputs: the comment calls their buffer by another number."""
        claim, nodes = self.kernel.claim, self.nodes
        wanted = dict.fromkeys(argument for name in claim.nodes if name in nodes for argument in nodes[name].arguments)
        unread = [name for name in wanted if name in nodes and name not in {*claim.nodes, *read.values()}]
        return [name for name in unread if operator(nodes[name]) in ACCUMULATING]


def _written_over(pointer: str) -> bool:
    """Whether the wrapper shows its memory as what is written there, whatever was before: also where the kernel then needs to write nothing."""
    return pointer.startswith("in_out_ptr")


def _buffer_number(variable: str) -> int:
    """3 of `buf3`; a graph input that is written in place comes last."""
    return int(variable[3:]) if BUFFER.fullmatch(variable) else 10**9
