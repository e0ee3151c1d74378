"""Matches every pointer of a kernel with a node of the graph, with none left open, for the ATen form.

Two things are written out before. Operators that only Inductor has become ATen's: `prims.fma` and its like are registered by
torch/_inductor/inductor_prims.py (2.9 to 2.13), which an ejected file does not import. And a convolution that the kernel adds the bias to, or
lays out anew, is one node in the graph, and in memory what a library computed before; the claim names that by its buffer:

    buf29 = convolution(relu, primals_27, None, ...)                                          a library's, which the kernel reads
    convolution_3 = add(buf29, reshape(primals_28, [-1, 1, 1]))                               the kernel's own
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.dependencies import missing, operator
from inductor_lab.bind.names import alike
from inductor_lab.computation import Computation
from inductor_lab.computation.tree import Load
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.sizes import launch_in_numbers, named, nodes_in_numbers
from inductor_lab.records import Graph, Kernel, Launch, Node


@dataclass(frozen=True)
class Values:
    """The nodes behind a kernel's pointers."""

    read: Mapping[str, str]
    """Parameter -> node whose value it holds before the launch."""
    written: Mapping[str, str]
    """Parameter -> node whose value it holds afterwards."""
    nodes: Mapping[str, Node]
    """All nodes to compute from, in the graph's order."""
    products: frozenset[str] = frozenset()
    """Products among them that the kernel computes itself."""


def bound_values(
    kernel: Kernel, launch: Launch, graph: Graph, found: Computation, environment: Mapping[str, int]
) -> Values:
    """Tie a launch's pointers to nodes, as far as they are known.

    Args:
        environment: Symbol -> its value when this was captured: sizes are compared in numbers.

    Raises:
        NoGraphForm: the text holds no graph, or the comment above the kernel leaves nodes out.
    """
    whole = graph.nodes or kernel.claim.fragment
    made = without_biases(expanded(named(whole, graph.module)), kernel)
    nodes = {node.name: node for node in made}
    if not nodes:
        raise NoGraphForm("the text holds no graph; capture with TORCH_LOGS=output_code,post_grad_graphs")
    lost = missing((node for node in kernel.claim.nodes if node in nodes), nodes)
    if lost:
        raise NoGraphForm(
            f"the comment above it leaves out {lost}; capture with TORCH_LOGS=output_code,post_grad_graphs"
        )
    bound, compared = launch_in_numbers(launch, environment), nodes_in_numbers(nodes, environment)
    tied = bind(kernel, bound, compared, graph.outputs, found)
    copies = dict(_copies(bound, found, tied))
    laid = {parameter: _copy(nodes[node], parameter) for parameter, node in copies.items()}
    written = {**tied.written, **{parameter: node.name for parameter, node in laid.items()}}
    return Values(tied.read, written, nodes | {node.name: node for node in laid.values()}, tied.products)


def _copies(launch: Launch, found: Computation, tied: Bindings) -> Iterator[tuple[str, str]]:
    """Pointers of which the graph knows nothing and that hold what was read, laid out anew: with the node of that."""
    shapes = {argument.name: argument.type.shape for argument in launch.arguments if argument.type}
    stores = [access for part in found.every() for access in part.stores]
    for pointer in {access.pointer: None for access in stores}:
        values = [access.value for access in stores if access.pointer == pointer]
        value = values[0]
        if pointer in tied.written or len(values) != 1 or not isinstance(value, Load) or value.version:
            continue
        source = value.pointer
        if source in tied.read and shapes.get(source, ()) == shapes.get(pointer):
            yield pointer, tied.read[source]


def _copy(node: Node, parameter: str) -> Node:
    return _node(f"{node.name}_{parameter}", "clone.default", node.name, like=replace(node, source=None))


# ------------------------------------------------------------ operators that only Inductor has


Expansion = tuple[list[Node], tuple[str, ...]]
"""The nodes that take a node's place, and the names of its results where it has several."""


