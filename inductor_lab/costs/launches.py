"""What kernels and library calls cost at least on a card: numbers of one launch and of all, for tables that are sorted by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.costs.estimate import estimate
from inductor_lab.costs.hints import Hints, hinted, of_graphs
from inductor_lab.costs.library import Library, library
from inductor_lab.costs.roofline import LAUNCH_SECONDS, Bound, bound
from inductor_lab.costs.traffic import of_launch
from inductor_lab.gpus import Card
from inductor_lab.records import Capture, Kernel, Traffic


@dataclass(frozen=True)
class Cost:
    """Of one launch, the first, and of all launches together, each by its own shapes."""

    launches: int
    read: int | None
    """Bytes of the first launch, as are those below."""
    written: int | None
    flops: int | None
    seconds: float | None
    """What bytes and operations need at least on the card, launching left out; None where they are not counted."""
    limit: str
    """`memory`, `arithmetic`, `special functions` or `launch`."""
    least: bool
    """Whether the bytes are the least that it moves."""
    all_bytes: int | None
    """Of all launches; None where one of them can not be counted."""
    all_seconds: float | None
    """Their floor: of each the larger of what its bytes and operations need and of what launching costs."""
    bound: float | None = None
    """The same with launching left out, as an edit of the kernel changes nothing of it."""
    estimate: float | None = None
    """About what they take, launching left out (`estimate.py`); None of a template and a library call."""

    @property
    def moved(self) -> int | None:
        """Bytes of the first launch; None where they are not counted."""
        return self.read + self.written if self.read is not None and self.written is not None else None

    @property
    def floor(self) -> float | None:
        """Of the first launch, launching it included."""
        return max(self.seconds, LAUNCH_SECONDS) if self.seconds is not None else None


def of_kernel(kernel: Kernel, on: Card, hints: Mapping[str, Hints]) -> Cost:
    """What a kernel's launches cost.

    Args:
        hints: By graph, as `costs.hints.of_graphs` has them.
    """
    counted = [of_launch(kernel, launch, hints) for launch in kernel.launches]
    cost = _cost(kernel.traffic, bound(kernel.traffic, on), [bound(one, on) for one in counted])
    if cost.bound is None:
        return cost
    alike: dict[Traffic, float | None] = {}
    for launch, one in zip(kernel.launches, counted, strict=True):
        if one not in alike:
            own = replace(kernel, launches=(launch,))
            alike[one] = estimate(hinted(own, launch, hints.get(launch.graph, {})) if one.hinted else own, one, on)
    known = [seconds for one in counted if (seconds := alike[one]) is not None]
    return replace(cost, estimate=max(sum(known), cost.bound) if len(known) == len(counted) else None)


def of_calls(calls: Sequence[Library]) -> Cost:
    """What calls of one library function cost."""
    return _cost(calls[0].call.traffic, calls[0].bound, [one.bound for one in calls])


def _cost(first: Traffic, one: Bound | None, bounds: Sequence[Bound | None]) -> Cost:
    known = [found for found in bounds if found is not None]
    whole = len(known) == len(bounds)
    return Cost(
        len(bounds),
        first.read,
        first.written,
        first.flops,
        one.seconds if one else None,
        one.limit if one else "",
        first.least,
        sum(found.bytes for found in known) if whole else None,
        sum(max(found.seconds, LAUNCH_SECONDS) for found in known) if whole else None,
        sum(found.seconds for found in known) if whole else None,
    )


def costliest(capture: Capture, on: Card) -> list[Kernel]:
    """The kernels by what all their launches need, launching left out, the costliest first; those that can not be counted last."""
    hints = of_graphs(capture)
    return sorted(capture.kernels, key=lambda kernel: -(of_kernel(kernel, on, hints).bound or 0.0))


def grouped(capture: Capture, on: Card) -> tuple[tuple[Library, ...], ...]:
    """The library calls, those of one function on the same shapes in one graph together."""
    found: dict[tuple[str, str, str], list[Library]] = {}
    for call in capture.extern_calls:
        told = library(call, on)
        found.setdefault((call.target, call.graph, told.signature), []).append(told)
    return tuple(map(tuple, found.values()))
