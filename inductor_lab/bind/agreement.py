"""Checks whether a graph node can be what a store writes: the same tensors go in, and the last operation is the same.

Names and numbers of elements do not tell `convolution + bias` from the layer norm behind it. Two trees are not compared node by node,
since lowering rewrites them; what it can not change are the tensors that a value is made of, and the last operation of plain arithmetic.

Which of two nodes of one kind a store writes is told by how its value stands to another store's, and the node to that one's (`relation`):

tl.store(in_out_ptr0, tmp28)                            where_13
tl.store(out_ptr0, tl.where(tmp31, tmp28, tmp35))       where_14 = aten.where(gt_1, where_13, div_6)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from inductor_lab.aten import CONSTANTS, COPIES, EXTERN, VIEWS
from inductor_lab.bind.claims import LEAVES, TELLING, explained
from inductor_lab.bind.dependencies import ancestors, operator
from inductor_lab.computation import Computation
from inductor_lab.computation.folds import plain
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Load,
    Named,
    Operation,
    Random,
    Reduction,
    Scan,
    Unknown,
    pointers,
    walk,
)
from inductor_lab.records import Node

COMPARED = {"lt", "le", "gt", "ge", "eq", "ne", "bitwise_and", "bitwise_or", "logical_and", "logical_or"}
DIRECT = COMPARED | {operator for row in TABLE.values() for operator in row.aten}
"""ATen operators that are lowered to one operation: the last one of what is stored."""
SUMS = {"add": {"add", "fma"}, "sub": {"sub", "neg", "fma"}, "rsub": {"sub", "fma"}, "mean": {"div", "mul", "welford"}}
"""What sums end in: here `LEAVES` is too wide, which has to find them in a whole body."""
RESULTS = {
    "prepare_softmax_online[0]": {"max", "maximum"}, "prepare_softmax_online[1]": {"sum", "add"}, "var_mean[0]": {"div"}, "var_mean[1]": {"div", "welford"},
}  # fmt: skip
"""What the results of an operator that gives several end in."""
MOVED = VIEWS | COPIES | {"gather", "index", "index_select", "embedding", "_unsafe_index"}
"""Operators that take elements from elsewhere: what is stored ends in the operation of what they take them from."""


@dataclass(frozen=True)
class Stored:
    """What a kernel writes to one tensor, as far as a node of the graph can be held to it."""

    followed: bool
    """Whether its text tells what is stored."""
    loaded: frozenset[str]
    """The pointers that it is made of."""
    words: frozenset[str]
    """What it does, as `Kernel.ops` names it: an operator on the way must explain each."""
    value: Expression | None
    """What the only store writes; None where there are several."""


def stored(pointer: str, read: Mapping[str, str], found: Computation) -> Stored:
    """What the kernel stores to `pointer`.

    Args:
        read: Parameter -> node whose value it holds before the launch.
    """
    stores = _stores(pointer, found)
    values = [part for access in stores for part in _parts(access)]
    met = list(walk(*values))
    followed = bool(stores) and not any(
        isinstance(node, (Unknown, Carried)) and not isinstance(node, Named) for node in met
    )
    if not followed:
        return Stored(False, frozenset(), frozenset(), None)
    words = frozenset(map(_word, met))
    loaded = frozenset(_loaded(values, found, read))
    return Stored(True, loaded, words, stores[0].value if len(stores) == 1 else None)


def agrees(name: str, written: Stored, nodes: Mapping[str, Node], read: Mapping[str, str]) -> bool:
    """True where the node `name` can be what the kernel stores to a tensor, and where its text is not followed.

    Args:
        read: As `stored` was given it.
    """
    if not written.followed:
        return True
    if operator(nodes[name]) in CONSTANTS and written.loaded:
        return False
    told, held = written.loaded <= read.keys(), {read[parameter] for parameter in written.loaded & read.keys()}
    made = Made.of(name, nodes, {*read.values()})
    products = {
        argument for source in made.given for argument in nodes[source].arguments
    }  # of a bias that is added here
    if (told or made.whole) and not held <= made.given | products:
        return False
    if told and not (made.given <= held and all(explained(word, made.operators) for word in written.words)):
        return False
    if (told and not made.given) or written.value is None:
        return True
    return _same_last_operation(name, written.value, nodes, set(read.values()))


@dataclass(frozen=True)
class Made:
    """What a node is made of, back to what the kernel is given and to what a library computes."""

    users: Mapping[str, Sequence[str]]
    """Each node on the way, what it is given included -> the nodes that need it for that."""
    given: frozenset[str]
    """Those that the kernel reads; of a product that a library computes the bias among them, which this kernel may add."""
    bias: frozenset[str]
    whole: bool
    """Whether the way is known: a comment's fragment leaves out `getitem`."""
    operators: frozenset[str]
    """Those on the way, the node's own among them."""

    @staticmethod
    def of(name: str, nodes: Mapping[str, Node], held: Collection[str]) -> Made:
        """Follow the arguments of a node.

        Args:
            held: Nodes that the kernel is given.
        """
        users: dict[str, list[str]] = {}
        waiting, whole, operators = [name], True, set[str]()
        while waiting:
            current = waiting.pop()
            called, library = operator(nodes[current]), operator(nodes[current]) in EXTERN and current != name
            operators.add(called)
            for argument in nodes[current].arguments if called not in CONSTANTS else ():
                users.setdefault(argument, []).append(current)
                if argument not in held and not library and len(users[argument]) == 1:
                    whole &= argument in nodes
                    waiting += [argument] if argument in nodes else []
        given = frozenset(users.keys() & {*held} - {name})
        bias = frozenset(one for one in given if all(operator(nodes[user]) in EXTERN for user in users[one]))
        return Made(users, given, bias, whole, frozenset(operators))

    def way(self, sources: Iterable[str]) -> set[str]:
        """The nodes between some that it is given and itself."""
        way, waiting = set[str](), [*sources]
        while waiting:
            more = {*self.users.get(waiting.pop(), ())} - way
            way |= more
            waiting.extend(more)
        return way


