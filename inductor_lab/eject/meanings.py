"""What the dimensions of a tensor are called, where the graph says so: a convolution's channels, an attention's heads.

A tensor that is an operator's operand or its result has the dimensions that the operator's own documentation gives it; of any other
nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.records import Node, TensorType

IMAGE = ("batch", "channel", "height", "width")
HEADS = ("batch", "head", "position", "lane")
SIZES = {
    "batch": "BATCH", "channel": "CHANNELS", "height": "HEIGHT", "width": "WIDTH", "pixel": "PIXELS", "head": "HEADS", "position": "POSITIONS",
    "lane": "LANES",
}  # fmt: skip
"""What is said of one place along a dimension -> the size of it."""
TOGETHER: dict[tuple[str, ...], str] = {("height", "width"): "pixel"}
"""Several dimensions that one coordinate runs over."""


@dataclass(frozen=True)
class Operands:
    """The operands of one operator whose dimensions are told, and whether its result has the same."""

    count: int
    dimensions: tuple[str, ...]
    result: bool = True


TOLD = {
    "aten.convolution": Operands(1, IMAGE), "aten.convolution_backward": Operands(2, IMAGE, result=False),
    "aten.max_pool2d_with_indices": Operands(1, IMAGE, result=False), "aten.avg_pool2d": Operands(1, IMAGE),
    "aten._adaptive_avg_pool2d": Operands(1, IMAGE), "aten._low_memory_max_pool_with_offsets": Operands(1, IMAGE, result=False),
    "aten._scaled_dot_product_flash_attention": Operands(3, HEADS, result=False),
    "aten._scaled_dot_product_efficient_attention": Operands(3, HEADS, result=False),
    "aten._scaled_dot_product_cudnn_attention": Operands(3, HEADS, result=False),
}  # fmt: skip
"""Operator -> what its first operands are."""


def dimensions(node: Node | None, nodes: Mapping[str, Node], type_: TensorType) -> tuple[str, ...]:
    """A word for each dimension of a tensor; none where the graph does not tell them.

    Args:
        node: The value of the graph that it certainly holds.
        type_: As the kernel is given it.
    """
    if node is None or node.type is None or node.type.shape != type_.shape:
        return ()
    found = {told.dimensions for told in [_of(node)] if told is not None and told.result}
    for user in nodes.values():
        told = _of(user) if node.name in user.arguments else None
        if told is not None and node.name in user.arguments[: told.count]:
            found.add(told.dimensions)
    words = next(iter(found)) if len(found) == 1 else ()
    return words if len(words) == len(type_.shape) else ()


def _of(node: Node) -> Operands | None:
    return TOLD.get(".".join(node.target.split(".")[:2]))
