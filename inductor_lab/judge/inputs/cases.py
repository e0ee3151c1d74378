"""The cases a kernel is tried on, by effort: kinds of inputs, seeds, blocks, sizes, and inputs kept in a file."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from inspect import signature
from pathlib import Path
from types import ModuleType

import torch

from inductor_lab import kept
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.inputs import families

NAMED = 4
"""Blocks that a case's name holds: a span has some of each kernel."""
LARGE = 1 << 20
"""Elements of a tensor with room for much at once; all tensors together have four times as many."""
STEPS = 3
"""Steps of a loop at least: in the first it begins, and in the second it carries what it has."""
OWN_BLOCKS = "its own blocks"
"""The case of a launch as it is written, which the interpreter is slow at."""
REAL = "as in the program"
"""The case of the inputs that a launch was given when it was captured."""
MASKED = {
    "everything masked": "ignored",
    "nothing masked": "taken",
    "nothing but -inf": "lowest",
    "nothing but inf": "highest",
}
"""Cases in which no row is as most are, and their families."""
DRAWN = (
    ("each term in turn, by rows", "terms", "rows"),
    ("groups of every kind", "every kind", "groups"),
    ("each tensor of another kind", "finite", "whole"),
    ("outliers, by rows", "outliers", "rows"),
    ("0, 1 and large numbers, by rows", "saturated", "rows"),
    ("odd values, by groups", "odd values", "groups"),
    ("infinities, by groups", "infinite", "groups"),
    ("each term in turn, by tensors", "terms", "whole"),
    ("outliers, by columns", "outliers", "columns"),
    ("runs that are masked", "masks", "runs"),
    ("infinities, by tensors", "infinite", "whole"),
    ("each term in turn, by columns", "terms", "columns"),
    ("runs of every kind", "every kind", "runs"),
    ("0, 1 and large numbers, by tensors", "saturated", "whole"),
    ("outliers, by groups", "outliers", "groups"),
    ("groups that are masked", "masks", "groups"),
    ("odd values, by tensors", "odd values", "whole"),
    ("each term in turn, by groups", "terms", "groups"),
    ("outliers, by tensors", "outliers", "whole"),
    ("0, 1 and large numbers, by columns", "saturated", "columns"),
    ("odd values, by columns", "odd values", "columns"),
)
"""Cases that are drawn anew each time: (name, mix, layout)."""
ELEMENTS, ON_A_CARD, FEWEST_DRAWS = 1 << 23, 1 << 26, 6
"""So many are drawn as work through these elements together, at least these, at most each twice."""
DRAWING = 4.0
"""Seconds, about, that they take together."""


@dataclass(frozen=True)
class Asked:
    """What the user asked of one file."""

    effort: str = "default"
    seeds: int = 2
    seed: int | None = None
    """What the seeds that nobody can know begin at, to run the same again; None to draw it."""
    case: str = ""
    """The only case to run; empty for all."""
    inputs: str = ""
    """A file of saved inputs to run instead."""
    save: str = ""
    """Where the smallest inputs that fail are written."""
    fail_fast: bool = False
    """The first case that fails is the last, and nothing is asked about it."""
    limit: float | None = None
    """Seconds that a launch may take; None for two minutes, or for much longer than the generated kernel takes."""


@dataclass(frozen=True)
class Plan:
    """One case, before it is run."""

    name: str
    family: str
    """How its inputs are drawn: a family of `families`, or a mix of them."""
    seed: int
    blocks: Mapping[str, int] = field(default_factory=dict)
    """What the launch passes; empty for the file's own."""
    generated: Mapping[str, int] = field(default_factory=dict)
    """What Inductor's kernel gets instead of what it else has here, so that its sums and products overflow where the kernel's do."""
    doubled: bool = False
    """Where the launcher knows no such blocks: its own, times two."""
    layout: str = "rows"
    """Which elements are of one family, of a mix."""
    sizes: Mapping[str, int] | None = None
    boundaries: bool = False
    """Inputs are moved onto what the kernel compares."""
    measured: bool = True
    """False where a kernel that leaves to the bit what the generated one does passes at once: how far both are from float64 is known."""
    sampled: bool = False
    """Where the launch has many programs, some of them run alone, under the file's own blocks; `blocks` are for where all have to."""
    choice: int = 0
    """Which of its configurations an autotuned kernel runs, where nothing is timed."""
    only: str = ""
    """The one output that is held to what is right; empty for all."""

    @property
    def is_extreme(self) -> bool:
        """Whether there are other values than normal ones: among them eager itself may overflow."""
        return self.family != "normal" or self.boundaries


