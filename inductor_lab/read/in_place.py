"""What a launch computes that no comment speaks of: the nodes that lead to the inputs of the graph which it writes in place.

An optimizer's step, many jobs in one kernel, has no fragment above it, but its graph says what each state becomes:

    _foreach_add_(steps, 1); getitem = _foreach_add[0]    steps[0] is getitem
    copy_(arg0_1, getitem_144)                            arg0_1 is getitem_144
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from inductor_lab import fragment
from inductor_lab.records import LaunchArgument, Node


def outputs(text: str, name: str, passed: tuple[LaunchArgument, ...]) -> set[str]:
    """The memory of what a launch passes for `out_ptr0` and `in_out_ptr0` of the kernel with this text."""
    found = re.search(rf"^def {re.escape(name)}\(([^)]*)\)", text, re.MULTILINE)
    parameters = [one.partition(":")[0].strip() for one in found[1].split(",")] if found else []
    named = ((parameters[int(one.name)] if one.name.isdigit() else one.name, one) for one in passed[: len(parameters)])
    return {one.storage for parameter, one in named if re.match(r"(in_)?out_ptr\d", parameter)}


def becomes(nodes: tuple[Node, ...]) -> dict[str, str]:
    """Inputs of the graph -> the node that each becomes."""
    found: dict[str, str] = {}
    lists = {node.name: node.arguments for node in nodes if _in_place(node)}
    for node in nodes:
        if fragment.operator(node.target) == "copy" and len(node.arguments) == 2:
            found[node.arguments[0]] = node.arguments[1]
        elif node.target == "getitem" and node.arguments[0] in lists:
            place = re.search(r"\[(\d+)\]$", node.call)
            if place and int(place[1]) < len(lists[node.arguments[0]]):
                found[lists[node.arguments[0]][int(place[1])]] = node.name
    return found


def leading(nodes: Mapping[str, Node], ends: Mapping[str, str], written: set[str]) -> tuple[str, ...]:
    """The nodes that lead to what these inputs become, up to what others become, in the graph's order."""
    others = {node for given, node in ends.items() if given not in written}
    waiting = [node for given, node in ends.items() if given in written]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen and name not in others and name in nodes and nodes[name].target != "placeholder":
            seen.add(name)
            waiting.extend(nodes[name].arguments)
    return tuple(name for name in nodes if name in seen)


def _in_place(node: Node) -> bool:
    """`aten._foreach_add_.Scalar`: the first of its lists is written."""
    return node.target.split(".")[1:2] != [] and node.target.split(".")[1].endswith("_")
