"""Kernel -> plan -> text: one generated kernel as one standalone Triton file that a person enjoys editing."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.annotate.bindings import elements
from inductor_lab.eject.plan import Plan, plan
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Capture, Kernel

__all__ = ["eject", "judged_hash", "rendered_hash"]

RENDERED, JUDGED = "@RENDERED@", "@JUDGED@"
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"
NEEDS = {
    "max_with_index": ("maximum_with_index",), "min_with_index": ("minimum_with_index",),
    "max2": ("maximum",), "min2": ("minimum",), "any": ("_either",), "prod": ("_times",), "welford": ("welford_combine",),
}  # fmt: skip
"""Helpers that call helpers."""


def eject(
    capture: Capture, kernel: Kernel, *, style: str = "readable", template: Path | None = None, file: str = "FILE"
) -> str:
    """The text of a standalone file for one kernel.

    Args:
        style: `readable` renames and re-derives masks; `verbatim` keeps the body to the letter.
        template: A Jinja template to use instead of our own, with the same variables.
        file: The name that the file's own docstring calls it by.

    Raises:
        LabError: the kernel can not be ejected, or the template is not there or wrong.
    """
    if style not in {"readable", "verbatim"}:
        raise LabError(f"there is no style {style}; use readable or verbatim")
    planned = plan(capture, kernel)
    context = _context(planned, style) | {"file": _quoted(file)}
    folder, name = (template.parent, template.name) if template else (templates_folder(), "kernel.py.jinja")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, templates_folder()]), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    try:
        text = environment.get_template(name).render(context)
    except jinja2.TemplateNotFound as error:
        raise LabError(f"template {template or error} does not exist") from error
    except jinja2.TemplateError as error:
        raise LabError(f"template {template or name}: {error.message or error}") from error
    text = text.replace(JUDGED, judged_hash(text), 1)
    text = text.replace(RENDERED, rendered_hash(text), 1)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise LabError(
            f"{kernel.id} ({kernel.name}): the file would be no Python, line {error.lineno}: {error.msg}"
        ) from error
    return text


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(text.partition(JUDGE_STARTS)[2].encode()).hexdigest()


def _context(plan: Plan, style: str) -> dict[str, Any]:
    kernel, capture = plan.kernel, plan.capture
    signature = [argument.name for argument in kernel.arguments]
    names = [tensor.name for tensor in plan.tensors]
    hand = _readable(plan) if style == "readable" else _verbatim(plan)
    own = _own_helpers(kernel)
    used = _helpers("\n".join([kernel.body, *own]))
    shared = [name for name in used if style == "verbatim" or _calls(hand["body"], name, used)]
    titled = plan.reference.results[0] if plan.reference.results else kernel.name
    asserts = "device_assert" in kernel.body
    return hand | {
        "title": _quoted(_title(titled, capture.name)),
        "capture": _quoted(capture.name),
        "graph": plan.launch.graph,
        "index": kernel.id.rpartition(":")[2],
        "generated_name": kernel.name,
        "aten": ", ".join(f"aten.{operator}" for operator in plan.reference.operators),
        "source": [_quoted(f"{Path(line.file).name}:{line.line}  {line.code}") for line in kernel.source],
        "target": _quoted(_target(capture)),
        "body_sha256": kernel.body_sha256[:16],
        "imports": _imports(kernel.body),
        "helpers": [_helper_text(name) for name in shared]
        + own
        + ([_helper_text("_libdevice")] if "libdevice." in kernel.body else [])
        + ([OPTIONS] if asserts else []),
        "generated_helpers": [_helper_text(name) for name in used if name not in shared] + ([_namespace(used)] if used else []),
        "options": ", **OPTIONS" if asserts else "",
        "name": plan.name,
        "tensors": ", ".join(names),
        "writes": f"{_and([f'`{tensor.name}`' for tensor in plan.written])} {'is' if len(plan.written) == 1 else 'are'}",
        "returned": ", ".join(tensor.name for tensor in plan.written),
        "read": ", ".join(tensor.name for tensor in plan.read),
        "results_doc": f"the new {_and([tensor.name for tensor in plan.written])}",
        "reference": plan.reference.statements,
        "results": _tuple(plan.reference.results),
        "generated_interpreter": _literal(plan.interpreter),
        "arguments": [
            {"name": t.name, "shape": _tuple(t.type.shape), "stride": _tuple(t.type.stride), "dtype": t.type.dtype, "fill": t.fill}
            for t in plan.tensors
        ],
        "written": _tuple(tuple(f'"{tensor.name}"' for tensor in plan.written)),
        "generated_signature": ", ".join(f"{name}: tl.constexpr" if _constexpr(plan, name) else name for name in signature),
        "generated_body": kernel.body.splitlines(),
        "generated_config": _keywords(plan.config),
        "generated_grid": _grid(plan, {name: str(size) for name, size in plan.sizes.items()}, {}),
        "generated_call": _call(plan, {}, {name: str(size) for name, size in plan.sizes.items()}),
        "judge": _judge(),
    }  # fmt: skip


OPTIONS = (
    "# Inductor compiles its bounds checks in; the interpreter has no such options.\n"
    'OPTIONS = {} if triton.knobs.runtime.interpret else {"debug": True, "sanitize_overflow": False}'
)


def _quoted(text: str) -> str:
    """A log's text as it may stand in a docstring: it can neither end it nor escape out of a character."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.replace("\\", "\\\\").replace('"""', "'''")


def _title(result: str, capture: str) -> str:
    text = re.sub(r"torch\.(?:nn\.functional\.)?", "", result)
    text = text if len(text) <= 80 else text[:77] + "..."
    return f"{text}: one fusion of `{capture}`, ejected to be edited."


def _target(capture: Capture) -> str:
    gpu = capture.gpu.name or "a GPU that the log does not name"
    versions = ", ".join(
        f"{name} {version}" for name, version in (("torch", capture.torch), ("triton", capture.triton)) if version
    )
    return f"{gpu} ({capture.gpu.arch or 'unknown'}){', not there when this was captured' if capture.gpu.virtual else ''}{', ' + versions if versions else ''}"


def _verbatim(plan: Plan) -> dict[str, Any]:
    tensors = {tensor.parameter: tensor for tensor in plan.tensors}
    return {
        "parameters": [
            {
                "name": a.name,
                "annotation": ": tl.constexpr" if a.role == "constexpr" else "",
                "comment": f"{tensors[a.name].name}: {tensors[a.name].comment()}" if a.name in tensors else "",
            }
            for a in plan.kernel.arguments
        ],
        "remark": "",
        "body": plan.kernel.body.splitlines(),
        "config": _keywords(plan.config),
        "interpreter": _literal(plan.interpreter),
        "tail": _tail(plan, {}, plan.dropped),
        "launcher": [],
        "grid": _grid(plan, {name: str(size) for name, size in plan.sizes.items()}, {}),
        "call": _call(plan, {}, {name: str(size) for name, size in plan.sizes.items()}),
    }


def _readable(plan: Plan) -> dict[str, Any]:
    readable = plan.readable()
    tensors = {tensor.parameter: tensor for tensor in plan.tensors}
    parameters: list[dict[str, str]] = []
    call: list[str] = []
    for argument in plan.kernel.arguments:
        if argument.name in tensors:
            tensor = tensors[argument.name]
            parameters.append({"name": f"{tensor.name}_ptr", "annotation": "", "comment": tensor.comment()})
            call.append(tensor.name)
        elif argument.name in readable.numels and any(
            re.search(rf"\b{readable.numels[argument.name]}\b", line) for line in readable.lines
        ):
            parameters.append({"name": readable.numels[argument.name], "annotation": "", "comment": ""})
            call.append(readable.numels[argument.name])
    for size in (
        size for size in readable.sizes if any(re.search(rf"\b{size.name}\b", line) for line in readable.lines)
    ):
        parameters.append({"name": size.name, "annotation": ": tl.constexpr", "comment": ""})
        call.append(f"{size.name}={size.value}")
    fixed = {name: value for name, value in _fixed(plan.kernel.body).items() if name in readable.fixed}
    for name, value in fixed.items():
        parameters.append(
            {"name": readable.fixed[name], "annotation": ": tl.constexpr", "comment": "all of it: the size must stay"}
        )
        call.append(f"{readable.fixed[name]}={value}")
    for name, test in readable.evens.items():
        if any(re.search(rf"\b{name}\b", line) for line in readable.lines):
            parameters.append({"name": name, "annotation": ": tl.constexpr", "comment": f"{test}: no mask is needed"})
            call.append(f"{name}={test}")
    for name in readable.blocks.values():
        parameters.append({"name": name, "annotation": ": tl.constexpr", "comment": ""})
        call.append(f"{name}={name}")
    blocks = readable.blocks | readable.fixed
    config = {blocks.get(name, name): value for name, value in plan.config.items()}
    return {
        "parameters": parameters,
        "remark": _remark(plan, readable.blocks),
        "body": readable.lines,
        "config": _keywords(config),
        "interpreter": _literal({blocks.get(name, name): value for name, value in plan.interpreter.items()}),
        "tail": _tail(plan, blocks),
        "launcher": [f"{name} = {_numel(plan, plan.sizes[original])}" for original, name in readable.numels.items()],
        "grid": _grid(plan, dict(readable.numels), {**blocks, **{name: str(value) for name, value in fixed.items()}}),
        "call": ", ".join(call),
    }


def _tail(plan: Plan, renamed: Mapping[str, str], but: Collection[str] = ()) -> str:
    """TAIL as Python. but: prefixes whose mask the body does not have, so that their blocks must go on dividing."""
    kept = {
        where: {
            renamed.get(name, name): size
            for name, size in blocks.items()
            if name.removesuffix("BLOCK").lower() not in but
        }
        for where, blocks in plan.tail.items()
    }
    return "{" + ", ".join(f'"{where}": {_literal(blocks)}' for where, blocks in kept.items()) + "}"


def _remark(plan: Plan, blocks: dict[str, str]) -> str:
    """Why a program owns what it owns."""
    if plan.kernel.category == "pointwise":
        if len(blocks) > 1:
            return "One program owns a tile of BLOCK_X by BLOCK_Y elements, so that reads and writes both run along memory."
        return "One program owns BLOCK consecutive elements; num_warps * 32 threads share them."
    whole = plan.kernel.category == "persistent_reduction"
    return f"One program reduces BLOCK rows{', each held whole' if whole else ', BLOCK_R elements of each at a time'}."


def _fixed(body: str) -> dict[str, int]:
    """`R0_BLOCK: tl.constexpr = 128` inside a body."""
    found = {}
    for node in ast.parse(body).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=int(value))):
                found[name] = value
    return found


def _numel(plan: Plan, size: int) -> str:
    """A size as the number of elements of a tensor, written ones first; else the number."""
    for tensor in (*plan.written, *plan.tensors):
        if elements(tensor.type) == size:
            return f"{tensor.name}.numel()"
    return str(size)


def _grid(plan: Plan, numels: dict[str, str], blocks: dict[str, str]) -> str:
    """The launch grid: programs along x, then y; a y beyond CUDA's 65,535 continues in z where the body asks for it."""
    parameters = {argument.name for argument in plan.kernel.arguments if argument.role == "constexpr"}
    axes = []
    for prefix in (p for p in ("x", "y", "z") if f"{p}numel" in plan.sizes):
        block = f"{prefix.upper()}BLOCK"
        if block in parameters:
            axes.append(f"triton.cdiv({numels[f'{prefix}numel']}, {blocks.get(block, block)})")
        else:
            axes.append(numels[f"{prefix}numel"])
    if len(axes) == 2 and "tl.program_id(2)" in plan.kernel.body:
        axes = [axes[0], f"min({axes[1]}, 65535)", f"triton.cdiv({axes[1]}, 65535)"]
    return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"


