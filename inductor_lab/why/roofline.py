"""Where a kernel stands under the ceilings that were measured: bytes and operations a second, and which wall is nearer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.gpus import Card
from inductor_lab.records import Ceiling, Roofline, Timing

COPY = "copy"


def position(
    moved: int | None, flops: int | None, precision: str, timing: Timing | None, ceilings: Sequence[Ceiling], card: Card
) -> Roofline | None:
    """A kernel's place; None where its bytes are not counted. Without a ceiling that was measured the data sheet tells the wall alone.

    Args:
        moved: Bytes that it must move.
        precision: `bf16`, `tf32` or `fp32`, the ceiling of its operations.
    """
    if not moved:
        return None
    measured = {ceiling.name: ceiling.per_second for ceiling in ceilings}
    copy, product = measured.get(COPY), measured.get(precision)
    seconds = 1e-6 * timing.median if timing else None
    rate = moved / seconds if seconds else None
    work = flops / seconds if seconds and flops is not None else None
    return Roofline(
        bytes=moved,
        flops=flops,
        intensity=None if flops is None else flops / moved,
        bytes_per_second=rate,
        flops_per_second=work,
        bytes_share=rate / copy if rate and copy else None,
        flops_share=work / product if work is not None and product else None,
        wall=_wall(moved, flops, copy or card.reachable, product or (card.flops if precision == "fp32" else None)),
        precision=precision,
    )


def _wall(moved: int, flops: int | None, bytes_a_second: float, flops_a_second: float | None) -> str:
    """What takes longer at its ceiling."""
    if flops is None or flops_a_second is None:
        return ""
    return "memory" if moved / bytes_a_second >= flops / flops_a_second else "arithmetic"
