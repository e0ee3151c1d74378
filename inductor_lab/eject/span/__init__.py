"""A span -> one file: its steps as one `launch`, what they must equal as one `reference`, and Inductor's sequence as the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inductor_lab.bind.elements import nbytes
from inductor_lab.costs.traffic import traffic
from inductor_lab.eject.device_functions import FROM_TORCH, namespace
from inductor_lab.eject.eager.comparisons import MOST
from inductor_lab.eject.file import check_of, hashed, is_of_the_cu_file, of_several
from inductor_lab.eject.file.examples import argument, interpreted, legend, origin, tail
from inductor_lab.eject.file.header import target
from inductor_lab.eject.file.literals import in_quotes, listed, listed_names, literal, quoted, returned, taken, tuple_of
from inductor_lab.eject.file.references import graph_form
from inductor_lab.eject.refusal import or_why
from inductor_lab.eject.rendering import CudaFile, GraphForm, Header, Inputs, names_in, where_inputs_are
from inductor_lab.eject.span.aten import aten
from inductor_lab.eject.span.kernels import Part, defined, kernels, once
from inductor_lab.eject.span.plan import SpanPlan, plan, title
from inductor_lab.eject.span.sequence import ATTENTION, Composer
from inductor_lab.eject.span.views import touched
from inductor_lab.ejected import Made, packed
from inductor_lab.errors import LabError
from inductor_lab.records import Capture
from inductor_lab.records.span import Span

MOST_NAMED = 6
"""Tensors that a docstring names."""
SOURCE_LINES = 6


def eject_span(capture: Capture, span: Span, **asked: Any) -> str:
    """The text of a standalone file for consecutive steps of a graph; the arguments are those of `span_files`.

    Raises:
        LabError: as `span_files`.
    """
    return next(iter(span_files(capture, span, **asked).values()))


def span_files(
    capture: Capture,
    span: Span,
    *,
    style: str = "readable",
    target: str = "triton",
    template: Path | None = None,
    file: str = "FILE",
) -> dict[str, str]:
    """Each file that consecutive steps of a graph are ejected as, by its name: the Python file first.

    Args:
        style: `readable` or `verbatim`, of its hand kernels.
        target: What they are written in; in CUDA C++ they stand in one file of their own.
        template: A Jinja template to use instead of our own, with the same variables: the fields of `SpanRendering`.
        file: The name that the file's own docstring calls it by.

    Raises:
        LabError: one of its steps can not be ejected, or what they ask of an input does not go together.
    """
    try:
        parts = rendering(plan(capture, span, kernels(capture, span, style, file, target)), file)
    except LabError as error:
        way_out = "; leave --as cuda out" if "no form in CUDA C++" in str(error) else ""
        raise LabError(f"{span.name} can not be ejected as one: {error}{way_out}") from error
    beside: dict[str, str] = {}
    if target == "cuda":
        printed = [part.text.cuda for part in parts.kernels if part.text.cuda]
        made, beside = of_several(printed, parts.header.title, template=template, file=file)
        parts = replace(parts, cuda=made)
    own = None if is_of_the_cu_file(template) else template
    text = hashed(own, "cuda/span.py.jinja" if beside else "span.py.jinja", vars(parts), span.name, file)
    return {file: text + packed(text, Made(style, language=target, template=str(template or ""))), **beside}


@dataclass(frozen=True)
class SequenceFunction:
    """A function that runs the steps one after the other."""

    takes: tuple[str, ...]
    parameters: str
    lines: tuple[str, ...]
    returned: str
    says: str
    """Its docstring."""


@dataclass(frozen=True)
class SpanRendering:
    """A span's file: the variables of its template."""

    header: Header
    imports: tuple[str, ...]
    kernels: tuple[Part, ...]
    """Those that are there to be edited."""
    inductors: tuple[Part, ...]
    """Those of Inductor's."""
    launch: SequenceFunction
    generated: SequenceFunction
    reference: SequenceFunction | None
    unknown: str
    graph_form: GraphForm | None
    no_form: str
    functions: tuple[str, ...]
    """Those that the references call."""
    compares: tuple[str, ...]
    """Calls that tell what kernels compare, those that read nothing that the span has written."""
    comparing: tuple[Part, ...]
    """Their kernels."""
    uncompared: int
    """What the others compare."""
    lays: bool
    """Whether what a library call makes is laid as the kernels take it."""
    attends: bool
    """Whether a library call is a fused attention."""
    baselines: tuple[str, ...]
    """Functions of Inductor's kernels."""
    namespace: str
    checked: bool
    numbered: bool
    """Whether numbers of Inductor's kernels are parameters."""
    inputs: Inputs
    check: str
    table: None = None
    cuda: CudaFile | None = None


