"""Each launch of a kernel by itself: one body can stand for several places of a program, with other tensors and sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inductor_lab.annotate.hints import of_graphs
from inductor_lab.annotate.phase import phases
from inductor_lab.annotate.roofline import Bound, bound, card
from inductor_lab.annotate.share import of_launch
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
