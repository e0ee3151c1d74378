"""The talk's experiments on DLRM: three hashes, what `loss.item()` costs, and what torch.compile's modes make of the model.

    python tests/benchmarks/dlrm_talk.py -o tests/benchmarks/results/dlrm/talk.json        goes on where an earlier run stopped
    python tests/benchmarks/dlrm_talk.py --smoke                                           some rows at tiny sizes, without a card too

A row is a process of its own: `CUDA_LAUNCH_BLOCKING` is read once, memory and compilations are counted from nothing, and what hangs is ended.
The batches lie on the device before the first step: no row reads a log. A training step is `dlrm_train`'s: the model compiled, loss and Adam in
eager. Times are in us; a time of steps is the median and its 95 % interval.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from inductor_lab.errors import LabError

Row = dict[str, Any]
CAP = 100_000
"""Rows of the largest tables; Kaggle's largest has 10,131,227."""
SEED = 0
BATCHES = 8
"""Different ones, taken in turn."""
WARM, PROFILED, LOOP = 10, 10, 10
"""Steps before anything is counted, steps under the profiler, and steps of a loop that waits for the card at its end alone."""
TOP = 5
MODES = ("eager", "default", "reduce-overhead", "max-autotune", "combo_kernels")
HASH = "the hash"
ON_CARD = ("kernel", "gpu_memcpy", "gpu_memset")
"""Categories of a Chrome trace's events."""
WAITS = ("cudaStreamSynchronize", "cudaMemcpyAsync", "cudaEventSynchronize", "cudaDeviceSynchronize")
"""What `_local_scalar_dense` calls to have the number on the host: the copy of 4 bytes, and that everything before it is done."""


@dataclass(frozen=True)
class Point:
    """What is measured: a row of the results."""

    experiment: str
    """hash, item or modes."""
    config: str = "small"
    training: bool = True
    hash: str = "modulus"
    mode: str = "eager"
    item: bool = False
    """The loop asks for `loss.item()` in each step."""
    blocking: bool = False
    """With CUDA_LAUNCH_BLOCKING=1."""


def points(smoke: bool) -> list[Point]:
    """The most important first."""
    if smoke:
        few = [Point("hash", hash="index-list"), Point("item", item=True, blocking=True)]
        return [*few, Point("modes", training=False), Point("modes", training=False, mode="default")]
    hashes = [Point("hash", hash=name) for name in ("index-list", "index-device", "modulus")]
    loops = list(product((True, False), (False, True)))
    # The talk's loop has the list at this point; beside it what it has at the end.
    listed = [Point("item", hash="index-list", item=item, blocking=blocking) for item, blocking in loops]
    modulus = [Point("item", item=item, blocking=blocking) for item, blocking in loops]
    modes = [
        Point("modes", config, training, mode=mode)
        for training, config, mode in product((False, True), ("main", "small"), MODES)
    ]
    return [*hashes, *listed, *modes, *modulus]


# ---------------------------------------------------------------- what a profile says


def top(own: Mapping[str, float], steps: int) -> list[Row]:
    """The operators with most of their own time: us a step, and the share of everybody's."""
    whole = sum(own.values())
    first = sorted(own.items(), key=lambda pair: -pair[1])[:TOP]
    return [{"name": name, "us": spent / steps, "share": spent / whole} for name, spent in first if spent]


def on_card(events: Sequence[Row], steps: int, wall: float) -> Row:
    """Of a Chrome trace: kernels a step, and which share of `wall`, the us of the profiled steps, something ran on the card."""
    ran = [event for event in events if event.get("cat") in ON_CARD]
    kernels = [event["dur"] for event in ran if event["cat"] == "kernel"]
    by_name: dict[str, float] = defaultdict(float)
    for event in ran:
        by_name[event["name"]] += event["dur"]
    return {
        "kernels": len(kernels) / steps,
        "copies": (len(ran) - len(kernels)) / steps,
        "kernel_us": sum(kernels) / steps,
        "longest": top(by_name, steps),
        "busy_profiled": sum(event["dur"] for event in ran) / wall,
    }


def within(events: Sequence[Row], name: str) -> tuple[float, dict[str, float]]:
    """The us of all operators of that name, and of what CUDA's runtime did within them, by call."""
    spans = [event for event in events if event.get("name") == name and event.get("cat") == "cpu_op"]
    inside: dict[str, float] = defaultdict(float)
    for event in events:
        if event.get("cat") in ("cuda_runtime", "cuda_driver") and any(
            span["tid"] == event["tid"] and span["ts"] <= event["ts"] <= span["ts"] + span["dur"] for span in spans
        ):
            inside[event["name"]] += event["dur"]
    return sum(span["dur"] for span in spans), dict(inside)


