"""What a thread accumulates while it sweeps over a row, and what its row's threads make of it together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Carry
from inductor_lab.computation.tree import Constant, Expression, Reduction
from inductor_lab.eject.cuda.code import PRODUCT, Code, call
from inductor_lab.eject.cuda.folds import FOLDS, TURNS, Fold, fold_of, start_of
from inductor_lab.eject.cuda.numbers import is_float
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.row_packs import RowPacks
from inductor_lab.eject.cuda.shapes import seen
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.triton.nouns import noun, running
from inductor_lab.eject.triton.operands import constant_of

ROUNDING = frozenset({"sum", "welford"})
"""Folds whose error grows with how many elements one thread takes in, one after the other."""


class Accumulators:
    """Those of one kernel.

    Args:
        fold: The function that combines a row's threads; empty where one thread does it all.
        packs: What a thread takes several elements at once by.
    """

    def __init__(self, page: Page, statements: Statements, fold: str, packs: RowPacks | None = None) -> None:
        self.page, self.statements, self.combined, self.packs = page, statements, fold, packs
        self.guarded = False
        """Whether a thread may be beyond its row's end, and then takes nothing in."""
        self.rounding: dict[str, tuple[str, str]] = {}
        """Accumulators of the sweep whose rounding adds up -> the value of nothing, and what combines two of them."""
        self.structures: dict[tuple[Expression, ...], str] = {}
        """Carried results of one turn -> the variable that holds them."""
        self.names: dict[str, str] = {}
        """A loop's own name for an accumulator -> ours."""

    def needs(self, fold: Fold) -> None:
        """Have what a fold calls stand above the kernel."""
        wanted = ["shuffled", *fold.needs, *([fold.structure] if fold.structure else []), fold.combine]
        self.page.helpers |= dict.fromkeys(wanted if self.combined else [each for each in wanted if each != "shuffled"])
        if self.combined:
            self.page.helpers[self.combined] = None

    def structure(self, fold: Fold, dtype: str) -> str:
        """The type of several results together: `Welford<float>`."""
        return f"{fold.structure}<{self.page.numbers.held(dtype)}>"

    def started(self, fold: Fold, dtype: str) -> str:
        """The results of nothing."""
        starts = [start_of(s, "int64" if f == "index" else dtype) for s, f in zip(fold.start, fold.fields, strict=True)]
        return ", ".join(self.page.numbers.literal(start).text for start in starts)

    def together(self, value: Code, fold: Fold) -> Code:
        """What the row's threads made of it."""
        return call(f"{self.combined}<LANES>", value, Code(f"{fold.combine}()")) if self.combined else value

    # ------------------------------------------------------------ loops of the text

    def start(self, carries: Sequence[Carry]) -> None:
        """Accumulators before their loop."""
        for group in _turns(carries):
            if len(group) > 1 or isinstance(seen(group[0].end), Partial):
                self._start_several(group)
            else:
                self._start_one(group[0])

    def _start_one(self, carry: Carry) -> None:
        start = constant_of(carry.start)
        if start is None:
            raise UnprintableError("a loop that begins with no number is not printed in CUDA C++ yet")
        dtype = _of_kind(carry.end)
        name = self.names[carry.name] = self.page.fresh(running(carry.after))
        text = self.page.numbers.literal(start, dtype).text
        self.page.emit(f"{self.page.numbers.held(dtype)} {name} = {text};")
        if isinstance(carry.after, Partial):
            self.rounds(name, carry.after.name, dtype, text)
        self.page.bound[carry.before] = Code(name)

    def _start_several(self, group: Sequence[Carry]) -> None:
        fold = FOLDS[_partial(group[0]).name]
        self.needs(fold)
        dtype = next(_of_kind(carry.end) for carry in group if is_float(_of_kind(carry.end)) or len(group) == 2)
        name = self.page.fresh("running")
        self.page.emit(f"{self.structure(fold, dtype)} {name} = {{{self.started(fold, dtype)}}};")
        self.rounds(name, _partial(group[0]).name, dtype, f"{{{self.started(fold, dtype)}}}")
        for carry in group:
            self.names[carry.name] = name
            self.page.bound[carry.before] = Code(f"{name}.{_partial(carry).part}")

    def rounds(self, name: str, fold: str, dtype: str, start: str) -> None:
        """Note an accumulator that rounds at every element."""
        if fold in ROUNDING and is_float(dtype):
            self.needs(FOLDS[fold])
            self.rounding[name] = start, FOLDS[fold].combine

    def update(self, values: Sequence[Expression], carries: Sequence[Carry]) -> None:
        """What a turn takes in; nothing where it did already."""
        for value in values:
            carry = next((carry for carry in carries if seen(carry.end) is value), None)
            if carry is None or value in self.page.bound:
                continue
            name = self.names[carry.name]
            if not isinstance(value, Partial):
                self.take(f"{name} = {self.statements.expressions.of(value).text};")
                self.page.bound[value] = Code(name)
                continue
            self._take_turn(value, name)
            for other in carries:
                if self.names[other.name] == name:
                    self.page.bound[seen(other.end)] = Code(f"{name}.{_partial(other).part}")

    def _take_turn(self, value: Partial, name: str) -> None:
        assert value.call is not None
        function = value.call.function.rpartition(".")[2]
        if function not in TURNS:
            raise UnprintableError(f"a loop that folds by {value.call.function} is not printed in CUDA C++ yet")
        count = len(FOLDS[value.name].fields)
        taken = value.call.values
        taken = taken[:1] if function == "welford_reduce" else taken[count:]
        dtype = _of_kind(value)
        self.turn(TURNS[function], name, [self._argument(each, dtype) for each in taken], dtype)

    def turn(self, update: str, name: str, taken: Sequence[str], dtype: str) -> None:
        """An accumulator takes in an element, or what a step has of them; of these a mean is one division."""
        if update == TURNS["welford_reduce"] and self.packs is not None:
            self.packs.gather(taken[0], self.page.numbers.held(dtype), name)
        else:
            self.take(f"{name} = {update.format(name, *taken)};")

    def _argument(self, value: Expression, dtype: str) -> str:
        code = self.statements.expressions.of(value, dtype)
        floats = is_float(dtype) and not isinstance(value, Constant)
        return (
            self.page.numbers.cast(code, value.dtype, dtype)
            if floats and value.dtype != dtype and is_float(value.dtype)
            else code
        ).text

    def take(self, statement: str) -> None:
        """One element more, where there is one."""
        self.page.emit(f"if (within) {statement}" if self.guarded else statement)

    def ended(self, carries: Sequence[Carry]) -> None:
        """Every accumulator was set by a statement.

        Raises:
            UnprintableError: one was not.
        """
        for carry in carries:
            if seen(carry.end) not in self.page.bound:
                raise UnprintableError("a loop whose accumulator is set in an unknown way")

    def behind(self, carries: Sequence[Carry]) -> None:
        """What the accumulators are called behind their loop."""
        for carry in carries:
            name, end = self.names[carry.name], seen(carry.end)
            self.page.bound[carry.after] = Code(f"{name}.{end.part}" if isinstance(end, Partial) else name)

    def fold(self, values: Sequence[Reduction]) -> None:
        """Reductions of what a loop accumulated; those of one call come together."""
        values = [value for value in values if value not in self.page.bound and self.page.uses[value]]
        if not values:
            return
        fold = fold_of(values[0])
        self.needs(fold)
        inputs = [self.statements.expressions.of(each) for each in values[0].call.values] if values[0].call else []
        if not fold.fields:
            self.one(values[0], fold, inputs[0])
            return
        holder = inputs[0].text.partition(".")[0]
        if [code.text for code in inputs] != [f"{holder}.{part}" for part in fold.fields]:
            dtype = _of_kind(values[0].call.values[0]) if values[0].call else ""
            holder = f"{self.structure(fold, dtype)}{{{', '.join(code.text for code in inputs)}}}"
        self.bind_several(values, fold, Code(holder))

    def one(self, value: Reduction, fold: Fold, code: Code) -> None:
        """A fold with one result, under its name."""
        held = self.page.numbers.held(value.dtype)
        name = self.page.fresh(noun(value, self.page.tensors, self.statements.roles), value)
        self.page.emit(f"const {held} {name} = {self.together(code, fold).text};")
        self.page.bound[value] = Code(name)

    def bind_several(self, values: Sequence[Reduction], fold: Fold, code: Code) -> None:
        """A fold with several, each a field of one value."""
        name = self.page.fresh("whole")
        self.page.emit(f"const auto {name} = {self.together(code, fold).text};")
        for value in values:
            self.page.bound[value] = Code(f"{name}.{value.part}")

    # ------------------------------------------------------------ rows that the text holds whole

    def groups(self, folds: Sequence[Reduction]) -> list[Group]:
        """Folds of one call together."""
        found: dict[tuple[object, ...], Group] = {}
        for value in folds:
            fold, inputs = fold_of(value), tuple(map(seen, value.call.values if value.call else ()))
            if inputs and all(map(_one_element, inputs)):
                fold, inputs = _of_elements(fold, inputs[0])
            key = (value.name, *map(id, inputs))
            group = found.setdefault(key, Group(self, fold, inputs, []))
            group.values.append(value)
        return list(found.values())


