"""What a file's reference makes of the tensors that the kernel reads: as eager computes, in float64, and of inputs that are a last bit off.

expected(file, views)                          eager, one result for each tensor that the kernel writes
expected(file, views, exact=True)              the same without rounding
expected(file, views, exact=True, nudge=1)     the same of inputs that are all off by the last bit of a float32, up or down
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from inductor_lab.judge import alone


def expected(
    file: Any, views: Mapping[str, torch.Tensor], exact: bool = False, nudge: int = 0
) -> tuple[torch.Tensor, ...]:
    """What eager makes of the tensors that the kernel reads, for each tensor that it writes.

    Args:
        nudge: Another number, another draw of last bits; 0 for none.
    """
    read = [views[name].clone() for name in file.TAKES]
    if not exact:
        return tuple(file.reference(*read))
    generator = torch.Generator("cpu").manual_seed(nudge)
    read = [widened(x, generator if nudge else None) for x in read]
    with alone.Exact():
        return tuple(file.reference(*read))


def widened(x: torch.Tensor, nudged: torch.Generator | None = None) -> torch.Tensor:
    """A tensor in float64, or complex128; with a generator, each value off by the last bit of a float32, up or down."""
    if not (x.is_floating_point() or x.is_complex()):
        return x
    bit = torch.finfo(max(x.dtype, torch.float32, key=lambda dtype: dtype.itemsize)).eps
    exact = x.to(alone.wide(x.dtype))
    return exact * (1 + bit * signs(x, nudged).double()) if nudged else exact


def signs(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """1 or -1 for each value, drawn where the tensor lies: a card draws its own, seeded by this generator of the CPU."""
    if x.device.type != "cpu":
        generator = torch.Generator(x.device).manual_seed(int(torch.randint(2**62, (), generator=generator)))
    return 2.0 * torch.randint(0, 2, x.shape, generator=generator, dtype=torch.int8, device=x.device) - 1
