"""Stated facts held to counted addresses: which of them are another thing in a launch that was run.

agreement(kernel).reds   ->   Red(line=9, pointer="in_ptr0", kind="load", fact="serves", stated=40, counted="39 to 41")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from counting import WIDTHS, Touched, letters, run, small, symbols_of

from inductor_lab.annotate.facts import Facts, Run, facts
from inductor_lab.bind.elements import numel, type_of
from inductor_lab.computation import computation
from inductor_lab.costs.traffic import by_tensor, elements
from inductor_lab.records import Kernel
from inductor_lab.records.size import number

LINES = 64
"""Of a masked tile, so many lines along an axis are followed."""


@dataclass(frozen=True)
class Red:
    """One fact that is stated and not so."""

    line: int
    pointer: str
    kind: str
    """Of the access, `load`."""
    fact: str
    stated: Any
    counted: Any


@dataclass
class Agreement:
    """What came of a kernel's facts."""

    reds: list[Red]
    held: Counter[tuple[str, str]]
    """(kind of access, fact): stated and counted."""
    unsaid: Counter[tuple[str, str]]
    """Counted, and not stated."""


class Seen:
    """An access as it was counted."""

    def __init__(self, touched: Touched, kernel: Kernel) -> None:
        self.touched, self.kernel = touched, kernel
        assert touched.addresses is not None
        try:
            self.whole, self.fits = (
                np.broadcast_shapes(touched.shape, touched.tile),
                len(touched.shape) in {0, len(touched.tile)},
            )
        except ValueError:  # what is stored through a descriptor that turns it
            self.whole, self.fits = touched.shape, False
        self.shape = touched.shape if touched.met is None else touched.met
        self.known = touched.mask is not None
        self.mask = np.broadcast_to(True if touched.mask is None else touched.mask, self.shape)
        self.live = np.broadcast_to(touched.addresses, self.shape)[self.mask]
        self.elements, self.times = np.unique(self.live, return_counts=True)

    @property
    def again(self) -> bool:
        """Whether the launch loads an element more than once here: a program loads one value a row once, unless in each turn of a loop."""
        one, addresses, mask = self.touched, np.broadcast_to(self.touched.addresses, self.shape), self.mask
        for axis, place in one.dims.items() if not one.looped else ():
            once = -place > len(one.shape) or one.shape[place] == 1
            if axis.startswith("r") and once and -place <= len(self.shape):
                addresses, mask = addresses.take([0], place), mask.take([0], place)
        return np.unique(addresses[mask]).size < mask.sum()

    def along(self, axis: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Addresses and mask, a line along the axis a row; None where it has no dimension."""
        place = self.touched.dims.get(axis)
        if place is None or not self.fits or -place > len(self.whole):
            return None
        both = []
        for held in (self.touched.addresses, True if self.touched.mask is None else self.touched.mask):
            moved = np.moveaxis(np.broadcast_to(held, self.whole), place, -1)  # type: ignore[arg-type]
            both.append(moved.reshape(-1, moved.shape[-1]))
        return both[0], both[1]


def agreement(kernel: Kernel) -> Agreement:
    """Every fact of every access, in a small launch.

    Raises:
        UncountedError: it can not be run.
    """
    launched = small(kernel)
    touched = [one for one in run(launched) if " as another type" not in one.pointer]
    passed = {
        a.name: int(a.value) for a in launched.launches[0].arguments if a.type is None and a.value.lstrip("-").isdigit()
    }
    found = compare(facts(launched, computation(launched)), touched, launched, passed)
    symbols = any(map(symbols_of, kernel.launches[0].arguments))
    if symbols:
        symbolic = compare(facts(kernel, computation(kernel)), touched, launched, passed)
        found = Agreement(found.reds + symbolic.reds, found.held + symbolic.held, found.unsaid + symbolic.unsaid)
    if launched.body == kernel.body:  # all of it was run
        count_moved(launched, touched, found, symbols=symbols)
    return found


def each_program(kernel: Kernel, one: Touched) -> bool:
    """Whether each program has a line of it: here there is one."""
    return "RSPLIT_SIZE" in kernel.body and one.pointer == "ws_ptr"


def read_back(one: Touched, before: Sequence[Touched]) -> bool:
    """Whether each lane loads what it has stored itself."""
    stored = [other.addresses for other in before if other.kind == "store" and other.pointer == one.pointer]
    return one.kind == "load" and any(np.array_equal(one.addresses, there) for there in stored if there is not None)


def count_moved(kernel: Kernel, touched: Sequence[Touched], found: Agreement, *, symbols: bool) -> None:
    """Of each tensor the elements that its bytes are counted by: where an address is computed they may be too many, never too few.

    Args:
        symbols: Whether sizes and strides are numbers that symbols were given: some do not go together, and elements then meet.
    """
    jobs = list(computation(kernel).every())
    first = [one for place, one in enumerate(touched) if not read_back(one, touched[:place])]
    for kind in ("load", "store"):
        for pointer, accesses in by_tensor(jobs, kind == "load").items():
            mine = [one for one in first if one.pointer == pointer and (one.kind == kind or "atomic" in one.kind)]
            unknown = (
                one.addresses is None or one.mask is None or one.drawn or each_program(kernel, one) for one in mine
            )
            if not mine or any(unknown):
                continue
            live = np.unique(np.concatenate([Seen(replace(one), kernel).live for one in mine])).size
            if live > (numel(type_of(kernel, pointer)) or live):
                continue  # the sizes that its symbols are given do not go together
            said, exact = elements(kernel, accesses), not symbols and all(job.box(a) for job, a in accesses)
            if said == live:
                found.held[kind, "moved"] += 1
            elif exact or said is None or said < live:
                found.reds.append(Red(mine[0].line, pointer, kind, "moved", said, live))
            else:
                found.unsaid[kind, "moved"] += 1


def compare(
    stated: Sequence[Facts], touched: Sequence[Touched], kernel: Kernel, passed: Mapping[str, int]
) -> Agreement:
    """Facts of a kernel, held to the accesses of a launch.

    Args:
        passed: The numbers that the launch passes.
    """
    found = Agreement([], Counter(), Counter())
    places: dict[tuple[int, str, str], list[Touched]] = {}
    for one in touched:
        places.setdefault((one.line, one.pointer, one.kind), []).append(one)
    seen = [Seen(one, kernel) for one in touched if one.addresses is not None and one.met is not None]
    for fact in stated:
        here = places.get((fact.line, fact.pointer, fact.kind))
        if not here:
            found.reds.append(Red(fact.line, fact.pointer, fact.kind, "access", fact.kind, "none"))
            continue
        one = here.pop(0)
        if one.addresses is None or one.met is None or each_program(kernel, one):
            found.unsaid[one.kind, "address"] += 1
            continue
        mine = next(s for s in seen if s.touched is one)
        for name, said, counted, right in checks(fact, mine, seen, kernel, passed):
            if said is None:
                found.unsaid[one.kind, name] += 1
            elif right:
                found.held[one.kind, name] += 1
            else:
                found.reds.append(Red(fact.line, fact.pointer, one.kind, name, said, counted))
    found.reds += [
        Red(one.line, one.pointer, one.kind, "access", "none", one.kind) for left in places.values() for one in left
    ]
    return found


def checks(
    fact: Facts, seen: Seen, every: Sequence[Seen], kernel: Kernel, passed: Mapping[str, int]
) -> Iterator[tuple[str, Any, Any, bool]]:
    """(fact, stated, counted, whether they agree); None for what is not stated."""
    one = seen.touched
    width = WIDTHS[letters(kernel, one.pointer)]
    yield "width", fact.width, width, fact.width == width
    yield "gathered", bool(fact.gathered), one.drawn, bool(fact.gathered) == one.drawn
    if one.kind == "load" and seen.fits:
        reduced = [place for axis, place in one.dims.items() if axis.startswith("r")]
        rows = bool(reduced) and all(-place > len(seen.shape) or seen.shape[place] == 1 for place in reduced)
        yield "rows", fact.rows, rows, fact.rows == rows
    if seen.known:
        full = bool(seen.mask.all())
        yield "masked", fact.masked, not full, fact.masked or full
    else:
        yield "masked", fact.masked, "by data", fact.masked
    if fact.masked and one.kind == "load":
        fill = None if fact.fill is None else str(float(fact.fill))
        yield "fill", str(fill), one.other, fill == one.other
    if seen.known and seen.live.size and not one.drawn:
        start, values, times = int(seen.elements[0]), seen.elements.size, seen.times
        lowest = fact.box.start if fact.box else None
        yield "start", lowest, start, lowest == start
        yield "values", fact.values, values, fact.values == values
        spread = f"{times.min()} to {times.max()}"
        yield "serves", fact.serves, spread, fact.serves == times.min() == times.max()
        yield "several", fact.several, spread, fact.several == (times.max() > 1)
    for axis in one.dims:
        if (lines := seen.along(axis)) is None:
            continue
        addresses, mask = lines
        moves = bool((addresses != addresses[:, :1]).any())
        said = True if axis in fact.still else None if not moves else False
        yield "still", said, f"{'moves' if moves else 'still'} along {axis}", said != moves
        if seen.known and not one.drawn:
            walk = fact.runs.get(axis)
            yield "runs", walk, f"otherwise along {axis}", walk is not None and follows(addresses, mask, walk)
        step = fact.steps.get(axis)
        if not (one.drawn and step is None):
            there = np.unique(addresses[:, 1] - addresses[:, 0])
            yield "steps", step, f"{there[:4]} along {axis}", there.size == 1 and number(str(step), passed) == there[0]
        if fact.row and fact.row[0] == axis:
            yield "row", fact.row, f"not so along {axis}", in_rows(addresses, fact.row[1])
    if one.kind == "load":
        for before in every:
            if before.touched is one:
                break
            if (
                before.touched.pointer == one.pointer
                and before.touched.kind == "load"
                and before.live.size
                and seen.live.size
            ):
                said, how = fact.again.get(before.touched.line), beside(before, seen)
                yield "again", said, how, said == how
    else:
        memory = {a.name: a.value for a in kernel.launches[0].arguments if a.type is not None}
        same = {name for name in memory if memory[name] == memory.get(one.pointer)} | {one.pointer}
        read = [other for other in every if other.touched.kind == "load" and other.touched.pointer in same]
        met = {other.touched.pointer for other in read if beside(other, seen) in {"same", "part"}}
        for pointer in {other.touched.pointer for other in read} | set(fact.over):
            if pointer in met or pointer in fact.over:
                yield "over", pointer if pointer in fact.over else None, f"{pointer}: {pointer in met}", pointer in met


def follows(addresses: np.ndarray, mask: np.ndarray, walk: Sequence[Run]) -> bool:
    """Whether each line, where its mask holds, takes these steps."""
    steps = np.zeros(1, np.int64)
    for size, step in walk:
        steps = (np.arange(size)[:, None] * step + steps).reshape(-1)
    if mask.all():
        return steps.size == addresses.shape[1] and bool((addresses - addresses[:, :1] == steps).all())
    alive = np.flatnonzero(mask.any(-1))
    for line in alive[:: max(alive.size // LINES, 1)]:
        live = addresses[line][mask[line]]
        if live.size != steps.size or (live - live[0] != steps).any():
            return False
    return True


def in_rows(addresses: np.ndarray, length: int) -> bool:
    """Whether each stretch of so many lanes has consecutive elements; of a launch that is shorter, as far as it goes."""
    length = min(length, addresses.shape[1])
    whole = addresses[:, : addresses.shape[1] // length * length].reshape(-1, length)
    return whole.size > 0 and length > 1 and bool((np.diff(whole, axis=-1) == 1).all())


def beside(one: Seen, other: Seen) -> str:
    met = np.intersect1d(one.elements, other.elements, assume_unique=True).size
    return "apart" if not met else "same" if met == one.elements.size == other.elements.size else "part"
