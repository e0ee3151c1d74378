"""What loaded whole numbers must be for a value that is made of them to stay within bounds: interval arithmetic, backwards.

3*tmp0 + 2 in [0, 50]      tmp0 in [0, 16]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, inf

from inductor_lab.computation.dimensions import dimension, starts
from inductor_lab.computation.idioms import number, seen, wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Operation,
    Reduction,
    Scan,
    Unknown,
    pointers,
    walk,
)
from inductor_lab.eject.inputs.allocation import Reach, stays
from inductor_lab.eject.inputs.intervals import EVERYTHING, Bounds, Interval, exactly
from inductor_lab.eject.inputs.uses import fits
from inductor_lab.records import TensorType

TRIED = 512
"""Values of a range that are tried."""
WORDS = {"positive": "positive", "unit": "unit", "open_unit": "unit", "above_one": "above_one"}
"""What an operator asks of its operand -> what that is drawn from."""


class Domains:
    """The words of a job's tensors, by pointer."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words = words
        self.told: set[tuple[int, str]] = set()

    def finite(self, value: Expression) -> None:
        """Nothing that feeds it is infinite; no whole number is."""
        for node in walk(value):
            if isinstance(node, Load) and "float" in node.dtype:
                self.words.setdefault(node.pointer, "finite")

    def domain(self, value: Expression, word: str) -> None:
        """What feeds a value that must be positive, or between -1 and 1."""
        if (id(value), word) in self.told:
            return
        self.told.add((id(value), word))
        match value:
            case Load(pointer=pointer):
                if self.words.get(pointer, "finite") == "finite":
                    self.words[pointer] = word
            case Cast(operand=operand) | Broadcast(operand=operand):
                self.domain(operand, word)
            case (
                Reduction(name="sum" | "max" | "min" | "fmax" | "prod", inputs=(operand, *_))
                | Scan(inputs=(operand, *_))
            ) if word in {"positive", "count"}:
                self.domain(operand, word)
            case Operation(name="add", inputs=inputs_) if word in {"positive", "count"}:
                for one in inputs_:
                    self.domain(one, word)
            case Operation(name="mul", inputs=(left, right)) if word in {"positive", "count"} and left is not right:
                self.domain(left, word)
                self.domain(right, word)
            case Operation(name="div", inputs=(left, right)) if word in {"positive", "count"}:
                self.domain(left, word)
                self.domain(right, word)
            case Operation(name="maximum" | "minimum", inputs=(left, right)) if word in {"positive", "count"}:
                if not any((told := number(one)) is not None and told >= 0 for one in (left, right)):
                    self.domain(left, word)
                    self.domain(right, word)
            case Operation(name="neg", inputs=(operand,)) if word in {"positive", "count"}:
                self.bias_correction(operand)
            case Operation(name="sub") if word in {"positive", "count"}:
                self.bias_correction(value)
            case Operation(name="where", inputs=(_, one, other)):
                self.domain(one, word)
                self.domain(other, word)

    def bias_correction(self, value: Expression) -> None:
        """`1 - beta ** step`, or less that: the step is positive."""
        for node in value.operands:
            match seen(node):
                case Operation(name="pow", inputs=(base, power)) if 0 < (number(base) or 0) < 1:
                    self.domain(power, "positive")


