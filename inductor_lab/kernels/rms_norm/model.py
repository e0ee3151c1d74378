"""Llama's RMSNorm behind a residual, forward and backward: what `steps/` is of.

inductor-lab capture inductor_lab/kernels/rms_norm/model.py --shapes-only -o rms_norm       no GPU is needed
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class AddRMSNorm(nn.Module):
    """x and residual [..., N] -> their normalized sum, and the sum."""

    def __init__(self, columns: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(columns)), eps

    def forward(self, x: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
        summed = x + residual
        wide = summed.float()
        normalized = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * normalized.to(x.dtype), summed


def main(rows: int = 4096, columns: int = 4096) -> None:
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = AddRMSNorm(columns)
        x, residual = (torch.randn(rows, columns, requires_grad=True) for _ in range(2))
    results = torch.compile(model)(x, residual)
    torch.autograd.backward(results, [torch.randn_like(result) for result in results])


if __name__ == "__main__":
    main()
