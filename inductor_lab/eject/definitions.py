"""The functions and numbers above a kernel in its source that it needs: what a scan combines by, what its author defined."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from inductor_lab.records import Kernel

Definition = ast.FunctionDef | ast.Assign | ast.AnnAssign


def definitions_above(kernel: Kernel) -> tuple[tuple[str, Definition], ...]:
    """Those that the body names, and those that they name, each with its name, in the order in which they stand."""
    return _needed(kernel.text, kernel.name, kernel.body)


def functions(kernel: Kernel) -> dict[str, ast.FunctionDef]:
    """The functions that Inductor wrote above a kernel: what a scan combines by."""
    return {name: node for name, node in definitions_above(kernel) if isinstance(node, ast.FunctionDef)}


@lru_cache(maxsize=32)
def _needed(text: str, kernel: str, body: str) -> tuple[tuple[str, Definition], ...]:
    said = set(re.findall(r"\w+", body))
    heads = re.findall(r"^(?:def )?(\w+)(?=\s*[:=(])", text, re.MULTILINE)
    if not ({*heads} - {kernel}) & said:  # most kernels: nothing to parse
        return ()
    try:
        statements = [node for node in ast.parse(text).body if isinstance(node, Definition)]
    except SyntaxError:
        return ()
    found = [(name, node) for node in statements if (name := _defined(node)) not in {"", kernel}]
    needed = set[str]()
    while new := {name for name, _ in found if name in said} - needed:  # those that others call stand anywhere
        needed |= new
        said |= {word for name, node in found if name in new for word in re.findall(r"\w+", ast.unparse(node))}
    return tuple((name, node) for name, node in found if name in needed)


def _defined(node: Definition) -> str:
    """The name that a statement defines; empty where it is none, or one of Inductor's own."""
    match node:
        case ast.FunctionDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
            return "" if "async_compile" in ast.unparse(node) else name
    return ""
