"""The typed parts of an ejected file: what printers return (`KernelText`), and what the template is given (`Rendering`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.eject.cuda.launch import Cuda
from inductor_lab.eject.device_functions import namespace


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    annotation: str = ""
    comment: str = ""
    passed: str = ""
    """What the launch passes for it."""


def passed_for(parameters: Iterable[Parameter]) -> str:
    """What a launch passes: in order, and what is compiled in by name."""
    return ", ".join(f"{each.name}={each.passed}" if each.annotation else each.passed for each in parameters)


@dataclass(frozen=True)
class KernelText:
    """A kernel and how it is launched."""

    parameters: tuple[Parameter, ...]
    lines: tuple[str, ...]
    """The body."""
    remark: str
    """Why a program owns what it owns; empty where the text says it."""
    launcher: Mapping[str, str]
    """What the launcher works out before the launch, by name."""
    grid: str
    arguments: str
    """What the launch passes."""
    blocks: Mapping[str, str]
    """Inductor's names of blocks -> this kernel's: `XBLOCK` -> `BLOCK`."""
    fixed: frozenset[str] = frozenset()
    """Axes whose block must go on dividing the size: no mask stands at their end."""
    helpers: frozenset[str] = field(default_factory=frozenset)
    """Functions of Inductor's `triton_helpers` that it calls by their own names, or that only torch has."""
    tuned: Mapping[str, int] = field(default_factory=dict)
    """Blocks that the body fixed and the launch chooses now."""
    to_the_letter: bool = False
    """True for the generated kernel's own text: its lines stay as long as they are."""
    functions: tuple[str, ...] = ()
    """Functions of its own that it calls, those that others call first."""
    cuda: Cuda | None = None
    """The kernel in CUDA C++, which stands in a file of its own; there are no lines then."""

    @property
    def statements(self) -> tuple[str, ...]:
        """Those of the launcher."""
        return tuple(f"{name} = {text}" for name, text in self.launcher.items())

    @property
    def names(self) -> frozenset[str]:
        """Names that the launch says: tensors, symbols, blocks."""
        return names_in(*self.statements, self.grid, f"launch({self.arguments})")


def names_in(*lines: str) -> frozenset[str]:
    """Names that statements say."""
    return frozenset(node.id for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name))


def where_inputs_are(takes: Sequence[str], lines: Iterable[str]) -> tuple[str, ...]:
    """Statements of a function, with what it makes itself on the device of the first tensor that it is given; on DEVICE where that is none.

    The judge looks for boundaries on the CPU also where kernels run on a GPU.
    """
    there = f"{takes[0]}.device" if takes else "DEVICE"
    return tuple(re.sub(r"\bDEVICE\b", there, line) for line in lines)


# ------------------------------------------------------------ the parts of a file


@dataclass(frozen=True)
class Header:
    """The docstring: where the kernel comes from."""

    title: str
    capture: str
    graph: str
    index: str
    kernel: str
    """Inductor's name for it."""
    aten: str
    replaces: bool
    """True where the operators are those of the graph's form; False where only Inductor's comment names them, parts of other kernels too."""
    source: tuple[str, ...]
    target: str
    body_sha256: str
    file: str


@dataclass(frozen=True)
class Launcher:
    """A function that launches one of the two kernels."""

    takes: tuple[str, ...]
    """What it is passed by place: tensors, and numbers of a kernel that stands for several."""
    lines: tuple[str, ...]
    """What it works out first."""
    grid: str
    passed: str
    returned: str
    settings: Mapping[str, object] = field(default_factory=dict)
    """Its parameters behind the star, and what they are unless given."""

    @property
    def parameters(self) -> str:
        """What stands between the brackets of its `def`."""
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        return ", ".join([*self.takes, *(["*", *settings] if settings else [])])


@dataclass(frozen=True)
class HandKernel:
    """The kernel that is there to be edited."""

    functions: tuple[str, ...]
    """Those that it calls and that are there to be edited too."""
    name: str
    parameters: tuple[Parameter, ...]
    remark: str
    body: tuple[str, ...]
    launcher: Launcher
    writes: str
    untold: str
    """What stands for numbers that the log does not tell; a sentence, or nothing."""
    unread: str
    """What of it nobody reads behind the kernel; a sentence, or nothing."""


