"""Names in the edited part of a file behind which nobody can look: text that is executed, torch's own inside, other packages, the system.

Whatever passes is read for them at last: what the process that runs a file tells of it is worth no more than that process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inductor_lab.edited import JUDGE_STARTS
from inductor_lab.paths import templates_folder

NAMES = frozenset({"exec", "eval", "compile", "__import__", "globals", "setattr", "delattr", "open"})
LAUNCHES, CALLED = frozenset({"CudaKernel"}), "cuda_kernel"
"""By what a file launches its .cu: the class, which no edit needs, and the one of it, which a launcher calls and nothing else. Whoever takes the
place of either is taken for a kernel."""
ATTRIBUTES = frozenset(
    {
        "_C", "_dynamo", "_inductor", "_utils", "numpy", "dlpack", "to_dlpack", "from_dlpack", "from_numpy", "modules", "settrace", "setprofile",
        "_getframe", "handle",
    }
)  # fmt: skip
"""Of modules and tensors. `handle` is a tensor of the interpreter's own memory."""
MODULES = frozenset(
    {
        "torch", "triton", "math", "typing", "__future__", "functools", "dataclasses", "collections", "itertools", "operator", "enum", "contextlib",
        "logging", "warnings", "sys",
    }
)  # fmt: skip
"""What an edit may import; `sys` is in every file."""
INDUCTORS = "torch._inductor.runtime.triton_helpers"
"""What generated kernels import."""


def hidden(text: str) -> str:
    """The first such name in a file's edited part, with its line, in a sentence; empty for none."""
    part = text.partition(JUDGE_STARTS)[0]
    try:
        statements = ast.parse(part).body
    except SyntaxError:
        return ""
    ours = _ours()
    for statement in statements:
        if ast.dump(statement) not in ours:
            for node in ast.walk(statement):
                for name in _names(node):
                    return f"line {getattr(node, 'lineno', 0)} uses {name}, behind which nobody can look: no kernel and no launcher needs it"
    return ""


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) if name in NAMES | LAUNCHES or (name.startswith("__") and name.endswith("__")):
            yield name
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) if name in LAUNCHES | {CALLED}:
            yield name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(value=ast.Name(id=name)) if name == CALLED:
            yield name
        case ast.Attribute(attr=name) if name in ATTRIBUTES or (name.startswith("__") and name.endswith("__")):
            yield name
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases if not _allowed(alias.name))
        case ast.ImportFrom(module=module, names=aliases):
            yield from (f"{module}.{alias.name}" for alias in aliases if not _allowed(f"{module}.{alias.name}"))


def _allowed(name: str) -> bool:
    first, *others = name.split(".")
    return name.startswith(INDUCTORS) or (first in MODULES and not ATTRIBUTES & set(others))


def _ours() -> frozenset[str]:
    """Statements that `eject` itself writes beside kernels: what lets programs of the interpreter wait for each other."""
    files = sorted((templates_folder() / "helpers").glob("*.py"))
    return frozenset(ast.dump(one) for file in files for one in ast.parse(file.read_text(encoding="utf-8")).body)
