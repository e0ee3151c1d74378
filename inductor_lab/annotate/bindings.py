"""Which node of the graph each pointer of a launch holds: the tie between generated code and the model's own operators.

The wrapper says which variable is passed, the fragment's PlaceHolder lines say which nodes are read (in the order of the loads) and its
`return` line which are written. The fragment is a claim, so every match must agree in dtype and number of elements, and an output must be
computable from what the kernel reads; where it is not (a kernel that only clears the buffer of an `index_put`), the last node of the
fragment that fits is taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from inductor_lab.annotate.agreement import agrees
from inductor_lab.aten import EXTERN, VIEWS
from inductor_lab.computation import Computation
from inductor_lab.records import Argument, Kernel, Launch, LaunchArgument, Node, TensorType

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


def operator(node: Node) -> str:
    """`add` of `aten.add.Tensor`."""
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


@dataclass(frozen=True)
class Bindings:
    """The nodes behind a launch's pointers, as far as they are known."""

    read: Mapping[str, str]
    """Parameter -> node whose value it holds before the launch."""
    written: Mapping[str, str]
    """Parameter -> node whose value it holds afterwards."""
    likely: frozenset[str]
    """Parameters for which another node would have fitted too: told by the order of the first accesses."""


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
        if node is not None and node.target == "placeholder" and _fits(node, argument.type, pointers[name].dtype):
            read[name] = variable
        else:
            unknown.append(name)
    computed = {
        name for name in kernel.claim.nodes if name in nodes and operator(nodes[name]) not in EXTERN | ACCUMULATING
    }
    later = computed.intersection(kernel.claim.outputs)  # what is written in place is not there before
    candidates = [name for name in kernel.claim.inputs if name in nodes.keys() - later and name not in read.values()]
    open_ = list(candidates)
    for name in unknown:
        wanted = passed[name].type
        fitting = [c for c in open_ if _fits(nodes[c], wanted, pointers[name].dtype)]
        exact = [c for c in fitting if _same_shape(nodes[c], wanted)]
        choice = next(iter(exact or fitting), None)
        if choice is None:
            continue
        same = [c for c in candidates if _fits(nodes[c], wanted, pointers[name].dtype)]
        same_shape = [c for c in same if _same_shape(nodes[c], wanted)] if exact else same
        if len(same_shape) > 1:
            likely.add(name)
        read[name] = choice
        open_.remove(choice)
    return read


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
    stored = [name for name in found.order("store", "atomic") if name in pointers]
    stored.sort(key=lambda name: _buffer_number(passed[name].value))  # the claim lists its outputs by buffer
    claimed = [name for name in kernel.claim.outputs if name in nodes]
    atomics = found.order("atomic")
    possible = {name for name in kernel.claim.nodes if name in nodes and computable(name, nodes, available)}
    leaving = _leaving({*possible, *claimed}, nodes, outputs)
    written: dict[str, str] = {}
    for name in stored:

        def fits(node: str, name: str = name) -> bool:
            return _fits(nodes[node], passed[name].type, pointers[name].dtype) and agrees(
                node, name, nodes, read, found
            )

        if name in read and operator(nodes[read[name]]) in ACCUMULATING:
            written[name] = read[name]  # the node that accumulates names the buffer before and after
            continue
        if name in atomics:
            continue
        fitting = [
            node
            for node in claimed
            if node not in written.values() and fits(node) and computable(node, nodes, available)
        ]
        fitting = [node for node in fitting if node in leaving] or fitting  # others are only kept on the way
        exact = [node for node in fitting if _same_shape(nodes[node], passed[name].type)]
        choice = next(iter(exact or fitting), None)
        if len(exact or fitting) > 1:
            likely.add(name)
        if choice is None and not any(missing(node, nodes) for node in kernel.claim.nodes if node in nodes):
            rest = [
                node for node in kernel.claim.nodes if node in possible and node not in written.values() and fits(node)
            ]
            whole = [n for n in rest if n in leaving and operator(nodes[n]) not in VIEWS]
            choice = whole[0] if whole else rest[-1] if rest else None
        if choice is not None:
            written[name] = choice
    return written


def missing(name: str, nodes: Mapping[str, Node]) -> str:
    """A node that a value is made of and that is not there: a comment's fragment leaves out `getitem`. Empty where all are."""
    seen, waiting = {name}, [name]
    while waiting:
        for argument in nodes[waiting.pop()].arguments:
            if argument not in nodes:
                return argument
            if argument not in seen:
                seen.add(argument)
                waiting.append(argument)
    return ""


def _buffer_number(variable: str) -> int:
    """3 of `buf3`; a graph input that is written in place comes last."""
    found = re.fullmatch(r"buf(\d+)", variable)
    return int(found[1]) if found else 10**9


def _leaving(claimed: set[str], nodes: Mapping[str, Node], outputs: Collection[str]) -> set[str]:
    """Claimed nodes that someone outside the kernel needs, as themselves or as a view."""
    users: dict[str, set[str]] = {name: set() for name in nodes}
    for node in nodes.values():
        for argument in node.arguments:
            if argument in users:  # a comment's fragment names nodes that it does not hold
                users[argument].add(node.name)

    def leaves(name: str) -> bool:
        views = {user for user in users[name] if operator(nodes[user]) in VIEWS}
        return (
            name in outputs
            or not users[name]
            or bool(users[name] - claimed - views)
            or any(leaves(user) for user in views)
        )

    return {name for name in claimed if name in nodes and leaves(name)}


def _fits(node: Node, wanted: TensorType | None, dtype: str) -> bool:
    if node.type is None or node.type.dtype != dtype:
        return False
    return wanted is None or elements(node.type) == elements(wanted)


def _same_shape(node: Node, wanted: TensorType | None) -> bool:
    return wanted is None or node.type is None or node.type.shape == wanted.shape


def elements(type_: TensorType) -> int | tuple[object, ...]:
    """The number of elements; the sorted sizes where some are symbolic."""
    sizes = [size for size in type_.shape if isinstance(size, int)]
    return prod(sizes) if len(sizes) == len(type_.shape) else tuple(sorted(map(str, type_.shape)))


def computable(name: str, nodes: Mapping[str, Node], available: set[str]) -> bool:
    """True when a node follows from available ones without a graph input or a library product that the kernel does not read."""
    try:
        needed(name, nodes, available)
    except KeyError:
        return False
    return True


def unfinished(node: Node, kernel: Kernel) -> bool:
    """True for a product whose bias this kernel adds: what it reads is not the node's value yet."""
    return operator(node) in EXTERN and node.name in kernel.claim.nodes


def needed(name: str, nodes: Mapping[str, Node], available: Sequence[str] | set[str]) -> list[str]:
    """The nodes to compute for `name`, in order, itself last.

    Raises:
        KeyError: it depends on a value that is not available.
    """
    order: list[str] = []
    seen: set[str] = set(available)

    def visit(current: str, top: bool) -> None:
        if current in seen and not top:
            return
        node = nodes[current]
        called = operator(node)
        if (
            node.target == "placeholder"
            or called in EXTERN
            or called.startswith("_scaled_dot_product")
            or "rand" in called
        ):
            raise KeyError(current)
        seen.add(current)
        for argument in node.arguments:
            visit(argument, top=False)
        if current not in order:
            order.append(current)

    if name in available and nodes[name].target == "placeholder":
        return []
    visit(name, top=True)
    return order
