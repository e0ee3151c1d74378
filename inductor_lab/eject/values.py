"""Which value of the graph each pointer of a kernel holds: the tie between generated code and eager PyTorch.

The wrapper says which variable is passed, the fragment's PlaceHolder lines say which nodes are read (in the order of the loads) and its
`return` line which are written. The fragment is a claim, so every match must agree in dtype and number of elements, and an output must be
computable from what the kernel reads; where it is not (a kernel that only clears the buffer of an `index_put`), the last node of the
fragment that fits is taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from inductor_lab.eject.expand import expanded
from inductor_lab.errors import LabError
from inductor_lab.records import Argument, Graph, Kernel, Launch, LaunchArgument, Node, TensorType

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


PURE_VIEWS = {"view", "reshape", "_unsafe_view", "permute", "transpose", "t", "select", "slice", "squeeze", "unsqueeze", "expand", "split",
              "split_with_sizes", "getitem", "alias", "detach"}  # fmt: skip


def operator(node: Node) -> str:
    """`add` of `aten.add.Tensor`."""
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


@dataclass(frozen=True)
class Values:
    """The nodes behind a kernel's pointers."""

    read: Mapping[str, str]
    """Parameter -> node whose value it holds before the launch."""
    written: Mapping[str, str]
    """Parameter -> node whose value it holds afterwards."""
    nodes: Mapping[str, Node]
    """All nodes to compute from, in the graph's order."""


def values(kernel: Kernel, launch: Launch, graph: Graph) -> Values:
    """Tie a launch's pointers to nodes.

    Raises:
        LabError: a pointer's value can not be named, so there is no eager reference.
    """
    nodes = {node.name: node for node in expanded(graph.nodes or kernel.claim.fragment)}
    if not nodes:
        raise LabError(
            f"{kernel.id} ({kernel.name}) has no graph to make an eager reference from: capture with "
            f"TORCH_LOGS=output_code,post_grad_graphs, or with `inductor-lab capture`"
        )
    passed = {argument.name: argument for argument in launch.arguments}
    pointers = {a.name: a for a in kernel.arguments if a.pointer and a.name in passed}
    read = _read_values(kernel, pointers, passed, nodes)
    written = _written_values(kernel, pointers, passed, nodes, read, graph.outputs)
    return Values(read, written, nodes)


def _read_values(
    kernel: Kernel, pointers: Mapping[str, Argument], passed: Mapping[str, LaunchArgument], nodes: Mapping[str, Node]
) -> dict[str, str]:
    found: dict[str, str] = {}
    unknown: list[str] = []
    for name in first_accesses(kernel.body, "load", "atomic"):
        if name not in pointers or pointers[name].role == "out":
            continue
        argument = passed[name]
        variable = argument.storage if pointers[name].role == "inout" else argument.value
        node = nodes.get(variable)
        if node is not None and node.target == "placeholder" and _fits(node, argument.type, pointers[name].dtype):
            found[name] = variable
        else:
            unknown.append(name)
    candidates = [name for name in kernel.claim.inputs if name in nodes and name not in found.values()]
    for name in unknown:
        wanted = passed[name].type
        fitting = [c for c in candidates if _fits(nodes[c], wanted, pointers[name].dtype)]
        exact = [c for c in fitting if _same_shape(nodes[c], wanted)]
        choice = next(iter(exact or fitting), None)
        if choice is None:
            raise LabError(
                f"{kernel.id} ({kernel.name}): no node of its graph fragment fits {name} ({passed[name].value}, "
                f"{pointers[name].dtype}), so it has no eager reference"
            )
        found[name] = choice
        candidates.remove(choice)
    return found


