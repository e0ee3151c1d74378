"""Which spans are worth a hand kernel: consecutive steps that one kernel would do in less time than each at its best, the most first.

    dlrm:0_inference:8-33    26 lookups, each a launch    one kernel saves 25 launches, 50 us on an H200

What is compared is the least on both sides: a step that is written badly is no reason to merge it. Of spans that overlap one is listed,
and of a span every step belongs there: where it could be cut in two without loss, the two are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from inductor_lab.annotate.steps import between
from inductor_lab.costs.roofline import card
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card
from inductor_lab.records import Capture
from inductor_lab.records.span import FoundSpan, RefusedSpan, SpanStop, Window
from inductor_lab.spans import span, wrapper_of
from inductor_lab.spans.weights import Barrier, Measured, WeighedStep, Weights, weights
from inductor_lab.spans.windows import Windows

MOST = 32
"""Steps of a span, unless told."""
LEAST = 0.5e-6
"""Seconds that a span saves, and that are lost where it is cut; less can not be measured."""
SHARE = 0.5
"""A step belongs to a span where leaving it, and what is behind it, out loses so much of what a step saves on the average."""
MOST_WHYS = 3


def spans(
    capture: Capture,
    *,
    on: Card | None = None,
    most: int = MOST,
    measured: Measured | None = None,
    overlapping: bool = False,
) -> tuple[tuple[FoundSpan, ...], tuple[RefusedSpan, ...]]:
    """What is worth it, what saves most first; and what would be, but can not be ejected.

    Args:
        on: The capture's card unless given.
        most: Steps of a span.
        measured: A body's hash -> seconds of one launch, where they were measured.
        overlapping: Also those that overlap a better one.
    """
    on = on or card(capture.gpu)
    found: list[FoundSpan] = []
    refused: list[RefusedSpan] = []
    for graph in capture.graphs:
        try:
            wrapper = wrapper_of(capture, graph.id)
        except LabError as error:
            refused.append(RefusedSpan(f"{capture.name}:{graph.id}", str(error)))
            continue
        for of in weights(capture, graph, wrapper, on, measured or {}):
            searched = _Search(capture, graph.id, of, on, most, overlapping)
            found += searched.found()
            refused += searched.refused
    ordered = sorted(found, key=lambda one: (-one.saves * len(one.alike), one.name))
    return tuple(ordered), tuple(refused)


class _Search:
    """The windows of one function of a graph."""

    def __init__(self, capture: Capture, graph: str, of: Weights, on: Card, most: int, overlapping: bool) -> None:
        self.capture, self.graph, self.of, self.on = capture, graph, of, on
        self.overlapping = overlapping
        self.windows = Windows(of, on)
        self.known = {
            (one.first, one.last): one for first in range(len(of.steps)) for one in self.windows.grown(first, most)
        }
        walls = [step for step in of.steps if isinstance(step, Barrier)]
        self.refused = [
            RefusedSpan(f"{capture.name}:{graph}:{one.number}", one.why) for one in walls if one.number >= 0
        ]

    def found(self) -> Iterator[FoundSpan]:
        """The best of those that overlap, then those that they hide."""
        alike: dict[tuple[object, ...], list[Window]] = {}
        for window in self.known.values():
            if window.last > window.first and window.saves >= LEAST and self._whole(window):
                alike.setdefault(self._key(window), []).append(window)
        taken: dict[int, str] = {}
        for group in sorted(alike.values(), key=lambda of: (-self._worth(of[0]) * len(of), of[0].first)):
            yield from self._told(group, taken)

    def _told(self, group: Sequence[Window], taken: dict[int, str]) -> Iterator[FoundSpan]:
        """Windows that do the same, those that can be ejected by their hash; a better one may hide some of them."""
        by: dict[tuple[str, str], list[FoundSpan]] = {}
        last = -1
        for window in group:
            places = range(window.first, window.last + 1)
            hidden = next((taken[place] for place in places if place in taken), "")
            if window.first <= last or (hidden and not self.overlapping):
                continue  # the same once more, one step on
            steps = self._steps(window)
            try:
                ejected = span(self.capture, self.graph, steps[0].number, steps[-1].number)
            except LabError as error:
                self.refused.append(RefusedSpan(str(error).partition(" ")[0], str(error)))
                return
            last = window.last
            by.setdefault((ejected.sha256, hidden), []).append(
                self._record(window, steps, ejected.name, ejected.sha256, hidden)
            )
            if not hidden:
                taken |= dict.fromkeys(places, ejected.name)
        for several in by.values():
            yield replace(several[0], alike=tuple(one.name for one in several))

    def _whole(self, window: Window) -> bool:
        """Whether every step belongs there: a cut anywhere loses something, and its parts touch the same memory."""
        least = max(LEAST, SHARE * window.saves / (window.last - window.first))
        for cut in range(window.first, window.last):
            one, other = self.known[window.first, cut], self.known[cut + 1, window.last]
            if window.saves - one.saves - other.saves < least:
                return False
        return self._connected(window)

    def _connected(self, window: Window) -> bool:
        reached: list[set[str]] = []
        launches = False
        for place in range(window.first, window.last + 1):
            step = self.windows.step(place)
            launches = launches or step.step.kernel is not None
            bases = {use.base for use in step.uses}
            apart = [one for one in reached if one.isdisjoint(bases)]
            reached = [*apart, bases.union(*(one for one in reached if not one.isdisjoint(bases)))]
        return launches and len(reached) == 1

    def _worth(self, window: Window) -> float:
        """What decides where spans overlap: what one saves, and how much of it for each job that somebody would write."""
        jobs = sum(1 for _ in groupby(_word(step) for step in self._steps(window)))
        return window.saves**3 / jobs**2

    def _steps(self, window: Window) -> list[WeighedStep]:
        return [self.windows.step(place) for place in range(window.first, window.last + 1)]

    def _key(self, window: Window) -> tuple[object, ...]:
        return (window.saves, *(step.key for step in self._steps(window)))

    def _record(self, window: Window, steps: Sequence[WeighedStep], called: str, sha256: str, hidden: str) -> FoundSpan:
        launches = sum(step.step.kernel is not None for step in steps)
        own = vars(window) | {"first": steps[0].number, "last": steps[-1].number}
        return FoundSpan(
            **own,
            name=called,
            graph=self.graph,
            steps=tuple(step.step.id for step in steps),
            title=_title(steps),
            launches=launches,
            calls=len(steps) - launches,
            measured=any(step.cost.measured for step in steps),
            why=tuple(self._why(window)),
            sha256=sha256,
            alike=(called,),
            hidden=hidden,
        )

    def _why(self, window: Window) -> Iterator[SpanStop]:
        """Why Inductor left several."""
        found: dict[SpanStop, None] = {}
        for place in range(window.first + 1, window.last + 1):
            step = self.windows.step(place)
            for at, memory in self.windows.edges(step):
                if at >= window.first:
                    before = self.windows.step(at)
                    if before.step.kernel and step.step.kernel:
                        found[SpanStop(*between(before.step, step.step, memory))] = None
                    else:
                        called = step if before.step.kernel else before
                        found[_library(called)] = None
        if not found and all(step.step.kernel for step in self._steps(window)):
            found[SpanStop("apart", "none of them reads what another one writes")] = None
        elif not found:
            called = next(step for step in self._steps(window) if not step.step.kernel)
            found[_library(called)] = None
        yield from list(found)[:MOST_WHYS]


def _library(called: WeighedStep) -> SpanStop:
    return SpanStop("library", f"{called.step.id} is a library call, which can not be part of a kernel")


def _title(steps: Sequence[WeighedStep]) -> str:
    """`relu, mm`, `26 x embedding`: what the steps do, in order."""
    jobs = [(word, len(list(of))) for word, of in groupby(map(_word, steps))]
    return ", ".join(word if count == 1 else f"{count} x {word}" for word, count in jobs)


def _word(step: WeighedStep) -> str:
    if kernel := step.step.kernel:
        if kernel.category == "template":
            return kernel.title.partition(":")[0]
        return " + ".join(kernel.recognised) or kernel.title.rpartition(", ")[0] or kernel.title or kernel.name
    return step.step.id
