"""The eager form of an ejected file, what a kernel is compared with; and what TorchScript and Inductor make of it. Checked on torch 2.11 and 2.13."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inductor_lab.measure.timing.samples import first_line


class RefusedError(Exception):
    """A contestant is wrong, fails, or this version has it not; the text says which. The others go on without it."""


@dataclass(frozen=True)
class Bound:
    """A function with its tensors."""

    function: Callable[..., object]
    tensors: Sequence[Any]

    def __call__(self) -> object:
        return self.function(*self.tensors)


def eager_form(file: Any, tensors: Mapping[str, Any]) -> Bound | None:
    """The eager form that the file holds, with its tensors; None where it has none.

    `aten`, the model's own graph, where it works at these sizes and is what `reference` computes: a reference writes out each conversion that
    one operator of the graph does by itself, and would be slower than what anybody's model runs.
    """
    if file.reference is None:
        return None
    reference = Bound(file.reference, [tensors[name] for name in file.TAKES])
    function = getattr(file, "aten", None)
    if not function or not set(inspect.signature(function).parameters) <= set(tensors):
        return reference
    aten = Bound(function, [tensors[name] for name in inspect.signature(function).parameters])
    return aten if _agree(aten, reference) else reference


def _agree(one: Callable[[], Any], other: Callable[[], Any]) -> bool:
    """Whether both give tensors of the same shapes and dtypes, and nearly the same values.

    Raises:
        torch.OutOfMemoryError: that could not be seen; which form is eager must not change with what is free.
    """
    import torch

    try:
        return all(
            x.shape == y.shape and x.dtype == y.dtype and _near(x, y) for x, y in zip(one(), other(), strict=True)
        )
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, TypeError, IndexError, ValueError):  # sizes that the graph's form holds as numbers
        return False


def _near(x: Any, y: Any) -> bool:
    import torch

    close = torch.allclose(x, y, 0.05, 0.05, equal_nan=True) if x.is_floating_point() else torch.equal(x, y)
    return bool(close)


INDUCTOR: Mapping[str, Mapping[str, bool]] = {
    "default": {},
    "coordinate_descent_tuning": {"coordinate_descent_tuning": True},
    "max-autotune": {
        "max_autotune": True,
        "coordinate_descent_tuning": True,
    },  # the mode of that name, less its CUDA graphs
    "combo_kernels": {"combo_kernels": True},
    "expand_dimension_for_pointwise_nodes": {"expand_dimension_for_pointwise_nodes": True},
}
"""Name -> Inductor's settings. How it is launched is the method's: bare, or in a CUDA graph, as everybody in the comparison."""
PROFILED = 5
"""Calls after which TorchScript has specialised and fused what it ran."""


def inductor(form: Callable[..., object], name: str) -> Callable[..., object]:
    """It compiled under one of Inductor's settings, whole, for these very shapes.

    Raises:
        RefusedError: this torch has no such setting.
    """
    import torch
    from torch._inductor import config

    options = INDUCTOR[name]
    if lacking := [option for option in options if not hasattr(config, option)]:
        raise RefusedError(f"torch {torch.__version__} has no Inductor setting {', '.join(lacking)}")
    inner, around = _apart(form)
    return around(torch.compile(inner, fullgraph=True, dynamic=False, options=dict(options)))


def torchscript(form: Callable[..., object], inputs: Sequence[Any]) -> tuple[Callable[..., object], tuple[str, ...]]:
    """It scripted; traced on these inputs where TorchScript can not read its source; and which of both.

    Raises:
        RefusedError: this version has no TorchScript, or it can do neither.
    """
    import torch

    jit: Any = getattr(torch, "jit", None)
    if not hasattr(jit, "script") or not hasattr(jit, "trace"):
        raise RefusedError(f"torch {torch.__version__} has no TorchScript")
    inner, around = _apart(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, which whoever asks for it knows
        try:
            made, how = around(jit.script(inner)), "scripted"
            _warmed(made, inputs)
        except Exception:
            try:
                made = around(jit.trace(inner, tuple(inputs), check_trace=False))
                how = "traced, as its source can not be scripted"
                _warmed(made, inputs)
            except Exception as error:
                raise RefusedError(
                    f"TorchScript can neither script nor trace the eager form ({first_line(error)})"
                ) from error
    return made, (f"It was {how}.",)


def _apart(form: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[[Any], Callable[..., Any]]]:
    """What of an eager form is compiled, and what is put around that: torch's settings, which no compiler takes into its graph."""
    return getattr(form, "__wrapped__", form), getattr(form, "around", lambda made: made)


def _warmed(function: Callable[..., object], inputs: Sequence[Any]) -> None:
    for _ in range(PROFILED):
        function(*inputs)
