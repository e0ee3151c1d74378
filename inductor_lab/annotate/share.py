"""A kernel's part of what a whole capture moves: each launch counted by its own shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inductor_lab.annotate.hints import Hints, of_graphs
from inductor_lab.annotate.traffic import traffic
from inductor_lab.records import Capture, Kernel, Launch, Traffic


@dataclass(frozen=True)
class Share:
    """Launches and bytes of one kernel among those of all generated kernels, each launch once."""

    launches: int
    all_launches: int
    bytes: int | None
    """None where one of the kernel's launches can not be counted."""
    all_bytes: int
    """Of the launches that can be counted."""
    uncounted: int
    """Launches that can not."""

    @property
    def part(self) -> float | None:
        """Its part of the bytes that could be counted."""
        return self.bytes / self.all_bytes if self.bytes is not None and self.all_bytes else None


def share(kernel: Kernel, capture: Capture) -> Share:
    """What a kernel's launches move, of what all do."""
    hints = of_graphs(capture)
    counted = {
        one.id: [moved for launch in one.launches if (moved := _moved(one, launch, hints))] for one in capture.kernels
    }
    every = [moved for one in counted.values() for moved in one]
    ours = counted[kernel.id]
    launches = sum(len(one.launches) for one in capture.kernels)
    whole = len(ours) == len(kernel.launches)
    return Share(len(kernel.launches), launches, sum(ours) if whole else None, sum(every), launches - len(every))


def of_launch(kernel: Kernel, launch: Launch, hints: Mapping[str, Hints]) -> Traffic:
    """What one launch of a kernel moves and computes, by its own shapes.

    Args:
        hints: By graph, as `hints.of_graphs` has them.
    """
    first = kernel.launches[0]
    alike = _shapes(launch) == _shapes(first) and hints.get(launch.graph) == hints.get(first.graph)
    return kernel.traffic if alike else traffic(replace(kernel, launches=(launch,)), hints.get(launch.graph))


def _moved(kernel: Kernel, launch: Launch, hints: Mapping[str, Hints]) -> int | None:
    """Bytes that one launch reads and writes."""
    found = of_launch(kernel, launch, hints)
    return found.read + found.written if found.read is not None and found.written is not None else None


def _shapes(launch: Launch) -> list[object]:
    """What a launch's bytes depend on: tensors' types, and the sizes that it passes."""
    return [argument.type or argument.value for argument in launch.arguments]
