"""What a card can do at most, and what that means for a kernel: three divisions.

    262 MB, 524 million exponentials, on an H200    memory 61 us, arithmetic 8 us, special functions 125 us: the last binds

Explanations, lists and the report ask it with the data sheet's rates, `diff` with those that it measured (`why/roofline.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

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
    """`memory`, `arithmetic`, `special functions` or `launch`; empty where its bytes alone are known, and only the least of them."""


def bound(traffic: Traffic, on: Card, peak: float | None = None) -> Bound | None:
    """The roofline of one launch; None where its traffic is not known.

    Args:
        peak: Operations a second of the units that it runs on, where they are not the plain ones.
    """
    found = needed(traffic, on, peak)
    if found is None or traffic.moved is None:
        return None
    longest = max(found, key=lambda unit: found[unit])
    limit = "launch" if found[longest] < LAUNCH_SECONDS else longest
    only_bytes = traffic.least and traffic.flops is None
    intensity = (traffic.flops or 0) / traffic.moved if traffic.moved else 0.0
    return Bound(found[longest], traffic.moved, intensity, "" if only_bytes else limit)


def needed(
    traffic: Traffic, on: Card, peak: float | None = None, bandwidth: float | None = None
) -> dict[str, float] | None:
    """Unit -> the seconds that a launch needs it at least; None where its bytes are not known.

    Args:
        peak: As in `bound`.
        bandwidth: Bytes a second, where that was measured.
    """
    if traffic.moved is None:
        return None
    return {
        "memory": traffic.moved / (bandwidth or on.reachable),
        "arithmetic": (traffic.flops or 0) / (peak or on.flops),
        "special functions": traffic.special / on.specials if on.specials else 0.0,
    }
