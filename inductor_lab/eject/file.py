"""A plan and its hand kernel -> the text of a file: the values that the template places, and the hashes in its header."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.annotate.traffic import traffic
from inductor_lab.computation.text import Writer
from inductor_lab.eject import config, written
from inductor_lab.eject.eager import Eager, NoReference, TensorView, eager
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.sizes import python
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Capture, TensorType

RENDERED, JUDGED = "@RENDERED@", "@JUDGED@"
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"
NEEDS = {
    "max_with_index": ("maximum_with_index",), "min_with_index": ("minimum_with_index",),
    "max2": ("maximum",), "min2": ("minimum",), "any": ("_either",), "prod": ("_times",), "welford": ("welford_combine",),
}  # fmt: skip
"""Helpers that call helpers."""
SOURCE_LINES = 4
"""Lines of the user's program that the header quotes."""


def render(plan: Plan, hand: KernelText, *, template: Path | None, file: str) -> str:
    """The text of the file.

    Raises:
        LabError: the template is not there or wrong, or what it makes is no Python.
    """
    context = _context(plan, hand) | {"file": _quoted(file)}
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
        compile(text, file, "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        raise LabError(
            f"{plan.kernel.id} ({plan.kernel.name}): the file would be no Python, line {error.lineno}: {error.msg}"
        ) from error
    return text


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(text.partition(JUDGE_STARTS)[2].encode()).hexdigest()


def _context(plan: Plan, hand: KernelText) -> dict[str, Any]:
    kernel, capture = plan.kernel, plan.capture
    baseline = written.verbatim(plan)
    reference, unknown = _reference(plan)
    own = _own_helpers(plan)
    bodies = [kernel.body, *own]
    hand_helpers, imported = _helpers(hand.helpers | written.helpers_of("\n".join(own)))
    all_helpers, imported_too = _helpers(hand.helpers | written.helpers_of("\n".join(bodies)))
    checked = any(re.search(r"\bdevice_assert\b", body) for body in bodies)
    written_names = [tensor.name for tensor in plan.written]
    tensors = ", ".join(tensor.name for tensor in plan.tensors.values())
    config_ = {hand.blocks.get(name, name): value for name, value in plan.config.items()}
    own_names = {hand.blocks.get(name, name): value for name, value in plan.interpreter.items()}
    bindings = [f"{symbol} = {where}" for symbol, where in plan.bindings.items()]
    loose = {symbol: value for symbol, value in plan.environment.items() if symbol not in plan.bindings}
    warps = [name for name in ("num_warps", "num_stages") if name in plan.config]
    options = "".join(f", {name}={name}" for name in warps) + (", **OPTIONS" if checked else "")
    return {
        "title": _quoted(_title(plan)),
        "capture": _quoted(capture.name),
        "graph": plan.launch.graph,
        "index": kernel.id.rpartition(":")[2],
        "generated_name": kernel.name,
        "aten": ", ".join(kernel.claim.aten),
        "source": [_quoted(f"{Path(line.file).name}:{line.line}  {line.code}") for line in _source(plan)],
        "target": _quoted(_target(capture)),
        "body_sha256": kernel.body_sha256[:16],
        "origin": _origin(plan, hand),
        "imports": _imports("\n".join(bodies), bool(imported | imported_too) or "triton_helpers." in "\n".join(hand.lines)),
        "helpers": [_helper_text(name) for name in all_helpers] + own + ([_helper_text("_libdevice")] if _needs_libdevice(bodies, imported | imported_too) else []),
        "namespace": _namespace(all_helpers, imported | imported_too),
        "shared": hand_helpers,
        "checked": checked,
        "options": options,
        "name": plan.name,
        "parameters": hand.parameters,
        "remark": hand.remark,
        "body": hand.lines,
        "launcher": _used(bindings, hand) + list(hand.launcher),
        "grid": hand.grid,
        "call": hand.arguments,
        "config": ", ".join([*(f"{symbol}={value}" for symbol, value in loose.items()), *(f"{name}={value}" for name, value in config_.items())]),
        "tensors": tensors,
        "writes": f"{_and([f'`{name}`' for name in written_names])} {'is' if len(written_names) == 1 else 'are'}" if written_names else "nothing is",
        "returned": ", ".join(written_names) or "None",
        "takes": reference["takes"],
        "reference_parameters": ", ".join([*reference["takes"], *(["*", *(f"{symbol}={value}" for symbol, value in loose.items())] if loose else [])]),
        "reference": _used_in(bindings, [*reference["lines"], *reference["results"]]) + reference["lines"],
        "results": _tuple(reference["results"]),
        "reference_helpers": [_eager_helper(name) for name in reference["helpers"]],
        "unknown": _quoted(unknown),
        "results_doc": f"the new {_and(written_names)}" if written_names else "nothing",
        "symbols": dict(plan.environment) if plan.bindings else {},
        "others": _others(plan),
        "arguments": [_argument(tensor.name, tensor.symbolic or tensor.type, tensor.fill) for tensor in plan.tensors.values()],
        "written": _tuple([f'"{name}"' for name in written_names]),
        "takes_tuple": _tuple([f'"{name}"' for name in reference["takes"]]),
        "bytes": _bytes(plan),
        "interpreter": _literal(own_names),
        "generated_interpreter": _literal(plan.interpreter),
        "tail": _tail(plan, hand),
        "generated_parameters": ", ".join(f"{p.name}{p.annotation}" for p in baseline.parameters),
        "generated_body": baseline.lines,
        "generated_config": ", ".join([*(f"{symbol}={value}" for symbol, value in loose.items()), *(f"{name}={value}" for name, value in plan.config.items())]),
        "generated_launcher": _used(bindings, baseline) + list(baseline.launcher),
        "generated_grid": baseline.grid,
        "generated_call": baseline.arguments,
        "judge": _judge(),
    }  # fmt: skip


