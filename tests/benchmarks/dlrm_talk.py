"""The talk's experiments on DLRM: three hashes, what `loss.item()` costs, and what torch.compile's modes make of the model.

    python tests/benchmarks/dlrm_talk.py -o tests/benchmarks/results/dlrm/talk.json        goes on where an earlier run stopped
    python tests/benchmarks/dlrm_talk.py --smoke                                           some rows at tiny sizes, without a card too

A row is a process of its own: `CUDA_LAUNCH_BLOCKING` is read once, memory and compilations are counted from nothing, and what hangs is ended.
The batches lie on the device before the first step: no row reads a log. A training step is `dlrm_train`'s: the model compiled, loss and Adam in
eager. Times are in us; a time of steps is the median and its 95 % interval. What `loss.item()` costs is of pairs: loops with and without it take
turns in one process, in random order, and a third one, without it again, is the noise.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from circumstances import LEFT, Results
from dlrm_profile import on_card, top, waited

from inductor_lab.errors import LabError

Row = dict[str, Any]
CAP, TINY = 100_000, 50
"""Rows of the largest tables, Kaggle's largest having 10,131,227; and with --smoke."""
SEED = 0
BATCHES = 8
"""Different ones, taken in turn."""
WARM, PROFILED, LOOP = 10, 10, 5
"""Steps before anything is counted, steps under the profiler, and steps of a loop that waits for the card at its end alone."""
PAIRED, LEAST, MOST = 30.0, 10, 200
"""Seconds of loops that take turns, and their rounds at least and at most."""
MODES = ("eager", "default", "reduce-overhead", "max-autotune", "combo_kernels")
EXPERIMENTS = ("hash", "item", "modes")
HASH = "the hash"


@dataclass(frozen=True)
class Point:
    """What is measured: a row of the results."""

    experiment: str
    """One of EXPERIMENTS."""
    config: str = "small"
    training: bool = True
    hash: str = "modulus"
    mode: str = "eager"
    blocking: bool = False
    """With CUDA_LAUNCH_BLOCKING=1."""


def points(smoke: bool) -> list[Point]:
    """The most important first."""
    if smoke:
        return [
            Point("hash", hash="index-list"),
            Point("item", blocking=True),
            Point("modes", training=False, mode="default"),
        ]
    hashes = [Point("hash", hash=name) for name in ("index-list", "index-device", "modulus")]
    # The talk's loop has the list at this point; beside it, last, what it has in the end.
    listed, modulus = (
        [Point("item", hash=name, blocking=wait) for wait in (False, True)] for name in ("index-list", "modulus")
    )
    modes = product((False, True), ("main", "small"), MODES)
    return [*hashes, *listed, *(Point("modes", config, train, mode=mode) for train, config, mode in modes), *modulus]


# ---------------------------------------------------------------- a row, in its own process


def batches(size: int, cap: int, device: Any) -> tuple[list[Any], list[Any]]:
    """As `inductor_lab.criteo sample` draws them, with no value missing; and the tables."""
    import numpy as np
    import torch

    from inductor_lab.criteo.format import Table
    from inductor_lab.criteo.reader import Rows
    from inductor_lab.criteo.sample import KAGGLE, SKEW, hashes, zipf

    random, rows = np.random.default_rng(SEED), BATCHES * size
    sizes = [min(values, cap) for values in KAGGLE]
    dense = np.exp(random.normal(1, 2, (rows, 13))).astype(np.int64).astype(np.float32)
    columns = [hashes(table, zipf(random, values, rows, SKEW), SEED) for table, values in enumerate(sizes)]
    labels = (random.random(rows) < 0.5).astype(np.float32)
    drawn = Rows(*map(torch.from_numpy, (labels, dense, np.column_stack(columns)))).to(device)
    values = [hashes(table, np.arange(size), SEED).tolist() for table, size in enumerate(sizes)]
    return [drawn[i : i + size] for i in range(0, rows, size)], [Table(len(own), own) for own in values]


