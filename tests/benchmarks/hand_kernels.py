"""A hand kernel beside eager, Inductor under each of its settings, and public kernels where they are installed: CUDA graphs in the same rounds.

    python tests/benchmarks/hand_kernels.py rotary                into inductor_lab/kernels/rotary/results.json; goes on where an earlier run stopped
    python tests/benchmarks/hand_kernels.py rotary --stop 540     what nine minutes allow; the same again does the next part
    python tests/benchmarks/hand_kernels.py rotary --again        everything anew
    python tests/benchmarks/hand_kernels.py rotary --tune         every candidate of the kernel's own table, nobody else
    python tests/benchmarks/hand_kernels.py rotary --only verify -o verdicts.json      a part: points, steps' times, or steps' verdicts
    python tests/benchmarks/hand_kernels.py rotary --jobs 1       one row after the other; else as many processes compile as the cores allow
    TRITON_INTERPRET=1 python tests/benchmarks/hand_kernels.py rotary --smoke    without a card: checks small sizes, times nothing

A row a point, then two a step: `diff` of it with the captured model's step, and what `verify --thorough` says. Inputs are cold, the order in a round is
random, `hand` is there twice: what it differs from itself by is the noise. Each contestant is held to float64 before it is timed, `hand` behind it too.
The copy's and the products' rates are measured in the same run. Processes that compile beside each other take turns at the card (`card.py`), steps and
gradients first, as they take the longest; verdicts come when all times are taken, several beside each other. Where memory ran out meanwhile, a step is
judged again, alone. contests/KERNEL.py says what is timed and against whom.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch
from card import CARD, CORES, JUDGES, Card, compiling_lends, each, jobs, said
from circumstances import LEFT, Results, circumstances
from contests import Job, Row, allowed, begun, called, checked, exact, far, timed, told, tuned
from timed_rows import CEILING

from inductor_lab.errors import SHORT, LabError
from inductor_lab.kernels.steps import steps, written
from inductor_lab.measure.timing import ceilings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONTESTS = sorted(path.stem for path in (HERE / "contests").glob("[a-z]*.py"))
CALLS = 2000
"""Microseconds of calls from Python that are one sample, 50 calls at most."""
AT_MOST = 540
"""Seconds of a step's times, with the wait for the card, or of its verdict."""
TURNS = (str(HERE / "card.py"),)
"""Of Python: a verb that takes turns at the card."""
A_STEP = 100
"""Seconds that should be left when a step is begun."""
PARTS = ("time", "step", "verify")


@cache
def copied() -> float:
    """Bytes in a second."""
    return ceilings.copy_bytes_per_second().per_second


@cache
def multiplied(precision: str) -> float:
    """Operations in a second."""
    return ceilings.product_flops_per_second(precision).per_second


def row_of(
    head: Row,
    point: Any,
    asked: argparse.Namespace,
    on: str,
    end: float,
    folder: str,
    threads: int = CORES,
    lost: Mapping[str, str] = {},
) -> Row | None:
    """A point's row or a step's, whose capture lies in `folder` then; None where too little time is left to begin it.

    Args:
        threads: Of the CPU, of each process that judges.
        lost: With whom the card was lost when it was tried before, and why; an empty name is nobody's.
    """
    if time.monotonic() + (0 if point else A_STEP) > end:
        return None
    if on == "cpu":
        from inductor_lab.judge import stand_ins

        stand_ins.install()  # Triton's own interpreter multiplies bfloat16 as whole numbers
    contest = importlib.import_module(f"contests.{asked.kernel}")
    if point:
        found = said(lambda: measured(contest, point, on, asked, lost), lost)
    else:
        found = said(lambda: of_step(contest, asked.kernel, **head, end=end, made=folder, threads=threads), lost)
    origin = {} if asked.smoke else {"code": circumstances()["code"]}  # runs may be parted from their rows
    return head | found | origin


