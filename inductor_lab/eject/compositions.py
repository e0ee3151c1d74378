"""Compositions that a kernel's stored values hold though nothing in the graph is called so: written out by hand, told by their trees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from inductor_lab.computation.gelu import gelu_tanh, gelu_tanh_backward
from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, Operation, Position, Reduction, pointers, walk
from inductor_lab.records import Launch

COMPARED = {"lt", "le", "gt", "ge", "eq", "ne"}
INDEXING = {
    "add",
    "sub",
    "mul",
    "neg",
    "floordiv",
    "mod",
    "remainder",
    "maximum",
    "minimum",
    "shift_left",
    "shift_right",
}
"""Operations of addresses and of accumulators too: there they are how a kernel works, and not what it computes."""
OF_GELU = {"add", "sub", "rsub", "mul", "pow", "tanh", "tanh_backward", "gelu", "gelu_backward"}
"""What the words for a GELU by its tanh may be, where nothing calls it so."""
AT = ("gelu", "gelu_backward", "tanh", "tanh_backward")
"""Of these, the one in whose place its name comes."""
NOTHING: Mapping[Expression, Sequence[Expression]] = MappingProxyType({})


@dataclass(frozen=True)
class Outside:
    """A composition, and the operations that are no part of it."""

    name: str
    operations: frozenset[str]


def computed(operations: Sequence[str], found: Computation | None) -> Sequence[str]:
    """Operations of a body, less the arithmetic that no stored value is made of: of addresses, of accumulators."""
    values = _values(found)
    nodes = _nodes(values)
    if not nodes or any(isinstance(node, Position) for node in nodes):
        return operations
    inside = {node.name for node in nodes if isinstance(node, (Operation, Reduction))}
    return [name for name in operations if name not in INDEXING or name in inside]


def clamps_at_zero(found: Computation) -> bool:
    """Whether a stored value is made of a maximum of something and zero."""
    return any(
        isinstance(node, Operation) and node.name == "maximum" and any(number(part) == 0 for part in node.inputs)
        for node in _nodes(_values(found))
    )


def averaged(words: Sequence[str], found: Computation | None) -> Sequence[str]:
    """`mean` in the place of a sum that is divided by a number, where the kernel sums and divides nothing else."""
    nodes = _nodes(_values(found))
    sums = {node for node in nodes if isinstance(node, Reduction) and node.name == "sum"}
    divisions = [node for node in nodes if isinstance(node, Operation) and node.name == "div"]
    means = {seen(node.inputs[0]) for node in divisions if number(node.inputs[1]) is not None}
    users = [node for node in nodes if any(seen(part) in sums for part in node.operands)]
    if not sums or means != sums or {node for node in users if isinstance(node, Operation)} - set(divisions):
        return words
    return ["mean" if word == "sum" else word for word in words if word != "div"]


def with_gelu(words: Sequence[str], found: Computation | None) -> tuple[str, ...]:
    """The words with `gelu_tanh`, or its backward, in the place of what it is written out in."""
    told = _gelu(_values(found))
    if told is None or not set(AT) & set(words):
        return tuple(words)
    at = next(word for word in AT if word in words)
    kept = [word for word in words if word == at or word not in OF_GELU or word in told.operations]
    return tuple(dict.fromkeys(told.name if word == at else word for word in kept))


def decays(found: Computation | None, launch: Launch) -> bool:
    """Whether a parameter is written over with itself times a number and the step: AdamW's decoupled weight decay.

    Adam's own goes to the gradient, and the step is added to the whole parameter. A running mean is no parameter: no root is in it.
    """
    held = {argument.name: argument.value for argument in launch.arguments}
    stores = [access for part in found.every() for access in part.stores] if found else []
    for access in stores:
        terms = _terms(seen(access.value)) if access.value else []
        own = {name for name, value in held.items() if value == held.get(access.pointer)}
        if any(_decayed(term, own) for term in terms) and any(_has_root(term) for term in terms):
            return True
    return False


def _values(found: Computation | None) -> list[Expression]:
    """What is stored."""
    return [access.value for part in found.every() for access in part.stores if access.value] if found else []


def _nodes(
    values: Sequence[Expression], instead: Mapping[Expression, Sequence[Expression]] = NOTHING
) -> list[Expression]:
    """What values are made of: no addresses, and no positions that something is chosen by.

    Args:
        instead: A value -> what is looked at in its place.
    """
    waiting, met, found = [seen(value) for value in values], set[Expression](), []
    while waiting:
        node = waiting.pop()
        if node in met:
            continue
        met.add(node)
        if node in instead:
            waiting += map(seen, instead[node])
            continue
        found.append(node)
        if not isinstance(node, Load):
            compared = isinstance(node, Operation) and node.name in COMPARED
            waiting += [seen(part) for part in node.operands if not compared or pointers(part)]
    return found


def _gelu(values: Sequence[Expression]) -> Outside | None:
    """The GELU by its tanh among the values, and what else is done."""
    nodes = _nodes(values)
    tanhs = [node for node in nodes if isinstance(node, Operation) and node.name == "tanh"]
    if not tanhs:
        return None
    backward = dict(found for tanh in tanhs if (found := gelu_tanh_backward(nodes, tanh)) is not None)
    forward = {node: (x,) for node in nodes if (x := gelu_tanh(node)) is not None} if not backward else {}
    instead: Mapping[Expression, Sequence[Expression]] = backward or forward
    if not instead:
        return None
    outside = frozenset(node.name for node in _nodes(values, instead) if isinstance(node, Operation))
    return Outside("gelu_tanh_backward" if backward else "gelu_tanh", outside)


def _terms(value: Expression) -> list[Expression]:
    """What a value is the sum of."""
    match value:
        case Operation(name="add" | "sub", inputs=(left, right)):
            return [seen(left), seen(right)]
        case Operation(name="fma", inputs=(left, right, more)):
            return [Operation(value.dtype, value.axes, "mul", (left, right)), seen(more)]
    return []


def _decayed(term: Expression, own: Collection[str]) -> bool:
    """True for what the tensor itself held, times the same number everywhere."""
    match term:
        case Operation(name="mul", inputs=(left, right)):
            for held, factor in ((seen(left), right), (seen(right), left)):
                if isinstance(held, Load) and held.pointer in own:
                    return not any(node.axes for node in walk(factor) if isinstance(node, (Load, Position)))
    return False


def _has_root(value: Expression) -> bool:
    return any(isinstance(node, Operation) and node.name.removesuffix("_rn") == "sqrt" for node in walk(value))