@dataclass(frozen=True)
class Time:
    """What there is time for in the interpreter."""

    long: bool = False
    """Each case takes seconds, so that there are few, and some programs run in each."""
    whole: bool = True
    """There is time for a case in which all programs run."""
    own: bool = True
    """There is time for the launcher's own blocks."""
    seconds: float = 0.0
    """About so many a case takes."""


def asked_plans(path: Path, file: ModuleType, asked: Asked, time: Time) -> list[Plan]:
    """The cases that the user asked for.

    Args:
        path: Where the file stands, for the error.

    Raises:
        LabError: no case is called so.
    """
    drawn = asked.seed if asked.seed is not None else 1000 + secrets.randbelow(10**6)
    found = list(plans(file, asked.effort, asked.seeds, drawn, time))
    wanted = asked.case
    if not wanted:
        return found
    if wanted.startswith("seed ") and wanted[5:].partition(",")[0].isdecimal():
        return [Plan(wanted, "normal", int(wanted[5:].partition(",")[0]), found[0].blocks)]
    more = list(plans(file, "thorough", asked.seeds, drawn, time))
    name, _, seed = wanted.rpartition(", seed ")
    if seed.isdecimal() and name:  # it was drawn, in a run before this one
        like = [plan for plan in more if plan.name.startswith(f"{name}, seed ")]
        more = [replace(plan, name=wanted, seed=int(seed)) for plan in like][:1]
    chosen = [plan for plan in more if plan.name == wanted]
    if not chosen:
        real = [REAL] if getattr(file, "REAL", "") else []
        names = ", ".join([*real, *(plan.name for plan in found)])
        raise LabError(f"There is no case {wanted!r} of {path}; it has: {names}.")
    return chosen


def plans(file: ModuleType, effort: str, seeds: int, drawn: int, time: Time) -> Iterator[Plan]:
    """Every case of a file, each with another configuration of a kernel that is autotuned.

    Args:
        time: What there is time for.
        seeds: How many draws of normal values, the one of just now included.
        drawn: A seed that nobody could know.
    """
    tell = _few if time.long and effort != "thorough" else _plans
    for choice, plan in enumerate(tell(file, effort, seeds, drawn, time)):
        yield replace(plan, choice=choice, measured=plan.seed in (0, drawn) and plan.family == "normal")


