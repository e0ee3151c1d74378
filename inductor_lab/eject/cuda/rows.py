"""A CUDA kernel that folds rows: LANES threads share a row, sweep over it, and combine what each of them accumulated.

    const int lane = threadIdx.x;                                     a row's elements lie side by side: its threads do too
    float total = 0.0f;
    for (int r = lane; r < R; r += LANES) total = total + x_ptr[row * R + r];
    total = fold<LANES>(total, Sum());

Where rows lie side by side (a column is folded), 32 rows are a block's x and LANES threads of y share each.
A loop of the text is one sweep. A row that the text holds whole is swept once for each fold that waits for another, and read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Access, Assert, Axis, Barrier, Carry, Define, Effect, Loop, Step
from inductor_lab.computation.tree import Carried, Expression, Load, Reduction
from inductor_lab.eject.cuda.accumulators import Accumulators
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.shapes import Varying, of_access, seen, under
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.triton_page import UnprintableError


@dataclass(frozen=True)
class Geometry:
    """How the threads of a block share its rows."""

    columns: bool
    """True where rows lie side by side, and threads beside each other take different ones."""

    @property
    def fold(self) -> str:
        return "fold_columns" if self.columns else "fold"

    @property
    def lane(self) -> str:
        return "threadIdx.y" if self.columns else "threadIdx.x"

    @property
    def row(self) -> str:
        return "threadIdx.x" if self.columns else "threadIdx.y"


HOST = Geometry(False)


class Rows:
    """The body of one kernel."""

    def __init__(self, page: Page, geometry: Geometry, serial: bool = False) -> None:
        self.page, self.geometry, self.serial = page, geometry, serial
        """serial: one thread does it all, as on the host."""
        schedule = page.found.schedule
        self.free = [axis for axis in schedule.axes if not axis.reduced]
        self.axis = _folded(schedule.axes)
        self.varying = Varying(frozenset({self.axis.name}))
        self.statements = Statements(page, schedule)
        self.accumulators = Accumulators(page, self.statements, "" if serial else geometry.fold)

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
        kind = index_type(self.page)
        names = [self.page.layout.names[axis.name] for axis in self.free]
        made = []
        if not self.serial:
            wide = "int64_t(blockIdx.x)" if kind == "int64_t" else "blockIdx.x"
            rows = " * ".join(each.numel for each in names) or "1"
            place = f"{wide} * blockDim.{self.geometry.row[-1]} + {self.geometry.row}"
            made += [f"const int lane = {self.geometry.lane};", f"const {kind} place = {place}, last = {rows} - 1;"]
            made += ["const bool inside = place <= last;"]
            if len(names) == 1:
                made.append(f"const {kind} {names[0].index} = inside ? place : last;")
            elif names:
                made.append(f"const {kind} flat = inside ? place : last;")
                made += _unravelled([(each.index, each.numel) for each in reversed(names)], kind)
        for axis in self.free:
            made += coordinates(self.page, axis, lines)
        return _said(made, lines)

    # ------------------------------------------------------------ loops of the text

    def _looped(self) -> None:
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
        values = [seen(value) for value in step.values]
        if any(isinstance(value, Reduction) for value in values):
            self.accumulators.fold([value for value in values if isinstance(value, Reduction)])
        elif not any(self.varying.along(value) for value in values):
            self.statements.define(step)

    def _loop(self, loop: Loop) -> None:
        if loop.axis != self.axis.name:
            raise UnprintableError("a loop along no axis of the frame")
        if any(isinstance(carry.start, Carried) for carry in loop.carries):
            raise UnprintableError("a loop that goes on with what another accumulated is not printed in CUDA C++ yet")
        self.accumulators.start(loop.carries)
        with self._sweep():
            for step in loop.steps:
                match step:
                    case Define():
                        self._turn(step, loop.carries)
                    case Effect(access=access):
                        self._element_store(access)
                    case Assert():
                        self.statements.check(step)
                    case _:
                        raise UnprintableError(
                            f"a {type(step).__name__.lower()} in a loop is not printed in CUDA C++ yet"
                        )
            self.accumulators.ended(loop.carries)
        self.accumulators.behind(loop.carries)

    def _turn(self, step: Define, carries: Sequence[Carry]) -> None:
        ends = {seen(carry.end) for carry in carries}
        if any(seen(value) in ends for value in step.values):
            self.accumulators.update([seen(value) for value in step.values], carries)
        else:
            self.statements.define(step)

    # ------------------------------------------------------------ rows that the text holds whole

    def _whole(self) -> None:
        """Sweeps over the row, one for each level of folds; every element is stored in the last."""
        steps = self.page.found.schedule.steps
        effects = [step.access for step in steps if isinstance(step, Effect)]
        checks = [step for step in steps if isinstance(step, Assert)]
        each = [access for access in effects if self.varying.stored(access)]
        self._ordered(each)
        folds: dict[int, list[Reduction]] = {}
        for node in under(*(value for access in effects for value in of_access(access))):
            if isinstance(node, Reduction):
                folds.setdefault(self.varying.level(node), []).append(node)
        last = max([*folds, *(self.varying.level(v) + 1 for access in each for v in of_access(access)), 1])
        for level in range(1, last + 1):
            self._row_values(level)
            self._whole_sweep(folds.get(level, []), each if level == last else [], checks if level == 1 else [])
        self._row_values(last + 1)
        for access in effects:
            if access not in each:
                self._row_store(access)

    def _ordered(self, each: Sequence[Access]) -> None:
        """Elements are stored when all was read: what is read back after a store has no place here."""
        loads = (access.value for access in self.page.found.loads)
        if any(isinstance(load, Load) and load.version for load in loads):
            raise UnprintableError("a row that is read again after it was stored is not printed in CUDA C++ yet")

    def _row_values(self, level: int) -> None:
        """Values of the row that wait for fewer folds."""
        for step in self.page.found.schedule.steps:
            if isinstance(step, Define):
                ready = [
                    value
                    for value in map(seen, step.values)
                    if not self.varying.along(value) and self.varying.level(value) < level
                ]
                self.statements.define(step, ready)

    def _whole_sweep(self, folds: Sequence[Reduction], each: Sequence[Access], checks: Sequence[Assert]) -> None:
        groups = self.accumulators.groups(sorted(folds, key=self._line))
        checks = [check for check in checks if self.varying.along(check.check.condition)]
        if not groups and not each and not checks:
            return
        roots = [value for group in groups for value in group.inputs] + [
            v for access in each for v in of_access(access)
        ]
        roots += [check.check.condition for check in checks]
        wanted = [value for value in under(*roots, stop=self.page.bound) if self.varying.along(value)]
        for group in groups:
            group.begin()
        with self._sweep():
            for step in self.page.found.schedule.steps:
                if isinstance(step, Define):
                    self.statements.define(step, wanted)
            for check in checks:
                self.statements.check(check)
            for group in groups:
                group.take()
            for access in each:
                self._element_store(access)
        for group in groups:
            group.finish()

    def _line(self, value: Expression) -> int:
        """Where the text has a fold."""
        for number, step in enumerate(self.page.found.schedule.steps):
            if isinstance(step, Define) and value in map(seen, step.values):
                return number
        return 0

    # ------------------------------------------------------------ statements

    def _sweep(self) -> _Sweep:
        return _Sweep(self)

    def _element_store(self, access: Access) -> None:
        self._stored(access, "inside")

    def _row_store(self, access: Access) -> None:
        self._stored(access, "inside && lane == 0")

    def _stored(self, access: Access, when: str) -> None:
        statement = self.statements.expressions.store(access)
        if not self.serial:
            statement = f"if ({when} && {statement[4:]}" if statement.startswith("if (") else f"if ({when}) {statement}"
        self.page.emit(statement)


class _Sweep:
    """What is printed inside is a loop over the row; its names end with it."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.page = rows, rows.page

    def __enter__(self) -> None:
        self.outer, self.page.lines = self.page.lines, []
        self.bound, self.taken = dict(self.page.bound), set(self.page.layout.taken)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        page, axis = self.page, self.rows.axis
        body = [*coordinates(page, axis, page.lines), *page.lines]
        page.lines, page.bound = self.outer, self.bound
        page.layout.forget(self.taken)
        names, kind_ = page.layout.names[axis.name], index_type(page)
        end = page.layout.scalar(f"{axis.name}numel")
        first, step = ("0", f"++{names.index}") if self.rows.serial else ("lane", f"{names.index} += LANES")
        page.emit(f"for ({kind_} {names.index} = {first}; {names.index} < {end}; {step}) {{")
        page.lines += ["    " + line for line in body]
        page.emit("}")


