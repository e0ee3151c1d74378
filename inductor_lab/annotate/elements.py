"""What a launch passes for a pointer, and how many elements that has in memory."""

from __future__ import annotations

from math import prod

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