@dataclass(frozen=True)
class EagerReference:
    """What the kernel must equal."""

    functions: tuple[str, ...]
    """Those that it calls."""
    takes: tuple[str, ...]
    parameters: str
    lines: tuple[str, ...]
    results: str
    gives: str
    by_graph: bool = False
    """True where it is the graph's own form: of a template, whose loop is not read as a tree."""
    tf32: bool | None = None
    """Whether operands of its float32 products are rounded; None where torch's own setting is not touched."""


@dataclass(frozen=True)
class SubkernelTable:
    """What a launch of many jobs takes, told as a job of each kind and a table of them."""

    rows: tuple[tuple[str, str], ...]
    """Each job's, and what the job is of."""
    kinds: tuple[SubkernelKind, ...]


@dataclass(frozen=True)
class SubkernelKind:
    """Jobs that differ in their tensors' shapes alone."""

    suffix: str
    """What tells the names of its functions from another kind's; empty where there is no other."""
    like: str
    """The suffix of the first kind whose jobs read and write the same, its own where none is before it."""
    columns: str
    """What the table has of each: `shape, stride`."""
    reads: tuple[tuple[str, str], ...]
    """A tensor that a job reads, its name as Python text, and its shape, strides, dtype and values, of `columns`."""
    writes: tuple[tuple[str, str], ...]
    reference: EagerReference
    """Of one job."""


@dataclass(frozen=True)
class Comparisons:
    """What the kernel compares."""

    functions: tuple[str, ...]
    """Those that it calls and the reference does not."""
    lines: tuple[str, ...]
    rows: tuple[str, ...]
    """One for each comparison; none where there is no function to write."""
    left_out: int
    """Comparisons that are not among them."""
    jobs: int = 0
    """Of how many of the jobs of a table each is told; 0 where they are those of the whole launch."""


@dataclass(frozen=True)
class GraphForm:
    """The same as the model's graph says it."""

    takes: str
    statements: tuple[str, ...]
    results: str


@dataclass(frozen=True)
class Inputs:
    """What both kernels are run on."""

    symbols: Mapping[str, int]
    others: tuple[Mapping[str, int], ...]
    fixed: bool
    """True where the generated kernel is right for the captured sizes alone."""
    untold: str
    """Which of the symbols the log does not tell."""
    legend: str
    """What the values of the arguments mean."""
    remark: str
    """What they can not do."""
    arguments: tuple[Mapping[str, str], ...]
    takes: str
    written: str
    unread: str
    """What of it an edit need not write, as a tuple; nothing where that is none."""
    bytes: str
    bytes_mean: str
    """What they are."""
    interpreter: str
    generated_interpreter: str
    tail: str
    origin: tuple[str, ...]
    real: str = ""
    """The file beside this one that holds what the launch was given in the program; empty for none."""


@dataclass(frozen=True)
class Baseline:
    """Inductor's own kernel, and what stands beside it."""

    functions: tuple[str, ...]
    helpers: Mapping[str, str]
    """Helpers that its text calls as `triton_helpers.maximum` -> what each is called here."""
    checked: bool
    """True where bounds checks are compiled in."""
    configuration: str
    """Whose choice the blocks and warps are that it is launched with."""
    takes: tuple[Parameter, ...]
    body: tuple[str, ...]
    launcher: Launcher
    decorator: tuple[str, ...]
    """Inductor's own, which lists the configurations that its autotuner times; none where there is no choice."""

    @property
    def namespace(self) -> str:
        """Lines that give its helpers the name by which it calls them; nothing where it calls none."""
        return namespace(self.helpers)

    @property
    def parameters(self) -> str:
        """What stands between the brackets of its `def`."""
        return ", ".join(each.name + each.annotation for each in self.takes)


@dataclass(frozen=True)
class CudaFile:
    """The `.cu` file beside a Python file that builds it."""

    file: str
    folder: str
    """Of the CMake project."""
    sha256: str
    """Of the `.cu` file's text."""
    loading: str
    """The class that builds and launches it."""


@dataclass(frozen=True)
class Rendering:
    """A file: the variables of the template."""

    header: Header
    imports: tuple[str, ...]
    hand: HandKernel
    reference: EagerReference | None
    unknown: str
    """Why there is no reference."""
    comparing: Comparisons
    graph_form: GraphForm | None
    no_form: str
    """Why there is none."""
    inputs: Inputs
    baseline: Baseline
    check: str
    """The check's own text."""
    table: SubkernelTable | None = None
    cuda: CudaFile | None = None
