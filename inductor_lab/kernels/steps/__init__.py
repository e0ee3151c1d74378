"""How a hand kernel came to be: each step is what stands in the place of the kernel in an ejected file, and is judged as that file is.

    python -m inductor_lab.kernels dlrm lookups_1 --capture captured/dlrm_h200 -o lookups.py
    inductor-lab verify lookups.py
    inductor-lab diff lookups.py --in dlrm_h200

Most of an ejected file is what is judged against: a step keeps only the rest. STEPS says what each one replaces, and a function of its name in KERNEL.py
is what becomes `launch`, its docstring what the step changes. What it uses, of its own module or of the kernel's, which the last step of each does, is
written into the file: nobody can look behind an import.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "inductor_lab.kernels"
HERE = Path(__file__).parent
EDITED = re.compile(r"# -+ the (?:kernel|span): edit this\n")
HEAD = {"torch", "triton", "tl"}
"""What every ejected file imports."""
END = "# ---------------------------------------------------------------- what it must equal"


@dataclass(frozen=True)
class Step:
    """What a step replaces."""

    capture: str
    """Its name, under captured/ or made as the kernel's page says."""
    address: str
    """A kernel, `0`, or a span, `0_inference:8-33`."""


EPILOGUE, LAYER = Step("lora_mlp_h200", "0"), Step("lora_mlp_bf16_h200", "0_inference:4-7")
LOOKUPS, OUTER = Step("dlrm_h200", "0_inference:8-33"), Step("dlrm_h200", "0_inference:34-36")
NORM, GQA = Step("rms_norm", "0_backward:0-2"), Step("rotary_gqa_bf16_h200", "0_inference:0-1")
TOKENS, TOKEN = Step("sparse_ffn_h200", "0_inference:0-3"), Step("sparse_ffn_token", "0_inference:0-3")
STEPS: dict[str, dict[str, Step]] = {
    "add_mul_activation": {
        "step_1": EPILOGUE, "step_2": EPILOGUE, "step_3": EPILOGUE, "step_4": EPILOGUE, "bfloat16": Step("lora_mlp_bf16_h200", "0"),
    },
    "dlrm": {
        "lookups_1": LOOKUPS, "lookups_2": LOOKUPS,
        "lookups_forward_1": Step("dlrm_train_h200", "0_forward:9-34"),
        "lookups_backward_1": Step("dlrm_train_h200", "0_backward:35-60"),
        "outer_1": OUTER, "outer_2": OUTER, "outer_3": OUTER,
        "pairwise_1": Step("interaction", "0_inference:0-1"),
    },
    "lora_linear": {"step_1": LAYER, "step_2": LAYER, "step_3": LAYER, "step_4": LAYER},
    "rms_norm": {"forward_1": Step("rms_norm", "0"), "backward_1": NORM, "backward_2": NORM},
    "rotary": {
        "step_1": GQA, "step_2": GQA, "step_3": GQA, "step_4": GQA,
        "alone_1": Step("rotary_h200", "0"),
        "backward_1": Step("rotary_train_h200", "1"),
        "attention_1": Step("rotary_attention_bf16_h200", "0"),
    },
    "sparse_ffn": {"step_1": TOKENS, "step_2": TOKENS, "step_3": TOKENS, "step_4": TOKENS, "step_5": TOKEN, "step_6": TOKEN, "step_7": TOKEN},
    "swiglu": {"forward_1": Step("swiglu", "0"), "backward_1": Step("swiglu", "1")},
}  # fmt: skip
"""Hand kernel -> its steps by their names, the first first."""