def stepping(point: Point, smoke: bool) -> Callable[[int], Any]:
    """The step of that number."""
    import torch

    from inductor_lab.models.dlrm_train.configuration import build, read
    from inductor_lab.models.dlrm_train.training import Training

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    configuration = read(point.config, hash=point.hash, seed=SEED, **({"batch": 8, "top": [4, 1]} if smoke else {}))
    given, tables = batches(configuration.batch, TINY if smoke else CAP, device)
    model = build(configuration, tables).to(device)
    if point.experiment == "hash":  # an operator of its own in the profile: making a tensor of a list is none
        model.sparse_arch.hash.forward = torch.profiler.record_function(HASH)(model.sparse_arch.hash.forward)
    compiled: Row = {"options": {point.mode: True}} if point.mode == "combo_kernels" else {"mode": point.mode}
    forward = model if point.mode == "eager" else torch.compile(model, **compiled)
    adam = torch.optim.Adam(model.parameters(), lr=configuration.learning_rate)
    training = Training(configuration, model, adam, None, None, device, forward)  # type: ignore[arg-type]  # it reads no log

    def step(number: int) -> Any:
        rows = given[number % BATCHES]
        if point.training:
            return training.step(rows)
        with torch.no_grad():
            return training.predicted(rows)

    return step


def measured(point: Point, smoke: bool, trace: Path) -> Row:
    """A row's figures; a Chrome trace of the profiled steps is at `trace`, gzipped."""
    import torch

    from inductor_lab.measure.timing.significance import median_interval

    step, cuda, item = stepping(point, smoke), torch.cuda.is_available(), point.experiment == "item"
    # A loop that asks for the loss, or not, is held to itself: waiting in each step would hide what asking costs.
    length, samples = LOOP if item else 1, 3 if smoke else 60

    def loop(count: int, begin: int = 0, asks: bool = item) -> float:
        """us a step, waiting for the card behind each `length` steps."""
        begun = time.perf_counter()
        for number in range(begin, begin + count):
            loss = step(number)
            if asks:
                loss.item()
            if cuda and (number + 1) % length == 0:
                torch.cuda.synchronize()
        return 1e6 * (time.perf_counter() - begun) / count

    row: Row = {"first_step_us": loop(1)}
    loop(1 if smoke else WARM)
    if cuda:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    if item:
        row |= paired(loop, 0 if smoke else PAIRED)
    else:
        row |= {"step_us": median_interval([loop(1, number) for number in range(samples)]), "steps": samples}
    if cuda:
        # Of a CUDA graph, what a replay needs within its pool is reserved and not allocated.
        row["peak_allocated"] = torch.cuda.max_memory_allocated()
        row["peak_reserved"] = torch.cuda.max_memory_reserved()
    row |= profiled(point, loop, cuda, trace)
    if cuda:
        row["busy"] = row["kernel_us"] / row["step_us"][0]
    return row | (compilations() if point.mode != "eager" else {})


def paired(loop: Callable[..., float], seconds: float) -> Row:
    """Loops that ask for the loss and loops that do not, in turn and in random order. `noise_us` is what one without differs by from another one."""
    from inductor_lab.measure.timing.significance import median_interval

    times: dict[str, list[float]] = {"asks": [], "without": [], "again": []}
    end, order = time.monotonic() + seconds, random.Random(SEED)
    for number in range(MOST):
        if number >= LEAST and time.monotonic() > end:
            break
        for name in order.sample(list(times), len(times)):
            times[name].append(loop(LOOP, LOOP * number, name == "asks"))

    def less(name: str) -> list[float]:
        return [one - other for one, other in zip(times[name], times["without"], strict=True)]

    return {
        "step_us": median_interval(times["asks"]),
        "without_us": median_interval(times["without"]),
        "costs_us": median_interval(less("asks")),
        "noise_us": median_interval(less("again")),
        "rounds": len(times["asks"]),
        "steps": LOOP * len(times["asks"]),
    }


def profiled(point: Point, loop: Callable[[int], float], cuda: bool, trace: Path) -> Row:
    """Some steps under torch's profiler, behind one that is not kept."""
    from torch.autograd.profiler_util import DeviceType
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
    with profile(activities=activities):  # the first use of the profiler is slow
        loop(LOOP)
    with profile(activities=activities) as profiler:
        wall = PROFILED * loop(PROFILED)
    profiler.export_chrome_trace(str(trace))
    with gzip.open(trace, "rt", encoding="utf-8") as stream:
        events = [event for event in json.load(stream)["traceEvents"] if event.get("ph") == "X"]
    own = [event for event in profiler.key_averages() if event.device_type == DeviceType.CPU]
    # Without the loop's own wait for the card.
    cpu = {event.key: event.self_cpu_time_total for event in own if event.key != "cudaDeviceSynchronize"}
    spent = sum(cpu.values())
    row: Row = {"cpu": top(cpu, PROFILED), "cpu_us": spent / PROFILED, "wall_profiled_us": wall / PROFILED}
    for took in [event.cpu_time_total for event in own if event.key == HASH]:
        row |= {"hash_us": took / PROFILED, "hash_share": took / spent}
    if cuda:
        device = {event.key: event.self_device_time_total for event in own if event.self_device_time_total}
        row |= {"cuda": top(device, PROFILED), **on_card(events, PROFILED, wall)}
    return row | (waited(events, spent, PROFILED) if point.experiment == "item" else {})


