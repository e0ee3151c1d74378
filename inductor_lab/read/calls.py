"""Which node of the printed graph each library call of a module is: no comment says it, so it is told by operator, sizes and what is passed.

extern_kernels.mm(buf0, primals_42, out=buf1)        the only mm of that size that reads primals_42, perhaps through views
aten.bmm 1st, 2nd, 3rd of one size                   the graph's 1st, 2nd, 3rd of that size, where both have equally many
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import prod

from inductor_lab.aten import COPIES, SHIM, VIEWS
from inductor_lab.records import ExternCall, Node, TensorType

_NAME = re.compile(r"[A-Za-z_]\w*")


def operator(target: str) -> str:
    """`mm` of `extern_kernels.mm`, `topk` of `torch.ops.aten.topk.default`; of an output variant, the operator's own."""
    if shim := SHIM.fullmatch(target):
        return shim["operator"]
    words = target.removeprefix("torch.ops.").split(".")
    return words[1].rstrip("_") if len(words) > 1 else words[0]


def nodes_of(calls: Sequence[ExternCall], nodes: Sequence[Node]) -> dict[int, str]:
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
