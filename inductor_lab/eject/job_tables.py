"""The jobs of a launch as a table: one kind of job, said once, and of each job what it is of and the shape of its tensors.

    exp_avg_0, grad_0, param_0 ...    (256, 96)   up.weight
    exp_avg_1, grad_1, param_1 ...    (256,)      up.bias

A launch has one where a function does all of its jobs, and where the rows tell the launch's tensors, their order and what they are held to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inductor_lab.computation.records import Computation
from inductor_lab.eject.eager import Eager, NoReference, eager
from inductor_lab.eject.job_kinds import Job, Kind, kinds
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.tensors import Tensor, TensorView
from inductor_lab.eject.triton_page import UnprintableError
from inductor_lab.records import Kernel

FEWEST = 3
"""Jobs of which a table is shorter than their names."""


@dataclass(frozen=True)
class Table:
    """Jobs that one function does."""

    kind: Kind
    names: tuple[str, ...]
    """What the tensors of job `{}` are called, as `kind.words` has them: `exp_avg_{}`; a name alone for one that all jobs read."""
    reads: int
    """How many of them are read; the others are written."""
    counted: int
    """The one of them that has as many elements as the job."""
    reference: Eager
    """Of one job, by the kind's words."""

    def launcher(self) -> tuple[str, ...]:
        """What `launch` works out first, of `tensors`: each job's, and how many elements it has."""
        word = self.kind.words[self.counted]
        return (
            "given = dict(zip(ARGUMENTS, tensors))",
            "jobs = tuple(tuple(given[name] for name in (*taken, *made)) for taken, made in ROWS)",
            f"sizes = tuple({word}.numel() for {'_, ' * self.counted}{word}, *_ in jobs)",
        )


def named(found: Computation, tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], Kind | None]:
    """The tensors by what they are to their job, and the kind of job, where one function does all of them; else as they are, and None."""
    if len(found.parts) < FEWEST:
        return dict(tensors), None
    try:
        kind, *others = kinds(found, tensors, OF_THE_KERNEL, {})
    except UnprintableError:
        return dict(tensors), None
    names = {
        tensor.name: name.format(job.number)
        for job in kind.jobs
        for tensor, name in zip(job.tensors.values(), _names(kind), strict=True)
    }
    if others or len({*names.values()}) < len(tensors) or names.keys() != {tensor.name for tensor in tensors.values()}:
        return dict(tensors), None
    called = {p: replace(t, name=names[t.name], overwrites=names.get(t.overwrites, "")) for p, t in tensors.items()}
    return called, kind


def table(kernel: Kernel, kind: Kind, tensors: Mapping[str, Tensor], values: Mapping[str, str]) -> Table | None:
    """The jobs as a table; None where their rows do not tell what the launch takes, or one is held to something else than the others."""
    jobs = tuple(replace(job, tensors={pointer: tensors[pointer] for pointer in job.tensors}) for job in kind.jobs)
    names = _names(kind)
    reads = sum(tensor.role == "in" for tensor in jobs[0].tensors.values())
    rows = [[tensor.name for tensor in job.tensors.values()] for job in jobs]
    order = [name for part in (slice(reads), slice(reads, None)) for row in rows for name in row[part]]
    if [*dict.fromkeys(order)] != [tensor.name for tensor in tensors.values()]:
        return None
    counted = [
        place
        for place in range(len(names))
        if all([*job.tensors.values()][place].numel() == job.found.schedule.axes[0].numel for job in jobs)
    ]
    flat = len(kind.text.parameters) == len(names) + 2 and all(len(job.found.schedule.axes) == 1 for job in jobs)
    if not counted or not flat or not all(_is_alike(job, jobs[0]) for job in jobs):
        return None
    try:
        reference, *others = (_reference(kernel, job, kind, values) for job in jobs)
    except NoReference:
        return None
    if (
        any(other != reference for other in others)
        or reference.takes != kind.words[:reads]
        or reference.written != kind.words[reads:]
    ):
        return None
    return Table(replace(kind, jobs=jobs), names, reads, counted[0], reference)


def _names(kind: Kind) -> tuple[str, ...]:
    """What the tensors of job `{}` are called."""
    pointers = zip(*(job.tensors for job in kind.jobs), strict=True)
    return tuple(word if len({*each}) == 1 else f"{word}_{{}}" for word, each in zip(kind.words, pointers, strict=True))


def _is_alike(job: Job, first: Job) -> bool:
    """Whether a job's tensors are drawn as the first job's are, and are written as those are."""
    pairs = zip(job.tensors.values(), first.tensors.values(), strict=True)
    return all(
        a.type.dtype == b.type.dtype and a.role == b.role and a.role in ("in", "out") and not (a.symbolic or a.distinct)
        and (a.fill == b.fill or a.overwrites) and bool(a.overwrites) == bool(b.overwrites)
        for a, b in pairs
    )  # fmt: skip


def _reference(kernel: Kernel, job: Job, kind: Kind, values: Mapping[str, str]) -> Eager:
    """A job's reference by the words of its kind."""
    called = job.called(kind.words)
    made = eager(kernel, job.found, {p: TensorView(t.name, t.type) for p, t in called.items()}, values)
    words = {pointer: tensor.name for pointer, tensor in called.items()}
    in_order = sorted(made.takes, key=[*called].index)
    return replace(made, takes=tuple(words[p] for p in in_order), written=tuple(words[p] for p in made.written))