def is_made(
    made: Made, value: Expression, nodes: Mapping[str, Node], held: Mapping[str, str], likely: Collection[str]
) -> bool:
    """True where a node can be a value inside of a body: it is made of the same tensors, and every operator on the way has left its trace.

    Args:
        held: Pointer -> node whose value it holds, as far as that is known.
        likely: Nodes of which only that is known how many there are: one may be another of them.
    """
    read = pointers(value)
    addressed = {pointer for part in walk(value) if isinstance(part, Load) for pointer in pointers(*part.operands)}
    needed = read - (addressed if not isinstance(value, Load) else set())
    known = {held[pointer] for pointer in needed if pointer in held}
    if made.whole and not _among(known, made.given, likely):
        return False
    told = not isinstance(value, Load) and (needed <= held.keys() or known & made.bias)
    if told and not _among(made.given - made.bias, {held[pointer] for pointer in read if pointer in held}, likely):
        return False
    words = {_word(part) for part in walk(value)}
    traces = (LEAVES.get(operator(nodes[one]), {""}) for one in made.way(known))
    return not any(trace <= TELLING and words.isdisjoint(trace) for trace in traces)


def _among(some: Collection[str], others: Collection[str], likely: Collection[str]) -> bool:
    """Whether some nodes are others, of the likely ones only as many."""
    sure, open_ = {*some}.difference(likely), {*some}.intersection(likely)
    return sure <= {*others} and len(open_) <= len({*others}.intersection(likely))


def _stores(pointer: str, found: Computation) -> list[Access]:
    return [access for part in found.every() for access in part.stores if access.pointer == pointer]


def _parts(access: Access) -> Iterator[Expression]:
    """What says which element becomes what."""
    yield from access.index.expressions()
    yield from (part for part in (access.value, access.mask) if part is not None)


def _loaded(values: Sequence[Expression], found: Computation, read: Mapping[str, str]) -> set[str]:
    """The pointers that values are made of; what the kernel wrote itself and loads again is what it wrote, but not what it found there before."""
    seen = set(pointers(*values))
    waiting, loaded = list(seen), set(seen)
    loads = (each.value for part in found.every() for each in part.loads)
    given = {load.pointer for load in loads if isinstance(load, Load) and not load.version}
    while waiting:
        pointer = waiting.pop()
        if pointer not in read.keys() | given and (stores := _stores(pointer, found)):
            loaded.discard(pointer)
            more = pointers(*(part for access in stores for part in _parts(access))) - seen
            seen |= more
            loaded |= more
            waiting.extend(more)
    return loaded


def _same_last_operation(name: str, value: Expression, nodes: Mapping[str, Node], held: set[str]) -> bool:
    """True where the last operation of a value can be the node's own, views and casts aside."""
    last = nodes[_last(name, nodes, held)]
    called, ends = operator(last), list(_ends(value))
    words = {_word(end) for end in ends}
    if result := RESULTS.get(_result(nodes[name], nodes)):
        return not words.isdisjoint(result)
    if called in MOVED:
        return words <= {"", "where"}
    if called not in DIRECT | SUMS.keys():
        return True
    possible = SUMS.get(called) or LEAVES.get(called, set()) | {called}
    return any(_word(end) in possible and _is_called_so(end, last) and is_of_tensors(end, last, nodes) for end in ends)


