"""What a launch passes for a pointer, and how many elements and bytes that has in memory."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.records import Kernel, TensorType


def type_of(kernel: Kernel, pointer: str) -> TensorType | None:
    """The type of the tensor that the first launch passes for a pointer."""
    passed = kernel.launches[0].arguments if kernel.launches else ()
    return next((argument.type for argument in passed if argument.name == pointer), None)


def numel(tensor: TensorType | None) -> int | None:
    """Elements of a tensor in memory: dimensions that are only expanded (stride 0) hold none of their own."""
    if tensor is None:
        return None
    sizes = [size for size, stride in zip(tensor.shape, tensor.stride, strict=False) if stride != 0]
    return prod(s for s in sizes if isinstance(s, int)) if all(isinstance(s, int) for s in sizes) else None


def span(tensor: TensorType) -> int | None:
    """Elements from a tensor's first to its last in memory, gaps and all; None where a size is symbolic."""
    steps = list(zip(tensor.shape, tensor.stride, strict=False))
    known = [(size - 1) * stride for size, stride in steps if isinstance(size, int) and isinstance(stride, int)]
    return 1 + sum(known) if len(known) == len(steps) else None


def nbytes(tensor: TensorType | None) -> int | None:
    """Bytes of a tensor in memory; None where a size is symbolic, or its dtype is not told."""
    count, width = numel(tensor), ITEMSIZE.get(tensor.dtype) if tensor else None
    return count * width if count is not None and width else None


def total(counts: Iterable[int | None]) -> int | None:
    """Their sum; None where one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
