"""Where fusion stopped: each buffer that goes through memory between two generated kernels, its bytes, and why, as far as the text tells.

    the producer folds 8 rows of 128; the consumer goes over 4,096 elements that are not these rows

A library call reads and writes memory anyway; it is told only where it keeps two kernels apart: what a kernel leaves goes into a product,
whose result the other kernel needs as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from inductor_lab.annotate.facts import Run, joined, runs
from inductor_lab.annotate.steps import Step, steps
from inductor_lab.bind.elements import nbytes, total
from inductor_lab.computation import Access, Computation
from inductor_lab.quantity import plural, size
from inductor_lab.records import Capture, FusionStop, Kernel

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
Stops = tuple[tuple[str, str], Mapping[tuple[str, str], int]]
"""The consumer and why it is another kernel; the graph and the name of each buffer that goes there, and its bytes."""
MOST_TOLD = 2
LEAST_TOLD = 1 << 16
"""Bytes of a buffer, 64 Ki, below which its way through memory costs less than can be measured."""


def fusion_stops(capture: Capture) -> tuple[FusionStop, ...]:
    """Every buffer between two generated kernels, the largest first."""
    found = [stop for graph in capture.graphs for stop in _of_graph(steps(capture)[graph.id], graph.id)]
    return tuple(sorted(found, key=lambda stop: -(stop.bytes or 0)))


def told(kernel: Kernel, capture: Capture, *, but: str = "") -> list[str]:
    """What a kernel leaves in memory for others, what is most first; stops for one reason may be left out."""
    graphs = {launch.graph: steps(capture).get(launch.graph, ()) for launch in kernel.launches}
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = {}  # consumer and why -> buffers -> bytes
    for graph, of in graphs.items():
        for stop in _of_graph(of, graph, kernel.id):
            if (stop.bytes or 0) >= LEAST_TOLD and stop.reason != but:
                found.setdefault((stop.consumer, stop.why), {})[graph, stop.buffer] = stop.bytes or 0
    ranked = sorted(found.items(), key=lambda each: -sum(each[1].values()))
    lines = [f"{_buffers(of)} through memory to {consumer}: {why}" for (consumer, why), of in ranked[:MOST_TOLD]]
    named = {key for _, of in ranked[:MOST_TOLD] for key in of}
    return lines + [text for more in (True, False) for text in _rest(ranked[MOST_TOLD:], named, more=more)]


def _rest(others: Sequence[Stops], named: Collection[tuple[str, str]], *, more: bool) -> Iterator[str]:
    """What is too much to be told one by one: `28 buffers more, 234.9 MB, go through memory to 2 kernels`, and of those that are named
    already, `buf3 goes to rotary:7 too`."""
    consumers: dict[str, None] = {}
    buffers: dict[tuple[str, str], int] = {}
    for (consumer, _), of in others:
        if chosen := {key: moved for key, moved in of.items() if (key not in named) is more}:
            buffers |= chosen
            consumers[consumer] = None
    if buffers:
        count, go = len(buffers), "go" if len(buffers) > 1 else "goes"
        to = next(iter(consumers)) if len(consumers) == 1 else f"{len(consumers)} kernels"
        moved = size(sum(buffers.values()))
        yield (
            f"{plural(count, 'buffer')} more, {moved}, {go} through memory to {to}"
            if more
            else f"{next(iter(buffers))[1] if count == 1 else f'{count} of these buffers'} {go} to {to} too"
        )


def _buffers(found: Mapping[tuple[str, str], int]) -> str:
    """`buf3, 50.3 MB, goes`, `buf3 and 2 other buffers, 92.1 MB, go`."""
    (_, largest), others = max(found, key=lambda each: found[each]), len(found) - 1
    moved = size(sum(found.values()))
    return f"{largest} and {plural(others, 'other buffer')}, {moved}, go" if others else f"{largest}, {moved}, goes"


def _of_graph(graph: Sequence[Step], name: str, producer: str = "") -> Iterator[FusionStop]:
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
