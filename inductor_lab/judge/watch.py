"""Triton's interpreter watched (3.6, 3.7): which program and lane touches which memory, and what it must not.

It records and goes on: a load outside reads poison, a store outside is dropped. Whether a finding counts is for the judge, which has
watched the generated kernel as well. For numpy's memory alone: the interpreter copies a GPU's.
"""

from __future__ import annotations

import linecache
import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

from inductor_lab.judge.faults import Fault, place, told
from inductor_lab.judge.memory import Memory, as_bytes, whole
from inductor_lab.judge.races import Index, Mark, Order

RELEASES = {interpreter._ir.MEM_SEMANTIC.RELEASE, interpreter._ir.MEM_SEMANTIC.ACQUIRE_RELEASE}
ACQUIRES = {interpreter._ir.MEM_SEMANTIC.ACQUIRE, interpreter._ir.MEM_SEMANTIC.ACQUIRE_RELEASE}
POINTERS = 1024  # a tensor of no more whole numbers may be a table of addresses


@dataclass
class Launch:
    """One launch: what memory it may touch, and the number of its first program."""

    first: int
    file: str
    memories: list[Memory]
    grid: tuple[int, int, int] = (0, 0, 0)
    order: Order = field(default_factory=lambda: Order(0, 0))

    def begin(self, grid: tuple[int, int, int]) -> None:
        """Its size, which the interpreter works out after its arguments."""
        self.grid = grid
        self.order = Order(self.first, math.prod(grid))

    def place(self, program: int) -> tuple[int, int, int]:
        """(x, y, z) of a program's number."""
        x, y, z = np.unravel_index(program - self.first, self.grid)
        return int(x), int(y), int(z)


@dataclass(frozen=True)
class Access:
    """Lanes of one load, store or atomic, all at elements of one memory."""

    act: str
    memory: Memory
    offsets: np.ndarray
    lanes: np.ndarray
    width: int


