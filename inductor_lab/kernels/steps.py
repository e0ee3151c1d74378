"""How a hand kernel came to be: each step is what stands in the place of the kernel in an ejected file, and is judged as that file is.

    python -m inductor_lab.kernels dlrm lookups_1 --capture captured/dlrm_h200 -o lookups.py
    inductor-lab verify lookups.py
    inductor-lab diff lookups.py --in dlrm_h200

Most of an ejected file is what is judged against: a step keeps only the rest. `inductor_lab/kernels/KERNEL/steps/__init__.py` says in STEPS what each one
replaces, and STEP.py beside it is its text. What that imports of a kernel's module, the last step of each does, is written into the file: nobody can
look behind an import.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "inductor_lab.kernels"
HERE = Path(__file__).parent
EDITED = re.compile(r"# -+ the (?:kernel|span): edit this\n")
END = "# ---------------------------------------------------------------- what it must equal"


@dataclass(frozen=True)
class Step:
    """What a step replaces."""

    capture: str
    """Its name, under captured/ or made as the kernel's page says."""
    address: str
    """A kernel, `0`, or a span, `0_inference:8-33`."""


def kernels() -> list[str]:
    """The hand kernels that have steps, by their folders."""
    return sorted(path.parents[1].name for path in HERE.glob("*/steps/__init__.py"))


def steps(kernel: str) -> dict[str, Step]:
    """A kernel's steps by their names, the first first.

    Raises:
        LabError: there is no such kernel.
    """
    from inductor_lab.errors import LabError

    if kernel not in kernels():
        raise LabError(f"There is no hand kernel {kernel!r}; it is {', '.join(kernels())}.")
    found: dict[str, Step] = importlib.import_module(f"{PACKAGE}.{kernel}.steps").STEPS
    return found


def written(kernel: str, step: str, capture: Path, file: str) -> str:
    """The text of the ejected file `file` with a step's kernel and `launch`; `capture` is the folder of the capture that the step is of.

    Raises:
        LabError: there is no such kernel or step, or the capture is not there, has nothing at that address, or something else.
    """
    from inductor_lab import store
    from inductor_lab.eject import eject
    from inductor_lab.errors import LabError
    from inductor_lab.spans import addressed

    if (of := steps(kernel).get(step)) is None:
        raise LabError(f"{kernel} has no step {step!r}; it has {', '.join(steps(kernel))}.")
    found = store.load(capture)
    replaced = addressed(found, of.address) or store.named(found.kernels, found.name, of.address)[0]
    text, own = eject(found, replaced, file=file), edit(kernel, step)
    if (there := _taken(text)) != (here := _taken(own)):
        raise LabError(
            f"{step} of {kernel} is of {of.capture}:{of.address} and takes {here} values: what stands there in {capture} takes {there}."
        )
    before, after = EDITED.split(text)
    head = text[len(before) : -len(after)]
    return f"{before}{head}\n\n{own}\n\n{END}{after.partition(END)[2]}"


def _taken(text: str) -> int:
    """How many values `launch` takes in order; another torch, or the same model at another size, gives them other names."""
    (launch,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "launch"]
    return len(launch.args.args)


def edit(kernel: str, step: str) -> str:
    """A step's own text; in the place of an import from a kernel's module what it names, with what that uses."""
    text = (HERE / kernel / "steps" / f"{step}.py").read_text(encoding="utf-8")
    parts = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(PACKAGE):
            path = HERE.joinpath(*str(node.module).split(".")[2:]).with_suffix(".py")
            parts += definitions(path.read_text(encoding="utf-8"), [alias.name for alias in node.names])
        elif _name(node):
            parts.append(_text(text, node))
    return "\n\n\n".join(parts) + "\n"


def definitions(text: str, names: list[str]) -> list[str]:
    """The texts of these functions, classes and values of a module, and of what they use of it, in the module's order."""
    known = {name: node for node in ast.parse(text).body if (name := _name(node))}
    wanted = list(names)
    for name in wanted:  # grows meanwhile
        used = {node.id for node in ast.walk(known[name]) if isinstance(node, ast.Name)}
        wanted += sorted(used & known.keys() - set(wanted))
    return [_text(text, node) for name, node in known.items() if name in wanted]


def _name(node: ast.stmt) -> str:
    """What a statement defines; empty where it is another one."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _text(text: str, node: ast.stmt) -> str:
    """With its decorators."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
