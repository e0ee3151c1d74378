"""Random numbers, which depend on a seed and a position alone (Philox): calls of helpers that draw as Triton does."""

from __future__ import annotations

from inductor_lab.computation.tree import Broadcast, Cast, Expression, Position, Random
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, call
from inductor_lab.eject.refusal import NoReference

RANDOM = {
    "rand": "rand", "randn": "randn", "rand4x": "rand_uniform_4x", "randn4x": "rand_normal_4x", "randint": "randint",
    "randint64": "rand_between",
}  # fmt: skip
"""Calls that there is a helper for -> its name, which is none of the kernel's own helpers."""


def random(printer: Printer, node: Random) -> Value:
    """The helper's call, where the numbers do not depend on how the kernel is cut into blocks."""
    if node.name not in RANDOM:
        raise NoReference(f"eager PyTorch has no function for `{node.name}`")
    called = node.name
    if called.endswith("4x") and all(
        printer.space.numel[axis].is_number and printer.space.numel[axis].number < 3 for axis in node.axes
    ):
        called = called.removesuffix("4x")  # a block of fewer than four draws one by one
    elif called.endswith("4x") and not _consecutive(printer, node.inputs[1]):
        raise NoReference("its random numbers depend on the block size: their offsets are not consecutive")
    printer.helpers |= {RANDOM[called], "philox"}
    values = [printer.to(printer.tensor(printer.value(one), "int64"), "int64") for one in node.inputs]
    dims = frozenset().union(*(value.dims for value in values))
    made = call(RANDOM[called], *(value.node for value in values))
    dtype = "float32" if "int" not in called else "int64"
    return Value(made, dims, max(value.rank for value in values), dtype, sum(v.weight for v in values) + 1)


def _consecutive(printer: Printer, offset: Expression) -> bool:
    """Whether neighbours have neighbouring offsets, from a multiple of four on, whatever the block."""
    while isinstance(offset, (Cast, Broadcast)):
        offset = offset.operand
    if not isinstance(offset, Position) or offset.index.constant % 4:
        return False
    factors = printer.space.factors(offset.index)
    return factors == {number: dim.stride for number, dim in enumerate(printer.space.dims) if dim.axis in offset.axes}
