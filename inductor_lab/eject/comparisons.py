"""What an ejected file says of the comparisons of its kernel: `def compares`, of the same arguments as its reference."""

from __future__ import annotations

from math import inf

from inductor_lab.computation.intervals import Interval
from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor, TensorView
from inductor_lab.eject.device_functions import eager_text
from inductor_lab.eject.eager.comparisons import MOST, compares
from inductor_lab.eject.inputs.allocation import bound_names
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.eject.rendering import Comparing, EagerReference, names_in, where_inputs_are
from inductor_lab.eject.triton.subkernel_tables import TableKind

NONE = Comparing((), (), (), 0)
DRAWN = {
    "positive": Interval(1e-300, inf), "count": Interval(1e-300, inf), "unit": Interval(-1, 1), "above_one": Interval(1, inf),
    "bool": Interval(0, 1),
}  # fmt: skip
"""Between which numbers the words of ARGUMENTS keep what is drawn."""


def comparing(plan: Plan, reference: EagerReference | None) -> Comparing:
    """The comparisons of a kernel whose reference is printed from its tree; none for any other."""
    if reference is None or reference.by_graph or plan.reference is None:
        return NONE
    if plan.table and len(plan.table.kinds) == 1 and (told := _of_a_job(plan, plan.table.kinds[0])):
        return told
    views = {name: TensorView(tensor.name, tensor.symbolic or tensor.type) for name, tensor in plan.tensors.items()}
    bounds = {id(job): _bounds(plan, job) for job in plan.found.every()}
    found = compares(plan.kernel, plan.found, views, plan.scalars, bounds)
    named = names_in(*found.lines, *found.rows)
    unread = {tensor.name for tensor in plan.tensors.values()} - set(reference.takes)
    sizes = {symbol: where for symbol, where in plan.bindings.items() if symbol in named}
    if (named | {where.partition(".")[0] for where in sizes.values()}) & unread:
        return Comparing((), (), (), found.left_out + len(found.rows))
    functions = tuple(text for helper in found.helpers if (text := eager_text(helper)) not in reference.functions)
    lines = (
        *(f"{symbol} = {where}" for symbol, where in sizes.items()),
        *where_inputs_are(reference.takes, found.lines),
    )
    return Comparing(functions, lines, where_inputs_are(reference.takes, found.rows), found.left_out)


def _of_a_job(plan: Plan, one: TableKind) -> Comparing | None:
    """The comparisons of the jobs of a table, where all make the same ones."""
    made = [
        compares(plan.kernel, job.found, one.views(job), plan.scalars, {id(job.found): _bounds(plan, job.found)})
        for job in one.kind.jobs
    ]
    first, takes, many = made[0], one.reference.takes, len(made)
    named = names_in(*first.lines, *first.rows)
    if any(each != first for each in made) or named & ({*one.kind.words} - {*takes}):
        return None
    functions = tuple(eager_text(helper) for helper in first.helpers if helper not in one.reference.helpers)
    lines, rows = where_inputs_are(takes, first.lines), where_inputs_are(takes, first.rows)
    jobs = min(many, max(MOST // max(len(rows), 1), 1))
    return Comparing(functions, lines, rows, first.left_out * many + len(rows) * (many - jobs), jobs)


def _bounds(plan: Plan, job: Computation) -> Bounds:
    """Between which numbers the values of a job are, when its inputs are drawn."""
    sizes = bound_names(job, plan.environment)
    bounds = Bounds(job.numel, sizes)
    drawn = {pointer: _interval(tensor, bounds) for pointer, tensor in plan.tensors.items()}
    return Bounds(job.numel, sizes, {pointer: room for pointer, room in drawn.items() if room is not None})


def _interval(tensor: Tensor, bounds: Bounds) -> Interval | None:
    """Between which numbers the elements of an argument are drawn."""
    if isinstance(tensor.fill, str):
        return DRAWN.get(tensor.fill)
    low, high, *others = (bounds.number(size) for size in tensor.fill)
    if low is None or high is None or tensor.distinct:
        return None
    known = [other for other in others if other is not None]
    return Interval(min(low, *known, high - 1), max(high - 1, *known, low))