def rendering(plan: SpanPlan, file: str) -> SpanRendering:
    """The parts of a file, each value ready to be placed."""
    composer = Composer(plan)
    given = [tensor.name for tensor in plan.tensors]
    launch = _composed(plan, given, composer.hand(), composer.settings(), _says(plan), returned(plan.written))
    says = "Inductor's sequence, with the memory that its wrapper uses again."
    generated = _composed(plan, given, composer.generated(), composer.generated_settings(), says, launch.returned)
    reference, unknown = _reference(plan, composer)
    compared = dict([*composer.compared().items()][:MOST]) if reference else {}
    comparing = [part.parts.comparing for part in plan.parts if part and reference]
    uncompared = sum(len(one.rows) + one.left_out for one in comparing)
    uncompared -= sum(len(part.parts.comparing.rows) for part in compared.values())
    called = [one for part in plan.hands for one in (part.printed.reference, part.printed.comparing) if one]
    imports, functions, namespace = _baselines(plan)
    form, no_form = or_why(lambda: graph_form(aten(plan), plan.tensors))
    return SpanRendering(
        _header(plan, file), imports, tuple(plan.hands), tuple(plan.baselines), launch, generated, reference, in_quotes(unknown),
        form, in_quotes(no_form), tuple(text for one in called for text in one.functions), tuple(compared),
        tuple(once(compared.values(), lambda part: part.plan.name)), uncompared,
        any("laid(" in line for one in (launch, generated, reference) if one for line in one.lines),
        reference is not None and any(ATTENTION in step.call for step in plan.span.steps), functions, namespace,
        any(part.parts.baseline.checked for part in plan.kernels),
        any(part.given_generated for part in plan.kernels), inputs_of(plan, reference.takes if reference else ()), check_of(plan.tensors),
    )  # fmt: skip


def _composed(
    plan: SpanPlan,
    takes: Sequence[str],
    lines: Sequence[str],
    settings: Iterable[Mapping[str, object]],
    says: str,
    returned: str,
) -> SequenceFunction:
    """A function around statements, with the sizes that they name."""
    placed = where_inputs_are(takes, lines)
    named = names_in(*placed)
    parameters = taken(takes, [plan.free, *settings])
    return SequenceFunction(tuple(takes), parameters, (*plan.assignments(named), *placed), returned, says)


def _says(plan: SpanPlan) -> str:
    """The docstring of `launch`."""
    told = f"Run the span: {_named(plan.written, 'WRITTEN')} {'is' if len(plan.written) == 1 else 'are'} written and returned"
    if plan.unread:
        told += f"; nobody behind the span reads {_named(plan.unread, 'UNREAD')}"
    outs = [tensor for tensor in plan.span.tensors if tensor.made and tensor.role != "inner" and not tensor.unread]
    copied = [plan.called[tensor.name] for tensor in outs]
    if copied:
        told += f". A library call makes {_named(copied, 'WRITTEN')} itself: {'it is' if len(copied) == 1 else 'they are'} copied"
    return f"{told}."


def _named(names: Sequence[str], table: str) -> str:
    """Names in a sentence; many by the table that lists them."""
    return f"the tensors of {table}" if len(names) > MOST_NAMED else listed([f"`{name}`" for name in names])


def _reference(plan: SpanPlan, composer: Composer) -> tuple[SequenceFunction | None, str]:
    """The steps in eager PyTorch; None, and why, where one has no reference."""
    for step, part in zip(plan.span.steps, plan.parts, strict=True):
        if part and part.parts.reference is None:
            return None, f"{part.plan.name} has none: {part.parts.unknown}"
        if step.call.endswith("._scaled_mm"):
            return None, f"{step.call} is of float8, and eager PyTorch has none in float64"
    lines = composer.eager()
    named = names_in(*lines)
    telling = plan.telling(named)
    read = named - {tensor.name for tensor in plan.tensors if tensor.role == "out"}
    takes = [tensor.name for tensor in plan.tensors if tensor.name in read | telling]  # a size may be an output's alone
    gives = "what WRITTEN names, in that order" if len(plan.written) > MOST_NAMED else f"the new {listed(plan.written)}"
    says = f"The same in eager PyTorch, in whatever dtype its inputs have: {gives}."
    one = tuple_of(plan.written)
    return _composed(plan, takes, lines, [], says, one if len(plan.written) == 1 else returned(plan.written)), ""


def _header(plan: SpanPlan, file: str) -> Header:
    capture, span = plan.capture, plan.span
    launches = sum(part is not None for part in plan.parts)
    counted = f"{launches} launch{'es' if launches > 1 else ''}"
    if calls := len(plan.parts) - launches:
        counted += f" and {calls} library call{'s' if calls > 1 else ''}"
    source = dict.fromkeys(
        f"{Path(line.file).name}:{line.line}  {line.code}"
        for part in plan.kernels
        for line in part.plan.launch.provenance.source
    )
    return Header(
        quoted(f"{title(plan.steps())}: a span of {counted} of `{capture.name}`, ejected to be edited."), quoted(capture.name), span.graph,
        f"{span.first}-{span.last}", "", "", False, tuple(quoted(line) for line in [*source][:SOURCE_LINES]), quoted(target(capture)),
        span.sha256[:16], quoted(file),
    )  # fmt: skip


