"""A CUDA kernel that folds rows: LANES threads share a row, sweep over it, and combine what each of them accumulated.

    const int lane = threadIdx.x;                                     a row's elements lie side by side: its threads do too
    float total = 0.0f;
    for (int r = lane; r < R; r += LANES) total = total + x_ptr[row * R + r];
    total = fold<LANES>(total, Sum());

Where rows lie side by side (a column is folded), 32 rows are a block's x and LANES threads of y share each.
A loop of the text is one sweep. A row that the text holds whole is swept once for each fold that waits for another; what is loaded in several
sweeps stays in registers where it is short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from inductor_lab.computation.schedule import Access, Assert, Barrier, Define, Effect, Loop, Step
from inductor_lab.computation.tree import Carried, Expression, Load, Operation, Reduction, Scan
from inductor_lab.eject.cuda.code import words
from inductor_lab.eject.cuda.folds import Group, groups, taken
from inductor_lab.eject.cuda.packs import row_packs
from inductor_lab.eject.cuda.page import Page, place_of
from inductor_lab.eject.cuda.sweeps import Scans, Sort, Sweeps, sorts_of
from inductor_lab.eject.cuda.threads import Geometry, Varying, defined, runs, scanned, sorts, under
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.operands import goes_on, of_access, parts
from inductor_lab.eject.refusal import UnprintableError

MOST_ITEMS, MOST_PACKED, MOST_HELD = 16, 32, 4
"""Elements of a row that a thread holds, and of those that it loads several of at once; of so many tensors."""
MOST_OF_A_BLOCK = 1 << 15
"""The same of all threads of a block: half of the registers that there are."""
AGAIN = "a row that is read again after it was stored is not printed in CUDA C++ yet"
"""A pass stores its elements when it has read all of them."""


@dataclass(frozen=True)
class Sweep:
    """One pass over a row."""

    steps: Sequence[Step]
    """Those that define what it needs."""
    folds: Sequence[Expression]
    effects: Collection[Step]
    """Those that store or check an element."""


class Rows:
    """The body of one kernel."""

    def __init__(self, page: Page, geometry: Geometry) -> None:
        self.page, self.geometry, self.serial = page, geometry, geometry.serial
        self.axis = page.folded
        self.varying = Varying(frozenset({self.axis.name}))
        self.statements = Statements(page)
        self.alone = geometry == Geometry(columns=False)
        """Whether a launch is rows one after the other in memory, and nothing else."""
        together = scanned(page.found.schedule.every()) or any(sorts(value) for value in page.uses)
        self.packs = row_packs(page, self.statements, self.axis) if self.alone and not together else None
        self.sweeps = Sweeps(page, self.statements, geometry, self.packs)
        self.statements.scans = Scans(self.sweeps).define

    def lines(self) -> list[str]:
        """The statements for one row.

        Raises:
            UnprintableError: a step has no form here.
        """
        schedule = self.page.found.schedule
        looped = any(isinstance(step, Loop) for step in schedule.steps)
        order = [*(map(self._of_loop, schedule.steps) if looped else self._by_level())]
        if self.packs is not None or not looped:
            self._hold([step for step in order if isinstance(step, Sweep)])
        for step in order:
            match step:
                case Sweep():
                    self._sweep(step)
                case Define():
                    self.statements.define(step, self._ready)
                case Effect(access=access):
                    self._store(access, "inside && lane == 0")
                case Assert():
                    self.statements.check(step)
                case Barrier():
                    self.page.emit("__syncthreads();")
        return [*self._frame(self.page.lines), *self.page.lines]

    def _ready(self, value: Expression) -> bool:
        """Whether a value is one for the row, and can be computed by now."""
        folds = (node for node in under(value, stop=self.page.bound) if _folds(node))
        return not self.varying.along(value) and all(node in self.page.bound for node in folds)

    # ------------------------------------------------------------ the frame

    def _frame(self, lines: Sequence[str]) -> list[str]:
        """Which row a thread works on; a thread beyond the last row goes along with it and stores nothing."""
        # rows times their length may be more than 32 bits count
        kind = "int64_t" if self.alone else self.page.index_type
        made: dict[str, str] = {} if self.serial else self._place(kind)
        for axis in self.page.free:
            made |= self.page.coordinates(axis, lines, kind if self.alone else "")
        kept: list[str] = []
        for name, line in reversed(made.items()):
            if name in words([*kept, *lines]):
                kept.insert(0, line)
        return kept

    def _place(self, kind: str) -> dict[str, str]:
        """A thread's lane in its row, and the row: each name with its definition."""
        names = [self.page.names(axis) for axis in self.page.free]
        block, rows = self.geometry.block, " * ".join(each.numel for each in names) or "1"
        place = f"{f'int64_t({block})' if kind == 'int64_t' else block} * blockDim.{self.geometry.row[-1]} + {self.geometry.row}"
        made = {
            "lane": f"const int lane = {self.geometry.lane};",
            "place": f"const {kind} place = {place}, last = {rows} - 1;",
            "inside": "const bool inside = place <= last;",
        }
        flat = "inside ? place : last"
        if len(names) > 1:
            made["flat"] = f"const {kind} flat = {flat};"
            flat = "flat"
        for number, each in enumerate(reversed(names), 1):
            last = number == len(names)
            made[each.index] = f"const {kind} {each.index} = {flat if last else f'{flat} % {each.numel}'};"
            flat = f"{flat} / {each.numel}"
        return made

    # ------------------------------------------------------------ passes over the row

    def _of_loop(self, step: Step) -> Step | Sweep:
        """A loop of the text as a pass over the row, with the folds of what it accumulates; any other step as it is."""
        if not isinstance(step, Loop):
            return step
        if step.axis != self.axis.name:
            raise UnprintableError("a loop along no axis of the frame")
        if any(isinstance(carry.start, Carried) for carry in step.carries):
            raise UnprintableError("a loop that goes on with what another accumulated is not printed in CUDA C++ yet")
        stored = set[str]()
        for inner in step.steps:
            if isinstance(inner, Effect):
                stored.add(inner.access.pointer)
            elif isinstance(inner, Define) and any(load.pointer in stored for load in inner.loads):
                raise UnprintableError(AGAIN)
            elif not isinstance(inner, (Define, Assert)):
                raise UnprintableError(f"a {type(inner).__name__.lower()} in a loop is not printed in CUDA C++ yet")
        made = {carry.after for carry in step.carries if not goes_on(carry)}
        folds = [fold for fold in self._every_fold() if not made.isdisjoint(under(*parts(fold)))]
        return Sweep(step.steps, folds, [inner for inner in step.steps if not isinstance(inner, Define)])

    def _by_level(self) -> Iterator[Step | Sweep]:
        """A pass for each level of folds of a row that the text holds whole, and before it what is one for the row; elements are stored in the
        last.
        """
        if any(isinstance(access.value, Load) and access.value.version for access in self.page.found.loads):
            raise UnprintableError(AGAIN)
        steps, level = self.page.found.schedule.steps, self.varying.level
        stores = [step for step in steps if isinstance(step, Effect)]
        each = [step for step in stores if self.varying.stored(step.access)]
        folds, checks = self._every_fold(), {s: level(s.check.condition) + 1 for s in steps if isinstance(s, Assert)}
        stored = (level(value) + 1 for step in each for value in of_access(step.access))
        last = max([1, *map(level, folds), *stored, *checks.values()])
        for number in range(1, last + 2):
            asked = [check for check, when in checks.items() if when == number]
            own = [check for check in asked if not self.varying.along(check.check.condition)]
            yield from (step for step in steps if isinstance(step, Define) or step in own)
            effects: list[Step] = [check for check in asked if check not in own]
            effects += each if number == last else []
            yield Sweep(steps, [fold for fold in folds if level(fold) == number], effects)
        yield from (step for step in stores if step not in each)

    def _every_fold(self) -> list[Expression]:
        """Every fold and sort that is used, in the order of the text."""
        seen: dict[Expression, None] = {}
        for value in defined(self.page.found.schedule.steps):
            seen |= under(value, stop=seen)
        return [value for value in seen if self.page.uses[value] and _folds(value)]

    def _hold(self, sweeps: Sequence[Sweep]) -> None:
        """What several sweeps load is kept in registers, where the row's size is compiled in and a thread's part of it is short."""
        if (
            self.serial
            or self.sweeps.long
            or not isinstance(self.axis.numel, int)
            or scanned(self.page.found.schedule.steps)
        ):
            return
        loaded: Counter[Load] = Counter()
        ends = {fold for sweep in sweeps for fold in sweep.folds}  # below which nothing is needed again
        for sweep in sweeps:
            nodes = under(*self._roots(sweep), stop=ends)
            loaded.update(node for node in nodes if isinstance(node, Load) and self.varying.along(node))
        again = [load for load, times in loaded.items() if times > 1]
        packs = self.packs
        if packs is not None:
            again = list({place_of(load): load for load in again if place_of(load) in packs.places}.values())
        if not again:
            return
        size = self.page.length(self.axis)
        step, each, held = ("LANES * VEC", "packs of a row", "ITEMS * VEC") if packs else ("LANES", "of a row", "ITEMS")
        share = f"({size} + {step} - 1) / {f'({step})' if packs else step}"
        self.page.emit(f"constexpr int ITEMS = {share};  // {each}, for each thread")
        fits = f"{held} <= {MOST_PACKED if packs else MOST_ITEMS}"
        if (many := len(again[:MOST_HELD])) > 2:  # fewer fit in any case
            threads = "32 * LANES" if self.geometry.columns else "LANES"
            fits += f" && {many} * {held} * {threads} <= {MOST_OF_A_BLOCK}"
        self.page.emit(f"constexpr bool HOLDS = {fits};  // in registers, what is needed again")
        for load in again[:MOST_HELD]:
            if packs is not None:
                packs.hold(place_of(load))
                continue
            name = self.page.fresh(f"{self.page.tensors[load.pointer].name}_held")
            self.page.emit(f"{self.page.numbers.held(load.dtype)} {name}[HOLDS ? ITEMS : 1];")
            self.statements.held[load] = name

    def _sweep(self, sweep: Sweep) -> None:
        """One pass: values and checks of an element in the order of the text, then what is accumulated, then what is stored."""
        made: list[Group | Sort] = []
        made += groups(self.sweeps, [value for value in sweep.folds if isinstance(value, Reduction)])
        ordered = [value for value in sweep.folds if isinstance(value, Scan)]
        made += sorts_of(self.sweeps, ordered)
        roots = self._roots(sweep)
        if not roots:
            return
        wanted = under(*roots, stop=self.page.bound)
        self._row_s_own(roots)
        for group in made:
            group.begin()
        scanning = any(map(runs, wanted)) and not self.serial
        held = bool(self.statements.held or (self.packs and self.packs.held))
        with self.sweeps.sweep(scanning=scanning, held=held):
            for step in sweep.steps:
                if isinstance(step, Define):
                    self.statements.define(step, wanted.__contains__)
                elif isinstance(step, Assert) and step in sweep.effects:
                    self.statements.check(step)
            for group in made:
                group.take()
            for step in sweep.steps:
                if isinstance(step, Effect) and step in sweep.effects:
                    self._store(step.access, "inside && within" if scanning else "inside")
        for group in made:
            group.finish()

    def _store(self, access: Access, when: str) -> None:
        self.statements.store(access, "" if self.serial else when)

    def _roots(self, sweep: Sweep) -> list[Expression]:
        """The values that one pass needs of each element."""
        roots: list[Expression] = []
        for fold in sweep.folds:
            roots += taken(self.page, fold)[1] if isinstance(fold, Reduction) else parts(fold)
        stores = [step.access for step in sweep.steps if isinstance(step, Effect) and step in sweep.effects]
        checks = [step.check for step in sweep.steps if isinstance(step, Assert) and step in sweep.effects]
        return [*roots, *(part for access in stores for part in of_access(access)), *(c.condition for c in checks)]

    def _row_s_own(self, roots: Sequence[Expression]) -> None:
        """Name what is one for the row and is needed for each of its elements, before they are looked at."""
        for node in () if self.serial else under(*roots, stop=self.page.bound):
            for part in parts(node) if self.varying.along(node) else ():
                if self._known(part):
                    self.statements.bind(part)

    def _known(self, value: Expression) -> bool:
        """Whether a value is computed from what was loaded or folded for the row, and can be by now."""
        bound = self.page.bound
        if not isinstance(value, Operation) or value in bound or not self._ready(value):
            return False
        return any(node in bound or isinstance(node, Load) for node in under(value, stop=bound))


def _folds(value: Expression) -> bool:
    """Whether a value must have seen the whole row."""
    return isinstance(value, Reduction) or sorts(value)
