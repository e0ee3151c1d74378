"""The part of a tensor that some of a launch's programs wrote: its rows and columns, as a tensor of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

WHOLE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
Draws = Callable[[], list[Tensor]]


def bits(x: Tensor) -> Tensor:
    """A tensor's elements as whole numbers, which tell a NaN and a negative 0 apart."""
    x = torch.view_as_real(x) if x.is_complex() else x
    return x.contiguous().view(WHOLE[x.element_size()])


def differ(x: Tensor, y: Tensor) -> Tensor:
    """Which elements of two tensors of one shape and dtype have other bits."""
    other = bits(x) != bits(y)
    return other.any(-1) if x.is_complex() else other


@dataclass(frozen=True)
class Part:
    """Rows of the last dimension and columns that hold all marked elements of a tensor."""

    rows: Tensor
    columns: Tensor
    counts: Tensor
    """Which elements of these rows and columns are marked."""

    @staticmethod
    def of(marked: Tensor) -> Part:
        flat = marked.reshape(-1, marked.shape[-1]) if marked.ndim else marked.reshape(1, 1)
        rows = flat.any(1).nonzero().flatten()
        columns = flat[rows].any(0).nonzero().flatten()
        return Part(rows, columns, flat[rows][:, columns])

    def __call__(self, x: Tensor) -> Tensor:
        """The same part of another tensor of as many elements, in that shape."""
        flat = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
        return flat[self.rows][:, self.columns]

    def each(self, draws: Draws) -> Draws:
        """The same part of whatever is drawn."""
        return lambda: [self(draw) for draw in draws()]

    def marked(self, part: Tensor, shape: torch.Size) -> Tensor:
        """Where the marked elements of the part lie in the whole."""
        found = torch.zeros(shape, dtype=torch.bool, device=part.device)
        flat = found.view(-1, shape[-1]) if shape else found.view(1, 1)
        flat[self.rows.unsqueeze(1), self.columns] = part & self.counts
        return found
