"""What a variable of the reference is called: after the operation, the fold or the tensor that its value comes from."""

from __future__ import annotations

from inductor_lab.computation.folds import masks
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Load, Operation, Random, Reduction, Scan, Unknown
from inductor_lab.eject.eager.pointwise import idiom
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.triton.nouns import statistic

FOLDED = {
    ("sum", ""): "total", ("prod", ""): "product", ("max", ""): "largest", ("fmax", ""): "largest", ("min", ""): "smallest", ("any", ""): "some",
    ("xor", ""): "parity", ("argmax", "value"): "largest", ("argmax", "index"): "place", ("argmin", "value"): "smallest",
    ("argmin", "index"): "place", ("welford", "mean"): "mean", ("welford", "m2"): "deviation", ("welford", "weight"): "count",
    ("online_softmax", "max"): "largest", ("online_softmax", "sum"): "total",
}  # fmt: skip
"""A fold, and which of its results -> what that is called."""


def noun(printer: Printer, node: Expression) -> str:
    """`total`, `mean`, `x_float`"""
    if found := statistic(node, printer.job.numel):
        return found
    match node:
        case Operation(name="where", inputs=(condition, kept, _)) if masks(condition):
            return noun(printer, kept)
        case Operation(name=operator):
            called = idiom(node)
            row = TABLE.get(called[0] if called else operator)
            return (row.noun or row.name) if row else "value"
        case Broadcast(operand=operand):
            return noun(printer, operand)
        case Cast(operand=Load(pointer=pointer), dtype=dtype) if pointer in printer.tensors:
            return f"{printer.tensors[pointer].name}_{dtype.rstrip('0123456789')}"
        case Cast(operand=operand):
            return noun(printer, operand)
        case Reduction(name=fold, part=piece):
            return FOLDED.get((fold, piece), FOLDED.get((fold, ""), "folded"))
        case Scan(name=fold):
            return {"sum": "running_total", "prod": "running_product", "sort": "sorted_"}.get(fold, "running")
        case Random():
            return "random"
        case Load(pointer=pointer):
            return f"{printer.tensors[pointer].name}_part" if pointer in printer.tensors else "value"
        case Unknown(inputs=(inner,)):
            return noun(printer, inner)
    return "value"
