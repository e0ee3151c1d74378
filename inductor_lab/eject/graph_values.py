"""Which value of the graph each pointer of a kernel holds, and nothing left open: what the ATen form is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.annotate.bindings import bind
from inductor_lab.annotate.made_of import missing
from inductor_lab.computation import Computation
from inductor_lab.eject.expand import expanded
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
    made = expanded(named(graph.nodes or kernel.claim.fragment, graph.module))
    nodes = {node.name: node for node in made}
    if not nodes:
        raise NoGraphForm("the text holds no graph; capture with TORCH_LOGS=output_code,post_grad_graphs")
    lost = next((lost for node in kernel.claim.nodes if node in nodes and (lost := missing(node, nodes))), "")
    if lost:
        raise NoGraphForm(
            f"the comment above it leaves out {lost}; capture with TORCH_LOGS=output_code,post_grad_graphs"
        )
    bound, compared = launch_in_numbers(launch, environment), nodes_in_numbers(nodes, environment)
    tied = bind(kernel, bound, compared, graph.outputs, found)
    return Values(tied.read, tied.written, nodes, tied.products)
