"""Works out every value that the HTML page of a capture shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inductor_lab.annotate import computes
from inductor_lab.annotate.steps import fusion_stops, phase, phases
from inductor_lab.annotate.steps import steps as in_order
from inductor_lab.bind.names import full_name
from inductor_lab.costs.hints import Hints, of_graphs
from inductor_lab.costs.launches import grouped, of_calls, of_kernel
from inductor_lab.costs.library import Library
from inductor_lab.costs.roofline import LAUNCH_SECONDS, card
from inductor_lab.costs.traffic import of_launch
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card
from inductor_lab.quantity import article, rate, shape
from inductor_lab.records import (
    Capture,
    CompiledCode,
    Graph,
    Kept,
    Kernel,
    Node,
    PerfDiff,
    SourceLine,
)
from inductor_lab.report.facts import Facts, arguments, facts, launches, spoken, target, traced
from inductor_lab.report.history import (
    History,
    Measured,
    Profile,
    history,
    last_told,
    of_comparison,
    of_kept,
    of_profile,
    roof,
    seconds,
)
from inductor_lab.report.results import Result, besides, results
from inductor_lab.report.rows import (
    CallRow,
    Ceilings,
    Contents,
    GraphRow,
    KeptSpanRow,
    KernelRow,
    LaunchRow,
    NodeRow,
    steps,
)
from inductor_lab.report.words import day
from inductor_lab.spans import span
from inductor_lab.spans.find import spans


class _Lines:
    """Source lines, each kept once."""

    def __init__(self) -> None:
        self.places: dict[SourceLine, int] = {}

    def place(self, line: SourceLine | None) -> int:
        return -1 if line is None else self.places.setdefault(line, len(self.places))


@dataclass(frozen=True)
class Beside:
    """What is known of a capture's kernels beside the capture itself."""

    results: Mapping[str, Mapping[str, Any]]
    """By kernel id: `verdict`, a Verdict; `machine`, as `results.Machine`; `diff`, a PerfDiff."""
    kept: Mapping[str, Sequence[Kept]]
    """By the body's hash: results of ejected files, the oldest first."""
    code: Mapping[str, Sequence[CompiledCode]]
    """By kernel id."""
    profile: Profile | None


@dataclass(frozen=True)
class _Around:
    """What every kernel's row asks of the whole capture."""

    capture: Capture
    on: Card
    hints: Mapping[str, Hints]
    graphs: Mapping[str, int]
    """Graph -> its place."""
    phases: Mapping[str, str]
    lines: _Lines


def contents(capture: Capture, beside: Beside) -> Contents:
    """Everything that the page draws."""
    on, lines = card(capture.gpu), _Lines()
    groups = grouped(capture, on)
    graphs = {graph.id: position for position, graph in enumerate(capture.graphs)}
    known = {graph.id: phase(graph) for graph in capture.graphs}
    around = _Around(capture, on, of_graphs(capture), graphs, known, lines)
    kernels = tuple(_kernel(facts(kernel, capture), around, beside) for kernel in capture.kernels)
    calls = tuple(_calls(several, known, graphs, lines) for several in groups)
    rows = tuple(_graph(graph, capture, groups, lines) for graph in capture.graphs)
    return Contents(
        capture.name,
        capture.command,
        day(capture.created),
        ", ".join(filter(None, (capture.torch and f"torch {capture.torch}", capture.triton and f"Triton {capture.triton}"))),
        target(capture, on),
        Ceilings(
            on.label,
            f"{article(on.label)} {on.label} at {rate(on.reachable)}, {on.source}",
            on.reachable,
            on.flops,
            on.half,
            LAUNCH_SECONDS,
            roof(one for kernel in capture.kernels for one in beside.kept.get(kernel.body_sha256, ())),
        ),
        rows,
        tuple(lines.places),
        kernels,
        calls,
        fusion_stops(capture),
        spans(capture, on=on, measured=seconds(beside.kept, on.name))[0],
        tuple(_kept_spans(capture, graphs, beside)),
        capture.events,
        capture.problems,
        next((code.gpu for several in beside.code.values() for code in several), ""),
        beside.profile.file if beside.profile else "",
    )  # fmt: skip


