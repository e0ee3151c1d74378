"""What the kernels of a file call of torch's and Triton's modules that the installed versions have not: helper functions come and go.

The text is read and not run; only the modules that it imports are asked.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

import torch
import triton


def names(statements: Sequence[ast.stmt]) -> list[str]:
    """`triton_helpers.rand4x`, each once; a module that is not there by its whole name."""
    modules: dict[str, Any] = {}
    found: dict[str, None] = {}
    for name, module, part in _imported(statements):
        try:
            modules[name] = _of(module, part)
        except (ImportError, AttributeError):
            found[f"{module}.{part}" if part else module] = None
    nodes = [node for one in statements for node in ast.walk(one) if isinstance(node, ast.Attribute)]
    provided = {ast.unparse(node) for node in nodes if isinstance(node.ctx, ast.Store)}
    kernels = [one for one in statements if isinstance(one, ast.FunctionDef) and one.decorator_list]
    for node in (node for kernel in kernels for node in ast.walk(kernel) if isinstance(node, ast.Attribute)):
        of = _module(node.value, modules)
        if of is not None and not hasattr(of, node.attr) and (said := ast.unparse(node)) not in provided:
            found[said] = None
    return list(found)


def sentence(lacks: Iterable[str], statements: Sequence[ast.stmt]) -> str:
    """What follows a file's path where its baseline calls what the installed versions have not."""
    origin = _origin(statements)
    here = {"torch": torch.__version__, "triton": triton.__version__}
    made = " and ".join(f"{name} {origin[name]}" for name in here if origin.get(name)) or "other versions"
    installed = " and ".join(f"{name} {number}" for name, number in here.items())
    return (
        f"can not be judged here: its baseline calls {', '.join(lacks)}, which {installed} do not have; it is from {made}: "
        "verify it under those, or capture and eject it again under these."
    )


def _imported(statements: Iterable[ast.stmt]) -> Iterable[tuple[str, str, str]]:
    """The name in the text, the module that it is from, and what of it."""
    for one in statements:
        if isinstance(one, ast.Import):
            yield from ((alias.asname, alias.name, "") for alias in one.names if alias.asname)
        elif isinstance(one, ast.ImportFrom):
            yield from ((alias.asname or alias.name, one.module or "", alias.name) for alias in one.names)


def _of(module: str, part: str) -> Any:
    with suppress(ImportError):
        return importlib.import_module(f"{module}.{part}" if part else module)
    return getattr(importlib.import_module(module), part)


def _module(node: ast.expr, modules: dict[str, Any]) -> ModuleType | None:
    """The module that `tl` or `tl.math` is."""
    found = None
    match node:
        case ast.Name(id=name):
            found = modules.get(name)
        case ast.Attribute(value=value, attr=attr):
            found = getattr(_module(value, modules), attr, None)
    return found if isinstance(found, ModuleType) else None


def _origin(statements: Iterable[ast.stmt]) -> dict[str, Any]:
    for one in statements:
        match one:
            case ast.Assign(targets=[ast.Name(id="ORIGIN")], value=value):
                with suppress(ValueError):
                    return ast.literal_eval(value)  # type: ignore[no-any-return]
    return {}
