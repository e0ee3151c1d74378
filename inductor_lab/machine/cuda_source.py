"""What nvcc makes of a kernel in CUDA C++, for any of NVIDIA's cards: compiled and disassembled, never run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from inductor_lab.errors import LabError
from inductor_lab.machine.targets import Target
from inductor_lab.machine.triton_private import disassemble_each
from inductor_lab.records import MachineCode

FLAGS = ("-O3", "-std=c++17", "-prec-div=false")
"""As the ejected file's own build: a float is divided as Triton divides it, two units in the last place off at most."""
INSTANCE = re.compile(r"I((?:Li\d+E)+)E")
KERNEL = re.compile(
    r"^(?:template <(?P<template>[^<>]*)>\n)?__global__ void __launch_bounds__\((?P<bounds>.+?)\) (?P<name>\w+)\(",
    re.MULTILINE,
)


def nvcc() -> str:
    """The compiler: of a toolkit, or of the package registry's wheels.

    Raises:
        LabError: there is none.
    """
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin" / "nvcc"
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/bin/nvcc"))
    found = shutil.which("nvcc") or next((str(path) for path in (toolkit, *wheels) if path.is_file()), None)
    if found is None:
        raise LabError(
            "There is no nvcc here, which compiles CUDA C++: pip install 'inductor_lab[cuda]', or put a toolkit's on PATH."
        )
    return found


def without_values(module: ModuleType) -> list[Any]:
    """A file's arguments, of which only shape, strides and dtype are there."""
    import torch

    return [
        torch.empty_strided(shape, stride, dtype=dtype, device="meta")
        for shape, stride, dtype, _fill in module.ARGUMENTS.values()
    ]


def inspect_cuda(module: ModuleType, gpu: str, target: Target) -> tuple[MachineCode, ...]:
    """A record for each instance of the kernels that the `.cu` file's launchers may launch, in the file's order, the widest first.

    Raises:
        LabError: the card is none of NVIDIA's, there is no nvcc, or the file does not compile.
    """
    if target.backend != "cuda":
        raise LabError(f"{module.__file__}: its kernel is CUDA C++, which is compiled for NVIDIA's cards alone")
    codes = []
    for name, text in launched(module):
        found = disassemble_each(compile_cuda(name, text, target))
        written = {one["name"]: one for one in KERNEL.finditer(text)}
        order = sorted(found, key=instance, reverse=True)
        for mangled in sorted(order, key=lambda each: [*written, called(each)].index(called(each))):
            (facts, shared), kernel = found[mangled], written.get(called(mangled))
            template = (kernel and kernel["template"]) or ""
            parameters = [each.split()[-1] for each in template.split(",")] if template else []
            values = dict(zip(parameters, instance(mangled), strict=False))
            warps = threads(kernel["bounds"], values) // 32 if kernel else 0
            several = sum(called(each) == called(mangled) for each in found) > 1
            codes.append(
                MachineCode(
                    kernel=_shown(mangled),
                    gpu=gpu,
                    arch=target.name,
                    shared_memory=shared,
                    num_warps=warps,
                    constants=values if several else {},
                    **vars(facts),
                )
            )
    return tuple(codes)


def threads(bounds: str, constants: Mapping[str, int]) -> int:
    """`256`, `32 * LANES`, `LANES < 128 ? 128 : LANES` in numbers."""
    numbers = [constants.get(word) or int(word) for word in re.findall(r"\w+", bounds)]
    return max(numbers) if "?" in bounds else prod(numbers)


def launched(module: Any) -> list[tuple[str, str]]:
    """Each `.cu` file that the launcher launches, once, with its sizes compiled in."""
    caught: list[tuple[str, str]] = []

    def catch(built: Any, *_: object, kernel: str = "", **sizes: int) -> None:
        caught.append((built.path.name, built.source(sizes, kernel)))

    try:
        with mock.patch.object(module.CudaKernel, "run", catch):
            module.launch(*without_values(module))
    except Exception as error:
        raise LabError(
            f"{module.__file__}: `launch` can not be called on tensors without values ({type(error).__name__}: {error})"
        ) from error
    if not caught:
        raise LabError(f"{module.__file__}: `launch` launched no kernel; let it call `cuda_kernel(...)`")
    return [*dict.fromkeys(caught)]


def compile_cuda(name: str, text: str, target: Target, stage: str = "cubin") -> bytes:
    """What nvcc makes of a `.cu` file's text: a `cubin`, or `ptx`.

    Raises:
        LabError: there is no nvcc, or it can not compile the text.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, name), Path(folder, f"kernel.{stage}")
        source.write_text(text, encoding="utf-8")
        command = [nvcc(), *FLAGS, f"-{stage}", f"-arch={target.name}", "-o", str(made), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            raise LabError(f"nvcc can not compile {name} for {target.name}: {lines[0].replace(folder + '/', '')}")
        return made.read_bytes()


def instance(mangled: str) -> tuple[int, ...]:
    """The values of a kernel's template parameters."""
    found = INSTANCE.search(mangled)
    return tuple(map(int, re.findall(r"\d+", found[1]))) if found else ()


def called(mangled: str) -> str:
    """`add_relu` of `_Z8add_reluILi4EEvPfi`, and of `_ZN8add_relu8add_reluILi4EEEvPfi`, where a namespace is called so too."""
    name, rest = mangled, re.sub(r"^_ZN?", "", mangled)
    while found := re.match(r"\d+", rest):
        end = found.end() + int(found[0])
        name, rest = rest[found.end() : end], rest[end:]
    return name


def _shown(mangled: str) -> str:
    """`add_relu<4>` of `_Z8add_reluILi4EEvPfi`."""
    values = instance(mangled)
    return f"{called(mangled)}<{', '.join(map(str, values))}>" if values else called(mangled)
