"""A launch in Triton's interpreter: what its arguments lead to, how many programs it has, which line of its kernel runs."""

from __future__ import annotations

import linecache
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import torch
from triton.runtime import interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

from inductor_lab.judge.watch.watched_memory import Memory, Order, whole

POINTERS = 1024  # a tensor of no more whole numbers may be a table of addresses


@dataclass
class Launch:
    """One launch: what memory it may touch, and the number of its first program."""

    first: int
    file: str
    memories: list[Memory]
    grid: tuple[int, int, int] = (0, 0, 0)
    stored: dict[int, set[str]] = field(default_factory=dict)
    """By the number of a program, the memories that it wrote."""
    order: Order = field(default_factory=lambda: Order(0, 0))

    def begin(self, grid: tuple[int, int, int]) -> None:
        """Its size, which the interpreter works out after its arguments."""
        self.grid = grid
        self.order = Order(self.first, math.prod(grid))

    def place(self, program: int) -> tuple[int, int, int]:
        """(x, y, z) of a program's number."""
        x, y, z = np.unravel_index(program - self.first, self.grid)
        return int(x), int(y), int(z)

    @property
    def end(self) -> int:
        """The number of the first program of the next launch."""
        return self.first + math.prod(self.grid)

    def program(self, builder: Any) -> int:
        """The number of the program that the interpreter is at."""
        (x, y, z), (_, ny, nz) = builder.grid_idx, builder.grid_dim
        return int(self.first + (x * ny + y) * nz + z)


def memories(arguments: Iterable[tuple[str, Any]], given: Mapping[int, Memory]) -> list[Memory]:
    """What a launch may touch: the memory of each argument, once.

    Args:
        given: Memory whose tensors are known, by the address of its storage.
    """
    found: dict[int, Memory] = {}
    for name, value in _flat(arguments):
        for at, memory in _behind(name, value, given):
            found.setdefault(at, memory)
    return [memory for memory in found.values() if memory.span]


def _behind(name: str, value: Any, given: Mapping[int, Memory]) -> Iterator[tuple[int, Memory]]:
    """What an argument leads to: the memory of a tensor; of a table of addresses, or of an address, what they point to."""
    addresses: list[int] = [value] if type(value) is int else []
    if isinstance(value, torch.Tensor):
        at = value.untyped_storage().data_ptr()
        yield at, given.get(at) or Memory({name: value if _is_all(value) else whole(value)}, own=True)
        if value.dtype in (torch.int64, torch.uint64) and value.numel() <= POINTERS and at not in given:
            addresses = value.flatten().tolist()
    for at, memory in given.items() if addresses else ():
        if any(tensor.data_ptr() in addresses for tensor in memory.tensors.values()):
            yield at, memory


def _is_all(tensor: torch.Tensor) -> bool:
    """Whether a tensor's elements are all that its storage has, one after the other."""
    return tensor.is_contiguous() and tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()


def _flat(arguments: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Arguments by name, tuples and wrappers taken apart as the interpreter does."""
    for name, value in arguments:
        if isinstance(value, tuple):
            yield from _flat((name, part) for part in value)
        else:
            value = value.base if isinstance(value, TensorDescriptor) else value
            yield name, interpreter._unwrap_tensor(value)


def line(file: str) -> tuple[int, str]:
    """The line of a kernel that runs now, the innermost one in the file of the launched kernel, and what stands there."""
    kernels = {made.__code__ for made in interpreter.InterpretedFunction.rewritten_fn.values()}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in kernels and frame.f_code.co_filename == file:
            _, last, _, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
            lines = linecache.getlines(file)[frame.f_lineno - 1 : last]
            return frame.f_lineno, " ".join(line.strip() for line in lines)
        frame = frame.f_back
    return 0, ""
