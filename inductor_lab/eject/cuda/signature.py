"""A CUDA kernel as the templates place it, every value ready; and its parameters: pointers, numbers that each launch passes, and sizes that
are compiled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.tree import Size
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import HEADERS, is_float, stored, words
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Parameter:
    """One parameter of the kernel and of its launcher."""

    type: str
    name: str
    passed: str
    """What the Python launcher passes for it: `x`, `numel`."""
    comment: str = ""
    restrict: bool = False

    @property
    def declared(self) -> str:
        """`const float* __restrict__ x_ptr`."""
        return f"{self.type} {'__restrict__ ' if self.restrict else ''}{self.name}"


@dataclass(frozen=True)
class Constant:
    """A size that is compiled in: `constexpr int COLUMNS = 1024;`."""

    name: str
    value: int
    passed: str
    """Where the Python launcher finds it: `x.shape[1]`."""
    comment: str

    @property
    def said(self) -> str:
        """`x.shape[1]: columns`; empty where it is a number, and no more is said of it."""
        passed = "" if self.passed == str(self.value) else self.passed
        return ": ".join(filter(None, (passed, self.comment)))


@dataclass(frozen=True)
class Cuda:
    """The fields of templates/cuda/kernel.cu.jinja, and of the test program's."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[str, ...]
    helpers: tuple[str, ...]
    """Device functions above the kernel."""
    constants: tuple[Constant, ...] = ()
    headers: tuple[str, ...] = ()
    title: str = ""
    remark: str = ""
    """How threads share the work."""
    template: str = ""
    """`template <int VEC>`; empty for a kernel without parameters of its own."""
    bounds: str = ""
    """Threads of a block, at most: a number, or counted by the template's LANES."""
    launcher: tuple[str, ...] = ()
    """The statements of `launch`."""
    takes: str = ""
    """What the kernel takes where that is not what `launch` does: `const __grid_constant__ Jobs jobs`."""

    @property
    def arguments(self) -> str:
        """What one kernel's call is given by the launcher."""
        return ", ".join(parameter.name for parameter in self.parameters)


def parameters(page: Page, lines: Sequence[str], remarks: Mapping[str, str]) -> tuple[Parameter, ...]:
    """What the kernel takes: its tensors, and of the numbers those that its text says."""
    named = words(lines)
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


def headers(tensors: Mapping[str, Tensor]) -> tuple[str, ...]:
    """CUDA's own that the types of the tensors need."""
    return tuple(dict.fromkeys(HEADERS[t.type.dtype] for t in tensors.values() if t.type.dtype in HEADERS))


def _numbers(page: Page, remarks: Mapping[str, str]) -> list[Parameter]:
    layout, kind = page.layout, page.index_type
    floats = {node.name: stored(node.dtype) for node in page.uses if isinstance(node, Size) and is_float(node.dtype)}
    found: dict[str, Parameter] = {}
    for axis in page.free:
        if isinstance(axis.numel, int):
            name = page.names(axis).numel
            found[name] = Parameter(kind, name, name)
    for name, passed in layout.scalars():
        if not name.isidentifier():
            raise UnprintableError(f"a number that is passed as `{name}`")
        found[name] = Parameter(floats.get(name, kind), name, passed, remarks.get(name, ""))
    return list(found.values())


def constants(page: Page, lines: Sequence[str]) -> tuple[Constant, ...]:
    """Sizes that are compiled in, those that the text says."""
    named = words(lines)
    comments = {name: comment for name, _, comment in page.layout.constants()}
    found = []
    for name, (value, passed) in page.layout.sizes.values.items():
        if name in named:
            comment = comments.get(name, "").removeprefix(str(value)).strip()
            found.append(Constant(name, value, passed, comment))
    return tuple(found)
