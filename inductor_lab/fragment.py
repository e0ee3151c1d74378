"""Sorts the graph nodes in a kernel's comment: those that the kernel computes, and those that it finds in memory. Pure.

The fragment above a kernel names every node that had a part in its values, also where another kernel computed it. Such a node stands in it
twice: computed, and as a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from inductor_lab.aten import CONSTANTS, COPIES, FOLDED, REARRANGED, RESHAPES, VIEWS, operator
from inductor_lab.records import Claim, Node

INTO = {
    "scatter", "scatter_add", "scatter_reduce", "index_put", "_unsafe_index_put", "index_add", "index_copy",
    "_unsafe_masked_index_put_accumulate",
}  # fmt: skip
"""Operators that write into a copy of their first argument, which a kernel before makes."""


_BUFFER = re.compile(r"buf\d+")
MOVED = VIEWS | COPIES | CONSTANTS | REARRANGED
"""What computes nothing."""
SEVERAL = {"var_mean"}
"""Folds of several results: nodes take these by names that a fragment does not spell out."""
AVERAGED = SEVERAL | {"mean", "var"}
"""Those that divide what they have folded."""
FOLDING = {
    "load", "store", "where", "and", "or", "add", "sum", "any", "prod", "float", "maximum", "minimum", "max", "min", "max2", "min2",
    "welford", "welford_combine",
}  # fmt: skip
"""Words of `Kernel.ops` for a fold of parts alone: of several tensors, they may be of what is done to these before."""


def read(claim: Claim) -> list[str]:
    """Nodes that the fragment computes and lists as inputs too: they are computed by another kernel."""
    nodes = _computed(claim)
    return [name for name in claim.inputs if name in nodes and name not in claim.outputs]


def overwrites(claim: Claim) -> bool:
    """Whether all that the fragment computes and lists as input is scattered into: it stands for memory that is filled already."""
    nodes = _computed(claim)
    found = read(claim)
    return bool(found) and all(operator(nodes[name].target) in INTO for name in found)


def idle(claim: Claim) -> set[str]:
    """Nodes that lead to nothing but what the kernel reads.

    Only names that the fragment spells out count: the parts of a node with several results often have none.
    """
    nodes, ends = _computed(claim), read(claim)
    return leading_to(nodes, ends, ()) - leading_to(nodes, _outputs(claim), ends)


def found_in_memory(claim: Claim) -> set[str]:
    """Nodes whose values the kernel is given: of what it scatters into memory, only what that memory was filled with.

    What is written without a node's name (`buf3`) is what the kernel scatters into.
    """
    nodes, written = _computed(claim), _outputs(claim)
    unnamed = len(written) < len(claim.outputs)
    into = [name for name in read(claim) if unnamed and operator(nodes[name].target) in INTO]
    given = [name for name in read(claim) if name not in into]
    filled = [name for end in into for name in nodes[end].arguments[:1]]
    put = [name for end in into for name in nodes[end].arguments[1:]]
    return leading_to(nodes, (*given, *filled), into) - leading_to(nodes, (*written, *put), given)


def before_folds(claim: Claim, ops: Iterable[str], reads: int) -> set[str]:
    """Nodes that lead to a fold of which the kernel is given the parts, as others have folded them: `%buf62`, which is no node of the graph.

    It is given nothing else, and does nothing but fold, and what comes behind that: something that is computed before is another's. Views alone
    may be its own, of what a library call has left.

    Args:
        ops: What its body does, as `Kernel.ops`.
        reads: How many tensors it loads from.
    """
    nodes = _computed(claim)
    folds = {name: replace(node, arguments=()) for name, node in nodes.items() if operator(node.target) in FOLDED}
    several = [name for name, node in folds.items() if operator(node.target) in SEVERAL]
    behind = leading_to(nodes | folds, [*_outputs(claim), *several], ())
    own, before = ({operator(nodes[name].target) for name in names} for names in (behind, nodes.keys() - behind))
    does = {word for word in ops if word not in FOLDING and not word.startswith("cast.")}
    named = {name for name in (*claim.inputs, *claim.outputs) if not _BUFFER.fullmatch(name)}
    parts = bool(named) and named.issubset(claim.outputs) and (reads == 1 or bool(several))
    folded = own & FOLDED and does <= own | ({"div"} if own & AVERAGED else set()) and before - MOVED
    return nodes.keys() - behind if parts and folded else set()


def leading(claim: Claim, ends: Iterable[str]) -> set[str]:
    """Nodes of the fragment that some are made of, these included."""
    return leading_to(_computed(claim), ends, ())


def of_nothing(claim: Claim) -> set[str]:
    """Nodes that need no input: all that a kernel which loads nothing can compute, such as zeros that another adds to."""
    found: set[str] = set()
    for node in claim.fragment:
        if node.target != "placeholder" and found.issuperset(node.arguments):
            found.add(node.name)
    return found


def seen_otherwise(claim: Claim) -> dict[str, str]:
    """Reshapes of what the kernel is given -> what they reshape: nothing is computed, and no address need differ."""
    nodes = _computed(claim)
    found: dict[str, str] = {}
    for node in claim.fragment:
        if node.name in nodes and operator(node.target) in RESHAPES and len(node.arguments) == 1:
            (of,) = node.arguments
            if of in found or of not in nodes:
                found[node.name] = found.get(of, of)
    return found


def _computed(claim: Claim) -> dict[str, Node]:
    return {node.name: node for node in claim.fragment if node.target != "placeholder"}


def _outputs(claim: Claim) -> list[str]:
    nodes = _computed(claim)
    return [name for name in claim.outputs if name in nodes]


def leading_to(nodes: Mapping[str, Node], ends: Iterable[str], without: Container[str] = ()) -> set[str]:
    """The ends and all nodes that lead to them, otherwise than through some."""
    seen: set[str] = set()
    waiting = list(ends)
    while waiting:
        name = waiting.pop()
        if name in nodes and name not in seen and name not in without:
            seen.add(name)
            waiting.extend(nodes[name].arguments)
    return seen
