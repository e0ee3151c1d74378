"""One sweep over a row as a loop: by elements or packs of them, out of registers, by all threads together, or in parts.

A pack is VEC elements side by side, which a thread takes at each step:

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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.code import block, words
from inductor_lab.eject.cuda.folds import Accumulators
from inductor_lab.eject.cuda.packs import PackLines, Packs, packs_of_row
from inductor_lab.eject.cuda.page import Page, Place
from inductor_lab.eject.cuda.scans import Scans
from inductor_lab.eject.cuda.values import Statements

PART = 32
"""Elements of a long row that a thread takes in before it begins anew."""


class RowPacks:
    """The packs of one kernel that folds rows."""

    def __init__(self, page: Page, packs: Packs, lines: PackLines) -> None:
        self.page, self.axis, self.width, self.lines = page, packs.axis, packs.width, lines
        self.held: dict[Place, str] = {}
        """What a thread loads once for several sweeps -> the array that keeps its packs."""
        self.kept: set[Place] = set()
        """Those of them that were loaded."""
        page.divided = packs.divided([page.length(self.axis)], lines.places)
        page.calls("Pack")

    def hold(self, place: Place) -> None:
        """Have a load's packs kept in registers."""
        name = self.held[place] = self.page.fresh(f"{self.page.tensors[place[0]].name}_held")
        self.page.emit(f"{self.lines.type(place)} {name}[HOLDS ? ITEMS : 1];")

    def step(self, body: Sequence[str], gathered: Mapping[str, tuple[str, str]]) -> list[str]:
        """One step of a sweep, from the statements for one element.

        Args:
            gathered: Arrays that these fill -> the type of an element, and the statement that takes the array in.
        """
        page = self.page
        read, written = (
            [place for place in self.lines.places if place in some] for some in (page.packs_read, page.packs_written)
        )
        page.moved = self.lines.first
        with page.scope() as made:
            for place in read:
                self._load(place, changed=place in written)
            made += [f"{self.lines.type(place)} {page.packs[place]};" for place in written if place not in read]
            made += [f"{kind} {array}[VEC];" for array, (kind, _) in gathered.items()]
            made += ["#pragma unroll", *block("for (int k = 0; k < VEC; ++k)", self._element(body))]
            made += [taken for _, taken in gathered.values()]
            for place in written:
                self.lines.store(place, "inside")
        page.moved = {}
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
        index, inner = self.page.names(self.axis).index, self.page.placed([self.axis], body)
        return [f"const {self.page.index_type} {index} = first + k;", *inner] if index in words(inner) else inner


def row_packs(page: Page, statements: Statements, axis: Axis) -> RowPacks | None:
    """Those along a row; none where it does not pay, or its length is only known at a launch."""
    found = packs_of_row(page, axis)
    if found is None:
        return None
    packs, places = found
    flat = {place: access for place, access in places.items() if access.kind in {"load", "store"}}
    return RowPacks(page, packs, PackLines(page, statements, packs, flat)) if flat else None


class Sweeps:
    """Those of one kernel.

    Args:
        packs: Several elements at each step.
        serial: One thread does it all, as on the host.
        long: So many elements that the rounding of their sum adds up.
    """

    def __init__(
        self,
        page: Page,
        axis: Axis,
        accumulators: Accumulators,
        scans: Scans,
        packs: RowPacks | None,
        *,
        serial: bool,
        long: bool,
    ) -> None:
        self.page, self.axis, self.accumulators, self.scans, self.packs = page, axis, accumulators, scans, packs
        self.serial, self.long = serial, long and not serial

    @contextmanager
    def sweep(self, *, scanning: bool, held: bool) -> Iterator[None]:
        """What is printed inside is a loop over the row; its names end with it.

        Args:
            scanning: All threads stay together, those beyond the row's end too.
            held: What is needed again stays in registers.
        """
        page, accumulators = self.page, self.accumulators
        with page.scope() as lines:
            accumulators.guarded = scanning
            yield
            accumulators.guarded = False
        begun, self.scans.begun = self.scans.begun, {}
        rounding, accumulators.rounding = accumulators.rounding, {}
        gathered, accumulators.gathered = accumulators.gathered, {}
        body = self.packs.step(lines, gathered) if self.packs else page.placed([self.axis], lines)
        page.layout.taken.update(begun)
        page.lines += [f"{kind} {name}{{}};" for name, kind in begun.items()]
        page.lines += self._scanning(body) if scanning else self._loop(body, rounding if self.long else {}, held)

    def _scanning(self, body: Sequence[str]) -> list[str]:
        """A loop that all threads go along together."""
        index, kind, end = self.page.names(self.axis).index, self.page.index_type, self.page.length(self.axis)
        head = f"const bool within = start + lane < {end};"
        place = f"const {kind} {index} = within ? start + lane : {end} - 1;"
        return block(f"for ({kind} start = 0; start < {end}; start += LANES)", [head, place, *body])

    def _loop(self, body: Sequence[str], rounding: Mapping[str, tuple[str, str]], held: bool) -> list[str]:
        """A loop along which each thread takes elements or packs of its own."""
        index, kind, end = self.page.names(self.axis).index, self.page.index_type, self.page.length(self.axis)
        index, many = ("first", " * VEC") if self.packs else (index, "")
        if held and self.packs:
            place = f"const {kind} first = (lane + item * LANES) * VEC;"
            inside = [place, f"if ({end} % (LANES * VEC) && first >= {end}) break;", *body]
            return ["#pragma unroll (HOLDS ? ITEMS : 1)", *block("for (int item = 0; item < ITEMS; ++item)", inside)]
        if held:
            place = f"const {kind} {index} = lane + k * LANES;"
            inside = [place, f"if ({index} >= {end}) break;", *body]
            return ["#pragma unroll (HOLDS ? ITEMS : 1)", *block("for (int k = 0; k < ITEMS; ++k)", inside)]
        if self.serial:
            return block(f"for ({kind} {index} = 0; {index} < {end}; ++{index})", body)
        step = f"{index} += LANES{many}"
        if not rounding:
            return block(f"for ({kind} {index} = lane{many}; {index} < {end}; {step})", body)
        part = f"{index} < {end} && {index} < start + {PART} * LANES"
        inner = block(f"for ({kind} {index} = start; {part}; {step})", body)
        outer = f"for ({kind} start = lane{many}; start < {end}; start += {PART} * LANES)"
        return ["// In parts, so that less rounding adds up.", *block(outer, self._begun_anew(inner, rounding))]

    def _begun_anew(self, inner: Sequence[str], rounding: Mapping[str, tuple[str, str]]) -> list[str]:
        """A part of the row, combined with those before it."""
        before = {name: self.page.fresh(f"{name}_before") for name in rounding}
        lines = [f"const auto {before[name]} = {name};" for name in rounding]
        lines += [f"{name} = {start};" for name, (start, _) in rounding.items()]
        return [*lines, *inner, *(f"{name} = {c}()({before[name]}, {name});" for name, (_, c) in rounding.items())]
