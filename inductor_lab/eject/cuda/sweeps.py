"""Prints one pass over a row as a loop of CUDA C++, and the running folds (scans) that need all threads of the row.

Running folds: each thread takes an element, those before it come from its row's threads, and from the chunk of the row before.

Before<float, Sum> running_before{};
for (int start = 0; start < COLUMNS; start += LANES) {
    const bool within = start + lane < COLUMNS;
    const int column = within ? start + lane : COLUMNS - 1;     beyond the end nothing is stored, and nothing comes after
    const float running = scan_row<LANES, float>(x_ptr[column], running_before, start == 0, Sum());
    if (inside && within) out_ptr[column] = running;
}

And sorts of a row: its threads put it into shared memory, sort it there together, and take from it what stands at each place.

__shared__ Sortable<float, int16_t> sorted_of[LANES == 32 && COLUMNS <= 512 ? 4 : 1][padded(COLUMNS)];    a block's rows
Sortable<float, int16_t>* sorted = sorted_of[threadIdx.y];
for (int column = lane; column < COLUMNS; column += LANES) sorted[column] = {x_ptr[row * COLUMNS + column], int16_t(column)};
sort_row<LANES>(sorted, COLUMNS, lane, OutOfOrder<true, false>());                                      stable, ascending
for (int column = lane; column < COLUMNS; column += LANES) out_ptr[row * COLUMNS + column] = sorted[column].value;

Equals come out as the generated kernel has them, also where the text does not ask for a stable sort: by the same network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from inductor_lab.computation.tree import Expression, Scan
from inductor_lab.eject.cuda.code import EQUAL, Code, binary, block, call, choice
from inductor_lab.eject.cuda.launch import LANES, WARPS
from inductor_lab.eject.cuda.packs import RowPacks
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.threads import Geometry, under
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.combining import Combination, combination, combining_function
from inductor_lab.eject.printing.operands import parts
from inductor_lab.eject.refusal import UnprintableError

PART = 32
"""Elements of a long row that a thread takes in before it begins anew."""
LONG = 1 << 15
"""Elements of a row from which on a thread sums up parts of it."""
KNOWN = {"sum": "Sum", "prod": "Product"}
"""The scan's name in the tree -> what combines two elements, of templates/cuda/helpers/."""


class Sweeps:
    """Those of one kernel, and what the one that is being printed accumulates.

    Args:
        packs: Several elements at each step.
    """

    def __init__(self, page: Page, statements: Statements, geometry: Geometry, packs: RowPacks | None) -> None:
        self.page, self.statements, self.geometry, self.packs = page, statements, geometry, packs
        self.axis = page.folded
        self.long = not geometry.serial and isinstance(self.axis.numel, int) and self.axis.numel > LONG
        self.guarded = False
        """Whether a thread may be beyond its row's end, and then takes nothing in."""
        self.begun: dict[str, str] = {}
        """Variables before the sweep, each with its type."""
        self.rounding: dict[str, tuple[str, str]] = {}
        """Accumulators of the sweep whose rounding adds up -> the value of nothing, and what combines two of them."""
        self.gathered: dict[str, tuple[str, str]] = {}
        """Arrays of what the elements of a pack come to -> the type of one, and the statement that takes all of them in."""

    def take(self, statement: str) -> None:
        """One element more, where there is one."""
        self.page.emit(f"if (within) {statement}" if self.guarded else statement)

    @contextmanager
    def sweep(self, *, scanning: bool, held: bool) -> Iterator[None]:
        """What is printed inside is a loop over the row; its names end with it.

        Args:
            scanning: All threads stay together, those beyond the row's end too.
            held: What is needed again stays in registers.
        """
        page = self.page
        with page.scope() as lines:
            self.guarded = scanning
            yield
            self.guarded = False
        begun, self.begun = self.begun, {}
        rounding, self.rounding = self.rounding, {}
        gathered, self.gathered = self.gathered, {}
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
        if self.geometry.serial:
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


# ------------------------------------------------------------ running folds


