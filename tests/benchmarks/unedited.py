"""Every kernel of the given captures, ejected and unedited: does it verify, and is it as fast as the generated one?

    python tests/benchmarks/unedited.py captured/* -o tests/benchmarks/results/unedited.json

Needs a GPU. Both styles are verified, the readable one is timed against the generated kernel, each under the configuration that
Inductor's heuristics list first. Writes one row a kernel and style, and prints the geometric means.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.records import Verdict
from inductor_lab.store import load

Row = dict[str, object]


def ejected(folders: list[Path], into: Path, styles: list[str], count: int | None, seed: int) -> list[Row]:
    """A file a style of every distinct kernel, or of some that are drawn from all captures alike."""
    rows: list[Row] = []
    seen: set[str] = set()
    draw = random.Random(seed)
    for place, folder in enumerate(folders):
        try:
            capture = load(folder)
        except LabError as error:
            print(f"{folder.name}: {error}")
            continue
        kernels = [(number, kernel) for number, kernel in enumerate(capture.kernels) if kernel.body_sha256 not in seen]
        if count is not None:
            left = count - len(rows) // len(styles)
            kernels = sorted(
                draw.sample(kernels, min(len(kernels), -(-left // (len(folders) - place)))), key=lambda pair: pair[0]
            )
        for number, kernel in kernels:
            seen.add(kernel.body_sha256)
            for style in styles:
                path = into / f"{folder.name}_{number}_{style}.py"
                row: Row = {
                    "capture": folder.name,
                    "kernel": number,
                    "name": kernel.name,
                    "category": kernel.category,
                    "style": style,
                }
                try:
                    path.write_text(eject(capture, kernel, style=style, file=path.name))
                    row["path"] = str(path)
                except LabError as error:
                    row["error"] = str(error)
                rows.append(row)
    return rows


def verified(rows: list[Row]) -> list[Row]:
    from inductor_lab.verify import verify_all

    found = iter(verify_all([str(row["path"]) for row in rows if "path" in row], seeds=2))
    return [row | _words(next(found)) if "path" in row else row for row in rows]


def _words(found: Verdict | LabError) -> Row:
    if isinstance(found, LabError):
        return {"verify": "error", "error": str(found)}
    wrong = "; ".join(f"{case.name}: {case.message}" for case in found.cases if not case.passed)
    words: Row = {"verify": found.verdict, "errors": dict(found.errors), "notes": list(found.notes)}
    return words | ({"wrong": wrong} if wrong else {})


def timed(row: Row, seconds: float) -> Row:
    from inductor_lab.diff import diff

    if "path" not in row or row["style"] != "readable":
        return row
    try:
        found = diff(str(row["path"]), seconds=seconds)
    except LabError as error:
        return row | {"diff": "error", "error": str(error)}
    hand, generated = found.hand["timing"], found.generated["timing"]
    return row | {
        "diff": found.verdict, "ratio": found.ratio, "ratio_interval": found.ratio_interval, "noise": found.noise,
        "hand_us": asdict(hand)["median"], "generated_us": asdict(generated)["median"], "gpu": found.device,  # type: ignore[call-overload]
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--kernels", type=int, help="only so many, drawn with the seed from all captures alike")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--styles", nargs="+", default=["readable", "verbatim"])
    parser.add_argument("--no-timing", action="store_true", help="verify only")
    parser.add_argument("--seconds", type=float, default=0.3, help="of samples for each kernel")
    parser.add_argument("--processes", type=int, default=8, help="that verify at once; timing is one at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = ejected(arguments.captures, Path(folder), arguments.styles, arguments.kernels, arguments.seed)
        start = time.perf_counter()
        with ProcessPoolExecutor(arguments.processes, mp_context=get_context("spawn")) as pool:
            parts = [rows[first : first + 12] for first in range(0, len(rows), 12)]
            rows = [row for part in pool.map(verified, parts) for row in part]
        print(f"verified {len(rows)} files in {time.perf_counter() - start:.0f} s")
        start = time.perf_counter()
        if not arguments.no_timing:
            rows = [timed(row, arguments.seconds) for row in rows]
        print(f"timed in {time.perf_counter() - start:.0f} s")
    for row in rows:
        row.pop("path", None)
    import torch
    import triton

    document = {
        "what": "ejected, unedited kernels against the generated ones; ratio = generated time / hand time",
        "gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__, "rows": rows,
    }  # fmt: skip
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(document, indent=1) + "\n")
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
        ratios = [float(row["ratio"]) for row in rows if row["capture"] == name and row.get("ratio")]  # type: ignore[arg-type]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(
                f"{name:32} {len(ratios):4} kernels  geometric mean {mean:.4f}  least {min(ratios):.3f}  most {max(ratios):.3f}"
            )


if __name__ == "__main__":
    main()
