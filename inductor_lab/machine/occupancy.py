"""How much of a card a launch keeps busy: programs that one multiprocessor holds at once, by registers, shared memory and threads. Pure."""

from __future__ import annotations

from inductor_lab.gpus import KIB, Card

REGISTERS_TOGETHER = 8
"""Registers of a thread come in eights."""
RESERVED = KIB
"""Shared memory that CUDA keeps of each program, from sm_80 on."""


def resident(card: Card, *, registers: int | None, shared_memory: int, warps: int) -> int:
    """Programs that one multiprocessor holds at once; 0 where not even one fits."""
    return min(limits(card, registers=registers, shared_memory=shared_memory, warps=warps).values())


def limits(card: Card, *, registers: int | None, shared_memory: int, warps: int) -> dict[str, int]:
    """What keeps a multiprocessor from holding more programs -> how many it would hold by that alone."""
    threads = warps * card.warp_size
    found = {"threads": card.threads // threads, "programs": card.programs}
    if registers:
        taken = -(-registers // REGISTERS_TOGETHER) * REGISTERS_TOGETHER * threads
        found["registers"] = card.registers // taken
    reserved = RESERVED if card.backend == "cuda" else 0
    if shared_memory > card.shared_memory_of_one:
        found["shared memory"] = 0
    elif shared_memory + reserved:
        found["shared memory"] = card.shared_memory // (shared_memory + reserved)
    return found


def occupancy(card: Card, *, registers: int | None, shared_memory: int, warps: int, programs: int) -> float:
    """The part of a card's warps that are there at once: what a multiprocessor holds, or all programs where they are fewer."""
    held = resident(card, registers=registers, shared_memory=shared_memory, warps=warps)
    return min(held, programs / card.processors) * warps * card.warp_size / card.threads
