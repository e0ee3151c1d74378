"""Where fusion stopped: each buffer that goes through memory between two generated kernels, its bytes, and why, as far as the text tells.

A library call reads and writes memory anyway; it is told only where it keeps two kernels apart: what a kernel leaves goes into a product,
whose result the other kernel needs as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from inductor_lab.annotate.hints import hinted, of_graphs
from inductor_lab.annotate.layout import Run, joined, runs
from inductor_lab.annotate.library import name
from inductor_lab.annotate.names import scratch
from inductor_lab.computation import Access, Computation, computation
from inductor_lab.computation.index import Coordinate
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.quantity import plural, size
from inductor_lab.records import Capture, ExternCall, FusionStop, Kernel, Launch, LaunchArgument

LARGEST_FUSION = 64
"""Nodes of one kernel at most (`max_fusion_size` in torch/_inductor/config.py, 2.13)."""


@dataclass
class Step:
    """One launch or library call of a graph, in the order of its module."""

    line: int
    kernel: Kernel | None
    launch: Launch | None
    call: ExternCall | None
    reads: tuple[LaunchArgument, ...]
    writes: tuple[LaunchArgument, ...]
    producers: dict[str, int]
    """Memory that it reads -> the step that wrote it last."""
    after: int = 0
    """The steps that it depends on, a bit each."""

    @property
    def unknown(self) -> bool:
        """A library call of which a capture does not say what it reads and writes, as those of older versions."""
        return self.call is not None and not self.reads and not self.writes

    @property
    def title(self) -> str:
        return self.kernel.name if self.kernel else name(self.call.target) if self.call else ""

    @property
    def id(self) -> str:
        """The kernel's, or the library call's name."""
        return self.kernel.id if self.kernel else self.title

    @property
    def touched(self) -> frozenset[str]:
        """The memory that it reads or writes."""
        return frozenset(argument.storage for argument in (*self.reads, *self.writes))


def fusion_stops(capture: Capture) -> tuple[FusionStop, ...]:
    """Every buffer between two generated kernels, the largest first."""
    found = [stop for graph in capture.graphs for stop in _of_graph(_Same(capture), graph.id)]
    return tuple(sorted(found, key=lambda stop: -(stop.bytes or 0)))


MOST_TOLD = 2
LEAST_TOLD = 1 << 16
"""Bytes of a buffer, 64 Ki, below which its way through memory costs less than can be measured."""


def told(kernel: Kernel, capture: Capture, *, but: str = "") -> list[str]:
    """What a kernel leaves in memory for others, the largest buffers first; stops for one reason may be left out."""
    graphs = dict.fromkeys(launch.graph for launch in kernel.launches)
    every = [stop for graph in graphs for stop in _of_graph(_Same(capture), graph, kernel.id)]
    found = sorted(
        (s for s in every if (s.bytes or 0) >= LEAST_TOLD and s.reason != but), key=lambda stop: -(stop.bytes or 0)
    )
    buffers = {(stop.graph, stop.buffer, stop.reason): stop for stop in reversed(found)}
    several = sorted(buffers.values(), key=lambda stop: -(stop.bytes or 0))
    return [
        f"fusion stopped: {stop.buffer}, {size(stop.bytes)}, goes through memory to {stop.consumer}: {stop.why}"
        for stop in several[:MOST_TOLD]
    ]


def steps(capture: Capture) -> dict[str, list[Step]]:
    """Graph -> its launches and library calls, in the order of its module."""
    return _steps(_Same(capture))


class _Same:
    """A capture as the key of a cache, by its identity: its records are not hashed."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def __hash__(self) -> int:
        return id(self.capture)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.capture is self.capture


def _of_graph(same: _Same, graph: str, producer: str = "") -> Iterator[FusionStop]:
    """What one graph's kernels leave for each other, or what one of them leaves."""
    steps = _steps(same).get(graph, [])
    for number, step in enumerate(steps):
        if step.kernel is None:
            continue
        for memory, at in step.producers.items():
            before = steps[at]
            written = next((a for a in before.writes if a.storage == memory), None)
            if before.kernel is None or written is None or producer not in ("", before.kernel.id):
                continue
            if any(between.unknown for between in steps[at + 1 : number]):
                continue  # it may have written that memory, or stand between the two
            reason, why = _why(steps, at, number, memory)
            yield FusionStop(
                graph, written.value, written.type, _bytes(written), before.kernel.id, before.line, step.kernel.id,
                step.line, reason, why,
            )  # fmt: skip


