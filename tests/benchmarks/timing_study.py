"""Does the clock tell the truth? Kernels against themselves, against 3 % more work, and beside CUPTI. Needs a GPU.

    python tests/benchmarks/timing_study.py -o tests/benchmarks/results/timing_gpu.json

A/A: 20 kernels from 2 us to 700 us, each ten times against a copy of itself that is loaded anew: how often is it `faster` or `slower`?
Planted: kernels over 20 us against the same on 3 % more elements: how often is that not found?
CUPTI: the instrument's time of each kernel beside what torch.profiler sees of it on the same cold cache.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import torch

from inductor_lab import ejected, store
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.kernels import Prepared, launch_times, prepared
from inductor_lab.measure.timing.samples import Method, card_state, measure
from inductor_lab.measure.timing.significance import Compared, compared

CAPTURED = (
    ("dlrm_h200", 0), ("dlrm_train_h200", 20), ("dlrm_train_h200", 10), ("sparse_ffn_h200", 0), ("lora_mlp_bf16_h200", 0),
    ("rotary_h200", 0), ("lora_mlp_h200", 0), ("rotary_attention_h200", 0), ("lora_mlp_train_h200", 3), ("dlrm_h200", 30),
)  # fmt: skip
"""1.5 us to 22 us on an H200."""
SIZES = {
    "add_relu": (1 << 22, 1 << 24, 1 << 26, 1 << 28),
    "row_sum": (1 << 24, 1 << 26, 1 << 27),
    "softmax": (1 << 23, 1 << 25, 1 << 27),
}
"""Elements, float32; 11 us to 700 us."""
TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_relu(x, y, out, numel, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    tl.store(out + offset, tl.maximum(tl.load(x + offset, inside) + tl.load(y + offset, inside), 0.0), inside)


@triton.jit
def row_sum(x, y, out, numel, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row * BLOCK + tl.arange(0, BLOCK))))


@triton.jit
def softmax(x, y, out, numel, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offset)
    powers = tl.exp(values - tl.max(values))
    tl.store(out + offset, powers / tl.sum(powers))


def launch(x, y, out, kernel, numel):
    globals()[kernel][(numel // 1024,)](x, y, out, numel, BLOCK=1024, num_warps=4)
"""
MORE = 1.03
ROUNDS_OF = 10
"""Comparisons of each kernel."""


@dataclass(frozen=True)
class Kernel:
    """What can be loaded again and again."""

    name: str
    copy: Callable[[], Callable[[float], object]]
    """Load it anew; what is returned launches it on so many times its elements."""
    restore: Callable[[], object]


def captured(folder: Path) -> Iterator[Kernel]:
    for name, index in CAPTURED:
        capture = store.load(Path("captured", name))
        path = folder / f"{name}_{index}.py"
        path.write_text(eject(capture, capture.kernels[index], style="verbatim"), encoding="utf-8")
        first = ejected.load(path).module
        kernels = prepared(first, {"generated": first.launch_generated})
        tensors = first.example_inputs("cuda")

        def copy(path: Path = path, tensors: tuple[object, ...] = tensors) -> Callable[[float], object]:
            module = ejected.load(path).module
            return lambda more: module.launch_generated(*tensors)

        yield Kernel(f"{name}:{index}", copy, kernels.restore)


def written(folder: Path) -> Iterator[Kernel]:
    path = folder / "written.py"
    path.write_text(TEXT, encoding="utf-8")
    most = int(max(size for sizes in SIZES.values() for size in sizes) * MORE) + 1024
    x, y = (torch.randn(most, device="cuda") for _ in range(2))
    out = torch.empty(most, device="cuda")
    for kernel, sizes in SIZES.items():
        for size in sizes:

            def copy(kernel: str = kernel, size: int = size) -> Callable[[float], object]:
                module = imported(path)
                return lambda more: module.launch(x, y, out, kernel, int(size * more) // 1024 * 1024)

            yield Kernel(f"{kernel} of {size}", copy, lambda: None)


def imported(path: Path) -> ModuleType:
    import importlib.util

    name = f"written_{time.perf_counter_ns()}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def against(kernel: Kernel, more: float, seed: int) -> tuple[Compared, float]:
    """The kernel on so many times its elements, against itself; and what it itself takes."""
    one, other, again = kernel.copy(), kernel.copy(), kernel.copy()
    found = measure(
        {"ours": lambda: one(more), "theirs": lambda: other(1.0), "again": lambda: again(1.0)},
        kernel.restore,
        Method(seed=seed),
    )
    ratio = compared(found.times["ours"], found.times["theirs"], found.times["again"])
    return ratio, statistics.median(found.times["theirs"])


def comparisons(kernels: list[Kernel], more: float, repeats: int, stop: float) -> list[dict[str, object]]:
    rows = []
    order = [(kernel, number) for number in range(repeats) for kernel in kernels]
    random.Random(0).shuffle(order)
    for kernel, number in order:
        if time.monotonic() > stop:
            print(f"out of time: {len(rows)} of {len(order)}", file=sys.stderr)
            break
        ratio, takes = against(kernel, more, number)
        rows.append({"kernel": kernel.name, "us": takes, "verdict": ratio.verdict, **asdict(ratio)})
    return rows


def beside_cupti(kernels: list[Kernel]) -> list[dict[str, object]]:
    rows = []
    for kernel in kernels:
        run = kernel.copy()
        functions = {"one": lambda run=run: run(1.0)}
        found = measure(functions, kernel.restore)
        ours = statistics.median(found.times["one"])
        prepared = Prepared(kernel.name, functions, kernel.restore, ())
        cupti = sum(one.microseconds for one in launch_times(prepared, "one", Method()))
        row = {
            "kernel": kernel.name,
            "us": ours,
            "cupti": cupti,
            "ours_to_cupti": ours / cupti,
            "overhead": found.overhead,
        }
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop comparing behind so many")
    asked = parser.parse_args()
    stop = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory() as folder:
        kernels = [*captured(Path(folder)), *written(Path(folder))]
        cupti = beside_cupti(kernels)
        long_ = [kernel for kernel, row in zip(kernels, cupti, strict=True) if row["us"] > 20 and " of " in kernel.name]  # type: ignore[operator]
        planted = comparisons(long_, MORE, -(-100 // len(long_)), stop)[:100]
        same = comparisons(kernels, 1.0, ROUNDS_OF, stop)
    found = {
        "machine": {"gpu": torch.cuda.get_device_name(), "torch": version("torch"), "triton": version("triton"), "now": asdict(card_state())},
        "command": "python tests/benchmarks/timing_study.py",
        "method": asdict(Method()),
        "cupti": {"over_10_us_off_by_at_most": max((abs(row["ours_to_cupti"] - 1) for row in cupti if row["cupti"] > 10), default=None), "rows": cupti},  # type: ignore[operator]
        "planted": {"more": MORE, "comparisons": len(planted), "found": sum(row["verdict"] == "slower" for row in planted), "rows": planted},
        "same": {"comparisons": len(same), "false": sum(row["verdict"] in ("faster", "slower") for row in same), "rows": same},
    }  # fmt: skip
    asked.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for part in ("planted", "same"):
        print(part, {key: value for key, value in found[part].items() if key != "rows"})
    print("cupti", found["cupti"]["over_10_us_off_by_at_most"])


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(str(error))
