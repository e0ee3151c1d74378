"""The CPU test of an ejected CUDA kernel's CMake project: plain loops in double, and the inputs that both are run on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import Numbers, block, is_float, stored
from inductor_lab.eject.cuda.launch import Cuda, Parameter, constants, overwritten, parameters, pointers
from inductor_lab.eject.cuda.page import Page, above, device_functions, empty_page
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.subkernels import parts, sized, tensors_of
from inductor_lab.eject.cuda.threads import HOST
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.sizes import fixed
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size


@dataclass(frozen=True)
class HostCheck:
    """What the test program runs on the host."""

    exact: Cuda
    """A function of the host, in the kernel's fields."""
    numbers: dict[str, str]
    """Each number that a launch passes, by the kernel's name for it."""


def host_check(plan: Plan) -> HostCheck:
    """The computation of a whole plan in plain loops.

    Raises:
        UnprintableError: a step or a node has no form here, such as the bits of a float.
        ValueError: the log tells no value of a number.
    """
    shared = overwritten(plan.tensors)
    tensors = {
        key: _widened(tensor) if tensor.role != "in" or tensor.name in shared else tensor
        for key, tensor in plan.tensors.items()
    }
    if plan.found.parts:
        return _one_after_another(plan, tensors)
    page = empty_page(plan.found, tensors, _taken(plan), plan.scalars, Numbers(double=True), functions(plan.kernel))
    lines = _loops(page)
    host = Cuda(plan.name, parameters(page, lines, {}), tuple(lines), _of_the_host(above(page)), constants(page, lines))
    return HostCheck(host, _numbers(plan, page))


def _one_after_another(plan: Plan, tensors: Mapping[str, Tensor]) -> HostCheck:
    """The same of several subkernels."""
    lines: list[str] = []
    called: dict[str, None] = {}
    numbers: dict[str, str] = {}
    for number, part in enumerate(parts(plan.found)):
        page = empty_page(part, tensors_of(part, tensors), _taken(plan), plan.scalars, Numbers(double=True))
        made = sized(page, _loops(page))
        sizes = {page.names(axis).numel: str(axis.numel) for axis in page.free}
        own = [f"const int {size} = {size}_{number};" for size in sizes]
        lines += ["{", *("    " + line for line in (*own, *made)), "}"]
        called |= page.helpers
        numbers |= {f"{size}_{number}": count for size, count in sizes.items()}
    passed = (Parameter("int", name, "") for name in numbers)
    host = Cuda(plan.name, (*pointers(tensors), *passed), tuple(lines), _of_the_host(device_functions(called)))
    return HostCheck(host, numbers)


def _taken(plan: Plan) -> set[str]:
    """Names that nothing of it may have."""
    return {*OF_THE_KERNEL, plan.name}


def _numbers(plan: Plan, page: Page) -> dict[str, str]:
    layout = page.layout
    numbers = {page.names(axis).numel: str(plan.numels[f"{axis.name}numel"]) for axis in page.axes}
    for name, text in layout.passed.items():
        tried = plan.unbacked[name].tried if name in plan.unbacked else ""
        numbers.setdefault(name, tried or str(Size.of(plan.scalars.get(name, text)).bound(plan.environment)))
    return numbers | {name: str(offset) for offset, name in layout.seed_offsets.items()}


def _loops(page: Page) -> list[str]:
    """A loop along each axis around what is done for one element, or for one row by one thread."""
    folds = len(page.free) < len(page.axes)
    made = Rows(page, HOST).lines() if folds else page.placed(page.free, Statements(page).element())
    for axis in reversed(page.free):
        index, numel = page.names(axis).index, page.names(axis).numel
        made = block(f"for ({page.index_type} {index} = 0; {index} < {numel}; ++{index})", made)
    return made


def _widened(tensor: Tensor) -> Tensor:
    """A tensor that is written, in double."""
    if not is_float(tensor.type.dtype):
        return tensor
    return dataclasses.replace(tensor, type=dataclasses.replace(tensor.type, dtype="float64"))


def _of_the_host(functions: Iterable[str]) -> tuple[str, ...]:
    """Device functions as those of the host: without a form for floats alone, and one thread waits for nobody."""
    made = []
    for text in functions:
        lines = (line for line in text.split("\n") if "__expf" not in line and "__sync" not in line)
        text = "\n".join(lines).replace("__device__ __forceinline__", "inline")
        made.append(text.replace("static inline", "static"))
    return tuple(made)


# ------------------------------------------------------------ what both are run on

LIMITS = {"float16": "2e-03", "bfloat16": "2e-02", "float32": "1e-05", "float64": "1e-12"}
"""How far a stored dtype may be from double, relative to the tensor's largest value."""


@dataclass(frozen=True)
class TestTensor:
    """One tensor of the test program."""

    name: str
    type: str
    values: str
    """The C++ expression that draws them."""
    written: bool
    exact: str
    """The type of an element on the host."""
    limit: str

    @property
    def on_host(self) -> str:
        """The pointer that the host's function is given."""
        return f"&{self.name}_exact[0]" if self.written else f"&{self.name}.before[0]"


def test_tensors(tensors: Mapping[str, Tensor], environment: Mapping[str, int]) -> dict[str, TestTensor]:
    """Each pointer of the launch, by the name of its tensor; two names of one memory are one tensor.

    Raises:
        ValueError: there is nothing to run.
    """
    shared = overwritten(tensors)
    found: dict[str, TestTensor] = {}
    for tensor in tensors.values():
        made = _tensor(tensor, fixed(tensor.type, environment), tensor.role != "in" or tensor.name in shared)
        found[tensor.name] = found.get(tensor.overwrites, made)
    return found


def _tensor(tensor: Tensor, type_: TensorType, written: bool) -> TestTensor:
    kind, floats = stored(type_.dtype), is_float(type_.dtype)
    count = 1 + sum((int(n) - 1) * int(step) for n, step in zip(type_.shape, type_.stride, strict=True))
    if any(n == 0 for n in type_.shape):
        raise ValueError("there is nothing to run")
    fill = tensor.fill
    if isinstance(fill, tuple):
        values = f"whole<{kind}>({count}, {fill[0]}LL, {fill[1]}LL, {'true' if tensor.distinct else 'false'})"
    else:
        values = f'drawn<{kind}>({count}, "{"normal" if fill == "out" else fill}")'
    exact = "double" if floats else kind
    return TestTensor(tensor.name, kind, values, written, exact, LIMITS.get(type_.dtype, "0.0"))


def architecture(arch: str) -> str:
    """What CMake calls a card: `90` of sm_90; this machine's where it is none of NVIDIA's."""
    digits = arch.removeprefix("sm_")
    return digits if digits != arch and digits[:2].isdigit() else "native"
