"""A span whose kernels are printed -> the values that its template places."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from inductor_lab.costs.traffic import traffic
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject import naming, sizes
from inductor_lab.eject.file.examples import argument, legend, said
from inductor_lab.eject.file.literals import in_quotes, keywords, listed, literal, tuple_of
from inductor_lab.eject.file.parts import check_of
from inductor_lab.eject.graph_sizes import told
from inductor_lab.eject.header import quoted, target
from inductor_lab.eject.rendering import Header, Inputs, names_in, where_inputs_are
from inductor_lab.eject.span.fills import together
from inductor_lab.eject.span.kernels import Part, defined
from inductor_lab.eject.span.names import names
from inductor_lab.eject.span.sequence import Composer, distinct
from inductor_lab.eject.span.views import bases
from inductor_lab.eject.tensors import Fill, Tensor
from inductor_lab.records import Capture, Graph
from inductor_lab.records.span import ROLES, Span

MOST_NAMED = 5
"""Steps that a title names."""
SOURCE_LINES = 6


@dataclass(frozen=True)
class Composed:
    """A function that runs the steps one after the other."""

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
    launch: Composed
    generated: Composed
    reference: Composed | None
    unknown: str
    no_form: str
    functions: tuple[str, ...]
    """Those that the references call."""
    lays: bool
    """Whether what a library call makes is laid as the kernels take it."""
    baselines: tuple[str, ...]
    """Functions of Inductor's kernels."""
    namespace: str
    checked: bool
    inputs: Inputs
    check: str
    table: None = None
    cuda: None = None


def rendering(capture: Capture, span: Span, parts: Sequence[Part | None], file: str) -> SpanRendering:
    """The parts of a file, each value ready to be placed."""
    graph = next(graph for graph in capture.graphs if graph.id == span.graph)
    each = distinct(parts)
    taken = {*naming.RESERVED, "into", "laid", *(name for part in each for name in _names_of(part))}
    called = names(graph, span, parts, taken)
    environment = _environment(graph, span, each)
    tensors = _tensors(span, parts, called, environment)
    bindings = told(tensors, environment)
    loose = {symbol: value for symbol, value in environment.items() if symbol not in bindings}
    sequence = Composer(span, parts, called, environment.keys())
    reference, unknown = _reference(sequence, tensors, bindings, loose)
    written = [tensor.name for tensor in tensors if tensor.role != "in"]
    unread = [called[tensor.name] for tensor in span.tensors if tensor.unread]
    given = ", ".join(tensor.name for tensor in tensors)

    def composed(lines: Sequence[str], settings: Mapping[str, object], says: str) -> Composed:
        placed = where_inputs_are([tensors[0].name], lines)
        found = [f"{symbol} = {where}" for symbol, where in bindings.items() if symbol in names_in(*placed)]
        parameters = ", ".join([given, *keywords({**loose, **settings})])
        return Composed(parameters, (*found, *placed), ", ".join(written), says)

    hand, generated = sequence.hand(), sequence.generated()
    text = "\n".join([*hand, *(reference.lines if reference else ())])
    imports, functions, namespace = _baselines(each)
    return SpanRendering(
        _header(capture, span, parts, file), imports, tuple(each),
        composed(hand, sequence.settings(), _writes(span, called, written, unread)),
        composed(generated, sequence.generated_settings(), "Inductor's sequence, with the memory that its wrapper uses again."),
        reference, in_quotes(unknown), "the graph's own form of a span is not printed",
        tuple(function for part in each if part.parts.reference for function in part.parts.reference.functions),
        "laid(" in text, functions, namespace, any(part.parts.baseline.checked for part in each),
        _inputs(capture, span, parts, tensors, bindings, environment, sequence, reference, written, unread),
        check_of(tensors),
    )  # fmt: skip


def _names_of(part: Part) -> list[str]:
    name, number = part.plan.name, part.number
    functions = [*part.hand.functions, *part.parts.baseline.functions]
    functions += part.parts.reference.functions if part.parts.reference else ()
    own = [name, f"launch_{name}", f"{name}_reference", f"generated_{number}", f"launch_generated_{number}"]
    return [*own, *(each for text in functions for each in defined(text))]


def _writes(span: Span, called: Mapping[str, str], written: Sequence[str], unread: Sequence[str]) -> str:
    """The docstring of `launch`."""
    said_ = f"Run the span: {listed([f'`{name}`' for name in written])} {'is' if len(written) == 1 else 'are'} written and returned"
    if unread:
        said_ += f"; nobody behind the span reads {listed([f'`{name}`' for name in unread])}"
    copied = [f"`{called[tensor.name]}`" for tensor in span.tensors if tensor.made and tensor.role != "inner"]
    if copied:
        said_ += f". A library call makes {listed(copied)} itself: it is copied"
    return f"{said_}."


