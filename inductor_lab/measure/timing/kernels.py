"""Makes an ejected file's kernels ready to be timed, checks them afterwards, and compares two clocks, CUDA events and CUPTI.

Between two kernels that do nothing the profiler sees those of one call, in order:

    [flush, empty, double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us, empty, flush, ...]  ->  double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

from inductor_lab.ejected import GONE, demanded
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import (
    EMPTY,
    Function,
    Measured,
    Method,
    empty_kernel,
    first_line,
    flusher,
    kernels_run,
)
from inductor_lab.measure.timing.significance import compared, median_interval, quantiles
from inductor_lab.records import Autotuned, KernelTime, Paired, Timing

UNSEEN = "No profiler sees this GPU: each time is short by what an empty kernel runs, about half a microsecond."


@dataclass(frozen=True)
class Bound:
    """A function with its tensors, and the blocks, warps and stages under which a launcher is to launch."""

    function: Callable[..., object]
    tensors: Sequence[Any]
    settings: Mapping[str, int] = field(default_factory=dict)

    def __call__(self) -> object:
        return self.function(*self.tensors, **self.settings)


@dataclass(frozen=True)
class Prepared:
    """Kernels that work, all on the same tensors."""

    file: str
    functions: Mapping[str, Function]
    """Name -> the kernel's launch, without arguments."""
    restore: Callable[[], None]
    """Gives what is written in place its first values back."""
    written: Sequence[Any]
    """The tensors that they must write."""
    tensors: Sequence[Any] = ()
    """All that they are given, in the order of ARGUMENTS."""


def prepared(module: ModuleType, launchers: Mapping[str, Callable[..., object]]) -> Prepared:
    """Launchers on an ejected module's tensors, each called once.

    Raises:
        LabError: one fails.
    """
    tensors, restore = laid(module)
    functions = {key: Bound(launcher, tensors) for key, launcher in launchers.items()}
    for key, function in functions.items():
        if error := failure(function):
            raise LabError(
                f"{module.__file__}: `{launchers[key].__name__}` fails on this GPU ({first_line(error)}); try `inductor-lab verify`"
            ) from error
    restore()
    written = [tensor for name, tensor in zip(module.ARGUMENTS, tensors, strict=True) if name in demanded(module)]
    return Prepared(str(module.__file__), functions, restore, written, tensors)


def laid(module: ModuleType) -> tuple[Sequence[object], Callable[[], None]]:
    """An ejected module's tensors on the GPU, and the function that gives those that are written in place their first values back."""
    if not hasattr(module, "example_inputs"):
        raise LabError(GONE.format(module.__file__, "example_inputs"))
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


def bytes_moved(module: ModuleType) -> int | None:
    """Bytes that one launch must move: the file's `BYTES`, which costs/traffic.py counted from the kernel's addresses.

    None where the file has none, as for symbolic sizes. Where data decides an address it is an upper bound, of a template's product a lower.
    """
    counted = getattr(module, "BYTES", None)
    if not isinstance(counted, Mapping):
        return None
    read, written = counted.get("read"), counted.get("written")
    return read + written if isinstance(read, int) and isinstance(written, int) else None


def timing(samples: Sequence[float], moved: int | None, method: Method | None = None) -> Timing:
    """The record of one kernel's samples in microseconds."""
    median, interval = median_interval(samples)
    method = method or Method()
    return Timing(
        median,
        interval,
        len(samples),
        moved / (1e-6 * median) if moved else None,
        quantiles(samples),
        method.launch,
        method.cache,
    )


def paired(
    name: str,
    found: Measured,
    functions: tuple[str, str, str],
    moved: int | None,
    settings: tuple[Mapping[str, int], Mapping[str, int]],
    notes: tuple[str, ...] = (),
) -> Paired:
    """The record of ours against theirs.

    Args:
        functions: Ours, theirs, and theirs a second time in the same rounds: what it differs by is noise.
        settings: Our configuration and theirs.
    """
    ours, theirs, again = (found.times[function] for function in functions)
    ratio = compared(ours, theirs, again)
    return Paired(
        name, ratio.verdict, ratio.ratio, ratio.interval, ratio.noise, ratio.margin,
        timing(ours, moved, found.method), timing([*theirs, *again], moved, found.method), *settings, notes,
    )  # fmt: skip


