"""One job of a kernel, value by value: expressions of the tree to PyTorch in the iteration space."""

from __future__ import annotations

import ast
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation.dtypes import DTYPES, joined
from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.idioms import named
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
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
from inductor_lab.eject.eager import folds, memory
from inductor_lab.eject.eager.extent import ONE, Extent
from inductor_lab.eject.eager.lines import Line
from inductor_lab.eject.eager.space import Space
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    WIDE_UNSIGNED,
    Value,
    call,
    changed,
    dtype_of,
    filled,
    floating,
    held,
    literal,
    method,
    name,
    part,
    promoted,
    subscript,
    substituted,
    text,
    tuple_of,
)
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.tensors import TensorView

LONG = 16
"""Nodes of a text beyond which it gets a variable of its own."""
EXACT = {"relu", "leaky_relu", "remainder", "floor_divide", "silu", "sigmoid"}
"""Idioms that are the same function to the last NaN: `gelu` of -inf is -0.0 in torch on the CPU, NaN as it is written out."""
COMPARED = {"lt", "le", "gt", "ge", "eq", "ne"}
FOLDED_BY_PYTHON = {"add", "sub", "mul", "neg"} | COMPARED
"""What Python itself does with two numbers as Triton does."""
NUMBERS = {"add", "sub", "mul", "div", "neg", "pow", "where", "and", "or", "xor", "shift_left", "shift_right", "fma", "floor_divide",
           "remainder"} | COMPARED  # fmt: skip
"""Operators of torch that take a number of Python on either side."""


