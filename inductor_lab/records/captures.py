"""What a capture holds: graphs, kernels, launches and library calls, as the text of one run of Inductor says them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

SizeLike = int | str
"""In elements; the compiler's own name where it left a size symbolic, `ks0`, `s77`."""


@dataclass(frozen=True)
class Problem:
    """Something the reader could not understand, and where. A problem never hides what was understood."""

    where: str
    """`file:line` of the text, or the id of the kernel or graph."""
    message: str


@dataclass(frozen=True)
class Gpu:
    """The card that a capture was compiled for."""

    name: str
    """The name the card gives itself, `NVIDIA H200`; empty when the text does not say."""
    arch: str
    """`sm_90`, `gfx942`; empty when the text does not say."""
    virtual: bool
    """True when the code was generated for a card that was not there."""


@dataclass(frozen=True)
class TensorType:
    """Shape, strides (both in elements) and dtype of one tensor."""

    dtype: str
    """torch's name without `torch.`: `float32`, `bfloat16`, `int64`, `bool`."""
    shape: tuple[SizeLike, ...]
    stride: tuple[SizeLike, ...]


@dataclass(frozen=True)
class SourceLine:
    """One line of the user's program."""

    file: str
    line: int
    code: str

    @property
    def place(self) -> str:
        """`models.py:31`."""
        return f"{self.file.rpartition('/')[2]}:{self.line}"


@dataclass(frozen=True)
class Provenance:
    """What a kernel, or one launch of it, was made of: nodes, and lines of the user's program; and how that is known."""

    origin: str = "unknown"
    """`artifact`: Inductor's own mapping; `graph`: the comment's nodes found in the printed post-grad graph; `written`: those of that
    graph that lead to what is written in place; `comment`: the comment's word alone; `unknown`: the text does not say."""
    nodes: tuple[str, ...] = ()
    """Post-grad (ATen) nodes, in the graph's order where it is known."""
    pre_grad: tuple[str, ...] = ()
    """Nodes of the graph that Dynamo took from the user's program; of a backward kernel, its own nodes where it has no such."""
    source: tuple[SourceLine, ...] = ()
    """The user's lines, innermost frames, each once."""
    stacks: tuple[tuple[SourceLine, ...], ...] = ()
    """The stacks that end in those lines, outermost frame first; only an artifact has them."""
    handles: tuple[int, ...] = ()
    """Inductor's debug handles of the launches, which artifacts and profiles repeat."""


@dataclass(frozen=True)
class Node:
    """One node of a post-grad FX graph, as Python: `name = call`."""

    name: str
    target: str
    """`aten.add.Tensor`, `placeholder`, or `getitem`."""
    call: str
    """The right-hand side as Inductor printed it: `torch.ops.aten.add.Tensor(arg1_1, mm)`; empty for a placeholder."""
    arguments: tuple[str, ...]
    """Names of the nodes that the call reads, in order, each once."""
    type: TensorType | None
    """None where the graph prints none (a scalar, a tuple)."""
    source: SourceLine | None

    @property
    def tree(self) -> ast.expr:
        """The call as Python's own tree, parsed once; shared, not to be changed.

        Raises:
            SyntaxError: the text is no Python; it says which node's.
        """
        if (tree := _tree(self.call)) is None:
            raise SyntaxError(self.name)
        return tree

    @property
    def operands(self) -> tuple[ast.expr, ...]:
        """What an operator is given by position; none for what calls no operator."""
        tree = _tree(self.call)
        return tuple(tree.args) if isinstance(tree, ast.Call) else ()

    def number(self, keyword: str) -> float | None:
        """What it is given by that name, where it is a number."""
        tree = _tree(self.call)
        given = tree.keywords if isinstance(tree, ast.Call) else []
        return next((_number(one.value) for one in given if one.arg == keyword), None)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers among its operands, in order: 0.5 of `torch.ops.aten.mul.Tensor(x, 0.5)`; True is none."""
        return tuple(number for one in self.operands if (number := _number(one)) is not None)

    @property
    def part(self) -> int | None:
        """Which result of another node it is, 1 of `var_mean[1]`; None for any other call."""
        match _tree(self.call):
            case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=int() as place)):
                return place
        return None


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _number(operand: ast.expr) -> float | None:
    match operand:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(repr(number))  # of more digits than a float has, infinite
        case ast.UnaryOp(op=ast.USub(), operand=inner) if (positive := _number(inner)) is not None:
            return -positive
    return None


@dataclass(frozen=True)
class Observed:
    """What one input or output of a graph held when the program first called it. Floats are told by their finite values."""

    name: str
    """The graph's node."""
    type: TensorType | None = None
    """None for what is no tensor."""
    value: int | float | None = None
    """A number's own."""
    sha256: str = ""
    """Of a tensor's bytes, its elements in order; empty where they were too many to look at."""
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    deviation: float | None = None
    """The standard deviation of all values, as of a population."""
    zeros: float = 0.0
    """Which part of the elements is 0."""
    negative: float = 0.0
    """Which part is below 0, minus infinity included."""
    nan: float = 0.0
    infinite: float = 0.0


