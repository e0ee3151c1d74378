"""Cuts a captured Triton source down to the functions that Triton compiles, so that nothing else of it runs.

Kept are the functions that are decorated with `triton.jit` and the constants that they read; a function's body is compiled, never
called. Names that older versions had and this Triton has not are replaced by what stands for them now.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from inductor_lab.errors import LabError

RENAMED = (
    (re.compile(r"\btl\.libdevice\."), "libdevice."),  # until Triton 2.1
    (
        re.compile(
            r"\btl\.math\.(?!(?:umulhi|exp2?|log2?|cos|sin|rsqrt|sqrt|sqrt_rn|abs|fdiv|div_rn|erf|floor|ceil|fma)\b)"
        ),
        "libdevice.",
    ),  # where tl.math was libdevice, until 3.0
    (re.compile(r"\btldevice\."), "libdevice."),
)


@dataclass(frozen=True)
class Source:
    """What is left of a source."""

    text: str
    kernel: str
    """The kernel's function; the others are its helpers."""
    parameters: tuple[str, ...]
    defaults: dict[str, object]
    """Literal defaults of its parameters."""
    imports: tuple[tuple[str, str, str], ...]
    """(module, name, as) of what it takes from Triton; an empty name for the module itself."""
    lines: dict[int, int]
    """Line of `text` -> line of the kernel's body as it was captured, both from 1."""


def compilable(text: str) -> Source:
    """Take a source apart.

    Raises:
        LabError: it is not Python, holds no kernel, or would run something where its functions are defined.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise LabError(f"its source is not Python: {error}") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_jit(node)]
    if not functions:
        raise LabError("its source holds no @triton.jit function")
    kernel = next((one for one in reversed(functions) if _is_chosen(one)), functions[-1])
    parts = [ast.unparse(node) for node in tree.body if _is_constant(node)]
    parts += [_written(function) for function in functions]
    joined = "\n\n\n".join(parts) + "\n"
    for pattern, now in RENAMED:
        joined = pattern.sub(now, joined)
    return Source(
        joined,
        kernel.name,
        tuple(argument.arg for argument in kernel.args.args),
        _defaults(kernel),
        _imports(tree),
        _lines(kernel, joined),
    )


def _lines(kernel: ast.FunctionDef, written: str) -> dict[int, int]:
    """Where each statement of the kernel stands in the text that was written of it: the same statements, in the same order."""
    again = next(
        node for node in ast.parse(written).body if isinstance(node, ast.FunctionDef) and node.name == kernel.name
    )
    before = kernel.body[0].lineno - 1
    pairs = zip(_statements(again), _statements(kernel), strict=True)
    return {new.lineno: old.lineno - before for new, old in pairs}


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    return [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]


def _is_jit(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).startswith(("triton.jit", "jit")) for decorator in function.decorator_list)


def _is_chosen(function: ast.FunctionDef) -> bool:
    """Whether one of Inductor's heuristics stands above it."""
    calls = (decorator for decorator in function.decorator_list if isinstance(decorator, ast.Call))
    return any(keyword.arg in {"triton_meta", "meta", "size_hints"} for call in calls for keyword in call.keywords)


def _is_constant(node: ast.stmt) -> bool:
    """`SCALE = 0.5`, `BLOCK: tl.constexpr = 64`, `BLOCK = tl.constexpr(64)`: what a user's kernel reads from its module."""
    match node:
        case (
            ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
        ):
            if isinstance(value, ast.Call) and ast.unparse(value.func) in {"tl.constexpr", "triton.language.constexpr"}:
                return all(map(_is_plain, value.args)) and not value.keywords
            return _is_plain(value)
    return False


def _is_plain(node: ast.expr) -> bool:
    """Literals and dotted names, which do nothing when they are evaluated."""
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=value) | ast.UnaryOp(operand=value):
            return _is_plain(value)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return all(map(_is_plain, elements))
    return False


def _written(function: ast.FunctionDef) -> str:
    """The function alone, under a bare `@triton.jit`."""
    arguments = function.args
    defaults = [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
    if not all(map(_is_plain, defaults)):
        raise LabError(f"a default of `{function.name}` is no literal, and captured text is not run")
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.annotation is not None and not _is_plain(argument.annotation):
            argument.annotation = None
    returns = function.returns
    function.decorator_list, function.returns = [], returns if returns is not None and _is_plain(returns) else None
    return f"@triton.jit\n{ast.unparse(function)}"


def _defaults(function: ast.FunctionDef) -> dict[str, object]:
    given = function.args.defaults
    names = [argument.arg for argument in function.args.args][len(function.args.args) - len(given) :]
    return {
        name: default.value for name, default in zip(names, given, strict=True) if isinstance(default, ast.Constant)
    }


def _imports(tree: ast.Module) -> tuple[tuple[str, str, str], ...]:
    """What the source takes from Triton; torch's modules have moved from version to version, and what stands in them is known."""
    found: list[tuple[str, str, str]] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "triton":
            found += [(node.module or "", alias.name, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [
                (alias.name, "", alias.asname)
                for alias in node.names
                if alias.asname and alias.name.startswith("triton.")
            ]
    return tuple(found)
