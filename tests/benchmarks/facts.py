"""What is stated of each access, held to addresses counted by running the kernel's own index arithmetic.

    python tests/benchmarks/facts.py CAPTURE_OR_TEXT... -o tests/benchmarks/results/facts.json
    python tests/benchmarks/facts.py --table docs/facts.md

Each body counts once, wherever it was captured. A fact is `held` where it is stated and the counted addresses say the same, `unsaid` where they
were counted and nothing is stated, `red` where both differ: those are listed one by one, and there should be none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Kernel

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "annotate")]
RESULTS = Path(__file__).parent / "results" / "facts.json"
MARKS = "<!-- facts -->", "<!-- end of facts -->"
FACTS = {
    "width": "bytes of an element",
    "gathered": "whether data decides the address",
    "start": "the lowest element",
    "values": "how many different elements",
    "serves": "how many iterations each serves",
    "several": "whether any serves more than one",
    "rows": "whether it is one value for a row",
    "runs": "runs of elements along an axis, and their steps",
    "steps": "elements from one iteration to the next along an axis",
    "still": "whether one element stays along an axis",
    "row": "consecutive elements at an address that data decides",
    "masked": "whether a mask leaves iterations out",
    "fill": "what is loaded there instead",
    "again": "whether an earlier line loads the same elements, a part of them, or others",
    "over": "which elements that were loaded a store writes over",
}


def every(paths: Sequence[Path]) -> Iterator[tuple[str, Kernel]]:
    """Each body once, with where it is from; one that a launch tells sizes of before one of none."""
    seen: set[str] = set()
    for path in paths:
        try:
            capture = (
                store.load(path) if (path / "capture.json").exists() else read([path], path.name.partition(".")[0])
            )
        except LabError as error:
            print(path, error, sep=": ", file=sys.stderr)
            continue
        for kernel in capture.kernels:
            if kernel.launches and kernel.body_sha256 not in seen:
                seen.add(kernel.body_sha256)
                yield kernel.id, kernel


def held(given: tuple[str, Kernel]) -> dict[str, Any]:
    """What came of one kernel."""
    from agreeing import agreement
    from counting import UncountedError

    name, kernel = given
    try:
        found = agreement(kernel)
    except UncountedError as error:
        return {"kernel": name, "category": kernel.category, "uncounted": str(error)}
    reds = [{"kernel": name, **{key: str(value) for key, value in vars(red).items()}} for red in found.reds]
    return {"kernel": name, "category": kernel.category, "held": found.held, "unsaid": found.unsaid, "red": reds}


def document(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counted = [row for row in rows if "held" in row]
    held, unsaid = (sum((row[key] for row in counted), Counter()) for key in ("held", "unsaid"))
    reds = [red for row in counted for red in row["red"]]
    red = Counter((red["kind"], red["fact"]) for red in reds)
    keys = sorted(held.keys() | unsaid.keys() | red.keys())
    return {
        "what": "facts of accesses, stated from the tree and counted by running the text in a small launch; each body once",
        "kernels": len(rows),
        "counted": len(counted),
        "accesses": sum(count for (_, fact), count in held.items() if fact == "width"),
        "categories": dict(sorted(Counter(row["category"] for row in counted).items())),
        "uncounted": dict(Counter(row["uncounted"] for row in rows if "held" not in row).most_common()),
        "facts": [{"access": kind, "fact": fact, "held": held[kind, fact], "unsaid": unsaid[kind, fact], "red": red[kind, fact]} for kind, fact in keys],
        "red": reds,
    }  # fmt: skip


def table(found: dict[str, Any]) -> str:
    """A fact a line: of loads, of stores and of atomic operations."""
    cells = {(row["access"].partition("_")[0], row["fact"]): Counter() for row in found["facts"]}
    for row in found["facts"]:
        cells[row["access"].partition("_")[0], row["fact"]].update({k: row[k] for k in ("held", "unsaid", "red")})
    lines = [
        "| fact | what | loads: agree | not stated | red | stores: agree | not stated | red | atomic: agree | not stated | red |",
        "|---|---|" + "---:|" * 9,
    ]
    for fact, what in FACTS.items():
        numbers = [
            f"{cells.get((kind, fact), Counter())[key]:,}"
            for kind in ("load", "store", "atomic")
            for key in ("held", "unsaid", "red")
        ]
        lines.append(f"| `{fact}` | {what} | {' | '.join(numbers)} |")
    whole = sum(row["held"] for row in found["facts"]), sum(row["red"] for row in found["facts"])
    told = [f"{count} of {why}" for why, count in found["uncounted"].items()]
    lines += [
        "",
        f"{found['accesses']:,} accesses of {found['counted']:,} kernels ({', '.join(f'{n:,} {name}' for name, n in found['categories'].items())}): "
        f"{whole[0]:,} facts agree, {whole[1]:,} are red. Not counted: {'; '.join(told)}.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.captures:
        with ProcessPoolExecutor(arguments.jobs) as workers:
            found = document(list(workers.map(held, every(arguments.captures), chunksize=16)))
        if arguments.output:
            arguments.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(table(found), *(json.dumps(red) for red in found["red"]), sep="\n")
    if arguments.table:
        before, rest = arguments.table.read_text(encoding="utf-8").split(MARKS[0])
        told = table(json.loads(RESULTS.read_text(encoding="utf-8")))
        text = "\n".join((before + MARKS[0], told, MARKS[1] + rest.split(MARKS[1])[1]))
        arguments.table.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
