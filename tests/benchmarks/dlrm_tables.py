"""The tables of docs/dlrm.md, of the talk's experiments, and the README's sentences, from tests/benchmarks/results/dlrm.

python tests/benchmarks/dlrm_tables.py                                    prints them
python tests/benchmarks/dlrm_tables.py --write PAGE...     each between its two markers, and every row into kernels.md
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

from goals import DLRM, reached, why
from timed_rows import RECORDING, Row, commit, recorded_once

from inductor_lab.gpus import find_gpu
from inductor_lab.kernels.steps import STEPS

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results" / "dlrm"
FIRST = "notebook 04"
"""The same idea as `lookups_1`, from where the lookups began; its times are span_dlrm.json."""
CARD = find_gpu("h200")
RATES = {"ieee": CARD.flops, "tf32x3": CARD.single / 3, "tf32": CARD.single, "bf16": CARD.half, "fp16": CARD.half}
"""Operations a second that the card has for products of a precision, by its data sheet."""
FEATURES, HIDDEN = 27, 512
STEP = 310
"""Microseconds that the grafted inference is to take at most, in a CUDA graph."""
INDUCTOR = ("default", "coordinate_descent_tuning", "max-autotune", "combo_kernels")
CONTESTANTS = ("eager", *INDUCTOR, "fbgemm", "dot_based_interact")
NOBODY_S = "has nothing that computes this"
"""Why somebody has no time where earlier runs asked everybody beside each kernel: no reason to tell."""


def diffs() -> dict[str, Row]:
    """Step -> what `diff` said of it."""
    files = {FIRST: RESULTS.parent / "span_dlrm.json"} | {step: RESULTS / f"diff_{step}.json" for step in STEPS["dlrm"]}
    return {step: found for step, path in files.items() if (found := kept(path))}


def verdict(step: str) -> str:
    """What `verify --thorough` said of it."""
    found = (
        kept(RESULTS.parent / "span_dlrm.json")["verify"] if step == FIRST else kept(RESULTS / f"verify_{step}.json")
    )
    return str(found.get("verdict", ""))


def kernels() -> tuple[list[Row], list[Row]]:
    """The runs of `dlrm_kernels.py`, and its rows by kernel and size; none where nothing was timed yet."""
    found = kept(RESULTS / "kernels.json")
    rows = [row for row in found.get("rows", ()) if row["verb"] == "time"]
    place = {kernel: number for number, kernel in enumerate(dict.fromkeys(row["kernel"] for row in rows))}
    return found.get("runs", []), sorted(
        rows, key=lambda row: (place[row["kernel"]], row["batch"], row["columns"], row["rows"])
    )


def kept(path: Path) -> Row:
    """A results file; nothing where it is not there, or empty."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return json.loads(text) if text.strip() else {}  # type: ignore[no-any-return]


def generated(diff: Row) -> float:
    """Microseconds of Inductor's sequence in a CUDA graph."""
    return float(diff["launched"]["timing"]["median"])


def within(value: float, interval: list[float], form: str = ".2f") -> str:
    return f"{value:{form}} ({interval[0]:{form}} to {interval[1]:{form}})"


def filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 150, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def table(head: str, lines: list[list[str]]) -> str:
    columns = head.split(", ")
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, ["---"] * len(columns), *lines))


# ---------------------------------------------------------------- what each step gained


def steps() -> str:
    """Markdown: a span before and after each step, and the model's step with that span grafted."""
    found, lines = diffs(), []
    for step, diff in found.items():
        launched, whole = diff["launched"], diff["step"]
        span = whole["kernel"].partition(":")[2]
        lines.append(
            [step, span, f"{generated(diff):.1f}", f"{launched['hand']['median']:.1f}"]
            + [within(launched["ratio"], launched["interval"])]
            + [f"{whole['step']['generated']:.1f}", f"{whole['step']['grafted']:.1f}"]
            + [within(whole["saved"], whole["saved_interval"], ".1f"), verdict(step)]
        )
    missing = ", ".join(step for step in STEPS["dlrm"] if step not in found)
    untimed = f" Without a row: {missing}." if missing else ""
    cards = " and ".join(sorted({diff["device"] for diff in found.values()}))
    head = "step, span, generated, hand, generated / hand, DLRM's step, with this span, saved, verify"
    told = (
        f"{cards}; microseconds in a CUDA graph at batch 128, each span grafted alone; training's step is forward and backward, "
        f"`pairwise_1` is in no model but timed at 2,048.{untimed}"
    )
    return f"{table(head, lines)}\n{told}\n"


