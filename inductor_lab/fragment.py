"""Which nodes of a comment's fragment a kernel computes itself, and which it finds in memory. Pure.

The fragment above a kernel names every node that had a part in its values, also where another kernel computed it. Such a node stands in it
twice: computed, and as a placeholder.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from inductor_lab.aten import RESHAPES
from inductor_lab.records import Claim, Node

INTO = {
    "scatter", "scatter_add", "scatter_reduce", "index_put", "_unsafe_index_put", "index_add", "index_copy",
    "_unsafe_masked_index_put_accumulate",
}  # fmt: skip
"""Operators that write into a copy of their first argument, which a kernel before makes."""


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
    return _leading(nodes, ends, ()) - _leading(nodes, _outputs(claim), ends)


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
    return _leading(nodes, (*given, *filled), into) - _leading(nodes, (*written, *put), given)


def leading(claim: Claim, ends: Iterable[str]) -> set[str]:
    """Nodes of the fragment that some are made of, these included."""
    return _leading(_computed(claim), ends, ())


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


def operator(name: str) -> str:
    """`relu` of `aten.relu`, `aten.relu_.default`, `prims.relu`."""
    parts = name.split(".")
    word = parts[1] if len(parts) > 1 else parts[0]
    return word.rstrip("_") or word


def _computed(claim: Claim) -> dict[str, Node]:
    return {node.name: node for node in claim.fragment if node.target != "placeholder"}


def _outputs(claim: Claim) -> list[str]:
    nodes = _computed(claim)
    return [name for name in claim.outputs if name in nodes]


def _leading(nodes: Mapping[str, Node], ends: Iterable[str], without: Container[str]) -> set[str]:
    """The ends and all that leads to them, otherwise than through some."""
    seen: set[str] = set()
    waiting = list(ends)
    while waiting:
        name = waiting.pop()
        if name in nodes and name not in seen and name not in without:
            seen.add(name)
            waiting.extend(nodes[name].arguments)
    return seen
