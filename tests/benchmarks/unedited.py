"""Every kernel of the given captures, ejected and unedited: does it verify, and is it as fast as the generated one?

    python tests/benchmarks/unedited.py captured/* -o tests/benchmarks/results/unedited_corpus.json

Needs a GPU, but for --no-timing. Both styles are verified, the readable one is timed against the generated kernel under the configuration that
Inductor's autotuner keeps of its `candidates` on this card: as it was ejected (`ratio`), and under that configuration too (`matched`): is the code
as good? Writes one row a kernel and style, and prints the geometric means.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.records import Verdict
from inductor_lab.store import load

Row = dict[str, object]
LONGEST = 60
"""Seconds for one kernel."""
AGAIN = 0.25
"""Of the time that is left, what is kept for the ratios that are measured again."""


def ejected(folder: Path, into: Path, styles: list[str], chosen: list[int] | int | None, seed: int) -> list[Row]:
    """A file a style of every kernel of a capture, of those of these numbers, or of so many that are drawn."""
    rows: list[Row] = []
    try:
        capture = load(folder)
    except LabError as error:
        print(f"{folder.name}: {error}")
        return []
    drawn = list(enumerate(capture.kernels))
    if isinstance(chosen, list):
        drawn = [drawn[number] for number in chosen]
    elif chosen is not None:
        drawn = random.Random(f"{seed} {folder.name}").sample(drawn, min(len(drawn), chosen))
    for number, kernel in drawn:
        for style in styles:
            path = into / f"{folder.name}_{number}_{style}.py"
            row: Row = {
                "capture": folder.name,
                "kernel": number,
                "name": kernel.name,
                "category": kernel.category,
                "style": style,
                "body_sha256": kernel.body_sha256[:16],
            }
            try:
                path.write_text(eject(capture, kernel, style=style, file=path.name))
                row["path"] = str(path)
            except LabError as error:
                row["error"] = str(error)
            rows.append(row)
    return rows


def distinct(rows: list[Row]) -> list[Row]:
    """Each body once a style."""
    return list({(row["body_sha256"], row["style"]): row for row in reversed(rows)}.values())[::-1]


def verified(rows: list[Row], effort: str) -> list[Row]:
    from inductor_lab.verify import verify_all

    found = iter(verify_all([str(row["path"]) for row in rows if "path" in row], effort=effort, seeds=2))
    return [row | _words(next(found)) if "path" in row else row for row in rows]


def _words(found: Verdict | LabError) -> Row:
    if isinstance(found, LabError):
        return {"verify": "error", "error": str(found)}
    wrong = "; ".join(f"{case.name}: {case.message}" for case in found.cases if not case.passed)
    words: Row = {"verify": found.verdict, "by": found.device, "errors": dict(found.errors), "notes": list(found.notes)}
    return words | ({"wrong": wrong} if wrong else {})


def timed(row: Row, seconds: float) -> Row:
    """The row with what `diff` says of its file."""
    from inductor_lab.measure.diff import diff
    from inductor_lab.measure.timing.samples import Method

    try:
        found = diff(str(row["path"]), method=Method(rounds=None, seconds=seconds))
    except LabError as error:
        return row | {"diff": "error", "error": str(error)}
    hand, generated = found.hand["timing"], found.generated["timing"]
    autotuned: Any = found.conditions.get("autotuned")
    asked = {"candidates": len(autotuned["candidates"]), "chosen": autotuned["settings"]} if autotuned else {}
    pair = found.matched
    both = {"matched": {"diff": pair.verdict, "ratio": pair.ratio, "ratio_interval": pair.interval}} if pair else {}
    return row | asked | both | {
        "settings": found.settings, "diff_notes": found.notes,
        "diff": found.verdict, "ratio": found.ratio, "ratio_interval": found.ratio_interval, "noise": found.noise,
        "hand_us": asdict(hand)["median"], "generated_us": asdict(generated)["median"], "gpu": found.device,  # type: ignore[call-overload]
    }  # fmt: skip


def key(row: Row) -> tuple[str, str]:
    return str(row["body_sha256"]), str(row["style"])


def in_a_fresh_process(rows: list[Row], seconds: float, seed: int, deadline: float) -> Iterator[Row]:
    """The rows timed in a random order, in a process of their own, until the deadline, which is a time of the clock. What takes too long is left."""
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    for number, row in enumerate(random.Random(seed).sample(rows, len(rows)), 1):
        if time.time() > deadline:
            break
        start = time.perf_counter()
        try:
            found = pool.submit(timed, row, seconds).result(timeout=LONGEST)
        except TimeoutError:
            found = row | {"diff": "error", "error": f"not done in {LONGEST} s"}
            for process in pool._processes.values():
                process.kill()
            pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        took = time.perf_counter() - start
        print(
            f"{number}/{len(rows)}  {took:5.1f} s  {row['capture']}:{row['kernel']}  {found.get('ratio', found.get('error'))}",
            flush=True,
        )
        yield found
    pool.shutdown()


def timings(
    rows: list[Row], arguments: argparse.Namespace, deadline: float, keep: Callable[[list[Row]], None]
) -> list[Row]:
    """Each row timed; where the ratio of the code is off by more than `--off`, in either direction, in so many processes more.

    On a cold cache a short kernel waits for its instructions, and how long depends on where they lie: one process is one
    draw of that. `ratios` has the ratio of each process, and the row is that of the process in their middle.
    """
    wanted = [row for row in rows if "path" in row and row["style"] == "readable" and "ratio" not in row]
    first = deadline - AGAIN * max(0.0, deadline - time.time())
    draws: dict[tuple[str, str], list[Row]] = {}

    def measured() -> list[Row]:
        return [middle(draws[key(row)]) if key(row) in draws else row for row in rows]

    for row in in_a_fresh_process(wanted, arguments.seconds, 0, first):
        draws[key(row)] = [row]
        keep(measured())
    off = [found[0] for found in draws.values() if abs(ratio_of_code(found[0]) - 1) > arguments.off]
    print(f"{len(draws)} timed once, {len(off)} of them {arguments.again} times more", flush=True)
    for number in range(arguments.again):
        for row in in_a_fresh_process(off, arguments.seconds, 1 + number, deadline):
            draws[key(row)].append(row)
    return measured()


def ratio_of_code(row: Row) -> float:
    """Generated time / hand time under one configuration; as it was ejected where both can not have one, 1 where it was not timed."""
    matched: Any = row.get("matched")
    ratio: Any = matched["ratio"] if matched else row.get("ratio", 1.0)
    return float(ratio)


def middle(draws: list[Row]) -> Row:
    """One row of several processes' ones."""
    measured = sorted((row for row in draws if "ratio" in row), key=ratio_of_code)
    if not measured:
        return draws[0]
    return measured[len(measured) // 2] | {"ratios": [ratio_of_code(row) for row in measured]}


def write(rows: list[Row], output: Path) -> None:
    import torch
    import triton

    kept = [{name: value for name, value in row.items() if name != "path"} for row in rows]
    document = {
        "what": "ejected, unedited kernels against the generated ones as the model would run them; ratio = generated time / hand time",
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "", "torch": torch.__version__, "triton": triton.__version__, "rows": kept,
    }  # fmt: skip
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(document, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--kernels", type=int, help="only so many, drawn with the seed from all captures alike")
    parser.add_argument("--of", type=Path, help="the kernels of another run's results, instead of drawn ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--styles", nargs="+", default=["readable", "verbatim"])
    parser.add_argument("--effort", default="default", help="of verify: quick, default, thorough")
    parser.add_argument(
        "--no-verify", action="store_true", help="time only: --after takes the results to where there is time to verify"
    )
    parser.add_argument("--no-timing", action="store_true", help="verify only")
    parser.add_argument(
        "--after",
        type=Path,
        help="results of another run: what it verified, here or in the interpreter, and timed is not done again",
    )
    parser.add_argument("--stop", type=float, default=1e9, help="seconds after which nothing more is timed")
    parser.add_argument("--seconds", type=float, default=0.3, help="of samples for each kernel")
    parser.add_argument(
        "--off", type=float, default=0.01, help="a ratio so far from 1 is measured in other processes too"
    )
    parser.add_argument("--again", type=int, default=4, help="so many of them")
    parser.add_argument("--processes", type=int, default=8, help="that verify at once; timing is one at a time")
    arguments = parser.parse_args()
    deadline = time.time() + arguments.stop
    known = json.loads(arguments.after.read_text())["rows"] if arguments.after else []
    done = {key(row): row for row in known}

    def keep(rows: list[Row]) -> None:
        """What is known so far is written: the rest may take longer than there is time."""
        write([*done.values(), *rows], arguments.output)

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with ProcessPoolExecutor(arguments.processes, mp_context=get_context("spawn")) as pool:
            each = None if arguments.kernels is None else -(-arguments.kernels * 5 // (4 * len(arguments.captures)))
            same = json.loads(arguments.of.read_text())["rows"] if arguments.of else []
            of = {
                name: [row["kernel"] for row in same if row["capture"] == name]
                for name in {row["capture"] for row in same}
            }
            made = [
                pool.submit(
                    ejected, one, Path(folder), arguments.styles, of.get(one.name, []) if same else each, arguments.seed
                )
                for one in arguments.captures
            ]
            rows = [done.pop(key(row), {}) | row for row in distinct([row for part in made for row in part.result()])]
            print(f"ejected {len(rows)} files in {time.perf_counter() - start:.0f} s", flush=True)
            new = [] if arguments.no_verify else [row for row in rows if row.get("verify") not in ("pass", "fail")]
            size = max(1, min(12, len(new) // (4 * arguments.processes)))
            parts = [new[first : first + size] for first in range(0, len(new), size)]
            told: dict[tuple[str, str], Row] = {}
            for part in pool.map(verified, parts, repeat(arguments.effort)):
                told |= {key(row): row for row in part}
                keep([told.get(key(row), row) for row in rows])
            rows = [told.get(key(row), row) for row in rows]
        print(f"verified {len(new)} files in {time.perf_counter() - start:.0f} s", flush=True)
        start = time.perf_counter()
        if not arguments.no_timing:
            rows = timings(rows, arguments, deadline, keep)
        print(f"timed in {time.perf_counter() - start:.0f} s")
    keep(rows)
    rows = [*done.values(), *rows]
    for row in rows:
        if row.get("verify") != "pass" or row.get("diff") in ("error", "slower", "inconclusive"):
            print(
                {
                    key: row.get(key)
                    for key in (
                        "capture",
                        "kernel",
                        "name",
                        "style",
                        "verify",
                        "wrong",
                        "error",
                        "diff",
                        "ratio",
                        "ratio_interval",
                        "hand_us",
                    )
                }
            )
    for name in dict.fromkeys(str(row["capture"]) for row in rows):
        ratios = [ratio_of_code(row) for row in rows if row["capture"] == name and row.get("ratio")]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(
                f"{name:32} {len(ratios):4} kernels  geometric mean {mean:.4f}  least {min(ratios):.3f}  most {max(ratios):.3f}"
            )


if __name__ == "__main__":
    main()
