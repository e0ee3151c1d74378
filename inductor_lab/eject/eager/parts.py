"""A part of a tensor, written in a copy of it."""

from __future__ import annotations

import ast

from inductor_lab.computation.schedule import Access
from inductor_lab.computation.space import distinct
from inductor_lab.eject.eager.contents import dense, renewed
from inductor_lab.eject.eager.lines import Line
from inductor_lab.eject.eager.masks import split
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.shapes import arranged_as
from inductor_lab.eject.eager.slices import cut
from inductor_lab.eject.eager.torch_values import (
    ALL,
    Value,
    call,
    changed,
    dtype_of,
    literal,
    method,
    name,
    subscript,
    tuple_of,
)
from inductor_lab.eject.eager.views import View
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size


def written(
    printer: Printer, access: Access, before: ast.expr, type_: TensorType, found: View, value: Value, walked: list[int]
) -> ast.expr:
    """A part of a tensor, written in a copy of it."""
    target = _copy(printer, access, before, type_)
    base, _, indices = cut(printer, target, found)
    if found.reshaped and isinstance(base, ast.Call):
        base = method(target, "view", *base.args)
    back = [n for n, slot in enumerate(s for s in found.slots if s.dim is not None) if slot.back]
    arranged = arranged_as(printer, value, walked)
    if back:
        arranged = changed(arranged, method(arranged.node, "flip", *map(literal, back)))
    if found.reshaped and not any(isinstance(i, (ast.Constant, ast.Slice)) and i is not ALL for i in indices):
        place: ast.expr = ast.Subscript(base, ALL, ast.Load())
    else:
        place = subscript(base, indices)
        if place is base:
            place = ast.Subscript(base, ast.Constant(...), ast.Load())
    printer.lines.append(Line("", arranged.node, place))
    return target


def _copy(printer: Printer, access: Access, before: ast.expr, type_: TensorType) -> ast.expr:
    """The tensor that a part is written to: a copy of what was there, or an empty one where the kernel writes all of it."""
    copies = [line.target for line in printer.lines if line.copied]
    if isinstance(before, ast.Name) and before.id in copies and access.pointer not in printer.reread:
        return before
    known = isinstance(before, ast.Name) and before.id == printer.tensors[access.pointer].name
    if known and _all_written(printer, access.pointer, type_):
        shape = tuple_of([printer.extent(Size.of(size)) for size in type_.shape])
        made = call("torch.empty", shape, dtype=dtype_of(type_.dtype), device=name("DEVICE"))
    else:
        made = method(before, "clone")
    return renewed(printer, access.pointer, made, copied=True)


def _all_written(printer: Printer, pointer: str, type_: TensorType) -> bool:
    """Whether the stores of this job together write every element."""
    boxes = []
    for access in printer.job.stores:
        if access.pointer != pointer:
            continue
        _, others = split(printer, access.mask)
        box = printer.job.box(access)
        if access.kind != "store" or others or box is None:
            return False
        boxes.append(box)
    sizes = [size for size in type_.shape if isinstance(size, int)]
    elements = 1
    for size in sizes:
        elements *= size
    return len(sizes) == len(type_.shape) and distinct(boxes) == elements and dense(type_) is not None
