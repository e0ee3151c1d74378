"""What one launch of a kernel moves: one body can stand for several places of a program, with other tensors and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.annotate.hints import Hints, of_graphs
from inductor_lab.annotate.traffic import traffic
from inductor_lab.records import Capture, Kernel, Launch, Traffic


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
