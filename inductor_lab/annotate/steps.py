"""What a graph's module does, launch after launch, and which step last wrote the memory that another one reads.

triton_poi_fused_add_0.run(arg0_1, buf0, ...)      a kernel: reads arg0_1, writes buf0
extern_kernels.mm(buf0, arg1_1, out=buf1)          a library call; it reads what step 0 wrote

Of each buffer that goes through memory between two generated kernels, why fusion stopped there, as far as the text tells:

    the producer folds 8 rows of 128; the consumer goes over 4,096 elements that are not these rows

A library call reads and writes memory anyway; it is told only where it keeps two kernels apart: what a kernel leaves goes into a product,
whose result the other kernel needs as well.

Also the phase of a training step that a graph or a kernel belongs to. Inductor names forward and backward; an optimizer's step is a graph like any
other, known by its nodes, which come from torch/optim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inductor_lab.annotate.facts import Run, joined, runs
from inductor_lab.bind.elements import nbytes, total
from inductor_lab.bind.names import scratch
from inductor_lab.computation import Access, Computation, jobs_of
from inductor_lab.costs.hints import hinted, hinted_call, of_graphs
from inductor_lab.costs.library import Given, name
from inductor_lab.quantity import plural
from inductor_lab.records import Capture, ExternCall, FusionStop, Graph, Kernel, LaunchArgument, SourceLine

_OPTIMIZER = re.compile(r"[/\\]torch[/\\]optim[/\\]\w+\.py$")


def phase(graph: Graph) -> str:
    """`forward`, `backward`, `inference`, `optimizer` or `unknown`."""
    lines = [node.source for node in graph.nodes if node.source]
    return "optimizer" if _stepping(lines) else graph.kind


def phases(kernel: Kernel, known: Mapping[str, str]) -> tuple[str, ...]:
    """Those of all its launches, each once: one body may serve forward and backward.

    Args:
        known: Graph -> its phase.
    """
    places = [(launch.graph, launch.provenance.source) for launch in kernel.launches] or [(kernel.graph, kernel.source)]
    found = ("optimizer" if _stepping(lines) else known.get(graph, "unknown") for graph, lines in places)
    return tuple(dict.fromkeys(found))


def _stepping(lines: Iterable[SourceLine]) -> bool:
    """Whether most of them stand in an optimizer."""
    inside = [_OPTIMIZER.search(line.file) is not None for line in lines]
    return sum(inside) * 2 > len(inside)


@dataclass
class Step:
    """One launch or library call of a graph, in the order of its module."""

    line: int
    made: Kernel | ExternCall
    reads: tuple[LaunchArgument, ...]
    writes: tuple[LaunchArgument, ...]
    producers: dict[str, int] = field(default_factory=dict)
    """Memory that it reads -> the step that wrote it last."""
    after: int = 0
    """The steps that it depends on, a bit each."""

    @property
    def kernel(self) -> Kernel | None:
        return self.made if isinstance(self.made, Kernel) else None

    @property
    def id(self) -> str:
        """The kernel's, or the library call's name."""
        return self.made.id if isinstance(self.made, Kernel) else name(self.made.target)

    def jobs(self) -> list[Computation]:
        """What its body does; nothing of a library call, and of what is not Python."""
        return jobs_of(self.kernel) if self.kernel else []

    @property
    def unknown(self) -> bool:
        """A library call of which a capture does not say what it reads and writes, as those of older versions."""
        return not self.kernel and not self.reads and not self.writes

    def touches(self, storage: str) -> bool:
        """Whether it reads or writes this memory."""
        return any(argument.storage == storage for argument in (*self.reads, *self.writes))


_KEPT: list[tuple[Capture, dict[str, list[Step]]]] = []
"""The last captures that were asked for: their kernels are explained one after the other."""


def steps(capture: Capture) -> dict[str, list[Step]]:
    """Graph -> its launches and library calls, in the order of its module."""
    for known, found in _KEPT:
        if known is capture:
            return found
    hints = of_graphs(capture)
    found = {graph.id: [] for graph in capture.graphs}
    for kernel in capture.kernels:
        roles = {a.name: a.role for a in kernel.arguments if a.pointer and not scratch(kernel, a.name)}
        for launch in kernel.launches:
            concrete = hinted(kernel, launch, hints.get(launch.graph, {}))
            tensors = [a for a in concrete.launches[0].arguments if a.name in roles]
            reads = tuple(a for a in tensors if roles[a.name] != "out")
            writes = tuple(a for a in tensors if roles[a.name] != "in")
            found.setdefault(launch.graph, []).append(Step(launch.line, concrete, reads, writes))
    for call in capture.extern_calls:
        told = Given(hinted_call(call, hints.get(call.graph, {})))
        reads, writes = (
            tuple(replace(a, type=told.typed(a)) for a in several)
            for several in (told.call.arguments, told.call.outputs)
        )
        given = tuple(a for a in reads if a.type is not None and a.name != "out")
        found.setdefault(call.graph, []).append(Step(call.line, call, given, writes))
    for graph in found.values():
        graph.sort(key=lambda step: step.line)
        last: dict[str, int] = {}
        for number, step in enumerate(graph):
            step.producers = {a.storage: last[a.storage] for a in step.reads if a.storage in last}
            for producer in step.producers.values():
                step.after |= graph[producer].after | 1 << producer
            last.update({a.storage: number for a in step.writes if a.storage})
    _KEPT[:] = [*_KEPT[-1:], (capture, found)]
    return found


# ---- where fusion stopped

LARGEST_FUSION = 64
"""Nodes of Inductor's scheduler in one kernel at most (`max_fusion_size` in torch/_inductor/config.py, 2.13): each makes one buffer, stored or not."""
JOBS = frozenset({"combo", "foreach"})
"""Kernels of several jobs, which are put together after what each of them does: no comment tells the buffers of one."""
AS_IT_LIES: Mapping[str, frozenset[str]] = {
    "convolution": frozenset({"arg_X", "arg_W", "arg_dY"}),
    "flex attention": frozenset({"arg_Q", "arg_K", "arg_V"}),
}
"""Templates without inputs before which something may be done (`prologue_supported_inputs` in torch/_inductor/select_algorithm.py, 2.13, which
the templates of mm alone fill), and what they call tensors: a product over arg_A and arg_B may be one of a convolution."""
FOLDING = ("reduction", "persistent_reduction", "cooperative_reduction", "split_scan")


