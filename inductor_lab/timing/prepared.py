"""An ejected file's kernels, ready to be timed: on its tensors, each called once, in-place inputs restored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from inductor_lab.ejected import GONE, demanded
from inductor_lab.errors import LabError
from inductor_lab.records import Timing
from inductor_lab.timing.measure import Function, Method, first_line
from inductor_lab.timing.statistics import median_interval, quantiles


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

    def bound(launcher: Callable[..., object]) -> Function:
        return lambda: launcher(*tensors)

    functions = {key: bound(launcher) for key, launcher in launchers.items()}
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
