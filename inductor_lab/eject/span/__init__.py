"""A span -> one file: its steps as one `launch`, what they must equal as one `reference`, and Inductor's sequence as the baseline."""

from __future__ import annotations

from pathlib import Path

from inductor_lab.edited import Made, packed
from inductor_lab.eject.file.text import hashed
from inductor_lab.eject.span.file import rendering
from inductor_lab.eject.span.kernels import kernels
from inductor_lab.eject.span.plan import plan
from inductor_lab.errors import LabError
from inductor_lab.records import Capture
from inductor_lab.records.span import Span

__all__ = ["eject_span"]


def eject_span(
    capture: Capture, span: Span, *, style: str = "readable", template: Path | None = None, file: str = "FILE"
) -> str:
    """The text of a standalone file for consecutive steps of a graph.

    Args:
        style: `readable` or `verbatim`, of its hand kernels.
        template: A Jinja template to use instead of our own, with the same variables: the fields of `file.SpanRendering`.
        file: The name that the file's own docstring calls it by.

    Raises:
        LabError: one of its steps can not be ejected, or what they ask of an input does not go together.
    """
    try:
        parts = rendering(plan(capture, span, kernels(capture, span, style, file)), file)
    except LabError as error:
        raise LabError(f"{span.name} can not be ejected as one: {error}") from error
    text = hashed(template, "span.py.jinja", vars(parts), span.name, file)
    return text + packed(text, Made(style, template=str(template or "")))