# ---- sizes and inputs


def _environment(graph: Graph, span: Span, parts: Iterable[Part]) -> dict[str, int]:
    """The symbols that the span's tensors and launches speak of."""
    texts = [str(size) for tensor in span.tensors for size in (*tensor.type.shape, *tensor.type.stride)]
    symbols = {symbol for text in texts if not text.isdigit() for symbol in sizes.Dim(text).symbols}
    symbols |= {symbol for part in parts for symbol in part.plan.environment}
    functions = {"FloorDiv", "CeilDiv", "Mod", "PythonMod", "ModularIndexing", "Max", "Min", "TruncToInt"}
    return sizes.environment(symbols - functions, sizes.hints(graph))


def _tensors(
    span: Span, parts: Sequence[Part | None], called: Mapping[str, str], environment: Mapping[str, int]
) -> list[Tensor]:
    """What the file's functions are given: what is read alone first, what is only written last."""
    asked: dict[str, list[Fill]] = {}
    for step, part in zip(span.steps, parts, strict=True):
        for passed in step.arguments if part else ():
            tensor = part.plan.tensors.get(passed.name) if part else None
            if tensor is not None and tensor.role != "out":
                asked.setdefault(bases(passed.value)[0], []).append(tensor.fill)
    made = []
    for one in sorted(span.tensors, key=lambda tensor: ROLES.index(tensor.role)):
        if one.role == "inner":
            continue
        fixed = sizes.fixed(one.type, environment)
        whole = "int" in one.type.dtype
        fills = asked.get(one.name) or [(0, 2) if whole else "bool" if one.type.dtype == "bool" else "normal"]
        fill = "out" if one.role == "out" else together(called[one.name], fills)
        symbolic = one.type if fixed != one.type else None
        made.append(Tensor(one.name, called[one.name], fixed, one.role, fill, symbolic=symbolic))
    return made


def _inputs(
    capture: Capture, span: Span, parts: Sequence[Part | None], tensors: Sequence[Tensor], bindings: Mapping[str, str],
    environment: Mapping[str, int], sequence: Composer, reference: Composed | None, written: Sequence[str], unread: Sequence[str],
) -> Inputs:  # fmt: skip
    each = distinct(parts)
    takes = reference.parameters.partition(", *")[0].split(", ") if reference and reference.parameters else []
    symbols = dict(environment) if bindings else {}
    arguments = tuple(argument(tensor, (symbols and tensor.symbolic) or tensor.type) for tensor in tensors)
    return Inputs(
        symbols, (), False, "", legend(tensors), "", arguments,
        tuple_of([f'"{name}"' for name in takes]), tuple_of([f'"{name}"' for name in written]),
        tuple_of([f'"{name}"' for name in unread]) if unread else "", *_bytes(span, parts, tensors),
        literal(_by_hand(each, "interpreter")), literal({f"{key}_{part.number}": value for part in each for key, value in part.plan.interpreter.items()}),
        f'{{"gpu": {literal(_tails(each, "gpu"))}, "interpreter": {literal(_tails(each, "interpreter"))}}}',
        tuple(_origin(capture, span, parts, tensors, bindings)),
    )  # fmt: skip


def _by_hand(parts: Iterable[Part], field: str) -> dict[str, object]:
    """What each kernel's own file says of its blocks, by the names that they have here."""
    return {
        f"{part.plan.name}_{key}": value
        for part in parts
        for key, value in ast.literal_eval(getattr(part.parts.inputs, field)).items()
    }


def _tails(parts: Iterable[Part], where: str) -> dict[str, object]:
    return {
        f"{part.plan.name}_{key}": value
        for part in parts
        for key, value in ast.literal_eval(part.parts.inputs.tail)[where].items()
    }


def _bytes(span: Span, parts: Sequence[Part | None], tensors: Sequence[Tensor]) -> tuple[str, str]:
    """What must be moved at least: inputs and outputs once, of a table no more than its launches read."""
    moved = {"read": 0, "written": 0}
    for tensor in tensors:
        whole = prod(
            int(size) for size, step in zip(tensor.type.shape, tensor.type.stride, strict=True) if step
        ) * ITEMSIZE.get(tensor.type.dtype, 1)
        of = next(one for one in span.tensors if one.name == tensor.parameter)
        if tensor.role != "out":
            moved["read"] += min(whole, _most(span, parts, tensor.parameter, "read", whole))
        if tensor.role != "in" and not of.unread:
            moved["written"] += min(whole, _most(span, parts, tensor.parameter, "written", whole))
    return literal(moved), "its inputs and outputs once, at least"


def _most(span: Span, parts: Sequence[Part | None], variable: str, field: str, whole: int) -> int:
    """The bytes that the steps which touch a tensor move at most."""
    most = 0
    for step, part in zip(span.steps, parts, strict=True):
        if any(variable in bases(one.value) for one in step.arguments) or variable in step.results:
            counted = getattr(traffic(part.plan.kernel), field) if part else whole
            most += whole if counted is None else counted
    return most


