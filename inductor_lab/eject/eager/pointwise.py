"""Prints elementwise operations as torch functions, in the dtypes with which torch computes what the kernel does.

    where(x0 < 32, a, b)     torch.cat([a, b], -1), where each side is only read where it holds; a padding where the other is a number

A search among sorted boundaries is `torch.bucketize`, and random numbers, which depend on a seed and a position alone, are drawn by helpers as
Triton draws them (Philox).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from inductor_lab.computation.folds import masks, narrowing
from inductor_lab.computation.idioms import named
from inductor_lab.computation.operators import TABLE, Operator
from inductor_lab.computation.tree import (
    DTYPES,
    Broadcast,
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Position,
    Random,
    Unknown,
    joined,
    walk,
)
from inductor_lab.eject.eager.loads import memory_of, padded
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import (
    Value,
    broadcast,
    call,
    cast,
    changed,
    constant,
    dtype_of,
    filled,
    floating,
    literal,
    method,
    promoted,
    reinterpreted,
    storage_dtype,
    subscript,
    tensor,
    to,
)
from inductor_lab.eject.printing.rewriting import not_asked_again
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records.size import Size

REFUSED = {
    "last": "it goes on with a scan of the block before",
    "inline_asm": "it holds assembly, whose meaning is not read",
    "dot": "it multiplies matrices block by block",
}
"""Operators that have no value element by element, and why."""


def operation(printer: Printer, node: Operation) -> Value:
    """An operation as a person would call it: without the masks of elements that do not exist, idioms by their name."""
    name, inputs = idiom(node) or (node.name, node.inputs)
    if name == "where":
        inputs = not_asked_again(*inputs)
        if masks(inputs[0]) or _are_one_number(*inputs[1:]):
            return printer.value(inputs[1])
    if name in {"and", "or"}:
        for one, other in (inputs, inputs[::-1]):
            if masks(one):
                return printer.value(other if name == "and" else one)
    if name == "where" and (pieces := concatenated(printer, inputs)) is not None:
        return pieces
    if (special := SPECIAL.get(name)) is not None:
        return special(printer, node)
    if name in REFUSED or name not in TABLE:
        raise NoReference(REFUSED.get(name, f"eager PyTorch has no function for `{name}`"))
    values = [printer.value(value) for value in inputs]
    return _unchanged(name, node, inputs, values) or _applied(node, TABLE[name], inputs, values)


def idiom(node: Operation) -> tuple[str, tuple[Expression, ...]] | None:
    """The function that the operation is, where a person would call it by that name and nothing is rounded on the way."""
    found = named(node)
    if found is None:
        return None
    name, arguments = found
    row = TABLE.get(name)
    if row is None or not row.exact or not (row.divides or floating(node.dtype)):
        return None
    if any(a.dtype != node.dtype for a in arguments if not isinstance(a, Constant)):
        return None
    inner = set(map(id, walk(*arguments)))
    between = [n for n in walk(node) if id(n) not in inner]
    return None if any(isinstance(n, (Cast, Load)) for n in between) else found


def _unchanged(name: str, node: Operation, inputs: Sequence[Expression], values: Sequence[Value]) -> Value | None:
    """`x` of `x * 1.0`, and of `x + 0` among whole numbers (`-0.0 + 0` is 0.0), where torch gives both the same dtype."""
    if name not in {"mul", "add"}:
        return None
    for number, value in ((inputs[0], values[1]), (inputs[1], values[0])):
        if not isinstance(number, Constant) or isinstance(number.value, bool) or value.number:
            continue
        kept = number.value == 1 if name == "mul" else number.value == 0 and not floating(node.dtype)
        if kept and value.dtype != "bool" and _near(value.dtype, storage_dtype(node.dtype)):
            return value
    return None


def _are_one_number(one: Expression, other: Expression) -> bool:
    return isinstance(one, Constant) and isinstance(other, Constant) and str(one.value) == str(other.value)


def _applied(node: Operation, row: Operator, inputs: Sequence[Expression], values: Sequence[Value]) -> Value:
    """A row's function of its operands, which are brought to the dtype that the kernel computes in."""
    first = 1 if row.name == "where" else 0  # the condition is no operand
    common = _common(row, node, inputs[first:])
    operands = _operands(row, values, first, common)
    if row.bound and (bounded := _clamped(row, values, common)) is not None:
        return bounded
    if any(not v.number for v in operands[first:]) and not _near(promoted(operands[first:]), common):
        operands[first:] = [value if value.number else to(value, common) for value in operands[first:]]
        if not _near(promoted(operands[first:]), common):
            operands[first] = to(tensor(operands[first], common), common)
    numbers = all(value.number for value in (*values[first:], *operands))
    form = row.python if row.python and numbers else row.form(len(operands))  # `torch.exp({0})`
    dims = frozenset[int]().union(*(value.dims for value in operands))
    rank = max(value.rank for value in operands)
    dtype = "bool" if row.predicate else promoted(operands[first:])
    if rank < 0 and not row.predicate:
        dtype = "float" if any(value.dtype == "float" for value in operands) else "int"
    made = filled(form, *(value.node for value in operands))
    weight = sum(value.weight for value in operands) + 1
    found = Value(made, dims, rank, dtype, weight, short=_shortened(form, operands))
    exact = rank < 0 or row.predicate or row.name == "where" or node.dtype not in DTYPES
    return found if exact or _near(dtype, storage_dtype(node.dtype)) else to(found, storage_dtype(node.dtype))


