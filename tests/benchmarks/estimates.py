"""Estimates beside times: of each kernel of `results/unedited_corpus.json`, timed on an H200, its bound and its estimate.

    python tests/benchmarks/estimates.py DIR -o tests/benchmarks/results/estimates.json

DIR holds the captures of `corpus.py` and `real_models.py`; those of `captured/` are here. What is asked is whether a list that is sorted by
estimate less bound has the kernels first of which an edit may gain most: time less bound.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log
from pathlib import Path

from inductor_lab import store
from inductor_lab.costs.hints import of_graphs
from inductor_lab.costs.launches import of_kernel
from inductor_lab.gpus import GPUS
from inductor_lab.records import Capture

HERE = Path(__file__).parent
TIMED = HERE / "results" / "unedited_corpus.json"
CAPTURED = HERE.parents[1] / "captured"
LAUNCHED = 1.3
"""Microseconds that the shortest kernels of the table took: a time has them, an estimate does not."""

Row = dict[str, float | str]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "estimates.json")
    asked = parser.parse_args()
    timed = json.loads(TIMED.read_text())
    rows = list(estimated(timed["rows"], (CAPTURED, asked.corpus)))
    found = {
        "what": "estimate and bound beside a time, in us",
        "gpu": timed["gpu"],
        "timed": TIMED.name,
        **told(rows),
        "rows": rows,
    }
    asked.output.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(told(rows), indent=1))


def estimated(timed: list[dict[str, object]], folders: tuple[Path, ...]) -> Iterator[Row]:
    """A row for each timed kernel of a capture that is here."""
    captures: dict[str, Capture] = {}
    for row in timed:
        name, body = str(row["capture"]), str(row["body_sha256"])
        folder = next((folder / name for folder in folders if (folder / name).is_dir()), None)
        if folder is None or not row.get("generated_us"):
            continue
        capture = captures.get(name) or captures.setdefault(name, store.load(folder))
        kernel = next((one for one in capture.kernels if one.body_sha256.startswith(body)), None)
        if kernel is None:
            continue
        cost = of_kernel(replace(kernel, launches=kernel.launches[:1]), GPUS["h200"], of_graphs(capture))
        if cost.estimate is not None and cost.bound is not None:
            yield {
                "kernel": f"{name}:{row['kernel']}",
                "time": round(float(str(row["generated_us"])), 2),
                "bound": round(1e6 * cost.bound, 3),
                "estimate": round(1e6 * cost.estimate, 3),
            }


def told(rows: list[Row]) -> dict[str, object]:
    """How near the estimates are, and how often two kernels are in the order of what may be gained of them."""
    long = [
        abs(log((number(row, "estimate") + LAUNCHED) / number(row, "time"))) for row in rows if number(row, "time") > 3
    ]
    orders: dict[str, Callable[[Row], float]] = {
        "estimate less bound": lambda row: number(row, "estimate") - number(row, "bound"),
        "bound": lambda row: number(row, "bound"),
        "bound, a launch at least 2 us": lambda row: max(number(row, "bound"), 2.0),
    }
    return {
        "kernels": len(rows),
        "over 3 us": len(long),
        "median distance of those": round(statistics.median(long), 3),
        "pairs in the right order": {name: in_order(rows, key) for name, key in orders.items()},
    }


def in_order(rows: list[Row], key: Callable[[Row], float]) -> float:
    """Of pairs of which one may gain 3 us or more, and at least twice as much as the other."""
    right = pairs = 0
    gains = [number(row, "time") - number(row, "bound") for row in rows]
    for i, first in enumerate(rows):
        for j in range(i):
            if max(gains[i], gains[j]) >= max(3.0, 2 * min(gains[i], gains[j])):
                pairs += 1
                right += (key(first) > key(rows[j])) == (gains[i] > gains[j])
    return round(right / pairs, 3)


def number(row: Row, key: str) -> float:
    return float(row[key])


if __name__ == "__main__":
    main()
