"""What share of kernels has a name, and which.

    python tests/benchmarks/names.py CAPTURE... -o tests/benchmarks/results/names.json
    python tests/benchmarks/names.py CAPTURE... --kernels tests/sources/named_kernels.json.gz
    python tests/benchmarks/names.py --table docs/names.md


Each body counts once, wherever it was captured. `recognised`: its title holds a name of the table (docs/names.md), or it is a template or a
user's kernel; `expression`: the whole expression over the model's names; `cut`: an expression with parts left out; `none`: operations alone.
`--kernels` keeps the smallest kernel of each name, for tests/annotate/test_named.py.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from inductor_lab import store
from inductor_lab.annotate.naming import Namer, Naming
from inductor_lab.computation.naming.stores import STORES
from inductor_lab.computation.naming.table import ROWS
from inductor_lab.records import Capture, Kernel

MARKS = "<!-- names -->", "<!-- end of names -->"
LONGEST = 12_000
"""Characters of a kernel's source that is kept for the tests."""


def named(folders: Sequence[Path]) -> Iterator[tuple[Capture, Kernel, Naming]]:
    """Every distinct kernel of the captures, with its name."""
    seen: set[str] = set()
    for folder in folders:
        capture = store.load(folder)
        namer = Namer(capture)
        for kernel in capture.kernels:
            if kernel.body_sha256 not in seen:
                seen.add(kernel.body_sha256)
                yield capture, kernel, namer.name(kernel)


def counts(found: Sequence[tuple[Capture, Kernel, Naming]]) -> dict[str, object]:
    how = Counter(naming.how for _, _, naming in found)
    each = Counter(name for _, _, naming in found for name in naming.recognised)
    told = how["recognised"] + how["expression"]
    return {
        "what": "distinct kernels by what their title is, and how many have each name",
        "kernels": len(found),
        "told": round(told / len(found), 4),
        "how": {key: how[key] for key in ("recognised", "expression", "cut", "none")},
        "names": dict(sorted(each.items())),
    }


def smallest(found: Sequence[tuple[Capture, Kernel, Naming]]) -> list[dict[str, object]]:
    """The smallest kernel of each name, one that has few others besides."""
    best: dict[str, tuple[tuple[int, int], Capture, Kernel, Naming]] = {}
    for capture, kernel, naming in found:
        if not kernel.launches or len(kernel.text) > LONGEST:
            continue
        for name in naming.recognised:
            score = len(naming.recognised), len(kernel.body)
            if name not in best or score < best[name][0]:
                best[name] = score, capture, kernel, naming
    distinct = {kernel.body_sha256: (capture, kernel, naming) for _, capture, kernel, naming in best.values()}
    return [
        {
            "from": capture.name,
            "kind": next(graph.kind for graph in capture.graphs if graph.id == kernel.launches[0].graph),
            "aten": list(kernel.claim.aten),
            "recognised": list(naming.recognised),
            "passed": {
                argument.name: argument.value
                if argument.type is None
                else f"{argument.type.dtype}[{', '.join(map(str, argument.type.shape))}]"
                for argument in kernel.launches[0].arguments
            },
            "text": kernel.text,
        }
        for capture, kernel, naming in distinct.values()
    ]


def table(document: str) -> str:
    """The document with the table of names as the code has it, between its two marks."""
    lines = [
        f"| `{name}` | {demands} |" for name, demands in (*((row.name, row.demands) for row in ROWS), *STORES.items())
    ]
    before, rest = document.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return "\n".join(
        (before + MARKS[0], "| name | what the tree must compute |", "|---|---|", *lines, MARKS[1] + after)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument(
        "--sample", type=int, default=0, help="print so many titles, drawn with --seed, with their bodies' expressions"
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.table:
        arguments.table.write_text(table(arguments.table.read_text(encoding="utf-8")), encoding="utf-8")
    found = list(named([folder for folder in arguments.captures if (folder / "capture.json").exists()]))
    if arguments.output:
        arguments.output.write_text(json.dumps(counts(found), indent=2) + "\n", encoding="utf-8")
    if arguments.kernels:
        text = json.dumps(smallest(found), indent=0).encode()
        arguments.kernels.write_bytes(gzip.compress(text, mtime=0))
    for _, kernel, naming in random.Random(arguments.seed).sample(found, min(arguments.sample, len(found))):
        print(f"{kernel.id} | {naming.title}")
        print(*(f"    {line[:400]}" for line in kernel.computes), sep="\n")


if __name__ == "__main__":
    main()
