"""The nouns of inductor_lab, one frozen dataclass each. Nothing here reads, writes or computes.

    program -> Capture -> Graph -> Kernel, Launch -> (annotated) -> Ejected file -> Verdict -> Timing -> PerfDiff -> report

Field names are the keys of the JSON that every `--json` prints: a record and its document are the same thing.
Sizes are ints, or strings where the compiler left them symbolic (`"ks0"`, `"s77"`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMA = 1

Size = int | str


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
    shape: tuple[Size, ...]
    stride: tuple[Size, ...]


@dataclass(frozen=True)
class SourceLine:
    """One line of the user's program."""

    file: str
    line: int
    code: str


@dataclass(frozen=True)
class Provenance:
    """What a kernel, or one launch of it, was made of: nodes, and lines of the user's program; and how that is known."""

    origin: str = "unknown"
    """`artifact`: Inductor's own mapping; `graph`: the comment's nodes found in the printed post-grad graph; `comment`: its word
    alone; `unknown`: the text does not say."""
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
    given: tuple[Observed, ...] = ()
    """What the program gave it at its first call, in the module's order; empty where nobody looked."""
    returned: tuple[Observed, ...] = ()
    """What it returned then, in the order of `outputs`; empty where nobody looked."""
    values: str = ""
    """The file of the capture's folder that holds those values themselves; empty where they were not kept."""


@dataclass(frozen=True)
class Argument:
    """One parameter of a kernel's signature."""

    name: str
    dtype: str
    """`float32`, `int64`, `bool` for what a pointer points to; `int32` for a size; empty for a constexpr."""
    role: str
    """`in`, `out`, `inout`, `size` or `constexpr`. A pointer that is added to atomically is `inout`."""
    pointer: bool = False


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
    """True for a template's product, of which the shapes tell the least that it moves: both operands and the result, once each."""


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
    provenance: Provenance = Provenance()
    """All its launches' together; `source` is from here."""


@dataclass(frozen=True)
class ExternCall:
    """A call of the wrapper that is no generated kernel: `extern_kernels.mm`, a fallback `torch.ops.aten...`."""

    target: str
    graph: str
    line: int


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


@dataclass(frozen=True)
class Note:
    """One remark on a kernel, tied to a line of its body (1-based) or to the whole kernel (0)."""

    line: int
    text: str
    kind: str = "explain"
    """`explain`, `traffic`, `hazard`, `launch`, `claim`."""
    origin: str = ""
    """`aten.relu, models.py:36`: what a line came from; empty where that is not clear."""


@dataclass(frozen=True)
class Case:
    """One set of inputs that a kernel was checked on."""

    name: str
    """`seed 0`, `edge values`, `block 2048`."""
    passed: bool
    errors: Mapping[str, float]
    """Distance from float64 of `hand`, `generated` and `eager`, relative to the largest exact value; none where both kernels are alike to
    the bit and it was not measured."""
    message: str = ""
    """Why it failed; when it passed empty, or what it passed by."""
    seconds: float = 0.0
    """What it took, drawing the inputs not included."""
    where: Mapping[str, object] = field(default_factory=dict)
    """The first wrong element of the first case that fails: `tensor`, `index`, what it is and should be, what the wrong ones have in common,
    `program` and `lane` that wrote it, the `smallest` inputs that still fail."""


@dataclass(frozen=True)
class Verdict:
    """Whether an ejected file computes what eager computes."""

    verdict: str
    """`pass` or `fail`."""
    errors: Mapping[str, float]
    """The worst case's errors, keys as in `Case.errors`."""
    limit: float
    """The largest error allowed in that worst case."""
    cases: tuple[Case, ...]
    device: str
    """`NVIDIA H200`, or `Triton's interpreter on the CPU`."""
    notes: tuple[str, ...] = ()
    judged_sha256: str = ""
    """Of what judged it: reference, inputs and baseline, as the ejected file's header has it. Who does not trust an editor compares."""