def _said(made: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Definitions that something behind them uses."""
    kept: list[str] = []
    for line in reversed(made):
        names = re.findall(r"(\w+) =", line)
        if any(re.search(rf"\b{name}\b", "\n".join([*kept, *lines])) for name in names):
            kept.insert(0, line)
    return kept


def _folded(axes: Sequence[Axis]) -> Axis:
    reduced = [axis for axis in axes if axis.reduced]
    if len(reduced) != 1:
        raise UnprintableError("a reduction along several axes of a tile is not printed in CUDA C++ yet")
    return reduced[0]


def _unravelled(axes: Sequence[tuple[str, str]], kind: str) -> list[str]:
    """The index along each axis of a flat one, the fastest first."""
    made, rest = [], "flat"
    for number, (index, numel) in enumerate(axes):
        last = number == len(axes) - 1
        text = rest if last else f"{rest} % {numel}"
        made.append(f"const {kind} {index} = {text};")
        rest = f"{rest} / {numel}"
    return made


def geometry_of(page: Page) -> Geometry:
    """Threads beside each other read what lies side by side: along the row, or in 32 rows at once."""
    axis = _folded(page.found.schedule.axes).name
    along = across = 0
    for access in page.found.accesses:
        for term in access.index.terms:
            if isinstance(term.of, Coordinate) and abs(term.factor) == 1 and term.of.stride == 1 and not term.sizes:
                along += term.of.axis == axis
                across += term.of.axis != axis and _swept(access, axis)
    return Geometry(across > along)


def _swept(access: Access, axis: str) -> bool:
    """Whether an access goes along the folded axis."""
    return any(isinstance(term.of, Coordinate) and term.of.axis == axis for term in access.index.terms)
