"""The hand kernel against the generated one: a ratio of paired times, and what the compiler made of both.

Both run on the same tensors, bare, interleaved in random order. The generated kernel is timed a second time in the
same rounds (A/A): the difference between its two times is noise, and a difference inside the noise is "same". The second
one is loaded on its own. On a cold cache a short kernel waits for its instructions, and how long depends on where they
lie: up to 2.5 % between two copies of the same machine code (5.6 us, H200), which no repetition in one place would show.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from inductor_lab.bench import bytes_moved, measure, median_interval, prepared, timing
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine import inspect_module, present_gpu, target_named
from inductor_lab.records import PerfDiff

SAME = 0.01  # a difference below 1 % is none, however small the noise
WIDE = 0.10  # an interval wider than this, around "same", says nothing
LOUD = 0.05  # nor does "same" when the generated kernel differs from itself by more than this

SHORT = 10.0  # us
LAUNCH_COSTS = f"Under {SHORT:.0f} us a good part is the cost of launching, the same for both: the ratio leans to 1."

NOT_TIMED = "No time was measured: there is no GPU here. What the compiler made of both is for {gpu}."
NOT_CHECKED = "Only time was compared: `inductor-lab verify` tells whether the kernel is correct."


def diff(path: str | Path, *, gpu: str | None = None, rounds: int | None = None, seconds: float = 1.0) -> PerfDiff:
    """Compare an ejected file's hand kernel with the generated one.

    With a GPU: times for `rounds`, or about `seconds` for each kernel, and machine facts for this GPU (or `gpu`).
    Without one: the machine facts alone, for `gpu` or an H200; the ratio is None and the verdict "inconclusive".
    `hand` and `generated` hold `timing` (Timing; with a GPU) and `machine` (a tuple of MachineCode, one a launch).
    Raises LabError for an unknown GPU, a file that was not ejected, and a kernel that does not compile or run.
    """
    import torch

    target_named(gpu or "h200")
    module = load(path).module
    present = present_gpu()
    if present is None:
        hand, generated = machine(module, gpu or "h200")
        not_timed = NOT_TIMED.format(gpu=gpu or "h200")
        return PerfDiff("inconclusive", None, None, None, hand, generated, "no GPU", (not_timed, NOT_CHECKED))

    again = load(path).module  # a module of its own: Triton loads its kernels' code once more, elsewhere
    launchers = {"hand": module.launch, "generated": module.launch_generated, "again": again.launch_generated}
    functions, restore = prepared(module, launchers)
    times = measure(functions, restore, rounds=rounds, seconds=seconds)
    ratio, interval, noise = compared(times["hand"], times["generated"], times["again"])
    moved = bytes_moved(module)
    ours, theirs = timing(times["hand"], moved), timing(times["generated"] + times["again"], moved)
    notes = [NOT_CHECKED]
    if min(ours.median, theirs.median) < SHORT:
        notes.append(LAUNCH_COSTS)
    try:
        hand, generated = machine(module, gpu or present)
    except LabError as error:  # the times stand without it
        hand, generated = {}, {}
        notes.append(str(error))
    return PerfDiff(
        verdict=verdict(interval, noise),
        ratio=ratio,
        ratio_interval=interval,
        noise=noise,
        hand={"timing": ours, **hand},
        generated={"timing": theirs, **generated},
        device=torch.cuda.get_device_name(),
        notes=tuple(notes),
    )


def machine(module: ModuleType, gpu: str) -> tuple[dict[str, object], dict[str, object]]:
    """What the compiler made of both kernels."""
    return {"machine": inspect_module(module, gpu, "hand")}, {"machine": inspect_module(module, gpu, "generated")}


def compared(
    hand: Sequence[float], generated: Sequence[float], again: Sequence[float]
) -> tuple[float, tuple[float, float], float]:
    """(ratio generated / hand, its 95 % interval, noise) of times that were measured round by round.

    Each ratio pairs two times of one round, so what drifts over rounds (clocks, heat) cancels. Noise is how far from 1
    the interval of generated / again reaches.
    """
    ratio, interval = median_interval([theirs / ours for theirs, ours in zip(generated, hand, strict=True)])
    _, (low, high) = median_interval([first / second for first, second in zip(generated, again, strict=True)])
    return ratio, interval, max(abs(low - 1), abs(high - 1))


def verdict(interval: tuple[float, float], noise: float) -> str:
    """`faster` or `slower` when the whole interval is beyond the noise, at least 1 %; `same` when it touches the noise;
    `inconclusive` when it touches the noise and it, or the noise, is too wide to call that a tie."""
    low, high = interval
    margin = max(noise, SAME)
    if low > 1 + margin:
        return "faster"
    if high < 1 - margin:
        return "slower"
    return "inconclusive" if high - low > WIDE or noise > LOUD else "same"
