"""How CUDA C++ reduces a row: the accumulator of each thread, and how the threads of a row combine theirs. One row a fold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Carry
from inductor_lab.computation.tree import Constant, Expression, Reduction
from inductor_lab.eject.cuda.code import PRODUCT, Code, call, is_float
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.threads import held_dtype
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.nouns import running
from inductor_lab.eject.printing.operands import constant_of
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Fold:
    """One kind of fold."""

    combine: str
    """The function object of templates/cuda/helpers/ that combines two threads' results."""
    update: str
    """One value more: `{0}` is what was accumulated, the others are the values of an element."""
    start: tuple[float | int | bool, ...] = ()
    """What nothing was accumulated into, for each field; infinities for whole numbers are their ends."""
    fields: tuple[str, ...] = ()
    """Results, by what the tree calls them; none where the fold has one."""
    structure: str = ""
    """The type of several results together."""


INF = float("inf")
FOLDS = {
    "sum": Fold("Sum", "{0} + {1}", (0,)),
    "prod": Fold("Product", "{0} * {1}", (1,)),
    "max": Fold("Largest", "maximum({0}, {1})", (-INF,)),
    "min": Fold("Smallest", "minimum({0}, {1})", (INF,)),
    "any": Fold("Any", "{0} | {1}", (0,)),
    "xor": Fold("Parity", "{0} ^ {1}", (0,)),
    "welford": Fold("MergeWelford", "{0}.with({1}, {2}, {3})", (0, 0, 0), ("mean", "m2", "weight"), "Welford"),
    "online_softmax": Fold("MergeSoftmax", "{0}.with({1}, {2})", (-INF, 0), ("max", "sum"), "Softmax"),
    "argmax": Fold("MergeLargest", "MergeLargest()({0}, {{{1}, {2}}})", (-INF, 2**63 - 1), ("value", "index"), "Best"),
    "argmin": Fold("MergeSmallest", "MergeSmallest()({0}, {{{1}, {2}}})", (INF, 2**63 - 1), ("value", "index"), "Best"),
}  # fmt: skip
"""The reduction's name in the tree -> its fold."""
TURNS = {
    "welford_reduce": "{0}.with({1})", "welford_combine": "{0}.with({1}, {2}, {3})",
    "online_softmax_combine": "{0}.with({1})", "online_softmax_combine_with_sum": "{0}.with({1}, {2})",
    "maximum_with_index": FOLDS["argmax"].update, "minimum_with_index": FOLDS["argmin"].update,
}  # fmt: skip
"""The call that a turn of a loop takes values in by -> how that is written."""
ROUNDING = frozenset({"sum", "welford"})
"""Folds whose error grows with how many elements one thread takes in, one after the other."""
FOLDED = frozenset(
    {"tl.sum", "tl.max", "tl.min", "tl.xor_sum", *(f"triton_helpers.{name}" for name in (
        "max2", "min2", "prod", "any", "max_with_index", "min_with_index", "max_with_first_index", "min_with_first_index", "welford",
        "online_softmax_reduce",
    ))}
)  # fmt: skip
"""Calls whose combination is the row's."""


def fold_of(value: Reduction) -> Fold:
    """The row for a reduction.

    Raises:
        UnprintableError: there is none.
    """
    if value.name not in FOLDS or value.call is None or value.call.function not in FOLDED:
        called = value.call.function if value.call is not None else value.name
        raise UnprintableError(f"a reduction by {called} is not printed in CUDA C++ yet")
    return FOLDS[value.name]


