"""The CPU test of an ejected CUDA kernel's CMake project: plain loops in double, and the inputs that both are run on."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import Numbers, block, is_float, stored
from inductor_lab.eject.cuda.launch import Cuda, Parameter, constants, overwritten, parameters, pointers
from inductor_lab.eject.cuda.page import Page, above, device_functions, empty_page
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.subkernels import parts, sized, tensors_of
from inductor_lab.eject.cuda.threads import HOST
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.nouns import named
from inductor_lab.eject.sizes import fixed
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size


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
        return _one_after_another(found, held, taken, values, name)
    page = empty_page(found, held, taken, values, Numbers(double=True), functions)
    lines = _loops(page)
    return Cuda(name, parameters(page, lines, {}), tuple(lines), _of_the_host(above(page)), constants(page, lines))


def _one_after_another(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str], name: str
) -> Cuda:
    """The same of several subkernels."""
    lines: list[str] = []
    called: dict[str, None] = {}
    numbers = []
    for number, part in enumerate(parts(found)):
        page = empty_page(part, tensors_of(part, tensors), taken, values, Numbers(double=True))
        made = sized(page, _loops(page))
        sizes = [page.names(axis).numel for axis in page.free]
        own = [f"const int {size} = {size}_{number};" for size in sizes]
        lines += ["{", *("    " + line for line in (*own, *made)), "}"]
        called |= page.helpers
        numbers += [Parameter("int", f"{size}_{number}", "") for size in sizes]
    return Cuda(name, (*pointers(tensors), *numbers), tuple(lines), _of_the_host(device_functions(called)))


def _loops(page: Page) -> list[str]:
    """A loop along each axis around what is done for one element, or for one row by one thread."""
    folds = len(page.free) < len(page.axes)
    made = Rows(page, HOST, serial=True).lines() if folds else page.placed(page.free, Statements(page).element())
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


def test_numbers(plan: Plan) -> dict[str, str]:
    """Each number that a launch passes, by the kernel's name for it.

    Raises:
        ValueError: the log tells no value of one.
    """
    if plan.found.parts:
        return {
            f"{names.numel}_{number}": str(part.numel[axis])
            for number, part in enumerate(parts(plan.found))
            for axis, names in named(part, ())
            if not axis.startswith("r")
        }
    passed = {name: text for name, text in plan.found.sizes.items() if not name.endswith("numel")}
    numbers = {names.numel: str(plan.numels[f"{axis}numel"]) for axis, names in named(plan.found, passed)}
    for name, text in passed.items():
        tried = plan.unbacked[name].tried if name in plan.unbacked else ""
        numbers.setdefault(name, tried or str(Size.of(plan.scalars.get(name, text)).bound(plan.environment)))
    seeds = [text for name, text in plan.scalars.items() if name.startswith("load_seed_offset") and text.isdigit()]
    for number, seed in enumerate(dict.fromkeys(seeds), 1):
        numbers[f"seed_offset_{number}" if number > 1 else "seed_offset"] = seed
    return numbers


def architecture(arch: str) -> str:
    """What CMake calls a card: `90` of sm_90; this machine's where it is none of NVIDIA's."""
    digits = arch.removeprefix("sm_")
    return digits if digits != arch and digits[:2].isdigit() else "native"
