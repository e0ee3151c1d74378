"""The pages of the hand kernels from their results: README.md of each folder, between its marks, and docs/kernels.md, the list of them with a picture.

python tests/benchmarks/hand_pages.py            prints what stands between the marks
python tests/benchmarks/hand_pages.py --write    writes it, and docs/pictures/roofline.svg
"""

from __future__ import annotations

import argparse
import ast
import json
import math
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from inductor_lab.kernels.steps import STEPS, says

Row = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "inductor_lab" / "kernels"
GALLERY = ROOT / "docs" / "kernels.md"
PICTURE = ROOT / "docs" / "pictures" / "roofline.svg"
NOT_MEASURED = (
    "Not measured yet: on a card `python tests/benchmarks/hand_kernels.py {kernel}`, then `make kernel-pages`.\n"
)
START, END = "<!-- results -->\n", "<!-- /results -->\n"
ELSEWHERE = {
    "dlrm": "DLRM's hand kernels: hash and lookups, the outer product and its layer, the pairwise dot products. "
    "[Their page](dlrm.md#hand-kernels) has each step and all times.\n"
}
"""Kernel -> what it is and where its results are told, if not in its folder."""
OURS = ("hand", "again")
FOLDERS = sorted(STEPS)


def results(kernel: str) -> Row:
    """What was measured: runs and rows; none where nothing was."""
    path = KERNELS / kernel / "results.json"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return json.loads(text) if text.strip() else {"runs": [], "rows": []}  # type: ignore[no-any-return]


def rows(found: Row, verb: str) -> list[Row]:
    return [row for row in found["rows"] if row["verb"] == verb]


def first_line(path: Path) -> str:
    """The first line of a file's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def table(head: list[str], lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *lines))


def within(told: list[Any], form: str = ".2f") -> str:
    """A median with its interval."""
    value, (low, high) = told
    return f"{value:{form}} ({low:{form}} to {high:{form}})"


# ---------------------------------------------------------------- what each step gained


def of_steps(kernel: str, found: Row) -> str:
    """Each step of a kernel: what it changes, and what came of it."""
    timed, judged = ({row["step"]: row for row in rows(found, verb)} for verb in ("step", "verify"))
    lines = []
    for name, step in STEPS[kernel].items():
        told = [verdict(judged.get(name)), *gained(timed.get(name))]
        where = f"{step.capture}:{step.address}"
        lines.append([name, says(kernel, name), f"`{where}`", *told])
    return table(
        ["step", "what it changes", "replaces", "verify", "us", "generated / hand", "saves of the model's step"], lines
    )


def verdict(row: Row | None) -> str:
    """What `verify --thorough` says; of a file that fails, of how many cases and the first one's reason."""
    if row is None or "failed" in row:
        return (row or {}).get("failed", "not measured yet")
    wrong = list(row["wrong"].items())
    if not wrong:
        return f"{row['verdict']}, {row['cases']} cases"
    (name, why), *_ = wrong
    return f"{row['verdict']}, {len(wrong)} of {row['cases']} cases; {name}: {why}".replace("|", "\\|")


def gained(row: Row | None) -> list[str]:
    if row is None or "failed" in row:
        return ["", "", (row or {}).get("failed", "not measured yet").replace("|", "\\|")]
    whole = row.get("in_the_model") or {}
    saved = "not measured yet" if whole else ""
    if whole.get("saved") is not None:
        saved = f"{whole['saved']:.1f} of {whole['step']['generated']:.1f} us"
    us = " for ".join(f"{row['us'][name][0]:.2f}" for name in ("hand", "generated"))
    return [us, within(row["ratio"]), saved]


# ---------------------------------------------------------------- beside everybody else