def _common(row: Operator, node: Operation, inputs: Sequence[Expression]) -> str:
    """The dtype of torch in which an operation is done."""
    common = joined(*inputs)
    common = {"float": "float32", "int": "int64"}.get(common, common)
    if row.torch == "" and floating(node.dtype) and not row.predicate:
        common = node.dtype
    if row.name == "div":
        common = node.dtype if floating(node.dtype) else "float32"
    return storage_dtype(common)


def _operands(row: Operator, values: Sequence[Value], first: int, common: str) -> list[Value]:
    """The values with tensors in the places of those numbers that torch takes no numbers for, and whole ones among floats cast."""
    found = list(values)
    tensors = any(not value.number for value in found[first:])
    whole = row.divides and all(v.dtype == "int" for v in found)
    if not (tensors or whole or row.numbers == "python" or _plain_choice(row.name, common, found)):
        found[first] = tensor(found[first], common)
    for place in range(first, len(found)):
        value = found[place]
        if value.number:
            if row.numbers not in {"python", "either", "right" if place == 1 else ""}:
                found[place] = tensor(value, common)
        elif floating(common) and not floating(value.dtype):
            found[place] = to(value, common)
    if row.name == "where" and found[0].number:
        found[0] = tensor(found[0], "bool")
    return found


def _clamped(row: Operator, values: Sequence[Value], common: str) -> Value | None:
    """`x.clamp_min(0)` where one side is a number."""
    for one, bound in ((values[0], values[1]), (values[1], values[0])):
        if bound.number and not one.number:
            one = to(one, common)
            if bound.dtype == "float" and not floating(common):
                return None
            node = method(one.node, row.bound, bound.node)
            return changed(one, node, weight=one.weight + 2)
    return None


def _shortened(form: str, values: Sequence[Value]) -> tuple[int, ast.expr] | None:
    """The operation without the dimensions that all its operands have only to broadcast."""
    counts = {value.short[0] if value.short else 0 for value in values if value.rank > 0}
    if len(counts) != 1 or not (count := counts.pop()):
        return None
    return count, filled(form, *(value.short[1] if value.short else value.node for value in values))


def _plain_choice(name: str, common: str, values: Sequence[Value]) -> bool:
    """A choice between two numbers that torch makes in the very dtype."""
    wanted = "float" if common == "float32" else "bool" if common == "bool" else "int" if "int" in common else ""
    return name == "where" and not values[0].number and all(value.dtype == wanted for value in values[1:])


