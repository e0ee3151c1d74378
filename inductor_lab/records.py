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
    phases: tuple[str, ...] = ()
    """Of its launches, each once: `forward`, `backward`, `optimizer`, `inference`."""


@dataclass(frozen=True)
class Listed:
    """A kernel's row in a catalog: what a list says of it, and what it may be chosen by."""

    id: str
    name: str
    title: str
    recognised: tuple[str, ...]
    category: str
    body_sha256: str
    graph: str
    graphs: tuple[str, ...]
    """Every graph that defines or launches it."""
    kinds: tuple[str, ...]
    """What its launches are part of: `forward`, `backward`, `optimizer`, `inference`, `unknown`."""
    launches: int
    moved: int | None
    """Bytes that its first launch reads and writes; None where they can not be counted."""
    least: bool
    """Whether that is only the least, as of a template's product."""
    bytes: int | None
    """What all its launches move; None where one of them can not be counted."""
    floor: float | None
    """Seconds that its first launch takes at least: by the card's roofline, and not less than a launch itself."""
    cost: float | None
    """Seconds that all its launches take at least."""
    ops: tuple[str, ...]
    source: tuple[str, ...]
    """`models.py:31`, the user's lines, the best first."""
    code: tuple[str, ...]
    """What stands in those lines."""


@dataclass(frozen=True)
class Called:
    """The library calls of one operator, as a catalog lists them beside the kernels."""

    name: str
    """`mm`, `convolution`."""
    calls: int
    bytes: int | None
    """The least that all move; None where one of them can not be counted."""
    cost: float | None
    """Seconds that all take at least."""


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


@dataclass(frozen=True)
class FusionStop:
    """A buffer that one generated kernel writes to memory and another reads again: where fusion stopped."""

    graph: str
    buffer: str
    """The wrapper's name where it is written."""
    type: TensorType | None
    bytes: int | None
    """Of the buffer: it is written once, and read once by this consumer."""
    producer: str
    """A kernel's id."""
    producer_line: int
    """Of the launch, in the graph's module."""
    consumer: str
    consumer_line: int
    reason: str
    """`cycle`, `template`, `added`, `reduction`, `sizes`, `order`, `mutation`, `limit` or `unknown`."""
    why: str
    """The same as a sentence, with its numbers."""


@dataclass(frozen=True)
class Note:
    """One remark on a kernel, tied to a line of its body (1-based) or to the whole kernel (0)."""

    line: int
    text: str
    kind: str = "explain"
    """`explain`, `traffic`, `hazard`, `launch`, `choices` (what the autotuner times), `claim`."""
    origin: str = ""
    """`aten.relu, models.py:36`: what a line came from; empty where that is not clear."""
    node: str = ""
    """The graph's node that the line computes, or whose value it loads or stores; empty where that is not clear."""


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
class Saving:
    """What hand kernels save of a graph's step, in microseconds: generated less grafted, so below 0 they cost."""

    step: float
    """Of the whole step as a CUDA graph: the median over paired rounds."""
    step_interval: tuple[float, float]
    noise: float
    """How far from 0 the same interval of the generated step against itself reaches (A/A)."""
    launches: float | None = None
    """Of the launches that have a hand kernel, by the profiler: what the step should save; None where it does not show them all."""
    launches_interval: tuple[float, float] | None = None


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
    saving: Saving | None = None
    """What hand kernels save of the step; None without any, or without a GPU."""


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
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Kind of instruction (`fp32`, `special functions`, `barriers`) -> how many stand in the code; empty for a target whose code is not read so."""
    loops: bool | None = None
    """Whether some of them run more than once: then the counts are not of what runs."""


@dataclass(frozen=True)
class CompiledCode:
    """One kernel at one stage of its compilation for one card, with the line of the kernel that each of its lines is from."""

    stage: str
    """`ttir`, `ttgir`, `ptx`, `sass`, `amdgcn`; empty where it was not compiled at all."""
    gpu: str
    text: str
    """Without the remarks that only tell lines."""
    lines: tuple[int, ...] = ()
    """For each line of `text`, the line of the kernel's body (1-based) that it is from; 0 where none is told."""
    missing: str = ""
    """Why there is no text."""


@dataclass(frozen=True)
class Timing:
    """Time of one kernel, in microseconds."""

    median: float
    interval: tuple[float, float]
    """95 % bootstrap interval of the median."""
    samples: int
    bytes_per_second: float | None
    """Counted traffic over the median."""
    quantiles: tuple[float, float] | None = None
    """A tenth of the samples is below the first, a tenth above the second."""
    launch: str = "bare"
    """`bare` from Python, or `graph`, from a CUDA graph."""
    cache: str = "cold"
    """The L2 cache before each sample: `cold` or `warm`."""
    profiled: float | None = None
    """Microseconds that its kernels run by CUPTI, where a profiler was asked for and saw them."""
    conditions: Mapping[str, object] = field(default_factory=dict)
    """Of a kernel that was timed alone, as of a comparison."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ceiling:
    """The most that a card does of one thing, measured."""

    name: str
    """`copy`, or the precision of a product: `bf16`, `tf32`, `fp32`."""
    per_second: float
    """Bytes read and written, or floating-point operations."""
    what: str
    """What was run."""
    microseconds: float
    """The median of one run."""


@dataclass(frozen=True)
class Roofline:
    """Where a kernel stands under a card's ceilings. Bytes and operations are the generated kernel's, each element once."""

    bytes: int
    flops: int | None
    """None where they are not counted."""
    intensity: float | None
    """Operations for each byte."""
    bytes_per_second: float | None
    """None where no time was measured."""
    flops_per_second: float | None
    bytes_share: float | None
    """Of the copy's rate."""
    flops_share: float | None
    """Of the product's rate in the precision that the kernel computes in."""
    wall: str
    """`memory` or `arithmetic`, which of them would be reached first; empty where it is not known."""
    precision: str = ""
    """The ceiling by which operations are held: `bf16`, `tf32`, `fp32`."""


