"""What the rules of the reference share: the statements so far, the ranges of just now, and the one way from an expression to its value.

Every rule (`loads`, `stores`, `pointwise`, `reductions`) asks a `Printer`. The one that there is, `JobPrinter` of `reference`, knows the rules.
Numbers of Python stay numbers in any dtype, wide unsigned integers are held as int64 and cut to their bits, bits are read anew.
"""

from __future__ import annotations

import ast
import re
import struct
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation.index import behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Constant, Expression, Load, Named, Operation, Reduction, walk
from inductor_lab.eject.binding.tensors import TensorView
from inductor_lab.eject.eager.space import Space
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    WIDE_UNSIGNED,
    Line,
    Value,
    call,
    changed,
    dtype_of,
    floating,
    literal,
    method,
    name,
    storage_dtype,
    subscript,
    substituted,
    tuple_of,
)
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records.size import Size


class Printer(ABC):
    """One kernel's statements so far, and the job that is printed just now."""

    def __init__(
        self,
        taken: set[str],
        sizes: Mapping[str, str],
        tensors: Mapping[str, TensorView],
        bound: Mapping[str, str],
        functions: Mapping[str, ast.FunctionDef],
    ) -> None:
        self.sizes = sizes
        """`ks0`, `xnumel` -> Python."""
        self.tensors = tensors
        """Pointer -> the tensor."""
        self.bound = bound
        """`ks0` -> what the launch passes for it."""
        self.known = self.symbols()
        self.taken = set(taken) | {"torch", "DEVICE", "math"}
        self.functions = functions
        self.lines: list[Line] = []
        self.helpers: set[str] = set()
        self.versions: dict[str, list[ast.expr]] = {}
        """Pointer -> what its tensor holds before and after each store of the job."""
        self.kept: list[object] = []
        """Trees that are made on the way: values are known by the identity of their nodes."""
        self.siblings: dict[tuple[str, str, tuple[int, ...]], Reduction] = {}
        """(reduction, part, its operands' identities) -> the node of that part, in the body or made on the way."""
        self.parameters: dict[str, Value] = {}
        """What a combining function is given, while it is printed."""

    @abstractmethod
    def value(self, node: Expression) -> Value:
        """A value under the ranges that hold just now, each once."""

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
        coordinates += behind(*roots)
        self.space = Space.make(
            job.numel, self.bound, coordinates, [(a.index, self.tensors[a.pointer].type) for a in stores]
        )
        self.rank = len(self.space.dims)
        self.reread = {
            node.pointer for node in walk(*roots) if isinstance(node, Load) and node.version and node.pointer in self.tensors
        }  # fmt: skip
        for node in walk(*roots):
            if isinstance(node, Reduction):
                self.siblings[node.name, node.part, tuple(map(id, node.inputs))] = node
        self.hidden = [node for node in walk(*roots) if isinstance(node, Named)][::-1]
        """What a tree too deep to walk down hides, the innermost first."""

    # ---- sizes as Python: numbers, `x.shape[0]`, and the products and quotients of what is known

    def symbols(self) -> dict[Size, ast.expr]:
        """What is known of sizes that are no numbers, as Python."""
        found: dict[Size, ast.expr] = {}
        for view in sorted(self.tensors.values(), key=lambda view: not view.read):
            for place, size in enumerate(view.type.shape if view.type else ()):
                if isinstance(size, str):
                    found.setdefault(Size.of(size), ast.parse(f"{view.name}.shape[{place}]", mode="eval").body)
        for size, spelled in self.sizes.items():
            found[Size.of(size, self.bound)] = _tree(spelled)
        return found

    def extent(self, extent: Size) -> ast.expr:
        """A product of numbers and symbols, by the sizes that are known."""
        if extent.is_number:
            return literal(extent.number)
        if extent in self.known:
            return self.known[extent]
        for known, node in self.known.items():
            rest = extent.over(known) if known.factors else None
            if rest is not None:
                return node if rest.is_one else ast.BinOp(self.extent(rest), ast.Mult(), node)
        for known, node in self.known.items():
            rest = known.over(extent)
            if rest is not None and rest.is_number:
                return ast.BinOp(node, ast.FloorDiv(), literal(rest.number))
        parts = [self.symbol(symbol) for symbol in extent.factors]
        parts = parts if extent.number == 1 else [literal(extent.number), *parts]
        total = parts[0]
        for factor in parts[1:]:
            total = ast.BinOp(total, ast.Mult(), factor)
        return total

    def extents(self, sizes: Iterable[int | str]) -> list[ast.expr]:
        """The sizes or the strides of a tensor, by what is known."""
        return [self.extent(Size.of(size)) for size in sizes]

    def symbol(self, symbol: str) -> ast.expr:
        """One symbol, or a sum of several, spelled by what is known."""
        known = {e.factors[0]: node for e, node in self.known.items() if e.number == 1 and len(e.factors) == 1}
        if symbol in known:
            return known[symbol]
        told = Size.of(symbol)
        if told.symbols <= set(known) and symbol not in told.symbols:
            return substituted(_tree(symbol), known)
        raise NoReference(f"the launch does not tell the size {symbol}")

    def size(self, size: str) -> ast.expr:
        """A size that the body calls by name."""
        if size in self.sizes:
            return _tree(self.sizes[size])
        if size not in self.bound and size not in self.job.sizes:
            raise NoReference(f"{size} is not known before the launch")
        return self.extent(Size.of(size, self.bound))

    def product(self, sizes: Sequence[str]) -> ast.expr:
        total = self.size(sizes[0])
        for size in sizes[1:]:
            total = ast.BinOp(total, ast.Mult(), self.size(size))
        return total

    # ---- the dimensions, under the ranges of just now

    def size_of(self, dim: int) -> ast.expr:
        if dim in self.ranges:
            low, high = self.ranges[dim]
            return literal(high - low)
        return self.extent(self.space.dims[dim].size)

    def count(self, dim: int) -> Size:
        if dim in self.ranges:
            low, high = self.ranges[dim]
            return Size(high - low)
        return self.space.dims[dim].size

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
            sizes.append(self.size_of(dim) if dim in missing else literal(-1 if held_already else 1))
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
        node = call("torch.full", shape, value.node, dtype=dtype_of(storage_dtype(dtype)), device=name("DEVICE"))
        return Value(node, frozenset(), 0, storage_dtype(dtype), 3)

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


