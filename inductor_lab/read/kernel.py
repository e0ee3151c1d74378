"""One Triton source, as Inductor writes it between triple quotes: its signature, category, metadata, body and operations.

Nothing is executed: the text is parsed with `ast`, and only literals are evaluated. The source's layout is that of
`TritonKernel.codegen_kernel` in torch/_inductor/codegen/triton.py, 2.0 to 2.15, of `TritonTemplateKernel` in select_algorithm.py, and of
`define_user_defined_triton_kernel` in codegen/wrapper.py.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from inductor_lab.dtypes import TRITON
from inductor_lab.read import identity
from inductor_lab.read.access import compiled_away, operations, roles
from inductor_lab.read.syntax import parse, walk
from inductor_lab.records import Argument, Claim, Kernel, Traffic

_KNOWN = {
    *dir(builtins), "tl", "triton", "math", "tl_math", "libdevice", "triton_helpers", "triton_heuristics", "torch",
    "tldevice", "tlx", "rand", "randn", "instance_descriptor", "AttrsDescriptor", "DeviceProperties",
}  # fmt: skip
"""What a source may read without an import of its own."""
RENAMED = {"meta": "triton_meta"}
"""Keywords of the decorator that had another name before torch 2.1."""
DESCRIPTORS = ("*", "tensordesc", "nvTmaDesc")
"""How the signature's entry of something that memory is reached through begins."""
_HEADER = re.compile(
    r"^@(?:[\w.]*\.)?(?!jit\b)(?P<category>\w+)\(.*?^def (?P<name>\w+)\(.*?\):[ \t]*$", re.MULTILINE | re.DOTALL
)


UNREAD = Kernel(
    id="", name="", category="unknown", graph="", body_sha256="", definitions=0, arguments=(), launches=(), ops=(), source=(),
    traffic=Traffic(), claim=Claim(), text="", body="", line=0,
)  # fmt: skip
"""A kernel of which nothing is known."""
Read = tuple[Kernel, tuple[str, ...]]
"""A kernel as its text alone tells it, of no capture and without a launch; and sentences on what was not understood, each of which begins with what
comes after the kernel's name."""


def read_source(text: str) -> Read:
    """Read one Triton source.

    Raises:
        ValueError: the text is no Python, nests too deeply, or holds no kernel function.
    """
    try:
        tree = parse(text)
    except SyntaxError as error:
        raise ValueError(f"its source is not Python: {error.msg} in its line {error.lineno}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names = {name: identity.names(function) for name, function in functions.items()}
    function, heuristic, meta = _kernel_function(functions.values())
    lines = text.splitlines()
    first = function.body[0].lineno - 1
    body = textwrap.dedent("\n".join(lines[first : function.end_lineno]))
    missing = _unassigned(tree, functions.values(), heuristic == "template")
    known = roles(function, functions)
    arguments = _arguments(function, meta, known, compiled_away(function, functions, known))
    constants = identity.user_constants(tree, meta, names) if heuristic == "user_autotune" else ""
    return replace(
        UNREAD,
        name=function.name,
        category=_category(heuristic, meta, "pid_offset" in names[function.name]),
        body_sha256=identity.text_hash(identity.normalised(function, functions.values(), arguments, names) + constants),
        arguments=arguments,
        ops=operations(function),
        text=text,
        body=body,
        size_hints=_size_hints(meta.get("size_hints"), arguments),
        meta=meta,
    ), (*_gaps(heuristic, arguments), *missing)


def list_source(text: str) -> Read:
    """Read one Triton source so that it can be listed whatever it is: what is not understood is told beside it."""
    try:
        return read_source(text)
    except ValueError as error:
        problem = f"was not read: {error}"
    header = _HEADER.search(text[:FIRST_PART])
    try:
        known = read_source(f"{text[: header.end()]}\n    pass\n")[0] if header else UNREAD
    except ValueError:
        known = replace(UNREAD, category=header["category"] if header else "unknown")
    body = text[header.end() :].strip("\n") if header else text.strip("\n")
    digest = identity.text_hash(text.replace(known.name, identity.KERNEL) if known.name else text)
    return replace(known, text=text, body=textwrap.dedent(body), body_sha256=digest, ops=()), (problem,)


FIRST_PART = 40_000
"""Characters of a broken source in which its header is looked for."""


def _kernel_function(functions: Iterable[ast.FunctionDef]) -> tuple[ast.FunctionDef, str, dict[str, Any]]:
    """The function under a heuristic's decorator, and what that says; else the last one.

    Helpers stand before it or, in templates, after.

    Raises:
        ValueError: there is no function.
    """
    listed = [(function, *_decorator(function)) for function in functions]
    if not listed:
        raise ValueError("its source holds no @triton.jit function with a heuristic")
    decorated = [one for one in listed if one[1] != "unknown"]
    return (decorated or listed)[-1]


def _decorator(function: ast.FunctionDef) -> tuple[str, dict[str, Any]]:
    """The heuristic's name and the decorator's keyword arguments, as literals."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            name = ast.unparse(decorator.func).rpartition(".")[2]
            keywords = {RENAMED.get(k.arg, k.arg): k.value for k in decorator.keywords if k.arg}
            if name != "jit" and ("triton_meta" in keywords or "size_hints" in keywords):
                return name, {key: literal(value) for key, value in keywords.items()}
    return "unknown", {}


def _category(heuristic: str, meta: dict[str, Any], offset: bool) -> str:
    """The heuristic's name, but for kernels that stand for several: those are launched under a plain heuristic (2.5 and later)."""
    inductor_meta = meta.get("inductor_meta")
    combined = offset or (isinstance(inductor_meta, dict) and "combo_grid_meta" in inductor_meta)
    return "combo" if combined and heuristic != "foreach" else heuristic


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
        case ast.Call(func=ast.Attribute(attr="from_dict"), args=[ast.Dict() as given]):
            return literal(given)
        case ast.Call(func=ast.Name(id="set"), args=[]):
            return []
    return ast.unparse(node)


def _size_hints(hints: Any, arguments: tuple[Argument, ...]) -> dict[str, int]:
    """`{'x': 4096, 'r0_': 512}`. Older versions write a list, in the order of the sizes in the signature, or `r` for `r0_`."""
    if isinstance(hints, list):
        axes = [argument.name.removesuffix("numel") for argument in arguments if argument.name.endswith("numel")]
        hints = dict(zip(axes, hints, strict=False))
    if not isinstance(hints, dict):
        return {}
    return {"r0_" if key == "r" else str(key): value for key, value in hints.items() if isinstance(value, int)}


def _arguments(
    function: ast.FunctionDef, meta: dict[str, Any], known: dict[str, str], away: set[str]
) -> tuple[Argument, ...]:
    triton_meta, inductor_meta = meta.get("triton_meta"), meta.get("inductor_meta")
    signature = triton_meta.get("signature") if isinstance(triton_meta, dict) else None
    mutated = {
        name
        for entries in (triton_meta, inductor_meta)
        if isinstance(entries, dict) and isinstance(names := entries.get("mutated_arg_names"), list)
        for name in names
    }
    arguments = []
    for position, argument in enumerate(function.args.args):
        name = argument.arg
        entry = signature.get(name, signature.get(str(position), "")) if isinstance(signature, dict) else ""
        letters = entry if isinstance(entry, str) else ""
        annotated = argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)
        if annotated:
            arguments.append(Argument(name, "", "constexpr"))
        elif (
            name.endswith("numel") or letters == "constexpr"
        ):  # a size of 1 is a constexpr there, yet passed like any other
            arguments.append(Argument(name, TRITON.get(letters, ""), "size"))
        elif letters.startswith(DESCRIPTORS) or (not letters and "ptr" in name):
            role = known.get(name) or ("inout" if name in mutated else _role(name))
            arguments.append(Argument(name, _pointee(letters), role, pointer=True, untouched=name in away))
        else:
            arguments.append(Argument(name, TRITON.get(letters, letters), "size"))
    return tuple(arguments)