def _reference(plan: Plan) -> tuple[dict[str, Any], str]:
    """The eager reference's parts; empty, with the reason, where there is none."""
    views = {name: TensorView(tensor.name, tensor.symbolic or tensor.type) for name, tensor in plan.tensors.items()}
    try:
        found: Eager | None = eager(plan.kernel, plan.found, views, plan.scalars)
        unknown = ""
    except NoReference as reason:
        found, unknown = None, str(reason)
    if found is not None and set(found.written) != {tensor.parameter for tensor in plan.written}:
        found, unknown = None, "it writes through more pointers than its stores tell"
    if found is None:
        return {"lines": [], "results": [], "takes": [], "helpers": ()}, unknown
    takes = [plan.tensors[parameter].name for parameter in found.takes]
    return {"lines": list(found.lines), "results": list(found.results), "takes": takes, "helpers": found.helpers}, ""


def _title(plan: Plan) -> str:
    stores = [access for part in plan.found.every() for access in part.stores if access.value is not None]
    shown = ""
    if stores and not plan.found.schedule.opaque and stores[0].value is not None:
        text = Writer(plan.found).text(stores[0].value, 80)
        names = {parameter: tensor.name for parameter, tensor in plan.tensors.items()}
        shown = re.sub(r"\b\w+_ptr\d*\b", lambda found: names.get(found[0], found[0]), text)
    return f"{shown or plan.name}: one fusion of `{plan.capture.name}`, ejected to be edited."


def _source(plan: Plan) -> list[Any]:
    """The lines of the user's program, those that this launch is made of first."""
    own = plan.launch.provenance.source or plan.kernel.source
    return list(own)[:SOURCE_LINES]


def _origin(plan: Plan, hand: KernelText) -> list[str]:
    kernel, capture = plan.kernel, plan.capture
    facts: dict[str, object] = {
        "schema": 1, "capture": capture.name, "graph": plan.launch.graph, "kernel": kernel.id, "name": kernel.name, "body_sha256": kernel.body_sha256,
        "torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name, "arch": capture.gpu.arch,
        "parameters": {tensor.parameter: tensor.name for tensor in plan.tensors.values()},
        "blocks": dict(hand.blocks),
    }  # fmt: skip
    return [f"    {name!r}: {value!r},".replace("'", '"') if "'" in repr(value) and '"' not in repr(value) else f'    "{name}": {value!r},' for name, value in facts.items()]


def _target(capture: Capture) -> str:
    gpu = capture.gpu.name or "a GPU that the log does not name"
    versions = ", ".join(f"{name} {version}" for name, version in (("torch", capture.torch), ("triton", capture.triton)) if version)
    absent = ", not there when this was captured" if capture.gpu.virtual else ""
    return f"{gpu} ({capture.gpu.arch or 'unknown'}){absent}{', ' + versions if versions else ''}"


def _argument(name: str, type_: TensorType, fill: object) -> dict[str, str]:
    return {
        "name": name,
        "shape": _tuple([python(str(size)) for size in type_.shape]),
        "stride": _tuple([python(str(step)) for step in type_.stride]),
        "dtype": type_.dtype,
        "fill": repr(fill) if isinstance(fill, tuple) else f'"{fill}"',
    }


