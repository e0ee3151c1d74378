"""A kernel of fixed sizes as one for any sizes: each number of its text is read back as the product of sizes that it was.

    x0 = xindex % 75, in_ptr0 + (x0 + 75*x1) of f32[40, 75]      x0 = xindex % s1, in_ptr0 + (x0 + s1*x1) of f32[s0, s1]

Every axis is cut into digits where a coordinate or a dimension of a tensor begins. A digit is a symbol; a dimension is the product of the
digits that walk along it; digits that walk along the same dimension are the same. A stride is the product of the dimensions within. What
this does not tell is refused: a number that may be a size by chance, a place in a tensor that is neither its start nor all of it.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Assert, Axis, Check, Define, Loop
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
    walk,
)
from inductor_lab.computation.tree import Named as NamedValue
from inductor_lab.eject import naming
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.tensors import Tensor
from inductor_lab.errors import LabError
from inductor_lab.records import TensorType

FRAMED = {"pointwise", "reduction", "persistent_reduction"}
NEUTRAL: dict[str, float] = {"sum": 0.0, "max": -math.inf, "min": math.inf, "prod": 1.0}
"""What a fold of floats leaves as it is."""
LARGE = 8
"""From this size on a constant may be more than the size, its root or one over it: its double, a multiple."""
SYMBOLS = 9
"""Products of more sizes than this are too many to compare each constant with."""
GELU = {0.5, 0.7071067811865476}
"""Its own numbers; they are no sizes beside its erf or tanh."""
FEW = 4
"""A sum of fewer elements may be scaled by as many for another reason."""
PRIMES = (5, 7, 3, 11, 13, 17, 19, 23, 29)


def generalize(plan: Plan) -> Plan:
    """The plan of the same kernel for any sizes; `generated` is the one of its own.

    Raises:
        LabError: the text does not determine what a number in it is.
    """
    try:
        return _Sizes(plan).plan()
    except _UndeterminedError as reason:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: {reason}") from reason


class _UndeterminedError(Exception):
    """What the text does not tell."""


@dataclass(frozen=True)
class _Digit:
    """A part of an axis, `(axis // stride) % size`, or a dimension that only the data walks along."""

    axis: str
    stride: int
    size: int


@dataclass(frozen=True)
class _Place:
    """A dimension of a tensor that has more than one element."""

    number: int
    size: int
    stride: int


class _Sizes:
    """What the sizes of one kernel are."""

    def __init__(self, given: Plan) -> None:
        self.given = given
        self.found = given.found
        self.eligible()
        self.places = {name: _places(tensor) for name, tensor in given.tensors.items()}
        self.digits = self.cut()
        self.same: dict[_Digit, _Digit] = {}
        self.walked: dict[tuple[str, int], tuple[_Digit, ...]] = {}
        """A tensor's dimension -> the digits that walk along it, the fastest first."""
        self.gathers: list[tuple[Access, Expression, _Digit]] = []
        self.read_dimensions()
        self.names = dict(self.named())
        self.replaced: dict[tuple[int, int], Expression] = {}
        """(id of a node, number of an operand) -> a size that stands there instead of a number."""
        self.means: dict[int, Expression] = {}
        """id of a product by one over a length -> what is divided by the length instead."""
        self.kept: dict[int, Any] = {}
        """id of a node -> the new one."""
        self.holding: list[Any] = []
        """Nodes that `kept` tells by id."""
        self.whole: dict[str, bool] = {}
        self.read_constants()

    # ------------------------------------------------------------ what is not even tried

    def eligible(self) -> None:
        plan, found = self.given, self.found
        if plan.bindings or plan.environment:
            raise _UndeterminedError("its sizes are symbolic already")
        if plan.kernel.category not in FRAMED:
            raise _UndeterminedError(f"a {plan.kernel.category.replace('_', ' ')} kernel fixes more than its sizes")
        if found.parts or plan.workspaces:
            raise _UndeterminedError("it does several jobs" if found.parts else "its programs share a workspace")
        if found.schedule.opaque or found.unknown or found.branches:
            raise _UndeterminedError(found.schedule.opaque or "its tree does not tell all that it does")
        for axis, numel in found.numel.items():
            if not isinstance(numel, int) or found.schedule.axis(axis) is None:
                raise _UndeterminedError(f"the extent of {axis} is no number")
        others = [name for name in plan.scalars if not name.endswith("numel")]
        if others:
            raise _UndeterminedError(f"its launch passes {others[0]}")
        for node in self.every():
            if isinstance(node, Unknown) and not isinstance(node, NamedValue):
                raise _UndeterminedError(f"`{node.text[:40]}` is not understood")
            for part in below(node):
                if isinstance(part, Size) and not part.name.endswith(("numel", "offset")):
                    raise _UndeterminedError(f"it computes with {part.name}")
            if isinstance(node, (Scan, Random)):
                raise _UndeterminedError("a scan" if isinstance(node, Scan) else "random numbers")
            if isinstance(node, Load) and node.index is None:
                raise _UndeterminedError("an address is no sum")
        for access in found.accesses:
            if access.pointer not in plan.tensors:
                raise _UndeterminedError(f"{access.pointer} is no tensor of the launch")

    def roots(self) -> Iterator[Expression]:
        """Every value that has a name or is used."""
        yield from self.used()
        for step in self.found.schedule.every():
            if isinstance(step, Define):
                yield from step.values

    def used(self) -> Iterator[Expression]:
        for access in self.found.accesses:
            yield from access.index.expressions()
            yield from (part for part in (access.mask, access.value) if part is not None)
        for step in self.found.schedule.every():
            match step:
                case Loop(carries=carries):
                    for carry in carries:
                        yield from (carry.start, carry.before, carry.end, carry.after)
                case Assert(check=check):
                    yield check.condition

    def every(self) -> Iterator[Expression]:
        """Every node, those of positions and calls too."""
        seen: set[int] = set()
        waiting = list(self.roots())
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting += below(node)

    # ------------------------------------------------------------ digits

    def coordinates(self) -> set[Coordinate]:
        found = set(self.found.coordinates.values())
        for index in self.indices():
            found |= {term.of for term in index.terms if isinstance(term.of, Coordinate)}
        return found

    def indices(self) -> Iterator[Index]:
        yield from (access.index for access in self.found.accesses)
        for node in self.every():
            index = getattr(node, "index", None)
            if isinstance(index, Index):
                yield index

    def cut(self) -> dict[str, tuple[_Digit, ...]]:
        """Every axis in digits, the fastest first."""
        whole = {axis: size for axis, size in self.found.numel.items() if isinstance(size, int)}
        cuts = {axis: {1, size} for axis, size in whole.items()}
        for coordinate in self.coordinates():
            start, end = self.span(coordinate)
            cuts[coordinate.axis] |= {start, end}
        points = {
            name: {place.stride for place in places} | {place.stride * place.size for place in places}
            for name, places in self.places.items()
        }
        while True:
            before = sum(map(len, cuts.values())) + sum(map(len, points.values()))
            for access in self.found.accesses:
                for term in access.index.terms:
                    if isinstance(term.of, Coordinate) and term.factor > 0:
                        start, end = self.span(term.of)
                        inner = {cut for cut in cuts[term.of.axis] if start < cut < end and not cut % start}
                        points[access.pointer] |= {term.factor * (cut // start) for cut in inner}
                        for point in points[access.pointer]:
                            by = start * point // term.factor
                            if not point % term.factor and start < by < end and not end % by:
                                cuts[term.of.axis].add(by)
            if before == sum(map(len, cuts.values())) + sum(map(len, points.values())):
                break
        return {axis: tuple(self.nested(axis, sorted(found))) for axis, found in cuts.items()}

    def nested(self, axis: str, cuts: list[int]) -> Iterator[_Digit]:
        for low, high in itertools.pairwise(cuts):
            if high % low:
                raise _UndeterminedError(
                    f"{axis} is cut at {low} and at {high}, and neither divides the other: two readings of one axis"
                )
            yield _Digit(axis, low, high // low)

    def span(self, coordinate: Coordinate) -> tuple[int, int]:
        """Where a coordinate begins and ends on its axis."""
        whole = self.found.numel.get(coordinate.axis)
        if not isinstance(coordinate.stride, int) or isinstance(coordinate.size, str) or not isinstance(whole, int):
            raise _UndeterminedError("a coordinate is symbolic already")
        end = coordinate.stride * coordinate.size if coordinate.size is not None else whole
        if whole > 1 and (end > whole or coordinate.stride >= whole):
            raise _UndeterminedError(f"a coordinate of {coordinate.axis} reaches past its {whole} positions")
        return (coordinate.stride, end) if whole > 1 else (1, 1)

    def of(self, coordinate: Coordinate) -> list[_Digit]:
        start, end = self.span(coordinate)
        return [digit for digit in self.digits[coordinate.axis] if start <= digit.stride < end]

    # ------------------------------------------------------------ dimensions

    def read_dimensions(self) -> None:
        gathered: dict[tuple[str, int], _Digit] = {}
        still: list[tuple[str, _Place]] = []
        for access in self.found.accesses:
            if access.mask is not None and not masks(access.mask):
                raise _UndeterminedError(f"line {access.line} is masked by more than the ends of its axes")
            along = self.along(access)
            for place in self.places[access.pointer]:
                key = access.pointer, place.number
                walkers = along.get(place.number, [])
                if walkers and isinstance(walkers[0][1], Expression):
                    free = gathered.setdefault(key, _Digit(access.pointer, place.stride, place.size))
                    self.gathers.append((access, walkers[0][1], free))
                elif walkers:
                    self.read(access, place, [(step, walker) for step, walker in walkers if isinstance(walker, _Digit)])
                else:
                    still.append((access.pointer, place))
        for key, free in gathered.items():
            known = self.walked.setdefault(key, (free,))
            if len(known) == 1:
                self.unify(free, known[0])
            elif known != (free,):
                raise _UndeterminedError(f"{self.dimension(*key)} is both gathered and walked along by several digits")
        for pointer, place in still:
            if (pointer, place.number) not in self.walked:
                raise _UndeterminedError(f"nothing walks along {self.dimension(pointer, place.number)}")
        for name, places in self.places.items():
            for place in places:
                if (name, place.number) not in self.walked:
                    raise _UndeterminedError(f"nothing walks along {self.dimension(name, place.number)}")

    def dimension(self, pointer: str, number: int) -> str:
        tensor = self.given.tensors[pointer]
        return f"dimension {number} of {tensor.name}, {tensor.type.shape[number]}"

    def along(self, access: Access) -> dict[int, list[tuple[int, _Digit | Expression]]]:
        """Dimension -> (elements of it a step, what walks), as the address of an access tells it."""
        name = self.given.tensors[access.pointer].name
        if access.index.constant:
            raise _UndeterminedError(f"line {access.line} begins {access.index.constant} elements into {name}")
        found: dict[int, list[tuple[int, _Digit | Expression]]] = {}
        seen: set[_Digit] = set()
        for term in access.index.terms:
            if term.of is None or term.sizes or term.factor < 0:
                raise _UndeterminedError(f"line {access.line} goes backwards or by a size of its own")
            if isinstance(term.of, Expression):
                place = next((place for place in self.places[access.pointer] if place.stride == term.factor), None)
                if place is None or place.number in found:
                    raise _UndeterminedError(
                        f"line {access.line} takes {name} at {term.factor} times what the data says: no stride of it"
                    )
                found[place.number] = [(1, term.of)]
                continue
            start, _ = self.span(term.of)
            for digit in self.of(term.of):
                step = term.factor * (digit.stride // start)
                place = next((p for p in self.places[access.pointer] if p.stride <= step < p.stride * p.size), None)
                if place is None or step % place.stride or digit in seen:
                    raise _UndeterminedError(
                        f"line {access.line} steps {step} elements through {name}: no stride of it"
                    )
                seen.add(digit)
                found.setdefault(place.number, []).append((step // place.stride, digit))
        if any(len(walkers) > 1 and any(isinstance(w, Expression) for _, w in walkers) for walkers in found.values()):
            raise _UndeterminedError(f"line {access.line} gathers and walks along one dimension of {name}")
        return found

    def read(self, access: Access, place: _Place, walkers: list[tuple[int, _Digit]]) -> None:
        """One reading of a dimension; another one must say the same."""
        at = 1
        walkers.sort(key=lambda walker: walker[0])
        for step, digit in walkers:
            if step != at:
                raise _UndeterminedError(
                    f"line {access.line} walks along {self.dimension(access.pointer, place.number)}, in steps of {step}"
                )
            at *= digit.size
        if at != place.size:
            raise _UndeterminedError(
                f"line {access.line} walks along {at} elements of {self.dimension(access.pointer, place.number)}"
            )
        digits = tuple(digit for _, digit in walkers)
        known = self.walked.setdefault((access.pointer, place.number), digits)
        if [digit.size for digit in known] != [digit.size for digit in digits]:
            raise _UndeterminedError(f"two readings of {self.dimension(access.pointer, place.number)}")
        for one, other in zip(known, digits, strict=True):
            self.unify(one, other)

    def root(self, digit: _Digit) -> _Digit:
        while digit in self.same:
            digit = self.same[digit]
        return digit

    def unify(self, one: _Digit, other: _Digit) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self.same[other] = one

    # ------------------------------------------------------------ symbols

    def named(self) -> Iterator[tuple[_Digit, str]]:
        taken = {tensor.name for tensor in self.given.tensors.values()} | {self.given.name} | naming.RESERVED
        fresh = (name for name in map("s{}".format, itertools.count()) if name not in taken)
        seen: set[_Digit] = set()
        for name, places in self.places.items():
            for place in sorted(places, key=lambda place: place.number):
                for digit in reversed(self.walked[name, place.number]):
                    root = self.root(digit)
                    if root not in seen:
                        seen.add(root)
                        yield root, next(fresh)
        for digits in self.digits.values():
            for digit in digits:
                if self.root(digit) not in seen:
                    raise _UndeterminedError(
                        f"no tensor tells the size of the {digit.size} positions along {digit.axis}"
                    )
        if not seen:
            raise _UndeterminedError("it has no size that could change")

    def symbols(self, digits: Iterable[_Digit]) -> tuple[str, ...]:
        return tuple(sorted(self.names[self.root(digit)] for digit in digits))

    def below(self, digit: _Digit) -> list[_Digit]:
        return [other for other in self.digits[digit.axis] if other.stride < digit.stride]

    def coordinate(self, coordinate: Coordinate) -> Coordinate:
        start, end = self.span(coordinate)
        whole = self.found.numel[coordinate.axis]
        below = [digit for digit in self.digits[coordinate.axis] if digit.stride < start]
        size = None if end == whole else _product(self.symbols(self.of(coordinate)))
        return Coordinate(coordinate.axis, _product(self.symbols(below)) if below else 1, size)

    def stride(self, pointer: str, place: _Place) -> tuple[str, ...]:
        """What a tensor's dimension steps by: all that lies within."""
        inner = [other for other in self.places[pointer] if other.stride < place.stride]
        return self.symbols(digit for other in inner for digit in self.walked[pointer, other.number])

    def address(self, index: Index, pointer: str) -> Index:
        terms = []
        for term in index.terms:
            if isinstance(term.of, Expression):
                place = next(place for place in self.places[pointer] if place.stride == term.factor)
                terms.append(Term(1, self.new(term.of), self.stride(pointer, place)))
            elif isinstance(term.of, Coordinate):
                steps = [(digit, self.step(digit, term, pointer)) for digit in self.of(term.of)]
                if steps:
                    terms.append(Term(1, self.coordinate(term.of), self.common(term.of, steps)))
        return Index(0, tuple(terms))

    def step(self, digit: _Digit, term: Term, pointer: str) -> tuple[str, ...]:
        assert isinstance(term.of, Coordinate)
        start, _ = self.span(term.of)
        step = term.factor * (digit.stride // start)
        place = next(place for place in self.places[pointer] if place.stride <= step < place.stride * place.size)
        at, inner = place.stride, list[_Digit]()
        for walker in self.walked[pointer, place.number]:
            if at < step:
                inner.append(walker)
                at *= walker.size
        return tuple(sorted((*self.stride(pointer, place), *self.symbols(inner))))

    def common(self, coordinate: Coordinate, steps: list[tuple[_Digit, tuple[str, ...]]]) -> tuple[str, ...]:
        """The one factor of a coordinate of several digits."""
        _, first = steps[0]
        passed: list[_Digit] = []
        for digit, step in steps:
            if tuple(sorted((*first, *self.symbols(passed)))) != step:
                raise _UndeterminedError(f"a coordinate of {coordinate.axis} has two steps at other sizes")
            passed.append(digit)
        return first

    def position(self, index: Index) -> Index:
        """A position that is a value: flat numbers of several digits, as if in a tensor of their sizes."""
        if index.constant or any(not isinstance(term.of, Coordinate) or term.sizes for term in index.terms):
            raise _UndeterminedError("it computes with positions and numbers")
        walkers = sorted((term.factor, term) for term in index.terms)
        at, terms = 1, list[Term]()
        inner: list[_Digit] = []
        for factor, term in walkers:
            assert isinstance(term.of, Coordinate)
            if factor != at:
                raise _UndeterminedError(f"it computes with {factor} times a position")
            terms.append(Term(1, self.coordinate(term.of), self.symbols(inner)))
            inner += self.of(term.of)
            at *= prod(digit.size for digit in self.of(term.of))
        return Index(0, tuple(reversed(terms)))

    # ------------------------------------------------------------ constants

    def read_constants(self) -> None:
        self.read_gathers()
        self.read_means()
        self.read_backward_norms()
        seen: set[int] = set()
        waiting = list(self.used())
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, Constant):
                self.harmless(node)
            waiting += [part for n, part in enumerate(below(node)) if (id(node), n) not in self.replaced]
            if isinstance(node, Operation):
                self.beside_a_position(node)

    def beside_a_position(self, node: Operation) -> None:
        operands = node.inputs[1:] if node.name == "where" else node.inputs
        numbers = [
            part
            for part in operands
            if (found := _number(part)) is not None and found.value != 0 and not isinstance(found.value, bool)
        ]
        if numbers and any(_positional(part) for part in operands):
            raise _UndeterminedError(
                f"a position is held against {_shown(_number(numbers[0]))}: part of a concatenation?"
            )

    def size(self, digits: Iterable[_Digit]) -> Expression:
        symbols = self.symbols(digits)
        if len(symbols) == 1:
            return Size("int32", frozenset(), symbols[0])
        return Position("int32", frozenset(), Index(0, (Term(1, None, symbols),)))

    def read_gathers(self) -> None:
        """The bounds of what chooses a place: a negative one counts from the end, and neither may leave its dimension."""
        for access, chosen, free in self.gathers:
            size = self.size([free])
            for node in _arithmetic(chosen):
                for n, part in enumerate(node.operands):
                    number = _number(part)
                    if number is None or isinstance(number.value, bool):
                        continue
                    if number.value == free.size and isinstance(node, Operation) and node.name == "add":
                        self.put(node, n, size)
                    elif number.value != 0:
                        raise _UndeterminedError(f"line {access.line} computes a place with {_shown(number)}")
        chosen_by = {id(part): free for _, value, free in self.gathers for part in _arithmetic(value) | {value}}
        for check in self.found.checks:
            for node in _arithmetic(check.condition):
                if not isinstance(node, Operation):
                    continue
                for n, part in enumerate(node.inputs):
                    number = _number(part)
                    if (
                        number is None
                        or isinstance(number.value, bool)
                        or number.value == 0
                        or (id(node), n) in self.replaced
                    ):
                        continue
                    bounded = chosen_by.get(id(node.inputs[1 - n])) if len(node.inputs) == 2 else None
                    if bounded is None or number.value != bounded.size or node.name not in {"lt", "gt"}:
                        raise _UndeterminedError(f"line {check.line} checks against {_shown(number)}")
                    self.put(node, n, self.size([bounded]))

    def put(self, node: Expression, number: int, size: Expression) -> None:
        before = self.replaced.setdefault((id(node), number), size)
        if _told(before) != _told(size):
            raise _UndeterminedError(f"one number is both {_told(before)} and {_told(size)}")

    def read_means(self) -> None:
        """A sum over its own length, or times one over it: the number follows the size."""
        for node in self.every():
            match node:
                case Operation(name="div" | "mul" as name, inputs=(left, right)):
                    for n, (fold, by) in enumerate(((right, left), (left, right))):
                        number, reduced = _number(by), _folded(fold)
                        if number is None or reduced is None or (name == "div" and n == 0):
                            continue
                        digits = [digit for axis in sorted(reduced.over) for digit in self.digits.get(axis, ())]
                        length, value = prod(digit.size for digit in digits), float(number.value)
                        if length == 1 or value == 0:
                            continue
                        if length < FEW:
                            raise _UndeterminedError(
                                f"a fold of {length} elements is scaled by {_shown(number)}: a mean?"
                            )
                        if name == "div" and value == length:
                            self.put(node, n, self.size(digits))
                        elif name == "mul" and abs(value * length - 1) < 1e-6 and value <= 0.5:
                            self.put(node, n, self.size(digits))
                            self.means[id(node)] = fold
                        elif _whole(value) or _whole(1 / value):
                            raise _UndeterminedError(
                                f"a fold of {length} elements is scaled by {_shown(number)}, which is not its length"
                            )

    def read_backward_norms(self) -> None:
        """`n * gradient - its sum`, and one over n before it: a normalization's backward pass."""
        lengths: dict[int, tuple[_Digit, ...]] = {}
        for node in self.every():
            match node:
                case Operation(name="sub", inputs=(Operation(name="mul", inputs=(left, right)) as product, taken)):
                    reduced = _folded(taken)
                    if reduced is None:
                        continue
                    digits = tuple(digit for axis in sorted(reduced.over) for digit in self.digits.get(axis, ()))
                    length = prod(digit.size for digit in digits)
                    for n, part in enumerate((left, right)):
                        number = _number(part)
                        if number is not None and number.value == length >= LARGE:
                            self.put(product, n, self.size(digits))
                            lengths[length] = digits
        for node in self.every():
            match node:
                case Operation(name="mul", inputs=(left, right)) if id(node) not in self.means:
                    for n, (other, by) in enumerate(((right, left), (left, right))):
                        number = _number(by)
                        length = round(1 / number.value) if number is not None and 0 < number.value < 1 else 0
                        if number is not None and length in lengths and abs(number.value * length - 1) < 1e-6:
                            self.put(node, n, self.size(lengths[length]))
                            self.means[id(node)] = other

    def harmless(self, constant: Constant) -> None:
        """Refuse a number that may be a size."""
        value = abs(float(constant.value))
        if isinstance(constant.value, bool) or value in (0.0, 1.0) or not math.isfinite(value) or value > 1e15:
            return
        whole = tuple(self.names)
        if len(whole) > SYMBOLS:
            raise _UndeterminedError(
                f"it has {len(whole)} sizes: too many to tell whether {_shown(constant)} is one of them"
            )
        sizes = {
            prod(root.size for root in chosen)
            for count in range(1, len(whole) + 1)
            for chosen in itertools.combinations(whole, count)
        } | {size for size in self.found.numel.values() if isinstance(size, int)}
        for size in sorted(sizes - {1}):
            forms = {float(size), 1 / size}
            if size > 2:
                forms |= {size**0.5, size**-0.5}
            if size >= LARGE:
                forms |= {size - 1.0, 1 / (size - 1), 2.0 * size, 2 / size, size / 2, size**2.0, size**-2.0}
            near_one = (
                size > 2 and 0.0 < abs(value - 1) < 0.6
            )  # n / (n - 1), as of an unbiased variance, and (n - 1) / n
            unbiased = near_one and any(
                math.isclose(abs(value - 1), form, rel_tol=0.01) for form in (1 / size, 1 / (size - 1))
            )
            if unbiased or any(math.isclose(value, form, rel_tol=1e-6) for form in forms):
                if value in GELU and self.is_gelu():
                    continue
                raise _UndeterminedError(f"the number {_shown(constant)} may come from a size, {size}")
            multiples = size >= 4 * LARGE and not _epsilon(value)
            if multiples and any(_whole(form) and round(form) % size == 0 for form in (value, 1 / value)):
                raise _UndeterminedError(f"the number {_shown(constant)} may come from a size, {size}")

    def is_gelu(self) -> bool:
        """Whether its halves are those of the gelu."""
        return any(isinstance(node, Operation) and node.name in {"erf", "tanh"} for node in self.every())

    # ------------------------------------------------------------ the new tree

    def new(self, thing: Any) -> Any:
        """A part of the computation with symbols in it; the same one for the same part."""
        if isinstance(thing, (str, int, float, type(None), frozenset)):
            return thing
        if isinstance(thing, Coordinate):
            return self.coordinate(thing)
        if isinstance(thing, tuple):
            return tuple(self.new(part) for part in thing)
        if isinstance(thing, Mapping):
            return {key: self.new(value) for key, value in thing.items()}
        if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
            return thing
        if id(thing) not in self.kept:
            self.holding.append(thing)
            self.kept[id(thing)] = self.made(thing)
        return self.kept[id(thing)]

    def made(self, thing: Any) -> Any:
        own: dict[str, Any] = {}
        match thing:
            case Load(pointer=pointer, index=Index() as index) | Access(pointer=pointer, index=index):
                own["index"] = self.address(index, pointer)
            case Position(index=index):
                own["index"] = self.position(index)
            case Operation(inputs=(left, _)) if id(thing) in self.means:
                fold = self.means[id(thing)]
                own["name"], own["inputs"] = "div", (self.new(fold), self.replaced[id(thing), 1 if fold is left else 0])
            case Check(message=message):
                own["message"] = self.bounded(message)
            case Operation(inputs=inputs):
                own["inputs"] = tuple(
                    self.replaced.get((id(thing), n), None) or self.new(part) for n, part in enumerate(inputs)
                )
            case Axis(name=name):
                return replace(thing, numel=self.extent(name), grows=self.grows(thing))
        fields = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}
        made = replace(thing, **{name: own[name] if name in own else self.new(value) for name, value in fields.items()})
        if isinstance(made, Reduction) and made.call is not None:
            lost = [
                axis
                for axis in self.found.schedule.axes
                if axis.name in made.over and self.grows(axis) and not axis.masked
            ]
            for axis in lost:
                made = replace(made, call=self.guarded(made, made.call, axis))
        return made

    def bounded(self, message: str) -> str:
        """What a check says, with the names of sizes in it."""
        for _, _, free in self.gathers:
            message = re.sub(rf"< {free.size}\b", f"< {self.names[self.root(free)]}", message)
        return message

    def grows(self, axis: Axis) -> bool:
        """Whether one block holds all of an axis, and must go on doing so."""
        return axis.reduced and not axis.looped and axis.fixed is not None and axis.numel != 1

    def guarded(self, fold: Reduction, call: Call, axis: Axis) -> Call:
        """A fold of a block that now reaches past the end: what lies there must not count."""
        neutral = NEUTRAL.get(fold.name)
        if neutral is None or call.result is not None or fold.part:
            raise _UndeterminedError(f"a {fold.name} over a block that has no mask")
        arguments: list[Expression | str] = []
        for argument in call.arguments:
            if isinstance(argument, Expression):
                if "float" not in argument.dtype and fold.name != "sum":
                    raise _UndeterminedError(f"a {fold.name} of whole numbers over a block that has no mask")
                value: float = neutral if "float" in argument.dtype else int(neutral)
                inside = Inside("bool", frozenset({axis.name}), axis.name)
                filler = Constant(argument.dtype, frozenset(), value)
                argument = Operation(
                    argument.dtype, argument.axes | {axis.name}, "where", (inside, argument, filler), "tl.where"
                )
            arguments.append(argument)
        return replace(call, arguments=tuple(arguments))

    def extent(self, axis: str) -> int | str:
        digits = self.digits[axis]
        return _product(self.symbols(digits)) if digits else 1

    # ------------------------------------------------------------ the new plan

    def plan(self) -> Plan:
        plan, found = self.given, self.found
        symbols = {name: name for name in self.names.values()}
        computation = Computation(
            {axis: self.extent(axis) for axis in found.numel}, symbols, self.new(found.accesses), self.new(found.lines),
            self.new(found.names), self.new(found.coordinates), found.work, self.new(found.checks), found.branches, found.unknown,
            found.statements, (), {}, self.new(found.schedule),
        )  # fmt: skip
        tensors = {
            name: replace(tensor, symbolic=self.type(tensor), fill=self.fill(tensor))
            for name, tensor in plan.tensors.items()
        }
        environment = {name: root.size for root, name in self.names.items()}
        numels = {f"{axis}numel": str(self.extent(axis)) for axis in found.numel}
        return replace(
            plan, found=computation, tensors=tensors, scalars=numels | symbols, environment=environment, bindings=dict(self.bindings(tensors)),
            dropped=frozenset(), generated=plan,
        )  # fmt: skip

    def type(self, tensor: Tensor) -> TensorType | None:
        places = {place.number: place for place in self.places[tensor.parameter]}
        if not places:
            return None
        shape = tuple(
            _product(self.symbols(self.walked[tensor.parameter, n])) if n in places else size
            for n, size in enumerate(tensor.type.shape)
        )
        strides: list[int | str] = []
        for n, step in enumerate(tensor.type.stride):
            if n in places:
                strides.append(_product(self.stride(tensor.parameter, places[n])) or 1)
                continue
            whole = next((p for p in places.values() if p.stride * p.size == step), None)
            strides.append(
                _product(
                    (*self.stride(tensor.parameter, whole), *self.symbols(self.walked[tensor.parameter, whole.number]))
                )
                if whole is not None
                else 1
            )
        return TensorType(tensor.type.dtype, shape, tuple(strides))

    def fill(self, tensor: Tensor) -> Any:
        """The range of what chooses a place follows the dimension."""
        if not isinstance(tensor.fill, tuple):
            return tensor.fill
        for _, chosen, free in self.gathers:
            if any(isinstance(node, Load) and node.pointer == tensor.parameter for node in walk(chosen)):
                low, high = tensor.fill
                symbol = self.names[self.root(free)]
                if high != free.size or low not in (0, -free.size):
                    raise _UndeterminedError(f"{tensor.name} holds {low} to {high}, and chooses from {free.size}")
                return (f"-{symbol}" if low else 0, symbol)
        return tensor.fill

    def bindings(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
        """Where each symbol is found, in what is read if it can be: as a dimension, else as a part of one."""
        ordered = sorted(tensors.values(), key=lambda tensor: tensor.role == "out")
        known: dict[str, str] = {}
        for _ in range(len(self.names) + 1):
            for tensor in ordered:
                for place in sorted(self.places[tensor.parameter], key=lambda place: place.number):
                    symbols = self.symbols(self.walked[tensor.parameter, place.number])
                    unknown = [symbol for symbol in symbols if symbol not in known]
                    if len(unknown) != 1:
                        continue
                    rest = [known[symbol] for symbol in symbols if symbol in known]
                    text = f"{tensor.name}.shape[{place.number}]"
                    if rest:
                        text = f"{text} // {rest[0] if len(rest) == 1 and '//' not in rest[0] else '(' + ' * '.join(map(_grouped, rest)) + ')'}"
                    known[unknown[0]] = text
        lost = [name for name in self.names.values() if name not in known]
        if lost:
            size = next(root.size for root, name in self.names.items() if name == lost[0])
            raise _UndeterminedError(f"the shapes do not tell how {size} is a part of their products")
        yield from ((name, known[name]) for name in self.names.values())


def others(plan: Plan) -> list[dict[str, int]]:
    """Sizes to check a generalized kernel on: small odd ones that all differ, about half, and one more of each."""
    captured = dict(plan.environment)
    small = {name: PRIMES[n % len(PRIMES)] for n, name in enumerate(captured)}
    half = {name: max(size // 2 | 1, 3) for name, size in captured.items()}
    more = {name: size + 1 for name, size in captured.items()}
    one = {name: 1 if n == 0 else size for n, (name, size) in enumerate(small.items())}
    return [sizes for sizes in (small, half, more, one) if sizes != captured]


def fits(plan: Plan) -> list[str]:
    """What a launch of any sizes asks of its tensors: shapes that belong together, no gaps, positions that int32 can hold."""
    lines = []
    for tensor in plan.tensors.values():
        type_ = tensor.symbolic or tensor.type
        if type_.shape:
            lines.append(f"assert {tensor.name}.shape == {_tuple(type_.shape)}{_steps(tensor.name, type_)}")
    if any(axis.dtype == "int32" for axis in plan.found.schedule.axes):
        names = _tuple(tensor.name for tensor in plan.tensors.values())
        lines.append(f"assert max(x.numel() for x in {names}) < 2**31")
    return lines


def fits_generated(plan: Plan) -> list[str]:
    """The same for the generated kernel: the captured sizes alone."""
    return [
        f"assert {tensor.name}.shape == {_tuple(tensor.type.shape)}"
        for tensor in plan.tensors.values()
        if tensor.type.shape
    ]


def _steps(name: str, type_: TensorType) -> str:
    moving = [n for n, size in enumerate(type_.shape) if size != 1]
    if len(moving) == len(type_.shape):
        return f" and {name}.stride() == {_tuple(type_.stride)}"
    return "".join(f" and {name}.stride({n}) == {type_.stride[n]}" for n in moving)


def _tuple(parts: Iterable[object]) -> str:
    told = [str(part) for part in parts]
    return f"({', '.join(told)}{',' if len(told) == 1 else ''})"


def _places(tensor: Tensor) -> tuple[_Place, ...]:
    """The dimensions of more than one element, the fastest first; they must leave no gap."""
    places = [
        _Place(n, size, step)
        for n, (size, step) in enumerate(zip(tensor.type.shape, tensor.type.stride, strict=True))
        if isinstance(size, int) and isinstance(step, int) and size != 1
    ]
    places.sort(key=lambda place: place.stride)
    expected = 1
    for place in places:
        if place.stride != expected or not place.size:
            raise _UndeterminedError(
                f"{tensor.name} lies in memory with strides {list(tensor.type.stride)}: a view of something larger, or repeated"
            )
        expected *= place.size
    return tuple(places)


def below(node: Expression) -> list[Expression]:
    """What a node is made of: its operands, then what its call and its position name."""
    parts = list(node.operands)
    if isinstance(node, Position):
        parts += node.index.expressions()
    call = getattr(node, "call", None)
    if isinstance(call, Call):
        parts += call.values
    if isinstance(node, Carried):
        parts.append(node.start)
    return parts


def _arithmetic(value: Expression) -> set[Expression]:
    """A value and what it is computed from, down to what is loaded or folded."""
    found: set[Expression] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node in found or isinstance(node, (Load, Reduction, Partial, Carried)):
            continue
        found.add(node)
        waiting += below(node)
    return found


def _positional(value: Expression) -> bool:
    """Whether a value is made of positions; a choice by one, and what comes of a comparison, are none."""
    waiting, seen = [value], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Position):
            return True
        if node in seen or node.dtype == "bool" or isinstance(node, (Load, Reduction, Partial, Carried)):
            continue
        seen.add(node)
        waiting += node.operands[1:] if isinstance(node, Operation) and node.name == "where" else node.operands
    return False


def _number(value: Expression) -> Constant | None:
    """The number that a value is, in whatever dtype."""
    while isinstance(value, (Cast, Broadcast)):
        value = value.operand
    return value if isinstance(value, Constant) else None


def _folded(value: Expression) -> Reduction | None:
    while isinstance(value, (Cast, Broadcast)):
        value = value.operand
    return value if isinstance(value, Reduction) and (value.name == "sum" or value.part == "m2") else None


def _whole(value: float) -> bool:
    return value >= 1.5 and math.isclose(value, round(value), rel_tol=1e-6)


def _epsilon(value: float) -> bool:
    """Whether a number is a power of ten, as no size is."""
    return value < 1e-3 and math.isclose(value, 10.0 ** round(math.log10(value)), rel_tol=1e-9)


def _told(value: Expression) -> str:
    match value:
        case Size(name=name):
            return name
        case Position(index=Index(terms=(Term(sizes=sizes),))):
            return _product(sizes)
        case Operation(inputs=inputs):
            return " / ".join(_told(part) for part in inputs)
    return str(getattr(value, "value", ""))


def _shown(constant: Constant | None) -> str:
    return (
        f"{constant.value:g}"
        if constant is not None and isinstance(constant.value, float)
        else str(getattr(constant, "value", ""))
    )


def _product(symbols: Iterable[str]) -> str:
    return " * ".join(symbols)


def _grouped(text: str) -> str:
    return f"({text})" if "//" in text else text
