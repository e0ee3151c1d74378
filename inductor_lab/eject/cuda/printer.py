"""A plan's schedule as the parts of a `.cu` file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda import launch, matmul, pointwise, subkernels
from inductor_lab.eject.cuda.code import Numbers
from inductor_lab.eject.cuda.launch import Cuda, constants, headers, parameters
from inductor_lab.eject.cuda.page import Page, above, empty_page
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.threads import geometry_of, scanned
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.triton.nouns import kept

FLAT = "A thread takes VEC elements side by side, which one instruction loads or stores where the tensors are aligned."
ONE = "A thread takes one element."
TILED = "Of 32 x 8 elements a thread takes one, straight from memory to memory, and goes on where the grid ends."
ROWS = "LANES threads share a row: each accumulates its part of it, and they combine what they have."
SCANNED = "LANES threads share a row: they go along it together, LANES elements at a time, and each chunk goes on from the one before."
COLUMNS = "32 rows lie side by side in a block, and LANES threads share each."


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
    if found.schedule.group:
        raise UnprintableError(
            "it folds the columns of a group of rows beside the rows, which is not printed in CUDA C++ yet"
        )
    if found.parts:
        cuda, lines = subkernels.printed(found, tensors, taken, values, name), []
    else:
        page = empty_page(found, tensors, taken, values, Numbers(), functions)
        cuda = _kernel(page, name, remarks)
        lines = [f"{size} = {passed}" for size, passed in page.layout.launcher().items()]
    passed = [each.passed for each in cuda.parameters]
    passed += [f"{each.name}={each.passed}" for each in cuda.constants]
    return KernelText((), (), "", tuple(lines), "()", ", ".join(passed), {}, cuda=cuda)


def _kernel(page: Page, name: str, remarks: Mapping[str, str]) -> Cuda:
    """A kernel that is no launch of several subkernels."""
    kind = _kind(page, name)
    page.calls("cdiv")
    takes = parameters(page, kind.body, remarks)
    launched = (*launch.empty(page), *kind.launch(", ".join(each.name for each in takes)))
    needed = (*headers(page.tensors), *(["mma.h"] if "TensorProduct" in page.helpers else []))
    return Cuda(
        name, takes, tuple(kind.body), above(page), constants(page, [*kind.body, *launched]), needed,
        remark=kind.remark, template=kind.template, bounds=kind.bounds, launcher=launched,
    )  # fmt: skip


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
    axes = page.axes
    if (product := matmul.product_of(page)) is not None:
        tiles = matmul.Products(page, product)
        body = tiles.lines()
        template = "template <int VEC>" if tiles.many > 1 else ""
        return Kind(matmul.REMARK, template, str(tiles.threads), body, partial(tiles.launched, name))
    if any(axis.reduced for axis in axes):
        shared = geometry_of(page.found, page.folded.name)
        remark = COLUMNS if shared.columns else SCANNED if scanned(page.found.schedule.every()) else ROWS
        rows = Rows(page, shared)
        body, launched = rows.lines(), partial(launch.rows, page, name, shared)
        if rows.packs is not None:
            launched = partial(launch.packed_rows, page, name, rows.packs.width)
        template = f"template <int LANES{', int VEC' if rows.packs else ''}>"
        return Kind(remark.replace("row", kept(page.found)), template, shared.threads, body, launched)
    if len(axes) > 1:
        ordered = sorted(axes, key=lambda axis: axis.name)
        body = pointwise.tile(page, ordered)
        return Kind(TILED, "", str(launch.THREADS), body, partial(launch.tiled, page, name, ordered))
    body, many = pointwise.flat(page, axes[0])
    remark, template = (FLAT, "template <int VEC>") if many > 1 else (ONE, "")
    return Kind(remark, template, str(launch.THREADS), body, partial(launch.flat, page, name, axes[0], many))
