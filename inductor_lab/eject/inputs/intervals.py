"""Which values an integer of the tree can take, by interval arithmetic, and whether every address stays in bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from inductor_lab.computation.idioms import named
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.intervals import EVERYTHING, Interval, exactly
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Reduction,
    Scan,
    Size,
)
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import number


@dataclass(frozen=True)
class Bounds:
    """Bounds of the values of one kernel, its sizes as numbers."""

    numel: Mapping[str, SizeLike]
    sizes: Mapping[str, int]
    """`ks0`, `s77` -> a number."""
    loads: Mapping[str, Interval] = field(default_factory=dict)
    """Pointer -> what it holds, where that is known."""
    found: dict[int, Interval] = field(default_factory=dict, compare=False)
    """What was worked out: a tree shares its branches."""

    def number(self, size: SizeLike) -> int | None:
        """A size as a number; None where a name in it is not known."""
        return number(size, self.sizes)

    def coordinate(self, coordinate: Coordinate) -> Interval:
        whole = self.number(self.numel.get(coordinate.axis, ""))
        stride = self.number(coordinate.stride)
        last = None if whole is None or not stride else (whole - 1) // stride
        size = self.number(coordinate.size) if coordinate.size is not None else None
        ends = [end for end in (last, size - 1 if size else None) if end is not None]
        return Interval(0, min(ends) if ends else inf)

    def index(self, index: Index) -> Interval:
        total = exactly(index.constant)
        for term in index.terms:
            factor = self.factor(term.factor, term.sizes)
            total += exactly(factor) * self.of(term.of) if factor is not None else EVERYTHING
        return total

    def factor(self, number: int, sizes: tuple[str, ...]) -> int | None:
        for size in sizes:
            known = self.number(size)
            if known is None:
                return None
            number *= known
        return number

    def of(self, value: Coordinate | Expression | None) -> Interval:
        """The values that something can take; everything for a loaded one."""
        if value is None or isinstance(value, Coordinate):
            return self._of(value)
        if id(value) not in self.found:
            self.found[id(value)] = self._of(value)
        return self.found[id(value)]

    def _of(self, value: Coordinate | Expression | None) -> Interval:
        match value:
            case None:
                return exactly(1)
            case Coordinate():
                return self.coordinate(value)
            case Constant(value=number):
                return exactly(float(number))
            case Size(name=name):
                known = self.number(name)
                return exactly(known) if known is not None else Interval(0, inf)
            case Position(index=index):
                return self.index(index)
            case Inside():
                return exactly(1)
            case Cast(operand=operand, dtype=dtype) if "int" in dtype and "float" in operand.dtype:
                inner = self.of(operand)
                return Interval(_cut(inner.low), _cut(inner.high))
            case Cast(operand=operand) | Broadcast(operand=operand):
                return self.of(operand)
            case Reduction(name="argmax" | "argmin", part="index", over=over):
                return Interval(0, self.elements(over) - 1)
            case Reduction(name="sum", inputs=(one,), over=over):
                inner, times = self.of(one), self.elements(over)
                return Interval(min(inner.low, inner.low * times), max(inner.high, inner.high * times))
            case (
                Reduction(name="max" | "min" | "fmax", inputs=(one,))
                | Scan(name="sort" | "max" | "min", inputs=(one, *_))
            ):
                return self.of(one)
            case Operation(name=name, inputs=inputs):
                return self.operation(name, [self.of(operand) for operand in inputs], value)
            case Load(pointer=pointer) if pointer in self.loads:
                return self.loads[pointer]
            case Load(dtype="bool"):
                return Interval(0, 1)
            case Load(dtype="uint8"):
                return Interval(0, 255)
            case Load(dtype="int8"):
                return Interval(-128, 127)
        return EVERYTHING

    def decided(self, condition: Expression) -> bool | None:
        """Whether a comparison holds for all values, or for none; None for anything else."""
        match condition:
            case Operation(name="and" | "or" as name, inputs=(left, right)):
                ends = {self.decided(left), self.decided(right)}
                last = name == "or"  # one that holds decides an `or`, one that does not an `and`
                return last if last in ends else None if None in ends else not last
            case Operation(name="eq" | "ne" as name, inputs=(left, right)):
                a, b = self.of(left), self.of(right)
                if a.high < b.low or b.high < a.low:
                    return name == "ne"
                return name == "eq" if a.low == a.high == b.low == b.high else None
            case Operation(name="gt" | "ge" as name, inputs=(left, right)):
                return _no(self._less(left, right, equal=name == "gt"))
            case Operation(name="lt" | "le" as name, inputs=(left, right)):
                return self._less(left, right, equal=name == "le")
            case Operation(name="not", inputs=(inner,)):
                return _no(self.decided(inner))
            case Inside():
                return True
        return None

    def _less(self, left: Expression, right: Expression, *, equal: bool) -> bool | None:
        a, b = self.of(left), self.of(right)
        if a.high < b.low or (equal and a.high == b.low):
            return True
        return False if a.low > b.high or (not equal and a.low == b.high) else None

    def elements(self, axes: frozenset[str]) -> float:
        total = 1.0
        for axis in axes:
            total *= self.number(self.numel.get(axis, "")) or inf
        return total

    def operation(self, name: str, inputs: list[Interval], value: Operation) -> Interval:
        """What an operation makes of the intervals of its operands, by the row of its operator."""
        if name == "where":
            return self._chosen(value, *inputs[1:])
        made = TABLE[name].interval if name in TABLE else None
        known = made(*inputs) if made is not None else None
        return known or (Interval(0, 1) if value.dtype == "bool" else EVERYTHING)

    def _chosen(self, value: Operation, one: Interval, other: Interval) -> Interval:
        """One of both sides, or the one that is known to be chosen; of Python's % as Inductor writes it, what that makes."""
        said = named(value)
        if said is not None and said[0] == "remainder" and (by := self.of(said[1][1])).known and by.low > 0:
            return Interval(0, by.high - 1)
        decided = self.decided(value.inputs[0])
        return one.union(other) if decided is None else one if decided else other


