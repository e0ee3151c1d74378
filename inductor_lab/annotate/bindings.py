"""Which node of the graph each pointer of a launch holds: the tie between generated code and the model's own operators.

The wrapper says which variable is passed, the fragment's PlaceHolder lines say which nodes are read (in the order of the loads) and its
`return` line which are written. The fragment is a claim, so every match must agree in dtype and number of elements, and an output must be
computable from what the kernel reads; where it is not (a kernel that only clears the buffer of an `index_put`), the last node of the
fragment that fits is taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from inductor_lab.annotate import products
from inductor_lab.annotate.agreement import agrees, stored
from inductor_lab.annotate.made_of import computable, fits, leaving, missing, operator, same_shape
from inductor_lab.annotate.nesting import nested, twins
from inductor_lab.aten import EXTERN, VIEWS
from inductor_lab.computation import Computation
from inductor_lab.records import Argument, Kernel, Launch, LaunchArgument, Node

AVERAGES = {"mean", "var", "var_mean", "std", "std_mean"}
"""Made of a sum that another kernel may divide."""
ACCUMULATING = {
    "index_put",
    "index_put_",
    "scatter_add",
    "scatter_add_",
    "_unsafe_index_put",
    "scatter_reduce",
    "_unsafe_masked_index_put_accumulate",
}
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
    products: frozenset[str] = frozenset()
    """Products that the launch computes itself, a template's: any other is a library's, and read."""


def bind(
    kernel: Kernel, launch: Launch, nodes: Mapping[str, Node], outputs: Collection[str], found: Computation
) -> Bindings:
    """Tie a launch's pointers to nodes.

    Args:
        nodes: The graph's nodes by name, in its order; those of the comment's fragment where the log held no graph.
        outputs: Names that the graph returns.
    """
    passed = {argument.name: argument for argument in launch.arguments}
    pointers = {a.name: a for a in kernel.arguments if a.pointer and a.name in passed}
    likely: set[str] = set()
    if kernel.category == "template":
        read = products.read(kernel, pointers, passed, nodes, likely)
        written = products.written(kernel, pointers, passed, nodes, read, outputs, found, likely)
        return Bindings(read, written, frozenset(likely), products.own(kernel, nodes, read))
    read = _read(kernel, pointers, passed, nodes, found, likely)
    written = _written(kernel, pointers, passed, nodes, read, outputs, found, likely)
    return Bindings(read, written, frozenset(likely))


def _read(
    kernel: Kernel,
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    found: Computation,
    likely: set[str],
) -> dict[str, str]:
    read: dict[str, str] = {}
    unknown: list[str] = []
    for name in found.order("load", "atomic"):
        if name not in pointers or pointers[name].role == "out":
            continue
        argument = passed[name]
        variable = argument.storage if pointers[name].role == "inout" else argument.value
        node = nodes.get(variable)
        if node is not None and node.target == "placeholder" and fits(node, argument.type, pointers[name].dtype):
            read[name] = variable
        elif not _is_unnamed(argument.value, kernel.claim.inputs, nodes):
            unknown.append(name)
    computed = {
        name for name in kernel.claim.nodes if name in nodes and operator(nodes[name]) not in EXTERN | ACCUMULATING
    }
    later = computed.intersection(kernel.claim.outputs)  # what is written in place is not there before
    candidates = [name for name in kernel.claim.inputs if name in nodes.keys() - later and name not in read.values()]
    fitting = {
        name: [c for c in candidates if fits(nodes[c], passed[name].type, pointers[name].dtype)] for name in unknown
    }
    exact = {
        name: [c for c in fitting[name] if same_shape(nodes[c], passed[name].type)]
        for name in unknown
        if pointers[name].role != "inout"  # its shape is that of what is written, not of what it holds before
    }
    for name, alone in exact.items():  # a shape that one node has alone tells it, wherever it is loaded
        if len(alone) == 1 and alone[0] not in read.values():
            read[name] = alone[0]
    sure = set(read.values())
    for name in unknown:
        possible = [c for c in exact.get(name) or fitting[name] if c not in sure]
        free = [c for c in possible if c not in read.values()] or [c for c in fitting[name] if c not in read.values()]
        if name in read or not free:
            continue
        if len(possible) > 1 or free[0] not in possible:
            likely.add(name)
        read[name] = free[0]
    left = [name for name in unknown if name not in read]
    added_up = _added_up(kernel, nodes, read)
    if len(left) == len(added_up) == 1 and fits(nodes[added_up[0]], passed[left[0]].type, pointers[left[0]].dtype):
        read[left[0]] = added_up[0]
    return read


def _added_up(kernel: Kernel, nodes: Mapping[str, Node], read: Mapping[str, str]) -> list[str]:
    """The accumulating nodes that the claim's nodes read and that are not among its inputs: the comment calls their buffer by another number."""
    known = {*kernel.claim.nodes, *read.values()}
    wanted = dict.fromkeys(
        argument for name in kernel.claim.nodes if name in nodes for argument in nodes[name].arguments
    )
    return [name for name in wanted if name in nodes and name not in known and operator(nodes[name]) in ACCUMULATING]


