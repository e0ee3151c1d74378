"""A plan and its hand kernel -> the text of a file: the values that the template places, and the hashes in its header."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.annotate.traffic import traffic
from inductor_lab.edited import RENDERED, judged_hash, rendered_hash
from inductor_lab.eject import as_written, config, helpers
from inductor_lab.eject.aten import Reference
from inductor_lab.eject.comparing import comparing
from inductor_lab.eject.exchange import exchanged
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.flex import attention, is_flex
from inductor_lab.eject.generalize import fits, fits_generated, others
from inductor_lab.eject.header import header, quoted
from inductor_lab.eject.inputs import inputs
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.rendering import (
    Baseline,
    CudaBeside,
    EagerReference,
    GraphForm,
    HandKernel,
    Inputs,
    KernelText,
    Launcher,
    Rendering,
    names_in,
)
from inductor_lab.eject.sizes import fixed, python
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.wrapping import paragraph, wrapped
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Kernel, TensorType

JUDGED = "@JUDGED@"
FILLS = {
    "bool": "either",
    "any": "any whole number",
    "normal": "normal numbers",
    "finite": "normal without infinities and NaN",
    "positive": "above 0",
    "count": "above 0 and finite",
    "unit": "between -1 and 1",
    "above_one": "above 1",
    "sorted": "in ascending order",
    "out": "output, poisoned",
}
"""What the words of ARGUMENTS mean; `inputs.Fill` draws them, and the judge."""
TILE = 128
"""Rows and columns of a template's tile in Triton's interpreter, which takes its time by the program."""


def render(
    plan: Plan, hand: KernelText, *, template: Path | None, file: str, real: str = "", cuda: CudaBeside | None = None
) -> str:
    """The text of the file.

    Args:
        real: The file beside it that holds what the launch was given in the program.
        cuda: The `.cu` file that holds its kernel.

    Raises:
        LabError: the template is not there or wrong, or what it makes is no Python.
    """
    parts = rendering(plan, hand, file=file)
    parts = replace(parts, inputs=replace(parts.inputs, real=quoted(real)), cuda=cuda)
    text = filled(template, "cuda/kernel.py.jinja" if cuda else "kernel.py.jinja", vars(parts))
    text = text.replace(JUDGED, judged_hash(text), 1)
    text = text.replace(RENDERED, rendered_hash(text), 1)
    try:
        compile(text, file, "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        raise LabError(
            f"{plan.kernel.id} ({plan.kernel.name}): the file would be no Python, line {error.lineno}: {error.msg}"
        ) from error
    return text


def filled(template: Path | None, ours: str, values: Mapping[str, Any]) -> str:
    """A template with its values.

    Args:
        template: A user's own; `ours` without one.

    Raises:
        LabError: the template is not there or wrong.
    """
    folder, name = (template.parent, template.name) if template else (templates_folder(), ours)
    try:
        return _environment(folder).get_template(name).render(values)
    except jinja2.TemplateNotFound as error:
        if template and template.is_dir():
            raise LabError(f"The template {template} is a folder; name a file of it.") from error
        if template and error.name != template.name:
            raise LabError(f"The template {template} names {error.name}, and there is none.") from error
        raise LabError(f"There is no template {template or error}.") from error
    except UnicodeDecodeError as error:
        raise LabError(f"The template {template} is no text.") from error
    except jinja2.TemplateError as error:
        raise LabError(f"The template {template or name} is wrong: {error.message or error}") from error


@lru_cache
def _environment(folder: Path) -> jinja2.Environment:
    """Templates of a folder, and ours behind them; compiled once in a process."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, templates_folder()]), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    made.filters |= {"wrapped": wrapped, "paragraph": paragraph}
    return made


def rendering(plan: Plan, hand: KernelText, *, file: str) -> Rendering:
    """The parts of a file, each value ready to be placed.

    Raises:
        LabError: a kernel for any sizes has no reference to be held to.
    """
    captured = plan.generated or plan
    beside = helpers.beside(plan.kernel, "\n".join([*hand.functions, *hand.lines]), hand.helpers)
    reference, unknown = _reference(plan)
    if plan.generated and reference is None:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: it has no reference: {unknown}")
    return Rendering(
        header(plan, file), tuple(beside.imports), _hand(plan, hand, beside), reference, _in_quotes(unknown),
        comparing(plan, reference), _graph_form(plan, captured), _in_quotes(captured.no_form), _inputs(plan, hand, reference),
        _baseline(plan, captured, beside), _judge(),
    )  # fmt: skip


