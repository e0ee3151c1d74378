"""How a hand kernel is timed against everybody else: each held to float64 first, then all in the same rounds. `hand_kernels.py` runs contests/KERNEL.py.

Such a module has POINTS, frozen dataclasses whose fields are columns of the results, SMOKE, a few for Triton's interpreter, and `job(point, device)`, the
`Job` of one. `dlrm_kernels.py` has jobs of its own.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import torch
import triton
from card import LostError, is_lost
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only

from inductor_lab.errors import LabError
from inductor_lab.measure.contest.contestants import INDUCTOR, inductor
from inductor_lab.measure.timing.samples import RECORDINGS, Method, first_line, measure, recorded
from inductor_lab.measure.timing.significance import median_interval

Row = dict[str, Any]
Function = Callable[[], Any]
SETTINGS = tuple(INDUCTOR)
OURS = ("hand", "again")
"""The hand kernel, twice: what it differs from itself by is the noise."""


@dataclass(frozen=True)
class Job:
    """A point's functions, and what they must compute."""

    hand: Callable[[dict[str, Any] | None], Any]
    """Of a configuration, or None for the one that the kernel chooses."""
    form: FunctionType
    """The same in eager, of `given`; what Inductor compiles."""
    given: tuple[Any, ...]
    candidates: Sequence[dict[str, Any]]
    """Configurations of the kernel's own table."""
    bytes: int
    """Counted by hand: what comes in and goes out once."""
    flops: int = 0
    """Of matrix products."""
    precision: str = "ieee"
    """Of these products: `ieee`, `tf32`, `tf32x3`, `bf16`, `fp16`."""
    limit: float | None = None
    """How far a result may be from float64's, relative to its largest; None for twice eager's own distance and some roundings."""
    grad: Tensor | Sequence[Tensor] | None = None
    """That of the result: forward and backward are one call then, whose results are the gradients of all of `given` that require one."""
    public: Mapping[str, Callable[[], Function]] = field(default_factory=dict)
    """Name -> what makes the same by somebody else's kernel; ImportError where that is not installed. If it overwrites what it is given, its own copy, of which
    it gives the gradients itself."""
    beside: Mapping[str, Function] = field(default_factory=dict)
    """Name -> what is timed beside them and computes something else: a part of it, the dense form."""

    def who(self) -> tuple[str, ...]:
        return (*OURS, "eager", *SETTINGS, *self.public, *self.beside)


def wanted(job: Job, form: Callable[..., Any], given: Sequence[Any], grad: Any) -> Any:
    """What a form gives: its result, or the gradients where the job has that of a result and these are not what it gave."""
    result = form(*given)
    if job.grad is None or not tree_leaves(result)[0].requires_grad:
        return result
    inputs = [one for one in tree_leaves(given) if isinstance(one, Tensor) and one.requires_grad]
    return torch.autograd.grad(tree_leaves(result), inputs, tree_leaves(grad))


def exact(job: Job) -> Any:
    """The results in float64."""

    def double(one: Tensor) -> Tensor:
        return one.detach().double().requires_grad_(one.requires_grad) if one.is_floating_point() else one

    given, grad = tree_map_only(Tensor, double, (job.given, job.grad))
    return wanted(job, job.form, given, grad)


def far(found: Any, right: Any) -> float:
    """How far a result is from the right one, relative to its largest."""
    worst = 0.0
    for own, its in zip(tree_leaves(found), tree_leaves(right), strict=True):
        if own.shape != its.shape:
            raise LabError(f"its result is {list(own.shape)}, not {list(its.shape)}")
        if its.numel():
            off = float((own.double() - its).abs().max() / (its.abs().max() or 1))
            worst = max(worst, off if off == off else torch.inf)
    return worst


def allowed(job: Job, right: Any) -> float:
    """As an ejected file's own check has it."""
    if job.limit is not None:
        return job.limit
    eager = wanted(job, job.form, job.given, job.grad)
    least = max(torch.finfo(one.dtype).eps for one in tree_leaves(eager))
    return 2 * far(eager, right) + least + 64 * min(least, torch.finfo(torch.float32).eps)


def contestant(who: str, job: Job) -> Function:
    """A function of no argument.

    Raises:
        LabError: nobody of that name computes this.
    """
    if who in OURS:
        return lambda: wanted(job, lambda *given: job.hand(None), job.given, job.grad)
    if who in job.beside:
        return job.beside[who]
    if who in job.public:
        own = job.public[who]()
        return lambda: wanted(job, lambda *given: own(), job.given, job.grad)
    if who not in ("eager", *SETTINGS):
        raise LabError(f"{who} has nothing that computes this")
    # With a code of its own, as Dynamo counts what it compiled of one, and stops at eight.
    name = f"{job.form.__name__}_{who}"
    copy = FunctionType(job.form.__code__.replace(co_name=name), job.form.__globals__, name, job.form.__defaults__)
    form = copy if who == "eager" else inductor(copy, who)
    return lambda: wanted(job, form, job.given, job.grad)


