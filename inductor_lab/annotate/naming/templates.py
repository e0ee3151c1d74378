"""What a template computes: its body says little, its launch and the graph say the product and its shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from inductor_lab.aten import PRODUCTS
from inductor_lab.bind import claims
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Kernel, TensorType

AFTER = {
    "relu": {"maximum"}, "sigmoid": {"sigmoid", "exp"}, "silu": {"sigmoid", "exp"}, "gelu": {"erf", "tanh"}, "tanh": {"tanh"}, "exp": {"exp"},
}  # fmt: skip
"""What may be done to a product before it is stored -> the operations of which the body must have one."""


def computed(kernel: Kernel) -> tuple[str, ...]:
    """`("mm", "relu")`: a template's product, and what is done to its result."""
    claimed = _claimed(kernel)
    products = [name for name in claimed if name in PRODUCTS or "attention" in name]
    return tuple(dict.fromkeys([*products, *_after(claimed, kernel)]))


def _claimed(kernel: Kernel) -> list[str]:
    return [
        name.removeprefix("aten.").rpartition("higher_order.")[2].partition(".")[0]
        for name in claims.computed(kernel.claim)
    ]


def _after(claimed: Sequence[str], kernel: Kernel) -> list[str]:
    return [name for name in claimed if AFTER.get(name, set()).intersection(kernel.ops)]


def template(kernel: Kernel) -> str:
    """`matmul template: [128, 512] x [512, 2048] f32, relu`."""
    claimed = _claimed(kernel)
    products = [name for name in claimed if name in PRODUCTS]
    others = _after(claimed, kernel)
    types = [argument.type for launch in kernel.launches[:1] for argument in launch.arguments if argument.type]
    if any("flex_attention" in name for name in claimed):
        kind = "flex attention, backward" if any("backward" in name for name in claimed) else "flex attention"
        return f"{kind} template: {_type(types[0])}" if types else f"{kind} template"
    after = f", {', '.join(others)}" if others else ""
    if products and len(types) >= 2 and all(len(type_.shape) >= 2 for type_ in types[:2]):
        left, right = _multiplied(types[0], types[1], types[-1])
        return f"{products[0]} template: {left} x {right} {SHORT.get(types[0].dtype, types[0].dtype)}{after}"
    told = [*products, *others] or list(kernel.ops[:4])
    return f"template: {', '.join(told)}" if told else "template"


def _multiplied(left: TensorType, right: TensorType, result: TensorType) -> tuple[str, str]:
    """Both sides of a product as it takes them: a tensor is passed as it lies in memory, a weight transposed, rows under several dimensions."""
    whole = [size for type_ in (left, right, result) for size in type_.shape]
    if len(right.shape) == 2 and all(isinstance(size, int) for size in whole):
        inner, columns = left.shape[-1], result.shape[-1]
        rows = prod(int(size) for size in left.shape[:-1])
        fits = sorted(map(int, right.shape)) == sorted((int(inner), int(columns)))
        if fits and prod(int(size) for size in result.shape) == rows * int(columns):
            return f"[{rows}, {inner}]", f"[{inner}, {columns}]"
    return _shape(left), _shape(right)


def _shape(type_: TensorType) -> str:
    return f"[{', '.join(map(str, type_.shape))}]"


def _type(type_: TensorType) -> str:
    return f"{SHORT.get(type_.dtype, type_.dtype)}{_shape(type_)}"
