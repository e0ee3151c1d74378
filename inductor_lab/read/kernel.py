"""One Triton source, as Inductor writes it between triple quotes: its signature, category, metadata, body and operations.

Nothing is executed: the text is parsed with `ast`, and only literals are evaluated. The source's layout is that of
`TritonKernel.codegen_kernel` in torch/_inductor/codegen/triton.py, 2.11 to 2.15.
"""

from __future__ import annotations

import ast
import hashlib
import textwrap
from dataclasses import dataclass
from typing import Any

from inductor_lab.read.types import TRITON
from inductor_lab.records import Argument

OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.LShift: "shift_left", ast.RShift: "shift_right", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.USub: "neg", ast.Invert: "not", ast.Not: "not",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
PLUMBING = {
    "full",
    "broadcast_to",
    "arange",
    "program_id",
    "zeros",
    "range",
    "static_range",
    "device_assert",
    "reshape",
    "debug_barrier",
}
"""Calls that move no data and compute no value of the model."""


@dataclass(frozen=True)
class Source:
    """What one Triton source says of itself."""

    name: str
    category: str
    arguments: tuple[Argument, ...]
    body: str
    body_sha256: str
    ops: tuple[str, ...]
    size_hints: dict[str, int]
    meta: dict[str, Any]


def read_source(text: str) -> Source:
    """Read one Triton source.

    Raises:
        ValueError: the text is no Python, or holds no kernel function.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"its source is not Python: {error.msg} in its line {error.lineno}") from error
    function = _kernel_function(tree)
    if function is None:
        raise ValueError("its source holds no @triton.jit function with a heuristic")
    category, meta = _decorator(function)
    lines = text.splitlines()
    first = function.body[0].lineno - 1
    body = textwrap.dedent("\n".join(lines[first : function.end_lineno]))
    triton_meta = meta.get("triton_meta")
    signature = triton_meta.get("signature", {}) if isinstance(triton_meta, dict) else {}
    arguments = _arguments(function, signature)
    described = ", ".join(f"{argument.name}: {argument.dtype or 'constexpr'}" for argument in arguments)
    digest = hashlib.sha256(f"{described}\n{body}".encode()).hexdigest()
    return Source(
        function.name,
        category,
        arguments,
        body,
        digest,
        operations(function),
        _size_hints(meta.get("size_hints")),
        meta,
    )


def _kernel_function(tree: ast.Module) -> ast.FunctionDef | None:
    """The function under a heuristic's decorator; else the last one (helpers of a template come first)."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    decorated = [f for f in functions if any("triton_heuristics" in ast.unparse(d) for d in f.decorator_list)]
    return decorated[-1] if decorated else functions[-1] if functions else None


def _decorator(function: ast.FunctionDef) -> tuple[str, dict[str, Any]]:
    """The category (the heuristic's name) and the decorator's keyword arguments, as literals."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and "jit" not in (name := ast.unparse(decorator.func)):
            return name.rpartition(".")[2], {
                keyword.arg: literal(keyword.value) for keyword in decorator.keywords if keyword.arg
            }
    return "unknown", {}


def literal(node: ast.expr) -> Any:
    """A literal's value. A call becomes a dict of its keywords (`DeviceProperties(type='cuda')`), any other expression its text."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Dict(keys=keys, values=values):
            return {str(literal(key)) if key else "**": literal(value) for key, value in zip(keys, values, strict=True)}
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return [literal(element) for element in elements]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if isinstance(value, (int, float)):
            return -value
        case ast.Call(keywords=keywords, args=args) if keywords and not args:
            return {keyword.arg: literal(keyword.value) for keyword in keywords if keyword.arg}
        case ast.Call(func=ast.Name(id="set"), args=[]):
            return []
    return ast.unparse(node)


def _size_hints(hints: Any) -> dict[str, int]:
    """`{'x': 4096, 'r0_': 512}`; a list of older versions is numbered by its prefixes x, y."""
    if isinstance(hints, dict):
        return {str(key): value for key, value in hints.items() if isinstance(value, int)}
    if isinstance(hints, list):
        return dict(zip(("x", "y", "z"), (hint for hint in hints if isinstance(hint, int)), strict=False))
    return {}


