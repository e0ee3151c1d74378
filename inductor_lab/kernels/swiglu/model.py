"""SwiGLU of the halves of one tensor, forward and backward: what `steps/` is of.

inductor-lab capture inductor_lab/kernels/swiglu/model.py --shapes-only -o swiglu       no GPU is needed
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import silu


def halves(both: Tensor) -> Tensor:
    """both [..., 2 * F], the result of one product for gate and up -> silu(gate) * up [..., F]."""
    gate, up = both.chunk(2, dim=-1)
    return silu(gate) * up


def main(tokens: int = 4096, columns: int = 11_008) -> None:
    both = torch.randn(tokens, 2 * columns, dtype=torch.bfloat16, device="cuda", requires_grad=True)
    result = torch.compile(halves)(both)
    result.backward(torch.randn_like(result))


if __name__ == "__main__":
    main()