@lru_cache(maxsize=2)
def _steps(same: _Same) -> dict[str, list[Step]]:
    """Graph -> what it does, in the order of its module. Kept, as the kernels of one capture are explained one after the other."""
    hints = of_graphs(same.capture)
    found: dict[str, list[Step]] = {graph.id: [] for graph in same.capture.graphs}
    for kernel in same.capture.kernels:
        roles = {argument.name: argument.role for argument in kernel.arguments if argument.pointer}
        for launch in kernel.launches:
            concrete = hinted(kernel, launch, hints.get(launch.graph, {}))
            tensors = [a for a in concrete.launches[0].arguments if a.name in roles and not scratch(kernel, a.name)]
            reads = tuple(a for a in tensors if roles[a.name] != "out")
            writes = tuple(a for a in tensors if roles[a.name] != "in")
            found.setdefault(launch.graph, []).append(Step(launch.line, concrete, launch, None, reads, writes, {}))
    for call in same.capture.extern_calls:
        given = tuple(a for a in call.arguments if a.type is not None and a.name != "out")
        found.setdefault(call.graph, []).append(Step(call.line, None, None, call, given, call.outputs, {}))
    for steps in found.values():
        steps.sort(key=lambda step: step.line)
        _follow(steps)
    return found


def _follow(steps: Sequence[Step]) -> None:
    """Who wrote last what each step reads."""
    last: dict[str, int] = {}
    for number, step in enumerate(steps):
        step.producers = {a.storage: last[a.storage] for a in step.reads if a.storage in last}
        for producer in step.producers.values():
            step.after |= steps[producer].after | 1 << producer
        last.update({a.storage: number for a in step.writes if a.storage})


def _bytes(argument: LaunchArgument) -> int | None:
    extents = argument.type.shape if argument.type else ("?",)
    width = ITEMSIZE.get(argument.type.dtype) if argument.type else None
    whole = [extent for extent in extents if isinstance(extent, int)]
    return prod(whole) * width if width and len(whole) == len(extents) else None


# ---------------------------------------------------------------- why: the first rule that fits


