"""The table of `make matrix`: what came of every verb, and of the tests of each room, on each version of torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results" / "versions.json"
ROOMS = "annotate", "capture", "contest", "eject", "grafting", "judge", "machine", "replay", "tuning"
"""Folders of tests whose rooms meet torch or Triton, or copy what these choose; the others read text."""

Row = dict[str, Any]


def known() -> list[Row]:
    return list(json.loads(RESULTS.read_text())["rows"]) if RESULTS.exists() else []


def red(one: Row) -> list[str]:
    """What does not work, each with why."""
    if "missing" in one:
        return [f"{one['name']}: {one['missing']}"]
    found = [f"{one['name']}, {verb}: {why}" for verb, why in one["verbs"].items() if why]
    return found + [f"{one['name']}, {failure}" for room in one["tests"].values() for failure in room["failures"]]


def table() -> str:
    """Markdown: a row a version, as `| 2.15.0+cu132 | 3.9.0 | ... | all 21 | 3,718 |`; below it each red cell's reason."""
    rows = [one for one in known() if "missing" not in one]
    verbs = list(dict.fromkeys(verb for one in rows for verb in one["verbs"]))
    lines = ["| torch | Triton | Python | tried on | verbs | at commit | tests | at commit |", "|---" * 8 + "|"]
    for one in rows:
        python = one["name"].partition("-py")[2]
        found = verbs_of(one, verbs), one["commit"], tests_of(one), one["tested"]
        lines.append(f"| {' | '.join((one['torch'], one['triton'], python, one['date'], *found))} |")
    wrong = [f"- {why}" for one in known() for why in red(one)]
    return "\n".join([f"Verbs: {', '.join(verbs)}.", "", *lines, *(["", *wrong] if wrong else [])]) + "\n"


def verbs_of(one: Row, verbs: list[str]) -> str:
    """How many of the verbs worked, and which were not tried."""
    worked = sum(why == "" for why in one["verbs"].values())
    tried = [verb for verb in verbs if one["verbs"].get(verb) is not None]
    failed = f"{worked} of {len(tried)}, red: {len(tried) - worked}" if worked < len(tried) else ""
    if len(tried) == len(verbs):
        return failed or f"all {worked}"
    return f"{failed or worked}; not tried: {', '.join(verb for verb in verbs if verb not in tried)}"


def tests_of(one: Row) -> str:
    """How many tests of the rooms passed."""
    passed, failed = (sum(one["tests"][room][key] for room in ROOMS) for key in ("passed", "failed"))
    return f"red: {failed} of {failed + passed:,}" if failed else f"{passed:,}"
