"""What the hand kernels are to reach on an H200, as data, and how far a row of times is from that. Both `hand_pages.py` and `dlrm_tables.py` tell of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression
from typing import Any

from timed_rows import RECORDING, Row, loud, margin, recorded_once

from inductor_lab.measure.contest.contestants import INDUCTOR

Told = tuple[float, tuple[float, float]]
"""A median with its 95 % interval."""
AGAINST = {"Inductor": tuple(INDUCTOR), "public kernels": ("liger", "flash_attention", "flashinfer")}
"""Several -> the fastest of these that was timed."""


@dataclass(frozen=True)
class Goal:
    """What rows of a kernel are to reach; met where the whole 95 % interval does."""

    where: Mapping[str, Any]
    """Fields of the rows: each is this, or one of these."""
    reach: float
    what: str = "times"
    """What is measured: a name in MEASURES."""
    against: str = "best"
    """Whose time it is compared with: a contestant, `best`, or one of AGAINST."""
    than: Mapping[str, Any] | None = None
    """Of `row`, in what the other row differs."""

    @property
    def most(self) -> bool:
        """Whether less is better."""
        return self.what in ("takes", "us", "bytes", "line")

    @property
    def level(self) -> bool:
        """Whether a tie is enough: a difference within the margin is none."""
        return self.reach == 1 and self.what in ("times", "row")

    @property
    def says(self) -> str:
        form = {
            "times": f"not slower than {self.against}" if self.level else f"{self.reach:g}x {self.against}",
            "takes": f"at most {self.reach:g}x {self.against}",
            "row": f"as fast as {self.against}",
            "copy": f"{self.reach:.0%} of the copy rate",
            "rate": f"{self.reach:g} TB/s",
            "us": f"{self.reach:g} us at most",
            "bytes": f"at most {self.reach:g}x its bytes",
            "line": f"each time within {self.reach - 1:.0%} of a straight line",
        }
        return form[self.what]

    def holds(self, row: Row) -> bool:
        return fits(self.where, row)


def fits(where: Mapping[str, Any], row: Row) -> bool:
    """Whether each of these fields of a row is this, or one of these."""
    return all(row.get(name) in (own if isinstance(own, tuple) else (own,)) for name, own in where.items())


# ---------------------------------------------------------------- what is to be reached

LONG = {"batch": 1, "tokens": 8192, "heads": 32, "kv_heads": 8, "columns": 128, "dtype": "bfloat16", "half_tables": False}  # fmt: skip
FORWARD = LONG | {"backward": False}
FEW = tuple({"tokens": (1024, 512, 128), "half_tables": half} for half in (False, True))
DECODING = {"decoding": True}
PAIRS = {"interleaved": True, "layout": ("BHTD", "BTHD")}
LAYER = {"rows": 4096, "widths": "4096-4096", "rank": 16, "precision": "bf16", "activation": "relu", "backward": False}
NARROW = {"tokens": 1, "neurons": 11_008, "variant": "by rows"}
WIDE = ({"rows": 262_144, "columns": 1024, "backward": False}, {"rows": 65_536, "columns": 512, "backward": False})
"""What of the talk's nine sizes takes longer than 40 us."""

