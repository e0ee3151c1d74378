"""Rewrites a computation with symbols in the place of its fixed sizes.

x0 + 75*x1 of f32[40, 75]      x0 + s1*x1 of f32[s0, s1]

Each size that can change has a symbol, in the order of the tensors' dimensions (`Symbols`), which a launcher finds in their shapes; so has each
number of the body that is such a size (`Numbers`).
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from inductor_lab.computation import tree
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Axis, Check
from inductor_lab.computation.tree import Call, Constant, Expression, Inside, Load, Operation, Position, Reduction
from inductor_lab.eject import naming
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.generalize.dimensions import Digit, Dimensions, Place, gap
from inductor_lab.eject.generalize.positions import flat
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size, product


class Symbols:
    """The names of one kernel's sizes; none of them is `taken`."""

    def __init__(self, dimensions: Dimensions, taken: Iterable[str]) -> None:
        self.dimensions = dimensions
        self.names = dict(self._named({*taken, *naming.RESERVED}))
        """The digit that stands for all that are the same -> its symbol."""

    def of(self, digits: Iterable[Digit]) -> Size:
        """Their product: symbols, and the number that those make which keep their size."""
        return product(
            Size(digit.size) if self.dimensions.keeps(digit) else Size(1, (self.name(digit),)) for digit in digits
        )

    def name(self, digit: Digit) -> str:
        return self.names[self.dimensions.root(digit)]

    def dimension(self, pointer: str, place: Place) -> Size:
        """A dimension's size."""
        return self.of(self.dimensions.walked[pointer, place.number])

    def stride(self, pointer: str, place: Place) -> Size:
        """A dimension's stride: the product of all that lies within."""
        return self.of(self.dimensions.within(pointer, place))

    def size(self, digits: Iterable[Digit]) -> Expression:
        """The number of positions of several digits, as a value."""
        size = self.of(digits)
        if size.number == 1 and len(size.factors) == 1:
            return tree.Size("int32", frozenset(), size.factors[0])
        return Position("int32", frozenset(), Index(0, (term(size),)))

    def _named(self, taken: set[str]) -> Iterator[tuple[Digit, str]]:
        fresh = (name for name in map("s{}".format, itertools.count()) if name not in taken)
        seen: set[Digit] = set()
        for name, places in self.dimensions.places.items():
            for place in sorted(places, key=lambda place: place.number):
                for digit in reversed(self.dimensions.walked[name, place.number]):
                    root = self.dimensions.root(digit)
                    if root not in seen and not self.dimensions.keeps(root):
                        seen.add(root)
                        yield root, next(fresh)
            for place in places:
                if place.gap:
                    yield gap(name, place), next(fresh)
        for digits in self.dimensions.digits.axes.values():
            for digit in digits:
                if self.dimensions.root(digit) not in seen and not self.dimensions.keeps(digit):
                    raise UndeterminedError(
                        f"no tensor tells the size of the {digit.size} positions along {digit.axis}"
                    )
        if not seen:
            why = next(iter(self.dimensions.fixed.values()), "")
            raise UndeterminedError(f"it has no size that could change{f': {why}' if why else ''}")

    # ------------------------------------------------------------ tensors

    def tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with symbols in its type."""
        return replace(tensor, symbolic=self._type(tensor))

    def bindings(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
        """Where each symbol is found, in what is read if it can be: as a dimension, else as a part of one."""
        ordered = sorted(tensors.values(), key=lambda tensor: tensor.role == "out")
        known = {
            self.name(gap(tensor.parameter, place)): f"{tensor.name}.stride({place.number})"
            for tensor in ordered
            for place in self.dimensions.places[tensor.parameter]
            if place.gap
        }
        for _ in range(len(self.names) + 1):
            for tensor in ordered:
                for place in sorted(self.dimensions.places[tensor.parameter], key=lambda place: place.number):
                    size = self.dimension(tensor.parameter, place)
                    unknown = [symbol for symbol in size.factors if symbol not in known]
                    if len(unknown) == 1:
                        rest = [str(size.number)] if size.number != 1 else []
                        rest += [known[symbol] for symbol in size.factors if symbol not in unknown]
                        known[unknown[0]] = _quotient(f"{tensor.name}.shape[{place.number}]", rest)
        for digit, name in self.names.items():
            if name not in known:
                raise UndeterminedError(f"the shapes do not tell how {digit.size} is a part of their products")
        yield from ((name, known[name]) for name in self.names.values())

    def _type(self, tensor: Tensor) -> TensorType | None:
        places = {place.number: place for place in self.dimensions.places[tensor.parameter]}
        if not places:
            return None
        shape: list[SizeLike] = list(tensor.type.shape)
        stride: list[SizeLike] = []
        for n, place in places.items():
            shape[n] = written(self.dimension(tensor.parameter, place))
        for n, step in enumerate(tensor.type.stride):
            if n in places:
                size = self.stride(tensor.parameter, places[n])
            else:  # one element: it steps over a whole dimension, or over nothing
                over = next((place for place in places.values() if place.stride * place.size == step), None)
                around = (self.stride(tensor.parameter, over), self.dimension(tensor.parameter, over)) if over else ()
                size = product(around)
            stride.append(written(size))
        return TensorType(tensor.type.dtype, tuple(shape), tuple(stride))


def _quotient(size: str, divisors: list[str]) -> str:
    if not divisors:
        return size
    if len(divisors) == 1 and "//" not in divisors[0]:
        return f"{size} // {divisors[0]}"
    return f"{size} // ({' * '.join(f'({each})' if '//' in each else each for each in divisors)})"


def written(size: Size) -> SizeLike:
    """`64 * s0`; a number where there are no symbols."""
    if size.is_number:
        return size.number
    return " * ".join((*([str(size.number)] if size.number != 1 else []), *size.factors))


def term(size: Size, of: Coordinate | Expression | None = None, times: int = 1) -> Term:
    """So many times a coordinate, what the data says, or nothing."""
    return Term(times * size.number, of, size.factors)


@dataclass
class Numbers:
    """Which numbers of a body are sizes."""

    symbols: Symbols
    sizes: dict[tuple[Expression, int], Expression] = field(default_factory=dict)
    """(a node, the number of an operand) -> the size that stands there instead of a number."""
    divided: dict[Expression, Expression] = field(default_factory=dict)
    """A product with one over a length -> what is divided by the length instead."""
    names: dict[tuple[Expression, int], str] = field(default_factory=dict)
    """What each of the sizes is called."""

    def put(self, node: Expression, number: int, digits: Sequence[Digit]) -> None:
        """A number is the size of these digits together.

        Raises:
            UndeterminedError: it is another size as well.
        """
        name = str(written(self.symbols.of(digits)))
        before = self.names.setdefault((node, number), name)
        if before != name:
            raise UndeterminedError(f"one number is both {before} and {name}")
        self.sizes.setdefault((node, number), self.symbols.size(digits))


class Rewriting:
    """Writes one computation in symbols."""

    def __init__(self, found: Computation, symbols: Symbols, numbers: Numbers) -> None:
        self.found, self.symbols, self.numbers, self.addresses = found, symbols, numbers, Addresses(symbols)
        self.made: dict[Any, Any] = {}

    def computation(self) -> Computation:
        found, symbols = self.found, {name: name for name in self.symbols.names.values()}
        return Computation(
            {axis: self.extent(axis) for axis in found.numel}, symbols, self.new(found.accesses), self.new(found.lines),
            self.new(found.names), self.new(found.coordinates), found.work, self.new(found.checks), found.branches, found.unknown,
            found.statements, (), {}, self.new(found.schedule),
        )  # fmt: skip

    def extent(self, axis: str) -> SizeLike:
        return written(self.symbols.of(self.addresses.digits.axes[axis]))

    def new(self, thing: Any) -> Any:
        """A part of the computation with symbols in it."""
        if isinstance(thing, (str, int, float, type(None), frozenset)):
            return thing
        if isinstance(thing, Coordinate):
            return self.addresses.coordinate(thing)
        if isinstance(thing, tuple):
            return tuple(self.new(part) for part in thing)
        if isinstance(thing, Mapping):
            return {key: self.new(value) for key, value in thing.items()}
        if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
            return thing
        if thing not in self.made:
            self.made[thing] = self.rewritten(thing)
        return self.made[thing]

    def rewritten(self, thing: Any) -> Any:
        own: dict[str, Any] = {}
        match thing:
            case Load(pointer=pointer, index=Index() as index) | Access(pointer=pointer, index=index):
                own["index"] = self.addresses.address(index, pointer, self.new)
            case Position(index=index):
                own["index"] = self.addresses.position(index)
            case Operation(inputs=(left, _)) if thing in self.numbers.divided:
                fold = self.numbers.divided[thing]
                own["name"] = "div"
                own["inputs"] = (self.new(fold), self.numbers.sizes[thing, 1 if fold is left else 0])
            case Check(message=message):
                own["message"] = self.bounded(message)
            case Operation(inputs=inputs):
                sizes = self.numbers.sizes
                own["inputs"] = tuple(sizes.get((thing, n)) or self.new(part) for n, part in enumerate(inputs))
            case Axis(name=name):
                return replace(thing, numel=self.extent(name), grows=self.grows(thing))
        for part in dataclasses.fields(thing):
            if part.name not in own:
                own[part.name] = self.new(getattr(thing, part.name))
        made = replace(thing, **own)
        if isinstance(made, Reduction) and made.call is not None:
            for axis in self.found.schedule.axes:
                if axis.name in made.over and self.grows(axis) and not axis.masked:
                    made = replace(made, call=_guarded(made, made.call, axis))
        return made

    def grows(self, axis: Axis) -> bool:
        """Whether one block holds all of an axis that changes, and must go on doing so."""
        return axis.reduced and not axis.looped and axis.fixed is not None and isinstance(self.extent(axis.name), str)

    def bounded(self, message: str) -> str:
        """What a check says, with the names of sizes in it."""
        for _, _, free in self.symbols.dimensions.gathers:
            if self.symbols.dimensions.keeps(free):
                continue
            message = re.sub(rf"< {free.size}\b", f"< {self.symbols.name(free)}", message)
        return message


def _guarded(fold: Reduction, call: Call, axis: Axis) -> Call:
    """A fold of a block that now reaches past the end: what lies there must not count."""
    neutral = TABLE[fold.name].neutral if fold.name in TABLE else None
    if neutral is None or call.result is not None or fold.part:
        raise UndeterminedError(f"a {fold.name} over a block that has no mask")
    arguments: list[Expression | str] = []
    for argument in call.arguments:
        if isinstance(argument, Expression):
            if "float" not in argument.dtype and fold.name != "sum":
                raise UndeterminedError(f"a {fold.name} of whole numbers over a block that has no mask")
            value: float = neutral if "float" in argument.dtype else int(neutral)
            inside = Inside("bool", frozenset({axis.name}), axis.name)
            filler = Constant(argument.dtype, frozenset(), value)
            argument = Operation(
                argument.dtype, argument.axes | {axis.name}, "where", (inside, argument, filler), "tl.where"
            )
        arguments.append(argument)
    return replace(call, arguments=tuple(arguments))


class Addresses:
    """Writes the addresses of one kernel in symbols."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols, self.dimensions, self.digits = symbols, symbols.dimensions, symbols.dimensions.digits

    def coordinate(self, coordinate: Coordinate) -> Coordinate:
        _, end = self.digits.span(coordinate)
        below = self.symbols.of(self.digits.below(coordinate))
        whole = end == self.digits.found.numel[coordinate.axis]
        size = None if whole else written(self.symbols.of(self.digits.of(coordinate)))
        return Coordinate(coordinate.axis, written(below), size)

    def address(self, index: Index, pointer: str, new: Callable[[Expression], Expression]) -> Index:
        """An address in a tensor; `new` writes what the data says of it."""
        begins = self.dimensions.begins(index, pointer)
        terms: list[Term] = []
        for place in self.dimensions.places[pointer]:
            if place.number in begins:
                terms.append(term(self.symbols.stride(pointer, place), None, begins[place.number]))
        for part in index.terms:
            if isinstance(part.of, Expression):
                place = next(place for place in self.dimensions.places[pointer] if place.stride == part.factor)
                terms.append(term(self.symbols.stride(pointer, place), new(part.of)))
            elif isinstance(part.of, Coordinate):
                start, _ = self.digits.span(part.of)
                digits = self.digits.of(part.of)
                if all(map(self.dimensions.keeps, digits)):  # a mask may hold it back before it comes to others
                    digits = digits[:1]
                steps = [(digit, self._step(pointer, abs(part.factor) * (digit.stride // start))) for digit in digits]
                if steps:
                    sign = 1 if part.factor > 0 else -1
                    terms.append(term(self._common(part.of, steps), self.coordinate(part.of), sign))
        numbers = sum(one.factor for one in terms if one.of is None and not one.sizes)
        return Index(numbers, tuple(one for one in terms if one.of is not None or one.sizes))

    def position(self, index: Index) -> Index:
        """A position that is a value: flat numbers of several digits, as if in a tensor of their sizes; one that keeps its size as it is."""
        coordinates = [one.of for one in index.terms if isinstance(one.of, Coordinate)]
        if all(self.dimensions.keeps(digit) for of in coordinates for digit in self.digits.of(of)):
            if len(coordinates) < len(index.terms):
                raise UndeterminedError("it computes with positions and what the data says")
            terms = (Term(one.factor, self.coordinate(of)) for one, of in zip(index.terms, coordinates, strict=True))
            return Index(index.constant, tuple(terms))
        if not flat(index):
            raise UndeterminedError("it computes with positions and numbers")
        at, found = 1, list[Term]()
        inner: list[Digit] = []
        for part in sorted(index.terms, key=lambda part: part.factor):
            assert isinstance(part.of, Coordinate)
            if part.factor != at:
                raise UndeterminedError(f"it computes with {part.factor} times a position")
            found.append(term(self.symbols.of(inner), self.coordinate(part.of)))
            digits = self.digits.of(part.of)
            inner += digits
            at *= prod(digit.size for digit in digits)
        return Index(0, tuple(reversed(found)))

    def _step(self, pointer: str, step: int) -> Size:
        """So many elements of a tensor in symbols: the dimension's stride, and its digits below."""
        place = self.dimensions.place(pointer, step)
        assert place is not None
        stride = self.symbols.stride(pointer, place)
        if (pointer, place.number) in self.dimensions.fixed:
            return stride * Size(step // place.stride)
        at, inner = place.stride, list[Digit]()
        for walker in self.dimensions.walked[pointer, place.number]:
            if at < step:
                inner.append(walker)
                at *= walker.size
        return stride * self.symbols.of(inner)

    def _common(self, coordinate: Coordinate, steps: list[tuple[Digit, Size]]) -> Size:
        """The one factor of a coordinate of several digits."""
        _, first = steps[0]
        passed: list[Digit] = []
        for digit, step in steps:
            if first * self.symbols.of(passed) != step:
                raise UndeterminedError(f"a coordinate of {coordinate.axis} has two steps at other sizes")
            passed.append(digit)
        return first
