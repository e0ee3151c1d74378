"""Two captures aligned: which kernels stayed, changed, came and went, and where fusion cuts in another place.

Bodies that are equal are one kernel. What is left is aligned by what it computes: the ATen nodes that it claims, the
user's source lines, the operations of its body, its graph's kind and its position. Names are no keys: Inductor reuses
them, and a line inserted in the model renumbers all that follow.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import Any

from inductor_lab.fusion import Computed, Key, Places, computed, fusions, places
from inductor_lab.read.identity import KERNEL
from inductor_lab.read.identity import normalised as identity
from inductor_lab.records import Capture, Comparison, ExternChange, Kernel, KernelPair, Launch, Move

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
