"""One sweep over a row as a loop: by elements or packs of them, out of registers, by all threads together, or in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.accumulators import Accumulators
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.row_packs import RowPacks
from inductor_lab.eject.cuda.scans import Scans
from inductor_lab.eject.cuda.signature import index_type

PART = 32
"""Elements of a long row that a thread takes in before it begins anew."""


@dataclass
class Sweep:
    """What is printed inside is a loop over the row; its names end with it."""

    page: Page
    axis: Axis
    accumulators: Accumulators
    scans: Scans
    serial: bool
    """One thread does it all, as on the host."""
    scanning: bool
    """All threads stay together, those beyond the row's end too."""
    held: bool
    """What is needed again stays in registers."""
    long: bool
    """So many elements that the rounding of their sum adds up."""
    packs: RowPacks | None
    """Several elements at each step."""

    def __enter__(self) -> None:
        self.accumulators.guarded = self.scanning
        self.outer, self.page.lines = self.page.lines, []
        self.bound, self.taken = dict(self.page.bound), set(self.page.layout.taken)

    def __exit__(self, kind: object, *_: object) -> None:
        self.accumulators.guarded = False
        begun, self.scans.begun = self.scans.begun, {}
        rounding, self.accumulators.rounding = self.accumulators.rounding, {}
        if kind is not None:
            return
        page = self.page
        lines, page.lines, page.bound = page.lines, self.outer, self.bound
        body = self.packs.step(lines) if self.packs else [*coordinates(page, self.axis, lines), *lines]
        page.layout.forget(self.taken | begun.keys())
        page.lines += [f"{held} {name}{{}};" for name, held in begun.items()]
        page.lines += self._loop(body, rounding if self.long else {})

    def _loop(self, body: Sequence[str], rounding: Mapping[str, tuple[str, str]]) -> list[str]:
        index, kind = self.page.layout.names[self.axis.name].index, index_type(self.page)
        end = self.page.layout.scalar(f"{self.axis.name}numel")
        if self.scanning:
            head = f"const bool within = start + lane < {end};"
            place = f"const {kind} {index} = within ? start + lane : {end} - 1;"
            return _block(f"for ({kind} start = 0; start < {end}; start += LANES)", [head, place, *body])
        index, many = ("first", " * VEC") if self.packs else (index, "")
        if self.held and self.packs:
            place = f"const {kind} first = (lane + item * LANES) * VEC;"
            inside = [place, f"if ({end} % (LANES * VEC) && first >= {end}) break;", *body]
            return ["#pragma unroll (HOLDS ? ITEMS : 1)", *_block("for (int item = 0; item < ITEMS; ++item)", inside)]
        if self.held:
            place = f"const {kind} {index} = lane + k * LANES;"
            inside = [place, f"if ({index} >= {end}) break;", *body]
            return ["#pragma unroll (HOLDS ? ITEMS : 1)", *_block("for (int k = 0; k < ITEMS; ++k)", inside)]
        if self.serial:
            return _block(f"for ({kind} {index} = 0; {index} < {end}; ++{index})", body)
        step = f"{index} += LANES{many}"
        if not rounding:
            return _block(f"for ({kind} {index} = lane{many}; {index} < {end}; {step})", body)
        part = f"{index} < {end} && {index} < start + {PART} * LANES"
        inner = _block(f"for ({kind} {index} = start; {part}; {step})", body)
        outer = f"for ({kind} start = lane{many}; start < {end}; start += {PART} * LANES)"
        return ["// In parts, so that less rounding adds up.", *_block(outer, self._begun_anew(inner, rounding))]

    def _begun_anew(self, inner: Sequence[str], rounding: Mapping[str, tuple[str, str]]) -> list[str]:
        """A part of the row, combined with those before it."""
        before = {name: self.page.fresh(f"{name}_before") for name in rounding}
        lines = [f"const auto {before[name]} = {name};" for name in rounding]
        lines += [f"{name} = {start};" for name, (start, _) in rounding.items()]
        return [*lines, *inner, *(f"{name} = {c}()({before[name]}, {name});" for name, (_, c) in rounding.items())]


def _block(head: str, inside: Sequence[str]) -> list[str]:
    return [f"{head} {{", *("    " + line for line in inside), "}"]
