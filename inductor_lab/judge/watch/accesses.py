"""Checks loads, stores and atomics of a launch: nothing out of bounds, and no races.

A launch may touch what its arguments lead to. An access is taken apart by the memories that its lanes are in. A finding is recorded, and the kernel goes on.
"""

from __future__ import annotations

import linecache
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import torch
from triton.runtime import interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

from inductor_lab.judge.interpreter.fast_paths import DONE
from inductor_lab.judge.watch.watched_memory import Index, Memory, Order, as_bytes, whole

RELEASES = {interpreter._ir.MEM_SEMANTIC.RELEASE, interpreter._ir.MEM_SEMANTIC.ACQUIRE_RELEASE}
ACQUIRES = {interpreter._ir.MEM_SEMANTIC.ACQUIRE, interpreter._ir.MEM_SEMANTIC.ACQUIRE_RELEASE}
DOES = {"load": "loads", "store": "stores to", "atomic": "updates atomically"}
POINTERS = 1024  # a tensor of no more whole numbers may be a table of addresses


# ------------------------------------------------------------ a launch


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


# ------------------------------------------------------------ its accesses


@dataclass(frozen=True)
class Access:
    """Lanes of one load, store or atomic, all at elements of one memory."""

    act: str
    memory: Memory
    offsets: np.ndarray
    lanes: np.ndarray
    width: int

    @cached_property
    def elements(self) -> Index:
        """The first element of each."""
        return self.memory.elements(self.offsets)

    @property
    def address(self) -> int:
        """Where it is one lane's, by which programs can be ordered; else 0."""
        return self.memory.first + int(self.offsets[0]) if self.lanes.size == 1 else 0

    @property
    def parts(self) -> Iterator[Index]:
        """All that they touch, as `Memory.parts` has them."""
        return self.memory.parts(self.elements, self.width)