class Watch:
    """Watches all launches for as long as it is entered; `faults` is what it found.

    tensors: the arguments by name, each maybe strided inside of a larger memory; two names may be one tensor.
    """

    def __init__(self, tensors: Mapping[str, torch.Tensor]) -> None:
        storages: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in tensors.items():
            storages.setdefault(tensor.untyped_storage().data_ptr(), {})[name] = tensor
        self._given = {at: Memory(held) for at, held in storages.items()}
        self._named = {name: memory for memory in self._given.values() for name in memory.tensors}
        self._launches: list[Launch] = []
        self._found: dict[tuple[Any, ...], Fault] = {}
        self._active = False
        self._patched: list[tuple[Any, str, Any, Any]] = []

    @property
    def faults(self) -> list[Fault]:
        """What was found, a line of the kernel and what it did there once, in the order in which it was found."""
        return [told(fault) for fault in self._found.values()]

    def writer(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """For each element of an argument, the number of the program that wrote it last, and its lane; -1 for none."""
        memory = self._named[name]
        tensor = memory.tensors[name]
        return memory.laid_as(tensor, memory.writers), memory.laid_as(tensor, memory.lanes)

    def place(self, program: int) -> tuple[int, int, int]:
        """(x, y, z) of a program's number, which grows from launch to launch."""
        firsts = [launch.first for launch in self._launches]
        return self._launches[bisect_right(firsts, program) - 1].place(program)

    def unwritten(self, name: str) -> np.ndarray:
        """Which elements of an argument no store and no atomic of a kernel has reached."""
        return self.writer(name)[0] < 0

    def __enter__(self) -> Watch:
        self._active = True
        self._patch(interpreter.GridExecutor, "_init_args_hst", self._launched)
        self._patch(interpreter.InterpreterBuilder, "create_masked_load", self._loaded)
        self._patch(interpreter.InterpreterBuilder, "create_masked_store", self._stored)
        self._patch(interpreter.InterpreterBuilder, "create_atomic_rmw", self._updated)
        self._patch(interpreter.InterpreterBuilder, "create_atomic_cas", self._swapped)
        return self

    def __exit__(self, *_: object) -> None:
        self._active = False
        while self._patched:
            owner, name, before, ours = self._patched.pop()
            if getattr(owner, name) is ours:  # else somebody wrapped it meanwhile: it stays, and passes on
                setattr(owner, name, before)

    def _patch(self, owner: Any, name: str, watched: Callable[..., Any]) -> None:
        before = getattr(owner, name)

        def ours(this: Any, *arguments: Any, **options: Any) -> Any:
            if not self._active:
                return before(this, *arguments, **options)
            return watched(before, this, *arguments, **options)

        setattr(owner, name, ours)
        self._patched.append((owner, name, before, ours))

    # what the interpreter calls

    def _launched(self, before: Callable[..., Any], executor: Any, positional: Any, named: Any) -> Any:
        """A launch begins: the tensors among its arguments are what it may touch."""
        arguments, options = before(executor, positional, named)
        memories: dict[int, Memory] = {}
        for name, value in _flat([*zip(executor.arg_names, arguments, strict=False), *options.items()]):
            for at, memory in self._memories(name, value):
                memories.setdefault(at, memory)
        first = self._launches[-1].first + math.prod(self._launches[-1].grid) if self._launches else 0
        held = [memory for memory in memories.values() if memory.span]
        self._launches.append(Launch(first, executor.fn.__code__.co_filename, held))
        return arguments, options

    def _memories(self, name: str, value: Any) -> Iterator[tuple[int, Memory]]:
        """What an argument leads to: the memory of a tensor; of a table of addresses, or of an address, what they point to."""
        addresses: list[int] = [value] if type(value) is int else []
        if isinstance(value, torch.Tensor):
            at = value.untyped_storage().data_ptr()
            yield at, self._given.get(at) or Memory({name: whole(value)})
            if value.dtype in (torch.int64, torch.uint64) and value.numel() <= POINTERS and at not in self._given:
                addresses = value.flatten().tolist()
        for at, memory in self._given.items() if addresses else ():
            if any(tensor.data_ptr() in addresses for tensor in memory.tensors.values()):
                yield at, memory

    def _loaded(
        self, before: Callable[..., Any], builder: Any, ptrs: Any, mask: Any, other: Any, cache_modifier: Any, eviction_policy: Any, is_volatile: Any
    ) -> Any:  # fmt: skip
        dtype, active = ptrs.get_element_ty(), np.asarray(mask.data)  # a block pointer's mask is no handle but an array
        accesses, outside = self._accesses(
            builder, "load", ptrs.data, active, interpreter._get_np_dtype(dtype).itemsize
        )
        for access in accesses:
            self._load(builder, access, is_volatile)
        if outside is not None or (other is None and not active.all()):
            made = poison(dtype, ptrs.data.shape)
            if other is not None:
                made.data[...] = np.where(outside, made.data, other.data)
            other = made
        return before(builder, ptrs, _without(mask, outside), other, cache_modifier, eviction_policy, is_volatile)

    def _stored(self, before: Callable[..., Any], builder: Any, ptrs: Any, value: Any, mask: Any, *options: Any) -> Any:
        accesses, outside = self._accesses(builder, "store", ptrs.data, np.asarray(mask.data), value.data.itemsize)
        for access in accesses:
            self._store(builder, access, value.data)
        return before(builder, ptrs, value, _without(mask, outside), *options)

    def _updated(
        self, before: Callable[..., Any], builder: Any, operation: Any, ptr: Any, value: Any, mask: Any, sem: Any, scope: Any
    ) -> Any:  # fmt: skip
        accesses, outside = self._accesses(builder, "atomic", ptr.data, mask.data, value.data.itemsize)
        for access in accesses:
            self._update(builder, access, sem)
        return before(builder, operation, ptr, value, _without(mask, outside), sem, scope)

    def _swapped(
        self, before: Callable[..., Any], builder: Any, ptr: Any, compared: Any, value: Any, sem: Any, scope: Any
    ) -> Any:
        everywhere = np.ones(ptr.data.shape, bool)
        accesses, outside = self._accesses(builder, "atomic", ptr.data, everywhere, value.data.itemsize)
        for access in accesses:
            self._update(builder, access, sem)
        if outside is None:
            return before(builder, ptr, compared, value, sem, scope)
        made = poison(value.dtype.scalar, ptr.data.shape)
        if not outside.all():
            inside = [
                interpreter.TensorHandle(np.broadcast_to(x.data, outside.shape)[~outside], x.dtype)
                for x in (ptr, compared, value)
            ]
            made.data[~outside] = before(builder, *inside, sem, scope).data
        return made

    # what an access does

    def _accesses(
        self, builder: Any, act: str, addresses: np.ndarray, mask: np.ndarray, width: int
    ) -> tuple[list[Access], np.ndarray | None]:
        """An access by the memories that its lanes are in, and which lanes are in none; None where all are in one."""
        launch = self._launches[-1]
        if launch.grid != builder.grid_dim:
            launch.begin(tuple(map(int, builder.grid_dim)))
        lanes = np.arange(addresses.size) if mask.all() else np.flatnonzero(mask)
        if not lanes.size:
            return [], None
        at = addresses.reshape(-1)
        at = at if lanes.size == at.size else at[lanes]
        accesses = []
        for memory in launch.memories:
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

    def _load(self, builder: Any, access: Access, volatile: bool) -> None:
        memory, launch, program = access.memory, self._launches[-1], self._program(builder)

        def changed(offsets: np.ndarray, lanes: np.ndarray) -> np.ndarray:
            return memory.changed(offsets, access.width)

        for index in memory.parts(access.offsets, access.width):
            if volatile:
                for other in np.unique(memory.stores.last[index]):
                    if other >= launch.first and other != program:
                        launch.order.follow(program, int(other))
                continue
            self._race(builder, access, "store", memory.stores, index, changed)
            self._race(builder, access, "atomic", memory.atomics, index, changed)
            memory.loads.touch(index, program, launch.order, launch.first)

    def _store(self, builder: Any, access: Access, values: np.ndarray) -> None:
        memory, launch, program = access.memory, self._launches[-1], self._program(builder)
        memory.keep(launch.first)

        def differ(offsets: np.ndarray, lanes: np.ndarray) -> np.ndarray:
            return memory.differ(offsets, values.reshape(-1)[lanes])

        for index in memory.parts(access.offsets, access.width):
            for act, mark in (("store", memory.stores), ("load", memory.loads), ("atomic", memory.atomics)):
                self._race(builder, access, act, mark, index, differ)
            memory.stores.touch(index, program, launch.order, launch.first)
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
            self._fault(builder, "race", access, lost, "store", np.full(lost.shape, self._program(builder)))

    def _update(self, builder: Any, access: Access, sem: Any) -> None:
        """An atomic; on one address, one that acquires or releases orders what stands around it: a lock, a counter, a barrier."""
        memory, launch, program = access.memory, self._launches[-1], self._program(builder)
        memory.keep(launch.first)
        address = memory.first + int(access.offsets[0]) if access.lanes.size == 1 else 0
        if address and sem in ACQUIRES:
            launch.order.acquire(program, address)
        for index in memory.parts(access.offsets, access.width):
            self._race(builder, access, "store", memory.stores, index)
            self._race(builder, access, "load", memory.loads, index)
            memory.atomics.touch(index, program, launch.order, launch.first)
            memory.lanes[index] = access.lanes
        if address and sem in RELEASES:
            launch.order.release(program, address)

    # what is found

    def _race(
        self, builder: Any, access: Access, act: str, mark: Mark, index: Index, matters: Callable[..., np.ndarray] | None = None
    ) -> None:  # fmt: skip
        """Other programs did this to the same elements, unordered; it `matters` where the order can be told by a value."""
        launch = self._launches[-1]
        at, others = mark.others(index, self._program(builder), launch.order, launch.first)
        if at.size and matters:
            apart = matters(access.offsets[at], access.lanes[at])
            at, others = at[apart], others[apart]
        self._fault(builder, "race", access, at, act, others)

    def _outside(self, builder: Any, act: str, addresses: np.ndarray, lanes: np.ndarray, beside: Access | None) -> None:
        """Lanes at no element: told of the memory that the access's other lanes are in, else of the nearest."""
        memories = self._launches[-1].memories or list(self._given.values())
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
        launch, memory = self._launches[-1], access.memory
        line, text = _line(launch.file)
        key = (kind, access.act, memory.name, line, met)
        if key in self._found:
            self._found[key] = replace(self._found[key], count=self._found[key].count + at.size)
            return
        tensor = memory.tensors[memory.name]
        shape, first = tuple(tensor.shape), int(at[0])
        offset = int(access.offsets[first : first + 1].view(np.int64)[0]) // memory.unit
        self._found[key] = Fault(
            kind=kind,
            act=access.act,
            tensor=memory.name,
            shape=shape,
            index=place(offset, shape, tensor.stride()),
            away=min(offset, 0) + max(offset - memory.span + 1, 0),
            program=tuple(map(int, builder.grid_idx)),
            lane=int(access.lanes[first]),
            line=line,
            text=text,
            count=int(at.size),
            met=met,
            other=launch.place(int(others[0])) if others is not None else None,
        )

    def _program(self, builder: Any) -> int:
        (x, y, z), (_, ny, nz) = builder.grid_idx, builder.grid_dim
        return int(self._launches[-1].first + (x * ny + y) * nz + z)


def poison(dtype: Any, shape: tuple[int, ...]) -> Any:
    """What a lane gets that loads nothing: NaN, or in turn numbers that nobody expects and small ones: on a GPU it is whatever lies there."""
    numpys = interpreter._get_np_dtype(dtype)
    bits = {tl.bfloat16: 0x7FC0, tl.float8e4b8: 0x80, tl.float8e5b16: 0x80}
    if dtype in bits or dtype.is_fp8():
        value: float = bits.get(dtype, 0x7F)
    elif numpys.kind == "f":
        value = math.nan
    else:
        odd = (0x5A5A5A5A & np.iinfo(numpys).max, 0, 1, 3) if numpys.kind in "iu" else (True,)
        return interpreter.TensorHandle(np.resize(np.array(odd, numpys), shape), dtype)
    return interpreter.TensorHandle(np.full(shape, value, numpys), dtype)


def _without(mask: Any, outside: np.ndarray | None) -> Any:
    return mask if outside is None else interpreter.TensorHandle(np.asarray(mask.data) & ~outside, tl.int1)


def _flat(arguments: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Arguments by name, tuples and wrappers taken apart as the interpreter does."""
    for name, value in arguments:
        if isinstance(value, tuple):
            yield from _flat((name, part) for part in value)
        else:
            value = value.base if isinstance(value, TensorDescriptor) else value
            yield name, interpreter._unwrap_tensor(value)


def _line(file: str) -> tuple[int, str]:
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
