"""What the variables of a readable kernel are called: after the tensor they were read from, or after what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from inductor_lab.computation.folds import Partial, plain
from inductor_lab.computation.index import Index, Term
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Expression,
    Load,
    Named,
    Operation,
    Random,
    Reduction,
    Scan,
    walk,
)
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.partners import partner_of
from inductor_lab.eject.statistics import bare, statistic
from inductor_lab.eject.triton_values import is_relu

WHOLE = {(row.name, result.part): result.noun for row in TABLE.values() for result in row.results}
RUNNING = {(row.name, result.part): result.running for row in TABLE.values() for result in row.results}
"""(fold, part) -> what a loop's own tile is called."""

Address = tuple[str, Index]
"""A pointer, and where something is read there."""


def noun(
    value: Expression,
    tensors: Mapping[str, Tensor],
    roles: Mapping[Address, str],
    numel: Mapping[str, int | str] = MappingProxyType({}),
) -> str:
    """The word for a value.

    Args:
        tensors: What each pointer holds, by parameter.
        roles: What tells a load from the others of its tensor.
        numel: The elements along each axis.
    """
    if found := statistic(value, numel):
        return found
    match value:
        case Load(pointer=pointer, index=index):
            role = roles.get((pointer, index), "") if index is not None else ""
            return f"{tensors[pointer].name}_{role}" if role else tensors[pointer].name
        case Cast(operand=Load() as load):
            return noun(load, tensors, roles)
        case Cast(operand=operand, dtype=dtype):
            return "index" if "int" in dtype and "float" not in operand.dtype else noun(operand, tensors, roles)
        case Broadcast(operand=operand) | Named(inputs=(operand,)):
            return noun(operand, tensors, roles)
        case Operation() if is_relu(value):
            return "relu"
        case Operation(name="add") if partner_of(value):
            return "partner"
        case Operation() if _is_softmax(value):
            return "probabilities"
        case Operation(name=name):
            return _word(name) if name.isidentifier() else "value"
        case Partial(name=name, part=part) if part:
            return "next_best" if running(value) == "best" else re.sub("running|best", "next", running(value))
        case Reduction(name=name, part=part) | Partial(name=name, part=part):
            return WHOLE.get((name, part), part) or _word("xor_sum" if name == "xor" else name)
        case Scan(name=name, part=part) if name.startswith("sort"):
            return "order" if part else "sorted_"
        case Scan(name=name):
            return {"sum": "running", "prod": "running"}.get(name, "scanned")
        case Random():
            return "noise"
    return "value"


def of_output(found: Computation, pointer: str) -> str:
    """What an output is called that holds a fold of each row, its softmax or its scale: `largest`, `mean`; empty for any other."""
    every = [(part, access) for part in found.every() for access in part.stores if access.pointer == pointer]
    if len(every) == 1 and every[0][1].value is not None:
        value = bare(every[0][1].value)
        if told := statistic(value, every[0][0].numel):
            return told
        folded = isinstance(value, (Reduction, Partial)) or (isinstance(value, Operation) and value.name == "rsqrt")
        if folded or _is_softmax(value):
            return noun(value, {}, {})
    return ""


def owners(found: Computation, tensors: Mapping[str, Tensor]) -> dict[Expression, set[str]]:
    """A value less its casts -> the tensors that it is read from, or written to as it is."""
    held: dict[Expression, set[str]] = {}
    for access in found.accesses:
        if access.value is not None and access.pointer in tensors:
            held.setdefault(bare(access.value), set()).add(tensors[access.pointer].name)
    return held


def _is_softmax(value: Expression) -> bool:
    """Whether exponentials are divided by the sum of all of them."""
    match value:
        case Operation(name="div", inputs=(Operation(name="exp" | "exp2") as part, whole)):
            whole = plain(whole)
            summed = isinstance(whole, Reduction) and whole.name == "sum" and part in walk(whole)
            return summed or (
                isinstance(whole, (Reduction, Partial)) and (whole.name, whole.part) == ("online_softmax", "sum")
            )
    return False


def roles(loads: Iterable[Access], tensors: Mapping[str, Tensor], halves: Mapping[Address, str]) -> dict[Address, str]:
    """What tells the loads of one tensor from each other: `upper` and `lower` of two halves, `at_2` of several places along a dimension.

    Args:
        halves: Loads of one half, by what a person calls it.
    """
    found = dict(halves)
    moving: dict[tuple[str, tuple[Term, ...]], set[int]] = {}
    for access in loads:
        moving.setdefault((access.pointer, access.index.terms), set()).add(access.index.constant)
    for (pointer, terms), constants in moving.items():
        step = _one_dimension(terms, constants, tensors.get(pointer))
        others = sum(known == pointer for known, _ in moving)
        if step and others == 1:
            for constant in constants:
                found.setdefault((pointer, Index(constant, terms)), f"at_{constant // step}")
    return found


def _one_dimension(terms: tuple[Term, ...], constants: set[int], tensor: Tensor | None) -> int:
    """The stride of the dimension that several loads go along, at which nothing else walks; 0 where there is none."""
    if tensor is None or len(constants) < 2 or min(constants) < 0:
        return 0
    for stride, size in zip(tensor.type.stride, tensor.type.shape, strict=True):
        if not isinstance(stride, int) or not isinstance(size, int) or stride < 1 or size < 2:
            continue
        walks = any(abs(term.factor) == stride for term in terms)
        if not walks and all(constant % stride == 0 and constant // stride < size for constant in constants):
            return stride
    return 0


def running(value: Expression) -> str:
    """What a loop's own tile is called that becomes a value."""
    if isinstance(value, Partial):
        return RUNNING.get((value.name, value.part), "accumulator")
    if isinstance(value, Reduction):
        return f"column_{value.name}s"
    return "accumulator"


def _word(operator: str) -> str:
    row = TABLE.get(operator)
    return (row.noun if row else "") or operator
