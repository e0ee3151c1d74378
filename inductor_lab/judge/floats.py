"""The floats of a tensor in order: so many values of its dtype up or down."""

from __future__ import annotations

import torch
from torch import Tensor

WHOLE = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def beside(x: Tensor, steps: Tensor | int) -> Tensor:
    """The values so many steps above, in the tensor's own dtype; -0.0 and 0.0 are one place. What is not finite stays."""
    whole = WHOLE[x.dtype.itemsize]
    lowest = torch.iinfo(whole).min
    bits = x.contiguous().view(whole).long()
    places = torch.where(bits < 0, lowest - bits, bits) + steps
    found = torch.where(places < 0, lowest - places, places).to(whole).view(x.dtype)
    return torch.where(torch.isfinite(x) & torch.isfinite(found) & (torch.as_tensor(steps) != 0), found, x)