def steps(kernel: str) -> dict[str, Step]:
    """A kernel's steps.

    Raises:
        LabError: there is no such kernel.
    """
    from inductor_lab.errors import LabError

    if kernel not in STEPS:
        raise LabError(f"There is no hand kernel {kernel!r}; it is {', '.join(STEPS)}.")
    return STEPS[kernel]


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
    there, here = _launch(text), _launch(own)
    if here.vararg is None and len(there.args) != len(here.args):
        raise LabError(
            f"{step} of {kernel} is of {of.capture}:{of.address} and takes {len(here.args)} values: what stands there in {capture} takes {len(there.args)}."
        )
    before, after = EDITED.split(text)
    head = text[len(before) : -len(after)]
    return f"{before}{head}\n\n{own}\n\n{END}{after.partition(END)[2]}"


def _launch(text: str) -> ast.arguments:
    """What `launch` takes; another torch, or the same model at another size, gives the values other names."""
    (launch,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "launch"]
    return launch.args


def says(kernel: str, step: str) -> str:
    """What a step changes, in a line."""
    return ast.get_docstring(_reached(_text_of(kernel), [step])[step]) or ""  # type: ignore[arg-type]


def edit(kernel: str, step: str) -> str:
    """A step's own text, the step as `launch`, before it what it uses of the kernel's modules."""
    text = _text_of(kernel)
    own = _reached(text, [step])
    parts = [*imported(text, own.values()), *_own_parts(text, own.values())]
    return "\n\n\n".join(dict.fromkeys(parts)).replace(f"def {step}(", "def launch(") + "\n"


def imported(text: str, own: Iterable[ast.stmt]) -> list[str]:
    """The texts of what these definitions of a module use of the kernels' modules, and of what those use of each other."""
    used = {name for node in own for name in _free(node)}
    parts = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith(PACKAGE):
            continue
        if names := [one.name for one in node.names if one.name in used]:
            path = HERE.parent.joinpath(*str(node.module).split(".")[2:]).with_suffix(".py")
            there = path.read_text(encoding="utf-8")
            found = _reached(there, names)
            parts += [*imported(there, found.values()), *_own_parts(there, found.values())]
    return parts


def _own_parts(text: str, own: Iterable[ast.stmt]) -> list[str]:
    """The texts of these definitions of a module, behind the module's imports of what they use, not of what only annotations name."""
    own = list(own)
    used = {name for node in own for name in _run(node)}
    imports = [
        ast.unparse(type(node)(**dict(ast.iter_fields(node)) | {"names": names}))
        for node in ast.parse(text).body
        if isinstance(node, ast.Import | ast.ImportFrom) and not str(getattr(node, "module", "")).startswith(PACKAGE)
        if (names := [one for one in node.names if (one.asname or one.name) in used - HEAD])
    ]
    return [*(["\n".join(imports)] if imports else []), *(_text(text, node) for node in own)]


def _run(node: ast.stmt) -> set[str]:
    """The names that a definition reads when it runs."""
    hints = [
        hint for part in ast.walk(node) for name in ("annotation", "returns") if (hint := getattr(part, name, None))
    ]
    left_out = {id(one) for hint in hints for one in ast.walk(hint)}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and id(one) not in left_out}


def _text_of(kernel: str) -> str:
    return (HERE / f"{kernel}.py").read_text(encoding="utf-8")


def definitions(text: str, names: list[str]) -> list[str]:
    """The texts of these functions, classes and values of a module, and of what they use of it, in the module's order."""
    return [_text(text, node) for node in _reached(text, names).values()]


def _reached(text: str, names: list[str]) -> dict[str, ast.stmt]:
    """These definitions of a module and what they use of it, in the module's order."""
    known = {name: node for node in ast.parse(text).body if (name := _name(node))}
    wanted = list(names)
    for name in wanted:  # grows meanwhile
        wanted += sorted(_free(known[name]) & known.keys() - set(wanted))
    return {name: node for name, node in known.items() if name in wanted}


def _free(node: ast.stmt) -> set[str]:
    """The names that a definition reads and does not make itself."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    made = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    made |= {one.id for one in found if isinstance(one.ctx, ast.Store)}
    return {one.id for one in found} - made


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
