"""A convolution that the kernel adds the bias to, or lays out anew: one node in the graph, and in memory what a library computed before.

    buf29 = convolution(relu, primals_27, None, ...)                                          a library's, which the kernel reads
    convolution_3 = add(buf29, reshape(primals_28, [-1, 1, 1]))                               the kernel's own

The claim names the first by its buffer, since the graph has no name for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from inductor_lab.bind.dependencies import operator
from inductor_lab.records import Kernel, Node, TensorType


def without_biases(nodes: Iterable[Node], kernel: Kernel) -> Iterator[Node]:
    """The same graph with two nodes for each such convolution of a kernel."""
    products = _products(kernel)
    for node in nodes:
        claimed = operator(node) == "convolution" and node.name in kernel.claim.nodes
        product = next((p for p in products if claimed and _alike(p.type, node.type)), None)
        call = ast.parse(node.call, mode="eval").body if product else None
        if product is None or node.type is None or not isinstance(call, ast.Call):
            yield node
            continue
        bias = call.args[2]
        products.remove(product)
        if not isinstance(bias, ast.Name):
            yield replace(node, name=product.name)
            yield _call(node.name, "clone.default", product.name, (product.name,), node.type, node)
            continue
        call.args[2] = ast.Constant(None)
        rows = f"{node.name}_bias"
        used = tuple(name for name in node.arguments if name != bias.id)
        yield Node(product.name, node.target, ast.unparse(call), used, node.type, node.source)
        sizes = ", ".join(["-1", *["1"] * (len(node.type.shape) - 2)])
        yield _call(rows, "reshape.default", f"{bias.id}, [{sizes}]", (bias.id,), None, node)
        yield _call(node.name, "add.Tensor", f"{product.name}, {rows}", (product.name, rows), node.type, node)


def _products(kernel: Kernel) -> list[Node]:
    """What the claim reads by the name of a buffer, and does not write itself."""
    if kernel.category == "template":
        return []
    read = {name for name in kernel.claim.inputs if name.startswith("buf")} - {*kernel.claim.outputs}
    return [node for node in kernel.claim.fragment if node.name in read and node.target == "placeholder"]


def _alike(one: TensorType | None, other: TensorType | None) -> bool:
    return one is not None and other is not None and (one.dtype, one.shape) == (other.dtype, other.shape)


def _call(name: str, target: str, text: str, used: tuple[str, ...], type_: TensorType | None, like: Node) -> Node:
    return Node(name, f"aten.{target}", f"torch.ops.aten.{target}({text})", used, type_, like.source)
