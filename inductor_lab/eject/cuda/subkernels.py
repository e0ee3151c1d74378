"""Prints several subkernels of one launch (foreach, combo kernels) in CUDA C++: one device function for each kind.

int block = blockIdx.x;
if (block < cdiv(numel_0, THREADS)) return step(block, weight_ptr, out_ptr, numel_0);
block -= cdiv(numel_0, THREADS);

Subkernels of one kind are a table, of which `launch` makes the rows. Each has blocks of 32 x 8 threads: an element each, an element of a tile,
or rows that a warp folds; of rows that lie side by side 32 are a block's, and 8 threads fold each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Scan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import Numbers, block
from inductor_lab.eject.cuda.launch import TILE, Cuda, Parameter, constants, headers, pointers
from inductor_lab.eject.cuda.page import Page, device_functions, empty_page
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.sweeps import KNOWN
from inductor_lab.eject.cuda.threads import Geometry, defined, geometry_of
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.naming import numbered
from inductor_lab.eject.printing.nouns import FEWEST, stem
from inductor_lab.eject.refusal import UnprintableError

THREADS = TILE[0] * TILE[1]
REMARK = "Blocks are shared out one job after the other; {}."


@dataclass(frozen=True)
class Share:
    """How many elements or rows, a product of sizes, one block takes."""

    sizes: tuple[str, ...]
    per_block: int

    def blocks(self, named: Callable[[str], str]) -> str:
        """How many blocks that makes, by what each size is called there."""
        total = " * ".join(map(named, self.sizes)) or "1"
        return f"cdiv({total}, {self.per_block})" if self.per_block > 1 else total


@dataclass(frozen=True)
class Body:
    """What one subkernel does."""

    lines: tuple[str, ...]
    sizes: tuple[str, ...]
    """The numbers of elements or rows that it is passed."""
    shares: tuple[Share, ...]
    """How many blocks it takes: the product of these."""
    remark: str = "a thread takes one element of a job"
    """How threads share it."""


@dataclass(frozen=True)
class Subkernel:
    """One subkernel of a launch, by the names that its tensors were given."""

    found: Computation
    tensors: tuple[Tensor, ...]
    """Its own, in the order of their first access."""
    parameters: tuple[Parameter, ...]
    body: Body
    helpers: tuple[str, ...]
    sizes: Mapping[str, str]
    """Its numbers of elements or rows, each with what the launcher passes for it."""

    @property
    def key(self) -> tuple[object, ...]:
        """The same for subkernels that one function does."""
        return (*(each.declared for each in self.parameters), self.body.lines, self.body.shares)

    def blocks(self, named: Callable[[str], str]) -> str:
        """How many blocks it takes, by what each of its sizes is called there."""
        return " * ".join(share.blocks(named) for share in self.body.shares)

    def passed(self, number: int) -> list[str]:
        """What a launch has for its function: of the parameters of all subkernels those of this one, by its number."""
        return [*(f"{tensor.name}_ptr" for tensor in self.tensors), *(f"{size}_{number}" for size in self.sizes)]

    def function(self, name: str) -> str:
        """The device function."""
        taken = ["int block", *(each.declared for each in self.parameters), *(f"int {size}" for size in self.sizes)]
        return "\n".join(block(f"__device__ __forceinline__ void {name}({', '.join(taken)})", self.body.lines))


def printed(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], name: str
) -> Cuda:
    """The kernel.

    Raises:
        UnprintableError: a subkernel goes along too many axes, or has sizes that only a launch tells.
    """
    launch = Launch(tensors, frozenset(taken), values)
    made = [launch.subkernel(part) for part in parts(found)]
    groups: dict[tuple[object, ...], list[Subkernel]] = {}
    for one in made:
        groups.setdefault(launch.generic(one).key, []).append(one)
    kinds = [launch.named(group) for group in groups.values()]
    words = ["step"] if len(kinds) == 1 else [f"job_{number}" for number in range(len(kinds))]
    functions = [kind.function(word) for kind, word in zip(kinds, words, strict=True)]
    sizes = [Parameter("int", f"{s}_{n}", text) for n, one in enumerate(made) for s, text in one.sizes.items()]
    cuda = Cuda(
        name, (*pointers(tensors), *sizes), (), (*device_functions(["cdiv", *(h for one in made for h in one.helpers)]), *functions),
        headers=headers(tensors), remark=REMARK.format(", or ".join(dict.fromkeys(one.body.remark for one in made))), bounds=str(THREADS),
    )  # fmt: skip
    if len(kinds) == 1 and len(made) >= FEWEST:
        return _by_table(cuda, kinds[0], made)
    called = {id(one): word for group, word in zip(groups.values(), words, strict=True) for one in group}
    return _one_by_one(cuda, [(called[id(one)], one) for one in made])


def _one_by_one(cuda: Cuda, made: Sequence[tuple[str, Subkernel]]) -> Cuda:
    """A kernel that asks of each subkernel whether a block is its own; each with its function's name."""
    lines, counts = ["int block = blockIdx.x;"], []
    for number, (function, one) in enumerate(made):
        counts.append(one.blocks(f"{{}}_{number}".format))
        passed, blocks = ", ".join(["block", *one.passed(number)]), f"int({counts[-1]})"
        lines += [f"if (block < {blocks}) return {function}({passed});", f"block -= {blocks};"]
    launcher = (
        f"const int64_t blocks = {' + '.join(counts)};",
        "if (blocks == 0) return 0;",
        _launched(cuda.name, cuda.arguments),
    )
    return dataclasses.replace(cuda, body=tuple(lines[:-1]), launcher=launcher)


