"""The functions beside a kernel: ours for most of Inductor's `triton_helpers`, its own for the rest; what it wrote above the kernel itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable
from copy import copy
from dataclasses import dataclass

from inductor_lab.computation.operators import TABLE
from inductor_lab.eject.definitions import Definition, definitions_above
from inductor_lab.paths import templates_folder
from inductor_lab.records import Kernel

NEEDS: dict[str, tuple[str, ...]] = {row.helpers[-1]: row.helpers[:-1] for row in TABLE.values() if row.helpers}
"""Helpers that an ejected file spells out -> those that they call; any other is imported from torch."""
OURS = frozenset(name for called, needed in NEEDS.items() for name in (called, *needed))
NAMES = OURS | {path.stem for path in (templates_folder() / "eager").glob("*.py")}
"""Functions that a file may define beside its kernel."""

BUILTINS = frozenset({"constexpr_next_power_of_2", "if_mask"})
"""Helpers of torch's that only the compiler understands."""
BARRIER = "x_grid_barrier"
"""The helper of torch's at which programs wait for each other."""


@dataclass(frozen=True)
class Beside:
    """What a file needs beside its kernels."""

    imports: tuple[str, ...]
    """Lines beside those for torch, triton and tl."""
    functions: tuple[str, ...]
    """Functions and numbers that stand above the generated kernel."""
    namespace: str
    """The name by which Inductor's own kernel calls the helpers."""
    checked: bool
    """True where bounds checks are compiled in."""


def beside(kernel: Kernel, called: Iterable[str]) -> Beside:
    """What stands beside a kernel, for its own text and for the helpers that the hand kernel calls."""
    above = own(kernel)
    said = _said("\n".join([kernel.body, *above]))
    spelled, imported = ordered({*called, *said.get("triton_helpers", ())})
    functions = [text(name) for name in spelled] + above
    if imported or "libdevice" in said:
        functions.append(text("_libdevice"))
    if imported & BUILTINS:
        functions.append(text("_builtins"))
    if BARRIER in imported:
        functions.append(text("_barrier"))
    return Beside(
        tuple(_imports(said, bool(imported))), tuple(functions), _namespace(spelled, imported), "device_assert" in said.get("tl", ())
    )  # fmt: skip


def called_in(body: str) -> frozenset[str]:
    """The functions of Inductor's `triton_helpers` that a body calls."""
    return frozenset(_said(body).get("triton_helpers", ()))


def _said(body: str) -> dict[str, set[str]]:
    """Module -> names of it that a text says. The words alone tell: a body is parsed once, into its computation."""
    said: dict[str, set[str]] = {}
    for module, name in re.findall(r"\b(\w+)(?=\.(\w+))", body):
        said.setdefault(module, set()).add(name)
    return said


def ordered(called: Iterable[str]) -> tuple[list[str], set[str]]:
    """The helpers that the file spells out, those that others call first; and those that only torch has."""
    order: list[str] = []
    imported: set[str] = set()
    for name in sorted(called):
        if name not in OURS:
            imported.add(name)
            continue
        order += [inner for inner in NEEDS.get(name, ()) if inner not in order]
        order += [name] if name not in order else []
    return order, imported


def text(name: str) -> str:
    return (templates_folder() / "helpers" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def eager_text(name: str) -> str:
    """A function that references call."""
    return (templates_folder() / "eager" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def own(kernel: Kernel) -> list[str]:
    """The functions and numbers that stand above this very kernel: `_triton_helper_fn_add0` of a scan, a user's own."""
    return [_written_out(node) for _, node in definitions_above(kernel)]


def _written_out(definition: Definition) -> str:
    """A definition without the decorators that only Inductor's own file has."""
    if not isinstance(definition, ast.FunctionDef):
        return ast.unparse(definition)
    plain = copy(definition)
    plain.decorator_list = [d for d in definition.decorator_list if ast.unparse(d) in {"triton.jit", "jit"}]
    return ast.unparse(plain)


def _namespace(used: list[str], imported: set[str]) -> str:
    """The name by which Inductor's own kernel calls the helpers."""
    if imported or not used:
        return ""
    lines = ['triton_helpers = type(triton)("triton_helpers")  # the name by which Inductor\'s own kernel calls them']
    return "\n".join(lines + [f"triton_helpers.{name} = {name}" for name in used if not name.startswith("_")])


def _imports(said: Container[str], from_torch: bool) -> list[str]:
    """What the kernels import beside torch, triton and tl."""
    lines = []
    if from_torch:
        lines.append("from torch._inductor.runtime import triton_helpers  # Inductor's own helper functions")
    if "libdevice" in said or from_torch:
        lines.append("from triton.language.extra import libdevice")
    if "tl_math" in said:
        lines.append("from triton.language import math as tl_math")
    return lines