def fusion_stops(capture: Capture) -> tuple[FusionStop, ...]:
    """Every buffer between two generated kernels, the largest first."""
    found = [stop for graph in capture.graphs for stop in stops_of(steps(capture)[graph.id], graph.id)]
    return tuple(sorted(found, key=lambda stop: -(stop.bytes or 0)))


def stops_of(graph: Sequence[Step], name: str, producer: str = "") -> Iterator[FusionStop]:
    """What one graph's kernels leave for each other, or what one of them leaves."""
    for number, step in enumerate(graph):
        for memory, at in step.producers.items() if step.kernel else ():
            before = graph[at]
            if before.kernel is None or producer not in ("", before.id):
                continue
            if any(between.unknown for between in graph[at + 1 : number]):
                continue  # it may have written that memory, or stand between the two
            written = [argument for argument in before.writes if argument.storage == memory]
            held = total(nbytes(part.type) for part in written)  # parts of one buffer have a pointer each
            ways = [graph[k] for k in range(at + 1, number) if step.after >> k & 1 and graph[k].after >> at & 1]
            buffer = written[0].value if len(written) == 1 else memory
            yield FusionStop(name, buffer, held, before.id, step.id, *between(before, step, memory, ways))


# ---------------------------------------------------------------- why: the first reason that fits


def between(producer: Step, consumer: Step, memory: str, ways: Sequence[Step] = ()) -> tuple[str, str]:
    """Why a kernel and another one that reads what it left are two, (reason, sentence).

    Args:
        ways: What depends on the producer, and the consumer on it: it would have to run inside the fused kernel.
    """
    if ways:
        way = min(ways, key=lambda step: step.kernel is not None)
        called = "" if way.kernel else ", and a library call can not be part of a kernel"
        return "cycle", f"the consumer waits for {way.id} (line {way.line}), which waits for the producer{called}"
    return next(_why(producer, consumer, memory))


