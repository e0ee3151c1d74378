"""A plan and its hand kernel -> the text of a file: the values that the template places, and the hashes in its header."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.annotate.traffic import traffic
from inductor_lab.computation.text import LEFT_OUT, Writer
from inductor_lab.eject import config, helpers, written
from inductor_lab.eject.eager import Eager, NoReference, TensorView, eager
from inductor_lab.eject.generalize import fits, fits_generated, others
from inductor_lab.eject.inputs import Fill, inputs
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.sizes import fixed, python
from inductor_lab.eject.wrapping import paragraph, wrapped
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Capture, TensorType

RENDERED, JUDGED = "@RENDERED@", "@JUDGED@"
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"
FILLS = {
    "bool": "either",
    "normal": "normal numbers",
    "finite": "normal without infinities and NaN",
    "positive": "above 0",
    "count": "above 0 and finite",
    "unit": "between -1 and 1",
    "above_one": "above 1",
    "sorted": "in ascending order",
    "out": "only written",
}
"""What the words of ARGUMENTS mean; `inputs.Fill` draws them, and the judge."""
SOURCE_LINES = 4
"""Lines of the user's program that the header quotes."""


def render(plan: Plan, hand: KernelText, *, template: Path | None, file: str) -> str:
    """The text of the file.

    Raises:
        LabError: the template is not there or wrong, or what it makes is no Python.
    """
    context = _context(plan, hand) | {"file": _quoted(file)}
    folder, name = (template.parent, template.name) if template else (templates_folder(), "kernel.py.jinja")
    try:
        text = _environment(folder).get_template(name).render(context)
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


