"""Chooses the eager reference of a file, from the kernel's tree, its template or the graph; and writes `compares`, its comparisons.

Where the subkernels are a table, the file says what one of each kind reads and is held to, and has a row for each:

    JOBS = (((256, 96), (96, 1)), ...)      def reads(job, shape, stride):  {f"grad_{job}": (shape, stride, torch.float32, "normal"), ...}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import eager_text
from inductor_lab.eject.eager.comparisons import MOST, compares
from inductor_lab.eject.file.literals import keywords, listed, quoted, tuple_of
from inductor_lab.eject.graph import Reference
from inductor_lab.eject.graph.flex_attention import is_flex
from inductor_lab.eject.inputs.domain import between
from inductor_lab.eject.inputs.intervals import Bounds, bound_names
from inductor_lab.eject.rendering import (
    Comparisons,
    EagerReference,
    GraphForm,
    SubkernelKind,
    SubkernelTable,
    names_in,
    where_inputs_are,
)
from inductor_lab.eject.triton.subkernel_tables import TableKind
from inductor_lab.eject.triton.subkernels import Job
from inductor_lab.records import Kernel


def reference_of(plan: Plan) -> tuple[EagerReference | None, str]:
    """The eager reference; None, with the reason, where there is none. A template's is the graph's own form."""
    if plan.kernel.category == "template" and plan.graph_form is not None:
        return _by_graph(plan, plan.graph_form), ""
    found = plan.reference
    if found is None:
        unread = plan.kernel.category == "template" and not is_flex(plan.kernel)
        return None, f"{_in_its_names(plan.no_reference, plan)}{f', and {plan.no_form}' if unread else ''}"
    if set(found.written) != {tensor.parameter for tensor in plan.written}:
        return None, "it writes through more pointers than its stores tell"
    named = names_in(*found.lines, *found.results)
    telling = plan.telling(named)  # a size may be an output's alone
    takes = [
        tensor.name for parameter, tensor in plan.tensors.items() if parameter in found.takes or tensor.name in telling
    ]
    sizes = plan.assignments(named)
    return _placed(found.helpers, takes, found.lines, found.results, _gives(plan), free=plan.free, sizes=sizes), ""


def _placed(
    helpers: Iterable[str], takes: Sequence[str], lines: Iterable[str], results: Iterable[str], gives: str, *,
    free: Mapping[str, object] = MappingProxyType({}), sizes: Iterable[str] = (),
) -> EagerReference:  # fmt: skip
    """A reference that makes what it makes on the device of the first tensor that it takes.

    Args:
        free: Numbers that a caller may pass besides.
        sizes: Statements that find sizes.
    """
    return EagerReference(
        tuple(map(eager_text, helpers)), tuple(takes), ", ".join([*takes, *keywords(free)]),
        (*sizes, *where_inputs_are(takes, lines)), tuple_of(where_inputs_are(takes, results)), gives,
    )  # fmt: skip


def _in_its_names(reason: str, plan: Plan) -> str:
    """A reason with the file's names for tensors in the place of the generated kernel's, also inside of Inductor's text that it quotes."""
    names = {parameter: tensor.name for parameter, tensor in plan.tensors.items()}
    return re.sub(r"`?\b(\w+)\b`?", lambda word: f"`{names[word[1]]}`" if word[1] in names else word[0], reason)


def _by_graph(plan: Plan, form: Reference) -> EagerReference:
    takes = [tensor.name for tensor in plan.tensors.values() if tensor.role != "out"]
    allowed = _tf32(plan.kernel)
    helpers = [] if allowed is None else ["tf32"]
    made = _placed(helpers, takes, form.statements, form.results, _gives(plan))
    return replace(made, by_graph=True, tf32=allowed)


def _gives(plan: Plan) -> str:
    new = [tensor.name for tensor in plan.written]
    return f"the new {listed(new)}" if new else "nothing"


def _tf32(kernel: Kernel) -> bool | None:
    """Whether the template rounds the operands of its product to TF32, which eager has to do too; None where they are not float32."""
    said = re.search(r"^\s*ALLOW_TF32\s*:.*= (True|False)$", kernel.body, re.MULTILINE)
    if said is None or all(a.dtype != "float32" for a in kernel.arguments if a.role == "in"):
        return None
    return said[1] == "True"


def graph_form_of(plan: Plan, captured: Plan) -> GraphForm | None:
    form = captured.graph_form
    return None if form is None or plan.kernel.category == "template" else graph_form(form, plan.tensors.values())


def graph_form(form: Reference, tensors: Iterable[Tensor]) -> GraphForm:
    """What the graph says of a kernel or a span, as a function of the tensors that are read."""
    read = [tensor.name for tensor in tensors if tensor.role != "out"]
    statements, results = where_inputs_are(read, form.statements), where_inputs_are(read, form.results)
    return GraphForm(", ".join([*read, *keywords(form.sizes)]), statements, tuple_of(results))


# ------------------------------------------------------------ a table of subkernels


def table_of(plan: Plan) -> SubkernelTable | None:
    """The table of a plan's jobs, as the template places it; None where there is none."""
    if plan.table is None:
        return None
    table = plan.table
    columns = [_columns(one) for one in table.kinds]
    lies = {
        job.number: texts
        for one, told in zip(table.kinds, columns, strict=True)
        for job, texts in zip(one.kind.jobs, zip(*told, strict=True), strict=True)
    }
    rows = []
    for place, job in table.jobs:
        many = [str(place)] if len(table.kinds) > 1 else []
        rows.append((f"({', '.join([*many, *lies[job.number]])})", quoted(_of(job, table.kinds[place].kind.words))))
    kinds: list[SubkernelKind] = []
    for place, (one, told) in enumerate(zip(table.kinds, columns, strict=True)):
        own = _kind(one, told, table.suffix(place))
        told_of = own.columns, own.reads, own.writes
        alike = (kind.suffix for kind in kinds if (kind.columns, kind.reads, kind.writes) == told_of)
        kinds.append(replace(own, like=next(alike, own.suffix)))
    return SubkernelTable(tuple(rows), tuple(kinds))


