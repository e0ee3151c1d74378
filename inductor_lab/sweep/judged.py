"""Does the kernel compute at a point what eager computes there? Asked before it is timed, and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from inductor_lab.timing.checked import DRIFT

PART = 2**26
"""Elements that are compared at once where memory is short."""
SHORT = "held to eager alone, within 1 %: float64 does not fit"
UNJUDGED = "not held to eager: the file has no reference"


def judged(file: SimpleNamespace, held: Mapping[str, Any], restore: Callable[[], None]) -> tuple[str, str]:
    """What is wrong with what `launch` makes of the tensors, empty for nothing; and how far it was looked at, empty for float64.

    Outputs are poisoned, and inputs restored before and behind.
    """
    import torch

    from inductor_lab.judge import alone

    if file.reference is None:
        return "", UNJUDGED
    restore()
    for name in file.WRITTEN:
        if file.ARGUMENTS[name][3] == "out" and held[name].is_floating_point():
            held[name].fill_(float("nan"))
    inputs = {name: tensor.clone() for name, tensor in held.items()}
    file.launch(*held.values())
    try:
        *_, wrong = alone.against_eager(file, inputs, {name: (None, tensor) for name, tensor in held.items()})
        short = ""
    except torch.OutOfMemoryError:
        wrong, short = "", SHORT
    if short:
        wrong = _against_eager_alone(file, inputs, held)
    restore()
    return str(wrong), short


def _against_eager_alone(file: SimpleNamespace, inputs: Mapping[str, Any], held: Mapping[str, Any]) -> str:
    """The same without float64, part by part."""
    eager = file.reference(*(inputs[name] for name in file.TAKES))
    for name, want in zip(file.WRITTEN, eager, strict=True):
        off = size = 0.0
        for one, other in zip(held[name].reshape(-1).split(PART), want.reshape(-1).split(PART), strict=True):
            off += (one.float() - other.float()).square().sum().item()
            size += other.float().square().sum().item()
        if not off <= DRIFT**2 * size:
            return f"{name} is {(off / size) ** 0.5 if size else off:.1e} from eager in the norm"
    return ""
