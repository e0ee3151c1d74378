"""The subkernels (jobs) of a foreach or combo kernel, and which of them one function does: those that differ in tensors and sizes alone.

    tl.store(out_ptr0 + x0, tmp0 * tmp1)      job 0      def step(program, weight_ptr, rate_ptr, out_ptr, NUMEL, BLOCK):
    tl.store(out_ptr1 + x1, tmp4 * tmp5)      job 1          the same for both

Each is printed as a kernel is. One of a single element is read and written at the offset, as those of many are, where it is the same then:

    tl.load(in_ptr0 + (0)), as wide as the block        tl.load(in_ptr0 + x0, x0 < 1)
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Inside, Load, Operation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText, Parameter
from inductor_lab.eject.triton import readable
from inductor_lab.eject.triton.nouns import words_of_jobs
from inductor_lab.eject.triton.simplification import Rewriting

PROGRAM = "program"
"""Which program of its job, in the function of a job."""


@dataclass(frozen=True)
class Job:
    """One job of a launch."""

    number: int
    found: Computation
    tensors: Mapping[str, Tensor]
    """Those that it reads, then those that it writes, in the order in which it does."""
    text: KernelText
    """Its body and what is passed to it, by its tensors' own names."""

    def called(self, names: Sequence[str]) -> dict[str, Tensor]:
        """Its tensors under other names."""
        renamed = dict(zip((tensor.name for tensor in self.tensors.values()), names, strict=True))
        return {
            pointer: dataclasses.replace(
                tensor, name=renamed[tensor.name], overwrites=renamed.get(tensor.overwrites, "")
            )
            for pointer, tensor in self.tensors.items()
        }

    @property
    def compiled_in(self) -> list[Parameter]:
        """Its parameters behind the tensors: sizes and blocks."""
        return [each for each in self.text.parameters if each.annotation]


@dataclass(frozen=True)
class Kind:
    """Jobs that one function does."""

    name: str
    words: tuple[str, ...]
    """What it calls the tensors of a job."""
    text: KernelText
    """The function's own."""
    jobs: tuple[Job, ...]

    def function(self, told: Mapping[str, str] = MappingProxyType({})) -> str:
        """Its definition.

        Args:
            told: What is said of a parameter, each on a line of its own then.
        """
        parameters = [PROGRAM, *(f"{each.name}{each.annotation}" for each in self.text.parameters)]
        listed = ", ".join(parameters)
        if told:
            remarks = [
                f"  # {told[name]}" if name in told else ""
                for name in (PROGRAM, *(p.name for p in self.text.parameters))
            ]
            lines = [f"    {parameter},{remark}\n" for parameter, remark in zip(parameters, remarks, strict=True)]
            listed = f"\n{''.join(lines)}"
        body = "\n".join(f"    {line}" for line in self.text.lines)
        return f"@triton.jit\ndef {self.name}({listed}):\n{body}"


def kinds(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    *,
    numbered: bool = False,
) -> list[Kind]:
    """The functions that do the jobs: one for those whose text differs in the names of tensors alone.

    Args:
        numbered: Whether the jobs' numbers tell tensors apart, so that those of a kind of one job go without their own.

    Raises:
        UnprintableError: a job has no form.
    """
    names = {*taken, PROGRAM}
    parts = _with_the_same_masks(found.parts)
    told = [_told(number, part, tensors, names, values) for number, part in enumerate(parts)]
    for number, part in enumerate(parts):  # of one element: as another job, if that is all in which they differ
        keys = {key for key, _ in told}
        for many in as_many(part, parts):
            other = _told(number, many, tensors, names, values)
            if other[0] in keys:
                told[number] = other
                break
    alike: dict[tuple[object, ...], list[Job]] = {}
    for key, job in told:
        alike.setdefault(key, []).append(job)
    used = Counter(pointer for part in found.parts for pointer in {access.pointer for access in part.accesses})
    shared = {pointer for pointer, jobs in used.items() if jobs > 1}
    alone = set[str]() if numbered else {p for group in alike.values() if len(group) == 1 for p in group[0].tensors}
    made = []
    for number, group in enumerate(alike.values()):
        name, words = (
            "job" if len(alike) == 1 else f"job_{number}",
            words_of_jobs(group[0].found, [[*job.tensors.values()] for job in group], shared | alone),
        )
        made.append(Kind(name, words, _as_called(group[0], words, {*names, name}, values), tuple(group)))
    return made


