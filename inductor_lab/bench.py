"""Time kernels on a GPU: interleaved in random order, on a cold cache, with an honest interval.

Every sample is: restore the inputs, flush the L2 cache, then one launch between two CUDA events. The flush reads a
buffer of several times the L2's size, so the launch starts on a cache that holds none of its data, and no dirty lines
whose write-back it would be charged for; and it keeps the GPU busy while the CPU prepares the launch, so that the
launch's latency on the CPU stays out of the time. What stays in is the gap between the events themselves, about 2 us.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine import LAUNCHERS
from inductor_lab.records import Timing

Function = Callable[[], object]

L2_TIMES = 5
FLUSH_BYTES = 512 * 2**20  # at least; about 0.15 ms on an H200, longer than Python takes to launch a kernel
MIN_ROUNDS, MAX_ROUNDS = 25, 2000
BATCH = 8  # rounds that are queued before the CPU waits for the GPU
WARM_UP = 0.2  # seconds of the same rounds, thrown away: clocks rise, caches of compiled kernels fill

NO_GPU = "Timing needs a GPU, and there is none here: `inspect` and `diff` tell what the compiler made of a kernel"


def bench(path: str | Path, which: str = "hand", *, rounds: int | None = None, seconds: float = 1.0) -> Timing:
    """Time the `hand` or `generated` kernel of an ejected file on the GPU of this machine, in microseconds.

    `bytes_per_second` is of the bytes that the file says were counted from the generated kernel, each element once; None
    where it says none.
    Raises LabError without a GPU, or when the kernel fails.
    """
    need_gpu()
    module = load(path).module
    functions, restore = prepared(module, {which: getattr(module, LAUNCHERS[which])})
    return timing(measure(functions, restore, rounds=rounds, seconds=seconds)[which], bytes_moved(module))


def measure(
    functions: Mapping[str, Function],
    restore: Function = lambda: None,
    *,
    rounds: int | None = None,
    seconds: float = 1.0,
    seed: int = 0,
) -> dict[str, list[float]]:
    """Microseconds of every function in every round: `result[name][i]` was measured in round i, beside the others' i.

    A round calls each function once, in a random order. `restore` runs before each call and is not charged.
    Without `rounds`, it goes on for about `seconds` for each function, within 25 and 2000 rounds.
    """
    import torch

    need_gpu()
    order = random.Random(seed)
    for function in functions.values():  # compiles
        restore()
        function()
    flush = flusher(functions, restore)

    def batch(size: int) -> list[dict[str, float]]:
        """`size` rounds, queued at once, read when the GPU has done them all."""
        events = []
        for _ in range(size):
            for name in order.sample(list(functions), len(functions)):
                restore()
                flush()
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                functions[name]()
                end.record()
                events.append((name, start, end))
        torch.cuda.synchronize()
        times = [(name, 1e3 * start.elapsed_time(end)) for name, start, end in events]
        return [dict(times[i : i + len(functions)]) for i in range(0, len(times), len(functions))]

    warm = time.perf_counter() + WARM_UP
    while time.perf_counter() < warm:
        batch(2)

    done: list[dict[str, float]] = []
    deadline = time.perf_counter() + seconds * len(functions)
    limit = rounds or MAX_ROUNDS
    while len(done) < limit and (rounds or len(done) < MIN_ROUNDS or time.perf_counter() < deadline):
        done += batch(min(BATCH, limit - len(done)))
    return {name: [times[name] for times in done] for name in functions}


def flusher(functions: Mapping[str, Function], restore: Function) -> Callable[[], None]:
    """A function that replaces what the L2 cache holds, and keeps the GPU busy for longer than any of `functions`
    keeps the CPU."""
    import torch

    cache = getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0)
    buffer = torch.zeros(max(FLUSH_BYTES, L2_TIMES * cache) // 4, device="cuda")
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    gpu, cpu = [], []
    for _ in range(5):
        start.record()
        buffer.sum()
        end.record()
        torch.cuda.synchronize()
        gpu.append(1e-3 * start.elapsed_time(end))
    for function in functions.values():
        calls = []
        for _ in range(5):
            restore()
            torch.cuda.synchronize()
            began = time.perf_counter()
            function()
            calls.append(time.perf_counter() - began)
        torch.cuda.synchronize()
        cpu.append(statistics.median(calls))
    reads = min(32, math.ceil(1.5 * max(cpu) / statistics.median(gpu)))

    def flush() -> None:
        for _ in range(max(1, reads)):
            buffer.sum()

    return flush


def prepared(
    module: ModuleType, launchers: Mapping[str, Callable[..., object]]
) -> tuple[dict[str, Function], Callable[[], None]]:
    """Launchers as functions without arguments, all on the same tensors, an ejected module's, and the function that gives
    the tensors that are written in place their first values back. Each was called once, and works."""
    tensors, restore = laid(module)

    def bound(launcher: Callable[..., object]) -> Function:
        return lambda: launcher(*tensors)

    functions = {key: bound(launcher) for key, launcher in launchers.items()}
    for key, function in functions.items():
        if error := failure(function):
            raise LabError(
                f"{module.__file__}: `{launchers[key].__name__}` fails on this GPU ({first_line(error)}); try `inductor-lab verify`"
            ) from error
    restore()
    return functions, restore


def laid(module: ModuleType) -> tuple[Sequence[object], Callable[[], None]]:
    """An ejected module's tensors on the GPU, and the function that gives those that are written in place their first values back."""
    try:
        tensors = module.example_inputs("cuda")
    except FileNotFoundError as error:  # of real inputs, which lie beside the file
        raise LabError(f"{module.__file__}: {error}") from error
    in_place = [
        (tensor, tensor.clone())
        for (name, (_shape, _stride, _dtype, fill)), tensor in zip(module.ARGUMENTS.items(), tensors, strict=True)
        if name in module.WRITTEN and fill != "out"
    ]

    def restore() -> None:
        for tensor, value in in_place:
            tensor.copy_(value)

    return tensors, restore


