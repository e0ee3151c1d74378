"""What a card can do at most, and what that means for a kernel: a small table and two divisions."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.records import Gpu, Traffic

LAUNCH_SECONDS = 2e-6
"""About the least that one launch costs, start to start, even inside a CUDA graph."""


@dataclass(frozen=True)
class Card:
    """One GPU. Peaks are per second; `source` says where the bandwidth comes from."""

    name: str
    bandwidth: float
    """Bytes a second."""
    flops: float
    """fp32 operations a second outside the matrix units, from the data sheet."""
    processors: int
    """SMs or compute units."""
    threads: int
    """Threads that one of them holds at most."""
    warp: int
    source: str


CARDS = {
    "h200": Card("H200", 4.28e12, 67e12, 132, 2048, 32, "a 4.3 GB copy, measured; its data sheet says 4.8 TB/s"),
    "h100": Card("H100 SXM", 3.35e12, 67e12, 132, 2048, 32, "data sheet"),
    "a100": Card("A100 80GB SXM", 2.039e12, 19.5e12, 108, 2048, 32, "data sheet"),
    "b200": Card("B200", 8.0e12, 75e12, 148, 2048, 32, "data sheet"),
    "mi300x": Card("MI300X", 5.3e12, 163.4e12, 304, 2048, 64, "data sheet"),
}
ARCHITECTURES = {"sm_80": "a100", "sm_90": "h200", "sm_100": "b200", "gfx942": "mi300x"}
"""Which card to take where the text names only the architecture."""


def card(gpu: Gpu) -> Card:
    """The card of a capture, by its name, then by its architecture; an H200 where neither is known."""
    compact = gpu.name.lower().replace(" ", "")
    for key, known in CARDS.items():
        if key in compact:
            return known
    return CARDS[ARCHITECTURES.get(gpu.arch.removesuffix("a"), "h200")]


@dataclass(frozen=True)
class Bound:
    """The least time that a launch can take on a card, and what holds it there."""

    seconds: float
    bytes: int
    intensity: float
    """Operations for each byte."""
    limit: str
    """`memory`, `arithmetic` or `launch`."""


def bound(traffic: Traffic, on: Card) -> Bound | None:
    """The roofline of one launch; None where its traffic is not known."""
    if traffic.read is None or traffic.written is None:
        return None
    moved = traffic.read + traffic.written
    flops = traffic.flops or 0
    memory, arithmetic = moved / on.bandwidth, flops / on.flops
    seconds = max(memory, arithmetic)
    limit = "launch" if seconds < LAUNCH_SECONDS else "memory" if memory >= arithmetic else "arithmetic"
    return Bound(seconds, moved, flops / moved if moved else 0.0, limit)
