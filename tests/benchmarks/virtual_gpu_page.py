"""docs/virtual_gpu.md from the results of real_against_virtual.py: how true the virtual GPU is, and why where it is not.

python tests/benchmarks/virtual_gpu_page.py        looks up the causes again, writes the results and the page
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "real_against_virtual.json"
PAGE = Path(__file__).parents[2] / "docs" / "virtual_gpu.md"

Document = dict[str, Any]


@dataclass(frozen=True)
class Cause:
    """Why some kernels differ; patterns are globs."""

    key: str
    """What the table calls it."""
    why: str
    combination: str = "*"
    kernel: str = "*"
    """The kernel's name on either side; the target of a library call; the id of a graph."""
    kinds: tuple[str, ...] = ()
    """Of `real_against_virtual.differences`; none: all."""
    text: str = ""
    """Stands in the difference's diff."""

    def explains(self, combination: str, difference: Document) -> bool:
        names = (difference["real"], difference["virtual"])
        return (
            fnmatchcase(combination, self.combination)
            and any(name and fnmatchcase(name, self.kernel) for name in names)
            and (not self.kinds or difference["kind"] in self.kinds)
            and (not self.text or any(self.text in line for line in difference["diff"]))
        )


CAUSES = (
    Cause(
        "padding",
        "On the card Inductor times a product with and without operands padded to an aligned size (pad_mm in torch/_inductor/fx_passes). "
        "For a virtual card nothing is padded. On a real one, too, the choice can differ from run to run.",
        combination="dlrm*",
        kernel="triton_poi_fused_*mm_*",
        kinds=("only real",),
    ),
    Cause(
        "padded for the backward",
        "Where the card chose to pad, the forward keeps the padded operand for the backward, which reads that one.",
        combination="dlrm_train*",
        kinds=("wrapper",),
        text="constant_pad_nd_default",
    ),
)
"""The known causes, the first that explains a difference stands."""


def explained(document: Document) -> Document:
    """The results with each difference's cause, or None, looked up again."""
    rows = []
    for row in document["rows"]:
        found = [one | {"explanation": cause(row["combination"], one)} for one in row.get("differences", [])]
        rows.append(row | ({"differences": found} if "differences" in row else {}))
    return document | {"rows": rows}


def cause(combination: str, difference: Document) -> str | None:
    return next((each.key for each in CAUSES if each.explains(combination, difference)), None)


VARIANT = re.compile(r"(_train)?(_bf16)?(_dynamic)?$")
"""What the name of a combination says behind the program's."""
PROBES = "Small models of `tests/benchmarks/probes.py`, each for one thing in which a virtual card could differ."


