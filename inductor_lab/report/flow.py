"""The launches and library calls of each graph in their order, and the buffers that each of them reads and writes: what the map draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inductor_lab.annotate.elements import numel
from inductor_lab.annotate.library import Library
from inductor_lab.annotate.names import passed_as, scratch
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.records import Capture, ExternCall, Graph, Kernel, Launch, LaunchArgument


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


def steps(graph: Graph, capture: Capture, groups: Iterable[tuple[Library, ...]]) -> tuple[Step, ...]:
    """Everything that a graph's module runs on the card, in the order of its lines."""
    called = passed_as(graph)
    found = [
        _launched(position, kernel, launch, called)
        for position, kernel in enumerate(capture.kernels)
        for launch in kernel.launches
        if launch.graph == graph.id
    ]
    found += [
        _called(position, told.call, called)
        for position, calls in enumerate(groups)
        for told in calls
        if told.call.graph == graph.id
    ]
    return tuple(sorted(found, key=lambda step: step.line))


def _launched(position: int, kernel: Kernel, launch: Launch, called: Mapping[str, str]) -> Step:
    roles = {argument.name: argument.role for argument in kernel.arguments if argument.pointer}
    passed = [
        (roles[argument.name], _buffer(argument, called))
        for argument in launch.arguments
        if argument.name in roles and not scratch(kernel, argument.name)
    ]
    reads = tuple(buffer for role, buffer in passed if role in ("in", "inout"))
    writes = tuple(buffer for role, buffer in passed if role in ("out", "inout"))
    return Step(position, -1, launch.line, reads, writes)


def _called(position: int, call: ExternCall, called: Mapping[str, str]) -> Step:
    outputs = tuple(_buffer(output, called) for output in call.outputs)
    written = {output.memory for output in outputs}
    given = (_buffer(argument, called) for argument in call.arguments if argument.type is not None)
    return Step(-1, position, call.line, tuple(one for one in given if one.memory not in written), outputs)


def _buffer(argument: LaunchArgument, called: Mapping[str, str]) -> Buffer:
    count = numel(argument.type)
    moved = None if count is None or argument.type is None else count * ITEMSIZE.get(argument.type.dtype, 0)
    return Buffer(called.get(argument.value, argument.value), argument.storage or argument.value, moved)
