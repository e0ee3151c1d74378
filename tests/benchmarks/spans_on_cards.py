"""Spans of many captures on the cards that there are: each capture's files verified, then replayed grafted.

    python tests/benchmarks/spans_on_cards.py CAPTURE... -o FOLDER --stop 560       again: the next part
    python tests/benchmarks/spans_on_cards.py CAPTURE... -o FOLDER --into tests/benchmarks/results/spans.json

Files are ejected at the first time. What `verify` compiles, `replay` finds in Triton's cache. Of a model of billions of parameters few files are
verified at once: each holds its tensors some ten times. How jobs run, and what is left of one that fails: jobs.py.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import jobs
from circumstances import Results, write
from jobs import Job
from spans import TOP, ejected

HERE = Path(__file__).resolve().parent
REPLAY_SECONDS = 400
LARGE = 32 * 10**9
"""Bytes that the inputs of a capture's largest graph take in float64, from which few files are verified at once."""
SAID = ("verify", "verify_says", "by", "cases", "replay", "replay_says", "replay_s", "replayed_with", "replay_against")


def every(asked: argparse.Namespace) -> list[Job]:
    """All files verified, all captures replayed: the small ones first."""
    found = []
    for capture in sorted(asked.captures, key=size):
        name, together = capture.name, 3 if size(capture) > LARGE else 16
        own = [sys.executable, str(HERE / "spans.py"), "--of", "FILE", "--files", str(files(asked)), "-o", "FILE"]
        verify = [*own, "--verify", "--effort", "quick", "--together", str(together), "--stop", "SECONDS"]
        replay, rows = [*own, "--replay", str(capture.resolve())], ("capture", name)
        found.append(Job(f"verify_{name}", [verify], f"{name}.json", rows=rows))
        found.append(Job(f"replay_{name}", [replay], f"{name}.json", REPLAY_SECONDS, rows))
    return found


@cache
def size(capture: Path) -> int:
    """Bytes of the inputs of its largest graph, in float64 some times over."""
    from inductor_lab import store
    from inductor_lab.replay.against_generated import held_by_eager

    graphs = store.load(capture).graphs
    given = (replace(graph, nodes=tuple(one for one in graph.nodes if one.target == "placeholder")) for graph in graphs)
    return max((held_by_eager(graph) for graph in given), default=0)


def files(asked: argparse.Namespace) -> Path:
    return asked.output.resolve() / "files"


def begin(folder: Path, asked: argparse.Namespace) -> None:
    """A results file for each capture, and its ejected files."""
    missing = [one for one in asked.captures if not Results(folder / f"{one.name}.json", "").rows()]
    files(asked).mkdir(exist_ok=True)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = pool.map(partial(ejected, folder=files(asked), top=TOP), missing)
        for capture, rows in zip(missing, found, strict=True):
            write(folder / f"{capture.name}.json", {"what": __doc__, "runs": [], "rows": rows})


def end(folder: Path, asked: argparse.Namespace) -> None:
    """What was said goes to the rows of the one file."""
    if asked.into is None:
        return
    into = json.loads(asked.into.read_text(encoding="utf-8"))
    parts = [row for one in asked.captures for row in Results(folder / f"{one.name}.json", "").rows()]
    said = {row["span"]: {name: row[name] for name in SAID if name in row} for row in parts}
    for row in into["rows"]:
        row |= said.get(row["span"], {})
    write(asked.into, into)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("captures", nargs="+", type=Path, metavar="CAPTURE", help="folders")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", help="results of spans.py whose rows are told what was said"
    )


if __name__ == "__main__":
    jobs.main("spans_on_cards.py", __doc__ or "", every, HERE / "spans", options=options, begin=begin, end=end)
