"""What a kernel is tried on: kinds of inputs, seeds, blocks and sizes, by how much effort the user allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from inductor_lab.judge import alone, families

LARGE = 1 << 20
"""Elements of a tensor that the interpreter works through in a second, and that have room for much at once."""
MOST_PROGRAMS = 2000
"""Programs that the interpreter works through in a few seconds."""
OWN_BLOCKS = "its own blocks"
"""The case of a launch as it is written, which the interpreter is slow at."""


@dataclass(frozen=True)
class Plan:
    """One case, before it is run."""

    name: str
    family: str
    """How its inputs are drawn: a family of `families`."""
    seed: int
    blocks: Mapping[str, int] = field(default_factory=dict)
    """What the launch passes; empty for the file's own."""
    doubled: bool = False
    """Where the launcher knows no such blocks: its own, times two."""
    sizes: Mapping[str, int] | None = None
    boundaries: bool = False
    """Inputs are moved onto what the kernel compares."""
    measured: bool = True
    """False where a kernel that leaves to the bit what the generated one does passes at once: how far both are from float64 is known."""
    choice: int = 0
    """Which of its configurations an autotuned kernel runs, where nothing is timed."""


def plans(file: ModuleType, has: Mapping[str, int], effort: str, seeds: int, drawn: int) -> Iterator[Plan]:
    """Every case of a file, each with another configuration of a kernel that is autotuned.

    Args:
        has: Parameters of the launcher that are whole numbers, its blocks among them.
        seeds: How many draws of normal values, the one of just now included.
        drawn: A seed that nobody could know.
    """
    tell = _few if alone.INTERPRETING and effort == "default" and is_large(file) else _plans
    for choice, plan in enumerate(tell(file, has, effort, seeds, drawn)):
        yield replace(plan, choice=choice, measured=plan.seed in (0, drawn) and plan.family == "normal")


def _plans(file: ModuleType, has: Mapping[str, int], effort: str, seeds: int, drawn: int) -> Iterator[Plan]:
    blocks, half, tail = blocks_of(file)
    for seed in range(max(seeds - 1, 1)):
        yield Plan(f"seed {seed}", "normal", seed, blocks)
    yield Plan("rows of every kind", "rows", 101, blocks)
    yield Plan("on every boundary", "normal", 103, blocks, boundaries=True)
    if effort != "quick":
        yield Plan("columns of every kind", "columns", 102, blocks)
        yield Plan("edge values", "edges", 109, blocks)
        yield Plan("small whole numbers", "exact", 105, blocks)
    if alone.INTERPRETING and (effort == "thorough" or _programs(file, has) <= MOST_PROGRAMS):
        own = {name: value for name, value in blocks.items() if "BLOCK" not in name}
        yield Plan(OWN_BLOCKS, "normal", 106, own)
    if half != blocks:
        yield Plan("half the blocks", "normal", 110, half)
    for sizes in getattr(file, "OTHER_SIZES", ()):
        name = "sizes " + ", ".join(f"{name}={size}" for name, size in sizes.items())
        yield Plan(name, "normal", 107, blocks, sizes=sizes)
    if tail:
        yield Plan(_tail(tail), "normal", 108, {**blocks, **tail}, doubled=True)
    if effort == "thorough":
        for number, family in enumerate(families.FAMILIES):
            yield Plan(f"all {family}", family, 200 + number, blocks)
        for seed in range(300, 303):
            yield Plan(f"rows of every kind, seed {seed}", "rows", seed, blocks)
            yield Plan(f"columns of every kind, seed {seed}", "columns", seed, blocks)
            yield Plan(f"on every boundary, seed {seed}", "rows", seed, blocks, boundaries=True)
    if not alone.INTERPRETING:  # programs that race have another order each time
        for word in ("again", "and again"):
            yield Plan(f"seed 0, {word}", "normal", 0, blocks)
    yield Plan(f"seed {drawn}, drawn now", "normal", drawn, blocks)


def _few(file: ModuleType, has: Mapping[str, int], effort: str, seeds: int, drawn: int) -> Iterator[Plan]:
    """The cases of a file of large tensors in the interpreter: each kind of inputs under other blocks, not beside them."""
    blocks, half, tail = blocks_of(file)
    for seed in range(1, max(seeds - 1, 1)):
        yield Plan(f"seed {seed}", "normal", seed, blocks)
    yield Plan(f"seed {drawn}, drawn now", "normal", drawn, blocks)
    yield Plan("rows of every kind" + ", half the blocks" * (half != blocks), "rows", 101, half)
    yield Plan("on every boundary", "normal", 103, blocks, boundaries=True)
    name = f"columns of every kind, {_tail(tail)}" if tail else "columns of every kind"
    yield Plan(name, "columns", 102, {**blocks, **tail}, doubled=bool(tail))
    yield Plan("edge values", "edges", 109, blocks)


def is_large(file: ModuleType) -> bool:
    """Whether a file's largest tensor is so large that each case takes seconds in the interpreter."""
    return max(math.prod(spec[0]) for spec in file.ARGUMENTS.values()) >= LARGE


def blocks_of(file: ModuleType) -> tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]]:
    """What a launch passes here; half of it, for several programs with several rows each; what leaves the last program partly outside."""
    blocks = file.INTERPRETER["launch"] if alone.INTERPRETING else {}
    half = {name: value // 2 if "BLOCK" in name and value > 2 else value for name, value in blocks.items()}
    return blocks, half, file.TAIL["interpreter" if alone.INTERPRETING else "gpu"]


def _tail(tail: Mapping[str, int]) -> str:
    return "tail, " + ", ".join(f"{name}={block}" for name, block in tail.items())


def _programs(file: ModuleType, has: Mapping[str, Any]) -> int:
    """About how many blocks a launch under the file's own settings works through."""
    block = math.prod(number for name, number in has.items() if "BLOCK" in name)
    return int(max(math.prod(spec[0]) for spec in file.ARGUMENTS.values()) // max(block, 1))
