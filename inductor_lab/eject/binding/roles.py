"""What each tensor is to a kernel: read, an output, overwritten, or written in part.

An output is poisoned before a check, whatever else is drawn: of an output nothing may matter that it held before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load, pointers
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.records import LaunchArgument, TensorType


def overwritten(
    roles: Mapping[str, str], types: Mapping[str, TensorType], passed: Mapping[str, LaunchArgument]
) -> dict[str, str]:
    """Parameter that is written -> the one that is read, where a launch passes the same tensor for both.

    The same expression of the wrapper is the same tensor. Two views of one storage are not: they may lie apart in it.

    Args:
        roles: By parameter: `in`, `out` or `inout`.
    """
    read = {(passed[name].value, types[name]): name for name, role in roles.items() if role == "in"}
    return {
        name: read[passed[name].value, types[name]]
        for name, role in roles.items()
        if role != "in" and (passed[name].value, types[name]) in read
    }


def settled(tensors: Mapping[str, Tensor], found: Computation, needed: Collection[str] | None) -> dict[str, Tensor]:
    """The tensors with their roles, and poison in the outputs.

    Args:
        needed: The pointers whose content the reference needs; None where there is no reference.
    """
    made: dict[str, Tensor] = {}
    for parameter, tensor in tensors.items():
        role = tensor.role if tensor.role == "in" else _role(tensor, found, needed)
        made[parameter] = replace(tensor, role=role, fill="out" if role == "out" else tensor.fill)
    return made


def _role(tensor: Tensor, found: Computation, needed: Collection[str] | None) -> str:
    """`out`, `inout` or `part` for what is written."""
    if needed is not None and tensor.parameter not in needed:
        return "out"
    if tensor.role == "inout" and (needed is None or _read_first(tensor.parameter, found)):
        return "inout"
    return "part" if _leaves_a_rest(tensor, found, counted=needed is not None) else "out"


def _read_first(pointer: str, found: Computation) -> bool:
    """Whether it is loaded, or added to, before anything is stored there."""
    for job in found.every():
        for access in job.accesses:
            loaded = access.value if isinstance(access.value, Load) else None
            if access.pointer == pointer and access.kind != "store" and (loaded is None or loaded.version == 0):
                return True
    return False


def _leaves_a_rest(tensor: Tensor, found: Computation, *, counted: bool) -> bool:
    """Whether some of a tensor stays as it was: data decides where or whether is stored, or fewer elements are than there are.

    Args:
        counted: Whether to count elements: a tree that tells no reference does not tell them either.
    """
    written: int | None = 0
    for job in found.every():
        for access in job.stores:
            if access.pointer != tensor.parameter:
                continue
            if access.gathered or (access.mask is not None and pointers(access.mask)):
                return True
            box = job.box(access)
            written = None if box is None or written is None else written + box.count
    return counted and written is not None and written < tensor.numel()
