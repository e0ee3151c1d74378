"""Which configurations Inductor's autotuner would time of each kernel, asked of the Inductor that is installed while it believes in the card.

The decorator above a kernel, `@triton_heuristics.pointwise(...)`, lists configurations for the sizes and the card that it states and makes an
autotuner of them. Here it is called as the module would call it, with `_handed_back` in the autotuner's place: nothing is compiled.

Private names of torch, checked on 2.11 to 2.15: `cached_autotune` of torch/_inductor/runtime/triton_heuristics.py, and the classes that it makes
an autotuner of. Where a version has them no more nothing is kept, which is a problem.
"""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from inductor_lab.capture.autotuned import Configuration, digest, written
from inductor_lab.capture.problems import problem
from inductor_lab.read.parsed import Parsed

UNTOLD = "Inductor does not say which configurations its autotuner times: those of another version may be shown"


class Asked:
    """The kernels of the modules that Inductor wrote."""

    def __init__(self) -> None:
        self.candidates: dict[str, list[Configuration]] = {}
        """SHA-256 of a kernel's text -> what the autotuner would time, the first one first."""

    def of(self, module: str) -> None:
        """Ask for each kernel of a module's file; one candidate of a template is a file too, and defines none."""
        text = Path(module).read_text(encoding="utf-8")
        if "async_compile" not in text:
            return
        _, found = Parsed().module(text)
        for definition in found.definitions:
            try:
                self.candidates[digest(definition.text)] = listed(definition.text, module)
            # A version without these names, a text whose imports are not here: the graph is captured all the same.
            except Exception as error:
                problem(f"{UNTOLD} ({type(error).__name__}: {error})")


ASKED = Asked()


def listed(text: str, file: str) -> list[Configuration]:
    """What the decorator above a kernel lists.

    Args:
        file: Where the kernel is said to stand.
    """
    from torch._inductor.runtime import triton_heuristics

    statements = ast.parse(text).body
    (kernel,) = (one for one in statements if isinstance(one, ast.FunctionDef) and _is_heuristic(one.decorator_list))
    heuristic, kernel.decorator_list, kernel.body = kernel.decorator_list[0], [], kernel.body[:1]
    imports = [one for one in statements if isinstance(one, (ast.Import, ast.ImportFrom))]
    names: dict[str, Any] = {"__file__": file}
    exec(compile(ast.Module([*imports, kernel], []), file, "exec"), names)
    instead = partial(
        triton_heuristics.cached_autotune, caching_autotuner_cls=_handed_back, debug_autotuner_cls=_handed_back
    )
    with mock.patch.object(triton_heuristics, "cached_autotune", instead):
        decorate = eval(compile(ast.Expression(heuristic), file, "eval"), names)
        found = decorate(SimpleNamespace(fn=names[kernel.name]))
    return written(found)


def _is_heuristic(decorators: list[ast.expr]) -> bool:
    match decorators:
        case [ast.Call(func=ast.Attribute(value=ast.Name("triton_heuristics"))), *_]:
            return True
    return False


def _handed_back(function: Any, *, configs: list[Any], **rest: Any) -> list[Any]:
    return configs
