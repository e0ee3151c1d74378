"""How the values of two stores stand to each other, and whether two nodes stand so: which of two nodes of one kind a store writes.

tl.store(in_out_ptr0, tmp28)                            where_13
tl.store(out_ptr0, tl.where(tmp31, tmp28, tmp35))       where_14 = aten.where(gt_1, where_13, div_6)
"""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.bind.agreement import Stored
from inductor_lab.bind.made_of import behind
from inductor_lab.computation.folds import plain
from inductor_lab.computation.tree import walk
from inductor_lab.records import Node


def relation(one: Stored, other: Stored) -> str:
    """Whether two stores write the `same` value, or one of them what the other is made of: `source`, `result`; empty where they stand apart."""
    if one.value is None or other.value is None:
        return ""
    first, second = plain(one.value), plain(other.value)
    if first is second:
        return "same"
    inside = any(part is first for part in walk(second))
    return "source" if inside else "result" if any(part is second for part in walk(first)) else ""


def stand_so(how: str, one: str, other: str, nodes: Mapping[str, Node]) -> bool:
    """Whether two nodes stand to each other as two values do."""
    if how == "same":
        return one != other and (nodes[one].target, nodes[one].call) == (nodes[other].target, nodes[other].call)
    return _is_made_of(other, one, nodes) if how == "source" else _is_made_of(one, other, nodes)


def _is_made_of(name: str, source: str, nodes: Mapping[str, Node]) -> bool:
    """Of a node with several results each is what the others are made of as well: a row's maximum is in its sum of exponentials."""
    ends = {source, *(nodes[source].arguments if nodes[source].target == "getitem" else ())}
    return not ends.isdisjoint(behind([name], nodes))