@dataclass(frozen=True)
class Residency:
    """How one launch fills a card."""

    programs: int
    held: int
    """Programs that one multiprocessor holds at once."""
    limit: str
    """What keeps it from holding more: `registers`, `shared memory`, `threads` or `programs`."""
    occupancy: float
    """The part of the card's warps that are there at once."""
    waves: float
    """Programs over those that the whole card holds at once."""


@dataclass(frozen=True)
class StepEffect:
    """What the edit of one kernel is worth in a captured model: one run of all its graphs."""

    capture: str
    kernel: str
    """The kernel's id there."""
    verdict: str
    """`faster` or `slower` beyond `margin`, else `same`; `untimed` where there is no time: shares are of bytes, an estimate."""
    launches: int
    all_launches: int
    """Of all generated kernels."""
    bytes: int | None
    """What its launches move, each by its own shapes; None where one can not be counted."""
    all_bytes: int
    """What the launches of all generated kernels move, as far as it can be counted."""
    uncounted: int = 0
    """Launches whose bytes can not be counted."""
    share: float | None = None
    """The kernel's part of the step's time; `untimed`, of the bytes that generated kernels move."""
    microseconds: Mapping[str, float] = field(default_factory=dict)
    """Its launches together within the step, by the profiler: `generated` and `grafted`."""
    step: Mapping[str, float] = field(default_factory=dict)
    """The step in microseconds: `generated` and `grafted`."""
    expected: float | None = None
    """Microseconds that its launches save by the profiler: what the step should save."""
    expected_interval: tuple[float, float] | None = None
    saved: float | None = None
    """Microseconds that the step saves end to end."""
    saved_interval: tuple[float, float] | None = None
    noise: float | None = None
    """Of `saved`, by the generated step against itself (A/A)."""
    margin: float | None = None
    """A saving up to this is none: the noise, 1 % of what the launches take, or what the clock can not tell apart in each of them."""
    agreement: str = ""
    """`agrees`; `more` or `less` where the step saves more, or less, than its launches beyond what both leave open; empty where one is unknown."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paired:
    """The hand kernel against one other, timed in the same rounds, each under a configuration that is stated."""

    name: str
    """Who it is held against: `matched`, `best`, or a contestant: `eager`, `max-autotune`, `other.py`."""
    verdict: str
    """`faster`, `slower`, `same` or `inconclusive`, of the hand kernel; `refused` where the other is wrong or does not run."""
    ratio: float | None = None
    """The other's time / hand time: above 1 the hand kernel is faster. None for what was refused."""
    interval: tuple[float, float] | None = None
    noise: float | None = None
    """Half-width of the ratio when the other is compared with itself (A/A)."""
    margin: float | None = None
    hand: Timing | None = None
    timing: Timing | None = None
    """The other's."""
    hand_settings: Mapping[str, int] = field(default_factory=dict)
    """Blocks, warps and stages of the hand kernel."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """The other's, where it states them."""
    notes: tuple[str, ...] = ()


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
    """`timing`, `machine`, `residency` (a Residency for each launch), `roofline` and `profiled` of the hand kernel, where known."""
    generated: Mapping[str, object]
    device: str
    notes: tuple[str, ...] = ()
    margin: float | None = None
    """A difference up to this is none: the noise, 1 %, or what the clock can not tell apart in a kernel so short."""
    conditions: Mapping[str, object] = field(default_factory=dict)
    """How it was measured: `launch`, `cache`, `rounds`, `seed`, what launching cost and was taken off (`overhead`, us), and the card `before` and
    `after`: clocks, temperature, power, why it ran slower."""
    settings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """`hand` and `generated`: the blocks, warps and stages that each states and was compared under."""
    matched: Paired | None = None
    """Both under the generated kernel's configuration: is the code better? None where the hand kernel can not take it, or without a GPU."""
    best: Paired | None = None
    """Each under the best configuration that a sweep found: is it worth it? None unless asked for."""
    against: tuple[Paired, ...] = ()
    """Other contestants, where asked for."""
    because: tuple[str, ...] = ()
    """What most likely explains the difference, the strongest reason first; without a time, what differs."""
    ceilings: tuple[Ceiling, ...] = ()
    """What this card does at most, measured in the same run."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """`source`, `ttgir`, `ptx`, `sass` -> unified diff of the generated kernel's against the hand kernel's; empty where nothing differs."""
    step: StepEffect | None = None
    """What the edit is worth in the step of a captured model, where one was named."""


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
class Kept:
    """One result of an ejected file, as it was kept: a line of `results.jsonl`."""

    kind: str
    """Which record `result` is: `verdict`, `timing`, `diff` or `tuning`."""
    date: str
    """ISO 8601, UTC."""
    file: str
    """As it was typed."""
    file_sha256: str
    """Of the text that was measured, a .cu beside it included."""
    body_sha256: str
    """Of the kernel that the file was ejected from."""
    kernel: str
    """Its name, and of which capture: `triton_poi_fused_relu_0 of lora_mlp`."""
    device: str
    versions: Mapping[str, str]
    """torch, triton, inductor_lab, Python."""
    result: Mapping[str, object]
    """The record's document; how it was measured is in it."""


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