def sentences() -> str:
    """What the README says of it."""
    found = diffs()
    lookups, outer, folded = (found[step] for step in ("lookups_2", "outer_1", "outer_2"))
    step = {name: diff["step"]["step"] for name, diff in found.items()}
    text = (
        f"On an {lookups['device'].removeprefix('NVIDIA ')} these launches take {generated(lookups):.1f} us in a CUDA graph, and one hand "
        f"kernel {lookups['launched']['hand']['median']:.1f}: grafted, DLRM's step takes {step['lookups_2']['grafted']:.1f} us for "
        f"{step['lookups_2']['generated']:.1f}. An outer product that is multiplied and never stored makes it {step['outer_1']['grafted']:.1f} "
        f"({outer['launched']['hand']['median']:.1f} for {generated(outer):.1f} us), with the weights of each pair added beforehand "
        f"{step['outer_2']['grafted']:.1f} ({folded['launched']['hand']['median']:.1f}); both with three TF32 products for each of float32. "
        f"{together()}"
        "[How, in which precision, and beside whom](docs/dlrm.md#hand-kernels)."
    )
    return filled(text)


def together() -> str:
    """What lookups and the folded layer make of the step, grafted together."""
    rows = {tuple(row["steps"]): row for row in kept(RESULTS / "grafted.json").get("rows", ()) if "failed" not in row}
    folded, ieee = (rows.get(("lookups_2", layer)) for layer in ("outer_2", "outer_3"))
    if not folded or not ieee:
        return ""
    graph, wall = folded["graph"]["us"], folded["wall"]["us"]
    return (
        f"Lookups and folded layer grafted together, it takes {graph['grafted'][0]:.1f} us, in IEEE float32 {ieee['graph']['us']['grafted'][0]:.1f}; "
        f"without a CUDA graph, where Python's launches are waited for, {wall['grafted'][0]:.0f} for {wall['generated'][0]:.0f}. "
    )


# ---------------------------------------------------------------- beside everybody else


def goals() -> str:
    """Markdown: the rows that have a goal."""
    runs, rows = kernels()
    lines = []
    for goal in DLRM:
        for row in rows:
            if goal.holds(row):
                told = [*own(row), arithmetic(row)] if "us" in row else [""] * 5
                value, says = reached(row, goal, rows, runs) if "us" in row else ("", row["failed"])
                reason = "" if says.startswith("met") else why(row)
                lines.append([*point(row), *told, goal.says, ", ".join(filter(None, (value, says))), reason])
    if not lines:
        return "Nothing was timed yet.\n"
    head = "kernel, batch, D, rows, products, hand, best, best / hand, copy rate, arithmetic, goal, reached, why not"
    once = all(recorded_once(row, runs) for row in rows)
    sure = (
        f" A time is of one recording of a CUDA graph: [another may take {RECORDING:.1%} longer](timing.md), so a goal that is met or missed by less "
        "says so."
    )
    return f"{table(head, lines)}\n{of(runs)}{commits(runs, rows)}{sure if once else ''}\n"


def every() -> str:
    """Markdown: all rows with everybody's time, and why somebody has none."""
    runs, rows = kernels()
    timed = [row for row in rows if "us" in row]
    others = [who for who in CONTESTANTS if any(who in row["us"] for row in timed)]
    lines = [
        [*point(row), *own(row), *(f"{row['us'][who][0]:.2f}" if who in row["us"] else "" for who in others)]
        for row in timed
    ]
    head = ", ".join(["kernel, batch, D, rows, products, hand, best, best / hand, copy rate", *others])
    why = Counter(
        (who, reason) for row in rows for who, reason in row.get("refused", {}).items() if NOBODY_S not in reason
    )
    refused = "".join(f"- {who}, {count} times: {reason}\n" for (who, reason), count in sorted(why.items()))
    noise = max((abs(row["ratio"]["again"][0] - 1) for row in timed if "again" in row["ratio"]), default=0.0)
    told = f"{of(runs)} `hand` timed twice differs from itself by {noise:.1%} at most."
    return f"{table(head, lines)}\n{told}\n" + (f"\nWithout a time:\n\n{refused}" if refused else "")


def point(row: Row) -> list[str]:
    rows = f"{row['rows']:,}" if row["rows"] else ""
    return [row["kernel"], f"{row['batch']:,}", str(row["columns"]), rows, row["precision"]]


def own(row: Row) -> list[str]:
    """The hand kernel's time, the best other one's, their ratio, and the share of the copy rate."""
    best = row["best"]
    told = [f"{row['us'][best][0]:.2f} {best}", within(*row["ratio"][best])] if best else ["", ""]
    return [f"{row['us']['hand'][0]:.2f}", *told, f"{row['copy_share']:.0%}"]


