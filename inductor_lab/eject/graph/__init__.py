"""The ATen form: nodes of the post-grad graph as PyTorch that a person would write, beside the reference that the tree gives.

It is accepted only where it reads exactly the tensors that the kernel reads; whether it computes the same is for the judge to find.

`spelling.py` spells each call. Values used once are written where they are used, as long as the line stays short.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from inductor_lab.aten import CONSTANTS, COPIES, VIEWS
from inductor_lab.bind.bindings import ACCUMULATING
from inductor_lab.bind.dependencies import needed, operator
from inductor_lab.computation import Computation
from inductor_lab.eject.binding.tensors import Tensor, strides
from inductor_lab.eject.eager.torch_values import call, dtype_of, literal, method, name, names_in, of_torch, tuple_of
from inductor_lab.eject.graph.flex_attention import is_flex
from inductor_lab.eject.graph.nodes import Values, bound_values, inductors_own
from inductor_lab.eject.graph.spelling import is_number, spelled
from inductor_lab.eject.naming import RESERVED
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.sizes import in_numbers, told
from inductor_lab.records import Graph, Kernel, Launch, Node, TensorType
from inductor_lab.records.size import Size

WIDTH = 96

MOST_NAMED = 4
"""Tensors that a reason names."""


@dataclass(frozen=True)
class Reference:
    """The body of `reference`: assignments, then one expression a written tensor."""

    assigned: tuple[tuple[str, ast.expr], ...]
    """Names and what they are."""
    values: tuple[ast.expr, ...]
    operators: tuple[str, ...]
    """ATen operators in order, without views: `add`, `mul`, `relu`."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Sizes that no tensor that it reads tells, and what they were when this was captured."""

    @property
    def statements(self) -> tuple[str, ...]:
        """The assignments as text."""
        return tuple(f"{variable} = {ast.unparse(value)}" for variable, value in self.assigned)

    @property
    def results(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(ast.unparse, self.values))

    def names(self) -> set[str]:
        """Names that the statements and the results say."""
        return set(names_in(*(value for _, value in self.assigned), *self.values))


PYTHONS = {"torch", "math", "DEVICE", "max", "min"}
"""Names that a file has already."""
NAMELESS = VIEWS | COPIES | CONSTANTS
"""Operators that move or name values without computing any: left out of a kernel's name."""


@contextmanager
def _followed() -> Iterator[None]:
    """What the graph's text does not hold is a reason why there is no form."""
    try:
        yield
    except (KeyError, SyntaxError) as place:
        raise NoGraphForm(f"the graph's text can not be followed at {place}") from place


@_followed()
def aten(
    kernel: Kernel,
    launch: Launch,
    graph: Graph,
    found: Computation,
    tensors: Mapping[str, Tensor],
    environment: Mapping[str, int],
) -> Reference:
    """The ATen form of one launch, over the tensors by their names.

    Args:
        environment: Symbol -> its value when this was captured: all that are known.

    Raises:
        NoGraphForm: there is none, and why.
    """
    if is_flex(kernel):
        raise NoGraphForm("its score and its mask are graphs inside of the graph, of which only the names are read")
    tied = bound_values(kernel, launch, graph, found, environment)
    scattered = {
        access.pointer for part in found.every() for access in part.stores if access.kind == "store" and access.gathered
    }
    if partly := [parameter for parameter, tensor in tensors.items() if tensor.role != "in" and parameter in scattered]:
        raise NoGraphForm(
            f"an index says where {_listed(partly, tensors)} is written: the rest of it is another kernel's"
        )
    if nameless := _by_buffer(kernel, launch, tied.nodes, _unknown(tied, tensors)):
        raise NoGraphForm(
            f"Inductor's comment names no value of the graph for what is in {_listed(nameless, tensors)}: "
            "it says the buffer alone, as it does for the parts of a reduction"
        )
    return over(tied, tensors, environment, passes=kernel.category != "template")


