"""A plan's schedule as the parts of a `.cu` file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inductor_lab.computation.records import Computation
from inductor_lab.eject.cuda import launching, pointwise
from inductor_lab.eject.cuda.helpers import texts
from inductor_lab.eject.cuda.numbers import HEADERS, Numbers
from inductor_lab.eject.cuda.page import RESERVED, Page
from inductor_lab.eject.cuda.parts import Cuda
from inductor_lab.eject.cuda.rows import Rows, geometry_of
from inductor_lab.eject.cuda.shapes import uses
from inductor_lab.eject.cuda.signature import constants, parameters
from inductor_lab.eject.layout import Layout
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton_page import UnprintableError

FLAT = (
    "A thread takes {many} elements side by side, which one instruction loads or stores where the tensors are aligned."
)
ONE = "A thread takes one element."
TILED = "A thread takes one element of a tile of 32 x 8, and goes on where the grid ends."
ROWS = "LANES threads share a row: each accumulates its part of it, and they combine what they have."
COLUMNS = "32 rows lie side by side in a block, and LANES threads share each: neighbours read neighbours."


def page_of(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], numbers: Numbers
) -> Page:
    """An empty page for a kernel.

    Raises:
        UnprintableError: its schedule does not tell it whole, or it does several jobs.
    """
    if found.parts:
        raise UnprintableError("several jobs in one launch are not printed in CUDA C++ yet")
    if found.schedule.opaque:
        raise UnprintableError(found.schedule.opaque)
    names = {*taken, *RESERVED, *(f"{tensor.name}_{what}" for tensor in tensors.values() for what in ("ptr", "pack"))}
    return Page(found, tensors, Layout(found, tensors, names, values), numbers, uses(found.schedule))


def printed(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    remarks: Mapping[str, str],
) -> tuple[Cuda, tuple[str, ...]]:
    """The kernel, and what the Python launcher works out before it calls it.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    page = page_of(found, tensors, taken, values, Numbers())
    axes = found.schedule.axes
    kinds: tuple[str, int]
    if any(axis.reduced for axis in axes):
        geometry = geometry_of(page)
        body, remark = Rows(page, geometry).lines(), COLUMNS if geometry.columns else ROWS
        kinds = ("template <int LANES>", 1024 if geometry.columns else 512)
        launch = launching.rows
        chosen = geometry
    elif len(axes) == 1:
        body, many = pointwise.flat(page, axes[0])
        remark = FLAT.format(many="VEC") if many > 1 else ONE
        kinds = ("template <int VEC>" if many > 1 else "", pointwise.THREADS)
    else:
        ordered = sorted(axes, key=lambda axis: axis.name)
        body, remark, kinds = pointwise.tile(page, ordered), TILED, ("", pointwise.THREADS)
    page.helpers["cdiv"] = None
    said = parameters(page, body, remarks)
    arguments = ", ".join(each.name for each in said)
    if any(axis.reduced for axis in axes):
        lines = launch(page, name, chosen, arguments)
    elif len(axes) == 1:
        lines = launching.flat(page, name, axes[0], many, arguments)
    else:
        lines = launching.tiled(page, name, ordered, arguments)
    lines = [*filter(None, [launching.empty(page)]), *lines]
    headers = tuple(dict.fromkeys(HEADERS[t.type.dtype] for t in tensors.values() if t.type.dtype in HEADERS))
    found_constants = constants(page, [*body, *lines])
    cuda = Cuda(
        name, "", remark, headers, found_constants, texts(page.helpers), *kinds, parameters(page, [*body, *lines], remarks), tuple(body), tuple(lines)
    )  # fmt: skip
    return cuda, tuple(page.layout.launcher(body))


def text(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    remarks: Mapping[str, str],
) -> KernelText:
    """The kernel, and how the Python file beside it launches it.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    cuda, lines = printed(found, tensors, taken, values, name, remarks)
    passed = [each.passed for each in cuda.parameters]
    passed += [f"{each.name}={each.passed}" for each in cuda.constants]
    return KernelText((), (), "", lines, "()", ", ".join(passed), {}, cuda=cuda)
