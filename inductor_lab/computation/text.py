"""A tree as one line of Python: `relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)`. Python's own `ast` writes the brackets."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from inductor_lab.computation.folds import Partial, narrowing, running
from inductor_lab.computation.idioms import Named, named, opposite, seen, wrapped
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.functions import gelus_by_tanh
from inductor_lab.computation.operators import OPERATORS, TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.subscripts import Subscripts
from inductor_lab.computation.tree import (
    DTYPES,
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
    pointers,
)

LEFT_OUT = "…"
CLOSED_BY = {"(": ")", "[": "]"}
MOST_NODES = 400
"""Nodes of one text. A tree shares its branches, so written out it may be far larger than it is."""
DEPTHS = (24, 8, 6, 5, 4, 3, 2)
"""How deep a text goes at first, and when it is too long."""
_BINARY = {name: kind for kind, name in OPERATORS.items() if issubclass(kind, ast.operator)}
_BINARY |= {"floor_divide": ast.FloorDiv, "remainder": ast.Mod}
_COMPARED = {name: kind for kind, name in OPERATORS.items() if issubclass(kind, ast.cmpop)}
_TRUNCATING = {row.name: row.text for row in TABLE.values() if row.text}
"""C's % and //, which round towards zero; of positions, which are not negative, they are Python's."""
_UNARY: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "not": ast.Invert}
RESULTS = {(row.name, result.part): result.text for row in TABLE.values() for result in row.results if result.text}
"""(reduction, result) -> the result's own name, where it has one."""
DRAWN = {"rand4x": "rand", "randn4x": "randn", "randint64": "randint"}
"""How a random number is drawn -> what it is."""


class _TooLongError(Exception):
    """What was to be written whole does not fit."""