GOALS: dict[str, tuple[Goal, ...]] = {
    "add_mul_activation": (
        *(Goal(where, 0.97, "copy") for where in WIDE),
        *(Goal(where, 1, against="Inductor") for where in WIDE),
    ),
    "lora_linear": (
        Goal(LAYER, 1.05, "takes", "base product alone"),
        Goal(LAYER, 1.2, against="Inductor"),
        Goal(LAYER, 1.2, against="default"),
    ),
    "rotary": (
        Goal(FORWARD, 4.0, "rate"),
        Goal(FORWARD, 1, against="Inductor"),
        Goal(FORWARD, 1, against="public kernels"),
        Goal(FORWARD | PAIRS, 1, "row", "half-split pairs", {"interleaved": False}),
        Goal(LONG | PAIRS | {"backward": True}, 1, "row", "half-split pairs", {"interleaved": False}),
        Goal(LONG | {"backward": True}, 1, against="Inductor"),
        Goal(LONG | {"backward": True}, 1, against="public kernels"),
        *(Goal(few, 1.2, against="Inductor") for few in FEW),
        *(Goal(few, 1, against="public kernels") for few in FEW),
        Goal(DECODING, 1.2, against="Inductor"),
        Goal(DECODING, 1, against="public kernels"),
    ),
    "sparse_ffn": (
        Goal(NARROW | {"sparsity": 0.9, "matrices": 2}, 8.4, "us"),
        Goal(NARROW | {"sparsity": 0.9, "matrices": 2}, 3, against="Inductor"),
        Goal(NARROW | {"sparsity": 0.9, "matrices": 2}, 3, against="default"),
        Goal(NARROW | {"sparsity": 0.9, "matrices": 3}, 12.6, "us"),
        Goal(NARROW | {"sparsity": (0.0, 0.5, 0.75)}, 1.3, "bytes"),
        Goal({"tokens": 1, "matrices": 2, "variant": "by rows"}, 1.05, "takes", "atomic"),
        *(
            Goal({"tokens": 1, "neurons": neurons, "matrices": matrices, "variant": "by rows"}, 1.05, "line")
            for neurons, matrices in ((11_008, 2), (11_008, 3), (16_384, 2))
        ),
    ),
}
"""Kernel -> goals. Where none names a number there is none: of SwiGLU and RMSNorm a tie is a result."""


def _dlrm(kernel: str, batch: int, reach: float, precision: str = "", **how: Any) -> Goal:
    """`precision` of the products; any where empty."""
    return Goal({"kernel": kernel, "batch": batch} | ({"precision": precision} if precision else {}), reach, **how)


DLRM = (
    _dlrm("lookups", 128, 8, against="default"),
    _dlrm("lookups", 65_536, 0.85, what="copy"),
    _dlrm("lookups_backward", 128, 8, against="default"),
    _dlrm("lookups_backward", 65_536, 0.85, what="copy"),
    _dlrm("outer", 128, 1.05, "ieee"),
    _dlrm("outer_folded", 128, 1.8, "ieee"),
    _dlrm("outer_folded", 128, 2, "tf32x3"),
    _dlrm("outer", 128, 1.4, "tf32"),
    _dlrm("outer_folded", 128, 2.5, "tf32"),
    _dlrm("outer", 128, 1.4, "bf16"),
    _dlrm("outer_folded", 128, 2.5, "bf16"),
    _dlrm("pairwise", 2048, 2, against="Inductor"),
)

