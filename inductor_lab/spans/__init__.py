"""Spans: consecutive launches and library calls of a graph, which a hand kernel may do in one.

span(capture, "0_inference", 8, 33)      26 lookups into one buffer: what they read, what they write, what of it is read behind them

What people type for one, behind the capture's name and a colon:

4-29                    from the first launch of kernel 4 to that of kernel 29
0_inference:8-33        steps 8 to 33 of a graph, counted from 0; 0_inference alone: all of them
model.py:41-44          the first steps one after the other that these lines of the program are; model.py:41 those of one line

A step of which no line is known, as of many a library call, belongs to the lines that both of its neighbours belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from inductor_lab.annotate.steps import Step, steps
from inductor_lab.errors import LabError, unknown
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
    made = SpanWrapper(module, {run.name: by_line[run.line] for run in module.runs if run.line in by_line})
    _KEPT[:] = [*_KEPT[-1:], (found, made)]
    return made


def is_address(which: str) -> bool:
    """Whether it is written as the address of a span, and is none of a kernel: no name of a kernel has a colon, a dash, or begins with a digit."""
    return ":" in which or bool(re.fullmatch(r"\w+-\w*|\d+_\w+", which))


def addressed(capture: Capture, which: str) -> Span | None:
    """The span that an address names, with the capture's name before it or without; None where it is written as the address of a kernel.

    Raises:
        LabError: there are no such steps, or they can not be one.
    """
    which = which.removeprefix(f"{capture.name}:")
    if not is_address(which):
        return None
    if which in steps(capture):
        return span(capture, which, 0, len(steps(capture)[which]) - 1)
    if found := re.fullmatch(r"(\d+)-(\d+)", which):
        return _of_kernels(capture, int(found[1]), int(found[2]))
    if found := LINES.fullmatch(which):
        place, first, last = found[1], int(found[2]), int(found[3] or found[2])
        if place in steps(capture):
            return span(capture, place, first, last)
        if last < first:
            raise LabError(f"{capture.name}:{which} is no span: it ends before it begins")
        return _of_lines(capture, place, range(first, last + 1))
    place = which.rpartition(":")[0] or which
    if place in _places_named(capture):
        raise LabError(f"{capture.name}:{which} is no span: its numbers are missing, as in {capture.name}:{place}:8-33")
    if "-" in place:
        raise LabError(
            f"{capture.name}:{which} is no span: write the first and the last kernel, as in {capture.name}:4-29"
        )
    raise _unknown(capture, place)


LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")


def also(capture: Capture, which: str, taken: Span) -> list[str]:
    """The other runs of steps that an address by lines names, as it names the first alone: `0_backward:3-5`."""
    found = LINES.fullmatch(which)
    if not found or found[1] in steps(capture):
        return []
    lines = range(int(found[2]), int(found[3] or found[2]) + 1)
    runs = [(graph, run[0], run[-1]) for graph, run in _runs(capture, found[1], lines) if len(run) > 1]
    return [f"{graph}:{a}-{b}" for graph, a, b in runs if (graph, a, b) != (taken.graph, taken.first, taken.last)]


def again(capture: Capture, origin: Mapping[str, Any]) -> Span | None:
    """The span that a file's is now: the one of the same steps, wherever they stand, else the one in its place.

    Args:
        origin: ORIGIN of the file.
    """
    asked, places = len(origin["span"]), [*_places(capture, origin)]
    if place := re.search(r":([^:]+):(\d+)-\d+$", str(origin["kernel"])):
        own = (place[1], int(place[2]))
        places = [own] * (own in places) + places + [own]
    found = None
    for graph, at in places:
        try:
            here = span(capture, graph, at, at + asked - 1)
        except LabError:
            continue
        if here.sha256 == origin["body_sha256"]:
            return here
        found = found or here
    return found


def everywhere(capture: Capture, origin: Mapping[str, Any]) -> list[Span]:
    """All places of the very span that a file was ejected from: each of a model's equal layers may have it."""
    found: list[Span] = []
    for graph, at in _places(capture, origin):
        if found and found[-1].graph == graph and at <= found[-1].last:
            continue
        with suppress(LabError):
            here = span(capture, graph, at, at + len(origin["span"]) - 1)
            found += [here] if here.sha256 == origin["body_sha256"] else []
    return found


