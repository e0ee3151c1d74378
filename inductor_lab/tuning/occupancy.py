"""How much of a card a launch keeps busy: programs that one multiprocessor holds at once, by registers, shared memory and threads. Pure."""

from __future__ import annotations

from inductor_lab.gpus import KIB, Card

REGISTERS_TOGETHER = 8
"""Registers of a thread come in eights."""
RESERVED = KIB
"""Shared memory that CUDA keeps of each program, from sm_80 on."""


def resident(card: Card, *, registers: int | None, shared_memory: int, warps: int) -> int:
    """Programs that one multiprocessor holds at once; 0 where not even one fits."""
    threads = warps * card.warp_size
    limits = [card.programs, card.threads // threads]
    if registers:
        taken = -(-registers // REGISTERS_TOGETHER) * REGISTERS_TOGETHER * threads
        limits.append(card.registers // taken)
    if shared_memory > card.shared_memory_of_one:
        return 0
    reserved = RESERVED if card.backend == "cuda" else 0
    if shared_memory + reserved:
        limits.append(card.shared_memory // (shared_memory + reserved))
    return min(limits)


def occupancy(card: Card, *, registers: int | None, shared_memory: int, warps: int, programs: int) -> float:
    """The part of a card's warps that are there at once: what a multiprocessor holds, or all programs where they are fewer."""
    held = resident(card, registers=registers, shared_memory=shared_memory, warps=warps)
    return min(held, programs / card.processors) * warps * card.warp_size / card.threads
