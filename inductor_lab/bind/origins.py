"""Which node of the graph a line stands for, where that is clear.

tmp9 = tmp7 - tmp8        the one aten.sub whose inputs are those tensors

From there value and node are taken apart side by side (`unfolded`):

tl.store(out_ptr0, tmp16)  mul_9     tmp16 = tmp14 * tmp15    mul_9 = mul(weight, mul_8)    so tmp15 is mul_8
tmp15 = tmp3 * tmp13       mul_8     tmp13 = rsqrt(tmp12)     mul_8 = mul(add_6, rsqrt_1)   so tmp13 is rsqrt_1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set

from inductor_lab.aten import COPIES, VIEWS
from inductor_lab.bind.agreement import Made, has_numbers, is_made, is_of_tensors
from inductor_lab.bind.dependencies import operator
from inductor_lab.bind.names import Tensor, graph_of, nodes_of
from inductor_lab.computation import Computation
from inductor_lab.computation.folds import masks
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Define, Effect
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Reduction,
    pointers,
    walk,
)
from inductor_lab.records import Capture, Kernel, Node


def origins(kernel: Kernel, capture: Capture, found: Computation, named: Mapping[str, Tensor]) -> dict[int, Node]:
    """Tie lines to nodes where body and claim hold equally many of one kind, and only one node can be what the line computes; and, from
    these and from what is stored, lines to the nodes that those are made of.

    A softmax's `x - max` and a mask's `1 - mask` are of one kind: what they are made of tells them apart, and what is made of them.
    """
    kinds: dict[tuple[str, str], list[int]] = {}
    values: dict[int, Expression] = {}
    for job in found.jobs():
        for line, name, spelling, value in _operations(job):
            kinds.setdefault((name, spelling), []).append(line)
            values[line] = value
    graph, nodes = graph_of(kernel, capture), nodes_of(kernel, capture)
    if graph is None or not graph.nodes:  # a fragment calls all that a kernel is given a placeholder
        nodes = {name: node for name, node in nodes.items() if node.target != "placeholder"}
    loaded = found.order("load", "atomic")
    held = {pointer: tensor.node.name for pointer, tensor in named.items() if tensor.node and pointer in loaded}
    likely = {tensor.node.name for tensor in named.values() if tensor.node and not tensor.certain}
    claimed = [n for n in kernel.claim.nodes if n in nodes and nodes[n].target.startswith("aten.")]
    made = {node: Made.of(node, nodes, {*held.values()}) for node in claimed}

    def can_be(line: int, node: str) -> bool:
        if not (has_numbers(values[line], nodes[node]) and is_of_tensors(values[line], nodes[node], nodes)):
            return False
        return is_made(made[node], values[line], nodes, held, likely)

    possible: dict[int, list[str]] = {}
    for (name, _), lines in kinds.items():
        fitting = [node for node in claimed if operator(nodes[node]) in TABLE[name].aten]
        if len(fitting) == len(lines):
            possible |= {line: [node for node in fitting if can_be(line, node)] for line in lines}
    whole = {line: value for line, value in values.items() if line in possible and not isinstance(value, Load)}
    settled = _settled(possible, whole, made, held.keys())
    at = {id(bare(value)): line for line, value in values.items()}

    def fits(value: Expression, node: str) -> bool:
        line = at.get(id(value))
        other = line is not None and settled.get(line, node) != node
        numbers = has_numbers(value, nodes[node]) or operator(nodes[node]) in {"pow", "mean"}
        return node in made and not other and numbers and is_made(made[node], value, nodes, held, likely)

    pairs = [(values[line], node) for line, node in settled.items()] + _stored(found, named)
    more: dict[int, set[str]] = {}
    for value, node in unfolded(pairs, nodes, {*held.values()}, fits):
        own = at.get(id(value))
        if own is not None and own not in settled:
            more.setdefault(own, set()).add(node)
    told = Counter(node for listed in more.values() for node in listed)
    alone = {line: node for line, (node, *others) in more.items() if not others and told[node] == 1}
    taken = {*settled.values()}
    settled |= {line: node for line, node in alone.items() if node not in taken}
    return {line: nodes[node] for line, node in settled.items()}


def _stored(found: Computation, named: Mapping[str, Tensor]) -> list[tuple[Expression, str]]:
    """What is stored, once, to memory of which it is sure what node it holds then."""
    stores = [store for job in found.every() for store in job.stores]
    often = Counter(store.pointer for store in stores)
    held = {pointer: tensor.later or (tensor.node if tensor.certain else None) for pointer, tensor in named.items()}
    return [
        (store.value, node.name)
        for store in stores
        if store.value is not None
        and store.kind == "store"
        and often[store.pointer] == 1
        and (node := held[store.pointer])
    ]


def _settled(
    possible: dict[int, list[str]], values: Mapping[int, Expression], made: Mapping[str, Made], held: Set[str]
) -> dict[int, str]:
    """The lines of which one node is left, when a value inside of another is to be a node behind the other's, and no node is two lines."""
    within = {line: {id(part) for part in walk(value)} for line, value in values.items()}
    pairs = {(a, b): None for b in within for a in within if a != b and id(values[a]) in within[b]}
    told = {line for line, value in values.items() if pointers(value) <= held and not _reloads(value)}

    def both(a: int, b: int) -> list[tuple[str, str]]:
        return [(n, o) for n in possible[a] for o in possible[b] if n in made[o].users or not made[o].whole]

    before = None
    while before != possible:
        before = {**possible}
        clashing = Counter(line for a, b in pairs if possible[a] and possible[b] and not both(a, b) for line in (a, b))
        possible |= {line: [] for line, times in clashing.items() if times == max(clashing.values())}
        for a, b in pairs:
            if fitting := both(a, b):
                possible[a] = [n for n in possible[a] if any(n == inner for inner, _ in fitting)]
                possible[b] = [n for n in possible[b] if any(n == outer for _, outer in fitting)]
        alone = {line: listed[0] for line, listed in possible.items() if len(listed) == 1}
        for line in possible.keys() - alone.keys():
            outside = [node for other, node in alone.items() if other in told and (line, other) not in pairs]
            taken = {*alone.values()}.union(*(made[node].users for node in outside))
            possible[line] = [node for node in possible[line] if node not in taken]
    twice = Counter(alone.values())
    return {line: node for line, node in alone.items() if twice[node] == 1}


