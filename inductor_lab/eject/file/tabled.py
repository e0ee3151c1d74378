"""A plan whose jobs are a table -> what the file says of one job, and the table's rows.

JOBS = (((256, 96), (96, 1)), ...)      def reads(job, shape, stride):  {f"grad_{job}": (shape, stride, torch.float32, "normal"), ...}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inductor_lab.eject import helpers
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.file.literals import listed, tuple_of
from inductor_lab.eject.header import quoted
from inductor_lab.eject.job_kinds import Job
from inductor_lab.eject.job_tables import TableKind
from inductor_lab.eject.rendering import EagerReference, JobKind, JobTable, where_inputs_are


def table_of(plan: Plan) -> JobTable | None:
    """The table of a plan's jobs, as the template places it; None where there is none."""
    if plan.table is None:
        return None
    table = plan.table
    columns = [_columns(one) for one in table.kinds]
    rows, row_of = (
        [],
        [
            dict(zip(map(id, one.kind.jobs), zip(*told, strict=True), strict=True))
            for one, told in zip(table.kinds, columns, strict=True)
        ],
    )
    for place, job in table.jobs:
        many = [str(place)] if len(table.kinds) > 1 else []
        rows.append(
            (f"({', '.join([*many, *row_of[place][id(job)]])})", quoted(_of(job, table.kinds[place].kind.words)))
        )
    kinds: list[JobKind] = []
    for place, (one, told) in enumerate(zip(table.kinds, columns, strict=True)):
        own = _kind(one, told, table.suffix(place))
        told_of = own.columns, own.reads, own.writes
        alike = (kind.suffix for kind in kinds if (kind.columns, kind.reads, kind.writes) == told_of)
        kinds.append(replace(own, like=next(alike, own.suffix)))
    return JobTable(tuple(rows), tuple(kinds))


def _columns(one: TableKind) -> dict[tuple[str, ...], str]:
    """Shape and strides of each job of a kind -> what they are called; one set for all tensors that lie alike."""
    columns: dict[tuple[str, ...], str] = {}
    for place in range(len(one.names)):
        lies = _lies_of_all(one, place)
        if not columns or len({*lies}) > 1:
            number = f"_{len(columns) + 1}" if columns else ""
            columns.setdefault(lies, f"shape{number}, stride{number}")
    return columns


def _kind(one: TableKind, columns: Mapping[tuple[str, ...], str], suffix: str) -> JobKind:
    specs = tuple((_name(name), _spec(one, place, columns)) for place, name in enumerate(one.names))
    takes, made = one.reference.takes, one.reference
    reference = EagerReference(
        tuple(helpers.eager_text(name) for name in made.helpers), takes, ", ".join(takes), where_inputs_are(takes, made.lines),
        tuple_of(where_inputs_are(takes, made.results)), f"the new {listed(_new(one))}",
    )  # fmt: skip
    return JobKind(suffix, suffix, ", ".join(columns.values()), specs[: one.reads], specs[one.reads :], reference)


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