def _why(producer: Step, consumer: Step, memory: str) -> Iterator[tuple[str, str]]:
    """What is certain first: what the bodies are, then how they go over their elements."""
    kinds = [step.kernel.category for step in (producer, consumer) if step.kernel]
    if kinds == ["template", "template"]:
        yield "template", "both are templates, and a kernel holds one"
    if "user_autotune" in kinds:
        yield "template", "a kernel of the user's own is not fused with others"
    if "template" in kinds and any(kind in kinds for kind in FOLDING):
        yield (
            "template",
            "a template takes in no reduction, only what is done element by element before or after its product",
        )
    passed = {argument.name for argument in consumer.kernel.arguments} if consumer.kernel else set()
    if products := [name for name, own in AS_IT_LIES.items() if "template" in kinds[1:] and own & passed]:
        yield (
            "template",
            f"the template of {products[0]} loads what lies in memory: nothing is fused in before its product",
        )
    one, other = _found(producer), _found(consumer)
    stores = _reaching(consumer, other, memory, reading=False) if other else []
    if any(access.kind.startswith("atomic") for access in stores):
        yield "added", "the consumer adds to it atomically, from any program: all of it has to be there before"
    if one and other:
        yield from _loops(one, other)
        written = _reaching(producer, one, memory, reading=False)
        read = _reaching(consumer, other, memory, reading=True)
        if any(access.index.expressions() for access in read):
            yield (
                "order",
                "the consumer reads it at places that it computes, not in the order in which the producer writes it",
            )
        there, here = _walks(written, one), _walks(read, other)
        if len(there) == len(here) == 1 and there != here:
            yield "order", "the producer writes it in another order than the consumer reads it"
    overwritten = {a.storage for a in consumer.writes} & {a.storage for a in consumer.reads}
    if any(not storage.startswith("buf") for storage in overwritten):
        yield (
            "mutation",
            "the consumer writes into an input of the graph, which has to wait for all that read it",
        )
    count = sum(len(step.kernel.claim.outputs) for step in (producer, consumer) if step.kernel)
    if count > LARGEST_FUSION and not JOBS.intersection(kinds):
        yield "limit", f"together they make {count} buffers; Inductor fuses what makes at most {LARGEST_FUSION}"
    yield "unknown", "the text does not tell: Inductor's score, or a limit of its settings"


def _found(step: Step) -> Computation | None:
    """What a step's body does, by its own launch; None of several jobs, of a template, whose order is its loop's, and of what is not followed."""
    match step.jobs():
        case [found] if found.numel and step.kernel and step.kernel.category != "template":
            return found
    return None


def _loops(one: Computation, other: Computation) -> Iterator[tuple[str, str]]:
    """A fold's result that elements of other rows need, or other numbers of elements."""
    (rows, length), (others, long) = _rows(one), _rows(other)
    serves = (others, long) == (rows, length) or (not long and others in (rows, rows * length))
    if length and not serves:
        folds = f"the producer folds {_count(rows, 'row')} of {length:,}"
        if long:
            does = f"{folds}, the consumer {_count(others, 'row')} of {long:,}: one loop does not serve both"
        else:
            does = f"{folds}; the consumer goes over {_count(others, 'element')} that are not these rows"
        yield "reduction", does
    here, there = rows * (length or 1), others * (long or 1)
    if here and there and here != there:
        yield "sizes", f"they go over different numbers of elements: {here:,} and {there:,}"


def _rows(found: Computation) -> tuple[int, int]:
    """Rows and the elements of one: 0 where they are symbolic, or nothing is folded."""
    folded = frozenset(axis for axis, extent in found.numel.items() if axis.startswith("r") and extent != 1)
    kept = frozenset(axis for axis in found.numel if not axis.startswith("r"))
    return found.elements(kept) or 0, (found.elements(folded) or 0) if folded else 0


def _count(count: int, word: str) -> str:
    return plural(count, word) if count else f"a symbolic number of {word}s"


def _reaching(step: Step, found: Computation, memory: str, *, reading: bool) -> list[Access]:
    """The accesses of a step's body to some memory."""
    names = {a.name for a in (step.reads if reading else step.writes) if a.storage == memory}
    return [access for access in (found.loads if reading else found.stores) if access.pointer in names]


def _walks(accesses: Sequence[Access], found: Computation) -> set[tuple[Run, ...]]:
    """How accesses walk over a buffer: along a row first, then from row to row."""
    axes = sorted(found.numel, key=lambda axis: (not axis.startswith("r"), axis))
    walks = ([run for axis in axes for run in runs(access, found, axis) if run[1]] for access in accesses)
    return {tuple(joined(walk)) for walk in walks}
