"""Each launch of a kernel by itself: one body can stand for several places of a program, with other tensors and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inductor_lab.annotate.hints import Hints, of_graphs
from inductor_lab.annotate.phase import phases
from inductor_lab.annotate.roofline import Bound, bound, card
from inductor_lab.annotate.traffic import traffic
from inductor_lab.records import Capture, Kernel, Launch, Traffic


@dataclass(frozen=True)
class Launched:
    """What one launch moves, and for what."""

    launch: Launch
    """Its arguments, and where it comes from."""
    phase: str
    """`forward`, `backward`, `optimizer`, `inference` or `unknown`."""
    traffic: Traffic
    bound: Bound | None
    """The floor on the capture's card; None where the traffic is not known."""


def launched(kernel: Kernel, capture: Capture) -> tuple[Launched, ...]:
    """Every launch, in the order of the text."""
    hints, on = of_graphs(capture), card(capture.gpu)
    known = {graph.id: graph.phase or graph.kind for graph in capture.graphs}
    found = []
    for launch in kernel.launches:
        counted = of_launch(kernel, launch, hints)
        (part,) = phases(replace(kernel, launches=(launch,)), known)
        found.append(Launched(launch, part, counted, bound(counted, on)))
    return tuple(found)


def of_launch(kernel: Kernel, launch: Launch, hints: Mapping[str, Hints]) -> Traffic:
    """What one launch of a kernel moves and computes, by its own shapes.

    Args:
        hints: By graph, as `hints.of_graphs` has them.
    """
    first = kernel.launches[0]
    alike = _shapes(launch) == _shapes(first) and hints.get(launch.graph) == hints.get(first.graph)
    return kernel.traffic if alike else traffic(replace(kernel, launches=(launch,)), hints.get(launch.graph))


def _shapes(launch: Launch) -> list[object]:
    """What a launch's bytes depend on: tensors' types, and the sizes that it passes."""
    return [argument.type or argument.value for argument in launch.arguments]


def moved(capture: Capture) -> dict[str, list[int | None]]:
    """Kernel -> the bytes of each of its launches; None where they can not be counted."""
    hints = of_graphs(capture)
    return {kernel.id: [of_launch(kernel, one, hints).moved for one in kernel.launches] for kernel in capture.kernels}