def failure(function: Function) -> Exception | None:
    """Call a function once, to its end on the GPU: what it raises there."""
    import torch

    try:
        function()
        torch.cuda.synchronize()
    except Exception as error:
        return error
    return None


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def bytes_moved(module: ModuleType) -> int | None:
    """Bytes that one launch must move: the file's `BYTES`, which annotate/traffic.py counted from the kernel's addresses.

    None where the file has none, as for symbolic sizes. Where data decides an address it is an upper bound, of a template's product a lower.
    """
    counted = getattr(module, "BYTES", None)
    if not isinstance(counted, Mapping):
        return None
    read, written = counted.get("read"), counted.get("written")
    return read + written if isinstance(read, int) and isinstance(written, int) else None


def timing(samples: Sequence[float], moved: int | None) -> Timing:
    """The record of one kernel's samples in microseconds."""
    median, interval = median_interval(samples)
    return Timing(median, interval, len(samples), moved / (1e-6 * median) if moved else None)


def median_interval(samples: Sequence[float], confidence: float = 0.95) -> tuple[float, tuple[float, float]]:
    """The median and its percentile bootstrap interval, exactly: what infinitely many resamples would give.

    A resample's median is at or below the k-th smallest sample when at least half of its n draws are among the k
    smallest, a binomial tail (Efron 1979; Maritz and Jarrett 1978). So nothing is drawn, and the result is repeatable.
    """
    ordered = sorted(samples)
    n = len(ordered)

    def rank(half: int, level: float) -> int:
        """The index of the smallest sample that the resampled median reaches with probability `level`."""
        return min(n - 1, bisect_left(range(1, n + 1), level, key=lambda k: binomial_tail(n, k / n, half)))

    tail = (1 - confidence) / 2
    low, high = ordered[rank((n + 1) // 2, tail)], ordered[rank(n // 2 + 1, 1 - tail)]
    return statistics.median(ordered), (low, high)


def binomial_tail(n: int, p: float, least: int) -> float:
    """P(at least `least` of n draws succeed), each with probability p."""
    if p >= 1:
        return 1.0
    log_choose = (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(least, n + 1))
    return math.fsum(
        math.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p)) for k, choose in enumerate(log_choose, least)
    )


def need_gpu() -> None:
    """LabError where nothing can be timed: no GPU, or kernels that are interpreted."""
    import torch

    if not torch.cuda.is_available():
        raise LabError(NO_GPU)
    from triton import knobs

    if knobs.runtime.interpret:
        raise LabError("TRITON_INTERPRET is set, so kernels run on the CPU: unset it to time them on the GPU")