def _hand(plan: Plan, hand: KernelText, beside: helpers.Beside) -> HandKernel:
    asked = fits(plan) if plan.generated else []
    lines = [*_sizes(plan, hand.names | names_in(*asked)), *asked, *hand.launcher]
    config_ = {**hand.tuned, **{hand.blocks.get(name, name): value for name, value in plan.config.items()}}
    config_ = {} if hand.cuda else config_
    body = hand.lines if hand.to_the_letter else wrapped("\n".join(hand.lines), 4).split("\n")
    written_names = [f"`{tensor.name}`" for tensor in plan.written]
    writes = f"{_and(written_names)} {'is' if len(written_names) == 1 else 'are'}" if written_names else "nothing is"
    launcher = _launcher(plan, hand, lines, config_, beside.checked)
    missing = _untold(plan, _loose(plan))
    told = f" {missing[0].upper()}{missing[1:]}." if missing else ""
    functions = (*beside.hand, *hand.functions)
    return HandKernel(functions, plan.name, hand.parameters, hand.remark, tuple(body), launcher, writes, told)


def _baseline(plan: Plan, captured: Plan, beside: helpers.Beside) -> Baseline:
    text = as_written.verbatim(captured)
    sizes = fits_generated(captured) if plan.generated else _sizes(plan, text.names)
    launcher = _launcher(plan, text, [*sizes, *text.launcher], plan.config, beside.checked)
    parameters = ", ".join(f"{p.name}{p.annotation}" for p in text.parameters)
    body = exchanged("\n".join(text.lines), beside.names, [p.name for p in text.parameters])
    return Baseline(
        beside.functions,
        beside.namespace,
        beside.checked,
        _whose(plan.kernel),
        parameters,
        tuple(body.split("\n")),
        launcher,
    )


def _whose(kernel: Kernel) -> str:
    """Where the configuration is from, in words."""
    if kernel.category == "template":
        return "the blocks that its text states"
    return f"the configuration that its {'autotuner kept' if kernel.autotuned else 'heuristics list first'}"


def _launcher(
    plan: Plan, text: KernelText, lines: Sequence[str], config_: Mapping[str, int], checked: bool
) -> Launcher:
    warps = [f"{name}={name}" for name in ("num_warps", "num_stages") if name in plan.config]
    passed = [text.arguments, *([] if text.cuda else [*warps, *(["**OPTIONS"] if checked else [])])]
    return Launcher(
        ", ".join([*(tensor.name for tensor in plan.tensors.values()), *_keywords({**_loose(plan), **config_})]),
        tuple(lines), text.grid, ", ".join(passed), ", ".join(tensor.name for tensor in plan.written) or "None",
    )  # fmt: skip


def _reference(plan: Plan) -> tuple[EagerReference | None, str]:
    """The eager reference; None, with the reason, where there is none. A template's is the graph's own form."""
    if plan.kernel.category == "template" and plan.graph_form is not None:
        return _by_graph(plan, plan.graph_form), ""
    found = plan.reference
    if found is None:
        if is_flex(plan.kernel):
            return _flex(plan)
        reason = _in_its_names(plan.no_reference, plan)
        return None, f"{reason}{f', and {plan.no_form}' if plan.kernel.category == 'template' else ''}"
    if set(found.written) != {tensor.parameter for tensor in plan.written}:
        return None, "it writes through more pointers than its stores tell"
    named = names_in(*found.lines, *found.results)
    telling = {
        where.partition(".")[0] for symbol, where in plan.bindings.items() if symbol in named
    }  # a size may be an output's alone
    takes = [
        tensor.name for parameter, tensor in plan.tensors.items() if parameter in found.takes or tensor.name in telling
    ]
    return EagerReference(
        tuple(helpers.eager_text(name) for name in found.helpers), tuple(takes), ", ".join([*takes, *_keywords(_loose(plan))]),
        (*_sizes(plan, named), *found.lines), _tuple(found.results), _gives(plan),
    ), ""  # fmt: skip


def _flex(plan: Plan) -> tuple[EagerReference | None, str]:
    """The reference of flex attention, from its template's text."""
    try:
        form = attention(plan.kernel, plan.tensors)
    except NoReference as reason:
        return None, _in_its_names(str(reason), plan)
    return EagerReference(
        (helpers.eager_text("visits"),), form.takes, ", ".join(form.takes), form.lines, _tuple(form.results), _gives(plan)
    ), ""  # fmt: skip


