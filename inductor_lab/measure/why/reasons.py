"""What makes one kernel slower than another: rules in the order of their strength, and the sentences that tell what they found. Pure.

A rule is asked of both kernels, each summed over its launches (`Side`), whether `one` is worse than `other`; it answers with what `one` does, a phrase for
"the hand kernel ...", or with nothing. `because` tells it so that it does not say more than the times do:

    spills(hand, generated, card) -> "spills 96 bytes a thread to local memory, the other none"
                                  -> "Most likely slower because the hand kernel spills 96 bytes a thread to local memory, the other none."
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from inductor_lab.gpus import Card, warp_size
from inductor_lab.machine.instructions import kind_of, width
from inductor_lab.quantity import plural, size
from inductor_lab.records import MachineCode, Residency

UNSIZED = ("UTMA", "UBLKCP")
"""Bulk copies: their names tell no width."""


@dataclass(frozen=True)
class Side:
    """One kernel of a comparison, summed over its launches: what the compiler made of it, and how it fills the card."""

    codes: tuple[MachineCode, ...]
    residency: tuple[Residency, ...] = ()
    """A record for each of `codes`; none where the programs are not known."""

    @property
    def spills(self) -> int | None:
        """The most that a launch spills, bytes a thread; None where one does not tell."""
        found = [code.spills for code in self.codes if code.spills is not None]
        return max(found) if found and len(found) == len(self.codes) else None

    def accesses(self, kind: str) -> Counter[str]:
        """Instruction -> how often it stands in the code, for `loads` or `stores`; atomics are neither."""
        found: Counter[str] = Counter()
        for code in self.codes:
            counts: Mapping[str, int] = getattr(code, kind)
            found.update({name: n for name, n in counts.items() if kind_of(name) != "global atomics"})
        return found

    def width(self, kind: str) -> float | None:
        """Bits of one access on average; None where none is told. Of a kernel whose programs are not known the widest: its last elements have
        narrow accesses of their own."""
        found = self.accesses(kind)
        if not found or any(name.startswith(UNSIZED) for name in found):
            return None
        if not self.residency:
            return max(map(width, found))
        return sum(width(name) * n for name, n in found.items()) / found.total()

    @property
    def straight(self) -> bool:
        """Whether the counts in the code times the programs are what runs, at most: no loop, and the programs known."""
        return bool(self.residency) and all(code.loops is False for code in self.codes)

    @property
    def asked(self) -> int | None:
        """Bytes that its loads and stores ask for, masked or not; None where that can not be told."""
        named = [*self.accesses("loads"), *self.accesses("stores")]
        if not self.straight or any(name.startswith(UNSIZED) for name in named):
            return None
        total = 0
        for code, threads in self._threads():
            total += threads * sum(width(name) * n for name, n in (*code.loads.items(), *code.stores.items())) // 8
        return total

    def instructions(self) -> Counter[str]:
        """Kind -> instructions: those that its warps run in one launch where it is straight, else those that stand in the code."""
        found: Counter[str] = Counter()
        for position, code in enumerate(self.codes):
            warps = code.num_warps * self.residency[position].programs if self.straight else 1
            found.update({kind: n * warps for kind, n in code.instructions.items()})
        return found

    def _threads(self) -> Iterator[tuple[MachineCode, int]]:
        for code, filled in zip(self.codes, self.residency, strict=True):
            yield code, code.num_warps * warp_size(code.arch) * filled.programs


Rule = Callable[[Side, Side, Card], str]

# The order of the rules and every number below were chosen, by what each can cost on a card, and not measured: no study says how often a
# sentence names the true cause. docs/why.md says so to whoever reads the sentences.
NARROWER = 1.5
MORE_BYTES = 1.2
MORE_INSTRUCTIONS = 1.1
IDLE = 1.25
TAIL = 1.15
"""Times the other's: from which on each is worth a sentence."""
FEW_WAVES = 4
"""Waves up to which the last one's idle multiprocessors are a visible part of the time."""
LESS_OCCUPIED, ENOUGH = 0.75, 0.5
"""Part of the other's occupancy below which it matters, and occupancy from which on it hardly does."""
ISSUE: dict[str, int] = {
    "global atomics": 32,
    "fp64": 2,
    "special functions": 8,
    "barriers": 8,
    "shuffles and votes": 4,
    "shared memory": 4,
    "conversions": 2,
}
"""About how many fp32 instructions one of them costs, to weigh kinds against each other: results for each clock and multiprocessor of compute capability
9.0 (CUDA C++ Programming Guide, arithmetic instructions: 128 fp32, 64 fp64, 16 special functions, 32 shuffles, 64 conversions); of atomics, barriers
and shared memory, which it does not list, a guess. Not measured."""
SHARE = 0.05
"""Of the other kernel's instructions: what an expensive kind must cost more, to be worth a sentence."""


