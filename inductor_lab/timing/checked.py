"""A kernel computes behind its timing what it computed before: a race, or an input that was not restored, would show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.timing.prepared import Prepared

DRIFT = 1e-2
"""Of a tensor's norm: atomics add in another order each time, and half precision rounds each of them."""


def check_results(kernels: Prepared, name: str) -> Callable[[], None]:
    """Run a kernel; what is returned runs it again, behind the timing, and holds it to the first.

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