@dataclass(frozen=True)
class Input:
    """What a numbered input of a graph is in the user's program, as it was known where it was compiled."""

    kind: str
    """`parameter`, `buffer`, `argument`, `gradient`, or the state of an optimizer that it is: `exp_avg`."""
    name: str
    """`layers.0.norm.weight`, `batch['mask']`; of a gradient or a state, whose it is."""


@dataclass(frozen=True)
class Graph:
    """One compiled graph: its identity, and the post-grad graph where the log held it."""

    id: str
    """Inductor's AOT id, `0_inference`, `2_backward`."""
    compile_id: str
    """Dynamo's compile id, `0/0`; empty when the log had none."""
    kind: str
    """`inference`, `forward`, `backward` or `unknown`."""
    module: str
    """The whole output_code module that Inductor wrote for this graph."""
    nodes: tuple[Node, ...] = ()
    """The post-grad graph in order, placeholders first; empty when the log held none."""
    outputs: tuple[str, ...] = ()
    """Names of the returned nodes; empty string for a returned None."""
    inputs: tuple[Node, ...] = ()
    """Its inputs as Dynamo calls them, by the user's program, in the order of the placeholders; empty when the text held no such graph."""
    given: tuple[Observed, ...] = ()
    """What the program gave it at its first call, in the module's order; empty where nobody looked."""
    returned: tuple[Observed, ...] = ()
    """What it returned then, in the order of `outputs`; empty where nobody looked."""
    values: str = ""
    """The file of the capture's folder that holds those values themselves; empty where they were not kept."""
    hints: Mapping[str, int] = field(default_factory=dict)
    """Symbolic size -> what it was when the graph was compiled, `{"s77": 4096}`; empty where all are fixed, or the module does not say."""
    called: Mapping[str, Input] = field(default_factory=dict)
    """Placeholder -> what it is in the user's program; without those of which that is not known, and empty where the capture did not ask."""
    phase: str = ""
    """`kind`, or `optimizer` where its nodes come from torch/optim."""


@dataclass(frozen=True)
class Argument:
    """One parameter of a kernel's signature."""

    name: str
    dtype: str
    """`float32`, `int64`, `bool` for what a pointer points to; `int32` for a size; empty for a constexpr."""
    role: str
    """`in`, `out`, `inout`, `size` or `constexpr`. A pointer that is added to atomically is `inout`."""
    pointer: bool = False
    untouched: bool = False
    """A pointer that only branches reach which are never compiled: its role is what they would do."""


@dataclass(frozen=True)
class LaunchArgument:
    """What one launch passes for one parameter."""

    name: str
    """The parameter, `in_ptr0`."""
    value: str
    """The expression in the wrapper, `buf3` or `4194304`."""
    type: TensorType | None = None
    """The tensor's type where the wrapper tells it."""
    storage: str = ""
    """The variable that first named this memory: `buf0` when the wrapper reused it as `buf3`."""


@dataclass(frozen=True)
class Launch:
    """One `.run(` call in the wrapper."""

    graph: str
    line: int
    """1-based line in the graph's module."""
    arguments: tuple[LaunchArgument, ...]
    provenance: Provenance = Provenance()
    """This launch's own: one body can stand for several places of the program."""


@dataclass(frozen=True)
class Traffic:
    """What one launch must move and compute, counted from the body and the launch; None where it can not be counted."""

    read: int | None = None
    """Bytes read from memory, each element once."""
    written: int | None = None
    """Bytes written."""
    flops: int | None = None
    """Floating-point operations; a transcendental function counts as one."""
    least: bool = False
    """True for a template's product and a library call, of which the shapes tell the least that they move: what is read and the result, once each."""
    hinted: bool = False
    """True where a size is symbolic, and was taken as the program's first call had it."""
    special: int = 0
    """Of these operations, what the special function unit does at least: exponentials, roots, quotients; 0 where none is known."""

    @property
    def moved(self) -> int | None:
        """Bytes read and written; None where one of them is not counted."""
        return self.read + self.written if self.read is not None and self.written is not None else None


@dataclass(frozen=True)
class Claim:
    """What the comment above a kernel says about it. It over-attributes at times: it is a claim, not a fact."""

    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    """`aten.add`, `aten.relu`, as the comment lists them."""
    inputs: tuple[str, ...] = ()
    """Nodes that the fragment marks as PlaceHolder, in the fragment's order, each once."""
    nodes: tuple[str, ...] = ()
    """Nodes that the fragment computes, in order."""
    outputs: tuple[str, ...] = ()
    """Names on the fragment's `return` line."""
    fragment: tuple[Node, ...] = ()
    """The fragment's nodes themselves, placeholders included, for logs without a post-grad graph."""
    user_names: Mapping[str, str] = field(default_factory=dict)
    """ATen node -> the name in the user's program, where that name stands for one node only: `relu` -> `x`."""