def _told(
    number: int, part: Computation, tensors: Mapping[str, Tensor], taken: set[str], values: Mapping[str, str]
) -> tuple[tuple[object, ...], Job]:
    """A job, and what it shares with all of its kind."""
    job = _job(number, part, tensors, taken, values)
    text = _as_called(job, [f"x{place}" for place in range(len(job.tensors))], taken, values)
    return (*((each.name, each.annotation) for each in text.parameters), text.lines), job


def _with_the_same_masks(parts: Sequence[Computation]) -> list[Computation]:
    """The jobs, where one has no mask because its block divides its size, all asked whether it does."""
    dropped = {axis.name for part in parts for axis in part.schedule.axes if not axis.masked and not axis.reduced}
    found = []
    for part in parts:
        axes = tuple(
            dataclasses.replace(
                axis, masked=axis.masked and axis.name not in dropped, program=PROGRAM if axis.program == "pid_offset" else axis.program
            )
            for axis in part.schedule.axes
            if axis.dimension is not None or not axis.reduced
        )  # fmt: skip
        found.append(dataclasses.replace(part, schedule=dataclasses.replace(part.schedule, axes=axes)))
    return found


def _job(
    number: int, part: Computation, tensors: Mapping[str, Tensor], taken: set[str], values: Mapping[str, str]
) -> Job:
    """A job by its tensors' own names."""
    axes = part.schedule.axes
    if sum(axis.program == PROGRAM for axis in axes) != 1:
        raise UnprintableError("several jobs side by side, whose programs are not shared out along one axis")
    if not all(isinstance(axis.numel, int) for axis in axes):
        raise UnprintableError("several jobs side by side, of sizes that only a launch tells")
    used = sorted({access.pointer for access in part.accesses}, key=[a.pointer for a in part.accesses].index)
    held = {pointer: tensors[pointer] for pointer in sorted(used, key=lambda name: tensors[name].role == "out")}
    return Job(number, part, held, readable(part, held, taken, values))


def _as_called(job: Job, names: Sequence[str], taken: set[str], values: Mapping[str, str]) -> KernelText:
    return readable(job.found, job.called(names), taken, values)


# ------------------------------------------------------------ a subkernel of one element


FIRST = Index(0)
"""The only place."""


def as_many(part: Computation, others: Sequence[Computation]) -> Iterator[Computation]:
    """The job as each of the others is written that reads as many tensors of many elements; nothing for a job of more than an element."""
    if [axis.numel for axis in part.schedule.axes] != [1]:
        return
    (axis,) = part.schedule.axes
    offset, known = Index.of(Coordinate(axis.name, 1, None)), set[frozenset[str]]()
    for other in others:
        pairs = list(zip(part.accesses, other.accesses, strict=False))
        moved = frozenset(one.pointer for one, many in pairs if one.index == FIRST and many.index == offset)
        if moved and moved not in known and len(part.accesses) == len(other.accesses):
            known.add(moved)
            yield _AtOffset(moved, offset, axis.name).computation(part)


class _AtOffset(Rewriting):
    def __init__(self, pointers: frozenset[str], offset: Index, axis: str) -> None:
        super().__init__()
        self.pointers, self.offset = pointers, offset
        self.axes = frozenset({axis})
        self.inside = self.nodes.make(Inside, "bool", self.axes, axis)

    def simple(self, value: Expression) -> Expression:
        match value:
            case Load(pointer=pointer, index=index, mask=None) if pointer in self.pointers and index == FIRST:
                return self.nodes.make(
                    Load, value.dtype, self.axes, pointer, self.offset, self.inside, None, value.version
                )
            case Broadcast(operand=Load(index=self.offset) as load):
                return load
            case Operation(name="where", inputs=(condition, Load(index=self.offset) as load, Constant())) if masks(
                condition
            ):
                return load
        return value

    def access(self, access: Access) -> Access:
        if access.pointer not in self.pointers or access.index != FIRST:
            return access
        return replace(access, index=self.offset, mask=access.mask or self.inside)
