"""The ATen form: nodes of the post-grad graph as PyTorch that a person would write, beside the reference that the tree gives.

It is accepted only where it reads exactly the tensors that the kernel reads; whether it computes the same is for the judge to find.

Every ATen call has a spelling in a table; one that is not in it is printed as `torch.ops.aten...`, which is always right. Values used once
are written where they are used, as long as the line stays short.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from inductor_lab.annotate.bindings import ACCUMULATING
from inductor_lab.annotate.made_of import needed, operator
from inductor_lab.aten import CONSTANTS, COPIES, FUNCTIONS, METHODS, MULTIPLIED, RESHAPES, SAME_VALUE, VIEWS
from inductor_lab.computation import Computation
from inductor_lab.computation.operators import OF_ATEN, Operator
from inductor_lab.eject.expand import inductors_own
from inductor_lab.eject.flex import is_flex
from inductor_lab.eject.graph_values import Values, values
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.rendering import names_in
from inductor_lab.eject.tensors import Tensor, strides
from inductor_lab.records import Graph, Kernel, Launch, Node, TensorType

ATOM, UNARY, PRODUCT, SUM, AND, XOR, OR, COMPARE = 9, 8, 7, 6, 5, 4, 3, 2
LEVELS: dict[type[ast.AST], int] = {
    ast.Add: SUM, ast.Sub: SUM, ast.Mult: PRODUCT, ast.Div: PRODUCT, ast.Mod: PRODUCT, ast.FloorDiv: PRODUCT, ast.MatMult: PRODUCT,
    ast.BitAnd: AND, ast.BitXor: XOR, ast.BitOr: OR,
}  # fmt: skip
"""How tightly Python's operators between two operands bind."""
WIDTH = 96
ENDLESS = "9223372036854775807"
"""The end of a slice that goes on to the last element."""


@dataclass(frozen=True)
class Text:
    """An expression and how tightly its outermost operator binds."""

    text: str
    binds: int = ATOM

    def at_least(self, level: int) -> str:
        return self.text if self.binds >= level else f"({self.text})"


@dataclass(frozen=True)
class Reference:
    """The body of `reference`: assignments, then one expression a written tensor."""

    statements: tuple[str, ...]
    results: tuple[str, ...]
    operators: tuple[str, ...]
    """ATen operators in order, without views: `add`, `mul`, `relu`."""


NAMELESS = VIEWS | COPIES | CONSTANTS
"""Operators that move or name values without computing any: left out of a kernel's name."""


def aten(
    kernel: Kernel,
    launch: Launch,
    graph: Graph,
    found: Computation,
    tensors: Mapping[str, Tensor],
    helpers: Collection[str],
) -> Reference:
    """The ATen form of one launch, over the tensors by their names.

    Args:
        helpers: Names that are taken.

    Raises:
        NoGraphForm: there is none, and why.
    """
    if is_flex(kernel):
        raise NoGraphForm("its score and its mask are graphs inside of the graph, of which only the names are read")
    if any(tensor.symbolic for tensor in tensors.values()):
        raise NoGraphForm("its sizes are symbolic, and the graph's are those of one run")
    tied = values(kernel, launch, graph, found)
    names = {parameter: tensor.name for parameter, tensor in tensors.items()}
    read = [parameter for parameter, tensor in tensors.items() if tensor.role != "out"]
    written = [parameter for parameter, tensor in tensors.items() if tensor.role != "in"]
    unknown = [parameter for parameter in read if parameter not in tied.read]
    unknown += [parameter for parameter in written if parameter not in tied.written]
    scattered = {
        access.pointer for part in found.every() for access in part.stores if access.kind == "store" and access.gathered
    }
    if partly := [parameter for parameter in written if parameter in scattered]:
        raise NoGraphForm(
            f"an index says where {_listed(partly, names)} is written: the rest of it is another kernel's"
        )
    if unknown:
        raise NoGraphForm(f"it is not known which value of the graph is in {_listed(unknown, names)}")
    form = spelled(tied, names, written)
    used = {name for text in (*form.statements, *form.results) for name in names_in(text)}
    assigned = {text.partition(" = ")[0] for text in form.statements}
    mine = {names[parameter] for parameter in read}
    if ignored := sorted(mine - used):
        raise NoGraphForm(f"the graph's values do not read {', '.join(ignored)}, which the kernel reads")
    if assigned & {tensor.name for tensor in tensors.values()} or assigned & set(helpers):
        raise NoGraphForm("a value of the graph is called as a tensor is")
    views = [view for parameter in read if (view := _seen(tensors[parameter], tied.nodes[tied.read[parameter]]))]
    lain = [_lain(text, tensors[p], tied.nodes[tied.written[p]]) for p, text in zip(written, form.results, strict=True)]
    return replace(form, statements=(*views, *form.statements), results=tuple(lain))


