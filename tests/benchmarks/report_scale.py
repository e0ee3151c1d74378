"""The report of a thousand kernels: how long it takes to write, how large it is, how fast it opens and answers in Chromium.

    python tests/benchmarks/report_scale.py CAPTURE... [--kernels 1000]

The captures' kernels, graphs and library calls, annotated as this version does, are put together as one capture. Times in the browser are the
median of several runs, each from a new tab; `load` says how busy the machine was besides: a busy one makes every time longer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from browsing import launch

from inductor_lab import store
from inductor_lab.annotate import annotate
from inductor_lab.records import Capture, Kernel
from inductor_lab.report import html

RESULTS = Path(__file__).parent / "results" / "report_scale.json"
RUNS = 5
QUERY = "layer norm"


def joined(captures: Iterable[Capture], most: int) -> Capture:
    """One capture of the kernels of several, as far as `most`; graphs bear the name of the capture that they are from."""
    every = list(captures)
    kernels = [kernel for capture in every for kernel in _renamed(capture)][:most]
    graphs = [replace(graph, id=f"{capture.name}/{graph.id}") for capture in every for graph in capture.graphs]
    calls = [replace(call, graph=f"{capture.name}/{call.graph}") for capture in every for call in capture.extern_calls]
    numbered = tuple(replace(kernel, id=f"joined:{number}") for number, kernel in enumerate(kernels))
    return replace(every[0], name="joined", kernels=numbered, graphs=tuple(graphs), extern_calls=tuple(calls))


def _renamed(capture: Capture) -> Iterator[Kernel]:
    for kernel in capture.kernels:
        launches = tuple(replace(launch, graph=f"{capture.name}/{launch.graph}") for launch in kernel.launches)
        yield replace(kernel, graph=f"{capture.name}/{kernel.graph}", launches=launches)


def written(capture: Capture, file: Path) -> dict[str, float]:
    wall, processor = time.perf_counter(), time.process_time()
    file.write_text(html.page(capture), encoding="utf-8")
    return {
        "write_seconds": round(time.perf_counter() - wall, 2),
        "write_processor_seconds": round(time.process_time() - processor, 2),
        "megabytes": round(file.stat().st_size / 1e6, 2),
    }


DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
"""Resolves once what was changed stands on the screen."""


def browsed(file: Path) -> dict[str, Any]:
    driver, browser = launch()
    try:
        runs = [_run(browser, file) for _ in range(RUNS)]
        version = browser.version
    finally:
        browser.close()
        driver.stop()
    told = {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}
    return {"chromium": version, **told}


def _run(browser: Any, file: Path) -> dict[str, float]:
    """One tab: opened, searched letter by letter, sorted, one kernel opened; milliseconds."""
    context = browser.new_context(viewport={"width": 1600, "height": 1000})
    tab = context.new_page()
    tab.goto(file.as_uri(), wait_until="commit")
    tab.wait_for_selector("main h1")
    opened = tab.evaluate(DRAWN)
    keystrokes = [_timed(tab, f"search.value = {QUERY[:end]!r}; searched()") for end in range(1, len(QUERY) + 1)]
    cleared = _timed(tab, "search.value = ''; searched()")
    sort = _timed(tab, "document.querySelector('.costs th:nth-child(6) button').click()")
    kernel = _timed(tab, "location.hash = document.querySelector('.costs tbody a').hash")
    context.close()
    return {
        "open_ms": opened,
        "keystroke_ms": statistics.median(keystrokes),
        "slowest_keystroke_ms": max(*keystrokes, cleared),
        "sort_ms": sort,
        "open_kernel_ms": kernel,
    }


def _timed(tab: Any, action: str) -> float:
    """From an action to the frame that shows it."""
    return float(
        tab.evaluate(f"(async () => {{ const start = performance.now(); {action}; return await {DRAWN} - start; }})()")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("--kernels", type=int, default=1000)
    options = parser.parse_args()
    capture = joined((annotate(store.load(path)) for path in options.captures), options.kernels)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        found = {
            "kernels": len(capture.kernels),
            "launches": sum(len(kernel.launches) for kernel in capture.kernels),
            "library_calls": len(capture.extern_calls),
            "captures": [path.name for path in options.captures],
            "load": round(os.getloadavg()[0], 1),
            "cores": os.cpu_count(),
            **written(capture, file),
            **browsed(file),
        }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
