"""Several jobs in one launch (foreach, combo kernels): each kind of job said once, and a kernel in which a program finds its own.

    program = tl.program_id(0)
    end_0 = tl.cdiv(NUMEL_0, BLOCK)                      programs are shared out one job after the other
    end_1 = end_0 + tl.cdiv(NUMEL_1, BLOCK)
    if program < end_0:
        step(program, weight_ptr, out_ptr, NUMEL_0, BLOCK)
    elif program < end_1:
        step(program - end_0, bias_ptr, out_2_ptr, NUMEL_1, BLOCK)

Jobs that are the same up to their tensors and sizes are one function. `readable.py` prints each of them as it prints a kernel.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.axes import named
from inductor_lab.eject.naming import RESERVED
from inductor_lab.eject.readable import readable
from inductor_lab.eject.rendering import KernelText, Parameter
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton_page import UnprintableError

PROGRAM = "program"
"""Which program of its job, in the function of a job."""
STEM = re.compile(r"_?\d+$")


@dataclass(frozen=True)
class Job:
    """One job of a launch."""

    number: int
    found: Computation
    tensors: Mapping[str, Tensor]
    """Those that it reads or writes, in the order in which it does."""
    text: KernelText
    """Its body and what is passed to it, by its tensors' own names."""

    def passed(self) -> tuple[list[str], list[tuple[str, str]]]:
        """What its call is given: the tensors, and (parameter, what a launch passes) for sizes and blocks."""
        call = ast.parse(f"f({self.text.arguments})", mode="eval").body
        assert isinstance(call, ast.Call)
        return [ast.unparse(x) for x in call.args], [(str(k.arg), ast.unparse(k.value)) for k in call.keywords]


@dataclass(frozen=True)
class Kind:
    """Jobs that one function does."""

    name: str
    text: KernelText
    """The function's own."""
    jobs: tuple[Job, ...]

    def function(self) -> str:
        """Its definition."""
        parameters = [PROGRAM, *(f"{each.name}{each.annotation}" for each in self.text.parameters)]
        body = "\n".join(f"    {line}" for line in self.text.lines)
        return f"@triton.jit\ndef {self.name}({', '.join(parameters)}):\n{body}"


def jobs(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str]
) -> KernelText:
    """The kernel's text and its launch, with a function for each kind of job; the arguments are `readable`'s.

    Raises:
        UnprintableError: the text shares its programs out in another way, or a job has no form.
    """
    order = Order.of(found)
    names = {*taken, PROGRAM}
    made = [_job(number, part, tensors, names, values) for number, part in enumerate(_alike(found.parts))]
    kinds = _kinds(made, names, values)
    return Launch(made, kinds, order, tensors).text()


# ------------------------------------------------------------ jobs, and those that are one function


def _alike(parts: Sequence[Computation]) -> list[Computation]:
    """The jobs with the same masks: where one has none because its block divides its size, all are asked whether it does."""
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
    if sum(axis.program == PROGRAM for axis in axes) != 1 or not all(isinstance(axis.numel, int) for axis in axes):
        raise UnprintableError("several jobs side by side, of sizes that only a launch tells")
    used = {access.pointer: tensors[access.pointer] for access in part.accesses}
    return Job(number, part, used, readable(part, used, taken, values))


def _kinds(made: Sequence[Job], taken: set[str], values: Mapping[str, str]) -> list[Kind]:
    """The functions that do the jobs: one for those whose text differs in the names of tensors alone."""
    alike: dict[tuple[object, ...], list[Job]] = {}
    for job in made:
        text = _as_called(job, [f"x{place}" for place in range(len(job.tensors))], taken, values)
        key = (*((each.name, each.annotation) for each in text.parameters), text.lines)
        alike.setdefault(key, []).append(job)
    kinds = []
    for number, group in enumerate(alike.values()):
        name = "step" if len(alike) == 1 else f"job_{number}"
        kinds.append(Kind(name, _as_called(group[0], _names(group), {*taken, name}, values), tuple(group)))
    return kinds


def _as_called(job: Job, names: Sequence[str], taken: set[str], values: Mapping[str, str]) -> KernelText:
    """A job with other names for its tensors."""
    tensors = {
        pointer: dataclasses.replace(tensor, name=name)
        for (pointer, tensor), name in zip(job.tensors.items(), names, strict=True)
    }
    return readable(job.found, tensors, taken, values)


