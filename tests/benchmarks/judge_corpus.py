"""Unedited files under the judge: none may fail. Which verdict each gets, and in what time, by case.

    python tests/benchmarks/corpus_eject.py DIR -o WORK --verify 0
    python tests/benchmarks/judge_corpus.py WORK/files --sample 300 -o tests/benchmarks/results/judge_corpus.json

Exits with 1 when a file fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inductor_lab.errors import LabError
from inductor_lab.judge.process import free_memory
from inductor_lab.verify import Judges, at_once

Row = dict[str, object]


def judged(judges: Judges, path: Path) -> Row:
    began = time.perf_counter()
    (found,) = judges.judged([path], lambda step: None, {})
    row: Row = {"file": path.name, "seconds": round(time.perf_counter() - began, 2)}
    if isinstance(found, LabError):
        return {**row, "verdict": "none", "message": str(found).replace(str(path), path.name)}
    cases = {"drawn now" if "drawn now" in case.name else case.name: case.seconds for case in found.cases}
    wrong = [[case.name, case.message] for case in found.cases if not case.passed]
    return {**row, "verdict": found.verdict, "seconds_by_case": cases, "wrong": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="so many of the files; all unless given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # the other cores have files of their own
    paths = sorted(asked.folder.glob("*.py"))
    random.Random(asked.seed).shuffle(paths)
    paths = paths[: asked.sample]
    rows: list[Row] = []
    began = time.perf_counter()
    count, fewer = free_memory.side_by_side(paths, at_once(len(paths)))
    if fewer:
        print(fewer, file=sys.stderr, flush=True)
    with Judges(count) as judges, ThreadPoolExecutor(judges.count) as pool:
        for row in pool.map(lambda path: judged(judges, path), paths):
            rows.append(row)
            if row["verdict"] != "pass":
                print(row["verdict"], row["file"], row.get("message") or row["wrong"], file=sys.stderr, flush=True)
    took = sorted(float(str(row["seconds"])) for row in rows)
    middle = {name: took[int(len(took) * part)] for name, part in (("median", 0.5), ("90 %", 0.9))} | {
        "largest": took[-1]
    }
    verdicts = Counter(str(row["verdict"]) for row in rows)
    found = {
        "files": len(rows),
        "verdicts": verdicts,
        "seconds_of_a_file": middle,
        "seconds": round(time.perf_counter() - began, 1),
    }
    print(json.dumps(found))
    if asked.output:
        asked.output.write_text(
            json.dumps({**found, "rows": sorted(rows, key=lambda row: str(row["file"]))}, indent=1) + "\n"
        )
    sys.exit("fail" in verdicts)


if __name__ == "__main__":
    main()
