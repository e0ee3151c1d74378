"""Which node of the graph a line stands for, where that is clear.

tmp9 = tmp7 - tmp8        the one aten.sub whose inputs are those tensors
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from inductor_lab.annotate.made_of import behind, operator
from inductor_lab.annotate.names import Tensor, nodes_of
from inductor_lab.computation import Computation
from inductor_lab.computation.folds import masks
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Define, Effect
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Operation,
    Reduction,
    pointers,
    walk,
)
from inductor_lab.records import Capture, Kernel, Node


def origins(kernel: Kernel, capture: Capture, found: Computation, named: Mapping[str, Tensor]) -> dict[int, Node]:
    """Tie lines to nodes: the operations of one kind, in order, where body and claim hold equally many of that kind."""
    lines: dict[tuple[str, str], list[int]] = {}
    for job in found.jobs():
        for line, name, spelling in _operations(job):
            lines.setdefault((name, spelling), []).append(line)
    nodes = nodes_of(kernel, capture)
    claimed = [nodes[n] for n in kernel.claim.nodes if n in nodes and nodes[n].target.startswith("aten.")]
    origin: dict[int, Node] = {}
    for (name, _), at in lines.items():
        fitting = [node for node in claimed if operator(node) in TABLE[name].aten]
        if len(fitting) == len(at):
            origin |= _agreeing(dict(zip(at, fitting, strict=True)), found, named, nodes)
    return origin


def _operations(job: Computation) -> Iterator[tuple[int, str, str]]:
    """The lines that do one operation of the model's: its row, and how it is written (`mul_rn` is a part of a larger one)."""
    known: set[int] = set()
    for statement in job.told:
        match statement.what:
            case Effect(access=access) if access.kind in TABLE:
                yield statement.line, access.kind, ""
            case Define(values=values):
                name, spelling = _done(values[0], known) if len(values) == 1 else ("", "")
                if name in TABLE and TABLE[name].aten:
                    yield statement.line, name, spelling
                known |= {id(value) for value in values}


def _done(value: Expression, known: set[int]) -> tuple[str, str]:
    """The one operation that makes a value of those that are known; none of what only a loop, a mask or an address needs."""
    while id(value) not in known and isinstance(value, (Cast, Broadcast)):
        value = value.operand
    match value:
        case _ if id(value) in known:
            pass
        case Load(index=index) if index and index.expressions():
            return "load.gather", ""
        case Operation(name="where", inputs=(condition, chosen, _)) if masks(condition) or _leaves_out(
            condition, chosen
        ):
            pass
        case Operation(name=name, inputs=inputs, spelling=spelling) if not any(isinstance(x, Carried) for x in inputs):
            if "float" in value.dtype or name not in TABLE or TABLE[name].symbol is None:
                return name, spelling.rpartition(".")[2]
        case Reduction(name=name):
            return name, ""
    return "", ""


def _leaves_out(condition: Expression, chosen: Expression) -> bool:
    """Whether a selection only leaves out what was not loaded either: it is the loop's own, and no node of the model's."""
    masks_of = (node.mask for node in walk(chosen) if isinstance(node, Load) and node.mask)
    return any(part is condition for mask in masks_of for part in walk(mask))


def _agreeing(
    tied: Mapping[int, Node], found: Computation, named: Mapping[str, Tensor], nodes: Mapping[str, Node]
) -> dict[int, Node]:
    """The lines tied to a node that is made of the same tensors; a line whose node is not gets the only other one that is, if there is one.

    A softmax's `x - max` and a mask's `1 - mask` are of one kind: what they are made of tells them apart.
    """
    held = {pointer: tensor.node.name for pointer, tensor in named.items() if tensor.node and tensor.certain}

    def agree(line: int, node: Node) -> bool:
        value = next(iter(found.lines.get(line, {}).values()), None)
        read = pointers(value) if value is not None else frozenset()
        if not read or not read <= held.keys():
            return True
        return {held[pointer] for pointer in read} <= {*behind([node.name], nodes, held.values())}

    good = {line: node for line, node in tied.items() if agree(line, node)}
    left = [node for node in tied.values() if node not in good.values()]
    for line in tied.keys() - good.keys():
        others = [node for node in left if agree(line, node)]
        if len(others) == 1:
            good[line] = others[0]
    twice = Counter(node.name for node in good.values())
    return {line: node for line, node in good.items() if twice[node.name] == 1}
