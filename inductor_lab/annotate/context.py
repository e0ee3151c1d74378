"""What the rules of an explanation may ask of a kernel.

What it computes, the tensors' names, the card, which ATen node a line stands for.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inductor_lab.annotate.elements import numel, type_of
from inductor_lab.annotate.names import Tensor, nodes_of, tensors
from inductor_lab.annotate.roofline import card
from inductor_lab.computation import Access, Computation, Expression, computation
from inductor_lab.computation.footprint import distinct, normal
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.operators import STANDS_FOR
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import Reduction, pointers, walk
from inductor_lab.dtypes import ITEMSIZE, SHORT
from inductor_lab.gpus import Card
from inductor_lab.records import Capture, Kernel, Node

LONGEST = 60
"""Longest expression shown beside a line."""


@dataclass
class Context:
    """Everything known of one kernel while its lines are explained in order."""

    kernel: Kernel
    kernel_computation: Computation
    card: Card
    tensors: dict[str, Tensor]
    origin: dict[int, Node]
    """The ATen node that a line stands for, where that is clear."""
    accesses: dict[int, Access]
    """By line; Inductor writes one to a line."""
    computation: Computation
    """The job that the line belongs to, or the whole kernel."""
    writer: Writer
    line: int = 0
    names: dict[str, Expression] = field(default_factory=dict)
    """What each name stands for before the line."""

    @staticmethod
    def make(kernel: Kernel, capture: Capture) -> Context:
        """Take a kernel apart.

        Raises:
            ValueError: its body is not Python.
        """
        found = computation(kernel)
        accesses = {access.line: access for job in found.every() for access in job.accesses}
        named = tensors(kernel, capture, found)
        origin = _origins(kernel, capture, found, named)
        return Context(kernel, found, card(capture.gpu), named, origin, accesses, found, Writer(found))

    def enter(self, line: int) -> None:
        """Go on to a line: what the lines before it assign is known."""
        self.line = line
        for job in self.kernel_computation.parts:
            if job is not self.computation and (line in job.lines or any(a.line == line for a in job.accesses)):
                self.computation, self.writer = job, Writer(job)

    def leave(self) -> None:
        """The line is done: its names are known from now on."""
        self.names.update(self.computation.lines.get(self.line, {}))

    def value(self) -> Expression | None:
        """What the line gives its (first) name."""
        return next(iter(self.computation.lines.get(self.line, {}).values()), None)

    def addresses(self, value: Expression) -> bool:
        """Whether a value is part of an address."""
        return any(value is part for access in self.computation.accesses for part in access.index.expressions())

    def tree(self, node: ast.expr) -> Expression | None:
        """What a name stands for, or what the line's own expression is; None for other parts of a line."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        statement = next((s for s in self.kernel_computation.statements if s.lineno == self.line), None)
        return self.value() if isinstance(statement, ast.Assign) and statement.value is node else None

    def meaning(self, node: ast.expr, limit: int = LONGEST) -> str:
        """An expression over tensors where that is short, else over the temporaries of the line itself."""
        tree = self.tree(node)
        if tree is not None and (whole := self.writer.whole(tree, limit)) is not None:
            return whole
        own = expression_text(node)
        return own if len(own) <= limit else own[: limit - 1].rstrip() + "…"

    def source(self, line: int) -> str:
        """`aten.relu, models.py:36`: what the line came from; empty where that is not clear."""
        node = self.origin.get(line)
        if node is None:
            return ""
        name = ".".join(node.target.split(".")[:2])
        return f"{name}, {node.source.file.rpartition('/')[2]}:{node.source.line}" if node.source else name

    def node(self, line: int) -> str:
        """The node that the line computes, or whose value it loads or stores; empty where that is not clear."""
        if line in self.origin:
            return self.origin[line].name
        access = self.accesses.get(line)
        tensor = self.tensors.get(access.pointer) if access else None
        return tensor.node.name if tensor and tensor.node and tensor.certain else ""

    def total(self) -> int | None:
        """Iterations of the whole launch."""
        return self.computation.elements(frozenset(self.computation.numel))

    def results(self) -> int | None:
        """Rows of the whole launch."""
        return self.computation.elements(frozenset(axis for axis in self.computation.numel if not axis.startswith("r")))

    @cached_property
    def after_folds(self) -> frozenset[int]:
        """The identities of loaded values that meet only what is left of rows, and no element of one."""
        folding = (job for job in self.kernel_computation.every() if any(axis.startswith("r") for axis in job.numel))
        stored = [a for job in folding for a in job.stores if a.value is not None]
        met, seen = set[int](), set[int]()
        for store in stored:
            assert store.value is not None
            along = any(coordinate.axis.startswith("r") for coordinate in store.index.coordinates())
            for node in walk(store.value):
                if not any(axis.startswith("r") for axis in node.axes):  # else it is an element of a row
                    seen.add(id(node))
                if isinstance(node, Reduction) or any(axis.startswith("r") for axis in node.axes):
                    short = [part for part in node.operands if not any(axis.startswith("r") for axis in part.axes)]
                    met.update(id(part) for operand in short for part in walk(operand))
            if along:
                met.update(id(part) for part in walk(store.value))
        return frozenset(seen - met)

    def values(self, access: Access) -> int | None:
        """How many different elements an access reaches where its mask holds.

        None where an address is decided by data or a symbolic size, or a mask that is no range keeps it inside its tensor.
        """
        box = self.computation.box(access)
        if box is None:
            return None
        plain = normal(box)
        capacity = numel(type_of(self.kernel, access.pointer))
        inside = plain.start >= 0 and (capacity is None or plain.start + plain.span <= max(capacity, plain.span))
        count = distinct([box])
        return count if inside and (capacity is None or count <= capacity) else None

    def repeats(self, access: Access) -> int:
        """How often each element is used by different iterations, those that the mask leaves out not counted; 1 where that can not be told."""
        values = self.values(access)
        total = self.results() if access.value is not None and id(access.value) in self.after_folds else self.total()
        if total is None or not values:
            return 1
        for axis, stride, low, high in filter(None, map(self.computation.narrowed, access.limits)):
            size = dict(self.computation.digits[axis].parts)[stride]
            total = total * max(high - low, 0) // size
        return max(total // values, 1)

    def extent(self, coordinate: Coordinate) -> int | None:
        """How many values a coordinate takes."""
        return self.computation.extent(coordinate)

    def width(self, pointer: str) -> int:
        """Bytes of one element behind a pointer."""
        return next((ITEMSIZE.get(a.dtype, 4) for a in self.kernel.arguments if a.name == pointer), 4)

    def fastest(self, access: Access) -> int | None:
        """The smallest step in memory between neighbouring iterations of any axis.

        0 where all read one element, None if unknown.
        """
        if self.computation.box(access) is None:
            return None
        steps = []
        for axis in self.computation.numel:
            digits = self.computation.digits.get(axis)
            if digits and digits.nested and digits.parts:
                lowest = digits.parts[0][0]
                along = [
                    (t.of, t.factor) for t in access.index.terms if isinstance(t.of, Coordinate) and t.of.axis == axis
                ]
                steps.append(abs(sum(factor * _weight(digits.of(term), lowest) for term, factor in along)))
        moving = [step for step in steps if step]
        return min(moving) if moving else 0


def _weight(parts: tuple[tuple[int, int, int], ...] | None, stride: int) -> int:
    return next((weight for at, _, weight in parts or () if at == stride), 0)


def _origins(kernel: Kernel, capture: Capture, found: Computation, named: Mapping[str, Tensor]) -> dict[int, Node]:
    """Tie lines to nodes: the operations of one kind, in order, where body and claim hold equally many of that kind."""
    lines: dict[str, list[int]] = {}
    fillers = {name for statement in found.statements if (name := _filler(statement))}
    for statement in found.statements:
        kind = operation(statement, found)
        if kind and not (kind == "where" and _pads(statement, fillers)):
            lines.setdefault(kind, []).append(statement.lineno)
    nodes = nodes_of(kernel, capture)
    claimed = [nodes[name] for name in kernel.claim.nodes if name in nodes]
    origin: dict[int, Node] = {}
    for kind, at in lines.items():
        fitting = [node for node in claimed if _operator(node) in STANDS_FOR.get(kind, ())]
        if len(fitting) == len(at):
            origin |= _agreeing(dict(zip(at, fitting, strict=True)), found, named, nodes)
    return origin


def _filler(statement: ast.stmt) -> str:
    """`tmp17` of `tmp17 = tl.full(tmp16.shape, 0, ...)`: what stands where a mask leaves a value out."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(attr="full"), args=[ast.Attribute(attr="shape"), *_]),
        ):
            return name
    return ""


def _pads(statement: ast.stmt, fillers: Collection[str]) -> bool:
    """Whether a selection only leaves out what is outside: it is the loop's own, and no node of the model's."""
    match statement:
        case ast.Assign(value=ast.Call(args=[condition, _, other])):
            names = [node.id for node in ast.walk(condition) if isinstance(node, ast.Name)]
            masked = bool(names) and all(name.endswith("mask") for name in names)
            return masked or (isinstance(other, ast.Name) and other.id in fillers)
    return False


def _agreeing(
    tied: Mapping[int, Node], found: Computation, named: Mapping[str, Tensor], nodes: Mapping[str, Node]
) -> dict[int, Node]:
    """The lines tied to a node that is made of the same tensors; a line whose node is not gets the only other one that is, if there is one.

    A softmax's `x - max` and a mask's `1 - mask` are of one kind: what they are made of tells them apart.
    """
    held = {pointer: tensor.node.name for pointer, tensor in named.items() if tensor.node and tensor.certain}

    def agree(line: int, node: Node) -> bool:
        value = next(iter(found.lines.get(line, {}).values()), None)
        read = pointers(value) if value is not None else frozenset()
        if not read or not read <= held.keys():
            return True
        reached = _reached(node, frozenset(held.values()), nodes)
        return {held[pointer] for pointer in read} <= reached

    good = {line: node for line, node in tied.items() if agree(line, node)}
    left = [node for node in tied.values() if node not in good.values()]
    for line in tied.keys() - good.keys():
        others = [node for node in left if agree(line, node)]
        if len(others) == 1:
            good[line] = others[0]
    twice = Counter(node.name for node in good.values())
    return {line: node for line, node in good.items() if twice[node.name] == 1}


def _reached(node: Node, ends: frozenset[str], nodes: Mapping[str, Node]) -> set[str]:
    """Which of some nodes a node is made of, not through another of them."""
    found: set[str] = set()
    seen, waiting = {node.name}, list(node.arguments)
    while waiting:
        name = waiting.pop()
        if name in ends:
            found.add(name)
        elif name in nodes and name not in seen:
            seen.add(name)
            waiting += nodes[name].arguments
    return found


def _operator(node: Node) -> str:
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "aten" else ""


def operation(statement: ast.stmt, found: Computation) -> str:
    """The one operation on floats that a statement does, by its key in `STANDS_FOR`; empty for anything else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("tmp"):
            value_there = found.lines.get(statement.lineno, {}).get(name)
            floating = value_there is not None and "float" in value_there.dtype
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr))) if attr.startswith("atomic_add"):
            return attr
        case _:
            return ""
    match value:
        case ast.BinOp(left=ast.Name(id=left)) if left.startswith("_tmp"):
            return ""
        case ast.BinOp(op=op) if floating:
            return type(op).__name__
        case ast.UnaryOp(op=op) if floating:
            return type(op).__name__
        case ast.Call() | ast.Subscript():
            call = innermost(value)
            called = ast.unparse(call.func).rpartition(".")[2] if call else ""
            if call and called == "load":
                gathers = any(isinstance(n, ast.Name) and n.id.startswith("tmp") for n in ast.walk(call.args[0]))
                return "load.gather" if gathers else ""
            return called if called in STANDS_FOR else ""
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


def expression_text(node: ast.expr) -> str:
    """An expression of the text itself, without the modules that its functions come from; numbers to six digits."""
    plain = ast.unparse(_Numbers().visit(ast.parse(ast.unparse(node), mode="eval")).body)
    return re.sub(r"float\('([^']*)'\)", r"\1", re.sub(r"\b(tl|triton_helpers|libdevice|tl_math)\.", "", plain))


class _Numbers(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(float(f"{node.value:.6g}")) if isinstance(node.value, float) else node


def dtype(tensor: Tensor | None) -> str:
    """`f32[1024]`, short; empty without a type."""
    if tensor is None or tensor.type is None:
        return ""
    return f"{SHORT.get(tensor.type.dtype, tensor.type.dtype)}[{', '.join(str(s) for s in tensor.type.shape)}]"
