"""What the variables of a readable kernel are called: after the tensor they were read from, or after what was done."""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Load, Named, Operation, Random, Reduction, Scan
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton_values import is_relu

NOUNS = {
    "add": "total", "sub": "difference", "mul": "product", "div": "quotient", "where": "chosen", "maximum": "largest", "minimum": "smallest",
    "neg": "negated", "and": "both", "or": "either", "not": "otherwise", "lt": "test", "le": "test", "gt": "test", "ge": "test",
    "eq": "same", "ne": "test", "bitcast": "bits",
}  # fmt: skip
RUNNING = {
    "mean": "running_mean", "m2": "running_m2", "weight": "running_count", "index": "best_place", "value": "best", "max": "running_max",
    "sum": "running_sum",
}  # fmt: skip
"""What a loop's own tile is called, by which result of a fold it becomes."""
FOLDED = {"sum": "total", "max": "largest", "min": "smallest", "any": "some", "prod": "product", "xor": "parity"}
RESULTS = {"weight": "count", "index": "place", "value": "largest", "max": "largest", "sum": "total"}
"""The results of a fold that has several."""


def noun(value: Expression, tensors: Mapping[str, Tensor]) -> str:
    """The word for a value.

    Args:
        tensors: What each pointer holds, by parameter.
    """
    match value:
        case Load(pointer=pointer):
            return tensors[pointer].name
        case Cast(operand=Load() as load):
            return noun(load, tensors)
        case Cast(operand=operand, dtype=dtype):
            return "index" if "int" in dtype and "float" not in operand.dtype else noun(operand, tensors)
        case Broadcast(operand=operand) | Named(inputs=(operand,)):
            return noun(operand, tensors)
        case Operation() if is_relu(value):
            return "relu"
        case Operation(name=name):
            return NOUNS.get(name, name if name.isidentifier() else "value")
        case Partial(part=part) if part in RUNNING:
            return RUNNING[part].replace("running", "next").replace("best", "next")
        case Reduction(name=name, part=part) | Partial(name=name, part=part):
            return RESULTS.get(part, part) or FOLDED.get(name, name)
        case Scan(name=name):
            return {"sum": "running", "prod": "running"}.get(name, "sorted_" if name.startswith("sort") else "scanned")
        case Random():
            return "noise"
    return "value"