@_followed()
def over(tied: Values, tensors: Mapping[str, Tensor], environment: Mapping[str, int], *, passes: bool) -> Reference:
    """The graph's values that are written as PyTorch of those that are read, over the tensors by their names.

    Args:
        tied: As far as they are known.
        passes: Whether a caller may pass sizes that no tensor tells.

    Raises:
        NoGraphForm: there is none, and why.
    """
    names = {parameter: tensor.name for parameter, tensor in tensors.items()}
    read = [parameter for parameter, tensor in tensors.items() if tensor.role != "out"]
    written = [parameter for parameter, tensor in tensors.items() if tensor.role != "in"]
    if unknown := _unknown(tied, tensors):
        raise NoGraphForm(f"it is not known which value of the graph is in {_listed(unknown, tensors)}")
    form = printed(tied, names, written)
    assigned = {variable for variable, _ in form.assigned}
    mine = {names[parameter] for parameter in read}
    if ignored := sorted(mine - form.names()):
        raise NoGraphForm(f"the graph's values do not read {', '.join(ignored)}, which the kernel reads")
    if assigned & {tensor.name for tensor in tensors.values()} or assigned & RESERVED:
        raise NoGraphForm("a value of the graph is called as a tensor is")
    views = [
        (tensors[parameter].name, view)
        for parameter in read
        if (view := _viewed(tensors[parameter], tied.nodes[tied.read[parameter]].type, environment))
    ]
    results = [
        _as_held(value, tensors[p].type, tied.nodes[tied.written[p]].type, environment)
        for p, value in zip(written, form.values, strict=True)
    ]
    form = replace(form, assigned=(*views, *form.assigned), values=tuple(results))
    named = form.names() - assigned - mine - PYTHONS
    sizes = told([tensors[parameter] for parameter in read], named)
    passed = {symbol: environment[symbol] for symbol in sorted(named - sizes.keys()) if symbol in environment}
    lost = named - sizes.keys() - (passed.keys() if passes else set())
    if lost:
        raise NoGraphForm(f"no tensor that it reads tells the size {', '.join(sorted(lost))}")
    found = [(symbol, of_torch(where)) for symbol, where in sorted(sizes.items())]
    return replace(form, assigned=(*found, *form.assigned), sizes=passed)


def _unknown(tied: Values, tensors: Mapping[str, Tensor]) -> list[str]:
    """The parameters of which the value is not known that they hold before, or behind."""
    read = [parameter for parameter, tensor in tensors.items() if tensor.role != "out" and parameter not in tied.read]
    return read + [
        parameter for parameter, tensor in tensors.items() if tensor.role != "in" and parameter not in tied.written
    ]


def _by_buffer(kernel: Kernel, launch: Launch, nodes: Collection[str], unknown: Collection[str]) -> list[str]:
    """Those parameters of which the claim says `buf3` and no node: what a part of a reduction leaves is no value of the graph."""
    claimed = {*kernel.claim.inputs, *kernel.claim.outputs}.difference(nodes)
    return [argument.name for argument in launch.arguments if argument.name in unknown and argument.value in claimed]


def _listed(parameters: Sequence[str], tensors: Mapping[str, Tensor]) -> str:
    shown = [f"`{tensors[parameter].name}`" for parameter in dict.fromkeys(parameters)]
    more = f" and {len(shown) - MOST_NAMED} more" if len(shown) > MOST_NAMED else ""
    return ", ".join(shown[:MOST_NAMED]) + more


def _viewed(tensor: Tensor, type_: TensorType | None, environment: Mapping[str, int]) -> ast.expr | None:
    """A tensor in the shape that the graph sees it in; None where it has that."""
    if type_ is None:
        return None
    lies = (tensor.symbolic or tensor.type).shape
    if [Size.of(size) for size in type_.shape] == [Size.of(size) for size in lies]:
        return None
    seen, sizes = in_numbers(type_, environment), [of_torch(Size.of(size).python) for size in type_.shape]
    if _rows_of_channels(tensor.type, seen):
        image = method(name(tensor.name), "reshape", sizes[0], *sizes[2:], sizes[1])
        return method(image, "movedim", literal(-1), literal(1))
    if strides(tensor.type) or strides(seen):
        raise NoGraphForm(f"the graph sees {tensor.name} as another view of its memory")
    return method(name(tensor.name), "reshape", *(sizes or [tuple_of([])]))


def _as_held(value: ast.expr, lies: TensorType, type_: TensorType | None, environment: Mapping[str, int]) -> ast.expr:
    """A result in the order in which the tensor holds it, where that is not the graph's; the judge reshapes."""
    if type_ is None or not _rows_of_channels(lies, in_numbers(type_, environment)):
        return value
    return method(value, "movedim", literal(1), literal(-1))


def _rows_of_channels(rows: TensorType, images: TensorType) -> bool:
    """Whether a matrix is a batch of images with a row for each pixel: what a convolution of 1 x 1 computes as a product of matrices."""
    if len(rows.shape) != 2 or len(images.shape) < 3:
        return False
    return rows.shape[1] == images.shape[1] and rows.shape != images.shape and not strides(rows)