def spills(one: Side, other: Side, card: Card) -> str:
    if one.spills is None or other.spills is None or one.spills <= other.spills:
        return ""
    return f"spills {one.spills} bytes a thread to local memory, the other {other.spills or 'none'}"


def narrower_loads(one: Side, other: Side, card: Card) -> str:
    return _narrower(one, other, "loads", "loads in narrower pieces")


def narrower_stores(one: Side, other: Side, card: Card) -> str:
    return _narrower(one, other, "stores", "stores in narrower pieces")


def _narrower(one: Side, other: Side, kind: str, does: str) -> str:
    mine: float | None
    theirs: float | None
    if bool(one.residency) != bool(other.residency):  # of one of them only the widest is told
        mine, theirs = (max(map(width, side.accesses(kind)), default=None) for side in (one, other))
    else:
        mine, theirs = one.width(kind), other.width(kind)
    if mine is None or theirs is None or mine * NARROWER > theirs:
        return ""
    return f"{does}: {_counted(one.accesses(kind))}, the other {_counted(other.accesses(kind))}"


def more_bytes(one: Side, other: Side, card: Card) -> str:
    if one.asked is None or not other.asked or one.asked < MORE_BYTES * other.asked:
        return ""
    return (
        f"asks for more bytes: its loads and stores for {size(one.asked)} at most, the other's for {size(other.asked)}"
    )


def more_launches(one: Side, other: Side, card: Card) -> str:
    if not (one.residency and other.residency) or len(one.codes) <= len(other.codes):
        return ""
    return f"launches {len(one.codes)} kernels, the other {len(other.codes)}"


def no_tensor_cores(one: Side, other: Side, card: Card) -> str:
    mine, theirs = (side.instructions()["tensor cores"] for side in (one, other))
    if mine or not theirs or not one.instructions():
        return ""
    return "multiplies without tensor cores, the other with them"


def few_programs(one: Side, other: Side, card: Card) -> str:
    mine, theirs = (min((r.programs for r in side.residency), default=None) for side in (one, other))
    if mine is None or theirs is None or mine >= card.processors:
        return ""
    if min(theirs, card.processors) < IDLE * mine:
        return ""
    return f"leaves {card.processor}s idle: {plural(mine, 'program')} for {card.processors}, the other {theirs:,}"


def tail_wave(one: Side, other: Side, card: Card) -> str:
    if not (one.residency and other.residency):
        return ""
    mine, theirs = (max(r.waves for r in side.residency) for side in (one, other))
    if not 1 < mine <= FEW_WAVES or _filled(mine) * TAIL > _filled(theirs):
        return ""
    return f"ends in a wave that is {mine % 1:.0%} full: {mine:.2f} waves of programs, the other {theirs:.2f}"


def _filled(waves: float) -> float:
    """The part of the time in which the card is full; all of it where one wave holds everything."""
    return waves / ceil(waves) if waves > 1 else 1.0


def lower_occupancy(one: Side, other: Side, card: Card) -> str:
    if not (one.residency and other.residency):
        return ""
    mine, theirs = (min(side.residency, key=lambda r: r.occupancy) for side in (one, other))
    if mine.occupancy >= ENOUGH or mine.occupancy > LESS_OCCUPIED * theirs.occupancy:
        return ""
    if not (why := _why_few_warps(one, mine) if mine.waves >= 1 or not few_programs(one, other, card) else ""):
        return ""
    return f"keeps fewer warps at work: {mine.occupancy:.0%} of what the card holds, by {why}, the other {theirs.occupancy:.0%}"


