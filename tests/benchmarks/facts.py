"""What is stated of each access, held to addresses counted by running the kernel's own index arithmetic.

    python tests/benchmarks/facts.py CAPTURE_OR_TEXT... -o tests/benchmarks/results/facts.json
    python tests/benchmarks/facts.py --table docs/facts.md

Each body counts once, wherever it was captured. A fact is `held` where it is stated and the counted addresses say the same, `unsaid` where they
were counted and nothing is stated, `red` where both differ: those are listed one by one, and there should be none. What the sentences of `show`
say in numbers is counted beside them.
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
from inductor_lab.annotate.titles import Namer, Naming
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

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
    "row": "consecutive elements at an address that data or other arithmetic decides",
    "masked": "whether a mask leaves iterations out",
    "fill": "what is loaded there instead",
    "again": "whether an earlier line loads the same elements, a part of them, or others",
    "over": "which elements that were loaded a store writes over",
    "moved": "how many elements of a tensor the kernel's bytes are",
}
STATEMENTS = {
    "an access": "numbers, steps and masks in the sentence on a load or a store",
    "a line's text": "the marks of a load, the bounds of a loop, what a block divides",
    "a hazard": "how many bytes are read twice",
    "a value": "what the sentence on a line says that it computes, on drawn inputs",
    "a formula": "what a store's formula says, on drawn inputs",
    "a title": "its shape and dtype, and a name's definition on drawn inputs",
}


def opened(path: Path) -> Capture:
    """A capture's folder, or a text that is read."""
    return store.load(path) if (path / "capture.json").exists() else read([path], path.name.partition(".")[0])


def every(paths: Sequence[Path]) -> Iterator[tuple[Path, list[str]]]:
    """Of each capture the kernels, by id, that none before it has and that it launches."""
    seen: set[str] = set()
    for path in paths:
        found = {
            one.body_sha256: one.id for one in opened(path).kernels if one.launches and one.body_sha256 not in seen
        }
        seen |= found.keys()
        yield path, list(found.values())


def held(given: tuple[Path, list[str]]) -> list[dict[str, Any]]:
    """What came of the kernels of a capture."""
    capture = opened(given[0])
    namer = Namer(capture)
    return [row(kernel, capture, namer.name(kernel)) for kernel in capture.kernels if kernel.id in given[1]]


def row(kernel: Kernel, capture: Capture, named: Naming) -> dict[str, Any]:
    """What came of one kernel."""
    from agreeing import agreement
    from agreeing_sentences import claimed
    from counting import UncountedError

    name = f"{capture.name}:{kernel.id.rpartition(':')[2]}"
    try:
        found = agreement(kernel)
        said = list(claimed(kernel, capture, named))
    except UncountedError as error:
        return {"kernel": name, "category": kernel.category, "uncounted": str(error)}
    reds = [{"kernel": name, **{key: str(value) for key, value in vars(red).items()}} for red in found.reds]
    wrong = [{"kernel": name, **vars(claim)} for claim in said if claim.counted]
    return {
        "kernel": name, "category": kernel.category, "held": found.held, "unsaid": found.unsaid, "red": reds, "wrong": wrong,
        "said": Counter(claim.of for claim in said),
    }  # fmt: skip


def document(rows: Sequence[dict[str, Any]], there: int) -> dict[str, Any]:
    """The counts; `there` is how many kernels the captures have."""
    counted = [row for row in rows if "held" in row]
    held, unsaid = (sum((row[key] for row in counted), Counter()) for key in ("held", "unsaid"))
    reds = [red for row in counted for red in row["red"]]
    red = Counter((red["kind"], red["fact"]) for red in reds)
    keys = sorted(held.keys() | unsaid.keys() | red.keys())
    return {
        "what": "facts of accesses, stated from the tree and counted by running the text in a small launch; each body once",
        "there": there,
        "kernels": len(rows),
        "counted": len(counted),
        "accesses": sum(count for (_, fact), count in held.items() if fact == "width"),
        "categories": dict(sorted(Counter(row["category"] for row in counted).items())),
        "uncounted": dict(Counter(row["uncounted"] for row in rows if "held" not in row).most_common()),
        "facts": [{"access": kind, "fact": fact, "held": held[kind, fact], "unsaid": unsaid[kind, fact], "red": red[kind, fact]} for kind, fact in keys],
        "red": reds,
        "statements": dict(sum((row["said"] for row in counted), Counter()).most_common()),
        "wrong": [claim for row in counted for claim in row["wrong"]],
    }  # fmt: skip


def table(found: dict[str, Any]) -> str:
    """A fact a line: of loads, of stores and of atomic operations."""
    cells = {(row["access"].partition("_")[0], row["fact"]): Counter() for row in found["facts"]}
    for row in found["facts"]:
        cells[row["access"].partition("_")[0], row["fact"]].update({k: row[k] for k in ("held", "unsaid", "red")})
    keys = {"held": "agree", "unsaid": "not stated"} | ({"red": "red"} if found["red"] else {})
    heads = [f"{kind}: {word}" for kind in ("loads", "stores", "atomic") for word in keys.values()]
    lines = [f"| fact | what | {' | '.join(heads)} |", "|---|---|" + "---:|" * len(heads)]
    for fact, what in FACTS.items():
        numbers = [
            f"{cells.get((kind, fact), Counter())[key]:,}" for kind in ("load", "store", "atomic") for key in keys
        ]
        lines.append(f"| `{fact}` | {what} | {' | '.join(numbers)} |")
    whole = sum(row["held"] for row in found["facts"]), sum(row["red"] for row in found["facts"])
    told = [f"{count} of {why}" for why, count in found["uncounted"].items()]
    drawn = f", drawn evenly out of {found['there']:,}," if found["there"] > found["kernels"] else ""
    lines += [
        "",
        f"{found['accesses']:,} accesses of {found['counted']:,} kernels{drawn} ({', '.join(f'{n:,} {name}' for name, n in found['categories'].items())}): "
        f"{whole[0]:,} facts agree, {whole[1]:,} are red. "
        f"Not counted: {'; '.join(told)}.",
    ]
    return "\n".join([*lines, "", *statements(found)])


def statements(found: dict[str, Any]) -> Iterator[str]:
    """What is said on a page of `show`, a line for what it is said of."""
    wrong = Counter(claim["of"] for claim in found["wrong"])
    yield "| statements of `show` | what | so | not so |"
    yield "|---|---|---:|---:|"
    for of, what in STATEMENTS.items():
        yield f"| {of} | {what} | {found['statements'].get(of, 0) - wrong[of]:,} | {wrong[of]:,} |"
    yield f"| not held | sentences of which nothing is counted | {found['statements'].get('not held', 0):,} | |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="take each so many-th kernel of a capture")
    arguments = parser.parse_args()
    if arguments.captures:
        with ProcessPoolExecutor(arguments.jobs) as workers:
            whole = list(every(arguments.captures))
            drawn = [(path, ids[:: arguments.step]) for path, ids in whole]
            found = document(
                [one for rows in workers.map(held, drawn) for one in rows], sum(len(ids) for _, ids in whole)
            )
        if arguments.output:
            arguments.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(table(found), *map(json.dumps, (*found["red"], *found["wrong"])), sep="\n")
    if arguments.table:
        before, rest = arguments.table.read_text(encoding="utf-8").split(MARKS[0])
        told = table(json.loads(RESULTS.read_text(encoding="utf-8")))
        text = "\n".join((before + MARKS[0], told, MARKS[1] + rest.split(MARKS[1])[1]))
        arguments.table.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