def _by_table(cuda: Cuda, kind: Subkernel, made: Sequence[Subkernel]) -> Cuda:
    """A kernel that is given a table with a row for each subkernel, all of one kind."""
    fields = [*((each.type, each.name) for each in kind.parameters), *(("int", size) for size in kind.sizes)]
    row = "\n".join(f"    {type_} {field};" for type_, field in fields)
    types = (f"struct Job {{\n{row}\n}};", f"struct Jobs {{\n    Job all[{len(made)}];\n}};")
    blocks, called = kind.blocks("job.{}".format), ", ".join(f"job.{field}" for _, field in fields)
    mine = [
        f"const int blocks = int({blocks});",
        f"if (block < blocks) return step(block, {called});",
        "block -= blocks;",
    ]
    rows = [
        f"    {{{', '.join(one.passed(number))}}},  // {one.tensors[0].comment()}" for number, one in enumerate(made)
    ]
    return dataclasses.replace(
        cuda,
        helpers=(*cuda.helpers, *types),
        body=("int block = blockIdx.x;", *block("for (const Job& job : jobs.all)", mine)),
        launcher=(
            "const Jobs jobs = {{", *rows, "}};", "int64_t blocks = 0;", f"for (const Job& job : jobs.all) blocks += {blocks};",
            "if (blocks == 0) return 0;", _launched(cuda.name, "jobs"),
        ),
        takes="const __grid_constant__ Jobs jobs",
    )  # fmt: skip


def _launched(name: str, arguments: str) -> str:
    return f"{name}<<<blocks, dim3({TILE[0]}, {TILE[1]}), 0, stream>>>({arguments});"


def parts(found: Computation) -> Iterator[Computation]:
    """The computations of the subkernels, each with the axes that it goes along.

    Raises:
        UnprintableError: one goes along too many, or has sizes that only a launch tells.
    """
    for part in found.parts:
        axes = tuple(axis for axis in part.schedule.axes if axis.dimension is not None or not axis.reduced)
        if part.schedule.opaque:
            raise UnprintableError(part.schedule.opaque)
        if not all(isinstance(axis.numel, int) and axis.dtype == "int32" for axis in axes):
            raise UnprintableError("several jobs in one launch, with sizes that only a launch tells")
        if any(isinstance(value, Scan) and value.name not in KNOWN for value in defined(part.schedule.every())):
            raise UnprintableError("several jobs in one launch, of which one sorts or scans by a function of its own")
        yield dataclasses.replace(part, schedule=dataclasses.replace(part.schedule, axes=axes))


