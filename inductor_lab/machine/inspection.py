"""Inspect an ejected file: what the compiler makes of the kernels that its launcher launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine.cuda_source import inspect_cuda, without_values
from inductor_lab.machine.targets import target_named
from inductor_lab.machine.triton_private import (
    CaughtLaunch,
    caught_launches,
    compile_launch,
    message_of,
    need_triton,
)
from inductor_lab.records import MachineCode

LAUNCHERS = {"hand": "launch", "generated": "launch_generated"}


def inspect(path: str | Path, gpu: str = "h200", which: str = "hand") -> tuple[MachineCode, ...]:
    """Compile the `hand` or `generated` kernel of an ejected file for `gpu`, one record for each launch, in order.

    `gpu` is a name of gpus.GPUS or an architecture (`sm_90`, `gfx942`); no GPU is needed.
    Raises LabError for an unknown GPU, a file that was not ejected, a missing Triton, a kernel that does not compile.
    """
    target_named(gpu)
    need_triton()
    return inspect_module(load(path).module, gpu, which)


def inspect_module(
    module: ModuleType, gpu: str = "h200", which: str = "hand", settings: Mapping[str, int] | None = None
) -> tuple[MachineCode, ...]:
    """`inspect`, for an ejected file that is imported already; under other blocks or warps than its own where `settings` has them."""
    target = target_named(gpu)
    need_triton()
    if which == "hand" and hasattr(module, "CudaKernel"):
        return inspect_cuda(module, gpu, target)
    launches = launches_of(module, which, settings)
    codes = []
    for launch in launches:
        try:
            compiled = compile_launch(launch, target)
        except Exception as error:
            failed = f"Triton can not compile `{launch.kernel.__name__}` for {target.name}"
            raise LabError(f"{module.__file__}: {failed}: {message_of(error)}") from error
        codes.append(
            MachineCode(
                kernel=compiled.kernel,
                gpu=gpu,
                arch=target.name,
                registers=compiled.facts.registers,
                spills=compiled.facts.spills,
                shared_memory=compiled.shared_memory,
                num_warps=compiled.num_warps,
                loads=compiled.facts.loads,
                stores=compiled.facts.stores,
                constants=compiled.constants,
                instructions=compiled.facts.instructions,
                loops=compiled.facts.loops,
                elements=compiled.elements,
            )
        )
    return tuple(codes)


def launches_of(
    module: ModuleType, which: str = "hand", settings: Mapping[str, int] | None = None
) -> Sequence[CaughtLaunch]:
    """What a launcher of an imported file would launch, without launching it; at least one.

    Raises:
        LabError: it can not be called so, or launches nothing.
    """
    launcher = getattr(module, LAUNCHERS[which])
    where = f"{module.__file__}: `{launcher.__name__}`"
    with caught_launches() as launches:
        try:
            launcher(*without_values(module), **(settings or {}))
        except Exception as error:
            raise LabError(
                f"{where} can not be called on tensors without values, which is how a kernel is inspected without "
                f"running it ({type(error).__name__}: {message_of(error)})"
            ) from error
    if not launches:
        raise LabError(f"{where} launched no Triton kernel; let it call `kernel[grid](...)`")
    return launches