def of_points(found: Row) -> str:
    """Each point with everybody's time."""
    timed = [row for row in rows(found, "time") if "us" in row]
    if not timed:
        return ""
    names = list(timed[0])
    fields = names[1 : names.index("bytes")]
    told = [name for name in fields if len({str(row[name]) for row in timed}) > 1]
    who = list(dict.fromkeys(name for row in timed for name in row["us"] if name not in OURS))
    head = [*told, "hand", "best other", "best other / hand", "of the bound", "copy rate", "from Python", *who]
    lines = [[*(str(row[name]) for name in told), *own(row), *times(row, who)] for row in timed]
    noise = max((abs(row["ratio"]["again"][0] - 1) for row in timed if "again" in row["ratio"]), default=0.0)
    first, copies = found["runs"][0], [row["copy_bytes_per_s"] / 1e12 for row in timed]
    said = (
        f"{first['card']}, torch {first['torch']}, triton {first['triton']}; a copy moves {median(copies):.2f} TB/s. Microseconds in a CUDA graph on a "
        "cold cache, medians; intervals are of 95 %; from Python, a call of the hand kernel for one of the best other. "
        f"The hand kernel timed twice differs from itself by {noise:.1%} at most.\n"
    )
    return f"{table(head, lines)}\n{said}{refused(found)}"


def own(row: Row) -> list[str]:
    best = row["best"]
    told = [f"{row['us'][best][0]:.2f} {best}", within(row["ratio"][best])] if best else ["", ""]
    called = row.get("called_us", {})  # not where other processes kept the processors busy
    both = " for ".join(f"{called[name]:.1f}" for name in ("hand", best) if name in called)
    return [f"{row['us']['hand'][0]:.2f}", *told, f"{row['share']:.0%}", f"{row['copy_share']:.0%}", both]


def times(row: Row, who: list[str]) -> list[str]:
    return [f"{row['us'][name][0]:.2f}" if name in row["us"] else "" for name in who]


def refused(found: Row) -> str:
    """Who has no time, and why."""
    why = Counter((who, reason) for row in rows(found, "time") for who, reason in row.get("refused", {}).items())
    lines = "".join(f"- {who}, {count} times: {reason}\n" for (who, reason), count in sorted(why.items()))
    return f"\nWithout a time:\n\n{lines}" if lines else ""


# ---------------------------------------------------------------- the picture

TITLE = "Under the roofline: the share of its bound that a hand kernel reaches, against the bound in microseconds"
COLOURS = {"ahead": "#1f6f6b", "level": "#8a867b", "behind": "#c46a1b", "alone": "#2f5f8f"}
AT_LEAST, AT_MOST, HIGHEST = 0.01, 1000, 1.2
"""Microseconds from left to right, each ten times as far, and the share at the top; what lies beyond stands at the edge."""
PANEL = (300, 150)
STEP, LEFT, TOP = (350, 225), 46, 70


def across(us: float) -> float:
    return PANEL[0] * math.log(min(max(us, AT_LEAST), AT_MOST) / AT_LEAST, AT_MOST / AT_LEAST)


def down(share: float) -> float:
    return PANEL[1] * (1 - min(share, HIGHEST) / HIGHEST)


def panel(kernel: str, timed: list[Row]) -> str:
    """The points of one kernel, drawn from (0, 0), which is the top of its frame."""
    wide, high = PANEL
    parts = [f'<text class="name" x="0" y="-10">{kernel}</text>']
    for share in (0, 0.5, 1):
        y = f"{down(share):.1f}"
        parts.append(f'<path class="{"bound" if share == 1 else "grid"}" d="M0 {y}H{wide}"/>')
        parts.append(f'<text class="tick" x="-6" y="{y}" dy="4" text-anchor="end">{share:.0%}</text>')
    for us in (0.01, 0.1, 1, 10, 100, 1000):
        parts.append(f'<text class="tick" x="{across(us):.1f}" y="{high + 18}" text-anchor="middle">{us:g}</text>')
    for row in timed:
        parts.append(
            f'<circle cx="{across(row["bound_us"]):.1f}" cy="{down(row["share"]):.1f}" r="4" fill="{COLOURS[stands(row)]}"/>'
        )
    return "\n    ".join(parts)