def tensors_of(part: Computation, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Those of a launch that one subkernel accesses."""
    return {access.pointer: tensors[access.pointer] for access in part.accesses}


@dataclass(frozen=True)
class Launch:
    """What all subkernels of a launch are printed from."""

    tensors: Mapping[str, Tensor]
    taken: frozenset[str]
    """Names that nothing of a kernel may have."""
    values: Mapping[str, str]

    def subkernel(self, part: Computation, renamed: Mapping[str, Tensor] | None = None) -> Subkernel:
        """A subkernel; its tensors may be called otherwise.

        Raises:
            UnprintableError: a launch tells it numbers of its own.
        """
        tensors = tensors_of(part, {**self.tensors, **(renamed or {})})
        page = empty_page(part, tensors, self.taken, self.values, Numbers())
        made = body(page)
        if page.layout.seed_offsets or page.layout.passed:
            raise UnprintableError("several jobs in one launch, with numbers that only a launch tells")
        passed = page.layout.launcher()
        sizes = {size: passed[size] for size in made.sizes}
        return Subkernel(part, tuple(tensors.values()), tuple(pointers(tensors)), made, tuple(page.helpers), sizes)

    def generic(self, one: Subkernel) -> Subkernel:
        """One with names that say nothing, so that those of a kind are the same."""
        return self._called(one, [f"x{place}" for place in range(len(one.tensors))])

    def named(self, group: Sequence[Subkernel]) -> Subkernel:
        """One kind by its tensors' own names, less the number where several subkernels have different ones."""
        names: list[str] = []
        for tensors in zip(*(one.tensors for one in group), strict=True):
            own = {tensor.name for tensor in tensors}
            word = own.pop() if len(own) == 1 else stem(tensors) or ("out" if tensors[0].role == "out" else "x")
            names.append(numbered(word, names.__contains__))
        return self._called(group[0], names)

    def _called(self, one: Subkernel, names: Sequence[str]) -> Subkernel:
        pairs = zip(one.tensors, names, strict=True)
        return self.subkernel(one.found, {t.parameter: dataclasses.replace(t, name=name, node="") for t, name in pairs})


# ------------------------------------------------------------ bodies


def body(page: Page) -> Body:
    """What a subkernel does on the card."""
    sizes = tuple(page.names(axis).numel for axis in page.free)
    if len(page.free) < len(page.axes):
        geometry = Geometry(geometry_of(page.found, page.folded.name).columns, "block")
        lanes, rows = (8, 32) if geometry.columns else (32, 8)
        remark = "8 threads share each of 32 columns" if geometry.columns else "a warp takes one row"
        made = [f"constexpr int LANES = {lanes};", *Rows(page, geometry).lines()]
        return Body(sized(page, made), sizes, (Share(sizes, rows),), f"{remark} of a job")
    lines = page.placed(page.free, Statements(page).element())
    if len(page.free) > 1:
        return _tile(page, sorted(page.free, key=lambda axis: axis.name), sizes, lines)
    index = page.names(page.free[0]).index
    head = [
        f"const int {index} = block * {THREADS} + threadIdx.y * {TILE[0]} + threadIdx.x;",
        f"if ({index} >= {sizes[0]}) return;",
    ]
    return Body(sized(page, [*head, *lines]), sizes, (Share(sizes, THREADS),))


def _tile(page: Page, free: Sequence[Axis], sizes: tuple[str, ...], lines: Sequence[str]) -> Body:
    """Tiles one after the other, those along the first axis first."""
    names = [page.names(axis) for axis in free]
    shares = [Share((each.numel,), along) for each, along in zip(names, (*TILE, 1), strict=False)]
    counts = [share.blocks(str) for share in shares]
    head = [
        f"const int tiles = int({counts[0]});",
        f"const int {names[0].index} = block % tiles * {TILE[0]} + threadIdx.x;",
    ]
    outer = "block / tiles"
    if len(names) == 3:
        head += [
            f"const int tiles_of_two = tiles * int({counts[1]});",
            f"const int {names[2].index} = block / tiles_of_two;",
        ]
        outer = "block % tiles_of_two / tiles"
    head.append(f"const int {names[1].index} = {outer} * {TILE[1]} + threadIdx.y;")
    head.append(f"if ({names[0].index} >= {names[0].numel} || {names[1].index} >= {names[1].numel}) return;")
    return Body(sized(page, [*head, *lines]), sizes, tuple(shares))


def sized(page: Page, lines: Sequence[str]) -> tuple[str, ...]:
    """The statements behind the sizes that they say."""
    return (*(f"constexpr int {each.name} = {each.value};" for each in constants(page, lines)), *lines)