def _tree(text: str) -> ast.expr:
    """A size as Python that can be put into a text."""
    tree = Size.of(text).tree
    assert tree is not None, text
    return tree


# ---- values in another dtype


def constant(node: Constant) -> Value:
    """A number of Python, of the kind that its dtype is."""
    kind = node.dtype if node.dtype in {"int", "bool"} else "float" if floating(node.dtype) else "int"
    kind = "bool" if isinstance(node.value, bool) else kind
    return Value(literal(float(node.value) if kind == "float" else node.value), frozenset(), -1, kind)


def cast(printer: Printer, value: Value, dtype: str, node: Cast) -> Value:
    """A value in a dtype of Triton's, as torch holds it."""
    if value.number:
        return _number_to(value, dtype)
    if dtype in WIDE_UNSIGNED:
        wide = printer.to(value, "int64")
        if dtype == "uint64" or node.operand.dtype == "bool":
            return wide
        masked = ast.BinOp(wide.node, ast.BitAnd(), literal((1 << WIDE_UNSIGNED[dtype]) - 1))
        return changed(wide, masked, weight=wide.weight + 2)
    return printer.to(value, dtype)


def _number_to(value: Value, dtype: str) -> Value:
    """A number of Python stays one."""
    kind = "float" if floating(dtype) else "bool" if dtype == "bool" else "int"
    if kind == value.dtype:
        return value
    if isinstance(value.node, ast.Constant) and isinstance(value.node.value, (bool, int, float)):
        convert = {"float": float, "bool": bool, "int": int}[kind]
        return changed(value, literal(convert(value.node.value)), dtype=kind)
    return changed(value, ast.Call(name(kind), [value.node], []), dtype=kind)


def in_dtype(printer: Printer, value: Value, dtype: str) -> Value:
    """A value as a tensor of this dtype holds it."""
    if value.number:
        if value.dtype == "float" and "float" not in dtype:
            value = printer.tensor(value, "float32")
            return printer.to(value, dtype)
        if dtype in WIDE_UNSIGNED:
            return printer.to(printer.tensor(value, "int64"), dtype)
        return printer.tensor(value, dtype)
    return printer.to(value, dtype)


def bitcast(printer: Printer, node: Operation) -> Value:
    """The bits of a value as another dtype of the same width."""
    (operand,) = node.inputs
    target = node.dtype
    if isinstance(operand, Constant):
        return constant(Constant(target, frozenset(), _reinterpreted(operand.value, operand.dtype, target)))
    value = printer.value(operand)
    source = operand.dtype
    if not floating(source) and not floating(target):
        if target == "int64" or target == "uint64" or source == "uint64":
            return printer.to(value, "int64") if target != "bool" else value
        return cast(printer, value, target, Cast(target, operand.axes, operand))
    helper = "bits" if floating(source) else "from_bits"
    printer.helpers.add(helper)
    told = source if floating(source) else target
    made = call(helper, value.node, dtype_of(told))
    whole = f"int{ {'float16': 16, 'bfloat16': 16, 'float32': 32, 'float64': 64}.get(told, 8) }"
    return changed(value, made, dtype=whole if floating(source) else target, weight=value.weight + 1)


LETTERS = {"float32": "f", "float64": "d", "float16": "e", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
           "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}  # fmt: skip


def _reinterpreted(value: bool | int | float, source: str, target: str) -> int | float:
    """A number's bits as another dtype of the same width."""
    if source not in LETTERS or target not in LETTERS:
        raise NoReference(f"the bits of a {source} as a {target}")
    packed = struct.pack(LETTERS[source], value)
    (found,) = struct.unpack(LETTERS[target], packed)
    return found  # type: ignore[no-any-return]
