"""What the model calls the tensors of a kernel (`q_proj.weight`, else the node of the graph, `mm_3`), and expressions over these names.

An expression is whole where it is short, else cut into named parts: `f(a) * a where a = x + bias`.

A graph's inputs have numbers (`primals_5`, `arg4_1`). A capture knows of most what they are in the program. Of texts that were only read, a
trace holds Dynamo's graph too, which has the same inputs by their names. Without one, which parameter an input is, is told by the line of the
model that first uses it: the line `query_states = self.q_proj(hidden_states)` uses its permuted matrix as the weight of `q_proj`. A line that
names several modules tells nothing, and no line is asked where the capture knows.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.aten import VIEWS
from inductor_lab.bind.dependencies import operator
from inductor_lab.bind.names import parts, shared, tensors, term
from inductor_lab.computation import Access, Computation
from inductor_lab.computation.idioms import holds, seen
from inductor_lab.computation.naming.reading import order
from inductor_lab.computation.text import Writer, held, renewed
from inductor_lab.computation.tree import Constant, Expression, Load, Operation, Reduction, walk
from inductor_lab.records import Capture, Graph, Input, Kernel, Node

_CALLED = re.compile(r"\bself\.((?:\w+(?:\[\w+\])?\.)*\w+(?:\[\w+\])?)\(")
_ATTRIBUTE = re.compile(r"\bself\.((?:\w+\.)*\w+)\b(?!\s*[\w.(\[])")
_NUMBERED = re.compile(r"(primals_\d+|arg\d+_1)$")
ROLES: dict[tuple[str, int], str] = {
    ("mm", 1): "weight", ("addmm", 2): "weight", ("addmm", 0): "bias", ("bmm", 1): "weight",
    ("convolution", 1): "weight", ("convolution", 2): "bias", ("embedding", 0): "weight", ("mul", 0): "weight", ("mul", 1): "weight",
    ("add", 0): "bias", ("add", 1): "bias",
}  # fmt: skip
"""(operator, which of its arguments) -> what a module calls its parameter there."""


def parameters(graph: Graph) -> Mapping[str, str]:
    """Numbered inputs of a graph by the names of the model: Dynamo's where the text has them, else as far as the model's lines tell."""
    return _told_by_lines(graph) | _told_by_dynamo(graph)


def _told_by_dynamo(graph: Graph) -> dict[str, str]:
    """Both graphs have the same inputs in the same order: held to their number, and each to its type."""
    placeholders = [node for node in graph.nodes if node.target == "placeholder" and _NUMBERED.match(node.name)]
    if len(placeholders) != len(graph.inputs):
        return {}
    pairs = list(zip(placeholders, graph.inputs, strict=True))
    alike = all(
        a.type is None or b.type is None or (a.type.dtype, a.type.shape) == (b.type.dtype, b.type.shape)
        for a, b in pairs
    )
    return {ours.name: dotted(theirs.name) for ours, theirs in pairs} if alike else {}


def dotted(name: str) -> str:
    """`layers.0.q_proj.weight` of `L_self_modules_layers_modules_0_modules_q_proj_parameters_weight_`."""
    first, *parts = re.split(r"_(?:modules|parameters|buffers)_", name.removeprefix("L_"))
    return ".".join(part.strip("_") for part in parts) if parts else first.strip("_") or name


def _told_by_lines(graph: Graph) -> dict[str, str]:
    users: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for argument in node.arguments:
            users.setdefault(argument, []).append(node)
    found = {
        node.name: _parameter(node, users)
        for node in graph.nodes
        if node.target == "placeholder" and _NUMBERED.match(node.name)
    }
    several = _containers([told for told in found.values() if told])
    return {name: _inside(told) if told.rpartition(".")[0] in several else told for name, told in found.items() if told}


def _containers(names: list[str]) -> set[str]:
    """Modules of which one line uses the same parameter twice in a row: they hold several that have it."""
    runs = itertools.groupby(names, lambda name: name.rpartition(".")[0])
    each = [(module, list(run)) for module, run in runs]
    return {module for module, run in each if module and len(set(run)) < len(run)}


def _inside(told: str) -> str:
    """`features[…].weight`, where one line calls a module that holds several."""
    module, dot, role = told.rpartition(".")
    return f"{module}[…].{role}" if dot else told


def _parameter(node: Node, users: Mapping[str, list[Node]]) -> str:
    name, own = node.name, users.get(node.name, ())
    for user in own[:1]:
        code = user.source.code if user.source else ""
        attributes = set(_ATTRIBUTE.findall(code))
        modules = set(_CALLED.findall(code))
        if node.type and node.type.dtype.startswith(("int", "bool")):
            inside = re.findall(r"self\.[\w.]+\((\w+)\)", code)
            return str(inside[0]) if len(inside) == 1 and operator(user) == "embedding" else ""
        for _ in range(4):
            if operator(user) not in VIEWS | {"_to_copy", "convert_element_type"} or not users.get(user.name):
                break
            name, user = user.name, users[user.name][0]
        if name not in user.arguments:
            return ""
        if operator(user) in {"add", "sub", "mul", "div"} and len(user.arguments) == 1:
            return ""  # the line may name the number that is the other operand
        role = ROLES.get((operator(user), user.arguments.index(name)), "")
        if len(attributes) == 1 and not modules:
            return str(attributes.pop())
        if role and len(modules) == 1 and not attributes:
            return f"{modules.pop()}.{role}"
    return ""


class Called:
    """The model's names of one capture."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.parameters = {graph.id: parameters(graph) for graph in capture.graphs if not graph.called}
        self.inputs = {graph.id: graph.called for graph in capture.graphs}
        self.nodes = {graph.id: {node.name for node in graph.nodes} for graph in capture.graphs}

    def of(self, kernel: Kernel, found: Computation | None, *, jobs: bool = False) -> dict[str, str]:
        """Pointer -> the model's name of what it holds, marked `?` where it is only likely; the wrapper's variable where nothing is known.

        Args:
            jobs: Of jobs, which are counted by what they do: which state of an optimizer it is, and not of which parameter.
        """
        names: dict[str, str] = {}
        graph = kernel.launches[0].graph if kernel.launches else kernel.graph
        known, inputs = self._numbered(graph), {term(one) for one in self.inputs.get(graph, {}).values()}
        taken = inputs | self.nodes.get(graph, set())
        for pointer, tensor in tensors(kernel, self.capture, found).items():
            node = tensor.node
            if tensor.becomes:
                names[f"{pointer}_new"] = tensor.becomes
            one = shared([tensor.input, *self._passed(kernel, pointer)])
            if one and (name := parts(one)[1] if jobs else term(one)):
                names[pointer] = name if tensor.certain else f"{name}?"
                continue
            if node is None:
                names[pointer] = known.get(tensor.value, tensor.value)
                continue
            own = kernel.claim.user_names.get(
                node.name, ""
            )  # `labels = pad(labels)` is not the argument, the program's `add` another of the graph
            name = known.get(node.name) or (own if own not in taken else "") or node.name
            names[pointer] = name if tensor.certain else f"{name}?"
        passed = kernel.launches[0].arguments if kernel.launches else ()
        return {argument.name: argument.value for argument in passed if argument.name.startswith("in_ptr")} | names

    def _passed(self, kernel: Kernel, pointer: str) -> list[Input | None]:
        """The graph inputs that the launches behind the first one pass for a pointer."""
        return [
            self.inputs.get(launch.graph, {}).get(argument.value)
            for launch in kernel.launches[1:]
            for argument in launch.arguments
            if argument.name == pointer
        ]

    def _numbered(self, graph: str) -> Mapping[str, str]:
        """A backward graph's `primals_5` is its forward graph's."""
        return {**self.parameters.get(graph.replace("_backward", "_forward"), {}), **self.parameters.get(graph, {})}