def _columns(one: TableKind) -> dict[tuple[str, ...], str]:
    """Shape and strides of each job of a kind -> what they are called; one set for all tensors that lie alike."""
    columns: dict[tuple[str, ...], str] = {}
    for place in range(len(one.names)):
        lies = _lies_of_all(one, place)
        if not columns or len({*lies}) > 1:
            number = f"_{len(columns) + 1}" if columns else ""
            columns.setdefault(lies, f"shape{number}, stride{number}")
    return columns


def _kind(one: TableKind, columns: Mapping[tuple[str, ...], str], suffix: str) -> SubkernelKind:
    specs = tuple((_name(name), _spec(one, place, columns)) for place, name in enumerate(one.names))
    made = one.reference
    reference = _placed(made.helpers, made.takes, made.lines, made.results, f"the new {listed(_new(one))}")
    return SubkernelKind(suffix, suffix, ", ".join(columns.values()), specs[: one.reads], specs[one.reads :], reference)


def _new(one: TableKind) -> list[str]:
    """What a job writes, by the names of what it overwrites."""
    first = one.kind.jobs[0].called(one.kind.words)
    return [tensor.overwrites or tensor.name for tensor in first.values() if tensor.role == "out"]


def _lies(tensor: Tensor) -> str:
    return f"{tuple_of([*map(str, tensor.type.shape)])}, {tuple_of([*map(str, tensor.type.stride)])}"


def _lies_of_all(one: TableKind, place: int) -> tuple[str, ...]:
    return tuple(_lies([*job.tensors.values()][place]) for job in one.kind.jobs)


def _spec(one: TableKind, place: int, columns: Mapping[tuple[str, ...], str]) -> str:
    """Shape, strides, dtype and values of one tensor of a job, as `ARGUMENTS` has them."""
    first = [*one.kind.jobs[0].tensors.values()]
    tensor, lies = first[place], _lies_of_all(one, place)
    fill = f"({', '.join(map(str, tensor.fill))})" if isinstance(tensor.fill, tuple) else f'"{tensor.fill}"'
    if tensor.overwrites:
        old = [each.name for each in first].index(tensor.overwrites)
        fill = f'("same", {_name(one.names[old])})'
    return f"{columns.get(lies, lies[0])}, torch.{tensor.type.dtype}, {fill}"


def _name(name: str) -> str:
    """`f"grad_{job}"`; `"scale"`, which all jobs read."""
    return f'f"{name.format("{job}")}"' if "{}" in name else f'"{name}"'


def _of(job: Job, words: Sequence[str]) -> str:
    """What a job is of, where the program says it of all that it reads: `up.weight`; else the node of the graph that is its parameter."""
    own = {tensor.input.name.removesuffix(".grad") for tensor in job.tensors.values() if tensor.input}
    if len(own) == 1:
        return own.pop()
    nodes = dict(zip(words, (tensor.node for tensor in job.tensors.values()), strict=True))
    return f"param is {nodes['param']}" if nodes.get("param") else ""


NONE = Comparisons((), (), (), 0)


def comparing(plan: Plan, reference: EagerReference | None) -> Comparisons:
    """The comparisons of a kernel whose reference is printed from its tree; none for any other."""
    if reference is None or plan.kernel.category == "template":
        return NONE
    if plan.table and len(plan.table.kinds) == 1 and (told := _of_a_job(plan, plan.table.kinds[0])):
        return told
    found = compares(plan.kernel, plan.found, plan.tensors, plan.scalars, partial(_bounds, plan))
    named = names_in(*found.lines, *found.rows)
    unread = {tensor.name for tensor in plan.tensors.values()} - set(reference.takes)
    if (named | plan.telling(named)) & unread:
        return Comparisons((), (), (), found.left_out + len(found.rows))
    functions = tuple(text for helper in found.helpers if (text := eager_text(helper)) not in reference.functions)
    lines = (*plan.assignments(named), *where_inputs_are(reference.takes, found.lines))
    return Comparisons(functions, lines, where_inputs_are(reference.takes, found.rows), found.left_out)


def _of_a_job(plan: Plan, one: TableKind) -> Comparisons | None:
    """The comparisons of the jobs of a table, where all make the same ones."""
    bounds = partial(_bounds, plan)
    made = [compares(plan.kernel, job.found, one.called(job), plan.scalars, bounds) for job in one.kind.jobs]
    first, takes, many = made[0], one.reference.takes, len(made)
    named = names_in(*first.lines, *first.rows)
    if any(each != first for each in made) or named & ({*one.kind.words} - {*takes}):
        return None
    functions = tuple(eager_text(helper) for helper in first.helpers if helper not in one.reference.helpers)
    lines, rows = where_inputs_are(takes, first.lines), where_inputs_are(takes, first.rows)
    jobs = min(many, max(MOST // max(len(rows), 1), 1))
    return Comparisons(functions, lines, rows, first.left_out * many + len(rows) * (many - jobs), jobs)


def _bounds(plan: Plan, job: Computation) -> Bounds:
    """Between which numbers the values of a job are, when its inputs are drawn."""
    sizes = bound_names(job, plan.environment)
    bounds = Bounds(job.numel, sizes)
    drawn = {
        p: between(one.fill, bounds.number)
        for p, one in plan.tensors.items()
        if isinstance(one.fill, str) or not one.distinct
    }
    return Bounds(job.numel, sizes, {pointer: room for pointer, room in drawn.items() if room is not None})
