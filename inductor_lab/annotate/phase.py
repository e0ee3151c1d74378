"""Which part of a training step a graph or a kernel belongs to: forward, backward, optimizer; or inference.

Inductor names forward and backward. An optimizer's step is a graph like any other: it is known by its nodes, which come from torch/optim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from inductor_lab.records import Graph, Kernel, SourceLine

_OPTIMIZER = re.compile(r"[/\\]torch[/\\]optim[/\\]\w+\.py$")


def phase(graph: Graph) -> str:
    """`forward`, `backward`, `inference`, `optimizer` or `unknown`."""
    lines = [node.source for node in graph.nodes if node.source]
    return "optimizer" if _stepping(lines) else graph.kind


def phases(kernel: Kernel, known: Mapping[str, str]) -> tuple[str, ...]:
    """Those of all its launches, each once: one body may serve forward and backward.

    Args:
        known: Graph -> its phase.
    """
    places = [(launch.graph, launch.provenance.source) for launch in kernel.launches] or [(kernel.graph, kernel.source)]
    found = ("optimizer" if _stepping(lines) else known.get(graph, "unknown") for graph, lines in places)
    return tuple(dict.fromkeys(found))


def _stepping(lines: Iterable[SourceLine]) -> bool:
    """Whether most of them stand in an optimizer."""
    inside = [_OPTIMIZER.search(line.file) is not None for line in lines]
    return sum(inside) * 2 > len(inside)
