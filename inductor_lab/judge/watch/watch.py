"""Triton's interpreter watched: which program and lane touches which memory, and what it must not.

It records and goes on: a load outside reads poison, a store outside is dropped. Whether a finding counts is for the judge, which has
watched the generated kernel as well. For numpy's memory alone: the interpreter copies a GPU's.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

from inductor_lab.judge.interpreter.interface import Taken, taken
from inductor_lab.judge.watch.accesses import Access, Accesses, Fault, Launch, memories
from inductor_lab.judge.watch.watched_memory import Memory

Grid = tuple[int, int, int]
Place = tuple[int, int, int]
PLAIN = interpreter.InterpreterBuilder.create_masked_load, interpreter.InterpreterBuilder.create_masked_store
"""Triton's own, before anybody watches."""
LOAD: Any
STORE: Any
LOAD, STORE = (taken.get(f"InterpreterBuilder.create_masked_{act}") for act in ("load", "store"))
TOGETHER = "its programs update the same elements"
_loads = count()


class WholeNeeded(BaseException):
    """Some programs alone say nothing: a sentence why. No `Exception`: neither the interpreter nor a launcher may make it one of theirs."""

    def __init__(self, why: str, programs: int = 0) -> None:
        super().__init__(why)
        self.programs = programs
        """How many there are, where that is known."""


@dataclass(frozen=True)
class Sample:
    """Programs of a launch of so many along each axis; of another launch those that lie as far along."""

    grid: Grid
    places: frozenset[Place]

    def of(self, grid: Grid) -> frozenset[Place]:
        """The programs of a launch of another size, of one of which every axis has its first and its last."""
        if grid == self.grid:
            return self.places

        def moved(at: int, count: int, other: int) -> int:
            if 2 * at >= count and count - at <= 2:
                return other - (count - at)
            return min(at, 1) if at < 2 else at * other // count

        return frozenset(
            tuple(min(max(moved(*each), 0), each[2] - 1) for each in zip(place, self.grid, grid, strict=True))  # type: ignore[misc]
            for place in self.places
        )