def _no(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _cut(end: float) -> float:
    return end if end in (inf, -inf) else int(end)


@dataclass(frozen=True)
class Allocation:
    """The tensors of a launch."""

    tensors: Mapping[str, TensorType | None]
    """Pointer -> its type, as the launch passes it."""
    sizes: Mapping[str, int]
    """`ks0`, `s77` -> a number, where sizes are symbolic."""

    def bounds(self, job: Computation) -> Bounds:
        """The bounds of a job's values, while nothing is known of what is loaded."""
        return Bounds(job.numel, bound_names(job, self.sizes))

    def last(self, pointer: str, bounds: Bounds) -> int | None:
        """The last address of a tensor; None where its type or a size is not known."""
        type_ = self.tensors.get(pointer)
        if type_ is None:
            return None
        total = 0
        for size, step in zip(type_.shape, type_.stride, strict=True):
            places, stride = bounds.number(size), bounds.number(step)
            if places is None or stride is None:
                return None
            total += max(places - 1, 0) * stride
        return total

    def inside(self, bounds: Bounds, pointer: str, index: Index) -> bool:
        """Whether an address stays inside a tensor, or no data decides it."""
        return not index.expressions() or stays(bounds, index, self.last(pointer, bounds))


def stays(bounds: Bounds, index: Index, last: int | None) -> bool:
    """Whether an address is none before the first and none behind the last."""
    room = bounds.index(index)
    return last is not None and room.low >= 0 and room.high <= last


def addresses(job: Computation) -> Iterator[tuple[str, Index]]:
    """Every address whose place the data decides, with its pointer."""
    found = [(access.pointer, access.index) for access in job.stores]
    found += [(n.pointer, n.index) for n in job.nodes if isinstance(n, Load) and n.index is not None]
    yield from ((pointer, index) for pointer, index in dict.fromkeys(found) if index.expressions())


def bound_names(job: Computation, sizes: Mapping[str, int]) -> dict[str, int]:
    """The names of the body beside those of the launch."""
    known = dict(sizes)
    bounds = Bounds(job.numel, sizes)
    for name, text in job.sizes.items():
        value = bounds.number(text)
        if name not in known and value is not None:
            known[name] = value
    return known
