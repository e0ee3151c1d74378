"""Loads and stores in eager PyTorch: views where the address is affine, paddings and concatenations where a mask bounds it, else by address."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from inductor_lab.computation.addresses import Limit, index_of, limits
from inductor_lab.computation.folds import masks
from inductor_lab.computation.footprint import distinct
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Constant, Expression, Load, Operation, walk
from inductor_lab.eject.eager.extent import ONE, Extent
from inductor_lab.eject.eager.lines import Line
from inductor_lab.eject.eager.positions import arange, position, summed
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    WIDE_UNSIGNED,
    Value,
    call,
    changed,
    dtype_of,
    held,
    literal,
    method,
    name,
    part,
    subscript,
    text,
    tuple_of,
)
from inductor_lab.eject.eager.views import Slot, View, view
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


Range = tuple[int, int]


# ---- masks


def conjuncts(mask: Expression | None) -> list[Expression]:
    """The parts of a conjunction but the masks of elements that do not exist."""
    match mask:
        case None:
            return []
        case Operation(name="and", inputs=(left, right)):
            return [*conjuncts(left), *conjuncts(right)]
    return [] if masks(mask) else [mask]


def bounded(printer: Printer, condition: Expression) -> tuple[int, Range] | None:
    """The dimension that a condition bounds, and the places where it holds, where that is all that it says."""
    found = limits(condition)
    return _range(printer, found[0]) if len(found) == 1 else None


def _range(printer: Printer, limit: Limit) -> tuple[int, Range] | None:
    digits = printer.space.digits(limit.coordinate)
    if not digits:
        return None
    dim, weight = digits[0]
    size = printer.space.dims[dim].size
    if not weight.is_number or not size.is_number:
        return None
    by = weight.number
    if limit.low % by or (limit.high is not None and limit.high % by):
        return None
    high = size.number if limit.high is None else min(size.number, limit.high // by)
    return dim, (limit.low // by, max(high, limit.low // by))


def split(printer: Printer, mask: Expression | None) -> tuple[dict[int, Range], list[Expression]]:
    """The ranges of dimensions that a mask leaves, and the conditions beside them that it makes."""
    ranges: dict[int, Range] = {}
    others = []
    for condition in conjuncts(mask):
        found = bounded(printer, condition)
        if found is None:
            others.append(condition)
            continue
        dim, (low, high) = found
        before = ranges.get(dim) or printer.ranges.get(dim) or (0, _size(printer, dim))
        ranges[dim] = (max(low, before[0]), max(min(high, before[1]), max(low, before[0])))
    kept = {
        dim: bounds for dim, bounds in ranges.items() if bounds != (printer.ranges.get(dim) or (0, _size(printer, dim)))
    }
    return kept, others


def _size(printer: Printer, dim: int) -> int:
    size = printer.space.dims[dim].size
    return size.number if size.is_number else 10**18


@contextmanager
def within(printer: Printer, ranges: Mapping[int, Range]) -> Iterator[None]:
    outside = printer.ranges
    printer.ranges = outside | dict(ranges)
    try:
        yield
    finally:
        printer.ranges = outside


# ---- loads


def load(printer: Printer, node: Load) -> Value:
    ranges, others = split(printer, node.mask)
    if any(low >= high for low, high in ranges.values()):
        return _other(printer, node)
    if others:
        return gathered(printer, node, conjuncts(node.mask))
    if not ranges:
        return viewed(printer, node) or indexed(printer, node) or gathered(printer, node, [])
    if node.other is not None and number(node.other) is None:
        return gathered(printer, node, conjuncts(node.mask))
    with within(printer, ranges):
        inner = viewed(printer, node)
    if inner is None:
        return gathered(printer, node, conjuncts(node.mask))
    with within(printer, ranges):
        inner = printer.spread(inner, ranges)
    return padded(printer, inner, ranges, number(node.other) if node.other is not None else 0)


def _other(printer: Printer, node: Load) -> Value:
    if node.other is not None:
        return printer.value(node.other)
    kind = "float" if "float" in node.dtype else "int"
    return Value(literal(0.0 if kind == "float" else 0), frozenset(), -1, kind)


def padded(printer: Printer, value: Value, ranges: Mapping[int, Range], other: float | None) -> Value:
    """The value of a part in the middle of what it is a part of."""
    first = min(ranges)
    pads: list[ast.expr] = []
    for dim in range(printer.rank - 1, first - 1, -1):
        low, high = printer.ranges.get(dim) or (0, _size(printer, dim))
        inner = ranges.get(dim, (low, high))
        pads += [literal(inner[0] - low), literal(high - inner[1])]
    keywords = {"value": literal(_as(other, value.dtype))} if other else {}
    node = call("torch.nn.functional.pad", value.node, tuple_of(pads), **keywords)
    return changed(value, node, weight=value.weight + 2 + len(pads))


def _as(other: float, dtype: str) -> int | float:
    return other if "float" in dtype else int(other)


def content(printer: Printer, pointer: str, version: int) -> ast.expr:
    versions = printer.versions[pointer]
    if version >= len(versions):
        raise NoReference(f"it reads {pointer} again after stores that are not told apart")
    return versions[version]


def typed(printer: Printer, pointer: str) -> TensorType:
    if pointer not in printer.tensors:
        raise NoReference(f"the launch does not pass {pointer}")
    type_ = printer.tensors[pointer].type
    if type_ is None:
        raise NoReference(f"the shape of {pointer} is not told")
    return type_


def _read(printer: Printer, node: Load, made: Value) -> Value:
    """A loaded value in a dtype that torch computes in."""
    return printer.to(replace(made, dtype=node.dtype), held(node.dtype)) if node.dtype in WIDE_UNSIGNED else made


def seen_by(printer: Printer, type_: TensorType, index: Index) -> View | None:
    """How an address walks through a tensor under the ranges of just now."""
    if index.expressions() or any(term.of is None for term in index.terms):
        return None
    factors = printer.space.factors(index)
    if factors is None:
        return None
    counts = {dim: printer.count(dim) for dim in factors}
    lows = {dim: printer.ranges[dim][0] for dim in factors if dim in printer.ranges}
    factors = {dim: factor for dim, factor in factors.items() if not counts[dim].is_one or not lows.get(dim)}
    ones = {dim for dim, count in counts.items() if count.is_one}
    start = index.constant
    factors = {dim: factor for dim, factor in factors.items() if dim not in ones}
    for dim in ones:
        original = printer.space.factors(index)
        assert original is not None
        if not original[dim].is_number:
            return None
        start += original[dim].number * lows.get(dim, 0)
    return view(type_, factors, start, counts, lows)


def viewed(printer: Printer, node: Load) -> Value | None:
    """An affine load as a view of its tensor."""
    type_ = typed(printer, node.pointer)
    if node.index is None:
        raise NoReference(f"{node.pointer} is read through a block pointer")
    found = seen_by(printer, type_, node.index)
    if found is None:
        return None
    made = aligned(printer, content(printer, node.pointer, node.version), found)
    return _read(printer, node, replace(made, dtype=node.dtype))


def cut(printer: Printer, base: ast.expr, found: View) -> tuple[ast.expr, list[Slot], list[ast.expr]]:
    """The tensor in its slots, and the index that leaves those which are walked along."""
    if found.reshaped:
        base = method(base, "reshape", *(printer.extent(slot.size) for slot in found.slots))
    indices: list[ast.expr] = []
    for slot in found.slots:
        if slot.dim is None:
            indices.append(literal(slot.start))
        elif slot.whole:
            indices.append(ALL)
        else:
            high = slot.start + slot.count.number if slot.count.is_number else None
            if high is None:
                raise NoReference("a part of a tensor whose size is symbolic")
            indices.append(part(slot.start, None if slot.size == Extent(high) else high))
    return base, list(found.slots), indices


def aligned(printer: Printer, base: ast.expr, found: View) -> Value:
    """A view whose dimensions stand where those of the space stand."""
    base, slots, indices = cut(printer, base, found)
    walked = [slot.dim for slot in slots if slot.dim is not None]
    back = [slot.dim for slot in slots if slot.back and slot.dim is not None]
    dims = frozenset(walked)
    if walked == sorted(walked):
        made: list[ast.expr] = []
        at = printer.rank - 1
        for slot, index in zip(reversed(slots), reversed(indices), strict=True):
            if slot.dim is None:
                inside = any(s.dim is not None for s in slots[: slots.index(slot)]) or True
                if slot.size.is_one and at >= 0 and at not in dims and inside and _room(slots, slot, at, dims):
                    made.append(ALL)
                    at -= 1
                else:
                    made.append(index)
                continue
            while at > slot.dim:
                made.append(NEW)
                at -= 1
            made.append(index)
            at -= 1
        rank = printer.rank - 1 - at
        node = _plain(subscript(base, made[::-1]))
    else:
        node = subscript(base, indices)
        order = [walked.index(dim) for dim in sorted(walked)]
        node = permuted(node, order)
        first = min(walked)
        inserted = [ALL if dim in dims else NEW for dim in range(first, printer.rank)]
        node = subscript(node, inserted)
        rank = printer.rank - first
    if back:
        node = method(node, "flip", *(literal(dim - printer.rank) for dim in sorted(back)))
    weight = 1 if isinstance(node, ast.Name) else 5 if found.reshaped else 3
    after = printer.rank - 1 - max(walked) if walked == sorted(walked) and walked and not back else 0
    shorter = (after, subscript(base, _without(made, after))) if after else None
    return Value(node, dims, rank, "", weight, short=shorter)


def _without(indices: Sequence[ast.expr], count: int) -> list[ast.expr]:
    """An index, last dimension first, without the last dimensions that broadcasting needs; in the tensor's order."""
    kept = []
    for index in indices:
        if count and (index is NEW or index is ALL):
            count -= 1
            if index is NEW:
                continue
            index = literal(0)
        kept.append(index)
    return kept[::-1]