def _written(
    kernel: Kernel,
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    read: Mapping[str, str],
    outputs: Collection[str],
    found: Computation,
    likely: set[str],
) -> dict[str, str]:
    available = set(read.values())
    names = [name for name in found.order("store", "atomic") if name in pointers]
    unnamed = {name for name in names if _is_unnamed(passed[name].value, kernel.claim.outputs, nodes)}
    names.sort(key=lambda name: _buffer_number(passed[name].value))  # the claim lists its outputs by buffer
    claimed = [name for name in kernel.claim.outputs if name in nodes]
    atomics = found.order("atomic")
    possible = {name for name in kernel.claim.nodes if name in nodes and computable(name, nodes, available)}
    left = leaving({*possible, *claimed}, nodes, outputs)
    whole_claim = not missing((node for node in kernel.claim.nodes if node in nodes), nodes)
    written: dict[str, str] = {}
    values = {name: stored(name, read, found) for name in names}

    def can_be(name: str, node: str) -> bool:
        held = fits(nodes[node], passed[name].type, pointers[name].dtype)
        return held and agrees(node, values[name], nodes, read)

    for name in names:
        if name in read and operator(nodes[read[name]]) in ACCUMULATING:
            written[name] = read[name]  # the node that accumulates names the buffer before and after
            continue
        if name in atomics:
            continue
        fitting = [
            node
            for node in claimed
            if name not in unnamed
            and node not in written.values()
            and can_be(name, node)
            and computable(node, nodes, available)
        ]
        fitting = twins(name, fitting, values, written, nodes)
        fitting = nested(name, fitting, values, written, can_be, nodes)
        fitting = [node for node in fitting if node in left] or fitting  # others are only kept on the way
        exact = [node for node in fitting if same_shape(nodes[node], passed[name].type)]
        choice = next(iter(exact or fitting), None)
        if len(exact or fitting) > 1:
            likely.add(name)
        if choice is None and whole_claim:
            rest = [
                node
                for node in kernel.claim.nodes
                if node in possible and node not in written.values() and can_be(name, node)
                if name not in unnamed or (node not in claimed and operator(nodes[node]) not in AVERAGES)
            ]
            whole = [n for n in rest if n in left and operator(nodes[n]) not in VIEWS]
            choice = whole[0] if whole else rest[-1] if rest else None
        if choice is not None:
            written[name] = choice
    return written


def _is_unnamed(variable: str, claimed: Collection[str], nodes: Mapping[str, Node]) -> bool:
    """Whether the claim calls it `buf3`: it is no node that the claim names, but a copy of one, or a part: the sum of a mean."""
    return variable in claimed and variable not in nodes


def _buffer_number(variable: str) -> int:
    """3 of `buf3`; a graph input that is written in place comes last."""
    found = re.fullmatch(r"buf(\d+)", variable)
    return int(found[1]) if found else 10**9


def unfinished(node: Node, kernel: Kernel) -> bool:
    """True for a product whose bias this kernel adds: what it reads is not the node's value yet."""
    return operator(node) in EXTERN and node.name in kernel.claim.nodes