@dataclass(frozen=True)
class ReplayedLaunch:
    """One launch of a captured module that was run again."""

    kernel: str
    """The kernel's id."""
    name: str
    graph: str
    line: int
    """1-based, in the graph's module."""
    grafted: bool
    """Whether a hand kernel ran in place of the generated one."""
    verdict: str
    """`pass`; `fail`: it does not compute what its reference does of what it was given; `unknown`: it has no reference."""
    errors: Mapping[str, float]
    """The largest distance from float64 of what it wrote and of what eager makes of the same inputs, `hand` and `eager`."""
    message: str
    """Why it fails, or why nothing is known."""
    buffers: Mapping[str, str]
    """What it wrote -> `pass`, or how it differs from the node of the graph whose value it is; what is no node's value is not here."""
    microseconds: Mapping[str, float] = field(default_factory=dict)
    """On the card, within the step: `generated`, and `grafted` in the step with hand kernels; empty without a GPU."""


@dataclass(frozen=True)
class ReplayedGraph:
    """One graph of a captured module that was run again."""

    graph: str
    inputs: str
    """`kept`: as the program had them; `statistics`: drawn by the seed, as the program's were on the whole; `drawn`: by the seed alone."""
    outputs: Mapping[str, str]
    """Output -> `pass`, or how it differs from the graph in eager PyTorch."""
    errors: Mapping[str, float]
    """Output -> its largest distance from float64, a part of the largest exact value; whole numbers have none."""
    step: Mapping[str, Timing] = field(default_factory=dict)
    """The whole graph's time on the card as a CUDA graph: `generated`, and `grafted` with hand kernels; empty without a GPU."""
    program: Mapping[str, str] = field(default_factory=dict)
    """Output -> `pass`, or how what the program computed differs from the graph in eager PyTorch, on the program's own inputs; none where they
    were not kept, or the graph draws random numbers."""