def conditions(found: Measured, autotuned: Autotuned | None = None) -> dict[str, object]:
    """How it was measured, for the record."""
    method = found.method
    return {
        "launch": method.launch,
        "cache": method.cache,
        "rounds": min(map(len, found.times.values())),
        "seed": method.seed,
        "overhead": found.overhead,
        "empty": found.empty,
        "before": asdict(found.before),
        "after": asdict(found.after),
        **({"autotuned": asdict(autotuned)} if autotuned else {}),
    }


def conditions_told(found: Measured) -> Iterator[str]:
    """What a reader must know of it."""
    if found.throttled:
        why = ", ".join(found.throttled)
        yield f"The card slowed itself down while this was measured ({why}), also when it was measured again."
    elif found.retried:
        yield "The card slowed itself down, so this was measured a second time."
    if found.empty is None:
        yield UNSEEN


DRIFT = 1e-2
"""Of a tensor's norm: atomics add in another order each time, and half precision rounds each of them."""


def check_results(kernels: Prepared, name: str) -> Callable[[], None]:
    """Run a kernel; what is returned runs it again, behind the timing, and holds it to the first: a race, or an input that was not restored, shows.

    Raises:
        LabError: then, where it computes something else.
    """

    def results() -> list[Any]:
        kernels.restore()
        kernels.functions[name]()
        found = [tensor.clone() for tensor in kernels.written]
        kernels.restore()
        return found

    before = results()

    def check() -> None:
        if not all(_alike(one, other) for one, other in zip(before, results(), strict=True)):
            raise LabError(
                f"{kernels.file}: the {name} kernel computes something else after it was timed than before: it races, or changes what it "
                "reads; `inductor-lab verify` tells which"
            )

    return check


def _alike(before: Any, after: Any) -> bool:
    """As good as equal; of what is no number (NaN, infinity), the same places."""
    import torch

    if not before.dtype.is_floating_point:
        return bool(torch.equal(before, after))
    finite = before.isfinite()
    if not torch.equal(finite, after.isfinite()):
        return False
    one, other = (torch.where(finite, x, 0).double() for x in (before, after))
    return bool(torch.linalg.norm(one - other) <= DRIFT * torch.linalg.norm(one))


# ---------------------------------------------------------------- CUPTI's clock beside the events'


CALLS = 30
AGREED, LONG = 0.03, 10.0
"""How far apart both may be, from how many microseconds on."""


def profiled(kernels: Prepared, name: str, method: Method) -> float | None:
    """Microseconds that a function's kernels take together by CUPTI, the median of its calls; None where the profiler sees none."""
    calls = _calls(kernels, name, method)
    return statistics.median(sum(time for _, time in one) for one in calls) if calls and calls[0] else None


def disagreement(which: str, timing: Timing) -> str:
    """What to say where the events and CUPTI tell different times; empty where they agree, or a kernel is too short to tell."""
    told = timing.profiled
    if told is None:
        return f"The profiler did not see the {which} kernel."
    apart = timing.median / told - 1
    if told <= LONG or abs(apart) <= AGREED:
        return ""
    return f"The {which} kernel takes {timing.median:.2f} us by events and {told:.2f} us by CUPTI, {abs(apart):.1%} apart: trust neither alone."


def launch_times(kernels: Prepared, name: str, method: Method) -> tuple[KernelTime, ...]:
    """Each kernel that a call runs, with its median by CUPTI; empty where the profiler does not see them."""
    each = zip(*_calls(kernels, name, method), strict=True)
    return tuple(KernelTime(runs[0][0], statistics.median(time for _, time in runs)) for runs in each)


def _calls(kernels: Prepared, name: str, method: Method) -> list[list[tuple[str, float]]]:
    """What each call runs, the library's kernels included, with their microseconds, on the cache that the method names.

    Empty where the profiler sees no GPU, or not the same kernels in every call.
    """
    flush = flusher() if method.cache == "cold" else lambda: None
    mark = empty_kernel()

    def prepare() -> None:
        kernels.restore()
        flush()
        mark()

    def call() -> None:
        kernels.functions[name]()
        mark()

    parts: list[list[tuple[str, float]]] = [[]]
    for kernel, microseconds in kernels_run(call, prepare, count=CALLS):
        if kernel == EMPTY:
            parts.append([])
        else:
            parts[-1].append((kernel, microseconds))
    own = parts[1::2]  # behind an even number of marks stands what prepares the next call
    names = [[kernel for kernel, _ in one] for one in own]
    return own if len(own) == CALLS and all(one == names[0] for one in names) else []
