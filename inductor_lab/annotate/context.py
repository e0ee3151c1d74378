"""What the rules of an explanation may ask of a kernel.

The decoded body, the tensors' names, the card, which ATen node a line stands for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from inductor_lab.annotate.body import Access, Body
from inductor_lab.annotate.decode import decode
from inductor_lab.annotate.expression import Expressions, text
from inductor_lab.annotate.index import Coordinate
from inductor_lab.annotate.names import Tensor, nodes_of, tensors
from inductor_lab.annotate.operations import ATEN
from inductor_lab.annotate.quantity import SHORT
from inductor_lab.annotate.roofline import Card, card
from inductor_lab.annotate.summary import expressions_of
from inductor_lab.records import Capture, Kernel, Node

LONGEST = 60
"""Longest expression shown beside a line."""


@dataclass
class Context:
    """Everything known of one kernel while its lines are explained in order."""

    kernel: Kernel
    body: Body
    card: Card
    tensors: dict[str, Tensor]
    expressions: Expressions
    origin: dict[int, Node]
    """The ATen node that a line stands for, where that is clear."""
    accesses: dict[int, Access]
    """By line; Inductor writes one to a line."""

    @staticmethod
    def make(kernel: Kernel, capture: Capture) -> Context:
        """Decode a kernel.

        Raises:
            ValueError: its body is not Python.
        """
        body = decode(kernel)
        accesses = {access.line: access for access in body.accesses}
        named = tensors(kernel, capture, body)
        return Context(
            kernel,
            body,
            card(capture.gpu),
            named,
            expressions_of(kernel, body),
            _origins(kernel, capture, body),
            accesses,
        )

    def meaning(self, node: ast.expr, limit: int = LONGEST) -> str:
        """An expression over tensors where that is short, else over the temporaries of the line itself."""
        full = text(self.expressions.expand(node))
        if len(full) <= limit:
            return full
        own = text(node)
        return own if len(own) <= limit else text(node, limit)

    def source(self, line: int) -> str:
        """`aten.relu, models.py:36`: what the line came from; empty where that is not clear."""
        node = self.origin.get(line)
        if node is None:
            return ""
        name = ".".join(node.target.split(".")[:2])
        return f"{name}, {node.source.file.rpartition('/')[2]}:{node.source.line}" if node.source else name

    def total(self) -> int | None:
        """Iterations of the whole launch."""
        return self.body.elements(frozenset(self.body.numel))

    def repeats(self, access: Access) -> int:
        """How often each address is used by different iterations; 1 where that can not be told."""
        total, reached = self.total(), self.body.reach(access)
        return total // reached if total and reached else 1

    def extent(self, coordinate: Coordinate) -> int | None:
        """How many values a coordinate takes."""
        if coordinate.size:
            return coordinate.size
        numel = self.body.numel.get(coordinate.axis)
        return -(-numel // coordinate.stride) if isinstance(numel, int) else None

    def fastest(self, access: Access) -> int | None:
        """The smallest step in memory between neighbouring iterations of any axis.

        0 where all read one element, None if unknown.
        """
        box = self.body.box(access)
        if box is None:
            return None
        steps = []
        for axis in self.body.numel:
            digits = self.body.digits.get(axis)
            if digits and digits.whole and digits.parts:
                lowest = digits.parts[0][0]
                along = [(t, f) for t, f in access.index.terms if isinstance(t, Coordinate) and t.axis == axis]
                steps.append(abs(sum(factor * _weight(digits.of(term), lowest) for term, factor in along)))
        moving = [step for step in steps if step]
        return min(moving) if moving else 0


def _weight(parts: tuple[tuple[int, int, int], ...] | None, stride: int) -> int:
    return next((weight for at, _, weight in parts or () if at == stride), 0)


def _origins(kernel: Kernel, capture: Capture, body: Body) -> dict[int, Node]:
    """Tie lines to nodes: the operations of one kind, in order, where body and claim hold equally many of that kind."""
    lines: dict[str, list[int]] = {}
    for statement in body.statements:
        kind = operation(statement, body)
        if kind:
            lines.setdefault(kind, []).append(statement.lineno)
    nodes = nodes_of(kernel, capture)
    claimed = [nodes[name] for name in kernel.claim.nodes if name in nodes]
    found: dict[int, Node] = {}
    for kind, at in lines.items():
        fitting = [node for node in claimed if _operator(node) in ATEN.get(kind, ())]
        if len(fitting) == len(at):
            found |= dict(zip(at, fitting, strict=True))
    return found


def _operator(node: Node) -> str:
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "aten" else ""


def operation(statement: ast.stmt, body: Body) -> str:
    """The one operation on floats that a statement does, by its key in `ATEN`; empty for anything else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("tmp"):
            kind = body.values[name].kind if name in body.values else ""
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr))) if attr.startswith("atomic_add"):
            return attr
        case _:
            return ""
    match value:
        case ast.BinOp(left=ast.Name(id=left)) if left.startswith("_tmp"):
            return ""
        case ast.BinOp(op=op) if kind == "float":
            return type(op).__name__
        case ast.UnaryOp(op=op) if kind == "float":
            return type(op).__name__
        case ast.Call() | ast.Subscript():
            call = innermost(value)
            called = ast.unparse(call.func).rpartition(".")[2] if call else ""
            if call and called == "load":
                gathers = any(isinstance(n, ast.Name) and n.id.startswith("tmp") for n in ast.walk(call.args[0]))
                return "load.gather" if gathers else ""
            return called if called in ATEN else ""
    return ""


def innermost(node: ast.expr) -> ast.Call | None:
    """The call behind `[:, None]`, `.to(...)` and `.broadcast_to(...)`; None where there is none."""
    while True:
        match node:
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(
                func=ast.Attribute(value=(ast.Call() | ast.Subscript()) as inner, attr="to" | "broadcast_to")
            ):
                node = inner
            case ast.Call(func=ast.Attribute(attr="to")):
                return None
            case ast.Call():
                return node
            case _:
                return None


def dtype(tensor: Tensor | None) -> str:
    """`f32[1024]`, short; empty without a type."""
    if tensor is None or tensor.type is None:
        return ""
    return f"{SHORT.get(tensor.type.dtype, tensor.type.dtype)}[{', '.join(str(s) for s in tensor.type.shape)}]"
