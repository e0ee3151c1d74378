"""A CUDA kernel as the templates place it: typed, every value ready."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def pointer(self) -> bool:
        return self.type.endswith("*")


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
    title: str
    remark: str
    """How threads share the work."""
    headers: tuple[str, ...]
    constants: tuple[Constant, ...]
    helpers: tuple[str, ...]
    """Device functions above the kernel."""
    template: str
    """`template <int VEC>`; empty for a kernel without parameters of its own."""
    bounds: str
    """Threads of a block, at most: a number, or counted by the template's LANES."""
    parameters: tuple[Parameter, ...]
    body: tuple[str, ...]
    launcher: tuple[str, ...]
    """The statements of `launch`."""
    takes: str = ""
    """What the kernel takes where that is not what `launch` does: `const __grid_constant__ Jobs jobs`."""

    @property
    def arguments(self) -> str:
        """What one kernel's call is given by the launcher."""
        return ", ".join(parameter.name for parameter in self.parameters)