class Addressing:
    """The addresses of a job, and what they require of the numbers in them."""

    def __init__(self, job: Computation, reach: Reach, required: Required) -> None:
        self.job, self.reach, self.required = job, reach, required
        self.bounds = required.bounds

    def address(self, pointer: str, index: Index) -> None:
        """Every whole number that decides an address stays inside the tensor."""
        type_ = self.reach.tensors.get(pointer)
        if type_ is None or not any(pointers(e) for e in index.expressions()):
            return None
        if (load := _repeated(index)) is not None:
            return self.tried(load, pointer, index)
        by_dimension: dict[int, list[tuple[int, object]]] = {}
        for term in index.terms:
            factor = self.bounds.factor(term.factor, term.sizes)
            # sizes are numbers here, in the strides too
            known = term if factor is None else replace(term, factor=factor, sizes=())
            at = dimension(known, type_, self.job.sizes)
            stride = self.bounds.number(type_.stride[at]) if at is not None else None
            if at is None or factor is None or not stride:
                return self.whole(pointer, index)
            by_dimension.setdefault(at, []).append((factor // stride, term.of))
        starts = self.starts(type_, index, list(by_dimension))
        for at, parts in by_dimension.items():
            size = self.bounds.number(type_.shape[at])
            loaded = [(f, of) for f, of in parts if isinstance(of, Expression) and pointers(of)]
            if size is None or not loaded:
                continue
            rest = exactly(0)
            for factor, of in parts:
                if not any(of is o for _, o in loaded):
                    rest += exactly(factor) * self.bounds.of(of)  # type: ignore[arg-type]
            room = size
            step = starts[at]
            if rest.high + step >= size:  # it runs on into the dimension around: the flat address decides
                return self.whole(pointer, index)
            for factor, of in loaded:
                assert isinstance(of, Expression)
                share = (room - 1 - (rest.high if rest.known else 0) - step) / len(loaded)
                start = (-(rest.low if rest.known else 0) - step) / len(loaded)
                ends = sorted((start / factor, share / factor))
                self.required.inside(of, Interval(ceil(ends[0]), floor(ends[1])))
        return None

    def tried(self, load: Load, pointer: str, index: Index) -> None:
        """One load in several terms, `t + 45*(t // 3) - 49`: they move together, so only trying tells which `t` stay inside."""
        last = self.reach.last(pointer, self.bounds)
        if last is None:
            return
        checks = [check.condition for check in self.job.checks if load.pointer in pointers(check.condition)]
        inside, checked = [], []
        for value in (value for value in range(TRIED) if fits(value, load.dtype)):
            bounds = replace(self.bounds, found={id(load): exactly(value)})
            if stays(bounds, index, last):
                inside.append(value)
                if all(map(bounds.decided, checks)):
                    checked.append(value)
        if valid := checked or inside:
            first, end = longest(valid)
            self.required.inside(load, Interval(first, end - 1 if end < TRIED else inf))

    def starts(self, type_: TensorType, index: Index, walked: Sequence[int]) -> Sequence[int]:
        """The constant of an address as a place along each dimension: what is left of it beside the wider strides."""
        strides = tuple(self.bounds.number(step) or 0 for step in type_.stride)
        if index.constant > 0:
            return [int(start) for start in starts(index.constant, replace(type_, stride=strides))]
        alone = walked[0] if len(walked) == 1 else None
        return [index.constant // step if at == alone and step else 0 for at, step in enumerate(strides)]

    def whole(self, pointer: str, index: Index) -> None:
        """The flat address stays inside the memory of a tensor."""
        last = self.reach.last(pointer, self.bounds)
        if last is None:
            return
        loaded = [t for t in index.terms if isinstance(t.of, Expression) and pointers(t.of)]
        rest = exactly(index.constant)
        for term in index.terms:
            if term not in loaded:
                factor = self.bounds.factor(term.factor, term.sizes)
                rest += exactly(factor) * self.bounds.of(term.of) if factor is not None else EVERYTHING
        if not rest.known:
            return
        for term in loaded:
            factor = self.bounds.factor(term.factor, term.sizes)
            assert isinstance(term.of, Expression)
            if factor:
                ends = sorted(((-rest.low) / len(loaded) / factor, (last - rest.high) / len(loaded) / factor))
                self.required.inside(term.of, Interval(ceil(ends[0]), floor(ends[1])))


def _repeated(index: Index) -> Load | None:
    """The only load of an address, where several terms hold it."""
    terms = [held for e in index.expressions() if (held := loads(e))]
    found = {key: load for held in terms for key, load in held.items()}
    (load, *others) = found.values() or (None,)
    return load if load is not None and "int" in load.dtype and len(terms) > 1 and not others else None


class Required:
    """The intervals that the whole numbers of a job's tensors must be in, by pointer."""

    def __init__(self, bounds: Bounds, wanted: dict[str, Interval]) -> None:
        self.bounds, self.wanted = bounds, wanted
        self.followed: set[tuple[int, float, float]] = set()

    def holds(self, condition: Expression) -> None:
        """A condition that the kernel stops at: each bound in it holds."""
        match condition:
            case Operation(name="and", inputs=(left, right)):
                self.holds(left)
                self.holds(right)
            case Operation(name="or", inputs=(left, right)):
                self.holds(left)  # `(0 <= i) & (i < n) | ~mask`
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
            case Operation(name=name, inputs=parts):
                self.through(name, parts, room)

    def through(self, name: str, parts: tuple[Expression, ...], room: Interval) -> None:
        match name, parts:
            case "where", (_, one, other):
                self.inside(one, room)
                self.inside(other, room)
            case "add" | "sub", (left, right) if not loads(left).keys() & loads(right).keys():
                sign = -1 if name == "sub" else 1
                a, b = self.bounds.of(left), exactly(sign) * self.bounds.of(right)
                if b.known:
                    self.inside(left, _clean(Interval(room.low - b.low, room.high - b.high)))
                elif a.known:
                    turned = Interval(room.low - a.low, room.high - a.high)
                    self.inside(right, _clean(turned if sign == 1 else -turned))
                elif room.low <= 0:
                    half = Interval(min(room.low, 0), room.high / 2)
                    self.inside(left, half)
                    self.inside(right, half)
            case "neg", (operand,):
                self.inside(operand, -room)
            case "mul", (left, right):
                for one, other in ((left, right), (right, left)):
                    by = self.bounds.of(other)
                    if by.known and by.high > 0 and pointers(one):
                        self.inside(one, Interval(ceil(room.low / by.high), _floor(room.high / by.high)))
                        break
            case "maximum" | "fmax", (left, right):
                for one, other in ((left, right), (right, left)):
                    if pointers(one):
                        known = self.bounds.of(other)
                        self.inside(one, Interval(-inf if known.low >= room.low else room.low, room.high))
            case "minimum" | "fmin", (left, right):
                for one, other in ((left, right), (right, left)):
                    if pointers(one):
                        known = self.bounds.of(other)
                        self.inside(one, Interval(room.low, inf if known.high <= room.high else room.high))
            case "mod", (left, right):
                self.inside(left, Interval(0, inf))
                if (self.bounds.of(right).high - 1) > room.high:
                    self.inside(left, room)
            case "remainder", (left, right):
                if (self.bounds.of(right).high - 1) > room.high:
                    self.inside(left, room)
            case "floordiv" | "floor_divide", (left, right):
                by = self.bounds.of(right)
                if by.known and by.low == by.high > 0:
                    self.inside(left, Interval(room.low * by.low, room.high * by.low + by.low - 1))
            case "shift_right", (left, right):
                by = self.bounds.of(right)
                if by.known and by.low == by.high:
                    scale = 2**by.low
                    self.inside(left, Interval(room.low * scale, room.high * scale + scale - 1))


def loads(*roots: Expression) -> dict[int, Load]:
    """The loads that a value is made of, by identity; not those that only decide where another one reads."""
    found = {id(node): node for node in walk(*roots) if isinstance(node, Load)}
    deciding = {id(node) for load in found.values() for node in walk(*load.operands)}
    return {key: load for key, load in found.items() if key not in deciding}


def _clean(room: Interval) -> Interval:
    return room if room.low <= room.high else Interval(room.low, room.low)


def _floor(end: float) -> float:
    return end if end in (inf, -inf) else floor(end)


def longest(values: Sequence[int]) -> tuple[int, int]:
    """The longest run of consecutive numbers, its end not included."""
    best, start, length = values[0], values[0], 1
    for before, value in itertools.pairwise(values):
        start = start if value == before + 1 else value
        if value - start + 1 > length:
            best, length = start, value - start + 1
    return best, best + length
