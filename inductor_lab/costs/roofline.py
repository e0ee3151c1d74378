"""What a card can do at most, and what that means for a kernel: three divisions.

    262 MB, 524 million exponentials, on an H200    memory 61 us, arithmetic 8 us, special functions 125 us: the last binds

Explanations, lists and the report ask it with the data sheet's rates, `diff` with those that it measured (`measure/why/explanation.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.gpus import Card, card_of
from inductor_lab.quantity import article, duration, rate
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
    unit: str
    """What needs so long: `memory`, `arithmetic` or `special functions`."""
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
    return Bound(found[longest], traffic.moved, longest, "" if only_bytes else limit)


def told(found: Bound, traffic: Traffic, on: Card, peak: str = "", *, binds: bool = True) -> str:
    """`floor 57.9 us on an H200 at 4.28 TB/s; 1.6 FLOP/byte: bound by memory`.

    Args:
        peak: What its operations are bound by, `989 TFLOP/s in bf16`; empty for the plain units.
        binds: Whether what binds is said.
    """
    floor = f"floor {duration(found.seconds)} on {article(on.label)} {on.label}"
    intensity = (traffic.flops or 0) / max(found.bytes, 1)
    beside = f"{intensity:,.0f} FLOP/byte" if intensity >= 10 else f"{intensity:.2g} FLOP/byte"
    if found.unit == "special functions":
        every = f"{article(on.processor)} {on.processor} makes {on.special} a clock"
        floor += f" by {traffic.special:,} exponentials, roots or quotients, of which {every}"
        beside = f"its bytes alone take {duration(found.bytes / on.reachable)}"
    else:
        floor += (
            f" at {rate(on.reachable) if found.unit == 'memory' else peak or f'{on.flops / 1e12:,.0f} TFLOP/s in fp32'}"
        )
    if not found.limit:
        return f"{floor}, by its bytes alone"
    if found.limit == "launch":
        return floor + (", no more than the 2 us or so that a launch costs: bound by launching" if binds else "")
    return f"{floor}; {beside}" + (f": bound by {found.limit}" if binds else "")


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
