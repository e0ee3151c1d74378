"""A row whose threads take VEC elements side by side at each step of a sweep.

for (int first = lane * VEC; first < COLUMNS; first += LANES * VEC) {
    const auto x_pack = load<VEC>(x_ptr + first + row * COLUMNS);
    Pack<float, VEC> out_pack;
    #pragma unroll
    for (int k = 0; k < VEC; ++k) {
        out_pack[k] = x_pack[k] * scale;
    }
    if (inside) store(out_ptr + first + row * COLUMNS, out_pack);
}
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.code import Code
from inductor_lab.eject.cuda.pack_lines import PackLines
from inductor_lab.eject.cuda.packs import Packs, packs_of_row
from inductor_lab.eject.cuda.page import Page, Place
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements


class RowPacks:
    """The packs of one kernel that folds rows."""

    def __init__(self, page: Page, statements: Statements, packs: Packs, lines: PackLines) -> None:
        self.page, self.statements, self.axis, self.width = page, statements, packs.axis, packs.width
        self.lines = lines
        every = page.layout.coordinates.by_axis.get(self.axis.name, ())
        self.first = {coordinate: Code("first") for coordinate in every if packs.whole(coordinate)}
        self.held: dict[Place, str] = {}
        """What a thread loads once for several sweeps -> the array that keeps its packs."""
        self.kept: set[Place] = set()
        """Those of them that were loaded."""
        self.gathered: dict[str, tuple[str, str]] = {}
        """Arrays of what the elements of a step come to -> the type of one, and the statement that takes all of them in."""
        page.divided = packs.divided([page.layout.scalar(f"{self.axis.name}numel")], lines.places)
        page.helpers["Pack"] = None

    def hold(self, place: Place) -> None:
        """Have a load's packs kept in registers."""
        name = self.held[place] = self.page.fresh(f"{self.page.tensors[place[0]].name}_held")
        self.page.emit(f"{self.lines.type(place)} {name}[HOLDS ? ITEMS : 1];")

    def gather(self, value: str, kind: str, accumulator: str) -> None:
        """Have an accumulator take in a step's values together: `total = total.with(values);`."""
        array = self.page.fresh("values")
        self.page.emit(f"{array}[k] = {value};")
        self.gathered[array] = kind, f"{accumulator} = {accumulator}.with({array});"

    def step(self, body: Sequence[str]) -> list[str]:
        """One step of a sweep, from the statements for one element."""
        page, outer = self.page, self.page.lines
        read, written = (
            [place for place in self.lines.places if place in some] for some in (page.packs_read, page.packs_written)
        )
        page.lines, page.moved = [], self.first
        for place in read:
            self._load(place, changed=place in written)
        page.lines += [f"{self.lines.type(place)} {page.packs[place]};" for place in written if place not in read]
        page.lines += [f"{kind} {array}[VEC];" for array, (kind, _) in self.gathered.items()]
        page.lines += ["#pragma unroll", "for (int k = 0; k < VEC; ++k) {"]
        page.lines += ["    " + line for line in self._element(body)]
        page.lines += ["}", *(taken for _, taken in self.gathered.values())]
        self.gathered.clear()
        for place in written:
            self.lines.store(place, "inside")
        made, page.lines, page.moved = page.lines, outer, {}
        page.packs_read.clear()
        page.packs_written.clear()
        return made

    def _load(self, place: Place, changed: bool) -> None:
        name, array, code = self.page.packs[place], self.held.get(place), self.lines.loaded(place)
        if array and place in self.kept:
            code = f"HOLDS ? {array}[item] : {code}"
        self.page.emit(f"{'auto' if changed else 'const auto'} {name} = {code};")
        if array and place not in self.kept:
            self.page.emit(f"if (HOLDS) {array}[item] = {name};")
            self.kept.add(place)

    def _element(self, body: Sequence[str]) -> list[str]:
        """An element's own positions before what is computed for it."""
        index = self.page.layout.names[self.axis.name].index
        inner = [*coordinates(self.page, self.axis, body), *body]
        used = re.search(rf"\b{index}\b", "\n".join(inner))
        return [f"const {index_type(self.page)} {index} = first + k;", *inner] if used else inner


def row_packs(page: Page, statements: Statements, axis: Axis) -> RowPacks | None:
    """Those along a row; none where it does not pay, or its length is only known at a launch."""
    found = packs_of_row(page, axis)
    if found is None:
        return None
    packs, places = found
    flat = {place: access for place, access in places.items() if access.kind in {"load", "store"}}
    return RowPacks(page, statements, packs, PackLines(page, statements, flat)) if flat else None
