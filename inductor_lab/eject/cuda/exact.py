"""The same computation as plain loops on the host, every float a double: what the CMake project's test holds the kernel to."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda import helpers, host_loops, jobs
from inductor_lab.eject.cuda.numbers import Numbers, is_float
from inductor_lab.eject.cuda.page import empty_page
from inductor_lab.eject.cuda.parts import Cuda
from inductor_lab.eject.cuda.signature import constants, overwritten, parameters


def exact(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
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
    if found.parts:
        made = jobs.exact(found, held, taken, values, name)
        return dataclasses.replace(made, helpers=tuple(map(_of_the_host, made.helpers)))
    page = empty_page(found, held, taken, values, Numbers(double=True), functions)
    body = host_loops.lines(page)
    texts = tuple(map(_of_the_host, helpers.above(page)))
    return Cuda(name, "", "", (), constants(page, body), texts, "", "", parameters(page, body, {}), tuple(body), ())


def _widened(tensor: Tensor) -> Tensor:
    """A tensor that is written, in double."""
    if not is_float(tensor.type.dtype):
        return tensor
    return dataclasses.replace(tensor, type=dataclasses.replace(tensor.type, dtype="float64"))


def _of_the_host(text: str) -> str:
    """A device function as one of the host: without a form for floats alone, and one thread waits for nobody."""
    lines = [line for line in text.split("\n") if "__expf" not in line and "__sync" not in line]
    return re.sub(r"__device__ __forceinline__", "inline", "\n".join(lines)).replace("static inline", "static")
