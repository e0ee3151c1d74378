"""A plan's schedule as the parts of a `.cu` file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.cuda import jobs, launching, pointwise, products
from inductor_lab.eject.cuda.geometry import geometry_of
from inductor_lab.eject.cuda.helpers import above
from inductor_lab.eject.cuda.numbers import HEADERS, Numbers
from inductor_lab.eject.cuda.page import Page, empty_page
from inductor_lab.eject.cuda.parts import Cuda
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.shapes import scanned
from inductor_lab.eject.cuda.signature import constants, parameters
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton.nouns import kept

FLAT = "A thread takes VEC elements side by side, which one instruction loads or stores where the tensors are aligned."
ONE = "A thread takes one element."
TILED = "Of 32 x 8 elements a thread takes one, straight from memory to memory, and goes on where the grid ends."
ROWS = "LANES threads share a row: each accumulates its part of it, and they combine what they have."
SCANNED = "LANES threads share a row: they go along it together, LANES elements at a time, and each chunk goes on from the one before."
COLUMNS = "32 rows lie side by side in a block, and LANES threads share each."


def printed(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    remarks: Mapping[str, str],
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
) -> tuple[Cuda, tuple[str, ...]]:
    """The kernel, and what the Python launcher works out before it calls it.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    if found.schedule.group:
        raise UnprintableError(
            "it folds the columns of a group of rows beside the rows, which is not printed in CUDA C++ yet"
        )
    if found.parts:
        return jobs.printed(found, tensors, taken, values, name)
    page = empty_page(found, tensors, taken, values, Numbers(), functions)
    kind = _kind(page, name)
    page.helpers["cdiv"] = None
    taken_by_both = parameters(page, kind.body, remarks)
    launch = [*launching.empty(page), *kind.launch(", ".join(each.name for each in taken_by_both))]
    headers = dict.fromkeys(HEADERS[t.type.dtype] for t in tensors.values() if t.type.dtype in HEADERS)
    headers |= {"mma.h": None} if "TensorProduct" in page.helpers else {}
    return Cuda(
        name, "", kind.remark, tuple(headers), constants(page, [*kind.body, *launch]), above(page),
        kind.template, kind.bounds, taken_by_both, tuple(kind.body), tuple(launch),
    ), tuple(page.layout.launcher(kind.body))  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """How one kind of kernel is written and launched."""

    remark: str
    template: str
    bounds: str
    body: Sequence[str]
    launch: Callable[[str], list[str]]
    """Arguments of the kernel -> the statements that launch it."""


def _kind(page: Page, name: str) -> Kind:
    axes = page.found.schedule.axes
    if (product := products.product_of(page)) is not None:
        tiles = products.Products(page, product)
        body = tiles.lines()
        template = "template <int VEC>" if tiles.many > 1 else ""
        launch = partial(products.launched, page, name, tiles)
        return Kind(products.REMARK, template, str(tiles.threads), body, launch)
    if any(axis.reduced for axis in axes):
        geometry = geometry_of(page)
        remark = COLUMNS if geometry.columns else ROWS
        if not geometry.columns and scanned(page.found.schedule.every()):
            remark = SCANNED
        remark = remark.replace("row", kept(page.found))
        rows = Rows(page, geometry)
        body, launch = rows.lines(), partial(launching.rows, page, name, geometry)
        if rows.packs is not None:
            launch = partial(launching.packed_rows, page, name, rows.packs.width)
        return Kind(remark, f"template <int LANES{', int VEC' if rows.packs else ''}>", geometry.threads, body, launch)
    if len(axes) > 1:
        ordered = sorted(axes, key=lambda axis: axis.name)
        body = pointwise.tile(page, ordered)
        return Kind(TILED, "", str(pointwise.THREADS), body, partial(launching.tiled, page, name, ordered))
    body, many = pointwise.flat(page, axes[0])
    remark, template = (FLAT, "template <int VEC>") if many > 1 else (ONE, "")
    return Kind(remark, template, str(pointwise.THREADS), body, partial(launching.flat, page, name, axes[0], many))


def text(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    remarks: Mapping[str, str],
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
) -> KernelText:
    """The kernel, and how the Python file beside it launches it.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    cuda, lines = printed(found, tensors, taken, values, name, remarks, functions)
    passed = [each.passed for each in cuda.parameters]
    passed += [f"{each.name}={each.passed}" for each in cuda.constants]
    return KernelText((), (), "", lines, "()", ", ".join(passed), {}, cuda=cuda)
