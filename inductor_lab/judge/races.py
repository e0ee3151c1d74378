"""Which accesses of one launch nothing orders: marks on elements, and what programs have seen of each other.

A program is a number that grows from 1 on, from launch to launch, so that a mark of an earlier launch is told by being smaller. 0 is no
program: marks begin as zeros, of which the system gives pages when they are touched.
"""

from __future__ import annotations

import mmap

import numpy as np

NONE = np.empty(0, np.intp)
FOLLOWED = (
    4096  # programs of a launch whose order is followed one by one: what each has seen is a row of as many numbers
)

Index = slice | np.ndarray  # elements, one for each lane: side by side, or anywhere


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


def zeros(elements: int) -> np.ndarray:
    """As many whole numbers, of which the system gives those pages that are touched."""
    return np.frombuffer(mmap.mmap(-1, max(4 * elements, 1)), np.int32, elements)


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
