"""How the kernels came to be: each step is what stands in the place of `launch` in an ejected span, and is judged as that file is.

    python -m inductor_lab.kernels.dlrm.steps lookups_1 --capture captured/dlrm_h200 -o lookups.py
    inductor-lab verify lookups.py
    inductor-lab diff lookups.py --in dlrm_h200

An ejected file of these spans has thousands of lines, nearly all of them what is judged against: a step keeps the others. What it
imports of a kernel's module, the last step of each does, is written into the file: nobody can look behind an import. `outer_3` imports
what no judge reads anyway, CUDA C++.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

STEPS = {
    "lookups_1": ("0_inference", 8, 33),
    "lookups_2": ("0_inference", 8, 33),
    "lookups_forward_1": ("0_forward", 9, 34),
    "lookups_backward_1": ("0_backward", 35, 60),
    "outer_1": ("0_inference", 34, 36),
    "outer_2": ("0_inference", 34, 36),
    "outer_3": ("0_inference", 34, 36),
    "pairwise_1": ("0_inference", 0, 1),
}
"""Step -> the span that it replaces: of captured/dlrm_h200, forward and backward of captured/dlrm_train_h200; `pairwise_1` is of a capture of `interaction`."""
KERNELS = "inductor_lab.kernels.dlrm"
BEGIN, END = "\ndef launch(", "# ---------------------------------------------------------------- what it must equal"


def written(step: str, capture: Path, file: str) -> str:
    """The text of the ejected file `file` with a step's kernel and `launch`.

    Raises:
        LabError: the capture is not there, has no such span, or another one in its place.
    """
    from inductor_lab import store
    from inductor_lab.eject import eject
    from inductor_lab.errors import LabError
    from inductor_lab.spans import span

    found = store.load(capture)
    text = eject(found, span(found, *STEPS[step]), file=file)
    own = edit(step)
    if _launched_with(text) != _launched_with(own):
        raise LabError(
            f"{step} is no step of {capture}, whose span there has other values: docs/dlrm.md says of which capture it is."
        )
    before, _, rest = text.partition(BEGIN)
    return f"{before}\n{own}\n\n{END}{rest.partition(END)[2]}"


def _launched_with(text: str) -> list[str]:
    (launch,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "launch"]
    return [argument.arg for argument in launch.args.args]


def interaction(features: Tensor) -> Tensor:
    """`pairwise` in eager, to be captured: `inductor_lab.capture_model(interaction, torch.randn(64, 27, 16), gpu="h200").save(FOLDER)`."""
    import torch

    count = features.shape[1]
    row, column = torch.tril_indices(count, count, -1, device=features.device)
    return torch.cat([features[:, 0], torch.bmm(features, features.mT)[:, row, column]], dim=1)


def edit(step: str) -> str:
    """A step's own text; in the place of an import from a kernel's module the functions that it names, with those that they call."""
    text = Path(__file__).with_name(f"{step}.py").read_text(encoding="utf-8")
    parts = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(KERNELS):
            path = Path(str(importlib.util.find_spec(str(node.module)).origin))
            parts += definitions(path.read_text(encoding="utf-8"), [alias.name for alias in node.names])
        elif isinstance(node, (ast.FunctionDef, ast.Assign)):
            parts.append(_text(text, node))
    return "\n\n\n".join(parts) + "\n"


def definitions(text: str, names: list[str]) -> list[str]:
    """The texts of these functions of a module, and of what they call in it, in the module's order."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    wanted = list(names)
    for name in wanted:  # grows meanwhile
        used = {node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)}
        wanted += sorted(used & functions.keys() - set(wanted))
    return [_text(text, node) for name, node in functions.items() if name in wanted]


def _text(text: str, node: ast.FunctionDef | ast.Assign) -> str:
    """With its decorators."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
