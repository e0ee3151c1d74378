"""Where fusion cuts: the same operations of two captures, in one kernel here and in several there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from inductor_lab.aten import VIEWS
from inductor_lab.records import Capture, FusionChange, Kernel, KernelPair, Node, SourceLine

Key = tuple[str, str, int, int]
"""An operation that two captures may share: kind of graph, operator, place in the program, how often it came before."""

Computed = Mapping[str, Mapping[Key, Node]]
"""Kernel id -> the operations that it claims."""

Places = Mapping[SourceLine, int]
"""A line of the user's program -> its place: a number that the same line has in both programs."""


def places(a: Capture, b: Capture) -> tuple[Places, Places]:
    """The lines of two programs aligned. The lines of an edited passage share one place: nobody knows which became which.

    Programs without a line in common share no place.
    """
    lines_a, lines_b = _lines(a), _lines(b)
    codes_a, codes_b = ([line.code.strip() for line in lines] for lines in (lines_a, lines_b))
    found: tuple[dict[SourceLine, int], dict[SourceLine, int]] = ({}, {})
    place = 0
    changes = SequenceMatcher(None, codes_a, codes_b, False).get_opcodes()
    related = any(kind == "equal" for kind, *_ in changes)
    for kind, low_a, high_a, low_b, high_b in changes:
        for lines, low, high, places in ((lines_a, low_a, high_a, found[0]), (lines_b, low_b, high_b, found[1])):
            for offset, line in enumerate(lines[low:high]):
                places[line] = place + (offset if kind == "equal" else 0)
            place += 0 if related else 1
        place += max(high_a - low_a, high_b - low_b)
    return found


def _lines(capture: Capture) -> list[SourceLine]:
    nodes = [node for graph in capture.graphs for node in graph.nodes]
    nodes += [node for kernel in capture.kernels for node in kernel.claim.fragment]
    found = {node.source for node in nodes if node.source} | {line for each in capture.kernels for line in each.source}
    return sorted(found, key=lambda line: (line.file, line.line, line.code))


def computed(capture: Capture, places: Places) -> Computed:
    """What every kernel of a capture claims to compute, keyed so that two captures can be set side by side.

    An operation is the n-th of its operator on its line of the user's program: names of nodes are renumbered by any
    line inserted above, lines are not.
    """
    keys = _Keys(capture, places)
    return {kernel.id: keys.of(kernel) for kernel in capture.kernels}


class _Keys:
    """The keys of one capture's nodes; a node that several kernels compute has one."""

    def __init__(self, capture: Capture, places: Places) -> None:
        self.places = places
        self.kinds = {graph.id: "forward" if graph.kind == "inference" else graph.kind for graph in capture.graphs}
        self.nodes = {graph.id: {node.name: node for node in graph.nodes} for graph in capture.graphs}
        self.known: dict[tuple[str, str], Key] = {}
        self.counts: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        for graph in capture.graphs:
            for node in graph.nodes:
                self.key(graph.id, node)

    def of(self, kernel: Kernel) -> Mapping[Key, Node]:
        fragment = {node.name: node for node in kernel.claim.fragment}
        found = {}
        for name in kernel.claim.nodes:
            node = self.nodes.get(kernel.graph, {}).get(name) or fragment.get(name)
            if node and _operator(node) not in VIEWS:
                found[self.key(kernel.graph, node)] = node
        return found

    def key(self, graph: str, node: Node) -> Key:
        if (graph, node.name) not in self.known:
            place = (self.kinds.get(graph, ""), _operator(node), self.places[node.source] if node.source else -1)
            self.known[graph, node.name] = (*place, self.counts[place])
            self.counts[place] += 1
        return self.known[graph, node.name]


def _operator(node: Node) -> str:
    """`aten.add.Tensor` -> `add`, `getitem` -> `getitem`."""
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 else node.target


def fusions(
    a: Capture, b: Capture, same: Sequence[KernelPair], nodes_a: Computed, nodes_b: Computed
) -> Iterator[FusionChange]:
    """Groups of kernels between which a boundary moved, in the order of `a`.

    A kernel is cut when the other capture has its operations, and no one kernel that holds them together.
    """
    cut = _cuts(nodes_a, nodes_b, kept={pair.a.id for pair in same})
    cut += [(old, new) for new, old in _cuts(nodes_b, nodes_a, kept={pair.b.id for pair in same})]
    for olds, news in _groups(cut):
        before = tuple(kernel for kernel in a.kernels if kernel.id in olds)
        after = tuple(kernel for kernel in b.kernels if kernel.id in news)
        shared = {key for kernel in before for key in nodes_a[kernel.id]}
        nodes = [node for kernel in after for key, node in nodes_b[kernel.id].items() if key in shared]
        kind = "split" if len(before) == 1 else "fused" if len(after) == 1 else "moved"
        names = dict.fromkeys(node.name for node in nodes)
        source = dict.fromkeys(node.source for node in nodes if node.source)
        yield FusionChange(kind, before, after, tuple(names), tuple(source))


def _cuts(kernels: Computed, others: Computed, kept: set[str]) -> list[tuple[str, str]]:
    """(kernel, one of the kernels that its operations are spread over), but for those whose body was kept."""
    holders: defaultdict[Key, set[str]] = defaultdict(set)
    for other, nodes in others.items():
        for key in nodes:
            holders[key].add(other)
    order = {other: position for position, other in enumerate(others)}
    found = []
    for kernel, nodes in kernels.items():
        mapped = {key for key in nodes if key in holders}
        if kernel in kept or len(mapped) < 2 or set.intersection(*(holders[key] for key in mapped)):
            continue
        while mapped:
            # The one that holds the most of what is not yet covered: an operation computed twice needs one place.
            candidates = sorted(set().union(*(holders[key] for key in mapped)), key=order.__getitem__)
            best = max(candidates, key=lambda other: len(mapped & others[other].keys()))
            found.append((kernel, best))
            mapped -= others[best].keys()
    return found


def _groups(edges: Sequence[tuple[str, str]]) -> list[tuple[set[str], set[str]]]:
    """Edges joined where they share an end."""
    groups: list[tuple[set[str], set[str]]] = []
    for old, new in edges:
        touching = [group for group in groups if old in group[0] or new in group[1]]
        joined = ({old}.union(*(g[0] for g in touching)), {new}.union(*(g[1] for g in touching)))
        groups = [group for group in groups if group not in touching] + [joined]
    return groups
