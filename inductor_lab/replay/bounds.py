"""Whole numbers that index: held to the tensor that they index, before a card would end the whole process over one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

ALONG = {"gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "index_select", "index_add"}
"""Operators with `dim` and `index`."""
LISTED = {"index", "index_put", "index_put_", "_unsafe_index", "_unsafe_index_put"}
"""Operators with `indices`, one for each dimension from the first, counted from the end where they are negative."""


class Checked(TorchDispatchMode):
    """While it is on, an index outside of its tensor is an IndexError on every device, as it is on the CPU."""

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(zip((one.name for one in operator._schema.arguments), args, strict=False)) | dict(kwargs or {})
        for index, low, size in _indices(operator._schema.name.removeprefix("aten::"), given):
            if index.numel() and not low <= int(index.min()) <= int(index.max()) < size:
                raise IndexError(f"index out of range in {operator.name()}: a dimension of {size}")
        return operator(*args, **(kwargs or {}))


def _indices(name: str, given: Mapping[str, Any]) -> Iterator[tuple[Tensor, int, int]]:
    """(indices, the lowest one, the dimension's size) of an operator's arguments."""
    if name == "embedding":
        yield given["indices"], 0, given["weight"].shape[0]
    elif name == "embedding_dense_backward":
        yield given["indices"], 0, given["num_weights"]
    elif name in ALONG:
        yield given["index"], 0, given["self"].shape[given["dim"]] if given["self"].ndim else 1
    elif name in LISTED:
        for size, index in zip(given["self"].shape, given["indices"], strict=False):
            if index is not None and index.dtype != torch.bool:
                yield index, -size, size
            elif index is not None and index.ndim > 1:
                return  # a mask of several dimensions: what follows indexes later ones
    elif name == "nll_loss_forward":
        target, classes = given["target"], given["self"].shape[-1]
        yield target[target != given["ignore_index"]], 0, classes
