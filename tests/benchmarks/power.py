"""What the judge's limits can tell: the smallest relative change of a constant that is found, for each dtype.

    python tests/benchmarks/power.py -o tests/benchmarks/results/judge_power.json

Normal inputs of (1024, 512); the kernel computes in float32 what it stores in less. Needs no GPU. Each change is tried on two seeds
and counts as found where both tell; the least one is searched by bisection, to within a half.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from inductor_lab.judge.compare.limits import Draws, compared

SHAPE = (1024, 512)
SEEDS = 2
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
Changed = Callable[[Tensor, float], Tensor]


def rms_norm(x: Tensor, eps: float) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


CONSTANTS: dict[str, Changed] = {
    "scale of 0.5": lambda x, change: x * (0.5 * (1 + change)),
    "slope of 0.01 on the negative side": lambda x, change: torch.where(x > 0, x, x * (0.01 * (1 + change))),
    "added constant of 1": lambda x, change: x + (1 + change),
    "eps of 1e-2 in an rms norm": lambda x, change: rms_norm(x, 1e-2 * (1 + change)),
    "eps of 1e-5 in an rms norm": lambda x, change: rms_norm(x, 1e-5 * (1 + change)),
}
SUMS: dict[str, Changed] = {
    "one of 512 summands left out": lambda x, change: x.sum(-1) - (x[:, 7] if change else 0),
    "one of 512 summands twice": lambda x, change: x.sum(-1) + (x[:, 7] if change else 0),
    "one of 512 left out of a softmax's sum": lambda x, change: (
        x.exp() / (x.exp().sum(-1, keepdim=True) - (x[:, 7:8].exp() if change else 0))
    ),
}


def told(function: Changed, change: float, dtype: torch.dtype, seed: int) -> bool:
    """Whether the judge finds this change."""
    x = torch.randn(SHAPE, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)
    wide = torch.promote_types(dtype, torch.float32)

    def nudged() -> list[Tensor]:
        bit = torch.finfo(wide).eps
        generator = torch.Generator().manual_seed(seed)
        signs = [2.0 * torch.randint(0, 2, SHAPE, generator=generator) - 1 for _ in range(4)]
        return [function(x.double() * (1 + bit * sign.double()), 0.0) for sign in signs]

    right = function(x.to(wide), 0.0).to(dtype)
    out = function(x.to(wide), change).to(dtype)
    return bool(compared(out, right, function(x.double(), 0.0), right, Draws(nudged)).message)


def least(function: Changed, dtype: torch.dtype) -> float | None:
    """The smallest change that is found on every seed, within a half; None where even ten times the constant is not."""

    def found(change: float) -> bool:
        return all(told(function, change, dtype, seed) for seed in range(SEEDS))

    low, high = torch.finfo(dtype).eps / 64, 10.0
    if not found(high):
        return None
    while high / low > 1.5:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if found(middle) else (middle, high)
    return float(f"{high:.2g}")


def measured() -> dict[str, dict[str, float | bool | None]]:
    names = {dtype: str(dtype).removeprefix("torch.") for dtype in DTYPES}
    rows: dict[str, dict[str, float | bool | None]] = {
        form: {names[dtype]: least(function, dtype) for dtype in DTYPES} for form, function in CONSTANTS.items()
    }
    for form, function in SUMS.items():
        rows[form] = {names[dtype]: all(told(function, 1.0, dtype, seed) for seed in range(SEEDS)) for dtype in DTYPES}
    return rows


def table(rows: dict[str, dict[str, float | bool | None]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = ["| changed | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]

    def cell(value: float | bool | None) -> str:
        if isinstance(value, bool):
            return "found" if value else "missed"
        return "none" if value is None else f"{value:g}"

    lines += [f"| {form} | " + " | ".join(cell(row[name]) for name in columns) + " |" for form, row in rows.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="where the table goes as JSON")
    arguments = parser.parse_args()
    rows = measured()
    print(table(rows))
    if arguments.output:
        document = {"shape": SHAPE, "seeds": SEEDS, "torch": torch.__version__, "least_change_found": rows}
        arguments.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