def _others(plan: Plan) -> list[dict[str, int]]:
    """Other sizes that the check runs on: about half of what they were."""
    if not plan.bindings:
        return []
    other = {symbol: max(value // 2 // 8 * 8, min(value, 8)) if symbol in plan.bindings else value for symbol, value in plan.environment.items()}
    return [other] if other != dict(plan.environment) else []


def _bytes(plan: Plan) -> str:
    counted = traffic(plan.kernel)
    if counted.read is None or counted.written is None:
        return "None"
    return f'{{"read": {counted.read}, "written": {counted.written}}}'


def _tail(plan: Plan, hand: KernelText) -> str:
    """Blocks that do not divide, for both. A block without a mask must go on dividing."""
    parts = []
    for where, most in (("gpu", 8192), ("interpreter", 1 << 20)):
        chosen = config.tail_config(plan.kernel, plan.numels, most)
        kept = {hand.blocks.get(name, name): size for name, size in chosen.items() if name.partition("BLOCK")[0].lower() not in hand.fixed}
        parts.append(f'"{where}": {_literal(kept)}')
    return "{" + ", ".join(parts) + "}"


def _used(bindings: list[str], text: KernelText) -> list[str]:
    """The bindings of symbols that a launcher needs."""
    return _used_in(bindings, [*text.launcher, text.grid, text.arguments])


def _used_in(bindings: list[str], lines: Iterable[str]) -> list[str]:
    said = "\n".join(lines)
    return [line for line in bindings if re.search(rf"\b{line.partition(' =')[0]}\b", said)]


# ------------------------------------------------------------ helpers


def _own_helpers(plan: Plan) -> list[str]:
    """The functions and numbers that stand above this very kernel: `_triton_helper_fn_add0` of a scan, a user's own."""
    kernel = plan.kernel
    heads = re.findall(r"^(?:@triton\.jit\n)?def (\w+)|^(\w+)\s*(?::[^=\n]+)?=", kernel.text, re.MULTILINE)
    if not {name for pair in heads for name in pair if name} & set(re.findall(r"\w+", kernel.body)):
        return []
    found = []
    for node in ast.parse(kernel.text).body:
        if isinstance(node, ast.FunctionDef) and node.name != kernel.name:
            node.decorator_list = [d for d in node.decorator_list if "jit" in ast.unparse(d) and "heuristics" not in ast.unparse(d)]
            found.append((node.name, ast.unparse(node)))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and "async_compile" not in ast.unparse(node):
                found.append((target.id, ast.unparse(node)))
    needed = kernel.body
    kept: list[str] = []
    for name, text in reversed(found):
        if re.search(rf"\b{name}\b", needed):
            kept.insert(0, text)
            needed += text
    return kept


def _helpers(called: Iterable[str]) -> tuple[list[str], set[str]]:
    """The helper functions that are called, those that they call first; and those that only torch has."""
    order: list[str] = []
    imported: set[str] = set()
    for name in sorted(called):
        if not (templates_folder() / "helpers" / f"{name}.py").is_file():
            imported.add(name)
            continue
        order += [inner for inner in NEEDS.get(name, ()) if inner not in order]
        order += [name] if name not in order else []
    return order, imported


def _needs_libdevice(bodies: list[str], imported: set[str]) -> bool:
    return bool(imported) or any("libdevice." in body or "tl_math." in body for body in bodies)


def _imports(body: str, helpers: bool) -> list[str]:
    lines = []
    if helpers:
        lines.append("from torch._inductor.runtime import triton_helpers  # Inductor's own helper functions")
    if "libdevice." in body or helpers:
        lines.append("from triton.language.extra import libdevice")
    if re.search(r"\btl_math\.", body):
        lines.append("from triton.language import math as tl_math")
    return lines


def _helper_text(name: str) -> str:
    return (templates_folder() / "helpers" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def _eager_helper(name: str) -> str:
    return (templates_folder() / "eager" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def _namespace(used: list[str], imported: set[str]) -> str:
    """The name by which Inductor's own kernel calls the helpers."""
    if imported or not used:
        return ""
    lines = ['triton_helpers = type(triton)("triton_helpers")  # the name by which Inductor\'s own kernel calls them']
    return "\n".join(lines + [f"triton_helpers.{name} = {name}" for name in used if not name.startswith("_")])


def _judge() -> str:
    """The judge's own text, from inductor_lab/judge.py, less the imports that every file has already."""
    source = (Path(__file__).parent.parent / "judge.py").read_text(encoding="utf-8")
    text = source.partition("# --8<-- from here on the text is copied into ejected files\n")[2]
    return text.replace("\nimport torch\nimport triton\nimport triton.language as tl\n", "\n").rstrip() + "\n"


# ------------------------------------------------------------ text


def _quoted(text: str) -> str:
    """A log's text as it may stand in a docstring: it can neither end it nor escape out of a character."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.replace("\\", "\\\\").replace('"""', "'''")


def _literal(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
