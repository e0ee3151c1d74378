"""What loaded values must be so that every address stays inside its tensor, every check holds and no result is undefined.

tl.load(in_ptr1 + (3*tmp0 + 2))  of f32[51]      tmp0 in [0, 16]: interval arithmetic backwards
tl.sqrt(tmp1 + tmp2)                             both positive
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf

from inductor_lab.computation.idioms import number, seen, wrapped
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.intervals import EVERYTHING, Interval, exactly
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation, dimension, starts
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Operation,
    Random,
    Reduction,
    Scan,
    Unknown,
    pointers,
    walk,
)
from inductor_lab.eject.inputs.domain import MOST
from inductor_lab.eject.inputs.intervals import Allocation, Bounds
from inductor_lab.records import TensorType

WORDS = {"positive": "positive", "unit": "unit", "open_unit": "unit", "above_one": "above_one"}
"""What an operator asks of its operand -> what that is drawn from."""
POSITIVE = ("positive", "count")


@dataclass(frozen=True)
class Requirements:
    """What all jobs of a kernel require, by pointer."""

    intervals: dict[str, Interval] = field(default_factory=dict)
    """Between which numbers whole ones must be."""
    words: dict[str, str] = field(default_factory=dict)
    """What else must be drawn: `positive`, `sorted` and the other words of a `Domain`."""


def requirements(found: Computation, allocation: Allocation) -> Requirements:
    """What a kernel requires of the tensors of a launch."""
    made = Requirements()
    for job in found.every():
        _require(job, allocation, made)
    return made


def _require(job: Computation, allocation: Allocation, made: Requirements) -> None:
    """What one job requires, added to what those before it do."""
    values, floats = BackwardIntervals(allocation.bounds(job), made.intervals), FloatDomains(made.words)
    addresses = Addresses(job, allocation, values)
    for check in job.checks:
        values.holds(check.condition)
    for access in job.stores:
        addresses.inside(access.pointer, access.index)
    for node in job.nodes:
        match node:
            case Load(pointer=pointer, index=Index() as index):
                addresses.inside(pointer, index)
            case Operation(name="bucketize", inputs=(_, Load(pointer=pointer), *_)):
                made.words[pointer] = "sorted"
            case Operation(name=name, inputs=inputs) if name in TABLE and TABLE[name].domain:
                domain = TABLE[name].domain
                if domain == "divisor":
                    floats.drawn(inputs[-1], "positive")
                else:
                    floats.drawn(inputs[0], WORDS[domain])
            case (
                Reduction(name="welford" | "prod", inputs=(value, *parts))
                | Scan(name="sum" | "prod", inputs=(value, *parts))
            ):
                for part in parts:
                    floats.drawn(part, "count")
                floats.finite(value)
            case Operation(name="pow", inputs=(base, power)) if (number(power) or 0.5) % 1:
                floats.drawn(base, "positive")
            case Random(inputs=(seed, *_)):
                values.inside(seed, Interval(1, 2**31 - 1))
                for bound in node.inputs[2:]:
                    values.inside(bound, Interval(0, MOST))


class BackwardIntervals:
    """The intervals that the whole numbers of a job's tensors must be in for a value that is made of them to stay within bounds.

    3*tmp0 + 2 in [0, 50]      tmp0 in [0, 16]
    """

    def __init__(self, bounds: Bounds, wanted: dict[str, Interval]) -> None:
        self.bounds, self.wanted = bounds, wanted
        self.followed: set[tuple[int, float, float]] = set()

    def holds(self, condition: Expression) -> None:
        """A condition that the kernel stops at: each bound in it holds."""
        match condition:
            case Operation(name="and" | "or", inputs=(left, right)):  # `(0 <= i) & (i < n) | ~mask`
                self.holds(left)
                self.holds(right)
            case Operation(name="lt" | "le" | "gt" | "ge" as name, inputs=(left, right)):
                if name in {"gt", "ge"}:
                    left, right = right, left
                strict = 1 if name in {"lt", "gt"} else 0
                above, below = self.bounds.of(right), self.bounds.of(left)
                if above.known and pointers(left):
                    self.inside(left, Interval(-inf, above.low - strict))
                elif below.known and pointers(right):
                    self.inside(right, Interval(below.high + strict, inf))

    def inside(self, value: Expression, room: Interval) -> None:
        """What feeds a value that must stay within bounds."""
        if (id(value), room.low, room.high) in self.followed or room == EVERYTHING:
            return
        self.followed.add((id(value), room.low, room.high))
        inner = wrapped(value)
        if inner is not None:
            self.inside(inner, room)
            return
        match value:
            case Load(pointer=pointer):
                self.wanted[pointer] = self.wanted.get(pointer, EVERYTHING).within(room)
            case Cast(operand=operand) | Broadcast(operand=operand) | Unknown(inputs=(operand,)):
                self.inside(operand, room)
            case Carried(start=start):
                self.inside(start, room)
            case Reduction(name="max" | "min" | "fmax", inputs=(operand, *_)) | Scan(inputs=(operand, *_)):
                self.inside(operand, room)
            case Operation(name=name, inputs=(one,)):
                if name == "neg":
                    self.inside(one, -room)
            case Operation(name="where", inputs=(_, one, other)):
                self.inside(one, room)
                self.inside(other, room)
            case Operation(name=name, inputs=(left, right)):
                self.through(name, left, right, room)

    def through(self, name: str, left: Expression, right: Expression, room: Interval) -> None:
        """What feeds the two operands of an operation whose result must stay within bounds."""
        by = self.bounds.of(right)
        match name:
            case "add" | "sub" if not loads(left).keys() & loads(right).keys():
                self._sum(left, right, room, -1 if name == "sub" else 1)
            case "mul":
                for one, other in ((left, right), (right, left)):
                    factor = self.bounds.of(other)
                    if factor.known and factor.high > 0 and pointers(one):
                        self.inside(one, Interval(_ceil(room.low / factor.high), _floor(room.high / factor.high)))
                        break
            case "maximum" | "fmax" | "minimum" | "fmin":
                for one, other in ((left, right), (right, left)):
                    if pointers(one):
                        self.inside(one, _beside(self.bounds.of(other), room, largest=name in {"maximum", "fmax"}))
            case "mod" | "remainder":
                if name == "mod":
                    self.inside(left, Interval(0, inf))
                if by.high - 1 > room.high:
                    self.inside(left, room)
            case "floordiv" | "floor_divide" if by.known and by.low == by.high > 0:
                self.inside(left, Interval(room.low * by.low, room.high * by.low + by.low - 1))
            case "shift_right" if by.known and by.low == by.high:
                scale = 2**by.low
                self.inside(left, Interval(room.low * scale, room.high * scale + scale - 1))

    def _sum(self, left: Expression, right: Expression, room: Interval, sign: int) -> None:
        """The two of a sum, of which one is known; else each has half of the room."""
        a, b = self.bounds.of(left), exactly(sign) * self.bounds.of(right)
        if b.known:
            self.inside(left, _ordered(Interval(room.low - b.low, room.high - b.high)))
        elif a.known:
            turned = Interval(room.low - a.low, room.high - a.high)
            self.inside(right, _ordered(turned if sign == 1 else -turned))
        elif room.low <= 0:
            half = Interval(min(room.low, 0), room.high / 2)
            self.inside(left, half)
            self.inside(right, half)


def loads(*roots: Expression) -> dict[int, Load]:
    """The loads that a value is made of, by identity; not those that only decide where another one reads."""
    found = {id(node): node for node in walk(*roots) if isinstance(node, Load)}
    deciding = {id(node) for load in found.values() for node in walk(*load.operands)}
    return {key: load for key, load in found.items() if key not in deciding}


def _beside(known: Interval, room: Interval, *, largest: bool) -> Interval:
    """What one of two must be for the larger, or the smaller, of both to stay within bounds."""
    if largest:
        return Interval(-inf if known.low >= room.low else room.low, room.high)
    return Interval(room.low, inf if known.high <= room.high else room.high)


def _ordered(room: Interval) -> Interval:
    return room if room.low <= room.high else Interval(room.low, room.low)


def _ceil(end: float) -> float:
    return end if end in (inf, -inf) else ceil(end)


def _floor(end: float) -> float:
    return end if end in (inf, -inf) else floor(end)


class Addresses:
    """The addresses of a job, and what they require of the whole numbers in them."""

    def __init__(self, job: Computation, allocation: Allocation, values: BackwardIntervals) -> None:
        self.job, self.allocation, self.values = job, allocation, values
        self.bounds = values.bounds

    def inside(self, pointer: str, index: Index) -> None:
        """Every whole number that decides an address stays inside the tensor."""
        type_ = self.allocation.tensors.get(pointer)
        if type_ is None or not pointers(*index.expressions()):
            return
        if (load := _repeated(index)) is not None:
            self.values.inside(load, Interval(0, inf))  # its terms move together: what stays inside, only trying tells
        elif not self._by_dimension(type_, index):
            self._whole(pointer, index)

    def _by_dimension(self, type_: TensorType, index: Index) -> bool:
        """What is loaded stays inside of each dimension that it moves along; False where only the flat address decides."""
        terms: dict[int, list[tuple[int, Coordinate | Expression | None]]] = {}
        for term in index.terms:
            factor = self.bounds.factor(term.factor, term.sizes)
            # sizes are numbers here, in the strides too
            known = term if factor is None else replace(term, factor=factor, sizes=())
            at = dimension(known, type_, self.job.sizes)
            stride = self.bounds.number(type_.stride[at]) if at is not None else None
            if at is None or factor is None or not stride:
                return False
            terms.setdefault(at, []).append((factor // stride, term.of))
        starts = self._starts(type_, index, list(terms))
        for at, parts in terms.items():
            size = self.bounds.number(type_.shape[at])
            loaded = [(f, of) for f, of in parts if isinstance(of, Expression) and pointers(of)]
            if size is None or not loaded:
                continue
            rest = exactly(starts[at])
            for factor, of in parts:
                if not isinstance(of, Expression) or not pointers(of):
                    rest += exactly(factor) * self.bounds.of(of)
            if rest.high >= size:  # it runs on into the dimension around
                return False
            if not rest.known:
                rest = exactly(starts[at])
            for factor, value in loaded:
                ends = sorted(end / len(loaded) / factor for end in (-rest.low, size - 1 - rest.high))
                self.values.inside(value, Interval(ceil(ends[0]), floor(ends[1])))
        return True

    def _starts(self, type_: TensorType, index: Index, walked: Sequence[int]) -> Sequence[int]:
        """The constant of an address as a place along each dimension: what is left of it beside the wider strides."""
        strides = tuple(self.bounds.number(step) or 0 for step in type_.stride)
        if index.constant > 0:
            return [int(start) for start in starts(index.constant, replace(type_, stride=strides))]
        alone = walked[0] if len(walked) == 1 else None
        return [index.constant // step if at == alone and step else 0 for at, step in enumerate(strides)]

    def _whole(self, pointer: str, index: Index) -> None:
        """The flat address stays inside the memory of a tensor."""
        last = self.allocation.last(pointer, self.bounds)
        if last is None:
            return
        loaded = [(term, term.of) for term in index.terms if isinstance(term.of, Expression) and pointers(term.of)]
        held = [term for term, _ in loaded]
        rest = exactly(index.constant)
        for term in index.terms:
            if term not in held:
                factor = self.bounds.factor(term.factor, term.sizes)
                rest += exactly(factor) * self.bounds.of(term.of) if factor is not None else EVERYTHING
        if not rest.known:
            return
        for term, value in loaded:
            if factor := self.bounds.factor(term.factor, term.sizes):
                ends = sorted(end / len(loaded) / factor for end in (-rest.low, last - rest.high))
                self.values.inside(value, Interval(ceil(ends[0]), floor(ends[1])))


def _repeated(index: Index) -> Load | None:
    """The only load of an address, where several terms hold it."""
    terms = [held for e in index.expressions() if (held := loads(e))]
    found = {key: load for held in terms for key, load in held.items()}
    (load, *others) = found.values() or (None,)
    return load if load is not None and "int" in load.dtype and len(terms) > 1 and not others else None


class FloatDomains:
    """What floats must be for a finite result, by pointer: what stands under a root or a logarithm, or divides, is positive."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words = words
        self.followed: set[tuple[int, str]] = set()

    def finite(self, value: Expression) -> None:
        """Nothing that feeds it is infinite; no whole number is."""
        for node in walk(value):
            if isinstance(node, Load) and "float" in node.dtype:
                self.words.setdefault(node.pointer, "finite")

    def drawn(self, value: Expression, word: str) -> None:
        """What feeds a value that must be positive, or between -1 and 1."""
        if (id(value), word) in self.followed:
            return
        self.followed.add((id(value), word))
        match value:
            case Load(pointer=pointer):
                if self.words.get(pointer, "finite") == "finite":
                    self.words[pointer] = word
            case Cast(operand=operand) | Broadcast(operand=operand):
                self.drawn(operand, word)
            case Operation(name="where", inputs=(_, *inputs)):
                for one in inputs:
                    self.drawn(one, word)
            case _ if word in POSITIVE:
                self._positive(value, word)

    def _positive(self, value: Expression, word: str) -> None:
        """What feeds a value that must be positive."""
        match value:
            case (
                Reduction(name="sum" | "max" | "min" | "fmax" | "prod", inputs=(operand, *_))
                | Scan(inputs=(operand, *_))
            ):
                self.drawn(operand, word)
            case Operation(name="mul", inputs=(left, right)) if left is right:
                return
            case Operation(name="maximum" | "minimum", inputs=inputs) if any(map(_not_negative, inputs)):
                return
            case Operation(name="add" | "mul" | "div" | "maximum" | "minimum", inputs=inputs):
                for one in inputs:
                    self.drawn(one, word)
            case Operation(name="neg", inputs=(operand,)):
                self._bias_correction(operand)
            case Operation(name="sub"):
                self._bias_correction(value)

    def _bias_correction(self, value: Expression) -> None:
        """`1 - beta ** step`, or less that: the step is positive."""
        for node in value.operands:
            match seen(node):
                case Operation(name="pow", inputs=(base, power)) if 0 < (number(base) or 0) < 1:
                    self.drawn(power, "positive")


def _not_negative(value: Expression) -> bool:
    """Whether it is a number from 0 on."""
    known = number(value)
    return known is not None and known >= 0
