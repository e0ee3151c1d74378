"""The eager reference, printed from the tree: every store of a kernel as PyTorch that a person would write.

    tmp8 = triton_helpers.maximum(tmp7, tmp0 + tmp1 + tmp3 * 0.5)     torch.relu(bias + base + lora * 0.5)

The iteration space is the dimensions of one tensor (`printer`); an affine load is a view of its tensor (`views`), any other is taken by its
address. Casts stand where the body has them, so that the text computes what the kernel computes, in every dtype.

`JobPrinter` knows which rule prints which node, and gives a variable of its own to what is used often or is long: `noun` says what that is
called. In the end only what is needed is kept, and what is used once stands where it is used, as long as the line stays short (`tidy`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation import computation
from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Named,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
)
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.eager.loads import load, position
from inductor_lab.eject.eager.pointwise import idiom, operation, random
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.reductions import reduction, scan
from inductor_lab.eject.eager.stores import store
from inductor_lab.eject.eager.torch_values import (
    ALL,
    Line,
    Value,
    cast,
    changed,
    constant,
    floating,
    name,
    names_in,
    part,
    subscript,
)
from inductor_lab.eject.printing.nouns import WHOLE, statistic
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import Kernel
from inductor_lab.records.size import substituted


@dataclass(frozen=True)
class Eager:
    """The body of `def reference(...)`."""

    lines: tuple[str, ...]
    """Statements."""
    results: tuple[str, ...]
    """One expression a written pointer, in the order of the kernel's arguments: what all of that tensor holds afterwards."""
    written: tuple[str, ...]
    """Those pointers."""
    takes: tuple[str, ...]
    """Pointers whose content the function needs, in the order of the kernel's arguments."""
    helpers: tuple[str, ...]
    """Functions that the text calls, files of templates/eager/."""


NEEDS = {"from_bits": ("bits",)} | dict.fromkeys(
    ("rand", "randn", "rand_uniform_4x", "rand_normal_4x", "randint", "rand_between"), ("philox",)
)
"""Helpers that call helpers."""
NOT_FRAMED = {
    "template": "a template's own loop is not read as a tree",
    "user_autotune": "its author wrote it in Triton: where it is launched, the graph says triton_kernel_wrapper_functional_proxy "
    "and no ATen operator",
}
"""Categories of kernels that are not of Inductor's own making, and why they are not printed."""
LONG = 16
"""Nodes of a text beyond which it gets a variable of its own."""
FOLDED = {("xor", ""): "parity", ("welford", "m2"): "deviation"}
"""A fold, and which of its results -> what that is called, where its row has the word of the operation, or of Triton's text."""


def eager(
    kernel: Kernel,
    found: Computation,
    tensors: Mapping[str, Tensor],
    sizes: Mapping[str, str] | None = None,
) -> Eager:
    """Print what a kernel's launch leaves in the tensors that it writes.

    Args:
        tensors: Pointer parameter -> the tensor.
        sizes: `ks0`, `xnumel` -> Python, for what the launch passes and the body does not fix.

    Raises:
        NoReference: the kernel does something that eager PyTorch can not be written for; the reason says what.
    """
    if kernel.category in NOT_FRAMED:
        raise NoReference(NOT_FRAMED[kernel.category])
    printer = JobPrinter(kernel, tensors, sizes or {})
    contents = printer.every(found)
    order = [a.name for a in kernel.arguments if a.pointer]
    stored = {access.pointer for job in found.every() for access in job.stores}
    written = tuple(pointer for pointer in order if pointer in stored and pointer in tensors)
    if not written:
        raise NoReference("it writes no tensor")
    lines, results = tidy(printer.lines, [contents[pointer] for pointer in written])
    used = set(names_in(*lines, *results))
    takes = tuple(pointer for pointer in order if pointer in tensors and tensors[pointer].name in used)
    return Eager(
        tuple(ast.unparse(ast.fix_missing_locations(line)) for line in lines),
        tuple(ast.unparse(result) for result in results),
        written,
        takes,
        helpers_of(printer.helpers & used),
    )


