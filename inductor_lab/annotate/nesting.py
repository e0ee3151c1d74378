"""Which of two nodes of one kind a store writes: where another store goes on with its value, the node of that is made of its own.

tl.store(in_out_ptr0, tmp28)                            where_13
tl.store(out_ptr0, tl.where(tmp31, tmp28, tmp35))       where_14 = aten.where(gt_1, where_13, div_6)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inductor_lab.annotate.agreement import Stored
from inductor_lab.computation.folds import plain
from inductor_lab.computation.tree import walk
from inductor_lab.records import Node


def nested(
    pointer: str,
    fitting: Sequence[str],
    stores: Mapping[str, Stored],
    tied: Mapping[str, str],
    can_be: Callable[[str, str], bool],
    nodes: Mapping[str, Node],
) -> list[str]:
    """Those of the fitting nodes that stand to the other stores' nodes as the stored values do; all, where none does.

    Args:
        tied: Pointer -> node, of the stores that are done.
        can_be: Whether a store, by its pointer, can write a node.
    """
    kept = list(fitting)
    for other, value in stores.items():
        if other == pointer or len(kept) < 2:
            continue
        nodes_there = [tied[other]] if other in tied else [node for node in fitting if can_be(other, node)]
        if _goes_on(value, stores[pointer]):
            kept = [n for n in kept if any(made_of(m, n, nodes) for m in nodes_there)] or kept
        elif _goes_on(stores[pointer], value):
            kept = [n for n in kept if any(made_of(n, m, nodes) for m in nodes_there)] or kept
    return kept


def twins(
    pointer: str,
    fitting: Sequence[str],
    stores: Mapping[str, Stored],
    tied: Mapping[str, str],
    nodes: Mapping[str, Node],
) -> list[str]:
    """Those of the fitting nodes that are computed as the node is to which a store of the same value is tied; all, where none is."""
    for other, node in tied.items():
        if _same(stores.get(other), stores[pointer]):
            kept = [n for n in fitting if (nodes[n].target, nodes[n].call) == (nodes[node].target, nodes[node].call)]
            return kept or list(fitting)
    return list(fitting)


def _same(one: Stored | None, other: Stored) -> bool:
    if one is None or one.value is None or other.value is None:
        return False
    return plain(one.value) is plain(other.value)


def _goes_on(outer: Stored, inner: Stored) -> bool:
    """True where a stored value is computed from another."""
    if outer.value is None or inner.value is None:
        return False
    whole, part = plain(outer.value), plain(inner.value)
    return whole is not part and any(node is part for node in walk(whole))


def made_of(name: str, source: str, nodes: Mapping[str, Node]) -> bool:
    """True where a node is computed from another."""
    seen, waiting = {name}, [name]
    while waiting:
        for argument in nodes[waiting.pop()].arguments:
            if argument == source:
                return True
            if argument in nodes and argument not in seen:
                seen.add(argument)
                waiting.append(argument)
    return False
