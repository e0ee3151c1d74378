"""One job of a kernel, value by value: which rule prints which node, and what gets a variable of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from inductor_lab.computation.folds import Partial
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
)
from inductor_lab.eject.eager.casts import cast, constant
from inductor_lab.eject.eager.loads import load
from inductor_lab.eject.eager.nouns import noun
from inductor_lab.eject.eager.philox import random
from inductor_lab.eject.eager.pointwise import operation
from inductor_lab.eject.eager.positions import position
from inductor_lab.eject.eager.printer import Printer, hidden
from inductor_lab.eject.eager.reductions import reduction
from inductor_lab.eject.eager.scans import scan
from inductor_lab.eject.eager.stores import store
from inductor_lab.eject.eager.torch_values import ALL, Value, changed, floating, part, subscript
from inductor_lab.eject.refusal import NoReference

LONG = 16
"""Nodes of a text beyond which it gets a variable of its own."""


class JobPrinter(Printer):
    """Knows the rule for every node."""

    def job_of(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Print all stores of one job. It is done twice: once to see how often each value is asked for."""
        self.begin(job, contents)
        lines, taken, helpers = len(self.lines), set(self.taken), set(self.helpers)
        self.play()
        uses = self.asked
        del self.lines[lines:]
        self.taken, self.helpers = taken, helpers
        self.begin(job, contents)
        self.uses = uses
        self.play()

    def play(self) -> None:
        """Print the stores in order."""
        for node in self.hidden:
            self.value(node)  # what a tree too deep to walk down hides, the innermost first
        for access in self.job.stores:
            if access.pointer in self.tensors:
                store(self, access)

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
                    found = self.variable(noun(self, node), found)
            self.done[key] = found
        return self.done[key]

    def made(self, node: Expression) -> Value:
        """A value by the rule for its kind."""
        match node:
            case Constant():
                return constant(node)
            case Size(name=size, dtype=dtype):
                return Value(self.size(size), frozenset(), -1, "float" if floating(dtype) else "int")
            case Position(index=index):
                return position(self, index)
            case Inside():
                return Value(ast.Constant(True), frozenset(), -1, "bool")
            case Load():
                return load(self, node)
            case Broadcast(operand=operand):
                return self.value(operand)
            case Cast(operand=operand, dtype=dtype):
                return cast(self, self.value(operand), dtype, node)
            case Operation():
                return operation(self, node)
            case Reduction() | Partial():
                return self.materialized(node, lambda: reduction(self, node))
            case Scan():
                return self.materialized(node, lambda: scan(self, node))
            case Random():
                return random(self, node)
            case Unknown(text=said, inputs=inputs):
                if said in self.parameters:
                    return self.parameters[said]
                if hidden(node):
                    return self.value(inputs[0])
                raise NoReference(f"it is not understood what `{said if len(said) < 60 else said[:57] + '...'}` is")
            case Carried(name=carried):
                raise NoReference(f"{carried} is carried from one turn of a loop to the next in a way that is no fold")
        raise NoReference(f"eager PyTorch has no form for a {type(node).__name__}")

    def materialized(self, node: Expression, make: Callable[[], Value]) -> Value:
        """A value that must be seen whole, also where only a part of it is asked for."""
        outside, self.ranges = self.ranges, {}
        try:
            key = id(node), ()
            if key not in self.done:
                self.done[key] = make()
                if outside:
                    self.done[key] = self.variable(noun(self, node), self.done[key])
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