class Writer(Subscripts):
    """Writes the trees of one computation; `shown` gives some of them a name instead, `called` other names to pointers, and to `in_out_ptr0_new`."""

    def __init__(
        self,
        computation: Computation,
        shown: Mapping[Expression, str] | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        self.computation = computation
        self.shown = shown or {}
        self.called = called or {}
        self.several = {
            access.pointer
            for part in computation.every()
            for access in part.loads
            if part.loaded(access.pointer) > 1 or _further_in(access.index)
        }
        """Of which a name alone does not tell what is loaded."""
        self.overwritten = {
            store.pointer for part in computation.every() for store in part.stores if part.overwrites(store)
        }
        self.idioms: dict[Operation, Named | None] = {}
        self.left = 0
        self.complete = True
        self.only_whole = False
        """What does not fit is not written at all."""
        self.true: tuple[Expression, ...] = ()
        """Conditions that hold where the writing is just now."""
        self.false: tuple[Expression, ...] = ()

    def text(self, value: Expression, limit: int | None = None, *, but: Expression | None = None) -> str:
        """The tree in at most `limit` characters, its deeper parts as dots where it is too long; numbers have six digits.

        `but` is written out although it has a name in `shown`.
        """
        written = self.written(value, DEPTHS[0], but, indices=True)
        if limit is None or (len(written) <= limit and self.complete):
            return written
        for depth in DEPTHS:
            written = self.written(value, depth, but, indices=False)
            if len(written) <= limit:
                return written
        return _beginning(written, limit)

    def fits(self, value: Expression, limit: int) -> bool:
        """Whether the whole tree can be written in so many characters."""
        return self.whole(value, limit) is not None

    def whole(self, value: Expression, limit: int) -> str | None:
        """The whole tree, where it can be written in so many characters; one of many more nodes is given up at the first too many."""
        try:
            text = self.written(value, DEPTHS[0], None, indices=True, whole_in=3 * limit)
        except _TooLongError:
            return None
        return text if len(text) <= limit else None

    def selection(self, value: Expression, limit: int) -> tuple[str, str, str] | None:
        """Condition and sides of a selection, each side under its condition, where all three can be written whole in so many characters."""
        try:
            match self.tree(value, DEPTHS[0], None, indices=True, whole_in=3 * limit):
                case ast.Call(func=ast.Name(id="where"), args=[condition, one, other]):
                    written = ast.unparse(condition), ast.unparse(one), ast.unparse(other)
                    return written if sum(map(len, written)) <= limit else None
        except _TooLongError:
            pass
        return None

    def written(
        self, value: Expression, depth: int, but: Expression | None, *, indices: bool, whole_in: int | None = None
    ) -> str:
        """The tree with dots for what is deeper than `depth`, or whole in so many nodes.

        Raises:
            _TooLongError: it was to be whole, and is not.
        """
        text: str = ast.unparse(self.tree(value, depth, but, indices=indices, whole_in=whole_in))
        return text

    def tree(
        self, value: Expression, depth: int, but: Expression | None, *, indices: bool, whole_in: int | None = None
    ) -> ast.expr:
        """The same as Python's own tree."""
        self.left, self.complete, self.but, self.indices = min(MOST_NODES, whole_in or MOST_NODES), True, but, indices
        self.only_whole = whole_in is not None
        self.true = self.false = ()
        return self.node(value, depth)

    # ---- nodes

    def node(self, value: Expression, depth: int) -> ast.expr:
        own, value = self.shown.get(value, ""), seen(value)
        self.left -= 1
        if (shown := own or self.shown.get(value)) and value is not self.but:
            return ast.Name(shown)
        if (depth <= 0 or self.left < 0) and value.operands:
            self.complete = False
            if self.only_whole:
                raise _TooLongError
            return ast.Name(LEFT_OUT)
        idiom = self.idiom(value) if isinstance(value, Operation) else None
        if idiom is not None:
            name, arguments = idiom
            return self.call(name, arguments, depth - 1) if name else self.node(arguments[0], depth)
        match value:
            case Constant(value=number, dtype=dtype):
                return _number(number, 17 if dtype == "float64" else 6)
            case Size(name=name) | Carried(name=name):
                return ast.Name(self.called.get(name, name))
            case Unknown(text=text):
                if len(text) > 40 and self.only_whole:
                    raise _TooLongError
                return ast.Name(text if len(text) <= 40 else LEFT_OUT)
            case Inside(axis=axis):
                return ast.Name(f"{axis}mask")
            case Position(index=index):
                return self.sum(index, depth)
            case Load():
                return self.load(value, depth)
            case Cast(operand=operand, dtype=dtype):
                shown = _cast(operand.dtype, dtype) if "float" in operand.dtype or pointers(operand) else ""
                return self.call(shown, (operand,), depth) if shown else self.node(operand, depth)
            case Operation(name="bucketize", inputs=(x, Load(pointer=pointer), _, _, _, right, *_)):
                sides = (
                    [ast.keyword("right", ast.Constant(True))] if isinstance(right, Constant) and right.value else []
                )
                boundaries = ast.Name(self.called.get(pointer, pointer))
                return ast.Call(ast.Name("bucketize"), [self.node(x, depth - 1), boundaries], sides)
            case Operation(name=name, inputs=inputs):
                return self.operation(name, inputs, depth - 1)
            case Reduction(name=name, inputs=inputs, group=int(group)):
                return self.call(f"{name}_of_{group}_rows", inputs, depth - 1)
            case Reduction(name="online_softmax", part="sum", inputs=(x,)):
                exponent = ast.BinOp(self.node(x, depth - 2), ast.Sub(), ast.Name("max"))
                return ast.Call(ast.Name("sum"), [ast.Call(ast.Name("exp"), [exponent], [])], [])
            case Reduction(name=name, part=part, inputs=inputs) | Partial(name=name, part=part, inputs=inputs):
                return self.call(_result(name, part), inputs, depth - 1)
            case Scan(name=name, part=part, inputs=inputs):
                return self.call(_running(name, part), inputs[:1] if name.startswith("sort") else inputs, depth - 1)
            case Random(name=name, inputs=inputs):
                self.several |= {
                    seed.pointer for seed in inputs[:1] if isinstance(seed, Load)
                }  # each has one of its own
                return self.call(DRAWN.get(name, name), inputs, depth - 1)
        return ast.Name(LEFT_OUT)

    def call(self, name: str, arguments: tuple[Expression, ...], depth: int) -> ast.expr:
        if name == "where" and len(arguments) == 3:
            condition, one, other = arguments
            decided = True if seen(one) is seen(other) else self.computation.decided(condition)
            if decided is not None:
                return self.node(one if decided else other, depth)
            if self.called and _split(condition, other):
                return self.node(one, depth)
            first = self.node(condition, depth)
            before, self.true = self.true, (*self.true, *narrowing(condition))
            second = self.node(one, depth)
            self.true, self.false = before, (*self.false, condition)
            third = self.node(other, depth)
            self.false = self.false[:-1]
            return ast.Call(ast.Name("where"), [first, second, third], [])
        if name == "power":
            return ast.BinOp(self.node(arguments[0], depth), ast.Pow(), self.node(arguments[1], depth))
        return ast.Call(ast.Name(name), [self.node(argument, depth) for argument in arguments], [])

    @cached_property
    def gelus(self) -> Mapping[Expression, Expression]:
        return gelus_by_tanh(self.computation)

    def idiom(self, value: Operation) -> Named | None:
        """The function that an operation is, recognised once: a kernel's statements are parts of each other."""
        if value not in self.idioms:
            x = self.gelus.get(value)
            self.idioms[value] = named(value) or (("gelu_tanh", (x,)) if x is not None else None)
        return self.idioms[value]

    def operation(self, name: str, inputs: tuple[Expression, ...], depth: int) -> ast.expr:
        if name in _UNARY and len(inputs) == 1:
            return ast.UnaryOp(_UNARY[name](), self.node(inputs[0], depth))
        if name in _TRUNCATING and not all(map(_counts, inputs)):
            return self.call(_TRUNCATING[name], inputs, depth)
        if name in _BINARY and len(inputs) == 2:
            return ast.BinOp(self.node(inputs[0], depth), _BINARY[name](), self.node(inputs[1], depth))
        if name in _COMPARED and len(inputs) == 2:
            return ast.Compare(self.node(inputs[0], depth), [_COMPARED[name]()], [self.node(inputs[1], depth)])
        return self.call(name, inputs, depth)

    def load(self, value: Load, depth: int) -> ast.expr:
        """The tensor's name, with its index where that depends on data or where the tensor is read at several addresses; and under
        its condition, where it has one that what stands around it does not say."""
        open_ = [part for part in narrowing(value.mask) if not self.holds(part)]
        if not open_:
            return self.element(value, depth)
        conditions = [self.node(part, depth - 1) for part in open_]
        both = conditions[0]
        for condition in conditions[1:]:
            both = ast.BinOp(both, ast.BitAnd(), condition)
        other = ast.Constant(0) if value.other is None else self.node(value.other, depth - 1)
        return ast.Call(ast.Name("where"), [both, self.element(value, depth - 1), other], [])

    def holds(self, condition: Expression) -> bool:
        """True for a condition that every element meets, or of the selection that the value stands in."""
        known = any(condition is one for one in self.true) or any(opposite(condition, one) for one in self.false)
        return known or self.computation.decided(condition) is True

    def element(self, value: Load, depth: int) -> ast.expr:
        again = value.version and value.pointer in self.overwritten
        name = ast.Name((renewed if again else held)(value.pointer, self.called))
        if value.index is None:
            return name
        if parts := self.walked(value.index):
            inside = [
                ast.Name(self.coordinate(of)) if isinstance(of, Coordinate) else self.node(wrapped(of) or of, depth - 1)
                for of in parts
            ]
            if value.index.constant:  # further in, `x + 10 + i`: along which dimension is not known here
                inside = [ast.Name(LEFT_OUT), *inside]
            return ast.Subscript(name, inside[0] if len(inside) == 1 else ast.Tuple(inside))
        if value.pointer not in self.several and self.backwards(value.index):
            return ast.Call(ast.Name("flip"), [name], [])
        turned = any(term.factor < 0 and isinstance(term.of, Coordinate) for term in value.index.terms)
        moved = turned or value.index.expressions() or self.overlaps(value)
        if value.pointer not in self.several and not moved:
            return name
        if value.pointer not in self.several and self.called:
            return ast.Subscript(name, ast.Name(LEFT_OUT))  # rolled, flipped, repeated: not the tensor as it lies
        return ast.Subscript(name, self.sum(value.index, depth - 1) if self.indices else ast.Name(LEFT_OUT))

    def chosen(self, index: Index, limit: int) -> str:
        """`x1, in_ptr0`: the indices of an access, each in at most `limit` characters; nothing where several share a dimension."""
        parts: Sequence[Coordinate | Expression] = self.walked(index) or index.expressions()
        if len(parts) > 1 and not self.walked(index):
            return ""
        return ", ".join(
            self.coordinate(of) if isinstance(of, Coordinate) else self.text(wrapped(of) or of, limit) for of in parts
        )


def held(pointer: str, called: Mapping[str, str]) -> str:
    """What is behind a pointer, by its name."""
    return called.get(pointer, pointer)


def renewed(pointer: str, called: Mapping[str, str]) -> str:
    """What is there once it is written over: `add_80`, where that has a name, else `mm_3_new`."""
    return called.get(f"{pointer}_new") or f"{held(pointer, called)}_new"


def _further_in(index: Index) -> bool:
    """Whether it is one element behind the first: of a tensor of several."""
    return index.is_scalar and bool(index.constant or index.terms)


def _counts(value: Expression) -> bool:
    """Whether a value is made of positions, sizes and numbers alone, by what leaves them positive."""
    match seen(value):
        case Operation(name="add" | "mul" | "floordiv" | "mod", inputs=inputs):
            return all(map(_counts, inputs))
        case Constant(value=number):
            return number >= 0
        case Position(index=index):
            return index.constant >= 0 and all(term.factor > 0 for term in index.terms)
        case found:
            return isinstance(found, Size)


def _split(condition: Expression, other: Expression) -> bool:
    """True for what is left out of a fold that was split over programs, behind its end: a reader has no use for it."""
    match seen(condition), seen(other):
        case Operation(name="lt", inputs=(Position(index=index), Constant())), Constant(value=0):
            return len({coordinate.axis for coordinate in index.coordinates()}) > 1
    return False


def rounded(value: float, digits: int = 6) -> float:
    """To six digits, or as many as keep it from becoming whole: 1.0000004, not 1.0; a whole number stays what it is below 1e16."""
    if value.is_integer():
        return value if abs(value) < 1e16 else float(f"{value:.{digits}g}")
    return next((near for n in range(digits, 17) if not (near := float(f"{value:.{n}g}")).is_integer()), value)


def _number(value: bool | int | float, digits: int) -> ast.expr:
    if isinstance(value, float):
        value = rounded(value, digits)
        if value != value or value in {float("inf"), float("-inf")}:
            return ast.Name(str(value))
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _cast(before: str, after: str) -> str:
    """The function that a change of dtype is, where it changes a value: a fraction cut off, bits lost."""
    if "float8" in after or (
        after in DTYPES and before in DTYPES and "int" in after and DTYPES[after] < DTYPES[before]
    ):
        return {"int32": "int", "int64": "int"}.get(after, after)
    return ""


def _result(name: str, part: str) -> str:
    """What one result of a reduction is called."""
    return RESULTS.get((name, part), name)


def _running(name: str, part: int) -> str:
    if name.startswith("sort"):
        name = name.replace("_unstable", "")
        return name if part == 0 else f"arg{name}"
    return running(name) or ("scan" if len(name) > 20 else f"scan_{name}")


def _beginning(text: str, limit: int) -> str:
    """As much of it as fits, with what is open there closed: `f(a, g(b, c))` in 9 characters is `f(a, g…)`."""
    for end in range(limit - 1, 0, -1):
        closing = ""
        for letter in text[:end]:
            closing = CLOSED_BY[letter] + closing if letter in CLOSED_BY else closing[letter in closing[:1] :]
        if end + 1 + len(closing) <= limit:
            return text[:end].rstrip() + LEFT_OUT + closing
    return LEFT_OUT