def measured(contest: Any, point: Any, on: str, asked: argparse.Namespace, lost: Mapping[str, str]) -> Row:
    """What a row says of a point."""
    start, had = time.monotonic(), CARD.had
    with CARD.held(), begun(lambda: contest.job(point, on)) as job:
        compiling_lends()
        row: Row = {"bytes": job.bytes, "flops": job.flops}
        if asked.tune:
            row |= tuned(job, asked.seconds)
        else:
            who = [name for name in asked.who or job.who() if name in job.who() and name not in lost]
            functions, refused = checked(job, who)
            row["refused"] = refused | lost
            if "hand" in refused:
                row["failed"] = refused["hand"]
            elif not asked.smoke:
                row |= beside_the_roofline(job, functions, asked.seconds)
    return row | {"took_s": round(time.monotonic() - start, 1), "held_s": round(CARD.had - had, 1)}


def beside_the_roofline(job: Job, functions: dict[str, Any], seconds: float) -> Row:
    """Everybody's times, and how far from the bound `hand` is."""
    row = told(timed(functions, seconds), job.bytes, copied(), beside=tuple(job.beside))
    row["called_us"] = called(functions, calls=max(1, min(50, int(CALLS / row["us"]["hand"][0]))))
    right = exact(job)
    if (off := far(functions["hand"](), right)) > allowed(job, right):
        return {"failed": f"behind its timing the hand kernel's result is {off:.1e} from float64's"}
    row |= {"beside": list(job.beside), "copy_bytes_per_s": copied()}
    bounds = [job.bytes / copied()]
    if job.flops:
        row["flops_per_s"] = multiplied(CEILING[job.precision])
        bounds.append(job.flops / row["flops_per_s"])
    row["bound_us"] = 1e6 * max(bounds)
    return row | {"share": row["bound_us"] / row["us"]["hand"][0]}


def of_step(contest: Any, kernel: str, *, verb: str, step: str, end: float, made: str, threads: int) -> Row:
    """What a step's file is worth: its times alone and in the captured model, or its verdict."""
    start = time.monotonic()
    of = steps(kernel)[step]
    capture = captured(contest, of.capture, Path(made))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{step}.py")
        file.write_text(written(kernel, step, capture, file.name), encoding="utf-8")
        limit = max(30.0, min(AT_MOST, end - time.monotonic()))
        if verb == "verify":
            row = verdict(asked_of(limit, "verify", file, "--thorough", threads=threads))
        else:
            row = gained(asked_of(limit, "diff", file, "--in", str(capture), "--launch", "graph", through=TURNS))
    return {"step": step, "address": f"{of.capture}:{of.address}", **row, "took_s": round(time.monotonic() - start, 1)}


def captured(contest: Any, name: str, folder: Path) -> Path:
    """A capture that is committed, or made in `folder` once for all steps that are of it."""
    capture = ROOT / "captured" / name
    if not capture.exists():
        capture = folder / name
        with Card(folder / "captures").held(), CARD.held():
            if not capture.exists():
                contest.capture(name, capture)
    return capture


def verdict(found: dict[str, Any]) -> Row:
    """Of all its cases the ones that failed say why."""
    if "failed" in found:
        return found
    wrong = {case["name"]: case["message"] for case in found["cases"] if not case["passed"]}
    return {"verdict": found["verdict"], "cases": len(found["cases"]), "wrong": wrong}


def gained(found: dict[str, Any]) -> Row:
    if "failed" in found:
        return found
    times = {
        name: (found[name]["timing"]["median"], found[name]["timing"]["interval"]) for name in ("hand", "generated")
    }
    row = {"us": times, "ratio": (found["ratio"], found["ratio_interval"]), "noise": found["noise"]}
    told = ("step", "saved", "saved_interval", "notes")
    return row | {"in_the_model": {name: found["step"][name] for name in told}}


