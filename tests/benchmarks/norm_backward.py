"""Layer norm and RMS norm, forward and backward, at sizes where Inductor folds rows and columns in one kernel (2.10 on).

    inductor-lab capture tests/benchmarks/norm_backward.py --shapes-only -o norms       no GPU is needed
    inductor-lab eject norms:1 -o layer_norm.py                                         and norms:4, norms:6, norms:8
    inductor-lab diff layer_norm.py --json                                              on a GPU

Those four unedited on an H200: `results/norm_backward_gpu.json`.
"""

import torch
from torch import nn


def step(model: nn.Module, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(model.to("cuda", dtype))
    x = torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True)
    compiled(x).sin().sum().backward()


class Residual(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.norm(x)


step(nn.LayerNorm(4096), (8192, 4096), torch.bfloat16)
step(nn.RMSNorm(4096), (8192, 4096), torch.bfloat16)
step(nn.LayerNorm(1000), (6000, 1000), torch.float32)
step(Residual(768), (8, 1024, 768), torch.float32)
