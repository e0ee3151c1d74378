"""The program whose modules stand beside it: products by Inductor's templates, with something fused behind each.

    inductor-lab capture --gpu h200 -o made -- python tests/products/program.py small       # made/modules/0_inference.py is small.txt

`large` and `dynamic` likewise, with torch 2.13. The blocks are those of the first template: choosing by timing needs the card.
"""

from __future__ import annotations

import sys

import torch

Tensor = torch.Tensor


@torch.compile(mode="max-autotune-no-cudagraphs")
def products(
    bias: Tensor, a: Tensor, b: Tensor, c: Tensor, d: Tensor, p: Tensor, q: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows as they lie; both operands transposed; batches."""
    return torch.nn.functional.gelu(torch.addmm(bias, a, b)), (c.t() @ d.t()).relu(), torch.bmm(p, q) * 2


@torch.compile(mode="max-autotune-no-cudagraphs", dynamic=True)
def dynamic(a: Tensor, b: Tensor) -> Tensor:
    """Sizes that only a launch tells."""
    return (a @ b) + 1


SHAPES = {
    "small": ((41,), (72, 53), (53, 41), (40, 72), (88, 40), (3, 40, 24), (3, 24, 56)),
    "large": ((2048,), (2048, 2048), (2048, 2048), (4096, 4096), (4096, 4096), (64, 1024, 128), (64, 128, 1024)),
}
DTYPES = (*(torch.float32,) * 3, *(torch.bfloat16,) * 2, *(torch.float16,) * 2)

if __name__ == "__main__":
    with torch.no_grad():
        if sys.argv[1] == "dynamic":
            dynamic(torch.randn(72, 40, device="cuda"), torch.randn(40, 88, device="cuda"))
        else:
            shapes = SHAPES[sys.argv[1]]
            products(*(torch.randn(s, device="cuda", dtype=t) for s, t in zip(shapes, DTYPES, strict=True)))
