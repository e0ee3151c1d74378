"""What docs/dlrm.md has of choices between DLRM's kernels: grouped lookups or atomic additions, and how the outer product's work is cut.

`dlrm_tables.py` writes it.
"""

from __future__ import annotations

import ast
from dataclasses import asdict
from typing import Any

from dlrm_tables import RESULTS, filled, kept, kernels, of, table
from timed_rows import commit

from inductor_lab.kernels.dlrm.lookups_grouped import FROM_COLUMNS
from inductor_lab.kernels.dlrm.outer import TILES

Row = dict[str, Any]
LARGE = 65_536
ADDED = ("atomic", "atomic, table after table", "grouped")
"""How lookups' gradients were added up; no kernel does the second."""


def grouped() -> str:
    """Markdown: gradients of lookups by atomic additions beside those of grouped lookups, and what grouping costs."""
    found = kept(RESULTS / "lookups_tried.json")
    times: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in found["rows"]:
        if row["kernel"] == "lookups_backward":
            times.setdefault((row["columns"], row["batch"], row["ids"], row["run"]), {})[row["variant"]] = row["us"]
    lines = [
        [f"{batch:,}", str(columns), ids, *(f"{own[who]:.1f}" if who in own else "" for who in ADDED)]
        + [f"`{found['runs'][run]['code']}`"]
        for (columns, batch, ids, run), own in sorted(times.items())
        if ids != "evenly" or (len(own) > 1 and ("grouped" in own or batch == LARGE))
    ]
    head = "batch, D, ids drawn, us by atomic additions, us table after table, us grouped, commit"
    first = found["runs"][0]
    told = f"{first['card']}, torch {first['torch']}, triton {first['triton']}; 26 tables of 10,000 rows."
    told += f" `{first['code']}` grouped in runs of 32 lookups, the others in runs of 64, as now. No kernel adds table after table."
    return f"{table(head, lines)}\n{told}\n\n{grouping_costs(found)}"


def grouping_costs(tried: Row) -> str:
    """What a gradient of grouped lookups takes that is no copy of its bytes."""
    batch, rows = LARGE, 26 * 10_000
    lookups = batch * 26
    own = {
        row["columns"]: (row["us"]["hand"][0], row["copy_bytes_per_s"])
        for row in kernels()[1]
        if row["kernel"] == "lookups_backward" and row["batch"] == batch and row["columns"] >= FROM_COLUMNS
    }
    narrow = [one for one in tried["rows"] if (one["batch"], one["columns"], one["variant"]) == (batch, 32, "grouped")]
    newest = max(narrow, key=lambda row: row["run"])
    own[32] = newest["us"], tried["runs"][newest["run"]]["copy_bytes_per_s"]
    over = {
        columns: us - (8 * lookups + 4 * columns * (lookups + rows)) / copy * 1e6
        for columns, (us, copy) in sorted(own.items())
    }
    moved, copy = 4 * 8 * lookups + 3 * 4 * rows, own[32][1]
    widths, took = listed([str(one) for one in over]), listed([f"{us:.0f}" for us in over.values()])
    return filled(
        f"At {batch:,} samples and {widths} columns grouped lookups take {took} us longer than a copy of the gradient's bytes. So grouping "
        "costs nearly the same from 32 columns on, and the sums are added at the rate of a copy. Ids, list and counters of the passes that group "
        f"are {moved / 1e6:.0f} MB, {moved / copy * 1e6:.0f} us of a copy. The rest are two atomic additions for each lookup, list entries of "
        "8 bytes that are written apart, and five launches; which of these takes longest is not known."
    )


def listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def tiles() -> str:
    """Markdown: the outer product as it is cut, beside candidates that scale x_j before it is multiplied: in the same tile, and the fastest."""
    found = kept(RESULTS / "tuned.json")
    lines, gains = [], []
    for row in sorted(found["rows"], key=lambda row: (row["precision"], row["kernel"], row["batch"])):
        chosen = asdict(TILES["half" if row["precision"] == "bf16" else row["precision"]])
        times = [(us, ast.literal_eval(one)) for one, us in sorted(row["tuned_us"].items(), key=lambda told: told[1])]
        own = next(us for us, one in times if one == chosen)
        gains.append(own / next(us for us, one in times if not one["products"]) - 1)
        scaled, fastest = next((us, one) for us, one in times if one["products"])
        same = next(us for us, one in times if one["products"] and tile(one) == tile(chosen))
        lines.append(
            [
                row["precision"],
                row["kernel"],
                f"{row['batch']:,}",
                f"{own:.1f}",
                f"{same:.1f}",
                f"{scaled:.1f}",
                tile(fastest),
            ]
        )
    head = "products, kernel, batch, us as it is, scaling x_j in the same tile, in the fastest, samples x outputs x j"
    told = f"{of(found['runs']).partition(';')[0]}, commit `{found['runs'][0]['code']}`; medians of all candidates, beside nobody else."
    told += f" Of those that scale the sums none is more than {max(gains):.1%} faster than the kernel as it is."
    return f"{table(head, lines)}\n{told}\n\n{beside_inductor()}"


def tile(candidate: Row) -> str:
    return " x ".join(str(candidate[name]) for name in ("block_b", "block_h", "block_j"))


def beside_inductor() -> str:
    """What the outer product took at 2,048 in rounds with Inductor's."""
    runs, rows = kernels()
    took = [
        f"`{row['kernel']}` in {row['precision']} {row['us']['hand'][0]:,.0f} us (`{commit(row, runs)}`)"
        for row in rows
        if row["kernel"].startswith("outer") and row["batch"] == 2048 and row["precision"] in ("tf32", "bf16")
    ]
    return filled(
        f"Do not set these times beside Inductor's. In rounds with those the kernels took, at 2,048: {listed(took)}."
    )


TABLES = {"dlrm_grouped": grouped, "dlrm_tiles": tiles}
