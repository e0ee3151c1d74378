"""Prints a value of the tree as a Triton expression, in the tree's order and with its casts, loads and stores included."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import inf, prod

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Named,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
)
from inductor_lab.eject.device_functions import OURS
from inductor_lab.eject.printing.operands import constant_of, is_relu
from inductor_lab.eject.printing.patterns import Compared
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.triton.page import (
    Page,
    call_to,
    cast_to,
    dtype_name,
    is_one_element,
    keywords_of,
    name_node,
    names_of,
    number_of,
    parsed,
    subscripted,
    typed,
)
from inductor_lab.eject.triton.simplification import fits_in
from inductor_lab.eject.triton.tiles import Addresses, Masks, Shapes

BINARY = {row.name: row.symbol for row in TABLE.values() if row.symbol and issubclass(row.symbol, ast.operator)}
COMPARED = {row.name: row.symbol for row in TABLE.values() if row.symbol and issubclass(row.symbol, ast.cmpop)}
EXACT = 2**24
"""Whole numbers up to this are float32's, too."""
ROUNDED = ("bfloat16", "float16")
"""To these a store rounds a float32 as a cast does: to the nearest."""


class Expressions:
    """Values of one kernel as text; what stands behind a name is that name."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.shapes = Shapes(page.found.schedule, page.layout)
        self.masks = Masks(page, self.shapes, self.node)
        self.addresses = Addresses(page, self.shapes, self.node)

    def node(self, value: Expression) -> ast.expr:
        """Raises UnprintableError for a node without a form."""
        layout = self.page.layout
        if value in self.page.bound:
            return name_node(self.page.bound[value])
        match value:
            case Constant():
                return typed(value)
            case Size(name=name):
                return name_node(layout.scalar(name))
            case Position(index=index, dtype=dtype):
                written = self.addresses.position(index, "", self.page.uses[value])
                wide = dtype != layout.position_dtype(index) and dtype not in {"int", "int32"}
                return cast(written, value, dtype) if wide else written
            case Inside(axis=axis):
                return self.masks.end(axis)
            case Load():
                return self._load(value)
            case Named(inputs=(inner,)):
                return self.node(inner)
            case Cast(operand=operand, dtype=dtype):
                return cast(self.node(operand), operand, dtype)
            case Broadcast(operand=operand):
                return self.shapes.broadcast(operand, value.axes, self.node)
            case Operation():
                return self._operation(value)
            case Reduction(call=Call() as call) | Scan(call=Call() as call) | Random(call=Call() as call):
                return self.call(value, call)
            case Partial(call=Call() as call):
                return self.call(value, call)
        text = getattr(value, "text", "") or getattr(value, "name", "")
        raise UnprintableError(f"a {type(value).__name__.lower()} that has no form: {text}"[:90])

    def _load(self, value: Load) -> ast.expr:
        access = self.page.loads.get(value)
        if access is None:
            raise UnprintableError("a load that no step does")
        spanned = self.shapes.of(value.mask) if value.mask is not None else frozenset()
        mask = self.masks.of(access, frozenset())
        call = call_to("tl.load", self.addresses.of(access, spanned), *([mask] if mask is not None else []))
        if value.other is not None and mask is not None:
            call.keywords.append(ast.keyword("other", self.node(value.other)))
        return _as_told(call, access)

    def store(self, access: Access) -> ast.expr:
        """A store or an atomic operation.

        Raises:
            UnprintableError: it stores nothing, or a value without a form.
        """
        if access.value is None:
            raise UnprintableError(f"{access.kind} of nothing")
        shapes = self.shapes
        value = self.node(self._before_the_store(access))
        spanned = shapes.of(access.value) | (shapes.of(access.mask) if access.mask is not None else frozenset())
        pointer = self.addresses.of(access, spanned)
        if not shapes.spanned(spanned | shapes.of_index(access.index)):  # one element, and no tile can be stored there
            constant = constant_of(access.value)
            if constant is not None:
                value = number_of(constant.value)
            elif self._is_tile(value):
                pointer = ast.BinOp(pointer, ast.Add(), parsed("tl.full([1], 0, tl.int32)"))
        mask = self.masks.of(access, shapes.of(access.value))
        return _as_told(call_to(f"tl.{access.kind}", pointer, value, *([mask] if mask is not None else [])), access)

    def _before_the_store(self, access: Access) -> Expression:
        """What is stored, less the casts that the store does itself: float32 to the tensor's narrower dtype, and that as float32."""
        value, tensor = access.value, self.page.tensors.get(access.pointer)
        assert value is not None
        while (
            tensor is not None
            and access.kind == "store"
            and isinstance(value, Cast)
            and value not in self.page.bound
            and {value.dtype, value.operand.dtype} == {"float32", tensor.type.dtype}
            and tensor.type.dtype in ROUNDED
        ):
            value = value.operand
        match value:  # the place of a row's largest, which Inductor takes for a float32 on its way to int64
            case Cast(operand=Reduction(part="index") as place, dtype="float32") if (
                tensor is not None and "int" in tensor.type.dtype and self._elements(place) <= EXACT
            ):
                return place
        return value

    def _elements(self, fold: Reduction) -> float:
        """How many elements a fold takes, where that is known."""
        sizes = [self.page.found.numel.get(axis) for axis in fold.over]
        return prod(size if isinstance(size, int) else inf for size in sizes)

    def _is_tile(self, written: ast.expr) -> bool:
        """True for a value made of `tl.full([1], ...)`, which is a tile of one element and no scalar."""
        names = {*names_of(written)}
        said = [written, *(line.value for line in self.page.lines if line.target in names)]
        return any(is_one_element(node) for value in said for node in ast.walk(value))

    def _argument(self, of: Operation, place: int) -> ast.expr:
        """An operand of a call, in its own dtype."""
        value, name = of.inputs[place], self.page.layout.bounds.numbers.get((of, place))
        if not name or not isinstance(value, Constant) or value.dtype in {"int", "float"}:
            return self.node(value)
        return call_to("tl.full", parsed("[1]"), parsed(name), dtype_name(value.dtype))

    def _beside(self, value: Expression, other: Expression) -> ast.expr:
        """A value beside another one: a number as a bare one where it says the same."""
        if isinstance(value, Constant) and is_weak(value, other.dtype):
            return number_of(value.value if "float" not in other.dtype else float(value.value))
        return self.node(value)

    def _operand(self, of: Operation, place: int, other: Expression) -> ast.expr:
        """One side of an operation: a number by its name where it is a size."""
        value = of.inputs[place]
        bare = isinstance(value, Constant) and is_weak(value, other.dtype)
        fits = isinstance(value, Constant) and of.name in COMPARED and fits_in(value, other.dtype)
        if (bare or fits) and (name := self.page.layout.bounds.numbers.get((of, place))):
            return parsed(name)
        if fits and isinstance(value, Constant):
            return number_of(value.value)
        return self._beside(value, other)

    def _operation(self, value: Operation) -> ast.expr:
        name, inputs = value.name, value.inputs
        if name == "neg" and len(inputs) == 1:
            return ast.UnaryOp(ast.USub(), self.node(inputs[0]))
        if name == "not" and len(inputs) == 1:
            return ast.UnaryOp(ast.Invert(), self.node(inputs[0]))
        if name == "bitcast":
            return cast_to(self.node(inputs[0]), value.dtype, bitcast=True)
        if not value.spelling and len(inputs) == 2 and (name in BINARY or name in COMPARED):
            left, right = self._operand(value, 0, inputs[1]), self._operand(value, 1, inputs[0])
            if name in COMPARED:
                return ast.Compare(left, [COMPARED[name]()], [right])
            return ast.BinOp(left, BINARY[name](), right)
        if name == "last":
            looped = next((axis for axis in self.page.found.schedule.axes if axis.looped), None)
            if looped is None:
                raise UnprintableError("the last of a block in no loop from one block to the next")
            last = parsed(self.page.layout.last_of_block(looped))
            return self._called("triton_helpers.select_one", [self.node(inputs[0]), last], "dim=-1, keep_dims=True")
        if name == "where" and len(inputs) == 3:
            condition, one, other = inputs
            told = [self.page.layout.bounds.numbers.get((value, place)) for place in (1, 2)]
            sides = (self._beside(one, other), self._beside(other, one))
            sides_ = [parsed(name) if name else side for name, side in zip(told, sides, strict=True)]
            return call_to("tl.where", self.node(condition), *sides_)
        if is_relu(value):
            x = inputs[1]
            zero = ast.Constant(0.0 if "float" in x.dtype else 0)
            if isinstance(shown := self.node(x), ast.Name):  # the helper's own rule, 0 > x: NaN and -0.0 come through
                return call_to("tl.where", ast.Compare(shown, [ast.Lt()], [ast.Constant(0)]), zero, shown)
        if name in {"maximum", "minimum"} and all(each.dtype.startswith("int") for each in (value, *inputs)):
            sides = self._operand(value, 0, inputs[1]), self._operand(value, 1, inputs[0])
            return call_to(f"tl.{name}", *sides)  # of whole numbers Triton's own will do: none of them is NaN
        spelling = value.spelling or _helper(name)
        if spelling:
            return self._called(
                spelling, [self._argument(value, place) for place in range(len(inputs))], value.keywords
            )
        raise UnprintableError(f"the operation {name} has no form")

    def compared(self, found: Compared, indices: tuple[Expression, ...]) -> ast.Call:
        """The larger of two values with its index."""
        (a, b), (i, j) = found.values, indices
        arguments = [self._beside(a, b), self._beside(i, j), self._beside(b, a), self._beside(j, i)]
        return self._called(f"triton_helpers.{found.helper}", arguments)

    def _called(self, function: str, arguments: Sequence[ast.expr], keywords: str = "") -> ast.Call:
        if function.startswith("triton_helpers."):
            name = function.removeprefix("triton_helpers.")
            self.page.helpers.add(name)
            function = name if name in OURS else function
        call = call_to(function, *arguments)
        call.keywords += keywords_of(self.page.layout.renamed(keywords))
        return call

    def call(self, value: Expression, call: Call) -> ast.expr:
        """A fold, a scan, a sort, a random number: its tiles spread over the whole tile."""
        layout = self.page.layout
        arguments: list[ast.expr] = []
        folds = isinstance(value, (Reduction, Scan))
        for argument in call.arguments:
            if isinstance(argument, str):
                arguments.append(parsed(layout.renamed(argument)))
            elif folds or (isinstance(value, Partial) and not isinstance(argument, (Carried, Constant))):
                arguments.append(self.shapes.broadcast(argument, self.shapes.every, self.node))
            else:
                arguments.append(self.node(argument))
        function, tiles = call.function, len(call.values)
        match value:
            case Reduction():
                arguments.insert(tiles, ast.Constant(layout.reduced_dimension(value.over)))
                if function == "tl.reduce" and tiles > 1:
                    raise UnprintableError("a fold of several tiles by a function of its own")
                if value.group:
                    arguments[0] = self.masks.filled(arguments[0], value)
                written = self._called(function, arguments, call.keywords)
                return subscripted(written, layout.place_of_rest(value.over)) if call.result is None else written
            case Scan() if function == "tl.associative_scan":
                tile = ast.Tuple(arguments[:tiles], ast.Load()) if call.result is not None else arguments[0]
                return self._called(function, [tile, *arguments[tiles:]], call.keywords)
        return self._called(function, arguments, call.keywords)