def _listed(parameters: Sequence[str], names: Mapping[str, str]) -> str:
    return ", ".join(f"`{names[parameter]}`" for parameter in dict.fromkeys(parameters))


def _seen(tensor: Tensor, node: Node) -> str:
    """A line that gives a tensor the shape that the graph sees it in."""
    if node.type is None or node.type.shape == tensor.type.shape:
        return ""
    if _rows_of_channels(tensor.type, node.type):
        places = ", ".join(map(str, (node.type.shape[0], *node.type.shape[2:], node.type.shape[1])))
        return f"{tensor.name} = {tensor.name}.reshape({places}).movedim(-1, 1)"
    if strides(tensor.type) or strides(node.type):
        raise NoGraphForm(f"the graph sees {tensor.name} as another view of its memory")
    return f"{tensor.name} = {tensor.name}.reshape({', '.join(map(str, node.type.shape))})"


def _lain(text: str, tensor: Tensor, node: Node) -> str:
    """A result in the order in which the tensor holds it, where that is not the graph's; the judge reshapes."""
    if node.type is None or not _rows_of_channels(tensor.type, node.type):
        return text
    alone = isinstance(ast.parse(text, mode="eval").body, (ast.Name, ast.Call))
    return f"{text if alone else f'({text})'}.movedim(1, -1)"


def _rows_of_channels(rows: TensorType, images: TensorType) -> bool:
    """Whether a matrix is a batch of images with a row for each pixel: what a convolution of 1 x 1 computes as a product of matrices."""
    if len(rows.shape) != 2 or len(images.shape) < 3:
        return False
    return rows.shape[1] == images.shape[1] and rows.shape != images.shape and not strides(rows)


def spelled(values: Values, names: Mapping[str, str], written: Sequence[str]) -> Reference:
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
        order += [name for name in needed(target, values.nodes, known, values.products) if name not in order]
    if only := [values.nodes[name].target for name in order if inductors_own(values.nodes[name])]:
        raise NoGraphForm(f"it would take {only[0]}, which only Inductor has")
    if inner := [name for name in order if values.nodes[name].call.startswith("self.")]:
        raise NoGraphForm(f"it would take {inner[0]}, a graph inside the graph, of which only the name is read")
    printer = _Printer(values, names, available)
    wanted = [values.written[parameter] for parameter in written]
    incoming = {values.written[p]: names[p] for p in written if _accumulates(values, p)}
    return printer.print(order, wanted, incoming)


def _accumulates(values: Values, parameter: str) -> bool:
    node = values.written[parameter]
    return values.read.get(parameter) == node and operator(values.nodes[node]) in ACCUMULATING


