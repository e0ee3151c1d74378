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
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.annotate.titles import Namer, Naming
from inductor_lab.computation.naming.reading import ROWS, STORES
from inductor_lab.records import Capture, Kernel

MARKS = "<!-- names -->", "<!-- end of names -->"
Saved = dict[str, Any]
LONGEST = 12_000
"""Characters of a kernel's source that is kept for the tests."""


@dataclass
class Counted:
    """What came of the kernels so far; of a capture nothing else is kept."""

    how: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    smallest: dict[str, tuple[tuple[int, int], Saved]] = field(default_factory=dict)
    """Name -> the smallest kernel of it that has few others besides, and how small."""
    lines: list[tuple[str, str]] = field(default_factory=list)
    """Of each kernel how it is told, and its title with its expressions."""

    def add(self, capture: Capture, kernel: Kernel, naming: Naming) -> None:
        self.how[naming.how] += 1
        self.names.update(naming.recognised)
        computes = (f"    {line[:400]}" for line in kernel.computes)
        self.lines.append((naming.how, "\n".join((f"{kernel.id} | {kernel.category} | {naming.title}", *computes))))
        if not kernel.launches or len(kernel.text) > LONGEST:
            return
        score = len(naming.recognised), len(kernel.body)
        for name in naming.recognised:
            if name not in self.smallest or score < self.smallest[name][0]:
                self.smallest[name] = score, saved(capture, kernel, naming)

    def document(self) -> dict[str, object]:
        return {
            "what": "distinct kernels by what their title is, and how many have each name",
            "kernels": self.how.total(),
            "told": round((self.how["recognised"] + self.how["expression"]) / self.how.total(), 4),
            "how": {key: self.how[key] for key in ("recognised", "expression", "cut", "none")},
            "names": dict(sorted(self.names.items())),
        }


def counted(folders: Sequence[Path]) -> Counted:
    """Every distinct kernel of the captures, one capture after the other."""
    found, seen = Counted(), set[str]()
    for folder in folders:
        capture = store.load(folder)
        namer = Namer(capture)
        for kernel in capture.kernels:
            if kernel.body_sha256 not in seen:
                seen.add(kernel.body_sha256)
                found.add(capture, kernel, namer.name(kernel))
    return found


def saved(capture: Capture, kernel: Kernel, naming: Naming) -> Saved:
    """A kernel as the tests read it."""
    passed = {
        argument.name: argument.value
        if argument.type is None
        else f"{argument.type.dtype}[{', '.join(map(str, argument.type.shape))}]"
        for argument in kernel.launches[0].arguments
    }
    return {
        "from": capture.name,
        "kind": next(graph.kind for graph in capture.graphs if graph.id == kernel.launches[0].graph),
        "aten": list(kernel.claim.aten),
        "recognised": list(naming.recognised),
        "passed": passed,
        "text": kernel.text,
    }


NORM = re.compile(r", where the comment names (a \w+ norm|no norm)$")
"""What names may differ in and yet be one row of the table."""


def table(document: str) -> str:
    """The document with the table of names as the code has it, between its two marks."""
    lines = [f"| {names} | {demands} |" for names, demands in demanded()]
    before, rest = document.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return "\n".join(
        (before + MARKS[0], "| name | what the tree must compute |", "|---|---|", *lines, MARKS[1] + after)
    )


def demanded() -> Iterator[tuple[str, str]]:
    """What each name demands; names that differ in the norm alone that the comment names are one row."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, demands in (*((row.name, row.demands) for row in ROWS), *STORES.items()):
        demands = demands.replace(", y a value or a number, n a value or a number", "")
        said = NORM.search(demands)
        key = demands.removesuffix(said[0]) if said else f"{name}: {demands}"
        groups.setdefault(key, []).append((name, demands))
    for key, rows in groups.items():
        names = ", ".join(f"`{name}`" for name, _ in rows)
        last = "; the last where the comment names no norm, else" if rows[-1][1].endswith("no norm") else ";"
        yield names, rows[0][1] if len(rows) == 1 else f"{key}{last} by the norm that the comment names"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--lacking", action="store_true", help="print the kernels without a name or a whole expression")
    parser.add_argument(
        "--sample", type=int, default=0, help="print so many titles, drawn with --seed, with their bodies' expressions"
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.table:
        arguments.table.write_text(table(arguments.table.read_text(encoding="utf-8")), encoding="utf-8")
    found = counted([folder for folder in arguments.captures if (folder / "capture.json").exists()])
    if arguments.output:
        arguments.output.write_text(json.dumps(found.document(), indent=2) + "\n", encoding="utf-8")
    if arguments.kernels:
        distinct = {kernel["text"]: kernel for _, kernel in found.smallest.values()}
        text = json.dumps(list(distinct.values()), indent=0).encode()
        arguments.kernels.write_bytes(gzip.compress(text, mtime=0))
    if arguments.lacking:
        print(*(text for how, text in found.lines if how in ("cut", "none")), sep="\n")
    drawn = random.Random(arguments.seed).sample(found.lines, min(arguments.sample, len(found.lines)))
    print(*(text for _, text in drawn), sep="\n")


if __name__ == "__main__":
    main()