def _written_values(
    kernel: Kernel,
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    read: Mapping[str, str],
    outputs: Collection[str],
) -> dict[str, str]:
    available = set(read.values())
    stored = [name for name in first_accesses(kernel.body, "store", "atomic") if name in pointers]
    stored.sort(key=lambda name: _buffer_number(passed[name].value))  # the claim lists its outputs by buffer
    if not stored:
        raise LabError(f"{kernel.id} ({kernel.name}) writes no tensor, so there is nothing to hold to eager")
    claimed = [name for name in kernel.claim.outputs if name in nodes]
    atomics = first_accesses(kernel.body, "atomic")
    possible = {name for name in kernel.claim.nodes if name in nodes and computable(name, nodes, available)}
    leaving = _leaving({*possible, *claimed}, nodes, outputs)
    written: dict[str, str] = {}
    for name in stored:

        def fits(node: str, name: str = name) -> bool:
            return _fits(nodes[node], passed[name].type, pointers[name].dtype)

        if name in read and operator(nodes[read[name]]) in ACCUMULATING:
            written[name] = read[name]  # the node that accumulates names the buffer before and after
            continue
        if name in atomics:
            raise LabError(
                f"{kernel.id} ({kernel.name}) adds to {name} atomically, in a way that eject has no eager reference for"
            )
        fitting = [
            node
            for node in claimed
            if node not in written.values() and fits(node) and computable(node, nodes, available)
        ]
        fitting = [node for node in fitting if node in leaving] or fitting  # others are only kept on the way
        exact = [node for node in fitting if _same_shape(nodes[node], passed[name].type)]
        choice = next(iter(exact or fitting), None)
        if choice is None:
            rest = [
                node for node in kernel.claim.nodes if node in possible and node not in written.values() and fits(node)
            ]
            whole = [n for n in rest if n in leaving and operator(nodes[n]) not in PURE_VIEWS]
            choice = whole[0] if whole else rest[-1] if rest else None
        if choice is None:
            raise LabError(
                f"{kernel.id} ({kernel.name}): what it writes to {name} is no node of the graph (a partial result of a split "
                f"reduction, for example), so it has no eager reference"
            )
        written[name] = choice
    return written


def _buffer_number(variable: str) -> int:
    """3 of `buf3`; a graph input that is written in place comes last."""
    found = re.fullmatch(r"buf(\d+)", variable)
    return int(found[1]) if found else 10**9


def _leaving(claimed: set[str], nodes: Mapping[str, Node], outputs: Collection[str]) -> set[str]:
    """Claimed nodes that someone outside the kernel needs, as themselves or as a view."""
    users: dict[str, set[str]] = {name: set() for name in nodes}
    for node in nodes.values():
        for argument in node.arguments:
            users[argument].add(node.name)

    def leaves(name: str) -> bool:
        views = {user for user in users[name] if operator(nodes[user]) in PURE_VIEWS}
        return (
            name in outputs
            or not users[name]
            or bool(users[name] - claimed - views)
            or any(leaves(user) for user in views)
        )

    return {name for name in claimed if name in nodes and leaves(name)}


def first_accesses(body: str, *kinds: str) -> list[str]:
    """Pointers in the order of their first load, store or atomic. Inductor numbers temporaries in the order in which the graph reads,
    and may move a load up, so loads are ordered by the number of their temporary."""
    found: list[tuple[int, int, str]] = []
    for number, statement in enumerate(ast.walk(ast.parse(body))):
        if not isinstance(statement, (ast.Assign, ast.Expr)):
            continue
        order = 10**6
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            temporary = re.fullmatch(r"tmp(\d+)", statement.targets[0].id)
            order = int(temporary[1]) if temporary else order
        for call in ast.walk(statement.value):
            if isinstance(call, ast.Call) and called(call).split("_")[0] in kinds and call.args:
                found += [(order, statement.lineno * 1000 + number % 1000, name) for name in _pointers(call.args[0])]
    return list(dict.fromkeys(name for _, _, name in sorted(found)))


def called(call: ast.Call) -> str:
    """The last word of what is called, `load` of `tl.load`; empty for what is no attribute."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _pointers(address: ast.expr) -> Iterator[str]:
    for node in ast.walk(address):
        if isinstance(node, ast.Name) and "ptr" in node.id:
            yield node.id


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


EXTERN = {"mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward", "_scaled_mm", "sort", "topk"}


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
