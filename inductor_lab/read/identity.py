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

Of a kernel that the user wrote, its constants and the globals that it reads count too.

Everything else counts: dtypes of arguments, sizes, the order and numbering of `tmp` values, masks, eviction policies, block sizes.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from inductor_lab.computation.operators import called
from inductor_lab.read.syntax import blocks, expressions, statements, walk
from inductor_lab.records import Argument

_OLD_AXIS = {
    "rindex": "r0_index", "rnumel": "r0_numel", "rmask": "r0_mask", "roffset": "r0_offset", "rbase": "r0_base",
    "RBLOCK": "R0_BLOCK",
}  # fmt: skip
_OLD_SYMBOL = re.compile(r"r(\d+)$")
_POINTER = re.compile(r"(in_out_ptr|in_ptr|out_ptr)\d+$")
_MODULES = {"tl.math": "tl_math", "tl.libdevice": "libdevice"}
_PURE = {
    "arange", "full", "zeros", "program_id", "broadcast_to", "to", "cdiv", "min", "where", "constexpr_next_power_of_2", "reshape",
}  # fmt: skip
"""Calls that may go where their result is not used."""
KERNEL = "kernel"
"""The name that every kernel is given."""


def user_constants(tree: ast.Module, meta: Mapping[str, Any], seen: Mapping[str, Collection[str]]) -> str:
    """What a kernel that the user wrote computes with and does not say in its functions.

    Its constexprs stand in the decorator only, the globals that it reads beside it; Inductor writes the values of its own into the body.
    """
    triton_meta = meta.get("triton_meta")
    constants = triton_meta.get("constants") if isinstance(triton_meta, dict) else None
    given = sorted((str(key), repr(value)) for key, value in constants.items()) if isinstance(constants, dict) else []
    read = {name for names in seen.values() for name in names}
    parts = [f"{key} = {value}" for key, value in given]
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id in read for target in targets):
            parts.append(ast.unparse(statement))
    return "".join(f"\n{part}" for part in parts)


def text_hash(text: str) -> str:
    """The key of a kernel: SHA-256 of its text, `normalised` where it is Python."""
    return hashlib.sha256(text.encode()).hexdigest()


def normalised(
    function: ast.FunctionDef,
    helpers: Iterable[ast.FunctionDef],
    arguments: tuple[Argument, ...],
    seen: Mapping[str, Collection[str]] | None = None,
) -> str:
    """The text that the hash is taken over. The trees are changed: give them up.

    Args:
        seen: The `names` in each function, where they are known.
    """
    functions = {function.name: function, **{helper.name: helper for helper in helpers}}
    seen = seen or {name: names(one) for name, one in functions.items()}
    used = _used(function, functions, seen)
    renamed = {helper.name: f"helper{number}" for number, helper in enumerate(used)} | {function.name: KERNEL}
    double = any(argument.dtype == "float64" for argument in arguments)
    parts = []
    for one in (function, *used):
        called_otherwise = _renamed(one, seen[one.name]) | renamed
        one.decorator_list = []
        _spell(one, called_otherwise, _SPELLINGS if double else _SPELLINGS_AND_CONSTANTS)
        _drop_unread(one)
        parts.append(ast.unparse(one))
        if one is function:
            # `xnumel` is a constexpr where it is 1 in one version, an i32 in another: its value stands in the body.
            types = ", ".join(
                f"{called_otherwise.get(a.name, a.name)}: {'' if a.name.endswith('numel') else a.dtype}"
                for a in arguments
            )
            parts.insert(0, types)
    return "\n".join(parts)


def names(function: ast.FunctionDef) -> dict[str, None]:
    """Every name in a function, in the order in which they are reached level by level.

    Raises:
        ValueError: it is nested too deeply.
    """
    return dict.fromkeys(node.id for node in walk(function) if isinstance(node, ast.Name))


def _used(
    function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef], seen: Mapping[str, Collection[str]]
) -> list[ast.FunctionDef]:
    """The helpers that the kernel reaches, in the order in which it first does."""
    found: dict[str, None] = {}
    todo = [function.name]
    while todo:
        new = [name for name in seen[todo.pop(0)] if name in functions and name != function.name and name not in found]
        found.update(dict.fromkeys(new))
        todo += new
    return [functions[name] for name in found]


