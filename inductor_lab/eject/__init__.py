"""Kernel -> plan -> text: one generated kernel as one standalone file that a person enjoys editing.

A body is read once, into its computation; each printer makes one part of the file from it, and the template places the parts.
"""

from __future__ import annotations

from pathlib import Path

from inductor_lab.edited import Made, packed
from inductor_lab.eject.file import render
from inductor_lab.eject.generalize import generalize as for_any_sizes
from inductor_lab.eject.plan import plan
from inductor_lab.eject.targets import TARGETS
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel

__all__ = ["STYLES", "TARGETS", "eject"]

STYLES = ("readable", "verbatim")


def eject(
    capture: Capture,
    kernel: Kernel,
    *,
    style: str = "readable",
    generalize: bool = False,
    target: str = "triton",
    template: Path | None = None,
    file: str = "FILE",
    real: str = "",
) -> str:
    """The text of a standalone file for one kernel.

    Args:
        style: `readable` renames and re-derives masks; `verbatim` keeps the body to the letter.
        generalize: Right for any sizes, where the text of a kernel of fixed ones tells what each number is.
        target: What the hand kernel is written in, one of `TARGETS`.
        template: A Jinja template to use instead of our own, with the same variables: the fields of `rendering.Rendering`.
        file: The name that the file's own docstring calls it by.
        real: The name of a file beside it that holds what the launch was given in the program; its example inputs then.

    Raises:
        LabError: the kernel can not be ejected or generalized, or the template is not there or wrong.
    """
    if style not in STYLES:
        raise LabError(f"there is no style {style}; use {' or '.join(STYLES)}")
    if target not in TARGETS:
        raise LabError(f"there is no target {target}; eject prints {', '.join(TARGETS)}")
    planned = plan(capture, kernel)
    if generalize:
        if style != "readable":
            raise LabError("what keeps the body to the letter can not be generalized; leave --style out")
        planned = for_any_sizes(planned)
    text = render(planned, TARGETS[target](planned, style), template=template, file=file, real=real)
    return text + packed(text, Made(style, generalize, target, str(template or ""), real))
