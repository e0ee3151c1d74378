"""Prints what a kernel compares as a function, so that inputs can be drawn on each boundary.

    tmp4 = tl.where(tmp2 > 0.0, tmp2, tmp3)        ("total > 0.0", total, 0.0)
    tmp5 = triton_helpers.minimum(tmp4, 6.0)       ("minimum(total, 6.0)", total, 6.0)
    tmp6 = tmp5.to(tl.int32)                       ("int32(total)", total, torch.round(total))

Comparisons of places alone are no branches of the data. Bounds decide some more, such as an index that is never drawn below 0.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from inductor_lab.computation.folds import masks, plain
from inductor_lab.computation.idioms import wrapped
from inductor_lab.computation.intervals import Interval, exactly
from inductor_lab.computation.operators import COMPARISONS, TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, Random, Reduction, Scan, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.eager import JobPrinter, helpers_of, tidy
from inductor_lab.eject.eager.pointwise import idiom
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.reductions import flat
from inductor_lab.eject.eager.torch_values import (
    Value,
    call,
    changed,
    filled,
    floating,
    literal,
    method,
    names_in,
    subscript,
    tensor,
)
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.eject.printing.nouns import bare
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import Kernel

MOST = 40
"""Comparisons of one kernel: a foreach kernel would have as many as it has tensors."""
LONG = 40
"""Characters of an operand that a person still reads in a sentence."""
LARGEST = {"float16": 65504.0, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
"""The largest finite number of a float whose range is smaller than a float32's; bfloat16's is about the same."""
ENDLESS = {"torch.inf", "-torch.inf", "torch.nan"}
"""Numbers that have no neighbours."""
WHOLE = "torch.round({0})"
BELOW, SIGN = "{0} < {1}", "the sign of {0}"
NEGATIVE = {BELOW, SIGN}
"""What says nothing of numbers that are never negative."""


@dataclass(frozen=True)
class Compares:
    """The body of `def compares(...)`."""

    lines: tuple[str, ...]
    """Statements."""
    rows: tuple[str, ...]
    """`("total > 0.0", total, 0.0)`, one for each comparison."""
    left_out: int
    """How many there are besides."""
    helpers: tuple[str, ...]
    """Functions that the text calls, files of templates/eager/."""


@dataclass(frozen=True)
class Comparison:
    """Two values that a kernel compares, each an expression of Python."""

    what: str
    """How a person says it, with `{0}` for the left value, `{1}` for the right one."""
    left: ast.expr
    right: ast.expr


def compares(
    kernel: Kernel,
    found: Computation,
    tensors: Mapping[str, Tensor],
    sizes: Mapping[str, str],
    bounds: Callable[[Computation], Bounds],
) -> Compares:
    """Print what a kernel's stores depend on by a comparison; its reference is known to have a text.

    Args:
        bounds: Between which numbers the inputs of a job are drawn.
    """
    if not any(_may_compare(job, tensors) for job in found.every()):
        return Compares((), (), 0, ())
    printer = ComparingPrinter(kernel, tensors, sizes)
    printer.bounds_of, printer.compared = bounds, {}
    printer.every(found)
    every = [one for of_job in printer.compared.values() for one in of_job]
    kept = [one for one in every if one is not None][:MOST]
    lines, values = tidy(printer.lines, [side for one in kept for side in (one.left, one.right)])
    rows = _rows(kept, values)
    used = set(names_in(*lines, *values))
    statements = tuple(ast.unparse(ast.fix_missing_locations(line)) for line in lines)
    return Compares(statements, rows, len(every) - len(kept), helpers_of(printer.helpers & used))


def _rows(kept: list[Comparison], values: list[ast.expr]) -> tuple[str, ...]:
    """Each comparison as it stands in the file, those of the same two values once."""
    rows: dict[frozenset[str], str] = {}
    for number, one in enumerate(kept):
        left, right = (ast.unparse(value) for value in values[2 * number : 2 * number + 2])
        what = one.what.format(_short(left, one.left), _short(right, one.right)).replace('"', "'")
        rows.setdefault(frozenset((left, right)), f'("{what}", {left}, {right})')
    return tuple(rows.values())


def _short(said: str, before: ast.expr) -> str:
    """An operand in a sentence: as the function says it, or by the name that it had, or not at all."""
    return next((form for form in (said, ast.unparse(before)) if len(form) <= LONG), "...")


def _may_compare(job: Computation, tensors: Mapping[str, Tensor]) -> bool:
    """Whether anything of a job's trees may be a comparison: most kernels have none, and need no second text."""
    for node in job.nodes:
        match node:
            case Operation(name=operator) if operator in TABLE and TABLE[operator].compares:
                return True
            case Cast() | Scan() | Reduction(name="argmax" | "argmin"):
                return True
            case Load(index=index) if index is not None and index.expressions():
                return True
    return any(_narrows(tensors[store.pointer], store.value) for store in job.stores if store.pointer in tensors)


