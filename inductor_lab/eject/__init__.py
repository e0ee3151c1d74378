"""Kernel -> plan -> text: one generated kernel as one standalone file that a person enjoys editing.

A body is read once, into its computation; each printer makes one part of the file from it, and the template places the parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inductor_lab.eject.binding.plan import plan
from inductor_lab.eject.file import cuda_files, is_of_the_cu_file, render
from inductor_lab.eject.generalize import generalize as for_any_sizes
from inductor_lab.eject.span import span_files
from inductor_lab.eject.targets import TARGETS
from inductor_lab.ejected import Made, packed
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span

__all__ = ["STYLES", "TARGETS", "eject", "eject_files"]

STYLES = ("readable", "verbatim")


def eject(capture: Capture, kernel: Kernel | Span, **asked: Any) -> str:
    """The text of a standalone file for one kernel or span; the arguments are those of `eject_files`.

    Raises:
        LabError: as `eject_files`.
    """
    return next(iter(eject_files(capture, kernel, **asked).values()))


def eject_files(
    capture: Capture,
    kernel: Kernel | Span,
    *,
    style: str = "readable",
    generalize: bool = False,
    target: str = "triton",
    template: Path | None = None,
    file: str = "FILE",
    real: str = "",
) -> dict[str, str]:
    """Each file that one kernel, or a span, is ejected as, by its name: the Python file first, and for CUDA C++ what stands beside it.

    Args:
        style: `readable` renames and re-derives masks; `verbatim` keeps the body to the letter.
        generalize: Right for any sizes, where the text of a kernel of fixed ones tells what each number is.
        target: What the hand kernel is written in, one of `TARGETS`.
        template: A Jinja template to use instead of our own, with the same variables: the fields of `rendering.Rendering`. One whose
            name ends with `.cu` or `.cu.jinja` is the `.cu` file's.
        file: The name that the file's own docstring calls it by.
        real: The name of a file beside it that holds what the launch was given in the program; its example inputs then.

    Raises:
        LabError: the kernel can not be ejected or generalized, or the template is not there or wrong.
    """
    if style not in STYLES:
        raise LabError(f"there is no style {style}; use {' or '.join(STYLES)}")
    if target not in TARGETS:
        raise LabError(f"there is no target {target}; eject prints {', '.join(TARGETS)}")
    if generalize and style != "readable":
        raise LabError("what keeps the body to the letter can not be generalized; leave --style out")
    if target != "cuda" and is_of_the_cu_file(template):
        raise LabError(f"The template {template} is one of a .cu file, which no other target has; add --as cuda.")
    if isinstance(kernel, Span):
        if generalize or real:
            raise LabError(f"{kernel.name} is a span, which is ejected for its own sizes, with inputs that are drawn.")
        return span_files(capture, kernel, style=style, target=target, template=template, file=file)
    planned = plan(capture, kernel)
    planned = for_any_sizes(planned) if generalize else planned
    hand = TARGETS[target](planned, style)
    if hand.cuda is None:
        texts = {file: render(planned, hand, template=template, file=file, real=real)}
    else:
        texts = cuda_files(planned, hand, hand.cuda, template=template, file=file, real=real)
    return texts | {file: texts[file] + packed(texts[file], Made(style, generalize, target, str(template or ""), real))}
