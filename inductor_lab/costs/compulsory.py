"""What the product of a template must move at least, by its shapes: both operands, what its epilogue reads, and the result, once each.

A template's loop is no tree, so its loads are not counted: it reads an operand once for each row or column of blocks, from the cache at
best.
"""

from __future__ import annotations

from inductor_lab.bind.elements import numel, type_of
from inductor_lab.computation import Computation
from inductor_lab.computation.schedule import Define
from inductor_lab.computation.tree import Constant, Size, Unknown
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.records import Kernel, Traffic


def compulsory(kernel: Kernel, found: Computation) -> Traffic | str:
    """The least that one launch reads and writes, and the operations of its product, two for each pair of elements that meet; a reason where its
    shapes do not tell."""
    parameters = {argument.name for argument in kernel.arguments}
    if "arg_KV_IDX" in parameters:
        return "its block mask decides which keys and values it reads"
    if "arg_X" in parameters:
        return "a convolution's stride and border decide which of its input it reads"
    operands, sizes = _named(found, "A", "B"), _named(found, "M", "N", "K")
    if len(operands) < 2 or len(sizes) < 3 or not parameters.issuperset(operands):
        return "its text does not tell what it multiplies"
    if not all(size.isdigit() for size in sizes):
        return "its sizes are symbolic"
    rows, columns, inner = map(int, sizes)
    output, products = _result(kernel, rows * columns) or ("", 0)
    held = [numel(type_of(kernel, operand)) for operand in operands]
    if not products or any(
        count not in (one, one * products) for count, one in zip(held, (rows * inner, inner * columns), strict=True)
    ):
        return "its tensors have not the shapes of its product"
    beside = [a.name for a in kernel.arguments if a.pointer and a.role == "in" and a.name not in operands]
    read = [_bytes(kernel, operand) for operand in dict.fromkeys(operands)]
    read += [_bytes(kernel, pointer, rows * columns * products) for pointer in beside]
    return Traffic(sum(read), _bytes(kernel, output), 2 * rows * columns * inner * products, least=True)


def _named(found: Computation, *names: str) -> list[str]:
    """What the text gives these names first (`A = arg_A`, `M = 256`), as far as it does."""
    told: dict[str, str] = {}
    for statement in found.told:
        match statement.what:
            case Define(names=(name,), values=(Constant(value=value),)) if name in names:
                told.setdefault(name, str(value))
            case Define(names=(name,), values=(Unknown(text=text) | Size(name=text),)) if name in names:
                told.setdefault(name, text)
    return [told[name] for name in names if name in told]


def _result(kernel: Kernel, product: int) -> tuple[str, int] | None:
    """The output that holds the product, and how many products it holds."""
    for argument in kernel.arguments:
        count = numel(type_of(kernel, argument.name)) if argument.role in ("out", "inout") else None
        if count and product and count % product == 0:
            return argument.name, count // product
    return None


def _bytes(kernel: Kernel, pointer: str, most: int | None = None) -> int:
    dtype = next(argument.dtype for argument in kernel.arguments if argument.name == pointer)
    count = numel(type_of(kernel, pointer)) or 0
    return (count if most is None else min(count, most)) * ITEMSIZE[dtype]
