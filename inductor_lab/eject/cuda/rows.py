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
from collections.abc import Sequence
from contextlib import AbstractContextManager

from inductor_lab.computation.schedule import Access, Assert, Barrier, Carry, Define, Effect, Loop, Step
from inductor_lab.computation.tree import Carried, Expression, Load, Operation, Reduction, Scan
from inductor_lab.eject.cuda.code import words
from inductor_lab.eject.cuda.folds import Accumulators, Group
from inductor_lab.eject.cuda.packs import row_packs
from inductor_lab.eject.cuda.page import Page, place_of
from inductor_lab.eject.cuda.sweeps import Scans, Sort, Sweeps, sorts_of
from inductor_lab.eject.cuda.threads import (
    Geometry,
    Varying,
    defined,
    goes_on,
    runs,
    scanned,
    sorts,
    under,
)
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.operands import of_access, parts
from inductor_lab.eject.refusal import UnprintableError

MOST_ITEMS, MOST_PACKED, MOST_HELD = 16, 32, 4
"""Elements of a row that a thread holds, and of those that it loads several of at once; of so many tensors."""
MOST_OF_A_BLOCK = 1 << 15
"""The same of all threads of a block: half of the registers that there are."""
LONG = 1 << 15
"""Elements of a row from which on a thread sums up parts of it."""
Fold = Reduction | Scan
"""What must have seen the whole row: a fold, or a sort."""


