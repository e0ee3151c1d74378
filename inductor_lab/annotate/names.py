"""Which tensor of the model stands behind each pointer of a kernel.

The wrapper's names (`arg1_1`, `primals_3`) are nodes of the graph already. A buffer (`buf3`) is matched with a node
that the kernel's comment names: by its type where that leaves one choice, else by the order of the first loads, and
then it is marked as likely only.
"""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation import Computation
from inductor_lab.records import Capture, Graph, Kernel, LaunchArgument, Node, TensorType


@dataclass(frozen=True)
class Tensor:
    """One pointer argument of the first launch."""

    pointer: str
    value: str
    """The wrapper's name for it."""
    type: TensorType | None
    node: Node | None
    """The node whose value it holds when the kernel starts (for an output: that the kernel computes)."""
    certain: bool

    @property
    def label(self) -> str:
        """The node's name, marked where it is only likely; the wrapper's name where no node is known."""
        if self.node is None:
            return self.value
        return self.node.name if self.certain else f"{self.node.name}?"


def graph_of(kernel: Kernel, capture: Capture) -> Graph | None:
    """The graph of the kernel's first launch."""
    wanted = kernel.launches[0].graph if kernel.launches else kernel.graph
    return next((graph for graph in capture.graphs if graph.id == wanted), None)


def nodes_of(kernel: Kernel, capture: Capture) -> dict[str, Node]:
    """Nodes by name: the whole graph where the log held it, else the comment's fragment."""
    graph = graph_of(kernel, capture)
    return {node.name: node for node in (*kernel.claim.fragment, *(graph.nodes if graph else ()))}


def tensors(kernel: Kernel, capture: Capture, found: Computation | None) -> dict[str, Tensor]:
    """Every pointer of the kernel, by name."""
    nodes = nodes_of(kernel, capture)
    passed = {argument.name: argument for argument in (kernel.launches[0].arguments if kernel.launches else ())}
    pointers = [argument for argument in kernel.arguments if argument.pointer]
    order = found.order("load", "atomic") if found else [p.name for p in pointers if p.role != "out"]
    readers = [p.name for p in pointers if p.role != "out"]
    readers.sort(key=lambda name: order.index(name) if name in order else len(order))
    writers = [p.name for p in pointers if p.role == "out"]
    held = _match(readers, passed, kernel.claim.inputs, nodes) | _match(writers, passed, kernel.claim.outputs, nodes)
    result = {}
    for pointer in pointers:
        argument = passed.get(pointer.name, LaunchArgument(pointer.name, pointer.name))
        node, certain = held.get(pointer.name, (None, False))
        result[pointer.name] = Tensor(pointer.name, argument.value, argument.type, node, certain)
    return result


def _match(
    pointers: list[str], passed: dict[str, LaunchArgument], claimed: tuple[str, ...], nodes: dict[str, Node]
) -> dict[str, tuple[Node, bool]]:
    """Pair pointers with claimed nodes: by name, by the only node of the type, by order among nodes of one type."""
    found: dict[str, tuple[Node, bool]] = {}
    for pointer in pointers:
        if pointer in passed and (node := nodes.get(passed[pointer].value)):
            found[pointer] = (node, True)
    used = {node.name for node, _ in found.values()}
    open_pointers = [p for p in pointers if p not in found and p in passed and passed[p].type]
    open_nodes = [nodes[name] for name in claimed if name in nodes and name not in used and nodes[name].type]
    for key in {_key(passed[p].type) for p in open_pointers}:
        same_pointers = [p for p in open_pointers if _key(passed[p].type) == key]
        same_nodes = [node for node in open_nodes if _key(node.type) == key]
        if len(same_pointers) == len(same_nodes):
            certain = len(same_nodes) == 1
            found |= {p: (node, certain) for p, node in zip(same_pointers, same_nodes, strict=True)}
    return found


def _key(type_: TensorType | None) -> tuple[str, tuple[str, ...]]:
    return (type_.dtype, tuple(str(size) for size in type_.shape)) if type_ else ("", ())
