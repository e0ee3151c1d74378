"""A comparison with what explains it: how both kernels fill the card, their places under the ceilings that were measured, and the sentences.

`position` says which wall a kernel is nearer, by its bytes and operations a second; `operations` what one launch moves and computes, by the file and its
capture. How a launch fills a card is in `machine/targets.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

from inductor_lab import store
from inductor_lab.computation import computation
from inductor_lab.costs.roofline import needed
from inductor_lab.costs.traffic import compulsory, traffic
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card, card_of
from inductor_lab.machine import launches_of, target_named
from inductor_lab.machine.targets import residency
from inductor_lab.measure.timing.ceilings import COPY
from inductor_lab.measure.why.reasons import Side, because
from inductor_lab.records import (
    Ceiling,
    Kernel,
    KernelSide,
    MachineCode,
    PerfDiff,
    Residency,
    Roofline,
    Timing,
    Traffic,
)


def explained(
    found: PerfDiff, module: ModuleType, gpu: str, ceilings: Sequence[Ceiling] = (), here: str = ""
) -> PerfDiff:
    """The same with `because`, and with `residency` and `roofline` of both sides.

    Args:
        gpu: What the machine code of both is for.
        ceilings: What was measured in the same run; none without a GPU.
        here: The name of the card that was timed, where the machine code is for it; another card's code explains no time.
    """
    card = card_of(here or gpu, target_named(gpu).name)
    work, precision = operations(module)
    sides: dict[str, Side] = {}
    told: dict[str, KernelSide] = {"hand": {**found.hand}, "generated": {**found.generated}}
    for which, known in told.items():
        codes = known.get("machine", ())
        filled = _residency(module, which, codes, card)
        sides[which] = Side(codes if filled else _widest(codes), filled)
        if filled:
            known["residency"] = filled
        if place := position(work, precision, known.get("timing"), ceilings, card):
            known["roofline"] = place
    return replace(
        found,
        hand=told["hand"],
        generated=told["generated"],
        ceilings=tuple(ceilings),
        because=because(found.verdict, found.ratio is not None and bool(here), sides["hand"], sides["generated"], card),
    )


def _widest(codes: Sequence[MachineCode]) -> tuple[MachineCode, ...]:
    """Of the instances of one C++ kernel, `add<4>` before `add<1>`, the first: it is what runs on tensors that are aligned.

    Not for Triton's, of which each is a launch: the same kernel may be launched twice.
    """
    return tuple({code.kernel.partition("<")[0]: code for code in codes[::-1]}.values())[::-1]


def _residency(module: ModuleType, which: str, codes: Sequence[MachineCode], card: Card) -> tuple[Residency, ...]:
    """Of each launch; none where they are not told one by one, and for a `.cu` file, whose launcher chooses its blocks itself."""
    if not codes or (which == "hand" and hasattr(module, "CudaKernel")):
        return ()
    programs = [launch.programs for launch in launches_of(module, which)]
    if len(codes) != len(programs):
        return ()
    return tuple(residency(code, count, card) for code, count in zip(codes, programs, strict=True))


def operations(module: ModuleType) -> tuple[Traffic, str]:
    """(work, `bf16`, `tf32` or `fp32`) of the generated kernel: bytes as the file has them, operations, where it is here, as its capture tells."""
    kernel, bytes_ = captured(module), getattr(module, "BYTES", None) or {}
    found, among = (Traffic(), "fp32") if kernel is None else _counted(kernel)
    return replace(found, read=bytes_.get("read"), written=bytes_.get("written")), among


def _counted(kernel: Kernel) -> tuple[Traffic, str]:
    if kernel.category != "template":
        return traffic(kernel), "fp32"
    try:
        found = compulsory(kernel, computation(kernel))
    except ValueError:
        found = ""
    return (found, precision(kernel)) if isinstance(found, Traffic) else (Traffic(), "fp32")


def captured(module: ModuleType) -> Kernel | None:
    """The kernel that a file was ejected from; None where the capture is not here, or holds another one now."""
    origin = getattr(module, "ORIGIN", None)
    if not isinstance(origin, dict):
        return None
    try:
        capture = store.find_capture(str(origin.get("capture", "")))
    except LabError:
        return None
    return next((one for one in capture.kernels if one.body_sha256 == origin.get("body_sha256")), None)


def precision(kernel: Kernel) -> str:
    """Of a template's product: half precision has one ceiling, and fp32 another where the text lets TF32 in."""
    dtypes = {argument.dtype for argument in kernel.arguments if argument.pointer}
    if dtypes & {"bfloat16", "float16"}:
        return "bf16"
    return "tf32" if re.search(r"^\s*ALLOW_TF32\s*:.*= True$", kernel.body, re.MULTILINE) else "fp32"


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