def printed(values: Values, names: Mapping[str, str], written: Sequence[str]) -> Reference:
    """Print what the written parameters must hold.

    Args:
        names: Parameter -> the tensor's name in the ejected file.
        written: Parameters in the order in which their values are returned.

    Raises:
        NoGraphForm: it takes an operator that eager PyTorch does not have.
    """
    available = {node: names[parameter] for parameter, node in values.read.items()}
    order: list[str] = []
    for parameter in written:
        target = values.written[parameter]
        known = set(available)
        if _accumulates(values, parameter):  # what it adds to is in memory already
            known = known - {target} | set(values.nodes[target].arguments[:1])
        if target in known and parameter in values.read and values.read[parameter] == target:
            continue
        order += [node for node in needed(target, values.nodes, known, values.products) if node not in order]
    if only := [values.nodes[node].target for node in order if inductors_own(values.nodes[node])]:
        raise NoGraphForm(f"it would take {only[0]}, which only Inductor has")
    if inner := [node for node in order if values.nodes[node].call.startswith("self.")]:
        raise NoGraphForm(f"it would take {inner[0]}, a graph inside the graph, of which only the name is read")
    if any(values.nodes[node].target == "aten.view.dtype" for node in order):
        raise NoGraphForm(
            "it would take aten.view.dtype: the bits of a value are others in float64, by which it is judged"
        )
    wanted = [values.written[parameter] for parameter in written]
    incoming = {values.written[p]: names[p] for p in written if _accumulates(values, p)}
    return _printed(values, names, order, wanted, incoming)


def _accumulates(values: Values, parameter: str) -> bool:
    node = values.written[parameter]
    return values.read.get(parameter) == node and operator(values.nodes[node]) in ACCUMULATING


def _printed(
    values: Values,
    names: Mapping[str, str],
    order: Sequence[str],
    wanted: Sequence[str],
    incoming: Mapping[str, str],
) -> Reference:
    """A statement for each value that is used twice or long; all others where they are used."""
    uses = Counter(names_in(*(values.nodes[node].tree for node in order)))
    uses.update(wanted)
    stands = {node: name(names[parameter]) for parameter, node in values.read.items() if node not in incoming}
    statements: list[tuple[str, ast.expr]] = []
    for node in map(values.nodes.__getitem__, order):
        into = {node.arguments[0]: name(incoming[node.name])} if node.name in incoming else {}
        kept = _unchanged(node, values.nodes)
        value = stands[kept] if kept else spelled(node, {**stands, **into, **_of_numbers(node, values.nodes, stands)})
        short = uses[node.name] == 1 and len(ast.unparse(value)) < WIDTH
        if not (is_number(value) or isinstance(value, ast.Name) or short):
            variable = node.name if node.name not in names.values() else f"{node.name}_value"
            statements.append((variable, value))
            value = name(variable)
        stands[node.name] = value
    called = [operator(node) for name in order if "." in (node := values.nodes[name]).target]
    operators = tuple(dict.fromkeys(word for word in called if word not in NAMELESS))
    results = (_as_tensor(values.nodes[node], stands[node]) for node in wanted)
    return Reference(tuple(statements), tuple(results), operators)


def _of_numbers(node: Node, nodes: Mapping[str, Node], stands: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    """The first operand as a tensor, where all are printed as numbers: Python would make another number of them."""
    read = [name for name in node.arguments if name in stands and nodes[name].type]
    if not node.type or not all(is_number(stands[name]) for name in read):
        return {}
    return {name: _as_tensor(nodes[name], stands[name]) for name in read[:1]}


def _as_tensor(node: Node, value: ast.expr) -> ast.expr:
    """What a node is printed as; a tensor of one element for a number."""
    if not node.type or not is_number(value):
        return value
    return call("torch.full", tuple_of([]), value, dtype=dtype_of(node.type.dtype), device=name("DEVICE"))


def _unchanged(node: Node, nodes: Mapping[str, Node]) -> str:
    """The node that this one is: of `x * 1`, and of `x + 0` among whole numbers (`-0.0 + 0` is 0.0), where the dtype stays."""
    neutral = {"add": 0, "mul": 1}.get(operator(node))
    match node.tree:
        case ast.Call(args=[ast.Name(id=name), ast.Constant(value=int() | float() as number)], keywords=[]):
            read = nodes[name].type
            if node.type is None or read is None or isinstance(number, bool) or number != neutral:
                return ""
            whole = "float" not in read.dtype and isinstance(number, int)
            same = (read.dtype, read.shape) == (node.type.dtype, node.type.shape)
            return name if same and (neutral == 1 or whole) else ""
    return ""
