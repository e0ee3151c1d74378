"""The tables of the README and of docs/, from tests/benchmarks/results.

python tests/benchmarks/table.py            prints them
python tests/benchmarks/table.py --write    puts each into its document, between its two markers
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
LEAST = 0.98
"""A kernel that is slower than this is named."""


def read(name: str) -> dict[str, Any]:
    return dict(json.loads((RESULTS / name).read_text(encoding="utf-8")))


def unedited() -> str:
    """Markdown: one row a category, of small models and of public ones at their own sizes; and every kernel under `LEAST` by name.

    Of generated time / hand time: of the code, both under what Inductor's autotuner keeps, and as ejected.
    """
    document = read("unedited_corpus.json")
    rows = document["rows"]
    lines = [
        "| kernels | timed | verify | same, faster, slower, inconclusive | generated / hand: mean | least | as ejected: mean | least |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for real, category in sorted({(row["capture"].startswith(REAL), row["category"]) for row in rows}):
        mine = [row for row in rows if (row["capture"].startswith(REAL), row["category"]) == (real, category)]
        timed = [row for row in mine if row.get("ratio")]
        said = Counter(code(row)["diff"] for row in timed)
        ratios, whole = [code(row)["ratio"] for row in timed], [row["ratio"] for row in timed]
        passed = sum(row.get("verify") == "pass" for row in mine)
        words = ", ".join(str(said[word]) for word in ("same", "faster", "slower", "inconclusive"))
        lines.append(
            f"| {category}{', real sizes' if real else ''} | {len(timed)} | {passed} of {len(mine)} | {words} "
            f"| {mean(ratios):.3f} | {min(ratios):.3f} | {mean(whole):.3f} | {min(whole):.3f} |"
        )
    timed = [row for row in rows if row.get("ratio")]
    every = [code(row)["ratio"] for row in timed]
    real_ones = [code(row)["ratio"] for row in timed if row["capture"].startswith(REAL)]
    slow = [f"{row['capture']}:{row['kernel']} {code(row)['ratio']:.3f}" for row in timed if code(row)["ratio"] < LEAST]
    unjudged = [row for row in rows if row.get("verify") not in ("pass", "fail")]
    held = sum(any(HELD in note for note in row.get("diff_notes", ())) for row in unjudged)
    told = f"{len(unjudged)} were not verified; `diff` held {held} of them to float64 on the inputs that were timed. "
    captures = len({row["capture"] for row in rows})
    lines += [
        "",
        f"{document['gpu']}, torch {document['torch']}, triton {document['triton']}; {captures} captures. Geometric mean "
        f"{mean(every):.4f} over all {len(every)} kernels, {mean(real_ones):.4f} over the {len(real_ones)} at real sizes. "
        f"Under {LEAST}: {', '.join(slow) or 'none'}. {told if unjudged else ''}"
        f"[Each kernel](tests/benchmarks/results/{EACH}), with its candidates.",
    ]
    return "\n".join(lines) + "\n"


HELD = "On the inputs that were timed the hand kernel is correct"
"""What `diff` notes of a kernel that it held to float64 before and behind the timing."""
REAL = "real_"
"""How the captures of public models at their own sizes begin."""
EACH = "unedited_corpus.md"


def each(document: dict[str, Any]) -> str:
    """Every kernel that was timed: how many configurations Inductor had, which it kept, and both ratios."""
    lines = [
        f"{document['gpu']}, torch {document['torch']}, triton {document['triton']}; generated / hand, both as Inductor's autotuner chose, and as ejected.",
        "",
        "| kernel | category | candidates | chosen | one configuration | as ejected |",
        "|---|---|---|---|---|---|",
    ]
    for row in document["rows"]:
        if row.get("ratio"):
            chosen = ", ".join(f"{name}={value}" for name, value in row.get("chosen", {}).items())
            lines.append(
                f"| {row['capture']}:{row['kernel']} | {row['category']} | {row.get('candidates', '')} | {chosen} "
                f"| {code(row)['ratio']:.3f} | {row['ratio']:.3f} |"
            )
    return "\n".join(lines) + "\n"


def code(row: dict[str, Any]) -> dict[str, Any]:
    """Verdict and ratio of both under one configuration; as ejected where the hand kernel can not take the other's."""
    return row.get("matched") or row


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def clock() -> str:
    """The kernels of the study by their length: their times beside CUPTI's, and what came of comparing them."""
    document = read("timing_gpu.json")
    machine, planted, same = document["machine"], document["planted"], document["same"]
    lines = ["| kernels of | how many | us / CUPTI | against itself | 3 % more work |", "|---|---|---|---|---|"]
    for name, low, high in (("less than 10 us", 0, 10), ("10 to 40 us", 10, 40), ("more", 40, math.inf)):
        own = [row for row in document["cupti"]["rows"] if low <= row["cupti"] < high]
        ratios, kernels = [row["ours_to_cupti"] for row in own], {row["kernel"] for row in own}
        lines.append(
            f"| {name} | {len(own)} | {min(ratios):.3f} to {max(ratios):.3f} "
            f"| {said(same['rows'], kernels)} | {said(planted['rows'], kernels)} |"
        )
    off = document["cupti"]["over_10_us_off_by_at_most"]
    lines += [
        "",
        f"{machine['gpu']}, torch {machine['torch']}, triton {machine['triton']}; `{document['command']}`. Over 10 us at most {off:.1%} from CUPTI. "
        f"Against itself: {same['false']} of {same['comparisons']} comparisons `faster` or `slower`. With {planted['more'] - 1:.0%} more "
        f"elements: {planted['found']} of {planted['comparisons']} `slower`. [Each kernel](../tests/benchmarks/results/{CLOCKED}).",
    ]
    return "\n".join(lines) + "\n"