def _reloads(value: Expression) -> bool:
    """Whether it is made of what the kernel wrote before: how that was computed is not in it."""
    return any(isinstance(node, Load) and node.version for node in walk(value))


def _operations(job: Computation) -> Iterator[tuple[int, str, str, Expression]]:
    """The lines that do one operation of the model's: its row, how it is written (`mul_rn` is a part of a larger one), and its value."""
    known: set[int] = set()
    for statement in job.told:
        match statement.what:
            case Effect(access=access) if access.kind in TABLE:
                stored = Load("", frozenset(), "", access.index, access.mask, access.value, 0)  # what a gather undoes
                yield statement.line, access.kind, "", stored
            case Define(values=values):
                value = _bare(values[0], known)
                name, spelling = _done(value) if len(values) == 1 and id(value) not in known else ("", "")
                if name in TABLE and TABLE[name].aten:
                    yield statement.line, name, spelling, value
                known |= {id(value) for value in values}


def _bare(value: Expression, known: set[int]) -> Expression:
    """A value without the casts and the shapes that a line gives it."""
    while id(value) not in known and isinstance(value, (Cast, Broadcast)):
        value = value.operand
    return value


def _done(value: Expression) -> tuple[str, str]:
    """The one operation that makes a value of those that are known; none of what only a loop, a mask or an address needs."""
    match value:
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


# What follows for the operands of a line whose node is known

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
