"""Everything that is measured of DLRM, on a card: the grafted model, the kernels and their steps, the talk's experiments.

    python tests/benchmarks/dlrm.py                                   into tests/benchmarks/results/dlrm; goes on where it stopped
    python tests/benchmarks/dlrm.py --stop 560 -o FOLDER              what nine minutes allow; the same again does the next part
    python tests/benchmarks/dlrm.py --again diff_outer_2 grafted      these anew
    python tests/benchmarks/dlrm.py --smoke -o FOLDER                 a part at tiny sizes, in Triton's interpreter

How jobs run, and what is left of one that fails: jobs.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dlrm_cpu
import dlrm_grafted
import dlrm_kernels
import dlrm_talk
import jobs
from dlrm_machine_code import SHOWN
from jobs import Job

from inductor_lab.kernels.steps import STEPS

HERE = Path(__file__).resolve().parent
LAB = (sys.executable, "-m", "inductor_lab")
GOALS = {
    "lookups": "--batches 128 65536 --columns 16",
    "outer": "--batches 128",
    "outer_folded": "--batches 128",
    "pairwise": "--batches 2048",
}
"""Where the kernels have one: first."""
KERNELS = (*GOALS, "lookups_backward", "pairwise_backward")


def every() -> list[Job]:
    """The most important first."""
    first = ("lookups_2", "outer_2", "outer_3", "outer_1")
    steps = [job for step in (*first, *(one for one in STEPS["dlrm"] if one not in first)) for job in of_step(step)]
    return [
        script("grafted", dlrm_grafted.POINTS),
        *steps[: 2 * len(first)],
        *(kernels(one, f"goal_{one}", GOALS[one]) for one in GOALS),
        *steps[2 * len(first) :],
        *(talk(one) for one in dlrm_talk.EXPERIMENTS),
        *(kernels(one, one) for one in KERNELS),
        *without_a_card(),
    ]


def smoke() -> list[Job]:
    """Some of it, small."""
    return [
        script("grafted", dlrm_grafted.SMOKE, options="--smoke"),
        kernels("lookups", "lookups", "--smoke"),
        talk("hash", "--smoke"),
    ]


def without_a_card() -> list[Job]:
    """What the CPU measures, and machine code."""
    cpu = (sys.executable, str(HERE / "dlrm_cpu.py"), "-o", "FILE", "--stop", "SECONDS")
    code = (sys.executable, str(HERE / "dlrm_machine_code.py"), "-o", "FILE")
    names, precisions = ([{key: one} for one in of] for key, of in (("name", dlrm_cpu.ROWS), ("precision", SHOWN)))
    return [
        Job("cpu", [cpu], "cpu.json", rows=("", ""), points=names),
        Job("machine_code", [code], "machine_code.json", rows=("", ""), points=precisions),
    ]


def kernels(kernel: str, name: str, options: str = "") -> Job:
    """The rows of a kernel."""
    words = f"--kernels {kernel} {options}"
    points = dlrm_kernels.points(dlrm_kernels.parsed(words.split()))
    return script("kernels", points, name, ("kernel", kernel), words, verb="time")


def talk(experiment: str, options: str = "") -> Job:
    """The rows of an experiment."""
    points = [one for one in dlrm_talk.points("--smoke" in options) if one.experiment == experiment]
    return script("talk", points, experiment, ("experiment", experiment), f"--experiments {experiment} {options}")


def script(
    of: str, points: Sequence[Any], name: str = "", rows: tuple[str, str] = ("", ""), options: str = "", **more: Any
) -> Job:
    """`dlrm_OF.py`, which goes on where it stopped; `more` is what its rows have beside its points."""
    words = [sys.executable, str(HERE / f"dlrm_{of}.py"), "-o", "FILE", "--stop", "SECONDS", *options.split()]
    told = [json.loads(json.dumps(asdict(one) | more)) for one in points]
    return Job(name or of, [words], f"{of}.json", rows=rows, points=told)


def of_step(step: str) -> list[Job]:
    """A step's file, timed in its model, and judged."""
    capture, made = f"captured/{STEPS['dlrm'][step].capture}", []
    if step == "pairwise_1":
        capture = "made/interaction"
        text = (
            "import torch, inductor_lab; from inductor_lab.kernels.steps.dlrm import interaction; "
            f"inductor_lab.capture_model(interaction, torch.randn(2048, 27, 16, device='cuda')).save({capture!r})"
        )
        made = [(sys.executable, "-c", text)]
    file = f"{step}.py"
    made += [(sys.executable, "-m", "inductor_lab.kernels", "dlrm", step, "--capture", capture, "-o", file)]
    diff, verify = (*LAB, "diff", file, "--in", capture, "--json"), (*LAB, "verify", file, "--thorough", "--json")
    return [
        Job(f"diff_{step}", [*made, diff], f"diff_{step}.json", 200),
        Job(f"verify_{step}", [*made, verify], f"verify_{step}.json", 540),
    ]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--smoke", action="store_true", help="a part at tiny sizes, without a card")


def begin(folder: Path, asked: argparse.Namespace) -> None:
    for lock in Path(tempfile.gettempdir(), "extensions").glob("*/lock"):  # of a build that was ended
        lock.unlink()


if __name__ == "__main__":
    jobs.main(
        "dlrm.py",
        __doc__ or "",
        lambda asked: smoke() if asked.smoke else every(),
        HERE / "results" / "dlrm",
        options=options,
        begin=begin,
    )
