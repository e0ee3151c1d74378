"""What the CMake project's test program runs a kernel on: how many elements each tensor has, what fills it, and each number of the launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.eject.cuda.jobs import parts
from inductor_lab.eject.cuda.numbers import is_float, stored
from inductor_lab.eject.cuda.signature import overwritten
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.sizes import Dim, fixed
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton.nouns import named
from inductor_lab.records import TensorType

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
        tried = plan.untold[name].tried if name in plan.untold else ""
        numbers.setdefault(name, tried or str(Dim.of(plan.scalars.get(name, text)).bound(plan.environment)))
    seeds = [text for name, text in plan.scalars.items() if name.startswith("load_seed_offset") and text.isdigit()]
    for number, seed in enumerate(dict.fromkeys(seeds), 1):
        numbers[f"seed_offset_{number}" if number > 1 else "seed_offset"] = seed
    return numbers


def architecture(arch: str) -> str:
    """What CMake calls a card: `90` of sm_90; this machine's where it is none of NVIDIA's."""
    digits = arch.removeprefix("sm_")
    return digits if digits != arch and digits[:2].isdigit() else "native"
