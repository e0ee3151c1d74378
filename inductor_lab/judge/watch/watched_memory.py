"""One piece of memory that kernels are given, by its elements: which of them are a tensor's, who touched them, and which nobody has written.

A program is a number that grows from 1 on, from launch to launch, so that a mark of an earlier launch is told by being smaller. 0 is no
program: marks begin as zeros, of which the system gives pages when they are touched.

What a launcher allocates is filled so that it shows, NaN or large whole numbers, and known again by that:

    scaled = torch.empty(64, 32)      every element is a NaN with all bits set; count_unwritten(scaled) is 2048
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import torch

from inductor_lab.judge.inputs.placement import span

NONE = np.empty(0, np.intp)
FOLLOWED = 4096
"""Programs of a launch whose order is followed one by one: what each has seen is a row of as many numbers."""
Index = slice | np.ndarray
"""Elements, one for each lane: side by side, or anywhere."""
NUMBERS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}
"""Bytes of an element -> numbers that are as wide."""
FLOATS, WHOLE = 0xFF, 0x5A
"""Bytes: of a NaN that no arithmetic makes; of a whole number that nobody expects, whose last byte differs from element to element."""
STEP = 37
storage = torch.Tensor.untyped_storage  # itself, which a launcher may not call


class Memory:
    """The elements of tensors that share one storage; what lies between and around them is outside."""

    def __init__(self, tensors: Mapping[str, torch.Tensor], own: bool = False) -> None:
        """Args:
        own: The launcher has allocated it.
        """
        self.tensors, self.own = dict(tensors), own
        self.name, one = next(iter(tensors.items()))
        self.unit = one.element_size()
        self.first = min(x.data_ptr() for x in tensors.values())
        self.end = max(x.data_ptr() + span_of(x) * x.element_size() for x in tensors.values())
        self.span = (self.end - self.first) // self.unit
        storage = one.untyped_storage()
        start = self.first - storage.data_ptr()
        whole = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,)).numpy()
        self._bytes = whole[start : start + self.span * self.unit]
        self._shift = self.unit.bit_length() - 1
        self._numbers = self._bytes.view(NUMBERS[self.unit])
        self._marks: dict[str, Mark] = {}

    @cached_property
    def _inside(self) -> np.ndarray | None:
        """Which elements are a tensor's; None where all are."""
        if any(tensor.is_contiguous() and tensor.numel() == self.span for tensor in self.tensors.values()):
            return None
        inside = np.zeros(self.span, bool)
        for tensor in self.tensors.values():
            self.seen_as(tensor, inside)[...] = True
        return None if inside.all() else inside

    def mark(self, act: str) -> Mark:
        """The programs that touched each element by `load`, `store` or `atomic`."""
        if act not in self._marks:
            self._marks[act] = Mark(self.span)
        return self._marks[act]

    @cached_property
    def lanes(self) -> np.ndarray:
        """Which lane wrote each element last, where one did."""
        return zeros(self.span)

    @property
    def writers(self) -> np.ndarray:
        """Which program wrote each element last, plainly or atomically; 0 for none."""
        marks = self._writing
        return np.maximum.reduce([mark.last for mark in marks]) if marks else np.zeros(self.span, np.int32)

    @property
    def written(self) -> bool:
        """Whether any program wrote any of it."""
        return any(mark.any for mark in self._writing)

    @property
    def _writing(self) -> list[Mark]:
        return [mark for act, mark in self._marks.items() if act != "load"]

    def seen_as(self, tensor: torch.Tensor, elements: np.ndarray) -> np.ndarray:
        """An array over this memory's elements, seen as the tensor sees them."""
        start = (tensor.data_ptr() - self.first) // self.unit if tensor.numel() else 0
        steps = [step * elements.itemsize for step in tensor.stride()]
        return np.lib.stride_tricks.as_strided(elements[start:], tensor.shape, steps)

    def offsets(self, addresses: np.ndarray) -> np.ndarray:
        """Bytes from the first element on; what lies before it is larger than any memory, as a number without sign."""
        return addresses - np.uint64(self.first)

    def holds(self, offsets: np.ndarray, width: int) -> bool:
        """Whether all accesses of so many bytes are at its elements."""
        room = self.span * self.unit - width
        if room < 0 or offsets.max() > room or int(np.bitwise_or.reduce(offsets)) & (min(width, self.unit) - 1):
            return False
        return self._inside is None or all(
            self._inside[part].all() for part in self.parts(self.elements(offsets), width)
        )

    def held(self, offsets: np.ndarray, width: int) -> np.ndarray:
        """Which accesses are at its elements."""
        room = self.span * self.unit - width
        if room < 0:
            return np.zeros(offsets.shape, bool)
        held = (offsets <= room) & (offsets & np.uint64(min(width, self.unit) - 1) == 0)
        if self._inside is not None:
            for part in self.parts(self.elements(np.where(held, offsets, np.uint64(0))), width):
                held &= self._inside[part]
        return held

    def elements(self, offsets: np.ndarray) -> Index:
        """The first element that each access touches."""
        elements = (offsets >> np.uint64(self._shift)).view(np.int64)
        first, count = int(elements[0]), elements.size
        side_by_side = int(elements[-1]) - first == count - 1 and bool((elements[1:] - elements[:-1] == 1).all())
        return slice(first, first + count) if side_by_side else elements

    def parts(self, elements: Index, width: int) -> Iterator[Index]:
        """The elements that accesses of so many bytes touch: the first of each lane, then the next of each ..."""
        for further in range(max(1, width // self.unit)):
            if isinstance(elements, slice):
                yield slice(elements.start + further, elements.stop + further)
            else:
                yield elements + further

    def read(self, elements: Index, dtype: np.dtype[Any]) -> np.ndarray:
        """The values of elements, as numbers of their size."""
        values = self._bytes.view(dtype)[elements]
        return values.copy() if isinstance(elements, slice) else values

    def write(self, elements: Index, values: np.ndarray) -> None:
        """Of several values for one element the last stays, as in the interpreter."""
        self._bytes.view(values.dtype)[elements] = values

    @cached_property
    def _kept(self) -> np.ndarray:
        """What was there before the last launch that wrote it, where one did."""
        return np.frombuffer(mmap.mmap(-1, max(self._bytes.size, 1)), np.uint8, self._bytes.size)

    def keep(self, index: Index, launch: int) -> None:
        """Before elements are written: what was there, unless the launch of this first program has written them already."""
        kept = self._kept.view(self._numbers.dtype)
        fresh = np.logical_and.reduce([mark.last[index] < launch for mark in self._writing]) if self._writing else True
        kept[index] = np.where(fresh, self._numbers[index], kept[index])

    def changed(self, offsets: np.ndarray, width: int) -> np.ndarray:
        """Where this launch has made another value of what was there, of elements that it has written."""
        at = self._places(offsets, width)
        return (self._bytes[at] != self._kept[at]).any(-1)

    def differ(self, offsets: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Where storing these values changes what is there."""
        return (self._bytes[self._places(offsets, values.itemsize)] != as_bytes(values)).any(-1)

    def unwritten(self, elements: Index) -> np.ndarray:
        """The accesses, of those at these elements, that find what an allocation was filled with."""
        known = pattern(self.tensors[self.name].dtype)
        if known is None or self.unit not in (1, 2, 4, 8):
            return NONE
        number, less = known
        return np.flatnonzero(self._numbers[elements] >> less == number)

    def _places(self, offsets: np.ndarray, width: int) -> np.ndarray:
        return offsets.view(np.int64)[:, None] + np.arange(width)


def span_of(tensor: torch.Tensor) -> int:
    """Elements of memory from its first to its last."""
    return span(tensor.shape, tensor.stride())


def as_bytes(values: np.ndarray) -> np.ndarray:
    """Each value as a row of bytes."""
    return np.ascontiguousarray(values).view(np.uint8).reshape(values.size, values.itemsize)


def zeros(elements: int) -> np.ndarray:
    """As many whole numbers, of which the system gives those pages that are touched."""
    return np.frombuffer(mmap.mmap(-1, max(4 * elements, 1)), np.int32, elements)


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """All of the storage that a tensor lies in, as elements like its own."""
    storage = tensor.untyped_storage()
    return tensor.new_empty(0).set_(storage, 0, (storage.nbytes() // tensor.element_size(),), (1,))


# ------------------------------------------------------------ who touched it, and in which order


class Mark:
    """The last two programs that accessed each element in one way: by loads, by stores or by atomics."""

    def __init__(self, elements: int) -> None:
        self.last, self._before = zeros(elements), zeros(elements)
        self._steps: tuple[np.ndarray, np.ndarray] | None = None  # when that was, once a launch has an order
        self._oldest = self._newest = 0

    @property
    def any(self) -> bool:
        """Whether any element was touched."""
        return self._newest > 0

    def touch(self, index: Index, program: int, order: Order, first: int) -> None:
        """This program accesses the elements."""
        self._oldest = program if self._newest < first else min(self._oldest, program)
        self._newest = max(self._newest, program)
        if order.step and self._steps is None:
            self._steps = zeros(self.last.size), zeros(self.last.size)
        last = self.last[index]
        anew = last != program
        if self._steps:
            last_step, before_step = self._steps
            before_step[index] = np.where(anew, last_step[index], before_step[index])
            last_step[index] = order.step
        if not last.size or last.max() < first:
            pass  # nobody in this launch: what was there before does not matter
        elif anew.all():
            self._before[index] = last
        elif anew.any():
            self._before[index] = np.where(anew, last, self._before[index])
        self.last[index] = program

    def others(self, index: Index, program: int, order: Order, first: int) -> tuple[np.ndarray, np.ndarray]:
        """(lanes, programs): where another program's access in this launch stands against this one, unordered."""
        if self._newest < first or self._oldest == self._newest == program:
            return NONE, NONE
        mine = self.last[index] == program
        other = np.where(mine, self._before[index], self.last[index])
        lanes = np.flatnonzero(other >= first)
        if lanes.size and order.step:
            steps = np.zeros(lanes.shape, np.int32)
            if self._steps:
                steps = np.where(mine, self._steps[1][index], self._steps[0][index])[lanes]
            lanes = lanes[~order.sees(program, other[lanes], steps)]
        return lanes, other[lanes]


class Order:
    """What is ordered by atomics that release and acquire: each program's view of how far the others had come."""

    def __init__(self, first: int, programs: int) -> None:
        self.step = 0  # how often something was released
        self._first, self._programs = first, programs
        self._seen: dict[int, np.ndarray] = {}
        self._released: dict[int, np.ndarray] = {}
        self._synchronised: set[int] = set()

    def release(self, program: int, address: int) -> None:
        """All that the program did up to here may be seen by who acquires this address."""
        self._synchronised.add(program)
        if self._programs <= FOLLOWED:
            seen = self._up_to_now(program)
            self._released[address] = np.maximum(self._released.get(address, seen), seen)
        self.step += 1

    def acquire(self, program: int, address: int) -> None:
        """The program sees what was released at this address."""
        self._synchronised.add(program)
        if (released := self._released.get(address)) is not None:
            np.maximum(self._seen_by(program), released, out=self._seen_by(program))

    def follow(self, program: int, other: int) -> None:
        """The program saw, by a volatile load, what the other one stored: and so what that one did before."""
        self._synchronised.add(program)
        if self._programs <= FOLLOWED:
            np.maximum(self._seen_by(program), self._up_to_now(other), out=self._seen_by(program))
        self.step += 1

    def sees(self, program: int, others: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Whether each of these accesses of other programs came before all that the program does now."""
        if self._programs > FOLLOWED:
            return np.full(others.shape, program in self._synchronised)
        return np.asarray(self._seen_by(program)[others - self._first] >= steps)

    def _seen_by(self, program: int) -> np.ndarray:
        if program not in self._seen:
            self._seen[program] = np.full(self._programs, -1, np.int32)
        return self._seen[program]

    def _up_to_now(self, program: int) -> np.ndarray:
        seen = self._seen_by(program)
        seen[program - self._first] = self.step
        return seen


# ------------------------------------------------------------ what nobody has written


def fill_unwritten(fresh: torch.Tensor) -> None:
    """Fill what was just allocated. No two whole numbers beside each other are alike: a comparison of them would be right by luck."""
    if not fresh.numel() or fresh.is_meta:
        return
    memory = torch.empty(0, dtype=torch.uint8, device=fresh.device).set_(storage(fresh))
    memory.fill_(FLOATS if _is_float(fresh.dtype) else WHOLE)
    if not _is_float(fresh.dtype):
        last = memory[:: fresh.itemsize]
        number = torch.arange(last.numel(), dtype=torch.int32, device=fresh.device)
        last.copy_(number % 2 if fresh.dtype == torch.bool else number * STEP % 256)


def pattern(dtype: torch.dtype) -> tuple[int, int] | None:
    """(a number, how many bits less): what an element is that nobody wrote; None where it may be any, as one byte of a whole number."""
    size = dtype.itemsize
    if _is_float(dtype):
        return int.from_bytes(bytes([FLOATS] * size)), 0
    return (int.from_bytes(bytes([WHOLE] * (size - 1))), 8) if size > 1 else None


def count_unwritten(tensor: torch.Tensor) -> int:
    """How many elements of a tensor nobody has written."""
    known = pattern(tensor.dtype)
    if known is None or tensor.is_meta:
        return 0
    number, less = known
    found = bits(tensor) >> less == (-1 if _is_float(tensor.dtype) and tensor.itemsize > 1 else number)
    return int((found.all(-1) if tensor.is_complex() else found).sum())


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor's elements as whole numbers, which tell one NaN from another, and -0 from 0."""
    tensor = tensor.resolve_conj().resolve_neg()
    tensor = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.itemsize])


def _is_float(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex
