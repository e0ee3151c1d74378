"""What a graph's module does, launch after launch, and which step last wrote the memory that another one reads.

triton_poi_fused_add_0.run(arg0_1, buf0, ...)      a kernel: reads arg0_1, writes buf0
extern_kernels.mm(buf0, arg1_1, out=buf1)          a library call; it reads what step 0 wrote

Also the phase of a training step that a graph or a kernel belongs to. Inductor names forward and backward; an optimizer's step is a graph like any
other, known by its nodes, which come from torch/optim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from inductor_lab.bind.names import scratch
from inductor_lab.computation import Computation, computation
from inductor_lab.costs.hints import hinted, hinted_call, of_graphs
from inductor_lab.costs.library import Given, name
from inductor_lab.records import Capture, ExternCall, Graph, Kernel, LaunchArgument, SourceLine

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


@dataclass
class Step:
    """One launch or library call of a graph, in the order of its module."""

    line: int
    made: Kernel | ExternCall
    reads: tuple[LaunchArgument, ...]
    writes: tuple[LaunchArgument, ...]
    producers: dict[str, int] = field(default_factory=dict)
    """Memory that it reads -> the step that wrote it last."""
    after: int = 0
    """The steps that it depends on, a bit each."""

    @property
    def kernel(self) -> Kernel | None:
        return self.made if isinstance(self.made, Kernel) else None

    @property
    def id(self) -> str:
        """The kernel's, or the library call's name."""
        return self.made.id if isinstance(self.made, Kernel) else name(self.made.target)

    def jobs(self) -> list[Computation]:
        """What its body does; nothing of a library call, and of what is not Python."""
        try:
            return [*computation(self.kernel).every()] if self.kernel else []
        except ValueError:
            return []

    @property
    def unknown(self) -> bool:
        """A library call of which a capture does not say what it reads and writes, as those of older versions."""
        return not self.kernel and not self.reads and not self.writes

    def touches(self, storage: str) -> bool:
        """Whether it reads or writes this memory."""
        return any(argument.storage == storage for argument in (*self.reads, *self.writes))


_KEPT: list[tuple[Capture, dict[str, list[Step]]]] = []
"""The last captures that were asked for: their kernels are explained one after the other."""


def steps(capture: Capture) -> dict[str, list[Step]]:
    """Graph -> its launches and library calls, in the order of its module."""
    for known, found in _KEPT:
        if known is capture:
            return found
    hints = of_graphs(capture)
    found = {graph.id: [] for graph in capture.graphs}
    for kernel in capture.kernels:
        roles = {a.name: a.role for a in kernel.arguments if a.pointer and not scratch(kernel, a.name)}
        for launch in kernel.launches:
            concrete = hinted(kernel, launch, hints.get(launch.graph, {}))
            tensors = [a for a in concrete.launches[0].arguments if a.name in roles]
            reads = tuple(a for a in tensors if roles[a.name] != "out")
            writes = tuple(a for a in tensors if roles[a.name] != "in")
            found.setdefault(launch.graph, []).append(Step(launch.line, concrete, reads, writes))
    for call in capture.extern_calls:
        told = Given(hinted_call(call, hints.get(call.graph, {})))
        reads, writes = (
            tuple(replace(a, type=told.typed(a)) for a in several)
            for several in (told.call.arguments, told.call.outputs)
        )
        given = tuple(a for a in reads if a.type is not None and a.name != "out")
        found.setdefault(call.graph, []).append(Step(call.line, call, given, writes))
    for graph in found.values():
        graph.sort(key=lambda step: step.line)
        last: dict[str, int] = {}
        for number, step in enumerate(graph):
            step.producers = {a.storage: last[a.storage] for a in step.reads if a.storage in last}
            for producer in step.producers.values():
                step.after |= graph[producer].after | 1 << producer
            last.update({a.storage: number for a in step.writes if a.storage})
    _KEPT[:] = [*_KEPT[-1:], (capture, found)]
    return found
