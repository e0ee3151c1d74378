"""The README's table of unedited kernels, from tests/benchmarks/results/unedited_corpus.json.

python tests/benchmarks/table.py            prints it
python tests/benchmarks/table.py --write    puts it into README.md, between its two markers
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "unedited_corpus.json"
LEAST = 0.98
"""A kernel that is slower than this is named."""
README = Path(__file__).parents[2] / "README.md"
START, END = "<!-- unedited: made by tests/benchmarks/table.py -->\n", "<!-- /unedited -->\n"


def table() -> str:
    """Markdown: one row a category, with geometric means of generated time / hand time; and every kernel under `LEAST` by name."""
    document = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = document["rows"]
    lines = [
        "| category | kernels | files that verify | same | faster | slower | inconclusive | generated / hand: mean | least | most |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["category"] for row in rows):
        mine = [row for row in rows if row["category"] == name]
        timed = [row for row in mine if row.get("ratio")]
        said = Counter(row["diff"] for row in timed)
        ratios = [row["ratio"] for row in timed]
        passed = sum(row.get("verify") == "pass" for row in mine)
        words = " | ".join(str(said[word]) for word in ("same", "faster", "slower", "inconclusive"))
        lines.append(
            f"| {name} | {len(timed)} | {passed} of {len(mine)} | {words} "
            f"| {mean(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |"
        )
    every = [row["ratio"] for row in rows if row.get("ratio")]
    slow = [f"{row['capture']}:{row['kernel']} {row['ratio']:.3f}" for row in rows if row.get("ratio", 1) < LEAST]
    captures = len({row["capture"] for row in rows})
    lines.append("")
    lines.append(
        f"{document['gpu']}, torch {document['torch']}, triton {document['triton']}; {captures} captures; geometric means, "
        f"{mean(every):.4f} over all {len(every)} kernels; under {LEAST}: {', '.join(slow) or 'none'}. Both kernels under the "
        f"configuration that Inductor's heuristics list first."
    )
    return "\n".join(lines) + "\n"


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    if "--write" not in sys.argv:
        print(table(), end="")
        return
    before, rest = README.read_text(encoding="utf-8").split(START)
    README.write_text(before + START + table() + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
