"""The pages of the hand kernels from their results: README.md of each folder, between its marks, and docs/kernels.md, the list of them with a picture.

python tests/benchmarks/hand_pages.py            prints what stands between the marks
python tests/benchmarks/hand_pages.py --write    writes it, and docs/pictures/roofline.svg
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent))

from goals import GOALS, Goal, reached, why
from roofline import TITLE, roofline
from timed_rows import Row, bounded, commit, outrun, rates, stands

from inductor_lab.kernels.steps import STEPS, says

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "inductor_lab" / "kernels"
GALLERY = ROOT / "docs" / "kernels.md"
PARTS = ROOT / "tests" / "benchmarks" / "results" / "where_time_goes.json"
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
RESULTS, ELSEWHERE_TIMED = "results.json", "results_h100.json"
"""Of the card that goals are of; and of another one, by the same command."""
STATES = {"cold": "us, cold", "code": "its code in the caches", "warm": "warm"}
"""States of the caches, as `where_time_goes.py` has them, and what they are called."""
FOLDERS = sorted(STEPS)


def results(kernel: str, name: str = RESULTS) -> Row:
    """What was measured: runs and rows; none where nothing was."""
    path = KERNELS / kernel / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return json.loads(text) if text.strip() else {"runs": [], "rows": []}  # type: ignore[no-any-return]


def rows(found: Row, verb: str) -> list[Row]:
    return [row for row in found["rows"] if row["verb"] == verb]


def points(found: Row) -> list[Row]:
    """The points that were timed, with their bounds by the highest rates of the file."""
    return bounded([row for row in rows(found, "time") if "us" in row])


def fields(row: Row) -> list[str]:
    """What tells a point from others."""
    names = list(row)
    return names[1 : names.index("bytes")]


def different(timed: list[Row]) -> list[str]:
    """Of these the ones in which points differ."""
    return [name for name in fields(timed[0]) if len({str(row[name]) for row in timed}) > 1]


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
    notes = (re.sub(r"/\S*/", "", note) for note in whole.get("notes", ()))  # of one machine's folders
    saved = ". ".join([saved, *notes]).replace("|", "\\|")
    us = " for ".join(f"{row['us'][name][0]:.2f}" for name in ("hand", "generated"))
    return [us, within(row["ratio"]), saved]


# ---------------------------------------------------------------- what it is to reach


def of_goals(kernel: str, found: Row) -> str:
    """Each goal: at how many points it is met, and each point that is not known to meet it."""
    timed, goals = points(found), GOALS.get(kernel, ())
    asked = [row for row in timed if any(goal.holds(row) for goal in goals)]
    lines = []
    for goal in goals:
        told = [(row, *reached(row, goal, timed, found["runs"])) for row in timed if goal.holds(row)]
        lines += of_goal(kernel, goal, told, different(asked) if asked else [])
    if not lines:
        return "None has a number: a hand kernel is kept where it wins, and a tie is a result.\n"
    return f"{table(['goal', 'point', 'measured', 'and', 'why not'], lines)}\n{meant(goals)}\n"


def of_goal(kernel: str, goal: Goal, told: list[tuple[Row, str, str]], names: list[str]) -> list[list[str]]:
    """Of rows, what they have and their verdicts: a line for those that meet a goal, with the one that is nearest to missing it, and one for each other."""
    if not told:
        return [[goal.says, at(goal.where, goal.where), "", "not timed yet", ""]]
    if goal.what == "line":  # the point farthest from it
        told = [max(told, key=_number)]
    met = [one for one in told if one[2].startswith("met")]
    others = [one for one in told if one not in met]
    lines = [
        [goal.says, at(row, names or goal.where), value, says, why({"kernel": kernel, "goal": goal.says} | row)]
        for row, value, says in others
    ]
    if not met:
        return lines
    row, value, says = (max if goal.most else min)(met, key=_number)
    where = at(row, names or goal.where)
    if len(told) > 1:
        where = at(goal.where, [name for name in goal.where if name in names] or goal.where)
        value = "" if others else f"{'most' if goal.most else 'least'} {value}"
        says = f"met at {len(met)} of {len(told)}"
    return [[goal.says, where, value, says, ""], *lines]


def _number(told: tuple[Row, str, str]) -> float:
    return float(told[1].split()[0].rstrip("%"))


def meant(goals: tuple[Goal, ...]) -> str:
    """What the words of such a table say."""
    told = ["Met where the whole 95 % interval is."]
    if any(goal.level for goal in goals):
        told.append("What is to be no slower may differ by the noise, 1 % or 0.15 us, whichever is the most.")
    if any(goal.what == "line" for goal in goals):
        told.append(
            "That times are to be linear in the active share has no number; 5 % was chosen, and the point farthest from the line stands here."
        )
    return " ".join(told)


def at(row: Mapping[str, Any], names: Iterable[str]) -> str:
    """A point, or several, by some of its fields: `tokens 8192, layout BHTD or BTHD`."""
    told = [(name, " or ".join(map(str, one)) if isinstance(one := row[name], tuple) else one) for name in names]
    return ", ".join(name if one is True else f"{name} {one}" for name, one in told if one is not False)


# ---------------------------------------------------------------- where the time goes


def of_parts(subject: str) -> str:
    """Each part of a kernel, or of what explains several, in each state of the cache; empty where none was timed."""
    found = json.loads(PARTS.read_text(encoding="utf-8")) if PARTS.exists() else {"rows": []}
    told = [row for row in found["rows"] if row["subject"] == subject]
    lines = [
        [row["point"] if not number else "", name, *(f"{us[state][0]:.2f}" for state in STATES)]
        for row in told
        for number, (name, us) in enumerate(row["parts"].items())
    ]
    commits = " and ".join(f"`{code}`" for code in dict.fromkeys(row["code"] for row in told))
    said = (
        "\nBehind a flush of the L2 cache; behind it and the same kernels on other data; and on the same data again. Medians in a CUDA graph, of "
        f"{commits}.\n"
    )
    return table(["point", "part", *STATES.values()], lines) + said if lines else ""


# ---------------------------------------------------------------- beside everybody else


def of_points(found: Row) -> str:
    """Each point with everybody's time."""
    timed = points(found)
    if not timed:
        return ""
    told = different(timed)
    who = list(dict.fromkeys(name for row in timed for name in row["us"] if name not in OURS))
    head = [
        *told,
        "hand",
        "best other",
        "best other / hand",
        "of the bound",
        "copy rate",
        "from Python",
        *who,
        "commit",
    ]
    lines = [
        [*(str(row[name]) for name in told), *own(row), *times(row, who), commit(row, found["runs"])] for row in timed
    ]
    noise = max((abs(row["ratio"]["again"][0] - 1) for row in timed if "again" in row["ratio"]), default=0.0)
    first, copies = found["runs"][0], [row["copy_bytes_per_s"] / 1e12 for row in timed]
    said = (
        f"{first['card']}, torch {first['torch']}, triton {first['triton']}; a copy moves {median(copies):.2f} TB/s. Microseconds in "
        f"{min(row['recordings'] for row in timed)} recordings of a CUDA graph on a cold cache, medians; intervals are of 95 %; from Python, a call of "
        "the hand kernel for one of the best other. "
        f"The hand kernel timed twice differs from itself by {noise:.1%} at most.{by_the_clock(found['runs'])}\n"
    )
    return f"{table(head, lines)}\n{said}{of_bound(timed)}{refused(found)}"