def _why_few_warps(one: Side, filled: Residency) -> str:
    """What leaves the card room for more; empty where it is full of programs or threads."""
    if filled.waves < 1:
        return plural(filled.programs, "program")
    code = one.codes[one.residency.index(filled)]
    reasons = {
        "registers": f"{code.registers} registers a thread",
        "shared memory": f"{size(code.shared_memory)} of shared memory a program",
    }
    return reasons.get(filled.limit, "")


def expensive_instructions(one: Side, other: Side, card: Card) -> str:
    mine, theirs = one.instructions(), other.instructions()
    if not mine or not theirs:
        return ""
    runs = one.straight and other.straight
    for kind, cost in ISSUE.items():
        more = mine[kind] - theirs[kind]
        if more > 0 and (more * cost >= SHARE * theirs.total() if runs else not theirs[kind]):
            return f"has more {kind}: {_number(mine, kind, runs)}, the other {_number(theirs, kind, runs)}"
    return ""


def more_instructions(one: Side, other: Side, card: Card) -> str:
    mine, theirs = one.instructions(), other.instructions()
    if not (one.straight and other.straight) or not theirs or mine.total() < MORE_INSTRUCTIONS * theirs.total():
        return ""
    most = max(mine, key=lambda kind: mine[kind] - theirs[kind])
    return f"runs {mine.total() / theirs.total() - 1:.0%} more instructions, most of them {most}"


def _number(found: Counter[str], kind: str, runs: bool) -> str:
    if not found[kind]:
        return "none"
    return f"{found[kind]:,} that its warps run" if runs else f"{found[kind]:,} in its code"


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(found.items()))


RULES: tuple[Rule, ...] = (
    spills,
    narrower_loads,
    narrower_stores,
    more_bytes,
    more_launches,
    no_tensor_cores,
    few_programs,
    tail_wave,
    lower_occupancy,
    expensive_instructions,
    more_instructions,
)


def because(verdict: str, timed: bool, hand: Side, generated: Side, card: Card) -> tuple[str, ...]:
    """The strongest reason first. Only what makes the slower kernel slower is told where the times say which that is."""
    found = list(_findings(hand, generated, card))
    if not timed:
        return tuple(f"The {which} kernel {what}." for which, what in found) or _nothing(
            hand, generated, "Nothing that was looked at differs enough to matter"
        )
    if verdict not in ("faster", "slower"):
        seen = (
            "and no difference in time is seen" if verdict == "same" else "and the times do not tell whether it matters"
        )
        return tuple(f"The {which} kernel {what}; {seen}." for which, what in found)
    slower = "generated" if verdict == "faster" else "hand"
    reasons = [what for which, what in found if which == slower]
    if not reasons:
        return _nothing(hand, generated, "Nothing that was looked at explains it")
    first, *others = reasons
    return (
        f"Most likely {verdict} because the {slower} kernel {first}.",
        *(f"Also, the {slower} kernel {what}." for what in others),
    )


def _nothing(hand: Side, generated: Side, said: str) -> tuple[str, ...]:
    """With what was looked at: what both sides tell. Nothing where that is nothing."""
    both = (hand, generated)
    looked = {
        "spills": all(side.spills is not None for side in both),
        "width of loads and stores": all(side.width("loads") or side.width("stores") for side in both),
        "bytes asked for": all(side.asked is not None for side in both),
        "launches, programs, occupancy": all(side.residency for side in both),
        "instructions by kind": all(side.instructions() for side in both),
    }
    known = [name for name, told in looked.items() if told]
    return (f"{said}: {', '.join(known)}.",) if known else ()


def _findings(hand: Side, generated: Side, card: Card) -> Iterator[tuple[str, str]]:
    """(which kernel, what it does worse than the other)."""
    if not hand.codes or not generated.codes:
        return
    for rule in RULES:
        if what := rule(hand, generated, card):
            yield "hand", what
        elif what := rule(generated, hand, card):
            yield "generated", what
