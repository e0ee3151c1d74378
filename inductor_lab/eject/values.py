"""Which value of the graph each pointer of a kernel holds, and nothing left open: what an eager reference is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.annotate.bindings import bind, missing
from inductor_lab.computation import computation
from inductor_lab.eject.expand import expanded
from inductor_lab.errors import LabError
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
    found = computation(kernel)
    tied = bind(kernel, launch, nodes, graph.outputs, found)
    passed = {argument.name: argument for argument in launch.arguments}
    pointers = {a.name: a for a in kernel.arguments if a.pointer and a.name in passed}
    for name in found.order("load", "atomic"):
        if name in pointers and pointers[name].role != "out" and name not in tied.read:
            raise LabError(
                f"{kernel.id} ({kernel.name}): no node of its graph fragment fits {name} ({passed[name].value}, "
                f"{pointers[name].dtype}), so it has no eager reference"
            )
    stored = [name for name in found.order("store", "atomic") if name in pointers]
    if not stored:
        raise LabError(f"{kernel.id} ({kernel.name}) writes no tensor, so there is nothing to hold to eager")
    for name in stored:
        if name not in tied.written and name in found.order("atomic"):
            raise LabError(
                f"{kernel.id} ({kernel.name}) adds to {name} atomically, in a way that eject has no eager reference for"
            )
        lost = next((lost for node in kernel.claim.nodes if node in nodes and (lost := missing(node, nodes))), "")
        if name not in tied.written and lost:
            raise LabError(
                f"{kernel.id} ({kernel.name}): the comment above it leaves out {lost}, so it has no eager reference: capture with "
                f"TORCH_LOGS=output_code,post_grad_graphs, or with `inductor-lab capture`"
            )
        if name not in tied.written:
            raise LabError(
                f"{kernel.id} ({kernel.name}): what it writes to {name} is no node of the graph (a partial result of a split "
                f"reduction, for example), so it has no eager reference"
            )
    return Values(tied.read, tied.written, nodes)
