"""What float64 makes of inputs that are a last bit away: what no rounding can hold apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from inductor_lab.judge import alone
from inductor_lab.judge.laid import Laid

TINY = 2 * torch.finfo(torch.float32).smallest_normal
"""A number that a factor near 1 makes subnormal."""


@dataclass(frozen=True)
class Nearby:
    """Results of a file's reference in float64 for the tensor of this number and shape, each computed when it is asked for."""

    file: Any
    laid: Laid
    number: int
    shape: torch.Size

    def nudged(self) -> list[Tensor]:
        """For inputs that are all off by the last bit of a float32, up or down: one result a draw."""
        views = self.laid.on(alone.DEVICE)
        draws = [alone.expected(self.file, views, exact=True, nudge=draw) for draw in range(1, 5)]
        return [results[self.number].reshape(self.shape) for results in draws]

    def moved(self) -> list[Tensor]:
        """A result that is off by what the last bits of the inputs in their own dtypes can do at most, each input by itself."""
        read = self._read()
        ideal = self._result(read)
        moved = torch.zeros_like(ideal)
        for at, name in enumerate(self.file.TAKES):
            dtype = self._dtype(name)
            if not dtype.is_floating_point:
                continue
            for draw in (1, 2):
                signs = (
                    2.0 * torch.randint(0, 2, read[at].shape, generator=torch.Generator("cpu").manual_seed(draw)) - 1
                )
                nudged = read[at] * (1 + torch.finfo(dtype).eps * signs.double().to(read[at].device))
                moved += (self._result([*read[:at], nudged, *read[at + 1 :]]) - ideal).abs() / 2
        return [ideal + moved]

    def flushed(self) -> list[Tensor]:
        """For inputs that are a little up or down around 0: the GPU's approximate functions take subnormal numbers for it.

        Nothing where no input is so small.
        """
        read = self._read()
        if not any(x.is_floating_point() and bool(((x != 0) & (x.abs() <= TINY)).any()) for x in read):
            return []
        return [self._result([x + step if x.is_floating_point() else x for x in read]) for step in (TINY, -TINY)]

    def _read(self) -> list[Tensor]:
        views = self.laid.on(alone.DEVICE)
        return [alone.widened(views[name]) for name in self.file.TAKES]

    def _dtype(self, name: str) -> torch.dtype:
        return getattr(torch, self.laid.layout[name]["dtype"])  # type: ignore[no-any-return]

    def _result(self, read: list[Tensor]) -> Tensor:
        with alone.Exact():
            return self.file.reference(*[x.clone() for x in read])[self.number].reshape(self.shape)  # type: ignore[no-any-return]