def expanded(nodes: Iterable[Node]) -> Iterator[Node]:
    """The same graph without the operators of EXPANSIONS; the names that other nodes use stay."""
    results: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        operator = node.target.removeprefix("prims.").removesuffix(".default")
        if node.target.startswith("prims.") and operator in EXPANSIONS and node.operands:
            made, names = EXPANSIONS[operator](node)
            results |= {node.name: names} if names else {}
            yield from made
        elif node.target == "getitem" and node.arguments and node.arguments[0] in results:
            yield _node(node.name, "alias.default", results[node.arguments[0]][node.part or 0], like=node)
        else:
            yield node


def inductors_own(node: Node) -> bool:
    """True for an operator that torch alone does not have: `prims._low_memory_max_pool_with_offsets`."""
    operator = node.target.removeprefix("prims.").removesuffix(".default")
    return node.target.startswith("prims.") and operator in INDUCTORS_OWN


def _fma(node: Node) -> Expansion:
    a, b, c = map(ast.unparse, node.operands)
    product = f"{node.name}_product"
    return [_node(product, "mul.Tensor", a, b), _node(node.name, "add.Tensor", product, c, like=node)], ()


def _prepare_softmax_online(node: Node) -> Expansion:
    """The largest along a dimension, and the sum of the powers of e once that was taken off."""
    x, dim = map(ast.unparse, node.operands)
    largest, shifted, powers, total = (f"{node.name}_{part}" for part in ("max", "sub", "exp", "sum"))
    return [
        _node(largest, "amax.default", x, f"[{dim}]", "True"),
        _node(shifted, "sub.Tensor", x, largest),
        _node(powers, "exp.default", shifted),
        _node(total, "sum.dim_IntList", powers, f"[{dim}]", "True"),
    ], (largest, total)


def _max_pool_with_offsets(node: Node) -> Expansion:
    """The largest of each window, and where in the window it stood: at `row * width + column` of the window, an int8."""
    x, window, stride, padding, dilation, *_ = operands = [*map(ast.unparse, node.operands)]
    if len(ast.literal_eval(window)) != len(PLANE):
        return [node], ()
    called = node.name.replace("_low_memory_max_pool_with_offsets", "max_pool")
    pool, largest, places, offsets = (f"{called}_{part}" for part in ("both", "values", "places", "offsets"))
    width = f"{x}.shape[-1]"
    first = _first_of_windows(places, stride, padding)
    steps = ast.literal_eval(dilation)
    row, column = (
        f"({place} - {start}){f' // {step}' if step != 1 else ''}"
        for place, start, step in zip((f"{places} // {width}", f"{places} % {width}"), first, steps, strict=True)
    )
    return [
        replace(_node(pool, "max_pool2d_with_indices.default", *operands), arguments=(x,)),
        Node(largest, "getitem", f"{pool}[0]", (pool,), None, None),
        Node(places, "getitem", f"{pool}[1]", (pool,), None, None),
        Node(
            offsets,
            "offsets",
            f"({row} * {ast.literal_eval(window)[-1]} + {column}).to(torch.int8)",
            (places, x),
            None,
            None,
        ),
    ], (largest, offsets)


def _max_pool_offsets_to_indices(node: Node) -> Expansion:
    """The places in the image, `row * width + column`, of what stood at these places of its window."""
    offsets, window, _, stride, padding, dilation = map(ast.unparse, node.operands)
    if len(ast.literal_eval(window)) != len(PLANE):
        return [node], ()
    inside = "in_" + node.name.replace("_low_memory_max_pool_offsets_to_indices", "window")
    first = _first_of_windows(inside, stride, padding)
    width = ast.literal_eval(window)[-1]
    row, column = (
        f"({start} + {place}{f' * {step}' if step != 1 else ''})"
        for place, start, step in zip(
            (f"{inside} // {width}", f"{inside} % {width}"), first, ast.literal_eval(dilation), strict=True
        )
    )
    total = ast.unparse(node.operands[2].elts[-1])  # type: ignore[attr-defined]
    return [
        _node(inside, "_to_copy.default", offsets, "dtype=torch.int64"),
        Node(node.name, "indices", f"{row} * {total} + {column}", (inside,), node.type, node.source),
    ], ()


