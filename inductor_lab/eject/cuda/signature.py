"""The parameters of a CUDA kernel: pointers, numbers that each launch passes, and sizes that are compiled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inductor_lab.computation.tree import Size
from inductor_lab.eject.cuda.numbers import is_float, stored
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.parts import Constant, Parameter
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.tensors import Tensor

LAST = 2**31 - 2**16
"""Elements up to which a position in the last block still has 32 bits."""


def index_type(page: Page) -> str:
    """The type of positions: 64 bits only where an axis has more elements than 32 bits count, those of its last block included."""
    axes = page.found.schedule.axes
    most = max((axis.numel for axis in axes if isinstance(axis.numel, int)), default=0)
    return "int64_t" if most > LAST or any(axis.dtype == "int64" for axis in axes) else "int"


def parameters(page: Page, lines: Sequence[str], remarks: Mapping[str, str]) -> tuple[Parameter, ...]:
    """What the kernel takes: its tensors, and of the numbers those that its text says."""
    named = set(re.findall(r"\w+", "\n".join(lines)))
    return (*pointers(page.tensors), *(each for each in _numbers(page, remarks) if each.name in named))


def overwritten(tensors: Mapping[str, Tensor]) -> frozenset[str]:
    """The names of tensors whose memory another pointer writes."""
    return frozenset(tensor.overwrites for tensor in tensors.values() if tensor.overwrites)


def pointers(tensors: Mapping[str, Tensor]) -> list[Parameter]:
    """One for each tensor."""
    shared = overwritten(tensors)
    found = []
    for tensor in tensors.values():
        alone = not tensor.overwrites and tensor.name not in shared
        kind = f"{'const ' if tensor.role == 'in' else ''}{stored(tensor.type.dtype)}*"
        found.append(Parameter(kind, f"{tensor.name}_ptr", tensor.name, tensor.comment(), restrict=alone))
    return found


def _numbers(page: Page, remarks: Mapping[str, str]) -> list[Parameter]:
    layout, kind = page.layout, index_type(page)
    floats = {node.name: stored(node.dtype) for node in page.uses if isinstance(node, Size) and is_float(node.dtype)}
    found: dict[str, Parameter] = {}
    for axis in page.found.schedule.axes:
        names = layout.names[axis.name]
        if not axis.reduced and isinstance(axis.numel, int):
            found[names.numel] = Parameter(kind, names.numel, names.numel)
    for name, passed in layout.scalars():
        if not name.isidentifier():
            raise UnprintableError(f"a number that is passed as `{name}`")
        found[name] = Parameter(floats.get(name, kind), name, passed, remarks.get(name, ""))
    return list(found.values())


def constants(page: Page, lines: Sequence[str]) -> tuple[Constant, ...]:
    """Sizes that are compiled in, those that the text says."""
    named = set(re.findall(r"\w+", "\n".join(lines)))
    words = {name: comment for name, _, comment in page.layout.constants()}
    found = []
    for name, (value, passed) in page.layout.sizes.values.items():
        if name in named:
            comment = words.get(name, "").removeprefix(str(value)).strip()
            found.append(Constant(name, value, passed, comment))
    return tuple(found)