WHY: tuple[tuple[Mapping[str, Any], str], ...] = (
    (
        {"kernel": "lookups", "batch": 65_536},
        "of tables larger than the L2 cache rows of 64 bytes are read at random; neither other tiles, nor the order of tables, nor cache hints are faster",
    ),
    (
        {"kernel": "lookups_backward", "batch": 128},
        "the tables' gradients are zeroed first, which takes most of the time and runs at the rate of a copy",
    ),
    (
        {"kernel": "lookups_backward", "batch": 65_536, "columns": 16},
        "each lookup is added atomically, in the L2 cache; to group the lookups by row takes longer than all of that (below)",
    ),
    (
        {"kernel": "lookups_backward", "batch": 65_536},
        "the passes that group the lookups by row cost nearly the same from 32 columns on, and are counters and lists, no copy (below)",
    ),
    (
        {"kernel": "outer_folded", "precision": "ieee"},
        "cuBLAS makes better use of the multiply-add units, for twice the products",
    ),
    (
        {"kernel": ("outer", "outer_folded"), "precision": "bf16"},
        "not known: candidates that scale `x_j` before are hardly faster (below)",
    ),
    (
        {"kernel": "pairwise", "precision": "ieee"},
        "all samples run at once, a warp each, 16 a multiprocessor: by count no unit is busy more than about half the time; what a warp waits for is not known",
    ),
    (
        {"kernel": "pairwise", "precision": "tf32x3"},
        "most instructions split float32 into two parts instead of multiplying",
    ),
    (
        {"kernel": "pairwise", "precision": ("tf32", "fp16")},
        "a multiprocessor has 8 programs of one warp, each of two samples one after the other: perhaps too few loads are on their way (not measured)",
    ),
    ({"grafted": "outer_3"}, "the folded layer alone takes more than the goal leaves for it"),
    ({"grafted": "outer_1"}, "the layer is not folded: it reads the whole weight"),
    (
        {"kernel": "lora_linear", "goal": "1.2x default"},
        "the main kernel alone, with bias and relu, takes nearly as long as the goal, and most of the low-rank kernel is not hidden (below)",
    ),
    (
        {"kernel": "lora_linear"},
        "Triton's product alone, the main kernel of rank 0 (below), takes longer than the goal",
    ),
    (
        {"kernel": "rotary", "tokens": 1024, "half_tables": False, "goal": "1.2x Inductor"},
        "Inductor has one launch too by `combo_kernels`, and the goal is less than its bytes take at the rate of a large copy",
    ),
    (
        {"kernel": "rotary", "tokens": 512, "half_tables": False, "goal": "1.2x Inductor"},
        "Inductor has one launch too by `combo_kernels`; three candidates are faster, by 4.3 to 6.2 %, and lose 5 % or more at 128 tokens",
    ),
    (
        {"kernel": "rotary", "tokens": 128, "half_tables": False, "goal": "1.2x Inductor"},
        "Inductor has one launch too by `combo_kernels`, and no candidate is faster",
    ),
    (
        {"kernel": "rotary", "tokens": 128, "half_tables": True, "goal": "1.2x Inductor"},
        "`combo_kernels` took 2.14 us, and 2.72 in the run before, where the goal was met; two candidates are faster by 10 %, but lose 15 % or more "
        "with whole tables",
    ),
    (
        {"kernel": "rotary", "tokens": 512, "half_tables": False},
        "a candidate gains about what Liger is ahead, but loses at 128 tokens; rotating in place gains about as much (below)",
    ),
    (
        {"kernel": "rotary", "tokens": 1024, "half_tables": False},
        "no candidate is faster; done as Liger does, in place, dense, by half tables, it gains less than two thirds of it (below); the rest is not known",
    ),
    (
        {"kernel": "rotary", "tokens": 1024, "half_tables": True, "goal": "not slower than public kernels"},
        "three candidates gain more, but lose 10 % or more at 128 tokens; turning in place, as Liger does, gains half of it (below, with whole tables)",
    ),
    (
        {"kernel": "rotary", "decoding": True, "batch": 1},
        "Inductor has one launch too, and what is left is a chain: a store behind two loads that wait for each other takes nearly as long alone as the goal "
        "(the page of all kernels)",
    ),
    ({"kernel": "rotary", "decoding": True}, "Inductor has one launch too; what more could be saved is not known"),
    (
        {"kernel": "sparse_ffn", "sparsity": (0.75, 0.9), "matrices": 2},
        "its bytes at the rate of a large copy and its two launches for no neuron (below) take as long together as the goal, or longer",
    ),
    (
        {"kernel": "sparse_ffn", "sparsity": 0.75, "matrices": 3},
        "its bytes at the rate of a large copy and two launches for no neuron (below, of two matrices) take longer together than the goal",
    ),
    (
        {"kernel": "sparse_ffn", "sparsity": 0.95},
        "it is below the line: up to 1,280 neurons have a schedule of their own, which takes less for no neuron (below)",
    ),
)
"""Fields of rows, each this or one of these -> why they do not reach their goal. Of what is no part of DLRM, `goal` is what the goal says."""


def why(row: Row) -> str:
    """Why a row does not reach its goal; empty where nobody has said."""
    return next((reason for where, reason in WHY if fits(where, row)), "")


# ---------------------------------------------------------------- what is measured


def turned(told: Sequence[Any], of: float = 1.0) -> Told:
    """`of` by a median with its interval."""
    value, (low, high) = told
    return of / value, (of / high, of / low)


def whom(row: Row, goal: Goal) -> str:
    """Whose time a row is compared with; empty where nobody of them was timed."""
    if goal.against == "best":
        return row["best"] or ""
    names = [name for name in AGAINST.get(goal.against, (goal.against,)) if name in row["ratio"]]
    return min(names, key=lambda name: row["us"][name][0], default="")


