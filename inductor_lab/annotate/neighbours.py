"""Hazards that other launches of the graph show: buffers that nobody reads, fills, tensors read again, and where fusion stopped.

fusion stopped  buf3, 50.3 MB, goes through memory to rotary:4: the producer writes it in another order than the consumer reads it
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.hazards import FEW_BYTES
from inductor_lab.annotate.steps import Step, steps, stops_of
from inductor_lab.bind.elements import nbytes
from inductor_lab.computation import Computation
from inductor_lab.computation.idioms import number
from inductor_lab.computation.space import Box, distinct
from inductor_lab.quantity import duration, plural, size
from inductor_lab.records import Capture, Kernel, LaunchArgument


def unread(context: Context, capture: Capture) -> Iterator[str]:
    """Outputs that every launch leaves, and nobody reads."""
    launches = context.kernel.launches
    for pointer in context.unread:
        moved = sum(nbytes(a.type) or 0 for launch in launches for a in launch.arguments if a.name == pointer)
        behind = "the launch" if len(launches) == 1 else f"all {len(launches)} launches"
        own = any(load.pointer == pointer for load in context.computation.loads)
        rest, keep = (", only the kernel itself", "keep the value and ") if own else ("", "")
        if moved >= FEW_BYTES:
            yield (
                f"nobody reads {pointer} after {behind}{rest}: {size(moved)} written, "
                f"{duration(moved / context.card.reachable)}; {keep}leave out the store"
            )


def fills(context: Context, capture: Capture) -> Iterator[str]:
    """A number everywhere, where the next that touches the buffer writes only where its data points."""
    value = _everywhere(context.computation)
    found: list[tuple[LaunchArgument, Step]] = []
    earlier = True  # whether a kernel stands before each of them that could fill besides
    for of_graph, place in _places(context, capture) if value is not None else ():
        for written in of_graph[place].writes:
            following = next((s for s in of_graph[place + 1 :] if s.touches(written.storage)), None)
            if written.storage and following and _scatters(following, written.storage):
                found.append((written, following))
                last = max((n for n, s in enumerate(of_graph[:place]) if s.touches(written.storage)), default=-1)
                earlier &= any(s.kernel and s.id != context.kernel.id for s in of_graph[last + 1 : place])
    instead = " or ".join(["a memset"] * (value == 0) + ["a kernel before it, besides its own work,"] * earlier)
    if found and instead:
        (largest, scattering), others = max(found, key=lambda pair: nbytes(pair[0].type) or 0), len(found) - 1
        moved = size(sum(nbytes(written.type) or 0 for written, _ in found))
        are = f" and {plural(others, 'other buffer')}, {moved}, are" if others else f", {moved}, is"
        more = len({step.id for _, step in found} - {scattering.id})
        follow = (
            f"{scattering.id} and {plural(more, 'other')}, write only where their"
            if more
            else f"{scattering.id}, writes only where its"
        )
        yield f"{largest.value}{are} set to {value:g} since what follows, {follow} data points: {instead} can do that instead"


def _places(context: Context, capture: Capture) -> Iterator[tuple[Sequence[Step], int]]:
    """Each launch of the kernel: the steps of its graph, and which of them it is."""
    for graph in dict.fromkeys(launch.graph for launch in context.kernel.launches):
        of_graph = steps(capture).get(graph, [])
        yield from ((of_graph, place) for place, step in enumerate(of_graph) if step.id == context.kernel.id)


def _everywhere(found: Computation) -> float | None:
    """The number that is all that a body stores."""
    stored = [access.value for access in found.accesses if access.kind == "store" and not access.gathered]
    values = {number(value) for value in stored if value is not None}
    whole = len(stored) == len(found.accesses) and not found.branches
    return values.pop() if whole and len(values) == 1 else None


SCATTERING = ("scatter", "index_put", "index_add")
"""In the names of library calls that write at places which a tensor names."""


def _scatters(step: Step, storage: str) -> bool:
    """Whether a step writes a buffer at addresses that data decides, and nowhere else."""
    if step.kernel is None:
        return any(word in step.id for word in SCATTERING) and any(a.storage == storage for a in step.writes)
    names = {argument.name for argument in step.writes if argument.storage == storage}
    stores = [a for job in step.jobs() for a in job.stores if a.pointer in names]
    return bool(stores) and all(store.gathered for store in stores)


def stopped(context: Context, capture: Capture) -> Iterator[str]:
    """What it leaves in memory for others; a fill is told already where they add to it."""
    yield from stop_remarks(context.kernel, capture, but="added" if any(fills(context, capture)) else "")


Stops = tuple[tuple[str, str], Mapping[tuple[str, str], int]]
"""The consumer and why it is another kernel; the graph and the name of each buffer that goes there, and its bytes."""
MOST_TOLD = 2
LEAST_TOLD = 1 << 16
"""Bytes of a buffer, 64 Ki, below which its way through memory costs less than can be measured."""


def stop_remarks(kernel: Kernel, capture: Capture, *, but: str = "") -> list[str]:
    """What a kernel leaves in memory for others, what is most first; stops for one reason may be left out."""
    graphs = {launch.graph: steps(capture).get(launch.graph, ()) for launch in kernel.launches}
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = {}  # consumer and why -> buffers -> bytes
    for graph, of in graphs.items():
        for stop in stops_of(of, graph, kernel.id):
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


def read_again(context: Context, capture: Capture) -> Iterator[str]:
    """Tensors of which the launch right before loads the same elements, and leaves nothing that this one waits for."""
    found: list[tuple[int, Step, list[str]]] = []
    for of_graph, place in _places(context, capture):
        before, step = of_graph[place - 1], of_graph[place]
        waits = place - 1 in step.producers.values() or any(step.touches(a.storage) for a in before.writes)
        if place and before.kernel and step.kernel and not waits:
            pairs = [(a, b) for a in step.reads for b in before.reads if (a.value, a.type) == (b.value, b.type)]
            common = {a.value: _common(before, b.name, step, a.name) * context.width(a.name) for a, b in pairs}
            found.append((sum(common.values()), before, [name for name, moved in common.items() if moved]))
    worth = [each for each in found if each[0] >= LEAST_TOLD]
    if worth:
        moved, before, names = max(worth, key=lambda each: each[0])
        launches, alike = len(context.kernel.launches), sum(each[1].id == before.id for each in worth)
        often = f" (so in {alike} of {launches} launches)" if launches > 1 else ""
        source = "at best from L2" if moved <= context.card.l2 else "from memory"
        yield (
            f"{', '.join(names)}, {size(moved)} {source}, which {before.id} loads right before{often}: "
            "neither needs what the other makes, so one kernel could load them once"
        )


def _common(one: Step, pointer: str, other: Step, of_other: str) -> int:
    """Elements of one tensor that two steps both load; none where data, branches or symbolic sizes decide which."""
    boxes = _loaded(one, pointer), _loaded(other, of_other)
    return distinct(boxes[0]) + distinct(boxes[1]) - distinct(boxes[0] + boxes[1])


def _loaded(step: Step, pointer: str) -> list[Box]:
    boxes = [job.box(a) for job in step.jobs() if not job.branches for a in job.loads if a.pointer == pointer]
    known = [box for box in boxes if box]
    return known if len(known) == len(boxes) else []


OF_ITS_GRAPH: tuple[tuple[str, Callable[[Context, Capture], Iterator[str]]], ...] = (
    ("unread", unread),
    ("fill", fills),
    ("read again", read_again),
    ("fusion stopped", stopped),
)


def of_graph(context: Context, capture: Capture) -> list[str]:
    """Every remark that its neighbours tell, `word: sentence`, of symbolic sizes by those that the graph was compiled with."""
    return [f"{word}: {remark}" for word, check in OF_ITS_GRAPH for remark in check(context, capture)]
