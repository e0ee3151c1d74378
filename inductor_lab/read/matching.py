"""Which nodes of a graph have the form of a kernel's fragment: one body is launched for several places of the program, and only the
first of them has its fragment printed.

    fragment, of the launch that passes arg2_1    %select = select.int(%ids, 1, 0);  %embedding = embedding.default(%arg2_1, %select)
    another launch passes arg3_1                  select_1, embedding_1: the only nodes of that form that read arg3_1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from inductor_lab.records import Node

STEPS = 200_000
"""Comparisons after which one graph is given up: one that is a layer a thousand times over has very many nodes of one form."""

Bound = dict[str, str]
"""Fragment's node -> graph's node."""


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
        self, fragment: Sequence[Node], given: Mapping[str, str], holding: Set[str] = frozenset(), limit: int = 64
    ) -> list[Bound]:
        """Every way to lay the fragment over the graph that binds the fragment's inputs as given and holds some nodes; none where there are more than `limit`.

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
                if len(found) > limit:
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
