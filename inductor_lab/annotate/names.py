"""Which tensor of the model stands behind each pointer of a kernel.

The wrapper's names (`arg1_1`, `primals_3`) are nodes of the graph already; what a buffer (`buf3`) holds is found out by `bindings`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inductor_lab.annotate.bindings import Bindings, bind
from inductor_lab.computation import Computation, groups
from inductor_lab.records import Capture, Graph, Kernel, LaunchArgument, Node, TensorType

WORKSPACE = re.compile(r"(ws_ptr|sem_ptr|.*_ws|semaphores?\w*|workspace\w*)$")
"""Parameters that are scratch memory of a launch: no tensor of the model."""


def scratch(kernel: Kernel, parameter: str) -> bool:
    """Whether nothing but the launch itself needs a parameter's memory; what groups of rows are folded to is folded on behind the launch."""
    return WORKSPACE.match(parameter) is not None and groups.of(kernel) is None


BUFFER = re.compile(r"buf\d+")
"""A placeholder of this name is no node of the model: the scheduler's number for a buffer, which the wrapper may count otherwise."""


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
    graph, nodes = graph_of(kernel, capture), nodes_of(kernel, capture)
    passed = {argument.name: argument for argument in (kernel.launches[0].arguments if kernel.launches else ())}
    outputs = graph.outputs if graph else ()
    tied = (
        bind(kernel, kernel.launches[0], nodes, outputs, found)
        if kernel.launches and found
        else Bindings({}, {}, frozenset())
    )
    result = {}
    for pointer in (argument for argument in kernel.arguments if argument.pointer):
        argument = passed.get(pointer.name, LaunchArgument(pointer.name, pointer.name))
        name = tied.read.get(pointer.name) if pointer.role != "out" else tied.written.get(pointer.name)
        node = nodes.get(name) if name and not BUFFER.fullmatch(name) else None
        result[pointer.name] = Tensor(
            pointer.name, argument.value, argument.type, node, pointer.name not in tied.likely
        )
    return result
