"""The same computation as plain loops on the host, every float a double: what the CMake project's test holds the kernel to."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda import helpers, pointwise
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.numbers import Numbers, is_float
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.parts import Cuda
from inductor_lab.eject.cuda.printer import page_of
from inductor_lab.eject.cuda.rows import HOST, Rows
from inductor_lab.eject.cuda.signature import constants, index_type, overwritten, parameters
from inductor_lab.eject.tensors import Tensor


def exact(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], name: str
) -> Cuda:
    """A function of the host, in the kernel's fields.

    Raises:
        UnprintableError: a step or a node has no form here, such as the bits of a float.
    """
    shared = overwritten(tensors)
    held = {
        key: _widened(tensor) if tensor.role != "in" or tensor.name in shared else tensor
        for key, tensor in tensors.items()
    }
    page = page_of(found, held, taken, values, Numbers(double=True))
    free = [axis for axis in found.schedule.axes if not axis.reduced]
    if len(free) < len(found.schedule.axes):
        lines = Rows(page, HOST, serial=True).lines()
    else:
        lines = pointwise.element(page)
        lines = [*(line for axis in free for line in coordinates(page, axis, lines)), *lines]
    body = _loops(page, free, lines)
    texts = tuple(_of_the_host(text) for text in helpers.texts(page.helpers))
    return Cuda(name, "", "", (), constants(page, body), texts, "", 0, parameters(page, body, {}), tuple(body), ())


def _widened(tensor: Tensor) -> Tensor:
    """A tensor that is written, in double."""
    if not is_float(tensor.type.dtype):
        return tensor
    return dataclasses.replace(tensor, type=dataclasses.replace(tensor.type, dtype="float64"))


def _loops(page: Page, free: Sequence[Axis], lines: Sequence[str]) -> list[str]:
    """A loop along each axis around what is done for one element."""
    made, kind = list(lines), index_type(page)
    for axis in reversed(free):
        names = page.layout.names[axis.name]
        made = [
            f"for ({kind} {names.index} = 0; {names.index} < {names.numel}; ++{names.index}) {{",
            *("    " + line for line in made),
            "}",
        ]
    return made


def _of_the_host(text: str) -> str:
    """A device function as one of the host; a form for floats alone is left out."""
    lines = [line for line in text.split("\n") if "__expf" not in line]
    return re.sub(r"__device__ __forceinline__", "inline", "\n".join(lines)).replace("static inline", "static")
