"""A span -> one file: its steps as one `launch`, what they must equal as one `reference`, and Inductor's sequence as the baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from inductor_lab.eject.file import hashed
from inductor_lab.eject.file.cuda_files import is_of_the_cu_file, of_several
from inductor_lab.eject.span.kernels import kernels
from inductor_lab.eject.span.page import rendering
from inductor_lab.eject.span.plan import plan
from inductor_lab.ejected import Made, packed
from inductor_lab.errors import LabError
from inductor_lab.records import Capture
from inductor_lab.records.span import Span

__all__ = ["eject_span", "span_files"]


def eject_span(capture: Capture, span: Span, **asked: Any) -> str:
    """The text of a standalone file for consecutive steps of a graph; the arguments are those of `span_files`.

    Raises:
        LabError: as `span_files`.
    """
    return next(iter(span_files(capture, span, **asked).values()))


def span_files(
    capture: Capture,
    span: Span,
    *,
    style: str = "readable",
    target: str = "triton",
    template: Path | None = None,
    file: str = "FILE",
) -> dict[str, str]:
    """Each file that consecutive steps of a graph are ejected as, by its name: the Python file first.

    Args:
        style: `readable` or `verbatim`, of its hand kernels.
        target: What they are written in; in CUDA C++ they stand in one file of their own.
        template: A Jinja template to use instead of our own, with the same variables: the fields of `file.SpanRendering`.
        file: The name that the file's own docstring calls it by.

    Raises:
        LabError: one of its steps can not be ejected, or what they ask of an input does not go together.
    """
    try:
        parts = rendering(plan(capture, span, kernels(capture, span, style, file, target)), file)
    except LabError as error:
        way_out = "; leave --as cuda out" if "no form in CUDA C++" in str(error) else ""
        raise LabError(f"{span.name} can not be ejected as one: {error}{way_out}") from error
    beside: dict[str, str] = {}
    if target == "cuda":
        printed = [part.text.cuda for part in parts.kernels if part.text.cuda]
        made, beside = of_several(printed, parts.header.title, template=template, file=file)
        parts = replace(parts, cuda=made)
    own = None if is_of_the_cu_file(template) else template
    text = hashed(own, "cuda/span.py.jinja" if beside else "span.py.jinja", vars(parts), span.name, file)
    return {file: text + packed(text, Made(style, language=target, template=str(template or ""))), **beside}
