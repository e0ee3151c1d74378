"""What DLRM's pages have of the results in tests/benchmarks/results/dlrm that no card was asked for; `dlrm_tables.py` writes it."""

from __future__ import annotations

import re
from typing import Any

from dlrm_tables import RESULTS, filled, kept, table

Row = dict[str, Any]
PROGRESS = re.compile(r"[a-z ]+: [\d,]+ of [\d,]+")
"""A line of a command's progress, which is a bar on a terminal."""
COUNTS = {"raw-counts": "as they are, as in the talk", "log-counts": "`--log-counts`: log(1 + count)"}
SCHEDULERS = 4
CYCLE = {"tf32": 2048, "bf16": 4096}
"""Operations of such products that a multiprocessor of sm_90 makes in a cycle: four tensor cores, of 256 or 512 multiply-adds each."""
USES = "what the file uses"
"""The case of a verdict that computes nothing: a file is refused for what it names."""
IMPORTED = "inductor_lab.kernels.dlrm.outer.Folded"
"""What `outer_3`'s file imported and now has itself."""
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


def judged() -> str:
    """What `verify --thorough` said of `outer_3`."""
    cases = kept(RESULTS / "verify_outer_3.json")["cases"]
    drawn = [one for one in cases if one["name"] != USES]
    passed = sum(one["passed"] for one in drawn)
    told = f"`outer_3` passes {'all' if passed == len(drawn) else passed} of {len(drawn)} cases."
    again = kept(RESULTS / "verify_outer_3_case.json")
    for one in again.get("cases", ()):
        if one["passed"]:
            told += f" It passes an earlier draw, too, whose products nearly cancel (`--case '{one['name']}'`, {again['device']})."
        else:
            told += (
                f" It does not pass an earlier draw, whose products nearly cancel (`--case '{one['name']}'`, {again['device']}). "
                f"There {one['message']}; {one['where']['wrong']:,} of {one['where']['of']:,} numbers."
            )
    for refused in (one["message"] for one in cases if one["name"] == USES):
        if IMPORTED in refused:
            told += (
                " `verify` refused an import of its file, behind which nobody can look. Now the file has what it imported, and has not been "
                "judged as a whole on a card again."
            )
        else:
            told += f" `verify` refused what its file used: {refused}."
    return filled(told)


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
            [
                row["precision"],
                "x_j" if row["products"] else "the sums",
                f"{row['block_b']} x {row['block_h']} x {row['block_j']}",
            ]
            + [
                str(row["registers"]),
                str(row["spilled_bytes"]),
                str(row["instructions"]),
                str(codes["HGMMA"]),
                str(scaling),
                *(str(codes.get(name, 0)) for name in ("LDG", "BAR")),
            ]
            + [f"{issued:.0f}", f"{row['flop'] / CYCLE[row['precision']]:.0f}"]
        )
    head = (
        "products, scaled, samples x outputs x j, registers, bytes spilled, instructions, of matrices, that scale, loads, barriers, "
        "cycles to issue them, of the tensor cores"
    )
    told = f"By triton {found['triton']} for {found['target']}; loads are into registers, cycles of all warps on {SCHEDULERS} schedulers."
    return f"{table(head, lines)}\n{told}\n"


TABLES = {
    "dlrm_reader": reader,
    "dlrm_trained": lambda: console("training"),
    "dlrm_exported": lambda: console("export"),
    "dlrm_rates": rates,
    "dlrm_outer_3": judged,
    "dlrm_outer_code": machine_code,
}