class Watch:
    """Watches all launches for as long as it is entered; `faults` is what it found.

    tensors: the arguments by name, each maybe strided inside of a larger memory; two names may be one tensor.
    sample: the programs that run; all for None. What only all of them together compute raises WholeNeeded.
    """

    def __init__(self, tensors: Mapping[str, torch.Tensor], sample: Sample | None = None) -> None:
        self._sample = sample
        self._grid: Grid = (1, 1, 1)
        self._places: list[Place] = []
        storages: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in tensors.items():
            storages.setdefault(tensor.untyped_storage().data_ptr(), {})[name] = tensor
        self._given = {at: Memory(held) for at, held in storages.items()}
        self._named = {name: memory for memory in self._given.values() for name in memory.tensors}
        self._accesses = Accesses(list(self._given.values()))
        self._active = False
        self._atomic: tuple[Any, ...] = ()
        """The order of the load or store that runs, where it is atomic."""
        self._patched: list[tuple[Any, str, Any, Any]] = []

    @property
    def faults(self) -> list[Fault]:
        """What was found, a line of the kernel and what it did there once, in the order in which it was found."""
        return [fault for fault in self._accesses.found.values() if fault.kind != "unwritten"]

    @property
    def unwritten_reads(self) -> list[str]:
        """The loads of what the launcher allocated and nothing has written, in sentences: of some nothing comes."""
        return [fault.message for fault in self._accesses.found.values() if fault.kind == "unwritten"]

    def writer(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """For each element of an argument, the number of the program that wrote it last, 0 for none; and its lane."""
        memory = self._named[name]
        tensor = memory.tensors[name]
        return np.asarray(memory.seen_as(tensor, memory.writers)), np.asarray(memory.seen_as(tensor, memory.lanes))

    def place(self, program: int) -> tuple[int, int, int]:
        """(x, y, z) of a program's number, which grows from launch to launch."""
        launches = self._accesses.launches
        firsts = [launch.first for launch in launches]
        return launches[bisect_right(firsts, program) - 1].place(program)

    @property
    def grid(self) -> Grid:
        """Of the last launch."""
        return self._accesses.launch.grid

    @property
    def programs(self) -> int:
        """Of all launches."""
        return sum(math.prod(launch.grid) for launch in self._accesses.launches)

    def stored_by(self, program: int) -> frozenset[str]:
        """The memories that a program of the first launch wrote, counted from 0 along the first axis."""
        launch = self._accesses.launches[0]
        return frozenset(launch.stored.get(launch.first + program * launch.grid[1] * launch.grid[2], ()))

    @property
    def stored(self) -> list[str]:
        """The arguments whose memory any store or atomic of a kernel has reached."""
        return [name for name, memory in self._named.items() if memory.written]

    def __enter__(self) -> Watch:
        self._active = True
        self._patch(interpreter.GridExecutor, "_init_args_hst", self._launched)
        each: dict[str, Callable[..., Any]] = {
            "set_grid_dim": self._sized, "set_grid_idx": self._placed,
            "create_masked_load": self._loaded, "create_masked_store": self._stored,
            "create_atomic_rmw": self._updated, "create_atomic_cas": self._swapped,
        }  # fmt: skip
        for name, watched in each.items():
            self._patch(interpreter.InterpreterBuilder, name, watched)
        for name in ("create_atomic_load", "create_atomic_store", "create_atomic_poll"):
            if takes := taken.get(f"InterpreterBuilder.{name}"):  # Triton 3.9
                self._patch(interpreter.InterpreterBuilder, name, partial(self._made_atomic, takes))
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
        passed = [*zip(executor.arg_names, arguments, strict=False), *options.items()]
        launches = self._accesses.launches
        first = launches[-1].end if launches else 1
        if self._sample:
            if launches:
                raise WholeNeeded("it launches several kernels, of which one may read what another writes")
            waits = "RSPLIT" in executor.arg_names  # of a cooperative reduction
            executor.grid = self._fewer(executor.grid, waits=waits)
        launches.append(Launch(first, executor.fn.__code__.co_filename, memories(passed, self._given)))
        return arguments, options

    def _fewer(self, grid: Any, *, waits: bool) -> Callable[[Any], Grid]:
        """The grid of a launch of which some programs run: as many as those are, which are then told the places of their own."""

        def fewer(arguments: Any) -> Grid:
            assert self._sample
            x, y, z = (*(grid(arguments) if callable(grid) else grid), 1, 1)[:3]
            self._grid = x, y, z
            if waits:
                raise WholeNeeded("its programs wait for each other", x * y * z)
            self._places = sorted(self._sample.of(self._grid))
            return len(self._places), 1, 1

        return fewer

    def _sized(self, before: Callable[..., Any], builder: Any, *grid: int) -> None:
        before(builder, *(self._grid if self._sample else grid))

    def _placed(self, before: Callable[..., Any], builder: Any, x: int, y: int, z: int) -> None:
        before(builder, *(self._places[x] if self._sample else (x, y, z)))

    def _loaded(self, before: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        given, named = LOAD.call(arguments, options)
        builder, (ptrs, mask, other, volatile) = given[0], LOAD.of(given)
        dtype, active = ptrs.get_element_ty(), np.asarray(mask.data)  # a block pointer's mask is no handle but an array
        numpys = interpreter._get_np_dtype(dtype)
        accesses, outside = self._accesses.split(builder, "load", ptrs.data, active, numpys.itemsize)
        for access in accesses:
            if self._atomic:
                self._accesses.look(builder, access, *self._atomic)
            else:
                self._accesses.load(builder, access, volatile)
        if outside is not None or (other is None and not active.all()):
            made = poison(dtype, ptrs.data.shape)
            if outside is not None and other is not None:
                made.data[...] = np.where(outside, made.data, other.data)
            other = made
        if not accesses and outside is None and before in PLAIN:
            return other  # no lane loads anything
        if only := _whole(before, accesses, outside):
            read = only.memory.read(only.elements, numpys)
            if only.lanes.size == ptrs.data.size:
                return interpreter.TensorHandle(read.reshape(ptrs.data.shape), dtype)
            held = np.array(other.data, numpys, order="C")
            held.reshape(-1)[only.lanes] = read
            return interpreter.TensorHandle(held, dtype)
        LOAD.put(given, mask=without(mask, outside), other=other)
        return before(*given, **named)

    def _stored(self, before: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        given, named = STORE.call(arguments, options)
        builder, (ptrs, value, mask) = given[0], STORE.of(given)
        accesses, outside = self._accesses.split(
            builder, "atomic" if self._atomic else "store", ptrs.data, np.asarray(mask.data), value.data.itemsize
        )
        for access in accesses:
            if self._atomic:
                self._accesses.update(builder, access, *self._atomic)
            else:
                self._accesses.store(builder, access, value.data)
        if not accesses and outside is None and before in PLAIN:
            return None
        if only := _whole(before, accesses, outside):
            only.memory.write(only.elements, value.data.reshape(-1)[only.lanes])
            return None
        STORE.put(given, mask=without(mask, outside))
        return before(*given, **named)

    def _made_atomic(self, takes: Taken, before: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """A load or store that is atomic: the interpreter makes plain ones of it."""
        if self._sample:
            raise WholeNeeded(TOGETHER, math.prod(self._grid))
        given, named = takes.call(arguments, options)
        self._atomic = (takes.of(given)[1],)
        try:
            return before(*given, **named)
        finally:
            self._atomic = ()

    def _updated(
        self, before: Callable[..., Any], builder: Any, operation: Any, ptr: Any, value: Any, mask: Any, sem: Any, scope: Any
    ) -> Any:  # fmt: skip
        outside = self._update(builder, ptr.data, mask.data, value.data.itemsize, sem)
        return before(builder, operation, ptr, value, without(mask, outside), sem, scope)

    def _swapped(
        self, before: Callable[..., Any], builder: Any, ptr: Any, compared: Any, value: Any, sem: Any, scope: Any
    ) -> Any:
        outside = self._update(builder, ptr.data, np.ones(ptr.data.shape, bool), value.data.itemsize, sem)
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

    def _update(self, builder: Any, pointers: np.ndarray, mask: np.ndarray, width: int, sem: Any) -> np.ndarray | None:
        """An atomic; which of its lanes are outside of all memory, None for none."""
        if self._sample:
            raise WholeNeeded(TOGETHER, math.prod(self._grid))
        accesses, outside = self._accesses.split(builder, "atomic", pointers, mask, width)
        for access in accesses:
            self._accesses.update(builder, access, sem)
        return outside


def _whole(before: Callable[..., Any], accesses: list[Access], outside: np.ndarray | None) -> Access | None:
    """The only access, of whole elements: numpy does it at once, where the interpreter goes from lane to lane. None where another watches too."""
    if before not in PLAIN or outside is not None or len(accesses) != 1:
        return None
    return accesses[0] if accesses[0].width == accesses[0].memory.unit else None


# ------------------------------------------------------------ what lanes get that touch no memory


def poison(dtype: Any, shape: tuple[int, ...]) -> Any:
    """What lanes get that load nothing, in turn: NaN, numbers that nobody expects, small ones: on a GPU it is whatever lies there."""
    numpys = interpreter._get_np_dtype(dtype)
    begun = np.roll(
        np.array(_odd(dtype, numpys), numpys), next(_loads)
    )  # not alike in two loads: x % x is 0 whatever it is
    lanes = math.prod(shape)
    return interpreter.TensorHandle(np.tile(begun, -(-lanes // begun.size))[:lanes].reshape(shape), dtype)


def _odd(dtype: Any, numpys: np.dtype[Any]) -> tuple[float, ...]:
    """Values, or bits where the interpreter keeps a dtype in whole numbers: NaN, then a large number of either sign."""
    if dtype == tl.bfloat16:
        return 0x7FC0, 0x4641, 0xC641
    if dtype.is_fp8():
        return {tl.float8e4b8: 0x80, tl.float8e5b16: 0x80}.get(dtype, 0x7F), 0x70, 0xF0
    if numpys.kind == "f":
        return math.nan, 12345.0, -12345.0
    return (0x5A5A5A5A & np.iinfo(numpys).max, 0, 1, 3) if numpys.kind in "iu" else (True,)


def without(mask: Any, outside: np.ndarray | None) -> Any:
    """A mask without the lanes that are outside of all memory; None for none."""
    return mask if outside is None else interpreter.TensorHandle(np.asarray(mask.data) & ~outside, tl.int1)