def _is_called_so(end: Expression, node: Node) -> bool:
    """Whether an operation has the numbers that a node of its kind is called with; `x ** 3` is a product, and no root."""
    word = _word(end)
    if operator(node) == "mean" and isinstance(end, Reduction):
        return end.part == "mean"  # Welford's
    if node.target == "aten.pow.Tensor_Scalar" and isinstance(end, Operation):
        (power,) = node.numbers or [0.0]
        squared = plain(end.inputs[0]) is plain(end.inputs[-1])
        product = power >= 2 and power.is_integer() and squared == (power == 2)
        return {"mul": product, "sqrt": power == 0.5, "rsqrt": power == -0.5, "div": power < 0}.get(
            word, word == "pow" or not power
        )
    return word not in TABLE or operator(node) not in TABLE[word].aten or has_numbers(end, node)


def has_numbers(value: Expression, node: Node) -> bool:
    """Whether a line has the number that a node is called with, where it is plain arithmetic."""
    if not isinstance(value, Operation) or TABLE[value.name].symbol is None:
        return True
    has = [part.value for part in map(plain, value.inputs) if isinstance(part, Constant)]
    return all(any(isclose(number, one, rel_tol=1e-6) for one in has) for number in node.numbers)


def is_of_tensors(value: Expression, node: Node, nodes: Mapping[str, Node]) -> bool:
    """Whether plain arithmetic has no number where a node takes two tensors; one that is the same everywhere is a number in a body."""
    if not isinstance(value, Operation) or TABLE[value.name].symbol is None or len(node.arguments) < 2:
        return True
    sure = all(one in nodes and operator(nodes[one]) not in CONSTANTS for one in node.arguments)
    return not (sure and any(isinstance(plain(part), Constant) for part in value.inputs))


def _result(node: Node, nodes: Mapping[str, Node]) -> str:
    """`var_mean[1]` of a node that takes the second result of one."""
    of = [nodes[name] for name in node.arguments if name in nodes] if node.target == "getitem" else []
    return f"{operator(of[0])}[{node.part}]" if of else ""


def ends_as(name: str, written: Stored, nodes: Mapping[str, Node], held: set[str]) -> bool:
    """Whether a value ends in the very operation of a node, `exp2` and not another that its lowering may leave."""
    called = operator(nodes[_last(name, nodes, held)])
    words = {_word(end) for end in _ends(written.value)} if written.value is not None else set()
    if result := RESULTS.get(_result(nodes[name], nodes)):
        return not words.isdisjoint(result)
    return any(called in TABLE[word].aten for word in words & TABLE.keys())


def folds_the_same(name: str, written: Stored, nodes: Mapping[str, Node], held: set[str]) -> bool:
    """Whether a value is a fold of what a node folds: of a tensor that is given, or of what ends in the operation of the node's argument."""
    folds = [end for end in _ends(written.value) if isinstance(end, Reduction)] if written.value is not None else []
    last = nodes[_last(name, nodes, held)]
    if last.target == "getitem" and last.arguments[:1] and last.arguments[0] in nodes:
        last = nodes[last.arguments[0]]
    if len(folds) != 1 or not last.arguments or last.arguments[0] not in nodes:
        return False
    of = _last(last.arguments[0], nodes, held)
    ends = [plain(end) for end in _ends(plain(folds[0].inputs[0]))]
    if of in held:
        return any(isinstance(end, Load) for end in ends)
    return any(operator(nodes[of]) in TABLE[word].aten for word in {*map(_word, ends)} & TABLE.keys())


def _last(name: str, nodes: Mapping[str, Node], held: set[str]) -> str:
    """A node; where it only moves what the kernel computes, that."""
    while operator(nodes[name]) in MOVED and nodes[name].arguments and nodes[name].arguments[0] in nodes.keys() - held:
        name = nodes[name].arguments[0]
    return name


def _ends(value: Expression) -> Iterator[Expression]:
    """The last operation; behind a selection, or the `!= 0` that makes a bool of a number, that of what is selected too."""
    while isinstance(value, (Cast, Broadcast)):
        value = value.operand
    yield value
    if isinstance(value, Operation) and value.name in {"where", "ne"}:
        for side in value.inputs[1:] if value.name == "where" else value.inputs[:1]:
            if not isinstance(side, Constant):
                yield from _ends(side)


def _word(value: Expression) -> str:
    """As `Kernel.ops` names it."""
    if isinstance(value, Scan):
        return "sort_with_index" if value.name == "sort" else "associative_scan"
    if isinstance(value, Reduction):
        return value.part if value.name == "online_softmax" else value.name
    return value.name if isinstance(value, (Operation, Random)) else ""


# ---- how two stores stand to each other


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
    return not ends.isdisjoint(ancestors([name], nodes))
