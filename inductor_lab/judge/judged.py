"""The part of an ejected file that judges: reference, inputs and baseline, as a module without the kernel that somebody edited."""

from __future__ import annotations

import ast
import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy

from inductor_lab.ejected import check_whole
from inductor_lab.errors import LabError
from inductor_lab.judge import alone, lacking

STARTS = "# ---------------------------------------------------------------- what it must equal"
ENDS = "# ---------------------------------------------------------------- check and time"
TRUSTED = frozenset({"torch", "triton", "math", "sys", "numpy"})
"""Packages whose imports above the kernel the baseline may need."""
NEEDS = {"DEVICE": alone.DEVICE, "INTERPRETING": alone.INTERPRETING, "math": math, "np": numpy}
"""Names of the check, which a reference may use."""


def judged_part(path: Path, folder: Path) -> ModuleType:
    """The module, made of a copy in which every other line is blank: lines keep their numbers.

    Args:
        folder: Where the copy is written; it must stay as long as the module is used, since Triton reads its kernels' text.

    Raises:
        LabError: the file is no ejected file, its baseline calls what the installed torch and Triton have not, or its judged part does not
            import.
    """
    if not path.is_file():
        raise LabError(f"{path} does not exist; make one with `inductor-lab eject KERNEL -o {path}`")
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        tree = ast.parse("\n".join(lines), path.name)
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        raise LabError(f"{path} does not import: {type(error).__name__}: {error}") from error
    first = next((n for n, line in enumerate(lines) if line.startswith(STARTS)), None)
    if first is None:
        raise LabError(
            f"{path} is no ejected file: it lacks the line above what it must equal; `inductor-lab eject` makes one"
        )
    last = next((n for n, line in enumerate(lines) if line.startswith(ENDS)), len(lines))
    kept = {n: lines[n] for n in range(first, last)}
    judged = [one for one in tree.body if (first < one.lineno <= last) or (one.lineno <= first and _trusted(one))]
    if names := lacking.names(judged):
        raise LabError(f"{path} {lacking.sentence(names, judged)}")
    for statement in tree.body:
        if statement.lineno <= first and _trusted(statement):
            before = kept.get(statement.lineno - 1)
            text = ast.unparse(statement)  # not the line: something else may stand on it
            kept[statement.lineno - 1] = f"{before}; {text}" if before else text
    copy = folder / path.name
    copy.write_text("\n".join(kept.get(n, "") for n in range(len(lines))), encoding="utf-8")
    return _imported(copy, path)


def _trusted(statement: ast.stmt) -> bool:
    """Whether it is an import of those packages alone."""
    if isinstance(statement, ast.ImportFrom):
        return statement.level == 0 and (statement.module or "").partition(".")[0] in TRUSTED
    return isinstance(statement, ast.Import) and all(
        alias.name.partition(".")[0] in TRUSTED for alias in statement.names
    )


def _imported(copy: Path, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"judged_{path.stem}", copy)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(NEEDS)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise LabError(f"what judges {path} does not import: {type(error).__name__}: {error}") from error
    check_whole(module, path, ("launch_generated",))
    for name, (*_, fill) in module.ARGUMENTS.items():
        word, known = (fill[1], module.ARGUMENTS) if fill[0] == "same" else (fill, {"out", *alone.WORDS})
        if isinstance(word, str) and word not in known:
            raise LabError(f"{path}: ARGUMENTS[{name!r}] is drawn from {fill!r}, which nobody knows")
    return module
