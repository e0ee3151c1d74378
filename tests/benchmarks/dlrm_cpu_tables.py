"""What DLRM's pages have of the results in tests/benchmarks/results/dlrm that no card was asked for; `dlrm_tables.py` writes it."""

from __future__ import annotations

import re
from statistics import median
from typing import Any

from dlrm_tables import RESULTS, filled, kept, table

Row = dict[str, Any]
PROGRESS = re.compile(r"[a-z ]+: [\d,]+ of [\d,]+")
"""A line of a command's progress, which is a bar on a terminal."""
COUNTS = {"raw-counts": "as they are, as in the talk", "log-counts": "`--log-counts`: log(1 + count)"}
SCHEDULERS = 4
CYCLE = {"tf32": 2048, "bf16": 4096}
"""Operations of such products that a multiprocessor of sm_90 makes in a cycle: four tensor cores, of 256 or 512 multiply-adds each."""
SCALING = ("FFMA", "FMUL", "HMUL2")


def rows(kind: str) -> list[Row]:
    """Those of that kind, in the order of the results."""
    return [row for row in kept(RESULTS / "cpu.json").get("rows", ()) if row["name"].startswith(f"{kind} ")]


def reader() -> str:
    """The memory of a pass over a log."""
    few, many = sorted(rows("reader"), key=lambda row: int(row["asked"]))
    peaks = [f"{row['asked']:,} rows takes {row['peak_bytes'] / 1e6:.0f} MB" for row in (many, few)]
    return filled(f"A pass over a log of {peaks[0]} at most, over one of {peaks[1]}: most of it is Python and torch.")


def console(name: str) -> str:
    """Commands, and what they said."""
    (row,) = (row for row in rows("console") if row["name"] == f"console {name}")
    lines = [line for typed, said in row["commands"] for line in (f"$ {typed}", *said) if not PROGRESS.match(line)]
    return "\n".join(["```console", *lines, "```", ""])


def failed() -> str:
    """What `verify --thorough` holds against `outer_3`, and why it is so."""
    cases = kept(RESULTS / "verify_outer_3.json")["cases"]
    bad = [one for one in cases if not one["passed"]]
    if not bad:
        return filled(f"`outer_3` passes all of {len(cases)} cases.")
    told = "; ".join(f"in `{one['name']}` {one['message']}" for one in bad)
    (found,) = kept(RESULTS / "cancelling.json")["rows"]
    off, orders = found["off"], found["off"]["random orders in float32"]
    return filled(
        f"`outer_3` fails {len(bad)} of {len(cases)} cases, where groups of inputs are of very different sizes: {told}. Drawn again on a CPU, the sizes "
        f"of its products add up to {found['sizes_by_sum']:,.0f} times their sum. The folded weight's rounding alone costs "
        f"{off['folded in float32, summed in float64']:.3%}. The order of the sum is the reason: {len(orders)} random orders of the products in float32 "
        f"miss {median(orders):.1%} in the median, and {orders[0]:.1%} at least, while eager's order misses {off['eager']:.2%}."
    )


def rates() -> str:
    """Markdown: what a learning rate of 0.1 does, beside one that learns."""
    lines = [
        [str(row["learning_rate"]), COUNTS[row["counts"]], f"{row['early']:.3g}", f"{row['last']:.3g}"]
        + [f"{row['held_out']['loss']:.3g}", f"{row['held_out']['auc']:.3f}"]
        for row in rows("rate")
    ]
    return table("learning rate, counts, loss at step 28, at 168, held-out loss, AUC", lines)


def machine_code() -> str:
    """Markdown: a turn of the outer product's loop, of instructions in a warp."""
    found = kept(RESULTS / "machine_code.json")
    lines = []
    for row in found["rows"]:
        codes, warps = row["opcodes"], row["num_warps"]
        scaling = sum(codes.get(name, 0) for name in SCALING)
        issued = row["instructions"] * warps / SCHEDULERS
        lines.append(
            [row["precision"], "x_j" if row["products"] else "the sums", f"{row['block_b']} x {row['block_h']}"]
            + [
                str(row["registers"]),
                str(row["spilled_bytes"]),
                str(row["instructions"]),
                str(codes["HGMMA"]),
                str(scaling),
            ]
            + [f"{issued:.0f}", f"{row['flop'] / CYCLE[row['precision']]:.0f}"]
        )
    head = "products, scaled, samples x outputs, registers, bytes spilled, instructions, of matrices, that scale, cycles to issue them, of the tensor cores"
    return f"{table(head, lines)}\nBy triton {found['triton']} for {found['target']}, of 64 columns j; of all warps on {SCHEDULERS} schedulers.\n"


TABLES = {
    "dlrm_reader": reader,
    "dlrm_trained": lambda: console("training"),
    "dlrm_exported": lambda: console("export"),
    "dlrm_rates": rates,
    "dlrm_outer_3": failed,
    "dlrm_outer_code": machine_code,
}