class Rows:
    """The body of one kernel."""

    def __init__(self, page: Page, geometry: Geometry, serial: bool = False) -> None:
        self.page, self.geometry, self.serial = page, geometry, serial
        """serial: one thread does it all, as on the host."""
        self.axis = page.folded
        self.long = isinstance(self.axis.numel, int) and self.axis.numel > LONG
        self.varying = Varying(frozenset({self.axis.name}))
        self.statements = Statements(page)
        self.scans = Scans(page, self.statements, "" if serial else geometry.scan)
        self.statements.scans = self.scans.define
        self.alone = not serial and geometry == Geometry(columns=False)
        """Whether a launch is rows one after the other in memory, and nothing else."""
        together = scanned(page.found.schedule.every()) or any(sorts(value) for value in page.uses)
        self.packs = row_packs(page, self.statements, self.axis) if self.alone and not together else None
        combined = "" if serial else geometry.fold
        self.accumulators = Accumulators(page, self.statements, combined, packed=self.packs is not None)
        self.sweeps = Sweeps(page, self.axis, self.accumulators, self.scans, self.packs, serial=serial, long=self.long)

    def lines(self) -> list[str]:
        """The statements for one row."""
        if any(isinstance(step, Loop) for step in self.page.found.schedule.steps):
            self._looped()
        else:
            self._whole()
        return [*self._frame(self.page.lines), *self.page.lines]

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

    # ------------------------------------------------------------ loops of the text

    def _looped(self) -> None:
        loops = [step for step in self.page.found.schedule.steps if isinstance(step, Loop)]
        if self.packs is not None:
            self._hold([[*defined(loop.steps)] for loop in loops], ())
        self._block(self.page.found.schedule.steps)

    def _block(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Define():
                    self._row_value(step)
                case Loop():
                    self._loop(step)
                case Effect(access=access):
                    self._row_store(access)
                case Assert():
                    self.statements.check(step)
                case Barrier():
                    self.page.emit("__syncthreads();")

    def _row_value(self, step: Define) -> None:
        """A value that is one for the row: a fold of what a loop accumulated, or what is made of such."""
        if folds := [value for value in step.values if isinstance(value, Reduction)]:
            self.accumulators.fold(folds)
        elif not any(map(self.varying.along, step.values)):
            self.statements.define(step)

    def _loop(self, loop: Loop) -> None:
        if loop.axis != self.axis.name:
            raise UnprintableError("a loop along no axis of the frame")
        if any(isinstance(carry.start, Carried) for carry in loop.carries):
            raise UnprintableError("a loop that goes on with what another accumulated is not printed in CUDA C++ yet")
        carries = [carry for carry in loop.carries if not goes_on(carry)]
        self._row_s_own(
            [*defined(loop.steps), *(v for s in loop.steps if isinstance(s, Effect) for v in of_access(s.access))]
        )
        self.accumulators.start(carries)
        with self._sweep(scanned(loop.steps)):
            for step in loop.steps:
                match step:
                    case Define():
                        self._turn(step, carries)
                    case Effect(access=access):
                        self._element_store(access)
                    case Assert():
                        self.statements.check(step)
                    case _:
                        raise UnprintableError(
                            f"a {type(step).__name__.lower()} in a loop is not printed in CUDA C++ yet"
                        )
            self.accumulators.ended(carries)
        self.accumulators.bind_results(carries)

    def _turn(self, step: Define, carries: Sequence[Carry]) -> None:
        ends = {carry.end for carry in carries}
        if any(value in ends for value in step.values):
            self.accumulators.update(step.values, carries)
        else:
            self.statements.define(step)

    # ------------------------------------------------------------ rows that the text holds whole

    def _whole(self) -> None:
        """Sweeps over the row, one for each level of folds; every element is stored in the last."""
        steps = self.page.found.schedule.steps
        effects = [step.access for step in steps if isinstance(step, Effect)]
        checks = [step for step in steps if isinstance(step, Assert)]
        each = [access for access in effects if self.varying.stored(access)]
        if any(isinstance(access.value, Load) and access.value.version for access in self.page.found.loads):
            # elements are stored when all was read
            raise UnprintableError("a row that is read again after it was stored is not printed in CUDA C++ yet")
        folds: dict[int, list[Fold]] = {}
        for node in under(*(value for access in effects for value in of_access(access))):
            if isinstance(node, Reduction) or (isinstance(node, Scan) and sorts(node)):
                folds.setdefault(self.varying.level(node), []).append(node)
        tested = [(self.varying.level(check.check.condition) + 1, check) for check in checks]
        stored = (self.varying.level(value) + 1 for access in each for value in of_access(access))
        last = max([*folds, *stored, *(level for level, _ in tested), 1])
        sweeps = [
            (folds.get(level, []), each if level == last else [], [check for when, check in tested if when == level])
            for level in range(1, last + 1)
        ]
        ends = [value for some in folds.values() for value in some]
        self._hold([_roots(*sweep) for sweep in sweeps], ends)
        for level, sweep in enumerate(sweeps, 1):
            self._row_values(level)
            self._whole_sweep(*sweep)
        self._row_values(last + 1)
        for access in effects:
            if access not in each:
                self._row_store(access)

    def _hold(self, sweeps: Sequence[Sequence[Expression]], ends: Sequence[Fold]) -> None:
        """What several sweeps load is kept in registers, where the row's size is compiled in and a thread's part of it is short.

        Args:
            sweeps: The values that each needs of an element.
            ends: Folds that were done before, below which nothing is needed again.
        """
        if self.serial or self.long or not isinstance(self.axis.numel, int) or scanned(self.page.found.schedule.steps):
            return
        loaded: Counter[Load] = Counter()
        for sweep in sweeps:
            nodes = under(*sweep, stop=ends)
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

    def _row_values(self, level: int) -> None:
        """Values of the row that wait for fewer folds."""
        varying = self.varying
        self.statements.define_all(lambda value: not varying.along(value) and varying.level(value) < level)

    def _whole_sweep(self, folds: Sequence[Fold], each: Sequence[Access], checks: Sequence[Assert]) -> None:
        ordered = sorted(folds, key=self._line)
        groups: list[Group | Sort] = []
        groups += self.accumulators.groups([value for value in ordered if isinstance(value, Reduction)])
        whole = [value for value in ordered if isinstance(value, Scan)]
        groups += sorts_of(self.accumulators, whole, self.axis, serial=self.serial)
        checks = [check for check in checks if self.varying.along(check.check.condition)]
        if not groups and not each and not checks:
            return
        roots = _roots(folds, each, checks)
        wanted = {value for value in under(*roots, stop=self.page.bound) if self.varying.along(value)}
        self._row_s_own(roots)
        for group in groups:
            group.begin()
        with self._sweep(any(map(runs, wanted))):
            self.statements.define_all(wanted.__contains__)
            for check in checks:
                self.statements.check(check)
            for group in groups:
                group.take()
            for access in each:
                self._element_store(access)
        for group in groups:
            group.finish()

    def _row_s_own(self, roots: Sequence[Expression]) -> None:
        """Name what is one for the row and is needed for each of its elements, before they are looked at."""
        for node in () if self.serial else under(*roots, stop=self.page.bound):
            for part in parts(node) if self.varying.along(node) else ():
                if self._known(part):
                    self.statements.bind(part)

    def _known(self, value: Expression) -> bool:
        """Whether a value is computed from what was loaded or folded for the row, and can be by now."""
        bound = self.page.bound
        if not isinstance(value, Operation) or value in bound or self.varying.along(value):
            return False
        below = under(value, stop=bound)
        data = any(node in bound or isinstance(node, (Load, Reduction)) for node in below)
        return data and all(node in bound for node in below if isinstance(node, Reduction))

    def _line(self, value: Expression) -> int:
        """Where the text has a fold."""
        for number, step in enumerate(self.page.found.schedule.steps):
            if isinstance(step, Define) and value in step.values:
                return number
        return 0

    # ------------------------------------------------------------ statements

    def _sweep(self, scanning: bool) -> AbstractContextManager[None]:
        held = bool(self.statements.held or (self.packs and self.packs.held))
        return self.sweeps.sweep(scanning=scanning and not self.serial, held=held)

    def _element_store(self, access: Access) -> None:
        self._stored(access, "inside && within" if self.accumulators.guarded else "inside")

    def _row_store(self, access: Access) -> None:
        self._stored(access, "inside && lane == 0")

    def _stored(self, access: Access, when: str) -> None:
        self.statements.store(access, "" if self.serial else when)


def _roots(folds: Sequence[Fold], each: Sequence[Access], checks: Sequence[Assert]) -> list[Expression]:
    """The values that one sweep needs of each element."""
    taken = [part for fold in folds for part in parts(fold)]
    stored = [value for access in each for value in of_access(access)]
    return [*taken, *stored, *(check.check.condition for check in checks)]
