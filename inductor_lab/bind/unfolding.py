"""Which nodes the operands of a line are, where the node of the line is known: value and node are taken apart side by side.

tl.store(out_ptr0, tmp16)  mul_9     tmp16 = tmp14 * tmp15    mul_9 = mul(weight, mul_8)    so tmp15 is mul_8
tmp15 = tmp3 * tmp13       mul_8     tmp13 = rsqrt(tmp12)     mul_8 = mul(add_6, rsqrt_1)   so tmp13 is rsqrt_1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from inductor_lab.aten import COPIES, VIEWS
from inductor_lab.bind.made_of import operator
from inductor_lab.computation.folds import masks
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Operation, Reduction
from inductor_lab.records import Node

Pair = tuple[Expression, str]
"""A value, and the node that it is."""


def unfolded(
    known: Iterable[Pair],
    nodes: Mapping[str, Node],
    held: Collection[str],
    can_be: Callable[[Expression, str], bool],
) -> list[Pair]:
    """What follows of known pairs, these included.

    Args:
        held: Nodes whose values the kernel is given.
        can_be: Whether nothing speaks against a value's being a node.
    """
    waiting, found = list(known), dict[tuple[int, str], Pair]()
    while waiting:
        value, name = waiting.pop()
        value, name = bare(value), _computed(name, nodes, held)
        if name in held or name not in nodes or (id(value), name) in found:
            continue
        if operator(nodes[name]) not in done(value) or not can_be(value, name):
            continue
        found[id(value), name] = value, name
        waiting += _operands(value, nodes[name], nodes, held, can_be)
    return list(found.values())


def _operands(
    value: Expression,
    node: Node,
    nodes: Mapping[str, Node],
    held: Collection[str],
    can_be: Callable[[Expression, str], bool],
) -> list[Pair]:
    """Those of which only one can be one of the node's arguments."""
    values = {id(one): one for one in map(bare, _inputs(value, operator(node)))}.values()
    names = {_computed(name, nodes, held): None for name in node.arguments}
    free = [name for name in names if name in nodes and name not in held]
    fitting = [
        (one, [name for name in free if operator(nodes[name]) in done(one) and can_be(one, name)]) for one in values
    ]
    taken = Counter(name for _, names in fitting for name in names)
    return [(one, names[0]) for one, names in fitting if len(names) == 1 and taken[names[0]] == 1]


def _inputs(value: Expression, called: str) -> tuple[Expression, ...]:
    if called == "mean" and isinstance(value, Operation):
        total = bare(value.inputs[0])
        return total.inputs if isinstance(total, Reduction) else ()
    return value.inputs if isinstance(value, (Operation, Reduction)) else ()


def done(value: Expression) -> set[str]:
    """The operators of the graph that a value may end in: the product of a value and itself is a `pow`, what is divided by a number may be a `mean`."""
    match value:
        case Operation(name="mul", inputs=(left, right)) if bare(left) is bare(right):
            return {*TABLE["mul"].aten, "pow", "square"}
        case Operation(name="div", inputs=(_, right)) if isinstance(bare(right), Constant):
            return {*TABLE["div"].aten, "mean"}
        case Operation(name=name) | Reduction(name=name) if name in TABLE:
            return {*TABLE[name].aten}
    return set()


def bare(value: Expression) -> Expression:
    """A value without casts, shapes, and the selection that leaves out what no element is."""
    while True:
        match value:
            case Cast(operand=inner) | Broadcast(operand=inner):
                value = inner
            case Operation(name="where", inputs=(condition, inner, _)) if masks(condition):
                value = inner
            case _:
                return value


def _computed(name: str, nodes: Mapping[str, Node], held: Collection[str]) -> str:
    """The node behind views and copies of one."""
    while (
        name in nodes
        and name not in held
        and operator(nodes[name]) in VIEWS | COPIES
        and nodes[name].target != "getitem"
    ):
        (name, *others) = nodes[name].arguments or ("",)
        if others:
            return ""
    return name