def _room(slots: Sequence[Slot], slot: Slot, at: int, dims: frozenset[int]) -> bool:
    """Whether a dimension of one element may stand for one of the space: those before it still find their places."""
    before = slots[: next(n for n, s in enumerate(slots) if s is slot)]
    walked = [s.dim for s in before if s.dim is not None]
    return not walked or max(walked) < at


def _plain(node: ast.expr) -> ast.expr:
    """Without `[None, None]` in front, which broadcasting adds by itself."""
    return node


def permuted(node: ast.expr, order: Sequence[int]) -> ast.expr:
    if list(order) == sorted(order):
        return node
    if list(order) == [1, 0]:
        return ast.Attribute(node, "T", ast.Load())
    swapped = [n for n, place in enumerate(order) if n != place]
    if len(swapped) == 2:
        return method(node, "transpose", *map(literal, swapped))
    return method(node, "permute", *map(literal, order))


def dense(type_: TensorType) -> list[int] | None:
    """The dimensions by their strides, the widest first, where together they fill their memory without a gap."""
    shape = [Extent.of(size) for size in type_.shape]
    stride = [Extent.of(step) for step in type_.stride]
    places = [n for n, size in enumerate(shape) if not size.is_one]
    order: list[int] = []
    expected = ONE
    left = set(places)
    while left:
        found = next((n for n in sorted(left, reverse=True) if stride[n] == expected), None)
        if found is None:
            return None
        order.append(found)
        left.remove(found)
        expected *= shape[found]
    return order[::-1]


