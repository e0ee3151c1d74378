"""Python that Triton compiles with another meaning than its interpreter gives it: loops, `and`, `min`, typed numbers.

- `for i in range(n)`: i is a tensor, of int32 or what its bounds are: it has `.to`, wraps round, and i // 2 is cut off as in C.
- `a and b`, `a or b`, `not a` of blocks: lane by lane; Python takes any block for true.
- `min(a, b)` and `max(a, b)` are `tl.minimum` and `tl.maximum`; Python takes the first or second block whole.
- A number that a launch passes has a type; the interpreter leaves a float as it is, and has no room for a bool.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import ASTTransformer, FunctionRewriter, interpreter_semantic

COUNTED, COMBINED, NEGATED, CHOSEN = (f"{word}_by_the_judge" for word in ("counted", "combined", "negated", "chosen"))


def install() -> None:
    """To be called before a kernel runs: what is rewritten is kept."""
    FunctionRewriter.ast_transformer = _Compiled()
    for name, function in {COUNTED: counted, COMBINED: combined, NEGATED: negated, CHOSEN: chosen}.items():
        setattr(interpreter, name, function)  # its names are put beside a kernel's
    interpreter._implicit_cvt = _passed(interpreter._implicit_cvt)
    interpreter._patch_lang_tensor = _with_index(interpreter._patch_lang_tensor)


class _Compiled(ASTTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        return self.generic_visit(super().visit_Assign(node))

    def visit_For(self, node: ast.For) -> ast.AST:  # noqa: N802
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func).rpartition(".")[2] == "range":
            node.iter = _call(COUNTED, node.iter.func, *node.iter.args, keywords=node.iter.keywords)
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:  # noqa: N802
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        later = [ast.Lambda(nothing, value) for value in node.values]
        return self.generic_visit(_call(COMBINED, ast.Constant(isinstance(node.op, ast.And)), *later))

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            node = _call(CHOSEN, node.func, *node.args, keywords=node.keywords)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        return _call(NEGATED, node.operand) if isinstance(node.op, ast.Not) else node


def _call(name: str, *arguments: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), keywords or [])


def counted(function: Callable[..., Any], *bounds: Any, **options: Any) -> Iterator[Any]:
    """The numbers of a loop as scalars of the type that all its bounds have in common."""
    given = [interpreter_semantic.to_tensor(each).dtype for each in (*bounds, *options.values()) if _is_whole(each)]
    dtype = reduce(interpreter_semantic.integer_promote_impl, given)
    for number in function(
        *(each.handle.data.item() if isinstance(each, tl.tensor) else each for each in bounds), **options
    ):
        yield interpreter_semantic.scalar_constant(number, dtype)


def _is_whole(bound: Any) -> bool:
    return isinstance(getattr(bound, "value", bound), int | tl.tensor) and not isinstance(bound, bool)


def combined(every: bool, *values: Callable[[], Any]) -> Any:
    """`and` of all values, or `or`: as the compiler has it, all that are tensors are worked out, and what is none may end it before."""
    tensors, last = [], None
    for value in values:
        last = value()
        if isinstance(last, tl.tensor):
            tensors.append(last)
        elif bool(last) is not every:
            return last
    if any(map(_is_block, tensors)):
        return reduce(interpreter_semantic.logical_and if every else interpreter_semantic.logical_or, tensors)
    return next((each for each in tensors if bool(each) is not every), tensors[-1] if tensors else last)


def chosen(function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """The smallest or largest of some values: tensors as Triton compares them."""
    of_tensors = {min: tl.minimum, max: tl.maximum}.get(function)
    if of_tensors and any(isinstance(value, tl.tensor) for value in values):
        return reduce(of_tensors, values)
    return function(*values, **options)


def negated(value: Any) -> Any:
    return interpreter_semantic.not_(value) if _is_block(value) else not value


def _is_block(value: Any) -> bool:
    return isinstance(value, tl.tensor) and value.type.is_block()


# ------------------------------------------------------------ what a launch passes


def _passed(convert: Callable[..., Any]) -> Callable[..., Any]:
    """An argument as the kernel has it."""

    def call(x: Any) -> Any:
        if not isinstance(x, float | bool):
            return convert(x)
        kind, dtype = (np.float32, tl.float32) if isinstance(x, float) else (np.bool_, tl.int1)
        return tl.tensor(interpreter.TensorHandle(np.array([x], kind), dtype), dtype)

    return call


def _with_index(patch: Callable[..., Any]) -> Callable[..., Any]:
    """`range(n)` of a number that a launch passes, an array of one element: Triton 3.6 takes it for a scalar, and numpy 2.5 refuses."""

    def call(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    return call