def start_of(start: float | int | bool, dtype: str) -> Constant:
    """What nothing was accumulated into, in a dtype."""
    if isinstance(start, float) and not dtype.startswith(("float", "bfloat")):
        if dtype == "bool":
            return Constant("bool", frozenset(), start > 0)
        bits = int("".join(filter(str.isdigit, dtype)) or 32)
        least, most = (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return Constant(dtype, frozenset(), most if start > 0 else least)
    return Constant(dtype, frozenset(), start)


class Accumulators:
    """Those of one kernel.

    Args:
        fold: The function that combines a row's threads; empty where one thread does it all.
        packed: Whether a thread takes several elements of a row at once.
    """

    def __init__(self, page: Page, statements: Statements, fold: str, *, packed: bool = False) -> None:
        self.page, self.statements, self.combined, self.packed = page, statements, fold, packed
        self.guarded = False
        """Whether a thread may be beyond its row's end, and then takes nothing in."""
        self.rounding: dict[str, tuple[str, str]] = {}
        """Accumulators of the sweep whose rounding adds up -> the value of nothing, and what combines two of them."""
        self.gathered: dict[str, tuple[str, str]] = {}
        """Arrays of what the elements of a pack come to -> the type of one, and the statement that takes all of them in."""
        self.names: dict[str, str] = {}
        """A loop's own name for an accumulator -> ours."""

    def calls(self, fold: Fold) -> None:
        """Have what a fold calls stand above the kernel."""
        self.page.calls(*(["shuffled", fold.combine, self.combined] if self.combined else [fold.combine]))

    def structure(self, fold: Fold, dtype: str) -> str:
        """The type of several results together: `Welford<float>`."""
        return f"{fold.structure}<{self.page.numbers.held(dtype)}>"

    def begin(self, word: str, name: str, dtype: str, start: Constant | None = None) -> str:
        """An accumulator of nothing, and what it is called.

        Args:
            name: The fold's, in the tree; empty where what a loop carries is none.
            start: What a loop begins with; of several results, and of a row that is held whole, the fold tells it.
        """
        page, fold = self.page, FOLDS.get(name)
        if start is not None:
            kind, text = page.numbers.held(dtype), page.numbers.literal(start, dtype).text
        else:
            assert fold is not None
            self.calls(fold)
            kind, text = self._nothing(fold, dtype)
        made = page.fresh(word)
        page.emit(f"{kind} {made} = {text};")
        if fold is not None and name in ROUNDING and is_float(dtype):
            self.calls(fold)
            self.rounding[made] = text, fold.combine
        return made

    def _nothing(self, fold: Fold, dtype: str) -> tuple[str, str]:
        """The type of an accumulator, and the value of nothing."""
        numbers = self.page.numbers
        if not fold.fields:
            return numbers.held(dtype), numbers.literal(start_of(fold.start[0], dtype), dtype).text
        starts = [start_of(s, "int64" if f == "index" else dtype) for s, f in zip(fold.start, fold.fields, strict=True)]
        return self.structure(fold, dtype), f"{{{', '.join(numbers.literal(start).text for start in starts)}}}"

    def together(self, value: Code, fold: Fold) -> Code:
        """What the row's threads made of it."""
        return call(f"{self.combined}<LANES>", value, Code(f"{fold.combine}()")) if self.combined else value

    # ------------------------------------------------------------ loops of the text

    def start(self, carries: Sequence[Carry]) -> None:
        """Accumulators before their loop."""
        for group in _turns(carries):
            if len(group) > 1 or isinstance(group[0].end, Partial):
                self._start_several(group)
            else:
                self._start_one(group[0])

    def _start_one(self, carry: Carry) -> None:
        start = constant_of(carry.start)
        if start is None:
            raise UnprintableError("a loop that begins with no number is not printed in CUDA C++ yet")
        fold = carry.after.name if isinstance(carry.after, Partial) else ""
        name = self.names[carry.name] = self.begin(running(carry.after), fold, held_dtype(carry.end), start)
        self.page.bound[carry.before] = Code(name)

    def _start_several(self, group: Sequence[Carry]) -> None:
        kinds = [held_dtype(carry.end) for carry in group]
        dtype = next(kind for kind in kinds if is_float(kind) or len(group) == 2)
        name = self.begin("running", _partial(group[0]).name, dtype)
        for carry in group:
            self.names[carry.name] = name
            self.page.bound[carry.before] = Code(f"{name}.{_partial(carry).part}")

    def update(self, values: Sequence[Expression], carries: Sequence[Carry]) -> None:
        """What a turn takes in; nothing where it did already."""
        for value in values:
            carry = next((carry for carry in carries if carry.end is value), None)
            if carry is None or value in self.page.bound:
                continue
            name = self.names[carry.name]
            if not isinstance(value, Partial):
                self.take(f"{name} = {self.statements.of(value).text};")
                self.page.bound[value] = Code(name)
                continue
            self._take_turn(value, name)
            for other in carries:
                if self.names[other.name] == name:
                    self.page.bound[other.end] = Code(f"{name}.{_partial(other).part}")

    def _take_turn(self, value: Partial, name: str) -> None:
        assert value.call is not None
        function = value.call.function.rpartition(".")[2]
        if function not in TURNS:
            raise UnprintableError(f"a loop that folds by {value.call.function} is not printed in CUDA C++ yet")
        count = len(FOLDS[value.name].fields)
        taken = value.call.values
        taken = taken[:1] if function == "welford_reduce" else taken[count:]
        dtype = held_dtype(value)
        self.turn(TURNS[function], name, [self._argument(each, dtype) for each in taken], dtype)

    def turn(self, update: str, name: str, taken: Sequence[str], dtype: str) -> None:
        """An accumulator takes in an element, or a pack of them together, `total = total.with(values);`: their mean is one division."""
        if update == TURNS["welford_reduce"] and self.packed:
            array = self.page.fresh("values")
            self.page.emit(f"{array}[k] = {taken[0]};")
            self.gathered[array] = self.page.numbers.held(dtype), f"{name} = {name}.with({array});"
        else:
            self.take(f"{name} = {update.format(name, *taken)};")

    def _argument(self, value: Expression, dtype: str) -> str:
        code = self.statements.of(value, dtype)
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
            if carry.end not in self.page.bound:
                raise UnprintableError("a loop whose accumulator is set in an unknown way")

    def bind_results(self, carries: Sequence[Carry]) -> None:
        """What the accumulators are called after their loop."""
        for carry in carries:
            name, end = self.names[carry.name], carry.end
            self.page.bound[carry.after] = Code(f"{name}.{end.part}" if isinstance(end, Partial) else name)

    def fold(self, values: Sequence[Reduction]) -> None:
        """Reductions of what a loop accumulated; those of one call come together."""
        values = [value for value in values if value not in self.page.bound and self.page.uses[value]]
        if not values:
            return
        fold = fold_of(values[0])
        self.calls(fold)
        inputs = [self.statements.of(each) for each in values[0].call.values] if values[0].call else []
        if not fold.fields:
            self.one(values[0], fold, inputs[0])
            return
        texts = [code.text for code in inputs]
        accumulated = (name for name in self.names.values() if texts == [f"{name}.{part}" for part in fold.fields])
        holder = next(accumulated, "")
        if not holder:
            dtype = held_dtype(values[0].call.values[0]) if values[0].call else ""
            holder = f"{self.structure(fold, dtype)}{{{', '.join(texts)}}}"
        self.bind_several(values, fold, Code(holder))

    def one(self, value: Reduction, fold: Fold, code: Code) -> None:
        """A fold with one result, under its name."""
        held = self.page.numbers.held(value.dtype)
        name = self.page.fresh(self.page.layout.word(value), value)
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
            fold, inputs = fold_of(value), value.call.values if value.call else ()
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

    @property
    def dtype(self) -> str:
        """What is accumulated in."""
        return held_dtype(self.inputs[0]) if self.fold.fields else self.values[0].dtype

    def begin(self) -> None:
        """The accumulator."""
        word = "running" if self.fold.fields else "accumulator"
        self.name = self.accumulators.begin(word, self.values[0].name, self.dtype)

    def take(self) -> None:
        """One element more."""
        statements, dtype = self.accumulators.statements, self.dtype
        taken = [statements.of(value, dtype) for value in self.inputs]
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
    return all(isinstance(each, Constant) and each.value == 0 for each in value.call.values[1:])


def _of_elements(fold: Fold, first: Expression) -> tuple[Fold, tuple[Expression, ...]]:
    """The fold that takes the elements themselves."""
    assert isinstance(first, Partial) and first.call is not None
    return dataclasses.replace(fold, update=TURNS["welford_reduce"]), first.call.values[:1]


def _turns(carries: Sequence[Carry]) -> list[list[Carry]]:
    """Carries that one call sets."""
    found: dict[object, list[Carry]] = {}
    for carry in carries:
        end = carry.end
        key = (end.call.function, *map(id, end.call.values)) if isinstance(end, Partial) and end.call else carry.name
        found.setdefault(key, []).append(carry)
    return list(found.values())


def _partial(carry: Carry) -> Partial:
    end = carry.end
    assert isinstance(end, Partial)
    return end