def page(document: Document) -> str:
    """The page, as Markdown."""
    rows = [row for row in document["rows"] if "identical" in row]
    probes = [row for row in rows if row["combination"].startswith("probe_")]
    workloads = [row for row in rows if row not in probes]
    used = {one["explanation"] for row in rows for one in row["differences"]}
    lines = [
        "# How true the virtual GPU is",
        "",
        "What Inductor generates for a card that is not there (`inductor-lab capture --gpu NAME`), compared with what it generates on the card",
        f"itself: {document['gpu']}, torch {document['torch']}, triton {document['triton']}, Python {document['python']}.",
        "Kernels are compared by the hash of their bodies. A module is the whole text for one graph, and is the same *to the letter* if no",
        "character differs, kernel configurations and launches included. Made by `python tests/benchmarks/real_against_virtual.py --table`.",
        "",
        *summary(rows),
        "",
        "## The workloads",
        "",
        *compared(workloads),
        "",
        *(["## Probes", "", PROBES, "", *compared(probes), ""] if probes else []),
        "## Causes",
        "",
        *(f"**{each.key}**{'' if each.key in used else ' (not in this run)'}: {each.why}\n" for each in CAUSES),
        "## Differences",
        "",
        *differences(rows),
        *problems(rows),
        *failures(document["rows"]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def summary(rows: Iterable[Document]) -> Iterator[str]:
    rows = list(rows)
    kernels, same = (sum(values) for values in ([r["real"]["kernels"] for r in rows], [r["identical"] for r in rows]))
    graphs, letters = (
        sum(values) for values in ([r["real"]["graphs"] for r in rows], [r["same_modules"] for r in rows])
    )
    whole = sum(not row["differences"] for row in rows)
    yield f"**{same} of the card's {kernels} kernels are identical, and {letters} of its {graphs} modules to the letter;"
    yield f"{whole} of {len(rows)} combinations have no difference at all.**"


def compared(rows: list[Document]) -> Iterator[str]:
    """A table of the programs with a difference; of the others their names, each with its kernels."""
    found = [row for row in rows if row["differences"]]
    if found:
        yield from (*table(found), "")
    alike: dict[str, list[Document]] = {}
    for row in rows:
        if row not in found:
            alike.setdefault(VARIANT.sub("", row["combination"]).removeprefix("probe_"), []).append(row)
    names = (f"{name} {len(own)} ({sum(row['identical'] for row in own)})" for name, own in alike.items())
    yield "Without any difference, each with its number of variants (training, bfloat16, dynamic sizes) and, in brackets, of kernels:"
    yield ""
    yield from textwrap.wrap(", ".join(names), 140, initial_indent="    ", subsequent_indent="    ")


def table(rows: Iterable[Document]) -> Iterator[str]:
    yield "| program | kernels: real | virtual | identical | launches | library calls | modules to the letter | differences |"
    yield "|---|--:|--:|--:|:-:|:-:|--:|---|"
    for row in rows:
        real, virtual = row["real"], row["virtual"]
        ticks = [
            "same" if same else f"{real[key]} / {virtual[key]}"
            for same, key in ((row["same_launches"], "launches"), (row["same_extern_calls"], "extern_calls"))
        ]
        causes = dict.fromkeys(one["explanation"] or "**unexplained**" for one in row["differences"])
        yield (
            f"| {row['combination'].removeprefix('probe_')} | {real['kernels']} | {virtual['kernels']} | {row['identical']} "
            f"| {' | '.join(ticks)} | {row['same_modules']} of {real['graphs']} | {', '.join(causes)} |"
        )


def differences(rows: Iterable[Document]) -> Iterator[str]:
    found = [(row["combination"], one) for row in rows for one in row["differences"]]
    if not found:
        yield "None."
        return
    yield "| program | what | on the card | for the virtual card | cause |"
    yield "|---|---|---|---|---|"
    for combination, one in found:
        names = " | ".join(f"`{name}`" if name else "" for name in (one["real"], one["virtual"]))
        what = " ".join(filter(None, (one["kind"], one["category"])))
        yield f"| {combination} | {what} | {names} | {one['explanation'] or '**unexplained**'} |"
    for combination, one in found:
        if one["kind"] in ("changed", "wrapper"):
            yield from ("", f"{combination}, `{one['real'] or one['virtual']}`:", "", "```diff", *one["diff"], "```")


def problems(rows: Iterable[Document]) -> Iterator[str]:
    """What the virtual captures say of themselves."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for message in row["virtual"]["problems"]:
            found.setdefault(message, []).append(row["combination"])
    if found:
        yield from ("", "## What the virtual captures say of themselves", "")
        yield from (f"- {message} ({len(names)} captures, {names[0]} for one)" for message, names in found.items())


def failures(rows: Iterable[Document]) -> Iterator[str]:
    """Combinations that could not be compared: no page may leave them out."""
    found = [
        f"- {row['combination']}, {where}: {row[where]['error']}"
        for row in rows
        for where in ("real", "virtual")
        if "error" in (row[where] or {})
    ]
    yield from ("", "## Not captured", "", *found) if found else ()


def write() -> int:
    document = explained(json.loads(RESULTS.read_text(encoding="utf-8")))
    RESULTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(document), encoding="utf-8")
    return int(any(not one["explanation"] for row in document["rows"] for one in row.get("differences", [])))


if __name__ == "__main__":
    raise SystemExit(write())
