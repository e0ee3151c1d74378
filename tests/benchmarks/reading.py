"""How long users wait: reading logs into a catalog, and the start of the command line.

    python tests/benchmarks/reading.py LOG... -o tests/benchmarks/results/reading.json

Every figure is the median of several whole processes, Python's start included, in seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 7


def seconds(command: list[str], folder: str) -> float:
    """Median wall time of a command, after one run that is not counted."""
    times = []
    for number in range(RUNS + 1):
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        if number:
            times.append(time.perf_counter() - start)
    return round(statistics.median(times), 3)


def cpu() -> str:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    return names[0] if names else platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    lab = [sys.executable, "-m", "inductor_lab"]
    with tempfile.TemporaryDirectory() as folder:
        found = {"inductor-lab --help": seconds([*lab, "--help"], folder)}
        for log in arguments.logs:
            found[f"inductor-lab read {log.name}"] = seconds(
                [*lab, "read", str(log.resolve()), "--name", "log", "-o", "log"], folder
            )
        found["inductor-lab list log"] = seconds([*lab, "list", "./log"], folder)
        found["inductor-lab show log:0"] = seconds([*lab, "show", "./log:0"], folder)
    machine = {"cpu": cpu(), "cores": os.cpu_count(), "python": platform.python_version()}
    document = {"what": f"seconds, median of {RUNS} processes", "machine": machine, "seconds": found}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
