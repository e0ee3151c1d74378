"""Spans: consecutive launches and library calls of a graph, which a hand kernel may do in one.

span(capture, "0_inference", 8, 33)      26 lookups into one buffer: what they read, what they write, what of it is read behind them
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.annotate.steps import steps
from inductor_lab.errors import LabError
from inductor_lab.read.module import read_module
from inductor_lab.records import Capture, Graph, Kernel
from inductor_lab.records.span import Span
from inductor_lab.spans.wrapper import SpanWrapper

__all__ = ["span", "unread", "wrapper_of"]

_KEPT: list[tuple[Graph, SpanWrapper]] = []
"""The last graphs that were asked for: one is asked for many spans."""


def span(capture: Capture, graph: str, first: int, last: int) -> Span:
    """The span of a graph's steps, as `annotate.steps` counts them from 0.

    Raises:
        LabError: there are no such steps, or they can not be one; a sentence that names the barrier.
    """
    of = steps(capture).get(graph)
    name = f"{capture.name}:{graph}:{first}-{last}"
    if of is None:
        raise LabError(f"{capture.name} has no graph {graph}; it has {', '.join(one.id for one in capture.graphs)}")
    if last < first:
        raise LabError(f"{name} is no span: it ends before it begins; steps are counted from 0")
    if not 0 <= first < last < len(of):
        raise LabError(
            f"{name} is no span: graph {graph} has steps 0 to {len(of) - 1}, and a span two of them at least"
        )
    try:
        found = wrapper_of(capture, graph).span((of[first].line, of[last].line))
    except LabError as error:
        raise LabError(f"{name} can not be ejected as one: {error}") from error
    return replace(found, name=name, capture=capture.name, graph=graph, first=first, last=last)


def unread(capture: Capture, kernel: Kernel) -> tuple[str, ...]:
    """The pointers that a kernel writes, and of which nobody reads what it wrote behind any of its launches; what is in doubt is none."""
    try:
        of_each = [wrapper_of(capture, launch.graph).unread(launch.line) for launch in kernel.launches]
    except LabError:
        return ()
    written = (a.name for a in kernel.arguments if of_each and not a.untouched)
    return tuple(name for name in written if all(name in of_one for of_one in of_each))


def wrapper_of(capture: Capture, graph: str) -> SpanWrapper:
    """The wrapper of a graph, read once for many spans.

    Raises:
        LabError: it is no Python.
    """
    found = next(one for one in capture.graphs if one.id == graph)
    for known, of in _KEPT:
        if known is found:
            return of
    module = read_module(found.module)
    by_line = {launch.line: kernel for kernel in capture.kernels for launch in kernel.launches if launch.graph == graph}
    made = SpanWrapper(found.module, {run.name: by_line[run.line] for run in module.runs if run.line in by_line})
    _KEPT[:] = [*_KEPT[-1:], (found, made)]
    return made
