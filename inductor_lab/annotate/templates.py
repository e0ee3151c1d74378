"""What a template computes: its body says little, its launch and the graph say the product and its shapes."""

from __future__ import annotations

from math import prod

from inductor_lab.annotate.context import dtype
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
    claimed = [
        name.removeprefix("aten.").rpartition("higher_order.")[2].partition(".")[0]
        for name in claims.computed(kernel.claim)
    ]
    products = [name for name in claimed if name in PRODUCTS or "attention" in name]
    return tuple(
        dict.fromkeys([*products, *(one for one in claimed if AFTER.get(one, set()).intersection(kernel.ops))])
    )


def template(kernel: Kernel) -> str:
    """`mm template: [128, 512] x [512, 2048] f32, relu`."""
    told = computed(kernel)
    types = [argument.type for launch in kernel.launches[:1] for argument in launch.arguments if argument.type]
    if any("flex_attention" in name for name in told):
        kind = "flex attention, backward" if any("backward" in name for name in told) else "flex attention"
        return f"{kind} template: {dtype(types[0])}" if types else f"{kind} template"
    if PRODUCTS.intersection(told) and len(types) >= 2 and all(len(type_.shape) >= 2 for type_ in types[:2]):
        left, right = _multiplied(types[0], types[1], types[-1])
        after = (name for name in told if name in AFTER)
        return ", ".join([f"{told[0]} template: {left} x {right} {SHORT.get(types[0].dtype, types[0].dtype)}", *after])
    told = told or kernel.ops[:4]
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
    return f"[{', '.join(map(str, left.shape))}]", f"[{', '.join(map(str, right.shape))}]"
