"""Prints a launch of several subkernels (foreach, combo kernels): each kind once, and a kernel that finds its own.

    program = tl.program_id(0)
    end_0 = tl.cdiv(NUMEL_0, BLOCK)                      programs are shared out one job after the other
    end_1 = end_0 + tl.cdiv(NUMEL_1, BLOCK)
    if program < end_0:
        job(program, weight_ptr, out_ptr, NUMEL_0, BLOCK)
    elif program < end_1:
        job(program - end_0, bias_ptr, out_2_ptr, NUMEL_1, BLOCK)

One function does the jobs that differ in tensors and sizes alone:

    tl.store(out_ptr0 + x0, tmp0 * tmp1)      job 0      def step(program, weight_ptr, rate_ptr, out_ptr, NUMEL, BLOCK):
    tl.store(out_ptr1 + x1, tmp4 * tmp5)      job 1          the same for both

Each is printed as a kernel is. One of a single element is read and written at the offset, as those of many are, where it is the same then:

    tl.load(in_ptr0 + (0)), as wide as the block        tl.load(in_ptr0 + x0, x0 < 1)
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Axis
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Inside, Load, Operation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import exchanged
from inductor_lab.eject.printing.nouns import named, words_of_jobs
from inductor_lab.eject.printing.rewriting import Rewriting
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText, Parameter, passed_for
from inductor_lab.eject.triton import readable

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


# ------------------------------------------------------------ the kernel that calls them


def jobs(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str]
) -> KernelText:
    """The kernel's text and its launch, with a function for each kind of job; the arguments are `readable`'s.

    Raises:
        UnprintableError: the text shares its programs out in another way, or a job has no form.
    """
    return Launch(found, kinds(found, tensors, taken, values), tensors).text()


# ------------------------------------------------------------ how programs find their job


def take_turns(found: Computation) -> bool:
    """Whether the jobs of a launch take turns, `program % 3 == 0`; else they follow one another.

    Raises:
        UnprintableError: the text tells it in no form that is known.
    """
    said = [*_tests(next(each for each in found.statements if isinstance(each, ast.If)))]
    count = len(found.parts)
    turns = [f"pid % {count} == {number} pid // {count}" for number in range(count)]
    ends = [
        f"pid < num_xblocks_{number} pid" + f" - num_xblocks_{number - 1}" * (number > 0) for number in range(count)
    ]
    if said not in (turns, ends):
        raise UnprintableError("several jobs side by side, whose programs are counted in a way of its own")
    return said == turns


def in_one_launch(count: int, in_turn: bool) -> str:
    return f"{count} jobs in one launch, whose programs {'take turns' if in_turn else 'follow one another'}."


def _tests(chain: ast.stmt) -> Iterable[str]:
    """For each job its test, and which of its programs it is then."""
    while isinstance(chain, ast.If):
        first = chain.body[0]
        yield f"{ast.unparse(chain.test)} {ast.unparse(first.value) if isinstance(first, ast.Assign) else ''}"
        chain = chain.orelse[0] if len(chain.orelse) == 1 else ast.Pass()


class Launch:
    """The kernel that calls the jobs, and what it is launched with."""

    def __init__(self, found: Computation, kinds: Sequence[Kind], tensors: Mapping[str, Tensor]) -> None:
        self.jobs = sorted((job for kind in kinds for job in kind.jobs), key=lambda job: job.number)
        self.kinds, self.tensors, self.fixed, self.in_turn = kinds, tensors, found.fixed, take_turns(found)
        self.blocks: dict[str, str] = {}
        """Inductor's names of blocks -> this kernel's."""
        for job in self.jobs:
            chosen = {each.name for each in job.compiled_in if each.passed == each.name}
            for block, name in job.text.blocks.items():
                if name in chosen:
                    self.blocks.setdefault(block, name)
        self.sizes: dict[str, Parameter] = {}
        """Compile-time sizes by name."""
        self.launcher: dict[str, str] = {}
        """What the launcher works out: a name -> its text."""
        self.calls = {job.number: call for kind in kinds for job in kind.jobs for call in [self._call(kind, job)]}

    def text(self) -> KernelText:
        tensors = (Parameter(f"{each.name}_ptr", "", each.comment(), each.name) for each in self.tensors.values())
        blocks = (Parameter(name, ": tl.constexpr", passed=name) for name in self.blocks.values())
        parameters = (*tensors, *self.sizes.values(), *blocks)
        chosen = {block: name for block, name in self.blocks.items() if block not in self.fixed}
        fixed = {self.blocks[block]: str(size) for block, size in self.fixed.items() if block in self.blocks}
        return KernelText(
            parameters, tuple(self._body()), in_one_launch(len(self.jobs), self.in_turn),
            fixed | self.launcher, self._grid(), passed_for(parameters), chosen,
            helpers=frozenset().union(*(kind.text.helpers for kind in self.kinds)), functions=tuple(kind.function() for kind in self.kinds),
        )  # fmt: skip

    # ------------------------------------------------------------ calls

    def _call(self, kind: Kind, job: Job) -> str:
        """The arguments of a job's call, behind its program; its sizes become the kernel's, also where the sentence on a block names one."""
        arguments = [f"{tensor.name}_ptr" for tensor in job.tensors.values()]
        own = {name: f"{name}_{job.number}" for name in job.text.launcher}
        self.launcher |= {own[name]: text for name, text in job.text.launcher.items()}
        blocks = {name: self.blocks[block] for block, name in job.text.blocks.items() if block in self.blocks}
        words = [each.name for each in kind.text.parameters if each.annotation]
        sizes = {each.name: f"{word}_{job.number}" for each, word in zip(job.compiled_in, words, strict=True)}
        for each in job.compiled_in:
            if each.name == each.passed and each.name in blocks:
                arguments.append(blocks[each.name])
                continue
            size = sizes[each.name]
            said = re.sub(r"\w+", lambda found: sizes.get(found[0], found[0]), each.comment)
            self.sizes[size] = replace(each, name=size, comment=said, passed=exchanged(each.passed, own))
            arguments.append(size)
        return ", ".join(arguments)

    def _count(self, job: Job, function: str) -> str:
        """How many programs a job has: in the kernel by its constants, in the launcher by its variables."""
        axis = next(axis for axis in job.found.schedule.axes if axis.program == PROGRAM)
        numel = f"{_numel(job, axis)}_{job.number}"
        name = numel.upper() if function == "tl.cdiv" else numel
        if axis.dimension is None:
            return name
        return f"{function}({name}, {self.blocks[axis.block]})"

    def _body(self) -> Iterable[str]:
        yield f"{PROGRAM} = tl.program_id(0)"
        count = len(self.jobs)
        if not self.in_turn:
            for job in self.jobs[:-1]:
                before = f"end_{job.number - 1} + " if job.number else ""
                yield f"end_{job.number} = {before}{self._count(job, 'tl.cdiv')}"
        names = {job.number: kind.name for kind in self.kinds for job in kind.jobs}
        for job in self.jobs:
            n = job.number
            test = f"{PROGRAM} % {count} == {n}" if self.in_turn else f"{PROGRAM} < end_{n}"
            yield f"{'if' if not n else 'elif'} {test}:" if n < count - 1 else "else:"
            own = f"{PROGRAM} // {count}" if self.in_turn else f"{PROGRAM} - end_{n - 1}" if n else PROGRAM
            yield f"    {names[n]}({own}, {self.calls[n]})"

    def _grid(self) -> str:
        counts = [self._count(job, "triton.cdiv") for job in self.jobs]
        along_x = f"max({', '.join(counts)}) * {len(counts)}" if self.in_turn else " + ".join(counts)
        rows = [
            f"triton.cdiv({_numel(job, axis)}_{job.number}, {self.blocks[axis.block]})"
            for job in self.jobs
            for axis in job.found.schedule.axes
            if "tl.program_id(1)" in axis.program
        ]
        if not rows:
            return f"({along_x},)"
        along_y = f"max({', '.join(rows)})" if len(rows) > 1 else rows[0]
        return f"({along_x}, {along_y})"


def _numel(job: Job, axis: Axis) -> str:
    """The name of an axis' size in the launcher."""
    passed = [name for name in job.found.sizes if not name.endswith("numel")]
    return dict(named(job.found, passed))[axis.name].numel
