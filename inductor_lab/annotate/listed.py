"""A kernel's row in a catalog: what its launches move, each by its own shapes, and the least time that they take on the card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from inductor_lab.annotate.hints import Hints, of_graphs
from inductor_lab.annotate.library import Library, library
from inductor_lab.annotate.roofline import LAUNCH_SECONDS, bound, card
from inductor_lab.annotate.share import of_launch
from inductor_lab.annotate.summary import titled
from inductor_lab.gpus import Card
from inductor_lab.records import Called, Capture, Kernel, Listed, Traffic

Number = TypeVar("Number", int, float)


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
    rows = (_called(name, calls) for name, calls in found.items())
    return tuple(sorted(rows, key=lambda row: (-(row.cost or 0.0), -row.calls)))


def _called(name: str, calls: list[Library]) -> Called:
    bounds = [one.bound for one in calls]
    return Called(
        name,
        len(calls),
        _sum([found.bytes if found else None for found in bounds]),
        _sum([max(found.seconds, LAUNCH_SECONDS) if found else None for found in bounds]),
    )


def _row(kernel: Kernel, kinds: Mapping[str, str], on: Card, hints: Mapping[str, Hints]) -> Listed:
    every = [of_launch(kernel, launch, hints) for launch in kernel.launches]
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
        kinds=kernel.phases or tuple(dict.fromkeys(kinds.get(graph, "unknown") for graph in graphs)),
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