class Printer:
    """Prints values; the statements that it needs on the way are its `lines`."""

    def __init__(
        self,
        taken: set[str],
        sizes: Mapping[str, str],
        tensors: Mapping[str, TensorView],
        bound: Mapping[str, str],
        functions: Mapping[str, ast.FunctionDef],
    ) -> None:
        self.taken = set(taken) | {"torch", "DEVICE", "math"}
        self.sizes = sizes
        self.tensors = tensors
        self.bound = bound
        self.functions = functions
        self.lines: list[Line] = []
        self.helpers: set[str] = set()
        self.versions: dict[str, list[ast.expr]] = {}
        self.known = self.symbols()
        self.kept: list[object] = []
        """Trees that are made on the way: values are known by the identity of their nodes."""
        self.parameters: dict[str, Value] = {}
        """What a combining function is given, while it is printed."""

    # ---- jobs

    def begin(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Go on with the next job of the kernel: a space of its own, tensors as the job before left them."""
        self.job = job
        self.versions = {pointer: [content] for pointer, content in contents.items()}
        self.done: dict[tuple[int, tuple[tuple[int, int, int], ...]], Value] = {}
        self.ranges: dict[int, tuple[int, int]] = {}
        stores = [access for access in job.stores if access.pointer in self.tensors]
        roots = [part for access in stores for part in (access.value, access.mask, *access.index.expressions()) if part]
        self.uses = Counter[int]()
        self.asked = Counter[int]()
        coordinates = [c for access in stores for c in access.index.coordinates()]
        coordinates += [c for node in walk(*roots) for c in behind_one(node)]
        self.space = Space.make(
            job.numel, self.bound, coordinates, [(a.index, self.tensors[a.pointer].type) for a in stores]
        )
        self.rank = len(self.space.dims)
        self.reread = {
            node.pointer for node in walk(*roots) if isinstance(node, Load) and node.version and node.pointer in self.tensors
        }  # fmt: skip
        self.siblings: dict[tuple[str, str, tuple[int, ...]], Reduction] = {}
        for node in walk(*roots):
            if isinstance(node, Reduction):
                self.siblings[node.name, node.part, tuple(map(id, node.inputs))] = node
        self.hidden = [node for node in walk(*roots) if hidden(node)][::-1]

    def job_of(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Print all stores of one job. It is done twice: once to see how often each value is asked for."""
        self.begin(job, contents)
        lines, taken, helpers, kept = len(self.lines), set(self.taken), set(self.helpers), len(self.kept)
        self.play()
        uses = self.asked
        del self.lines[lines:]
        del self.kept[kept:]
        self.taken, self.helpers = taken, helpers
        self.begin(job, contents)
        self.uses = uses
        self.play()

    def play(self) -> None:
        for node in self.hidden:
            self.value(node)  # what a tree too deep to walk down hides, the innermost first
        for access in self.job.stores:
            if access.pointer in self.tensors:
                memory.store(self, access)

    # ---- sizes

    def symbols(self) -> dict[Extent, ast.expr]:
        """What is known of sizes that are no numbers, as Python."""
        found: dict[Extent, ast.expr] = {}
        for view in sorted(self.tensors.values(), key=lambda view: not view.read):
            for place, size in enumerate(view.type.shape if view.type else ()):
                if isinstance(size, str):
                    found.setdefault(Extent.of(size), ast.parse(f"{view.name}.shape[{place}]", mode="eval").body)
        for size, spelled in self.sizes.items():
            found[Extent.of(size, self.bound)] = ast.parse(spelled, mode="eval").body
        return found

    def extent(self, extent: Extent) -> ast.expr:
        if extent.is_number:
            return literal(extent.number)
        if extent in self.known:
            return self.known[extent]
        for known, node in self.known.items():
            rest = extent.over(known) if known.symbols else None
            if rest is not None:
                return node if rest.is_one else ast.BinOp(self.extent(rest), ast.Mult(), node)
        for known, node in self.known.items():
            rest = known.over(extent)
            if rest is not None and rest.is_number:
                return ast.BinOp(node, ast.FloorDiv(), literal(rest.number))
        parts = [self.symbol(symbol) for symbol in extent.symbols]
        parts = parts if extent.number == 1 else [literal(extent.number), *parts]
        total = parts[0]
        for factor in parts[1:]:
            total = ast.BinOp(total, ast.Mult(), factor)
        return total

    def symbol(self, symbol: str) -> ast.expr:
        """One symbol, or a sum of several, spelled by what is known."""
        known = {e.symbols[0]: node for e, node in self.known.items() if e.number == 1 and len(e.symbols) == 1}
        if symbol in known:
            return known[symbol]
        told = ast.parse(symbol, mode="eval").body
        names = {n.id for n in ast.walk(told) if isinstance(n, ast.Name)} - {"max", "min"}
        if names <= set(known) and symbol not in names:
            return substituted(told, known)
        raise NoReference(f"the launch does not tell the size {symbol}")

    def size_of(self, dim: int) -> ast.expr:
        if dim in self.ranges:
            low, high = self.ranges[dim]
            return literal(high - low)
        return self.extent(self.space.dims[dim].size)

    def count(self, dim: int) -> Extent:
        if dim in self.ranges:
            low, high = self.ranges[dim]
            return Extent(high - low)
        return self.space.dims[dim].size

    def shape(self, dims: Iterable[int]) -> ast.expr:
        return tuple_of([self.size_of(dim) for dim in dims])

    # ---- values

    def value(self, node: Expression) -> Value:
        """A value under the ranges that hold just now, each once."""
        here = self.space.of_axes(node.axes)
        key = id(node), tuple(sorted((dim, *bounds) for dim, bounds in self.ranges.items() if dim in here))
        self.asked[id(node)] += 1
        if key not in self.done:
            found = self.made(node)
            if not isinstance(node, (Constant, Size, Inside)) and not found.number:
                simple = found.atom or isinstance(node, Broadcast)
                uses = self.uses[id(node)]
                often = uses > 1 and (found.weight > 3 or (uses > 2 and found.weight > 1))
                if not simple and not self.parameters and (often or found.weight > LONG or hidden(node)):
                    found = self.variable(self.noun(node), found)
            self.done[key] = found
        return self.done[key]

    def made(self, node: Expression) -> Value:
        match node:
            case Constant(value=value, dtype=dtype):
                kind = dtype if dtype in {"int", "bool"} else "float" if floating(dtype) else "int"
                kind = "bool" if isinstance(value, bool) else kind
                return Value(literal(float(value) if kind == "float" else value), frozenset(), -1, kind)
            case Size(name=size, dtype=dtype):
                return Value(self.size(size), frozenset(), -1, "float" if floating(dtype) else "int")
            case Position(index=index):
                return self.position(index)
            case Inside():
                return Value(ast.Constant(True), frozenset(), -1, "bool")
            case Load():
                return memory.load(self, node)
            case Broadcast(operand=operand):
                return self.value(operand)
            case Cast(operand=operand, dtype=dtype):
                return self.cast(self.value(operand), dtype, node)
            case Operation():
                return self.operation(node)
            case Reduction() | Partial():
                return self.whole(node, lambda: folds.reduction(self, node))
            case Scan():
                return self.whole(node, lambda: folds.scan(self, node))
            case Random():
                return self.random(node)
            case Unknown(text=said, inputs=inputs):
                if said in self.parameters:
                    return self.parameters[said]
                if hidden(node):
                    return self.value(inputs[0])
                raise NoReference(f"it is not understood what `{said if len(said) < 60 else said[:57] + '...'}` is")
            case Carried(name=carried):
                raise NoReference(f"{carried} is carried from one turn of a loop to the next in a way that is no fold")
        raise NoReference(f"eager PyTorch has no form for a {type(node).__name__}")

    def whole(self, node: Expression, make: Callable[[], Value]) -> Value:
        """A value that must be seen whole, also where only a part of it is asked for."""
        outside, self.ranges = self.ranges, {}
        try:
            key = id(node), ()
            if key not in self.done:
                self.done[key] = make()
                if outside:
                    self.done[key] = self.variable(self.noun(node), self.done[key])
            found = self.done[key]
        finally:
            self.ranges = outside
        return self.narrowed(found)

    def narrowed(self, value: Value) -> Value:
        """The part of a whole value that the ranges leave."""
        kept = [dim for dim in sorted(self.ranges) if dim in value.dims]
        if not kept:
            return value
        first = self.rank - value.rank
        indices = [part(*self.ranges[dim]) if dim in kept else ALL for dim in range(first, self.rank)]
        return changed(value, subscript(value.node, indices), weight=value.weight + 2)

    # ---- variables

    def variable(self, noun: str, value: Value) -> Value:
        fresh = self.fresh(noun)
        self.lines.append(Line(fresh, value.node))
        return changed(value, name(fresh), weight=1)

    def fresh(self, noun: str) -> str:
        noun = re.sub(r"\W", "_", noun) or "value"
        found, count = noun, 2
        while found in self.taken:
            found, count = f"{noun}_{count}", count + 1
        self.taken.add(found)
        return found

    def noun(self, node: Expression) -> str:
        match node:
            case Operation(name="where", inputs=(condition, kept, _)) if masks(condition):
                return self.noun(kept)
            case Operation(name=operator):
                idiom = self.idiom(node)
                row = TABLE.get(idiom[0] if idiom else operator)
                return (row.noun or row.name) if row else "value"
            case Broadcast(operand=operand):
                return self.noun(operand)
            case Cast(operand=Load(pointer=pointer), dtype=dtype) if pointer in self.tensors:
                return f"{self.tensors[pointer].name}_{dtype.rstrip('0123456789')}"
            case Cast(operand=operand):
                return self.noun(operand)
            case Reduction(name=fold, part=piece):
                return folds.NOUNS.get((fold, piece), folds.NOUNS.get((fold, ""), "folded"))
            case Scan(name=fold):
                return {"sum": "running_total", "prod": "running_product", "sort": "sorted_"}.get(fold, "running")
            case Random():
                return "random"
            case Load(pointer=pointer):
                return f"{self.tensors[pointer].name}_part" if pointer in self.tensors else "value"
            case Unknown(inputs=(inner,)):
                return self.noun(inner)
        return "value"

    # ---- shapes

    def spread(self, value: Value, dims: Iterable[int]) -> Value:
        """The value repeated along dimensions that it does not vary over, so that its shape has them."""
        missing = frozenset(dims) - value.dims
        if not missing:
            return value
        if not value.number and all(self.count(dim).is_one for dim in missing):
            value = self.ranked(value, max(self.rank - dim for dim in missing))
            return replace(value, dims=value.dims | missing)
        rank = max([value.rank, *(self.rank - dim for dim in missing)])
        if value.number:
            shape = tuple_of(
                [self.size_of(d) if d in missing else ast.Constant(1) for d in range(self.rank - rank, self.rank)]
            )
            dtype = {"float": "float32", "int": "int64"}.get(value.dtype, value.dtype)
            node = call("torch.full", shape, value.node, dtype=dtype_of(dtype), device=name("DEVICE"))
            return Value(node, missing, rank, dtype, value.weight + 3)
        sizes = []
        for dim in range(self.rank - rank, self.rank):
            held_already = dim >= self.rank - value.rank
            sizes.append(
                self.size_of(dim)
                if dim in missing
                else ast.UnaryOp(ast.USub(), ast.Constant(1))
                if held_already
                else ast.Constant(1)
            )
        return changed(
            value,
            method(value.node, "expand", *sizes),
            dims=value.dims | missing,
            rank=rank,
            weight=value.weight + 2,
        )

    def ranked(self, value: Value, rank: int) -> Value:
        """The value with at least so many dimensions."""
        if value.rank >= rank:
            return value
        node = subscript(value.node, [NEW] * (rank - value.rank) + [ALL] * value.rank)
        return changed(value, node, rank=rank)

    def tensor(self, value: Value, dtype: str) -> Value:
        """A number as a tensor of one element."""
        if not value.number:
            return value
        shape = tuple_of([])
        node = call("torch.full", shape, value.node, dtype=dtype_of(held(dtype)), device=name("DEVICE"))
        return Value(node, frozenset(), 0, held(dtype), 3)

    def to(self, value: Value, dtype: str) -> Value:
        """The value in a dtype of torch, cast where it is not."""
        if value.dtype == dtype:
            return value
        if value.number:
            return self.tensor(value, dtype)
        node = method(value.node, "to", dtype_of(dtype))
        if value.short is not None:
            shorter = value.short[0], method(value.short[1], "to", dtype_of(dtype))
            return changed(value, node, dtype=dtype, weight=value.weight + 1, short=shorter)
        return changed(value, node, dtype=dtype, weight=value.weight + 1)

    # ---- positions

    def arange(self, dim: int) -> Value:
        """The places along one dimension."""
        key = -1 - dim, ((dim, *self.ranges[dim]),) if dim in self.ranges else ()
        if key not in self.done:
            bounds = [literal(bound) for bound in self.ranges[dim]] if dim in self.ranges else [self.size_of(dim)]
            if dim in self.ranges and not self.ranges[dim][0]:
                bounds = bounds[1:]
            after = self.rank - 1 - dim
            node = call("torch.arange", *bounds, device=name("DEVICE"))
            if after:
                node = subscript(node, [ALL, *[NEW] * after])
            made = Value(node, frozenset({dim}), after + 1, "int64", 4)
            self.done[key] = self.variable(self.place(dim), made)
        return self.done[key]

    def place(self, dim: int) -> str:
        """The body's own name of a coordinate."""
        for named_, coordinate in self.job.coordinates.items():
            digits = self.space.digits(coordinate)
            if digits == [(dim, ONE)]:
                return named_
        return f"{self.space.dims[dim].axis.rstrip('_')}_place"

    def coordinate(self, coordinate: Coordinate) -> Value:
        digits = self.space.digits(coordinate)
        if digits is not None:
            return self.summed([(self.arange(dim), weight) for dim, weight in digits], 0)
        axis = [(number_, dim) for number_, dim in enumerate(self.space.dims) if dim.axis == coordinate.axis]
        flat = self.summed([(self.arange(number_), dim.stride) for number_, dim in axis], 0)
        node = flat.node
        stride = Extent.of(coordinate.stride, self.bound)
        if not stride.is_one:
            node = ast.BinOp(node, ast.FloorDiv(), self.extent(stride))
        if coordinate.size is not None:
            node = ast.BinOp(node, ast.Mod(), self.extent(Extent.of(coordinate.size, self.bound)))
        return changed(flat, node, weight=flat.weight + 2)

    def summed(self, parts: Sequence[tuple[Value, Extent]], constant: int) -> Value:
        """A sum of products, numbers last."""
        if len(parts) == 1 and parts[0][1].is_one and not constant:
            return parts[0][0]
        total: ast.expr | None = None
        dims: frozenset[int] = frozenset()
        rank, weight = -1, 0
        for value, factor in parts:
            term = value.node
            negative = factor.number < 0
            size = Extent(abs(factor.number), factor.symbols)
            if not size.is_one:
                term = ast.BinOp(self.extent(size), ast.Mult(), term)
            if total is not None:
                term = ast.BinOp(total, ast.Sub() if negative else ast.Add(), term)
            elif negative:
                term = ast.UnaryOp(ast.USub(), term)
            total = term
            dims |= value.dims
            rank, weight = max(rank, value.rank), weight + value.weight + 2
        if total is None:
            return Value(literal(constant), frozenset(), -1, "int")
        if constant:
            total = ast.BinOp(total, ast.Sub() if constant < 0 else ast.Add(), literal(abs(constant)))
        return Value(total, dims, rank, "int64" if rank >= 0 else "int", weight + 1)

    def position(self, index: Index) -> Value:
        """An address, or a place as a number."""
        parts: list[tuple[Value, Extent]] = []
        for term in index.terms:
            factor = Extent(term.factor)
            if term.of is None:
                spelled = self.product(term.sizes)
                parts.append((Value(spelled, frozenset(), -1, "int"), factor))
                continue
            value = self.coordinate(term.of) if isinstance(term.of, Coordinate) else self.value(term.of)
            if term.sizes:
                scaled = ast.BinOp(self.product(term.sizes), ast.Mult(), value.node)
                value = changed(value, scaled, weight=value.weight + 2)
            if value.dtype not in {"int64", "int"}:
                value = self.to(value, "int64")
            parts.append((value, factor))
        return self.summed(parts, index.constant)

    def product(self, sizes: Sequence[str]) -> ast.expr:
        total = self.size(sizes[0])
        for size in sizes[1:]:
            total = ast.BinOp(total, ast.Mult(), self.size(size))
        return total

    def size(self, size: str) -> ast.expr:
        if size in self.sizes:
            return ast.parse(self.sizes[size], mode="eval").body
        if size not in self.bound and size not in self.job.sizes:
            raise NoReference(f"{size} is not known before the launch")
        return self.extent(Extent.of(size, self.bound))

    # ---- memory

    def row(self, pointer: str, version: int) -> ast.expr:
        return memory.row(self, pointer, version)

    # ---- operations

    def number_to(self, value: Value, dtype: str) -> Value:
        """A number of Python stays one."""
        kind = "float" if floating(dtype) else "bool" if dtype == "bool" else "int"
        if kind == value.dtype:
            return value
        if isinstance(value.node, ast.Constant) and isinstance(value.node.value, (bool, int, float)):
            convert = {"float": float, "bool": bool, "int": int}[kind]
            return changed(value, literal(convert(value.node.value)), dtype=kind)
        return changed(value, ast.Call(name(kind), [value.node], []), dtype=kind)

    def cast(self, value: Value, dtype: str, node: Cast) -> Value:
        if value.number:
            return self.number_to(value, dtype)
        if dtype in WIDE_UNSIGNED:
            wide = self.to(value, "int64")
            if dtype == "uint64" or node.operand.dtype == "bool":
                return wide
            masked = ast.BinOp(wide.node, ast.BitAnd(), literal((1 << WIDE_UNSIGNED[dtype]) - 1))
            return changed(wide, masked, weight=wide.weight + 2)
        return self.to(value, dtype)

    def operation(self, node: Operation) -> Value:
        idiom = self.idiom(node)
        name_, inputs = idiom if idiom is not None else (node.name, node.inputs)
        if name_ == "where":
            inputs = chosen(inputs)
            if masks(inputs[0]) or same_number(inputs[1], inputs[2]):
                return self.value(inputs[1])
        if name_ in {"and", "or"}:
            for one, other in (inputs, inputs[::-1]):
                if masks(one):
                    return self.value(other if name_ == "and" else one)
        if name_ == "where" and (joined_ := memory.concatenated(self, inputs)) is not None:
            return joined_
        special = SPECIAL.get(name_)
        if special is not None:
            return special(self, node)
        row = TABLE.get(name_)
        if row is None:
            raise NoReference(f"eager PyTorch has no function for `{name_}`")
        values = [self.value(value) for value in inputs]
        return self.applied(node, name_, row.torch or f"torch.{name_}", inputs, values)

    def idiom(self, node: Operation) -> tuple[str, tuple[Expression, ...]] | None:
        """The function that the operation is, where a person would call it by that name and nothing is rounded on the way."""
        found = named(node)
        if found is None or found[0] not in EXACT:
            return None
        name_, arguments = found
        if any(a.dtype != node.dtype for a in arguments if not isinstance(a, Constant)):
            return None
        if name_ in {"relu", "silu", "sigmoid", "leaky_relu"} and not floating(node.dtype):
            return None
        inner = set(map(id, walk(*arguments)))
        between = [n for n in walk(node) if id(n) not in inner]
        return None if any(isinstance(n, (Cast, Load)) for n in between) else found

    def applied(
        self, node: Operation, name_: str, form: str, inputs: Sequence[Expression], values: Sequence[Value]
    ) -> Value:
        row = TABLE[name_]
        operands = list(inputs[1:] if name_ == "where" else inputs)
        common = joined(*operands)
        common = {"float": "float32", "int": "int64"}.get(common, common)
        if row.torch == "" and floating(node.dtype) and not row.predicate:
            common = node.dtype
        if name_ == "div":
            common = node.dtype if floating(node.dtype) else "float32"
        common = held(common)
        fixed = list(values)
        first = 1 if name_ == "where" else 0
        tensors = [value for value in fixed[first:] if not value.number]
        whole = name_ in {"floordiv", "mod", "floor_divide", "remainder"} and all(v.dtype == "int" for v in fixed)
        if not (tensors or whole or name_ in FOLDED_BY_PYTHON or plain_choice(name_, common, fixed)):
            fixed[first] = self.tensor(fixed[first], common)
        for place in range(first, len(fixed)):
            value = fixed[place]
            if value.number:
                if name_ in {"maximum", "minimum", "fmax", "fmin"} or (
                    name_ not in NUMBERS and not (place == 1 and name_ in {"mod", "floordiv", "copysign", "leaky_relu"})
                ):
                    fixed[place] = self.tensor(value, common)
            elif floating(common) and not floating(value.dtype):
                fixed[place] = self.to(value, common)
        if name_ == "where" and fixed[0].number:
            fixed[0] = self.tensor(fixed[0], "bool")
        if name_ in {"maximum", "minimum"} and (bounded := self.clamped(name_, values, common)) is not None:
            return bounded
        actual = promoted(fixed[first:])
        if fixed[first:] and any(not v.number for v in fixed[first:]) and not near(actual, common):
            fixed[first:] = [value if value.number else self.to(value, common) for value in fixed[first:]]
            actual = promoted(fixed[first:])
            if not near(actual, common):
                fixed[first] = self.to(self.tensor(fixed[first], common), common)
                actual = promoted(fixed[first:])
        if not tensors and name_ in {"floordiv", "mod"} and all(value.number for value in fixed):
            form = {"floordiv": "{0} // {1}", "mod": "{0} % {1}"}[name_]  # sizes, which are not negative
        predicate = row.predicate
        dims = frozenset().union(*(value.dims for value in fixed))
        rank = max(value.rank for value in fixed)
        if "{" not in form:
            form = f"{form}({', '.join('{' + str(n) + '}' for n in range(len(fixed)))})"
        made = filled(form, *(value.node for value in fixed))
        dtype = "bool" if predicate else actual
        if name_ == "signbit" or (predicate and rank < 0):
            dtype = "bool"
        if rank < 0:
            dtype = "bool" if predicate else "float" if any(v.dtype == "float" for v in fixed) else "int"
        found = Value(made, dims, rank, dtype, sum(value.weight for value in fixed) + 1, short=shortened(form, fixed))
        if (
            rank >= 0
            and not predicate
            and node.dtype in DTYPES
            and not near(dtype, held(node.dtype))
            and name_ != "where"
        ):
            found = self.to(found, held(node.dtype))
        return found

    def clamped(self, name_: str, values: Sequence[Value], common: str) -> Value | None:
        """`x.clamp_min(0)` where one side is a number."""
        for one, other in ((values[0], values[1]), (values[1], values[0])):
            if other.number and not one.number:
                if one.dtype != common:
                    one = self.to(one, common)
                bound = other
                if other.dtype == "float" and not floating(common):
                    return None
                node = method(one.node, "clamp_min" if name_ == "maximum" else "clamp_max", bound.node)
                return changed(one, node, weight=one.weight + 2)
        return None

    def random(self, node: Random) -> Value:
        if node.name not in RANDOM:
            raise NoReference(f"eager PyTorch has no function for `{node.name}`")
        helper = RANDOM[node.name]
        if helper.endswith("4x") and all(
            self.space.numel[axis].is_number and self.space.numel[axis].number < 3 for axis in node.axes
        ):
            helper = helper.removesuffix("4x")  # a block of fewer than four draws one by one
        elif helper.endswith("4x") and not self.consecutive(node.inputs[1]):
            raise NoReference("its random numbers depend on the block size: their offsets are not consecutive")
        self.helpers |= {helper, "philox"}
        values = [self.to(self.tensor(self.value(one), "int64"), "int64") for one in node.inputs]
        dims = frozenset().union(*(value.dims for value in values))
        made = call(helper, *(value.node for value in values))
        dtype = "float32" if helper.startswith("rand") and "int" not in helper else "int64"
        return Value(made, dims, max(value.rank for value in values), dtype, sum(v.weight for v in values) + 1)

    def consecutive(self, offset: Expression) -> bool:
        """Whether neighbours have neighbouring offsets, from a multiple of four on, whatever the block."""
        while isinstance(offset, (Cast, Broadcast)):
            offset = offset.operand
        if not isinstance(offset, Position) or offset.index.constant % 4:
            return False
        factors = self.space.factors(offset.index)
        return factors == {
            number_: dim.stride for number_, dim in enumerate(self.space.dims) if dim.axis in offset.axes
        }


RANDOM = {
    "rand": "rand",
    "randn": "randn",
    "rand4x": "rand4x",
    "randn4x": "randn4x",
    "randint": "randint",
    "randint64": "randint64",
}


def chosen(inputs: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """A selection whose sides do not ask the same condition again."""
    condition, one, other = inputs
    while isinstance(one, Operation) and one.name == "where" and one.inputs[0] is condition:
        one = one.inputs[1]
    while isinstance(other, Operation) and other.name == "where" and other.inputs[0] is condition:
        other = other.inputs[2]
    return condition, one, other


def shortened(form: str, values: Sequence[Value]) -> tuple[int, ast.expr] | None:
    """The operation without the dimensions that all its operands have only to broadcast."""
    counts = {value.short[0] if value.short else 0 for value in values if value.rank > 0}
    if len(counts) != 1 or not (count := counts.pop()):
        return None
    return count, filled(form, *(value.short[1] if value.short else value.node for value in values))


def plain_choice(name_: str, common: str, values: Sequence[Value]) -> bool:
    """A choice between two numbers that torch makes in the very dtype."""
    wanted = "float" if common == "float32" else "bool" if common == "bool" else "int" if "int" in common else ""
    return name_ == "where" and not values[0].number and all(value.dtype == wanted for value in values[1:])


def same_number(one: Expression, other: Expression) -> bool:
    return isinstance(one, Constant) and isinstance(other, Constant) and str(one.value) == str(other.value)


def near(actual: str, wanted: str) -> bool:
    """True for the wanted dtype, and for whole numbers that are wider: they are cut where they are stored."""
    whole = ("int8", "int16", "int32", "int64")
    return actual == wanted or (actual in whole and wanted in whole and whole.index(actual) >= whole.index(wanted))


def hidden(node: Expression) -> bool:
    """True for a name that stands for a tree too deep to walk down (`Nodes.behind_a_name`)."""
    return isinstance(node, Unknown) and len(node.inputs) == 1 and node.text.isidentifier()


def behind_one(node: Expression) -> Iterable[Coordinate]:
    index = getattr(node, "index", None)
    if isinstance(index, Index):
        yield from (term.of for term in index.terms if isinstance(term.of, Coordinate))


def _bitcast(printer: Printer, node: Operation) -> Value:
    (operand,) = node.inputs
    target = node.dtype
    if isinstance(operand, Constant):
        return printer.made(Constant(target, frozenset(), reinterpreted(operand.value, operand.dtype, target)))
    value = printer.value(operand)
    source = operand.dtype
    if not floating(source) and not floating(target):
        if target == "int64" or target == "uint64" or source == "uint64":
            return printer.to(value, "int64") if target != "bool" else value
        return printer.cast(value, target, Cast(target, operand.axes, operand))
    helper = "bits" if floating(source) else "from_bits"
    printer.helpers.add(helper)
    told = source if floating(source) else target
    made = call(helper, value.node, dtype_of(told))
    whole = f"int{ {'float16': 16, 'bfloat16': 16, 'float32': 32, 'float64': 64}.get(told, 8) }"
    return changed(value, made, dtype=whole if floating(source) else target, weight=value.weight + 1)


LETTERS = {"float32": "f", "float64": "d", "float16": "e", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
           "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}  # fmt: skip


def reinterpreted(value: bool | int | float, source: str, target: str) -> int | float:
    """A number's bits as another dtype of the same width."""
    if source not in LETTERS or target not in LETTERS:
        raise NoReference(f"the bits of a {source} as a {target}")
    packed = struct.pack(LETTERS[source], value)
    (found,) = struct.unpack(LETTERS[target], packed)
    return found  # type: ignore[no-any-return]


def _bucketize(printer: Printer, node: Operation) -> Value:
    if len(node.inputs) != 7 or not isinstance(node.inputs[1], Load):
        raise NoReference("it searches among boundaries that are not told")
    value, load, size, stride, start, right, sorter = node.inputs
    assert isinstance(load, Load)
    if not (isinstance(sorter, Unknown) and sorter.text == "None"):
        raise NoReference("it searches among boundaries in the order of another tensor")
    found = printer.tensor(printer.value(value), joined(value))
    row = printer.row(load.pointer, load.version)
    if load.dtype != found.dtype:
        row = method(row, "to", dtype_of(found.dtype))
    keywords = {"right": ast.Constant(True)} if isinstance(right, Constant) and right.value else {}
    type_ = printer.tensors[load.pointer].type
    one = isinstance(stride, Constant) and stride.value == 1 and isinstance(start, Constant) and start.value == 0
    length = printer.value(size)
    if one and type_ is not None:
        whole = len(type_.shape) == 1 and Extent.of(type_.shape[0]) == (
            Extent(int(size.value))
            if isinstance(size, Constant)
            else Extent.of(printer.bound.get(text(length.node), "?"))
        )
        row = row if whole else subscript(row, [ast.Slice(None, length.node, None)])
        made = call("torch.bucketize", found.node, row, **keywords)
        return changed(found, made, dtype="int64", weight=found.weight + 2)
    printer.helpers.add("bucket")
    first = printer.tensor(printer.value(start), "int64")
    made = call("bucket", found.node, row, first.node, printer.value(stride).node, length.node, **keywords)
    return Value(made, found.dims | first.dims, max(found.rank, first.rank), "int64", found.weight + first.weight + 3)


def _not(printer: Printer, node: Operation) -> Value:
    (operand,) = node.inputs
    value = printer.value(operand)
    if value.number:
        return changed(value, ast.UnaryOp(ast.Not() if value.dtype == "bool" else ast.Invert(), value.node))
    if floating(operand.dtype):
        return changed(value, call("torch.logical_not", value.node), dtype="bool", weight=value.weight + 1)
    return changed(value, ast.UnaryOp(ast.Invert(), value.node), weight=value.weight + 1)


def _refused(reason: str) -> Callable[[Printer, Operation], Value]:
    def refuse(printer: Printer, node: Operation) -> Value:
        raise NoReference(reason)

    return refuse


SPECIAL: dict[str, Callable[[Printer, Operation], Value]] = {
    "bitcast": _bitcast,
    "bucketize": _bucketize,
    "not": _not,
    "last": _refused("it goes on with a scan of the block before"),
    "inline_asm": _refused("it holds assembly, whose meaning is not read"),
    "dot": _refused("it multiplies matrices block by block"),
}
