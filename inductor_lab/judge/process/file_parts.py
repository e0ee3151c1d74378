"""Splits an ejected file before it runs: the part that judges becomes a module of its own, and forbidden names are refused.

judged_part(path, folder)         reference, inputs and baseline, without the kernel that somebody edited
missing_names(statements)         what the baseline calls that the installed torch and Triton have not
forbidden_name(text)              "line 12 uses exec, ...": what the process that runs a file tells of it is worth no more than that process
"""

from __future__ import annotations

import ast
import importlib.util
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import torch
import triton

from inductor_lab.ejected import JUDGE_STARTS, check_whole
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.paths import templates_folder

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
    if lacks := missing_names(judged):
        raise LabError(f"{path} {missing_sentence(lacks, judged)}")
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


# ------------------------------------------------------------ what the installed versions lack


def missing_names(statements: Sequence[ast.stmt]) -> list[str]:
    """What the kernels of a file call of torch's and Triton's modules that the installed versions have not: helper functions come and go.

    `triton_helpers.rand4x`, each once; a module that is not there by its whole name. The text is read and not run; only the modules that it
    imports are asked.
    """
    modules: dict[str, Any] = {}
    found: dict[str, None] = {}
    for name, module, part in _imports(statements):
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


def missing_sentence(lacks: Iterable[str], statements: Sequence[ast.stmt]) -> str:
    """What follows a file's path where its baseline calls what the installed versions have not."""
    origin = _origin(statements)
    here = {"torch": torch.__version__, "triton": triton.__version__}
    made = " and ".join(f"{name} {origin[name]}" for name in here if origin.get(name)) or "other versions"
    installed = " and ".join(f"{name} {number}" for name, number in here.items())
    return (
        f"can not be judged here: its baseline calls {', '.join(lacks)}, which {installed} do not have; it is from {made}: "
        "verify it under those, or capture and eject it again under these."
    )


def _imports(statements: Iterable[ast.stmt]) -> Iterable[tuple[str, str, str]]:
    """The name in the text, the module that it is from, and what of it."""
    for one in statements:
        if isinstance(one, ast.Import):
            yield from ((alias.asname, alias.name, "") for alias in one.names if alias.asname)
        elif isinstance(one, ast.ImportFrom):
            yield from ((alias.asname or alias.name, one.module or "", alias.name) for alias in one.names)


def _of(module: str, part: str) -> Any:
    with suppress(ImportError):
        return import_module(f"{module}.{part}" if part else module)
    return getattr(import_module(module), part)


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
                    return ast.literal_eval(value)
    return {}


# ------------------------------------------------------------ behind what nobody can look

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


def forbidden_name(text: str) -> str:
    """The first name in a file's edited part behind which nobody can look, with its line, in a sentence; empty for none."""
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
