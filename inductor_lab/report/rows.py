"""The records that the page holds: their fields are the keys that its scripts read.

The map of a graph is made here too: its launches and library calls in their order, and the buffers that each reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.annotate.steps import steps as annotated
from inductor_lab.bind.elements import nbytes
from inductor_lab.bind.names import passed_as
from inductor_lab.costs.library import Library
from inductor_lab.records import (
    Capture,
    CompiledCode,
    CompileEvent,
    Cost,
    FusionStop,
    Graph,
    LaunchArgument,
    Note,
    Problem,
    SourceLine,
)
from inductor_lab.records.span import FoundSpan
from inductor_lab.report.facts import ArgumentRow, Launched
from inductor_lab.report.history import History, Measured, MeasuredRoof
from inductor_lab.report.results import Result


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


@dataclass(frozen=True)
class Ceilings:
    """The card that the kernels are held against."""

    label: str
    told: str
    """`an H200 at 4.28 TB/s, a large copy, measured`."""
    bandwidth: float
    """Bytes a second."""
    flops: float
    """fp32 operations a second outside the matrix units."""
    half: float
    """Operations a second of the matrix units on fp16 and bf16."""
    launch: float
    """Seconds that one launch costs at least."""
    measured: MeasuredRoof | None = None
    """What a card did when kernels were compared on it, where a comparison was kept."""


@dataclass(frozen=True)
class NodeRow:
    """One node of a graph."""

    name: str
    target: str
    call: str
    type: str
    line: int
    """Which of the page's source lines, -1 for none."""


@dataclass(frozen=True)
class GraphRow:
    id: str
    compile_id: str
    kind: str
    nodes: tuple[NodeRow, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class LaunchRow(Launched):
    """One of several launches, with what it moves."""

    bytes: int | None


@dataclass(frozen=True)
class KernelRow:
    id: str
    number: str
    """What stands after the capture's name in the id, and in the page's address."""
    name: str
    title: str
    computes: tuple[str, ...]
    category: str
    phase: str
    graph: int
    """Which of the page's graphs, -1 for none."""
    body_hash: str
    marks: tuple[str, ...]
    ops: tuple[str, ...]
    cost: Cost
    notes: Mapping[str, tuple[str, ...]]
    claim: str
    traced: str
    source: tuple[int, ...]
    nodes: tuple[str, ...]
    arguments: tuple[ArgumentRow, ...]
    launches: tuple[LaunchRow, ...]
    """None where there is one."""
    lines: tuple[Note, ...]
    """What is said of each line of the body."""
    body: str
    text: str
    results: tuple[Result, ...]
    history: History | None
    measured: tuple[Measured, ...]
    """Times, the best known first."""
    code: tuple[CompiledCode, ...]


@dataclass(frozen=True)
class CallRow:
    """Library calls of one function on tensors of the same shapes, in one graph."""

    target: str
    name: str
    signature: str
    words: str
    """The floor of one in a sentence, or why there is none."""
    graph: int
    phase: str
    lines: tuple[int, ...]
    """Of the graph's module."""
    source: tuple[int, ...]
    cost: Cost


@dataclass(frozen=True)
class KeptSpanRow:
    """A span of which results were kept, with its steps and what was found."""

    name: str
    graph: int
    first: int
    last: int
    steps: tuple[str, ...]
    """Its launches and library calls."""
    told: str
    """The last result in a line."""
    results: tuple[Result, ...]
    history: History | None


@dataclass(frozen=True)
class Contents:
    """The whole page."""

    name: str
    command: str
    created: str
    versions: str
    target: str
    card: Ceilings
    graphs: tuple[GraphRow, ...]
    lines: tuple[SourceLine, ...]
    """The user's lines, each once; other rows tell them by their place here."""
    kernels: tuple[KernelRow, ...]
    calls: tuple[CallRow, ...]
    stops: tuple[FusionStop, ...]
    """The buffers that go through memory between two kernels, the largest first."""
    spans: tuple[FoundSpan, ...]
    """Consecutive steps that one kernel would do faster, what saves most first."""
    kept_spans: tuple[KeptSpanRow, ...]
    events: tuple[CompileEvent, ...]
    problems: tuple[Problem, ...]
    code_card: str
    """The card that machine code was compiled for; empty without."""
    trace: str
    """The file of the profile, for a person to open; empty without one."""
