"""Which nodes of a printed graph stand behind a launch or a library call whose comment does not name them.

A body is launched for several places of the program, and only the first of them has its fragment printed (`SubgraphMatcher`):

    fragment, of the launch that passes arg2_1    %select = select.int(%ids, 1, 0);  %embedding = embedding.default(%arg2_1, %select)
    another launch passes arg3_1                  select_1, embedding_1: the only nodes of that form that read arg3_1

No comment says which node a library call is: it is told by operator, sizes and what is passed (`nodes_of_calls`):

    extern_kernels.mm(buf0, primals_42, out=buf1)        the only mm of that size that reads primals_42, perhaps through views
    aten.bmm 1st, 2nd, 3rd of one size                   the graph's 1st, 2nd, 3rd of that size, where both have equally many

An optimizer's step, many jobs in one kernel, has no fragment above it, but its graph says what each state becomes (`updates`):

    _foreach_add_(steps, 1); getitem = _foreach_add[0]    steps[0] is getitem
    copy_(arg0_1, getitem_144)                            arg0_1 is getitem_144
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from math import prod

from inductor_lab import fragment
from inductor_lab.aten import COPIES, VIEWS, operator
from inductor_lab.records import ExternCall, LaunchArgument, Node, TensorType

STEPS = 200_000
"""Comparisons after which one graph is given up: one that is a layer a thousand times over has very many nodes of one form."""

MOST = 64
"""Ways to lay a fragment over a graph: of more, none is told."""

Bound = dict[str, str]
"""Fragment's node -> graph's node."""
_NAME = re.compile(r"[A-Za-z_]\w*")


class SubgraphMatcher:
    """The nodes of one graph, to be asked for those of a form."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.by_target: dict[str, list[str]] = {}
        for node in nodes:
            self.by_target.setdefault(node.target, []).append(node.name)
        self.steps = 0
        """Comparisons made so far, of all searches together."""

    def matches(
        self, fragment: Sequence[Node], given: Mapping[str, str], holding: Set[str] = frozenset()
    ) -> list[Bound]:
        """Every way to lay the fragment over the graph that binds the fragment's inputs as given and holds some nodes; none where there are more than `MOST`.

        Only names, operators and who reads whom are compared: numbers may differ between launches of one body.
        """
        nodes = {node.name: node for node in fragment}
        read = {name for node in fragment for name in node.arguments}
        roots = [node.name for node in fragment if node.target != "placeholder" and node.name not in read]
        found: list[Bound] = []
        try:
            for bound in self._all(nodes, roots, dict(given), holding):
                if bound not in found and holding <= {*bound.values()}:
                    found.append(bound)
                if len(found) > MOST:
                    return []
        except (_TooLongError, RecursionError):
            return []
        return found

    def _all(
        self, fragment: Mapping[str, Node], roots: Sequence[str], bound: Bound, holding: Set[str]
    ) -> Iterator[Bound]:
        """Every binding of these roots, to nodes that are to be held where such are alike, and of all that they read."""
        if not roots:
            yield bound
            return
        alike = self.by_target.get(fragment[roots[0]].target, [])
        for candidate in [name for name in alike if name in holding] or alike:
            more = self._unified(fragment, roots[0], candidate, bound)
            if more is not None:
                yield from self._all(fragment, roots[1:], more, holding)

    def _unified(self, fragment: Mapping[str, Node], name: str, candidate: str, bound: Bound) -> Bound | None:
        """`bound` with this node of the fragment as that node of the graph, or None where they do not fit."""
        self.steps += 1
        if self.steps > STEPS:
            raise _TooLongError
        if name in bound:
            return bound if bound[name] == candidate else None
        ours, theirs = fragment.get(name), self.nodes.get(candidate)
        if theirs is None:
            return None
        known: Bound | None = {**bound, name: candidate}
        if ours is None or ours.target == "placeholder":  # what the kernel reads can be any node
            return known
        if ours.target != theirs.target or len(ours.arguments) != len(theirs.arguments):
            return None
        for argument, other in zip(ours.arguments, theirs.arguments, strict=True):
            known = self._unified(fragment, argument, other, known) if known is not None else None
        return known