class _Printer:
    def __init__(self, values: Values, names: Mapping[str, str], available: Mapping[str, str]) -> None:
        self.nodes = values.nodes
        self.available = available
        self.taken = set(names.values())

    def print(self, order: Sequence[str], wanted: Sequence[str], incoming: Mapping[str, str]) -> Reference:
        calls = {name: self.parse(name, incoming) for name in order}
        needed_by = Counter(n.id for call in calls.values() for n in ast.walk(call) if isinstance(n, ast.Name))
        order = [
            name for name in order if needed_by[name] or name in wanted
        ]  # the zeros that an incoming buffer stands for are gone
        uses = Counter(n.id for name in order for n in ast.walk(calls[name]) if isinstance(n, ast.Name))
        uses.update(wanted)
        texts = {node: Text(name) for node, name in self.available.items() if node not in incoming}
        statements: list[str] = []
        for name in order:
            text = self.express(calls[name], texts, self.nodes[name])
            constant = _is_number(text.text)
            if (
                constant
                or (uses[name] == 1 and name not in wanted and len(text.text) < WIDTH)
                or (uses[name] == 1 and len(text.text) < WIDTH)
            ):
                texts[name] = text
            else:
                variable = name if name not in self.taken else f"{name}_value"
                statements.append(f"{variable} = {text.text}")
                texts[name] = Text(variable)
        operators = tuple(dict.fromkeys(op for name in order if (op := operator(self.nodes[name])) not in NAMELESS))
        return Reference(tuple(statements), tuple(texts[name].text for name in wanted), operators)

    def parse(self, name: str, incoming: Mapping[str, str]) -> ast.expr:
        call = ast.parse(self.nodes[name].call, mode="eval").body
        if name in incoming and isinstance(call, ast.Call):
            call.args[0] = ast.Name(f"__incoming_{incoming[name]}", ast.Load())
        return call

    def express(self, call: ast.expr, texts: Mapping[str, Text], node: Node) -> Text:
        called = operator(node)
        if not isinstance(call, ast.Call):
            return Text(self.render(call, texts))
        arguments = call.args
        keywords = {k.arg: k.value for k in call.keywords if k.arg}

        def text(position: int, level: int = 0) -> str:
            return self.render(arguments[position], texts, level)

        if called in SAME_VALUE and isinstance(arguments[0], ast.Name) and arguments[0].id in texts:
            return texts[arguments[0].id]
        special = SPECIAL.get(called)
        if special and (spelled := special(arguments, keywords, text)) is not None:
            return Text(spelled, UNARY if spelled.startswith("-") else ATOM)
        extra = [
            f"{key}={self.render(value, texts)}"
            for key, value in keywords.items()
            if key not in {"layout", "pin_memory", "memory_format"}
        ]
        if called in METHODS:
            rest = [text(i) for i in range(1, len(arguments))]
            if METHODS[called] and len(rest) == 2:
                rest[1] = f"{METHODS[called]}={rest[1]}"
            return Text(f"{text(0, ATOM)}.{called}({', '.join(rest + extra)})")
        if called in MULTIPLIED:
            return Text(f"{text(0, PRODUCT)} @ {text(1, PRODUCT + 1)}", PRODUCT)
        if called in FUNCTIONS:
            return Text(f"torch.{called}({', '.join([text(i) for i in range(len(arguments))] + extra)})")
        if called in OF_ATEN and (operation := _operation(OF_ATEN[called], len(arguments), extra, text)) is not None:
            return operation
        return Text(f"{ast.unparse(call.func)}({', '.join([text(i) for i in range(len(arguments))] + extra)})")

    def render(self, value: ast.expr, texts: Mapping[str, Text], level: int = 0) -> str:
        """An argument as text, nodes replaced by what stands for them."""
        match value:
            case ast.Name(id=name) if name.startswith("__incoming_"):
                return name.removeprefix("__incoming_")
            case ast.Name(id=name) if name in texts:
                return texts[name].at_least(level)
            case ast.List(elts=elements):
                return f"[{', '.join(self.render(element, texts) for element in elements)}]"
            case ast.Tuple(elts=elements):
                return f"({', '.join(self.render(element, texts) for element in elements)},)"
            case ast.Subscript(value=base, slice=index):
                return f"{self.render(base, texts, ATOM)}[{ast.unparse(index)}]"
            case ast.Call(func=ast.Name(id="device")):
                return "DEVICE"
            case ast.Name(id="inf" | "nan" as name):
                return f"math.{name}"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                text = f"-{self.render(operand, texts, UNARY)}"
                return f"({text})" if level > UNARY else text
        return ast.unparse(value)


def _operation(row: Operator, count: int, keywords: Sequence[str], text: Callable[..., str]) -> Text | None:
    """A row's form of the arguments; None where the form has no place for all of them."""
    if row.bound and count == 2 and any(_is_number(text(i)) for i in (0, 1)):
        tensor, bound = (0, 1) if _is_number(text(1)) else (1, 0)
        return Text(f"{text(tensor, ATOM)}.{row.bound}({text(bound)})")
    if not row.places:
        return Text(f"{row.function}({', '.join([*map(text, range(count)), *keywords])})")
    if keywords or count != row.places:
        return None
    levels, binds = _levels(row.torch, count)
    return Text(row.torch.format(*(text(i, level) for i, level in enumerate(levels))), binds)


@cache
def _levels(form: str, count: int) -> tuple[tuple[int, ...], int]:
    """How tightly the operands of a form must bind, and how tightly it binds itself."""
    match ast.parse(form.format(*(f"_{n}" for n in range(count))), mode="eval").body:
        case ast.BinOp(left=ast.Name(), op=ast.Pow()):
            return (ATOM, ATOM), UNARY
        case ast.BinOp(left=ast.Name(), op=op, right=ast.Name()):
            return (LEVELS[type(op)], LEVELS[type(op)] + 1), LEVELS[type(op)]
        case ast.Compare():
            return (COMPARE + 1, COMPARE + 1), COMPARE  # Python would chain a < b == c
        case ast.UnaryOp(operand=ast.Name()):
            return (UNARY,), UNARY
        case ast.Call():
            return (0,) * count, ATOM
    return (ATOM,) * count, 0


