"""What the compiler makes of the kernels that an ejected file's launcher launches: registers, loads, stores; and their code at each stage. Nothing is run.

inspect_module(module, "h200") -> MachineCode(registers=32, loads={"LDG.E.128": 6}, ...), a record a launch
code_of(module, "h200", "hand", "ptx") -> the text of PTX; `source`, Triton's and LLVM's IRs and machine code as well
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import getsource
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine.cuda_source import (
    called,
    compile_cuda,
    inspect_cuda,
    instance,
    launched,
    without_values,
)
from inductor_lab.machine.targets import Target, target_named
from inductor_lab.machine.triton_private import (
    CaughtLaunch,
    Compiled,
    caught_launches,
    compile_launch,
    disassembled,
    message_of,
    need_triton,
)
from inductor_lab.records import MachineCode

COMPILED = {"cuda": ("ttir", "ttgir", "llir", "ptx", "sass"), "hip": ("ttir", "ttgir", "llir", "amdgcn")}
"""What a kernel is on its way through the compiler, by Triton's name of the maker."""
STAGES = ("source", *COMPILED["cuda"], "amdgcn")
"""In the order of compilation; the last of a maker's is its machine code."""
NO_TOOLS = "nvdisasm and cuobjdump, which Triton's wheel for Linux carries, are missing here: --show ptx needs neither"
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
    return tuple(machine_code(_compiled(module, launch, target), gpu, target) for launch in launches)


def _compiled(module: ModuleType, launch: CaughtLaunch, target: Target) -> Compiled:
    try:
        return compile_launch(launch, target)
    except Exception as error:
        failed = f"Triton can not compile `{launch.kernel.__name__}` for {target.name}"
        raise LabError(f"{module.__file__}: {failed}: {message_of(error)}") from error


def machine_code(compiled: Compiled, gpu: str, target: Target) -> MachineCode:
    """What was read from the machine code of a compiled kernel, as a record."""
    return MachineCode(
        kernel=compiled.kernel,
        gpu=gpu,
        arch=target.name,
        shared_memory=compiled.shared_memory,
        num_warps=compiled.num_warps,
        constants=compiled.constants,
        elements=compiled.elements,
        **vars(compiled.facts),
    )


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


@dataclass(frozen=True)
class Code:
    """One kernel at one stage."""

    kernel: str
    text: str
    ttgir: str = ""
    """Of the same kernel: it tells which lines assert something."""
    given: str = ""
    """The blocks and warps that the launcher gives it."""


def code_of(module: ModuleType, gpu: str, which: str, stage: str) -> tuple[Code, ...]:
    """The `hand` or `generated` kernels of an imported file, a record a launch, each once.

    Raises:
        LabError: there is no such stage for this kernel or card, or it does not compile.
    """
    target = target_named(gpu)
    in_cuda = which == "hand" and hasattr(module, "CudaKernel")
    if in_cuda and target.backend != "cuda":
        raise LabError(f"{module.__file__}: its kernel is CUDA C++, which is compiled for NVIDIA's cards alone")
    need_stage(stage, target)
    if in_cuda:
        return _of_cuda(module, target, stage)
    need_triton()
    found = [_of_launch(module, launch, target, stage) for launch in launches_of(module, which)]
    return tuple(dict.fromkeys(found))


def need_stage(stage: str, target: Target) -> None:
    """LabError where there is no such stage, or none on the way to such a card."""
    if stage not in STAGES:
        raise LabError(f"There is no {stage!r} to show; it is {', '.join(STAGES[:-1])} or {STAGES[-1]}.")
    *others, last = COMPILED[target.backend]
    if stage not in ("source", *others, last):
        maker = "An NVIDIA" if target.backend == "cuda" else "An AMD"
        raise LabError(
            f"{maker} GPU has no {stage.upper()}: the machine code of {target.name} is {last.upper()}, --show {last}; "
            f"it also has {', '.join(others[:-1])} and {others[-1]}."
        )


def _of_launch(module: ModuleType, launch: CaughtLaunch, target: Target, stage: str) -> Code:
    name = launch.kernel.__name__
    given = ", ".join(f"{key} {value}" for key, value in launch.keywords.items() if isinstance(value, int | str))
    if stage == "source":
        return Code(name, getsource(launch.kernel.fn), given=given)
    made = _compiled(module, launch, target).assembly
    return Code(name, printed(made, stage), made["ttgir"], given)


def printed(made: Mapping[str, Any], stage: str) -> str:
    """The text of a compiled kernel at a stage that there is.

    Raises:
        LabError: the tools that print it are missing.
    """
    return _sass(made["cubin"]) if stage == "sass" else str(made[stage])


def _of_cuda(module: ModuleType, target: Target, stage: str) -> tuple[Code, ...]:
    makers: dict[str, Callable[[str, str, Target], str]] = {
        "source": lambda name, text, target: text,
        "ptx": lambda name, text, target: compile_cuda(name, text, target, "ptx").decode(),
        "sass": lambda name, text, target: _widest(_sass(compile_cuda(name, text, target))),
    }
    if stage not in makers:
        raise LabError(f"{module.__file__}: its kernel is CUDA C++, which has no {stage.upper()}; --show ptx or sass")
    return tuple(Code(name, makers[stage](name, text, target)) for name, text in launched(module))


def _sass(made: bytes) -> str:
    told = disassembled(made)
    if told is None:
        raise LabError(NO_TOOLS)
    return told[1]


def _widest(sass: str) -> str:
    """Of each kernel's instances, which are a section each, the one whose accesses are the widest."""
    sections: dict[str, str] = {}
    for section in re.split(r"^(?=\s*\.section\s+\.text\.)", sass, flags=re.MULTILINE)[1:]:
        mangled = section.partition(",")[0].rpartition(".text.")[2]
        name = called(mangled)
        if name not in sections or instance(mangled) > instance(sections[name].partition(",")[0]):
            sections[name] = section
    return "".join(sections.values()) or sass