def by_the_clock(runs: list[Row]) -> str:
    """How long all of it took but the candidates of a table (`--tune`); empty where a run does not say."""
    runs = [run for run in runs if "--tune" not in run["command"]]
    if not runs or not all("took_s" in run for run in runs):
        return ""
    return f" All runs together took {sum(run['took_s'] for run in runs)} s by the clock, with {min(run['cores'] for run in runs)} cores."


def of_bound(timed: list[Row]) -> str:
    """Of products, which rate the bounds take."""
    told = [
        f"{name} {high / 1e12:.0f}" + (f" (others down to {low / 1e12:.0f})" if low < 0.99 * high else "")
        for name, (low, high) in rates(timed).items()
    ]
    if not told:
        return ""
    low = "".join(f"Somebody is faster than {name}'s, which was measured too low. " for name in outrun(timed))
    return (
        f"\nThe bound takes the highest rate of products that a run here measured, in TFLOP/s: {', '.join(told)}. {low}".rstrip()
        + "\n"
    )


def own(row: Row) -> list[str]:
    best = row["best"]
    told = [f"{row['us'][best][0]:.2f} {best}", within(row["ratio"][best])] if best else ["", ""]
    called = row.get("called_us", {})
    both = " for ".join(f"{called[name]:.1f}" for name in ("hand", best) if name in called)
    return [f"{row['us']['hand'][0]:.2f}", *told, f"{row['share']:.0%}", f"{row['copy_share']:.0%}", both]


def on_another_card(kernel: str) -> str:
    """How the kernel stands there, and in which file; empty where nothing was timed."""
    found = results(kernel, ELSEWHERE_TIMED)
    if not points(found):
        return ""
    first, judged = found["runs"][0], rows(found, "verify")
    passed = sum(row.get("verdict") == "pass" for row in judged)
    return (
        f"{first['card']}, torch {first['torch']}, triton {first['triton']}, commit `{first['code']}`, beside those who could be imported there "
        f"([{ELSEWHERE_TIMED}]({ELSEWHERE_TIMED})). Measured: {place(found)} `verify --thorough` passes {passed} of {len(judged)} "
        f"step{'s' * (len(judged) != 1)} there.{_not_there(kernel, judged)}\n"
    )


