"""How a launch fills a card: programs, waves, occupancy, and what keeps more programs from being there at once. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.gpus import Card
from inductor_lab.machine.occupancy import limits, occupancy
from inductor_lab.records import MachineCode, Residency


def residency(code: MachineCode, programs: int, card: Card) -> Residency:
    """Of one launch of so many programs."""
    asked = {"registers": code.registers, "shared_memory": code.shared_memory, "warps": code.num_warps}
    held = limits(card, **asked)
    limit = min(held, key=held.__getitem__)
    return Residency(
        programs,
        held[limit],
        limit,
        occupancy(card, **asked, programs=programs),
        programs / max(held[limit] * card.processors, 1),
    )


def residencies(codes: Sequence[MachineCode], programs: Sequence[int], card: Card) -> tuple[Residency, ...]:
    """Of each launch; none where the launches are not told one by one, as a `.cu` file's are not."""
    if len(codes) != len(programs):
        return ()
    return tuple(residency(code, count, card) for code, count in zip(codes, programs, strict=True))