def _plans(file: ModuleType, effort: str, seeds: int, drawn: int, time: Time) -> Iterator[Plan]:
    blocks, half, tail = blocks_of(file)
    steps, stepping = {**blocks, **several_steps(file)}, several_steps(file, "launch_generated")
    halved = halves(file.INTERPRETER["launch_generated"])
    for seed in range(max(seeds - 1, 1)):
        yield Plan(f"seed {seed}", "normal", seed, blocks)
    yield Plan("rows of every kind", "every kind", 101, steps, generated=stepping)
    yield Plan("on every boundary", "normal", 103, steps, generated=stepping, boundaries=True)
    if effort != "quick":
        yield Plan("columns of every kind", "finite", 102, steps, generated=stepping, layout="columns")
        yield Plan("edge values", "edges", 109, steps, generated=stepping)
        yield Plan("small whole numbers", "exact", 105, steps, generated=stepping)
        for number, (name, family) in enumerate(MASKED.items()):
            yield Plan(name, family, 111 + number, steps, generated=stepping)
    if alone.INTERPRETING and (time.own or effort == "thorough"):
        yield Plan(OWN_BLOCKS, "normal", 106, own_blocks(file), sampled=effort != "thorough")
    if half != blocks:
        yield Plan("half the blocks", "normal", 110, half, generated=halved)
    for sizes in getattr(file, "OTHER_SIZES", ()):
        name = "sizes " + ", ".join(f"{name}={size}" for name, size in sizes.items())
        yield Plan(name, "normal", 107, blocks, sizes=sizes)
    if tail:
        yield Plan(_tail(tail), "normal", 108, {**blocks, **tail}, doubled=True)
    if effort == "thorough":
        for number, family in enumerate(families.FAMILIES):
            yield Plan(f"all {family}", family, 200 + number, blocks)
    if effort != "quick":
        room = (ELEMENTS if alone.INTERPRETING else ON_A_CARD) // max(sum(_sizes(file)), 1)
        room = min(room, int(DRAWING / max(time.seconds, 1e-3)))
        fitting = min(max(room, FEWEST_DRAWS), 2 * len(DRAWN))
        rounds = 3 * len(DRAWN) if effort == "thorough" else fitting
        for number in range(rounds):
            name, family, layout = DRAWN[number % len(DRAWN)]
            seed = drawn + 1 + number
            if number % 2:
                yield Plan(f"{name}, seed {seed}", family, seed, blocks, layout=layout)
            else:
                yield Plan(f"{name}, seed {seed}", family, seed, steps, generated=stepping, layout=layout)
    if not alone.INTERPRETING:  # programs that race have another order each time
        for word in ("again", "and again"):
            yield Plan(f"seed 0, {word}", "normal", 0, blocks)
    yield Plan(f"seed {drawn}, drawn now", "normal", drawn, blocks)


def _few(file: ModuleType, effort: str, seeds: int, drawn: int, time: Time) -> Iterator[Plan]:
    """The cases of a file of large tensors in the interpreter: each kind of inputs for some programs, and all programs at once."""
    blocks, half, tail = blocks_of(file)
    halved = halves(file.INTERPRETER["launch_generated"])
    for seed in range(1, max(seeds - 1, 1)):
        yield Plan(f"seed {seed}", "normal", seed, blocks, sampled=True)
    yield Plan(f"seed {drawn}, drawn now", "normal", drawn, blocks, sampled=True)
    yield Plan("rows of every kind", "every kind", 101, half, generated=halved, sampled=True)
    if effort == "quick":
        return
    yield Plan("on every boundary", "normal", 103, blocks, boundaries=True, sampled=True)
    yield Plan("columns of every kind", "finite", 102, blocks, layout="columns", sampled=True)
    yield Plan("edge values", "edges", 109, blocks, sampled=True)
    yield Plan("rows that are masked", "masks", 111, blocks, sampled=True)
    yield Plan("each term in turn, by groups", "terms", 115, blocks, layout="groups", sampled=True)
    name = f"small whole numbers, {_tail(tail)}" if tail and time.whole else "small whole numbers"
    yield Plan(name, "exact", 105, {**blocks, **tail}, doubled=bool(tail), sampled=not time.whole)


def is_large(file: ModuleType) -> bool:
    """Whether a file's tensors are so large that drawing and comparing them takes long."""
    return max(_sizes(file)) >= LARGE or elements(file) >= 4 * LARGE


def elements(file: ModuleType) -> int:
    """Of all arguments together."""
    return sum(_sizes(file))


def total_bytes(file: ModuleType) -> int:
    """Bytes of all arguments together."""
    return sum(math.prod(shape) * dtype.itemsize for shape, _, dtype, *_ in file.ARGUMENTS.values())


def _sizes(file: ModuleType) -> list[int]:
    """Elements of each argument."""
    return [int(math.prod(spec[0])) for spec in file.ARGUMENTS.values()]


# ------------------------------------------------------------ blocks


def blocks_of(file: ModuleType) -> tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]]:
    """What a launch passes here; half of it, for several programs with several rows each; what leaves the last program partly outside."""
    blocks = file.INTERPRETER["launch"] if alone.INTERPRETING else {}
    return blocks, halves(blocks), file.TAIL["interpreter" if alone.INTERPRETING else "gpu"]


