"""A lower bound and an estimate of the time of launches and library calls on a card.

    llama's log_softmax, 4096 x 128,256 bf16, on an H200    bound 251 us, estimate 527 us, measured 683 us: its instructions

A bound says what no kernel can beat; an estimate what the body, as it is written, comes to: its memory, instructions, special functions, atomic
additions and loops, as far as they do not hide each other. A list is sorted by the distance. Estimates are held against 251 kernels that were timed on an
H200 by `tests/benchmarks/estimates.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, prod

from inductor_lab.bind.geometry import Geometry, geometry, idle
from inductor_lab.computation import Computation, computation
from inductor_lab.costs.hints import Hints, hinted, of_graphs
from inductor_lab.costs.library import Library, library
from inductor_lab.costs.roofline import LAUNCH_SECONDS, Bound, bound, needed
from inductor_lab.costs.traffic import of_launch, work
from inductor_lab.gpus import Card
from inductor_lab.quantity import duration
from inductor_lab.records import Capture, Cost, Kernel, Traffic


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
        max(one.seconds, LAUNCH_SECONDS) if one else None,
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


# ---------------------------------------------------------------- about how long


ATOMIC = 10.7
"""Bytes in whose time the L2 cache adds one element: 400 billion a second on an H200 (two embeddings' backward, H200)."""
TURN = 1e-6
"""Seconds from one turn of a loop to the next that waits for its loads."""
OVERLAP = 3
"""How well units work beside each other: the norm in which their times are added; 1 is not at all, infinity perfectly."""
WORTH = 1.1
"""How many times the bound an estimate is that is told."""


def estimate(kernel: Kernel, counted: Traffic, on: Card) -> float | None:
    """Seconds that the first launch takes, launching left out; None where its traffic is not counted, or only the least.

    Args:
        counted: What the launch moves and computes.
    """
    found = parts(kernel, counted, on)
    return None if found is None else together(found)


def together(times: Mapping[str, float]) -> float:
    """Seconds of units that work beside each other."""
    return float(sum(time**OVERLAP for time in times.values()) ** (1 / OVERLAP))


def parts(kernel: Kernel, counted: Traffic, on: Card) -> dict[str, float] | None:
    """What each unit works on the first launch, in seconds."""
    least = needed(counted, on)
    if least is None or counted.least:
        return None
    found = computation(kernel)
    shape = geometry(kernel, found, on)
    lanes = prod(held / elements for elements, held in idle(found).values())
    busy = min(shape.programs / on.processors, 1) if shape else 1
    return {
        "memory": least["memory"],
        "instructions": lanes * sum(work(job).instructions for job in found.every()) / (on.flops / 2 * busy),
        "special functions": least["special functions"],
        "atomic additions": sum(map(added, found.every())) * ATOMIC / on.reachable,
        "waiting for a loop's loads": waits(found, shape, on) if shape else 0.0,
    }


def told(kernel: Kernel, counted: Traffic, on: Card) -> str:
    """`about 42.1 us: bound by atomic additions, 41.9 us; memory 8.8 us`; empty where the bound, or launching it, says it all."""
    found = parts(kernel, counted, on)
    least = bound(counted, on)
    if not found or least is None or together(found) < max(WORTH * least.seconds, LAUNCH_SECONDS):
        return ""
    (longest, unit), *others = sorted(((time, unit) for unit, time in found.items()), reverse=True)
    beside = ", ".join(f"{other} {duration(time)}" for time, other in others if time > longest / 10)
    binds = f"about {duration(together(found))}: bound by {unit}"
    return f"{binds}, {duration(longest)}; {beside}" if beside else binds


def waits(found: Computation, shape: Geometry, on: Card) -> float:
    """Seconds that the turns of loops that load wait for it, one turn after the other."""
    sizes = {axis: found.numel[axis] for axis in shape.blocks if axis.startswith("r")}
    if not sizes:
        return 0.0
    turns = prod(ceil(size / shape.split / shape.blocks[axis]) for axis, size in sizes.items() if isinstance(size, int))
    loops = [one for one in found.statements if isinstance(one, (ast.For, ast.While)) and _loads(one, found)]
    inner = [one for one in loops if not any(other is not one and _within(other, one) for other in loops)]
    resident = max(min(on.threads // (shape.warps * on.warp_size), on.programs), 1)
    return len(inner) * turns * TURN * ceil(shape.programs / (on.processors * resident))


def _loads(loop: ast.stmt, found: Computation) -> bool:
    return any(loop.lineno <= load.line <= (loop.end_lineno or 0) for load in found.loads)


def _within(inner: ast.stmt, outer: ast.stmt) -> bool:
    return outer.lineno <= inner.lineno and (inner.end_lineno or 0) <= (outer.end_lineno or 0)


def added(job: Computation) -> int:
    """Elements that atomic operations add."""
    return sum(job.elements(frozenset(job.numel)) or 0 for access in job.accesses if access.kind.startswith("atomic"))