CLOCKED = "timing.md"


def each_clock(document: dict[str, Any]) -> str:
    """Each kernel of the study."""
    lines = ["| kernel | us | CUPTI | us / CUPTI | against itself | 3 % more work |", "|---|---|---|---|---|---|"]
    for row in sorted(document["cupti"]["rows"], key=lambda row: row["cupti"]):
        verdicts = [said(document[study]["rows"], {row["kernel"]}) for study in ("same", "planted")]
        lines.append(
            f"| {row['kernel']} | {row['us']:.2f} | {row['cupti']:.2f} | {row['ours_to_cupti']:.3f} | {' | '.join(verdicts)} |"
        )
    return "\n".join(lines) + "\n"


def said(rows: list[dict[str, Any]], kernels: set[str]) -> str:
    found = Counter(row["verdict"] for row in rows if row["kernel"] in kernels)
    return ", ".join(f"{count} {verdict}" for verdict, count in found.most_common())


def grafts() -> str:
    """Modules with all of their kernels grafted, by kind of graph: the step's time over that of the generated one."""
    document = read("grafts_gpu.json")
    lines = ["| graphs | timed | step, hand / generated: mean | least | most |", "|---|---|---|---|---|"]
    ratios: dict[str, list[float]] = {}
    for row in document["rows"]:
        for graph, step in row["steps"].items():
            ratios.setdefault(graph.partition("_")[2], []).append(step["grafted_to_generated"])
    lines += [
        f"| {kind} | {len(own)} | {mean(own):.3f} | {min(own):.3f} | {max(own):.3f} |" for kind, own in ratios.items()
    ]
    failed = [f"{row['capture']}: {row['verdict']}" for row in document["rows"] if row["verdict"] != "pass"]
    device = next(row["device"] for row in document["rows"])
    lines += [
        "",
        f"{device}, torch {document['torch']}, triton {document['triton']}; `python tests/benchmarks/grafts.py`. Replayed: {', '.join(failed) or 'all pass'}. "
        f"[Each of {len(document['rows'])} captures](../tests/benchmarks/results/{GRAFTED}).",
    ]
    return "\n".join(lines) + "\n"


GRAFTED = "grafts.md"


def each_graft(document: dict[str, Any]) -> str:
    """Each module with all of its kernels grafted."""
    lines = ["| capture | launches | step, hand / generated |", "|---|---|---|"]
    for row in document["rows"]:
        steps = ", ".join(
            f"{graph.partition('_')[2]} {step['generated']:.0f} us x {step['grafted_to_generated']:.3f}"
            for graph, step in row["steps"].items()
        )
        lines.append(f"| {row['capture']} | {row['launches']} | {steps} |")
    return "\n".join(lines) + "\n"


def cuda_spans() -> str:
    """Spans as CUDA C++, each beside Inductor's own sequence."""
    document = read("cuda_gpu.json")
    rows = [row for row in document["rows"] if row["category"] == "span"]
    lines = ["| span | | generated / CUDA | |", "|---|---|---|---|"]
    lines += [
        f"| {row['what']} | `{row['kernel']}` | {row['generated_to_hand']:.3f} | {row['verdict']} |" for row in rows
    ]
    right = sum(row["verified"] == "pass" for row in rows)
    lines += ["", f"{document['device']}, torch {document['torch']}; {right} of {len(rows)} verified on it."]
    return "\n".join(lines) + "\n"


TABLES = {
    "unedited": ("README.md", unedited),
    "clock": ("docs/timing.md", clock),
    "grafts": ("docs/graft.md", grafts),
    "cuda_spans": ("docs/cuda.md", cuda_spans),
}


def pages() -> dict[str, str]:
    """Beside the results: a file with every row of a table that has them by kind."""
    return {
        EACH: each(read("unedited_corpus.json")),
        CLOCKED: each_clock(read("timing_gpu.json")),
        GRAFTED: each_graft(read("grafts_gpu.json")),
    }


def markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}: made by tests/benchmarks/table.py -->\n", f"<!-- /{name} -->\n"


def main() -> None:
    for name, (file, made) in TABLES.items():
        if "--write" not in sys.argv:
            print(made())
            continue
        start, end = markers(name)
        path = ROOT / file
        before, rest = path.read_text(encoding="utf-8").split(start)
        path.write_text(before + start + made() + end + rest.split(end)[1], encoding="utf-8")
    if "--write" in sys.argv:
        for name, text in pages().items():
            (RESULTS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
