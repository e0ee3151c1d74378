"""What a kernel compares, as a function beside its reference: printed from the same tree, so that inputs can be drawn on each boundary."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, Reduction, Scan, walk
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.eager.comparisons import (
    HALVES,
    LARGEST,
    SIGNS,
    WHOLE,
    ZERO,
    Comparison,
    cast,
    comparisons,
    of_data,
)
from inductor_lab.eject.eager.job import JobPrinter
from inductor_lab.eject.eager.lines import tidy
from inductor_lab.eject.eager.masks import split, within
from inductor_lab.eject.eager.pointwise import COMPARED
from inductor_lab.eject.eager.reference import bound, helpers_of
from inductor_lab.eject.eager.torch_values import Value, name, text
from inductor_lab.eject.intervals import Bounds
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.tensors import TensorView
from inductor_lab.records import Kernel

MOST = 40
"""Comparisons of one kernel: a foreach kernel would have as many as it has tensors."""
LONG = 40
"""Characters of an operand that a person still reads in a sentence."""
COMPARING = (
    COMPARED
    | ZERO
    | SIGNS
    | WHOLE
    | HALVES
    | {"maximum", "minimum", "fmax", "fmin", "clamp", "copysign", "bucketize", "where"}
)


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


def compares(
    kernel: Kernel,
    found: Computation,
    tensors: Mapping[str, TensorView],
    sizes: Mapping[str, str],
    bounds: Mapping[int, Bounds],
) -> Compares:
    """Print what a kernel's stores depend on by a comparison; its reference is known to have a text.

    Args:
        bounds: For each job, by its identity: between which numbers its inputs are drawn.
    """
    if not any(_may_compare(job, tensors) for job in found.every()):
        return Compares((), (), 0, ())
    contents = {pointer: name(view.name) for pointer, view in tensors.items()}
    names = {view.name for view in tensors.values()} | {size for size in sizes.values() if size.isidentifier()}
    printer = ComparingPrinter(names, dict(sizes), tensors, bound(kernel), functions(kernel))
    made, left_out = list[Comparison](), 0
    for job in found.every():
        printer.bounds = bounds[id(job)]
        printer.job_of(job, contents)
        made += printer.comparisons
        left_out += printer.left_out
        contents = {pointer: versions[-1] for pointer, versions in printer.versions.items()}
    kept = made[:MOST]
    lines, values = tidy(printer.lines, [side for one in kept for side in (one.left, one.right)])
    rows = _rows(kept, values)
    used = {n.id for line in (*lines, *values) for n in ast.walk(line) if isinstance(n, ast.Name)}
    left_out += len(made) - len(kept)
    statements = tuple(text(ast.fix_missing_locations(line)) for line in lines)
    return Compares(statements, rows, left_out, helpers_of(printer.helpers & used))


def _rows(kept: list[Comparison], values: list[ast.expr]) -> tuple[str, ...]:
    """Each comparison as it stands in the file, those of the same two values once."""
    rows: dict[frozenset[str], str] = {}
    for number, one in enumerate(kept):
        left, right = (text(value) for value in values[2 * number : 2 * number + 2])
        what = one.what.format(_short(left, one.left), _short(right, one.right)).replace('"', "'")
        rows.setdefault(frozenset((left, right)), f'("{what}", {left}, {right})')
    return tuple(rows.values())


def _short(said: str, before: ast.expr) -> str:
    """An operand in a sentence: as the function says it, or by the name that it had, or not at all."""
    return next((form for form in (said, text(before)) if len(form) <= LONG), "...")


def _may_compare(job: Computation, tensors: Mapping[str, TensorView]) -> bool:
    """Whether anything of a job's trees may be a comparison: most kernels have none, and need no second text."""
    stores = [access for access in job.stores if access.pointer in tensors]
    roots = [part for a in stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
    for node in walk(*roots):
        match node:
            case Operation(name=operator) if operator in COMPARING:
                return True
            case Cast() | Scan():
                return True
            case Reduction(name="argmax" | "argmin"):
                return True
            case Load(index=index) if index is not None and index.expressions():
                return True
    return any(_narrows(tensors[access.pointer], access.value) for access in stores)


def _narrows(view: TensorView, value: Expression | None) -> bool:
    return (
        value is not None
        and view.type is not None
        and view.type.dtype in LARGEST
        and value.dtype in {"float32", "float64"}
        and of_data(value)
    )


class ComparingPrinter(JobPrinter):
    """Prints the stores as the reference does, and keeps what a job compares on the way."""

    bounds: Bounds

    def begin(self, job: Computation, contents: Mapping[str, ast.expr]) -> None:
        """Go on with the next job, or once more with the same."""
        super().begin(job, contents)
        self.comparisons: list[Comparison] = []
        self.left_out = 0

    def play(self) -> None:
        """Print the stores, and what each compares when it rounds."""
        super().play()
        for access in self.job.stores:
            view = self.tensors.get(access.pointer)
            if view is not None and view.type is not None and access.value is not None and _narrows(view, access.value):
                ranges, _ = split(self, access.mask)
                with within(self, ranges):
                    self.comparisons += cast(self, access.value, view.type.dtype)

    def made(self, node: Expression) -> Value:
        """A value by the rule for its kind; what it compares is kept."""
        value = super().made(node)
        if not self.parameters:
            self.note(node)
        return value

    def note(self, node: Expression) -> None:
        """Keep what a node compares, or that it can not be told."""
        try:
            for one in comparisons(self, node, self.bounds):
                if one is None:
                    self.left_out += 1
                else:
                    self.comparisons.append(one)
        except NoReference:
            self.left_out += 1