def row(printer: Printer, pointer: str, version: int) -> ast.expr:
    """A tensor as it lies in memory: one row."""
    type_ = typed(printer, pointer)
    base = content(printer, pointer, version)
    return rowed(printer, base, type_)


def rowed(printer: Printer, base: ast.expr, type_: TensorType) -> ast.expr:
    order = dense(type_)
    if order is None:
        printer.helpers.add("memory")
        strides = tuple_of([printer.extent(Extent.of(step)) for step in type_.stride])
        return call("memory", base, strides)
    if len(type_.shape) == 1:
        return base
    if order != sorted(order):
        rest = [n for n in range(len(type_.shape)) if n not in order]
        base = permuted(base, [*rest, *order])
    return method(base, "flatten")


def gathered(printer: Printer, node: Load, conditions: Sequence[Expression]) -> Value:
    """A load by its address in memory, where a mask holds."""
    if node.index is None:
        raise NoReference(f"{node.pointer} is read through a block pointer")
    if not conditions and (found := indexed(printer, node)) is not None:
        return found
    address = position(printer, node.index)
    memory = row(printer, node.pointer, node.version)
    if not conditions:
        made = Value(
            subscript(memory, [address.node]), address.dims, max(address.rank, 0), node.dtype, address.weight + 2
        )
        return _read(printer, node, made)
    condition = _all(printer, conditions)
    other = printer.value(node.other) if node.other is not None else None
    values = [address, condition, *([other] if other else [])]
    dims = frozenset[int]().union(*(value.dims for value in values))
    rank = max(0, *(value.rank for value in values))
    printer.helpers.add("at")
    arguments = [printer.tensor(address, "int64").node, condition.node]
    if other is not None and not (isinstance(node.other, Constant) and node.other.value == 0):
        arguments.append(other.node)
    made = Value(call("at", memory, *arguments), dims, rank, node.dtype, sum(v.weight for v in values) + 2)
    return _read(printer, node, made)


