"""How CUDA C++ reduces a row: the accumulator of each thread, and how the threads of a row combine theirs. One row a fold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Loop
from inductor_lab.computation.tree import Constant, Expression, Reduction
from inductor_lab.eject.cuda.code import LEVELS, Code, binary, is_float
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.sweeps import Sweeps
from inductor_lab.eject.cuda.threads import held_dtype
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Fold:
    """One kind of fold."""

    combine: str
    """The function object of templates/cuda/helpers/ that combines two threads' results."""
    update: str
    """One value more: an operator, or a call, in which `{0}` is what was accumulated and the others are the values of an element."""
    start: tuple[float | int | bool, ...] = ()
    """What nothing was accumulated into, for each field; infinities for whole numbers are their ends."""
    fields: tuple[str, ...] = ()
    """Results, by what the tree calls them; none where the fold has one."""
    structure: str = ""
    """The type of several results together."""


INF = float("inf")
FOLDS = {
    "sum": Fold("Sum", "+", (0,)),
    "prod": Fold("Product", "*", (1,)),
    "max": Fold("Largest", "maximum({0}, {1})", (-INF,)),
    "min": Fold("Smallest", "minimum({0}, {1})", (INF,)),
    "any": Fold("Any", "||", (False,)),
    "xor": Fold("Parity", "^", (0,)),
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


def groups(sweeps: Sweeps, folds: Sequence[Reduction]) -> list[Group]:
    """Folds of one call together."""
    found: dict[tuple[object, ...], Group] = {}
    for value in folds:
        fold, inputs = taken(sweeps.page, value)
        group = found.setdefault((value.name, *map(id, inputs)), Group(sweeps, fold, inputs, []))
        group.values.append(value)
    return list(found.values())


def taken(page: Page, value: Reduction) -> tuple[Fold, tuple[Expression, ...]]:
    """How an element is taken in, and what of it: where a turn of a loop does it, what that takes beside the accumulators."""
    fold = fold_of(value)
    if not fold.fields or value.call is None:
        return fold, value.inputs
    parts = value.call.values
    loops = [step for step in page.found.schedule.steps if isinstance(step, Loop)]
    turn = next((carry.end for loop in loops for carry in loop.carries if carry.after is parts[0]), parts[0])
    if not isinstance(turn, Partial) or turn.call is None:
        return fold, parts
    function = turn.call.function.rpartition(".")[2]
    if function not in TURNS:
        raise UnprintableError(f"a loop that folds by {turn.call.function} is not printed in CUDA C++ yet")
    first = slice(1) if function == "welford_reduce" else slice(len(fold.fields), None)
    return dataclasses.replace(fold, update=TURNS[function]), turn.call.values[first]


@dataclass
class Group:
    """One fold over a row, with all its results."""

    sweeps: Sweeps
    fold: Fold
    inputs: tuple[Expression, ...]
    values: list[Reduction]
    name: str = field(default="")

    @property
    def dtype(self) -> str:
        """What is accumulated in."""
        return held_dtype(self.inputs[0]) if self.fold.fields else self.values[0].dtype

    def begin(self) -> None:
        """An accumulator of nothing."""
        page, dtype, combined = self.sweeps.page, self.dtype, self.sweeps.geometry.fold
        page.calls(*(["shuffled", self.fold.combine, combined] if combined else [self.fold.combine]))
        kind, text = self._nothing()
        self.name = page.fresh("running" if self.fold.fields else "accumulator")
        page.emit(f"{kind} {self.name} = {text};")
        if self.values[0].name in ROUNDING and is_float(dtype):
            self.sweeps.rounding[self.name] = text, self.fold.combine

    def _nothing(self) -> tuple[str, str]:
        """The type of an accumulator, and the value of nothing."""
        numbers, fold, dtype = self.sweeps.page.numbers, self.fold, self.dtype
        if not fold.fields:
            return numbers.held(dtype), numbers.literal(start_of(fold.start[0], dtype), dtype).text
        starts = [start_of(s, "int64" if f == "index" else dtype) for s, f in zip(fold.start, fold.fields, strict=True)]
        texts = ", ".join(numbers.literal(start).text for start in starts)
        return f"{fold.structure}<{numbers.held(dtype)}>", f"{{{texts}}}"

    def take(self) -> None:
        """One element more, or a pack of them together, `total = total.with(values);`: their mean is one division."""
        dtype, update, page = self.dtype, self.fold.update, self.sweeps.page
        codes = [self._argument(value, dtype) for value in self.inputs]
        if update == TURNS["welford_reduce"] and self.sweeps.packs:
            array = page.fresh("values")
            page.emit(f"{array}[k] = {codes[0].text};")
            self.sweeps.gathered[array] = page.numbers.held(dtype), f"{self.name} = {self.name}.with({array});"
            return
        if update in LEVELS:
            made = binary(Code(self.name), (update, LEVELS[update]), codes[0]).text
        else:
            made = update.format(self.name, *(code.text for code in codes))
        self.sweeps.take(f"{self.name} = {made};")

    def _argument(self, value: Expression, dtype: str) -> Code:
        """A part of an element; a single one, and a float, in the accumulator's dtype."""
        code = self.sweeps.statements.of(value, dtype)
        several = bool(self.fold.fields) and not (is_float(dtype) and is_float(value.dtype))
        return (
            code if several or isinstance(value, Constant) else self.sweeps.page.numbers.cast(code, value.dtype, dtype)
        )

    def finish(self) -> None:
        """What the row's threads made of it: one result under its name, several as fields of one value."""
        page, made, combined = self.sweeps.page, self.name, self.sweeps.geometry.fold
        if combined:
            made = f"{combined}<LANES>({made}, {self.fold.combine}())"
        if self.fold.fields:
            name = page.fresh("whole")
            page.emit(f"const auto {name} = {made};")
            page.bound |= {value: Code(f"{name}.{value.part}") for value in self.values}
            return
        for value in self.values:
            name = page.fresh(page.layout.word(value), value)
            page.emit(f"const {page.numbers.held(value.dtype)} {name} = {made};")
            page.bound[value] = Code(name)