def asked_of(
    limit: float,
    verb: str,
    file: Path,
    *options: str,
    through: Sequence[str] = ("-m", "inductor_lab"),
    threads: int = 0,
) -> dict[str, Any]:
    """What a verb says of a file, as JSON; {"failed": why} where it says nothing."""
    command = [sys.executable, *through, verb, file.name, *options, "--json"]
    given = {"OMP_NUM_THREADS": str(threads)} if threads else {}
    environment = {**given, **os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=limit, cwd=file.parent
        )
        return json.loads(done.stdout)  # type: ignore[no-any-return]
    except subprocess.TimeoutExpired:
        return {"failed": f"{verb} took longer than {limit:.0f} s"}
    except json.JSONDecodeError:
        return {"failed": (done.stderr.strip().splitlines() or [f"{verb} said nothing"])[-1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=CONTESTS)
    parser.add_argument("-o", "--output", type=Path, help="inductor_lab/kernels/KERNEL/results.json unless given")
    parser.add_argument("--who", nargs="+", help="these contestants alone, `hand` among them")
    parser.add_argument("--seconds", type=float, default=0.2, help="of samples, for each contestant")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no row is begun")
    parser.add_argument("--again", action="store_true", help="leave out nothing that is there already")
    parser.add_argument("--tune", action="store_true", help="time the hand kernel's candidates, nobody else")
    parser.add_argument("--only", choices=PARTS, help="the points, the times of the steps, or their verdicts")
    parser.add_argument("--steps", nargs="+", metavar="STEP", help="these alone")
    parser.add_argument("--smoke", action="store_true", help="small sizes, checked and not timed, on the CPU too")
    parser.add_argument(
        "--jobs",
        type=int,
        help="processes that take turns at the card; with 1, steps too are judged one after the other",
    )
    asked = parser.parse_args()
    asked.jobs = asked.jobs or jobs()
    on = "cpu" if asked.smoke and not torch.cuda.is_available() else "cuda"
    if on == "cpu":
        asked.who = asked.who or ["hand", "eager"]
    contest = importlib.import_module(f"contests.{asked.kernel}")
    own = ROOT / "inductor_lab" / "kernels" / asked.kernel / "results.json"
    what = f"{asked.kernel}. {(__doc__ or '').splitlines()[0]}"
    results = Results(None if asked.smoke else asked.output or own, what)
    end = time.monotonic() + asked.stop
    parts = ("tune",) if asked.tune else ("time",) if asked.smoke else (asked.only,) if asked.only else PARTS
    for name in parts if asked.again else ():
        results.remove("verb", name)
    done = results.rows()
    left = [one for one in work(contest, asked, parts) if not any(one[0].items() <= row.items() for row in done)]
    if left and not asked.smoke:
        with CARD.held():
            results.begin("hand_kernels.py", copy_bytes_per_s=copied(), cores=CORES)
    failed, late = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for found in found_of(left, asked, on, end, folder):
            late += found is None
            if found:
                failed += [found["failed"]] if "failed" in found else []
                results.add(found)
    if late:
        sys.exit(LEFT)
    if failed:
        sys.exit(f"error: {len(failed)} rows were not timed: {failed[0]}")


def found_of(left: Sequence[tuple[Row, Any]], asked: argparse.Namespace, *how: Any) -> Iterator[Row | None]:
    """The rows as they come, verdicts last, as judging computes on the card too. Whose judge had too little memory beside the others is judged again, alone."""
    asks = [(*one, asked, *how) for one in left]
    times, verdicts = ([one for one in asks if (one[0]["verb"] == "verify") == judged] for judged in (False, True))
    yield from each(row_of, sorted(times, key=lambda one: not _takes_long(one[0])), asked.jobs)
    short, judges = list[str](), min(JUDGES, len(verdicts) or 1) if asked.jobs > 1 else 1
    several = [(*one, CORES // judges) for one in verdicts]
    for found in each(row_of, several, judges, timed=False):
        if found and SHORT in found.get("failed", "") and judges > 1:
            short.append(found["step"])
        else:
            yield found
    yield from each(row_of, [one for one in verdicts if one[0]["step"] in short], 1)


def _takes_long(head: Row) -> bool:
    """What should not be left for the end, when others have nothing to do."""
    return head["verb"] == "step" or head.get("what") == "backward" or bool(head.get("backward"))


def work(contest: Any, asked: argparse.Namespace, parts: Sequence[str]) -> list[tuple[Row, Any]]:
    """The heads of all rows, each with its point where it is no step's."""
    points = contest.SMOKE if asked.smoke else contest.POINTS
    found: list[tuple[Row, Any]] = []
    for verb in parts:
        if verb in ("time", "tune"):
            found += [({"verb": verb, **json.loads(json.dumps(asdict(point)))}, point) for point in points]
        else:
            found += [({"verb": verb, "step": step}, None) for step in asked.steps or steps(asked.kernel)]
    return found


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
