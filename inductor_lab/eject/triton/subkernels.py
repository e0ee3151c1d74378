"""A launch of several subkernels (foreach, combo kernels; jobs here): each kind of job said once, and a kernel in which a program finds its own.

    program = tl.program_id(0)
    end_0 = tl.cdiv(NUMEL_0, BLOCK)                      programs are shared out one job after the other
    end_1 = end_0 + tl.cdiv(NUMEL_1, BLOCK)
    if program < end_0:
        job(program, weight_ptr, out_ptr, NUMEL_0, BLOCK)
    elif program < end_1:
        job(program - end_0, bias_ptr, out_2_ptr, NUMEL_1, BLOCK)

Jobs that are the same up to their tensors and sizes are one function (`subkernel_kinds.py`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.dtypes import SHORT
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import exchanged
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText, Parameter, passed_for
from inductor_lab.eject.triton.nouns import named
from inductor_lab.eject.triton.simplification import simplified
from inductor_lab.eject.triton.subkernel_kinds import PROGRAM, Job, Kind, kinds
from inductor_lab.eject.triton.subkernel_tables import Table


def jobs(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str]
) -> KernelText:
    """The kernel's text and its launch, with a function for each kind of job; the arguments are `readable`'s.

    Raises:
        UnprintableError: the text shares its programs out in another way, or a job has no form.
    """
    return Launch(kinds(found, tensors, taken, values), Order.of(found), tensors).text()


def looped(table: Table, order: Order) -> KernelText:
    """The kernel's text where a table tells its jobs: it goes through them, kind by kind, until it is at the program's own.

        for number in tl.static_range(len(SIZES)):
            programs = tl.cdiv(SIZES[number], BLOCK)
            if program >= 0 and program < programs:
                job(program, *jobs[number], SIZES[number], BLOCK)
            program -= programs

    A `return` behind the call would let the compiler make one block of all jobs, whose loads are as narrow as the oddest size allows.
    """
    count, before = len(table.jobs), 0
    ((block, name),) = table.kinds[0].kind.text.blocks.items()
    parameters, lines, functions, passed, counted = list[Parameter](), [f"{PROGRAM} = tl.program_id(0)"], [], [], []
    for place, one in enumerate(table.kinds):
        kind, own = one.kind, table.suffix(place)
        called = f"{kind.name}({PROGRAM}{{}}, *jobs{own}[number], SIZES{own}[number], {name})"
        lines.append(f"for number in tl.static_range(len(SIZES{own})):")
        if order.in_turn:
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
    fixed = [f"{name} = {size}" for held, size in order.blocks.items() if held == block]
    return KernelText(
        (*parameters, Parameter(name, ": tl.constexpr")), tuple(lines), _shared(count, order), (*table.launcher(), *fixed),
        f"(max({programs}) * {count},)" if order.in_turn else f"(sum({programs}),)", ", ".join([*passed, f"{name}={name}"]),
        {} if fixed else {block: name}, helpers=frozenset().union(*(one.kind.text.helpers for one in table.kinds)), functions=tuple(functions),
    )  # fmt: skip


def _shared(count: int, order: Order) -> str:
    return f"{count} jobs in one launch, whose programs {'take turns' if order.in_turn else 'follow one another'}."


# ------------------------------------------------------------ how programs find their job


@dataclass(frozen=True)
class Order:
    """How the programs of a launch are shared out to its jobs."""

    in_turn: bool
    """Whether the jobs take turns, `program % 3 == 0`; else they follow one another."""
    blocks: Mapping[str, int]
    """Blocks that the body fixes for all jobs."""

    @classmethod
    def of(cls, found: Computation) -> Order:
        """Raises UnprintableError where the text tells it in no form that is known."""
        place = next(number for number, each in enumerate(found.statements) if isinstance(each, ast.If))
        said = [re.sub(r"\s+", " ", text) for text in _tests(found.statements[place])]
        count = len(found.parts)
        turns = [f"pid % {count} == {number} pid // {count}" for number in range(count)]
        ends = [
            f"pid < num_xblocks_{number} pid" + f" - num_xblocks_{number - 1}" * (number > 0) for number in range(count)
        ]
        if said not in (turns, ends):
            raise UnprintableError("several jobs side by side, whose programs are counted in a way of its own")
        blocks = {
            each.target.id: int(ast.literal_eval(each.value))
            for each in found.statements[:place]
            if isinstance(each, ast.AnnAssign)
            and isinstance(each.target, ast.Name)
            and isinstance(each.value, ast.Constant)
        }
        return cls(said == turns, blocks)


def _tests(chain: ast.stmt) -> Iterable[str]:
    """For each job its test, and which of its programs it is then."""
    while isinstance(chain, ast.If):
        first = chain.body[0]
        yield f"{ast.unparse(chain.test)} {ast.unparse(first.value) if isinstance(first, ast.Assign) else ''}"
        chain = chain.orelse[0] if len(chain.orelse) == 1 else ast.Pass()


class Launch:
    """The kernel that calls the jobs, and what it is launched with."""

    def __init__(self, kinds: Sequence[Kind], order: Order, tensors: Mapping[str, Tensor]) -> None:
        self.jobs = sorted((job for kind in kinds for job in kind.jobs), key=lambda job: job.number)
        self.kinds, self.order, self.tensors = kinds, order, tensors
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
        chosen = {block: name for block, name in self.blocks.items() if block not in self.order.blocks}
        fixed = [f"{self.blocks[block]} = {size}" for block, size in self.order.blocks.items() if block in self.blocks]
        return KernelText(
            parameters, tuple(self._body()), _shared(len(self.jobs), self.order),
            (*fixed, *(f"{name} = {text}" for name, text in self.launcher.items())), self._grid(), passed_for(parameters), chosen,
            helpers=frozenset().union(*(kind.text.helpers for kind in self.kinds)), functions=tuple(kind.function() for kind in self.kinds),
        )  # fmt: skip

    # ------------------------------------------------------------ calls

    def _call(self, kind: Kind, job: Job) -> str:
        """The arguments of a job's call, behind its program; its sizes become the kernel's."""
        arguments = [f"{tensor.name}_ptr" for tensor in job.tensors.values()]
        own: dict[str, str] = {}
        for line in job.text.launcher:
            name, _, text = line.partition(" = ")
            own[name] = f"{name}_{job.number}"
            self.launcher[own[name]] = text
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
        if not self.order.in_turn:
            for job in self.jobs[:-1]:
                before = f"end_{job.number - 1} + " if job.number else ""
                yield f"end_{job.number} = {before}{self._count(job, 'tl.cdiv')}"
        names = {job.number: kind.name for kind in self.kinds for job in kind.jobs}
        for job in self.jobs:
            n = job.number
            test = f"{PROGRAM} % {count} == {n}" if self.order.in_turn else f"{PROGRAM} < end_{n}"
            yield f"{'if' if not n else 'elif'} {test}:" if n < count - 1 else "else:"
            own = f"{PROGRAM} // {count}" if self.order.in_turn else f"{PROGRAM} - end_{n - 1}" if n else PROGRAM
            yield f"    {names[n]}({own}, {self.calls[n]})"

    def _grid(self) -> str:
        counts = [self._count(job, "triton.cdiv") for job in self.jobs]
        along_x = f"max({', '.join(counts)}) * {len(counts)}" if self.order.in_turn else " + ".join(counts)
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
    return dict(named(simplified(job.found), passed))[axis.name].numel