class Accesses:
    """Keeps who touched what; `found` is what was wrong, a line of the kernel and what it did there once."""

    def __init__(self, given: Sequence[Memory]) -> None:
        self.given = given
        self.launches: list[Launch] = []
        self.found: dict[tuple[Any, ...], Fault] = {}

    @property
    def launch(self) -> Launch:
        """The one that runs now."""
        return self.launches[-1]

    def split(
        self, builder: Any, act: str, addresses: np.ndarray, mask: np.ndarray, width: int
    ) -> tuple[list[Access], np.ndarray | None]:
        """An access by the memories that its lanes are in, and which lanes are in none; None where all are in one."""
        launch = self.launch
        if launch.grid != builder.grid_dim:
            x, y, z = map(int, builder.grid_dim)
            launch.begin((x, y, z))
        lanes = np.arange(addresses.size) if mask.all() else np.flatnonzero(mask)
        if not lanes.size:
            return [], None
        DONE.access(lanes.size)
        at = addresses.reshape(-1)
        at = at if lanes.size == at.size else at[lanes]
        accesses: list[Access] = []
        likely = [memory for memory in launch.memories if memory.first <= int(at[0]) < memory.end]
        for memory in (*likely, *(memory for memory in launch.memories if memory not in likely)):
            offsets = memory.offsets(at)
            if memory.holds(offsets, width):
                return [*accesses, Access(act, memory, offsets, lanes, width)], None
            held = memory.held(offsets, width)
            if held.any():
                accesses.append(Access(act, memory, offsets[held], lanes[held], width))
                at, lanes = at[~held], lanes[~held]
        self._outside(builder, act, at, lanes, max(accesses, key=lambda access: access.lanes.size, default=None))
        outside = np.zeros(addresses.shape, bool)
        outside.reshape(-1)[lanes] = True
        return accesses, outside

    def load(self, builder: Any, access: Access, volatile: bool) -> None:
        """A load; a volatile one sees what another program has stored, and is ordered behind it."""
        memory, launch, program = access.memory, self.launch, self.launch.program(builder)
        if memory.own:
            self._fault(builder, "unwritten", access, memory.unwritten(access.elements))

        def changed(offsets: np.ndarray, lanes: np.ndarray) -> np.ndarray:
            return memory.changed(offsets, access.width)

        for index in access.parts:
            if volatile:
                for other in np.unique(memory.mark("store").last[index]):
                    if other >= launch.first and other != program:
                        launch.order.follow(program, int(other))
                continue
            self._race(builder, access, "store", index, changed)
            self._race(builder, access, "atomic", index, changed)
            self._touch(program, access, "load", index)

    def look(self, builder: Any, access: Access, sem: Any) -> None:
        """An atomic load: one that acquires is ordered behind what released its address, and what was stored there.

        A relaxed one races with a plain store, before it or behind it, as any atomic does.
        """
        launch, program = self.launch, self.launch.program(builder)
        if sem in ACQUIRES:
            if address := access.address:
                launch.order.acquire(program, address)
            self.load(builder, access, volatile=True)
        for index in access.parts:
            if sem not in ACQUIRES:
                self._race(builder, access, "store", index)
            self._touch(program, access, "atomic", index)

    def store(self, builder: Any, access: Access, values: np.ndarray) -> None:
        """A store: what else was done to its elements matters where it changes them."""
        memory, launch, program = access.memory, self.launch, self.launch.program(builder)
        launch.stored.setdefault(program, set()).add(memory.name)

        def differ(offsets: np.ndarray, lanes: np.ndarray) -> np.ndarray:
            return memory.differ(offsets, values.reshape(-1)[lanes])

        for index in access.parts:
            for act in ("store", "load", "atomic"):
                self._race(builder, access, act, index, differ)
            memory.keep(index, launch.first)
            self._touch(program, access, "store", index)
            memory.lanes[index] = access.lanes
            if not isinstance(index, slice):
                self._collide(builder, access, index, values)

    def _collide(self, builder: Any, access: Access, index: np.ndarray, values: np.ndarray) -> None:
        """Lanes of one store at one element: nothing says which one is last, and that matters where their values differ."""
        kept = access.memory.lanes[index]
        lost = np.flatnonzero(kept != access.lanes)
        if lost.size:
            written = as_bytes(values.reshape(-1))
            lost = lost[(written[kept[lost]] != written[access.lanes[lost]]).any(-1)]
            self._fault(builder, "race", access, lost, "store", np.full(lost.shape, self.launch.program(builder)))

    def update(self, builder: Any, access: Access, sem: Any) -> None:
        """An atomic; on one address, one that acquires or releases orders what stands around it: a lock, a counter, a barrier."""
        memory, launch, program = access.memory, self.launch, self.launch.program(builder)
        address = access.address
        if address and sem in ACQUIRES:
            launch.order.acquire(program, address)
        for index in access.parts:
            self._race(builder, access, "store", index)
            self._race(builder, access, "load", index)
            memory.keep(index, launch.first)
            self._touch(program, access, "atomic", index)
            memory.lanes[index] = access.lanes
        if address and sem in RELEASES:
            launch.order.release(program, address)

    def _touch(self, program: int, access: Access, act: str, index: Index) -> None:
        access.memory.mark(act).touch(index, program, self.launch.order, self.launch.first)

    def _race(
        self, builder: Any, access: Access, act: str, index: Index, matters: Callable[..., np.ndarray] | None = None
    ) -> None:
        """Other programs did this to the same elements, unordered; it `matters` where the order can be told by a value."""
        launch = self.launch
        mark, program = access.memory.mark(act), launch.program(builder)
        at, others = mark.others(index, program, launch.order, launch.first)
        if at.size and matters:
            apart = matters(access.offsets[at], access.lanes[at])
            at, others = at[apart], others[apart]
        self._fault(builder, "race", access, at, act, others)

    def _outside(self, builder: Any, act: str, addresses: np.ndarray, lanes: np.ndarray, beside: Access | None) -> None:
        """Lanes at no element: told of the memory that the access's other lanes are in, else of the nearest."""
        memories = self.launch.memories or self.given
        if not memories:
            return

        def away(memory: Memory) -> int:
            at, first = int(addresses[0]), memory.first
            return max(first - at, at - first - memory.span * memory.unit, 0)

        memory = beside.memory if beside else min(memories, key=away)
        offsets = memory.offsets(addresses)
        self._fault(builder, f"{act} outside", Access(act, memory, offsets, lanes, 0), np.arange(lanes.size))

    def _fault(
        self, builder: Any, kind: str, access: Access, at: np.ndarray, met: str = "", others: np.ndarray | None = None
    ) -> None:  # fmt: skip
        """Lanes of an access that did wrong: counted where the same line did the same before."""
        if not at.size:
            return
        launch, memory = self.launch, access.memory
        number, text = line(launch.file)
        key = (kind, access.act, memory.name, number, met)
        if key in self.found:
            self.found[key] = replace(self.found[key], count=self.found[key].count + at.size)
            return
        tensor = memory.tensors[memory.name]
        shape, first = tuple(tensor.shape), int(at[0])
        offset = int(access.offsets[first : first + 1].view(np.int64)[0]) // memory.unit
        x, y, z = map(int, builder.grid_idx)
        self.found[key] = Fault(
            kind=kind,
            act=access.act,
            tensor=memory.name,
            shape=shape,
            index=place(offset, shape, tensor.stride()),
            away=min(offset, 0) + max(offset - memory.span + 1, 0),
            program=(x, y, z),
            lane=int(access.lanes[first]),
            line=number,
            text=text,
            count=int(at.size),
            met=met,
            other=launch.place(int(others[0])) if others is not None else None,
        )


