"""A comparison with what explains it: how both kernels fill the card, their places under its ceilings, and the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from inductor_lab.gpus import GPUS, Card, card_of
from inductor_lab.machine import launches_of, target_named
from inductor_lab.records import Ceiling, MachineCode, PerfDiff, Residency, Timing
from inductor_lab.why.because import because
from inductor_lab.why.operations import operations
from inductor_lab.why.residency import residencies
from inductor_lab.why.roofline import position
from inductor_lab.why.side import Side


def explained(
    found: PerfDiff, module: ModuleType, gpu: str, ceilings: Sequence[Ceiling] = (), here: str = ""
) -> PerfDiff:
    """The same with `because`, and with `residency` and `roofline` of both sides.

    Args:
        gpu: What the machine code of both is for.
        ceilings: What was measured in the same run; none without a GPU.
        here: The name of the card that was timed, where the machine code is for it; another card's code explains no time.
    """
    card = card_of(here, target_named(gpu).name) if here else _card(gpu)
    work, precision = operations(module)
    sides: dict[str, Side] = {}
    told: dict[str, dict[str, object]] = {}
    for which, known in (("hand", found.hand), ("generated", found.generated)):
        codes: tuple[MachineCode, ...] = tuple(_of(known, "machine") or ())
        filled = _residency(module, which, codes, card)
        timing: Timing | None = _of(known, "timing")
        place = position(work, precision, timing, ceilings, card)
        sides[which] = Side(codes if filled else _widest(codes), filled)
        told[which] = {**known, **({"residency": filled} if filled else {}), **({"roofline": place} if place else {})}
    return replace(
        found,
        hand=told["hand"],
        generated=told["generated"],
        ceilings=tuple(ceilings),
        because=because(found.verdict, found.ratio is not None and bool(here), sides["hand"], sides["generated"], card),
    )


def _of(side: Mapping[str, object], key: str) -> Any:
    return side.get(key)


def _widest(codes: Sequence[MachineCode]) -> tuple[MachineCode, ...]:
    """Of the instances of one C++ kernel, `add<4>` before `add<1>`, the first: it is what runs on tensors that are aligned.

    Not for Triton's, of which each is a launch: the same kernel may be launched twice.
    """
    return tuple({code.kernel.partition("<")[0]: code for code in codes[::-1]}.values())[::-1]


def _residency(module: ModuleType, which: str, codes: Sequence[MachineCode], card: Card) -> tuple[Residency, ...]:
    """Of each launch; none for a `.cu` file, whose launcher chooses its blocks itself."""
    if not codes or (which == "hand" and hasattr(module, "CudaKernel")):
        return ()
    return residencies(codes, [launch.programs for launch in launches_of(module, which)], card)


def _card(gpu: str) -> Card:
    return GPUS.get(gpu.lower()) or card_of("", target_named(gpu).name)