def text_of(kernel: Kernel, names: Mapping[str, str], value: Expression) -> str:
    """A value made of others, as one expression.

    Args:
        names: Those that the others have in the text, `Unknown` in the tree -> dtypes.

    Raises:
        NoReference: it has no form in PyTorch, or one that calls a helper.
    """
    printer = JobPrinter(kernel, {}, {})
    printer.begin(computation(kernel), {})
    printer.parameters = {called: Value(name(called), frozenset(), 0, dtype) for called, dtype in names.items()}
    text = ast.unparse(printer.value(value).node)
    if printer.helpers:
        raise NoReference(f"`{text}` is no operation on values alone")
    return text


def helpers_of(called: Collection[str]) -> tuple[str, ...]:
    """The helpers that a text calls, each after those that it calls itself."""
    return tuple(dict.fromkeys(needed for helper in sorted(called) for needed in (*NEEDS.get(helper, ()), helper)))


class JobPrinter(Printer):
    """Knows the rule for every node."""

    def every(self, found: Computation) -> dict[str, ast.expr]:
        """Print all jobs of a kernel in turn: pointer -> what its tensor holds afterwards."""
        contents = {pointer: name(tensor.name) for pointer, tensor in self.tensors.items()}
        for job in found.every():
            self.job_of(job, contents)
            contents = {pointer: versions[-1] for pointer, versions in self.versions.items()}
        return contents

    def job_of(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Print all stores of one job. It is done twice: once to see how often each value is asked for."""
        self.begin(job, contents)
        lines, taken, helpers = len(self.lines), set(self.taken), set(self.helpers)
        self.play()
        uses = self.asked
        del self.lines[lines:]
        self.taken, self.helpers = taken, helpers
        self.begin(job, contents)
        self.uses = uses
        self.play()

    def play(self) -> None:
        """Print the stores in order."""
        for node in self.hidden:
            self.value(node)
        for access in self.job.stores:
            if access.pointer in self.tensors:
                store(self, access)

    def value(self, node: Expression) -> Value:
        """A value under the ranges that hold just now, each once."""
        here = self.space.of_axes(node.axes)
        key = id(node), tuple(sorted((dim, *bounds) for dim, bounds in self.space.ranges.items() if dim in here))
        self.asked[id(node)] += 1
        if key not in self.done:
            found = self.made(node)
            if not isinstance(node, (Constant, Size, Inside)) and not found.number:
                simple = found.atom or isinstance(node, Broadcast)
                uses = self.uses[id(node)]
                often = uses > 1 and (found.weight > 3 or (uses > 2 and found.weight > 1))
                if not simple and not self.parameters and (often or found.weight > LONG or isinstance(node, Named)):
                    found = self.variable(noun(self, node), found)
            self.done[key] = found
        return self.done[key]

    def made(self, node: Expression) -> Value:
        """A value by the rule for its kind."""
        match node:
            case Constant():
                return constant(node)
            case Size(name=size, dtype=dtype):
                return Value(self.size(size), frozenset(), -1, "float" if floating(dtype) else "int")
            case Position(index=index):
                return position(self, index)
            case Inside():
                return Value(ast.Constant(True), frozenset(), -1, "bool")
            case Load():
                return load(self, node)
            case Broadcast(operand=operand):
                return self.value(operand)
            case Cast(operand=operand, dtype=dtype):
                return cast(self.value(operand), dtype, node)
            case Operation():
                return operation(self, node)
            case Reduction() | Partial():
                return self.materialized(node, lambda: reduction(self, node))
            case Scan():
                return self.materialized(node, lambda: scan(self, node))
            case Random():
                return random(self, node)
            case Named(inputs=(inner,)):
                return self.value(inner)
            case Unknown(text=said):
                if said in self.parameters:
                    return self.parameters[said]
                raise NoReference(f"it is not understood what `{said if len(said) < 60 else said[:57] + '...'}` is")
            case Carried(name=carried):
                raise NoReference(f"{carried} is carried from one turn of a loop to the next in a way that is no fold")
        raise NoReference(f"eager PyTorch has no form for a {type(node).__name__}")

    def materialized(self, node: Expression, make: Callable[[], Value]) -> Value:
        """A value that must be seen whole, also where only a part of it is asked for."""
        key, partly = (id(node), ()), bool(self.space.ranges)
        with self.space.under({}):
            if key not in self.done:
                made = make()
                self.done[key] = self.variable(noun(self, node), made) if partly else made
        return self.narrowed(self.done[key])

    def narrowed(self, value: Value) -> Value:
        """The part of a whole value that the ranges leave."""
        kept = [dim for dim in sorted(self.space.ranges) if dim in value.dims]
        if not kept:
            return value
        first = self.rank - value.rank
        indices = [part(*self.space.ranges[dim]) if dim in kept else ALL for dim in range(first, self.rank)]
        return changed(value, subscript(value.node, indices), weight=value.weight + 2)


def noun(printer: Printer, node: Expression) -> str:
    """`total`, `mean`, `x_float`"""
    if found := statistic(node, printer.job.numel):
        return found
    match node:
        case Operation(name="where", inputs=(condition, kept, _)) if masks(condition):
            return noun(printer, kept)
        case Operation(name=operator):
            called = idiom(node)
            row = TABLE.get(called[0] if called else operator)
            return (row.noun or row.name) if row else "value"
        case Broadcast(operand=operand):
            return noun(printer, operand)
        case Cast(operand=Load(pointer=pointer), dtype=dtype) if pointer in printer.tensors:
            return f"{printer.tensors[pointer].name}_{dtype.rstrip('0123456789')}"
        case Cast(operand=operand):
            return noun(printer, operand)
        case Reduction(name=fold, part=piece):
            row = TABLE.get(fold)
            return FOLDED.get((fold, piece)) or WHOLE.get((fold, piece)) or (row.noun if row else "") or "folded"
        case Scan(name=fold):
            return {"sum": "running_total", "prod": "running_product", "sort": "sorted_"}.get(fold, "running")
        case Random():
            return "random"
        case Load(pointer=pointer):
            return f"{printer.tensors[pointer].name}_part" if pointer in printer.tensors else "value"
        case Named(inputs=(inner,)):
            return noun(printer, inner)
    return "value"


# ---- written short

WIDTH = 100
"""Characters of a statement up to which it takes in what it uses."""


def tidy(lines: Sequence[Line], results: Sequence[ast.expr]) -> tuple[list[ast.stmt], list[ast.expr]]:
    """The statements that are needed, those with one use written where it is."""
    kept: dict[int, Line] = dict(enumerate(_needed(list(lines), results)))
    results = list(results)
    changed = {_base(line.place) for line in kept.values() if line.place is not None}
    uses: Counter[str] = Counter()
    user: dict[str, int] = {}
    """Name -> the last line that reads it, or ~n for the n-th result: where it is used, if it is used once."""
    for number, line in kept.items():
        _count(names_in(line.value, line.place), number, uses, user)
    for number, result in enumerate(results):
        _count(names_in(result), ~number, uses, user)
    moved = True
    while moved:
        moved = False
        for number in list(kept):
            line = kept[number]
            if not line.target or line.copied or uses[line.target] != 1 or changed & set(names_in(line.value)):
                continue
            at, values = user[line.target], {line.target: line.value}
            if at < 0:
                made = substituted(results[~at], values)
                if len(ast.unparse(made)) > WIDTH:
                    continue
                results[~at] = made
            else:
                later = kept[at]
                value = substituted(later.value, values)
                if len(ast.unparse(value)) + len(later.target) + 3 > WIDTH:
                    continue
                place = substituted(later.place, values) if later.place is not None else None
                kept[at] = Line(later.target, value, place, later.copied)
            del kept[number]
            user.update({name: at for name in names_in(line.value) if user[name] == number})
            moved = True
    return [line.statement() for line in kept.values()], results


def _needed(lines: list[Line], results: Sequence[ast.expr]) -> list[Line]:
    wanted = {name for result in results for name in names_in(result)}
    kept: list[Line] = []
    for line in reversed(lines):
        if line.target in wanted or (line.place is not None and _base(line.place) in wanted):
            kept.append(line)
            wanted |= set(names_in(line.value, line.place))
    return kept[::-1]


def _count(names: Sequence[str], place: int, uses: Counter[str], user: dict[str, int]) -> None:
    uses.update(names)
    user.update(dict.fromkeys(names, place))


def _base(place: ast.expr | None) -> str:
    node: ast.AST | None = place
    while node is not None and not isinstance(node, ast.Name):
        node = getattr(node, "value", None) or getattr(node, "func", None)
    return node.id if isinstance(node, ast.Name) else ""