@dataclass(frozen=True)
class Replay:
    """A captured module, run launch by launch beside eager."""

    verdict: str
    """`pass` or `fail`."""
    first: str
    """The first launch that departs, `kernel:3 at line 187 of 0_inference`; empty for none."""
    device: str
    seed: int
    graphs: tuple[ReplayedGraph, ...]
    launches: tuple[ReplayedLaunch, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grafted:
    """What became of one hand kernel in a model of the user's own."""

    file: str
    kernel: str
    """The generated kernel whose place it takes."""
    body_sha256: str
    launches: int
    recorded: int
    """Those of the launches that a CUDA graph recorded: what it replays is not counted."""
    devices: Mapping[str, int]
    """Device -> launches, `cuda:0`."""
    passed_over: int
    """Launches of the body that the generated kernel did, because the sizes were others than the file's."""
    message: str
    """Why the generated kernel ran; empty where it did not."""


@dataclass(frozen=True)
class Status:
    """Whether an ejected file is still what its capture says."""

    file: str
    state: str
    """`fresh`; `stale`: the capture holds another kernel now, or another reference for it, or a merge left conflicts in the file;
    `unknown`: there is no such capture."""
    edited: bool
    kernel: str
    """The kernel's id now; empty where there is none."""
    changes: tuple[str, ...]
    """What changed, and how to merge it, a sentence each; versions and the card too, which alone make no file stale."""


@dataclass(frozen=True)
class MachineCode:
    """What Triton's compiler made of one kernel for one target."""

    kernel: str
    gpu: str
    arch: str
    registers: int | None
    """Registers a thread; None where the target's tools do not tell."""
    spills: int | None
    """Bytes of local memory (stack) a thread."""
    shared_memory: int
    """Bytes a program."""
    num_warps: int
    loads: Mapping[str, int] = field(default_factory=dict)
    """Count of each global load instruction, `LDG.E.128: 2`."""
    stores: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    """The constexprs it was compiled with."""


@dataclass(frozen=True)
class Timing:
    """Time of one kernel, in microseconds."""

    median: float
    interval: tuple[float, float]
    """95 % bootstrap interval of the median."""
    samples: int
    bytes_per_second: float | None
    """Counted traffic over the median."""


@dataclass(frozen=True)
class PerfDiff:
    """The hand kernel against the generated one."""

    verdict: str
    """`faster`, `slower`, `same` or `inconclusive`; without a GPU `inconclusive`, no time was measured."""
    ratio: float | None
    """generated time / hand time: above 1 the hand kernel is faster. None when no time was measured."""
    ratio_interval: tuple[float, float] | None
    noise: float | None
    """Half-width of the ratio when the generated kernel is compared with itself (A/A)."""
    hand: Mapping[str, object]
    """`timing` and `machine` of the hand kernel, where measured."""
    generated: Mapping[str, object]
    device: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """One configuration of a kernel's launch."""

    settings: Mapping[str, int]
    """Blocks, warps and stages."""
    outcome: str
    """`chosen`; `timed`; `ranked`: by the static facts alone; `refused`: it does not verify; `dropped`: never timed."""
    why: str = ""
    """Why it was dropped or refused."""
    registers: int | None = None
    spills: int | None = None
    shared_memory: int | None = None
    programs: int | None = None
    occupancy: float | None = None
    """The part of the card's warps that are there at once."""
    width: int | None = None
    """Bits of its widest load."""
    timing: Timing | None = None
    """Of the longest round that it was in."""


@dataclass(frozen=True)
class Tuning:
    """A sweep over the configurations of an ejected file."""

    verdict: str
    """`faster`: one was found and verifies; `same`: the present one stays; `refused`: what is faster does not verify; `untimed`."""
    file: str
    device: str
    timed: bool
    present: Mapping[str, int]
    """The configuration that the file had."""
    best: Mapping[str, int]
    """The one that was chosen: the present one where no other is better."""
    before: Timing | None
    after: Timing | None
    ratio: float | None
    """Time under the present configuration / under the best one, of paired rounds."""
    ratio_interval: tuple[float, float] | None
    noise: float | None
    """Half-width of the ratio when the present one is compared with itself (A/A)."""
    written: bool
    """Whether the file was changed."""
    candidates: tuple[Candidate, ...]
    """The best first, what was dropped last."""
    resumed: int
    """Results that an earlier run had left."""
    left_out: int
    """Configurations beyond the limit."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelPair:
    """The kernel of each capture that computes the same thing."""

    a: Kernel
    b: Kernel
    similarity: float
    """0 to 1: how alike are what they compute, from which lines, and where they stand; 1 for the same body."""
    diff: tuple[str, ...] = ()
    """Unified diff of signature and body, temporaries renumbered; empty when they are the same."""


@dataclass(frozen=True)
class FusionChange:
    """Operations that are cut into kernels in another way."""

    kind: str
    """`split` (one kernel became several), `fused` (several became one) or `moved`."""
    a: tuple[Kernel, ...]
    b: tuple[Kernel, ...]
    nodes: tuple[str, ...]
    """The ATen nodes concerned, by their names in `b`."""
    source: tuple[SourceLine, ...]
    """The user's lines that these nodes come from, as `b` has them."""


@dataclass(frozen=True)
class ExternChange:
    """A library call that one capture makes more often than the other."""

    target: str
    a: int
    b: int


@dataclass(frozen=True)
class Comparison:
    """Two captures, aligned: `a` is the old one, `b` the new one."""

    a: Capture
    b: Capture
    same: tuple[KernelPair, ...]
    """One body in both; how often it is launched may differ."""
    changed: tuple[KernelPair, ...]
    added: tuple[Kernel, ...]
    """In `b` only."""
    removed: tuple[Kernel, ...]
    """In `a` only."""
    fusions: tuple[FusionChange, ...]
    extern_calls: tuple[ExternChange, ...]

    @property
    def relaunched(self) -> tuple[KernelPair, ...]:
        """Kernels with the same body and another number of launches."""
        return tuple(pair for pair in self.same if len(pair.a.launches) != len(pair.b.launches))

    @property
    def differs(self) -> bool:
        """Whether anything but the captures' names and versions differs."""
        found = (self.changed, self.added, self.removed, self.relaunched, self.fusions, self.extern_calls)
        return any(found)
