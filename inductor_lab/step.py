"""What an edited kernel or span saves of a whole model's step, measured with and without it, or estimated without a GPU.

With a GPU the captured module is run with and without the hand kernel (`replay`). Without one there are no times, and what can be counted, launches
and bytes, stands for an estimate of the kernel's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from inductor_lab import shelf, store
from inductor_lab.costs.traffic import moved
from inductor_lab.errors import LabError
from inductor_lab.files import seen
from inductor_lab.measure.timing.significance import CLOCK, SAME
from inductor_lab.records import Capture, Kernel, Replay, ReplayedLaunch, Saving, StepEffect
from inductor_lab.records.span import Span
from inductor_lab.spans import everywhere
from inductor_lab.staleness import origin_of

CUPTI = 0.03
"""The part of a launch's time by which the profiler and the events may differ."""

Interval = tuple[float, float]
Places = Sequence[Kernel] | Sequence[Span]


def effect(path: str | Path, capture: str, *, timed: bool, progress: Callable[[str], None] | None = None) -> StepEffect:
    """What an ejected file's hand kernel is worth in a capture that holds the kernel, or the span; in all places of it.

    Args:
        timed: Run the captured module on the GPU; else only what can be counted is told.

    Raises:
        LabError: there is no such capture, no kernel of it has this body, or it can not be replayed.
    """
    path = Path(path)
    found, places = its_kernel(path, capture)
    if not timed:
        return estimated(found, places)
    from inductor_lab.replay.run import replay

    grafts = {one.id: path for one in places}
    return measured(found, places, replay(store.folder_of(capture), grafts=grafts, progress=progress))


def its_kernel(path: Path, capture: str) -> tuple[Capture, Places]:
    """The capture, and its kernel that has the body from which a file was ejected, or every place of its span.

    Raises:
        LabError: there is no such capture, or no such kernel in it.
    """
    origin = origin_of(path, seen(path).text)
    found = shelf.whole(capture)
    places: Places = (
        everywhere(found, origin)
        if "span" in origin
        else [kernel for kernel in found.kernels if kernel.body_sha256 == origin["body_sha256"]]
    )
    if not places:
        what = "no steps of {} are that span" if "span" in origin else "no kernel of {} has that body"
        raise LabError(
            f"{path} was ejected from {origin['name']} of {origin['capture']}, and {what.format(capture)}; `inductor-lab status {path}` "
            "tells what became of it."
        )
    return found, places


def capture_of(path: Path) -> str:
    """The capture that a file names, where it is here and holds the kernel; empty where not."""
    try:
        name = str(origin_of(path, seen(path).text)["capture"])
        its_kernel(path, name)
    except LabError:
        return ""
    return name


def estimated(capture: Capture, places: Places) -> StepEffect:
    """What can be told without a time: launches, bytes, and the kernel's part of the bytes of all launches that can be counted."""
    by_kernel = moved(capture)
    every = [bytes_ for each in by_kernel.values() for bytes_ in each]
    ours = [bytes_ for place in places for bytes_ in _bytes(capture, place, by_kernel)]
    own, counted = [b for b in ours if b is not None], [b for b in every if b is not None]
    whole = len(own) == len(ours)
    return StepEffect(
        capture=capture.kernels[0].id.rpartition(":")[0],
        kernel=places[0].id,
        verdict="untimed",
        launches=len(ours),
        all_launches=len(every),
        bytes=sum(own) if whole else None,
        all_bytes=sum(counted),
        uncounted=len(every) - len(counted),
        share=sum(own) / sum(counted) if whole and any(counted) else None,
    )


def _bytes(
    capture: Capture, place: Kernel | Span, by_kernel: Mapping[str, Sequence[int | None]]
) -> Iterator[int | None]:
    """Of each launch of a kernel, or of a span's own."""
    lines = place.lines if isinstance(place, Span) else set()
    for kernel in capture.kernels:
        for launch, bytes_ in zip(kernel.launches, by_kernel.get(kernel.id, ()), strict=False):
            if kernel == place or (isinstance(place, Span) and launch.graph == place.graph and launch.line in lines):
                yield bytes_


def measured(capture: Capture, places: Places, found: Replay) -> StepEffect:
    """What a replay with the hand kernel told; the graphs' steps together, where it is launched in several."""
    bare = estimated(capture, places)
    notes = (*_departs(found), *found.notes)
    savings = [graph.saving for graph in found.graphs if graph.saving]
    if not savings or not all(graph.step for graph in found.graphs):
        return replace(bare, notes=notes)
    step = {
        name: sum((graph.step.get(name) or graph.step["generated"]).median for graph in found.graphs)
        for name in ("generated", "grafted")
    }
    ours = [launch for launch in found.launches if launch.grafted]
    took = {name: total for name in step if (total := _together(ours, name)) is not None}
    saved, interval, noise = _end_to_end(savings)
    expected = _expected(savings)
    limit = _beyond(noise, SAME, took, len(ours))
    return replace(
        bare,
        verdict="faster" if interval[0] > limit else "slower" if interval[1] < -limit else "same",
        share=took["generated"] / step["generated"] if "generated" in took else None,
        microseconds=took,
        step=step,
        expected=expected[0] if expected else None,
        expected_interval=expected[1] if expected else None,
        saved=saved,
        saved_interval=interval,
        noise=noise,
        margin=limit,
        agreement=_agreement(expected[1], interval, _beyond(noise, CUPTI, took, len(ours))) if expected else "",
        notes=notes,
    )


def _departs(found: Replay) -> tuple[str, ...]:
    if found.verdict == "pass":
        return ()
    where = f"first at {found.first}" if found.first else "in an output of a graph"
    return (
        f"With the hand kernel the module does not compute what eager does, {where}: its time is that of another computation.",
    )


def _together(launches: Sequence[ReplayedLaunch], name: str) -> float | None:
    """Microseconds of all of them; None where the profiler did not show one."""
    times = [launch.microseconds.get(name) for launch in launches]
    return None if None in times else sum(time for time in times if time is not None)


def _end_to_end(savings: Sequence[Saving]) -> tuple[float, Interval, float]:
    """What the graphs' steps save together; intervals and noise are added, which is on the safe side."""
    return (
        sum(one.step for one in savings),
        _added(one.step_interval for one in savings),
        sum(one.noise for one in savings),
    )


def _expected(savings: Sequence[Saving]) -> tuple[float, Interval] | None:
    """What the launches save together; None where some were not seen."""
    known = [
        (one.launches, one.launches_interval) for one in savings if one.launches is not None and one.launches_interval
    ]
    if len(known) < len(savings) or not known:
        return None
    return sum(saved for saved, _ in known), _added(interval for _, interval in known)


def _added(intervals: Iterable[Interval]) -> Interval:
    lows, highs = zip(*intervals, strict=True)
    return sum(lows), sum(highs)


def _beyond(noise: float, part: float, took: dict[str, float], launches: int) -> float:
    """Microseconds that tell nothing: the step's noise, a part of what the launches take, or what the clock can not tell apart of each."""
    return max(noise, part * max(took.values(), default=0.0), CLOCK * launches)


def _agreement(expected: Interval, saved: Interval, margin: float) -> str:
    """Whether the step saves what its launches do."""
    if saved[0] > expected[1] + margin:
        return "more"
    return "less" if saved[1] < expected[0] - margin else "agrees"