def _near(actual: str, wanted: str) -> bool:
    """True for the wanted dtype, and for whole numbers that are wider: they are cut where they are stored."""
    whole = ("int8", "int16", "int32", "int64")
    return actual == wanted or (actual in whole and wanted in whole and whole.index(actual) >= whole.index(wanted))


def _not(printer: Printer, node: Operation) -> Value:
    (operand,) = node.inputs
    value = printer.value(operand)
    if value.number:
        return changed(value, ast.UnaryOp(ast.Not() if value.dtype == "bool" else ast.Invert(), value.node))
    if floating(operand.dtype):
        return changed(value, call("torch.logical_not", value.node), dtype="bool", weight=value.weight + 1)
    return changed(value, ast.UnaryOp(ast.Invert(), value.node), weight=value.weight + 1)


def concatenated(printer: Printer, inputs: Sequence[Expression]) -> Value | None:
    """`where(x0 < 32, a, b)` whose sides are only read where they hold: two pieces, one after the other."""
    condition, one, other = inputs
    real = narrowing(condition)
    if len(real) != 1 or (found := printer.space.bounded(real[0])) is None:
        return None
    dim, (low, high) = found
    begin, end = printer.space.range_of(dim)
    if max(low, begin) >= min(high, end):
        return printer.value(other)
    if low <= begin and high >= end:
        return printer.value(one)
    if not any(_bounded_load(printer, side, dim) for side in (one, other)):
        return None
    if low <= begin:
        pieces = [(one, (begin, high)), (other, (high, end))]
    elif high >= end:
        pieces = [(other, (begin, low)), (one, (low, end))]
    else:
        return None
    made: list[Value] = []
    for side, bounds in pieces:
        with printer.space.within({dim: bounds}):
            made.append(printer.value(side))
    for place, (value, filler) in enumerate(((made[0], made[1]), (made[1], made[0]))):
        fill = _number(filler.node)
        if filler.number and not value.number and fill is not None:
            bounds = pieces[place][1]
            with printer.space.within({dim: bounds}):
                value = printer.spread(value, [dim])
            return padded(printer, value, {dim: bounds}, fill)
    dims = made[0].dims | made[1].dims | {dim}
    rank = max(value.rank for value in made)
    for place, (_, bounds) in enumerate(pieces):
        with printer.space.within({dim: bounds}):
            made[place] = printer.ranked(printer.spread(made[place], dims), rank)
    dtype = next((value.dtype for value in made if value.dtype == one.dtype), made[0].dtype)
    made = [to(value, dtype) for value in made]
    parts = [p for value in made for p in _parts(value.node, dim - printer.rank)]
    node = call("torch.cat", ast.List(parts, ast.Load()), literal(dim - printer.rank))
    return broadcast(node, made, dtype)


def _bounded_load(printer: Printer, value: Expression, dim: int) -> bool:
    """Whether something is loaded only where a dimension stays within bounds."""
    conditions = (c for node in walk(value) if isinstance(node, Load) for c in narrowing(node.mask))
    return any(found[0] == dim for found in map(printer.space.bounded, conditions) if found is not None)


def _parts(node: ast.expr, dim: int) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="cat"), args=[ast.List(elts=parts), at]) if (
            ast.unparse(at) == str(dim)
        ):
            return list(parts)
    return [node]


def _number(node: ast.expr) -> float | None:
    """The number that a text is."""
    match node:
        case ast.Constant(value=(bool() | int() | float()) as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := _number(operand)) is not None:
            return -inner
        case ast.Attribute(attr="inf" | "nan" as word):
            return float(word)
    return None


