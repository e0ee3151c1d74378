"""Whole modules with every kernel replaced by its own ejected file: do they still agree with eager, and what does the step take?

    python tests/benchmarks/grafts.py captured/*_h200 -o tests/benchmarks/results/grafts_gpu.json
    python tests/benchmarks/grafts.py captured/lora_mlp_h200 --style verbatim

Without a GPU everything runs in Triton's interpreter and nothing is timed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.records import Replay
from inductor_lab.replay.run import replay


def grafted(capture: Path, style: str) -> dict[str, object]:
    """One capture, replayed with all of its kernels ejected."""
    found = store.load(capture)
    grafts, refused = {}, {}
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, kernel in enumerate(found.kernels):
            path = Path(folder, f"{number}.py")
            try:
                path.write_text(eject(found, kernel, style=style), encoding="utf-8")
                grafts[kernel.id] = path
            except LabError as error:
                refused[kernel.id] = str(error)
        try:
            told = row(replay(capture, grafts=grafts))
        except LabError as error:
            told = {"verdict": "error", "message": str(error)}
    seconds = round(time.perf_counter() - begun, 1)
    return {"capture": capture.name, "kernels": len(grafts), "refused": refused, **told, "seconds": seconds}


def row(found: Replay) -> dict[str, object]:
    steps = {}
    for graph in found.graphs:
        if graph.step:
            generated, hand = graph.step["generated"], graph.step.get("grafted", graph.step["generated"])
            steps[graph.graph] = {
                "generated": generated.median,
                "grafted": hand.median,
                "intervals": [generated.interval, hand.interval],
                "grafted_to_generated": round(hand.median / generated.median, 4),
            }
    known = [launch for launch in found.launches if launch.microseconds]
    slower = sorted(
        (one for one in known if len(one.microseconds) == 2),
        key=lambda one: one.microseconds["generated"] - one.microseconds["grafted"],
    )
    wrong = {f"{graph.graph} {name}": told for graph in found.graphs for name, told in graph.outputs.items() if told != "pass"}  # fmt: skip
    return {
        "verdict": found.verdict,
        "first": found.first,
        "launches": len(found.launches),
        "launches_timed": len(known),
        "most_lost": [{"kernel": one.kernel, "line": one.line, **one.microseconds} for one in slower[:5]],
        "wrong": wrong,
        "steps": steps,
        "notes": found.notes,
        "device": found.device,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("--style", default="readable", choices=["readable", "verbatim"])
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    for capture in arguments.captures:
        rows.append(grafted(capture, arguments.style))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        if arguments.output:
            made = {"torch": version("torch"), "triton": version("triton"), "style": arguments.style, "rows": rows}
            arguments.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
