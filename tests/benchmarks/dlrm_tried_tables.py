"""What docs/dlrm.md has of choices between DLRM's kernels: grouped lookups or atomic additions, and how the outer product's work is cut.

`dlrm_tables.py` writes it.
"""

from __future__ import annotations

import ast
from dataclasses import asdict
from typing import Any

from dlrm_tables import RESULTS, filled, kept, kernels, of, table

from inductor_lab.kernels.dlrm.lookups_grouped import FROM_COLUMNS
from inductor_lab.kernels.dlrm.outer import TILES

Row = dict[str, Any]


def grouped() -> str:
    """Markdown: gradients of lookups by atomic additions beside those of grouped lookups, and what grouping costs."""
    found = kept(RESULTS / "lookups_tried.json")
    times: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in found["rows"]:
        if row["kernel"] == "lookups_backward":
            times.setdefault((row["columns"], row["batch"], row["ids"], row["run"]), {})[row["variant"]] = row["us"]
    lines = [
        [f"{batch:,}", str(columns), ids, *(f"{own[who]:.1f}" if who in own else "" for who in ("atomic", "grouped"))]
        + [f"`{found['runs'][run]['code']}`"]
        for (columns, batch, ids, run), own in sorted(times.items())
        if "grouped" in own and ("atomic" in own or ids != "evenly")
    ]
    head = "batch, D, ids drawn, us by atomic additions, us grouped, commit"
    first = found["runs"][0]
    told = f"{first['card']}, torch {first['torch']}, triton {first['triton']}; 26 tables of 10,000 rows."
    return f"{table(head, lines)}\n{told}\n\n{beyond(found)}"


def beyond(tried: Row) -> str:
    """What a gradient of grouped lookups takes that is no copy of its bytes."""
    batch, rows, last = 65_536, 26 * 10_000, len(tried["runs"]) - 1
    lookups = batch * 26
    own = {
        row["columns"]: (row["us"]["hand"][0], row["copy_bytes_per_s"])
        for row in kernels()[1]
        if row["kernel"] == "lookups_backward" and row["batch"] == batch and row["columns"] >= FROM_COLUMNS
    }
    for row in tried["rows"]:
        if (row["run"], row["batch"], row["columns"], row["variant"]) == (last, batch, 32, "grouped"):
            own[32] = row["us"], tried["runs"][last]["copy_bytes_per_s"]
    over = {
        columns: us - (8 * lookups + 4 * columns * (lookups + rows)) / copy * 1e6
        for columns, (us, copy) in sorted(own.items())
    }
    moved, copy = 4 * 8 * lookups + 3 * 4 * rows, own[32][1]
    widths, took = listed([str(one) for one in over]), listed([f"{us:.0f}" for us in over.values()])
    return filled(
        f"At {batch:,} samples and {widths} columns grouped lookups take {took} us longer than a copy of the gradient's bytes. So grouping "
        "costs nearly the same at any width, and the sums are added at the rate of a copy. Ids, list and counters of the passes that group "
        f"are {moved / 1e6:.0f} MB, {moved / copy * 1e6:.0f} us of a copy. The rest are two atomic additions for each lookup, list entries of "
        "8 bytes that are written apart, and five launches; which of these takes longest is not known."
    )


def listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def tiles() -> str:
    """Markdown: the outer product as it is cut, beside the fastest candidate that scales x_j before it is multiplied."""
    found = kept(RESULTS / "tuned.json")
    lines, gains = [], []
    for row in sorted(found["rows"], key=lambda row: (row["precision"], row["kernel"], row["batch"])):
        chosen = asdict(TILES["half" if row["precision"] == "bf16" else row["precision"]])
        times = [(us, ast.literal_eval(one)) for one, us in sorted(row["tuned_us"].items(), key=lambda told: told[1])]
        own = next(us for us, one in times if one == chosen)
        gains.append(own / next(us for us, one in times if not one["products"]) - 1)
        scaled, fastest = next((us, one) for us, one in times if one["products"])
        shape = " x ".join(str(fastest[name]) for name in ("block_b", "block_h", "block_j"))
        lines.append([row["precision"], row["kernel"], f"{row['batch']:,}", f"{own:.1f}", f"{scaled:.1f}", shape])
    head = "products, kernel, batch, us as it is, scaling x_j, samples x outputs x j"
    told = f"{of(found['runs']).partition(';')[0]}; medians of all candidates, beside nobody else."
    return f"{table(head, lines)}\n{told} Of those that scale the sums none is more than {max(gains):.1%} faster than the kernel as it is.\n"


TABLES = {"dlrm_grouped": grouped, "dlrm_tiles": tiles}