@dataclass
class Group:
    """One fold over a row, with all its results."""

    accumulators: Accumulators
    fold: Fold
    inputs: tuple[Expression, ...]
    values: list[Reduction]
    name: str = field(default="")

    def begin(self) -> None:
        """The accumulator."""
        page, fold = self.accumulators.page, self.fold
        self.accumulators.needs(fold)
        dtype = _of_kind(self.inputs[0]) if fold.fields else self.values[0].dtype
        if fold.fields:
            self.name = page.fresh("running")
            page.emit(
                f"{self.accumulators.structure(fold, dtype)} {self.name} = {{{self.accumulators.started(fold, dtype)}}};"
            )
            self.accumulators.rounds(
                self.name, self.values[0].name, dtype, f"{{{self.accumulators.started(fold, dtype)}}}"
            )
            return
        self.name = page.fresh("accumulator")
        start = page.numbers.literal(start_of(fold.start[0], dtype), dtype)
        page.emit(f"{page.numbers.held(dtype)} {self.name} = {start.text};")
        self.accumulators.rounds(self.name, self.values[0].name, dtype, start.text)

    def take(self) -> None:
        """One element more."""
        expressions = self.accumulators.statements.expressions
        dtype = _of_kind(self.inputs[0]) if self.fold.fields else self.values[0].dtype
        taken = [expressions.of(value, dtype) for value in self.inputs]
        if not self.fold.fields and not isinstance(self.inputs[0], Constant):
            taken = [self.accumulators.page.numbers.cast(taken[0], self.inputs[0].dtype, dtype)]
        texts = [code.text if "(" in self.fold.update else code.at(PRODUCT) for code in taken]
        self.accumulators.turn(self.fold.update, self.name, texts, dtype)

    def finish(self) -> None:
        """What the row's threads made of it."""
        if self.fold.fields:
            self.accumulators.bind_several(self.values, self.fold, Code(self.name))
            return
        for value in self.values:
            self.accumulators.one(value, self.fold, Code(self.name))


