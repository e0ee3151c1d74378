"""Which value of the graph each pointer of a kernel holds, and nothing left open: what the ATen form is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.dependencies import missing
from inductor_lab.computation import Computation
from inductor_lab.computation.tree import Load
from inductor_lab.eject.expand import expanded
from inductor_lab.eject.graph_biases import without_biases
from inductor_lab.eject.graph_sizes import launch_in_numbers, named, nodes_in_numbers
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.records import Graph, Kernel, Launch, Node


@dataclass(frozen=True)
class Values:
    """The nodes behind a kernel's pointers."""

    read: Mapping[str, str]
    """Parameter -> node whose value it holds before the launch."""
    written: Mapping[str, str]
    """Parameter -> node whose value it holds afterwards."""
    nodes: Mapping[str, Node]
    """All nodes to compute from, in the graph's order."""
    products: frozenset[str] = frozenset()
    """Products among them that the kernel computes itself."""


def values(kernel: Kernel, launch: Launch, graph: Graph, found: Computation, environment: Mapping[str, int]) -> Values:
    """Tie a launch's pointers to nodes, as far as they are known.

    Args:
        environment: Symbol -> its value when this was captured: sizes are compared in numbers.

    Raises:
        NoGraphForm: the text holds no graph, or the comment above the kernel leaves nodes out.
    """
    whole = graph.nodes or kernel.claim.fragment
    made = without_biases(expanded(named(whole, graph.module)), kernel)
    nodes = {node.name: node for node in made}
    if not nodes:
        raise NoGraphForm("the text holds no graph; capture with TORCH_LOGS=output_code,post_grad_graphs")
    lost = missing((node for node in kernel.claim.nodes if node in nodes), nodes)
    if lost:
        raise NoGraphForm(
            f"the comment above it leaves out {lost}; capture with TORCH_LOGS=output_code,post_grad_graphs"
        )
    bound, compared = launch_in_numbers(launch, environment), nodes_in_numbers(nodes, environment)
    tied = bind(kernel, bound, compared, graph.outputs, found)
    copies = dict(_copies(bound, found, tied))
    laid = {parameter: _copy(nodes[node], parameter) for parameter, node in copies.items()}
    written = {**tied.written, **{parameter: node.name for parameter, node in laid.items()}}
    return Values(tied.read, written, nodes | {node.name: node for node in laid.values()}, tied.products)


def _copies(launch: Launch, found: Computation, tied: Bindings) -> Iterator[tuple[str, str]]:
    """Pointers of which the graph knows nothing and that hold what was read, laid out anew: with the node of that."""
    shapes = {argument.name: argument.type.shape for argument in launch.arguments if argument.type}
    stores = [access for part in found.every() for access in part.stores]
    for pointer in {access.pointer: None for access in stores}:
        values = [access.value for access in stores if access.pointer == pointer]
        value = values[0]
        if pointer in tied.written or len(values) != 1 or not isinstance(value, Load) or value.version:
            continue
        source = value.pointer
        if source in tied.read and shapes.get(source, ()) == shapes.get(pointer):
            yield pointer, tied.read[source]


def _copy(node: Node, parameter: str) -> Node:
    name = f"{node.name}_{parameter}"
    return Node(name, "aten.clone.default", f"torch.ops.aten.clone.default({node.name})", (node.name,), node.type, None)
