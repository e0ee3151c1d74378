"""Who is timed at a point: each on the same tensors, as functions without arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inductor_lab.contest import compiled
from inductor_lab.timing.eager import Bound
from inductor_lab.timing.eager import eager_form as eager_form

Function = Callable[[], object]


def inductor(form: Bound) -> Function:
    """Compiled by Inductor for these sizes alone, in its default mode."""
    import torch

    torch._dynamo.reset()  # after some sizes it would compile no more
    return Bound(compiled.inductor(form.function, "default"), form.tensors)


def torchscript(form: Bound) -> Function:
    return Bound(compiled.torchscript(form.function, form.tensors)[0], form.tensors)


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