def _arguments(function: ast.FunctionDef, signature: Any) -> tuple[Argument, ...]:
    accesses = _accesses(function)
    arguments = []
    for position, argument in enumerate(function.args.args):
        letters = signature.get(argument.arg, signature.get(str(position), "")) if isinstance(signature, dict) else ""
        annotated = argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)
        if argument.arg.endswith("numel"):  # a size of 1 is a constexpr in the signature, yet passed like any other
            arguments.append(Argument(argument.arg, TRITON.get(str(letters), ""), "size"))
        elif annotated or letters == "constexpr":
            arguments.append(Argument(argument.arg, "", "constexpr"))
        elif str(letters).startswith("*") or "ptr" in argument.arg:
            dtype = TRITON.get(str(letters).lstrip("*"), str(letters).lstrip("*"))
            arguments.append(
                Argument(argument.arg, dtype, accesses.get(argument.arg) or _role(argument.arg), pointer=True)
            )
        else:
            arguments.append(Argument(argument.arg, TRITON.get(str(letters), str(letters)), "size"))
    return tuple(arguments)


def _role(name: str) -> str:
    return "inout" if name.startswith("in_out") else "out" if name.startswith("out") else "in"


def _accesses(function: ast.FunctionDef) -> dict[str, str]:
    """The role of each pointer by what the body does with it: a load first, or an atomic, means that its old value counts."""
    roles: dict[str, str] = {}
    parameters = {argument.arg for argument in function.args.args}
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and node.args)
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        access = called(call)
        if access not in {"load", "store"} and not access.startswith("atomic"):
            continue
        for name in (n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name) and n.id in parameters):
            before = roles.get(name)
            if access == "load":
                roles[name] = before or "in"
            elif access == "store":
                roles[name] = "inout" if before == "in" else before or "out"
            else:
                roles[name] = "inout"
    return roles


def called(call: ast.Call) -> str:
    """The last word of what is called: `tl.load` is `load`."""
    return ast.unparse(call.func).rpartition(".")[2]


def operations(function: ast.FunctionDef) -> tuple[str, ...]:
    """What the body does to values, in the order in which it first does it. Index arithmetic and plumbing are left out."""
    seen: dict[str, None] = {}
    for statement in sorted((n for n in ast.walk(function) if isinstance(n, ast.stmt)), key=lambda n: n.lineno):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.lstrip("_").startswith("tmp"):
                seen.update(dict.fromkeys(_operations(value)))
            case ast.Expr(value=ast.Call() as call):
                seen.update(dict.fromkeys(_operations(call)))
    return tuple(seen)


def _operations(value: ast.expr) -> list[str]:
    """Operations of one expression, innermost first. The address and mask of a load or store are not looked into."""
    match value:
        case ast.Call():
            name = called(value)
            if name in {"load", "store"} or name.startswith("atomic"):
                return [name + {"load": ".gather", "store": ".scatter"}.get(name, "") if _indirect(value) else name]
            inner = [op for argument in value.args for op in _operations(argument)]
            if isinstance(value.func, ast.Attribute):
                inner = _operations(value.func.value) + inner
            if name in PLUMBING:
                return inner
            return [
                *inner,
                f"cast.{ast.unparse(value.args[0]).rpartition('.')[2]}" if name == "to" and value.args else name,
            ]
        case ast.BinOp(left=left, op=op, right=right):
            return [*_operations(left), *_operations(right), OPERATORS.get(type(op), "operator")]
        case ast.UnaryOp(op=op, operand=operand):
            return [*_operations(operand), OPERATORS[type(op)]] if type(op) in OPERATORS else _operations(operand)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            inner = _operations(left) + [op for comparator in comparators for op in _operations(comparator)]
            return inner + [OPERATORS[type(op)] for op in ops if type(op) in OPERATORS]
        case ast.Subscript(value=inner_value):
            return _operations(inner_value)
    return []


def _indirect(call: ast.Call) -> bool:
    """True when the address depends on a loaded value."""
    return any(isinstance(node, ast.Name) and node.id.startswith("tmp") for node in ast.walk(call.args[0]))
