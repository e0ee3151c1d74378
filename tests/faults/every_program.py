"""The rule `same in every program`: what changed is a part of an index or a mask that has the same value in every program.

The part is the outermost expression around the change in which only program ids, `tl.arange`, constexprs and numbers are used, followed through
assignments: it does not depend on data, so the programs of the launches are all there is. The file is run in Triton's interpreter with the
part as it was and as it is beside each other; every element, the dtype and the shape are compared, in each program of each setting: its own
blocks, the interpreter's, those that do not divide the sizes on either device, and the other sizes that it states.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from faults.equivalence import function_of, mutant_undone
from faults.mutation import Mutant, around, called

PURE = (
    "tl.program_id", "tl.num_programs", "tl.arange", "tl.full", "tl.zeros", "tl.where", "tl.broadcast_to", "tl.cdiv", "tl.minimum",
    "tl.maximum", "range", "tl.range",
)  # fmt: skip
NAMESPACES = {"tl", "triton", "range"}
MOST_PROGRAMS = 4000
"""Of one launch: the interpreter takes a millisecond for each."""


class DiffersError(Exception):
    """What must hold does not in some program."""


def same_in_every_program(mutant: Mutant) -> str:
    """The rule's name where it proves that a mutant computes the same, else ""."""
    text = beside_each_other(mutant)
    return "same in every program" if text and held(interpreted(text), "same_", same) else ""


def interpreted(text: str) -> ModuleType:
    """A file, imported."""
    from inductor_lab.ejected import load
    from inductor_lab.judge import stand_ins

    stand_ins.install()
    with TemporaryDirectory(prefix="inductor-lab-programs-") as folder:
        path = Path(folder, "kernel.py")
        path.write_text(text, encoding="utf-8")
        return load(path).module


def beside_each_other(mutant: Mutant) -> str:
    """The file with `same_(part before, part after)` for the part; "" where it depends on data."""
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None:
        return ""
    node, parents = found
    known = of_programs(function)
    part = None
    for one in [node, *parents]:
        if isinstance(one, ast.expr) and not isinstance(one, ast.Tuple) and depends(one, known):
            part = one
        elif isinstance(one, ast.stmt):
            break
    if part is None:
        return ""
    begin, end, before, after = around(mutant, part)
    return f"{mutant.original[:begin]}same_({before}, {after}){mutant.original[end:]}"


def of_programs(function: ast.FunctionDef) -> set[str]:
    """The names whose every value depends on program ids and constexprs alone."""
    arguments = [*function.args.args, *function.args.kwonlyargs]
    constexprs = {one.arg for one in arguments if one.annotation and ast.unparse(one.annotation) == "tl.constexpr"}
    values = list(assigned(function))
    known = constexprs | {name for name, _ in values} | NAMESPACES
    while True:  # what is given one other value is not, nor what is made of it
        lost = {name for name, value in values if name in known and not (value and depends(value, known))}
        lost |= {one.arg for one in arguments} - constexprs
        if not lost & known:
            return known
        known -= lost


def assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """Every (name, what it is given); None for what is no expression of one name."""
    for node in ast.walk(function):
        targets, value = [], None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.For):
            targets, value = [node.target], node.iter
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
            targets = [node.target]
        for target in targets:
            for one in ast.walk(target):
                if isinstance(one, ast.Name):
                    yield one.id, value if isinstance(target, ast.Name) else None


def depends(node: ast.expr, known: set[str]) -> bool:
    """Whether an expression depends on nothing but what is known, and has no effect."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id not in known:
            return False
        if isinstance(one, ast.Call) and called(one) not in PURE and not called(one).endswith(".to"):
            return False
    return True


def held(file: ModuleType, name: str, holds: Callable[[Any, Any], bool]) -> bool:
    """Whether two values hold together in all programs of all settings, and are met in each launch.

    Args:
        name: The function that stands in the kernel, and gives back the first.
    """
    from inductor_lab.judge import alone

    count = [0]

    def met_(before: Any, after: Any) -> Any:
        count[0] += 1
        if not holds(before, after):
            raise DiffersError
        return before

    vars(file)[name] = met_
    for blocks, sizes in settings(file):
        met, arguments = count[0], file.arguments(**sizes) if sizes else file.ARGUMENTS
        if programs(file, arguments) > MOST_PROGRAMS and not blocks:
            return False
        file.launch(*alone.drawn(arguments, 0, "cpu").values(), **blocks)
        if count[0] == met:
            return False
    return True


def programs(file: ModuleType, arguments: dict[str, Any]) -> int:
    """About how many blocks a launch under the file's own settings works through."""
    parameters = inspect.signature(file.launch).parameters.values()
    blocks = [p.default for p in parameters if "BLOCK" in p.name and isinstance(p.default, int)]
    return max(math.prod(spec[0]) for spec in arguments.values()) // max(math.prod(blocks), 1)


def settings(file: ModuleType) -> Iterator[tuple[dict[str, int], dict[str, int] | None]]:
    """(blocks, sizes) of everything that is launched."""
    interpreted = file.INTERPRETER["launch"]
    yield {name: value for name, value in interpreted.items() if "BLOCK" not in name}, None
    yield interpreted, None
    for tail in file.TAIL.values():
        if tail:
            yield {**interpreted, **tail}, None
    for sizes in getattr(file, "OTHER_SIZES", ()):
        yield interpreted, sizes


def same(before: Any, after: Any) -> bool:
    """Whether two values of the interpreter are the same; None as a mask takes every element."""
    import numpy as np

    before, after = (getattr(one, "value", one) if not hasattr(one, "handle") else one for one in (before, after))
    if after is None and hasattr(before, "handle"):
        return bool(np.all(before.handle.data))
    if hasattr(before, "handle") != hasattr(after, "handle"):
        return False
    if not hasattr(before, "handle"):
        return type(before) is type(after) and bool(before == after)
    first, second = before.handle.data, after.handle.data
    return before.dtype == after.dtype and before.shape == after.shape and np.array_equal(first, second)