# ------------------------------------------------------------ what it did wrong


@dataclass(frozen=True)
class Fault:
    """One line of a kernel that went wrong: the first lane that did, and how many."""

    kind: str  # "load outside", "store outside", "atomic outside", "race"; "unwritten": a load of what nothing has written, which may be for nothing
    act: str  # what the line does: "load", "store" or "atomic"
    tensor: str  # the argument, or the parameter that a tensor of the launcher's own is passed as
    shape: tuple[int, ...]
    index: tuple[int, ...]  # in the tensor's dimensions; beyond its shape where it is outside
    away: int  # elements before its first (negative) or behind its last; 0 in it or between its elements
    program: tuple[int, int, int]
    lane: int
    line: int
    text: str  # the line
    count: int  # lanes, of all programs
    met: str = ""  # of a race: what `other` does to the same element
    other: tuple[int, int, int] | None = None

    @property
    def message(self) -> str:
        """The whole as one sentence."""
        at = f"{self.tensor}{list(self.index)}"
        how = "which nothing has written" if self.kind == "unwritten" else ""
        what = f"{at}, {how or (_met(self) if self.kind == 'race' else _beyond(self.away, self.shape))}"
        lanes = f"; {self.count} lanes do" if self.count > 1 else ""
        where = f"(program {self.program}, lane {self.lane}{lanes})"
        return f"line {self.line} {DOES[self.act]} {what} {where}: {self.text}"


def _met(fault: Fault) -> str:
    if fault.other == fault.program:
        return "which another lane of the same store gives another value"
    return f"which program {fault.other} also {DOES[fault.met]}, and nothing says which comes first"


def _beyond(away: int, shape: tuple[int, ...]) -> str:
    if not away:
        return f"between the elements of a tensor of shape {list(shape)}"
    side = "before" if away < 0 else "behind"
    return f"{abs(away)} element{'s' * (abs(away) > 1)} {side} a tensor of shape {list(shape)}"


def place(offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, ...]:
    """An element, so many from a tensor's first, as the index by which its strides reach it: of row -1, or of column 60 of 50."""
    index = [0] * len(shape)
    dimensions = [d for d in range(len(shape)) if shape[d] > 1 and stride[d]]
    for dimension in sorted(dimensions, key=lambda d: -stride[d]):
        index[dimension], offset = divmod(offset, stride[dimension])
    if offset and not dimensions:
        return (offset,)
    return tuple(index)