def _in_its_names(reason: str, plan: Plan) -> str:
    """A reason with the file's names for tensors in the place of the generated kernel's."""
    names = {parameter: tensor.name for parameter, tensor in plan.tensors.items()}
    return re.sub(r"`?\b(\w+)\b`?", lambda word: f"`{names[word[1]]}`" if word[1] in names else word[0], reason)


def _by_graph(plan: Plan, form: Reference) -> EagerReference:
    takes = [tensor.name for tensor in plan.tensors.values() if tensor.role != "out"]
    allowed = _tf32(plan.kernel)
    return EagerReference(
        () if allowed is None else (helpers.eager_text("tf32"),), tuple(takes), ", ".join(takes), tuple(form.statements),
        _tuple(form.results), _gives(plan), by_graph=True, tf32=allowed,
    )  # fmt: skip


def _gives(plan: Plan) -> str:
    new = [tensor.name for tensor in plan.written]
    return f"the new {_and(new)}" if new else "nothing"


def _tf32(kernel: Kernel) -> bool | None:
    """Whether the template rounds the operands of its product to TF32, which eager has to do too; None where they are not float32."""
    said = re.search(r"^\s*ALLOW_TF32\s*:.*= (True|False)$", kernel.body, re.MULTILINE)
    if said is None or all(a.dtype != "float32" for a in kernel.arguments if a.role == "in"):
        return None
    return said[1] == "True"


def _graph_form(plan: Plan, captured: Plan) -> GraphForm | None:
    form = captured.graph_form
    if form is None or plan.kernel.category == "template":
        return None
    read = [tensor.name for tensor in plan.tensors.values() if tensor.role != "out"]
    return GraphForm(", ".join([*read, *_keywords(form.sizes)]), form.statements, _tuple(form.results))


def _inputs(plan: Plan, hand: KernelText, reference: EagerReference | None) -> Inputs:
    own_names = {name: max(block, TILE) for name, block in hand.tuned.items()}
    own_names |= {hand.blocks.get(name, name): value for name, value in plan.interpreter.items()}
    own_names = {} if hand.cuda else own_names
    return Inputs(
        dict(plan.environment) if plan.bindings else {}, tuple(others(plan) if plan.generated else _others(plan)), plan.generated is not None,
        _untold(plan, plan.bindings), legend(plan), _collides(plan),
        tuple(_argument(tensor, (plan.bindings and tensor.symbolic) or tensor.type) for tensor in plan.tensors.values()),
        _tuple([f'"{name}"' for name in (reference.takes if reference else ())]), _tuple([f'"{tensor.name}"' for tensor in plan.written]),
        *_bytes(plan), _literal(own_names), _literal(plan.interpreter), _tail(plan, hand), tuple(_origin(plan, hand)),
    )  # fmt: skip


def _sizes(plan: Plan, named: Container[str]) -> list[str]:
    """Where the symbols that are named are found."""
    return [f"{symbol} = {where}" for symbol, where in plan.bindings.items() if symbol in named]


def _loose(plan: Plan) -> dict[str, object]:
    """Numbers that no tensor tells: a caller may pass them."""
    symbols = {symbol: value for symbol, value in plan.environment.items() if symbol not in plan.bindings}
    return symbols | {number.name: number.tried for number in plan.untold.values()}


def _untold(plan: Plan, numbers: Iterable[str]) -> str:
    """Which of some numbers the log does not tell, and what stands for them."""
    tried = {symbol: str(plan.environment[symbol]) for symbol in sorted(plan.guessed & plan.environment.keys())}
    tried |= {number.name: number.tried for number in plan.untold.values()}
    said = [f"`{name}` ({tried[name]} is tried)" for name in numbers if name in tried]
    return f"the log does not tell {', '.join(said)}" if said else ""


def _origin(plan: Plan, hand: KernelText) -> list[str]:
    kernel, capture = plan.kernel, plan.capture
    facts: dict[str, object] = {
        "schema": 1, "capture": capture.name, "graph": plan.launch.graph, "kernel": kernel.id, "name": kernel.name, "body_sha256": kernel.body_sha256,
        "torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name, "arch": capture.gpu.arch,
        "parameters": {tensor.parameter: tensor.name for tensor in plan.tensors.values()},
         "numbers": dict((plan.generated or plan).scalars), "sizes": dict(plan.bindings), "blocks": dict(hand.blocks),
         **({"target": "cuda"} if hand.cuda else {}),
    }  # fmt: skip
    return [
        f"    {name!r}: {value!r},".replace("'", '"')
        if "'" in repr(value) and '"' not in repr(value)
        else f'    "{name}": {value!r},'
        for name, value in facts.items()
    ]