def _names(group: Sequence[Job]) -> list[str]:
    """What the tensors of one kind are called: their own names, less the number where several jobs have different ones."""
    if len(group) == 1:
        return [tensor.name for tensor in group[0].tensors.values()]
    found: list[str] = []
    for tensors in zip(*(job.tensors.values() for job in group), strict=True):
        stems = {STEM.sub("", tensor.name) for tensor in tensors}
        same = len({tensor.name for tensor in tensors}) == 1
        told = "out" if tensors[0].role == "out" else _end(stems) or "x"
        word = tensors[0].name if same else stems.pop() if len(stems) == 1 else told
        number, name = 2, word
        while name in found:
            name, number = f"{word}_{number}", number + 1
        found.append(name)
    return found


def _end(stems: Collection[str]) -> str:
    """The words in which all names end: `exp_avg` of `up_weight_exp_avg` and `up_bias_exp_avg`; empty where that is no name."""
    words = zip(*(stem.split("_")[::-1] for stem in stems), strict=False)
    alike = takewhile(lambda each: len({*each}) == 1, words)
    end = "_".join(each[0] for each in [*alike][::-1])
    return end if end.isidentifier() and end not in RESERVED else ""


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

    def __init__(self, jobs: Sequence[Job], kinds: Sequence[Kind], order: Order, tensors: Mapping[str, Tensor]) -> None:
        self.jobs, self.kinds, self.order, self.tensors = jobs, kinds, order, tensors
        self.blocks: dict[str, str] = {}
        """Inductor's names of blocks -> this kernel's."""
        for job in jobs:
            for block, name in job.text.blocks.items():
                if (name, name) in job.passed()[1]:
                    self.blocks.setdefault(block, name)
        self.sizes: dict[str, tuple[str, str]] = {}
        """A compile-time size -> what the launcher passes, and what is said of it."""
        self.launcher: dict[str, str] = {}
        """What the launcher works out: a name -> its text."""
        self.calls = {job.number: call for kind in kinds for job in kind.jobs for call in [self._call(kind, job)]}

    def text(self) -> KernelText:
        parameters = [Parameter(f"{tensor.name}_ptr", "", tensor.comment()) for tensor in self.tensors.values()]
        parameters += [Parameter(name, ": tl.constexpr", told) for name, (_, told) in self.sizes.items()]
        parameters += [Parameter(name, ": tl.constexpr") for name in self.blocks.values()]
        passed = [tensor.name for tensor in self.tensors.values()]
        passed += [f"{name}={text}" for name, (text, _) in self.sizes.items()]
        passed += [f"{name}={name}" for name in self.blocks.values()]
        chosen = {block: name for block, name in self.blocks.items() if block not in self.order.blocks}
        fixed = [f"{self.blocks[block]} = {size}" for block, size in self.order.blocks.items() if block in self.blocks]
        return KernelText(
            tuple(parameters), tuple(self._body()), self._remark(),
            (*fixed, *(f"{name} = {text}" for name, text in self.launcher.items())), self._grid(), ", ".join(passed), chosen,
            helpers=frozenset().union(*(kind.text.helpers for kind in self.kinds)), functions=tuple(kind.function() for kind in self.kinds),
        )  # fmt: skip

    def _remark(self) -> str:
        shared = "take turns" if self.order.in_turn else "follow one another"
        return f"{len(self.jobs)} jobs in one launch, whose programs {shared}."

    # ------------------------------------------------------------ calls

    def _call(self, kind: Kind, job: Job) -> str:
        """The arguments of a job's call, behind its program; its sizes become the kernel's."""
        tensors, others = job.passed()
        arguments = [f"{name}_ptr" for name in tensors]
        own = {line.partition(" = ")[0]: f"{line.partition(' = ')[0]}_{job.number}" for line in job.text.launcher}
        for line in job.text.launcher:
            name, _, text = line.partition(" = ")
            self.launcher[own[name]] = text
        told = {each.name: each.comment for each in job.text.parameters}
        blocks = {name: self.blocks[block] for block, name in job.text.blocks.items() if block in self.blocks}
        parameters = [each.name for each in kind.text.parameters][len(tensors) :]
        for (name, text), parameter in zip(others, parameters, strict=True):
            if name == text and name in blocks:
                arguments.append(blocks[name])
                continue
            size = f"{parameter}_{job.number}"
            passed = re.sub(r"(?<![\w.])\w+", lambda found: own.get(found[0], found[0]), text)
            self.sizes[size] = (passed, told[name])
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
    return dict(named(job.found.schedule.axes, passed))[axis.name].numel