@lru_cache
def _environment(folder: Path) -> jinja2.Environment:
    """Templates of a folder, and ours behind them; compiled once in a process."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, templates_folder()]), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    made.filters |= {"wrapped": wrapped, "paragraph": paragraph}
    return made


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(text.partition(JUDGE_STARTS)[2].encode()).hexdigest()


def _context(plan: Plan, hand: KernelText) -> dict[str, Any]:
    kernel, capture = plan.kernel, plan.capture
    captured = plan.generated or plan
    baseline = written.verbatim(captured)
    reference, unknown = _reference(plan)
    graph_form = captured.graph_form
    own = helpers.own(kernel)
    bodies = [kernel.body, *own]
    spelled, imported = helpers.ordered(hand.helpers | helpers.called_in("\n".join(bodies)))
    libdevice = bool(imported) or any("libdevice." in body for body in bodies)
    stand_ins = [helpers.text("_libdevice")] if libdevice else []
    stand_ins += [helpers.text("_builtins")] if imported & helpers.BUILTINS else []
    checked = any(re.search(r"\bdevice_assert\b", body) for body in bodies)
    written_names = [tensor.name for tensor in plan.written]
    tensors = ", ".join(tensor.name for tensor in plan.tensors.values())
    config_ = {hand.blocks.get(name, name): value for name, value in plan.config.items()}
    own_names = {hand.blocks.get(name, name): value for name, value in plan.interpreter.items()}
    bindings = [f"{symbol} = {where}" for symbol, where in plan.bindings.items()]
    told = _used_in(bindings, [*reference["lines"], *reference["results"]])
    if plan.generated:  # a size that only an output tells: the reference is given that too
        if unknown:
            raise LabError(f"{kernel.id} ({kernel.name}) can not be generalized: it has no reference: {unknown}")
        asked_of = {*reference["takes"], *re.findall(r"(\w+)\.shape", "\n".join(told))}
        reference["takes"] = [tensor.name for tensor in plan.tensors.values() if tensor.name in asked_of]
    loose = {symbol: value for symbol, value in plan.environment.items() if symbol not in plan.bindings}
    asked = fits(plan) if plan.generated else []
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
        "imports": helpers.imports("\n".join(bodies), bool(imported)),
        "helpers": [helpers.text(name) for name in spelled] + own + stand_ins,
        "namespace": helpers.namespace(spelled, imported),
        "checked": checked,
        "options": options,
        "name": plan.name,
        "parameters": hand.parameters,
        "remark": hand.remark,
        "body": hand.lines if hand.to_the_letter else wrapped("\n".join(hand.lines), 4).split("\n"),
        "launcher": _used(bindings, hand, *asked) + asked + list(hand.launcher),
        "grid": hand.grid,
        "call": hand.arguments,
        "config": ", ".join([*(f"{symbol}={value}" for symbol, value in loose.items()), *(f"{name}={value}" for name, value in config_.items())]),
        "tensors": tensors,
        "writes": f"{_and([f'`{name}`' for name in written_names])} {'is' if len(written_names) == 1 else 'are'}" if written_names else "nothing is",
        "returned": ", ".join(written_names) or "None",
        "takes": reference["takes"],
        "reference_parameters": ", ".join([*reference["takes"], *(["*", *(f"{symbol}={value}" for symbol, value in loose.items())] if loose else [])]),
        "reference": told + reference["lines"],
        "results": _tuple(reference["results"]),
        "reference_helpers": [helpers.eager_text(name) for name in reference["helpers"]],
        "graph_form": graph_form,
        "graph_results": _tuple(list(graph_form.results)) if graph_form else "",
        "graph_takes": ", ".join(tensor.name for tensor in plan.tensors.values() if tensor.role != "out"),
        "no_form": _quoted(captured.no_form).replace(chr(34), chr(39)),
        "unknown": _quoted(unknown).replace(chr(34), chr(39)),
        "results_doc": f"the new {_and(written_names)}" if written_names else "nothing",
        "symbols": dict(plan.environment) if plan.bindings else {},
        "others": others(plan) if plan.generated else _others(plan),
        "fixed": plan.generated is not None,
        "legend": _legend(plan),
        "arguments": [_argument(tensor.name, (plan.bindings and tensor.symbolic) or tensor.type, tensor.fill) for tensor in plan.tensors.values()],
        "written": _tuple([f'"{name}"' for name in written_names]),
        "takes_tuple": _tuple([f'"{name}"' for name in reference["takes"]]),
        "bytes": _bytes(plan),
        "interpreter": _literal(own_names),
        "generated_interpreter": _literal(plan.interpreter),
        "tail": _tail(plan, hand),
        "generated_parameters": ", ".join(f"{p.name}{p.annotation}" for p in baseline.parameters),
        "generated_body": baseline.lines,
        "generated_config": ", ".join([*(f"{symbol}={value}" for symbol, value in loose.items()), *(f"{name}={value}" for name, value in plan.config.items())]),
        "generated_launcher": fits_generated(captured) + list(baseline.launcher) if plan.generated else _used(bindings, baseline) + list(baseline.launcher),
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
        if LEFT_OUT in text:
            text = ", ".join(plan.words) or plan.name
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
    return [
        f"    {name!r}: {value!r},".replace("'", '"')
        if "'" in repr(value) and '"' not in repr(value)
        else f'    "{name}": {value!r},'
        for name, value in facts.items()
    ]


def _target(capture: Capture) -> str:
    gpu = capture.gpu.name or "a GPU that the log does not name"
    versions = ", ".join(
        f"{name} {version}" for name, version in (("torch", capture.torch), ("triton", capture.triton)) if version
    )
    absent = ", not there when this was captured" if capture.gpu.virtual else ""
    return f"{gpu} ({capture.gpu.arch or 'unknown'}){absent}{', ' + versions if versions else ''}"


def _argument(name: str, type_: TensorType, fill: object) -> dict[str, str]:
    return {
        "name": name,
        "shape": _tuple([python(str(size)) for size in type_.shape]),
        "stride": _tuple([python(str(step)) for step in type_.stride]),
        "dtype": type_.dtype,
        "fill": f"({', '.join(map(str, fill))})" if isinstance(fill, tuple) else f'"{fill}"',
    }


def _legend(plan: Plan) -> str:
    """What the values in ARGUMENTS mean, as far as this file has them."""
    fills = [tensor.fill for tensor in plan.tensors.values()]
    told = [f'"{word}": {meaning}' for word, meaning in FILLS.items() if word in fills]
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    told += ["(a, b): whole numbers from a to b - 1"] if ranges else []
    told += ["what follows: the value of some"] if any(len(fill) > 2 for fill in ranges) else []
    return "values: " + ", ".join(told)


def _others(plan: Plan) -> list[dict[str, int]]:
    """Other sizes that the check runs on: about half of what they were, and odd, so that no block divides them."""
    symbolic = {
        axis.name for part in plan.found.every() for axis in part.schedule.axes if not isinstance(axis.numel, int)
    }
    if not plan.bindings or symbolic & plan.dropped:
        return []
    types = {name: tensor.symbolic or tensor.type for name, tensor in plan.tensors.items()}
    numels = [numel for part in plan.found.every() for numel in part.numel.values()]
    said = " ".join(map(str, [*types.values(), *numels, *plan.scalars.values()]))
    whole = "//" in said or "Mod" in said  # a size that something divides
    other, drawn = dict(plan.environment), _drawn(plan, types, plan.environment)
    for symbol in plan.bindings:
        value = plan.environment[symbol]
        half = max(value // 2 // 8 * 8, min(value, 8)) if whole else max(value // 2 | 1, min(value, 3))
        if _drawn(plan, types, other | {symbol: half}) == drawn:  # else it tells how far an index may go
            other[symbol] = half
    return [other] if other != dict(plan.environment) else []


def _drawn(plan: Plan, types: Mapping[str, TensorType], environment: Mapping[str, int]) -> dict[str, Fill]:
    return inputs(plan.found, {name: fixed(type_, environment) for name, type_ in types.items()}, environment)


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
        if where == "interpreter" and not chosen:  # what no smaller block leaves a rest of: a large power of two
            chosen = config.tail_config(plan.kernel, plan.numels, 8 * most)
        kept = {
            hand.blocks.get(name, name): size
            for name, size in chosen.items()
            if name.partition("BLOCK")[0].lower() not in hand.fixed
        }
        parts.append(f'"{where}": {_literal(kept)}')
    return "{" + ", ".join(parts) + "}"


def _used(bindings: list[str], text: KernelText, *more: str) -> list[str]:
    """The bindings of symbols that a launcher needs."""
    return _used_in(bindings, [*text.launcher, text.grid, text.arguments, *more])


def _used_in(bindings: list[str], lines: Iterable[str]) -> list[str]:
    said = "\n".join(lines)
    return [line for line in bindings if re.search(rf"\b{line.partition(' =')[0]}\b", said)]


@lru_cache
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