def _all(printer: Printer, conditions: Sequence[Expression]) -> Value:
    total = printer.tensor(printer.value(conditions[0]), "bool")
    for condition in conditions[1:]:
        value = printer.value(condition)
        total = Value(
            ast.BinOp(total.node, ast.BitAnd(), value.node),
            total.dims | value.dims,
            max(total.rank, value.rank),
            "bool",
            total.weight + value.weight + 1,
        )
    return total


def places(printer: Printer, pointer: str, index: Index) -> list[Value] | None:
    """An address as one place along each dimension of its tensor; None where it is not sure that each stays inside."""
    type_ = typed(printer, pointer)
    shape = [Extent.of(size) for size in type_.shape]
    stride = [Extent.of(step) for step in type_.stride]
    if index.constant or any(step.number == 0 for step in stride) or not index.expressions():
        return None
    outer = max((n for n, size in enumerate(shape) if not size.is_one), key=lambda n: stride[n].order, default=None)
    parts: list[list[tuple[Value, Extent]]] = [[] for _ in shape]
    for term in index.terms:
        factor = Extent.of("*".join(("1", *(f"({size})" for size in term.sizes))), printer.bound) * Extent(term.factor)
        if isinstance(term.of, Expression):
            at = next((n for n, step in enumerate(stride) if step == factor and not shape[n].is_one), None)
            if at is None or parts[at]:
                return None
            inner = wrapped(term.of)
            if inner is not None and index_of(term.of.operands[1]).plus(index_of(inner).times(-1)) != Index(0):
                by = index_of(term.of.operands[1]).plus(index_of(inner).times(-1))
                whole = by.constant if by.is_constant else None
                inner = inner if whole is not None and Extent(whole) == shape[at] else None
            if inner is None and at != outer:
                return None
            value = printer.value(inner if inner is not None else term.of)
            parts[at].append((value if value.dtype in {"int64", "int"} else printer.to(value, "int64"), ONE))
            continue
        if term.of is None:
            return None
        digits = printer.space.digits(term.of)
        if digits is None:
            return None
        for dim, weight in digits:
            step = factor * weight
            fitting = [n for n, s in enumerate(stride) if not shape[n].is_one and (by_ := step.over(s)) is not None
                       and shape[n].over(by_ * printer.space.dims[dim].size) is not None]  # fmt: skip
            if not fitting:
                return None
            at = max(fitting, key=lambda n: stride[n].order)
            scale = step.over(stride[at])
            assert scale is not None
            parts[at].append((arange(printer, dim), scale))
    if any(isinstance(t.of, Expression) for t in index.terms):
        mixed = [p for n, p in enumerate(parts) if len(p) > 1]
        if any(value.weight and not isinstance(value.node, ast.Name) for p in mixed for value, _ in p):
            pass
    return [summed(printer, p, 0) for p in parts]


