"""The many subkernels (jobs) of a foreach launch as a table: one kernel for each kind, one row for each job.

    exp_avg_0, grad_0, param_0 ...    (256, 96)   up.weight
    exp_avg_1, grad_1, param_1 ...    (256,)      up.bias

A launch has one where its jobs are more than their kinds, and where the rows tell the launch's tensors, their order and what they are held to.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.computation.records import Computation
from inductor_lab.dtypes import SHORT
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.eager import Eager, eager
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.printing.nouns import FEWEST
from inductor_lab.eject.refusal import NoReference, UnprintableError
from inductor_lab.eject.rendering import KernelText, Parameter
from inductor_lab.eject.triton.subkernels import PROGRAM, Job, Kind, in_one_launch, kinds, take_turns
from inductor_lab.records import Kernel, TensorType
from inductor_lab.records.size import memory_order

SHAPED = {"arange", "full", "zeros", "ones", "empty", "cat", "stack"}
"""Functions of torch whose result has a shape of its own."""
BY_ELEMENT = {"to", "clamp_min", "clamp_max"}
"""Methods of a tensor that take each element by itself."""


@dataclass(frozen=True)
class TableKind:
    """Jobs that one function does."""

    kind: Kind
    names: tuple[str, ...]
    """What the tensors of job `{}` are called, as `kind.words` has them: `exp_avg_{}`; a name alone for one that several jobs read."""
    reads: int
    """How many of them are read; the others are written."""
    counted: int
    """The one of them that has as many elements as the job."""
    reference: Eager
    """Of one job, by the kind's words."""
    flat: bool
    """Whether it is said as if each tensor were a row of elements, or one."""

    def called(self, job: Job) -> dict[str, Tensor]:
        """The tensors of a job as the reference takes them."""
        return (_flat(job) if self.flat else job).called(self.kind.words)


@dataclass(frozen=True)
class Table:
    """The jobs of a launch."""

    kinds: tuple[TableKind, ...]

    @property
    def jobs(self) -> list[tuple[int, Job]]:
        """Each job with its kind's place, in order."""
        found = [(place, job) for place, one in enumerate(self.kinds) for job in one.kind.jobs]
        return sorted(found, key=lambda pair: pair[1].number)

    def suffix(self, place: int) -> str:
        """What tells the names of a kind from another's: `_0`; nothing where there is one."""
        return f"_{place}" if len(self.kinds) > 1 else ""

    def launcher(self) -> dict[str, str]:
        """What `launch` works out first, of `tensors`: each job's, and how many elements it has."""
        row = "tuple([tensors[place] for place in places])"
        if len(self.kinds) == 1:
            (one,) = self.kinds
            word = one.kind.words[one.counted]
            return {
                "jobs": f"tuple([{row} for places in PLACES])",
                "sizes": f"tuple([{word}.numel() for {'_, ' * one.counted}{word}, *_ in jobs])",
            }
        places = range(len(self.kinds))
        own = "for (kind, *_), places in zip(JOBS, PLACES) if kind"
        return {f"jobs_{place}": f"tuple([{row} {own} == {place}])" for place in places} | {
            f"sizes_{n}": f"tuple([job[{self.kinds[n].counted}].numel() for job in jobs_{n}])" for n in places
        }

    def sizes(self) -> dict[str, str]:
        """The same, of the elements of all jobs in order alone."""
        counted = [str(one.counted) for one in self.kinds]
        at, rows = counted[0], "for places in PLACES"
        if len({*counted}) > 1:
            at, rows = f"({', '.join(counted)})[kind]", "for (kind, *_), places in zip(JOBS, PLACES)"
        return {"sizes": f"[tensors[places[{at}]].numel() {rows}]"}


def named(found: Computation, tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], list[Kind]]:
    """The tensors by what they are to their job, and the kinds of job, where they are fewer than the jobs; else as they are, and none."""
    if len(found.parts) < FEWEST:
        return dict(tensors), []
    try:
        every = kinds(found, tensors, OF_THE_KERNEL, {}, numbered=True)
    except UnprintableError:
        return dict(tensors), []
    pairs = {
        (tensor.name, name.format(job.number))
        for kind in every
        for job in kind.jobs
        for tensor, name in zip(job.tensors.values(), _names(kind, every), strict=True)
    }
    names = dict(pairs)
    told = len({*names.values()}) == len(names) == len(pairs) and names.keys() == {t.name for t in tensors.values()}
    if len(every) == len(found.parts) or not told:
        return dict(tensors), []
    called = {p: replace(t, name=names[t.name], overwrites=names.get(t.overwrites, "")) for p, t in tensors.items()}
    return called, every


