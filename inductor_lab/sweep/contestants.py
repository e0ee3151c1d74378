"""Who is timed at a point: each on the same tensors, as functions without arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

from inductor_lab.timing.eager import Bound
from inductor_lab.timing.eager import eager_form as eager_form

Function = Callable[[], object]


WARM_UP = 5  # calls of TorchScript: it looks at two, and fuses then


def inductor(form: Bound) -> Function:
    """Compiled by Inductor for these sizes alone, in its default mode."""
    import torch

    torch._dynamo.reset()
    compiled = torch.compile(form.function, dynamic=False)
    return Bound(compiled, form.tensors)


def torchscript(form: Bound) -> Function:
    """Traced, and called until TorchScript has fused it."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is deprecated
        traced = torch.jit.trace(form.function, tuple(form.tensors), check_trace=False)
    for _ in range(WARM_UP):
        traced(*form.tensors)
    return Bound(traced, form.tensors)


FORMS: Mapping[str, Callable[[Bound], Function]] = {
    "eager": lambda form: form,
    "inductor": inductor,
    "torchscript": torchscript,
}
"""Contestant -> what makes it of the eager form."""


def copy(moved: int, device: str) -> Function:
    """A copy of random numbers that reads and writes as many bytes together."""
    import torch

    source = torch.randint(256, (max(1, moved // 2),), dtype=torch.uint8, device=device)
    made = torch.empty_like(source)
    return lambda: made.copy_(source)
