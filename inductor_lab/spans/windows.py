"""What one kernel in the place of consecutive steps would read, write, compute and wait for, for every window of steps.

    buf0 = x * 2; buf1 = buf0 @ w; y = relu(buf1)    the steps move x, buf0 twice, w, buf1 twice, y; one kernel moves x, w and y

A program can not go on with what another one has not written yet. Where a step needs all that an earlier one makes, as a product needs
whole rows of another product, all programs wait for each other: that is counted as a launch, and what they wait for goes through memory
all the same, as does what is read before and behind it. Steps that pass each other nothing run one after the other: neither hides the other's time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from inductor_lab.annotate.steps import between
from inductor_lab.costs.roofline import LAUNCH_SECONDS
from inductor_lab.gpus import Card
from inductor_lab.records import Kernel
from inductor_lab.records.span import Window
from inductor_lab.spans.weights import Barrier, Memory, Use, WeighedStep, Weights

WAITS = {"reduction", "sizes", "order", "added"}
"""Of the reasons of `annotate.steps` those for which a program needs what others make."""
NARROW = 128
"""Columns of a product's result that one program holds whole, so that it can go on with a second product."""


@dataclass
class _Held:
    """What a window has done to a memory so far."""

    reads: dict[int, dict[str, int]] = field(default_factory=dict)
    """How often all programs have waited -> view -> bytes that come from outside: what is read before and behind a wait is read twice."""
    writes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """View -> the step that wrote it last, and its bytes."""
    through: bool = False
    """Whether it goes through memory although it is used up inside."""
    charged: dict[int, int] = field(default_factory=dict)
    """Step -> bytes of it that go through memory, but for what it writes."""

    def charges(self, alive: bool) -> dict[int, int]:
        found = dict(self.charged)
        for place, count in self.writes.values() if alive or self.through else ():
            found[place] = found.get(place, 0) + count
        return found


@dataclass
class _Part:
    """Steps that a program does without waiting for others: their bytes move while they compute."""

    units: dict[str, float]
    moved: int = 0

    def take(self, other: _Part) -> None:
        self.moved += other.moved
        for unit, time in other.units.items():
            self.units[unit] = self.units.get(unit, 0.0) + time


class _Parts:
    """The steps of a window, put together as one program does them."""

    def __init__(self) -> None:
        self.of: dict[int, _Part] = {}
        self.into: dict[int, int] = {}

    def top(self, place: int) -> int:
        while self.into[place] != place:
            place = self.into[place]
        return place

    def add(self, place: int, step: WeighedStep, near: Iterable[int]) -> None:
        self.of[place], self.into[place] = _Part(dict(step.cost.units)), place
        for at in near:
            one, other = self.top(at), self.top(place)
            if one != other:
                self.of[one].take(self.of.pop(other))
                self.into[other] = one

    def needs(self, on: Card) -> dict[str, float]:
        """What needs so long -> the seconds, one part after the other."""
        found: dict[str, float] = {}
        for part in self.of.values():
            times = {**part.units, "memory": part.moved / on.reachable}
            longest = max(times, key=lambda unit: times[unit])
            found[longest] = found.get(longest, 0.0) + times[longest]
        return found


