"""What a kernel's tensors must hold so that it can run: drawn from the tree.

    tl.load(in_ptr1 + (x0 + 75*tmp4))      of f32[50, 75], tmp4 = where(in_ptr0 < 0, in_ptr0 + 50, in_ptr0)      in_ptr0 in [0, 50)

Whole numbers that decide an address stay inside the dimension that they choose from, and some are what the kernel compares them with; what
stands under a root or a logarithm, or divides floats, is positive, and no whole number is divided by 0. Everything else is a normal number.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor, inf, prod

from inductor_lab.computation.dimensions import dimension, starts
from inductor_lab.computation.idioms import named, number, wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
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
from inductor_lab.eject.compared import compared, fits
from inductor_lab.eject.divisors import dividing, divisions, divisors
from inductor_lab.eject.intervals import EVERYTHING, Bounds, Interval, exactly
from inductor_lab.eject.unasked import Inside, unasked
from inductor_lab.records import TensorType

Fill = tuple[int, ...] | str
"""A range of whole numbers, its end not included, and numbers that some elements are besides; or a word: `any` (whole number), `normal`,
`positive`, `bool`,
`unit` ([-1, 1]), `above_one`, `sorted`, `count` (positive and finite); `finite`: normal, without infinities and NaN at the edges, since in
which order they meet decides what comes of them."""

MOST = 10_000
"""Whole numbers of which nothing is asked are smaller."""
WORDS = {"positive": "positive", "unit": "unit", "open_unit": "unit", "above_one": "above_one"}


def inputs(
    found: Computation, tensors: Mapping[str, TensorType | None], sizes: Mapping[str, int] | None = None
) -> dict[str, Fill]:
    """Pointer -> valid values of everything that the kernel reads.

    Args:
        tensors: Pointer -> its type, as the launch passes it.
        sizes: `ks0`, `s77` -> a number, where sizes are symbolic.
    """
    wanted: dict[str, Interval] = {}
    words: dict[str, str] = {}
    dtypes: dict[str, str] = {}
    for job in found.every():
        drawn = _Draw(job, tensors, Bounds(job.numel, bound_names(job, sizes or {})), wanted, words)
        drawn.draw()
        for access in job.accesses:
            dtypes.setdefault(access.pointer, "")
            for node in walk(*(part for part in (access.value, access.mask, *access.index.expressions()) if part)):
                if isinstance(node, Load):
                    dtypes[node.pointer] = node.dtype
    fills = {
        pointer: _fill(_dtype(pointer, dtypes, tensors), wanted.get(pointer), words.get(pointer)) for pointer in dtypes
    }
    for job in found.every():
        _narrow(job, tensors, bound_names(job, sizes or {}), fills)
    told = compared(found)
    fills |= _unasked(found, tensors, sizes or {}, dtypes, {*wanted, *words}, told)
    fills |= _divisors(found, tensors, sizes or {}, dtypes, fills)
    _tell(found, tensors, sizes or {}, fills, dtypes, {*wanted, *words, *dividing(found)}, told)
    for pointer in sorted(_hashed(found)):
        fill = fills.get(pointer)
        if not isinstance(fill, tuple) or fill[0] != 0 or len(fill) > 2 or dtypes[pointer].startswith("uint"):
            continue
        both: Fill = (1 - fill[1], fill[1])
        if all(
            _kept(j, tensors, bound_names(j, sizes or {}), {**fills, pointer: both}, pointer) for j in found.every()
        ):
            fills[pointer] = both
    return fills


def _unasked(
    found: Computation,
    tensors: Mapping[str, TensorType | None],
    sizes: Mapping[str, int],
    dtypes: Mapping[str, str],
    asked: Container[str],
    told: Container[str],
) -> dict[str, Fill]:
    """The whole numbers of which nothing is asked: any, a range where numbers that they are compared with are told besides."""
    fills: dict[str, Fill] = {}
    for pointer, room in unasked(found, _bounds(sizes), _inside(tensors)).items():
        if pointer not in asked:
            wide: Fill = _usual(dtypes[pointer]) if pointer in told else "any"
            fills[pointer] = (int(room.low), int(room.high) + 1) if room is not None else wide
    return fills


def _divisors(
    found: Computation,
    tensors: Mapping[str, TensorType | None],
    sizes: Mapping[str, int],
    dtypes: Mapping[str, str],
    fills: Mapping[str, Fill],
) -> dict[str, Fill]:
    """The whole numbers that divide, where they may be more than positive."""

    def divides(pointer: str, fill: tuple[int, int]) -> bool:
        return all(
            _kept(job, tensors, bound_names(job, sizes), {**fills, pointer: fill}, pointer) for job in found.every()
        )

    ranges = {pointer: _usual(dtypes[pointer]) for pointer in dividing(found)}
    return {**divisors(found, _bounds(sizes), _inside(tensors), ranges, divides)}


def _bounds(sizes: Mapping[str, int]) -> Callable[[Computation], Bounds]:
    return lambda job: Bounds(job.numel, bound_names(job, sizes))


def _inside(tensors: Mapping[str, TensorType | None]) -> Inside:
    def inside(bounds: Bounds, pointer: str, index: Index) -> bool:
        last = _last(type_, bounds) if (type_ := tensors.get(pointer)) else None
        return not index.expressions() or (last is not None and _stays(bounds.index(index), last))

    return inside


def _most(dtype: str) -> int:
    """The largest of the usual numbers of an integer dtype."""
    return {"int8": 127, "uint8": 255}.get(dtype, MOST)


def _usual(dtype: str) -> tuple[int, int]:
    """The usual numbers of an integer dtype, of both signs where it has them."""
    return (0 if dtype.startswith("u") else -_most(dtype)), _most(dtype) + 1


def _tell(
    found: Computation,
    tensors: Mapping[str, TensorType | None],
    sizes: Mapping[str, int],
    fills: dict[str, Fill],
    dtypes: Mapping[str, str],
    asked: Container[str],
    told: Mapping[str, Mapping[int, bool]],
) -> None:
    """Add the numbers that elements are compared with. Outside of its range an element may be one that a condition keeps from every address."""
    for pointer, numbers in told.items():
        for value, alone in sorted(numbers.items()):
            fill = fills.get(pointer)
            if not isinstance(fill, tuple) or not fits(value, dtypes[pointer]):
                continue
            more: Fill = (*fill, value)
            if fill[0] <= value < fill[1]:  # the edge values are the ends
                fills[pointer] = more if fill[1] - fill[0] > FEW and value not in (fill[0], fill[1] - 1) else fill
            elif pointer not in asked or (
                alone
                and all(
                    _kept(job, tensors, bound_names(job, sizes), {**fills, pointer: more}, pointer)
                    for job in found.every()
                )
            ):
                fills[pointer] = more


def _hashed(found: Computation) -> set[str]:
    """The pointers of which only remainders are used, `(id + 1) % rows`: a negative number has one too."""
    inside, outside = set[str](), set[str]()
    for job in found.every():
        waiting = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        waiting += [check.condition for check in job.checks]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            said = named(node)
            if said is not None and said[0] == "remainder":
                inside |= pointers(said[1][0])
                waiting += said[1][1:]
                continue
            outside |= {node.pointer} if isinstance(node, Load) else set()
            waiting += node.operands
    return inside - outside


def _kept(
    job: Computation,
    tensors: Mapping[str, TensorType | None],
    sizes: Mapping[str, int],
    fills: Mapping[str, Fill],
    pointer: str,
) -> bool:
    """Whether every address that a tensor decides stays inside, every check of it holds and nothing is divided by 0, whichever of its
    elements are which numbers."""

    def ways(*roots: Expression) -> Iterator[Bounds]:
        filled = [(n, fills.get(n.pointer)) for n in walk(*roots) if isinstance(n, Load)]
        rooms = {id(n): [Interval(f[0], f[1] - 1), *map(exactly, f[2:])] for n, f in filled if isinstance(f, tuple)}
        if prod(map(len, rooms.values())) > TRIED:
            yield Bounds(job.numel, sizes)  # nothing is known of what is loaded
        else:
            for way in itertools.product(*rooms.values()):
                yield Bounds(job.numel, sizes, found=dict(zip(rooms, way, strict=True)))

    for target, index in _addresses(job):
        type_, decides = tensors.get(target), index.expressions()
        if pointer in pointers(*decides):
            last = _last(type_, Bounds(job.numel, sizes)) if type_ else None
            if last is None or not all(_stays(bounds.index(index), last) for bounds in ways(*decides)):
                return False
    checks = [check.condition for check in job.checks if pointer in pointers(check.condition)]
    by = [right for _, right in divisions(job) if pointer in pointers(right)]
    return all(bounds.decided(condition) for condition in checks for bounds in ways(condition)) and not any(
        bounds.of(right).holds(0) for right in by for bounds in ways(right)
    )


def _narrow(
    job: Computation, tensors: Mapping[str, TensorType | None], sizes: Mapping[str, int], fills: dict[str, Fill]
) -> None:
    """Narrow what still leads outside: where an address holds `t + 45*(t // 3) - 49`, only trying tells which `t` do."""
    for pointer, index in _addresses(job):
        type_ = tensors.get(pointer)
        last = _last(type_, Bounds(job.numel, sizes)) if type_ else None
        for chosen in sorted(pointers(*index.expressions())):
            fill = fills.get(chosen)
            if last is None or not isinstance(fill, tuple):
                continue
            known = {p: Interval(f[0], f[1] - 1) for p, f in fills.items() if isinstance(f, tuple)}
            if _stays(Bounds(job.numel, sizes, known).index(index), last):
                break
            job_bounds = [Bounds(job.numel, sizes, known | {chosen: exactly(value)}) for value in range(TRIED)]
            valid = [value for value, bounds in enumerate(job_bounds) if _stays(bounds.index(index), last)]
            valid = [value for value in valid if fill[0] <= value < fill[1]] or valid
            if valid:
                first, end = _longest(valid)
                if end == TRIED:
                    leaves = partial(_leaves, job, sizes, known, chosen, index, last, first)
                    end += max(bisect_left(range(end, fill[1] + 1), True, key=leaves) - 1, 0)
                fills[chosen] = first, end


def _leaves(
    job: Computation,
    sizes: Mapping[str, int],
    known: Mapping[str, Interval],
    chosen: str,
    index: Index,
    last: int,
    first: int,
    end: int,
) -> bool:
    """Whether some value of `range(first, end)` may lead outside."""
    bounds = Bounds(job.numel, sizes, {**known, chosen: Interval(first, end - 1)})
    return not _stays(bounds.index(index), last)


FEW = 64
"""Numbers of a range that chance alone draws each."""
TRIED = 512
"""Values of a range that are tried."""


def _addresses(job: Computation) -> Iterator[tuple[str, Index]]:
    """Every address whose place the data decides."""
    roots = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
    found = [(access.pointer, access.index) for access in job.stores]
    found += [(n.pointer, n.index) for n in walk(*roots) if isinstance(n, Load) and n.index is not None]
    yield from ((pointer, index) for pointer, index in dict.fromkeys(found) if index.expressions())


def _loads(*roots: Expression) -> dict[int, Load]:
    """The loads that a value is made of, by identity; not those that only decide where another one reads."""
    found = {id(node): node for node in walk(*roots) if isinstance(node, Load)}
    deciding = {id(node) for load in found.values() for node in walk(*load.operands)}
    return {key: load for key, load in found.items() if key not in deciding}


def _repeated(index: Index) -> Load | None:
    """The only load of an address, where several terms hold it."""
    terms = [loads for e in index.expressions() if (loads := _loads(e))]
    found = {key: load for loads in terms for key, load in loads.items()}
    (load, *others) = found.values() or (None,)
    return load if load is not None and "int" in load.dtype and len(terms) > 1 and not others else None


def _last(type_: TensorType, bounds: Bounds) -> int | None:
    """The last address of a tensor."""
    total = 0
    for size, step in zip(type_.shape, type_.stride, strict=True):
        places, stride = bounds.number(size), bounds.number(step)
        if places is None or stride is None:
            return None
        total += max(places - 1, 0) * stride
    return total


def _stays(room: Interval, last: int) -> bool:
    return room.low >= 0 and room.high <= last


def _longest(values: Sequence[int]) -> tuple[int, int]:
    """The longest run of consecutive numbers, its end not included."""
    best, start, length = values[0], values[0], 1
    for before, value in itertools.pairwise(values):
        start = start if value == before + 1 else value
        if value - start + 1 > length:
            best, length = start, value - start + 1
    return best, best + length


def _dtype(pointer: str, dtypes: Mapping[str, str], tensors: Mapping[str, TensorType | None]) -> str:
    type_ = tensors.get(pointer)
    return dtypes[pointer] or (type_.dtype if type_ else "")


def bound_names(job: Computation, sizes: Mapping[str, int]) -> dict[str, int]:
    """The names of the body beside those of the launch."""
    known = dict(sizes)
    bounds = Bounds(job.numel, sizes)
    for name, text in job.sizes.items():
        value = bounds.number(text)
        if name not in known and value is not None:
            known[name] = value
    return known


def _fill(dtype: str, wanted: Interval | None, word: str | None) -> Fill:
    if dtype == "bool":
        return "bool"
    if not dtype.startswith(("int", "uint")):
        return word or "normal"
    if word == "sorted":
        return word
    most = _most(dtype)
    if wanted is None:
        return (1, most)
    low = 1 if word in {"positive", "count"} else 0
    first = ceil(max(wanted.low, low)) if wanted.high >= low else ceil(max(wanted.low, -most))
    last = floor(wanted.high) if wanted.high < inf else max(first, most)
    return (first, max(last, first) + 1)


class _Draw:
    """Constraints of one job, collected by pointer."""

    def __init__(
        self,
        job: Computation,
        tensors: Mapping[str, TensorType | None],
        bounds: Bounds,
        wanted: dict[str, Interval],
        words: dict[str, str],
    ) -> None:
        self.job, self.tensors, self.bounds = job, tensors, bounds
        self.wanted, self.words = wanted, words
        self.followed: set[tuple[int, float, float]] = set()
        self.told: set[tuple[int, str]] = set()

    def draw(self) -> None:
        for check in self.job.checks:
            self.holds(check.condition)
        stores = self.job.stores
        roots = [part for a in stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        for access in stores:
            self.address(access.pointer, access.index)
        for node in walk(*roots):
            match node:
                case Load(pointer=pointer, index=Index() as index):
                    self.address(pointer, index)
                case Operation(name="bucketize", inputs=(_, Load(pointer=pointer), *_)):
                    self.words[pointer] = "sorted"
                case Operation(name=name, inputs=inputs_) if name in TABLE and TABLE[name].domain:
                    domain = TABLE[name].domain
                    if domain == "divisor":
                        self.domain(inputs_[-1], "positive")
                    else:
                        self.domain(inputs_[0], WORDS[domain])
                case (
                    Reduction(name="welford" | "prod", inputs=(value, *parts))
                    | Scan(name="sum" | "prod", inputs=(value, *parts))
                ):
                    for part in parts:
                        self.domain(part, "count")
                    self.finite(value)
                case Operation(name="pow", inputs=(base, power)) if (number(power) or 0.5) % 1:
                    self.domain(base, "positive")
                case Random(inputs=(seed, *_)):
                    self.inside(seed, Interval(1, 2**31 - 1))
                    for bound in node.inputs[2:]:
                        self.inside(bound, Interval(0, MOST))

    # ---- addresses

    def address(self, pointer: str, index: Index) -> None:
        """Every whole number that decides an address stays inside the tensor."""
        type_ = self.tensors.get(pointer)
        if type_ is None or not any(pointers(e) for e in index.expressions()):
            return None
        if (load := _repeated(index)) is not None:
            return self.tried(load, type_, index)
        by_dimension: dict[int, list[tuple[int, object]]] = {}
        for term in index.terms:
            factor = self.bounds.factor(term.factor, term.sizes)
            # sizes are numbers here, in the strides too
            known = term if factor is None else replace(term, factor=factor, sizes=())
            at = dimension(known, type_, self.job.sizes)
            stride = self.bounds.number(type_.stride[at]) if at is not None else None
            if at is None or factor is None or not stride:
                return self.whole(type_, index)
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
                return self.whole(type_, index)
            for factor, of in loaded:
                assert isinstance(of, Expression)
                share = (room - 1 - (rest.high if rest.known else 0) - step) / len(loaded)
                start = (-(rest.low if rest.known else 0) - step) / len(loaded)
                ends = sorted((start / factor, share / factor))
                self.inside(of, Interval(ceil(ends[0]), floor(ends[1])))
        return None

    def tried(self, load: Load, type_: TensorType, index: Index) -> None:
        """One load in several terms, `t + 45*(t // 3) - 49`: they move together, so only trying tells which `t` stay inside."""
        last = _last(type_, self.bounds)
        if last is None:
            return
        checks = [check.condition for check in self.job.checks if load.pointer in pointers(check.condition)]
        inside, checked = [], []
        for value in (value for value in range(TRIED) if fits(value, load.dtype)):
            bounds = replace(self.bounds, found={id(load): exactly(value)})
            if _stays(bounds.index(index), last):
                inside.append(value)
                if all(map(bounds.decided, checks)):
                    checked.append(value)
        if valid := checked or inside:
            first, end = _longest(valid)
            self.inside(load, Interval(first, end - 1 if end < TRIED else inf))

    def starts(self, type_: TensorType, index: Index, walked: Sequence[int]) -> Sequence[int]:
        """The constant of an address as a place along each dimension: what is left of it beside the wider strides."""
        strides = tuple(self.bounds.number(step) or 0 for step in type_.stride)
        if index.constant > 0:
            return [int(start) for start in starts(index.constant, replace(type_, stride=strides))]
        alone = walked[0] if len(walked) == 1 else None
        return [index.constant // step if at == alone and step else 0 for at, step in enumerate(strides)]

    def whole(self, type_: TensorType, index: Index) -> None:
        """The flat address stays inside the memory of a tensor."""
        last = _last(type_, self.bounds)
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
                self.inside(term.of, Interval(ceil(ends[0]), floor(ends[1])))

    # ---- whole numbers

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
            case Reduction(name="max" | "min", inputs=(operand, *_)) | Scan(inputs=(operand, *_)):
                self.inside(operand, room)
            case Operation(name=name, inputs=parts):
                self.through(name, parts, room)

    def through(self, name: str, parts: tuple[Expression, ...], room: Interval) -> None:
        match name, parts:
            case "where", (_, one, other):
                self.inside(one, room)
                self.inside(other, room)
            case "add" | "sub", (left, right) if not _loads(left).keys() & _loads(right).keys():
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

    # ---- floats

    def finite(self, value: Expression) -> None:
        """Nothing that feeds it is infinite."""
        for node in walk(value):
            if isinstance(node, Load):
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
            case Reduction(name="sum" | "max" | "min" | "prod", inputs=(operand, *_)) | Scan(inputs=(operand, *_)) if (
                word in {"positive", "count"}
            ):
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
            case Operation(name="where", inputs=(_, one, other)):
                self.domain(one, word)
                self.domain(other, word)


def _clean(room: Interval) -> Interval:
    return room if room.low <= room.high else Interval(room.low, room.low)


def _floor(end: float) -> float:
    return end if end in (inf, -inf) else floor(end)