_Arguments = list[ast.expr]
_Spelling = Callable[[_Arguments, dict[str, ast.expr], Callable[..., str]], "str | None"]


def _full(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    if isinstance(arguments[0], ast.List) and not arguments[0].elts:
        floating = "float" in ast.unparse(keywords["dtype"]) if "dtype" in keywords else False
        return f"{text(1)}.0" if floating and text(1).lstrip("-").isdigit() else text(1)  # the number itself
    dtype = f", dtype={ast.unparse(keywords['dtype'])}" if "dtype" in keywords else ""
    return f"torch.full({text(0)}, {text(1)}{dtype}, device=DEVICE)"


def _iota(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    length, start, step = (ast.unparse(x) for x in (arguments[0], keywords["start"], keywords["step"]))
    if (start, step) != ("0", "1"):
        return None
    return f"torch.arange({length}, dtype={ast.unparse(keywords['dtype'])}, device=DEVICE)"


def _slice(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    numbers = [ast.unparse(argument) for argument in arguments[1:]]
    if not all(number.lstrip("-").isdigit() for number in numbers) or numbers[0].startswith("-"):
        return None
    dim, start, end, step = [*numbers, *("0", ENDLESS, "1")[len(numbers) - 1 :]]
    written = f"{start if start != '0' else ''}:{end if end != ENDLESS else ''}{f':{step}' if step != '1' else ''}"
    return f"{text(0, ATOM)}[{':, ' * int(dim)}{written}]"


def _index(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    if not isinstance(arguments[1], ast.List):
        return None
    inner = text(1)[1:-1]
    return f"{text(0, ATOM)}[{inner.replace('None', ':')}]"


def _index_put(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    accumulate = f", accumulate={text(3)}" if len(arguments) > 3 else ""
    return (
        f"{text(0, ATOM)}.index_put({text(1).replace('[', '(').replace(']', ',)')}, {text(2)}{accumulate})"
        if "[" not in text(1)[1:-1] and "None" not in text(1)
        else None
    )


def _number(text: str) -> float | str:
    try:
        return float(text.replace("math.", ""))
    except ValueError:
        return text


def _is_number(text: str) -> bool:
    return isinstance(_number(text), float)


def _convolution(arguments: _Arguments, keywords: dict[str, ast.expr], text: Callable[..., str]) -> str | None:
    transposed, stride = ast.unparse(arguments[6]), arguments[3]
    if transposed != "False" or not isinstance(stride, ast.List) or keywords:
        return None
    options = zip(("stride", "padding", "dilation", "groups"), (3, 4, 5, 8), strict=True)
    usual = {"stride": {1}, "padding": {0}, "dilation": {1}, "groups": {1}}
    given = [f"{name}={text(at)}" for name, at in options if {*_numbers(arguments[at])} != usual[name]]
    bias = [] if ast.unparse(arguments[2]) == "None" else [text(2)]
    return f"torch.nn.functional.conv{len(stride.elts)}d({', '.join([text(0), text(1), *bias, *given])})"


def _numbers(value: ast.expr) -> list[object]:
    found = ast.literal_eval(value)
    return found if isinstance(found, list) else [found]


SPECIAL: dict[str, _Spelling] = {
    "convolution": _convolution,
    "full": _full,
    "slice": _slice,
    "index": _index,
    "_unsafe_index": _index,
    "index_put": _index_put,
    "index_put_": _index_put,
    "embedding": lambda a, k, text: f"torch.nn.functional.embedding({text(1)}, {text(0)})",
    "iota": _iota,
    "rev": lambda a, k, text: f"{text(0, ATOM)}.flip({text(1)})",
    "cat": lambda a, k, text: f"torch.cat({', '.join(text(i) for i in range(len(a)))})",
    "convert_element_type": lambda a, k, text: f"{text(0, ATOM)}.to({text(1)})",
    "_to_copy": lambda a, k, text: f"{text(0, ATOM)}.to({ast.unparse(k['dtype'])})" if list(k) == ["dtype"] else None,
    **{name: lambda a, k, text: f"{text(0, ATOM)}.reshape({text(1)})" for name in RESHAPES},
    **{name: lambda a, k, text: text(0, ATOM) for name in SAME_VALUE},
}