def picture() -> str:
    """docs/pictures/roofline.svg: a frame for each kernel that was timed, three beside each other."""
    timed = {kernel: [row for row in rows(results(kernel), "time") if "us" in row] for kernel in FOLDERS}
    drawn = {kernel: own for kernel, own in timed.items() if own}
    height = TOP + STEP[1] * math.ceil(len(drawn) / 3)
    used = [word for word in COLOURS if any(stands(row) == word for own in drawn.values() for row in own)]
    key = "".join(
        f'<circle cx="{LEFT + 5 + 96 * place}" cy="22" r="5" fill="{COLOURS[word]}"/><text class="tick" x="{LEFT + 16 + 96 * place}" y="26">{word}</text>'
        for place, word in enumerate(used)
    )
    said = f"beside the best other one. Upwards: share of the bound; to the right: the bound in us, {AT_LEAST} and less at the edge"
    panels = "\n".join(
        f'  <g transform="translate({LEFT + STEP[0] * (number % 3)} {TOP + STEP[1] * (number // 3)})">\n    {panel(kernel, own)}\n  </g>'
        for number, (kernel, own) in enumerate(drawn.items())
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * STEP[0] + 20} {height}">
  <title>{TITLE}</title>
  <style>
    text {{ font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }}
    .name {{ font-size: 15px; font-weight: 600; fill: #16202e }} .tick {{ font-size: 12px; fill: #3b485a }}
    .grid {{ stroke: #d8dde6 }} .bound {{ stroke: #16202e; stroke-width: 1.5 }} circle {{ fill-opacity: 0.75 }}
  </style>
  <rect width="{3 * STEP[0] + 20}" height="{height}" rx="12" fill="#ffffff"/>
  {key}<text class="tick" x="{LEFT + 96 * len(used)}" y="26">{said}</text>
{panels}
</svg>
"""


# ---------------------------------------------------------------- pages


def of_kernel(kernel: str) -> str:
    """What stands between the marks of a kernel's README.md."""
    found = results(kernel)
    points = of_points(found) or NOT_MEASURED.format(kernel=kernel)
    return f"### What each step gained\n\n{of_steps(kernel, found)}\n### Beside everybody else\n\n{points}"


def place(found: Row) -> str:
    """A sentence on a kernel's place under the roofline, and beside the best other one."""
    timed = [row for row in rows(found, "time") if "us" in row]
    if not timed:
        return "Not measured yet."
    shares = sorted(row["share"] for row in timed)
    counts = Counter(stands(row) for row in timed)
    return (
        f"{shares[0]:.0%} to {shares[-1]:.0%} of the bound at {len(timed)} points, half of them at {median(shares):.0%} or more; "
        f"ahead of the best other one at {counts['ahead']}, behind at {counts['behind']}, level at {counts['level']}."
    )


def stands(row: Row) -> str:
    """How a point stands to the best other one: by its interval, within 1 % is level."""
    if not row["best"]:
        return "alone"
    low, high = row["ratio"][row["best"]][1]
    return "ahead" if low > 1.01 else "behind" if high < 1 / 1.01 else "level"


def gallery() -> str:
    """What stands between the marks of docs/kernels.md."""
    parts = [f"![{TITLE}](pictures/{PICTURE.name})\n"]
    for kernel in FOLDERS:
        if kernel in ELSEWHERE:
            parts.append(f"## {kernel}\n\n{ELSEWHERE[kernel]}")
            continue
        found, page = results(kernel), f"../inductor_lab/kernels/{kernel}/README.md"
        what = first_line(KERNELS / kernel / "kernel.py")
        parts.append(
            f"## {kernel}\n\n{what} [Its page]({page}) has each step and all times. Measured: {place(found)}\n"
        )
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Page -> what stands between its marks."""
    own = {KERNELS / kernel / "README.md": of_kernel(kernel) for kernel in FOLDERS if kernel not in ELSEWHERE}
    return own | {GALLERY: gallery()}


def filled(text: str, made: str) -> str:
    """A page with what was made between its marks."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the page has no marks {START.strip()} and {END.strip()}")
    return before + start + made + end + after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.write:
        PICTURE.write_text(picture(), encoding="utf-8")
    for page, made in pages().items():
        if asked.write:
            page.write_text(filled(page.read_text(encoding="utf-8"), made), encoding="utf-8")
        else:
            print(f"{page.relative_to(ROOT)}\n\n{made}")


if __name__ == "__main__":
    main()
