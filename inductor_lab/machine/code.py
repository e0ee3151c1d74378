"""The code of an ejected file's kernels at each stage of their compilation: what is written, Triton's and LLVM's IRs, machine code. Nothing is run."""

from __future__ import annotations

import inspect
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.machine.cuda_source import FLAGS, called, cubin, instance, launched, nvcc
from inductor_lab.machine.inspection import launches_of
from inductor_lab.machine.targets import Target, target_named
from inductor_lab.machine.triton_private import CaughtLaunch, assembly, disassembled, message_of, need_triton

COMPILED = {"cuda": ("ttir", "ttgir", "llir", "ptx", "sass"), "hip": ("ttir", "ttgir", "llir", "amdgcn")}
"""What a kernel is on its way through the compiler, by Triton's name of the maker."""
STAGES = ("source", *COMPILED["cuda"], "amdgcn")
"""In the order of compilation; `sass` asks for an AMD GPU's assembly too."""
NO_TOOLS = "nvdisasm and cuobjdump, which Triton's wheel for Linux carries, are missing here: --show ptx needs neither"


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
    need_stage(stage, target)
    if which == "hand" and hasattr(module, "CudaKernel"):
        return _of_cuda(module, target, stage)
    need_triton()
    found = [_of_launch(module, launch, target, stage) for launch in launches_of(module, which)]
    return tuple(dict.fromkeys(found))


def need_stage(stage: str, target: Target) -> None:
    """LabError where there is no such stage, or none on the way to such a card."""
    if stage not in STAGES:
        raise LabError(f"There is no {stage!r} to show; it is {', '.join(STAGES[:-1])} or {STAGES[-1]}.")
    if stage not in ("source", "sass", *COMPILED[target.backend]):
        maker = "An NVIDIA" if target.backend == "cuda" else "An AMD"
        raise LabError(f"{maker} GPU has no {stage.upper()}: {target.name} has {', '.join(COMPILED[target.backend])}.")


def _of_launch(module: ModuleType, launch: CaughtLaunch, target: Target, stage: str) -> Code:
    name = launch.kernel.__name__
    given = ", ".join(f"{key} {value}" for key, value in launch.keywords.items() if isinstance(value, int | str))
    if stage == "source":
        return Code(name, inspect.getsource(launch.kernel.fn), given=given)
    try:
        made = assembly(launch, target)
    except Exception as error:
        failed = f"Triton can not compile `{name}` for {target.name}"
        raise LabError(f"{module.__file__}: {failed}: {message_of(error)}") from error
    return Code(name, printed(made, target, stage), made["ttgir"], given)


def printed(made: Mapping[str, Any], target: Target, stage: str) -> str:
    """The text of a compiled kernel at a stage that there is.

    Raises:
        LabError: the tools that print it are missing.
    """
    if stage == "sass":
        return _sass(made["cubin"]) if target.backend == "cuda" else str(made["amdgcn"])
    return str(made[stage])


def _of_cuda(module: ModuleType, target: Target, stage: str) -> tuple[Code, ...]:
    makers: dict[str, Callable[[str, str, Target], str]] = {
        "source": lambda name, text, target: text,
        "ptx": _ptx,
        "sass": lambda name, text, target: _widest(_sass(cubin(name, text, target))),
    }
    if target.backend != "cuda":
        raise LabError(f"{module.__file__}: its kernel is CUDA C++, which is compiled for NVIDIA's cards alone")
    if stage not in makers:
        raise LabError(f"{module.__file__}: its kernel is CUDA C++, which has no {stage.upper()}; --show ptx or sass")
    return tuple(Code(name, makers[stage](name, text, target)) for name, text in launched(module))


def _ptx(name: str, text: str, target: Target) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, name), Path(folder, "kernel.ptx")
        source.write_text(text, encoding="utf-8")
        command = [nvcc(), *FLAGS, "-ptx", f"-arch={target.name}", "-o", str(made), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise LabError(f"nvcc can not compile {name} for {target.name}: {(done.stderr.splitlines() or [''])[0]}")
        return made.read_text(encoding="utf-8")


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