def halves(blocks: Mapping[str, int]) -> Mapping[str, int]:
    """Half of each block that is larger than 2."""
    return {name: value // 2 if "BLOCK" in name and value > 2 else value for name, value in blocks.items()}


def several_steps(file: ModuleType, launch: str = "launch") -> Mapping[str, int]:
    """Blocks under which each loop along a row takes several steps, the last of them partly outside: what it carries meets every kind.

    On a card none larger than Inductor's own, under which the kernel is known to compile.
    """
    if _share_rows(file.launch_generated):
        return {}
    numbers, names = file.ORIGIN.get("numbers", {}), file.ORIGIN.get("blocks", {})
    sizes = getattr(file, "SIZES", {})
    found = {}
    for block in names:
        told = numbers.get(f"{block.removesuffix('_BLOCK').removesuffix('BLOCK').lower()}_numel", "")
        size = int(sizes.get(told, told)) if str(sizes.get(told, told)).isdecimal() else 0
        name = names[block] if launch == "launch" else block
        if block.startswith("R") and size > 1 and name in file.INTERPRETER[launch]:
            several = 1 << (max(size // STEPS, 1).bit_length() - 1)
            if not alone.INTERPRETING:
                several = min(several, signature(file.launch_generated).parameters[block].default)
            found[name] = several
    return found


def _share_rows(launch: Callable[..., object]) -> bool:
    """Whether a launch has one program for each block of a row, and memory in which these meet: as much as its own blocks need (a split scan)."""
    return "zeros" in launch.__code__.co_names and "RSPLIT" not in signature(launch).parameters


def own_blocks(file: ModuleType, launch: str = "launch") -> Mapping[str, int]:
    """What a launch passes here that leaves its blocks as they are written."""
    return (
        {name: value for name, value in file.INTERPRETER[launch].items() if "BLOCK" not in name}
        if alone.INTERPRETING
        else {}
    )


def _tail(tail: Mapping[str, int]) -> str:
    if len(tail) > NAMED:
        return f"tail, {len(tail)} blocks"
    return "tail, " + ", ".join(f"{name}={block}" for name, block in tail.items())


# ------------------------------------------------------------ inputs in a file


def real_inputs(path: Path, module: ModuleType) -> tuple[Plan, dict[str, torch.Tensor]] | None:
    """What the launch was given in the program, where the ejected file says that a file beside it holds that.

    Raises:
        LabError: it is not there, or holds something else.
    """
    name = getattr(module, "REAL", "")
    if not name:
        return None
    file = path.with_name(Path(name).name)
    if not file.is_file():
        raise LabError(
            f"{file} is missing, what the launch was given in the program: put it back beside {path.name}, eject again with "
            '--inputs real, or set REAL = "" in the file'
        )
    _, plan, values = load_inputs(file, module)
    return replace(plan, name=REAL, blocks=blocks_of(module)[0]), values


def save_inputs(file: Path, kernel: Path, plan: Plan, values: Mapping[str, torch.Tensor], message: str) -> None:
    """Write the inputs of a case.

    Raises:
        LabError: it can not be written.
    """
    try:
        kept.write(file, {"kernel": kernel.name, "message": message, "plan": asdict(plan)}, values)
    except OSError as error:
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name with --save.") from error


def load_inputs(file: Path, module: ModuleType) -> tuple[str, Plan, dict[str, torch.Tensor]]:
    """(what the case is called, its plan, its inputs).

    Raises:
        LabError: the file holds no saved inputs, or those of another kernel.
    """
    try:
        head, values = kept.read(file)
        plan = Plan(**head["plan"])
    except kept.BROKEN as error:
        raise LabError(f"{file} holds no inputs that `verify --save` wrote.") from error
    for name, value in values.items():
        shape, _, dtype, *_ = module.ARGUMENTS.get(name, ((), (), None))
        if (tuple(value.shape), value.dtype) != (tuple(shape), dtype):
            raise LabError(f"{file} holds inputs of another kernel: {name} is {value.dtype} of {list(value.shape)}")
    return f"{plan.name}, from {file.name}", plan, values
