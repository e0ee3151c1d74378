"""When two kernels are the same one: a hash over what the source computes, less what only its names and its torch version put there.

The hash is taken over the types of the arguments and the function, with the helper functions that it calls (a scan's combining
function says whether it is a sum or a product), as `ast.unparse` prints them. These differences do **not** count:

- names of the kernel and of its helpers; comments, blank lines, parentheses;
- gaps in the numbering of pointers: `out_ptr0, out_ptr2` is `out_ptr0, out_ptr1`;
- the reduction axis of older versions: `rindex`, `rnumel`, `RBLOCK`, `r2` are `r0_index`, `r0_numel`, `R0_BLOCK`, `r0_2`, where
  there is one reduction axis (with two, `rindex` is a combination of both, and kept);
- plumbing that nothing reads (`roffset = r0_offset`, an unused mask), except the sizes `xnumel = 4096`, which are facts of the kernel;
- spellings: `x[:]`, `tl.range(a, b)` for `range(a, b)`, `+ tl.zeros([XBLOCK], tl.int32)` in an address, the shape of a mask that is
  true everywhere and of a scalar constant, `tl.full(s, 0, t).broadcast_to(n)` for `tl.full(n, 0, t)`, `tl.math` for `tl_math`,
  `tl.libdevice` for `libdevice`, and a float constant as `2.0` or `tl.full([1], 2.0, tl.float32)` where no argument is float64.

Everything else counts: dtypes of arguments, sizes, the order and numbering of `tmp` values, masks, eviction policies, block sizes.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from inductor_lab.read.access import called
from inductor_lab.records import Argument

_OLD_AXIS = {
    "rindex": "r0_index",
    "rnumel": "r0_numel",
    "rmask": "r0_mask",
    "roffset": "r0_offset",
    "rbase": "r0_base",
    "RBLOCK": "R0_BLOCK",
}
_OLD_SYMBOL = re.compile(r"r(\d+)$")
_POINTER = re.compile(r"(in_out_ptr|in_ptr|out_ptr)\d+$")
_MODULES = {"tl.math": "tl_math", "tl.libdevice": "libdevice"}
_PURE = {
    "arange",
    "full",
    "zeros",
    "program_id",
    "broadcast_to",
    "to",
    "cdiv",
    "min",
    "where",
    "constexpr_next_power_of_2",
    "reshape",
}
"""Calls that may go where their result is not used."""
KERNEL = "kernel"
"""The name that every kernel is given."""


def body_hash(function: ast.FunctionDef, helpers: Iterable[ast.FunctionDef], arguments: tuple[Argument, ...]) -> str:
    """SHA-256 of what a kernel is. The trees are changed: give them up."""
    return hashlib.sha256(normalised(function, helpers, arguments).encode()).hexdigest()


def text_hash(text: str) -> str:
    """The key of a kernel that is not Python: its text as it stands."""
    return hashlib.sha256(text.encode()).hexdigest()


def normalised(function: ast.FunctionDef, helpers: Iterable[ast.FunctionDef], arguments: tuple[Argument, ...]) -> str:
    """The text that the hash is taken over. The trees are changed: give them up."""
    used = _used(function, helpers)
    renamed = {helper.name: f"helper{number}" for number, helper in enumerate(used)} | {function.name: KERNEL}
    double = any(argument.dtype == "float64" for argument in arguments)
    parts = []
    for one in (function, *used):
        names = _names(one) | renamed
        one.decorator_list = []
        tree = _Spelling(names, literal_constants=not double).visit(one)
        _drop_unread(tree)
        parts.append(ast.unparse(tree))
        if one is function:
            # `xnumel` is a constexpr where it is 1 in one version, an i32 in another: its value stands in the body.
            types = ", ".join(
                f"{names.get(a.name, a.name)}: {'' if a.name.endswith('numel') else a.dtype}" for a in arguments
            )
            parts.insert(0, types)
    return "\n".join(parts)


def _used(function: ast.FunctionDef, helpers: Iterable[ast.FunctionDef]) -> list[ast.FunctionDef]:
    """The helpers that the kernel reaches, in the order in which it first does."""
    known = {helper.name: helper for helper in helpers if helper is not function}
    found: dict[str, ast.FunctionDef] = {}
    todo = [function]
    while todo:
        for node in ast.walk(todo.pop(0)):
            if isinstance(node, ast.Name) and node.id in known and node.id not in found:
                found[node.id] = known[node.id]
                todo.append(known[node.id])
    return list(found.values())


def _names(function: ast.FunctionDef) -> dict[str, str]:
    """What is called otherwise: the reduction axis of older versions, pointers after a gap in their numbers."""
    seen = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    parameters = [argument.arg for argument in function.args.args]
    names: dict[str, str] = {}
    if not any(name.startswith(("r1_", "R1_")) for name in (*seen, *parameters)):
        names.update(_OLD_AXIS)
        names.update({name: f"r0_{match[1]}" for name in seen if (match := _OLD_SYMBOL.match(name))})
    count: dict[str, int] = {}
    for parameter in parameters:
        if match := _POINTER.match(parameter):
            number = count.get(match[1], 0)
            count[match[1]] = number + 1
            names[parameter] = f"{match[1]}{number}"
    return names


class _Spelling(ast.NodeTransformer):
    """One spelling for what versions write in several."""

    def __init__(self, names: dict[str, str], literal_constants: bool) -> None:
        self.names = names
        self.literal_constants = literal_constants

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        module = _MODULES.get(f"{node.value.id}.{node.attr}") if isinstance(node.value, ast.Name) else None
        return ast.Name(module, node.ctx) if module else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=None)):
                return value
            case ast.Subscript(value=value) if _true_everywhere(value):
                return value
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.BinOp(
                left=left,
                op=ast.Add(),
                right=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="tl"), attr="zeros"), args=[_, ast.Attribute(attr="int32")]
                ),
            ):
                return left
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="tl"), attr="range"), keywords=[]):
                node.func = ast.Name("range", ast.Load())
            case ast.Call(func=ast.Attribute(value=ast.Call() as full, attr="broadcast_to"), args=shape) if _is_full(
                full
            ):
                return ast.Call(full.func, [ast.List(shape, ast.Load()), *full.args[1:]], [])
            case ast.Call(args=[ast.List() as shape, value, kind]) if _is_full(node):
                scalar = all(isinstance(size, ast.Constant) and size.value == 1 for size in shape.elts)
                if _true_everywhere(node):
                    return ast.Constant(True)
                if scalar and self.literal_constants and isinstance(kind, ast.Attribute) and kind.attr == "float32":
                    number = isinstance(value, ast.Constant) and isinstance(value.value, int)
                    return ast.Constant(float(value.value)) if number else value  # type: ignore[attr-defined]
                if scalar:
                    shape.elts = [ast.Constant(1)]
        return node


def _is_full(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="tl"), attr="full"), args=[_, _, _]):
            return True
    return False


def _true_everywhere(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=True) | ast.Call(args=[_, ast.Constant(value=True), _]):
            return isinstance(node, ast.Constant) or _is_full(node)
    return False


def _drop_unread(function: ast.FunctionDef) -> None:
    """Take out assignments that nothing reads, until there are none left, and assignments of a name to itself."""
    reads: Counter[str] = Counter()
    open_: dict[ast.stmt, tuple[str, list[str]]] = {}
    """Assignments that may go -> what they assign, and what they read."""
    for statement in _statements(function.body):
        names = [
            node.id for node in _own_nodes(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        reads.update(names)
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if (isinstance(value, ast.Name) and value.id == name) or (not name.endswith("numel") and _pure(value)):
                open_[statement] = name, names
    dropped: set[ast.stmt] = set()
    while idle := [
        statement
        for statement, (name, names) in open_.items()
        if not reads[name] or (isinstance(statement.value, ast.Name) and statement.value.id == name)  # type: ignore[attr-defined]
    ]:
        for statement in idle:
            reads.subtract(open_.pop(statement)[1])
        dropped.update(idle)
    if dropped:
        _remove(function, dropped)


def _blocks(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    for name in ("body", "orelse"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield name, block


def _statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        yield statement
        for _, inner in _blocks(statement):
            yield from _statements(inner)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from ast.walk(child)


def _pure(value: ast.expr) -> bool:
    return all(called(node) in _PURE for node in ast.walk(value) if isinstance(node, ast.Call))


def _remove(statement: ast.stmt, dropped: set[ast.stmt]) -> None:
    for name, block in _blocks(statement):
        kept = [inner for inner in block if inner not in dropped]
        for inner in kept:
            _remove(inner, dropped)
        setattr(statement, name, kept or ([ast.Pass()] if name == "body" else []))
