"""Where a kernel stands under the ceilings that were measured: bytes and operations a second, and which wall is nearer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.costs.roofline import needed
from inductor_lab.gpus import Card
from inductor_lab.records import Ceiling, Roofline, Timing, Traffic

COPY = "copy"


def position(
    work: Traffic, precision: str, timing: Timing | None, ceilings: Sequence[Ceiling], card: Card
) -> Roofline | None:
    """A kernel's place; None where its bytes are not counted. Without a ceiling that was measured the data sheet tells the wall alone.

    Args:
        work: What it must move and compute.
        precision: `bf16`, `tf32` or `fp32`, the ceiling of its operations.
    """
    if not work.moved:
        return None
    measured = {ceiling.name: ceiling.per_second for ceiling in ceilings}
    copy, product = measured.get(COPY), measured.get(precision)
    seconds = 1e-6 * timing.median if timing else None
    rate = work.moved / seconds if seconds else None
    operations = work.flops / seconds if seconds and work.flops is not None else None
    peak = product or (card.flops if precision == "fp32" else None)
    units = needed(work, card, peak, copy) if peak and work.flops is not None else None
    return Roofline(
        bytes=work.moved,
        flops=work.flops,
        intensity=None if work.flops is None else work.flops / work.moved,
        bytes_per_second=rate,
        flops_per_second=operations,
        bytes_share=rate / copy if rate and copy else None,
        flops_share=operations / product if operations is not None and product else None,
        wall=max(units, key=lambda unit: units[unit]) if units else "",
        precision=precision,
    )
