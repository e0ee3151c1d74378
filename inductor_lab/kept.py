"""Saves tensors to .npz files that are safe to read (no pickle), with a little JSON. Each tensor is its bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

if TYPE_CHECKING:
    import torch

HEAD = "_head"
BROKEN = (OSError, EOFError, BadZipFile, KeyError, ValueError, TypeError, AttributeError, RuntimeError)
"""What `read` raises of a file that is not there, or that something else wrote."""


def write(file: Path, head: Mapping[str, Any], tensors: Mapping[str, torch.Tensor], *, compressed: bool = True) -> None:
    """Write tensors of the CPU; strides are not kept."""
    import numpy as np
    import torch

    types = {name: [list(value.shape), str(value.dtype).removeprefix("torch.")] for name, value in tensors.items()}
    arrays: dict[str, Any] = {HEAD: np.frombuffer(json.dumps({**head, "tensors": types}).encode(), np.uint8)}
    for name, value in tensors.items():
        arrays[name] = value.contiguous().reshape(-1).view(torch.uint8).numpy()
    with file.open("wb") as stream:
        (np.savez_compressed if compressed else np.savez)(stream, **arrays)


def read(file: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """What was written: the words, the tensors by name.

    Raises:
        BROKEN: it is not there, or no such file.
    """
    import numpy as np
    import torch

    with np.load(file, allow_pickle=False) as held:
        head = json.loads(held[HEAD].tobytes())
        tensors = {
            name: _contiguous(torch.from_numpy(held[name])).view(getattr(torch, dtype)).reshape(shape)
            for name, (shape, dtype) in head.pop("tensors").items()
        }
    return head, tensors


def _contiguous(content: torch.Tensor) -> torch.Tensor:
    """Bytes with a stride of 1, which a view as another dtype asks for; numpy has 0 for no bytes."""
    return content.as_strided(content.shape, (1,))
