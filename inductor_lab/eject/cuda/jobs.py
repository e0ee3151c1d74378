"""Several jobs in one launch (foreach, combo kernels): a device function for each kind of job, and a kernel whose blocks find their own.

int block = blockIdx.x;
if (block < cdiv(numel_0, THREADS)) return step(block, weight_ptr, out_ptr, numel_0);
block -= cdiv(numel_0, THREADS);

Jobs of one kind are a table, of which `launch` makes the rows.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Define
from inductor_lab.computation.tree import Scan
from inductor_lab.eject.cuda import helpers, host_loops
from inductor_lab.eject.cuda.job_bodies import THREADS, body, sized
from inductor_lab.eject.cuda.numbers import HEADERS, Numbers
from inductor_lab.eject.cuda.page import empty_page
from inductor_lab.eject.cuda.parts import Cuda, Parameter
from inductor_lab.eject.cuda.pointwise import TILE
from inductor_lab.eject.cuda.scans import KNOWN
from inductor_lab.eject.cuda.signature import pointers
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton.subkernel_kinds import STEM
from inductor_lab.eject.triton.subkernel_tables import FEWEST

REMARK = "Blocks are shared out one job after the other; {}."


@dataclass(frozen=True)
class Job:
    """One job of a launch: its function's parameters and lines, by the names that its tensors were given."""

    found: Computation
    tensors: tuple[Tensor, ...]
    """Its own, in the order of their first access."""
    parameters: tuple[Parameter, ...]
    lines: tuple[str, ...]
    helpers: tuple[str, ...]
    sizes: Mapping[str, str]
    """Its numbers of elements or rows, each with what the launcher passes for it."""
    blocks: str
    """How many blocks it takes, by these."""
    shared: str
    """How threads share it."""

    @property
    def key(self) -> tuple[object, ...]:
        """The same for jobs that one function does."""
        return (*(each.declared for each in self.parameters), self.lines, self.blocks)

    def blocks_of(self, number: int) -> str:
        """How many blocks it takes, by the kernel's names."""
        return (
            re.sub(r"\b(" + "|".join(self.sizes) + r")\b", rf"\1_{number}", self.blocks) if self.sizes else self.blocks
        )

    def function(self, name: str) -> str:
        """The device function."""
        taken = ", ".join(
            ["int block", *(each.declared for each in self.parameters), *(f"int {s}" for s in self.sizes)]
        )
        lines = "\n".join(f"    {line}" for line in self.lines)
        return f"__device__ __forceinline__ void {name}({taken}) {{\n{lines}\n}}"


def printed(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], name: str
) -> tuple[Cuda, tuple[str, ...]]:
    """The kernel, and what the Python launcher works out first.

    Raises:
        UnprintableError: a job goes along too many axes, or has sizes that only a launch tells.
    """
    names = frozenset(taken)
    made = [_job(part, tensors, names, values) for part in parts(found)]
    kinds: dict[tuple[object, ...], list[Job]] = {}
    for job in made:
        kinds.setdefault(_generic(job, tensors, names, values).key, []).append(job)
    functions: list[str] = []
    called: dict[int, str] = {}
    for number, group in enumerate(kinds.values()):
        word = "step" if len(kinds) == 1 else f"job_{number}"
        functions.append(_named(group, tensors, names, values).function(word))
        called |= {id(job): word for job in group}
    held = pointers(tensors)
    numbers = tuple(Parameter("int", f"{s}_{n}", text) for n, job in enumerate(made) for s, text in job.sizes.items())
    texts = (*helpers.texts(dict.fromkeys(["cdiv", *(h for job in made for h in job.helpers)])), *functions)
    headers = tuple(dict.fromkeys(HEADERS[t.type.dtype] for t in tensors.values() if t.type.dtype in HEADERS))
    remark = REMARK.format(", or ".join(dict.fromkeys(job.shared for job in made)))
    if len(kinds) == 1 and len(made) >= FEWEST:
        kind = _named(made, tensors, names, values)
        types, body, launch = _table(kind, made, name)
        takes = "const __grid_constant__ Jobs jobs"
        return Cuda(
            name, "", remark, headers, (), (*texts, *types), "", str(THREADS), (*held, *numbers), body, launch, takes
        ), ()  # fmt: skip
    lines = ["int block = blockIdx.x;"]
    for number, job in enumerate(made):
        sizes = [f"{size}_{number}" for size in job.sizes]
        passed = ", ".join(["block", *(f"{tensor.name}_ptr" for tensor in job.tensors), *sizes])
        blocks = f"int({job.blocks_of(number)})"
        lines += [f"if (block < {blocks}) return {called[id(job)]}({passed});", f"block -= {blocks};"]
    total = " + ".join(job.blocks_of(number) for number, job in enumerate(made))
    arguments = ", ".join(each.name for each in (*held, *numbers))
    launcher = [
        f"const int64_t blocks = {total};",
        "if (blocks == 0) return 0;",
        f"{name}<<<blocks, dim3({TILE[0]}, {TILE[1]}), 0, stream>>>({arguments});",
    ]
    return Cuda(
        name, "", remark, headers, (), texts, "", str(THREADS), (*held, *numbers), tuple(lines[:-1]), tuple(launcher)
    ), ()  # fmt: skip