def arithmetic(row: Row) -> str:
    """The share of the card's rate for such products, of those that are needed; in IEEE float32 the outer product folds in every call."""
    if row["kernel"] not in ("outer", "outer_folded", "pairwise"):
        return ""
    pairs = FEATURES * (FEATURES - 1) // 2 * row["columns"]
    if row["kernel"] != "pairwise":
        folds = row["kernel"] == "outer_folded" or row["precision"] == "ieee"
        pairs = HIDDEN * (FEATURES * row["columns"]) ** 2 // (2 if folds else 1)
    return f"{2 * row['batch'] * pairs / (row['us']['hand'][0] / 1e6) / RATES[row['precision']]:.0%}"


def commits(runs: list[Row], rows: list[Row]) -> str:
    """Which commit's kernels were timed, where there are several."""
    found: dict[str, list[str]] = {}
    for row in rows:
        kernels = found.setdefault(commit(row, runs), [])
        kernels += [row["kernel"]] * (row["kernel"] not in kernels)
    told = "; ".join(f"{f'`{one}`' if one else 'not told'}: {', '.join(kernels)}" for one, kernels in found.items())
    return f" By commit, {told}." if len(found) > 1 else ""


def of(runs: list[Row]) -> str:
    """What was timed where."""
    first = runs[0]
    copies = sorted(run["copy_bytes_per_s"] / 1e12 for run in runs)
    rate = f"{copies[0]:.2f}" + (f" to {copies[-1]:.2f}" if f"{copies[0]:.2f}" != f"{copies[-1]:.2f}" else "")
    return (
        f"{first['card']}, torch {first['torch']}, triton {first['triton']}; a copy moves {rate} TB/s. Microseconds in a CUDA graph, medians; "
        "intervals are of 95 %."
    )


# ---------------------------------------------------------------- grafted together


def grafted() -> str:
    """Markdown: the main model's step before and after steps were grafted into it together, and how that was."""
    found = kept(RESULTS / "grafted.json")
    lines = []
    for row in found.get("rows", ()):
        step = f"{'training' if row['training'] else 'inference'} | {' + '.join(row['steps'])}"
        for kind in ("graph", "wall") if "failed" not in row else ():
            us, form = row[kind]["us"], ".1f" if kind == "graph" else ",.0f"
            goal = reason = ""
            if kind == "graph" and not row["training"]:
                value, (_, high) = us["grafted"]
                goal = f"{STEP} at most: {'met' if high <= STEP else f'{value / STEP - 1:.0%} above'}"
                reason = "" if high <= STEP else why({"grafted": row["steps"][-1]})
            told = [within(*us[name], form) for name in ("generated", "grafted")]
            told += [within(*row[kind]["saved"], form), within(*row[kind]["ratio"])]
            lines.append(
                [
                    step,
                    {"graph": "CUDA graph", "wall": "from Python"}[kind],
                    *told,
                    noise(row[kind], form),
                    goal,
                    reason,
                ]
            )
        if "failed" in row:
            lines.append([step, "", f"failed: {row['failed']}".replace("|", "\\|"), *[""] * 6])
    if not lines:
        return "Not measured yet.\n"
    head = "step, grafted, launched, us as generated, grafted, saved, generated / grafted, noise, goal, why not"
    first = found["runs"][0]
    told = f"{first['card']}, torch {first['torch']}, triton {first['triton']}, batch 128; intervals are of 95 %."
    return f"{table(head, lines)}\n{told}\n"


def noise(row: Row, form: str) -> str:
    """Between what the generated step takes and takes again."""
    low, high = row["noise"][1]
    return f"{low:{form}} to {high:{form}}"


TABLES: dict[str, Callable[[], str]] = {
    "dlrm_steps": steps,
    "dlrm_goals": goals,
    "dlrm_grafted": grafted,
    "dlrm": sentences,
}


def tables() -> dict[str, Callable[[], str]]:
    """Name of a pair of markers -> what makes the Markdown between them."""
    import dlrm_cpu_tables  # whose lines are made with this file's functions
    import dlrm_talk_tables
    import dlrm_tried_tables

    return TABLES | dlrm_talk_tables.TABLES | dlrm_cpu_tables.TABLES | dlrm_tried_tables.TABLES


def markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}: made by tests/benchmarks/dlrm_tables.py -->\n", f"<!-- /{name} -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", nargs="+", type=Path, default=[], help="pages whose marked tables are written anew")
    pages = parser.parse_args().write
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for name, made in tables().items():
            start, end = markers(name)
            if start in text:
                before, _, rest = text.partition(start)
                text = before + start + made() + end + rest.partition(end)[2]
        page.write_text(text, encoding="utf-8")
    if pages and kernels()[1]:
        (RESULTS / "kernels.md").write_text(every(), encoding="utf-8")
    if not pages:
        print("\n".join(made() for made in tables().values()))


if __name__ == "__main__":
    main()