def _renamed(function: ast.FunctionDef, seen: Collection[str]) -> dict[str, str]:
    """What is called otherwise: the reduction axis of older versions, pointers after a gap in their numbers."""
    parameters = [argument.arg for argument in function.args.args]
    new: dict[str, str] = {}
    if not any(name.startswith(("r1_", "R1_")) for name in (*seen, *parameters)):
        new.update(_OLD_AXIS)
        new.update({name: f"r0_{match[1]}" for name in seen if (match := _OLD_SYMBOL.match(name))})
    count: dict[str, int] = {}
    for parameter in parameters:
        if match := _POINTER.match(parameter):
            number = count.get(match[1], 0)
            count[match[1]] = number + 1
            new[parameter] = f"{match[1]}{number}"
    return new


def _spell(node: Any, names: Mapping[str, str], rules: Mapping[type[ast.AST], Callable[[Any], ast.AST]]) -> ast.AST:
    """One spelling for what versions write in several: the tree, changed from its leaves up by the rule for each kind of node."""
    kind = node.__class__
    if kind is ast.Name:
        node.id = names.get(node.id, node.id)
        return node  # type: ignore[no-any-return]
    if kind is ast.arg:
        node.arg = names.get(node.arg, node.arg)
    elif kind is ast.FunctionDef:
        node.name = names.get(node.name, node.name)
    for field in kind._fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            value[:] = [_spell(child, names, rules) if isinstance(child, ast.AST) else child for child in value]
        elif isinstance(value, ast.AST) and value._fields:
            setattr(node, field, _spell(value, names, rules))
    rule = rules.get(kind)
    return rule(node) if rule else node


def _attribute(node: ast.Attribute) -> ast.AST:
    module = _MODULES.get(f"{node.value.id}.{node.attr}") if isinstance(node.value, ast.Name) else None
    return ast.Name(module, node.ctx) if module else node


def _subscript(node: ast.Subscript) -> ast.AST:
    match node:
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=None)):
            return value
        case ast.Subscript(value=value) if _true_everywhere(value):
            return value
    return node


def _sum(node: ast.BinOp) -> ast.AST:
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


def _call(node: ast.Call, literal_constants: bool = False) -> ast.AST:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in {"range", "broadcast_to", "full"}:
        return node
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="tl"), attr="range"), keywords=[]):
            node.func = ast.Name("range", ast.Load())
        case ast.Call(func=ast.Attribute(value=ast.Call() as full, attr="broadcast_to"), args=shape) if _is_full(full):
            return ast.Call(full.func, [ast.List(shape, ast.Load()), *full.args[1:]], [])
        case ast.Call(args=[ast.List() as shape, value, kind]) if _is_full(node):
            scalar = all(isinstance(size, ast.Constant) and size.value == 1 for size in shape.elts)
            if _true_everywhere(node):
                return ast.Constant(True)
            if scalar and literal_constants and isinstance(kind, ast.Attribute) and kind.attr == "float32":
                number = isinstance(value, ast.Constant) and isinstance(value.value, int)
                return ast.Constant(float(value.value)) if number else value  # type: ignore[attr-defined]
            if scalar:
                shape.elts = [ast.Constant(1)]
    return node


_SPELLINGS: dict[type[ast.AST], Callable[[Any], ast.AST]] = {
    ast.Attribute: _attribute, ast.Subscript: _subscript, ast.BinOp: _sum, ast.Call: _call,
}  # fmt: skip
_SPELLINGS_AND_CONSTANTS: dict[type[ast.AST], Callable[[Any], ast.AST]] = {
    **_SPELLINGS,
    ast.Call: partial(_call, literal_constants=True),
}


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
    idle: list[ast.stmt] = []
    read_by: dict[ast.stmt, list[str]] = {}
    """Assignments that may go -> what they read."""
    assigning: dict[str, list[ast.stmt]] = {}
    for statement in statements(function.body):
        nodes = list(expressions(statement))
        names = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        reads.update(names)
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                itself = isinstance(value, ast.Name) and value.id == name
                pure = all(called(node) in _PURE for node in nodes if isinstance(node, ast.Call))
                if itself or (pure and not name.endswith("numel")):
                    read_by[statement] = names
                    assigning.setdefault(name, []).append(statement)
                    if itself:
                        idle.append(statement)
    idle += [statement for name, several in assigning.items() if not reads[name] for statement in several]
    dropped: set[ast.stmt] = set()
    while idle:
        statement = idle.pop()
        if statement not in dropped:
            dropped.add(statement)
            for name in read_by[statement]:
                reads[name] -= 1
                if not reads[name]:
                    idle += assigning.get(name, ())
    if dropped:
        _remove(function, dropped)


def _remove(statement: ast.stmt, dropped: set[ast.stmt]) -> None:
    for name, block in blocks(statement).items():
        kept = [inner for inner in block if inner not in dropped]
        for inner in kept:
            _remove(inner, dropped)
        setattr(statement, name, kept or ([ast.Pass()] if name == "body" else []))