def compilations() -> Row:
    """Of this process: what Dynamo compiled, why again, and how many guards stand before it."""
    from torch._dynamo.utils import counters, get_compilation_metrics

    metrics = get_compilation_metrics()
    again = [reason for one in metrics if (reason := getattr(one, "recompile_reason", None))]
    return {
        "graphs": counters["stats"]["unique_graphs"],
        "graph_breaks": sum(counters["graph_break"].values()),
        "graph_break_reasons": [reason.partition("\n")[0] for reason in counters["graph_break"]],
        "recompiles": len(again),
        "recompile_reasons": again,
        "guards": sum(one.guard_count or 0 for one in metrics),
        "cudagraph_skips": counters["inductor"]["cudagraph_skips"],
    }


# ---------------------------------------------------------------- the command


def one(point: Row, smoke: bool, trace: str) -> Row:
    """`measured`, or why there is nothing."""
    from inductor_lab.measure.timing.samples import first_line

    try:
        return measured(Point(**point), smoke, Path(trace))
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {first_line(error)}"}


def apart(point: Point, smoke: bool, trace: Path, limit: float) -> Row:
    """`one` in a process of its own; why there is nothing, where that ends or takes longer than `limit` seconds."""
    told = json.dumps({"point": asdict(point), "smoke": smoke, "trace": str(trace)})
    environment = os.environ | ({"CUDA_LAUNCH_BLOCKING": "1"} if point.blocking else {})
    with tempfile.TemporaryFile("w+") as out:
        # A group of its own, as Inductor compiles in processes of its own; a file, as those would keep a pipe open.
        asked = [sys.executable, __file__, "--one", told]
        process = subprocess.Popen(asked, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            return {"failed": f"it took longer than {limit:.0f} s"}
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        said = [line.strip() for line in out if line.strip()] or ["it said nothing"]
    row = [line for line in said if line.startswith("{")]
    return json.loads(row[-1]) if row else {"failed": f"ended with {process.returncode}: {said[-1]}"}  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--traces", type=Path, metavar="DIR", help="keep a Chrome trace of each row, gzipped")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no row is begun")
    parser.add_argument("--limit", type=float, default=400, help="seconds after which a row is ended")
    parser.add_argument("--experiments", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    parser.add_argument("--smoke", action="store_true", help="some rows at tiny sizes, on the CPU too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print("\n" + json.dumps(one(**json.loads(asked.one))))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # and the row that is measured with it
    import torch

    from inductor_lab.criteo.sample import SKEW
    from inductor_lab.models.dlrm_train.configuration import read

    begun, results = time.monotonic(), Results(asked.output, (__doc__ or "").partition("\n")[0])
    if not torch.cuda.is_available() and not asked.smoke:
        raise LabError("This needs a GPU; --smoke runs some rows without one")
    done = [Point(**{name: row[name] for name in Point.__annotations__}) for row in results.rows()]
    left = [one for one in points(asked.smoke) if one not in done and one.experiment in asked.experiments]
    if left:
        configurations = {name: asdict(read(name)) for name in ("small", "main")}
        cap = TINY if asked.smoke else CAP
        results.begin("dlrm_talk.py", cap=cap, seed=SEED, skew=SKEW, batches=BATCHES, configurations=configurations)
    with tempfile.TemporaryDirectory() as folder:
        traces = asked.traces or Path(folder)
        traces.mkdir(parents=True, exist_ok=True)
        for point in left:
            if time.monotonic() - begun > asked.stop:
                sys.exit(LEFT)
            started = time.monotonic()
            name = "_".join(str(value) for value in asdict(point).values())
            row = asdict(point) | apart(point, asked.smoke, traces / f"{name}.pt.trace.json.gz", asked.limit)
            row["took_s"] = round(time.monotonic() - started, 1)
            results.add(row)


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
