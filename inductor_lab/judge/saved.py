"""Inputs on which a kernel fails, kept in a file: numbers alone, which reading does not execute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from zipfile import BadZipFile

import numpy as np
import torch

from inductor_lab.errors import LabError
from inductor_lab.judge.plan import Plan

HEAD = "failure"


def save(file: Path, kernel: Path, plan: Plan, values: Mapping[str, torch.Tensor], message: str) -> None:
    """Write the inputs of a case as an .npz of numpy, each tensor as its bytes.

    Raises:
        LabError: it can not be written.
    """
    head = {
        "kernel": kernel.name, "message": message, "plan": asdict(plan),
        "tensors": {name: [list(value.shape), str(value.dtype).removeprefix("torch.")] for name, value in values.items()},
    }  # fmt: skip
    arrays = {name: value.contiguous().reshape(-1).view(torch.uint8).numpy() for name, value in values.items()}
    try:
        with file.open("wb") as stream:
            np.savez_compressed(stream, **{HEAD: np.frombuffer(json.dumps(head).encode(), np.uint8)}, **arrays)
    except OSError as error:
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name with --save.") from error


def load(file: Path, module: ModuleType) -> tuple[str, Plan, dict[str, torch.Tensor]]:
    """(what the case is called, its plan, its inputs).

    Raises:
        LabError: the file holds no saved inputs, or those of another kernel.
    """
    try:
        with np.load(file, allow_pickle=False) as held:
            head = json.loads(held[HEAD].tobytes())
            values = {
                name: torch.from_numpy(held[name].copy()).view(getattr(torch, dtype)).reshape(shape)
                for name, (shape, dtype) in head["tensors"].items()
            }
        plan = Plan(**head["plan"])
    except (OSError, EOFError, BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise LabError(f"{file} holds no inputs that `verify --save` wrote.") from error
    for name, value in values.items():
        shape, _, dtype, *_ = module.ARGUMENTS.get(name, ((), (), None))
        if (tuple(value.shape), value.dtype) != (tuple(shape), dtype):
            raise LabError(f"{file} holds inputs of another kernel: {name} is {value.dtype} of {list(value.shape)}")
    return f"{plan.name}, from {file.name}", plan, values
