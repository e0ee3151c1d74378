"""A plan whose jobs are a table -> what the file says of one job, and the table's rows.

JOBS = (((256, 96), (96, 1)), ...)      def reads(job, shape, stride):  {f"grad_{job}": (shape, stride, torch.float32, "normal"), ...}
"""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.eject import helpers
from inductor_lab.eject.file.literals import listed, tuple_of
from inductor_lab.eject.header import quoted
from inductor_lab.eject.job_kinds import Job
from inductor_lab.eject.job_tables import Table
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.rendering import EagerReference, JobTable, where_inputs_are
from inductor_lab.eject.tensors import Tensor


def table_of(plan: Plan) -> JobTable | None:
    """The table of a plan's jobs, as the template places it; None where there is none."""
    if plan.table is None:
        return None
    table = plan.table
    jobs = table.kind.jobs
    columns: dict[tuple[str, ...], str] = {}
    for place in range(len(table.names)):
        lies = tuple(_lies([*job.tensors.values()][place]) for job in jobs)
        if not columns or len({*lies}) > 1:
            number = f"_{len(columns) + 1}" if columns else ""
            columns.setdefault(lies, f"shape{number}, stride{number}")
    specs = [(_name(name), _spec(table, place, columns)) for place, name in enumerate(table.names)]
    rows = tuple(
        (f"({', '.join(each[number] for each in columns)})", quoted(_of(job))) for number, job in enumerate(jobs)
    )
    takes, made = table.reference.takes, table.reference
    reference = EagerReference(
        tuple(helpers.eager_text(name) for name in made.helpers), takes, ", ".join(takes), where_inputs_are(takes, made.lines),
        tuple_of(where_inputs_are(takes, made.results)), f"the new {listed(_new(table))}",
    )  # fmt: skip
    return JobTable(
        ", ".join(columns.values()), rows, tuple(specs[: table.reads]), tuple(specs[table.reads :]), reference
    )


def _new(table: Table) -> list[str]:
    """What a job writes, by the names of what it overwrites."""
    first = table.kind.jobs[0].called(table.kind.words)
    return [tensor.overwrites or tensor.name for tensor in first.values() if tensor.role == "out"]


def _lies(tensor: Tensor) -> str:
    return f"{tuple_of([*map(str, tensor.type.shape)])}, {tuple_of([*map(str, tensor.type.stride)])}"


def _spec(table: Table, place: int, columns: dict[tuple[str, ...], str]) -> str:
    """Shape, strides, dtype and values of one tensor of a job, as `ARGUMENTS` has them."""
    held = [[*job.tensors.values()] for job in table.kind.jobs]
    first = held[0][place]
    lies = tuple(_lies(tensors[place]) for tensors in held)
    fill = f"({', '.join(map(str, first.fill))})" if isinstance(first.fill, tuple) else f'"{first.fill}"'
    if first.overwrites:
        old = [tensor.name for tensor in held[0]].index(first.overwrites)
        fill = f'("same", {_name(table.names[old])})'
    return f"{columns.get(lies, lies[0])}, torch.{first.type.dtype}, {fill}"


def _name(name: str) -> str:
    """`f"grad_{job}"`; `"scale"`, which all jobs read."""
    return f'f"{name.format("{job}")}"' if "{}" in name else f'"{name}"'


def _of(job: Job) -> str:
    """What a job is of, where the program says it of all that it reads: `up.weight`."""
    own: Sequence[str] = [tensor.input.name.removesuffix(".grad") for tensor in job.tensors.values() if tensor.input]
    return own[0] if len({*own}) == 1 else ""
