"""What a kernel in CUDA C++ is ejected as: a Python file, the `.cu` file that it builds, and a CMake project that tests it without Python."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from pathlib import Path

from inductor_lab.eject import naming
from inductor_lab.eject.binding.plan import Plan, whole
from inductor_lab.eject.cuda.host_check import architecture, exact, test_numbers, test_tensors
from inductor_lab.eject.cuda.launch import Cuda
from inductor_lab.eject.cuda.page import shared
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.file import filled, render
from inductor_lab.eject.file.header import header_of
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import CudaBeside, KernelText
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder


def cuda_files(
    plan: Plan, hand: KernelText, cuda: Cuda, *, template: Path | None, file: str, real: str = ""
) -> dict[str, str]:
    """Each file by its name, the Python file first.

    Args:
        template: A user's own: of the `.cu` file where its name says so, else of the Python file.
        real: The file beside them that holds what the launch was given in the program.

    Raises:
        LabError: the template is not there or wrong, or the name is the `.cu` file's.
    """
    own = is_of_the_cu_file(template)
    cuda = dataclasses.replace(cuda, title=header_of(plan, file).title)
    text = filled(template if own else None, "cuda/kernel.cu.jinja", {"cuda": cuda, "file": file})
    beside = _beside(text, file)
    python = render(plan, hand, template=None if own else template, file=file, real=real, cuda=beside)
    return {
        file: python,
        beside.file: text,
        **{f"{beside.folder}/{name}": t for name, t in _project(plan, cuda, beside, file).items()},
    }


def of_several(
    kernels: Sequence[Cuda], title: str, *, template: Path | None, file: str
) -> tuple[CudaBeside, dict[str, str]]:
    """The `.cu` file of several kernels, and what it is built with without a GPU: what the Python file says of it, and the texts by their names.

    Raises:
        LabError: as `cuda_files`.
    """
    helpers = dict.fromkeys(text for one in kernels for text in one.helpers if text in shared())
    values = {
        "title": title, "file": file, "headers": [*dict.fromkeys(header for one in kernels for header in one.headers)], "helpers": [*helpers],
        "kernels": [dataclasses.replace(one, helpers=tuple(text for text in one.helpers if text not in helpers)) for one in kernels],
    }  # fmt: skip
    text = filled(template if is_of_the_cu_file(template) else None, "cuda/span.cu.jinja", values)
    beside = _beside(text, file)
    return beside, {beside.file: text, f"{beside.folder}/cuda_on_cpu.h": _part("cuda_on_cpu.h") + "\n"}


def _beside(text: str, file: str) -> CudaBeside:
    stem = Path(file).stem
    if Path(file).suffix == ".cu":
        raise LabError(f"-o names the Python file, {stem}.py; the kernel stands beside it in {file}")
    return CudaBeside(f"{stem}.cu", f"{stem}_cmake", hashlib.sha256(text.encode()).hexdigest(), _part("loading.py"))


def is_of_the_cu_file(template: Path | None) -> bool:
    """Whether a user's template makes the `.cu` file, as its name says, and not the Python file."""
    return template is not None and ".cu" in template.suffixes


def _project(plan: Plan, cuda: Cuda, beside: CudaBeside, file: str) -> dict[str, str]:
    """The CMake project; without the test program where the host has no exact form of the computation, such as a float's bits."""
    texts = {"cuda_on_cpu.h": _part("cuda_on_cpu.h") + "\n"}
    told = whole(plan)
    try:
        host = exact(
            told.found,
            plan.tensors,
            {*naming.OF_THE_KERNEL, plan.name},
            plan.scalars,
            plan.name,
            functions(plan.kernel),
        )
        tensors = test_tensors(plan.tensors, plan.environment)
        numbers = test_numbers(told)
    except (UnprintableError, ValueError):
        return texts
    device = {f"{name}_ptr": f"{tensor.name}.device" for name, tensor in tensors.items()}
    on_host = {f"{name}_ptr": tensor.on_host for name, tensor in tensors.items()}
    values = {
        "cuda": cuda, "exact": host, "file": file, "cuda_file": beside.file, "tensors": tuple(dict.fromkeys(tensors.values())),
        "architecture": architecture(plan.capture.gpu.arch),
        "launched": ", ".join((device | numbers)[each.name] for each in cuda.parameters),
        "called": ", ".join((on_host | numbers)[each.name] for each in host.parameters),
    }  # fmt: skip
    return {
        "CMakeLists.txt": filled(None, "cuda/CMakeLists.txt.jinja", values),
        "test.cu": filled(None, "cuda/test.cu.jinja", values),
        **texts,
    }


def _part(name: str) -> str:
    """A text that stands in every ejected CUDA kernel."""
    return (templates_folder() / "cuda" / name).read_text(encoding="utf-8").rstrip()
