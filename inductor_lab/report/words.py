"""Phrases that several views share: counts, days, intervals, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def counted_launches(count: int) -> str:
    """`1 launch`, `4,096 launches`."""
    return f"{count:,} launch{'es' if count != 1 else ''}"


def day(date: str) -> str:
    """`2026-11-22 10:02` of a date in ISO's form."""
    return date[:16].replace("T", " ")


def interval(ends: Sequence[float], digits: int) -> str:
    """`95 %: 1.02 to 1.10`."""
    low, high = ends
    return f"95 %: {low:,.{digits}f} to {high:,.{digits}f}"


def configuration(settings: Mapping[str, int] | None) -> str:
    """`BLOCK=1024, num_warps=4`; empty where none is stated."""
    return ", ".join(f"{name}={value}" for name, value in (settings or {}).items())
