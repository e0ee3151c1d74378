"""What a profile of some steps says: the longest operators, what ran on the card, and what `loss.item()` did on the host.

Events are those of a Chrome trace as torch.profiler writes it, with `cat`, `name`, `ts`, `dur` (us) and `tid`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]
TOP = 5
ON_CARD = ("kernel", "gpu_memcpy", "gpu_memset")
"""Categories of a Chrome trace's events."""
WAITS = ("cudaStreamSynchronize", "cudaMemcpyAsync", "cudaEventSynchronize", "cudaDeviceSynchronize")
"""What `_local_scalar_dense` calls to have the number on the host: the copy of 4 bytes, and that everything before it is done."""


def top(own: Mapping[str, float], steps: int) -> list[Row]:
    """The operators with most of their own time: us a step, and the share of everybody's."""
    whole = sum(own.values())
    first = sorted(own.items(), key=lambda pair: -pair[1])[:TOP]
    return [{"name": name, "us": spent / steps, "share": spent / whole} for name, spent in first if spent]


def on_card(events: Sequence[Row], steps: int, wall: float) -> Row:
    """Of a Chrome trace: kernels a step, and which share of `wall`, the us of the profiled steps, something ran on the card."""
    ran = [event for event in events if event.get("cat") in ON_CARD]
    kernels = [event["dur"] for event in ran if event["cat"] == "kernel"]
    by_name: dict[str, float] = defaultdict(float)
    for event in ran:
        by_name[event["name"]] += event["dur"]
    return {
        "kernels": len(kernels) / steps,
        "copies": (len(ran) - len(kernels)) / steps,
        "kernel_us": sum(kernels) / steps,
        "longest": top(by_name, steps),
        "busy_profiled": sum(event["dur"] for event in ran) / wall,
    }


def within(events: Sequence[Row], name: str) -> tuple[float, dict[str, float]]:
    """The us of all operators of that name, and of what CUDA's runtime did within them, by call."""
    spans = [event for event in events if event.get("name") == name and event.get("cat") == "cpu_op"]
    inside: dict[str, float] = defaultdict(float)
    for event in events:
        if event.get("cat") in ("cuda_runtime", "cuda_driver") and any(
            span["tid"] == event["tid"] and span["ts"] <= event["ts"] <= span["ts"] + span["dur"] for span in spans
        ):
            inside[event["name"]] += event["dur"]
    return sum(span["dur"] for span in spans), dict(inside)


def waited(events: Sequence[Row], cpu: float, steps: int) -> Row:
    """What `_local_scalar_dense` costs: its share of `cpu`, the us of all operators on the host, and whether it waits for the card."""
    spent, inside = within(events, "aten::_local_scalar_dense")
    copied = [event["dur"] for event in events if event.get("cat") == "gpu_memcpy" and "DtoH" in event["name"]]
    waiting = sum(inside.get(call, 0.0) for call in WAITS)
    return {
        "item_us": spent / steps,
        "item_share": spent / cpu,
        "item_calls_us": {name: took / steps for name, took in sorted(inside.items(), key=lambda pair: -pair[1])},
        "item_waiting_share": waiting / spent if spent else 0.0,
        "copy_on_card_us": sum(copied) / steps,
        "item_is": "waiting" if waiting > spent / 2 else "computing",
    }