def _not_there(kernel: str, judged: list[Row]) -> str:
    """Of verdicts that are others than on the card of the goals, why; and how many were not asked for."""
    here = {row["step"]: row.get("verdict") for row in rows(results(kernel), "verify")}
    others = [row for row in judged if row.get("verdict") != here.get(row["step"])]
    told = [f" Otherwise than above, `{row['step']}`: {verdict(row)}." for row in others]
    if missing := len(here.keys() - {row["step"] for row in judged}):
        told.append(f" Not judged: {missing}.")
    return "".join(told)


def times(row: Row, who: list[str]) -> list[str]:
    return [f"{row['us'][name][0]:.2f}" if name in row["us"] else "" for name in who]


def refused(found: Row) -> str:
    """Who has no time, and why."""
    why = Counter((who, reason) for row in rows(found, "time") for who, reason in row.get("refused", {}).items())
    lines = "".join(f"- {who}, {count} times: {reason}\n" for (who, reason), count in sorted(why.items()))
    return f"\nWithout a time:\n\n{lines}" if lines else ""


# ---------------------------------------------------------------- the picture


def picture() -> str:
    return roofline({kernel: points(results(kernel)) for kernel in FOLDERS})


# ---------------------------------------------------------------- pages


def of_kernel(kernel: str) -> str:
    """What stands between the marks of a kernel's README.md."""
    found = results(kernel)
    beside = of_points(found) or NOT_MEASURED.format(kernel=kernel)
    parts = {
        "What each step gained": of_steps(kernel, found),
        "What it is to reach": of_goals(kernel, found),
        "Where the time goes": of_parts(kernel),
        "Beside everybody else": beside,
        "On another card": on_another_card(kernel),
    }
    return "\n".join(f"### {title}\n\n{part}" for title, part in parts.items() if part)


def place(found: Row) -> str:
    """A sentence on a kernel's place under the roofline, and beside the best other one."""
    timed = points(found)
    if not timed:
        return "Not measured yet."
    shares = sorted(row["share"] for row in timed)
    counts = Counter(stands(row) for row in timed)
    return (
        f"{shares[0]:.0%} to {shares[-1]:.0%} of the bound at {len(timed)} points, half of them at {median(shares):.0%} or more; "
        f"ahead of the best other one at {counts['ahead']}, behind at {counts['behind']}, level at {counts['level']}"
        + (f", not certain at {counts['not certain']}." if counts["not certain"] else ".")
    )


def from_python(found: Row) -> dict[str, float]:
    """Point -> how many times as long a call of the hand kernel from Python takes there as one of the best other one, of those that have both times."""
    both = [row for row in points(found) if {"hand", row["best"]} <= row.get("called_us", {}).keys()]
    return {
        str([row[name] for name in fields(row)]): row["called_us"]["hand"] / row["called_us"][row["best"]]
        for row in both
    }


def of_calls() -> str:
    """The sentences on that, of both cards at the points that both have."""
    here, there = list[float](), list[float]()
    for kernel in FOLDERS:
        one, other = (from_python(results(kernel, name)) for name in (RESULTS, ELSEWHERE_TIMED))
        here += [one[point] for point in one.keys() & (other or one).keys()]
        there += [other[point] for point in one.keys() & other.keys()]
    if not here:
        return ""
    return (
        f"All times here are of CUDA graphs. Called from Python (*from Python* in each table), a hand kernel took {_times_as_long(here)}. "
        + (f"On an H100 of another host it took {_times_as_long(there)}, the same ones. " if there else "")
        + "A host compiles other rows meanwhile, and such times are rough.\n"
    )


def _times_as_long(ratios: list[float]) -> str:
    slower = sum(ratio > 1 for ratio in ratios)
    return f"{median(ratios):.2f} times as long as the best other one in the median, and longer at {slower} of {len(ratios)} points"


def gallery() -> str:
    """What stands between the marks of docs/kernels.md."""
    beside = of_calls()
    parts = [f"![{TITLE}](pictures/{PICTURE.name})\n", *([beside] if beside else [])]
    for kernel in FOLDERS:
        if kernel in ELSEWHERE:
            parts.append(f"## {kernel}\n\n{ELSEWHERE[kernel]}")
            continue
        found, page = results(kernel), f"../inductor_lab/kernels/{kernel}/README.md"
        what = first_line(KERNELS / kernel / "kernel.py")
        parts.append(
            f"## {kernel}\n\n{what} [Its page]({page}) has each step and all times. Measured: {place(found)}\n"
        )
    chains = of_parts("launches") or "Not measured yet.\n"
    parts.append(f"## Launches, and loads that wait for each other\n\n{chains}")
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
