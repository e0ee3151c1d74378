"""A kernel's row in a catalog: what its launches move, each by its own shapes, and the least time that they take on the card."""

from __future__ import annotations

from typing import TypeVar

from inductor_lab.annotate.roofline import LAUNCH_SECONDS, bound, card
from inductor_lab.annotate.share import of_launch
from inductor_lab.annotate.summary import titled
from inductor_lab.gpus import Card
from inductor_lab.records import Capture, Kernel, Listed, Traffic

Number = TypeVar("Number", int, float)


def listed(capture: Capture) -> tuple[Listed, ...]:
    """A row for each kernel, in the capture's order."""
    kinds = {graph.id: graph.kind for graph in capture.graphs}
    on = card(capture.gpu)
    return tuple(_row(kernel, kinds, on) for kernel in capture.kernels)


def _row(kernel: Kernel, kinds: dict[str, str], on: Card) -> Listed:
    every = [of_launch(kernel, launch) for launch in kernel.launches]
    moved, floors = [_moved(one) for one in every], [_floor(one, on) for one in every]
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
        kinds=tuple(dict.fromkeys(kinds.get(graph, "unknown") for graph in graphs)),
        launches=len(kernel.launches),
        moved=_moved(kernel.traffic),
        least=kernel.traffic.least,
        bytes=_sum(moved),
        floor=_floor(kernel.traffic, on),
        cost=_sum(floors),
        ops=kernel.ops,
        source=tuple(f"{line.file.rpartition('/')[2]}:{line.line}" for line in kernel.source),
        code=tuple(line.code.strip() for line in kernel.source),
    )


def _moved(found: Traffic) -> int | None:
    return found.read + found.written if found.read is not None and found.written is not None else None


def _floor(found: Traffic, on: Card) -> float | None:
    limit = bound(found, on)
    return max(limit.seconds, LAUNCH_SECONDS) if limit else None


def _sum(found: list[Number | None]) -> Number | None:
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None
