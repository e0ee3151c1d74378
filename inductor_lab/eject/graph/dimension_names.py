"""What the dimensions of a tensor are called, where the graph says so: a convolution's channels, an attention's heads.

A tensor that is an operator's operand or its result has the dimensions that the operator's own documentation gives it. So has what is made of
it element by element, and what it is made of: the relu between a convolution and a pooling. Of any other nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from inductor_lab.aten import COPIES
from inductor_lab.bind.dependencies import operator
from inductor_lab.computation.operators import TABLE
from inductor_lab.records import Node, TensorType

IMAGE = ("batch", "channel", "row", "column")
HEADS = ("batch", "head", "position", "lane")
SIZES = {
    "batch": "BATCH", "channel": "CHANNELS", "row": "ROWS", "column": "COLUMNS", "pixel": "PIXELS", "head": "HEADS", "position": "POSITIONS",
    "lane": "LANES", "plane": "PLANES", "volume": "VOLUMES",
}  # fmt: skip
"""What is said of one place along a dimension -> the size of it."""
TOGETHER: dict[tuple[str, ...], str] = {("row", "column"): "pixel"}
"""Several dimensions that one coordinate runs over."""


TOLD = {
    "aten.convolution": (1, IMAGE), "aten.convolution_backward": (2, IMAGE),
    "aten.max_pool2d_with_indices": (1, IMAGE), "aten.avg_pool2d": (1, IMAGE),
    "aten._adaptive_avg_pool2d": (1, IMAGE), "aten._low_memory_max_pool_with_offsets": (1, IMAGE),
    "prims._low_memory_max_pool_with_offsets": (1, IMAGE), "aten.avg_pool2d_backward": (2, IMAGE),
    "aten._scaled_dot_product_flash_attention": (3, HEADS), "aten._scaled_dot_product_efficient_attention": (3, HEADS),
    "aten._scaled_dot_product_cudnn_attention": (3, HEADS),
}  # fmt: skip
"""Operator -> how many of its operands have these dimensions, the first ones; so has its result, its first one where it has several."""
ELSEWHERE = {
    "gather",
    "index",
    "index_add",
    "index_put",
    "index_put_",
    "index_select",
    "scatter_add",
    "embedding",
    "sort",
    "dot",
}
"""Operators of the table whose elements come from other places."""
ELEMENTWISE = (
    {name for row in TABLE.values() for name in (row.name, row.aten_name, *row.aten)} | COPIES | {"clone"}
) - ELSEWHERE
Order = tuple[int, ...]
"""For each dimension of a tensor, which one of another it is."""


def dimensions(node: Node | None, nodes: Mapping[str, Node], type_: TensorType) -> tuple[str, ...]:
    """A word for each dimension of a tensor; none where the graph does not tell them.

    Args:
        node: The value of the graph that it certainly holds.
        type_: As the kernel is given it.
    """
    if node is None or node.type is None or node.type.shape != type_.shape:
        return ()
    users: dict[str, list[Node]] = {}
    for user in nodes.values():
        for argument in user.arguments:
            users.setdefault(argument, []).append(user)
    found: set[tuple[str, ...]] = set()
    waiting = [(node, tuple(range(len(type_.shape))))]
    seen = {node.name}
    while waiting and len(found) < 2:
        at, order = waiting.pop()
        found.update(tuple(words[n] for n in order) for words in _said(at, nodes, users) if len(words) == len(order))
        for other, turned in _beside(at, nodes, users):
            if other.name not in seen:
                seen.add(other.name)
                waiting.append((other, tuple(turned[n] for n in order)))
    return found.pop() if len(found) == 1 else ()


def _said(node: Node, nodes: Mapping[str, Node], users: Mapping[str, list[Node]]) -> Iterator[tuple[str, ...]]:
    """What the operators say that make a value and take it."""
    made = nodes.get(node.arguments[0], node) if node.target == "getitem" and node.part == 0 else node
    if told := _of(made):
        yield told[1]
    for user in users.get(node.name, ()):
        if (told := _of(user)) and node.name in user.arguments[: told[0]]:
            yield told[1]


def _beside(node: Node, nodes: Mapping[str, Node], users: Mapping[str, list[Node]]) -> Iterator[tuple[Node, Order]]:
    """The values with the same dimensions, and in which order they have them."""
    for made, of in (
        *((node, nodes[argument]) for argument in node.arguments if argument in nodes),
        *((user, node) for user in users.get(node.name, ())),
    ):
        other = of if made is node else made
        if made.type is None or of.type is None or len(made.type.shape) != len(of.type.shape):
            continue
        places: Order = tuple(range(len(of.type.shape)))
        if operator(made) == "permute" and made.operands[1:]:
            order = tuple(place % len(places) for place in ast.literal_eval(made.operands[1]))
            yield other, tuple(map(order.index, places)) if made is other else order
        elif operator(made) in ELEMENTWISE and made.type.shape == of.type.shape:
            yield other, places


def _of(node: Node) -> tuple[int, tuple[str, ...]] | None:
    return TOLD.get(".".join(node.target.split(".")[:2]))