def waited(events: Sequence[Row], cpu: float, steps: int) -> Row:
    """What `_local_scalar_dense` costs: its share of `cpu`, the us of all operators on the host, and whether it waits for the card."""
    spent, inside = within(events, "aten::_local_scalar_dense")
    copied = [event["dur"] for event in events if event.get("cat") == "gpu_memcpy" and "DtoH" in event["name"]]
    waiting = sum(inside.get(call, 0.0) for call in WAITS)
    return {
        "item_us": spent / steps,
        "item_share": spent / cpu,
        "item_calls_us": {name: took / steps for name, took in sorted(inside.items(), key=lambda pair: -pair[1])},
        "item_waiting_share": waiting / spent if spent else 0.0,
        "copy_on_card_us": sum(copied) / steps,
        "item_is": "waiting" if waiting > spent / 2 else "computing",
    }


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


def stepping(point: Point, smoke: bool) -> tuple[Callable[[int], Any], Any]:
    """The step of that number, and the device."""
    import torch

    from inductor_lab.models.dlrm_train.configuration import build, read
    from inductor_lab.models.dlrm_train.training import Training

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    configuration = read(point.config, hash=point.hash, seed=SEED, **({"batch": 8, "top": [4, 1]} if smoke else {}))
    given, tables = batches(configuration.batch, 50 if smoke else CAP, device)
    model = build(configuration, tables).to(device)
    if point.experiment == "hash":  # an operator of its own in the profile: making a tensor of a list is none
        model.sparse_arch.hash.forward = torch.profiler.record_function(HASH)(model.sparse_arch.hash.forward)
    compiled: Row = {"options": {point.mode: True}} if point.mode == "combo_kernels" else {"mode": point.mode}
    forward = model if point.mode == "eager" else torch.compile(model, **compiled)
    adam = torch.optim.Adam(model.parameters(), lr=configuration.learning_rate)
    nothing: Any = None  # the step reads no log
    training = Training(configuration, model, adam, nothing, nothing, device, forward)

    def step(number: int) -> Any:
        rows = given[number % BATCHES]
        if point.training:
            loss = training.step(rows)
            return loss.item() if point.item else loss
        with torch.no_grad():
            return training.predicted(rows)

    return step, device


def measured(point: Point, smoke: bool, trace: Path) -> Row:
    """A row's figures; a Chrome trace of the profiled steps is at `trace`, gzipped."""
    import torch

    from inductor_lab.timing.statistics import median_interval

    step, device = stepping(point, smoke)
    cuda = device.type == "cuda"
    wait: Callable[[], object] = torch.cuda.synchronize if cuda else lambda: None
    # A loop that asks for the loss, or not, is held to itself: waiting in each step would hide what asking costs.
    length, samples = (LOOP, 20) if point.experiment == "item" else (1, 100)
    length, samples = (min(length, 2), 3) if smoke else (length, samples)

    def loop(count: int, begin: int = 0) -> float:
        """us a step, waiting for the card behind each `length` steps."""
        begun = time.perf_counter()
        for number in range(begin, begin + count):
            step(number)
            if (number + 1) % length == 0:
                wait()
        return 1e6 * (time.perf_counter() - begun) / count

    row: Row = {"first_step_us": loop(1)}
    loop(WARM)
    wait()
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    row["step_us"] = median_interval([loop(length, length * number) for number in range(samples)])
    row["steps"] = samples * length
    if cuda:
        # Of a CUDA graph, what a replay needs within its pool is reserved and not allocated.
        row["peak_allocated"], row["peak_reserved"] = (
            torch.cuda.max_memory_allocated(),
            torch.cuda.max_memory_reserved(),
        )
    row |= profiled(point, loop, wait, cuda, trace)
    if cuda:
        row["busy"] = row["kernel_us"] / row["step_us"][0]
    return row | (compilations() if point.mode != "eager" else {})


