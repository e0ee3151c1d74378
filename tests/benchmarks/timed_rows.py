"""What a row of times says beside them: of which commit and how many recordings it is, its bound, and how it stands to the best other one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inductor_lab.measure.timing.significance import CLOCK, LOUD, SAME

Row = dict[str, Any]
RECORDING = 0.035
"""One recording of a CUDA graph takes up to this much longer than another of the same launches (docs/timing.md)."""
SEVERAL = ("5dfbeda9",)
"""Commits whose rows are of several recordings and do not say so. Later rows say how many in `recordings`, all earlier ones are of one."""
CEILING = {"ieee": "fp32", "tf32": "tf32", "tf32x3": "tf32", "bf16": "bf16", "fp16": "bf16"}
"""Precision of a job's products -> the product whose rate is the most that they reach."""
PRECISION = {"bfloat16": "bf16", "float16": "fp16", "float32": "ieee"}
"""dtype of a row that names no precision -> that of its products."""


def commit(row: Row, runs: Iterable[Row]) -> str:
    """The commit that was timed; empty where neither the row nor a run that is kept tells. No two runs measure the same copy rate."""
    rates = {run["copy_bytes_per_s"]: str(run.get("code", "")) for run in runs if "copy_bytes_per_s" in run}
    return str(row.get("code") or rates.get(row["copy_bytes_per_s"], ""))


def recorded_once(row: Row, runs: Iterable[Row]) -> bool:
    """Whether each of its times is of a single recording of a CUDA graph."""
    return bool(row.get("recordings", 1) == 1 and commit(row, runs) not in SEVERAL)


def noise(row: Row) -> float:
    """How far the interval of the hand kernel's ratio to itself reaches from 1."""
    return max((abs(end - 1) for end in row["ratio"]["again"][1]), default=0.0) if "again" in row["ratio"] else 0.0


def margin(row: Row, who: str) -> float:
    """A difference from somebody up to this is none, as `diff` has it: the noise, 1 %, or what the clock can not tell apart in the shorter of both."""
    shorter = float(min(row["us"][name][0] for name in ("hand", who)))
    return max(noise(row), SAME, CLOCK / shorter)


def loud(row: Row, who: str) -> bool:
    """Whether the noise alone makes the margin so wide that a difference inside it is no tie."""
    return LOUD < noise(row) == margin(row, who)


def stands(row: Row) -> str:
    """How a point stands to the best other one: `ahead` or `behind` where the whole interval is beyond the margin."""
    if not (best := row["best"]):
        return "alone"
    (low, high), least = row["ratio"][best][1], 1 + margin(row, best)
    if low > least:
        return "ahead"
    return "behind" if high < 1 / least else "not certain" if loud(row, best) else "level"


def ceiling(row: Row) -> str:
    """The product whose rate bounds a row's."""
    return CEILING[row.get("precision") or PRECISION[row["dtype"]]]


def rates(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Product -> the lowest and the highest rate that was measured of it, operations in a second."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.get("flops_per_s"):
            found.setdefault(ceiling(row), []).append(row["flops_per_s"])
    return {name: (min(own), max(own)) for name, own in sorted(found.items())}


def bounded(rows: Sequence[Row]) -> list[Row]:
    """The rows, of which each has its bound by the highest rate of all: a run that measured a slow product would have a bound that others beat."""
    highest = rates(rows)
    return [_bounded(row, highest[ceiling(row)][1]) if row.get("flops_per_s") else row for row in rows]


def _bounded(row: Row, rate: float) -> Row:
    bound = 1e6 * max(row["bytes"] / row["copy_bytes_per_s"], row["flops"] / rate)
    return row | {"bound_us": bound, "share": bound / row["us"]["hand"][0]}


def outrun(rows: Sequence[Row]) -> list[str]:
    """Products whose highest rate is too low, as somebody who computes the whole of a row is faster than its bound by products."""
    found = set()
    for row in rows:
        others = [us for name, (us, _) in row["us"].items() if name not in row.get("beside", ())]
        if row.get("flops_per_s") and min(others) < row["bound_us"] != 1e6 * row["bytes"] / row["copy_bytes_per_s"]:
            found.add(ceiling(row))
    return sorted(found)