def _narrows(stored: Tensor, value: Expression | None) -> bool:
    return (
        value is not None and value.dtype in {"float32", "float64"} and stored.type.dtype in LARGEST and of_data(value)
    )


class ComparingPrinter(JobPrinter):
    """Prints the stores as the reference does, and keeps what a job compares on the way."""

    bounds_of: Callable[[Computation], Bounds]
    bounds: Bounds
    """Of the job that is printed just now."""
    compared: dict[int, list[Comparison | None]]
    """What each job compares, by the job's identity; None for what is left out."""

    def begin(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Go on with the next job, or once more with the same."""
        super().begin(job, contents)
        self.bounds, self.compared[id(job)] = self.bounds_of(job), []

    def play(self) -> None:
        """Print the stores, and what each compares when it rounds."""
        super().play()
        for access in self.job.stores:
            stored = self.tensors.get(access.pointer)
            if stored is not None and access.value is not None and _narrows(stored, access.value):
                ranges, _ = self.space.split(access.mask)
                with self.space.within(ranges):
                    self.compared[id(self.job)] += cast(self, access.value, stored.type.dtype)

    def made(self, node: Expression) -> Value:
        """A value by the rule for its kind; what it compares is kept."""
        value = super().made(node)
        if not self.parameters:
            self.note(node)
        return value

    def note(self, node: Expression) -> None:
        """Keep what a node compares, or that it can not be told."""
        found = self.compared[id(self.job)]
        try:
            for one in comparisons(self, node):
                found.append(one)
        except NoReference:
            found.append(None)


def comparisons(printer: ComparingPrinter, node: Expression) -> Iterator[Comparison | None]:
    """What one node compares, under the ranges that are printed just now; None for what is left out."""
    match node:
        case Operation():
            yield from _operation(printer, node)
        case Cast(operand=operand, dtype=dtype) if floating(operand.dtype) and of_data(operand):
            yield from cast(printer, operand, dtype)
        case Reduction(name="argmax" | "argmin", part="index", inputs=(value, *_)) if of_data(value):
            yield _largest_two(printer, node)
        case Scan(name=name, inputs=inputs) if name not in {"sum", "prod"} and any(map(of_data, inputs)):
            yield None
        case Load(index=index) if index is not None:
            for inner in filter(None, map(wrapped, index.expressions())):
                yield from _pair(printer, BELOW, inner, 0)


def _operation(printer: ComparingPrinter, node: Operation) -> Iterator[Comparison | None]:
    """What an operation compares, by the row of its operator."""
    name, inputs = idiom(node) or (node.name, node.inputs)
    match TABLE[name].compares if name in TABLE else "":
        case "operands" if name in COMPARISONS:
            if not any(map(masks, inputs)):
                yield from _pair(printer, TABLE[name].torch, inputs[0], inputs[1])
        case "operands":
            yield from _pair(printer, f"{name}({{0}}, {{1}})", inputs[0], inputs[1])
        case "bounds":
            for bound in inputs[1:]:
                yield from _pair(printer, f"{name}({{0}}, {{1}})", inputs[0], bound)
        case "zero":
            yield from _pair(printer, f"{name}({{0}})", inputs[0], 0)
        case "sign":
            yield from _pair(printer, SIGN, inputs[-1], 0)
        case "signs":
            for operand in inputs:
                yield from _pair(printer, SIGN, operand, 0)
        case "whole" if of_data(inputs[0]):
            yield _beside(printer, f"{name}({{0}})", inputs[0], WHOLE)
        case "half" if of_data(inputs[0]):
            yield _beside(printer, f"{name}({{0}})", inputs[0], "torch.floor({0}) + 0.5")
        case "boundaries":
            yield None


def _pair(printer: ComparingPrinter, what: str, left: Expression, right: Expression | int) -> Iterator[Comparison]:
    """Two operands, where the data decides which is larger."""
    other = None if isinstance(right, int) else right
    if not of_data(left) and (other is None or not of_data(other)):
        return
    if _truth(left) or (other is not None and _truth(other)):
        return
    a, b = _between(printer.bounds, left), _between(printer.bounds, other) if other else exactly(0)
    if a.high < b.low or b.high < a.low:
        return
    if what in NEGATIVE and a.low >= b.high:
        return
    value = printer.value(left)
    right_node = printer.value(other).node if other else literal(0.0 if floating(left.dtype) else 0)
    both = ast.unparse(value.node), ast.unparse(right_node)
    if both[0] != both[1] and not ENDLESS & {*both}:  # `x != x` asks for a NaN
        yield Comparison(what, value.node, right_node)


def _between(bounds: Bounds, value: Expression) -> Interval:
    """Between which numbers a value is; of an idiom, as its name says it."""
    value = plain(value)
    told = idiom(value) if isinstance(value, Operation) else None
    if told is not None and isinstance(value, Operation):
        return bounds.operation(told[0], [bounds.of(operand) for operand in told[1]], value)
    return bounds.of(value)


def cast(printer: Printer, operand: Expression, dtype: str) -> Iterator[Comparison]:
    """A cast of a float to whole numbers, which cuts, or to a float whose range is smaller."""
    if dtype.startswith(("int", "uint")):
        yield _beside(printer, f"{dtype}({{0}})", operand, WHOLE)
    elif dtype in LARGEST and dtype != operand.dtype:
        value = printer.value(operand)
        if not value.number:
            largest = literal(LARGEST[dtype])
            yield Comparison(f"{{0}} as {dtype}", method(value.node, "abs"), largest)


def _beside(printer: Printer, what: str, operand: Expression, form: str) -> Comparison:
    """A value and the number near it where what is made of it jumps."""
    value = tensor(printer.value(operand), operand.dtype)
    if value.weight > 3:  # it stands on both sides
        value = printer.variable("value", value)
    return Comparison(what, value.node, filled(form, value.node))


def _largest_two(printer: Printer, node: Reduction) -> Comparison | None:
    """The first and the second of those of which the place is told: a tie is decided by the order."""
    over = sorted(printer.space.of_axes(node.over))
    if all(printer.space.count(dim).is_one for dim in over) or _truth(node.inputs[0]):
        return None
    value = printer.spread(tensor(printer.value(node.inputs[0]), node.inputs[0].dtype), over)
    smallest = {"largest": ast.Constant(False)} if node.name == "argmin" else {}
    both = call("torch.topk", flat(printer, value, over), literal(2), **smallest)
    best = printer.variable("best", changed(value, ast.Attribute(both, "values", ast.Load())))
    first, second = (subscript(best.node, [ast.Constant(...), literal(place)]) for place in (0, 1))
    return Comparison(f"{node.name}: the best and the next", first, second)


def _truth(value: Expression) -> bool:
    """Whether a value is yes or no, as a number or not: it has no neighbours."""
    return bare(value).dtype == "bool"


def of_data(*values: Expression) -> bool:
    """Whether something that is loaded decides a value, otherwise than as the seed of random numbers."""
    nodes = walk(*map(plain, values), parts=lambda node: () if isinstance(node, Random) else node.operands)
    return any(isinstance(node, Load) for node in nodes)