def _origin(
    capture: Capture, span: Span, parts: Sequence[Part | None], tensors: Sequence[Tensor], bindings: Mapping[str, str]
) -> list[str]:
    steps = [
        {"kernel": part.plan.kernel.id, "name": part.plan.kernel.name, "body_sha256": part.plan.kernel.body_sha256}
        if part
        else {"call": step.call}
        for step, part in zip(span.steps, parts, strict=True)
    ]
    each = distinct(parts)
    blocks = {f"{key}_{p.number}": f"{p.plan.name}_{name}" for p in each for key, name in p.text.blocks.items()}
    facts = {
        "schema": 1, "capture": capture.name, "graph": span.graph, "kernel": span.name, "span": "@SPAN@", "name": "_".join(_words(parts, span))[:80],
        "body_sha256": span.sha256, "torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name, "arch": capture.gpu.arch,
        "parameters": {tensor.parameter: tensor.name for tensor in tensors}, "numbers": {}, "sizes": dict(bindings), "blocks": blocks,
    }  # fmt: skip
    lines = said(facts)
    at = next(number for number, line in enumerate(lines) if "@SPAN@" in line)
    told_ = [f"        {step!r},".replace("'", '"') for step in steps]
    return [*lines[:at], '    "span": [', *told_, "    ],", *lines[at + 1 :]]


# ---- the reference


def _reference(
    sequence: Composer, tensors: Sequence[Tensor], bindings: Mapping[str, str], loose: Mapping[str, object]
) -> tuple[Composed | None, str]:
    """The steps in eager PyTorch; None, and why, where one has no reference."""
    for part in distinct(sequence.parts):
        if part.parts.reference is None:
            return None, f"{part.plan.name} has none: {part.parts.unknown}"
    lines = sequence.eager()
    named = names_in(*lines)
    telling = {where.partition(".")[0] for symbol, where in bindings.items() if symbol in named}
    takes = [tensor.name for tensor in tensors if tensor.role != "out" and tensor.name in named | telling]
    written = [tensor.name for tensor in tensors if tensor.role != "in"]
    found = [f"{symbol} = {where}" for symbol, where in bindings.items() if symbol in named]
    says = f"The same in eager PyTorch, in whatever dtype its inputs have: the new {listed(written)}."
    parameters = ", ".join([*takes, *keywords(loose)])
    return Composed(
        parameters,
        (*found, *where_inputs_are(takes, lines)),
        ", ".join(written) + ("," if len(written) == 1 else ""),
        says,
    ), ""


# ---- where it is from


def _header(capture: Capture, span: Span, parts: Sequence[Part | None], file: str) -> Header:
    launches = sum(part is not None for part in parts)
    calls = len(parts) - launches
    words = _words(parts, span)
    named = ", ".join(words[:MOST_NAMED]) + (" ..." if len(words) > MOST_NAMED else "")
    counted = f"{launches} launch{'es' if launches > 1 else ''}" + (
        f" and {calls} library call{'s' if calls > 1 else ''}" if calls else ""
    )
    title = f"{named}: a span of {counted} of `{capture.name}`, ejected to be edited."
    source = dict.fromkeys(
        f"{Path(line.file).name}:{line.line}  {line.code}"
        for part in parts
        if part
        for line in part.plan.launch.provenance.source[:1]
    )
    return Header(
        quoted(title), quoted(capture.name), span.graph, f"{span.first}-{span.last}", "", "", False,
        tuple(quoted(line) for line in [*source][:SOURCE_LINES]), quoted(target(capture)), span.sha256[:16], quoted(file),
    )  # fmt: skip


def _words(parts: Sequence[Part | None], span: Span) -> list[str]:
    """What its steps are called, each once."""
    return list(
        dict.fromkeys(
            part.plan.name if part else step.call.removeprefix("torch.ops.").split(".")[1]
            for step, part in zip(span.steps, parts, strict=True)
        )
    )


# ---- the baseline


def _baselines(parts: Iterable[Part]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Imports, functions and the namespace of Inductor's kernels; where one needs torch's own helpers, all of them have these."""
    imports = tuple(dict.fromkeys(line for part in parts for line in part.parts.imports))
    functions = [function for part in parts for function in part.parts.baseline.functions]
    spaces = dict.fromkeys(line for part in parts for line in part.parts.baseline.namespace.split("\n") if line)
    if any("import triton_helpers" in line for line in imports):
        named = {line.rpartition(" = ")[2] for line in spaces}
        functions = [text for text in functions if not named & {*defined(text)}]
        return imports, tuple(functions), ""
    return imports, tuple(functions), "\n".join(spaces)
