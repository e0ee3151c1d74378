"""Two captures aligned: which kernels stayed, changed, came and went, and where fusion cuts in another place.

Bodies that are equal are one kernel. What is left is aligned by what it computes: the ATen nodes that it claims, the
user's source lines, the operations of its body, its graph's kind and its position. Names are no keys: Inductor reuses
them, and a line inserted in the model renumbers all that follow. Fusion cuts where the operations of one kernel here are in several there.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import Any

from inductor_lab.aten import VIEWS
from inductor_lab.read.identity import KERNEL
from inductor_lab.read.identity import normalised as identity
from inductor_lab.records import (
    Capture,
    Comparison,
    ExternChange,
    FusionChange,
    Kernel,
    KernelPair,
    Launch,
    Move,
    Node,
    SourceLine,
)

Key = tuple[str, str, int, int]
"""An operation that two captures may share: kind of graph, operator, place in the program, how often it came before."""
Computed = Mapping[str, Mapping[Key, Node]]
"""Kernel id -> the operations that it claims."""
Places = Mapping[SourceLine, int]
"""A line of the user's program -> its place: a number that the same line has in both programs."""
SIMILAR = 0.5
"""Below this two kernels are not the same one changed: one was removed, and another added."""
WEIGHTS = {"nodes": 8, "source": 4, "ops": 3, "name": 2, "category": 1, "position": 2}
"""What speaks for two kernels being the same one. What neither side knows has no say."""


def compare(a: Capture, b: Capture) -> Comparison:
    """Align the old capture `a` with the new one `b`."""
    lines = places(a, b)
    nodes = computed(a, lines[0]), computed(b, lines[1])
    same = _same_hash(a.kernels, b.kernels)
    left_a, left_b = _left(a, b, same)
    texts = _texts(left_a), _texts(left_b)
    same += _same_text(left_a, left_b, *texts)
    left_a, left_b = _left(a, b, same)
    changed = _aligned(_features(a, left_a, lines[0], nodes[0]), _features(b, left_b, lines[1], nodes[1]), *texts)
    left_a, left_b = _left(a, b, same + changed)
    order = {kernel.id: position for position, kernel in enumerate(a.kernels)}
    same.sort(key=lambda pair: order[pair.a.id])
    return Comparison(
        a=a,
        b=b,
        same=tuple(same),
        moved=tuple(_moves(a, b, same)),
        changed=tuple(changed),
        added=left_b,
        removed=left_a,
        fusions=tuple(fusions(a, b, same, *nodes)),
        extern_calls=tuple(_extern_calls(a, b)),
    )


def _left(a: Capture, b: Capture, pairs: Sequence[KernelPair]) -> tuple[tuple[Kernel, ...], tuple[Kernel, ...]]:
    """The kernels of both captures that are in no pair."""
    taken_a, taken_b = {pair.a.id for pair in pairs}, {pair.b.id for pair in pairs}
    return (
        tuple(kernel for kernel in a.kernels if kernel.id not in taken_a),
        tuple(kernel for kernel in b.kernels if kernel.id not in taken_b),
    )


# The same

Texts = Mapping[str, tuple[str, ...]]
"""Kernel id -> its normalised text."""


def _same_hash(a: Sequence[Kernel], b: Sequence[Kernel]) -> list[KernelPair]:
    found = {kernel.body_sha256: kernel for kernel in b}
    return [KernelPair(kernel, found[kernel.body_sha256], 1.0) for kernel in a if kernel.body_sha256 in found]


def _same_text(a: Sequence[Kernel], b: Sequence[Kernel], texts_a: Texts, texts_b: Texts) -> list[KernelPair]:
    """One capture may have been read when hashes were made otherwise; and numbers of temporaries say nothing."""
    found = {texts_b[kernel.id]: kernel for kernel in reversed(b)}
    twins = ((kernel, found.pop(texts_a[kernel.id], None)) for kernel in a)
    return [KernelPair(kernel, twin, 1.0) for kernel, twin in twins if twin]


def _texts(kernels: Iterable[Kernel]) -> Texts:
    return {kernel.id: normalised(kernel) for kernel in kernels}