def indexed(printer: Printer, node: Load) -> Value | None:
    """`table[ids]`: a load whose address the data decides, by the tensor's own dimensions."""
    if node.index is None:
        return None
    found = places(printer, node.pointer, node.index)
    if found is None:
        return None
    base = content(printer, node.pointer, node.version)
    dims = frozenset[int]().union(*(value.dims for value in found))
    rank = max(0, *(value.rank for value in found))
    kept = list(found)
    type_ = typed(printer, node.pointer)
    trailing = 0
    while len(kept) > 1 and trailing < rank:
        dim = printer.rank - 1 - trailing
        last = kept[-1]
        if (
            last.dims != {dim}
            or last.node is not arange(printer, dim).node
            or printer.count(dim) != Extent.of(type_.shape[len(kept) - 1])
        ):
            break
        if any(dim in value.dims for value in kept[:-1]):
            break
        kept.pop()
        trailing += 1
    if trailing:
        kept = [squeezed(printer, value, trailing) for value in kept]
    index = [value.node for value in kept]
    made = ast.Subscript(base, index[0] if len(index) == 1 else ast.Tuple(index, ast.Load()), ast.Load())
    return _read(printer, node, Value(made, dims, rank, node.dtype, sum(value.weight for value in kept) + 2))


def squeezed(printer: Printer, value: Value, trailing: int) -> Value:
    """The value without its last dimensions, along which it has one element."""
    if value.rank <= 0:
        return value
    if value.short is not None and value.short[0] == trailing:
        return changed(value, value.short[1], rank=value.rank - trailing)
    node = value.node
    if trailing >= value.rank:
        return changed(value, method(node, "reshape", ast.Tuple([], ast.Load())), rank=0)
    for _ in range(trailing):
        node = method(node, "squeeze", literal(-1))
    return changed(value, node, rank=value.rank - trailing)


# ---- concatenations


def concatenated(printer: Printer, inputs: Sequence[Expression]) -> Value | None:
    """`where(x0 < 32, a, b)` whose sides are only read where they hold: two pieces, one after the other."""
    condition, one, other = inputs
    real = conjuncts(condition)
    if len(real) != 1 or (found := bounded(printer, real[0])) is None:
        return None
    dim, (low, high) = found
    begin, end = printer.ranges.get(dim) or (0, _size(printer, dim))
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
        with within(printer, {dim: bounds}):
            made.append(printer.value(side))
    for place, (value, filler) in enumerate(((made[0], made[1]), (made[1], made[0]))):
        fill = told(filler.node)
        if filler.number and not value.number and fill is not None:
            bounds = pieces[place][1]
            with within(printer, {dim: bounds}):
                value = printer.spread(value, [dim])
            return padded(printer, value, {dim: bounds}, fill)
    dims = made[0].dims | made[1].dims | {dim}
    rank = max(value.rank for value in made)
    for place, (_, bounds) in enumerate(pieces):
        with within(printer, {dim: bounds}):
            made[place] = printer.ranked(printer.spread(made[place], dims), rank)
    dtype = next((value.dtype for value in made if value.dtype == one.dtype), made[0].dtype)
    made = [printer.to(value, dtype) for value in made]
    parts = [p for value in made for p in _parts(value.node, dim - printer.rank)]
    node = call("torch.cat", ast.List(parts, ast.Load()), literal(dim - printer.rank))
    return Value(node, dims, max(value.rank for value in made), dtype, sum(value.weight for value in made) + 2)


def told(node: ast.expr) -> float | None:
    """The number that a text is."""
    match node:
        case ast.Constant(value=(bool() | int() | float()) as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := told(operand)) is not None:
            return -inner
        case ast.Attribute(attr="inf" | "nan" as word):
            return float(word)
    return None


def _bounded_load(printer: Printer, value: Expression, dim: int) -> bool:
    for node in walk(value):
        if isinstance(node, Load):
            for condition in conjuncts(node.mask):
                found = bounded(printer, condition)
                if found is not None and found[0] == dim:
                    return True
    return False