def _baselines(plan: SpanPlan) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Imports, functions and the namespace of Inductor's kernels; where one needs torch's own helpers, all of them have these."""
    imports = tuple(dict.fromkeys(line for part in plan.kernels for line in part.parts.imports))
    functions = [function for part in plan.baselines for function in part.baseline.functions]
    helpers = {name: own for part in plan.baselines for name, own in part.baseline.helpers.items()}
    if FROM_TORCH in imports:
        return imports, tuple(text for text in functions if not {*helpers.values()} & {*defined(text)}), ""
    return imports, tuple(functions), namespace(helpers)


def inputs_of(plan: SpanPlan, takes: Sequence[str]) -> Inputs:
    """What both sequences are run on.

    Args:
        takes: What the reference is given.
    """
    symbols = dict(plan.environment) if plan.bindings else {}
    arguments = tuple(argument(tensor, (symbols and tensor.symbolic) or tensor.type) for tensor in plan.tensors)
    generated = {
        part.generated_setting(key): value for part in plan.baselines for key, value in part.plan.interpreter.items()
    }
    tails = [tail(part.plan, part.text) for part in plan.hands]
    of_both = {where: literal(_by_hand(plan.hands, [one[where] for one in tails])) for where in ("gpu", "interpreter")}
    hand = _by_hand(plan.hands, [interpreted(part.plan, part.text) for part in plan.hands])
    return Inputs(
        symbols, tuple(_others(plan.kernels, symbols)), False, "", legend(plan.tensors), " ".join(plan.remarks), arguments,
        listed_names(takes), listed_names(plan.written), listed_names(plan.unread) if plan.unread else "", *_bytes(plan),
        literal(hand), literal(generated),
        literal(of_both), tuple(_origin(plan)),
    )  # fmt: skip


def _others(parts: Iterable[Part], captured: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Other sizes, where all kernels that have them are tried on the same ones."""
    tried: dict[str, set[int]] = {}
    for part in parts:
        other = dict(next(iter(part.parts.inputs.others), {}))
        for symbol in part.plan.environment:
            tried.setdefault(symbol, set()).add(other.get(symbol, captured.get(symbol, 0)))
    sizes_ = {**captured, **{symbol: values.pop() for symbol, values in tried.items() if len(values) == 1}}
    if sizes_ != captured:
        yield sizes_


def _by_hand(parts: Iterable[Part], blocks: Iterable[Mapping[str, object]]) -> dict[str, object]:
    """What each kernel's own file says of its blocks, by the names that they have here."""
    return {part.setting(key): value for part, own in zip(parts, blocks, strict=True) for key, value in own.items()}


def _bytes(plan: SpanPlan) -> tuple[str, str]:
    """What must be moved at least: inputs and outputs once, of a table no more than its launches read."""
    moved = {"read": 0, "written": 0}
    for tensor in plan.tensors:
        whole = nbytes(tensor.type) or 0
        if tensor.role != "out":
            moved["read"] += min(whole, _most(plan, tensor.parameter, "read", whole))
        if tensor.role != "in" and tensor.name not in plan.unread:
            moved["written"] += min(whole, _most(plan, tensor.parameter, "written", whole))
    return literal(moved), "its inputs and outputs once, at least"


def _most(plan: SpanPlan, variable: str, field: str, whole: int) -> int:
    """The bytes that the steps which touch a tensor move at most."""
    most = 0
    for step, part in zip(plan.span.steps, plan.parts, strict=True):
        if variable in touched(step):
            counted = getattr(traffic(part.plan.kernel), field) if part else whole
            most += whole if counted is None else counted
    return most


def _origin(plan: SpanPlan) -> list[str]:
    steps = []
    for step, part in zip(plan.span.steps, plan.parts, strict=True):
        kernel = part.plan.kernel if part else None
        if kernel:
            steps.append(f'        {{"kernel": "{kernel.id}", "name": "{kernel.name}",')
            steps.append(f'         "body_sha256": "{kernel.body_sha256}"}},')
        else:
            steps.append(f'        {{"call": "{step.call}"}},')
    blocks = {
        part.generated_setting(key): part.setting(name)
        for part in plan.kernels
        for key, name in {**part.text.blocks, "num_warps": "num_warps", "num_stages": "num_stages"}.items()
        if not part.text.cuda
    }
    told = {
        "parameters": {tensor.parameter: tensor.name for tensor in plan.tensors},
        "numbers": {name: plan.unbacked[name].text if name in plan.unbacked else name for name in plan.free},
        "sizes": dict(plan.bindings),
        "blocks": blocks,
    }
    steps, cuda = ['    "span": [', *steps, "    ],"], any(part.text.cuda for part in plan.kernels)
    return origin(plan.capture, plan.span.graph, plan.span, title(plan.steps()), told, cuda=cuda, steps=steps)


__all__ = ["eject_span", "span_files"]