def bucketize(printer: Printer, node: Operation) -> Value:
    """`torch.bucketize`, or a helper where the boundaries of one row after the other lie in one tensor."""
    if len(node.inputs) != 7 or not isinstance(node.inputs[1], Load):
        raise NoReference("it searches among boundaries that are not told")
    value, load, size, stride, start, right, sorter = node.inputs
    assert isinstance(load, Load)
    if not (isinstance(sorter, Unknown) and sorter.text == "None"):
        raise NoReference("it searches among boundaries in the order of another tensor")
    found = tensor(printer.value(value), joined(value))
    row = memory_of(printer, load.pointer, load.version)
    if load.dtype != found.dtype:
        row = method(row, "to", dtype_of(found.dtype))
    keywords = {"right": ast.Constant(True)} if isinstance(right, Constant) and right.value else {}
    shape = printer.tensors[load.pointer].told.shape
    one = isinstance(stride, Constant) and stride.value == 1 and isinstance(start, Constant) and start.value == 0
    length = printer.value(size)
    if one:
        whole = len(shape) == 1 and Size.of(shape[0]) == (
            Size(int(size.value))
            if isinstance(size, Constant)
            else Size.of(printer.bound.get(ast.unparse(length.node), "?"))
        )
        row = row if whole else subscript(row, [ast.Slice(None, length.node, None)])
        made = call("torch.bucketize", found.node, row, **keywords)
        return changed(found, made, dtype="int64", weight=found.weight + 2)
    printer.helpers.add("bucket")
    first = tensor(printer.value(start), "int64")
    made = call("bucket", found.node, row, first.node, printer.value(stride).node, length.node, **keywords)
    return broadcast(made, [found, first], "int64", weight=3)


def bitcast(printer: Printer, node: Operation) -> Value:
    """The bits of a value as another dtype of the same width."""
    (operand,) = node.inputs
    target = node.dtype
    if isinstance(operand, Constant):
        return constant(Constant(target, frozenset(), reinterpreted(operand.value, operand.dtype, target)))
    value = printer.value(operand)
    source = operand.dtype
    if not floating(source) and not floating(target):
        if target == "int64" or target == "uint64" or source == "uint64":
            return to(value, "int64") if target != "bool" else value
        return cast(value, target, Cast(target, operand.axes, operand))
    helper = "bits" if floating(source) else "from_bits"
    printer.helpers.add(helper)
    told = source if floating(source) else target
    made = call(helper, value.node, dtype_of(told))
    whole = f"int{ {'float16': 16, 'bfloat16': 16, 'float32': 32, 'float64': 64}.get(told, 8) }"
    return changed(value, made, dtype=whole if floating(source) else target, weight=value.weight + 1)


RANDOM = {
    "rand": "rand", "randn": "randn", "rand4x": "rand_uniform_4x", "randn4x": "rand_normal_4x", "randint": "randint",
    "randint64": "rand_between",
}  # fmt: skip
"""Calls that there is a helper for -> its name, which is none of the kernel's own helpers."""


def random(printer: Printer, node: Random) -> Value:
    """The helper's call, where the numbers do not depend on how the kernel is cut into blocks."""
    if node.name not in RANDOM:
        raise NoReference(f"eager PyTorch has no function for `{node.name}`")
    called = node.name
    if called.endswith("4x") and all(
        whole.is_number and whole.number < 3 for whole in (printer.space.axes[axis].whole for axis in node.axes)
    ):
        called = called.removesuffix("4x")  # a block of fewer than four draws one by one
    elif called.endswith("4x") and not _consecutive(printer, node.inputs[1]):
        raise NoReference("its random numbers depend on the block size: their offsets are not consecutive")
    printer.helpers |= {RANDOM[called], "philox"}
    values = [to(tensor(printer.value(one), "int64"), "int64") for one in node.inputs]
    made = call(RANDOM[called], *(value.node for value in values))
    return broadcast(made, values, "float32" if "int" not in called else "int64", weight=1)


def _consecutive(printer: Printer, offset: Expression) -> bool:
    """Whether neighbours have neighbouring offsets, from a multiple of four on, whatever the block."""
    while isinstance(offset, (Cast, Broadcast)):
        offset = offset.operand
    if not isinstance(offset, Position) or offset.index.constant % 4:
        return False
    factors = printer.space.factors(offset.index)
    return factors == {number: dim.stride for number, dim in enumerate(printer.space.dims) if dim.axis in offset.axes}


SPECIAL: dict[str, Callable[[Printer, Operation], Value]] = {"bitcast": bitcast, "bucketize": bucketize, "not": _not}
"""Operators that are no function of torch alone."""