def _as_told(call: ast.Call, access: Access) -> ast.Call:
    """An access with what the text tells the compiler of it."""
    if access.eviction:
        call.keywords.append(ast.keyword("eviction_policy", ast.Constant(access.eviction)))
    call.keywords += keywords_of(access.keywords)
    return call


def cast(written: ast.expr, value: Expression, dtype: str) -> ast.expr:
    """A value in another dtype; a number that the launch passes has no `.to` where it is 1, which Triton compiles in."""
    return call_to("tl.cast", written, dtype_name(dtype)) if _is_passed(value) else cast_to(written, dtype)


def _is_passed(value: Expression) -> bool:
    """Whether a value is made of sizes, and of numbers beside them."""
    match value:
        case Size():
            return True
        case Position(index=index):
            return not any(index.coordinates()) and all(map(_is_passed, index.expressions()))
        case Operation() | Cast():
            parts = [each for each in value.operands if not isinstance(each, Constant)]
            return bool(parts) and all(map(_is_passed, parts))
    return False


def _helper(operator: str) -> str:
    """The function of Inductor's that an operator is where the tree has no call of it, as Python's `//` out of C's."""
    row = TABLE.get(operator)
    return f"triton_helpers.{row.helpers[-1]}" if row and row.helpers else ""


def is_weak(constant: Constant, beside: str) -> bool:
    """Whether a bare number does what a typed one does: the other operand has its dtype already, or a wider one of its kind."""
    mine, value = constant.dtype, constant.value
    if mine in {"int", "float"}:
        return True
    if isinstance(value, bool) or beside in {"", "int", "float", "bool"}:
        return False
    if mine == beside:
        return not mine.startswith(("uint", "float8"))
    floats, wide = beside.startswith(("float", "bfloat")), {"float32", "float64"}
    if mine.startswith("int") and beside.startswith("int"):
        return int(mine[3:]) <= int(beside[3:])
    return (mine.startswith("int") and floats and beside in wide) or (
        mine == "float32" and beside == "float64" and float(value).is_integer()
    )
