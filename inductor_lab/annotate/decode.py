"""Decodes a kernel's body: one walk over its statements with an abstract value for every name.

An abstract value is the kind (float, int, bool), the axes it varies over and, for integers, the exact form as a sum of
coordinates. Only `ast`: nothing is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.annotate.body import Access, Body, Value, joined, opaque, settled
from inductor_lab.annotate.index import Coordinate, Digits, Limit, Linear, Opaque, divided
from inductor_lab.annotate.index import remainder as modulo
from inductor_lab.annotate.operations import FLOPS, PREDICATES, REDUCTIONS, TRANSPARENT
from inductor_lab.records import Kernel, Size

AXES = {"x": "x", "y": "y", "z": "z", "r": "r", "r0": "r0_", "r1": "r1_", "r0_": "r0_", "r1_": "r1_"}
BLOCKS = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "RBLOCK": "r", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}


def decode(kernel: Kernel) -> Body:
    """Decode a kernel's body for its first launch.

    Raises:
        ValueError: the body is not Python.
    """
    try:
        tree = ast.parse(kernel.body)
    except SyntaxError as error:
        raise ValueError(f"the body of {kernel.id} is not Python: {error.msg} in its line {error.lineno}") from error
    reader = _Reader(kernel)
    reader.read(tree.body, looped=False)
    body = reader.body
    used = [term for access in body.accesses for term in _coordinates(access)]
    for axis, numel in body.numel.items():
        if isinstance(numel, int):
            body.digits[axis] = Digits.make(numel, [c for c in used if c.axis == axis])
    return body


def _coordinates(access: Access) -> list[Coordinate]:
    terms = [t for term, _ in access.index.terms for t in (term.coordinates if isinstance(term, Opaque) else (term,))]
    return terms + [limit.coordinate for limit in access.limits]


class _Reader:
    """Walks statements in order, with the abstract value of each name."""

    def __init__(self, kernel: Kernel) -> None:
        self.pointers = {argument.name: argument for argument in kernel.arguments if argument.pointer}
        self.sizes: Mapping[str, Size] = _launch_sizes(kernel)
        numel = {
            AXES[name.removesuffix("numel").rstrip("_")]: size for name, size in self.sizes.items() if _is_numel(name)
        }
        self.body = Body([], dict(numel), {}, [], [], {}, False)
        self.looped = False

    def read(self, statements: list[ast.stmt], looped: bool) -> None:
        for statement in statements:
            self.body.statements.append(statement)
            self.looped = looped
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.assign(name, value)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    result = self.value(value)
                    self.body.values.update({t.id: result for t in targets if isinstance(t, ast.Name)})
                case ast.Expr(value=ast.Call() as call):
                    self.value(call)
                case ast.For(body=inner):
                    self.read(inner, looped=True)
                case ast.If(body=inner, orelse=other) | ast.While(body=inner, orelse=other):
                    self.body.branches = True
                    self.read(inner, looped)
                    self.read(other, looped)

    def assign(self, name: str, node: ast.expr) -> None:
        values, numel = self.body.values, self.body.numel
        axis = AXES.get(name.removesuffix("index").rstrip("_")) if name.endswith("index") else None
        if _is_numel(name):
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                numel[AXES[name.removesuffix("numel").rstrip("_")]] = node.value
                values[name] = Value("int", index=Linear(node.value))
            elif isinstance(node, ast.Name) and name == "rnumel" and node.id in values:
                values[name] = values[node.id]
        elif axis and not (name == "rindex" and "r" not in numel):
            whole = Coordinate(axis, 1, None)
            values[name] = Value("int", frozenset({axis}), Linear.of(whole), coordinates=frozenset({whole}))
        elif name.endswith("mask") and name.removesuffix("mask").rstrip("_") in AXES:
            values[name] = Value("bool", frozenset({AXES[name.removesuffix("mask").rstrip("_")]}))
        elif not name.endswith(("offset", "base")):
            result = self.value(node)
            values[name] = result
            if result.index and (only := result.index.only()) and name[0] in "xyzr" and not name.endswith("index"):
                self.body.coordinates[name] = only

    # ---- expressions

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool()):
                return Value("bool")
            case ast.Constant(value=int() as number):
                return Value("int", index=Linear(number))
            case ast.Constant():
                return Value("float")
            case ast.Name(id=name):
                return self.name(name)
            case ast.BinOp():
                return self.binary(node)
            case ast.UnaryOp(op=op, operand=operand):
                inner = self.value(operand)
                if isinstance(op, ast.USub):
                    return replace(inner, index=inner.index.times(-1) if inner.index else None)
                flipped = tuple(f for limit in inner.limits if (f := limit.inverse())) if len(inner.limits) == 1 else ()
                return replace(inner, limits=flipped)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.compare(self.value(left), op, self.value(right))
            case ast.Subscript(value=inner):
                return self.value(inner)
            case ast.IfExp(body=one, orelse=other):
                return joined("bool", self.value(one), self.value(other))
            case ast.Tuple(elts=elements):
                return joined("", *(self.value(element) for element in elements))
            case ast.Call():
                return self.call(node)
        return Value("int")

    def name(self, name: str) -> Value:
        if name in self.body.values:
            return self.body.values[name]
        if isinstance(size := self.sizes.get(name), int):
            return Value("int", index=Linear(size))
        return Value("int", index=Linear.of(Opaque(name)))

    def binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        both = joined("", left, right)
        if both.kind == "bool":
            limits = left.limits + right.limits if isinstance(node.op, ast.BitAnd) else ()
            return replace(both, limits=limits)
        if both.kind == "float" or isinstance(node.op, ast.Div):
            self.body.work.append((1, both.axes))
            return replace(both, kind="float", index=None)
        a, b = left.index or Linear(0), right.index or Linear(0)
        match node.op:
            case ast.Add():
                return settled(replace(both, index=a.plus(b)))
            case ast.Sub():
                return settled(replace(both, index=a.plus(b.times(-1))))
            case ast.Mult() if b.is_constant:
                return settled(replace(both, index=a.times(b.constant)))
            case ast.Mult() if a.is_constant:
                return settled(replace(both, index=b.times(a.constant)))
            case ast.FloorDiv() if b.is_constant and (exact := divided(a, b.constant)):
                return settled(replace(both, index=exact))
            case ast.Mod() if b.is_constant and (exact := modulo(a, b.constant)):
                return settled(replace(both, index=exact))
        return replace(both, index=opaque(node, both))

    def compare(self, left: Value, op: ast.cmpop, right: Value) -> Value:
        both = joined("bool", left, right)
        if left.index and right.index and (limit := Limit.make(left.index, type(op).__name__, right.index)):
            return replace(both, limits=(limit,))
        return both

    def call(self, node: ast.Call) -> Value:
        path = ast.unparse(node.func)
        name = path.rpartition(".")[2]
        if isinstance(node.func, ast.Attribute) and name in {"to", "broadcast_to", "reshape"} and path != f"tl.{name}":
            return self.shaped(node, self.value(node.func.value), name, node.args)
        if name in {"load", "store"} or name.startswith("atomic_"):
            return self.access(node, name)
        arguments = [self.value(argument) for argument in node.args]
        if name == "zeros":
            return self.shaped(node, Value("float"), "to", node.args[1:], node.args[0])
        if name == "full":
            return self.shaped(node, arguments[1], "to", node.args[2:], node.args[0])
        if name == "broadcast_to":
            return self.shaped(node, arguments[0], name, node.args[1:])
        if name in TRANSPARENT and arguments:
            return arguments[0]
        if name in {"div_floor_integer", "remainder_integer"} and len(node.args) == 2:
            op: ast.operator = ast.FloorDiv() if name.startswith("div") else ast.Mod()
            return self.binary(ast.BinOp(node.args[0], op, node.args[1]))
        result = joined("", *(arguments[1:] if name == "where" and len(arguments) == 3 else arguments))
        if name == "where" and arguments:
            result = replace(joined("", *arguments), kind=result.kind)
        floating = result.kind == "float" or path.startswith(("libdevice", "tl_math")) or name in {"rand", "randn"}
        kind = "bool" if name in PREDICATES else "float" if floating else result.kind
        axes = result.axes
        count = FLOPS.get(name, 1) if kind == "float" else 0
        if name in REDUCTIONS and node.args and ast.unparse(node.args[0]).startswith("_tmp"):
            count = 0  # an accumulator's final fold is no work: its elements were added in the loop
        if count:
            self.body.work.append((count, axes))
        if name in REDUCTIONS:
            axes = frozenset(axis for axis in axes if not axis.startswith("r"))
        return Value(
            kind, axes, opaque(node, result) if kind == "int" else None, (), result.tensors, result.coordinates
        )

    def shaped(
        self, node: ast.expr, value: Value, name: str, arguments: list[ast.expr], shape: ast.expr | None = None
    ) -> Value:
        """`.to(dtype)`, `broadcast_to(shape)`, `tl.full(shape, value, dtype)`."""
        where = [shape] if shape else arguments if name != "to" else []
        axes = {BLOCKS[n.id] for part in where for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in BLOCKS}
        kind = value.kind
        if name == "to" and arguments:
            text = ast.unparse(arguments[0]).rpartition(".")[2]
            kind = "bool" if text in {"int1", "bool"} else "float" if "float" in text or text.startswith("fp") else kind
            if "int" in text and text != "int1":
                kind = "int"
        index = value.index if kind == value.kind == "int" else opaque(node, value) if kind == "int" else None
        return replace(value, kind=kind, axes=value.axes | axes, index=index)

    def access(self, node: ast.Call, name: str) -> Value:
        pointer, address = self.address(node.args[0]) if node.args else ("", None)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        place = 1 if name == "load" else 2
        mask_node = node.args[place] if len(node.args) > place else keywords.get("mask")
        masked = mask_node is not None and ast.unparse(mask_node) != "None"
        mask = self.value(mask_node) if mask_node is not None and masked else Value("bool")
        stored = [self.value(argument) for argument in node.args[1:2]] if name != "load" else []
        index = address.index if address and address.index else Linear.of(Opaque(ast.unparse(node)))
        if pointer:
            eviction = keywords.get("eviction_policy")
            text = ast.unparse(mask_node) if mask_node is not None and masked else ""
            policy = str(eviction.value) if isinstance(eviction, ast.Constant) else ""
            self.body.accesses.append(Access(name, pointer, node.lineno, index, mask.limits, text, policy, self.looped))
        axes = (address.axes if address else frozenset()) | mask.axes | frozenset(a for s in stored for a in s.axes)
        tensors = frozenset({pointer}) | (address.tensors if address else frozenset())
        dtype = self.pointers[pointer].dtype if pointer in self.pointers else "float32"
        kind = "bool" if dtype == "bool" else "float" if "float" in dtype else "int"
        loaded = Value(kind, axes, None, (), tensors, frozenset(index.coordinates()) | mask.coordinates)
        return replace(loaded, index=opaque(node, loaded)) if kind == "int" else loaded

    def address(self, node: ast.expr) -> tuple[str, Value | None]:
        """The pointer and the offset of `in_ptr0 + (x0 + 16*x1)`.

        No pointer for what is not such a sum (block pointers).
        """
        match node:
            case ast.Name(id=name) if name in self.pointers:
                return name, Value("int", index=Linear(0))
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=offset) if name in self.pointers:
                return name, self.value(offset)
        self.body.branches = True  # an address of another kind: nothing can be counted
        return "", None


def _is_numel(name: str) -> bool:
    return name.endswith("numel") and name.removesuffix("numel").rstrip("_") in AXES


def _launch_sizes(kernel: Kernel) -> dict[str, Size]:
    """What the first launch passes for each size: an int, or the expression where it is symbolic."""
    passed = kernel.launches[0].arguments if kernel.launches else ()
    values = {argument.name: argument.value for argument in passed}
    sizes = [argument.name for argument in kernel.arguments if argument.role == "size"]
    return {name: int(text) if (text := values.get(name, name)).lstrip("-").isdigit() else text for name in sizes}
