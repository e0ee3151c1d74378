"""What a kernel in CUDA C++ is ejected as: a Python file, the `.cu` file that it builds, and a CMake project that tests it without Python."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

from inductor_lab.eject.cuda.parts import Cuda
from inductor_lab.eject.file import filled, render
from inductor_lab.eject.header import header
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.rendering import CudaBeside, KernelText
from inductor_lab.paths import templates_folder


def cuda_files(plan: Plan, hand: KernelText, cuda: Cuda, *, template: Path | None, file: str) -> dict[str, str]:
    """Each file by its name, the Python file first.

    Args:
        template: A user's own: of the `.cu` file where its name says so, else of the Python file.

    Raises:
        LabError: the template is not there or wrong.
    """
    stem = Path(file).stem
    own = template is not None and ".cu" in template.suffixes
    cuda = dataclasses.replace(cuda, title=header(plan, file).title)
    text = filled(template if own else None, "cuda/kernel.cu.jinja", {"cuda": cuda, "file": file})
    beside = CudaBeside(f"{stem}.cu", f"{stem}_cmake", hashlib.sha256(text.encode()).hexdigest(), _part("loading.py"))
    python = render(plan, hand, template=None if own else template, file=file, cuda=beside)
    return {file: python, beside.file: text, **{f"{beside.folder}/{name}": t for name, t in _project(plan, cuda, beside).items()}}


def _project(plan: Plan, cuda: Cuda, beside: CudaBeside) -> Mapping[str, str]:
    """The CMake project."""
    return {"cuda_on_cpu.h": _part("cuda_on_cpu.h") + "\n"}


def _part(name: str) -> str:
    """A text that stands in every ejected CUDA kernel."""
    return (templates_folder() / "cuda" / name).read_text(encoding="utf-8").rstrip()
