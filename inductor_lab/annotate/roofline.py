"""What a card can do at most, and what that means for a kernel: three divisions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inductor_lab.gpus import Card, card_of
from inductor_lab.records import Gpu, Traffic

LAUNCH_SECONDS = 2e-6
"""About the least that one launch costs, start to start, even inside a CUDA graph."""


def card(gpu: Gpu) -> Card:
    """The card of a capture."""
    return card_of(gpu.name, gpu.arch)


@dataclass(frozen=True)
class Bound:
    """The least time that a launch can take on a card, and what holds it there."""

    seconds: float
    bytes: int
    intensity: float
    """Operations for each byte."""
    limit: str
    """`memory`, `arithmetic`, `special functions` or `launch`; empty where only the least of its bytes is known."""


def bound(traffic: Traffic, on: Card) -> Bound | None:
    """The roofline of one launch; None where its traffic is not known."""
    if traffic.read is None or traffic.written is None:
        return None
    found = limited(traffic, on, on.flops)
    return replace(found, limit="") if found and traffic.least else found


def limited(traffic: Traffic, on: Card, peak: float) -> Bound | None:
    """The same against a rate of arithmetic, operations a second, of the units that it runs on."""
    found = needed(traffic, on, peak)
    if found is None or traffic.read is None or traffic.written is None:
        return None
    moved = traffic.read + traffic.written
    longest = max(found, key=lambda unit: found[unit])
    limit = "launch" if found[longest] < LAUNCH_SECONDS else longest
    return Bound(found[longest], moved, (traffic.flops or 0) / moved if moved else 0.0, limit)


def needed(traffic: Traffic, on: Card, peak: float) -> dict[str, float] | None:
    """Unit -> the seconds that a launch needs it at least; None where its bytes are not known."""
    if traffic.read is None or traffic.written is None:
        return None
    return {
        "memory": (traffic.read + traffic.written) / on.reachable,
        "arithmetic": (traffic.flops or 0) / peak,
        "special functions": traffic.special / on.specials if on.specials else 0.0,
    }
