"""What people type for a span, behind the capture's name and a colon.

4-29                    from the first launch of kernel 4 to that of kernel 29
0_inference:8-33        steps 8 to 33 of a graph, counted from 0; 0_inference alone: all of them
model.py:41-44          the first steps one after the other that these lines of the program are; model.py:41 those of one line
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from inductor_lab.annotate.steps import Step, steps
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span
from inductor_lab.spans import span


def addressed(capture: Capture, which: str) -> Span | None:
    """The span that an address names; None where it is the address of no span, but of a kernel perhaps.

    Raises:
        LabError: there are no such steps, or they can not be one.
    """
    if which in steps(capture):
        return span(capture, which, 0, len(steps(capture)[which]) - 1)
    if found := re.fullmatch(r"(\d+)-(\d+)", which):
        return _of_kernels(capture, int(found[1]), int(found[2]))
    if found := re.fullmatch(r"(.+):(\d+)(?:-(\d+))?", which):
        place, first, last = found[1], int(found[2]), int(found[3] or found[2])
        if place in steps(capture):
            return span(capture, place, first, last)
        return _of_lines(capture, place, range(first, last + 1))
    return None


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
    lines = {launch.line for launch in launches}
    numbers = [number for number, step in enumerate(steps(capture)[graphs[0]]) if step.line in lines]
    return span(capture, graphs[0], numbers[0], numbers[-1])


def _of_lines(capture: Capture, file: str, lines: range) -> Span:
    """The first run of several steps."""
    for graph, of in steps(capture).items():
        for inside, run in groupby(enumerate(of), key=lambda one: _is_of(one[1], file, lines)):
            numbers = [number for number, _ in run]
            if inside and len(numbers) > 1:
                return span(capture, graph, numbers[0], numbers[-1])
    said = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    raise LabError(f"{capture.name} has no two steps one after the other that {said} of {file} are")


def _is_of(step: Step, file: str, lines: range) -> bool:
    return any(name == file and line in lines for name, line in _sources(step))


def _sources(step: Step) -> Iterator[tuple[str, int]]:
    provenance = step.kernel.launches[0].provenance if step.kernel else step.made.provenance
    yield from ((Path(line.file).name, line.line) for line in provenance.source)
