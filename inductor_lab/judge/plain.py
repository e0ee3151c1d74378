"""A short verdict without a process of its own: what was written, held to eager or to the generated kernel as a whole.

    against_eager(file, inputs, written)      "out is 3.10e-04 from float64, eager is 1.20e-07, the limit 3.59e-07"; "" where it is right

For kernels of other authors that are timed; `limits` holds each element.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from inductor_lab.ejected import demanded
from inductor_lab.judge.alone import distance
from inductor_lab.judge.expected import expected

LOST = 2.0**-12
"""Half the digits of a float32: an error of this size is no rounding."""


def against_eager(file: Any, inputs: Mapping[str, torch.Tensor], written: Mapping[str, torch.Tensor]) -> str:
    """What is wrong with what was written; empty for nothing.

    The limit is twice eager's own distance from float64 plus one rounding. Where an input's last bit moves the result by more (a sum in
    which much cancels), eager may have been lucky: then the limit is twice that.
    """
    eager, exact = expected(file, inputs), expected(file, inputs, exact=True)
    for number, (name, want, ideal) in enumerate(zip(file.WRITTEN, eager, exact, strict=True)):
        if name not in demanded(file):
            continue
        out = written[name]
        want, ideal = want.reshape(out.shape), ideal.reshape(out.shape)
        rounded = want.to(out.dtype)
        rounding = torch.finfo(out.dtype).eps if out.is_floating_point() else 0.0
        mine, theirs = distance(out, ideal, rounded), distance(rounded, ideal, rounded)
        limit = 2 * theirs + rounding
        few = min(8.0, max(out.numel(), 1) ** 0.5)  # the mean of few errors is no smaller than the largest
        off = _spread(out, ideal)
        may = 2 * _spread(want, ideal) + rounding / few
        if mine < LOST and (mine > limit or off > may):
            drawn = [expected(file, inputs, exact=True, nudge=draw)[number].reshape(out.shape) for draw in range(1, 5)]
            if (felt := max(distance(nudged, ideal, rounded) for nudged in drawn)) < LOST:
                limit = max(limit, 2 * felt + rounding)
                may = max(may, 2 * max(_spread(nudged, ideal) for nudged in drawn) + rounding / few)
        if mine > limit:
            return f"{name} is {mine:.2e} from float64, eager is {theirs:.2e}, the limit {limit:.2e}"
        if off > may:
            return f"{name} is off by {off:.2e} in the root mean square, the limit {may:.2e}: too many small errors"
    return ""


def against_generated(file: Any, written: Mapping[str, torch.Tensor], generated: Mapping[str, torch.Tensor]) -> str:
    """The same, against what the generated kernel made of the same inputs: sums may be taken in another order."""
    for name in demanded(file):
        out, want = written[name], generated[name]
        limit = 4 * torch.finfo(out.dtype).eps + 64 * torch.finfo(torch.float32).eps if out.is_floating_point() else 0.0
        mine = distance(out, want, want)
        if mine > limit:
            return f"{name} is {mine:.2e} from what the generated kernel computes, the limit {limit:.2e}"
    return ""


def _spread(out: torch.Tensor, exact: torch.Tensor) -> float:
    """Root mean square of the error over that of the exact values, where both are finite; 0 for integers."""
    if not exact.is_floating_point() or not exact.numel():
        return 0.0
    error, scale = (out.double() - exact).nan_to_num(0.0, 0.0, 0.0), exact.nan_to_num(0.0, 0.0, 0.0)
    return float((error.square().mean() / scale.square().mean().clamp_min(1e-300)).sqrt())
