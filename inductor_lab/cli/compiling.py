"""Captured kernels compiled for a page: their code at each stage, and what the compiler says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.cli import output
from inductor_lab.errors import LabError
from inductor_lab.records import CompiledCode, Kernel, MachineCode

COSTLIEST = 20
"""Kernels that are compiled unless more are asked for: each takes about a second."""


@dataclass(frozen=True)
class Made:
    """Of one kernel."""

    stages: tuple[CompiledCode, ...]
    """One without a stage, which says why, of a kernel that does not compile."""
    machine: MachineCode | None = None


def compiled(kernels: Sequence[Kernel], gpu: str) -> Mapping[str, Made]:
    """By kernel id."""
    from inductor_lab.machine import inspect_kernel
    from inductor_lab.machine.stages import stages
    from inductor_lab.machine.targets import target_named
    from inductor_lab.quantity import plural

    target_named(gpu)
    made: dict[str, Made] = {}
    with output.progress(f"Compiling {plural(len(kernels), 'kernel')} for {gpu}") as step:
        for kernel in kernels:
            step(kernel.id)
            try:
                made[kernel.id] = Made(stages(kernel, gpu), inspect_kernel(kernel, gpu))
            except LabError as error:
                made[kernel.id] = Made((CompiledCode("", gpu, "", missing=str(error)),))
    return made
