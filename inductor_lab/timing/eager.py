"""The eager form of an ejected file: what a kernel is compared with, and what the other compilers are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