def _why(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> tuple[str, str]:
    for reason, rule in RULES.items():
        told = rule(steps, producer, consumer, memory)
        if told:
            return reason, told
    return "unknown", "the text does not tell: Inductor's score, or a limit of its settings"


def _cycle(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    """Another way from one to the other: what lies on it would have to run inside the fused kernel."""
    ways = [
        steps[k]
        for k in range(producer + 1, consumer)
        if steps[consumer].after >> k & 1 and steps[k].after >> producer & 1
    ]
    called = [step for step in ways if step.call]
    if called:
        first = called[0]
        return f"{first.title} (line {first.line}) needs what the one leaves and makes what the other needs: a library call can not be inside a kernel"
    if ways:
        return f"{ways[0].title} (line {ways[0].line}) stands between them: it needs what the one leaves and makes what the other needs"
    return ""


def _template(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    if all(step.kernel and step.kernel.category == "template" for step in (steps[producer], steps[consumer])):
        return "both are templates, and a kernel holds one"
    kinds = {step.kernel.category for step in (steps[producer], steps[consumer]) if step.kernel}
    if "user_autotune" in kinds:
        return "a kernel of the user's own is not fused with others"
    return "a template takes in only what follows its product element by element" if "template" in kinds else ""


def _added(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    """What programs add to has to be whole before the first of them does."""
    names = {argument.name for argument in steps[consumer].writes if argument.storage == memory}
    found = _found(steps[consumer])
    if found and any(access.kind.startswith("atomic") and access.pointer in names for access in found.stores):
        return "the other adds to it atomically, from any program: all of it has to be there before"
    return ""


def _reduction(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    """A fold's result that is needed by elements of other rows."""
    one, other = _found(steps[producer]), _found(steps[consumer])
    if one is None or other is None or not _folded(one):
        return ""
    rows, length = _rows(one), _folded(one)
    if (_rows(other), _folded(other)) == (rows, length) or (
        not _folded(other) and _rows(other) in (rows, rows * length)
    ):
        return ""  # the same loop would serve both
    if _folded(other):
        return f"the one folds {_count(rows, 'row')} of {length:,}, the other {_count(_rows(other), 'row')} of {_folded(other):,}: one loop does not serve both"
    return f"the one folds {_count(rows, 'row')} of {length:,}; the other goes over {_count(_rows(other), 'element')} that are not these rows"


def _sizes(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    one, other = _found(steps[producer]), _found(steps[consumer])
    if one is None or other is None or not _rows(one) or not _rows(other):
        return ""
    here, there = _rows(one) * (_folded(one) or 1), _rows(other) * (_folded(other) or 1)
    if here != there:
        return f"they go over different numbers of elements: {here:,} and {there:,}"
    return ""


def _order(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    """Written in one order, read in another."""
    one, other = _found(steps[producer]), _found(steps[consumer])
    if one is None or other is None:
        return ""
    names = {argument.name for argument in steps[consumer].reads if argument.storage == memory}
    if any(_computed(access) for access in other.loads if access.pointer in names):
        return "the other reads it at places that it computes, not in the order in which the one writes it"
    written, read = _walks(steps[producer], one, memory, False), _walks(steps[consumer], other, memory, True)
    if written and read and len(written) == len(read) == 1 and written != read:
        return "the one writes it in another order than the other reads it"
    return ""


def _mutation(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    """The consumer overwrites what somebody else still reads, or a graph's input."""
    step = steps[consumer]
    overwritten = {a.storage for a in step.writes} & {a.storage for a in step.reads}
    if any(not storage.startswith("buf") for storage in overwritten):
        return "the other writes into an input of the graph, which has to wait for all that read it"
    return ""


def _limit(steps: Sequence[Step], producer: int, consumer: int, memory: str) -> str:
    one, other = steps[producer].kernel, steps[consumer].kernel
    count = len(one.claim.nodes) + len(other.claim.nodes) if one and other else 0
    return f"together they are {count} nodes; Inductor fuses at most {LARGEST_FUSION}" if count > LARGEST_FUSION else ""


RULES: Mapping[str, Callable[[Sequence[Step], int, int, str], str]] = {
    "cycle": _cycle,
    "template": _template,
    "added": _added,
    "reduction": _reduction,
    "sizes": _sizes,
    "order": _order,
    "mutation": _mutation,
    "limit": _limit,
}
"""What is certain first: a way round, then what the bodies are, then how they go over their elements."""


def _found(step: Step) -> Computation | None:
    """What a step's body does, by its own launch; None of several jobs, and of what is not followed."""
    try:
        found = computation(step.kernel) if step.kernel else None
    except ValueError:
        return None
    return found if found and found.numel and not found.parts else None


def _rows(found: Computation) -> int:
    return _product(found, [axis for axis in found.numel if not axis.startswith("r")])


def _folded(found: Computation) -> int:
    """Elements of a row; 0 where nothing is folded."""
    axes = [axis for axis, size in found.numel.items() if axis.startswith("r") and size != 1]
    return _product(found, axes) if axes else 0


def _product(found: Computation, axes: Sequence[str]) -> int:
    return found.elements(frozenset(axes)) or 0


def _count(count: int, word: str) -> str:
    return plural(count, word) if count else f"a symbolic number of {word}s"


def _computed(access: Access) -> bool:
    return any(term.of is not None and not isinstance(term.of, Coordinate) for term in access.index.terms)


def _walks(step: Step, found: Computation, memory: str, reading: bool) -> set[tuple[Run, ...]]:
    """How a step walks over one buffer, for each access of it: along its rows first, then from row to row."""
    arguments = step.reads if reading else step.writes
    names = {argument.name for argument in arguments if argument.storage == memory}
    axes = sorted(found.numel, key=lambda axis: (not axis.startswith("r"), axis))
    accesses = [a for a in (found.loads if reading else found.stores) if a.pointer in names]
    walks = ([run for axis in axes for run in runs(access, found, axis) if run[1]] for access in accesses)
    return {tuple(joined(walk)) for walk in walks}