PLANE = (-2, -1)
"""The dimensions of an image's rows and columns."""


def _first_of_windows(pooled: str, stride: str, padding: str) -> tuple[str, str]:
    """The row, and the column, at which each window starts, for `pooled`'s dimensions."""
    rows, columns = (
        f"torch.arange({pooled}.shape[{dim}], device=DEVICE) * {step} - {before}"
        for dim, step, before in zip(PLANE, ast.literal_eval(stride), ast.literal_eval(padding), strict=True)
    )
    return f"({rows})[:, None]", f"({columns})"


INDUCTORS_OWN = {
    "seed", "seeds", "lookup_seed", "random", "randint", "rand_eager_offset", "rand_eager_offsets", "force_stride_order",
    "_unsafe_index_put_", "_low_memory_max_pool_with_offsets", "_low_memory_max_pool_offsets_to_indices", "cvt_e8m0_rceil",
}  # fmt: skip
EXPANSIONS: dict[str, Callable[[Node], Expansion]] = {
    "fma": _fma,
    "prepare_softmax_online": _prepare_softmax_online,
    "_low_memory_max_pool_with_offsets": _max_pool_with_offsets,
    "_low_memory_max_pool_offsets_to_indices": _max_pool_offsets_to_indices,
}


def _node(name: str, target: str, *arguments: str, like: Node | None = None) -> Node:
    """A call of an ATen operator.

    Args:
        like: The node whose type and source line it has.
    """
    used = tuple(dict.fromkeys(a for a in arguments if a.isidentifier() and a not in {"True", "inf", "nan"}))
    made = Node(name, f"aten.{target}", f"torch.ops.aten.{target}({', '.join(arguments)})", used, None, None)
    return replace(made, type=like.type, source=like.source) if like else made


# ------------------------------------------------------------ convolutions whose bias the kernel adds


def without_biases(nodes: Iterable[Node], kernel: Kernel) -> Iterator[Node]:
    """The same graph with two nodes for each such convolution of a kernel."""
    products = _products(kernel)
    for node in nodes:
        claimed = operator(node) == "convolution" and node.name in kernel.claim.nodes
        product = next((p for p in products if claimed and alike(p.type, node.type)), None)
        if product is None or node.type is None or not isinstance(call := node.tree, ast.Call):
            yield node
            continue
        bias = call.args[2]
        products.remove(product)
        if not isinstance(bias, ast.Name):
            yield replace(node, name=product.name)
            yield _node(node.name, "clone.default", product.name, like=node)
            continue
        alone = ast.Call(call.func, [*call.args[:2], ast.Constant(None), *call.args[3:]], call.keywords)
        rows = f"{node.name}_bias"
        used = tuple(name for name in node.arguments if name != bias.id)
        yield Node(product.name, node.target, ast.unparse(alone), used, node.type, node.source)
        sizes = ", ".join(["-1", *["1"] * (len(node.type.shape) - 2)])
        yield _node(rows, "reshape.default", bias.id, f"[{sizes}]", like=replace(node, type=None))
        yield _node(node.name, "add.Tensor", product.name, rows, like=node)


def _products(kernel: Kernel) -> list[Node]:
    """What the claim reads by the name of a buffer, and does not write itself."""
    if kernel.category == "template":
        return []
    read = {name for name in kernel.claim.inputs if name.startswith("buf")} - {*kernel.claim.outputs}
    return [node for node in kernel.claim.fragment if node.name in read and node.target == "placeholder"]