def _argument(tensor: Tensor, type_: TensorType) -> dict[str, str]:
    fill = tensor.fill
    if isinstance(fill, tuple) and tensor.distinct:
        fill = (*fill, '"distinct"', *tensor.distinct)
    return {
        "name": tensor.name,
        "shape": _tuple([python(str(size)) for size in type_.shape]),
        "stride": _tuple([python(str(step)) for step in type_.stride]),
        "dtype": type_.dtype,
        "fill": f'("same", "{tensor.overwrites}")'
        if tensor.overwrites
        else f"({', '.join(map(str, fill))})"
        if isinstance(fill, tuple)
        else f'"{fill}"',
    }


def legend(plan: Plan) -> str:
    """What the values in ARGUMENTS mean, as far as this file has them."""
    fills = [tensor.fill for tensor in plan.tensors.values() if not tensor.overwrites]
    told = [f'"{word}": {meaning}' for word, meaning in FILLS.items() if word in fills]
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    told += ["(a, b): whole numbers from a up to b, without b"] if ranges else []
    told += ["what follows: the value of some"] if any(len(fill) > 2 for fill in ranges) else []
    distinct = any(tensor.distinct for tensor in plan.tensors.values())
    told += ['"distinct": no two the same along the dimensions that follow, taken together'] if distinct else []
    same = any(tensor.overwrites for tensor in plan.tensors.values())
    told += ['("same", name): that very tensor, passed again'] if same else []
    return "values: " + ", ".join(told)


def _collides(plan: Plan) -> str:
    """What no inputs can prevent."""
    if not plan.colliding:
        return ""
    where = _and([f"`{name}`" for name in plan.colliding])
    return f"Several programs may store in one place of {where}, and on a GPU any of them may be the last: a check can fail for that alone."


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


def _bytes(plan: Plan) -> tuple[str, str]:
    """The bytes that a launch reads and writes, and what the numbers mean."""
    counted = traffic(plan.kernel)
    if counted.read is None or counted.written is None:
        return "None", "not counted"
    meaning = (
        "one launch moves at least them: what it multiplies and the result, once each"
        if counted.least
        else "one launch moves them, each element counted once"
    )
    return f'{{"read": {counted.read}, "written": {counted.written}}}', meaning


def _tail(plan: Plan, hand: KernelText) -> str:
    """Blocks that do not divide, for both. A block without a mask must go on dividing."""
    parts = []
    for where, given, most in (("gpu", plan.config, 8192), ("interpreter", plan.interpreter, 1 << 20)):
        chosen = config.tail_config(plan.kernel, plan.numels, given, most)
        if where == "interpreter" and not chosen:  # what no smaller block leaves a rest of: a large power of two
            chosen = config.tail_config(plan.kernel, plan.numels, given, 8 * most)
        if where == "interpreter":
            chosen |= config.uneven(plan.kernel, plan.dropped)
        kept = {
            hand.blocks.get(name, name): size
            for name, size in chosen.items()
            if name.partition("BLOCK")[0].lower() not in hand.fixed and not hand.cuda
        }
        parts.append(f'"{where}": {_literal(kept)}')
    return "{" + ", ".join(parts) + "}"


@lru_cache
def _judge() -> str:
    """The judge's own text, from inductor_lab/judge/alone.py, less the imports that every file has already."""
    source = (Path(__file__).parent.parent / "judge" / "alone.py").read_text(encoding="utf-8")
    text = source.partition("# --8<-- from here on the text is copied into ejected files\n")[2]
    return text.replace("\nimport torch\nimport triton\nimport triton.language as tl\n", "\n").rstrip() + "\n"


# ------------------------------------------------------------ text


def _literal(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def _in_quotes(text: str) -> str:
    """The same between two quotation marks."""
    return quoted(text).replace('"', "'")


def _keywords(values: Mapping[str, object]) -> list[str]:
    """Parameters that are passed by name, after a star."""
    return ["*", *(f"{name}={value}" for name, value in values.items())] if values else []


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
