"""Inputs on which a kernel fails, kept in a file: numbers alone, which reading does not execute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import torch

from inductor_lab import kept
from inductor_lab.errors import LabError
from inductor_lab.judge.plan import Plan


def save(file: Path, kernel: Path, plan: Plan, values: Mapping[str, torch.Tensor], message: str) -> None:
    """Write the inputs of a case.

    Raises:
        LabError: it can not be written.
    """
    try:
        kept.write(file, {"kernel": kernel.name, "message": message, "plan": asdict(plan)}, values)
    except OSError as error:
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name with --save.") from error


def load(file: Path, module: ModuleType) -> tuple[str, Plan, dict[str, torch.Tensor]]:
    """(what the case is called, its plan, its inputs).

    Raises:
        LabError: the file holds no saved inputs, or those of another kernel.
    """
    try:
        head, values = kept.read(file)
        plan = Plan(**head["plan"])
    except kept.BROKEN as error:
        raise LabError(f"{file} holds no inputs that `verify --save` wrote.") from error
    for name, value in values.items():
        shape, _, dtype, *_ = module.ARGUMENTS.get(name, ((), (), None))
        if (tuple(value.shape), value.dtype) != (tuple(shape), dtype):
            raise LabError(f"{file} holds inputs of another kernel: {name} is {value.dtype} of {list(value.shape)}")
    return f"{plan.name}, from {file.name}", plan, values
