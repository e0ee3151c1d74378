"""The launches and library calls of each graph in their order, and the buffers that each of them reads and writes: what the map draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.annotate.steps import steps as annotated
from inductor_lab.bind.elements import nbytes
from inductor_lab.bind.names import passed_as
from inductor_lab.costs.library import Library
from inductor_lab.records import Capture, Graph, LaunchArgument


@dataclass(frozen=True)
class Buffer:
    """A tensor that a step reads or writes."""

    name: str
    memory: str
    """The variable that first named its memory: what one step writes there, the next one reads there."""
    bytes: int | None


@dataclass(frozen=True)
class Step:
    """One launch, or one library call."""

    kernel: int
    """Which kernel of the capture, -1 for a library call."""
    call: int
    """Which group of library calls, -1 for a launch."""
    line: int
    """In the graph's module."""
    reads: tuple[Buffer, ...]
    writes: tuple[Buffer, ...]


def steps(graph: Graph, capture: Capture, groups: Sequence[tuple[Library, ...]]) -> tuple[Step, ...]:
    """Everything that a graph's module runs on the card, in the order of its lines."""
    called = passed_as(graph)
    kernels = {kernel.id: position for position, kernel in enumerate(capture.kernels)}
    calls = {id(told.call): position for position, several in enumerate(groups) for told in several}
    found = []
    for step in annotated(capture).get(graph.id, []):
        reads, writes = (tuple(_buffer(a, called) for a in several) for several in (step.reads, step.writes))
        if not step.kernel:  # what it is given to write into
            reads = tuple(one for one in reads if one.memory not in {written.memory for written in writes})
        kernel = kernels[step.id] if step.kernel else -1
        found.append(Step(kernel, calls.get(id(step.made), -1), step.line, reads, writes))
    return tuple(found)


def _buffer(argument: LaunchArgument, called: Mapping[str, str]) -> Buffer:
    name = called.get(argument.value, argument.value)
    return Buffer(name, argument.storage or argument.value, nbytes(argument.type))
