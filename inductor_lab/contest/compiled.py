"""A file's eager form as TorchScript and Inductor make it. Checked on torch 2.11 and 2.13."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inductor_lab.contest.refusal import RefusedError
from inductor_lab.timing.measure import first_line

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