LONGEST = 110
MOST_PARTS = 3
PART = (10, 48)
"""Characters of a part that gets a name of its own, at least and at most."""
NAMES = "abc"


@dataclass(frozen=True)
class Written:
    """An expression as text."""

    text: str
    how: str
    """`whole`, `parts`, `cut`."""


def written(job: Computation, called: Mapping[str, str], short: int) -> Written:
    """What a job stores; several stores one after the other."""
    stores = [(store, store.value) for store in job.stores if store.value is not None]

    def name(store: Access) -> str:
        return (renewed if job.overwrites(store) else held)(store.pointer, called)

    loads = {part for _, value in stores for part in walk(value) if isinstance(part, Load)}
    again = {load: name(store) for load in loads if (store := job.stored(load))}
    computed = [
        (seen(value), name(store))
        for store, value in reversed(stores)
        if holds(store) and not isinstance(seen(value), (Load, Constant))
    ]
    texts = []
    for store, value in stores:
        others = again | {one: name for one, name in computed if one is not seen(value)}
        text = Writer(job, others, called).text(value)
        text = f"{how}({text})" if (how := _turned(job, store)) else text
        target = _place(job, store, called) if _elsewhere(store) else f"{name(store)} =" if len(stores) > 1 else ""
        texts.append(f"{target} {text}".lstrip())
    whole = "; ".join(texts)
    complete = all(Writer(job, None, called).fits(value, 10**6) for _, value in stores)
    if complete and len(whole) <= max(short, LONGEST // 2 * min(len(stores), 2)):
        return Written(whole, "whole")
    chief = max((value for _, value in stores), key=lambda value: sum(1 for _ in walk(value)))
    more = f"; and {len(stores) - 1} more" if len(stores) > 1 else ""
    parts = _parts(job, chief, called)
    if parts is not None:
        return Written(parts + more, "parts" if not more else "cut")
    return Written(Writer(job, None, called).text(chief, LONGEST) + more, "cut")


def _turned(job: Computation, store: Access) -> str:
    """`transpose` or `permute`, of what is stored as it is loaded, in another order."""
    value = seen(store.value) if store.value is not None else None
    how = order(value.index, store.index, job) if isinstance(value, Load) and not _elsewhere(store) else ""
    return how if how in {"transpose", "permute"} else ""


def _elsewhere(store: Access) -> bool:
    return bool(store.gathered) or store.kind != "store"


def _place(job: Computation, store: Access, called: Mapping[str, str]) -> str:
    """`table[index] +=`."""
    writer = Writer(job, None, called)
    where = ", ".join(writer.text(each, 30) for each in store.index.expressions())
    return f"{held(store.pointer, called)}[{where}] {'+=' if store.kind == 'atomic_add' else '='}"


def _parts(job: Computation, value: Expression, called: Mapping[str, str]) -> str | None:
    """The whole expression with some of its parts named; None where it stays too long."""
    shown: dict[Expression, str] = {}

    def told() -> list[str]:
        return [f"{name} = {Writer(job, shown, called).text(part, but=part)}" for part, name in shown.items()]

    for name in NAMES[:MOST_PARTS]:
        writer = Writer(job, shown, called)
        if writer.fits(value, LONGEST - sum(map(len, told()))):
            break
        best = _best(writer, value, shown, "; ".join([writer.text(value), *told()]))
        if best is None:
            return None
        shown[best] = name
    writer = Writer(job, shown, called)
    if not writer.fits(value, LONGEST):
        return None
    text = writer.text(value)
    if text in shown.values():
        return None
    whole = f"{text} where {', '.join(told())}" if shown else text
    return whole if len(whole) <= LONGEST + 50 else None


def _best(writer: Writer, value: Expression, shown: Mapping[Expression, str], text: str) -> Expression | None:
    """The part whose name saves most: long, and read often; a mask's parts are not in the text."""
    counts: Counter[Expression] = Counter()
    for node in walk(value):
        counts.update(seen(operand) for operand in node.operands)
    best, saved = None, 0
    for node, count in counts.items():
        if not isinstance(node, (Operation, Reduction)) or node in shown or node is seen(value):
            continue
        if not writer.fits(node, PART[1]):
            continue
        part = writer.text(node)
        length = len(part)
        if length >= PART[0] and length * count - length // 2 > saved and part in text:
            best, saved = node, length * count - length // 2
    return best