def _one_element(value: Expression) -> bool:
    """Whether it is what a turn makes of nothing and of one element, as `welford_reduce` of a row that is held whole."""
    if not isinstance(value, Partial) or value.call is None or not value.call.function.endswith(".welford_reduce"):
        return False
    return all(isinstance(before := seen(each), Constant) and before.value == 0 for each in value.call.values[1:])


def _of_elements(fold: Fold, first: Expression) -> tuple[Fold, tuple[Expression, ...]]:
    """The fold that takes the elements themselves."""
    assert isinstance(first, Partial) and first.call is not None
    return dataclasses.replace(fold, update=TURNS["welford_reduce"]), (seen(first.call.values[0]),)


def _turns(carries: Sequence[Carry]) -> list[list[Carry]]:
    """Carries that one call sets."""
    found: dict[object, list[Carry]] = {}
    for carry in carries:
        end = seen(carry.end)
        key = (end.call.function, *map(id, end.call.values)) if isinstance(end, Partial) and end.call else carry.name
        found.setdefault(key, []).append(carry)
    return list(found.values())


def _partial(carry: Carry) -> Partial:
    end = seen(carry.end)
    assert isinstance(end, Partial)
    return end


def _of_kind(value: Expression) -> str:
    """The dtype that a variable of a value is held in."""
    return {"float": "float32", "int": "int32"}.get(value.dtype, value.dtype)
