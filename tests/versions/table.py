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
    """Markdown: a column a version, a row a verb and a room; below it each red cell's reason."""
    rows = [one for one in known() if "missing" not in one]
    heads = ["", *(f"torch {one['torch']}" for one in rows)]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + ":-:|" * len(rows)]
    lines.append("| Triton | " + " | ".join(one["triton"] for one in rows) + " |")
    lines.append("| Python | " + " | ".join(one["name"].partition("-py")[2] for one in rows) + " |")
    lines.append("| tried on | " + " | ".join(one["date"] for one in rows) + " |")
    lines.append("| verbs at commit | " + " | ".join(one["commit"] for one in rows) + " |")
    lines.append("| tests at commit | " + " | ".join(one["tested"] for one in rows) + " |")
    for verb in dict.fromkeys(verb for one in rows for verb in one["verbs"]):
        cells = ({"": "✓", None: "–"}.get(one["verbs"].get(verb), "red") for one in rows)
        lines.append(f"| {verb} | " + " | ".join(cells) + " |")
    for room in ROOMS:
        cells = (
            f"{n['passed']}" if not n["failed"] else f"red: {n['failed']} of {n['failed'] + n['passed']}"
            for n in (one["tests"][room] for one in rows)
        )
        lines.append(f"| tests of {room} | " + " | ".join(cells) + " |")
    wrong = [why for one in known() for why in red(one)]
    return "\n".join([*lines, *(["", *(f"- {why}" for why in wrong)] if wrong else [])]) + "\n"
