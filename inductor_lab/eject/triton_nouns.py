"""What the variables of a readable kernel are called: after the tensor they were read from, or after what was done."""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Load, Named, Operation, Random, Reduction, Scan
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton_values import is_relu

WHOLE = {(row.name, part): word for row in TABLE.values() for part, word, _ in row.results}
RUNNING = {(row.name, part): word for row in TABLE.values() for part, _, word in row.results}
"""(fold, part) -> what a loop's own tile is called."""


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
            return _word(name) if name.isidentifier() else "value"
        case Partial(name=name, part=part) if part:
            return running(value).replace("running", "next").replace("best", "next")
        case Reduction(name=name, part=part) | Partial(name=name, part=part):
            return WHOLE.get((name, part), part) or _word("xor_sum" if name == "xor" else name)
        case Scan(name=name):
            return {"sum": "running", "prod": "running"}.get(name, "sorted_" if name.startswith("sort") else "scanned")
        case Random():
            return "noise"
    return "value"


def running(value: Expression) -> str:
    """What a loop's own tile is called that becomes a value."""
    if isinstance(value, Partial):
        return RUNNING.get((value.name, value.part), "accumulator")
    return "accumulator"


def _word(operator: str) -> str:
    row = TABLE.get(operator)
    return (row.noun if row else "") or operator