def _parts(node: ast.expr, dim: int) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="cat"), args=[ast.List(elts=parts), at]) if (
            text(at) == str(dim)
        ):
            return list(parts)
    return [node]


# ---- stores


def store(printer: Printer, access: Access) -> None:
    type_ = typed(printer, access.pointer)
    kind = access.kind
    if access.value is None:
        raise NoReference(f"what is stored in {access.pointer} is not told")
    before = printer.versions[access.pointer][-1]
    ranges, others = split(printer, access.mask)
    if any(low >= high for low, high in ranges.values()):
        printer.versions[access.pointer].append(before)
        return
    stored = access.value
    with within(printer, ranges):
        found = seen_by(printer, type_, access.index)
        if kind == "store" and found is not None:
            after = _placed(printer, access, stored, type_, found, others, before)
        elif kind == "atomic_add" and found is not None and not others:
            after = _added(printer, access, stored, type_, found, before)
        elif kind in ATOMIC:
            after = _scattered(printer, access, stored, type_, others, before)
        else:
            raise NoReference(f"eager PyTorch has no {kind}")
    printer.versions[access.pointer].append(after)


ATOMIC = {"store": "", "atomic_add": "add", "atomic_max": "amax", "atomic_min": "amin", "atomic_xchg": ""}


def _placed(
    printer: Printer, access: Access, stored: Expression, type_: TensorType, found: View, others: Sequence[Expression], before: ast.expr
) -> ast.expr:  # fmt: skip
    value = _in_dtype(printer, printer.value(stored), type_)
    walked = [slot.dim for slot in found.slots if slot.dim is not None]
    if others:
        condition = _all(printer, others)
        old = replace(aligned(printer, before, found), dtype=type_.dtype)
        node = call("torch.where", condition.node, value.node, old.node)
        value = Value(
            node, condition.dims | value.dims | old.dims, max(condition.rank, value.rank, old.rank), type_.dtype, 9
        )
        value = replace(value, dtype=type_.dtype)
    if found.whole:
        made = shaped(printer, value, walked, type_, found)
        fresh = printer.fresh(printer.tensors[access.pointer].name + "_new")
        printer.lines.append(Line(fresh, made))
        return name(fresh)
    return _written(printer, access, before, type_, found, value, walked)


def _written(
    printer: Printer, access: Access, before: ast.expr, type_: TensorType, found: View, value: Value, walked: list[int]
) -> ast.expr:
    """A part of a tensor, written in a copy of it."""
    target = _copy(printer, access, before, type_)
    base, _, indices = cut(printer, target, found)
    if found.reshaped and isinstance(base, ast.Call):
        base = method(target, "view", *base.args)
    back = [n for n, slot in enumerate(s for s in found.slots if s.dim is not None) if slot.back]
    arranged = arranged_as(printer, value, walked)
    if back:
        arranged = changed(arranged, method(arranged.node, "flip", *map(literal, back)))
    if found.reshaped and not any(isinstance(i, (ast.Constant, ast.Slice)) and i is not ALL for i in indices):
        place: ast.expr = ast.Subscript(base, ALL, ast.Load())
    else:
        place = subscript(base, indices)
        if place is base:
            place = ast.Subscript(base, ast.Constant(...), ast.Load())
    printer.lines.append(Line("", arranged.node, place))
    return target


def _copy(printer: Printer, access: Access, before: ast.expr, type_: TensorType) -> ast.expr:
    """The tensor that a part is written to: a copy of what was there, or an empty one where the kernel writes all of it."""
    copies = [line.target for line in printer.lines if line.copied]
    if isinstance(before, ast.Name) and before.id in copies and access.pointer not in printer.reread:
        return before
    fresh = printer.fresh(printer.tensors[access.pointer].name + "_new")
    known = isinstance(before, ast.Name) and before.id == printer.tensors[access.pointer].name
    if known and all_written(printer, access.pointer, type_):
        shape = tuple_of([printer.extent(Extent.of(size)) for size in type_.shape])
        made = call("torch.empty", shape, dtype=dtype_of(type_.dtype), device=name("DEVICE"))
    else:
        made = method(before, "clone")
    printer.lines.append(Line(fresh, made, copied=True))
    return name(fresh)


