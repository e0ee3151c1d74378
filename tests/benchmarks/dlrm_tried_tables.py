"""What docs/dlrm.md has of grouped lookups beside atomic additions; `dlrm_tables.py` writes it."""

from __future__ import annotations

from typing import Any

from dlrm_tables import RESULTS, filled, kept, kernels, table

from inductor_lab.kernels.dlrm.lookups_grouped import FROM_COLUMNS

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


TABLES = {"dlrm_grouped": grouped}