def table(
    kernel: Kernel, every: Sequence[Kind], tensors: Mapping[str, Tensor], values: Mapping[str, str]
) -> Table | None:
    """The jobs as a table; None where their rows do not tell what the launch takes, or jobs of a kind are held to different things."""
    made = [_kind(kernel, kind, _names(kind, every), tensors, values) for kind in every]
    if not made or None in made:
        return None
    found = Table(tuple(one for one in made if one))
    rows = [([*job.tensors.values()], found.kinds[place].reads) for place, job in found.jobs]
    order = [tensor.name for row, reads in rows for tensor in row[:reads]]
    order += [tensor.name for row, reads in rows for tensor in row[reads:]]
    return found if [*dict.fromkeys(order)] == [tensor.name for tensor in tensors.values()] else None


def _kind(
    kernel: Kernel, kind: Kind, names: tuple[str, ...], tensors: Mapping[str, Tensor], values: Mapping[str, str]
) -> TableKind | None:
    jobs = tuple(replace(job, tensors={pointer: tensors[pointer] for pointer in job.tensors}) for job in kind.jobs)
    reads = sum(tensor.role == "in" for tensor in jobs[0].tensors.values())
    counted = [
        place
        for place in range(len(names))
        if all([*job.tensors.values()][place].numel() == job.found.schedule.axes[0].numel for job in jobs)
    ]
    plain = len(kind.text.parameters) == len(names) + 2 and all(len(job.found.schedule.axes) == 1 for job in jobs)
    if not counted or not plain or not all(_is_alike(job, jobs[0]) for job in jobs):
        return None
    flat = False
    try:
        reference = _of_all([_reference(kernel, job, kind.words, values) for job in jobs])
        if reference is None and all(map(_lies_as_one, jobs)):  # in several orders, each element by itself
            flat = True
            reference = _of_all([_reference(kernel, _flat(job), kind.words, values) for job in jobs])
            reference = reference if reference and _is_by_element(reference) else None
    except NoReference:
        return None
    if reference is None or (reference.takes, reference.written) != (kind.words[:reads], kind.words[reads:]):
        return None
    return TableKind(replace(kind, jobs=jobs), names, reads, counted[0], reference, flat)


def _names(kind: Kind, every: Sequence[Kind]) -> tuple[str, ...]:
    """What the tensors of job `{}` are called."""
    used = Counter(pointer for one in every for job in one.jobs for pointer in job.tensors)
    pairs = zip(kind.words, kind.jobs[0].tensors, strict=True)
    return tuple(word if used[pointer] > 1 else f"{word}_{{}}" for word, pointer in pairs)


def _is_alike(job: Job, first: Job) -> bool:
    """Whether a job's tensors are drawn as the first job's are, and are written as those are."""
    pairs = zip(job.tensors.values(), first.tensors.values(), strict=True)
    return all(
        a.type.dtype == b.type.dtype and a.role == b.role and a.role in ("in", "out") and not (a.symbolic or a.distinct)
        and (a.fill == b.fill or a.overwrites) and bool(a.overwrites) == bool(b.overwrites)
        for a, b in pairs
    )  # fmt: skip


def _reference(kernel: Kernel, job: Job, words: Sequence[str], values: Mapping[str, str]) -> Eager:
    """A job's reference by the words of its kind."""
    called = job.called(words)
    made = eager(kernel, job.found, called, values)
    in_order = sorted(made.takes, key=[*called].index)
    return replace(
        made, takes=tuple(called[p].name for p in in_order), written=tuple(called[p].name for p in made.written)
    )


def _of_all(references: Sequence[Eager]) -> Eager | None:
    """The one that all are."""
    return references[0] if all(each == references[0] for each in references) else None