class Scans:
    """Those of one kernel."""

    def __init__(self, sweeps: Sweeps) -> None:
        self.sweeps, self.page, self.statements = sweeps, sweeps.page, sweeps.statements
        self.scan = sweeps.geometry.scan

    def define(self, value: Scan) -> None:
        """All results of the call that a scan is one of."""
        statements, numbers = self.statements, self.page.numbers
        inputs = value.inputs
        held = [numbers.held(each.dtype) for each in inputs]
        codes = [statements.of(each, each.dtype) for each in inputs]
        combine = self._combine(value, inputs)
        single = len(inputs) == 1
        kind = held[0] if single else f"{combine}::Values"
        element = codes[0] if single else Code(f"{kind}{{{', '.join(code.text for code in codes)}}}")
        name = self.page.fresh(self.page.layout.word(value), value)
        if self.scan:
            before = self.page.fresh(f"{name}_before")
            self.sweeps.begun[before] = f"Before<{kind}, {combine}>"
            self.page.calls("Before", *(["of_lane"] if self.scan == "scan_row" else []), self.scan)
            first = Code("start == 0", EQUAL)
            made = call(f"{self.scan}<LANES, {kind}>", element, Code(before), first, Code(f"{combine}()"))
            self.page.emit(f"const {kind} {name} = {made.text};")
        else:
            self.sweeps.begun[name] = kind
            index = self.page.names(self.page.folded).index
            made = choice(
                binary(Code(index), ("==", EQUAL), Code("0")), element, call(f"{combine}()", Code(name), element)
            )
            self.page.emit(f"{name} = {made.text};")
        self._bind(value, inputs, name)

    def _bind(self, value: Scan, inputs: tuple[Expression, ...], name: str) -> None:
        for other in self.page.uses:
            if isinstance(other, Scan) and other.name == value.name and other.inputs == inputs:
                self.page.bound[other] = Code(name if len(inputs) == 1 else f"{name}.of_{other.part}")

    # ------------------------------------------------------------ what combines two elements

    def _combine(self, value: Scan, inputs: tuple[Expression, ...]) -> str:
        """The function object's type.

        Raises:
            UnprintableError: it is a sort, or goes backwards, or combines by a function whose text is not there.
        """
        if value.name in KNOWN and len(inputs) == 1:
            self.page.calls(KNOWN[value.name])
            return KNOWN[value.name]
        if value.name.startswith("sort") or value.name.endswith("_reversed"):
            raise UnprintableError(f"a scan ({value.name}) is not printed in CUDA C++ yet")
        function = combining_function(value.name, self.page.functions)
        name = next((made for made, (of, text) in self.page.own.items() if of == _key(value, inputs)), "")
        if not name:
            name = self.page.fresh(f"Combine{len(self.page.own) or ''}")
            self.page.own[name] = (_key(value, inputs), self._object(name, combination(function, inputs), inputs))
        return name

    def _object(self, name: str, combined: Combination, inputs: tuple[Expression, ...]) -> str:
        """The kernel's own function in C++, from its tree."""
        page, several = self.page, len(inputs) > 1
        held = [page.numbers.held(each.dtype) for each in inputs]
        kind = "Values" if several else held[0]
        with page.scope() as body:
            sides = page.fresh("before"), page.fresh("next")
            fields = [f".of_{number}" for number in range(len(inputs))] if several else [""]
            given = [Code(side + field) for side in sides for field in fields]
            page.bound = dict(zip(combined.arguments.values(), given, strict=True))
            page.uses.update(combined.results)
            for inner in under(*combined.results):
                page.uses.update(parts(inner))
            for step in combined.steps:
                self.statements.define(step)
            returned = [self.statements.of(result).text for result in combined.results]
            page.emit(f"return {kind}{{{', '.join(returned)}}};" if several else f"return {returned[0]};")
        values = [f"    struct Values {{ {' '.join(f'{h} of_{n};' for n, h in enumerate(held))} }};"] if several else []
        head = f"__device__ __forceinline__ {kind} operator()({kind} {sides[0]}, {kind} {sides[1]}) const {{"
        comment = "// How what came before and what comes next combine: the function that Inductor wrote for it."
        body = [f"        {line}" for line in body]
        return "\n".join([comment, f"struct {name} {{", *values, f"    {head}", *body, "    }", "};"])


def _key(value: Scan, inputs: tuple[Expression, ...]) -> tuple[str, ...]:
    return (value.name, *(each.dtype for each in inputs))


# ------------------------------------------------------------ sorts


LONGEST = LANES[0][1]
"""Elements up to which a warp takes a row, and then `WARPS` rows are a block's; Inductor sorts no longer ones."""


@dataclass
class Sort:
    """One sort, with both its results."""

    sweeps: Sweeps
    values: list[Scan]
    name: str = ""

    @property
    def order(self) -> str:
        words = self.values[0].name.split("_")
        return f"OutOfOrder<{str('unstable' not in words).lower()}, {str('descending' in words).lower()}>()"

    def begin(self) -> None:
        """Where the row is put.

        Raises:
            UnprintableError: what is sorted is no row of a size that is known, or more than a block has room for.
        """
        page, axis, inputs = self.sweeps.page, self.sweeps.axis, self.values[0].inputs
        if not isinstance(axis.numel, int) or len(inputs) != 2:
            raise UnprintableError("a sort of as many elements as only a launch tells is not printed in CUDA C++ yet")
        if axis.numel > LONGEST:
            raise UnprintableError(f"a sort of more than {LONGEST} elements is not printed in CUDA C++ yet")
        page.calls("sort_row")
        kind = f"Sortable<{', '.join(page.numbers.held(each.dtype) for each in inputs)}>"
        self.name = page.fresh(page.layout.word(self.values[0]), self.values[0])
        size = page.length(axis)
        if self.sweeps.geometry.serial:
            page.emit(f"{kind} {self.name}[padded({size})];")
            return
        rows = page.fresh(f"{self.name}_of")
        page.emit(f"__shared__ {kind} {rows}[LANES == 32 && {size} <= {LONGEST} ? {WARPS} : 1][padded({size})];")
        page.emit(f"{kind}* {self.name} = {rows}[threadIdx.y];")

    def take(self) -> None:
        """An element of the row."""
        inputs = self.values[0].inputs
        written = ", ".join(self.sweeps.statements.of(each, each.dtype).text for each in inputs)
        self.sweeps.take(f"{self.name}[{self._index()}] = {{{written}}};")

    def _index(self) -> str:
        return self.sweeps.page.names(self.sweeps.axis).index

    def finish(self) -> None:
        """What stands at each place then."""
        page, lanes, lane = self.sweeps.page, *(("1", "0") if self.sweeps.geometry.serial else ("LANES", "lane"))
        page.emit(f"sort_row<{lanes}>({self.name}, {page.length(self.sweeps.axis)}, {lane}, {self.order});")
        for value in self.values:
            page.bound[value] = Code(f"{self.name}[{self._index()}].{('value', 'place')[value.part]}")


def sorts_of(sweeps: Sweeps, values: Sequence[Scan]) -> list[Sort]:
    """Results of one call together."""
    found: dict[tuple[str, tuple[Expression, ...]], Sort] = {}
    for value in values:
        key = value.name, value.inputs
        found.setdefault(key, Sort(sweeps, [])).values.append(value)
    return list(found.values())
