"""A kernel's row in a catalog: what its launches move, each by its own shapes, and the least time that they take on the card."""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.annotate.summary import titled
from inductor_lab.costs.hints import Hints, of_graphs
from inductor_lab.costs.launches import of_calls, of_kernel
from inductor_lab.costs.library import Library, library
from inductor_lab.costs.roofline import card
from inductor_lab.gpus import Card
from inductor_lab.records import Called, Capture, Kernel, Listed


def listed(capture: Capture) -> tuple[Listed, ...]:
    """A row for each kernel, in the capture's order."""
    kinds = {graph.id: graph.phase or graph.kind for graph in capture.graphs}
    on, hints = card(capture.gpu), of_graphs(capture)
    return tuple(_row(kernel, kinds, on, hints) for kernel in capture.kernels)


def called(capture: Capture) -> tuple[Called, ...]:
    """The library calls, those of one operator together, what takes longest first."""
    on = card(capture.gpu)
    found: dict[str, list[Library]] = {}
    for call in capture.extern_calls:
        one = library(call, on)
        found.setdefault(one.name, []).append(one)
    costs = {name: of_calls(calls) for name, calls in found.items()}
    rows = (Called(name, cost.launches, cost.all_bytes, cost.all_seconds) for name, cost in costs.items())
    return tuple(sorted(rows, key=lambda row: (-(row.cost or 0.0), -row.calls)))


def _row(kernel: Kernel, kinds: Mapping[str, str], on: Card, hints: Mapping[str, Hints]) -> Listed:
    cost = of_kernel(kernel, on, hints)
    graphs = tuple(dict.fromkeys([kernel.graph, *(launch.graph for launch in kernel.launches)]))
    return Listed(
        id=kernel.id,
        name=kernel.name,
        title=titled(kernel),
        recognised=kernel.recognised,
        category=kernel.category,
        body_sha256=kernel.body_sha256,
        graph=kernel.graph,
        graphs=graphs,
        kinds=kernel.phases or tuple(dict.fromkeys(kinds.get(graph, "unknown") for graph in graphs)),
        launches=cost.launches,
        moved=cost.moved,
        least=cost.least,
        bytes=cost.all_bytes,
        floor=cost.floor,
        cost=cost.all_seconds,
        ops=kernel.ops,
        source=tuple(f"{line.file.rpartition('/')[2]}:{line.line}" for line in kernel.source),
        code=tuple(line.code.strip() for line in kernel.source),
        bound=cost.bound,
        estimate=cost.estimate,
    )