def _flat(job: Job) -> Job:
    """The job with each tensor as a row of elements, or one."""
    counts = {pointer: tensor.numel() for pointer, tensor in job.tensors.items()}
    lies = {pointer: ((count,), (1,)) if count > 1 else ((), ()) for pointer, count in counts.items()}
    return replace(
        job, tensors={p: replace(t, type=TensorType(t.type.dtype, *lies[p])) for p, t in job.tensors.items()}
    )


def _lies_as_one(job: Job) -> bool:
    """Whether the tensors of more than an element have one shape and lie in one order, with nothing between their elements."""
    types = {tensor.type for tensor in job.tensors.values() if tensor.numel() > 1}
    lies = {(type_.shape, type_.stride) for type_ in types}
    return len(lies) <= 1 and all(memory_order(*each) is not None for each in lies)


def _is_by_element(reference: Eager) -> bool:
    """Whether it says the same of tensors of any shape: no part, no other order, nothing that a position decides."""
    for node in ast.walk(ast.parse("\n".join([*reference.lines, *reference.results]))):
        if isinstance(node, ast.Subscript):
            return False
        if isinstance(node, ast.Call):
            function, _, method = ast.unparse(node.func).rpartition(".")
            if not (function == "torch" and method not in SHAPED) and method not in BY_ELEMENT:
                return False
    return True


# ------------------------------------------------------------ the kernel that goes through it


def looped(found: Computation, table: Table) -> KernelText:
    """The kernel's text where a table tells its jobs: it goes through them, kind by kind, until it is at the program's own.

        for number in tl.static_range(len(SIZES)):
            programs = tl.cdiv(SIZES[number], BLOCK)
            if program >= 0 and program < programs:
                job(program, *jobs[number], SIZES[number], BLOCK)
            program -= programs

    A `return` behind the call would let the compiler make one block of all jobs, whose loads are as narrow as the oddest size allows.
    """
    count, before, in_turn = len(table.jobs), 0, take_turns(found)
    ((block, name),) = table.kinds[0].kind.text.blocks.items()
    parameters, lines, functions, passed, counted = list[Parameter](), [f"{PROGRAM} = tl.program_id(0)"], [], [], []
    for place, one in enumerate(table.kinds):
        kind, own = one.kind, table.suffix(place)
        called = f"{kind.name}({PROGRAM}{{}}, *jobs{own}[number], SIZES{own}[number], {name})"
        lines.append(f"for number in tl.static_range(len(SIZES{own})):")
        if in_turn:
            lines.append(f"    if {PROGRAM} % {count} == {f'{before} + ' if before else ''}number:")
            lines.append(f"        {called.format(f' // {count}')}")
        else:
            lines.append(f"    programs = tl.cdiv(SIZES{own}[number], {name})")
            lines.append(f"    if {PROGRAM} >= 0 and {PROGRAM} < programs:")
            lines.append(f"        {called.format('')}")
            lines.append(f"    {PROGRAM} -= programs")
        parameters.append(Parameter(f"jobs{own}", "", f"of each job {', '.join(kind.words)}"))
        parameters.append(Parameter(f"SIZES{own}", ": tl.constexpr", "the elements of each"))
        passed += [f"jobs{own}=jobs{own}", f"SIZES{own}=sizes{own}"]
        counted.append(f"sizes{own}")
        tensors = zip(kind.words, kind.jobs[0].tensors.values(), strict=True)
        functions.append(kind.function({f"{w}_ptr": SHORT.get(t.type.dtype, t.type.dtype) for w, t in tensors}))
        before += len(kind.jobs)
    sizes = counted[0] if len(counted) == 1 else f"({', '.join(f'*{each}' for each in counted)})"
    programs = f"[-(-numel // {name}) for numel in {sizes}]"  # triton.cdiv takes as long as all else here
    fixed = {name: str(found.fixed[block])} if block in found.fixed else {}
    return KernelText(
        (*parameters, Parameter(name, ": tl.constexpr")), tuple(lines), in_one_launch(count, in_turn), table.launcher() | fixed,
        f"(max({programs}) * {count},)" if in_turn else f"(sum({programs}),)", ", ".join([*passed, f"{name}={name}"]),
        {} if fixed else {block: name}, helpers=frozenset().union(*(one.kind.text.helpers for one in table.kinds)), functions=tuple(functions),
    )  # fmt: skip
