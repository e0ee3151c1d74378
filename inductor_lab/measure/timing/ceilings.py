"""What this card does at most, measured by the instrument in the same run as the kernels that are held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import Method, measure, need_gpu
from inductor_lab.records import Ceiling

COPY = "copy"
COPY_BYTES = 2**30
"""Of one tensor: many times any L2 cache."""
LEAST = 2**28
"""Of one tensor: a smaller copy says nothing of memory."""
SIDES = {"bf16": 8192, "tf32": 8192, "fp32": 4096}
"""Precision -> rows and columns of the square matrices that are multiplied."""
ROUNDS = 30


def ceilings(precisions: Sequence[str] = ("fp32",)) -> tuple[Ceiling, ...]:
    """The copy's rate, and the product's in each precision (`bf16`, `tf32`, `fp32`).

    Raises:
        LabError: there is no GPU, no such precision, or too little memory is free.
    """
    import torch

    need_gpu()
    try:
        return (copy_bytes_per_second(), *map(product_flops_per_second, dict.fromkeys(precisions)))
    except torch.OutOfMemoryError as error:
        raise LabError("The ceilings were not measured: too little of the GPU's memory is free.") from error


def copy_bytes_per_second() -> Ceiling:
    """A large copy of random numbers on the device: bytes read plus written."""
    import torch

    torch.cuda.empty_cache()  # blocks that torch only keeps count as taken
    free, _ = torch.cuda.mem_get_info()
    if free < 8 * LEAST:
        raise LabError("The ceilings were not measured: too little of the GPU's memory is free.")
    source = torch.randn(min(COPY_BYTES, free // 8) // 4, device="cuda")
    target = torch.empty_like(source)
    took = _takes(lambda: target.copy_(source))
    what = f"a copy of {source.nbytes / 2**20:,.0f} MiB on the device"
    return Ceiling(COPY, 2 * source.nbytes / (1e-6 * took), what, took)


def product_flops_per_second(precision: str) -> Ceiling:
    """A large product of square matrices of random normal numbers, by PyTorch's library."""
    import torch

    if precision not in SIDES:
        raise LabError(f"There is no ceiling for {precision!r}; it is {', '.join(SIDES)}.")
    side = SIDES[precision]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    a, b = (torch.randn(side, side, device="cuda", dtype=dtype) for _ in range(2))
    out = torch.empty_like(a)
    with _precision("tf32" if precision == "tf32" else "ieee"):
        took = _takes(lambda: torch.mm(a, b, out=out))
    return Ceiling(precision, 2 * side**3 / (1e-6 * took), f"a {side} x {side} x {side} product in {precision}", took)


def _takes(function: Callable[[], object]) -> float:
    """The median in microseconds."""
    return median(measure({"ceiling": function}, method=Method(rounds=ROUNDS)).times["ceiling"])


@contextmanager
def _precision(chosen: str) -> Iterator[None]:
    """fp32 products in TF32, or in fp32 to the letter."""
    import torch

    matmul = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    matmul.fp32_precision = chosen
    try:
        yield
    finally:
        matmul.fp32_precision = before