@dataclass(frozen=True)
class Kernel:
    """One distinct kernel body, with every definition and launch of it."""

    id: str
    """`capture:index`, accepted by every verb."""
    name: str
    category: str
    """Inductor's own word: pointwise, reduction, persistent_reduction, template ..."""
    graph: str
    """The id of the first graph that defines it."""
    body_sha256: str
    """SHA-256 of the normalised body: the key of a kernel; `read/identity.py` says what is left out."""
    definitions: int
    """How often this body was defined in the text."""
    arguments: tuple[Argument, ...]
    launches: tuple[Launch, ...]
    ops: tuple[str, ...]
    """What the body does, derived from the body: `add`, `mul`, `maximum`, `load.gather`, `atomic_add`, `sum`."""
    source: tuple[SourceLine, ...]
    """The user's lines, best provenance first."""
    traffic: Traffic
    claim: Claim
    text: str
    """The whole Triton source between the triple quotes."""
    body: str
    """The statements of the kernel function, dedented."""
    line: int
    """1-based line of the definition in its graph's module."""
    size_hints: Mapping[str, int] = field(default_factory=dict)
    meta: Mapping[str, object] = field(default_factory=dict)
    """Literal entries of triton_meta, inductor_meta and the decorator that a reader may ask for."""
    computes: tuple[str, ...] = ()
    """Each store as an expression over the tensors, derived from the body: `out_ptr0 = relu(in_ptr0 + in_ptr1 * 0.5)`."""
    title: str = ""
    """What a person would call it, its shape in words: `rms_norm, 4,096 rows of 2,048 bf16`; an expression over the model's names where nothing fits."""
    recognised: tuple[str, ...] = ()
    """The names found in its tree, `rms_norm`, `rope_backward`; empty where the title is an expression."""
    provenance: Provenance = Provenance()
    """All its launches' together; `source` is from here."""
    autotuned: Mapping[str, int] = field(default_factory=dict)
    """What Inductor's autotuner kept on the card of the capture, `{"XBLOCK": 512, "num_warps": 8, "num_stages": 1}`; empty where nobody saw it."""
    candidates: tuple[Mapping[str, int], ...] = ()
    """Every configuration that Inductor's autotuner times on the card that it was captured for, written as `autotuned`, the first one first, without
    those that it adds of a reduction once it knows the registers; empty where the capture did not ask Inductor."""
    phases: tuple[str, ...] = ()
    """Of its launches, each once: `forward`, `backward`, `optimizer`, `inference`."""


@dataclass(frozen=True)
class ExternCall:
    """A call of the wrapper that is no generated kernel: `extern_kernels.mm`, a fallback `torch.ops.aten...`."""

    target: str
    graph: str
    line: int
    arguments: tuple[LaunchArgument, ...] = ()
    """What it is given, in order, named by position (`0`, `1`) or keyword; tensors with their types as far as the wrapper tells them."""
    outputs: tuple[LaunchArgument, ...] = ()
    """What it writes: `out` where it is told a buffer, else its result, or the parts of it that are used, named by position."""
    traffic: Traffic = Traffic()
    """The least that it must move, each operand and result once, and compute; of what no formula is known, None."""
    provenance: Provenance = Provenance()


@dataclass(frozen=True)
class CompileEvent:
    """Why there are several graphs: Dynamo gave up in the middle of a function, or compiled it again."""

    kind: str
    """`graph_break` or `recompile`."""
    where: str
    """`model.py:6`, the line that broke the graph; of a recompile the function and its place, `forward (model.py:3)`; empty where the text does not say."""
    reason: str
    """In a sentence or two, as Dynamo explains it; of a recompile the first guard that failed."""
    compile_id: str = ""
    """Of the compilation that broke off, or that began."""
    source: SourceLine | None = None
    guards: tuple[str, ...] = ()
    """Of a recompile, every guard that failed: `0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9`."""
    hints: tuple[str, ...] = ()
    """What Dynamo advises."""
    stack: tuple[SourceLine, ...] = ()
    """The user's frames, outermost first."""


@dataclass(frozen=True)
class Capture:
    """Everything that one run of Inductor wrote, read."""

    name: str
    torch: str
    triton: str
    gpu: Gpu
    command: str
    created: str
    """ISO 8601, UTC."""
    graphs: tuple[Graph, ...]
    kernels: tuple[Kernel, ...]
    extern_calls: tuple[ExternCall, ...]
    problems: tuple[Problem, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    """The fingerprint: Python, platform, the settings that were not default."""
    events: tuple[CompileEvent, ...] = ()
    """Graph breaks and recompiles, in the order of the text; empty where the log was not asked for them."""