def _pointee(letters: str) -> str:
    """`*fp32` and `tensordesc<fp32[128, 64]>` are both float32."""
    inner = re.sub(r"^(?:\*k?|tensordesc<)|[\[>].*$", "", letters)
    return TRITON.get(inner, inner if not letters.startswith("nvTmaDesc") else "")


def _role(name: str) -> str:
    return "inout" if name.startswith("in_out") else "out" if name.startswith("out") else "in"


def _unassigned(tree: ast.Module, functions: Iterable[ast.FunctionDef], template: bool) -> Iterable[str]:
    """Names that a function reads and nothing makes: a line of the source that was lost on its way leaves them behind.

    Templates read names that are made under another condition only, in branches that are never compiled.
    """
    outside = set(_KNOWN)
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            outside.update((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            outside.add(statement.name)
        else:
            outside.update(node.id for node in walk(statement) if isinstance(node, ast.Name))
    missing: dict[str, None] = {}
    for function in functions if "*" not in outside else ():
        nodes = walk(function)
        made = {node.arg for node in nodes if isinstance(node, ast.arg)}
        made |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        body = [node for statement in function.body for node in walk(statement)]
        missing.update(dict.fromkeys(n.id for n in body if isinstance(n, ast.Name) and n.id not in made | outside))
    if template:
        missing = {name: None for name in missing if name.startswith("tmp")}
    if missing:
        yield f"reads {', '.join(list(missing)[:5])}, which nothing assigns: lines may be missing"


def _gaps(heuristic: str, arguments: tuple[Argument, ...]) -> Iterable[str]:
    """What a whole source leaves open."""
    if heuristic == "unknown":
        yield "has no heuristic's decorator: its category is not known"
    untyped = [argument.name for argument in arguments if argument.pointer and not argument.dtype]
    if untyped:
        yield f"does not say the dtype of {', '.join(untyped)}: the signature has no entry for it"


def parameters(kernel: Kernel, names: Sequence[str]) -> list[Argument | None]:
    """Which parameter each value of a launch is for, None for the grid's.

    User-written kernels were launched by keyword (2.1 to 2.3), then with their constexprs in place (2.4 to 2.8). The launch grid of a
    template comes after the arguments.

    Args:
        names: Of the values as the wrapper has them: positions, `0`, or keywords.
    """
    named = {parameter.name: parameter for parameter in kernel.arguments}
    inductor_meta = kernel.meta.get("inductor_meta")
    grid = len(inductor_meta.get("extra_launcher_args", ())) if isinstance(inductor_meta, dict) else 0
    whole = len(names) - grid == len(kernel.arguments)
    in_order = iter([one for one in kernel.arguments if whole or one.role != "constexpr"])
    return [named.get(name) or (next(in_order, None) if name.isdigit() else None) for name in names]