def _table(kind: Job, made: Sequence[Job], name: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The types of a row and of all of them, the statements of the kernel, and those that launch it."""
    fields = [*((each.type, each.name) for each in kind.parameters), *(("int", size) for size in kind.sizes)]
    row = "\n".join(f"    {type_} {field};" for type_, field in fields)
    types = (f"struct Job {{\n{row}\n}};", f"struct Jobs {{\n    Job all[{len(made)}];\n}};")
    sizes = r"\b(" + "|".join(kind.sizes) + r")\b"
    blocks = re.sub(sizes, r"job.\1", kind.blocks) if kind.sizes else kind.blocks
    called = ", ".join(f"job.{field}" for _, field in fields)
    lines = (
        "int block = blockIdx.x;", "for (const Job& job : jobs.all) {", f"    const int blocks = int({blocks});",
        f"    if (block < blocks) return step(block, {called});", "    block -= blocks;", "}",
    )  # fmt: skip
    rows = []
    for number, job in enumerate(made):
        passed = [*(f"{tensor.name}_ptr" for tensor in job.tensors), *(f"{size}_{number}" for size in job.sizes)]
        rows.append(f"    {{{', '.join(passed)}}},  // {job.tensors[0].comment()}")
    launcher = (
        "const Jobs jobs = {{", *rows, "}};", "int64_t blocks = 0;", f"for (const Job& job : jobs.all) blocks += {blocks};",
        "if (blocks == 0) return 0;", f"{name}<<<blocks, dim3({TILE[0]}, {TILE[1]}), 0, stream>>>(jobs);",
    )  # fmt: skip
    return types, lines, launcher


def exact(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], name: str
) -> Cuda:
    """The same as loops of the host, one job after the other; the tensors are held as they are there.

    Raises:
        UnprintableError: a step or a node has no form there.
    """
    lines: list[str] = []
    called: dict[str, None] = {}
    numbers = []
    for number, part in enumerate(parts(found)):
        page = empty_page(part, _used(part, tensors), taken, values, Numbers(double=True))
        body = sized(page, host_loops.lines(page))
        sizes = [page.layout.names[axis.name].numel for axis in part.schedule.axes if not axis.reduced]
        own = [f"const int {size} = {size}_{number};" for size in sizes]
        lines += ["{", *("    " + line for line in (*own, *body)), "}"]
        called |= page.helpers
        numbers += [Parameter("int", f"{size}_{number}", "") for size in sizes]
    return Cuda(name, "", "", (), (), helpers.texts(called), "", "", (*pointers(tensors), *numbers), tuple(lines), ())


def parts(found: Computation) -> Iterator[Computation]:
    """The jobs, each with the axes that it goes along.

    Raises:
        UnprintableError: one goes along too many, or has sizes that only a launch tells.
    """
    for part in found.parts:
        axes = tuple(axis for axis in part.schedule.axes if axis.dimension is not None or not axis.reduced)
        if part.schedule.opaque:
            raise UnprintableError(part.schedule.opaque)
        if not all(isinstance(axis.numel, int) and axis.dtype == "int32" for axis in axes):
            raise UnprintableError("several jobs in one launch, with sizes that only a launch tells")
        defined = [value for step in part.schedule.every() if isinstance(step, Define) for value in step.values]
        if any(isinstance(value, Scan) and value.name not in KNOWN for value in defined):
            raise UnprintableError("several jobs in one launch, of which one sorts or scans by a function of its own")
        yield dataclasses.replace(part, schedule=dataclasses.replace(part.schedule, axes=axes))


def _used(part: Computation, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {access.pointer: tensors[access.pointer] for access in part.accesses}


def _job(part: Computation, held: Mapping[str, Tensor], taken: frozenset[str], values: Mapping[str, str]) -> Job:
    tensors = _used(part, held)
    page = empty_page(part, tensors, taken, values, Numbers())
    made = body(page)
    if page.layout.seed_offsets or page.layout.passed:
        raise UnprintableError("several jobs in one launch, with numbers that only a launch tells")
    told = dict(line.split(" = ", 1) for line in page.layout.launcher(made.lines))
    sizes = {size: told[size] for size in made.sizes}
    own = tuple(tensors.values()), tuple(pointers(tensors))
    return Job(part, *own, made.lines, tuple(page.helpers), sizes, made.blocks, made.shared)


def _as_called(
    job: Job, names: Sequence[str], held: Mapping[str, Tensor], taken: frozenset[str], values: Mapping[str, str]
) -> Job:
    """A job with other names for its tensors."""
    renamed = {
        t.parameter: dataclasses.replace(t, name=name, node="") for t, name in zip(job.tensors, names, strict=True)
    }
    return _job(job.found, {**held, **renamed}, taken, values)


def _generic(job: Job, held: Mapping[str, Tensor], taken: frozenset[str], values: Mapping[str, str]) -> Job:
    return _as_called(job, [f"x{place}" for place in range(len(job.tensors))], held, taken, values)


def _named(group: Sequence[Job], held: Mapping[str, Tensor], taken: frozenset[str], values: Mapping[str, str]) -> Job:
    """One kind of job by its tensors' own names, less the number where several jobs have different ones."""
    names: list[str] = []
    for tensors in zip(*(job.tensors for job in group), strict=True):
        stems = {STEM.sub("", tensor.name) for tensor in tensors}
        alike = len({tensor.name for tensor in tensors}) == 1
        word = (
            tensors[0].name if alike else stems.pop() if len(stems) == 1 else "out" if tensors[0].role == "out" else "x"
        )
        number, name = 2, word
        while name in names:
            name, number = f"{word}_{number}", number + 1
        names.append(name)
    return _as_called(group[0], names, held, taken, values)
