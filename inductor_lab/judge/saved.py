"""Inputs on which a kernel fails, kept in a file: numbers alone, which reading does not execute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import torch

from inductor_lab import kept
from inductor_lab.errors import LabError
from inductor_lab.judge.plan import Plan, blocks_of

REAL = "as in the program"
"""The case of the inputs that a launch was given when it was captured."""


def beside(path: Path, module: ModuleType) -> tuple[Plan, dict[str, torch.Tensor]] | None:
    """What the launch was given in the program, where the ejected file says that a file beside it holds that.

    Raises:
        LabError: it is not there, or holds something else.
    """
    name = getattr(module, "REAL", "")
    if not name:
        return None
    file = path.with_name(Path(name).name)
    if not file.is_file():
        raise LabError(
            f"{file} is missing, what the launch was given in the program: put it back beside {path.name}, eject again with "
            '--inputs real, or set REAL = "" in the file'
        )
    _, plan, values = load(file, module)
    return replace(plan, name=REAL, blocks=blocks_of(module)[0]), values


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