def _times(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    value, (low, high) = row["ratio"][whom(row, goal)]
    return value, (low, high)


def _takes(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    return turned(row["ratio"][whom(row, goal)])


def _other(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    """The time of a row that differs in `than` by this one's; the ends of both intervals, as they were not timed in the same rounds."""
    names = [*row][1 : [*row].index("bytes")]
    wanted = {name: row[name] for name in names} | dict(goal.than or {})
    other = next(one for one in rows if wanted.items() <= one.items())
    (its, (low, high)), (own, (least, most)) = other["us"]["hand"], row["us"]["hand"]
    return its / own, (low / most, high / least)


def _copy(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    return turned(row["us"]["hand"], row["bytes"] / row["copy_bytes_per_s"] * 1e6)


def _rate(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    return turned(row["us"]["hand"], row["bytes"] / 1e6)


def _us(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    value, (low, high) = row["us"]["hand"]
    return value, (low, high)


def _bytes(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    return turned(_copy(row, goal, rows))


def _line(row: Row, goal: Goal, rows: Sequence[Row]) -> Told:
    """How far a row's time is from the line by least squares through all of the goal's: the longer by the shorter."""
    own = [one for one in rows if goal.holds(one)]
    slope, fixed = linear_regression([1 - one["sparsity"] for one in own], [one["us"]["hand"][0] for one in own])
    fitted = fixed + slope * (1 - row["sparsity"])
    value, (low, high) = row["us"]["hand"]
    return (value / fitted, (low / fitted, high / fitted)) if value > fitted else turned([value, (low, high)], fitted)


MEASURES: dict[str, Callable[[Row, Goal, Sequence[Row]], Told]] = {
    "times": _times,
    "takes": _takes,
    "row": _other,
    "copy": _copy,
    "rate": _rate,
    "us": _us,
    "bytes": _bytes,
    "line": _line,
}
"""What is measured -> a row's figure: somebody's time by hand's, hand's by somebody's, another row's time by this one's, the share of the copy rate,
TB/s, microseconds, the time by that of a copy of its bytes, and the distance from a line."""

# ---------------------------------------------------------------- whether it is reached


def verdict(row: Row, goal: Goal, told: Told, *, once: bool) -> str:
    """`met`, `missed by` how much, or `not certain`; and whether that is within what one recording of a CUDA graph may differ from another.

    Args:
        once: Whether the row's times are of one recording each.
    """
    value, (low, high) = turned(told, goal.reach) if goal.most else _part(told, goal.reach)
    who = whom(row, goal) if goal.what == "times" else "hand"
    least = 1 / (1 + margin(row, who)) if goal.level else 1.0
    if low >= 1 or (low >= least and not loud(row, who)):
        return "met" + (f", within {RECORDING:.1%}" if once and low < 1 + RECORDING else "")
    if high >= least:
        return "not certain"
    by = 1 / value - 1 if goal.most else 1 - value
    near = once and value > 1 / (1 + RECORDING)
    return f"missed by {by:.0%}" + (f", within {RECORDING:.1%}" if near else "")


def _part(told: Told, reach: float) -> Told:
    """What of a goal is reached."""
    value, (low, high) = told
    return value / reach, (low / reach, high / reach)


def reached(row: Row, goal: Goal, rows: Sequence[Row], runs: Sequence[Row]) -> tuple[str, str]:
    """What a row has of a goal, with its interval, and the verdict."""
    if goal.what in ("times", "takes") and not (who := whom(row, goal)):
        return "", f"{goal.against} not timed"
    value, (low, high) = told = MEASURES[goal.what](row, goal, rows)
    form = ".0%" if goal.what == "copy" else ".3f" if goal.level or goal.what in ("takes", "line") else ".2f"
    name = f" {who}" if goal.what == "times" and goal.against in AGAINST else ""
    return f"{value:{form}} ({low:{form}} to {high:{form}}){name}", verdict(
        row, goal, told, once=recorded_once(row, runs)
    )