def profiled(point: Point, loop: Callable[[int], float], wait: Callable[[], object], cuda: bool, trace: Path) -> Row:
    """Some steps under torch's profiler, behind one that is not kept."""
    from torch.autograd.profiler_util import DeviceType
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
    with profile(activities=activities):  # the first use of the profiler is slow
        loop(1)
        wait()
    with profile(activities=activities) as profiler:
        wall = PROFILED * loop(PROFILED)
        wait()
    profiler.export_chrome_trace(str(trace))
    with gzip.open(trace, "rt", encoding="utf-8") as stream:
        events = [event for event in json.load(stream)["traceEvents"] if event.get("ph") == "X"]
    own = [event for event in profiler.key_averages() if event.device_type == DeviceType.CPU]
    # Without the loop's own wait for the card.
    cpu = {event.key: event.self_cpu_time_total for event in own if event.key != "cudaDeviceSynchronize"}
    spent = sum(cpu.values())
    row: Row = {"cpu": top(cpu, PROFILED), "cpu_us": spent / PROFILED, "wall_profiled_us": wall / PROFILED}
    for event in own:
        if event.key == HASH:
            row |= {"hash_us": event.cpu_time_total / PROFILED, "hash_share": event.cpu_time_total / spent}
    if cuda:
        device = {event.key: event.self_device_time_total for event in own if event.self_device_time_total}
        row |= {"cuda": top(device, PROFILED), **on_card(events, PROFILED, wall)}
    return row | (waited(events, spent, PROFILED) if point.item else {})


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
    try:
        return measured(Point(**point), smoke, Path(trace))
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {(str(error).strip() or 'no word').splitlines()[0][:500]}"}


def apart(point: Point, smoke: bool, trace: Path, limit: float) -> Row:
    """`measured` in a process of its own; why there is nothing, where it fails or takes longer than `limit` seconds."""
    told = json.dumps({"point": asdict(point), "smoke": smoke, "trace": str(trace)})
    environment = os.environ | ({"CUDA_LAUNCH_BLOCKING": "1"} if point.blocking else {})
    command, pipe = [sys.executable, __file__, "--one", told], subprocess.PIPE
    # A group of its own, as Inductor compiles in processes of its own.
    with subprocess.Popen(
        command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return {"failed": f"it took longer than {limit:.0f} s"}
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        lines = [line for line in err.splitlines() if line.strip()]
        return {"failed": lines[-1][:500] if lines else f"it ended with {process.returncode}"}
    found: Row = json.loads(out.splitlines()[-1])
    return found


def kept(path: Path | None, head: Row) -> Row:
    """The results so far, which are of the same card and versions, or none; what this run is, added to them."""
    found: Row = {"what": (__doc__ or "").partition("\n")[0], "runs": [], "rows": []}
    if path and path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
    for name in ("card", "torch", "triton", "cap", "seed"):
        if found["runs"] and found["runs"][0][name] != head[name]:
            raise LabError(
                f"{path} is of {name} {found['runs'][0][name]}, and here is {head[name]}: choose another file"
            )
    found["runs"].append(head)
    return found


def header(smoke: bool) -> Row:
    """Where and how: the head of the results."""
    import torch
    from circumstances import circumstances

    from inductor_lab.criteo.sample import SKEW
    from inductor_lab.models.dlrm_train.configuration import read

    where = circumstances()
    return {
        "command": shlex.join(["python", "tests/benchmarks/dlrm_talk.py", *sys.argv[1:]]),
        "card": where["device"] if torch.cuda.is_available() else "none",
        **{name: where[name] for name in ("torch", "triton", "code")},
        "cap": 50 if smoke else CAP,
        "seed": SEED,
        "skew": SKEW,
        "batches": BATCHES,
        "configurations": {name: asdict(read(name)) for name in ("small", "main")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--traces", type=Path, metavar="DIR", help="keep a Chrome trace of each row, gzipped")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no row is begun")
    parser.add_argument("--limit", type=float, default=150, help="seconds after which a row is ended")
    parser.add_argument("--smoke", action="store_true", help="some rows at tiny sizes, on the CPU too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        return print("\n" + json.dumps(one(**json.loads(asked.one))))
    begun, results = time.monotonic(), kept(asked.output, header(asked.smoke))
    if results["runs"][-1]["card"] == "none" and not asked.smoke:
        raise LabError("This needs a GPU; --smoke runs some rows without one")
    done = [Point(**{name: row[name] for name in Point.__annotations__}) for row in results["rows"]]
    with tempfile.TemporaryDirectory() as folder:
        traces = asked.traces or Path(folder)
        traces.mkdir(parents=True, exist_ok=True)
        for point in points(asked.smoke):
            if point in done or time.monotonic() - begun > asked.stop:
                continue
            started = time.monotonic()
            name = "_".join(str(value) for value in asdict(point).values())
            row = asdict(point) | apart(point, asked.smoke, traces / f"{name}.pt.trace.json.gz", asked.limit)
            row["took_s"] = round(time.monotonic() - started, 1)
            results["rows"].append(row)
            print(json.dumps(row), flush=True)
            if asked.output:
                ready = asked.output.with_suffix(".part")
                ready.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
                ready.replace(asked.output)
    return None


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