def _kernel(known: Facts, around: _Around, beside: Beside) -> KernelRow:
    kernel, graphs, lines = known.kernel, around.graphs, around.lines
    measured, kept = beside.results.get(kernel.id, {}), beside.kept.get(kernel.body_sha256, ())
    kept_results, past = _kept(kept)
    return KernelRow(
        kernel.id,
        kernel.id.rpartition(":")[2],
        kernel.name,
        known.computes,
        tuple(spoken(line, known.tensors) for line in kernel.computes or computes(kernel)),
        kernel.category.replace("_", " "),
        ", ".join(kernel.phases or phases(kernel, around.phases)),
        graphs.get(kernel.launches[0].graph if kernel.launches else kernel.graph, -1),
        kernel.body_sha256[:8],
        known.marks,
        kernel.ops,
        of_kernel(kernel, around.on, around.hints),
        known.notes,
        ", ".join(kernel.claim.aten),
        traced(kernel),
        tuple(lines.place(line) for line in kernel.source),
        kernel.provenance.nodes or kernel.claim.nodes,
        tuple(arguments(known)),
        _launches(known, around.hints),
        known.lines,
        kernel.body,
        kernel.text.strip("\n"),
        (*(told for one in measured.values() for told in results(one)), *kept_results),
        past,
        _times(kernel, around.capture, beside),
        tuple(beside.code.get(kernel.id, ())),
    )


def _times(kernel: Kernel, capture: Capture, beside: Beside) -> tuple[Measured, ...]:
    """What was measured of a kernel: just now, in a profile, in the comparisons that were kept."""
    now = beside.results.get(kernel.id, {}).get("diff")
    alike = sum(other.name == kernel.name for other in capture.kernels) if beside.profile else 1
    return (
        *(of_comparison(now) if now else ()),
        *of_profile(kernel.name, beside.profile, alike),
        *of_kept(beside.kept.get(kernel.body_sha256, ())),
    )


def _kept(kept: Sequence[Kept]) -> tuple[tuple[Result, ...], History | None]:
    """The last results in full, with what there is to tell behind the last comparison; and the history of all."""
    past = history(kept)
    if past is None:
        return (), None
    last = next((one.result for one in reversed(kept) if isinstance(one.result, PerfDiff)), None)
    return (*past.results, *(besides(last) if last else ())), replace(past, results=())


def _launches(known: Facts, hints: Mapping[str, Hints]) -> tuple[LaunchRow, ...]:
    kernel = known.kernel
    return tuple(
        LaunchRow(**vars(told), bytes=of_launch(kernel, launch, hints).moved)
        for told, launch in zip(launches(kernel, known.called), kernel.launches, strict=False)
    )


def _graph(graph: Graph, capture: Capture, groups: Sequence[tuple[Library, ...]], lines: _Lines) -> GraphRow:
    nodes = {node.name: node for node in graph.nodes or _claimed(graph, capture)}
    rows = tuple(_node(node, graph, lines) for node in nodes.values())
    return GraphRow(graph.id, graph.compile_id, phase(graph), rows, steps(graph, capture, groups))


def _claimed(graph: Graph, capture: Capture) -> tuple[Node, ...]:
    """Where a log holds no graph: the nodes that the kernels' comments print of it."""
    kernels = (kernel for kernel in capture.kernels if kernel.graph == graph.id)
    return tuple(node for kernel in kernels for node in kernel.claim.fragment)


def _node(node: Node, graph: Graph, lines: _Lines) -> NodeRow:
    told = graph.called.get(node.name)
    call = full_name(told) if told else node.call.removeprefix("torch.ops.")
    return NodeRow(node.name, node.target, call, shape(node.type), lines.place(node.source))


def _calls(calls: tuple[Library, ...], known: Mapping[str, str], graphs: Mapping[str, int], lines: _Lines) -> CallRow:
    first = calls[0]
    source = (lines.place(line) for told in calls for line in told.call.provenance.source)
    return CallRow(
        first.call.target,
        first.name,
        first.signature,
        first.words,
        graphs.get(first.call.graph, -1),
        known.get(first.call.graph, "unknown"),
        tuple(told.call.line for told in calls),
        tuple(dict.fromkeys(source)),
        of_calls(calls),
    )


def _kept_spans(capture: Capture, graphs: Mapping[str, int], beside: Beside) -> Iterator[KeptSpanRow]:
    """Those that the capture still holds where it held them."""
    for sha256, kept in beside.kept.items():
        place = re.search(r":([^:]+):(\d+)-(\d+)$", kept[-1].span) if kept else None
        if place is None or place[1] not in graphs:
            continue
        first, last = int(place[2]), int(place[3])
        try:
            if span(capture, place[1], first, last).sha256 != sha256:
                continue
        except LabError:
            continue
        made = [step.made for step in in_order(capture)[place[1]][first : last + 1]]
        yield KeptSpanRow(
            kept[-1].span,
            graphs[place[1]],
            first,
            last,
            tuple(one.name if isinstance(one, Kernel) else one.target for one in made),
            last_told(kept),
            *_kept(kept),
        )