def all_written(printer: Printer, pointer: str, type_: TensorType) -> bool:
    """Whether the stores of this job together write every element."""
    boxes = []
    for access in printer.job.stores:
        if access.pointer != pointer:
            continue
        _, others = split(printer, access.mask)
        box = printer.job.box(access)
        if access.kind != "store" or others or box is None:
            return False
        boxes.append(box)
    sizes = [size for size in type_.shape if isinstance(size, int)]
    elements = 1
    for size in sizes:
        elements *= size
    return len(sizes) == len(type_.shape) and distinct(boxes) == elements and dense(type_) is not None


def _in_dtype(printer: Printer, value: Value, type_: TensorType) -> Value:
    if value.number:
        if value.dtype == "float" and "float" not in type_.dtype:
            value = printer.tensor(value, "float32")
            return printer.to(value, type_.dtype)
        return (
            printer.tensor(value, type_.dtype)
            if type_.dtype not in WIDE_UNSIGNED
            else printer.to(printer.tensor(value, "int64"), type_.dtype)
        )
    return printer.to(value, type_.dtype)


def arranged_as(printer: Printer, value: Value, walked: Sequence[int]) -> Value:
    """The value with exactly these dimensions, in this order."""
    order = sorted(walked)
    value = printer.spread(value, order)
    first = printer.rank - value.rank
    node = value.node
    own = list(range(first, printer.rank))
    dropped = [dim for dim in own if dim not in walked]
    if dropped:
        folded = _unkept(value, dropped)
        if folded is not None:
            node = folded
        elif any(dim in value.dims for dim in dropped):
            raise NoReference("several values are stored in one place")
        else:
            last = len([dim for dim in own if dim in walked and dim < min(dropped)])
            if last == len(order):
                node = subscript(node, [*[ALL] * last, *[literal(0)] * len(dropped)])
            else:
                node = subscript(node, [literal(0) if dim in dropped else ALL for dim in own])
    node = permuted(node, [order.index(dim) for dim in walked])
    return changed(value, node, rank=len(walked))


def _unkept(value: Value, dropped: Sequence[int]) -> ast.expr | None:
    """`x.sum(-1)` of `x.sum(-1, keepdim=True)` where just that dimension goes."""
    match value.node:
        case ast.Call(func=function, args=arguments, keywords=[*others, ast.keyword(arg="keepdim")]) if (
            value.folded and sorted(value.folded) == sorted(dropped)
        ):
            return ast.Call(function, arguments, others)
    return None