def normalised(kernel: Kernel) -> tuple[str, ...]:
    """Signature and body as lines, without what only names and versions put there (`read/identity.py`).

    Temporaries are numbered in the order in which they appear.
    """
    try:
        types, _, text = _identity(kernel).partition("\n")
        tree = _Renumber().visit(ast.parse(text))
        functions = [ast.unparse(node.body if node.name == KERNEL else node) for node in tree.body]
        return (
            *(each.removesuffix(": ") for each in types.split(", ")),
            *(line for text in functions for line in text.splitlines()),
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # What is no Python, or nested too deeply to parse, is compared as it stands.
        arguments = (f"{argument.name}: {argument.dtype or argument.role}" for argument in kernel.arguments)
        return (*arguments, *(line.rstrip() for line in kernel.body.splitlines()))


def _identity(kernel: Kernel) -> str:
    functions = [node for node in ast.parse(kernel.text).body if isinstance(node, ast.FunctionDef)]
    names = [argument.name for argument in kernel.arguments]
    for function in functions:
        if [parameter.arg for parameter in function.args.args] == names:
            return identity(function, functions, kernel.arguments)
    raise ValueError("no function has the kernel's arguments")


class _Renumber(ast.NodeTransformer):
    """`tmp17`, the second temporary to appear, becomes `tmp1`: one new load must not change every line after it."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if re.fullmatch(r"tmp\d+", node.id):
            node.id = self.names.setdefault(node.id, f"tmp{len(self.names)}")
        return node


def _moves(a: Capture, b: Capture, same: Sequence[KernelPair]) -> Iterator[Move]:
    """Kernels of which both captures have launches that are not where the other one has them."""
    old = _launched(a, {pair.a.id: number for number, pair in enumerate(same)})
    new = _launched(b, {pair.b.id: number for number, pair in enumerate(same)})
    matcher = SequenceMatcher(None, [key for key, _ in old], [key for key, _ in new], autojunk=False)
    left: tuple[_Launches, _Launches] = defaultdict(list), defaultdict(list)
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        if what != "equal":
            for found, part in zip(left, (old[i:i_end], new[j:j_end]), strict=True):
                for (_, number), launch in part:
                    found[number].append(launch)
    for number in sorted(left[0].keys() & left[1].keys()):
        yield Move(same[number].a, same[number].b, tuple(left[0][number]), tuple(left[1][number]))


_Launches = defaultdict[int, list[Launch]]
"""Number of a pair -> launches of its kernel."""


def _launched(capture: Capture, numbers: Mapping[str, int]) -> list[tuple[tuple[str, int], Launch]]:
    """In the order of the program: the kind of graph and the kernel's number, and each launch."""
    kinds = _kinds(capture)
    order = {graph.id: position for position, graph in enumerate(capture.graphs)}
    found = [
        ((kinds.get(launch.graph, "unknown"), numbers[kernel.id]), launch)
        for kernel in capture.kernels
        if kernel.id in numbers
        for launch in kernel.launches
    ]
    return sorted(found, key=lambda one: (order.get(one[1].graph, len(order)), one[1].line))


def _kinds(capture: Capture) -> dict[str, str]:
    """Graph -> its kind; a training run's forward is what inference computes."""
    return {graph.id: "forward" if graph.kind == "inference" else graph.kind for graph in capture.graphs}


# The changed


def _features(capture: Capture, kernels: Sequence[Kernel], lines: Places, nodes: Computed) -> list[_Features]:
    return [_Features(kernel, capture, lines, nodes) for kernel in kernels]


def _aligned(old: Sequence[_Features], new: Sequence[_Features], texts_a: Texts, texts_b: Texts) -> list[KernelPair]:
    """Pairs of kernels that compute about the same, the most alike first to choose; in the order of `new`."""
    # An operation that many kernels compute again (an index, a mask) tells less of which kernel one is.
    held = Counter(key for each in (*old, *new) for key in each.sets["nodes"])
    scored = [
        (score, -i, -j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if (score := one.similarity(other, held)) >= SIMILAR
    ]
    chosen: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for score, i, j in sorted(scored, reverse=True):
        if -i not in taken and -j not in chosen:
            taken.add(-i)
            chosen[-j] = (-i, score)
    found = []
    for j, (i, score) in sorted(chosen.items()):
        one, other = old[i].kernel, new[j].kernel
        diff = unified_diff(texts_a[one.id], texts_b[other.id], one.id, other.id, n=1, lineterm="")
        found.append(KernelPair(one, other, round(score, 3), tuple(diff)))
    return found


class _Features:
    """What is known of one kernel that another version of it would share."""

    def __init__(self, kernel: Kernel, capture: Capture, lines: Places, nodes: Computed) -> None:
        self.kernel = kernel
        self.kind = _kinds(capture).get(kernel.graph, "unknown")
        self.sets: dict[str, frozenset[Any]] = {
            "nodes": frozenset(nodes[kernel.id]),
            "source": frozenset(lines[line] for line in kernel.source),
            "ops": frozenset(kernel.ops),
            "name": frozenset(re.sub(r"_\d+$", "", kernel.name).split("_")[3:]),  # after triton_poi_fused_
            "category": frozenset({kernel.category}),
        }
        siblings = [each.id for each in capture.kernels if each.graph == kernel.graph]
        self.position = (siblings.index(kernel.id) + 0.5) / len(siblings)

    def similarity(self, other: _Features, held: Mapping[Key, int]) -> float:
        """0 to 1; 0 across kinds of graph. `held`: how many kernels compute an operation."""
        if self.kind != other.kind and "unknown" not in (self.kind, other.kind):
            return 0.0
        said = {"position": 1.0 - abs(self.position - other.position)}
        for name, mine in self.sets.items():
            if mine or other.sets[name]:
                said[name] = _weight(mine & other.sets[name], held) / _weight(mine | other.sets[name], held)
        return sum(WEIGHTS[name] * value for name, value in said.items()) / sum(WEIGHTS[name] for name in said)


def _weight(members: frozenset[Any], held: Mapping[Key, int]) -> float:
    return sum(1 / held.get(member, 1) for member in members)


# Library calls


def _extern_calls(a: Capture, b: Capture) -> Iterator[ExternChange]:
    counts_a, counts_b = (Counter(call.target for call in capture.extern_calls) for capture in (a, b))
    for target in sorted(counts_a | counts_b):
        if counts_a[target] != counts_b[target]:
            yield ExternChange(target, counts_a[target], counts_b[target])


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
        self.kinds = _kinds(capture)
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
