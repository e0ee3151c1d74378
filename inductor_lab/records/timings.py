"""Records of performance: machine code, occupancy, times, and comparisons of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict


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
    elements: int | None = None
    """Elements of a program's largest tensor; None for what Triton did not compile."""


@dataclass(frozen=True)
class CompiledCode:
    """One kernel at one stage of its compilation for one card, with the line of the kernel that each of its lines is from."""

    stage: str
    """`ttir`, `ttgir`, `llir`, `ptx`, `sass`, `amdgcn`; empty where it was not compiled at all."""
    gpu: str
    text: str
    """Without the remarks that only tell lines."""
    lines: tuple[int, ...] = ()
    """For each line of `text`, the line of the kernel's body (1-based) that it is from; 0 where none is told."""
    missing: str = ""
    """Why there is no text."""


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
class KernelTime:
    """One of the kernels that a span's launch runs."""

    kernel: str
    """As the card knows it: of a library's call the library's own name."""
    microseconds: float
    """By CUPTI, the median."""


@dataclass(frozen=True)
class Autotuned:
    """What Inductor's own autotuner made of a generated kernel on the card that it was timed on, just before."""

    settings: Mapping[str, int]
    """The configuration that it kept: blocks, warps and stages."""
    candidates: tuple[Mapping[str, int], ...]
    """All that its heuristics list for the card and that compile; the one kept is none of them where it was tuned further."""


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
    """`memory`, `arithmetic` or `special functions`, which of them would be reached first; empty where it is not known."""
    precision: str = ""
    """The ceiling by which operations are held: `bf16`, `tf32`, `fp32`."""


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
    """Who it is held against: `graph` or `bare`, `matched`, `best`, or a contestant: `eager`, `max-autotune`, `other.py`."""
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


class KernelSide(TypedDict, total=False):
    """What is known of one of both kernels of a comparison; what is not known has no key."""

    timing: Timing
    machine: tuple[MachineCode, ...]
    """Of each launch."""
    residency: tuple[Residency, ...]
    """Of each launch."""
    roofline: Roofline
    launches: tuple[KernelTime, ...]
    """Of a span, each kernel that ran, in order."""


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
    hand: KernelSide
    generated: KernelSide
    device: str
    notes: tuple[str, ...] = ()
    margin: float | None = None
    """A difference up to this is none: the noise, 1 %, or what the clock can not tell apart in a kernel so short."""
    conditions: Mapping[str, object] = field(default_factory=dict)
    """How it was measured: `launch`, `cache`, `rounds`, `seed`, what launching cost and was taken off (`overhead`, us), and the card `before` and
    `after`: clocks, temperature, power, why it ran slower. `autotuned`: an Autotuned of the generated kernel, where its autotuner was asked."""
    settings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """`hand` and `generated`: the blocks, warps and stages that each states and was compared under."""
    launched: Paired | None = None
    """Of a span both launched the other way: from CUDA graphs (`graph`) where the comparison itself is `bare`, for launches are what is saved."""
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
    lanes: float | None = None
    """The part of a program's threads that have an element of its largest tensor."""
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