class Windows:
    """The windows of a function."""

    def __init__(self, of: Weights, on: Card) -> None:
        self.of, self.on = of, on
        self.places = {step.number: at for at, step in enumerate(of.steps) if isinstance(step, WeighedStep)}
        self.waited: dict[tuple[object, ...], bool] = {}

    def grown(self, first: int, most: int) -> Iterator[Window]:
        """The windows that begin at a step, the shortest first, up to what nothing can be moved across."""
        held: dict[str, _Held] = {}
        levels: dict[int, int] = {}
        products: dict[int, str] = {}
        parts = _Parts()
        apart, seconds, least = 0, 0.0, 0.0
        for place in range(first, min(first + most, len(self.of.steps))):
            step = self.of.steps[place]
            if isinstance(step, Barrier):
                return
            before = [(at, memory) for at, memory in self.edges(step) if at >= first]
            waits = {at: self.waits(at, step, memory, products[at]) for at, memory in before}
            levels[place] = max((levels[at] + waits[at] for at, _ in before), default=0)
            near = [at for at, _ in before if not waits[at] and levels[at] == levels[place]]
            products[place] = min(filter(None, (step.product, *(products[at] for at in near))), default="")
            parts.add(place, step, near)
            late = {use.base for at, _ in before if at not in near for use in self.step(at).uses if use.written}
            for base in dict.fromkeys(use.base for use in step.uses):
                uses, memory = [use for use in step.uses if use.base == base], self.of.memories[base]
                one = held.setdefault(base, _Held())
                old = one.charges(memory.alive(place - 1))
                _touch(one, uses, memory, place, levels[place], base in late)
                new = one.charges(memory.alive(place))
                for at in old.keys() | new.keys():
                    parts.of[parts.top(at)].moved += new.get(at, 0) - old.get(at, 0)
            apart += sum(use.read + use.written for use in step.uses)
            seconds, least = seconds + step.cost.seconds, least + step.cost.least
            needs, deepest = parts.needs(self.on), max(levels.values())
            needed, launch = sum(needs.values()), LAUNCH_SECONDS * (1 + deepest)
            limit = "launch" if launch > needed else max(needs, key=lambda unit: needs[unit])
            moved = sum(part.moved for part in parts.of.values())
            bound = max(needed, launch)
            yield Window(first, place, moved, apart, seconds, least, bound, limit, deepest, least - bound)

    def step(self, place: int) -> WeighedStep:
        """A step that is no wall."""
        found = self.of.steps[place]
        assert isinstance(found, WeighedStep)
        return found

    def edges(self, step: WeighedStep) -> Iterator[tuple[int, str]]:
        """The places of the steps that wrote what it reads, and the memory."""
        for number, memory in step.producers.items():
            if number in self.places:
                yield self.places[number], memory

    def waits(self, at: int, step: WeighedStep, memory: str, product: str) -> bool:
        """Whether a program needs what others make of an earlier step.

        Args:
            product: Which product the earlier one goes on with, `matrix` or `convolution`.
        """
        before = self.step(at)
        key = (before.key, step.key, memory, product)
        if key not in self.waited:
            self.waited[key] = _waits(before, step, memory, product)
        return self.waited[key]


def _touch(held: _Held, uses: Collection[Use], memory: Memory, place: int, level: int, late: bool) -> None:
    """One more step that reads or writes a memory."""
    whole = sum(count for _, count in held.writes.values()) >= memory.bytes > 0
    reads = held.reads.setdefault(level, {})
    outside = min(sum(reads.values()), memory.bytes)
    for use in uses:
        if use.read and not whole and use.view not in held.writes:
            reads[use.view] = max(reads.get(use.view, 0), use.read)
    held.charged[place] = min(sum(reads.values()), memory.bytes) - outside
    if late:
        held.through = True
        held.charged[place] += sum(use.read for use in uses)
    for use in uses:
        if use.written:
            held.writes[use.view] = place, max(use.written, held.writes.get(use.view, (0, 0))[1])


def _waits(before: WeighedStep, step: WeighedStep, memory: str, product: str) -> bool:
    one, other = before.step.kernel, step.step.kernel
    if product and (step.product or (other and not _elementwise(other))):  # it needs whole rows of the product
        return "convolution" in (product, step.product) or _wide(before, memory)
    if one and other and "template" not in (one.category, other.category):
        return between(before.step, step.step, memory)[0] in WAITS
    if before.product and other:
        return False
    return not (step.product and one and _elementwise(one))


def _wide(before: WeighedStep, memory: str) -> bool:
    """Whether the rows that a step leaves there are more than one program holds."""
    written = next((a.type for a in before.step.writes if a.storage == memory and a.type), None)
    width = written.shape[-1] if written and written.shape else None
    return not isinstance(width, int) or width > NARROW


def _elementwise(kernel: Kernel) -> bool:
    return kernel.category in ("pointwise", "template")