class _TooLongError(Exception):
    """The searches took more than `STEPS`."""


# Library calls


def nodes_of_calls(calls: Sequence[ExternCall], nodes: Sequence[Node]) -> dict[int, str]:
    """Line of a call -> its node, where that can be told."""
    by_name = {node.name: node for node in nodes}
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        if node.target.count("."):
            groups.setdefault(operator(node.target), []).append(node)
    possible = {call.line: _possible(call, groups.get(operator(call.target), ()), by_name) for call in calls}
    found: dict[int, str] = {}
    for names in dict.fromkeys(possible.values()):
        alike = [call.line for call in calls if possible[call.line] == names]
        if len(alike) == len(names):
            found.update(zip(alike, names, strict=True))
    return found


def _possible(call: ExternCall, nodes: Collection[Node], by_name: Mapping[str, Node]) -> tuple[str, ...]:
    """The nodes of a call's operator that its sizes and the graph's inputs among what it is passed leave."""
    sizes = {_elements(output.type) for output in call.outputs if output.name in ("out", "")} - {None}
    fitting = [node for node in nodes if not sizes or node.type is None or _elements(node.type) in sizes]
    passed = {name for argument in call.arguments for name in _NAME.findall(argument.value)}
    given = {name for name in passed if name in by_name and by_name[name].target == "placeholder"}
    reading = [node.name for node in fitting if given <= _read(node, by_name)]
    return tuple(reading or (node.name for node in fitting))


def _read(node: Node, by_name: Mapping[str, Node]) -> set[str]:
    """What a node reads, itself or through views and copies."""
    found: set[str] = set()
    waiting = list(node.arguments)
    while waiting:
        name = waiting.pop()
        if name in found or name not in by_name:
            continue
        found.add(name)
        parts = by_name[name].target.split(".")
        if parts[0] == "getitem" or (len(parts) > 1 and parts[1] in VIEWS | COPIES):
            waiting += by_name[name].arguments
    return found


def _elements(type_: TensorType | None) -> int | tuple[str, ...] | None:
    if type_ is None:
        return None
    sizes = [size for size in type_.shape if isinstance(size, int)]
    return prod(sizes) if len(sizes) == len(type_.shape) else tuple(sorted(map(str, type_.shape)))


# What is written in place


def written(text: str, name: str, passed: tuple[LaunchArgument, ...]) -> set[str]:
    """The memory of what a launch passes for `out_ptr0` and `in_out_ptr0` of the kernel with this text."""
    found = re.search(rf"^def {re.escape(name)}\(([^)]*)\)", text, re.MULTILINE)
    parameters = [one.partition(":")[0].strip() for one in found[1].split(",")] if found else []
    named = ((parameters[int(one.name)] if one.name.isdigit() else one.name, one) for one in passed[: len(parameters)])
    return {one.storage for parameter, one in named if re.match(r"(in_)?out_ptr\d", parameter)}


def updates(nodes: tuple[Node, ...]) -> dict[str, str]:
    """Inputs of the graph -> the node that each becomes."""
    found: dict[str, str] = {}
    lists = {node.name: node.arguments for node in nodes if _in_place(node)}
    for node in nodes:
        if operator(node.target) == "copy" and len(node.arguments) == 2:
            found[node.arguments[0]] = node.arguments[1]
        elif node.target == "getitem" and node.part is not None:
            given = lists.get(node.arguments[0], ())
            if node.part < len(given):
                found[given[node.part]] = node.name
    return found


def leading(nodes: Mapping[str, Node], ends: Mapping[str, str], written: Set[str]) -> tuple[str, ...]:
    """The nodes that lead to what these inputs become, up to what others become, in the graph's order.

    Args:
        ends: The graph's `updates`.
    """
    others = {node for given, node in ends.items() if given not in written}
    computed = {name: node for name, node in nodes.items() if node.target != "placeholder"}
    found = fragment.leading_to(computed, (node for given, node in ends.items() if given in written), others)
    return tuple(name for name in nodes if name in found)


def _in_place(node: Node) -> bool:
    """`aten._foreach_add_.Scalar`: the first of its lists is written."""
    return node.target.split(".")[1:2] != [] and node.target.split(".")[1].endswith("_")
