"""Sorts of a row: its threads put it into shared memory, sort it there together, and take from it what stands at each place.

    __shared__ Sortable<float, int16_t> sorted_of[LANES == 32 && COLUMNS <= 512 ? 4 : 1][padded(COLUMNS)];    a block's rows
    Sortable<float, int16_t>* sorted = sorted_of[threadIdx.y];
    for (int column = lane; column < COLUMNS; column += LANES) sorted[column] = {x_ptr[row * COLUMNS + column], int16_t(column)};
    sort_row<LANES>(sorted, COLUMNS, lane, OutOfOrder<true, false>());                                      stable, ascending
    for (int column = lane; column < COLUMNS; column += LANES) out_ptr[row * COLUMNS + column] = sorted[column].value;

Equals come out as the generated kernel has them, also where the text does not ask for a stable sort: by the same network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Expression, Scan
from inductor_lab.eject.cuda.accumulators import Accumulators
from inductor_lab.eject.cuda.code import Code
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.shapes import seen
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.triton.nouns import noun

ROWS, LONGEST = 4, 512
"""Rows of a block where a warp takes each, and how long they are at most (`launching.py`); Inductor sorts no longer ones."""


@dataclass
class Sort:
    """One sort, with both its results."""

    accumulators: Accumulators
    values: list[Scan]
    axis: Axis
    serial: bool
    """One thread does it all, as on the host."""
    name: str = ""

    @property
    def page(self) -> Page:
        return self.accumulators.page

    @property
    def statements(self) -> Statements:
        return self.accumulators.statements

    @property
    def size(self) -> str:
        return self.page.layout.scalar(f"{self.axis.name}numel")

    @property
    def order(self) -> str:
        words = self.values[0].name.split("_")
        return f"OutOfOrder<{str('unstable' not in words).lower()}, {str('descending' in words).lower()}>()"

    def begin(self) -> None:
        """Where the row is put.

        Raises:
            UnprintableError: what is sorted is no row of a size that is known, or more than a block has room for.
        """
        page, inputs = self.page, self.values[0].inputs
        if not isinstance(self.axis.numel, int) or len(inputs) != 2:
            raise UnprintableError("a sort of as many elements as only a launch tells is not printed in CUDA C++ yet")
        if self.axis.numel > LONGEST:
            raise UnprintableError(f"a sort of more than {LONGEST} elements is not printed in CUDA C++ yet")
        page.helpers |= dict.fromkeys(("Sortable", "OutOfOrder", "sort_row"))
        kind = f"Sortable<{', '.join(page.numbers.held(each.dtype) for each in inputs)}>"
        self.name = page.fresh(noun(self.values[0], page.tensors, self.statements.roles), self.values[0])
        if self.serial:
            page.emit(f"{kind} {self.name}[padded({self.size})];")
            return
        rows = page.fresh(f"{self.name}_of")
        page.emit(
            f"__shared__ {kind} {rows}[LANES == 32 && {self.size} <= {LONGEST} ? {ROWS} : 1][padded({self.size})];"
        )
        page.emit(f"{kind}* {self.name} = {rows}[threadIdx.y];")

    def take(self) -> None:
        """An element of the row."""
        inputs = map(seen, self.values[0].inputs)
        written = ", ".join(self.statements.expressions.of(each, each.dtype).text for each in inputs)
        self.accumulators.take(f"{self.name}[{self._index()}] = {{{written}}};")

    def _index(self) -> str:
        return self.page.layout.names[self.axis.name].index

    def finish(self) -> None:
        """What stands at each place then."""
        lanes, lane = ("1", "0") if self.serial else ("LANES", "lane")
        self.page.emit(f"sort_row<{lanes}>({self.name}, {self.size}, {lane}, {self.order});")
        for value in self.values:
            self.page.bound[value] = Code(f"{self.name}[{self._index()}].{('value', 'place')[value.part]}")


def sorts(accumulators: Accumulators, values: Sequence[Scan], axis: Axis, *, serial: bool) -> list[Sort]:
    """Results of one call together."""
    found: dict[tuple[str, tuple[Expression, ...]], Sort] = {}
    for value in values:
        key = value.name, tuple(map(seen, value.inputs))
        found.setdefault(key, Sort(accumulators, [], axis, serial)).values.append(value)
    return list(found.values())