def checked(job: Job, who: Sequence[str]) -> tuple[dict[str, Function], dict[str, str]]:
    """The contestants that compute what they should and leave their inputs and the gradient alone, and why the others are not there.

    Raises:
        LostError: behind somebody's call nothing can be computed in this process.
    """
    functions, refused = {}, {}
    right = exact(job)
    limit = allowed(job, right)
    shared = [("its inputs", job.given), ("the gradient of its result", job.grad)]
    kept = [
        (what, one, one.detach().clone())
        for what, all_of_it in shared
        for one in tree_leaves(all_of_it)
        if isinstance(one, Tensor)
    ]
    for name in who:
        try:
            function = contestant(name, job)
            found = function()
            if name not in job.beside and not (off := far(found, right)) <= limit:
                raise LabError(f"its result is {off:.1e} from float64's, over {limit:.0e}")
            if (spoilt := next((what for what, one, was in kept if not torch.equal(one, was)), None)) is not None:
                raise LabError(f"it overwrites {spoilt}: each call would be given another one's results")
            if kept[0][1].is_cuda:
                recorded(name, function)
            functions[name] = function
        except Exception as error:
            refused[name] = f"{type(error).__name__}: {first_line(error)}"
            if is_lost():
                raise LostError(name, refused[name]) from error
            with torch.no_grad():
                for _, one, was in kept:
                    one.copy_(was)
    return functions, refused


def timed(functions: Mapping[str, Function], seconds: float) -> dict[str, list[float]]:
    """Microseconds in CUDA graphs on a cold cache, `times[name][i]` of round i."""
    method = Method(launch="graph", cache="cold", rounds=None, seconds=seconds)
    return {name: list(times) for name, times in measure(functions, method=method).times.items()}


def called(functions: Mapping[str, Function], calls: int, rounds: int = 9) -> dict[str, float]:
    """Microseconds of a call from Python, one behind the other with nothing between them: the launch where that takes longer than the card does."""
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds):
        for name in random.Random(number).sample(list(functions), len(functions)):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(calls):
                functions[name]()
            torch.cuda.synchronize()
            samples[name].append(1e6 * (time.perf_counter() - start) / calls)
    return {name: statistics.median(own) for name, own in samples.items()}


def told(times: Mapping[str, Sequence[float]], moved: int, copy: float, beside: Sequence[str] = ()) -> Row:
    """Medians with their intervals, everybody's ratio to `hand` of the same rounds, and `hand`'s share of the copy rate."""
    row: Row = {"us": {}, "ratio": {}, "rounds": len(times["hand"]), "recordings": RECORDINGS}
    for name, own in times.items():
        row["us"][name] = median_interval(own)
        if name != "hand":
            row["ratio"][name] = median_interval([its / hand for its, hand in zip(own, times["hand"], strict=True)])
    row["copy_share"] = moved / (1e-6 * row["us"]["hand"][0]) / copy
    others = [name for name in row["us"] if name not in (*OURS, *beside)]
    row["best"] = min(others, key=lambda name: row["us"][name][0], default=None)
    return row


def tuned(job: Job, seconds: float) -> Row:
    """Every candidate of the kernel's own table in the same rounds."""
    functions = {
        str(one): lambda one=one: wanted(job, lambda *given: job.hand(one), job.given, job.grad)
        for one in job.candidates
    }
    times = timed({name: function for name, function in functions.items() if _runs(function)}, seconds)
    found = {name: sorted(own)[len(own) // 2] for name, own in times.items()}
    return {"tuned_us": dict(sorted(found.items(), key=lambda pair: pair[1]))}


def _runs(function: Function) -> bool:
    try:
        function()
    except triton.runtime.errors.OutOfResources:
        return False
    return True


@contextmanager
def begun(make: Callable[[], Job]) -> Iterator[Job]:
    """A job with the same numbers each time, with nothing compiled before, and torch's own products as precise as it says."""
    torch.manual_seed(0)
    torch.compiler.reset()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    job = make()
    # After `fp32_precision` alone PyTorch refuses to tell Inductor's max-autotune what it is.
    torch.set_float32_matmul_precision("high" if job.precision == "tf32" else "highest")
    with torch.set_grad_enabled(job.grad is not None):
        yield job
