"""What whole numbers must be for the addresses that they decide to stay inside the tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, inf

from inductor_lab.computation.dimensions import dimension, starts
from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, pointers
from inductor_lab.eject.compared import fits
from inductor_lab.eject.intervals import EVERYTHING, Interval, exactly
from inductor_lab.eject.narrowing import TRIED, longest
from inductor_lab.eject.reach import Reach, stays
from inductor_lab.eject.required import Required, loads
from inductor_lab.records import TensorType


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