def _places(capture: Capture, origin: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Where the same steps stand: the graph, and the first one's number."""
    asked = [step.get("body_sha256") or step["call"] for step in origin["span"]]
    for graph, of in steps(capture).items():
        bodies = [step.made.body_sha256 if isinstance(step.made, Kernel) else step.made.target for step in of]
        yield from ((graph, at) for at in range(len(of)) if bodies[at : at + len(asked)] == asked)


def _of_kernels(capture: Capture, first: int, last: int) -> Span:
    known = {int(kernel.id.rpartition(":")[2]): kernel for kernel in capture.kernels if kernel.launches}
    if missing := [number for number in (first, last) if number not in known]:
        raise LabError(
            f"{capture.name} has no kernel {missing[0]} that is launched; `inductor-lab list {capture.name}` shows all."
        )
    launches = [known[number].launches[0] for number in range(first, last + 1) if number in known]
    graphs = list(dict.fromkeys(launch.graph for launch in launches))
    if len(graphs) != 1:
        raise LabError(
            f"kernels {first} to {last} of {capture.name} are no span: they are launched in graphs {' and '.join(graphs)}"
            if graphs
            else f"{first}-{last} names no kernels: the first one comes first"
        )
    if first == last:
        raise LabError(
            f"{capture.name}:{first}-{last} is no span but one kernel, {capture.name}:{first}: a span has two steps at least"
        )
    lines = {launch.line for launch in launches}
    numbers = [number for number, step in enumerate(steps(capture)[graphs[0]]) if step.line in lines]
    return span(capture, graphs[0], numbers[0], numbers[-1])


def _of_lines(capture: Capture, file: str, lines: range) -> Span:
    """The first run of several steps."""
    if file not in _places_named(capture):
        raise _unknown(capture, file)
    runs = list(_runs(capture, file, lines))
    for graph, run in runs:
        if len(run) > 1:
            return span(capture, graph, run[0], run[-1])
    said = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    alone = f"; alone stand {', '.join(f'{graph}:{run[0]}' for graph, run in runs[:MOST])}" if runs else ""
    raise LabError(f"{capture.name} has no two steps one after the other that {said} of {file} are{alone}")


MOST = 4
"""Steps that a sentence names."""


def _runs(capture: Capture, file: str, lines: range) -> Iterator[tuple[str, list[int]]]:
    """The steps of these lines that stand one after the other: the graph, and their numbers."""
    for graph, of in steps(capture).items():
        own = [_is_of(step, file, lines) for step in of]
        before = list(accumulate(own, _last_known))
        behind = list(accumulate(reversed(own), _last_known))[::-1]
        inside = [False not in pair and True in pair for pair in zip(before, behind, strict=True)]
        for of_them, run in groupby(range(len(of)), key=inside.__getitem__):
            if of_them:
                yield graph, list(run)


def _is_of(step: Step, file: str, lines: range) -> bool | None:
    """None where no line of it is known."""
    sources = list(_sources(step))
    return any(name == file and line in lines for name, line in sources) if sources else None


def _last_known(before: bool | None, own: bool | None) -> bool | None:
    return before if own is None else own


def _places_named(capture: Capture) -> list[str]:
    """What can stand before the last colon: graphs, and the files of the program."""
    files = {name: None for of in steps(capture).values() for step in of for name, _ in _sources(step)}
    return [*steps(capture), *files]


def _unknown(capture: Capture, place: str) -> LabError:
    said = f"{capture.name} has no graph and no file of the program called {place!r}"
    known = _places_named(capture)
    return unknown(said, place, known, f"it has {', '.join(known[:MOST])}{', ...' if len(known) > MOST else ''}")


def _sources(step: Step) -> Iterator[tuple[str, int]]:
    provenance = step.kernel.launches[0].provenance if step.kernel else step.made.provenance
    yield from ((Path(line.file).name, line.line) for line in provenance.source)