def _call(plan: Plan, renamed: dict[str, str], numels: dict[str, str]) -> str:
    tensors = {tensor.parameter: tensor.name for tensor in plan.tensors}
    parts = []
    for argument in plan.kernel.arguments:
        if argument.role == "constexpr":
            parts.append(f"{argument.name}={argument.name}")
        else:
            parts.append(tensors.get(argument.name) or numels[argument.name])
    return ", ".join(parts)


def _constexpr(plan: Plan, name: str) -> bool:
    return any(argument.name == name and argument.role == "constexpr" for argument in plan.kernel.arguments)


def _keywords(config: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in config.items())


def _literal(config: Any) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in config.items()) + "}"


def _tuple(sizes: tuple[Any, ...]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _imports(body: str) -> list[str]:
    lines = []
    if "libdevice." in body:
        lines.append("from triton.language.extra import libdevice")
    if re.search(r"\btl_math\.", body):
        lines.append("from triton.language import math as tl_math")
    return lines


def _helpers(body: str) -> list[str]:
    """The helper functions that a body calls, those that they call first."""
    order: list[str] = []
    for name in dict.fromkeys(re.findall(r"triton_helpers\.(\w+)", body)):
        order += [inner for inner in NEEDS.get(name, ()) if inner not in order]
        order += [name] if name not in order else []
    return order


def _own_helpers(kernel: Kernel) -> list[str]:
    """The functions that Inductor wrote above this very kernel, `_triton_helper_fn_add0` of a scan."""
    functions = [node for node in ast.parse(kernel.text).body if isinstance(node, ast.FunctionDef)]
    return [ast.unparse(f) for f in functions if f.name != kernel.name and re.search(rf"\b{f.name}\b", kernel.body)]


def _calls(body: list[str], name: str, used: list[str]) -> bool:
    """True when the hand kernel calls a helper, or one that calls it."""
    callers = [name, *(outer for outer in used if name in NEEDS.get(outer, ()))]
    return any(re.search(rf"\b{caller}\(", line) for caller in callers for line in body)


def _helper_text(name: str) -> str:
    path = templates_folder() / "helpers" / f"{name}.py"
    if not path.is_file():
        raise LabError(f"the kernel calls triton_helpers.{name}, which has no standalone form in inductor_lab yet")
    return path.read_text(encoding="utf-8").rstrip()


def _namespace(used: list[str]) -> str:
    lines = ['triton_helpers = type(triton)("triton_helpers")  # the name by which Inductor\'s own kernel calls them']
    return "\n".join(lines + [f"triton_helpers.{name} = {name}" for name in used if not name.startswith("_")])


def _judge() -> str:
    """The judge's own text, from inductor_lab/judge.py, less the imports that every file has already."""
    source = (Path(__file__).parent.parent / "judge.py").read_text(encoding="utf-8")
    text = source.partition("# --8<-- from here on the text is copied into ejected files\n")[2]
    return text.replace("\nimport torch\nimport triton\nimport triton.language as tl\n", "\n").rstrip() + "\n"
