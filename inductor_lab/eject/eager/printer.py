"""What the rules of the reference share: the statements so far, the ranges of just now, and the one way from an expression to its value.

Every rule (`loads`, `stores`, `operations`, `reductions`, ...) asks a `Printer`. The one that there is, `values`, knows the rules.
"""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from inductor_lab.computation.index import behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, Reduction, Unknown, walk
from inductor_lab.eject.binding.tensors import TensorView
from inductor_lab.eject.eager.lines import Line
from inductor_lab.eject.eager.sizes import Sizes
from inductor_lab.eject.eager.space import Space
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    Value,
    call,
    changed,
    dtype_of,
    literal,
    method,
    name,
    storage_dtype,
    subscript,
    tuple_of,
)
from inductor_lab.records.size import Size


class Printer(Sizes, ABC):
    """One kernel's statements so far, and the job that is printed just now."""

    def __init__(
        self,
        taken: set[str],
        sizes: Mapping[str, str],
        tensors: Mapping[str, TensorView],
        bound: Mapping[str, str],
        functions: Mapping[str, ast.FunctionDef],
    ) -> None:
        super().__init__(sizes, tensors, bound)
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
        self.hidden = [node for node in walk(*roots) if hidden(node)][::-1]

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


def hidden(node: Expression) -> bool:
    """True for a name that stands for a tree too deep to walk down (`Nodes.behind_a_name`)."""
    return isinstance(node, Unknown) and len(node.inputs) == 1 and node.text.isidentifier()