def shaped(printer: Printer, value: Value, walked: Sequence[int], type_: TensorType, found: View) -> ast.expr:
    """The value as the whole tensor, in its own shape."""
    back = [n for n, slot in enumerate(s for s in found.slots if s.dim is not None) if slot.back]
    arranged = arranged_as(printer, value, walked)
    node = arranged.node
    if back:
        node = method(node, "flip", *map(literal, back))
    if found.reshaped or len(walked) != len(type_.shape):
        shape = [printer.extent(Extent.of(size)) for size in type_.shape]
        own = range(printer.rank - value.rank, printer.rank)
        ones = [size == 1 for size in type_.shape]
        ordered = not found.reshaped and not back and list(walked) == sorted(walked) and value.dims == set(walked)
        if ordered and ones == [dim not in walked for dim in own]:
            return value.node  # the dimensions that it has of size 1 are the tensor's own
        if not found.reshaped and not walked and not shape:
            return node
        return method(node, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    return node


def _executed(printer: Printer, access: Access, stored: Expression) -> frozenset[int]:
    """The dimensions over which an atomic operation is repeated."""
    axes = stored.axes | frozenset(c.axis for c in access.index.coordinates())
    axes |= frozenset(axis for e in access.index.expressions() for axis in e.axes)
    axes |= access.mask.axes if access.mask is not None else frozenset()
    return printer.space.of_axes(axes)


def _added(
    printer: Printer, access: Access, stored: Expression, type_: TensorType, found: View, before: ast.expr
) -> ast.expr:
    """An atomic addition to addresses that are known: the sum over the dimensions that do not move the address."""
    walked = [slot.dim for slot in found.slots if slot.dim is not None]
    value = printer.value(stored)
    value = printer.tensor(value, type_.dtype)
    over = sorted(_executed(printer, access, stored) - set(walked))
    if over:
        value = printer.spread(value, over)
        which: ast.expr = (
            literal(over[0] - printer.rank) if len(over) == 1 else tuple_of([literal(d - printer.rank) for d in over])
        )
        node = method(value.node, "sum", which, keepdim=ast.Constant(True))
        value = changed(value, node, dims=value.dims - set(over), folded=tuple(over))
    value = printer.to(value, type_.dtype)
    if found.whole:
        made = ast.BinOp(before, ast.Add(), shaped(printer, value, walked, type_, found))
        fresh = printer.fresh(printer.tensors[access.pointer].name + "_new")
        printer.lines.append(Line(fresh, made))
        return name(fresh)
    old = replace(aligned(printer, before, found), dtype=type_.dtype)
    total = Value(
        ast.BinOp(old.node, ast.Add(), value.node), old.dims | value.dims, max(old.rank, value.rank), type_.dtype, 9
    )
    return _written(printer, access, before, type_, found, total, walked)


def _scattered(
    printer: Printer,
    access: Access,
    stored: Expression,
    type_: TensorType,
    others: Sequence[Expression],
    before: ast.expr,
) -> ast.expr:
    """A store or an atomic operation where the data decides the address, or whether it happens."""
    accumulate = access.kind == "atomic_add"
    value = _in_dtype(printer, printer.value(stored), type_)
    if not others and ATOMIC[access.kind] in {"", "add"}:
        found = places(printer, access.pointer, access.index)
        if found is not None:
            dims = value.dims | _executed(printer, access, stored) if accumulate else value.dims
            covered = frozenset[int]().union(*(v.dims for v in found))
            if dims - covered:
                found[0] = printer.spread(printer.tensor(found[0], "int64"), dims | covered)
            indices = tuple_of([printer.tensor(v, "int64").node for v in found])
            keywords = {"accumulate": ast.Constant(True)} if accumulate else {}
            made = method(before, "index_put", indices, value.node, **keywords)
            fresh = printer.fresh(printer.tensors[access.pointer].name + "_new")
            printer.lines.append(Line(fresh, made))
            return name(fresh)
    address = printer.tensor(position(printer, access.index), "int64")
    if accumulate or ATOMIC[access.kind]:
        address = printer.spread(address, _executed(printer, access, stored))
    printer.helpers.add("put")
    arguments = [address.node, value.node]
    options: dict[str, ast.expr] = {}
    if others:
        options["mask"] = _all(printer, others).node
    if ATOMIC[access.kind]:
        options["how"] = ast.Constant(ATOMIC[access.kind])
    made = call("put", rowed(printer, before, type_), *arguments, **options)
    made = unrowed(printer, made, type_)
    fresh = printer.fresh(printer.tensors[access.pointer].name + "_new")
    printer.lines.append(Line(fresh, made))
    return name(fresh)


def unrowed(printer: Printer, made: ast.expr, type_: TensorType) -> ast.expr:
    """A row of memory as the tensor that lies in it."""
    shape = [printer.extent(Extent.of(size)) for size in type_.shape]
    order = dense(type_)
    if order is None:
        strides = [printer.extent(Extent.of(step)) for step in type_.stride]
        return method(made, "as_strided", tuple_of(shape), tuple_of(strides))
    if len(shape) == 1:
        return made
    if order == sorted(order):
        return method(made, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    rest = [n for n in range(len(shape)) if n not in order]
    places_ = [*rest, *order]
    made = method(made, "reshape", *(shape[n] for n in places_))
    return permuted(made, [places_.index(n) for n in range(len(shape))])
